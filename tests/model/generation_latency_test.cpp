// How long requests wait at a server, by hand and as laws.
#include <gtest/gtest.h>

#include "model/generation/latency.h"
#include "model/generation_fixture.h"

namespace gpuplan {
namespace {

const GenerationConstants kMadeUp = made_up::generation_constants();

EngineProfile mixing() { return made_up::engine(); }
EngineProfile prompts_first() {
  EngineProfile engine = made_up::engine();
  engine.prompts_first = true;
  return engine;
}

/// 17 requests of 100 tokens: a prompt takes 0.1 s, a step 20 ms.
ServerLoad load_of(double served, double samples = 1e9) {
  ServerLoad load{.served = served, .asked = served, .samples = samples, .new_tokens = 100};
  load.prompt = load.prompt_alone = Seconds{0.1};
  load.step = Seconds{0.02};
  load.decode = Seconds{2};
  return load;
}

double fixed() { return kMadeUp.first_fixed_ms * 1e-3 + kMadeUp.first_steps * 0.02; }

TEST(GenerationLatency, OneRequestWaitsForItsPrompt) {
  for (const EngineProfile& engine : {mixing(), prompts_first()}) {
    const Latency alone = latency_under(load_of(1), engine, kMadeUp);
    EXPECT_NEAR(alone.first_token.value, fixed() + 0.1 + 0, 0.1 * 0.1 / 4);
    EXPECT_NEAR(alone.next_token.value, 0.02, 1e-12);
    EXPECT_NEAR(alone.waiting, 1 - 0.1 / alone.first_token.value, 1e-12);
  }
}

TEST(GenerationLatency, RequestsThatComeOneByOneAreAQueue) {
  // 17 prompts take 1.7 s beside 2 s of decoding: 1.7 / (2 x 2) = 0.425 of them wait before a new one.
  const Latency busy = latency_under(load_of(17), mixing(), kMadeUp);
  EXPECT_NEAR(busy.first_token.value, fixed() + 0.1 + 0.0425, 1e-6);
  // While it decodes, a request bears the prompts of the 16 others.
  EXPECT_NEAR(busy.next_token.value, (2 + 1.6) / 100, 1e-6);
}

TEST(GenerationLatency, RequestsThatComeTogetherWaitForHalfOfTheOthers) {
  // All of the run's requests at once: 8 of 16 prompts come first on average, and 8 afterwards.
  for (const EngineProfile& engine : {mixing(), prompts_first()}) {
    const Latency burst = latency_under(load_of(17, 17), engine, kMadeUp);
    EXPECT_NEAR(burst.first_token.value, fixed() + 0.1 + 0.8, 1e-9);
    EXPECT_NEAR(burst.next_token.value, (2 + 0.8) / 100, 1e-9);
  }
  // Of 170 a tenth comes so.
  const Latency tenth = latency_under(load_of(17, 170), mixing(), kMadeUp);
  EXPECT_NEAR(tenth.first_token.value, fixed() + 0.1 + 0.1 * 0.8 + 0.9 * 0.0425, 1e-9);
}

TEST(GenerationLatency, WavesStayWhereAllPromptsAreReadBeforeDecodingGoesOn) {
  const Latency waves = latency_under(load_of(17), prompts_first(), kMadeUp);
  EXPECT_NEAR(waves.first_token.value, fixed() + 0.1 + kMadeUp.waves * 0.8 + (1 - kMadeUp.waves) * 0.0425, 1e-6);
  EXPECT_GT(waves.first_token, latency_under(load_of(17), mixing(), kMadeUp).first_token);
  EXPECT_LT(waves.next_token, latency_under(load_of(17), mixing(), kMadeUp).next_token);
  // Answers of many lengths end one by one.
  ServerLoad varied = load_of(17);
  varied.varied = true;
  EXPECT_EQ(latency_under(varied, prompts_first(), kMadeUp).first_token,
            latency_under(varied, mixing(), kMadeUp).first_token);
}

TEST(GenerationLatency, WhoFindsNoPlaceWaitsForOthersToEnd) {
  // 34 for 17 places: as long again as one is served (Little); half of it where all come at once and nobody after.
  ServerLoad full = load_of(17);
  full.asked = 34;
  const Latency placed = latency_under(load_of(17), mixing(), kMadeUp);
  const double service = placed.first_token.value + 100 * placed.next_token.value;
  EXPECT_NEAR(latency_under(full, mixing(), kMadeUp).first_token.value, placed.first_token.value + service, 1e-4);
  ServerLoad once = load_of(17, 34);
  once.asked = 34;
  const Latency burst = latency_under(load_of(17, 17), mixing(), kMadeUp);
  EXPECT_NEAR(latency_under(once, mixing(), kMadeUp).first_token.value,
              burst.first_token.value + (burst.first_token.value + 100 * burst.next_token.value) / 2, 1e-9);
}

TEST(GenerationLatency, MoreLoadIsNeverLessWaiting) {
  for (const EngineProfile& engine : {mixing(), prompts_first()})
    for (const double samples : {40.0, 1000.0, 1e9}) {
      Latency before;
      for (double served = 1; served <= 40; ++served) {
        const Latency now = latency_under(load_of(served, samples), engine, kMadeUp);
        EXPECT_GE(now.first_token, before.first_token) << served;
        EXPECT_GE(now.waiting, before.waiting) << served;
        before = now;
      }
      // And more in the system than are served.
      for (double asked = 40; asked <= 400; asked *= 1.5) {
        ServerLoad load = load_of(40, samples);
        load.asked = asked;
        const Latency now = latency_under(load, engine, kMadeUp);
        EXPECT_GE(now.first_token, before.first_token) << asked;
        before = now;
      }
    }
}

}  // namespace
}  // namespace gpuplan
