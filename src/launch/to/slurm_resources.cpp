#include "launch/to/slurm_resources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "base/whole.h"
#include "input/tables/launcher_names.h"
#include "launch/work/work.h"

namespace gpuplan {
namespace {

/// sbatch(1): a signal "may be sent up to 60 seconds earlier than specified", and slurmctld looks at times only twice a
/// minute: it came 16 s late on an idle cluster.
constexpr Seconds kSignalSlack = 90 * units::second;
/// Less than this many times the lead, and a job would do little but write checkpoints.
constexpr double kLeadsInLimit = 5;
/// Host memory beyond what the model counts: the page cache of data, libraries, a second copy while something is saved.
constexpr double kMemoryRoom = 1.25;

std::string name_of(const LaunchPhase& phase) { return "phases." + printable(phase.phase->name, 60); }

/// The provider's own machine that the offer stands for; null where no row says.
const Node* machine_of(const Catalogue& catalogue, const Offer& offer) {
  for (const Node& node : catalogue.nodes)
    if (node.gpu == offer.gpu && node.gpus == offer.gpus && node.vcpus > 0 && iequals(node.provider, offer.provider) &&
        (offer.instance.empty() || iequals(node.instance, offer.instance)))
      return &node;
  return nullptr;
}

/// Processors of the smallest machine that is known with this GPU, for one of its GPUs; of all machines where none is.
int least_cpus(const Catalogue& catalogue, const std::string& gpu) {
  int least = 0;
  int of_all = 0;
  for (const Node& node : catalogue.nodes) {
    if (node.vcpus == 0 || node.gpus == 0) continue;
    const int each = std::max(node.vcpus / node.gpus, 1);
    if (of_all == 0 || each < of_all) of_all = each;
    if (node.gpu == gpu && (least == 0 || each < least)) least = each;
  }
  return least > 0 ? least : std::max(of_all, 1);
}

/// Host memory of one machine: training by the model; of generation what is kept, and the weights while they are read.
Bytes host_need(const Launch& launch, const LaunchPhase& phase) {
  const PhaseEstimate& estimate = phase.part->estimate;
  Bytes need = estimate.host_memory;
  if (std::holds_alternative<GeneratePhase>(phase.phase->work)) {
    const TrainingConstants& constants = launch.catalogue.training_constants;
    need += estimate.weights_bytes / phase.nodes + units::GiB * (constants.host_process_gib * phase.gpus);
  }
  return need * kMemoryRoom;
}

Bytes whole_gib(Bytes size) { return units::GiB * std::max(std::ceil(size / units::GiB), 1.0); }

Seconds up_to_minutes(Seconds time) { return units::minute * std::ceil(time / units::minute); }

/// A line "#SBATCH --partition=..." is split at spaces and quotes: only names that need neither can stand there.
Result<void> check_name(const Offer& offer, std::string_view what, const std::string& name) {
  constexpr std::string_view kOthers = "_-.,+:@/%";
  const bool plain =
      std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c) || kOthers.contains(c); });
  if (plain && !name.starts_with('-')) return {};
  return failure("market.pools: the " + std::string(what) + " \"" + printable(name, 60) + "\" of " +
                 printable(offer.label, 60) +
                 " is not a valid Slurm name; expected letters, digits and any of _ - . , + : @ / %");
}

}  // namespace

std::string slurm_time(Seconds time) {
  const auto minutes = static_cast<long long>(std::llround(time / units::minute));
  const auto two = [](long long n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  constexpr long long kDay = 24LL * 60;
  const long long days = minutes / kDay;
  return (days > 0 ? std::to_string(days) + "-" : "") + two(minutes / 60 % 24) + ":" + two(minutes % 60) + ":00";
}

Result<SlurmResources> slurm_resources(const Launch& launch, const LaunchPhase& phase) {
  SlurmResources ask;
  const Offer& offer = *launch.groups[static_cast<std::size_t>(phase.group)].lease->offer;
  ask.offer = &offer;
  for (const auto& [what, name] : {std::pair<std::string_view, const std::string&>{"partition", offer.partition},
                                   {"account", offer.account},
                                   {"qos", offer.qos}})
    if (auto good = check_name(offer, what, name); !good) return std::unexpected(good.error());
  ask.exclusive = offer.kind == OfferKind::kRented;
  if (const LauncherNames* names = launcher_names(offer.gpu)) ask.gpu_type = names->slurm;

  const PhaseEstimate& estimate = phase.part->estimate;
  if (!ask.exclusive) {
    const Node* machine = machine_of(launch.catalogue, offer);
    const int all = offer.vcpus > 0 ? offer.vcpus : machine != nullptr ? machine->vcpus : 0;
    // A phase without GPUs on such a machine gets the share of one.
    const int gpus = std::max(phase.gpus, 1);
    ask.cpus_assumed = all == 0;
    ask.cpus =
        all > 0 ? std::max(all * gpus / std::max(offer.gpus, 1), 1) : gpus * least_cpus(launch.catalogue, offer.gpu);
    if (const Bytes need = host_need(launch, phase); need > Bytes{}) {
      // Room beyond the need, and no more than the machine has: such a job would wait for ever.
      // No less for each process than libraries and loaders take, nor more for that than its GPUs' share of a machine.
      const Bytes all_memory = units::GiB * std::floor(offer.ram / units::GiB);
      const int here = std::min(gpus, offer.gpus);
      Bytes least = units::GiB * launch.catalogue.practice_constants.process_memory * here;
      if (offer.ram > Bytes{}) least = std::min(least, all_memory * here / std::max(offer.gpus, 1));
      ask.memory_least = least > need;
      const Bytes wanted = whole_gib(std::max(need, least));
      ask.memory = offer.ram > Bytes{} ? std::min(wanted, all_memory) : wanted;
    }
  }

  const auto work = phase_work(launch, phase);
  if (!work) return std::unexpected(work.error());
  ask.resumes = !work->begins_anew && !work->never_resumes;
  ask.saves_late = work->saves_late;
  ask.checkpoint = checkpoint_time(estimate);
  constexpr double kLongestLead = 65535;  // sbatch(1): --signal
  // Programs look at the signal when a step is done.
  const Seconds step = phase.part->seconds_per_step.p90;
  const Seconds lead = ask.checkpoint + step + kSignalSlack;
  ask.lead = clamped<int>(std::min(std::ceil(lead.value / 10) * 10, kLongestLead));

  const Seconds least = up_to_minutes(lead * kLeadsInLimit);
  ask.time = std::max(up_to_minutes(phase.limit), least);
  if (offer.max_time) {
    const Seconds longest = units::minute * std::floor(*offer.max_time / units::minute);
    if (longest < least)
      return failure(name_of(phase) + ": " + printable(offer.label, 60) + " stops a job after " +
                     to_text(*offer.max_time) + ", and writing a checkpoint takes " + to_text(ask.checkpoint) +
                     (step > Seconds{} ? " and a step " + to_text(step) : std::string()) +
                     " of it; Slurm must be told " + to_text(lead) + " before: expected max_time of at least " +
                     to_text(least) + " (5 times that)");
    if (estimate.jobs > 1) ask.time = longest;
    ask.time = std::min(ask.time, longest);
  }
  ask.runs = std::max(estimate.jobs, clamped<int>(std::ceil(phase.limit / ask.time)));
  return ask;
}

}  // namespace gpuplan
