#include "domain/facts/catalogue.h"

#include <gtest/gtest.h>

#include "domain/facts/machine_rows.h"

namespace gpuplan {
namespace {

using namespace units;

Gpu make_gpu(std::string name, std::string vendor = "nvidia") {
  Gpu gpu;
  gpu.name = std::move(name);
  gpu.vendor = std::move(vendor);
  gpu.pcie_gen = 4;
  gpu.pcie_lanes = 16;
  return gpu;
}

/// A few GPUs of every kind of link; figures as in their data sheets.
Catalogue small_catalogue() {
  Catalogue catalogue;
  Gpu h100 = make_gpu("H100 SXM");
  h100.link = 900 * GB / second;
  h100.link_kind = LinkKind::kNvswitch;
  h100.compute_capability = 9;
  Gpu v100 = make_gpu("V100 SXM2 16GB");
  v100.link = 300 * GB / second;
  v100.link_kind = LinkKind::kNvlinkMesh;
  v100.compute_capability = 7;
  Gpu rtx3090 = make_gpu("RTX 3090");
  rtx3090.link = 112.5 * GB / second;
  rtx3090.link_needs_bridge = true;
  Gpu mi300x = make_gpu("MI300X", "amd");
  mi300x.link = 896 * GB / second;
  mi300x.link_kind = LinkKind::kXgmi;
  Gpu tpu = make_gpu("TPU v4", "google");
  tpu.link = 300 * GB / second;
  tpu.link_kind = LinkKind::kIci;
  Gpu a6000 = make_gpu("RTX A6000");
  a6000.link_needs_bridge = true;
  a6000.link = 112.5 * GB / second;
  catalogue.gpus = {h100, v100, rtx3090, mi300x, tpu, a6000, make_gpu("L40S"), make_gpu("RTX 6000 Ada")};
  for (std::size_t i = 0; i < catalogue.gpus.size(); ++i)
    EXPECT_TRUE(catalogue.gpu_names.add(catalogue.gpus[i].name, static_cast<int>(i)));
  EXPECT_TRUE(catalogue.gpu_names.add("h100", 0));

  Node p5;
  p5.provider = "aws";
  p5.instance = "p5.48xlarge";
  p5.gpu = "H100 SXM";
  p5.gpus = 8;
  p5.link = 900 * GB / second;
  p5.link_kind = LinkKind::kNvswitch;
  p5.peer_access = true;
  p5.network = 400 * GB / second;
  p5.gpu_network = 399 * GB / second;
  p5.front = 10 * GB / second;
  p5.ram = 2048 * GiB;
  Node box;
  box.provider = "any";
  box.instance = "4x RTX 3090";
  box.gpu = "RTX 3090";
  box.gpus = 4;
  box.link = 32 * GB / second;
  box.link_kind = LinkKind::kPcie;
  box.network = 0.1 * GB / second;
  catalogue.nodes = {p5, box};
  return catalogue;
}

Offer make_offer(std::string gpu, int gpus, std::string provider = "", std::string instance = "") {
  Offer offer;
  offer.gpu = std::move(gpu);
  offer.gpus = gpus;
  offer.provider = std::move(provider);
  offer.instance = std::move(instance);
  return offer;
}

TEST(NameIndex, ComparesSqueezedAndRefusesTheSecondMeaning) {
  NameIndex index;
  EXPECT_TRUE(index.add("RTX 4090", 3));
  EXPECT_TRUE(index.add("rtx-4090", 3)) << "another spelling of the same";
  EXPECT_FALSE(index.add("RTX_4090", 4));
  EXPECT_FALSE(index.add("", 1));
  EXPECT_FALSE(index.add("–", 1));
  EXPECT_EQ(index.find(" Rtx4090"), 3);
  EXPECT_EQ(index.find_squeezed("rtx4090"), 3);
  EXPECT_EQ(index.find("RTX 409"), std::nullopt);
  EXPECT_EQ(index.find(""), std::nullopt);
}

TEST(Catalogue, FindsModelsWithAndWithoutOrganisation) {
  Catalogue catalogue;
  ModelShape plain, owned;
  plain.name = "Llama-3.1-8B";
  owned.name = "Org/Special";
  catalogue.models = {plain, owned};
  ASSERT_TRUE(catalogue.model_names.add("Llama-3.1-8B", 0));
  ASSERT_TRUE(catalogue.model_names.add("Org/Special", 1));
  EXPECT_EQ(catalogue.find_model("meta-llama/Llama-3.1-8B"), &catalogue.models[0]);
  EXPECT_EQ(catalogue.find_model("llama 3.1 8b"), &catalogue.models[0]);
  EXPECT_EQ(catalogue.find_model("org/special"), &catalogue.models[1]);
  EXPECT_EQ(catalogue.find_model("llama-3.1-9b"), nullptr);
  EXPECT_EQ(catalogue.find_model("meta-llama/"), nullptr);
  EXPECT_EQ(catalogue.find_framework("none"), nullptr);
}

TEST(Catalogue, ParsesGpusWithCounts) {
  const Catalogue catalogue = small_catalogue();
  const auto is = [&](std::string_view text, std::string_view name, int count) {
    const auto parsed = parse_gpu_count(catalogue, text);
    ASSERT_TRUE(parsed.has_value()) << text;
    EXPECT_EQ(parsed->gpu->name, name) << text;
    EXPECT_EQ(parsed->count, count) << text;
  };
  is("8x H100 SXM", "H100 SXM", 8);
  is("8 x h100", "H100 SXM", 8);
  is("8×H100 SXM", "H100 SXM", 8);
  is("H100 SXM:8", "H100 SXM", 8);
  is("h100 x8", "H100 SXM", 8);
  is("H100x8", "H100 SXM", 8);
  is("  H100  ", "H100 SXM", 0);
  is("16x RTX 3090", "RTX 3090", 16);
  for (const std::string_view text : {"", "8x", "0x H100", "H100:0", "-1x H100", "H100:-1", "99999999999x H100",
                                      "8x H200", "8 H100", "H100:8:8", "H100:", "1.5x H100", "x8", "H100 x"})
    EXPECT_FALSE(parse_gpu_count(catalogue, text).has_value()) << text;
}

TEST(NodeShape, RowsThatAreLookedUpOnceSayTheSame) {
  const Catalogue catalogue = small_catalogue();
  MachineRows rows(catalogue);
  for (const int again : {0, 1})
    for (const char* gpu : {"H100 SXM", "V100 SXM2 16GB", "RTX 3090", "MI300X", "no such GPU"})
      for (const int gpus : {1, 2, 4, 8})
        for (const char* provider : {"", "AWS", "vast"})
          for (const char* instance : {"", "p5.48xlarge", "p6"}) {
            const Offer offer = make_offer(gpu, gpus, provider, instance);
            EXPECT_EQ(node_shape(rows, offer), node_shape(catalogue, offer)) << gpu << again;
          }
}

TEST(NodeShape, TheProvidersOwnRowWins) {
  const Catalogue catalogue = small_catalogue();
  const NodeShape shape = node_shape(catalogue, make_offer("H100 SXM", 8, "AWS", "p5.48xlarge"));
  EXPECT_EQ(shape.gpu, &catalogue.gpus[0]);
  EXPECT_EQ(shape.gpus, 8);
  EXPECT_EQ(shape.link_kind, LinkKind::kNvswitch);
  EXPECT_EQ(shape.network, 399 * GB / second) << "what the GPUs reach";
  EXPECT_EQ(shape.front, 10 * GB / second) << "what reaches storage";
  EXPECT_EQ(shape.ram, 2048 * GiB);
  EXPECT_EQ(node_shape(catalogue, make_offer("H100 SXM", 8, "aws")), shape) << "no instance named: the provider's box";
  const NodeShape other = node_shape(catalogue, make_offer("H100 SXM", 8, "aws", "p6"));
  EXPECT_EQ(other.network.value, 0) << "an instance without a row: its network is not known";
  EXPECT_EQ(node_shape(catalogue, make_offer("H100 SXM", 4, "aws", "p5.48xlarge")).network.value, 0);
}

TEST(NodeShape, CommonBoxes) {
  const Catalogue catalogue = small_catalogue();
  const NodeShape box = node_shape(catalogue, make_offer("RTX 3090", 4, "vast"));
  EXPECT_EQ(box.link, 32 * GB / second) << "the row of provider any";
  EXPECT_FALSE(box.peer_access);

  const NodeShape nvswitch = node_shape(catalogue, make_offer("H100 SXM", 4));
  EXPECT_EQ(nvswitch.link_kind, LinkKind::kNvswitch);
  EXPECT_EQ(nvswitch.link, 900 * GB / second);
  EXPECT_TRUE(nvswitch.peer_access);
  EXPECT_EQ(node_shape(catalogue, make_offer("V100 SXM2 16GB", 8)).link_kind, LinkKind::kNvlinkMesh);
  EXPECT_EQ(node_shape(catalogue, make_offer("MI300X", 8)).link_kind, LinkKind::kXgmi);
  EXPECT_EQ(node_shape(catalogue, make_offer("TPU v4", 4)).link_kind, LinkKind::kIci);

  const NodeShape geforce = node_shape(catalogue, make_offer("RTX 3090", 2));
  EXPECT_EQ(geforce.link_kind, LinkKind::kPcie) << "the bridge is optional";
  EXPECT_FALSE(geforce.peer_access);
  EXPECT_NEAR(geforce.link.value, 63.0e9, 0.1e9) << "16 lanes x 2 directions x 1.969 GB/s";
  for (const char* card : {"L40S", "RTX A6000", "RTX 6000 Ada"}) {
    const NodeShape shape = node_shape(catalogue, make_offer(card, 4));
    EXPECT_EQ(shape.link_kind, LinkKind::kPcie) << card;
    EXPECT_TRUE(shape.peer_access) << card;
  }
}

TEST(NodeShape, OneGpuHasNoLinkAndMemoryOfTheOfferWins) {
  const Catalogue catalogue = small_catalogue();
  Offer offer = make_offer("H100 SXM", 1);
  offer.ram = 200 * GiB;
  const NodeShape shape = node_shape(catalogue, offer);
  EXPECT_EQ(shape.link_kind, LinkKind::kNone);
  EXPECT_EQ(shape.link.value, 0);
  EXPECT_EQ(shape.ram, 200 * GiB);
  EXPECT_EQ(node_shape(catalogue, make_offer("B100", 8)).gpu, nullptr);
}

TEST(Hardware, PeakByPrecision) {
  Gpu gpu = make_gpu("H100 SXM");
  gpu.bf16 = 989 * TFLOP / second;
  gpu.fp8 = 1979 * TFLOP / second;
  EXPECT_EQ(peak(gpu, Precision::kBf16), 989 * TFLOP / second);
  EXPECT_EQ(peak(gpu, Precision::kFp8), 1979 * TFLOP / second);
  EXPECT_EQ(peak(gpu, Precision::kMxfp8).value, 0) << "no block scales before Blackwell";
  EXPECT_EQ(peak(gpu, Precision::kTf32).value, 0);
  gpu.fp4 = 9000 * TFLOP / second;
  EXPECT_EQ(peak(gpu, Precision::kMxfp8), gpu.fp8);
  EXPECT_EQ(peak(gpu, Precision::kNvfp4), gpu.fp4);
  gpu.vendor = "amd";
  EXPECT_EQ(peak(gpu, Precision::kNvfp4).value, 0) << "NVFP4 is NVIDIA's";
}

}  // namespace
}  // namespace gpuplan
