// Vast.ai: what to search for, in the order in which to take it, and a script that rents what was found.
// Queries after vast-ai/vast-python vast.py: "field op value" separated by blanks, '_' for blanks inside of names. By
// default it shows verified offers that nobody has rented.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/tables/launcher_names.h"
#include "launch/script/phase_script.h"
#include "launch/to/cloud.h"
#include "launch/to/launchers.h"
#include "launch/to/rented.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// Where the job does not say (`where.reliability`): assumed.
constexpr double kReliability = 0.95;
/// Hosts show a little less memory than the driver's figure that the catalogue has.
constexpr double kShownMemory = 0.97;

/// gpu_ram is in thousands of MiB: 24 GiB are 24.6.
std::string gpu_ram_text(Bytes size) { return fixed_text(std::floor(size / units::MiB / 1000 * 10) / 10, 1); }

/// cpu_ram is in thousands of MiB too.
std::string cpu_ram_text(Bytes size) { return number_text(std::ceil(size / units::MiB / 1000)); }

/// "8.6" is 860 there.
std::string capability_text(double capability) { return std::to_string(std::lround(capability * 100)); }

/// What a search asks for.
struct Wanted {
  const Gpu* gpu = nullptr;
  int gpus = 0;
  std::string_view framework;
  bool spot = false;
  Bytes disk{};
  Bytes memory{};  ///< of one GPU
  Bytes host{};    ///< of the machine
  Seconds limit{};
  std::optional<DollarsPerSecond> below{};
  double least_capability = 0;  ///< CUDA compute capability with the number formats of the strategy
};

std::string tenths(double value) { return number_text(std::ceil(value * 10 - 1e-9) / 10); }

/// Conditions that hold for every machine of this job.
std::string common_query(const Launch& launch, const Wanted& wanted) {
  const Where& where = launch.job.where;
  const BytesPerSecond down = where.inet_down ? *where.inet_down
                              : launch.job.storage.download_rate
                                  ? launch.job.storage.download_rate->p10
                                  : BytesPerSecond{launch.catalogue.assumptions.download.value.p10};
  constexpr double kMbit = 1e6 / 8;
  std::string query = " num_gpus=" + std::to_string(wanted.gpus);
  query += " reliability>=" + significant_text(where.reliability.value_or(kReliability), 4);
  query += " inet_down>=" + number_text(std::round(down.value / kMbit));
  query += " disk_space>=" + std::to_string(whole_gb(wanted.disk));
  if (wanted.host > Bytes{}) query += " cpu_ram>=" + cpu_ram_text(wanted.host);
  // Hosts say until when they offer: days.
  query += " duration>=" + tenths(wanted.limit / units::day);
  if (const std::string cuda = cuda_of(launcher_image("vast", *wanted.gpu, wanted.framework)); !cuda.empty())
    query += " cuda_vers>=" + cuda;
  if (wanted.below)
    query += std::string(wanted.spot ? " min_bid<=" : " dph<=") + number_text(dollars_an_hour(*wanted.below));
  return query;
}

std::string search_command(const std::string& query, const Wanted& wanted, const std::string& order) {
  return "vastai search offers " + shell_quoted(query) + (wanted.spot ? " --type bid" : "") + " --storage " +
         std::to_string(whole_gb(wanted.disk)) + " -o " + shell_quoted(order);
}

/// For these GPUs, cheapest first.
std::string exact_search(const Launch& launch, const Wanted& wanted) {
  const LauncherNames* names = launcher_names(wanted.gpu->name);
  std::string query;
  if (names != nullptr && !names->vast.empty()) query = "gpu_name=" + names->vast;
  else query = "compute_cap=" + capability_text(wanted.gpu->compute_capability);
  query += " gpu_ram>=" + gpu_ram_text(wanted.gpu->usable * kShownMemory);
  return search_command(query + common_query(launch, wanted), wanted, wanted.spot ? "min_bid" : "dph");
}

/// For any GPU that holds the job and has its number formats, most speed for the dollar first.
std::string any_search(const Launch& launch, const Wanted& wanted) {
  std::string query = "gpu_ram>=" + gpu_ram_text(wanted.memory);
  if (wanted.least_capability > 0) query += " compute_cap>=" + capability_text(wanted.least_capability);
  return search_command(query + common_query(launch, wanted), wanted, "dlperf_usd-");
}

/// What must be free on one GPU, with what its driver keeps.
Bytes needed_memory(const Launch& launch, const LaunchGroup& group) {
  Bytes most{};
  for (const int position : group.phases) {
    const PhaseEstimate& estimate = launch.phases[static_cast<std::size_t>(position)].part->estimate;
    if (!estimate.node) continue;
    const Gpu& gpu = *estimate.node->gpu;
    most = std::max(most, estimate.memory_total.p90 + std::max(gpu.memory - gpu.usable, Bytes{}));
  }
  return most;
}

/// With products of bfloat16 from 8.0 on, FP8 from 8.9, microscaled FP8 and FP4 from 10.0 (CUDA programming guide,
/// table of features by compute capability).
double least_capability(const Launch& launch, const LaunchGroup& group, const Gpu& gpu) {
  constexpr double kBf16 = 8.0, kFp8 = 8.9, kScaled = 10.0;
  double least = std::min(gpu.compute_capability, kBf16);
  for (const int position : group.phases) {
    const PhaseEstimate& estimate = launch.phases[static_cast<std::size_t>(position)].part->estimate;
    if (estimate.strategy.precision == Precision::kFp8) least = std::max(least, kFp8);
    if (estimate.strategy.precision == Precision::kMxfp8 || estimate.strategy.precision == Precision::kNvfp4)
      least = std::max(least, kScaled);
  }
  return least;
}

/// `row` is its place in the order of the goal; null: it has none.
std::string plan_words(const Launch& launch, const Plan& plan, const Fallback* row) {
  std::string text = plan.label + ": " + hours_words(plan.hours.p50) + ", " + range_words(plan.cost);
  const bool compared = row != nullptr && row->ranked && row + 1 != launch.fallbacks.data() + launch.fallbacks.size() &&
                        (row + 1)->ranked && row->below;
  if (compared) text += "; better than the next one up to " + to_text(*row->below) + "";
  return text;
}

/// What an hour may cost: as everywhere 10 % above P90 of the offer, and not so much that something else is better.
/// That alone is no price: a machine at hand costs next to nothing, and stays better far above what anybody would pay.
std::optional<DollarsPerSecond> most_for(const std::optional<DollarsPerSecond>& limit,
                                         const std::optional<DollarsPerSecond>& below) {
  return limit && below ? std::min(*limit, *below) : limit;
}

/// The launch command for another plan.
std::string command_for(const Launch& launch, const Plan& plan) {
  return launch.command.substr(0, launch.command.rfind(" --plan ")) + " --plan " + plan.id;
}

/// Of one machine, as its phases need it.
Bytes host_memory(const Plan& plan) {
  Bytes most{};
  for (const PhasePlan& part : plan.phases) most = std::max(most, part.estimate->host_memory);
  return most;
}

bool same_machines(const Plan& plan, const Wanted& wanted) {
  return plan.node.gpu == wanted.gpu && plan.offer->gpus == wanted.gpus && plan.spot == wanted.spot;
}

struct Searches {
  std::vector<Search> all;
  std::optional<DollarsPerSecond> most;  ///< of the first
};

/// `scripts`: says of other plans how their scripts are written.
Searches searches_for(const Launch& launch, const LaunchGroup& group, const CloudMachine& machine, bool scripts) {
  const bool alone = launch.groups.size() == 1;
  const Fallback* own = nullptr;
  if (alone)
    for (const Fallback& row : launch.fallbacks)
      if (row.plan->id == launch.plan.id) own = &row;
  const Wanted first{.gpu = machine.gpu,
                     .gpus = machine.gpus,
                     .framework = machine.framework,
                     .spot = machine.spot,
                     .disk = machine.disk,
                     .memory = needed_memory(launch, group),
                     .host = units::GiB * static_cast<double>(asked_memory_gib(machine)),
                     .limit = machine.limit,
                     .below = most_for(machine.price_limit, own != nullptr ? own->below : std::nullopt),
                     .least_capability = least_capability(launch, group, *machine.gpu)};
  Searches searches{{}, first.below};
  searches.all.emplace_back(
      alone ? "The plan. " + plan_words(launch, launch.plan, own) : "The machine of " + group.slug,
      exact_search(launch, first));
  if (!alone) return searches;
  std::vector<Wanted> asked = {first};
  for (const Fallback& row : launch.fallbacks) {
    const Plan& plan = *row.plan;
    if (plan.offer == nullptr || plan.offer->kind != OfferKind::kRented || plan.nodes != 1 || plan.node.gpu == nullptr)
      continue;
    if (std::ranges::any_of(asked, [&](const Wanted& one) { return same_machines(plan, one); })) continue;
    const LauncherNames* names = launcher_names(plan.node.gpu->name);
    if (names == nullptr || names->vast.empty()) continue;
    Wanted next = first;
    next.gpu = plan.node.gpu;
    next.gpus = plan.offer->gpus;
    next.spot = plan.spot;
    next.host = first.host > Bytes{} ? host_memory(plan) : Bytes{};
    next.limit = machine.limit * (plan.hours.p90 / launch.plan.hours.p90);
    next.below = most_for(price_limit(launch.job, *plan.offer, plan.spot), row.below);
    searches.all.emplace_back("If unavailable: " + plan_words(launch, plan, &row) +
                                  (scripts ? ". To write its scripts: " + command_for(launch, plan) : std::string()),
                              exact_search(launch, next));
    asked.push_back(next);
  }
  if (machine.gpu->vendor == "nvidia")
    searches.all.emplace_back(
        "Otherwise: " + count_of(first.gpus, "GPU") + " of any kind with enough memory; their speed is not predicted",
        any_search(launch, first));
  return searches;
}

}  // namespace

std::vector<MarketSearch> vast_searches(const Launch& launch) {
  std::vector<MarketSearch> found;
  if (!single_machines(launch, "Vast.ai")) return found;
  for (const LaunchGroup& group : launch.groups) {
    const auto asked = cloud_group(launch, group);
    if (!asked || launcher_image("vast", *asked->machine.gpu, asked->machine.framework).empty()) return {};
    for (auto& [about, command] : searches_for(launch, group, asked->machine, false).all)
      found.push_back({std::move(about), std::move(command)});
  }
  return found;
}

Result<LaunchSet> vast_launcher(const Launch& launch) {
  if (const auto good = single_machines(launch, "Vast.ai"); !good) return std::unexpected(good.error());
  if (launch.groups.empty()) return failure("no phase of this plan needs a rented machine; use --to bash");
  LaunchSet set;
  std::vector<CloudNeeds> needs;
  std::vector<bool> priced;
  std::vector<GroupCommands> starts;
  for (const LaunchGroup& group : launch.groups) {
    auto asked = cloud_group(launch, group);
    if (!asked) return std::unexpected(asked.error());
    auto& [machine, need] = *asked;
    const std::string_view image = launcher_image("vast", *machine.gpu, machine.framework);
    if (image.empty())
      return failure("Vast.ai has no " + printable(machine.gpu->name, 60) +
                     "; choose a plan on other GPUs (--plan), or --to bash");
    Searches searches = searches_for(launch, group, machine, true);
    const std::string most = searches.most ? number_text(dollars_an_hour(*searches.most)) : "";
    RentScript script{"vast", group, machine, need, std::move(searches.all), {}};
    script.more = {"image=${IMAGE:-" + std::string(image) + "}\n",
                   "disk=" + std::to_string(whole_gb(machine.disk)) + "\n", "most=${MOST:-" + most + "}\n",
                   "bid=" + (machine.spot ? "${BID:-" + most + "}" : "") + "\n"};
    set.files.push_back(rent_script(launch, script));
    set.files.push_back(group_script(launch, group));
    const std::string path = rent_path(launch, "vast", group);
    starts.push_back(
        {.start = {"bash " + path + "  # what to search for, best first",
                   "bash " + path +
                       " rent ID  # rents the offer ID of the first search, copies this folder and starts it",
                   "bash " + path + " log INSTANCE  # what it prints"},
         .again = {"bash " + path + " start INSTANCE  # " + std::string(kAgain)},
         .end = {"bash " + path + " end INSTANCE  # downloads runs/ and destroys the machine"}});
    priced.push_back(!most.empty());
    needs.push_back(std::move(need));
  }
  std::ranges::move(rent_library("vast"), std::back_inserter(set.files));
  auto commands = commands_apart(launch, starts, "Vast.ai");
  if (!commands) return std::unexpected(commands.error());
  set.next = *std::move(commands);
  set.notes = rented_notes(launch, needs);
  if (!launch.job.where.reliability)
    set.notes.push_back("Assumed: host reliability of at least " + percent(kReliability) + " (where.reliability).");
  set.notes.push_back(limits_note(launch, priced, "price per hour, in every search and again before renting",
                                  "run time on the machine, and how long the host offers it."));
  if (launch.plan.spot)
    set.notes.emplace_back(
        "If you are outbid, the machine pauses; the work resumes when it returns. The time limit counts only while it "
        "runs.");
  return set;
}

}  // namespace gpuplan
