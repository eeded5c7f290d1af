#include "plan/strategy/given.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

Given rate(const std::string& gpu, int gpus, double tokens) {
  Given given;
  given.gpu = gpu;
  given.gpus = gpus;
  given.tokens_per_second = exactly(TokensPerSecond{tokens});
  return given;
}

TEST(Given, TheMostSpecificFigureWins) {
  Phase phase;
  phase.given = {rate("", 0, 1), rate("A", 0, 2), rate("A", 4, 3), rate("A", 1, 4)};
  EXPECT_EQ(given_for(phase, "A", 4, 1)->tokens_per_second->p50.value, 3);
  EXPECT_EQ(given_for(phase, "A", 8, 1)->tokens_per_second->p50.value, 4) << "eight independent replicas of one GPU";
  EXPECT_EQ(given_for(phase, "A", 8, 8)->tokens_per_second->p50.value, 2);
  EXPECT_EQ(given_for(phase, "B", 8, 8)->tokens_per_second->p50.value, 1);
  phase.given = {rate("A", 4, 3)};
  EXPECT_EQ(given_for(phase, "B", 4, 4), nullptr);
  EXPECT_EQ(given_for(phase, "A", 2, 2), nullptr);
}

TEST(Given, RatesScaleWithReplicasTimesDoNot) {
  const Given figure = rate("A", 0, 100);
  // 1,000 tokens at 100 tokens/s on each of 4.
  EXPECT_EQ(given_time(figure, {10, 1000, 0}, 4)->p50, Seconds{2.5});
  Given whole;
  whole.time = exactly(Seconds{60});
  EXPECT_EQ(given_time(whole, {10, 1000, 0}, 4)->p50, Seconds{60});
  Given steps;
  steps.seconds_per_step = exactly(Seconds{45});
  EXPECT_EQ(given_time(steps, {1000, 0, 16}, 8)->p50, Seconds{720});
}

TEST(Given, TheSlowEndOfARateIsTheLongEndOfTheTime) {
  Given figure = rate("A", 0, 1);
  figure.tokens_per_second = Interval<TokensPerSecond>{TokensPerSecond{50}, TokensPerSecond{100}, TokensPerSecond{200}};
  const auto time = given_time(figure, {1, 1000, 0}, 1);
  EXPECT_EQ(time->p10, Seconds{5});
  EXPECT_EQ(time->p90, Seconds{20});
}

TEST(Given, AFigureOutsideTheModelsIntervalKeepsTheModelsBesideIt) {
  PhaseEstimate estimate;
  estimate.work = {Seconds{80}, Seconds{100}, Seconds{120}};
  estimate.work_is_model = true;
  Given figure;
  figure.time = exactly(Seconds{50});
  apply_given(figure, {}, 1, 0.1, estimate);
  EXPECT_EQ(estimate.evidence, Evidence::kGiven);
  EXPECT_NEAR(estimate.work.p50.value, 55, 1e-12) << "overhead share comes on top";
  ASSERT_TRUE(estimate.model_interval);
  EXPECT_EQ(estimate.model_interval->p50, Seconds{100});

  estimate.model_interval.reset();
  estimate.work = {Seconds{80}, Seconds{100}, Seconds{120}};
  figure.time = exactly(Seconds{90});
  apply_given(figure, {}, 1, 0, estimate);
  EXPECT_FALSE(estimate.model_interval);
}

}  // namespace
}  // namespace gpuplan
