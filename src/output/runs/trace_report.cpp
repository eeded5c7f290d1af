#include "output/runs/trace_report.h"

#include "base/amount.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string slug(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c == ' ') text += '_';
    else if (c != ',') text += c;
  return text;
}

double share_of(const TraceReport& report, KernelKind kind) {
  return report.shares.kinds[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string trace_text(const TraceReport& report, const Screen& screen) {
  const TraceShares& shares = report.shares;
  const GpuTrace& trace = report.trace;
  const double communication = share_of(report, KernelKind::kCommunication);
  std::string first = "READ: ";
  if (shares.step)
    first += count_of(static_cast<double>(trace.steps.size()), "step") + " of " + to_text(*shares.step) + "; ";
  first += "communication takes " + percent(communication) + ", GPUs are idle for " + percent(shares.idle) + ".";
  std::string text = paragraph(first, screen, 0, 0);
  text += paragraph(printable(report.file, 80) + " (PyTorch profiler trace, " +
                        count_of(static_cast<double>(trace.events), "event") + ", " +
                        count_of(static_cast<double>(trace.pieces.size()), "kernel") + " on " +
                        count_of(static_cast<double>(shares.devices), "GPU") + ", " + to_text(shares.span) + ")",
                    screen, 0, 2) +
          "\n";
  std::vector<Column> columns = {{"RUNNING"}, {"SHARE", Align::kRight}};
  if (shares.step) columns.push_back({"PER STEP", Align::kRight});
  Table table(columns);
  const auto row = [&](const std::string& name, double share) {
    std::vector<Cell> cells = {name, percent(share)};
    if (shares.step) cells.emplace_back(to_text(*shares.step * share));
    table.add(std::move(cells));
  };
  for (const auto& entry : Names<KernelKind>::entries) row(std::string(entry.name), share_of(report, entry.value));
  row("idle", shares.idle);
  text += table.text(screen);
  if (communication > 0)
    text += paragraph("Communication: " + percent(1 - shares.exposed / communication) +
                          " of it runs beside computation; the rest, " + percent(shares.exposed) +
                          " of the time, is waited for.",
                      screen);
  text += paragraph(
      "Shares are of the time from the first kernel to the last; kinds that run at the same time overlap.", screen);
  if (!shares.step) text += paragraph("No steps are marked: call prof.step() after each.", screen);
  if (trace.left_out > 0)
    text += paragraph("! Only the first " + count_text(static_cast<double>(trace.pieces.size())) + " kernels count; " +
                          count_text(static_cast<double>(trace.left_out)) + " more were left out.",
                      screen);
  if (trace.cut_off) text += paragraph("! The file ends in the middle; what it holds was read.", screen);
  return text;
}

std::string trace_csv(const TraceReport& report) {
  std::string text = "part,share\n";
  for (const auto& entry : Names<KernelKind>::entries)
    text += slug(entry.name) + "," + fixed_text(share_of(report, entry.value), 4) + "\n";
  return text + "idle," + fixed_text(report.shares.idle, 4) + "\ncommunication_exposed," +
         fixed_text(report.shares.exposed, 4) + "\n";
}

std::string trace_json(const TraceReport& report) {
  const TraceShares& shares = report.shares;
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/trace@1").member("file", printable(report.file, 4000));
  json.member("events", report.trace.events).member("kernels", report.trace.pieces.size());
  json.member("kernels_left_out", report.trace.left_out).member("cut_off", report.trace.cut_off);
  json.member("gpus", shares.devices).member("seconds", shares.span / units::second);
  json.member("steps", report.trace.steps.size());
  if (shares.step) json.member("seconds_per_step", *shares.step / units::second);
  else json.null_member("seconds_per_step");
  json.key("shares").begin_object();
  for (const auto& entry : Names<KernelKind>::entries) json.member(slug(entry.name), share_of(report, entry.value));
  json.member("idle", shares.idle).member("communication_exposed", shares.exposed).end();
  json.end();
  return json.take();
}

}  // namespace gpuplan
