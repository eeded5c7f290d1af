#include "output/facts/gpus_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gpuplan {
namespace {

using namespace units;

Catalogue two_gpus() {
  Catalogue catalogue;
  Gpu h100;
  h100.name = "H100 SXM";
  h100.aliases = {"H100", "H100 80GB HBM3"};
  h100.vendor = "nvidia";
  h100.architecture = "Hopper";
  h100.compute_capability = 9;
  h100.year = 2022;
  h100.memory = 80 * GiB;
  h100.usable = 79.6 * GiB;
  h100.usable_observed = true;
  h100.memory_type = "HBM3";
  h100.bandwidth = 3350 * GB / second;
  h100.fp32 = 67 * TFLOP / second;
  h100.bf16 = h100.fp16 = 989.5 * TFLOP / second;
  h100.fp8 = 1979 * TFLOP / second;
  h100.link = 900 * GB / second;
  h100.link_kind = LinkKind::kNvswitch;
  h100.pcie_gen = 5;
  h100.pcie_lanes = 16;
  h100.tdp_watts = 700;
  h100.sms = 132;
  h100.form_factor = "SXM5";
  h100.source = "a data sheet";
  h100.as_of = "2026-11";
  Gpu rtx = h100;
  rtx.name = "RTX 3090";
  rtx.aliases = {};
  rtx.architecture = "Ampere";
  rtx.year = 2020;
  rtx.memory = 24 * GiB;
  rtx.usable = 23.7 * GiB;
  rtx.usable_observed = false;
  rtx.bandwidth = 936 * GB / second;
  rtx.bf16 = 71 * TFLOP / second;
  rtx.fp8 = {};
  rtx.link = 112.5 * GB / second;
  rtx.link_kind = LinkKind::kNvlinkPairs;
  rtx.link_needs_bridge = true;
  rtx.tdp_watts = 350;
  catalogue.gpus = {h100, rtx};
  return catalogue;
}

TEST(GpusReport, Table) {
  const Catalogue catalogue = two_gpus();
  const auto report = select_gpus(catalogue, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(gpus_text(*report, {.columns = 120}, false),
            "  GPU       USABLE MEMORY  BANDWIDTH     BF16      FP8  LINK          TDP  YEAR  ARCHITECTURE\n           "
            " GiB                 GB/s  TFLOP/s  TFLOP/s  GB/s            W\n  H100 SXM   79.6 of 80        3,350      "
            "990    1,979  900           700  2022  Hopper\n  RTX 3090  ~23.7 of 24          936       71           "
            "112 (bridge)  350  2020  Ampere\n\n  2 GPUs. Data sheets, 2026-11. Dense TFLOP/s, fp32 accumulate; link = "
            "both directions. ~ estimated.\n");
}

TEST(GpusReport, NarrowScreensLoseColumnsAndSaySo) {
  const Catalogue catalogue = two_gpus();
  const auto report = select_gpus(catalogue, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(
      gpus_text(*report, {.columns = 60}, false),
      "  GPU       USABLE MEMORY  BANDWIDTH     BF16      FP8\n            GiB                 GB/s  TFLOP/s  "
      "TFLOP/s\n  H100 SXM   79.6 of 80        3,350      990    1,979\n  RTX 3090  ~23.7 of 24          936       "
      "71\n\n  2 GPUs. Data sheets, 2026-11. Dense TFLOP/s, fp32\n  accumulate; link = both directions. ~ estimated.\n "
      " Left out for want of room: ARCHITECTURE, YEAR, TDP, LINK\n  (a wider window, --markdown or --csv has them).\n");
}

TEST(GpusReport, ASingleGpuHasItsDetails) {
  const Catalogue catalogue = two_gpus();
  const std::vector<std::string> filter = {"h100 80gb hbm3"};
  const auto report = select_gpus(catalogue, filter);
  ASSERT_TRUE(report.has_value());
  const std::string text = gpus_text(*report, {.columns = 120}, false);
  EXPECT_EQ(text.substr(text.find("\n\n") + 2),
            "  1 of 2 GPUs. Data sheets, 2026-11. Dense TFLOP/s, fp32 accumulate; link = both directions.\n\n  H100 "
            "SXM\n    also      H100, H100 80GB HBM3\n    form      SXM5, HBM3, 132 SMs, PCIe 5 x16\n    peaks     "
            "fp32 67 TFLOP/s, fp16 990 TFLOP/s\n    source    a data sheet, 2026-11\n");
}

TEST(GpusReport, NothingMatches) {
  const Catalogue catalogue = two_gpus();
  const std::vector<std::string> filter = {"RTX 3009"};
  EXPECT_EQ(gpus_text(*select_gpus(catalogue, filter), {}, false), "No GPU of 2 matches. Did you mean 'RTX 3090'?\n");
  const std::vector<std::string> wrong = {"memori>4"};
  EXPECT_EQ(select_gpus(catalogue, wrong).error().message,
            "filter 'memori>4': unknown field 'memori'. Did you mean 'memory'?");
}

TEST(GpusReport, Json) {
  const Catalogue catalogue = two_gpus();
  const std::vector<std::string> filter = {"year=2020"};
  const auto json = nlohmann::json::parse(gpus_json(*select_gpus(catalogue, filter)));
  EXPECT_EQ(json["schema"], "gpuplan/gpus@1");
  EXPECT_EQ(json["known"], 2);
  ASSERT_EQ(json["gpus"].size(), 1U);
  const auto& gpu = json["gpus"][0];
  EXPECT_EQ(gpu["name"], "RTX 3090");
  EXPECT_EQ(gpu["memory_gib"], 24);
  EXPECT_EQ(gpu["bandwidth_gb_s"], 936);
  EXPECT_EQ(gpu["bf16_tflops"], 71);
  EXPECT_TRUE(gpu["fp8_tflops"].is_null()) << "the hardware has no such mode";
  EXPECT_EQ(gpu["link_kind"], "nvlink-pairs");
  EXPECT_EQ(gpu["tdp_watts"], 350);
  EXPECT_EQ(gpu["usable_observed"], false);
}

}  // namespace
}  // namespace gpuplan
