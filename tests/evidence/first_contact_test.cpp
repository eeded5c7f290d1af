#include "evidence/scores/first_contact.h"

#include <gtest/gtest.h>

#include "base/math.h"
#include "evidence/scores/own_runs.h"
#include "input/measured/first_contact_table.h"

namespace gpuplan {
namespace {

constexpr std::string_view kHead = "id,source,metric,measured,predicted,p10,p90,status,reason,commit\n";

std::vector<ContactFigure> figures(const std::string& rows) {
  auto read = read_first_contact(std::string(kHead) + rows, "first.csv");
  EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().message);
  return read ? *std::move(read) : std::vector<ContactFigure>{};
}

TEST(FirstContact, WhatWasPredictedThenStandsBesideToday) {
  TrainingRun train;
  train.id = "x-1";
  train.source = "x";
  train.step = Seconds{2};
  train.memory = units::GiB * 10.0;
  GenerationRun serve;  // of the same source and id
  serve.id = "x-1";
  serve.source = "x";
  serve.mode = GenerationMode::kSingle;
  serve.output_rate = TokensPerSecond{50};
  serve.memory = units::GiB * 5.0;
  TrainingRun known = train;  // not met
  known.id = "y-1";
  known.source = "y";
  std::vector<PredictedRun> today;
  for (const TrainingRun* run : {&train, &known}) {
    RunPrediction p;
    p.metrics.push_back({Metric::kStepSeconds, 2, {1.9, 2, 2.1}, Judged::kTime});
    today.emplace_back(run, p);
  }
  RunPrediction p;
  p.metrics.push_back({Metric::kOutputRate, 50, {45, 50, 55}, Judged::kSingle});
  today.emplace_back(&serve, p);

  const FirstContact contact = first_contact(figures("x-1,x,step_seconds,2,1,0.5,1.5,predicted,,aa\n"
                                                     "x-1,x,peak_memory_gib,10,20,5,40,predicted,,aa\n"
                                                     "x-1,x,peak_memory_gib,5,5,4,6,predicted,,bb\n"
                                                     "x-1,x,output_tokens_per_second,50,,,,refused,no such engine,bb\n"
                                                     "x-2,x,ttft_ms,5,5,4,6,predicted,,bb\n"),
                                             today);
  ASSERT_EQ(contact.then.size(), 2U);
  ASSERT_EQ(contact.now.size(), 2U);
  const Headline time = headline(contact.then, ErrorFigure::kTime);
  EXPECT_EQ(time.predicted, 1U);
  EXPECT_NEAR(time.all.bias, -math::log(2.0), 1e-12);
  EXPECT_EQ(time.source_inside, 0);
  EXPECT_EQ(headline(contact.now, ErrorFigure::kTime).all.median, 0);
  // Each run got the memory that it states.
  EXPECT_NEAR(headline(contact.then, ErrorFigure::kMemory).all.bias, math::log(2.0), 1e-12);
  EXPECT_NEAR(headline(contact.then, ErrorFigure::kServingMemory).all.bias, 0, 1e-12);
  const Headline rate = headline(contact.then, ErrorFigure::kRate);
  EXPECT_EQ(rate.stated, 1U);
  EXPECT_EQ(rate.predicted, 0U);
  EXPECT_EQ(headline(contact.now, ErrorFigure::kRate).predicted, 1U);
  EXPECT_EQ(contact.versions, (std::vector<std::string>{"aa", "bb"}));
  EXPECT_EQ(contact.lost, (std::vector<std::string>{"x-2 ttft_ms"}));
}

TEST(FirstContact, OwnRunsTeachWhatWasOffThenOnTheSameCardAlone) {
  ErrorModel model;
  for (auto& figure : model.components)
    for (ErrorComponent& component : figure) component = {0, 0};
  model.components[index_of(ErrorFigure::kTime)][index_of(ErrorPart::kCard)] = {0.5, 0.5};
  model.components[index_of(ErrorFigure::kTime)][index_of(ErrorPart::kConfiguration)] = {0.02, 0.02};
  TrainingRun runs[2];
  for (TrainingRun& run : runs) {
    run.id = &run == runs ? "x-1" : "x-2";
    run.source = "x";
    run.step = Seconds{2};
  }
  const auto after = [&](std::string_view second_card) {
    std::vector<PredictedRun> today;
    for (TrainingRun& run : runs) {
      RunPrediction p;
      p.metrics.push_back({Metric::kStepSeconds, 2, {1.9, 2, 2.1}, Judged::kTime});
      p.spread.labels.card = &run == runs ? "H100" : second_card;
      today.emplace_back(&run, p);
    }
    const FirstContact contact = first_contact(figures("x-1,x,step_seconds,2,1,0.9,1.1,predicted,,aa\n"
                                                       "x-2,x,step_seconds,2,1,0.9,1.1,predicted,,aa\n"),
                                               today);
    const OwnRunSums sums = after_own_runs(model, contact.then, ErrorFigure::kTime, 1);
    EXPECT_NEAR(sums.before, math::log(2.0), 1e-12);
    EXPECT_EQ(sums.inside_before, 0);
    return sums.after;
  };
  EXPECT_LT(after("H100"), 0.05);
  EXPECT_NEAR(after("A100"), math::log(2.0), 1e-12);
}

TEST(FirstContact, WrongRowsAreNamed) {
  for (const char* row : {"x,s,step_seconds,1,1,2,3,predicted,,aa\n", "x,s,step_seconds,1,,1,3,predicted,,aa\n",
                          "x,s,steps,1,1,1,1,predicted,,aa\n", "x,s,step_seconds,1,,,,refused,,aa\n",
                          "x,s,step_seconds,1,1,1,1,maybe,,aa\n", "x,s,step_seconds,0,1,1,1,predicted,,aa\n",
                          "x,s,step_seconds,1,1,1,1,predicted,,\n"}) {
    const auto read = read_first_contact(std::string(kHead) + row, "first.csv");
    ASSERT_FALSE(read.has_value()) << row;
    EXPECT_EQ(read.error().place.line, 2) << row;
  }
}

}  // namespace
}  // namespace gpuplan
