#include "plan/billing/interruptions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "spot/bands.h"

namespace gpuplan {
namespace {

using units::hour;
using units::minute;

TEST(Interruptions, WhoSaysHowOften) {
  Job job;
  Offer offer;
  EXPECT_FALSE(interruption_rate(job, offer));
  job.spot.interruptions = exactly(0.05 / hour);
  job.spot.assumed = true;
  EXPECT_EQ(interruption_rate(job, offer), job.spot.interruptions);
  offer.band = SpotBand::kAbove20;
  EXPECT_EQ(interruption_rate(job, offer), rate_of(SpotBand::kAbove20)) << "what is known goes before what is assumed";
  job.spot.assumed = false;
  EXPECT_EQ(interruption_rate(job, offer), job.spot.interruptions) << "what the job says goes before the market";
  job.spot.interruptions.reset();
  job.spot.band = SpotBand::kBelow5;
  EXPECT_EQ(interruption_rate(job, offer), rate_of(SpotBand::kBelow5));
  job.spot.band.reset();
  job.spot.bathtub = Bathtub{};
  EXPECT_EQ(interruption_rate(job, offer), exactly(1 / Lifetimes::bathtub({}).mean()));
  offer.interruptions = exactly(0.01 / hour);
  EXPECT_EQ(interruption_rate(job, offer), offer.interruptions) << "the offer's own word is the most special";
}

TEST(Interruptions, OfAPoolAreStatedOnly) {
  Job job;
  Offer pool;
  pool.kind = OfferKind::kPool;
  pool.preemptible = true;
  job.spot.interruptions = exactly(0.05 / hour);
  EXPECT_TRUE(interruption_rate(job, pool));
  job.spot.assumed = true;
  EXPECT_FALSE(interruption_rate(job, pool)) << "assumed for spot machines";
}

SpotTerms terms(Interval<PerSecond> rate) {
  SpotTerms terms;
  terms.rate = rate;
  terms.checkpoint = minute;
  terms.restart = 5 * minute;
  return terms;
}

TEST(Interruptions, TermsOfAPhase) {
  Job job;
  job.spot.interruptions = exactly(0.05 / hour);
  job.spot.notice = 2 * minute;
  job.spot.wait = 10 * minute;
  job.checkpoint.every_time = 30 * minute;
  job.phases.emplace_back();
  PhaseEstimate estimate;
  estimate.nodes = 4;
  const SpotTerms told = spot_terms(job, estimate, Offer{});
  EXPECT_EQ(told.machines, 4);
  EXPECT_EQ(told.restart, 5 * minute);
  EXPECT_EQ(told.interval, 30 * minute);
  EXPECT_EQ(told.notice, 2 * minute);
  EXPECT_EQ(told.wait, 10 * minute);
  EXPECT_EQ(recoverable(told, 10 * minute).interval, 10 * minute) << "no piece is longer than the work";
  EXPECT_EQ(recoverable(told, 10 * hour).interval, 30 * minute);
  job.phases[0].checkpoint = CheckpointRule{.every_time = {}, .every_steps = 100, .keep = 0, .to = ""};
  estimate.work = exactly(10 * hour);
  estimate.steps = 1000;
  Offer slow;
  slow.billing.startup = 10 * minute;
  EXPECT_EQ(spot_terms(job, estimate, slow).interval, hour) << "a phase's own rule, in steps";
  EXPECT_EQ(spot_terms(job, estimate, slow).restart, 15 * minute) << "the next machine starts up as well";
  estimate.checkpoint_bytes = Bytes{100e9};
  estimate.checkpoint_rate = BytesPerSecond{2e9};
  const auto set = [&](TimeTerm term, Seconds time) {
    estimate.terms[static_cast<std::size_t>(term)] = exactly(time);
    estimate.extra = estimate.extra + exactly(time);
  };
  set(TimeTerm::kSetup, 8 * minute);
  set(TimeTerm::kFetch, 3 * minute);
  set(TimeTerm::kLoad, minute);
  set(TimeTerm::kWarmUp, 2 * minute);
  set(TimeTerm::kEvaluate, 20 * minute);
  set(TimeTerm::kCheckpoint, 50 * units::second);
  EXPECT_EQ(spot_terms(job, estimate, Offer{}).checkpoint, 50 * units::second);
  EXPECT_EQ(spot_terms(job, estimate, Offer{}).restart, 14 * minute) << "set-up, fetching, loading, warm-up";
  EXPECT_EQ(interruptible_work(estimate), 10 * hour + 34 * minute);
  job.spot.restart = Expected<Seconds>{exactly(7 * minute)};
  EXPECT_EQ(spot_terms(job, estimate, slow).restart, 7 * minute) << "as the job says";
}

TEST(Interruptions, QuantilesHaveTheExpectedMean) {
  const Interval<PerSecond> range{0.02 / hour, std::sqrt(0.02 * 0.2) / hour, 0.2 / hour};
  SpotTerms tub = terms({});
  tub.bathtub = Bathtub{};
  tub.rate = exactly(1 / Lifetimes::bathtub({}).mean());
  SpotTerms waits = terms(exactly(0.05 / hour));
  waits.wait = 12 * hour;
  for (const SpotTerms& one : {terms(exactly(0.05 / hour)), terms(range), waits, tub}) {
    const Seconds work = 48 * hour;
    const InterruptedPhase met = interrupted_phase(one, work, 3, 257);
    const ExpectedRun expected = with_interruptions(one, work);
    EXPECT_EQ(met.expected.wall, expected.wall);
    const auto holds = [&](const std::vector<double>& times, Seconds mean_time) {
      ASSERT_EQ(times.size(), 257U);
      EXPECT_TRUE(std::ranges::is_sorted(times));
      double mean = 0;
      for (const double value : times) mean += value / 257;
      EXPECT_NEAR((mean - 1) / (mean_time / work - 1), 1, one.bathtub ? 0.05 : 0.001);
      EXPECT_GE(times.front(), met.undisturbed) << "checkpoints at least";
      EXPECT_GT(times.back(), mean_time / work);
    };
    holds(met.wall, expected.wall);
    holds(met.billed, expected.billed);
    for (std::size_t i = 0; i < 257; ++i) EXPECT_LE(met.billed[i], met.wall[i]);
    EXPECT_EQ(met.wall, interrupted_phase(one, work, 3, 257).wall);
  }
}

TEST(Interruptions, NoneTakeNoTime) {
  const SpotTerms never = terms(exactly(PerSecond{}));
  EXPECT_EQ(with_interruptions(never, hour).wall, hour);
  EXPECT_EQ(interrupted_phase(never, hour, 1, 3).wall, (std::vector{1.0, 1.0, 1.0}));
}

TEST(Interruptions, PreemptedJobsStandInTheQueueAgain) {
  Job job;
  job.spot.interruptions = exactly(0.05 / hour);
  job.phases.emplace_back();
  Offer pool;
  pool.kind = OfferKind::kPool;
  pool.wait = Interval<Seconds>{hour, 4 * hour, 16 * hour};
  EXPECT_EQ(spot_terms(job, PhaseEstimate{}, pool).wait, Seconds{});
  pool.preemptible = true;
  EXPECT_EQ(spot_terms(job, PhaseEstimate{}, pool).wait, 4 * hour);
  job.spot.wait = Seconds{};
  EXPECT_EQ(spot_terms(job, PhaseEstimate{}, pool).wait, Seconds{}) << "as the job says";
}

TEST(Interruptions, WarnWhenNothingIsSavedInTime) {
  SpotTerms slow = terms(exactly(2 / hour));
  EXPECT_EQ(interruption_warning(slow), "");
  slow.checkpoint = 40 * minute;
  EXPECT_NE(interruption_warning(slow).find("a checkpoint takes 40 min but machines run only 30 min"),
            std::string::npos)
      << interruption_warning(slow);
  slow.notice = hour;
  EXPECT_EQ(interruption_warning(slow), "") << "saved by the notice";
  slow.restart = 31 * minute;
  EXPECT_NE(interruption_warning(slow).find("a restart takes 31 min"), std::string::npos);
  slow.restart = 20 * minute;
  slow.machines = 2;
  EXPECT_NE(interruption_warning(slow), "") << "two machines stop twice as often";
  SpotTerms hopeless = terms(exactly(50 / hour));
  hopeless.checkpoint = 3 * hour;
  EXPECT_EQ(interrupted_phase(hopeless, 48 * hour, 1, 2).wall, (std::vector{kHopeless, kHopeless}));
}

}  // namespace
}  // namespace gpuplan
