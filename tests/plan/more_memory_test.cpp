// GPUs that differ in memory alone: more of it never makes what is chosen slower, or less sure to fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/capacity/machines.h"
#include "plan/dice.h"
#include "plan/searched.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {
namespace {

std::string training_job(Dice& dice) {
  std::string text = "phases: [{name: a, train: {model: ";
  text += dice.one_of<const char*>({"gpt2", "Qwen2.5-7B", "Llama-3.1-8B", "Qwen3-8B", "llama-3.3-70b", "Mixtral-8x7B",
                                    "{layers: 24, hidden: 1024}", "{layers: 48, hidden: 4096}"});
  text += std::string(", method: ") + dice.one_of<const char*>({"full", "full", "lora", "qlora"});
  text +=
      ", data: {tokens: 300M}, sequence: " + std::string(dice.one_of<const char*>({"512", "2048", "8192", "32768"}));
  text +=
      dice.one_of<const char*>({"", "", ", batch: 7", ", batch: 16", ", batch: 64", ", batch: 256", ", batch: 480"});
  text += dice.one_of<const char*>({", optimizer: adamw", ", optimizer: adam8bit",
                                    ", optimizer: adamw, recompute: full", ", optimizer: adamw, parallel: zero3"});
  return text + "}}]\n";
}

std::string generation_job(Dice& dice) {
  std::string text = "phases: [{name: a, generate: {model: ";
  text += dice.one_of<const char*>({"Qwen2.5-7B", "Llama-3.1-8B", "llama-3.3-70b", "Mixtral-8x7B", "DeepSeek-V3"});
  text += ", data: [{samples: " + std::string(dice.one_of<const char*>({"50", "3000", "100k"}));
  text += ", prompt_tokens: " + std::string(dice.one_of<const char*>({"100", "1000", "8000"}));
  text += ", new_tokens: " + std::string(dice.one_of<const char*>({"1", "50", "1000"})) + "}]";
  text += dice.one_of<const char*>({"", ", engine: hf", ", situation: single", ", batch: 8", ", concurrency: 64",
                                    ", target: {time_per_output_token: 30 ms}", ", weights: fp8"});
  return text + "}}]\n";
}

struct Found {
  double gib = 0;
  std::optional<PhaseEstimate> best;
};

enum class Sizes { kOfThisChip, kAll };

/// What is chosen on the GPU with each memory that its chip is sold with, or that any GPU has.
std::vector<Found> by_memory(const Job& job, const std::string& name, Sizes which, int per_machine, int machines,
                             Bytes ram) {
  std::vector<Found> all;
  auto workloads = prepare(job);
  if (!workloads) return all;
  const Gpu& real = *known().find_gpu(name);
  std::set<double> sizes;
  for (const Gpu& gpu : known().gpus)
    if (which == Sizes::kAll ||
        (gpu.architecture == real.architecture && gpu.sms == real.sms && gpu.link_kind == real.link_kind))
      sizes.insert(gpu.usable.value);
  for (const double size : sizes) {
    Gpu gpu = real;
    gpu.usable = Bytes{size};
    gpu.memory = real.memory * (gpu.usable / real.usable);
    NodeShape node = common_box(known(), real, per_machine);
    node.gpu = &gpu;
    node.ram = ram;
    if (machines > 1 && node.network <= BytesPerSecond{}) node.network = 25e9 * units::byte / units::second;
    Tally tally;
    all.push_back({gpu.usable / units::GiB,
                   best_estimate(workloads->front(), known(), {node, machines, per_machine * machines}, false, tally)});
    if (all.back().best) all.back().best->node.reset();  // it points at the GPU
  }
  return all;
}

std::string way_of(const Found* found) {
  if (found == nullptr || !found->best) return "";
  return "\n  " + described(*found->best) + ": " + std::to_string(found->best->memory.total() / units::GiB) + " of " +
         std::to_string(found->gib) + " GiB";
}

/// Times of generation step with whole rounds and batches: two that are the same to this share are.
constexpr double kSame = 1e-9;

/// Between memories that no card of a chip has, the care that harder ways take may cost this much
/// (plan/strategy/practice.cpp).
double most_care() { return known().practice_constants.most * 1.02; }

void hold_the_law(const std::string& text, Sizes which, double most, Dice& dice) {
  const auto job = read_text_as_job(text);
  if (!job) return;  // no such job, as a batch of 7 that is no multiple of anything fixed
  const char* gpu = dice.one_of<const char*>({"A100 SXM 80GB", "H100 SXM", "RTX 4090", "L40S", "V100 SXM2 32GB"});
  const int gpus = dice.one_of<int>({1, 2, 4, 8});
  const int machines = gpus == 8 ? dice.one_of<int>({1, 1, 2, 4}) : 1;
  const Bytes ram = dice.one_of<Bytes>({Bytes{}, Bytes{}, 64 * units::GiB, 1000 * units::GiB});
  const Found* before = nullptr;
  const auto all = by_memory(*job, gpu, which, gpus, machines, ram);
  for (const Found& found : all) {
    const std::string where = text + std::to_string(machines) + " x " + std::to_string(gpus) + "x " + gpu + ", " +
                              std::to_string(found.gib) + " GiB, ram " + std::to_string(ram / units::GiB) +
                              way_of(before) + way_of(&found);
    if (found.best) {
      const double rounding = 1 + 1e-12;  // of a sum that fills the memory
      EXPECT_LE(found.best->memory_total.p50 / units::GiB, found.gib * rounding) << "more than there is: " << where;
      if (found.best->fit == Fit::kFits) {
        EXPECT_LE(found.best->memory_total.p90 / units::GiB, found.gib) << "may be more than there is: " << where;
      }
    }
    if (before != nullptr) {
      ASSERT_TRUE(found.best) << "ran with " << before->gib << " GiB: " << where;
      EXPECT_LE(found.best->fit, before->best->fit) << "less fitting than with " << before->gib << " GiB: " << where;
      // What fits on the GPUs stays there, though another chip's smaller memory made a faster way of it.
      const bool stays = found.best->strategy.offload == Offload::kNone &&
                         before->best->strategy.offload != Offload::kNone && which == Sizes::kAll;
      if (before->best->fit == Fit::kFits && !stays) {
        // Programs that launch writes scripts for come before others as soon as they fit.
        const bool written = found.best->framework->scripts && !before->best->framework->scripts;
        const double allowed = written ? std::max(most, known().practice_constants.without_script) : most;
        EXPECT_LE(found.best->work_by_model / before->best->work_by_model, allowed)
            << "slower than with " << before->gib << " GiB: " << where;
      }
    }
    if (found.best) before = &found;
  }
}

class MoreMemory : public testing::TestWithParam<int> {};

TEST_P(MoreMemory, NeverTrainsSlower) {
  Dice dice(static_cast<std::uint64_t>(GetParam()));
  const std::string text = training_job(dice);
  const Dice same = dice;
  hold_the_law(text, Sizes::kOfThisChip, 1 + kSame, dice);
  dice = same;
  hold_the_law(text, Sizes::kAll, most_care(), dice);
}

TEST_P(MoreMemory, NeverGeneratesSlower) {
  Dice dice(static_cast<std::uint64_t>(GetParam()) + 1'000'000);
  const std::string text = generation_job(dice);
  const Dice same = dice;
  hold_the_law(text, Sizes::kOfThisChip, 1 + kSame, dice);
  dice = same;
  hold_the_law(text, Sizes::kAll, known().practice_constants.serve_layers * (1 + kSame), dice);
}

int rounds() {
  const char* wanted = std::getenv("GPUPLAN_LAW_ROUNDS");
  return wanted != nullptr ? std::atoi(wanted) : 60;
}

INSTANTIATE_TEST_SUITE_P(Random, MoreMemory, testing::Range(0, rounds()));

/// Found from outside: where only cuts fit, what the same chip holds with the memory of an H200 was taken for an H100.
TEST(MoreMemory, WhatIsChosenFitsTheCardWhereOnlyCutsDo) {
  for (const char* model : {"Mixtral-8x7B", "Mixtral-8x22B", "DeepSeek-V3", "llama-3.3-70b"}) {
    for (const char* nodes : {"2", "8", "32"}) {
      const Searched searched(
          job_of(std::string("market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\n"
                             "where: {nodes: [") +
                 nodes + "]}\nphases: [{name: a, train: {model: " + model +
                 ", data: {tokens: 1B}, sequence: 2048, batch: 512, framework: megatron}}]\n"),
          Finds::kPerhapsNothing);
      for (const Plan& plan : searched.result.plans) {
        const PhaseEstimate& estimate = *plan.phases.front().estimate;
        const Bytes usable = estimate.node->gpu->usable;
        EXPECT_LE(estimate.memory_total.p50, usable) << nodes << " x " << model << ": " << described(estimate);
        if (estimate.fit == Fit::kFits) {
          EXPECT_LE(estimate.memory_total.p90, usable) << nodes << " x " << model << ": " << described(estimate);
        }
      }
    }
  }
}

/// Found from outside: the faster way, with the optimizer in the host's memory, was all that fits on 40 GB, and too
/// much care on 80 GB.
TEST(MoreMemory, WhatASmallerCardIsToldIsRightOnALargerOne) {
  for (const char* batch : {"256", "16"}) {
    for (const char* gpus : {"2", "8"}) {
      const auto on = [&](const char* gpu) {
        return Searched(job_of(std::string("market: {use: only, offers: [{gpu: ") + gpu + ", gpus: " + gpus +
                               ", price: $8/h}]}\n"
                               "phases: [{name: a, train: {model: Qwen/Qwen2.5-7B, data: {tokens: 3M}, sequence: 512, "
                               "optimizer: adamw, "
                               "batch: {sequences: " +
                               batch + "}}}]\n"))
            .pick()
            .hours.p50;
      };
      EXPECT_LE(on("A100 SXM 80GB"), on("A100 SXM 40GB")) << gpus << " GPUs, batch " << batch;
    }
  }
}

}  // namespace
}  // namespace gpuplan
