// Sentences about what requests meet, and about targets.
#include "output/words/serving_words.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

using units::millisecond;

Phase phase_with(const GenerationTarget& target) {
  GeneratePhase generate;
  generate.target = target;
  Phase phase;
  phase.name = "serve";
  phase.work = generate;
  return phase;
}

PhaseEstimate estimate_with(const Serving& serving) {
  PhaseEstimate estimate;
  estimate.serving = serving;
  return estimate;
}

Serving some_serving() {
  Serving serving;
  serving.in_flight = 64;
  serving.output = {TokensPerSecond{1800}, TokensPerSecond{2000}, TokensPerSecond{2300}};
  serving.processed = serving.output * 3;
  serving.time_to_first_token = {Seconds{0.3}, Seconds{0.5}, Seconds{0.9}};
  serving.time_per_output_token = {Seconds{0.025}, Seconds{0.03}, Seconds{0.038}};
  return serving;
}

TEST(ServingWords, SayWhatComesOutAndWhatRequestsMeet) {
  EXPECT_EQ(
      serving_words(estimate_with(some_serving()), phase_with({})),
      "2,000 tokens/s (1,800–2,300), 6,000 with input tokens; TTFT 500 ms (300–900), TPOT 30 ms (25–38); 64 concurrent "
      "requests");
}

TEST(ServingWords, NameTheChanceOfATarget) {
  Serving serving = some_serving();
  serving.chance = 0.72;
  serving.in_flight = 1;
  const std::string words = serving_words(estimate_with(serving), phase_with({}));
  EXPECT_TRUE(words.ends_with("(25–38); 72% chance to reach the target")) << words;
}

TEST(ServingWords, ReadingAloneHasNoTokensToWaitFor) {
  Phase phase = phase_with({});
  std::get<GeneratePhase>(phase.work).forward_only = true;
  PhaseEstimate estimate = estimate_with(some_serving());
  estimate.strategy.micro_batch = 16;
  EXPECT_EQ(serving_words(estimate, phase),
            "6,000 tokens/s (5,400–6,900) processed; a batch of 16 takes 500 ms (300–900)");
}

TEST(ServingWords, AreNotForOtherPhases) {
  Phase phase;
  phase.work = TrainPhase{};
  EXPECT_EQ(serving_words(estimate_with(some_serving()), phase), "");
  EXPECT_EQ(serving_words(PhaseEstimate{}, phase_with({})), "");
}

TEST(TargetWords, ListWhatIsAskedFor) {
  EXPECT_EQ(target_words({TokensPerSecond{2000}, Seconds{0.5}, 30.0 * millisecond}),
            "2,000 tokens/s, TTFT 500 ms and TPOT 30 ms");
  EXPECT_EQ(target_words({{}, {}, 30.0 * millisecond}), "TPOT 30 ms");
}

TEST(TargetWords, TheChanceOfAPlanIsThatOfItsWorstPhase) {
  Plan plan;
  EXPECT_EQ(target_chance_words(plan), "");
  for (const double chance : {0.9, 0.4}) {
    Serving serving = some_serving();
    serving.chance = chance;
    plan.phases.push_back({estimate_with(serving)});
  }
  EXPECT_EQ(target_chance_words(plan), "40%");
}

}  // namespace
}  // namespace gpuplan
