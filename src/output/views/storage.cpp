// plan --show storage: activations that are kept, and the disks, host memory and time that this takes.
#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/collection_words.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

Cell disk_cell(Bytes size) { return {size / units::GB, disk_text(size)}; }

Cell time_cell(Seconds time) { return {time.value, hours_words(time)}; }

std::string share_words(const PhaseEstimate& estimate, Seconds time) {
  return estimate.work_by_model > Seconds{} ? percent(time / estimate.work_by_model) : "";
}

}  // namespace

ViewContent storage_view(const PlanReport& report, const Screen&) {
  std::vector<Column> columns;
  add_plan_columns(columns, 9);
  columns.push_back({.title = "PHASE", .narrowest = 8, .key = "phase"});
  columns.push_back({.title = "KEPT", .align = Align::kRight, .unit = "total", .key = "kept_gb"});
  columns.push_back({.title = "DISK", .align = Align::kRight, .unit = "per machine", .key = "disk_gb_a_machine"});
  columns.push_back({.title = "CPU RAM", .align = Align::kRight, .drop = 3, .unit = "GiB", .key = "host_gib"});
  columns.push_back({.title = "PER GPU", .align = Align::kRight, .drop = 4, .unit = "GiB", .key = "gpu_gib"});
  columns.push_back({.title = "TO CPU", .align = Align::kRight, .drop = 5, .key = "seconds_to_host"});
  columns.push_back({.title = "TO DISK", .align = Align::kRight, .drop = 5, .key = "seconds_to_disk"});
  columns.push_back({.title = "COPYING", .align = Align::kRight, .drop = 2, .unit = "of work", .key = "share_of_work"});
  columns.push_back({.title = "DISK", .align = Align::kRight, .drop = 1, .unit = "cost", .key = "disk_usd"});
  ViewContent view{"Activations kept: disk, CPU memory, copying", Table(std::move(columns)), {}};

  const bool many = report.job.phases.size() > 1;
  for (const Plan* plan : plans_shown(report))
    for (const PhasePlan& part : plan->phases) {
      const CollectionUse& use = part.estimate->collection;
      if (!use.any()) continue;
      std::vector<Cell> row;
      add_plan(row, report, *plan);
      row.emplace_back(many ? printable(phase_of(report, part).name, 40) : "");
      row.push_back(disk_cell(use.kept.all));
      row.push_back(disk_cell(use.machine_disk));
      row.push_back(gib_cell(use.host));
      row.push_back(gib_cell(use.on_gpu));
      row.push_back(time_cell(use.traffic.to_host));
      row.push_back(time_cell(use.traffic.to_disk));
      const double share =
          part.estimate->work_by_model > Seconds{} ? use.traffic.total() / part.estimate->work_by_model : 0;
      row.emplace_back(share, share_words(part.estimate, use.traffic.total()));
      row.push_back(part.disk > Dollars{} ? small_money_cell(part.disk) : Cell(0.0, "–"));
      view.table.add(std::move(row));
    }
  if (view.table.empty()) {
    view.table = Table({});
    view.notes.emplace_back("No phase of the job keeps activations (collect).");
    return view;
  }
  view.notes.emplace_back(
      "Disk: activations and checkpoints, in GB of 10^9 bytes. CPU RAM: what is on its way to the disk, or all of it "
      "with to: memory. Per GPU: held until a batch is done. Times: of the busiest replica, included in the hours; "
      "GPUs "
      "of one machine share its disk.");
  for (const std::string& words : collection_words(report)) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
