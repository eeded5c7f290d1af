#include "plan/strategy/step_batch.h"

#include <gtest/gtest.h>

#include "model/training_fixture.h"

namespace gpuplan {
namespace {

StepBatch batch_of(double tokens, int gpus, int sequence = 2048) {
  TrainPhase train = training_fixture::phase(training_fixture::use_of("Llama-3.1-8B"), sequence);
  train.data.samples = 1e6;
  train.batch = BatchSize{std::nullopt, Tokens{tokens}};
  const TrainingWork work = training_work(train).value();
  return step_batch(training_fixture::catalogue().practice_constants, work, train, "A100 SXM 80GB", gpus);
}

/// 122 sequences of 8,192 are 128 on 16 GPUs, and no 120 that leave one of them idle; 488 are 512 on 512.
TEST(StepBatch, RoundTokensUseAllGpusWherePowersOfTwoAreNear) {
  EXPECT_EQ(batch_of(1e6, 16, 8192).sequences, 128);
  EXPECT_EQ(batch_of(4e6, 512, 8192).sequences, 512);
  EXPECT_EQ(batch_of(4e6, 8, 8192).sequences, 480) << "nearer, and shared out over all as well";
}

/// What is written to the token stays; a round number of tokens leaves micro-batches a choice.
TEST(StepBatch, RoundTokensLandOnNoPrime) {
  const double slack = training_fixture::catalogue().practice_constants.batch_slack;
  for (const int gpus : {1, 2, 4, 8, 16}) {
    EXPECT_EQ(batch_of(2048.0 * 512, gpus).sequences, 512) << gpus;
    if (488 % gpus == 0) {
      EXPECT_EQ(batch_of(2048.0 * 488, gpus).sequences, 488) << gpus << ", to the token";
    }
    const StepBatch round = batch_of(1e6, gpus);
    EXPECT_NEAR(round.sequences, 1e6 / 2048, slack * 1e6 / 2048 + 1) << gpus;
    const int each = static_cast<int>(round.sequences) / gpus;
    EXPECT_EQ(each * gpus, round.sequences) << gpus;
    EXPECT_EQ(each % 2, 0) << gpus << ": " << round.sequences;
  }
}

}  // namespace
}  // namespace gpuplan
