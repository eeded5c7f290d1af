// What a reader is told of models whose weights can not be used as the job asks.
#include "plan/notes/model_notes.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

std::vector<std::string> notes_on(Method method, Format stored, bool drawn = false) {
  Job job;
  Phase& phase = job.phases.emplace_back();
  TrainPhase train;
  ModelUse use;
  use.name = "mine";
  use.drawn = drawn;
  use.shape.layers = 2, use.shape.hidden = 64, use.shape.native = stored;
  train.models = {use, use};
  train.method = method;
  phase.work = train;
  return model_notes(job);
}

TEST(ModelNotes, RoundedWeightsAreNotTrained) {
  for (const Format stored : {Format::kInt4, Format::kInt8, Format::kNf4, Format::kExl2, Format::kQ4K}) {
    const std::vector<std::string> notes = notes_on(Method::kFull, stored);
    ASSERT_EQ(notes.size(), 1U) << "the same is said once";
    EXPECT_NE(notes.front().find("cannot be trained"), std::string::npos);
    ASSERT_EQ(notes_on(Method::kLora, stored).size(), 1U);
    EXPECT_NE(notes_on(Method::kLora, stored).front().find("method: qlora"), std::string::npos);
    EXPECT_TRUE(notes_on(Method::kQlora, stored).empty());
  }
}

TEST(ModelNotes, SmallFloatsAreTakenBackTo16Bit) {
  for (const Format stored : {Format::kFp8, Format::kMxfp4, Format::kNvfp4})
    for (const Method method : {Method::kFull, Method::kLora}) {
      ASSERT_EQ(notes_on(method, stored).size(), 1U);
      EXPECT_NE(notes_on(method, stored).front().find("dequantized"), std::string::npos);
    }
}

TEST(ModelNotes, OrdinaryWeightsAndNewOnesNeedNoWord) {
  for (const Format stored : {Format::kBf16, Format::kFp16, Format::kFp32})
    EXPECT_TRUE(notes_on(Method::kFull, stored).empty());
  EXPECT_TRUE(notes_on(Method::kFull, Format::kInt4, true).empty()) << "nothing is stored of what the job draws";
}

}  // namespace
}  // namespace gpuplan
