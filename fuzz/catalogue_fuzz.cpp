// Any bytes as each of the data tables: a catalogue or one clear line. The first byte chooses the table.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input/catalogue_files.h"

namespace {

// Enough for the other tables to refer to.
constexpr std::string_view kGpus =
    "name,aliases,vendor,architecture,compute_capability,year,memory[GiB],usable[GiB],usable_basis,memory_type,"
    "bandwidth[GB/s],fp32[TFLOP/s],tf32[TFLOP/s],bf16[TFLOP/s],fp16[TFLOP/s],fp16_acc16[TFLOP/s],fp8[TFLOP/s],"
    "fp4[TFLOP/s],int8[TOP/s],link[GB/s],link_kind,pcie_gen,pcie_lanes,tdp[W],sms,form_factor,source,as_of\n"
    "L4,,nvidia,Ada,8.9,2023,24,22.5,observed,GDDR6,300,30.3,60,121,121,,242,,242,,none,4,16,72,58,PCIe,sheet,2026-"
    "11\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view name = gpuplan::kDataFiles[data[0] % gpuplan::kDataFiles.size()];
  std::vector<gpuplan::DataFile> files = {{name, std::string(name), text}};
  if (name != "gpus.csv") files.push_back({"gpus.csv", "gpus.csv", kGpus});
  const auto catalogue = gpuplan::parse_catalogue(files);
  if (!catalogue && (catalogue.error().message.empty() || catalogue.error().message.find('\n') != std::string::npos))
    __builtin_trap();
  return 0;
}
