#include "output/answer/plan_table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "output/plan_fixture.h"

namespace gpuplan {
namespace {

std::string table(const PlanFixture& fixture, int columns, bool all = false) {
  return plan_table(fixture.report(), {{.columns = columns}, all});
}

/// The widest line of a text.
int width_of(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(PlanTable, ShowsTheFrontierThePickAndWhy) {
  EXPECT_EQ(
      table(PlanFixture(), 120),
      R"(phase-2-collection: 1 phase, 4 models x 1500 samples of 512 tokens · market: this job, as of 2026-01, 15 offers · no
calibration

  #    PLAN         HOURS   P10 … P90    COST    P10 … P90  $/HOUR SAVED  MEMORY A GPU      EVIDENCE
  1    4x RTX 3090    3.4   2.8 … 4.1   $4.76  3.97 … 5.71             –  16.3 of 23.7 GiB  given
  2 ✔  4x RTX 5090    1.6   1.5 … 1.7   $5.12  4.79 … 5.48         $0.20  16.3 of 31.8 GiB  given !
  3    4x H100 SXM    1.3   1.2 … 1.3  $15.24  14.5 … 16.0        $30.67  16.3 of 79.6 GiB  given
  4    4x B200       0.89  0.79 … 1.0  $19.58  17.5 … 21.9        $11.42  16.3 of 179 GiB   given
     Shown 4 of 5 plans; 1 is dominated (--all): 4x RTX 4090 by 4x RTX 5090

  Pick: 4x RTX 5090, 1.6 h ± 0.1 for $5.12 ± 0.35, the best value at $7 for an hour of waiting.

  Summary: 4x RTX 5090 is
    - 2.1x faster, 1.08x dearer than 4x RTX 3090: $0.20 for each hour saved.
    - 3.0x cheaper, 1.3x slower than 4x H100 SXM: $31 for each hour it saves; it uses 20 % of its memory.
    - 3.8x cheaper, 1.8x slower than 4x B200: $20 for each hour it saves; it uses 9 % of its memory.

  Best value at $7 for an hour: 4x RTX 5090. Below $0.20: 4x RTX 3090; above $20: 4x B200; 4x H100 SXM never.
  ! The figures given are far from the model's: 4x RTX 5090 given 130, model 28 … 63 tokens/s a GPU. With the model's
    figures: gpuplan plan JOB --ignore given
  4x RTX 5090 is rare on the market; next best: 4x RTX 4090.

  Offer: 4x RTX 5090, on demand: $3.20/h for 4 GPUs, billed by the second.
  How:   4 replicas, models side by side, one sequence at a time each, fp16 weights; 533 tokens/s, 133 a GPU.

  Looked at 120 ways to run it; 30 can not, because of GPU memory (20) and divisibility (10).
)");
}

TEST(PlanTable, FitsEightyColumns) {
  EXPECT_EQ(table(PlanFixture(), 80), R"(phase-2-collection: 1 phase, 4 models x 1500 samples of 512 tokens · market:
this job, as of 2026-01, 15 offers · no calibration

  #    PLAN         HOURS   P10 … P90    COST    P10 … P90  $/HOUR SAVED
  1    4x RTX 3090    3.4   2.8 … 4.1   $4.76  3.97 … 5.71             –
  2 ✔  4x RTX 5090    1.6   1.5 … 1.7   $5.12  4.79 … 5.48         $0.20
  3    4x H100 SXM    1.3   1.2 … 1.3  $15.24  14.5 … 16.0        $30.67
  4    4x B200       0.89  0.79 … 1.0  $19.58  17.5 … 21.9        $11.42
     Shown 4 of 5 plans; 1 is dominated (--all): 4x RTX 4090 by 4x RTX 5090

  Pick: 4x RTX 5090, 1.6 h ± 0.1 for $5.12 ± 0.35, the best value at $7 for an
  hour of waiting.

  Summary: 4x RTX 5090 is
    - 2.1x faster, 1.08x dearer than 4x RTX 3090: $0.20 for each hour saved.
    - 3.0x cheaper, 1.3x slower than 4x H100 SXM: $31 for each hour it saves; it
      uses 20 % of its memory.
    - 3.8x cheaper, 1.8x slower than 4x B200: $20 for each hour it saves; it
      uses 9 % of its memory.

  Best value at $7 for an hour: 4x RTX 5090. Below $0.20: 4x RTX 3090; above
  $20: 4x B200; 4x H100 SXM never.
  ! The figures given are far from the model's: 4x RTX 5090 given 130, model
    28 … 63 tokens/s a GPU. With the model's figures: gpuplan plan JOB --ignore
    given
  4x RTX 5090 is rare on the market; next best: 4x RTX 4090.
  Evidence: given (the job's own figures, unverified) for all of these.

  Offer: 4x RTX 5090, on demand: $3.20/h for 4 GPUs, billed by the second.
  How:   4 replicas, models side by side, one sequence at a time each, fp16
         weights; 533 tokens/s, 133 a GPU; 16.3 of 31.8 GiB a GPU.

  Looked at 120 ways to run it; 30 can not, because of GPU memory (20) and
  divisibility (10).
)");
}

TEST(PlanTable, InMarkdownThePickIsBoldAndNothingIsCut) {
  const PlanFixture fixture;
  const std::string text = plan_table(fixture.report(), {{.markup = Markup::kMarkdown}, false});
  EXPECT_NE(text.find("| **2 ✔** | **4x RTX 5090** |"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\nSummary: 4x RTX 5090 is\n\n- 2.1x faster"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(PlanTable, IsNeverWiderThanTheTerminal) {
  const PlanFixture fixture;
  for (int columns = 60; columns <= 200; ++columns) {
    EXPECT_LE(width_of(table(fixture, columns)), columns);
    EXPECT_LE(width_of(table(fixture, columns, true)), columns);
  }
}

TEST(PlanTable, ShowsDominatedPlansOnDemand) {
  EXPECT_NE(table(PlanFixture(), 120, true).find("16.3 of 23.5 GiB  given     4x RTX 5090\n"), std::string::npos)
      << table(PlanFixture(), 120, true);
  EXPECT_EQ(table(PlanFixture(), 120).find("4x RTX 4090    2.4"), std::string::npos);
}

TEST(PlanTable, ColoursVanishWithoutATerminal) {
  const PlanFixture fixture;
  EXPECT_EQ(table(fixture, 120).find('\x1b'), std::string::npos);
  const std::string painted = plan_table(fixture.report(), {{.columns = 120, .colour = true}, false});
  EXPECT_NE(painted.find("\x1b[32m4x RTX 5090\x1b[0m"), std::string::npos) << "the pick is green";
  EXPECT_LE(width_of(painted), 120);
}

TEST(PlanTable, SaysWhenLimitsAreMissed) {
  PlanFixture fixture;
  fixture.job.limits.deadline = 0.5 * units::hour;
  for (Plan& plan : fixture.found.plans) {
    plan.meets_deadline = false;
    plan.chance_in_time = 0.001;
  }
  fixture.mark();
  const std::string text = table(fixture, 120);
  EXPECT_NE(text.find("No plan keeps the limits. Nearest: 4x B200."), std::string::npos) << text;
  EXPECT_NE(text.find("Deadline 30 min at 90 % confidence: 4x B200 keeps it with a chance of < 1 %; 0 of 5 plans keep "
                      "it. Fastest: 4x B200,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("too late"), std::string::npos) << text;
}

TEST(PlanTable, ShowsPhasesBufferAndContingencyOnTheirOwnLines) {
  PlanFixture fixture;
  Phase& data = fixture.job.phases.emplace_back();
  data.name = "write up";
  data.work = CpuPhase{{exactly(2 * units::hour)}, ""};
  fixture.job.buffer = 0.3;
  fixture.job.contingency = Dollars{20};
  for (Plan& plan : fixture.found.plans) {
    plan.buffer = 0.5 * units::hour;
    plan.idle = plan.cost.p50 * 0.25;
    PhasePlan& part = plan.phases.emplace_back();
    part.estimate.change().phase = 1;
    part.start = plan.hours.p50;
    part.hours = {2 * units::hour, 2 * units::hour, 2 * units::hour, 2 * units::hour};
  }
  const std::string text = table(fixture, 100);
  const std::size_t start = text.find("  4x RTX 5090, phase by phase");
  ASSERT_NE(start, std::string::npos) << text;
  EXPECT_EQ(text.substr(start, text.find("  Looked at") - start), R"(  4x RTX 5090, phase by phase:
    PHASE              START  HOURS  GPUS    COST  HOW
                        hour         used
    collect              0.0    1.6     4   $5.12  4 replicas, models side by side, one sequence at
                                                   a time each, fp16 weights; 533 tokens/s, 133 a
                                                   GPU; 16.3 of 31.8 GiB a GPU
    write up             1.6    2.0     –       –  no GPU, 2 h
    idle                                    $1.28  machines held while no phase uses them
    in all                      1.6         $5.12  6.4 GPU-hours used of 6.4 paid for (100 %)
    of it buffer 30 %           0.5                inside the hours and costs above
    contingency                            $20.00  $25.12 with it

)");
}

TEST(PlanTable, SaysByHowMuchNothingFitsAndWhatWouldChangeIt) {
  PlanFixture fixture;
  const Gpu& gpu = fixture.catalogue.gpus[0];
  fixture.found.plans.clear();
  fixture.found.values.clear();
  fixture.found.recommendations = {};
  fixture.found.tally = {};
  fixture.found.tally.reject(Misfit::kMemory, 1200);
  fixture.found.tally.reject(Misfit::kUneven, 110);
  NearMiss miss;
  miss.phase = 0;
  miss.gpu = &gpu;
  miss.gpus = 4;
  miss.needed = 26.8 * units::GiB;
  miss.usable = gpu.usable;
  fixture.found.tally.near_miss(miss);
  const PlanReport report = fixture.report();
  EXPECT_EQ(plan_table(report, {{.columns = 100}, false},
                       {{"batch: auto", 20 * units::GiB, true}, {"weights: fp8", 24 * units::GiB, false}}),
            R"(phase-2-collection: 1 phase, 4 models x 1500 samples of 512 tokens · market: this job, as of
2026-01, 15 offers · no calibration

  Nothing fits. Closest: phase collect on 4x RTX 3090 needs 26.8 GiB a GPU where 23.7 are usable,
  3.1 GiB too much.
  What would change it, on RTX 3090:
    CHANGE               NEEDS  THEN
                     GiB a GPU
    batch: auto   20.0 of 23.7  fits
    weights: fp8  24.0 of 23.7  still too much

  Looked at 1,310 ways to run it; none can, because of GPU memory (1,200) and divisibility (110).
)");
}

TEST(PlanTable, UserTextIsHarmless) {
  PlanFixture fixture;
  fixture.job.name = "\x1b[31mred\x1b[0m";
  fixture.found.plans[0].label = "\x1b]0;title\x07";
  EXPECT_EQ(table(fixture, 120).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
