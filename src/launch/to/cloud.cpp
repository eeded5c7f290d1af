#include "launch/to/cloud.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "base/whole.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/script/phase_script.h"
#include "launch/work/work.h"

namespace gpuplan {
namespace {

// Room beside what the plan counts. Assumed, and said in the files: an image with PyTorch takes 10 to 20 GB, packages
// and caches as much again.
constexpr Bytes kSystem = 50 * units::GB;
constexpr double kDiskRoom = 1.2;
/// Its packages come with an image, not by pip.
constexpr std::string_view kInItsImage = "megatron";
/// Every machine with GPUs has as much host memory: not worth a condition.
constexpr Bytes kAnyHas = 16 * units::GiB;
/// What a price may rise above P90 of the offer before the machines are not taken any more.
constexpr double kPriceRoom = 1.1;

const LaunchPhase& phase_of(const Launch& launch, int position) {
  return launch.phases[static_cast<std::size_t>(position)];
}

Bytes tens_of_gb(Bytes size) { return std::ceil(size / (10 * units::GB)) * (10 * units::GB); }

bool is_word(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
  });
}

/// The groups of which a phase needs something, directly or by way of other phases.
std::vector<bool> groups_before(const Launch& launch, int position) {
  std::vector<bool> groups(launch.groups.size(), false);
  std::vector<bool> seen(launch.phases.size(), false);
  std::vector<int> open = phase_of(launch, position).needs;
  while (!open.empty()) {
    const int need = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(need)]) continue;
    seen[static_cast<std::size_t>(need)] = true;
    const LaunchPhase& before = phase_of(launch, need);
    if (before.group >= 0) groups[static_cast<std::size_t>(before.group)] = true;
    open.insert(open.end(), before.needs.begin(), before.needs.end());
  }
  return groups;
}

std::optional<std::string> manual_step(const LaunchPhase& laid) {
  if (!laid.phase->before || laid.phase->before->text.empty()) return std::nullopt;
  return laid.phase->before->text;
}

}  // namespace

std::optional<DollarsPerSecond> price_limit(const Job& job, const Offer& offer, bool spot) {
  const auto& price = spot ? offer.spot_price : offer.price;
  std::optional<DollarsPerSecond> limit;
  if (offer.kind == OfferKind::kRented && price && price->p90 > DollarsPerSecond{}) limit = price->p90 * kPriceRoom;
  for (const auto& wanted : {job.where.max_price, spot ? job.spot.max_price : std::nullopt})
    if (wanted) limit = limit ? std::min(*limit, *wanted) : *wanted;
  return limit;
}

Result<CloudMachine> cloud_machine(const Launch& launch, const LaunchGroup& group) {
  CloudMachine machine;
  const Lease& lease = *group.lease;
  machine.offer = lease.offer;
  machine.nodes = std::max(lease.nodes, 1);
  machine.spot = lease.spot;
  Bytes most{}, disk{}, at_once{};
  Seconds grace{};
  for (const int position : group.phases) {
    const PhaseEstimate estimate = with_due_checkpoints(launch, phase_of(launch, position));
    machine.gpus = std::max(machine.gpus, phase_of(launch, position).gpus);
    if (estimate.node && (machine.gpu == nullptr || estimate.memory_total.p90 > most)) {
      machine.gpu = estimate.node->gpu;
      machine.ram = estimate.node->ram;
      most = estimate.memory_total.p90;
    }
    // Its packages are in an image of their own; the others' install themselves.
    if (estimate.framework != nullptr && machine.framework != kInItsImage) machine.framework = estimate.framework->name;
    machine.host_need = std::max(machine.host_need, estimate.host_memory);
    machine.offloads = machine.offloads || estimate.strategy.offload != Offload::kNone;
    machine.runs += estimate.checkpoint_bytes * std::max(estimate.kept_checkpoints, 1.0) + estimate.results_bytes;
    // The phase's script looks for as much.
    const auto work = phase_work(launch, phase_of(launch, position));
    at_once += estimate.checkpoint_bytes * (std::max(estimate.kept_checkpoints, 1.0) + 1) + estimate.results_bytes;
    disk += std::max(estimate.machine_disk_bytes,
                     work ? all_of(disk_parts(launch, phase_of(launch, position), *work)) : Bytes{});
    grace = std::max(grace, stopping_time(*phase_of(launch, position).part));
  }
  if (machine.gpu == nullptr || lease.offer == nullptr)
    return failure("phases." + printable(phase_of(launch, group.phases.front()).phase->name, 60) +
                   " needs no GPU, so there is nothing to rent; use --to bash");
  if (lease.offer->kind == OfferKind::kRented) machine.gpus = lease.offer->gpus;
  machine.vcpus = lease.offer->vcpus;
  if (lease.offer->ram > Bytes{}) machine.ram = lease.offer->ram;
  machine.disk = tens_of_gb(std::max(disk * kDiskRoom + kSystem, launch.job.where.disk.value_or(Bytes{})));
  // With the next checkpoint, which is whole before an older one goes.
  machine.runs = tens_of_gb(std::max(machine.runs * 1.5, at_once) + 10 * units::GB);
  machine.price_limit = price_limit(launch.job, *lease.offer, lease.spot);
  machine.grace = std::ceil((std::min(grace, 1 * units::hour) + 2 * units::minute) / units::second) * units::second;
  machine.limit = group.limit + machine.grace;
  return machine;
}

long long asked_memory_gib(const CloudMachine& machine) {
  if (machine.host_need <= kAnyHas) return 0;
  double asked = std::ceil(machine.host_need / units::GiB);
  if (machine.ram > Bytes{}) asked = std::min(asked, std::floor(machine.ram / units::GiB));
  return whole<long long>(asked);
}

namespace {

Result<CloudNeeds> cloud_needs(const Launch& launch, const LaunchGroup& group) {
  CloudNeeds needs;
  for (const int position : group.phases) {
    const LaunchPhase& laid = phase_of(launch, position);
    const auto work = phase_work(launch, laid);
    if (!work) return std::unexpected(work.error());
    for (const std::string& entry : work->required) {
      RequiredVariable variable = required_variable(entry);
      if (is_word(variable.name) &&
          std::ranges::find(needs.required, variable.name, &RequiredVariable::name) == needs.required.end())
        needs.required.push_back(std::move(variable));
    }
    const auto* fixed = std::get_if<FixedPhase>(&laid.phase->work);
    needs.hub = needs.hub || laid.part->estimate->weights_bytes > Bytes{};
    needs.resumes = needs.resumes && work->resumes;
    needs.own_command = needs.own_command || work->user_command;
    needs.manual = needs.manual || manual_step(laid).has_value();
    needs.human = needs.human || (fixed != nullptr && fixed->human);
    needs.gated = needs.gated || laid.gated;
    needs.cpu = needs.cpu || fixed != nullptr || laid.gpus == 0;
  }
  return needs;
}

}  // namespace

Result<CloudGroup> cloud_group(const Launch& launch, const LaunchGroup& group) {
  auto machine = cloud_machine(launch, group);
  if (!machine) return std::unexpected(machine.error());
  auto needs = cloud_needs(launch, group);
  if (!needs) return std::unexpected(needs.error());
  return CloudGroup{*machine, *std::move(needs)};
}

std::vector<RequiredVariable> variables_of(const std::vector<CloudNeeds>& needs) {
  std::vector<RequiredVariable> all;
  for (const CloudNeeds& need : needs)
    for (const RequiredVariable& variable : need.required)
      if (std::ranges::find(all, variable.name, &RequiredVariable::name) == all.end()) all.push_back(variable);
  return all;
}

std::optional<Bucket> bucket_of(const Job& job) {
  std::vector<std::string> places = {job.checkpoint.to};
  for (const Phase& phase : job.phases)
    if (phase.checkpoint) places.push_back(phase.checkpoint->to);
  places.push_back(job.storage.results);
  for (const std::string& place : places) {
    const std::size_t at = place.find("://");
    if (at == std::string::npos) continue;
    const std::string scheme = place.substr(0, at);
    if (scheme != "s3" && scheme != "gs") continue;
    const std::string rest = place.substr(at + 3);
    const std::string name = rest.substr(0, rest.find('/'));
    const bool good = name.size() >= 3 && name.size() <= 63 && std::ranges::all_of(name, [](char c) {
                        return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.' || c == '_';
                      });
    if (!good) continue;
    Bucket bucket{scheme, name, {}};
    // Folders with other signs than these are left out: they would have to be quoted four times over.
    constexpr std::size_t kLongest = 60;
    for (const std::string_view part : split(std::string_view(rest).substr(name.size()), '/'))
      if (const std::string slug = slug_of(part, kLongest, ""); !slug.empty())
        bucket.folder += (bucket.folder.empty() ? "" : "/") + slug;
    return bucket;
  }
  return std::nullopt;
}

std::string object_name(const Launch& launch, const LaunchGroup& group, std::size_t limit) {
  std::string whole = launch.slug + (launch.groups.size() > 1 ? "-" + group.slug : "");
  if (is_digit(whole.front())) whole = "job-" + whole;
  if (whole.size() <= limit) return whole;
  const std::string id = short_id(hash_of(whole));
  return slug_of(whole, limit - id.size() - 1, "job") + "-" + id;
}

std::vector<std::string> arrival_lines() {
  return {
      "mkdir -p \"$GPUPLAN_RUNS\"",
      "# Copies what was done on your own machine, and the marks of finished manual steps.",
      "[ ! -d runs ] || [ runs -ef \"$GPUPLAN_RUNS\" ] || cp -Rn runs/. \"$GPUPLAN_RUNS\"/",
      "for program in \"$PWD/gpuplan\" \"$GPUPLAN_RUNS/gpuplan\"; do",
      "  if [ -x \"$program\" ]; then export GPUPLAN=\"$program\"; fi",
      "done",
  };
}

std::string guarded_start(const LaunchGroup& group, const CloudMachine& machine) {
  return "exec timeout --signal=TERM --kill-after=" + std::to_string(whole_seconds(machine.grace)) + "s " +
         std::to_string(whole_seconds(machine.limit)) + "s bash " + group.slug + ".sh";
}

std::vector<ManualStep> manual_steps(const Launch& launch, const LaunchGroup& group) {
  constexpr std::size_t kShown = 120;
  std::vector<ManualStep> steps;
  std::string_view before;
  for (const int position : group.phases) {
    const LaunchPhase& laid = phase_of(launch, position);
    if (const auto text = manual_step(laid)) {
      const std::vector<bool> after = groups_before(launch, position);
      ManualStep step{position, after[static_cast<std::size_t>(laid.group)],
                      std::ranges::find(after, true) == after.end(),
                      "mkdir -p runs/" + laid.slug + " && touch runs/" + laid.slug + "/prepared  # "};
      if (step.between)
        step.command += "when " + std::string(before) + " is done (the job ends there with exit code " +
                        std::to_string(kNotPrepared) + "), and then this is: ";
      else step.command += "when it is done: ";
      step.command += printable(*text, kShown);
      steps.push_back(std::move(step));
    }
    before = laid.slug;
  }
  return steps;
}

namespace {

/// The commands of groups and of the user's own machine, as they are started.
class CloudCommands {
 public:
  CloudCommands(const Launch& launch, const std::vector<GroupCommands>& groups)
      : launch_(launch), groups_(groups), begun_(launch.groups.size(), false), own_(launch.phases.size(), false) {}

  void group(std::size_t which) {
    if (begun_[which]) return;
    begun_[which] = true;
    const std::vector<ManualStep> steps = manual_steps(launch_, launch_.groups[which]);
    for (const ManualStep& step : steps)
      if (!step.between) lines_.push_back(step.command);
    add(groups_[which].start);
    for (const ManualStep& step : steps)
      if (step.between) {
        lines_.push_back(step.command);
        add(groups_[which].again);
      }
    add(groups_[which].end);
  }

  void own(std::size_t phase) {
    own_[phase] = true;
    // Asks by itself whether the step before it is done.
    lines_.push_back("bash " + launch_.phases[phase].script() + "  # on your own machine");
  }

  /// Those of the user's own machine that need nothing that has not been started.
  void ready() {
    for (std::size_t p = 0; p < launch_.phases.size(); ++p) {
      const LaunchPhase& laid = launch_.phases[p];
      if (laid.group < 0 && !own_[p] &&
          std::ranges::all_of(
              laid.needs,
              [&](int need) {
                const int group = phase_of(launch_, need).group;
                return group < 0 ? own_[static_cast<std::size_t>(need)] : begun_[static_cast<std::size_t>(group)];
              }))
        own(p);
    }
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void add(const std::vector<std::string>& lines) { lines_.insert(lines_.end(), lines.begin(), lines.end()); }

  const Launch& launch_;
  const std::vector<GroupCommands>& groups_;
  std::vector<bool> begun_, own_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> commands_in_order(const Launch& launch, const std::vector<GroupCommands>& groups) {
  CloudCommands commands(launch, groups);
  for (std::size_t p = 0; p < launch.phases.size(); ++p) {
    const int group = launch.phases[p].group;
    if (group < 0) commands.own(p);
    else commands.group(static_cast<std::size_t>(group));
  }
  return commands.take();
}

Result<std::vector<std::string>> commands_apart(const Launch& launch, const std::vector<GroupCommands>& groups,
                                                std::string_view provider) {
  std::vector<bool> ended(launch.groups.size(), false);
  const auto waits_for = [&](std::size_t g) -> std::optional<std::size_t> {
    for (const int position : launch.groups[g].phases) {
      const std::vector<bool> before = groups_before(launch, position);
      for (std::size_t other = 0; other < before.size(); ++other)
        if (before[other] && other != g && !ended[other]) return other;
    }
    return std::nullopt;
  };
  CloudCommands commands(launch, groups);
  for (std::size_t done = 0; done < launch.groups.size(); ++done) {
    commands.ready();
    std::optional<std::size_t> next;
    for (std::size_t g = 0; g < launch.groups.size() && !next; ++g)
      if (!ended[g] && !waits_for(g)) next = g;
    if (!next) {
      const auto stuck = static_cast<std::size_t>(std::ranges::find(ended, false) - ended.begin());
      return failure(launch.groups[stuck].slug + " and " + launch.groups[*waits_for(stuck)].slug +
                     " need each other's results while both run, and machines of " + std::string(provider) +
                     " have no shared storage; choose another plan (--plan), or --to skypilot or kubernetes");
    }
    commands.group(*next);
    ended[*next] = true;
  }
  commands.ready();
  return commands.take();
}

bool is_chain(const Launch& launch) {
  if (launch.groups.empty()) return false;
  for (std::size_t g = 1; g < launch.groups.size(); ++g) {
    if (launch.groups[g].lease->from + 1 * units::second < launch.groups[g - 1].lease->to) return false;
    for (const int position : launch.groups[g].phases)
      if (manual_step(phase_of(launch, position))) return false;
  }
  // Phases of the user's own machine between them.
  const auto first = static_cast<std::size_t>(launch.groups.front().phases.front());
  for (std::size_t p = first; p < launch.phases.size(); ++p)
    if (launch.phases[p].group >= 0)
      for (const int need : launch.phases[p].needs)
        if (need > static_cast<int>(first) && phase_of(launch, need).group < 0) return false;
  return true;
}

std::string assumed_price_note(const Launch& launch) {
  for (const LaunchGroup& group : launch.groups) {
    const Offer* offer = group.lease->offer;
    if (offer == nullptr || offer->kind != OfferKind::kRented) continue;
    const std::string provider = printable(offer->provider, 40);
    return "The cost is assumed: it is at the price of " + (provider.empty() ? std::string("a provider") : provider) +
           ", not of your cluster. What your GPUs cost, and that there are any, is said as a pool ([[pools]] in "
           "gpuplan.toml, market.pools in the job).";
  }
  return "";
}

std::vector<std::string> cloud_notes(const Launch& launch, const std::vector<CloudNeeds>& needs, Sent sent) {
  const bool folder = sent == Sent::kFolder;
  std::vector<std::string> notes;
  const auto any = [&](bool CloudNeeds::* what) { return std::ranges::any_of(needs, what); };
  const std::vector<RequiredVariable> variables = variables_of(needs);
  for (const RequiredVariable& variable : variables)
    notes.push_back("Set " + variable.name + (variable.what.empty() ? "" : ": " + variable.what) + ".");
  if (!variables.empty())
    notes.emplace_back(folder ? "These files must be visible on the machine, for example in this folder."
                              : "These files must be visible in the pods: in the image, on the claim for runs (/runs), "
                                "or on another mounted volume. Only the scripts of this folder are copied.");
  if (any(&CloudNeeds::hub))
    notes.emplace_back(
        "Weights are downloaded: set HF_TOKEN before you start (gated models need it; empty is fine otherwise).");
  if (any(&CloudNeeds::own_command))
    notes.emplace_back(folder ? "Commands of the job run in this folder on the machine: their files must be in it, in "
                                "the image, or downloaded by setup.run."
                              : "Commands of the job run in /tmp/gpuplan of a pod, which has only the scripts: their "
                                "files must be in the image, on a volume, or downloaded by setup.run (git clone ...).");
  if (any(&CloudNeeds::gated))
    notes.push_back(
        "Gates need gpuplan on the machine, or they fail: copy the program (one file) " +
        (folder ? std::string("into this folder, into the folder of the runs, or onto the PATH of the image.")
                : "onto the PATH of the image, or onto the claim for runs as /runs/" + launch.slug + "/gpuplan."));
  if (any(&CloudNeeds::manual))
    notes.emplace_back(
        "A phase whose manual step is not marked as done exits with 78. Mark it and start again; finished phases are "
        "skipped.");
  for (const LaunchPhase& laid : launch.phases)
    for (const int need : laid.needs)
      if (laid.group < 0 && phase_of(launch, need).group >= 0)
        notes.push_back(laid.slug + " runs on your own machine and needs " + phase_of(launch, need).slug +
                        ": copy its run folder into runs/ first.");
  if (any(&CloudNeeds::human))
    notes.emplace_back("Manual phase: the machine is billed until you create the file \"finished\" in its run folder.");
  for (std::size_t g = 0; g < needs.size() && g < launch.groups.size(); ++g)
    if (launch.groups[g].lease->spot && !needs[g].resumes)
      notes.push_back(launch.groups[g].slug +
                      ": spot, and some commands may not resume from a checkpoint; they restart from scratch after an "
                      "interruption.");
  if (std::ranges::any_of(launch.groups, [](const LaunchGroup& group) {
        return group.lease->offer != nullptr && group.lease->offer->kind != OfferKind::kRented;
      }))
    notes.emplace_back("The plan is for machines you own (or a cluster pool), so it has no price for rented ones.");
  return notes;
}

std::string limits_note(const Launch& launch, const std::vector<bool>& priced, const std::string& price,
                        const std::string& others) {
  if (std::ranges::find(priced, false) == priced.end()) return "Limits: " + price + ", " + others;
  std::string unlimited;
  for (std::size_t g = 0; g < priced.size(); ++g)
    if (!priced[g]) unlimited += (unlimited.empty() ? "" : ", ") + launch.groups[g].slug;
  const bool some = std::ranges::find(priced, true) != priced.end();
  return "No price limit for " + unlimited + ", since the plan has no price; set where.max_price. Limits: " +
         (some ? price + " (of the other machines), " : "") + others;
}

double dollars_an_hour(DollarsPerSecond price) {
  return std::ceil(price * units::hour / units::dollar * 100 - 1e-6) / 100;
}

long long whole_gb(Bytes size) { return static_cast<long long>(std::ceil(size / units::GB - 1e-9)); }

long long whole_seconds(Seconds time) { return static_cast<long long>(std::ceil(time / units::second - 1e-9)); }

}  // namespace gpuplan
