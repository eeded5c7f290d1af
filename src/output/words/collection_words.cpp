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

/// Smaller disks come with most machines, and smaller parts of the cost are not worth a sentence.
constexpr Bytes kWorthAPrice = 100 * units::GB;
constexpr double kWorthAWord = 0.01;

/// Neither the offer nor the job says what a rented disk costs.
bool has_no_disk_price(const PhasePlan& part) {
  return part.offer->kind == OfferKind::kRented && !part.offer->disk_price && !part.estimate->disk_price;
}

/// What the space of all machines would cost at ten cents a GB and month, the price that the sentence shows.
Dollars cost_of_space(const PhasePlan& part) {
  constexpr double kCents = 0.10, kHoursOfMonth = 730;
  const double machines = std::max(1, part.estimate->nodes);
  return part.estimate->collection.machine_disk / units::GB * machines * (part.hours.p50 / units::hour) *
         (kCents / kHoursOfMonth) * units::dollar;
}

/// "Disk: 618 GB needed, where.disk is 200 GB. Set where.disk: 620 GB", with "! " before it; without where it is
/// enough.
std::string disk_words(const PlanReport& report, const Plan& plan, const PhasePlan& part) {
  const CollectionUse& use = part.estimate->collection;
  std::string text = "Disk: " + disk_text(use.machine_disk) + " needed";
  if (part.estimate->nodes > 1) text += " per machine";
  if (const auto& asked = report.job.where.disk; asked && *asked < use.machine_disk)
    return "! " + text + ", where.disk is " + disk_text(*asked) + ". Set where.disk: " + size_to_ask(use.machine_disk);
  text += use.on_disk ? " (" + disk_text(use.checkpoints) + " of it for the model)" : " for the model";
  if (part.offer != nullptr) {
    const Bytes own = built_in_disk(report, *part.offer);
    if (own > Bytes{} && own < use.machine_disk) return "! " + text + ", the machine has only " + disk_text(own) + ".";
    if (own > Bytes{}) text += "; the machine has " + disk_text(own);
    if (part.disk > Dollars{})
      text += "; the space costs " + short_money(part.disk) + " of the " + to_text(plan.cost.p50);
    else if (use.machine_disk - own > kWorthAPrice && has_no_disk_price(part) &&
             cost_of_space(part) > kWorthAWord * plan.cost.p50)
      text +=
          ". No price of this space is known, so none of it is in the cost (store: {disk_price: $0.10/GB-month} would "
          "add " +
          short_money(cost_of_space(part)) + ")";
  }
  return text + ".";
}

std::string host_words(const PhasePlan& part) {
  const CollectionUse& use = part.estimate->collection;
  const Bytes ram = part.estimate->node->ram;
  return " They stay in CPU memory: " + to_text(use.host) +
         (ram > Bytes{} ? " of the machine's " + to_text(ram) : "; how much the machine has is unknown") + ".";
}

std::string traffic_words(const PhasePlan& part) {
  const StoreTraffic& traffic = part.estimate->collection.traffic;
  return traffic.total() > Seconds{} ? " Writing them takes " + hours_words(traffic.total()) + "." : "";
}

std::string two_pass_words(const PlanReport& report, const PhasePlan& part) {
  const auto two = two_passes(report.job, part.estimate, report.catalogue);
  if (!two || two->together > two->one * kWorthSaying || two->generate.framework == nullptr) return "";
  return "Faster: generate with " + two->generate.framework->name +
         ", then collect in one forward pass (forward_only: true): " + hours_words(two->together) +
         " predicted instead of " + hours_words(two->one) + ".";
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
         std::string(tokens_words(store.tokens)) + " = " + disk_text(use.kept.sample) + " per sample, " +
         disk_text(use.kept.all) + " total";
}

std::vector<std::string> collection_words(const PlanReport& report) {
  std::vector<std::string> lines;
  const Plan* pick = report.pick();
  if (pick == nullptr) return lines;
  for (const PhasePlan& part : pick->phases) {
    const CollectionUse& use = part.estimate->collection;
    if (!use.any()) continue;
    std::string text = "Activations";
    if (report.job.phases.size() > 1) text += " of " + printable(phase_of(report, part).name, 40);
    text += ": " + disk_text(use.kept.all) + " (" + disk_text(use.kept.sample) + " per sample).";
    constexpr Bytes kAnyMachine = 32 * units::GiB;  // has so much
    const bool unsure = !use.on_disk && part.estimate->node->ram <= Bytes{} && use.host > kAnyMachine;
    if (!use.on_disk) text += host_words(part);
    lines.push_back((unsure ? "! " : "") + text + traffic_words(part));
    lines.push_back(disk_words(report, *pick, part));
  }
  return lines;
}

std::string faster_words(const PlanReport& report) {
  std::vector<std::string> lines;
  if (const Plan* pick = report.pick())
    for (const PhasePlan& part : pick->phases)
      if (part.estimate->collection.any())
        if (std::string words = two_pass_words(report, part); !words.empty()) lines.push_back(std::move(words));
  return join(lines, " ");
}

std::string collection_need(const PhaseEstimate& estimate, const Phase& phase) {
  const CollectionUse& use = estimate.collection;
  if (!use.any()) return "";
  const std::string text = "Activations: " + kept_words(use, phase) + ". ";
  if (use.on_disk) return text + "They and the model take " + disk_text(use.machine_disk) + " of a machine's disk.";
  return text + "They take " + to_text(use.host) + " of a machine's CPU memory, the model " +
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
