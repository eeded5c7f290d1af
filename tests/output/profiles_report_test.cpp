// gpuplan profiles, by hand.
#include "output/questions/profiles_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gpuplan {
namespace {

struct Fixture {
  std::vector<Gpu> gpus = std::vector<Gpu>(3);
  Framework torch;
  Job job;
  ProfilesSection section;

  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;
  Fixture() {
    torch.name = "torch";
    torch.compile = true;
    job.name = "neurlang";
    Phase& phase = job.phases.emplace_back();
    phase.name = "train";
    phase.command = "python train.py --profile {profile} -b {micro}\n  --again\n";
    TrainPhase train;
    train.models.resize(1);
    train.models[0].name = "m";
    train.data.samples = 1000;
    phase.work = train;
    add(0, "L40S", "Ada", 44.9, 256, 6);
    add(1, "RTX 4090", "Ada", 23.9, 128, 16);
    add(2, "V100", "Volta", 31.7, 0, 0);
    section.picked = 1;
    section.found.cpu = {8, 0.5 * units::GiB};
    section.found.profiles[0].largest_tried = 1024;
    section.found.profiles[0].gain = 0.034;
    section.found.profiles[0].largest = 1500;
    section.found.profiles[2].tally.unsupported_reason = "V100 has no bf16";
  }
  ProfilesReport report() const { return {job, {section}}; }

  void add(std::size_t i, const char* name, const char* architecture, double usable, int micro, double needs) {
    gpus[i].name = name;
    gpus[i].architecture = architecture;
    gpus[i].usable = usable * units::GiB;
    Profile& profile = section.found.profiles.emplace_back();
    profile.machines.node = {.gpu = &gpus[i], .gpus = 1};
    profile.name = profile_name(name, 1, 1);
    profile.largest = micro;
    if (micro == 0) return;
    PhaseEstimate estimate;
    estimate.node = profile.machines.node;
    estimate.gpus = 1;
    estimate.framework = &torch;
    estimate.strategy.micro_batch = micro;
    estimate.batch = micro;
    estimate.units = 36000;
    estimate.tokens = 36e6;
    estimate.work = {Seconds{30}, Seconds{36}, Seconds{40}};
    estimate.memory_total = {needs * 0.9 * units::GiB, needs * units::GiB, needs * 1.1 * units::GiB};
    profile.best = estimate;
  }
};

TEST(ProfilesReport, TellsHowToSetUpAndWhatIsUnused) {
  const Fixture fixture;
  EXPECT_EQ(profiles_text(fixture.report(), {.columns = 120}, true),
            R"(neurlang: suggested settings per GPU (predicted memory and speed)

  train: training of m on 1000 samples
  PROFILE     MICRO-BATCH  GRAD ACCUM  GLOBAL BATCH  MEMORY PER GPU    P10–P90  USED  MAX BATCH  SAMPLES/S    P10–P90
                                                                GiB        GiB
  l40s                256           1           256     6.0 of 44.9    5.4–6.6   13%      1,500      1,000  900–1,200
  rtx-4090 ✔          128           1           128    16.0 of 23.9  14.4–17.6   67%        128      1,000  900–1,200
  v100
  cpu                   8           1             8
  All: bf16, no compile, no activation checkpointing, no CPU offload, 1 GPU.

  v100: V100 has no bf16.
  l40s: batch 1,024 fits, 3% faster.
  Not compiled (to change: compile: true).
  cpu: for testing only (0.5 GiB in fp32 plus activations); no time predicted.

  Command for the recommended GPU (rtx-4090):
    python train.py --profile rtx-4090 -b 128
    --again
)");
}

TEST(ProfilesReport, ReasonsStandWhereTheyApply) {
  Fixture fixture;
  auto& train = std::get<TrainPhase>(fixture.job.phases[0].work);
  fixture.section.found.profiles[1].best->strategy.precision = Precision::kFp16;
  fixture.section.found.profiles[1].best->strategy.compile = true;
  fixture.section.gain_by_compiling = 1.5;
  train.compile.value = true;
  train.batch = BatchSize{256, std::nullopt};
  const std::string text = profiles_text(fixture.report(), {.columns = 140}, true);
  EXPECT_NE(text.find("rtx-4090: fp16: Ada has no bf16."), std::string::npos) << text;
  EXPECT_NE(text.find("Not compiled, as set in the job."), std::string::npos) << text;
  EXPECT_NE(text.find("compile: true would be 2.5x as fast on rtx-4090"), std::string::npos) << text;
  EXPECT_NE(text.find("which the job fixes"), std::string::npos) << text;
  EXPECT_NE(text.find("PRECISION"), std::string::npos) << "no longer the same for all\n" << text;
}

TEST(ProfilesReport, JsonHasFiguresAndTheCommand) {
  const Fixture fixture;
  const auto result = nlohmann::json::parse(profiles_json(fixture.report()));
  EXPECT_EQ(result["schema"], "gpuplan/profiles@1");
  const auto& phase = result["phases"][0];
  EXPECT_EQ(phase["picked"], "rtx-4090");
  EXPECT_EQ(phase["command"], "python train.py --profile rtx-4090 -b 128\n  --again");
  ASSERT_EQ(phase["profiles"].size(), 4U);
  const auto& l40s = phase["profiles"][0];
  EXPECT_EQ(l40s["profile"], "l40s");
  EXPECT_EQ(l40s["micro_batch"], 256);
  EXPECT_NEAR(l40s["used_share"].get<double>(), 6 / 44.9, 1e-9);
  EXPECT_EQ(l40s["samples_per_second_p50"], 1000);
  EXPECT_EQ(l40s["tokens_per_second_p50"], 1e6);
  EXPECT_EQ(l40s["larger_at_once"], 1024);
  EXPECT_EQ(phase["profiles"][2]["micro_batch"], nullptr);
  EXPECT_EQ(phase["profiles"][2]["remarks"], "V100 has no bf16");
  EXPECT_EQ(phase["profiles"][3]["profile"], "cpu");
}

TEST(ProfilesReport, NothingRunsWhenNoProfileDoes) {
  Fixture fixture;
  EXPECT_TRUE(fixture.report().held());
  for (Profile& profile : fixture.section.found.profiles) profile.best.reset();
  fixture.section.picked.reset();
  EXPECT_FALSE(fixture.report().held());
}

TEST(ProfilesReport, WhatDoesNotRunSaysWhatStoppedIt) {
  Profile profile;
  profile.tally.reject(Misfit::kHostMemory);
  EXPECT_EQ(remark_words(profile), "not enough CPU memory");
}

TEST(ProfilesReport, GainsAreWordsOfTheirSize) {
  EXPECT_EQ(gain_words(0.12), "12% faster");
  EXPECT_EQ(gain_words(-0.12), "12% slower");
  EXPECT_EQ(gain_words(0.001), "no faster");
  EXPECT_EQ(gain_words(5.4), "6.4x as fast");
}

}  // namespace
}  // namespace gpuplan
