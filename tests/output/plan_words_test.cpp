#include "output/words/plan_words.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

TEST(PlanWords, Counts) {
  EXPECT_EQ(count_of(1, "phase"), "1 phase");
  EXPECT_EQ(count_of(0, "plan"), "0 plans");
  EXPECT_EQ(count_of(15.625, "step"), "15.6 steps");
  EXPECT_EQ(count_of(19074, "step"), "19,074 steps");
}

TEST(PlanWords, Shares) {
  EXPECT_EQ(percent(0.04), "4%");
  EXPECT_EQ(percent(0.003), "0.3%");
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.9975), "99.8%");
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(chance_words(1), "> 99%");
  EXPECT_EQ(chance_words(0), "< 1%");
  EXPECT_EQ(chance_words(0.97), "97%");
  // Of one that misses 90 % nobody may read that it is reached.
  EXPECT_EQ(chance_words(0.8959, false), "89%");
  EXPECT_EQ(chance_words(0.8959, true), "90%");
}

TEST(PlanWords, Money) {
  EXPECT_EQ(short_money(Dollars{0.21}), "$0.21");
  EXPECT_EQ(short_money(Dollars{7}), "$7");
  EXPECT_EQ(short_money(Dollars{7.5}), "$7.50");
  EXPECT_EQ(short_money(Dollars{19.6}), "$20");
  EXPECT_EQ(short_money(Dollars{1234}), "$1,234");
  EXPECT_EQ(short_money(Dollars{-20}), "-$20");
  EXPECT_EQ(short_money(Dollars{0.0057}), "$0.006") << "below a cent one digit says enough";
  EXPECT_EQ(short_money(Dollars{0}), "$0.00");
  EXPECT_EQ(outcome_text({Dollars{3.954}, Dollars{4.74}, Dollars{5.69}, Dollars{4.8}}), "3.95–5.69");
  EXPECT_EQ(outcome_text({Dollars{93}, Dollars{98}, Dollars{1204}, Dollars{100}}), "93.0–1,204");
  EXPECT_EQ(outcome_text(Outcome<Dollars>{}), "") << "no charge";
}

TEST(PlanWords, PricesAndBilling) {
  Offer offer;
  offer.gpus = 8;
  offer.price = exactly(24 * units::dollar / units::hour);
  EXPECT_EQ(price_words(offer, false), "$24.00/h");
  EXPECT_EQ(price_words(offer, true), "no price");
  offer.kind = OfferKind::kPool;
  EXPECT_EQ(price_words(offer, false), "$24.00/h per GPU");
  EXPECT_EQ(billing_words({}), "per second");
  EXPECT_EQ(billing_words({Seconds{0}, 10 * units::minute}), "per 10 min");
  EXPECT_EQ(billing_words({units::hour, units::minute}), "per minute, at least 1 h");
  EXPECT_EQ(billing_words({units::hour, units::hour}), "per hour");
}

TEST(PlanWords, Ratios) {
  EXPECT_EQ(times_words(1.006), "1.01x");
  EXPECT_EQ(times_words(1.084), "1.08x");
  EXPECT_EQ(times_words(2.98), "3.0x");
  EXPECT_EQ(times_words(13.7), "14x");
  EXPECT_EQ(times_words(12345), "12,345x");
  EXPECT_EQ(times_words(1), "1.00x");
  EXPECT_EQ(times_words(0.97), "0.97x");
  EXPECT_EQ(times_words(0.0123), "0.012x");
}

TEST(PlanWords, Times) {
  EXPECT_EQ(hours_words(6.23 * units::hour), "6.2 h");
  EXPECT_EQ(hours_words(44.7 * units::minute), "45 min");
  EXPECT_EQ(hours_words(8.72 * units::minute), "8.7 min");
  EXPECT_EQ(hours_words(Seconds{20.13}), "20 s");
  EXPECT_EQ(hours_words(Seconds{0.0123}), "12.3 ms");
  EXPECT_EQ(hours_words(Seconds{-7200}), "-2.0 h");
  EXPECT_EQ(range_words({Seconds{51.2}, Seconds{61.4}, Seconds{73.7}}), "61.4 s (51.2–73.7)");
  EXPECT_EQ(range_words(exactly(Seconds{0.852})), "852 ms");
  EXPECT_EQ(range_words({5.9 * units::hour, 6.2 * units::hour, 6.5 * units::hour}), "6.2 h (5.9–6.5)");
  EXPECT_EQ(range_words({Seconds{42.0}, Seconds{42.02}, Seconds{42.04}}), "42 s");
  EXPECT_EQ(range_words({3.5 * units::hour, 6 * units::hour, 10.4 * units::hour}), "6.0 h (3.5–10.4)");
  EXPECT_EQ(range_words({units::hour, units::hour, 3 * units::hour}), "1 h (1–3)");
  EXPECT_EQ(range_words({Dollars{4.8}, Dollars{5.12}, Dollars{5.46}, Dollars{5.1}}), "$5.12 (4.80–5.46)");
  EXPECT_EQ(range_words({Dollars{3.95}, Dollars{4.74}, Dollars{5.69}, Dollars{4.8}}), "$4.74 (3.95–5.69)");
  EXPECT_EQ(range_words({Dollars{67.6}, Dollars{77.47}, Dollars{88}, Dollars{77}}), "$77.47 (67.6–88.0)");
  EXPECT_EQ(range_words({Dollars{2}, Dollars{2}, Dollars{2}, Dollars{2}}), "$2.00");
  EXPECT_EQ(range_words(Outcome<Dollars>{}), "no charge");
  EXPECT_EQ(range_words({Seconds{0.717}, Seconds{0.852}, Seconds{1.012}}), "852 ms (717–1,012)");
}

TEST(PlanWords, PhasesInWords) {
  Phase phase;
  TrainPhase train;
  train.models.resize(1);
  train.models[0].name = "Llama-3.1-8B";
  train.data.samples = 50'000;
  train.epochs = 3;
  train.method = Method::kLora;
  phase.work = train;
  EXPECT_EQ(phase_words(phase), "LoRA fine-tuning of Llama-3.1-8B on 50k samples, 3 epochs");
  phase.work = WorkPhase{200, {{"compile", {}}, {"run", {}}}, 2, 2};
  EXPECT_EQ(phase_words(phase), "200 items, 2 stages, 2 workers");
  phase.work = FixedPhase{1, {exactly(4 * units::hour)}, true};
  EXPECT_EQ(phase_words(phase), "manual work, 4 h");
}

TEST(PlanWords, StrategiesInWords) {
  Phase phase;
  TrainPhase train;
  train.models.resize(1);
  phase.work = train;
  Gpu gpu;
  Framework framework;
  framework.name = "deepspeed";
  PhaseEstimate estimate;
  EXPECT_EQ(strategy_words(estimate, phase), "") << "no GPU, no strategy";
  estimate.node = NodeShape{.gpu = &gpu, .gpus = 8};
  estimate.framework = &framework;
  estimate.strategy.dp = 8;
  estimate.strategy.sharding = Sharding::kZero3;
  estimate.strategy.micro_batch = 2;
  estimate.strategy.grad_accum = 4;
  estimate.strategy.recompute = Recompute::kFull;
  EXPECT_EQ(strategy_words(estimate, phase),
            "data parallel 8, ZeRO-3, micro-batch 2, gradient accumulation 4, full activation checkpointing, bf16, "
            "deepspeed");
  estimate.strategy = {};
  EXPECT_EQ(strategy_words(estimate, phase), "micro-batch 1, bf16, deepspeed");

  GeneratePhase generate;
  generate.models.resize(4);
  phase.work = generate;
  estimate.strategy.dp = 4;
  estimate.strategy.tp = 2;
  estimate.strategy.micro_batch = 64;
  estimate.strategy.weights = Format::kInt4;
  framework.name = "vllm";
  EXPECT_EQ(strategy_words(estimate, phase),
            "4 replicas, tp 2, models one after another, 64 concurrent requests each, int4 weights, vllm");
}

TEST(PlanWords, PlacesInWords) {
  Offer offer;
  EXPECT_EQ(place_words(offer), "");
  offer.provider = "lambda";
  offer.region = "us-east-1";
  EXPECT_EQ(place_words(offer), "lambda us-east-1");
  offer.kind = OfferKind::kPool;
  offer.label = "preempt";
  EXPECT_EQ(place_words(offer), "pool preempt");
  offer.kind = OfferKind::kOwn;
  EXPECT_EQ(place_words(offer), "your machine preempt");
}

}  // namespace
}  // namespace gpuplan
