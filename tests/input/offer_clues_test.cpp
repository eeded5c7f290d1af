// What a good colleague says about an offer that cannot be, and about a model of a size that does not exist.
#include <gtest/gtest.h>

#include "input/prices/offer_clues.h"

#include "input/job_fixture.h"
#include "input/models/model_sizes.h"
#include "input/text/gpu_name.h"

namespace gpuplan {
namespace {

/// Three offers: an old price, a new one of the same machine, and another machine.
Catalogue market() {
  Catalogue catalogue;
  const auto gpu = [&](std::string name, double gib) {
    Gpu& card = catalogue.gpus.emplace_back();
    card.name = std::move(name);
    card.vendor = "nvidia";
    card.memory = gib * units::GiB;
    catalogue.gpu_names.add(card.name, static_cast<int>(catalogue.gpus.size()) - 1);
  };
  gpu("A100 SXM 40GB", 40);
  gpu("H100 SXM", 80);
  const auto offer = [&](std::string instance, std::string name, double price, std::string as_of) {
    Offer& row = catalogue.offers.emplace_back();
    row.provider = "aws";
    row.instance = std::move(instance);
    row.gpu = std::move(name);
    row.gpus = 8;
    row.price = exactly(price * units::dollar / units::hour);
    row.as_of = std::move(as_of);
  };
  offer("p4d.24xlarge", "A100 SXM 40GB", 32.77, "2025-03");
  offer("p4d.24xlarge", "A100 SXM 40GB", 21.96, "2026-04");
  offer("p5.48xlarge", "H100 SXM", 55.04, "2026-04");
  return catalogue;
}

TEST(OfferClues, SizePriceAndInstanceGiveTheMachineAway) {
  const Catalogue catalogue = market();
  OfferClues clues{8, 32.77 * units::dollar / units::hour, "p5.48xlarge"};
  EXPECT_EQ(
      clue_words(catalogue, "8x H100 40GB", clues),
      "8 GPUs of 40 GB are aws p4d.24xlarge, 8x A100 SXM 40GB, $21.96/h in 2026-04; $32.77/h was the price of aws "
      "p4d.24xlarge, 8x A100 SXM 40GB, in 2025-03; p5.48xlarge is 8x H100 SXM, $55.04/h in 2026-04");
  clues.price = 32.00 * units::dollar / units::hour;
  clues.instance = "p9.nosuch";
  EXPECT_EQ(clue_words(catalogue, "H100 40GB", clues),
            "8 GPUs of 40 GB are aws p4d.24xlarge, 8x A100 SXM 40GB, $21.96/h in 2026-04");
  EXPECT_EQ(clue_words(catalogue, "H100 40GB", {4, {}, ""}), "") << "nobody rents four of them";
  EXPECT_EQ(clue_words(catalogue, "H1000", {8, {}, ""}), "") << "no size in the name";
}

TEST(OfferClues, AreReadFromWhatStandsBesideTheGpu) {
  const std::string error = error_of(R"(
market: {use: only, offers: [{gpu: H100 40GB, gpus: 8, price: $32.77/h, instance: p5.48xlarge}]}
phases: [{name: train, train: {model: gpt2, data: {samples: 1}, sequence: 512}}]
)");
  EXPECT_EQ(error.find("job.yaml:2: market.offers[0].gpu: there is no H100 with 40 GB; there are "), 0u) << error;
  for (const char* part :
       {"with 40 GB there are A100 SXM 40GB and A100 PCIe 40GB", "8 GPUs of 40 GB are ",
        "$32.77/h was the price of aws p4d.24xlarge, 8x A100 SXM 40GB, in 2025-03", "p5.48xlarge is 8x H100 SXM, "})
    EXPECT_NE(error.find(part), std::string::npos) << part << " in " << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(OfferClues, FindTheSizeInAName) {
  EXPECT_EQ(gigabytes_in("8x H100 40GB"), 40);
  EXPECT_EQ(gigabytes_in("H100-80 GB:8"), 80);
  EXPECT_EQ(gigabytes_in("RTX 4090"), 0);
}

TEST(ModelSizes, OfAKnownFamily) {
  const std::string qwen = other_sizes(known(), "Qwen/Qwen3-7B");
  EXPECT_EQ(qwen.find("there is no Qwen3 with 7B; Qwen3 comes in 0.6B, 1.7B, 4B, 8B, 14B, 32B"), 0u) << qwen;
  EXPECT_NE(qwen.find("; with 7B there are Qwen2.5-7B"), std::string::npos) << qwen;
  EXPECT_EQ(other_sizes(known(), "Llama-3.1-9B"), "there is no Llama-3.1 with 9B; Llama-3.1 comes in 8B, 70B and 405B");
}

TEST(ModelSizes, AreNotTheMatterOtherwise) {
  for (const char* name : {"Qwen3-8B-Foo", "NoSuchFamily-7B", "gpt2", "", "-7B", "Qwen3", "7B"})
    EXPECT_EQ(other_sizes(known(), name), "") << name;
}

TEST(UnequalWork, IsSaidInSamplesOfEachGpu) {
  EXPECT_EQ(
      error_of(R"(
phases:
  - name: train
    train:
      model: gpt2
      sequence: 512
      steps: 10_000
      batch: {by_gpu: {RTX 4090: 256, 8x H100 SXM: 2048, else: 1024}}
)"),
      "job.yaml:7: phases.train.train: 10,000 steps are 2.56M samples on RTX 4090 (batch 256), 20.5M on 8x H100 SXM "
      "(2,048) and 10.2M elsewhere (1,024): not the same work; add steps_at_batch: 256 (the work is steps x "
      "256 = 2.56M samples for all), or use epochs instead of steps");
}

}  // namespace
}  // namespace gpuplan
