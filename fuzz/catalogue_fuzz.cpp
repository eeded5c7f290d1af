// Any bytes as one of the data tables, the one whose header it shares most of: a catalogue or one clear line.
// seeds: data/*.csv
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input/tables/catalogue_files.h"
#include "input/text/embedded_data.h"
#include "one_line.h"

namespace {

// Enough for the other tables to refer to.
constexpr std::string_view kGpus =
    "name,aliases,vendor,architecture,compute_capability,year,memory[GiB],usable[GiB],usable_basis,memory_type,"
    "bus[bit],data_rate[Gbit/s],bandwidth[GB/s],fp32[TFLOP/s],tf32[TFLOP/s],bf16[TFLOP/s],fp16[TFLOP/"
    "s],fp16_acc16[TFLOP/s],fp8[TFLOP/s],"
    "fp4[TFLOP/s],int8[TOP/s],link[GB/s],link_kind,link_domain,pcie_gen,pcie_lanes,tdp[W],sms,tensor_clock[MHz],"
    "tensor_rate[FLOP],exceptions,form_factor,source,as_of\n"
    "L4,,nvidia,Ada,8.9,2023,24,22,observed,GDDR6,192,12.5,300,30.3,60,121,121,,242,,242,,none,,4,16,72,58,,1024,tdp,"
    "PCIe,sheet,2026-11\n";

/// The data file whose beginning is most like the text's.
std::string_view most_like(std::string_view text) {
  std::string_view best = gpuplan::kDataFiles[0];
  std::size_t longest = 0;
  for (const std::string_view name : gpuplan::kDataFiles) {
    const std::string_view known = gpuplan::embedded_data(name);
    std::size_t same = 0;
    while (same < std::min(text.size(), known.size()) && text[same] == known[same]) ++same;
    if (same > longest) best = name;
    longest = std::max(longest, same);
  }
  return best;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view name = most_like(text);
  std::vector<gpuplan::DataFile> files = {{name, std::string(name), text}};
  if (name != "gpus.csv") files.push_back({"gpus.csv", "gpus.csv", kGpus});
  const auto catalogue = gpuplan::read_tables(files);
  if (!catalogue) check_error(catalogue.error(), 1000);
  return 0;
}
