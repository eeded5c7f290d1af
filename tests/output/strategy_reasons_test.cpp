#include "output/words/strategy_reasons.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gpuplan {
namespace {

using units::GiB;

/// A training phase on eight GPUs with 79.6 GiB that shares everything out, and ways that were tried beside it.
struct Case {
  Gpu gpu;
  Phase phase;
  PhaseEstimate chosen;
  Framework framework;

  Case() {
    gpu.name = "H100 SXM";
    gpu.usable = 79.6 * GiB;
    phase.work = TrainPhase{};
    chosen.node = NodeShape{.gpu = &gpu, .gpus = 8};
    chosen.gpus = 8;
    chosen.strategy.dp = 8;
    chosen.strategy.sharding = Sharding::kZero3;
    chosen.memory_total = {40 * GiB, 54 * GiB, 70 * GiB};
    framework.name = "torch";
    chosen.framework = &framework;
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  Alternative other(Aspect aspect, WhyNot why, double time, double gib) const {
    Alternative one;
    one.aspect = aspect;
    one.why = why;
    one.strategy = chosen.strategy;
    one.framework = &framework;
    one.time = time;
    one.complexity_penalty = 1.2;
    one.memory =
        why == WhyNot::kMemory ? exactly(gib * GiB) : Interval<Bytes>{gib * 0.8 * GiB, gib * GiB, gib * 1.25 * GiB};
    return one;
  }
  Alternative zero2(WhyNot why, double time, double gib) const {
    Alternative one = other(Aspect::kSharding, why, time, gib);
    one.strategy.sharding = Sharding::kZero2;
    return one;
  }
  Alternative tensor(int tp, WhyNot why, double time) const {
    Alternative one = other(Aspect::kTensor, why, time, 30);
    one.strategy.tp = tp;
    one.strategy.dp = 8 / tp;
    return one;
  }
  std::string reason(const Alternative& one) const { return reason_words(one, chosen); }
};

TEST(StrategyReasons, SayWhatSpeaksAgainst) {
  const Case c;
  EXPECT_EQ(c.reason(c.zero2(WhyNot::kMemory, 0, 92)), "ZeRO-2: does not fit (92.0 of 79.6 GiB per GPU)");
  EXPECT_EQ(c.reason(c.zero2(WhyNot::kTight, 0.9, 72)),
            "ZeRO-2: OOM risk (72.0 GiB typical, 90.0 at P90, 79.6 usable)");
  EXPECT_EQ(c.reason(c.zero2(WhyNot::kHostMemory, 0, 72)), "ZeRO-2: not enough CPU memory");
  EXPECT_EQ(c.reason(c.tensor(2, WhyNot::kSlower, 2.1)), "tensor parallelism 2: 2.1x slower");
  EXPECT_EQ(c.reason(c.tensor(2, WhyNot::kSlower, 1.004)), "tensor parallelism 2: no faster");
  EXPECT_EQ(c.reason(c.tensor(2, WhyNot::kNotWorthIt, 0.998)), "tensor parallelism 2: no faster");
  EXPECT_EQ(c.reason(c.tensor(4, WhyNot::kNotWorthIt, 1 / 1.06)),
            "tensor parallelism 4: 6% faster, not worth the extra setup");
  EXPECT_EQ(c.reason(c.tensor(4, WhyNot::kNotWorthIt, 1 / 1.5)),
            "tensor parallelism 4: 50% faster, taken only if asked for")
      << "by more than the setup asks for";
  EXPECT_EQ(c.reason(c.tensor(1, WhyNot::kSlower, 1.3)), "no tensor parallelism: 1.3x slower");
  Framework megatron;
  megatron.name = "megatron";
  Alternative elsewhere = c.tensor(2, WhyNot::kSlower, 2.1);
  elsewhere.framework = &megatron;
  EXPECT_EQ(c.reason(elsewhere), "tensor parallelism 2 (megatron): 2.1x slower");
}

TEST(StrategyReasons, NameTheFactorsThatKeptAFasterWay) {
  const Case c;
  PracticeConstants practice;
  practice.tensor = 1.2;
  practice.zero1 = 1.04;
  practice.most = 1.4;
  Alternative faster = c.tensor(4, WhyNot::kNotWorthIt, 1 / 1.06);
  faster.complexity_penalty = 1.2;
  faster.factors = {{"zero1", 1.04}, {"tensor", 1.2}};
  faster.factors_chosen = {{"zero1", 1.04}};
  const auto words = [&](const Alternative& one) { return complexity_words({one}, c.chosen, practice); };
  EXPECT_EQ(words(faster),
            "Tensor parallelism 4 would have to be 1.2x as fast: zero1 1.04 x tensor 1.2 against zero1 1.04. "
            "The factors are rows of data/practice_constants.csv.");
  Framework megatron;
  megatron.name = "megatron";
  Alternative bounded = faster;
  bounded.framework = &megatron;
  bounded.factors = {{"zero1", 1.04}, {"tensor", 1.2}, {"framework", 1.15}};
  bounded.factors_chosen.clear();
  bounded.complexity_penalty = 1.4;
  EXPECT_EQ(words(bounded),
            "Tensor parallelism 4 (megatron) would have to be 1.4x as fast: zero1 1.04 x tensor 1.2 x "
            "framework 1.15, at most 1.4. The factors are rows of data/practice_constants.csv.");
  // Nothing to say of ways that are no faster, nor where the points of complexity() decided.
  EXPECT_EQ(words(c.tensor(2, WhyNot::kSlower, 2.1)), "");
  Alternative as_fast = faster;
  as_fast.time = 0.998;
  EXPECT_EQ(words(as_fast), "");
  Alternative no_harder = faster;
  no_harder.complexity_penalty = 1;
  EXPECT_EQ(words(no_harder), "");
}

TEST(StrategyReasons, NameTheWay) {
  const Case c;
  Alternative one = c.other(Aspect::kSharding, WhyNot::kSlower, 1.2, 30);
  one.strategy.sharding = Sharding::kNone;
  EXPECT_EQ(way_words(one), "plain data parallel (DDP)");
  one.strategy.sharding = Sharding::kHsdp;
  EXPECT_EQ(way_words(one), "HSDP");
  one.aspect = Aspect::kRecompute;
  EXPECT_EQ(way_words(one), "no activation checkpointing");
  one.strategy.recompute = Recompute::kSelective;
  EXPECT_EQ(way_words(one), "selective activation checkpointing");
  one.aspect = Aspect::kPipeline;
  EXPECT_EQ(way_words(one), "no pipeline parallelism");
  one.strategy.pp = 4;
  EXPECT_EQ(way_words(one), "pipeline parallelism 4");
  one.aspect = Aspect::kContext;
  one.strategy.cp = 2;
  EXPECT_EQ(way_words(one), "context parallelism 2");
  one.aspect = Aspect::kExpert;
  EXPECT_EQ(way_words(one), "no expert parallelism");
  one.aspect = Aspect::kMicroBatch;
  one.strategy.micro_batch = 8;
  EXPECT_EQ(way_words(one), "micro-batch 8");
  one.aspect = Aspect::kOffload;
  EXPECT_EQ(way_words(one), "no CPU offload");
}

TEST(StrategyReasons, ASentenceHasTheNearestOfEachKind) {
  const Case c;
  Alternative copies = c.zero2(WhyNot::kMemory, 0, 120);
  copies.strategy.sharding = Sharding::kNone;
  const std::vector<Alternative> others = {c.zero2(WhyNot::kMemory, 0, 92), copies, c.tensor(2, WhyNot::kSlower, 1.2)};
  EXPECT_EQ(
      why_words(others, c.chosen, c.phase),
      "ZeRO-2: does not fit (92.0 of 79.6 GiB per GPU); tensor parallelism 2: 1.2x slower. Activation checkpointing is "
      "not needed.");
  EXPECT_EQ(why_words({}, c.chosen, c.phase), "");
  // Where there is room in plenty, nobody thinks of recomputation.
  PhaseEstimate roomy = c.chosen;
  roomy.memory_total = exactly(20 * GiB);
  EXPECT_EQ(why_words({c.tensor(2, WhyNot::kSlower, 1.2)}, roomy, c.phase), "Tensor parallelism 2: 1.2x slower.");
}

TEST(StrategyReasons, JsonHasAllOfThem) {
  const Case c;
  JsonWriter json;
  json.begin_object();
  write_alternatives(json, {c.zero2(WhyNot::kMemory, 0, 92), c.tensor(2, WhyNot::kSlower, 1.2)}, c.chosen, c.phase);
  json.end();
  const auto read = nlohmann::json::parse(json.take());
  EXPECT_FALSE(read["why"].is_null());
  ASSERT_EQ(read["alternatives"].size(), 2U);
  const auto& first = read["alternatives"][0];
  EXPECT_EQ(first["aspect"], "sharding");
  EXPECT_EQ(first["strategy"]["sharding"], "zero2");
  EXPECT_EQ(first["strategy"]["framework"], "torch");
  EXPECT_TRUE(first["time_ratio"].is_null());
  EXPECT_NEAR(first["memory_gib"]["p50"].get<double>(), 92, 1e-9);
  EXPECT_EQ(first["rejected_because"], "memory");
  EXPECT_NEAR(read["alternatives"][1]["time_ratio"].get<double>(), 1.2, 1e-12);
  EXPECT_EQ(read["alternatives"][1]["strategy"]["tp"], 2);

  JsonWriter empty;
  empty.begin_object();
  write_alternatives(empty, {}, c.chosen, c.phase);
  empty.end();
  const auto none = nlohmann::json::parse(empty.take());
  EXPECT_TRUE(none["why"].is_null());
  EXPECT_TRUE(none["alternatives"].empty());
}

TEST(StrategyReasons, TheTableBeginsWithTheWayChosen) {
  const Case c;
  Table table = alternatives_table();
  add_alternatives({c.zero2(WhyNot::kMemory, 0, 92), c.tensor(2, WhyNot::kSlower, 1.2)}, c.chosen, c.phase, table);
  EXPECT_EQ(table.rows(), 3U);
  const std::string csv = table.csv();
  EXPECT_TRUE(csv.starts_with("way,time_ratio,memory_gib,memory_gib_p90,why_not,how\n")) << csv;
  EXPECT_NE(csv.find("\nZeRO-2,,92,,does not fit,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ntensor parallelism 2,1.2,30,37.5,slower,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace gpuplan
