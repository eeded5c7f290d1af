#include "output/questions/simulate_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace gpuplan {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

PolicyResult result_of(SpotPolicy policy, double hours, double dollars, double late) {
  PolicyResult one;
  one.policy = policy;
  one.histories = 1000;
  one.hours = {Seconds{hours * 3600 * 0.9}, Seconds{hours * 3600}, Seconds{hours * 3600 * 1.1}, Seconds{hours * 3600}};
  one.cost = {Dollars{dollars * 0.9}, Dollars{dollars}, Dollars{dollars * 1.1}, Dollars{dollars}};
  one.hours_at.fill(one.hours.p50);
  one.hours_at.front() = one.hours.p10;
  one.hours_at.back() = one.hours.p90;
  one.cost_at.fill(one.cost.p50);
  one.spot = Seconds{hours * 1800};
  one.on_demand = Seconds{hours * 1800};
  one.interruptions = 2.5;
  one.starts = 3.5;
  one.late = late;
  return one;
}

SimulateReport report() {
  SimulateReport report;
  report.job = "job";
  report.plan = "8x H100 SXM";
  report.plan_id = "abc123";
  report.header = "job: 8x H100 SXM";
  report.notes = {"Assumed: something."};
  Simulation& simulation = report.simulation;
  simulation.rate = exactly(PerSecond{0.05 / 3600});
  simulation.restart = Seconds{300};
  simulation.deadline = units::hour * 60;
  simulation.on_demand_price = exactly(DollarsPerSecond{3.0 / 3600});
  simulation.spot_price = exactly(DollarsPerSecond{1.0 / 3600});
  simulation.trials = 1000;
  SimulatedPiece piece;
  piece.name = "train";
  piece.work = exactly(units::hour * 48);
  piece.terms = {.rate = simulation.rate, .checkpoint = Seconds{60}, .restart = Seconds{300}};
  piece.interval = recoverable(piece.terms, piece.median()).interval;
  simulation.pieces = {piece};
  report.result.policies = {result_of(SpotPolicy::kOnDemand, 48, 144, 0), result_of(SpotPolicy::kSpotOnly, 66, 66, 0.7),
                            result_of(SpotPolicy::kGreedy, 59, 90, 0.02)};
  choose_best(simulation, report.result);
  return report;
}

TEST(SimulateReport, NamesTheBestAndWhy) {
  const SimulateReport told = report();
  const std::string words = best_policy_words(told);
  EXPECT_EQ(words,
            "Best: greedy, 59.0 h and $90.00 on average, 38% cheaper than the same machines on demand. It misses "
            "the deadline in 2% of runs (limit: 10%); spot_only, with no fallback to on demand, in 70%.");
  const std::string text = simulate_text(told, {.columns = 120}, true);
  EXPECT_TRUE(has(text, "greedy ✔")) << text;
  EXPECT_TRUE(has(text, "Interruptions: 4.88%/h; replacement at once; restart 5 min.")) << text;
  EXPECT_TRUE(has(text, "Checkpoints of train take 1 min each"));
  EXPECT_TRUE(has(text, "best by search"));
  EXPECT_TRUE(has(text, "Assumed: something."));
}

TEST(SimulateReport, SaysWhenNothingKeepsTheDeadline) {
  SimulateReport told = report();
  for (PolicyResult& one : told.result.policies) one.late = one.policy == SpotPolicy::kOnDemand ? 0.4 : 0.9;
  choose_best(told.simulation, told.result);
  EXPECT_TRUE(has(best_policy_words(told), "Best: on_demand"));
  EXPECT_TRUE(has(best_policy_words(told),
                  "No policy meets the 60.0 h deadline 90% of the time; this one misses it least often, in 40%"))
      << best_policy_words(told);
}

TEST(SimulateReport, TellsWhatTheJobAsksFor) {
  SimulateReport told = report();
  told.wanted = SpotPolicy::kSpotOnly;
  EXPECT_TRUE(has(best_policy_words(told), "The job sets spot_only: 66.0 h and $66.00."));
  told.wanted = SpotPolicy::kGreedy;
  EXPECT_FALSE(has(best_policy_words(told), "The job sets")) << "it is the best one";
}

TEST(SimulateReport, TellsNoMeanOfHistoriesThatNeverEnd) {
  SimulateReport told = report();
  for (PolicyResult& one : told.result.policies) {
    one.unfinished = 0.05;
    one.hours.mean = Seconds{std::numeric_limits<double>::infinity()};
    one.cost.mean = Dollars{std::numeric_limits<double>::infinity()};
  }
  told.wanted = SpotPolicy::kSpotOnly;
  choose_best(told.simulation, told.result);
  const std::string words = best_policy_words(told);
  EXPECT_TRUE(has(words, ", which never finishes in 5% of runs.")) << words;
  EXPECT_TRUE(has(words, "The job sets spot_only: never finishes in 5% of runs.")) << words;
  EXPECT_FALSE(has(words, "never h")) << words;
}

TEST(SimulateReport, WithoutADeadline) {
  SimulateReport told = report();
  told.simulation.deadline = Seconds{};
  const std::string text = simulate_text(told, {.columns = 120}, true);
  EXPECT_FALSE(has(text, "LATE"));
  EXPECT_TRUE(has(text, "With --deadline"));
  const auto json = nlohmann::json::parse(simulate_json(told));
  EXPECT_TRUE(json["deadline_hours"].is_null());
  EXPECT_TRUE(json["policies"][0]["chance_in_time"].is_null());
}

TEST(SimulateReport, WhatNeverEnds) {
  SimulateReport told = report();
  PolicyResult& spot = told.result.policies[1];
  const Seconds never{std::numeric_limits<double>::infinity()};
  const Dollars endless{std::numeric_limits<double>::infinity()};
  spot.hours = {spot.hours.p10, spot.hours.p50, never, never};
  spot.cost = {spot.cost.p10, spot.cost.p50, endless, endless};
  spot.hours_at.back() = never;
  spot.cost_at.back() = endless;
  spot.unfinished = 0.2;
  const std::string text = simulate_text(told, {.columns = 140});
  EXPECT_TRUE(has(text, "never")) << text;
  EXPECT_TRUE(has(text, "NEVER ENDS"));
  EXPECT_FALSE(has(text, "inf"));
  const auto json = nlohmann::json::parse(simulate_json(told));
  EXPECT_TRUE(json["policies"][1]["hours"]["p90"].is_null());
  EXPECT_EQ(json["policies"][1]["share_unfinished"], 0.2);
  const std::string csv = simulate_csv(told);
  EXPECT_FALSE(has(csv, "inf"));
}

TEST(SimulateReport, ALongTailDoesNotSqueezeTheOthers) {
  SimulateReport told = report();
  told.result.policies[1].hours_at.back() = units::hour * 1000;
  told.result.policies[1].hours_at[7] = units::hour * 900;
  const std::string text = simulate_text(told, {.columns = 120}, true);
  EXPECT_TRUE(has(text, "78.0 h")) << "the scale ends at 1.3 times the deadline\n" << text;
  EXPECT_TRUE(has(text, "→\n"));
}

TEST(SimulateReport, JsonHoldsEverything) {
  const SimulateReport told = report();
  const auto json = nlohmann::json::parse(simulate_json(told));
  EXPECT_EQ(json["schema"], "gpuplan/simulate@1");
  EXPECT_EQ(json["plan"]["id"], "abc123");
  EXPECT_EQ(json["recommended"], "greedy");
  EXPECT_EQ(json["deadline_hours"], 60);
  EXPECT_EQ(json["interruptions"]["model"], "exponential");
  EXPECT_NEAR(json["interruptions"]["rate_per_hour"]["p50"].get<double>(), 0.05, 1e-12);
  EXPECT_EQ(json["policies"].size(), 3);
  EXPECT_NEAR(json["policies"][2]["chance_in_time"].get<double>(), 0.98, 1e-12);
  EXPECT_NEAR(json["policies"][2]["hours"]["mean"].get<double>(), 59, 1e-9);
  EXPECT_NEAR(json["policies"][2]["hours_at"]["p50"].get<double>(), 59, 1e-9);
  EXPECT_GE(json["pieces"][0]["intervals"].size(), 8);
  EXPECT_TRUE(json["lower_bound"].is_null());
  EXPECT_NEAR(json["spot_usd_per_hour"]["p50"].get<double>(), 1, 1e-12);
}

TEST(SimulateReport, CsvHasALineForEachPolicy) {
  const std::string csv = simulate_csv(report());
  EXPECT_TRUE(csv.starts_with("policy,hours,hours_p10,")) << csv;
  EXPECT_TRUE(has(csv, "\ngreedy,59,")) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
}

TEST(SimulateReport, WordsForEveryKindOfLives) {
  Simulation simulation = report().simulation;
  simulation.machines = 4;
  simulation.wait = units::minute * 20;
  EXPECT_TRUE(has(lives_words(simulation), "4 machines that stop together; replacement after 20 min on average"))
      << lives_words(simulation);
  simulation.bathtub = Bathtub{};
  EXPECT_TRUE(has(lives_words(simulation), "at most 24.0 h")) << lives_words(simulation);
  simulation.traces = {{"zone", runs_of({Seconds{3600}, {1, 1, 0, 0}}), {0, 1, 2}}};
  EXPECT_TRUE(has(lives_words(simulation), "replayed from 1 trace (0.5 interruptions per machine-hour)"))
      << lives_words(simulation);
  EXPECT_TRUE(has(lives_words(simulation), "3 replays per policy"));
  simulation.traces.clear();
  simulation.bathtub.reset();
  simulation.rate = {};
  EXPECT_TRUE(has(lives_words(simulation), "No interruptions"));
}

}  // namespace
}  // namespace gpuplan
