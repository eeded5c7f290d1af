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
  EXPECT_EQ(table(PlanFixture(), 120),
            R"(phase-2-collection: 4 models, 1500 samples each, 512 tokens of output each
15 offers from the job file, prices from 2026-01

     PLAN         HOURS   P10–P90    COST    P10–P90  $ PER HOUR SAVED  MEMORY PER GPU    SOURCE
     4x RTX 3090    3.4   2.8–4.1   $4.76  3.97–5.71                 –  16.3 of 23.7 GiB  yours
  ✔  4x RTX 5090    1.6   1.5–1.7   $5.12  4.79–5.48             $0.20  16.3 of 31.8 GiB  yours !
     4x H100 SXM    1.3   1.2–1.3  $15.24  14.5–16.0            $30.67  16.3 of 79.6 GiB  yours
     4x B200       0.89  0.79–1.0  $19.58  17.5–21.9            $11.42  16.3 of 179 GiB   yours
     1 more plan is no faster and no cheaper than one of these (--all).

  Recommended: 4x RTX 5090, 1.6 h (1.5–1.7), $5.12 (4.79–5.48): lowest total if your time counts $7/h.
    - Compared with 4x RTX 3090: 2.1x faster, 1.08x the cost ($0.20 per hour saved).
    - Compared with 4x H100 SXM: 3.0x cheaper, 1.3x slower ($31 per hour it saves; 80% of its memory would sit unused).
    - Compared with 4x B200: 3.8x cheaper, 1.8x slower ($20 per hour it saves; 91% of its memory would sit unused).
  Best if your time counts $7/h: 4x RTX 5090. Below $0.20: 4x RTX 3090; above $20: 4x B200; at no value: 4x H100 SXM.
  ! Speeds: your job file says 130 tokens/s per GPU, predicted 28–63. Use predictions: --ignore given
  Supply: 4x RTX 5090 is rare. Next best: 4x RTX 4090, 2.4 h, $5.76.

  Offer: 4x RTX 5090, on demand, $3.20/h, billed per second.
  Run:   one model per GPU, batch size 1, fp16 weights; 533 tokens/s, 133 per GPU.

  Searched 120 configurations; 90 can run (ruled out: GPU memory 20, divisibility 10).
)");
}

TEST(PlanTable, FitsEightyColumns) {
  EXPECT_EQ(table(PlanFixture(), 80), R"(phase-2-collection: 4 models, 1500 samples each, 512 tokens of output each
15 offers from the job file, prices from 2026-01

     PLAN         HOURS   P10–P90    COST    P10–P90  $ PER HOUR SAVED
     4x RTX 3090    3.4   2.8–4.1   $4.76  3.97–5.71                 –
  ✔  4x RTX 5090    1.6   1.5–1.7   $5.12  4.79–5.48             $0.20
     4x H100 SXM    1.3   1.2–1.3  $15.24  14.5–16.0            $30.67
     4x B200       0.89  0.79–1.0  $19.58  17.5–21.9            $11.42
     1 more plan is no faster and no cheaper than one of these (--all).

  Recommended: 4x RTX 5090, 1.6 h (1.5–1.7), $5.12 (4.79–5.48): lowest total if
  your time counts $7/h.
    - Compared with 4x RTX 3090: 2.1x faster, 1.08x the cost ($0.20 per hour
      saved).
    - Compared with 4x H100 SXM: 3.0x cheaper, 1.3x slower ($31 per hour it
      saves; 80% of its memory would sit unused).
    - Compared with 4x B200: 3.8x cheaper, 1.8x slower ($20 per hour it saves;
      91% of its memory would sit unused).
  Best if your time counts $7/h: 4x RTX 5090. Below $0.20: 4x RTX 3090; above
  $20: 4x B200; at no value: 4x H100 SXM.
  ! Speeds: your job file says 130 tokens/s per GPU, predicted 28–63. Use
    predictions: --ignore given
  Supply: 4x RTX 5090 is rare. Next best: 4x RTX 4090, 2.4 h, $5.76.
  All times use speeds from your job file (not verified).

  Offer: 4x RTX 5090, on demand, $3.20/h, billed per second.
  Run:   one model per GPU, batch size 1, fp16 weights; 533 tokens/s, 133 per
         GPU; 16.3 of 31.8 GiB per GPU.

  Searched 120 configurations; 90 can run (ruled out: GPU memory 20,
  divisibility 10).
)");
}

TEST(PlanTable, InMarkdownThePickIsBoldAndNothingIsCut) {
  const PlanFixture fixture;
  const std::string text = plan_table(fixture.report(), {{.markup = Markup::kMarkdown}, false});
  EXPECT_NE(text.find("| **✔** | **4x RTX 5090** |"), std::string::npos) << text;
  EXPECT_NE(text.find("\n\n- Compared with 4x RTX 3090: 2.1x faster"), std::string::npos) << text;
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
  EXPECT_NE(table(PlanFixture(), 120, true).find("16.3 of 23.5 GiB  yours    4x RTX 5090\n"), std::string::npos)
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
  EXPECT_NE(text.find("No plan meets the limits. Closest: 4x B200."), std::string::npos) << text;
  EXPECT_NE(text.find("Deadline 30 min (wanted with 90% chance): < 1% chance with 4x B200; none of 5 plans meet it. "
                      "Fastest: 4x B200,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("misses deadline"), std::string::npos) << text;
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
  const std::size_t start = text.find("  Phases of 4x RTX 5090");
  ASSERT_NE(start, std::string::npos) << text;
  EXPECT_EQ(text.substr(start, text.find("  Searched") - start), R"(  Phases of 4x RTX 5090:
    PHASE          START  HOURS  GPUS    COST  HOW
    collect          0.0    1.6     4   $5.12  one model per GPU, batch size 1, fp16 weights;
                                               533 tokens/s, 133 per GPU; 16.3 of 31.8 GiB per GPU
    write up         1.6    2.0     –       –  CPU only, 2 h
    idle machines                       $1.28  held while no phase uses them
    buffer, 30%             0.5                included above
    total                   1.6         $5.12  100% of paid GPU-hours used (6.4 of 6.4)
    + contingency                      $20.00  $25.12 with it

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
            R"(phase-2-collection: 4 models, 1500 samples each, 512 tokens of output each
15 offers from the job file, prices from 2026-01

  Nothing fits. Closest: 4x RTX 3090 is 3.1 GiB per GPU short (26.8 GiB needed, 23.7 usable).
  Any one of these makes it fit on RTX 3090:
    CHANGE              NEEDS  THEN
                  GiB per GPU
    batch: auto  20.0 of 23.7  fits
  Not enough: weights: fp8 (24.0)

  Searched 1,310 configurations; none can run (ruled out: GPU memory 1,200, divisibility 110).
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
