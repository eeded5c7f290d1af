#include "plan/strategy/training_candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;
using Judgement = TrainingChoice::Judgement;
using Verdict = TrainingChoice::Verdict;

/// Says what it is told to, and writes down what it was shown.
class Scribe final : public StrategyJudge {
 public:
  explicit Scribe(std::function<Judgement(const Strategy&)> says) : says_(std::move(says)) {}
  Judgement judge(const Strategy& strategy, Micro micro) override {
    shown.push_back(strategy);
    micros.push_back(micro);
    return says_(strategy);
  }
  bool may_pay(const Strategy& degrees) override { return !ruled_out || !ruled_out(degrees); }
  bool may_pay_on_host(const Strategy& strategy) override { return !ruled_out || !ruled_out(strategy); }
  bool too_big(const Strategy& strategy, Micro) override { return large && large(strategy); }
  std::optional<bool> short_of_host(const Strategy& strategy) override {
    ++asked;
    return !poor ? std::optional(false) : poor(strategy);
  }
  std::function<bool(const Strategy&)> ruled_out, large;
  std::function<std::optional<bool>(const Strategy&)> poor;  ///< in the host's memory
  int asked = 0;                                             ///< of that
  std::vector<Strategy> shown;
  std::vector<Micro> micros;

 private:
  std::function<Judgement(const Strategy&)> says_;
};

/// Full training of Llama-2-7B on eight H100, torch and then Megatron.
struct Setting {
  TrainPhase phase = training_fixture::phase(use_of("Llama-2-7B"), 4096);
  NodeShape node = machine("H100 SXM", 8);
  std::vector<const Framework*> frameworks = {catalogue().find_framework("torch"),
                                              catalogue().find_framework("megatron")};

  Tally tally;  ///< of all walks

  std::function<bool(const Strategy&)> ruled_out, large;  ///< what the judge says before it looks
  std::function<std::optional<bool>(const Strategy&)> poor;

  explicit Setting(double batch) { phase.batch = BatchSize{batch, std::nullopt}; }
  Scribe walk(SearchTier tier, std::size_t framework, std::function<Judgement(const Strategy&)> says) {
    const TrainingWork work = training_work(phase).value();
    const TrainingCandidates all(work, phase, node, 8, *phase.batch->sequences, frameworks, StartFrom::kScratch);
    Scribe scribe(std::move(says));
    scribe.ruled_out = ruled_out;
    scribe.large = large;
    scribe.poor = poor;
    TrainingCandidates::Walk walk;
    walk.framework = framework;
    walk.tier = tier;
    all.each(walk, scribe, tally);
    for (const Micro micro : scribe.micros) EXPECT_EQ(all.micros()[micro.place].sequences, micro.sequences);
    return scribe;
  }
};

TEST(TrainingCandidates, PlainerOnesComeFirstAndHarderOnesOnlyWhereTheyDoNotFit) {
  Setting setting(64);
  const Scribe fit = setting.walk(SearchTier::kData, 0, [](const Strategy&) { return Judgement{Verdict::kFits}; });
  ASSERT_FALSE(fit.shown.empty());
  EXPECT_EQ(fit.shown.front().sharding, Sharding::kNone);
  for (const Strategy& s : fit.shown) {
    EXPECT_EQ(s.recompute, Recompute::kNone) << "nothing ran out";
    EXPECT_EQ(s.tp * s.pp * s.cp, 1);
    EXPECT_EQ(s.offload, Offload::kNone);
    EXPECT_EQ(s.dp * s.micro_batch * s.grad_accum, 64);
  }
  EXPECT_EQ(fit.shown.back().micro_batch, 8);
  const Scribe tight = setting.walk(SearchTier::kData, 0, [](const Strategy&) { return Judgement{Verdict::kTight}; });
  EXPECT_GT(tight.shown.size(), fit.shown.size());
  EXPECT_EQ(tight.shown.back().recompute, Recompute::kFull);
}

TEST(TrainingCandidates, RecomputationIsTriedForShardingsThatDoNotFitWithout) {
  Setting setting(64);
  const auto says = [](const Strategy& s) {
    const bool fits = s.sharding == Sharding::kZero3 || s.recompute == Recompute::kFull;
    return Judgement{fits ? Verdict::kFits : Verdict::kTooBig};
  };
  const Scribe scribe = setting.walk(SearchTier::kData, 0, says);
  const auto shown = [&](Sharding sharding, Recompute recompute) {
    return std::ranges::any_of(scribe.shown,
                               [&](const Strategy& s) { return s.sharding == sharding && s.recompute == recompute; });
  };
  EXPECT_TRUE(shown(Sharding::kZero3, Recompute::kNone));
  EXPECT_TRUE(shown(Sharding::kNone, Recompute::kFull)) << "copies may be far faster over slow links";
  EXPECT_FALSE(shown(Sharding::kZero3, Recompute::kFull)) << "which only costs time";
}

TEST(TrainingCandidates, WhatIsTooBigWithAllRecomputedIsNotLookedAtWithLess) {
  Setting setting(64);
  setting.large = [](const Strategy& s) { return s.sharding != Sharding::kZero3; };
  const auto fits = [](const Strategy&) { return Judgement{Verdict::kFits}; };
  const Scribe scribe = setting.walk(SearchTier::kData, 0, fits);
  ASSERT_FALSE(scribe.shown.empty());
  for (const Strategy& s : scribe.shown) EXPECT_EQ(s.sharding, Sharding::kZero3);
  EXPECT_GE(setting.tally.rejected[static_cast<std::size_t>(Misfit::kMemory)], 3) << "it is counted all the same";
}

TEST(TrainingCandidates, WhatCannotPayIsNotLookedAt) {
  Setting setting(64);
  const auto fits = [](const Strategy&) { return Judgement{Verdict::kFits}; };
  setting.ruled_out = [](const Strategy& s) { return s.tp > 2 || s.micro_batch * s.grad_accum < 16; };
  const std::vector<Strategy> cuts = setting.walk(SearchTier::kCuts, 1, fits).shown;
  EXPECT_TRUE(cuts.empty()) << "degrees are asked of with one sequence";
  setting.ruled_out = [](const Strategy& s) { return includes(s.offload, Offload::kOptimizer); };
  const std::vector<Strategy> host = setting.walk(SearchTier::kOffload, 0, fits).shown;
  ASSERT_FALSE(host.empty()) << "larger micro-batches and what else goes to the host";
  for (const Strategy& s : host) EXPECT_FALSE(includes(s.offload, Offload::kOptimizer));
}

TEST(TrainingCandidates, TheHostIsAskedOnceForACutAndUntilItKnows) {
  const auto tight = [](const Strategy&) { return Judgement{Verdict::kTight}; };
  Setting setting(64);
  const Scribe roomy = setting.walk(SearchTier::kOffload, 0, tight);
  std::set<std::pair<Sharding, Offload>> ways;
  for (const Strategy& s : roomy.shown) ways.emplace(s.sharding, s.offload);
  ASSERT_GT(ways.size(), 1U);
  EXPECT_EQ(roomy.asked, static_cast<int>(ways.size()));
  setting.poor = [](const Strategy& s) { return s.sharding == Sharding::kZero3; };
  const Scribe poor = setting.walk(SearchTier::kOffload, 0, tight);
  ASSERT_FALSE(poor.shown.empty());
  for (const Strategy& s : poor.shown) EXPECT_NE(s.sharding, Sharding::kZero3);
  setting.poor = [](const Strategy&) { return std::nullopt; };
  const Scribe silent = setting.walk(SearchTier::kOffload, 0, tight);
  EXPECT_EQ(silent.shown.size(), roomy.shown.size()) << "what nobody knows is looked at";
  EXPECT_EQ(silent.asked, static_cast<int>(silent.shown.size()));
}

TEST(TrainingCandidates, LargerMicroBatchesAreNotTriedWhereTheSmallestRunsOutOfMemory) {
  const Scribe none =
      Setting(64).walk(SearchTier::kData, 0, [](const Strategy&) { return Judgement{Verdict::kTooBig}; });
  ASSERT_FALSE(none.shown.empty());
  for (const Strategy& s : none.shown) EXPECT_EQ(s.micro_batch, 1);
}

TEST(TrainingCandidates, CutsAreTriedInEveryFrameworkThatRunsThem) {
  const auto fits = [](const Strategy&) { return Judgement{Verdict::kFits}; };
  Setting setting(64);
  const std::vector<Strategy> first = setting.walk(SearchTier::kCuts, 0, fits).shown;
  const std::vector<Strategy> second = setting.walk(SearchTier::kCuts, 1, fits).shown;
  ASSERT_FALSE(second.empty());
  for (const Strategy& s : second) EXPECT_GT(s.tp * s.pp * s.cp, 1) << "the rest was looked at before";
  // Each with the care it asks for: the first that can is not always the one that people would take.
  const auto cut = std::ranges::find_if(first, [](const Strategy& s) { return s.tp > 1 && s.pp * s.cp == 1; });
  ASSERT_NE(cut, first.end());
  EXPECT_NE(std::ranges::find_if(second, [&](const Strategy& s) { return s.tp == cut->tp && s.pp * s.cp == 1; }),
            second.end());
}

TEST(TrainingCandidates, WhatAFrameworkDoesNotRunIsNotTriedAndToldWhereTheJobAsksForIt) {
  const auto fits = [](const Strategy&) { return Judgement{Verdict::kFits}; };
  Setting setting(64);
  setting.frameworks = {catalogue().find_framework("torchtitan")};
  setting.phase.parallel.tp = 2;
  for (const Strategy& s : setting.walk(SearchTier::kCuts, 0, fits).shown)
    EXPECT_TRUE(s.sharding != Sharding::kNone || s.dp == 1) << "it has no DDP beside tensor parallelism";
  setting.phase.parallel.sharding = Sharding::kNone;
  setting.phase.parallel.dp = 4;
  EXPECT_TRUE(setting.walk(SearchTier::kCuts, 0, fits).shown.empty());
  EXPECT_EQ(setting.tally.unsupported_reason.substr(0, 53), "torchtitan has no DDP beside tensor or pipeline paral");
}

TEST(TrainingCandidates, StagesOfARankAreAddedWhileTheyShortenTheStep) {
  Setting setting(64);
  setting.phase.parallel.pp = 4;
  const auto shortening_until = [&](int most) {
    const auto says = [most](const Strategy& s) {
      return Judgement{Verdict::kFits, Seconds{s.interleave <= most ? 10.0 - s.interleave : 20.0}, 0.1};
    };
    int stages = 1;
    for (const Strategy& s : setting.walk(SearchTier::kCuts, 1, says).shown) stages = std::max(stages, s.interleave);
    return stages;
  };
  EXPECT_EQ(shortening_until(1), 2) << "one that is longer ends it";
  EXPECT_EQ(shortening_until(2), 4);
  EXPECT_EQ(shortening_until(8), 8) << "32 layers in four stages";
}

}  // namespace
}  // namespace gpuplan
