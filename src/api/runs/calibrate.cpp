#include "api/runs/calibrate.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "evidence/own/as_logged.h"
#include "evidence/own/measured.h"

namespace gpuplan::api {
namespace {

/// The work of the phase, by what is predicted for one of its runs; nullopt: the run states no time.
std::optional<Interval<Seconds>> work_of(const Catalogue& catalogue, const AnyRun& run, const PhaseEstimate& planned) {
  const RunPrediction prediction = predict_own(catalogue, run);
  for (const MetricPrediction& one : prediction.metrics) {
    const Interval<double>& p = one.predicted;
    if (one.metric == Metric::kStepSeconds)
      return Interval<Seconds>{Seconds{p.p10}, Seconds{p.p50}, Seconds{p.p90}} * planned.steps;
    if (is_rate(one.metric) && p.p10 > 0)
      return Interval<Seconds>{Seconds{planned.tokens / p.p90}, Seconds{planned.tokens / p.p50},
                               Seconds{planned.tokens / p.p10}};
  }
  return std::nullopt;
}

/// The last part of a path.
std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<OwnRow> own_row(const CheckAnswer& checked, const std::string& date, const Catalogue& catalogue) {
  if (!checked.planned) return failure("not kept: the phase is not part of a plan that gpuplan found; give --job", {});
  // What a guess teaches is taught to the wrong hardware.
  if (!checked.machine_known)
    return failure(
        "not kept: the log does not say which GPUs it ran on; give the plan that ran, --plan ID (gpuplan plan --json), "
        "or the machine, --set where.gpus=\"1x H100 SXM\"",
        {join(checked.files, ", ")});
  const auto& [phase, estimate] = *checked.planned;
  auto run = planned_run(*phase, *estimate, catalogue);
  if (const auto* train = std::get_if<TrainPhase>(&phase->work); train != nullptr && train->rollouts)
    return failure("not kept: phase " + printable(phase->name, 60) +
                   " gives the answers that it learns from (objective: grpo), and own runs have no columns for them");
  if (!run)
    return failure("not kept: phase " + printable(phase->name, 60) +
                   " neither trains nor generates on GPUs, so there is nothing to learn from it");
  const auto good = set_measured(checked.check, checked.log, *estimate, *run);
  if (!good) return failure(good.error().message, {join(checked.files, ", ")});
  auto told = set_as_logged(checked.log, catalogue, *run);
  if (!told) return failure(told.error().message, {join(checked.files, ", ")});
  OwnRow row;
  row.differs = *std::move(told);
  row.date = date;
  row.job = checked.expected.job;
  row.phase = phase->name;
  std::vector<std::string> logs;
  for (const std::string& file : checked.files) logs.push_back(file_name(file));
  row.log = join(logs, " ");
  row.run = *std::move(run);
  row.id = own_run_id(row);
  common_of(row.run).id = row.id;
  const RunPrediction prediction = predict_own(catalogue, row.run);
  if (!prediction.refused.empty()) return failure("not kept: " + prediction.refused);
  return row;
}

Result<std::unique_ptr<OwnRuns>> OwnRuns::read(const NamedText& table, Catalogue facts) {
  std::unique_ptr<OwnRuns> own(new OwnRuns());
  auto rows = read_own_runs(table.text, table.name, facts);
  if (!rows) return std::unexpected(std::move(rows.error()));
  own->table_ = *std::move(rows);
  own->facts_ = std::move(facts);
  own->learned_ = own->facts_;
  own->compared_ = compare_own(own->facts_, own->table_.rows);
  learn_own(own->learned_, own->compared_);
  return own;
}

CalibrateReport OwnRuns::report() const {
  return {.rows = compared_,
          .teachings = teachings_of(compared_, facts_.errors, learned_.errors),
          .contradictions = own_contradictions(compared_)};
}

CalibrateReport OwnRuns::report(const OwnRow& row, const PlannedPhase& planned, const OwnRuns& before) const {
  CalibrateReport all = report();
  const auto kept = std::ranges::find_if(compared_, [&](const ComparedRow& one) { return one.row->id == row.id; });
  if (kept != compared_.end())
    all.kept = LearnedNow{&*kept, work_of(before.learned_, row.run, *planned.estimate),
                          work_of(learned_, row.run, *planned.estimate)};
  return all;
}

}  // namespace gpuplan::api
