// plan --show memory, phases, gpu-hours, pool and schedule: what the tables say, and that they fit any screen.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "output/plan_fixture.h"
#include "output/text/json_writer.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

using View = ViewContent (*)(const PlanReport&, const Screen&);
constexpr View kViews[] = {memory_view, phases_view, gpu_hours_view, pool_view, schedule_view};

nlohmann::json rows(const ViewContent& view) {
  JsonWriter json;
  view.table.write_json(json);
  return nlohmann::json::parse(json.take());
}

nlohmann::json row_of(const nlohmann::json& table, const std::string& key, const std::string& value) {
  for (const auto& row : table)
    if (row.at(key) == value) return row;
  ADD_FAILURE() << "no row with " << key << " " << value << " in " << table.dump(1);
  return {};
}

int width_of(const std::string& text) {
  std::istringstream lines(text);
  int widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

std::string notes_of(const ViewContent& view) {
  std::string text;
  for (const std::string& note : view.notes) text += note + '\n';
  return text;
}

TEST(PhaseViews, AreTheSameForEveryExampleAndFitTheScreen) {
  for (const char* name : kExamples) {
    const Searched searched(example_job(name));
    const PlanReport report(searched.result, searched.job, known());
    PlanReport everything = report;
    everything.all = true;
    EXPECT_LE(width_of(view_text(gpu_hours_view(everything, {.columns = 80}), {.columns = 80})), 80) << name;
    for (const View make : kViews) {
      for (const int columns : {80, 140}) {
        const Screen screen{.columns = columns};
        const std::string text = view_text(make(report, screen), screen);
        EXPECT_LE(width_of(text), columns) << name << '\n' << text;
      }
      const ViewContent view = make(report, {.columns = 80});
      EXPECT_EQ(rows(view), rows(make(report, {.columns = 140}))) << name << ": the data are no matter of the screen";
      EXPECT_FALSE(view.table.empty() && view.notes.empty()) << name;
    }
  }
}

TEST(PhaseViews, GpuHoursOfTheSftNodeAddUp) {
  Job job = example_job("sft-node");
  job.where.spot = SpotUse::kNever;
  job.schedule = Schedule::kKeep;
  job.phases[3].setup = Step{};  // its start takes no time
  const Searched searched(std::move(job));
  const PlanReport report(searched.result, searched.job, known());
  const ViewContent view = gpu_hours_view(report, {});
  const auto table = rows(view);
  // By hand: 16 steps of 45 s and 8 min on 8 GPUs; 4 h for which one waits for somebody; 200 x 30 s / 8 on 8; 100
  // x 16.1 s on 2; 1 h on 2.
  const double by_hand[] = {0, (16 * 45 + 480) / 3600.0 * 8, 0, 200 * 30 / 3600.0, 1610 / 3600.0 * 2, 2, 0};
  double used = 0;
  double billed = 0;
  double cost = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(table[i]["gpu_hours_used"].get<double>(), 1.3 * by_hand[i], 0.013 * by_hand[i]) << i;
    used += table[i]["gpu_hours_used"].get<double>();
    billed += table[i]["gpu_hours_billed"].get<double>();
    cost += table[i]["cost_usd"].get<double>();
  }
  const auto total = row_of(table, "phase", "total");
  EXPECT_NEAR(total["gpu_hours_used"].get<double>(), used, 1e-9);
  EXPECT_NEAR(total["gpu_hours_billed"].get<double>(), billed, 1e-9);
  EXPECT_NEAR(total["cost_usd"].get<double>(), cost, 1e-6);
  const auto buffer = row_of(table, "phase", "buffer, 30%");
  EXPECT_NEAR(buffer["gpu_hours_used"].get<double>(), 0.3 / 1.3 * used, 1e-9);
  const auto without = row_of(table, "phase", "without buffer");
  EXPECT_NEAR(without["gpu_hours_used"].get<double>(), used / 1.3, 1e-9);
  EXPECT_NEAR(without["cost_usd"].get<double>(), cost / 1.3, 1e-6);
  // The machine of 8 is billed whole while somebody works.
  EXPECT_NEAR(row_of(table, "phase", "extensions")["gpu_hours_billed"].get<double>(), 1.3 * 32, 0.4);
  EXPECT_NE(notes_of(view).find("(15%)"), std::string::npos) << notes_of(view);
  EXPECT_NE(notes_of(view).find("machine-hours of 8 GPUs"), std::string::npos) << notes_of(view);
}

TEST(PhaseViews, EachFrontierPlanOnDemand) {
  PlanFixture fixture;
  PlanReport report = fixture.report();
  EXPECT_EQ(rows(gpu_hours_view(report, {})).size(), 4U)
      << "the pick: its phase, the sum, and the sum with and without buffer";
  report.all = true;
  EXPECT_EQ(rows(gpu_hours_view(report, {})).size(), 16U) << "four of the frontier";
}

TEST(PhaseViews, MemorySaysHowMuchTooLargeAndTheSmallestCard) {
  const PlanFixture fixture;
  const auto table = rows(memory_view(fixture.report(), {}));
  const auto b200 = row_of(table, "plan", "4x B200");
  EXPECT_NEAR(b200["used_share"].get<double>(), 16.3 / 179, 1e-6);
  EXPECT_NEAR(b200["usable_over_needed"].get<double>(), 179 / 16.3, 1e-6);
  double parts = 0;
  for (const char* part : {"weights_gib", "gradients_gib", "optimizer_gib", "activations_gib", "logits_gib",
                           "kv_cache_gib", "buffers_and_context_gib"})
    parts += b200[part].get<double>();
  EXPECT_NEAR(parts, b200["needed_gib"].get<double>(), 1e-9);
}

TEST(PhaseViews, AFilledCacheIsNoNeed) {
  const Searched searched(example_job("generate-70b"));
  const PlanReport report(searched.result, searched.job, known());
  const ViewContent view = memory_view(report, {.columns = 140});
  for (const auto& row : rows(view)) {
    EXPECT_GT(row["used_share"].get<double>(), 0.6) << "not the largest cards, whose room no request needs";
    EXPECT_EQ(row["usable_over_needed"], "filled");
    EXPECT_NE(row["smallest_card"], "none") << "one sequence fits smaller cards";
  }
  EXPECT_NE(notes_of(view).find("one request needs"), std::string::npos) << notes_of(view);
}

TEST(PhaseViews, PhasesTellBatchesStepsAndSecondsAStep) {
  const Searched searched(example_job("trm-nanochat"));
  const PlanReport report(searched.result, searched.job, known());
  const auto table = rows(phases_view(report, {.columns = 100}));
  EXPECT_EQ(table.size(), 6 * 3U) << "every offer, two phases and their sum";
  for (const auto& row : table) {
    if (row["phase"] == "total") continue;
    EXPECT_EQ(row["batch"], 256) << "524,288 tokens of sequences of 2,048";
    EXPECT_EQ(row["steps"], row["phase"] == "validate" ? 1000 : 5000);
    const double work = row["steps"].get<double>() * row["seconds_per_step"].get<double>() / 3600;
    EXPECT_GT(row["hours"].get<double>(), work) << "evaluations come on top";
    EXPECT_LT(row["seconds_per_step_p10"], row["seconds_per_step"]);
    EXPECT_LT(row["hours_p10"], row["hours"]);
    EXPECT_LT(row["cost_usd"], row["cost_usd_p90"]);
  }
}

TEST(PhaseViews, MatrixTellsAsMuchAsThereIsRoomFor) {
  const Searched searched(example_job("trm-nanochat"));
  const PlanReport report(searched.result, searched.job, known());
  const std::string narrow = phases_view(report, {.columns = 80}).drawing;
  const std::string wide = phases_view(report, {.columns = 160}).drawing;
  const auto line = [](const std::string& text, int number) {
    std::istringstream lines(text);
    std::string found;
    for (int i = 0; i <= number; ++i) std::getline(lines, found);
    return found;
  };
  EXPECT_EQ(line(narrow, 1).find("P10"), std::string::npos) << narrow;
  EXPECT_NE(line(wide, 1).find("P10–P90"), std::string::npos) << wide;
}

TEST(PhaseViews, PoolNamesTheFewestGpusAndWhatTheyLeave) {
  Job job = example_job("latentwire");
  job.phases[0].setup = Step{};  // its start takes no time
  const Searched searched(std::move(job));
  const PlanReport report(searched.result, searched.job, known());
  const ViewContent view = pool_view(report, {});
  const auto table = rows(view);
  ASSERT_EQ(table.size(), 3U);
  const double free[] = {0.75, 0.5, 0};
  const char* grades[] = {"excellent", "good", "poor"};
  const char* complexity[] = {"simple: one process", "moderate: data parallel", "moderate: data parallel"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(table[i]["free_share"], free[i]);
    EXPECT_EQ(table[i]["free_grade"], grades[i]);
    EXPECT_EQ(table[i]["complexity"], complexity[i]);
  }
  EXPECT_EQ(table[0]["when"], "Fewest GPUs that meet the deadline");
  // 40,000 samples at 2.0, 3.5 and 6.0 a second: 5.56, 3.17 and 1.85 h.
  EXPECT_NEAR(table[1]["hours"].get<double>(), 40000 / 3.5 / 3600, 0.01);
  EXPECT_EQ(table[2]["when"], "Saves 1.3 h for 2 more GPUs; uses the whole pool");
  EXPECT_NE(notes_of(view).find("deadline of 12.0 h: 1x H100 SXM"), std::string::npos) << notes_of(view);
}

TEST(PhaseViews, PoolTellsTheDeadlineFromTheBudget) {
  const auto view_of = [](const std::string& limits) {
    const Searched searched(
        job_of("limits: " + limits +
               "\nmarket: {use: only, offers: [{gpu: L4, price: $1/h}, {gpu: L4, gpus: 2, price: $4/h}]}\n"
               "phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n"));
    return pool_view(PlanReport(searched.result, searched.job, known()), {});
  };
  const ViewContent late = view_of("{deadline: 55 min, budget: $0.10}");
  EXPECT_NE(notes_of(late).find("No number of GPUs meets the deadline of 55 min."), std::string::npos)
      << notes_of(late);
  const ViewContent poor = view_of("{deadline: 2 h, budget: $0.10}");
  EXPECT_NE(notes_of(poor).find("No number of GPUs meets the deadline and the budget."), std::string::npos)
      << notes_of(poor);
  const ViewContent kept = view_of("{deadline: 2 h, budget: $10}");
  EXPECT_NE(notes_of(kept).find("The fewest GPUs that meet the limits: 1x L4"), std::string::npos) << notes_of(kept);
  EXPECT_EQ(rows(kept)[0]["when"], "Fewest GPUs that meet the limits");
}

TEST(PhaseViews, PoolTellsWhereAJobMayBeStopped) {
  Job job = example_job("latentwire");
  job.market.pools[0].max_time = 3 * units::hour;
  job.phases[0].setup = Step{};  // its start takes no time
  const Searched searched(std::move(job));
  const PlanReport report(searched.result, searched.job, known());
  const std::string notes = notes_of(pool_view(report, {}));
  EXPECT_NE(notes.find("1x H100 SXM (gpu): may take 6.7 h (P90), more than the 3.0 h"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("4x H100 SXM (gpu): P90"), std::string::npos) << notes;
}

TEST(PhaseViews, ScheduleShowsIdleTimeAndWhatItCosts) {
  const auto view_of = [](const std::string& schedule) {
    const Searched searched(job_of("schedule: " + schedule +
                                   "\nmarket: {use: only, offers: [{gpu: L4, gpus: 8, price: $8/h}]}\n"
                                   "phases:\n"
                                   "  - {name: a, fixed: {gpus: 8, time: 1 h, exact: true}}\n"
                                   "  - {name: look, needs: [a], cpu: {time: 2 h, exact: true}}\n"
                                   "  - {name: b, needs: [look], fixed: {gpus: 2, time: 3 h, exact: true}}\n"));
    return schedule_view(PlanReport(searched.result, searched.job, known()), {});
  };
  const ViewContent kept = view_of("keep");
  const auto table = rows(kept);
  ASSERT_EQ(table.size(), 4U);
  const auto idle = row_of(table, "phase", "(idle)");
  EXPECT_NEAR(idle["start_hour"].get<double>(), 1, 1e-6);
  EXPECT_NEAR(idle["end_hour"].get<double>(), 3, 1e-6);
  EXPECT_EQ(idle["gpus_idle"], 8);
  EXPECT_NEAR(idle["cost_usd"].get<double>(), 16, 0.01);
  EXPECT_EQ(row_of(table, "phase", "b")["gpus_idle"], 6);
  EXPECT_NEAR(row_of(table, "phase", "b")["cost_share"].get<double>(), 0.5, 1e-3);
  EXPECT_NE(notes_of(kept).find("held for 2.0 h without work, $16"), std::string::npos) << notes_of(kept);
  const std::string drawn = kept.table.text({.columns = 100});
  EXPECT_NE(drawn.find("████····················"), std::string::npos) << "1 of 6 hours of 24 marks\n" << drawn;
  EXPECT_NE(drawn.find("············████████████"), std::string::npos) << drawn;

  const ViewContent stopped = view_of("stop_when_idle");
  EXPECT_EQ(row_of(rows(stopped), "phase", "(released)")["cost_usd"], 0);
  EXPECT_NE(notes_of(stopped).find("released for 2.0 h"), std::string::npos) << notes_of(stopped);
}

TEST(PhaseViews, BatchesAreProducts) {
  Phase train;
  train.work = TrainPhase{};
  PhaseEstimate estimate;
  estimate.node = NodeShape{};
  estimate.batch = 512;
  estimate.strategy = {.dp = 8, .micro_batch = 32, .grad_accum = 2};
  EXPECT_EQ(batch_words(estimate, train), "8 x 32 x 2 = 512");
  Phase generate;
  generate.work = GeneratePhase{};
  EXPECT_EQ(batch_words(estimate, generate), "8 x 32 = 512");
  EXPECT_EQ(batch_words({}, train), "");
}

}  // namespace
}  // namespace gpuplan
