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

std::string part_name(StepPart part) { return std::string(name_of(part)); }

double share_of(const StepShares& shares, StepPart part) { return shares[static_cast<std::size_t>(part)]; }

/// What takes more than planned, in one sentence.
std::string verdict_words(const TraceCheck& check) {
  const auto worst = check.worst();
  if (!worst) return "As planned: no part of a step takes much more than planned.";
  std::string words = part_name(*worst) + " takes " + percent(share_of(check.measured, *worst)) +
                      " of a step, planned " + percent(share_of(check.planned, *worst));
  words.front() = static_cast<char>(words.front() - 'a' + 'A');
  if (check.step && check.expected) words += ": " + to_text(check.expected->p50 * check.excess(*worst)) + " more";
  return words + ".";
}

/// What to look at, by the part that takes too long.
std::string_view advice_of(StepPart part) {
  switch (part) {
    case StepPart::kMatmul:
      return "Matrix products are slow: look at precision, at dimensions that are no multiples of 64, and at clocks.";
    case StepPart::kAttention:
      return "Attention is slow: look for a fused kernel (flash attention) and at padding.";
    case StepPart::kElementwise:
      return "Elementwise kernels and the optimizer are slow: compile the model, and use a fused optimizer.";
    case StepPart::kCommunication:
      return "Communication is waited for: look at its overlap, bucket sizes, and which links NCCL uses "
             "(NCCL_DEBUG=INFO).";
    case StepPart::kCopies:
      return "Copies are waited for: pin memory, and look for transfers between CPU and GPU in the step.";
    case StepPart::kIdle:
      return "GPUs wait for the CPU: look at data loading, at .item() in the loop, and at kernel launches (compile, "
             "larger micro-batches).";
  }
  return "";
}

std::string compared_text(const TraceReport& report, const Screen& screen) {
  const TraceCheck& check = *report.check;
  const Expectation& expected = *report.expected;
  std::string text = paragraph(printable(expected.job, 60) + ", phase " + printable(expected.phase, 40) +
                                   "; compared with plan " + expected.plan_id + ", " + printable(expected.plan, 60) +
                                   (expected.strategy.empty() ? "" : " (" + expected.strategy + ")"),
                               screen, 0, 2);
  for (const std::string& note : report.notes) text += paragraph(note, screen, 0, 2);
  text += "\n";
  Table table({{"PART OF A STEP"}, {"MEASURED", Align::kRight}, {"PLANNED", Align::kRight}});
  for (const auto& entry : Names<StepPart>::entries)
    table.add(std::vector<Cell>{std::string(entry.name), percent(share_of(check.measured, entry.value)),
                                percent(share_of(check.planned, entry.value))});
  if (check.step && check.expected)
    table.add(std::vector<Cell>{"time of a step", to_text(*check.step),
                                to_text(check.expected->p50) + " (" +
                                    gpuplan::range_text(to_text(check.expected->p10), to_text(check.expected->p90)) +
                                    ")"});
  text += table.text(screen);
  if (const auto worst = check.worst()) text += paragraph(std::string(advice_of(*worst)), screen);
  return text + "\n";
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
  std::string text;
  if (report.check != nullptr)
    text = paragraph(verdict_words(*report.check), screen, 0, 0) + compared_text(report, screen);
  text += paragraph(first, screen, 0, 0);
  text += paragraph(printable(report.file, 80) +
                        (trace.profiler == TraceSource::kNsightSystems ? " (Nsight Systems report, "
                                                                       : " (PyTorch profiler trace, ") +
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
  if (!shares.step)
    text += paragraph(trace.profiler == TraceSource::kNsightSystems
                          ? "No steps are marked: put an NVTX range \"step\" around each."
                          : "No steps are marked: call prof.step() after each.",
                      screen);
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
  json.member("profiler", name_of(report.trace.profiler));
  json.member("events", report.trace.events).member("kernels", report.trace.pieces.size());
  json.member("kernels_left_out", report.trace.left_out).member("cut_off", report.trace.cut_off);
  json.member("gpus", shares.devices).member("seconds", shares.span / units::second);
  json.member("steps", report.trace.steps.size());
  if (shares.step) json.member("seconds_per_step", *shares.step / units::second);
  else json.null_member("seconds_per_step");
  json.key("shares").begin_object();
  for (const auto& entry : Names<KernelKind>::entries) json.member(slug(entry.name), share_of(report, entry.value));
  json.member("idle", shares.idle).member("communication_exposed", shares.exposed).end();
  if (report.check != nullptr) {
    const TraceCheck& check = *report.check;
    json.key("compared").begin_object().member("plan", report.expected->plan_id);
    json.member("phase", printable(report.expected->phase, 200));
    const auto worst = check.worst();
    if (worst) json.member("worst", slug(name_of(*worst)));
    else json.null_member("worst");
    if (check.expected) json.member("planned_seconds_per_step", check.expected->p50 / units::second);
    else json.null_member("planned_seconds_per_step");
    json.key("parts").begin_array();
    for (const auto& entry : Names<StepPart>::entries) {
      json.begin_object(true)
          .member("part", slug(entry.name))
          .member("measured", share_of(check.measured, entry.value));
      json.member("planned", share_of(check.planned, entry.value)).end();
    }
    json.end().end();
  }
  json.end();
  return json.take();
}

}  // namespace gpuplan
