#include "output/words/collection_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/beside_words.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/strategy/two_passes.h"

namespace gpuplan {
namespace {

/// Two passes are worth a sentence when they take less than this share of the time.
constexpr double kWorthSaying = 0.7;

std::string_view tokens_words(KeptTokens which) {
  switch (which) {
    case KeptTokens::kAll:
      return "tokens";
    case KeptTokens::kPrompt:
      return "prompt tokens";
    case KeptTokens::kNew:
      return "new tokens";
    case KeptTokens::kLast:
      return "token";
  }
  return "tokens";
}

/// A size to ask for: rounded up to two digits, so that it is enough.
std::string size_to_ask(Bytes size) {
  const double gigabytes = size / units::GB;
  double step = 1;
  while (gigabytes >= 100 * step) step *= 10;
  return number_text(std::ceil(gigabytes / step) * step) + " GB";
}

/// "It needs 618 GB of disk, 58.4 GB of it for checkpoints; where.disk asks for 200 GB: set where.disk=620 GB."
std::string disk_words(const PlanReport& report, const Plan& plan, const PhasePlan& part) {
  const CollectionUse& use = part.estimate->collection;
  std::string text = upper_first(report.name(plan)) + " needs " + disk_text(use.machine_disk) + " of disk";
  if (part.estimate->nodes > 1) text += " on each machine";
  text += use.on_disk ? ", " + disk_text(use.checkpoints) + " of it for checkpoints" : ", for checkpoints";
  if (const auto& asked = report.job.where.disk; asked && *asked < use.machine_disk)
    text += "; where.disk asks for " + disk_text(*asked) + ", too little: ask for " + size_to_ask(use.machine_disk);
  if (part.offer != nullptr) {
    const Bytes own = built_in_disk(report, *part.offer);
    if (own > Bytes{} && own < use.machine_disk) text += "; the machine comes with " + disk_text(own) + ", too little";
    else if (own > Bytes{}) text += "; the machine comes with " + disk_text(own);
    if (part.disk > Dollars{})
      text += "; the space costs " + short_money(part.disk) + " of the " + to_text(plan.cost.p50);
  }
  return text + ".";
}

std::string host_words(const PhasePlan& part) {
  const CollectionUse& use = part.estimate->collection;
  std::string text = "They stay in the host's memory: " + to_text(use.host) + " of ";
  const Bytes ram = part.estimate->node->ram;
  text += ram > Bytes{} ? "the machine's " + to_text(ram) : "it, and no row says how much the machine has";
  return text + ".";
}

std::string traffic_words(const PhasePlan& part) {
  const StoreTraffic& traffic = part.estimate->collection.traffic;
  std::string text = "Copying them takes " + hours_words(traffic.to_host) + " to the host";
  if (traffic.to_disk > Seconds{}) text += " and " + hours_words(traffic.to_disk) + " to the disk";
  if (part.estimate->work_by_model > Seconds{})
    text += ", " + percent(traffic.total() / part.estimate->work_by_model) + " of the working time by the model";
  return text + ".";
}

std::string two_pass_words(const PlanReport& report, const Plan& plan, const PhasePlan& part) {
  const auto two = two_passes(report.job, part.estimate, report.catalogue);
  if (!two || two->together > two->one * kWorthSaying || two->generate.framework == nullptr) return "";
  return "By the model, generating with " + two->generate.framework->name +
         " first and reading the text once with hooks (a generate phase, then collect with forward_only: true) would "
         "take " +
         hours_words(two->together) + " on " + report.name(plan) + " in place of " + hours_words(two->one) + ".";
}

}  // namespace

std::string disk_text(Bytes size) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {std::pair{1e12, " TB"}, std::pair{1e9, " GB"},
                                                                    std::pair{1e6, " MB"}, std::pair{1e3, " kB"}};
  for (const auto& [unit, name] : kUnits)
    if (size.value >= unit) return significant_text(size.value / unit, 3) + name;
  return significant_text(size.value, 3) + " B";
}

std::string kept_words(const CollectionUse& use, const Phase& phase) {
  const Store& store = *std::get<GeneratePhase>(phase.work).store;
  return count_of(store.layers, "layer") + " x " + number_text(store.width) + " x " +
         number_text(bytes_of(store.dtype)) + " bytes x " + significant_text(use.kept.tokens, 4) + " " +
         std::string(tokens_words(store.tokens)) + " = " + disk_text(use.kept.sample) + " a sample, " +
         disk_text(use.kept.all) + " in all";
}

std::vector<std::string> collection_words(const PlanReport& report) {
  std::vector<std::string> lines;
  const Plan* pick = report.pick();
  if (pick == nullptr) return lines;
  for (const PhasePlan& part : pick->phases) {
    const CollectionUse& use = part.estimate->collection;
    if (!use.any()) continue;
    const Phase& phase = phase_of(report, part);
    std::string text = "Activations";
    if (report.job.phases.size() > 1) text += " of " + printable(phase.name, 40);
    text += ": " + kept_words(use, phase) + ". ";
    if (!use.on_disk) text += host_words(part) + " ";
    text += disk_words(report, *pick, part) + " " + traffic_words(part);
    lines.push_back(std::move(text));
    if (std::string words = two_pass_words(report, *pick, part); !words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

std::string collection_need(const PhaseEstimate& estimate, const Phase& phase) {
  const CollectionUse& use = estimate.collection;
  if (!use.any()) return "";
  const std::string text = "Activations: " + kept_words(use, phase) + ". ";
  if (use.on_disk)
    return text + "They and the checkpoints take " + disk_text(use.machine_disk) + " of a machine's disk.";
  return text + "They take " + to_text(use.host) + " of a machine's memory, the checkpoints " +
         disk_text(use.machine_disk) + " of its disk.";
}

void write_collection(JsonWriter& json, const PhaseEstimate& estimate, std::optional<Dollars> disk) {
  const CollectionUse& use = estimate.collection;
  if (!use.any()) {
    json.null_member("activations_kept");
    return;
  }
  json.key("activations_kept").begin_object();
  json.member("tokens_per_sample", use.kept.tokens).member("bytes_per_token", use.kept.token.value);
  json.member("mb_per_sample", use.kept.sample / units::MB).member("gb", use.kept.all / units::GB);
  json.member("to", use.on_disk ? "disk" : "memory");
  json.member("disk_gb", use.disk / units::GB).member("disk_gb_a_machine", use.machine_disk / units::GB);
  json.member("checkpoints_gb_a_machine", use.checkpoints / units::GB);
  json.member("host_gib_a_machine", use.host / units::GiB).member("gpu_gib", use.on_gpu / units::GiB);
  json.member("seconds_to_host", use.traffic.to_host.value).member("seconds_to_disk", use.traffic.to_disk.value);
  json.member("disk_usd", disk ? std::optional<double>(disk->value) : std::nullopt).end();
}

}  // namespace gpuplan
