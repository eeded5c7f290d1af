// What the error of a prediction is made of, what two predictions share, and what own runs teach.
#include "model/error/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gpuplan {
namespace {

constexpr ErrorFigure kFigure = ErrorFigure::kTime;

/// Site 0.3, software 0.1 (0.4 unmeasured), card 0.2, generation 0.15, experts 0.25, configuration 0.12.
ErrorModel model() {
  ErrorModel all;
  for (auto& parts : all.components) parts.fill({0, 0});
  const auto set = [&](ErrorPart part, double deviation, double unmeasured = 0) {
    all.components[index_of(kFigure)][index_of(part)] = {deviation, unmeasured};
  };
  set(ErrorPart::kSite, 0.3);
  set(ErrorPart::kSoftware, 0.1, 0.4);
  set(ErrorPart::kCard, 0.2, 0.5);
  set(ErrorPart::kGeneration, 0.15, 0.5);
  set(ErrorPart::kExperts, 0.25);
  set(ErrorPart::kConfiguration, 0.12);
  return all;
}

ErrorLabels labels(std::string_view card = "H100 SXM", std::string_view software = "torch") {
  return {.software = software, .card = card, .architecture = card.substr(0, 2), .memory_type = "HBM"};
}

OwnRun own(const ErrorLabels& of, double error) {
  OwnRun run{.labels = of};
  run.states[index_of(kFigure)] = true;
  run.error[index_of(kFigure)] = error;
  return run;
}

double square(double x) { return x * x; }

constexpr double kPlain = 0.3 * 0.3 + 0.1 * 0.1 + 0.2 * 0.2 + 0.15 * 0.15 + 0.12 * 0.12;

TEST(ErrorModel, VariancesOfPartsAddUp) {
  EXPECT_NEAR(expected_error(model(), kFigure, labels()).variance, kPlain, 1e-12);
  ErrorLabels moe = labels();
  moe.add(true, ErrorPart::kExperts);
  moe.add(true, ErrorPart::kAdapters);  // the figure does not know it
  EXPECT_NEAR(expected_error(model(), kFigure, moe).variance, kPlain + square(0.25), 1e-12);
  ErrorLabels unknown = labels();
  unknown.software_publishers = 0;
  EXPECT_NEAR(expected_error(model(), kFigure, unknown).variance, kPlain - square(0.1) + square(0.4), 1e-12);
  EXPECT_EQ(regime_of(model(), kFigure, moe), "mixture of experts");
  EXPECT_EQ(regime_of(model(), kFigure, unknown), "a framework or engine without measured runs");
}

// A label's error is known as the mean of so many readings is, each with the error of its own site.
TEST(ErrorModel, EachPublisherTellsMoreOfALabel) {
  const auto variance = [](double publishers) {
    ErrorLabels of = labels();
    of.card_publishers = publishers;
    return expected_error(model(), kFigure, of).variance - kPlain + square(0.2);
  };
  EXPECT_NEAR(variance(0), square(0.5), 1e-12) << "as one that nobody measured";
  double before = variance(0);
  for (const double publishers : {1.0, 2.0, 3.0, 7.0, 40.0}) {
    const double unknown = square(0.5) - square(0.2);
    EXPECT_NEAR(variance(publishers), square(0.2) + 1 / (1 / unknown + publishers / square(0.3)), 1e-12);
    EXPECT_LT(variance(publishers), before);
    before = variance(publishers);
  }
  EXPECT_GT(before, square(0.2)) << "more is left than any number of publishers tells";
  ErrorLabels known = labels("H100 SXM"), rare = labels("H200 SXM");
  const double sure = ratio_variance(model(), kFigure, known, rare);
  rare.card_publishers = 1;
  EXPECT_GT(ratio_variance(model(), kFigure, known, rare), sure) << "and of two cards the ratio is as unsure";
}

TEST(ErrorModel, AGpuThatNobodyMeasuredIsToldApartFromItsGeneration) {
  ErrorLabels of = labels();
  of.card_publishers = 0;
  EXPECT_EQ(regime_of(model(), kFigure, of), "no run measured on this GPU");
  of.generation_publishers = 0;
  of.card_publishers = 1;
  EXPECT_EQ(regime_of(model(), kFigure, of), "no run measured on such hardware");
}

TEST(ErrorModel, WhatTwoShareCancelsInTheirRatio) {
  const double own = 2 * square(0.12);
  EXPECT_NEAR(ratio_variance(model(), kFigure, labels(), labels()), own, 1e-12);
  EXPECT_NEAR(ratio_variance(model(), kFigure, labels(), labels("H200 SXM")), own + 2 * square(0.2) + 2 * square(0.15),
              1e-12)
      << "H1 and H2";
  EXPECT_NEAR(ratio_variance(model(), kFigure, labels("H100 SXM"), labels("H100 NVL")), own + 2 * square(0.2), 1e-12);
  EXPECT_NEAR(ratio_variance(model(), kFigure, labels(), labels("H100 SXM", "hf")), own + 2 * square(0.1), 1e-12);
}

TEST(ErrorModel, ARunNarrowsWhatItShares) {
  const double noise = square(0.12), shared = kPlain - noise;
  EXPECT_NEAR(variance_after(model(), kFigure, labels(), labels()), noise + shared * noise / (shared + noise), 1e-12);
  const double site = square(0.3) + square(0.1);
  EXPECT_NEAR(variance_after(model(), kFigure, labels(), labels("A100 SXM 80GB")), kPlain - site * site / kPlain,
              1e-12);
  EXPECT_NEAR(variance_after(model(), kFigure, labels(), labels("A100 SXM 80GB", "hf")),
              kPlain - square(square(0.3)) / kPlain, 1e-12)
      << "the site alone";
  ErrorModel taught = model();
  learn(taught, {own(labels(), 0.2)});
  const double now = expected_error(taught, kFigure, labels()).variance;
  const double next = variance_after(taught, kFigure, labels(), labels());
  EXPECT_LT(next, now);
  EXPECT_GT(next, noise) << "what is left to one configuration stays";
}

/// model() with a part of 0.14 for networks and of 0.2 for amounts.
ErrorModel numbered() {
  ErrorModel all = model();
  all.components[index_of(kFigure)][index_of(ErrorPart::kModel)] = {0.14, 0};
  all.components[index_of(kFigure)][index_of(ErrorPart::kAmount)] = {0.2, 0};
  return all;
}

ErrorLabels labels_of(double parameters, double amount) {
  ErrorLabels of = labels();
  of.model = model_number(parameters);
  of.amount = amount_octave(amount);
  return of;
}

TEST(ErrorModel, NumbersTellNetworksAndAmountsApart) {
  EXPECT_EQ(model_number(8.03e9), model_number(8.05e9)) << "with adapters";
  EXPECT_NE(model_number(7e9), model_number(8e9));
  EXPECT_EQ(amount_octave(0), 0);
  EXPECT_EQ(amount_octave(1), 0);
  for (int octave = 0; octave < 40; ++octave) EXPECT_EQ(amount_octave(std::ldexp(1.0, octave)), octave);
  int before = 0;
  for (double amount = 1; amount < 1e7; amount *= 1.01) {
    EXPECT_GE(amount_octave(amount), before);
    before = amount_octave(amount);
  }
}

TEST(ErrorModel, CloseAmountsShareMoreThanFarOnes) {
  const double own = 2 * square(0.12);
  const auto apart = [&](double a, double b) {
    return ratio_variance(numbered(), kFigure, labels_of(1e9, a), labels_of(1e9, b)) - own;
  };
  for (double amount = 1; amount < 1e6; amount *= 2) {
    EXPECT_NEAR(apart(amount, amount), 0, 1e-12);
    EXPECT_NEAR(apart(amount, 2 * amount), square(0.2), 1e-12) << amount;
    EXPECT_NEAR(apart(amount, 4 * amount), 2 * square(0.2), 1e-12) << amount;
    EXPECT_NEAR(apart(amount, 64 * amount), 2 * square(0.2), 1e-12) << amount;
  }
  EXPECT_NEAR(ratio_variance(numbered(), kFigure, labels_of(1e9, 8), labels_of(7e9, 8)), own + 2 * square(0.14), 1e-12);
}

TEST(ErrorModel, NumberedPartsAddUpToo) {
  ErrorModel taught = numbered();
  learn(taught, {own(labels_of(1e9, 2048), 0.2), own(labels_of(7e9, 8192), 0.05)});
  for (const ErrorModel& one : {numbered(), taught})
    for (const ErrorLabels& of : {labels_of(1e9, 2048), labels_of(7e9, 4096), labels_of(3e9, 64)}) {
      const double variance = expected_error(one, kFigure, of).variance;
      double loads = 0, shares = 0;
      for (const ErrorLoad& load : error_loads(one, kFigure, of)) loads += square(load.load);
      int amounts = 0;
      for (const ErrorShare& share : error_shares(one, kFigure, of)) {
        shares += share.variance;
        amounts += share.part == ErrorPart::kAmount ? 1 : 0;
      }
      EXPECT_NEAR(loads, variance, 1e-9);
      EXPECT_NEAR(shares, variance, 1e-9);
      EXPECT_EQ(amounts, 1) << "said once";
    }
}

TEST(Learning, TheCloserTheMoreIsLearned) {
  ErrorModel taught = numbered();
  learn(taught, {own(labels_of(1e9, 2048), 0.3)});
  const auto shift = [&](double parameters, double amount) {
    return expected_error(taught, kFigure, labels_of(parameters, amount)).shift;
  };
  EXPECT_GT(shift(1e9, 2048), shift(1e9, 4096));
  EXPECT_GT(shift(1e9, 4096), shift(1e9, 16384));
  EXPECT_GT(shift(1e9, 16384), shift(7e9, 16384));
  EXPECT_GT(shift(7e9, 16384), 0) << "the site is the same";
  const ErrorLabels same = labels_of(1e9, 2048), other = labels_of(7e9, 16384);
  EXPECT_LT(variance_after(numbered(), kFigure, same, same), variance_after(numbered(), kFigure, same, other));
}

TEST(ErrorModel, LoadsAndSharesAddUpToTheVariance) {
  ErrorModel taught = model();
  learn(taught, {own(labels(), 0.2), own(labels("A100 SXM 80GB"), 0.05)});
  for (const ErrorModel& one : {model(), taught})
    for (const ErrorLabels& of : {labels(), labels("B200"), labels("A100 SXM 80GB", "hf")}) {
      const double variance = expected_error(one, kFigure, of).variance;
      double loads = 0, shares = 0;
      for (const ErrorLoad& load : error_loads(one, kFigure, of)) loads += square(load.load);
      for (const ErrorShare& share : error_shares(one, kFigure, of)) shares += share.variance;
      EXPECT_NEAR(loads, variance, 1e-9);
      EXPECT_NEAR(shares, variance, 1e-9);
    }
}

TEST(Learning, AsPredictedTeachNothingButCertainty) {
  ErrorModel taught = model();
  learn(taught, {own(labels(), 0)});
  const ExpectedError after = expected_error(taught, kFigure, labels());
  EXPECT_NEAR(after.shift, 0, 1e-12);
  EXPECT_LT(after.variance, kPlain / 2);
  EXPECT_GT(after.variance, square(0.12)) << "the next configuration has an error of its own";
}

TEST(Learning, ShrinkAndPassOnWhatIsShared) {
  ErrorModel taught = model();
  learn(taught, {own(labels(), 0.2)});
  const double same = expected_error(taught, kFigure, labels()).shift;
  const double other_card = expected_error(taught, kFigure, labels("B200")).shift;
  EXPECT_GT(same, 0.1);
  EXPECT_LT(same, 0.2) << "a part of it is the run's own";
  EXPECT_GT(other_card, 0);
  // Site and software of 0.1 of the shared 0.1625.
  EXPECT_NEAR(other_card / same, (0.09 + 0.01) / (0.09 + 0.01 + 0.04 + 0.0225), 1e-6);
}

TEST(Learning, OneOddRunAmongSeveralIsOneRun) {
  ErrorModel agreed = model(), odd = model();
  const std::vector<OwnRun> four(4, own(labels(), 0.1));
  learn(agreed, four);
  std::vector<OwnRun> five = four;
  five.push_back(own(labels(), 2.3));  // ten times as long
  learn(odd, five);
  EXPECT_EQ(odd.own_runs, 5);
  EXPECT_NEAR(expected_error(odd, kFigure, labels()).shift, expected_error(agreed, kFigure, labels()).shift, 0.05);
}

TEST(Learning, ManyApproachWhatTheyAgreeOn) {
  ErrorModel taught = model();
  learn(taught, std::vector<OwnRun>(40, own(labels(), 0.4)));
  const ExpectedError after = expected_error(taught, kFigure, labels());
  EXPECT_NEAR(after.shift, 0.4, 0.01);
  EXPECT_NEAR(after.variance, square(0.12), 0.002);
  learn(taught, {});
  EXPECT_TRUE(taught == model()) << "nothing is left of what was forgotten";
}

double width(const ErrorModel& of) { return std::sqrt(expected_error(of, kFigure, labels()).variance); }

TEST(Learning, RunsOfOneSetupThatContradictEachOtherWiden) {
  // The same setup, half of what is predicted and twice as much: nobody knows it better than before.
  for (const double apart : {0.5, 0.69, 1.2}) {
    ErrorModel taught = model();
    learn(taught, {own(labels(), -apart), own(labels(), apart)});
    EXPECT_NEAR(expected_error(taught, kFigure, labels()).shift, 0, 1e-9);
    if (apart > 0.6) {
      EXPECT_GT(width(taught), width(model())) << apart;
    }
    ErrorModel agreed = model();
    learn(agreed, {own(labels(), apart), own(labels(), apart)});
    EXPECT_LT(width(agreed), width(model()));
    EXPECT_LT(width(agreed), width(taught));
    // Somebody else's setup is not known to be like that.
    EXPECT_LT(expected_error(taught, kFigure, labels("B200", "hf")).variance,
              expected_error(model(), kFigure, labels("B200", "hf")).variance);
  }
}

TEST(Learning, TheFurtherApartTheWider) {
  double before = 0;
  for (const double apart : {0.1, 0.3, 0.6, 1.0, 1.5}) {
    ErrorModel taught = model();
    learn(taught, {own(labels(), -apart), own(labels(), apart), own(labels(), 0)});
    EXPECT_GE(width(taught), before) << apart;
    before = width(taught);
  }
}

TEST(Learning, AnOutlierHardlyMovesWhatOthersSay) {
  for (const double odd : {2.48, -2.48, 3.5}) {
    ErrorModel two = model(), three = model();
    learn(two, {own(labels(), -0.69), own(labels(), 0.69)});
    learn(three, {own(labels(), -0.69), own(labels(), 0.69), own(labels(), odd)});
    EXPECT_LT(std::abs(expected_error(three, kFigure, labels()).shift), 0.2) << odd;
    EXPECT_GE(width(three), width(two)) << odd;
  }
}

TEST(Learning, FiguresOfAJobAddToOwnRuns) {
  ErrorModel both = model(), runs = model(), alone = model();
  learn(runs, {own(labels(), 0.3), own(labels(), 0.3)});
  both = runs;
  learn_given(both, {own(labels(), 0.3)});
  learn_given(alone, {own(labels(), 0.3)});
  EXPECT_EQ(own_runs_on(both, kFigure, labels()), 2);
  EXPECT_EQ(given_on(both, kFigure, labels()), 1);
  EXPECT_EQ(own_runs_on(alone, kFigure, labels()), 0);
  const auto shift = [](const ErrorModel& of, const ErrorLabels& at) { return expected_error(of, kFigure, at).shift; };
  EXPECT_GT(shift(both, labels()), shift(runs, labels()));
  EXPECT_GT(shift(runs, labels()), shift(alone, labels()));
  EXPECT_LT(width(both), width(runs));
  EXPECT_GT(shift(alone, labels()), shift(alone, labels("B200"))) << "less on other GPUs";
  EXPECT_GT(shift(alone, labels("B200")), 0);
  // A figure that is uncertain itself tells less.
  OwnRun rough = own(labels(), 0.3);
  rough.noise = 0.25;
  ErrorModel roughly = model();
  learn_given(roughly, {rough});
  EXPECT_LT(shift(roughly, labels()), shift(alone, labels()));
}

TEST(Learning, AFigureThatNoRunStatesStaysAsItWas) {
  ErrorModel taught = model();
  OwnRun silent{.labels = labels()};
  learn(taught, {silent});
  EXPECT_EQ(expected_error(taught, kFigure, labels()).variance, expected_error(model(), kFigure, labels()).variance);
}

TEST(ErrorModel, WhatIsKnownOfMemoryIsNotUncertain) {
  ErrorModel all = model();
  all.components[index_of(ErrorFigure::kMemory)] = all.components[index_of(kFigure)];
  ErrorLabels half = labels();
  half.memory_scale = 0.5;
  EXPECT_EQ(expected_error(all, kFigure, half).variance, expected_error(all, kFigure, labels()).variance)
      << "time knows nothing of it";
  EXPECT_NEAR(expected_error(all, ErrorFigure::kMemory, half).variance, kPlain / 4, 1e-12);
  double sum = 0, squares = 0;
  for (const ErrorShare& share : error_shares(all, ErrorFigure::kMemory, half)) sum += share.variance;
  for (const ErrorLoad& load : error_loads(all, ErrorFigure::kMemory, half)) squares += square(load.load);
  EXPECT_NEAR(sum, kPlain / 4, 1e-12);
  EXPECT_NEAR(squares, kPlain / 4, 1e-12);
  // Of what two share only the smaller part cancels.
  const double noise = square(0.12);
  EXPECT_NEAR(ratio_variance(all, ErrorFigure::kMemory, half, labels()), (kPlain - noise) / 4 + noise * 1.25, 1e-12);
  // A run of which half is known that is off by 10 % tells what one is told by that is off by 20 %, and the other way.
  const auto learned = [&](const ErrorLabels& of, double error) {
    OwnRun run{.labels = of};
    run.states[index_of(ErrorFigure::kMemory)] = true;
    run.error[index_of(ErrorFigure::kMemory)] = error;
    ErrorModel taught = all;
    learn(taught, {run});
    return taught;
  };
  const ExpectedError a = expected_error(learned(half, 0.1), ErrorFigure::kMemory, labels());
  const ExpectedError b = expected_error(learned(labels(), 0.2), ErrorFigure::kMemory, labels());
  EXPECT_NEAR(a.shift, b.shift, 1e-9);
  EXPECT_NEAR(a.variance, b.variance, 1e-9);
  EXPECT_NEAR(expected_error(learned(labels(), 0.2), ErrorFigure::kMemory, half).shift, b.shift / 2, 1e-9);
}

}  // namespace
}  // namespace gpuplan
