#include "evidence/conditions/conditions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace gpuplan {
namespace {

Phase phase_with(std::vector<std::pair<std::string, std::string>> metrics, std::vector<std::string> conditions) {
  Phase phase;
  phase.metrics = std::move(metrics);
  phase.succeed_when = std::move(conditions);
  return phase;
}

/// "" when the phase is understood, else what is wrong.
std::string wrong_with(std::vector<std::pair<std::string, std::string>> metrics, std::vector<std::string> conditions) {
  const auto read = PhaseConditions::read(phase_with(std::move(metrics), std::move(conditions)));
  return read ? "" : read.error().message;
}
std::string wrong_with(const std::string& condition) { return wrong_with({}, {condition}); }

Series series(const std::vector<double>& values, double every = 10) {
  Series result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result.add(static_cast<double>(i) * every, values[i], static_cast<std::uint32_t>(i + 1));
  return result;
}

/// 100 losses from 10 down to 3, falling ever slower.
std::vector<double> falling() {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(3 + 7 / (1 + i / 5.0));
  return values;
}

Judgement judged(const RunLog& log, const std::string& condition,
                 std::vector<std::pair<std::string, std::string>> metrics = {}) {
  const auto read = PhaseConditions::read(phase_with(std::move(metrics), {condition}));
  if (!read) return {.words = "bad: " + read.error().message};
  return read->judge({log}).front();
}

bool passes(const RunLog& log, const std::string& condition) {
  const Judgement one = judged(log, condition);
  EXPECT_NE(one.holds, Holds::kUndecided) << condition << ": " << one.words;
  return one.holds == Holds::kYes;
}

TEST(Conditions, AreUnderstood) {
  for (const char* condition : {"loss < 3",
                                "loss<=3.2",
                                "10 > loss > 2",
                                "loss in 2..3",
                                "loss in 2 .. 3",
                                "loss in 2-3",
                                "loss not in 2..3",
                                "loss decreases",
                                "loss decreases smoothly",
                                "val_bpb increases",
                                "loss is finite",
                                "loss is not finite",
                                "steps reaches 1000",
                                "steps >= 1000 steps",
                                "memory < 70 GiB",
                                "memory in 60..70 GiB",
                                "throughput > 200k tokens/s",
                                "throughput > 200000",
                                "throughput in 180-220k",
                                "step_time < 1.5 s",
                                "step_time < 1.5",
                                "min(loss) < 3 and not (loss > 5 or grad_norm > 2)",
                                "-loss < -2",
                                "last(loss) - first(loss) < 0",
                                "(loss) < 3",
                                "not not loss < 3",
                                "loss ≤ 3",
                                "gpu_busy > 80%",
                                "gpu_busy in 80-100%",
                                "loss < 1e3",
                                "loss * 2 / 3 + 1 < 50_000",
                                "throughput / steps > 1",
                                "first(loss) / last(loss) in 1.5…3"})
    EXPECT_EQ(wrong_with(condition), "") << condition;
}

TEST(Conditions, BadOnesSayWhatAndWhere) {
  EXPECT_EQ(wrong_with("loss <"), "'loss <': expected a number, a name or ( at character 7, found the end");
  EXPECT_EQ(wrong_with("loss < 3 4"),
            "'loss < 3 4': expected a comparison, and, or or the end at character 10, found '4'");
  EXPECT_EQ(wrong_with("los < 3"), "'los < 3': 'los' is not a metric of this phase or of logs. Did you mean 'loss'?");
  EXPECT_EQ(wrong_with("perplexity < 3"),
            "'perplexity < 3': 'perplexity' is not a metric of this phase or of logs; define it in metrics, "
            "or use loss, validation_loss, val_bpb, grad_norm, learning_rate, throughput, step_time, memory, gpu_busy, "
            "kv_cache or steps");
  EXPECT_EQ(wrong_with("loss"), "'loss': expected a condition such as loss < 3.2, found only a number");
  EXPECT_EQ(wrong_with("1 < 2"), "'1 < 2': uses no metric of the log; expected a name such as loss");
  EXPECT_EQ(wrong_with("memory < 70"),
            "'memory < 70': compares an amount of memory (such as 70 GiB) with a plain number; use the same kind on "
            "both sides");
  EXPECT_EQ(wrong_with("loss in 15%.."),
            "'loss in 15%..': expected a number, a name or ( at character 14, found the end");
  EXPECT_EQ(wrong_with("loss in 25%..15%"),
            "'loss in 25%..15%': the range is empty: its lower end is above its upper end");
  EXPECT_EQ(wrong_with("loss in 3"),
            "'loss in 3': expected a range such as 15%..25%: .. at character 10, found the end");
  EXPECT_EQ(wrong_with("loss is small"), "'loss is small': expected finite at character 9, found 'small'");
  EXPECT_EQ(wrong_with("loss < 3 parsecs"),
            "'loss < 3 parsecs': expected a comparison, and, or or the end at character 10, found 'parsecs'");
  EXPECT_EQ(
      wrong_with("loss < 3parsecs"),
      "'loss < 3parsecs': 'parsecs' at character 9 is not a unit; expected %, k, M, GiB, ms, s, tokens/s or similar");
  EXPECT_EQ(
      wrong_with("sum(loss) < 3"),
      "'sum(loss) < 3': expected one of first, last, min, max, mean or median before ( at character 1, found 'sum'");
  EXPECT_EQ(wrong_with("(loss < 3"), "'(loss < 3': expected ) at character 10, found the end");
  EXPECT_EQ(wrong_with("loss < 3 and 4"),
            "'loss < 3 and 4': expected a condition such as loss < 3 at character 14, found a plain number");
  EXPECT_EQ(wrong_with("(loss < 3) + 1 > 2"),
            "'(loss < 3) + 1 > 2': expected a number at character 2, found a condition");
  EXPECT_EQ(wrong_with("memory * throughput > 1").starts_with("'memory * throughput > 1': multiplies an amount"), true);
  EXPECT_EQ(wrong_with("loss; rm -rf"),
            "'loss; rm -rf': ';' at character 5 is not valid here; examples: loss < 3.2, refinement in 15%..25%, loss "
            "decreases smoothly");
  EXPECT_EQ(wrong_with(""), "'': expected a number, a name or ( at character 1, found the end");
  EXPECT_NE(wrong_with(std::string(100, '(') + "loss" + std::string(100, ')') + " < 1").find("nested deeper than 40"),
            std::string::npos);
  EXPECT_NE(wrong_with(std::string(100, '-') + "loss < 1").find("nested deeper than 40"), std::string::npos);
  EXPECT_NE(wrong_with(std::string(3000, ' ') + "loss < 1").find("longer than 2000 characters"), std::string::npos);
  std::string sum = "loss";
  for (int i = 0; i < 200; ++i) sum += "+loss";
  EXPECT_NE(wrong_with(sum + " < 1").find("more than 300 parts"), std::string::npos);
}

TEST(Conditions, FormulasAreToldFromRegularExpressions) {
  const auto read = PhaseConditions::read(phase_with({{"refinement", "(step_0 - step_3) / step_0"},
                                                      {"step_0", "step_0: ([0-9.]+)"},
                                                      {"step_3", R"(step_3: (\d+))"},
                                                      {"half", "loss / 2"}},
                                                     {}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->is_pattern(0));
  EXPECT_TRUE(read->is_pattern(1));
  EXPECT_TRUE(read->is_pattern(2));
  EXPECT_FALSE(read->is_pattern(3));
  ASSERT_EQ(read->patterns().size(), 2U);
  EXPECT_EQ(read->patterns()[0].first, "step_0");
}

TEST(Conditions, BadFormulasSayWhy) {
  EXPECT_EQ(wrong_with({{"a", "b + 1"}, {"b", "c + 1"}, {"c", "a + 1"}}, {}),
            "'b + 1': the formula needs itself, directly or through others");
  EXPECT_EQ(wrong_with({{"a", "a + 1"}}, {}), "'a + 1': the formula needs itself, directly or through others");
  EXPECT_EQ(wrong_with({{"step_0", "step_0: ([0-9.]+)"}, {"gain", "(step_0 - step_1) / step_0"}}, {}),
            "'(step_0 - step_1) / step_0': 'step_1' is not a metric of this phase or of logs. Did you "
            "mean 'step_0' or 'steps'?");
  const auto read = PhaseConditions::read(phase_with({{"x", "x: ([0-9]+)"}}, {"x > 1", "y > 1"}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().in, PhaseConditions::Problem::In::kConditions);
  EXPECT_EQ(read.error().index, 1U);
}

TEST(Conditions, ABareNameIsItsValueAtTheEnd) {
  RunLog log;
  log.loss = series(falling());
  // The last twentieth of 100 values: medians of the last five, i = 97 in the middle.
  const double end = 3 + 7 / (1 + 97 / 5.0);
  EXPECT_TRUE(passes(log, "loss < " + std::to_string(end + 1e-5)));
  EXPECT_FALSE(passes(log, "loss < " + std::to_string(end - 1e-5)));
  EXPECT_TRUE(passes(log, "first(loss) == 10"));
  EXPECT_TRUE(passes(log, "max(loss) == 10"));
  EXPECT_TRUE(passes(log, "last(loss) < loss"));
  EXPECT_TRUE(passes(log, "min(loss) == last(loss)"));
  EXPECT_TRUE(passes(log, "mean(loss) > median(loss)"));
  EXPECT_TRUE(passes(log, "loss reaches 3.5"));
  EXPECT_FALSE(passes(log, "loss reaches 2"));
  EXPECT_TRUE(passes(log, "3 < loss < 4"));
  EXPECT_FALSE(passes(log, "4 < loss < 5"));
  EXPECT_TRUE(passes(log, "loss not in 4..5"));
  EXPECT_TRUE(passes(log, "loss < 1 or loss < 9"));
  EXPECT_FALSE(passes(log, "loss < 1 and loss < 9"));
}

TEST(Conditions, TheWordsHoldTheValues) {
  RunLog log;
  log.loss = series({4, 3.5, 3.25});
  EXPECT_EQ(judged(log, "loss < 3.3").words, "3.25 < 3.3");
  const Judgement missed = judged(log, "loss < 3.0");
  EXPECT_EQ(missed.words, "3.25 < 3");
  EXPECT_NEAR(missed.missed_by.value(), 0.25 / 3, 1e-12);
  EXPECT_FALSE(missed.below);
  EXPECT_EQ(missed.name, "loss");
  EXPECT_EQ(judged(log, "4 > loss > 3.5").words, "4 > 3.25 > 3.5; not true: 3.25 > 3.5");
  EXPECT_EQ(judged(log, "loss in 10%..20%").words, "325% at the end; required 10%–20%");
  EXPECT_EQ(judged(log, "not (loss < 3)").words, "required is the opposite: 3.25 < 3");
  log.peak_memory[static_cast<std::size_t>(LoggedMemory::kReserved)] = 61.5 * units::GiB;
  EXPECT_EQ(judged(log, "memory < 60 GiB").words, "61.5 GiB < 60 GiB");
}

TEST(Conditions, WhatStaysInARangeNeedsNineOfTenValues) {
  std::vector<double> values(100, 1.0);
  values[0] = 40;  // of the warm-up
  for (int i = 1; i <= 9; ++i) values[static_cast<std::size_t>(i) * 10] = 3;
  RunLog log;
  log.grad_norm = series(values);
  const Judgement most = judged(log, "grad_norm in 0.5..1.5");
  EXPECT_EQ(most.holds, Holds::kYes);
  EXPECT_EQ(most.words, "90.9% of 99 values after the warm-up in 0.5–1.5 (90% required), median 1");
  values[91] = 3;
  log.grad_norm = series(values);
  EXPECT_FALSE(passes(log, "grad_norm in 0.5..1.5"));
  EXPECT_TRUE(passes(log, "last(grad_norm) in 0.5..1.5"));
  EXPECT_TRUE(passes(log, "grad_norm < 1.5"));  // its median
  // The same of a metric that takes its place.
  log.metrics.emplace_back("grad_norm", series(values));
  EXPECT_EQ(judged(log, "grad_norm in 0.5..1.5", {{"grad_norm", "norm=([0-9.]+)"}}).holds, Holds::kNo);
}

TEST(Conditions, FallingSmoothly) {
  RunLog log;
  std::vector<double> values = falling();
  log.loss = series(values);
  const Judgement smooth = judged(log, "loss decreases smoothly");
  EXPECT_EQ(smooth.holds, Holds::kYes);
  EXPECT_EQ(smooth.words, "from 6.694 to 3.352, largest step up 0, no spikes");
  values[60] = 9;
  log.loss = series(values);
  EXPECT_TRUE(passes(log, "loss decreases"));
  const Judgement spiked = judged(log, "loss decreases smoothly");
  EXPECT_EQ(spiked.holds, Holds::kNo);
  EXPECT_NE(spiked.words.find("1 spike, the largest 2.4"), std::string::npos) << spiked.words;
  EXPECT_NE(spiked.words.find("at step 600 (line 61)"), std::string::npos) << spiked.words;

  values = falling();
  for (std::size_t i = 50; i < 100; ++i) values[i] += 1;  // comes back up, and stays
  log.loss = series(values);
  EXPECT_TRUE(passes(log, "loss decreases"));
  EXPECT_FALSE(passes(log, "loss decreases smoothly"));

  log.loss = series(std::vector<double>(100, 3.0));
  EXPECT_FALSE(passes(log, "loss decreases"));
  EXPECT_FALSE(passes(log, "loss increases"));

  log.loss = series({3, 2, 1});
  const Judgement few = judged(log, "loss decreases");
  EXPECT_EQ(few.holds, Holds::kUndecided);
  EXPECT_EQ(few.words, "only 3 values; needs 8");
}

TEST(Conditions, NoiseIsNoSpike) {
  // Batches of fine-tuning: losses that differ by half from one to the next, and fall.
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back((2 - i / 200.0) * (i % 2 == 0 ? 1.3 : 0.7));
  RunLog log;
  log.loss = series(values);
  EXPECT_TRUE(passes(log, "loss decreases smoothly"));
}

TEST(Conditions, NumbersThatAreNone) {
  RunLog log;
  std::vector<double> values = falling();
  values[50] = std::nan("");
  log.loss = series(values);
  EXPECT_FALSE(passes(log, "loss is finite"));
  EXPECT_EQ(judged(log, "loss is finite").words, "not a number at step 500 (line 51)");
  EXPECT_FALSE(passes(log, "loss decreases"));
  values.back() = std::nan("");
  log.loss = series(values);
  EXPECT_FALSE(passes(log, "loss < 100"));
  EXPECT_FALSE(passes(log, "loss != 100"));
  EXPECT_EQ(judged(log, "loss < 100").words, "not a number < 100");
  log.loss = series(falling());
  EXPECT_TRUE(passes(log, "loss is finite"));
  log.event_counts[static_cast<std::size_t>(LogEvent::Kind::kNotFinite)] = 1;
  EXPECT_FALSE(passes(log, "loss is finite"));
  EXPECT_FALSE(passes(log, "loss / 0 < 5"));
}

TEST(Conditions, StepsAreThoseDone) {
  RunLog log;
  log.loss = series({3, 2});
  log.last_step = 953;
  EXPECT_TRUE(passes(log, "steps == 954"));  // it begins at 0
  log.loss = {};
  log.loss.add(1, 3, 1);
  EXPECT_TRUE(passes(log, "steps == 953"));
  log.formats = {LogFormat::kNanochat};  // goes on from a checkpoint
  EXPECT_TRUE(passes(log, "steps >= 954"));
}

TEST(Conditions, AMetricWithoutANumberIsSaid) {
  RunLog log;
  log.no_numbers = {{"score", "none"}};
  EXPECT_EQ(judged(log, "score > 1", {{"score", "score: (.*)"}}).words,
            "score ('score: (.*)') matches lines, but its group is not a number: 'none'");
}

TEST(Conditions, NothingIsEqualToInfinity) {
  RunLog log;
  log.loss = series({3, 3, 3, HUGE_VAL});
  for (const char* condition : {"loss == 4", "loss <= 4", "loss in 2..4", "not loss > 4"})
    EXPECT_FALSE(passes(log, condition)) << condition;
  for (const char* condition : {"loss != 4", "loss > 4", "loss >= 4", "loss not in 2..4"})
    EXPECT_TRUE(passes(log, condition)) << condition;
}

TEST(Conditions, WhatIsNoNumberMeetsNoOppositeEither) {
  RunLog log;
  log.loss = log.grad_norm = series(std::vector<double>(40, NAN));
  for (const char* condition : {"loss < 4", "loss != 4", "not loss < 4", "not (loss > 4)", "loss not in 2..4",
                                "grad_norm not in 2..4", "not (loss decreases)", "not (loss increases)",
                                "not (loss reaches 2)", "not (loss < 4 or loss > 9)", "not not (loss < 4)"})
    EXPECT_NE(judged(log, condition).holds, Holds::kYes) << condition;
  EXPECT_TRUE(passes(log, "loss is not finite"));
  // Values that are numbers decide, where the others can not change it.
  std::vector<double> norms(40, 9.0);
  norms[20] = NAN;
  log.grad_norm = series(norms);
  EXPECT_TRUE(passes(log, "grad_norm not in 2..4"));
  norms.assign(40, 3.0);
  for (std::size_t i = 10; i < 20; ++i) norms[i] = NAN;
  log.grad_norm = series(norms);
  EXPECT_FALSE(passes(log, "grad_norm in 2..4"));
  EXPECT_NE(judged(log, "grad_norm not in 2..4").holds, Holds::kYes);
}

TEST(Conditions, NormsThatAreNotFiniteAreNoLossesOfTheLoss) {
  RunLog log;
  log.loss = series(falling());
  log.event_counts[static_cast<std::size_t>(LogEvent::Kind::kNotFinite)] = 2;
  log.lost_norms = 2;
  EXPECT_TRUE(passes(log, "loss is finite"));
  log.lost_norms = 1;
  EXPECT_FALSE(passes(log, "loss is finite"));
}

TEST(Conditions, WhatTheLogDoesNotSayIsNotDecided) {
  const RunLog log;
  const Judgement one = judged(log, "grad_norm in 0.5..1.5");
  EXPECT_EQ(one.holds, Holds::kUndecided);
  EXPECT_EQ(one.words, "no gradient norm in the log; a metric named grad_norm reads one of another form");
  EXPECT_EQ(judged(log, "x > 1", {{"x", "x: ([0-9]+)"}}).words, "not in the log: x ('x: ([0-9]+)')");
  EXPECT_EQ(judged(log, "y > 1", {{"x", "x: ([0-9]+)"}, {"y", "x * 2"}}).words, "not in the log: x ('x: ([0-9]+)')");
  EXPECT_EQ(judged(log, "not (loss < 3)").holds, Holds::kUndecided);
  RunLog stepped;
  stepped.last_step = 100;
  EXPECT_EQ(judged(stepped, "loss < 3 or steps > 50").holds, Holds::kYes);
  EXPECT_EQ(judged(stepped, "loss < 3 or steps > 500").holds, Holds::kUndecided);
  EXPECT_EQ(judged(stepped, "loss < 3 and steps > 500").holds, Holds::kNo);
  EXPECT_EQ(judged(stepped, "loss < 3 and steps > 50").holds, Holds::kUndecided);
}

TEST(Conditions, FormulasMatchSteps) {
  Series a, b;
  for (int i = 0; i <= 10; ++i) a.add(i * 100, 10.0 - i, static_cast<std::uint32_t>(2 * i + 1));
  for (int i = 0; i <= 5; ++i) b.add(i * 200, 5.0 - i, static_cast<std::uint32_t>(2 * i + 2));
  RunLog log;
  log.metrics = {{"a", a}, {"b", b}};
  const std::vector<std::pair<std::string, std::string>> metrics = {
      {"gap", "a - b"}, {"a", "a: ([0-9]+)"}, {"b", "b: ([0-9]+)"}};
  // At steps 0, 200, ... 1000: 5, 4, 3, 2, 1, 0.
  EXPECT_EQ(judged(log, "gap == 0", metrics).holds, Holds::kYes);
  EXPECT_EQ(judged(log, "max(gap) == 5", metrics).holds, Holds::kYes);
  EXPECT_EQ(judged(log, "median(gap) == 2", metrics).holds, Holds::kYes);  // 4, 3, 2, 1, 0: the first is warm-up
  const auto read = PhaseConditions::read(phase_with(metrics, {}));
  ASSERT_TRUE(read);
  const std::vector<MetricValue> values = read->metrics({log});
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].name, "gap");
  EXPECT_EQ(values[0].first, 5);
  EXPECT_EQ(values[0].end, 0);
  EXPECT_EQ(values[0].count, 6U);
}

TEST(Conditions, FormulasWithoutStepsGoOneByOne) {
  Series a, b;
  for (int i = 0; i < 10; ++i) {
    a.add(std::nan(""), 10.0, static_cast<std::uint32_t>(2 * i + 1));
    b.add(std::nan(""), i, static_cast<std::uint32_t>(2 * i + 2));
  }
  RunLog log;
  log.metrics = {{"a", a}, {"b", b}};
  EXPECT_EQ(judged(log, "max(b / a) == 0.9", {{"a", "a: ([0-9]+)"}, {"b", "b: ([0-9]+)"}}).holds, Holds::kYes);
}

TEST(Conditions, ThroughputIsOfAllGpus) {
  RunLog log;
  log.tokens_per_second_per_gpu = series(std::vector<double>(50, 1000.0));
  const auto read = PhaseConditions::read(phase_with({}, {"throughput == 8k tokens/s", "step_time == 0.5 s"}));
  ASSERT_TRUE(read) << read.error().message;
  const auto judgements = read->judge({log, 8, 4000});
  EXPECT_EQ(judgements[0].holds, Holds::kYes) << judgements[0].words;
  EXPECT_EQ(judgements[1].holds, Holds::kYes) << judgements[1].words;
  RunLog timed;
  timed.step_seconds = series({9, 9, 9, 9, 2}, 1);
  EXPECT_EQ(read->judge({timed, 8, 16000})[0].holds, Holds::kNo);
  timed.step_seconds = series({9, 9, 2, 2, 2, 2, 2}, 10);
  EXPECT_EQ(read->judge({timed, 8, 16000})[0].holds, Holds::kYes);
}

}  // namespace
}  // namespace gpuplan
