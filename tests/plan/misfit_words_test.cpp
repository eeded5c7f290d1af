#include "plan/capacity/misfit_words.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

TEST(MisfitWords, WhatStoppedMostOfItIsTheReason) {
  Tally tally;
  EXPECT_EQ(main_reason(tally), "no combination to try");
  tally.reject(Misfit::kUneven, 3);
  EXPECT_EQ(main_reason(tally), "batch, heads or layers are not divisible by its GPUs");
  tally.reject(Misfit::kHostMemory, 4);
  EXPECT_EQ(main_reason(tally), "not enough CPU memory");
  tally.reject(Misfit::kGiven, 5);
  EXPECT_EQ(main_reason(tally), "the job fixes settings that do not work here");
  tally.reject(Misfit::kPrecision, 6);
  tally.unsupported_reason = "V100 has no bf16";
  EXPECT_EQ(main_reason(tally), "V100 has no bf16");
  tally.reject(Misfit::kMemory, 9);
  EXPECT_EQ(main_reason(tally), "not enough GPU memory");
}

TEST(MisfitWords, EveryKindOfRejectionHasAReason) {
  for (const auto& entry : Names<Misfit>::entries) {
    Tally tally;
    tally.reject(entry.value);
    EXPECT_FALSE(main_reason(tally).empty()) << entry.name;
    EXPECT_FALSE(reason(entry.value).empty()) << entry.name;
  }
}

}  // namespace
}  // namespace gpuplan
