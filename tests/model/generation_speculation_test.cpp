// Tokens guessed ahead and checked in one pass.
#include <gtest/gtest.h>

#include "model/generation/step.h"
#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

GeneratePhase guessing(int tokens, double acceptance, bool draft, Situation situation = Situation::kSingle) {
  GeneratePhase phase = phase_of(llama_2_70b(), situation, 2000, 500, 300);
  phase.speculation = Speculation{tokens, acceptance, std::nullopt};
  if (draft) phase.speculation->draft = phase_of(llama_2_7b(), situation, 1, 1, 1).models.front();
  return phase;
}

GeneratePhase plain(Situation situation = Situation::kSingle) {
  return phase_of(llama_2_70b(), situation, 2000, 500, 300);
}

TEST(GenerationSpeculation, TokensOfAPass) {
  // 1 + 1/2 + 1/4 + 1/8.
  const GeneratePhase half = guessing(3, 0.5, false), none = guessing(3, 0, false), all = guessing(3, 1, false);
  const GeneratePhase unaided = plain();
  EXPECT_DOUBLE_EQ(generation_work(half).value().tokens_a_pass, 1.875);
  EXPECT_DOUBLE_EQ(generation_work(none).value().tokens_a_pass, 1);
  EXPECT_DOUBLE_EQ(generation_work(all).value().tokens_a_pass, 4);
  EXPECT_DOUBLE_EQ(generation_work(unaided).value().tokens_a_pass, 1);
  GeneratePhase reads = half;
  reads.forward_only = true;
  EXPECT_DOUBLE_EQ(generation_work(reads).value().tokens_a_pass, 1) << "nothing is generated";
}

TEST(GenerationSpeculation, APassChecksAllGuessesAndTheDraftMakesThemOneByOne) {
  const Rig rig(h100(), guessing(3, 0.5, true));
  const Strategy strategy = strategy_of(1, 4);
  const GenerationCut cut = generation_cut(rig.work, rig.rates, strategy);
  const GenerationEstimate estimate = rig.estimate(strategy);
  const double own = decode_step(rig.work.networks.front(), rig.rates, cut, 1, 650, 4).total().value,
               draft = decode_step(*rig.work.draft, rig.rates, cut, 1, 650).total().value;
  EXPECT_NEAR(estimate.time_per_output_token.value, (own + 3 * draft) / 1.875, 1e-9);
  const double prompts = (prefill_time(rig.work.networks.front(), rig.rates, cut, 1, 500) +
                          prefill_time(*rig.work.draft, rig.rates, cut, 1, 500))
                             .value;
  const GenerationConstants& c = *rig.rates.constants;
  EXPECT_NEAR(estimate.time_to_first_token.value, prompts + c.first_fixed_ms * 1e-3 + c.first_steps * (own + 3 * draft),
              1e-9);
  EXPECT_NEAR(estimate.parts.total().value, 2000 * (prompts + 300 / 1.875 * (own + 3 * draft)), 1e-6);
}

TEST(GenerationSpeculation, TheDraftTakesMemory) {
  const Strategy strategy = strategy_of(1, 4);
  const MemoryUse with = estimate(h100(), guessing(3, 0.5, true), strategy).memory,
                  heads = estimate(h100(), guessing(3, 0.5, false), strategy).memory,
                  without = estimate(h100(), plain(), strategy).memory;
  EXPECT_NEAR((with.weights - without.weights).value, 6738415616.0 * 2 * 1.015 / 4, 1e6);
  // 800 tokens of 32 layers with 32 heads of 128, over four ranks.
  EXPECT_NEAR((with.kv_cache - without.kv_cache).value, 800 * 512.0 * 1024 / 4, 1);
  EXPECT_DOUBLE_EQ(heads.weights.value, without.weights.value);
}

TEST(GenerationSpeculation, HelpsOneStreamWhenGuessesHold) {
  const Strategy strategy = strategy_of(1, 4);
  const double base = rate(h100(), plain(), strategy);
  double last = 0;
  for (const double acceptance : {0.0, 0.3, 0.6, 0.9}) {
    const double now = rate(h100(), guessing(4, acceptance, false), strategy);
    EXPECT_GT(now, last) << acceptance;
    last = now;
  }
  EXPECT_GT(last, 2.5 * base);
  EXPECT_LT(last, 5 * base) << "no more than one token for each guess and one";
  EXPECT_LT(rate(h100(), guessing(4, 0, false), strategy), base) << "wrong guesses only cost";
  EXPECT_LT(rate(h100(), guessing(4, 0.9, true), strategy), last) << "a draft takes time";
}

TEST(GenerationSpeculation, HelpsLessWhenProductsBind) {
  const auto gain = [](int batch) {
    const Strategy strategy = strategy_of(1, 4, 1, batch);
    return rate(h100(), guessing(4, 0.7, false, Situation::kStatic), strategy) /
           rate(h100(), plain(Situation::kStatic), strategy);
  };
  EXPECT_GT(gain(1), 1.5);
  EXPECT_LT(gain(256), 0.7 * gain(1));
}

TEST(GenerationSpeculation, IsTrustedLess) {
  const Rig with(h100(), guessing(3, 0.5, false)), without(h100(), plain());
  EXPECT_GT(generation_spread(with.work, with.rates, strategy_of(1, 4)).time,
            generation_spread(without.work, without.rates, strategy_of(1, 4)).time);
}

}  // namespace
}  // namespace gpuplan
