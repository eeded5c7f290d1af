// How many checkpoints a run writes, how many stay, and the room that they take.
#include "plan/strategy/checkpoints.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gpuplan {
namespace {

/// 1,000 steps in 100 hours on 8 GPUs, checkpoints of 17.3 GB at 1 GB/s.
PhaseEstimate run_of(double hours = 100) {
  PhaseEstimate run;
  run.gpus = 8;
  run.steps = 1000;
  run.work = {hours * units::hour, hours * units::hour, hours * units::hour};
  run.checkpoint_bytes = 17.3 * units::GB;
  run.checkpoint_rate = BytesPerSecond{1e9};
  return run;
}

PracticeConstants practice() {
  PracticeConstants constants;
  constants.gpu_hours_to_failure = 50000;
  return constants;
}

double count(const PhaseEstimate& run, const CheckpointRule& rule = {}) {
  return checkpoints_of(rule, practice(), run);
}

TEST(Checkpoints, LongRunsWriteThemForTheCaseThatTheyEndBefore) {
  EXPECT_EQ(count(run_of(100)), 100) << "one an hour, which takes little";
  EXPECT_EQ(count(run_of(1)), 1) << "at its end";
  PhaseEstimate large = run_of(100);
  large.checkpoint_bytes = 720 * units::GB;
  EXPECT_EQ(count(large), 5) << "a hundredth of the time";
  large.gpus = 8000;
  const double young = std::sqrt(2 * 720 * 50000.0 / 8000 * 3600);  // 1.6 h
  EXPECT_EQ(count(large), std::ceil(100 * 3600 / young)) << "more where machines fail often";
  PhaseEstimate small = run_of(10);
  small.steps = 4;
  EXPECT_EQ(count(small), 4) << "none within a step";
  small.checkpoint_rate = {};
  EXPECT_EQ(count(small), 1) << "nobody knows how long one takes";
}

TEST(Checkpoints, ARuleIsFollowed) {
  CheckpointRule rule;
  rule.keep = 3;
  EXPECT_FALSE(says_how_often(rule));
  EXPECT_GT(count(run_of(), rule), 1);
  rule.every_steps = 300;
  EXPECT_TRUE(says_how_often(rule));
  EXPECT_EQ(count(run_of(), rule), 4);
  rule = {};
  rule.every_time = 200 * units::hour;
  EXPECT_EQ(count(run_of(), rule), 1);
}

TEST(Checkpoints, DisksGetRoomForThoseThatStay) {
  PhaseEstimate run = run_of();
  run.nodes = 2;
  run.strategy.sharding = Sharding::kZero3;
  set_checkpoints({}, 1, run);
  EXPECT_EQ(run.kept_checkpoints, 1);
  EXPECT_DOUBLE_EQ(run.spare_disk_bytes / units::GB, 17.3) << "one more where machines are taken away";
  recount_checkpoints({}, 13, run);
  EXPECT_EQ(run.checkpoints, 13);
  EXPECT_EQ(run.kept_checkpoints, 2);
  EXPECT_NEAR(run.disk_bytes / units::GB, 17.3, 1e-9);
  EXPECT_NEAR(run.machine_disk_bytes / units::GB, 17.3 / 2, 1e-9) << "each machine holds its part";
  EXPECT_EQ(run.spare_disk_bytes, Bytes{});

  PhaseEstimate away = run_of();
  CheckpointRule bucket;
  bucket.to = "s3://bucket";
  set_checkpoints(bucket, 1, away);
  recount_checkpoints(bucket, 13, away);
  EXPECT_EQ(away.disk_bytes, Bytes{});
  EXPECT_EQ(away.spare_disk_bytes, Bytes{});
}

TEST(Checkpoints, JobsInARowWriteOneEach) {
  PhaseEstimate run = run_of();
  EXPECT_EQ(longest_apart(run, 5), 1 * units::hour);
  EXPECT_EQ(longest_apart(run, 50), 0.5 * units::hour);
  run.checkpoints_asked = true;
  EXPECT_EQ(longest_apart(run, 5), 5 * units::hour) << "a quarter of a job, whatever the job says";
}

}  // namespace
}  // namespace gpuplan
