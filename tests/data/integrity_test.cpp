// The facts in data/: what they say of themselves and of each other. No figure of a data sheet is repeated here; the
// checks are relations that must hold whatever the figures are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "input/tables/catalogue_files.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

std::string read_data(std::string_view name) {
  std::ifstream file(std::string(GPUPLAN_DATA_DIR) + "/" + std::string(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// All of data/, read once.
const Catalogue& shipped() {
  static const Catalogue all = [] {
    std::vector<std::string> texts;
    for (const auto name : kDataFiles) texts.push_back(read_data(name));
    std::vector<DataFile> files;
    for (std::size_t i = 0; i < kDataFiles.size(); ++i)
      files.push_back({kDataFiles[i], "data/" + std::string(kDataFiles[i]), texts[i]});
    auto parsed = parse_catalogue(files);
    if (!parsed)
      ADD_FAILURE() << parsed.error().place.file << ":" << parsed.error().place.line << ": " << parsed.error().message;
    return parsed ? *std::move(parsed) : Catalogue{};
  }();
  return all;
}

int months(const std::string& as_of) { return std::stoi(as_of.substr(0, 4)) * 12 + std::stoi(as_of.substr(5, 2)); }

class EveryFile : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryFile, IsPlainCsvWithSourceAndDate) {
  const std::string text = read_data(GetParam());
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find('\r'), std::string::npos) << "lines end in LF";
  const auto table = CsvTable::parse(text, GetParam());
  ASSERT_TRUE(table) << table.error().message;
  // source and as_of are the last columns but for confidence and notes.
  std::size_t last = table->columns() - 1;
  while (last > 0 && (table->name(last) == "notes" || table->name(last) == "confidence")) --last;
  EXPECT_EQ(table->name(last), "as_of");
  EXPECT_EQ(table->name(last - 1), "source");
  const auto as_of = table->find("as_of"), source = table->find("source");
  ASSERT_TRUE(as_of && source);
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const int line = table->place(row).line;
    EXPECT_TRUE(is_iso_date(table->cell(row, *as_of))) << line;
    EXPECT_FALSE(trim(table->cell(row, *source)).empty()) << line;
    for (std::size_t column = 0; column < table->columns(); ++column)
      EXPECT_EQ(trim(table->cell(row, column)), table->cell(row, column)) << "blanks around a cell in line " << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Data, EveryFile, testing::ValuesIn(kDataFiles));

TEST(DataGpus, AreManyAndOfAllVendors) {
  EXPECT_GE(shipped().gpus.size(), 95u);
  std::set<std::string> vendors;
  for (const Gpu& gpu : shipped().gpus) vendors.insert(gpu.vendor);
  for (const auto vendor : {"nvidia", "amd", "intel", "habana", "google", "aws"})
    EXPECT_TRUE(vendors.contains(vendor)) << vendor;
}

TEST(DataGpus, AreFoundAsPeopleAndToolsWriteThem) {
  const std::vector<std::pair<const char*, const char*>> spellings = {
      // people, job files, published measurements
      {"B200", "B200"},
      {"H100", "H100 SXM"},
      {"h100 sxm", "H100 SXM"},
      {"H100 80GB", "H100 SXM"},
      {"H100 PCIe", "H100 PCIe"},
      {"H100 NVL", "H100 NVL"},
      {"H200 SXM", "H200 SXM"},
      {"H200", "H200 SXM"},
      {"A100", "A100 SXM 40GB"},
      {"A100 80GB", "A100 SXM 80GB"},
      {"A100 SXM 80GB", "A100 SXM 80GB"},
      {"A100 40GB", "A100 SXM 40GB"},
      {"A100 PCIe 80GB", "A100 PCIe 80GB"},
      {"A100 PCIe 40GB", "A100 PCIe 40GB"},
      {"RTX 5090", "RTX 5090"},
      {"rtx-4090", "RTX 4090"},
      {"4090", "RTX 4090"},
      {"RTX 3090", "RTX 3090"},
      {"L40S", "L40S"},
      {"RTX A6000", "RTX A6000"},
      {"A6000", "RTX A6000"},
      {"L4", "L4"},
      {"RTX 4000 Ada", "RTX 4000 Ada"},
      {"RTX A4000", "RTX A4000"},
      {"A10G", "A10G"},
      {"A40", "A40"},
      {"B300", "B300"},
      {"GB200", "GB200"},
      {"GB300", "GB300"},
      {"GH200 96GB", "GH200 96GB"},
      {"GH200 144GB", "GH200 144GB"},
      {"GTX TITAN X", "GTX TITAN X"},
      {"H100 SXM 96GB HBM2e", "H100 SXM 96GB HBM2e"},
      {"H20", "H20"},
      {"Jetson AGX Orin 64GB", "Jetson AGX Orin 64GB"},
      {"MI300X", "MI300X"},
      {"P100 SXM2", "P100 SXM2"},
      {"RTX 3070", "RTX 3070"},
      {"RTX 3080", "RTX 3080"},
      {"RTX 3080 Ti", "RTX 3080 Ti"},
      {"RTX 3090 Ti", "RTX 3090 Ti"},
      {"RTX 4070 Ti", "RTX 4070 Ti"},
      {"RTX 4080", "RTX 4080"},
      {"RTX 5000 Ada", "RTX 5000 Ada"},
      {"RTX 6000 Ada", "RTX 6000 Ada"},
      {"RTX A5000", "RTX A5000"},
      {"RX 7900 XTX", "RX 7900 XTX"},
      {"RTX PRO 6000 Blackwell Server", "RTX PRO 6000 Blackwell Server"},
      {"V100 SXM2 32GB", "V100 SXM2 32GB"},
      // nvidia-smi and Slurm
      {"NVIDIA H100 80GB HBM3", "H100 SXM"},
      {"NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"},
      {"NVIDIA A100-SXM4-40GB", "A100 SXM 40GB"},
      {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
      {"NVIDIA GeForce RTX 4090", "RTX 4090"},
      {"NVIDIA RTX A6000", "RTX A6000"},
      {"Tesla T4", "T4"},
      {"Tesla V100-SXM2-16GB", "V100 SXM2 16GB"},
      {"nvidia_a100-sxm4-80gb", "A100 SXM 80GB"},
      {"h100", "H100 SXM"},
      {"gtx1080ti", "GTX 1080 Ti"},
      {"rtx_3090", "RTX 3090"},
      // SkyPilot, vast.ai, RunPod, gpuhunt
      {"A100-80GB", "A100 SXM 80GB"},
      {"RTX4090", "RTX 4090"},
      {"RTX6000-Ada", "RTX 6000 Ada"},
      {"RTX6000", "Quadro RTX 6000"},
      {"RTXPRO6000WS", "RTX PRO 6000 Blackwell WS"},
      {"RTXPRO6000", "RTX PRO 6000 Blackwell Server"},
      {"RTX_5090", "RTX 5090"},
      {"H100_SXM", "H100 SXM"},
      {"H100_NVL", "H100 NVL"},
      {"Q RTX 8000", "Quadro RTX 8000"},
      {"RTX 4080S", "RTX 4080 SUPER"},
      {"Tesla-V100", "V100 SXM2 16GB"},
      {"tpu-v6e", "TPU v6e"},
      {"MI300X", "MI300X"}};
  for (const auto& [spelling, name] : spellings) {
    const Gpu* gpu = shipped().find_gpu(spelling);
    ASSERT_NE(gpu, nullptr) << spelling;
    EXPECT_EQ(gpu->name, name) << spelling;
  }
}

TEST(DataGpus, HaveNoNameForWhatDoesNotExist) {
  for (const auto name : {"H100 40GB", "A100 120GB", "RTX 4090 Ti", "H300", "RTX 3090 48GB", "GPU", ""})
    EXPECT_EQ(shipped().find_gpu(name), nullptr) << name;
}

TEST(DataGpus, HaveFiguresThatAgreeWithEachOther) {
  for (const Gpu& gpu : shipped().gpus) {
    SCOPED_TRACE(gpu.name);
    EXPECT_GT(gpu.usable / gpu.memory, 0.88);
    EXPECT_LE(gpu.usable / gpu.memory, 1.0);
    // Gaudi 3 multiplies fp16 at its tf32 rate (Intel's white paper); elsewhere both 16-bit formats run alike, but for
    // the first matrix cores of AMD.
    if (gpu.name != "Gaudi3" && gpu.fp16.value > 0) {
      EXPECT_LE(gpu.bf16, gpu.fp16);
    }
    if (gpu.tf32.value > 0 && gpu.bf16.value > 0) {
      EXPECT_LE(gpu.tf32, gpu.bf16);
    }
    if (gpu.fp8.value > 0) {
      EXPECT_GE(gpu.fp8, gpu.bf16);
      EXPECT_LE(gpu.fp8 / gpu.bf16, 2.1) << "dense figures double at most from 16 to 8 bit";
    }
    if (gpu.fp4.value > 0) {
      EXPECT_LE(gpu.fp4 / gpu.bf16, 8.1);
    }
    if (gpu.fp16_acc16.value > 0) {
      EXPECT_NEAR(gpu.fp16_acc16 / gpu.fp16, 2, 0.05);
    }
    // Before Ampere there was no bf16, before Ada no fp8, before Blackwell no fp4 (NVIDIA).
    if (gpu.vendor == "nvidia") {
      EXPECT_GT(gpu.compute_capability, 3);
      EXPECT_EQ(gpu.bf16.value > 0, gpu.compute_capability >= 8.0);
      EXPECT_EQ(gpu.tf32.value > 0, gpu.compute_capability >= 8.0 && gpu.memory_type.find("LPDDR") != 0);
      EXPECT_EQ(gpu.fp8.value > 0, gpu.compute_capability >= 8.9);
      EXPECT_EQ(gpu.fp4.value > 0, gpu.compute_capability >= 10.0);
    } else {
      EXPECT_EQ(gpu.compute_capability, 0);
    }
    EXPECT_TRUE(gpu.link.value == 0 || gpu.link_kind != LinkKind::kNone);
    EXPECT_EQ(gpu.link_needs_bridge, gpu.link_kind == LinkKind::kNvlinkPairs);
  }
}

/// fp32 of CUDA cores is SMs x lanes x 2 x clock, which binds four columns together.
TEST(DataGpus, Fp32FollowsFromMultiprocessorsAndClock) {
  const std::string text = read_data("gpus.csv");
  const auto table = CsvTable::parse(text, "gpus.csv");
  ASSERT_TRUE(table);
  CsvReader cells(*table);
  const auto name = cells.column("name"), vendor = cells.column("vendor"), boost = cells.column("boost", "MHz"),
             sms = cells.column("sms"), fp32 = cells.column("fp32", "TFLOP/s"),
             capability = cells.column("compute_capability");
  int checked = 0;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    if (cells.text(row, vendor) != "nvidia" || cells.text(row, boost).empty() || cells.text(row, sms).empty()) continue;
    if (cells.text(row, name) == "H20") continue;  // printed above what its clock gives
    const double cc = cells.number(row, capability, 0, 99);
    // Lanes of an SM: CUDA C programming guide, "arithmetic instructions".
    const double lanes = cc < 5 ? 192 : cc == 6.0 || (cc >= 7 && cc < 8.6) ? 64 : 128;
    const double computed = cells.number(row, sms, 1, 1e6) * lanes * 2 * cells.number(row, boost, 1, 1e5) / 1e6;
    EXPECT_NEAR(computed / cells.number(row, fp32, 0, 1e6), 1, 0.03) << cells.text(row, name);
    ++checked;
  }
  EXPECT_TRUE(cells.ok());
  EXPECT_GE(checked, 70);
}

TEST(DataNodes, AgreeWithTheirGpus) {
  EXPECT_GE(shipped().nodes.size(), 85u);
  std::set<std::pair<std::string, std::string>> seen;
  for (const Node& node : shipped().nodes) {
    SCOPED_TRACE(node.provider + " " + node.instance);
    EXPECT_TRUE(seen.emplace(node.provider, node.instance).second) << "stands twice";
    const Gpu* gpu = shipped().find_gpu(node.gpu);
    ASSERT_NE(gpu, nullptr);
    EXPECT_EQ(node.link.value > 0, node.gpus > 1);
    EXPECT_EQ(node.link_kind != LinkKind::kNone, node.gpus > 1);
    if (node.gpus == 1) {
      EXPECT_FALSE(node.peer_access);
    }
    if (node.link_kind != LinkKind::kPcie && node.gpus > 1) {
      EXPECT_LE(node.link / gpu->link, 1.001) << "faster than the GPU's own links";
    } else if (node.gpus > 1) {
      EXPECT_LE(node.link.value, 128e9) << "faster than PCIe 5 x16 both ways";
    }
    if (node.link_kind == LinkKind::kNvswitch || node.link_kind == LinkKind::kNvlinkMesh) {
      EXPECT_TRUE(node.peer_access);
      EXPECT_FALSE(gpu->link_needs_bridge);
    }
    EXPECT_LE(node.gpu_network, node.network);
  }
}

TEST(DataNodes, CommonBoxesAreOnePerGpuAndCount) {
  std::set<std::pair<std::string, int>> seen;
  for (const Node& node : shipped().nodes)
    if (node.provider == "any") {
      EXPECT_TRUE(seen.emplace(node.gpu, node.gpus).second) << node.instance;
    }
  for (const auto gpu : {"RTX 3090", "RTX 4090", "RTX 5090", "RTX A6000", "L40S", "H100 SXM", "A100 SXM 80GB"})
    for (const int count : {1, 2, 4, 8}) EXPECT_TRUE(seen.contains({gpu, count})) << count << "x " << gpu;
}

TEST(DataInterruptions, AreThoseOfSpotOffersOfTheSnapshot) {
  std::set<std::tuple<std::string, std::string, std::string>> offered;
  int with_band = 0;
  int of_aws = 0;
  for (const Offer& offer : shipped().offers) {
    if (!offer.spot_price) continue;
    offered.emplace(offer.provider, offer.region, offer.instance);
    of_aws += offer.provider == "aws" ? 1 : 0;
    with_band += offer.band ? 1 : 0;
    EXPECT_FALSE(offer.interruptions) << "no source knows a rate an hour";
  }
  EXPECT_GT(with_band, 0.85 * of_aws);
  const std::string text = read_data("interruptions.csv");
  const auto table = CsvTable::parse(text, "interruptions.csv");
  ASSERT_TRUE(table);
  for (std::size_t row = 0; row < table->rows(); ++row)
    EXPECT_TRUE(offered.contains(
        {std::string(table->cell(row, 0)), std::string(table->cell(row, 1)), std::string(table->cell(row, 2))}))
        << "line " << table->place(row).line << " serves no offer";
}

TEST(DataOffers, AreADatedSnapshotWithRealPrices) {
  const auto& offers = shipped().offers;
  EXPECT_GE(offers.size(), 200u);
  std::string newest;
  for (const Offer& offer : offers) newest = std::max(newest, offer.as_of.str());
  std::set<std::tuple<std::string, std::string, std::string, std::string, int, std::string>> seen;
  std::size_t current = 0;
  std::set<std::string> providers;
  for (const Offer& offer : offers) {
    SCOPED_TRACE(offer.provider + " " + offer.region + " " + offer.instance + " " + offer.as_of);
    EXPECT_TRUE(seen.emplace(offer.provider, offer.region, offer.instance, offer.gpu, offer.gpus, offer.as_of).second)
        << "stands twice";
    ASSERT_TRUE(offer.price || offer.spot_price);
    const auto dearest = offer.price ? offer.price : offer.spot_price;
    const double per_gpu = dearest->p50 / (units::dollar / units::hour) / offer.gpus;
    EXPECT_GT(per_gpu, 0.03);
    EXPECT_LT(per_gpu, 20) << "a price for the whole machine taken per GPU, or a sentinel";
    if (offer.price && offer.spot_price) {
      EXPECT_LT(offer.spot_price->p50, offer.price->p50);
      // AWS prints a tenth of the price where a region has no spot market.
      if (offer.provider == "aws") {
        EXPECT_GT(std::abs(offer.spot_price->p50 / offer.price->p50 - 0.1), 0.0005);
      }
    }
    if (months(newest) - months(offer.as_of) <= 6) {
      ++current;
      providers.insert(offer.provider);
    }
  }
  EXPECT_GE(current, 150u);
  for (const auto provider : {"aws", "gcp", "lambda", "nebius", "runpod", "vast", "verda"})
    EXPECT_TRUE(providers.contains(provider)) << provider;
}

TEST(DataOffers, AgreeWithTheMachineOfThatName) {
  std::map<std::pair<std::string, std::string>, const Node*> nodes;
  for (const Node& node : shipped().nodes) nodes[{node.provider, node.instance}] = &node;
  int matched = 0;
  for (const Offer& offer : shipped().offers) {
    const auto found = nodes.find({offer.provider, offer.instance});
    if (found == nodes.end()) continue;
    SCOPED_TRACE(offer.provider + " " + offer.instance + " " + offer.as_of);
    EXPECT_EQ(offer.gpu, found->second->gpu);
    EXPECT_EQ(offer.gpus, found->second->gpus);
    ++matched;
  }
  EXPECT_GE(matched, 200);
}

TEST(DataOffers, CostAboutTheSamePerGpuInEverySize) {
  // Within one provider and month more of the same GPUs never cost less in all: such a row is a slip of units.
  for (const Offer& a : shipped().offers)
    for (const Offer& b : shipped().offers)
      if (a.provider == b.provider && a.region == b.region && a.gpu == b.gpu && a.as_of == b.as_of && a.gpus < b.gpus &&
          a.price && b.price && a.vcpus <= b.vcpus) {
        EXPECT_LT(a.price->p50, b.price->p50 * 1.2)
            << a.provider.str() << " " << a.instance.str() << " " << b.instance.str();
      }
}

TEST(DataFrameworks, KnowTheNamesThatMeasurementsUse) {
  EXPECT_GE(shipped().frameworks.size(), 30u);
  for (const auto name : {"megatron",
                          "nemo",
                          "megatron-bridge",
                          "megatron-deepspeed",
                          "deepspeed",
                          "composer",
                          "fsdp",
                          "torchtitan",
                          "torchtune",
                          "hf-trainer",
                          "litgpt",
                          "internevo",
                          "llmq",
                          "nanochat",
                          "automodel",
                          "maxtext",
                          "ddp",
                          "torch",
                          "accelerate",
                          "axolotl",
                          "llama-factory",
                          "unsloth",
                          "nanogpt"}) {
    const Framework* framework = shipped().find_framework(name);
    ASSERT_NE(framework, nullptr) << name;
    EXPECT_TRUE(framework->trains) << name;
  }
  for (const auto name : {"trtllm", "vllm", "sglang", "llama.cpp", "ollama", "hf", "gpt-fast", "exllama", "exllamav2",
                          "lmdeploy", "mlc", "ft", "tinychat", "qserve", "deepspeed", "autoawq", "tgi", "jetstream"}) {
    const Framework* framework = shipped().find_framework(name);
    ASSERT_NE(framework, nullptr) << name;
    EXPECT_TRUE(framework->generates) << name;
  }
}

TEST(DataFrameworks, RunOnlyWhereTheyRun) {
  ASSERT_FALSE(shipped().frameworks.empty());
  const auto runs_on = [](const Framework& framework, std::string_view vendor) {
    return std::find(framework.vendors.begin(), framework.vendors.end(), vendor) != framework.vendors.end();
  };
  const auto find = [](std::string_view name) -> const Framework& { return *shipped().find_framework(name); };
  EXPECT_FALSE(runs_on(find("torch"), "google"));
  EXPECT_TRUE(runs_on(find("maxtext"), "google"));
  EXPECT_FALSE(find("hf-trainer").pipeline);
  EXPECT_FALSE(find("hf-trainer").tensor);
  EXPECT_TRUE(find("megatron").pipeline);
  EXPECT_TRUE(find("unsloth").multi_gpu);
  EXPECT_FALSE(find("unsloth").multi_node);
  EXPECT_TRUE(runs_on(find("deepspeed"), "habana"));
  EXPECT_FALSE(find("torchtune").master_fp32);
  for (const Framework& framework : shipped().frameworks) {
    SCOPED_TRACE(framework.name);
    if (framework.trains) {
      EXPECT_TRUE(framework.full || framework.lora || framework.frozen);
    }
    if (!framework.multi_gpu) {
      EXPECT_FALSE(framework.multi_node || framework.tensor || framework.pipeline);
    }
    EXPECT_FALSE(framework.precisions.empty());
  }
  // Every vendor has something that trains or generates.
  for (const auto vendor : {"nvidia", "amd", "intel", "habana", "google", "aws"})
    EXPECT_TRUE(std::any_of(shipped().frameworks.begin(), shipped().frameworks.end(), [&](const Framework& framework) {
      return runs_on(framework, vendor);
    })) << vendor;
}

}  // namespace
}  // namespace gpuplan
