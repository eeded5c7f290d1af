// How a phase is set up on each machine: names, what is left of the memory, what a larger batch would bring.
#include "plan/advice/profiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/capacity/machines.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

TEST(Profiles, NamesAreWordsOfACommand) {
  EXPECT_EQ(profile_name("RTX 4090", 1, 1), "rtx-4090");
  EXPECT_EQ(profile_name("A100 SXM 80GB", 4, 1), "4x-a100-sxm-80gb");
  EXPECT_EQ(profile_name("H100 SXM", 16, 2), "16x-h100-sxm-2-nodes");
  EXPECT_EQ(profile_name(" GB200 (NVL72) ", 1, 1), "gb200-nvl72");
}

TEST(Profiles, CommandsAreFilledAsTheEstimateRuns) {
  Phase phase;
  phase.name = "sft";
  phase.work = TrainPhase{};
  phase.command =
      "run --n {gpus} --m {nodes} -b {micro} -a {accumulate} -p {precision} --as {profile} {phase} {other} {";
  PhaseEstimate estimate;
  estimate.gpus = 16;
  estimate.nodes = 2;
  estimate.strategy.micro_batch = 4;
  estimate.strategy.grad_accum = 2;
  estimate.strategy.precision = Precision::kFp16;
  EXPECT_EQ(filled_command(phase, estimate, "16x-h100-sxm-2-nodes"),
            "run --n 8 --m 2 -b 4 -a 2 -p fp16 --as 16x-h100-sxm-2-nodes sft {other} {");
  phase.command.clear();
  EXPECT_EQ(filled_command(phase, estimate, "cpu"), "");
}

PhaseProfiles profiles(const Job& job, int phase = 0, int threads = 1) {
  MarketFilter filter;
  const auto market = market_for(job, known(), known().offers, filter);
  auto found = profiles_of(job, phase, known(), distinct_machines(job, known(), market), false, threads);
  EXPECT_TRUE(found.has_value());
  return found ? *std::move(found) : PhaseProfiles{};
}

const Profile* named(const PhaseProfiles& found, std::string_view name) {
  const auto at = std::ranges::find(found.profiles, name, &Profile::name);
  return at == found.profiles.end() ? nullptr : &*at;
}

TEST(Profiles, EveryMachineOfTheMarketHasOne) {
  const PhaseProfiles found = profiles(example_job("neurlang"), 1);
  EXPECT_EQ(found.profiles.size(), 14U) << "the offers of the example";
  const Profile* l40s = named(found, "l40s");
  ASSERT_NE(l40s, nullptr);
  ASSERT_TRUE(l40s->best);
  EXPECT_GT(l40s->best->strategy.micro_batch, 1);
  EXPECT_GE(l40s->largest, l40s->best->strategy.micro_batch);
}

TEST(Profiles, UnusedMemoryIsToldWithWhatItWouldBring) {
  const PhaseProfiles found = profiles(example_job("neurlang"), 1);
  int told = 0;
  for (const Profile& profile : found.profiles) {
    ASSERT_TRUE(profile.best) << profile.name;
    EXPECT_EQ(profile.gain.has_value(),
              profile.used() < kUnderUsed && profile.largest > profile.best->strategy.micro_batch)
        << profile.name;
    if (!profile.gain) continue;
    ++told;
    EXPECT_GT(profile.largest_tried, profile.best->strategy.micro_batch) << profile.name;
    EXPECT_LE(profile.largest_tried, profile.largest) << profile.name;
    // The batch is free: had the larger one paid, it had been taken.
    EXPECT_LT(*profile.gain, 0.006) << profile.name;
  }
  EXPECT_GE(told, 1);
}

TEST(Profiles, TestsWithoutAGpuKeepStatesInMainMemory) {
  const PhaseProfiles found = profiles(example_job("neurlang"), 1);
  // 25 M parameters: weights, gradients and two states of AdamW, 4 bytes each.
  EXPECT_NEAR(found.cpu.state.value, 25e6 * 16, 25e6 * 16 * 0.01);
  EXPECT_EQ(found.cpu.micro_batch, 8);
  // A batch of 4 in all leaves no more.
  EXPECT_EQ(profiles(example_job("latentwire")).cpu.micro_batch, 4);
}

TEST(Profiles, NeverMoreAtOnceThanThereAre) {
  Job job = example_job("sft-node");
  std::get<GeneratePhase>(job.phases[3].work).data[0].samples = 20;
  const PhaseProfiles found = profiles(job, 3);  // one at a time; 61 would fit
  ASSERT_EQ(found.profiles.size(), 1U);
  EXPECT_EQ(found.profiles[0].largest, 20);
}

TEST(Profiles, ThreadsDoNotMatter) {
  const Job job = example_job("llama-8b-lora");
  const PhaseProfiles one = profiles(job, 0, 1);
  const PhaseProfiles four = profiles(job, 0, 4);
  ASSERT_EQ(one.profiles.size(), four.profiles.size());
  for (std::size_t i = 0; i < one.profiles.size(); ++i) {
    EXPECT_EQ(one.profiles[i].name, four.profiles[i].name);
    EXPECT_EQ(one.profiles[i].largest, four.profiles[i].largest);
    EXPECT_EQ(one.profiles[i].best.has_value(), four.profiles[i].best.has_value());
  }
}

TEST(Profiles, CompilingPaysOnlyWhereItIsNotOn) {
  Job job = example_job("neurlang");
  std::get<TrainPhase>(job.phases[1].work).compile = {false, {}};
  const PhaseProfiles found = profiles(job, 1);
  const Profile& first = found.profiles.front();
  const auto gain = gain_by_compiling(job, 1, known(), first.machines, *first.best);
  ASSERT_TRUE(gain.has_value());
  EXPECT_GT(*gain, 0);
  PhaseEstimate compiled = *first.best;
  compiled.strategy.compile = true;
  EXPECT_FALSE(gain_by_compiling(job, 1, known(), first.machines, compiled).has_value());
}

TEST(Machines, PoolsAreTakenByTheGpuAndMachinesWhole) {
  const Job job = example_job("latentwire");  // a pool of 4, counts 1, 2, 4
  MarketFilter filter;
  const auto market = market_for(job, known(), known().offers, filter);
  std::vector<int> counts;
  for (const Machines& machines : distinct_machines(job, known(), market)) counts.push_back(machines.gpus);
  EXPECT_EQ(counts, (std::vector{1, 2, 4}));

  Job nodes = example_job("pretrain-7b-2-nodes");  // 2 machines of 8
  const auto rented = market_for(nodes, known(), known().offers, filter);
  const auto machines = distinct_machines(nodes, known(), rented);
  ASSERT_EQ(machines.size(), 1U) << "however many providers";
  EXPECT_EQ(machines[0].gpus, 16);
  EXPECT_EQ(machines[0].nodes, 2);
}

}  // namespace
}  // namespace gpuplan
