// dstack: one task for each group of phases. Keys after mkdocs/docs/concepts/tasks.md and core/models/profiles.py.
#include <algorithm>
#include <array>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/tables/launcher_names.h"
#include "launch/parts/yaml_text.h"
#include "launch/script/phase_script.h"
#include "launch/to/cloud.h"
#include "launch/to/container.h"
#include "launch/to/launchers.h"
#include "launch/to/versions.h"

namespace gpuplan {
namespace {

/// Providers by dstack's names of its backends; `volumes`: network volumes that outlive machines.
struct CloudBackend {
  std::string_view provider, name;
  bool volumes;
};
constexpr std::array kBackends = {
    CloudBackend{"aws", "aws", true},        CloudBackend{"azure", "azure", false},
    CloudBackend{"gcp", "gcp", true},        CloudBackend{"lambda", "lambda", false},
    CloudBackend{"nebius", "nebius", false}, CloudBackend{"oci", "oci", false},
    CloudBackend{"runpod", "runpod", true},  CloudBackend{"vast", "vastai", false},
    CloudBackend{"verda", "verda", false},   CloudBackend{"cudo", "cudo", false},
};

constexpr int kLeastUtilization = 10;  ///< percent, below which GPUs count as idle

const CloudBackend* backend_of(const Offer& offer) {
  const auto backend = std::ranges::find(kBackends, std::string_view(offer.provider), &CloudBackend::provider);
  return offer.kind == OfferKind::kRented && backend != kBackends.end() ? &*backend : nullptr;
}

std::string minutes_text(Seconds time) { return std::to_string((whole_seconds(time) + 59) / 60) + "m"; }

/// A volume lies in one region and is joined to one machine at a time.
bool has_volume(const Launch& launch) {
  const LaunchGroup& first = launch.groups.front();
  const CloudBackend* backend = backend_of(*first.lease->offer);
  return backend != nullptr && backend->volumes && !first.lease->offer->region.empty() && launch.plan.at_once <= 1 &&
         std::ranges::all_of(launch.groups, [&](const LaunchGroup& group) {
           return group.lease->nodes == 1 && group.lease->offer->provider == first.lease->offer->provider &&
                  group.lease->offer->region == first.lease->offer->region;
         });
}

std::string volume_name(const Launch& launch) { return object_name(launch, launch.groups.front(), 40) + "-runs"; }

std::string gpu_text(const CloudMachine& machine) {
  const LauncherNames* names = launcher_names(machine.gpu->name);
  const std::string count = ":" + std::to_string(machine.gpus);
  if (names != nullptr && names->dstack == "{instance}") return machine.offer->instance;
  if (names != nullptr && !names->dstack.empty()) return names->dstack + count;
  // Without a name: any card of this maker with as much memory.
  return machine.gpu->vendor + ":" + std::to_string(whole_gb(machine.gpu->usable * 0.98)) + "GB.." + count;
}

/// Shared memory of a machine, for loaders of data and NCCL: an eighth of its memory, 16 GB where that is not known.
long long shared_memory_gb(const CloudMachine& machine) {
  return machine.ram > Bytes{} ? std::clamp(whole_gb(machine.ram * 0.125), 8LL, 256LL) : 16;
}

Seconds idle_window(const Launch& launch, const LaunchGroup& group) {
  Seconds most = 30 * units::minute;
  for (const int position : group.phases)
    most = std::max(most, 2 * launch.phases[static_cast<std::size_t>(position)].part->estimate->extra.p90);
  return most;
}

/// Fleets are what dstack takes machines from, and a project has none at first: one for each group, an empty template.
std::string fleet_name(const Launch& launch, const LaunchGroup& group) {
  return object_name(launch, group, 40) + "-fleet";
}

std::string fleet_file(const Launch& launch, const LaunchGroup& group) {
  return launch.groups.size() == 1 ? "fleet.dstack.yml" : group.slug + "-fleet.dstack.yml";
}

Yaml resources_yaml(const CloudMachine& machine) {
  Yaml resources = Yaml::map();
  resources.set("gpu", gpu_text(machine), "of one machine");
  if (machine.host_need > Bytes{})
    resources.set("memory", std::to_string(whole_gb(machine.host_need)) + "GB..", "predicted CPU memory");
  resources.set("shm_size", std::to_string(shared_memory_gb(machine)) + "GB");
  resources.set("disk", std::to_string(whole_gb(machine.disk)) + "GB..", "the plan's estimate + 20% + 50 GB");
  return resources;
}

/// Where machines come from and what they may cost, the same of a task and of its fleet: dstack takes what both allow.
void set_market(Yaml& yaml, const Launch& launch, const CloudMachine& machine) {
  if (const CloudBackend* backend = backend_of(*machine.offer)) {
    yaml.set("backends", Yaml::list({std::string(backend->name)}));
    if (!machine.offer->region.empty() && (has_volume(launch) || !launch.job.where.regions.empty()))
      yaml.set("regions", Yaml::list({machine.offer->region}));
  }
  yaml.set("spot_policy", machine.spot ? "spot" : "on-demand");
  if (machine.price_limit) yaml.set("max_price", Yaml::number(dollars_an_hour(*machine.price_limit)), kPriceLimitWords);
}

Yaml fleet_yaml(const Launch& launch, const LaunchGroup& group, const CloudMachine& machine) {
  Yaml fleet = Yaml::map();
  fleet.set("type", "fleet");
  fleet.set("name", fleet_name(launch, group));
  fleet.set("nodes", "0.." + std::to_string(machine.nodes), "none until the task starts");
  if (machine.nodes > 1) fleet.set("placement", "cluster");
  fleet.set("idle_duration", "5m", "idle machines of fleets are billed for three days by default");
  fleet.set("resources", resources_yaml(machine));
  set_market(fleet, launch, machine);
  return fleet;
}

Yaml task_yaml(const Launch& launch, const LaunchGroup& group, const CloudMachine& machine, const CloudNeeds& needs) {
  Yaml task = Yaml::map();
  task.set("type", "task");
  task.set("name", object_name(launch, group));
  if (machine.nodes > 1) task.set("nodes", Yaml::whole(machine.nodes));
  task.set("fleets", Yaml::list({fleet_name(launch, group)}));
  // Its own image is for NVIDIA's usual cards (dstack's documentation, guides/protips), with CUDA alone.
  const std::string_view image = launcher_image("dstack", *machine.gpu, machine.framework);
  if (!image.empty()) {
    task.set("image", std::string(image), image_words(*machine.gpu));
  } else {
    task.set("python", "3.12");
    task.set("nvcc", Yaml::yes_no(true), "the image with the compiler: flash-attn and DeepSpeed build kernels");
  }
  task.set("files", Yaml::list({".:/gpuplan"}),
           "this folder, with all scripts; at most 2 MB unless the server is set so");
  if (has_volume(launch))
    task.set("volumes", Yaml::list().add(Yaml::map().set("name", volume_name(launch)).set("path", "/runs")));
  Yaml env = Yaml::list({"GPUPLAN_RUNS=/runs/" + launch.slug});
  // Nobody else writes into the runs of a machine alone: to wait for another one would be in vain.
  if (!has_volume(launch)) env.add(Yaml::text("GPUPLAN_WAIT=0"));
  for (const RequiredVariable& variable : needs.required) env.add(Yaml::text(variable.name));
  if (needs.hub) env.add(Yaml::text("HF_TOKEN"));
  task.set("env", std::move(env), "names without a value are taken from your shell");
  std::vector<std::string> run = {
      "set -u",
      "export GPUPLAN_NODES=\"${DSTACK_NODES_NUM:-1}\" GPUPLAN_NODE_RANK=\"${DSTACK_NODE_RANK:-0}\"",
      "export GPUPLAN_MASTER_ADDR=\"${DSTACK_MASTER_NODE_IP:-127.0.0.1}\"",
      "cd /gpuplan || exit",
  };
  std::ranges::move(arrival_lines(), std::back_inserter(run));
  run.push_back(guarded_start(group, machine));
  task.set("commands", Yaml::list().add(Yaml::lines(run)));

  task.set("resources", resources_yaml(machine));

  set_market(task, launch, machine);
  task.set("max_duration", minutes_text(machine.limit), "P90 of all phases + 10%; then it is stopped");
  task.set("stop_duration", minutes_text(machine.grace), "from the signal to the kill: time for a checkpoint");
  Yaml events = Yaml::list({"no-capacity"});
  // A gate that stays closed is an error too, and must not be tried again.
  if (needs.resumes || machine.spot) events.add(Yaml::text("interruption"));
  task.set("retry", Yaml::map().set("on_events", std::move(events)).set("duration", minutes_text(machine.limit)));
  if (!needs.cpu && !needs.human)
    task.set("utilization_policy",
             Yaml::map()
                 .set("min_gpu_utilization", Yaml::whole(kLeastUtilization))
                 .set("time_window", minutes_text(idle_window(launch, group))),
             "idle GPUs are released; twice the P90 of setup, downloads and the rest");
  return task;
}

LaunchFile volume_file(const Launch& launch, const CloudMachine& machine) {
  Yaml volume = Yaml::map();
  volume.set("type", "volume");
  volume.set("name", volume_name(launch));
  volume.set("backend", backend_of(*machine.offer)->name);
  volume.set("region", machine.offer->region);
  volume.set("size", std::to_string(whole_gb(machine.runs)) + "GB");
  return {
      "runs.dstack.yml",
      "# Checkpoints, logs and results: kept after the machines are gone, and billed until deleted.\n" + volume.print(),
      false};
}

}  // namespace

bool dstack_rents(const Offer& offer) { return offer.provider.empty() || backend_of(offer) != nullptr; }

Result<LaunchSet> dstack_launcher(const Launch& launch) {
  if (launch.groups.empty()) return failure("no phase of this plan needs a rented machine; use --to bash");
  LaunchSet set;
  std::vector<CloudNeeds> needs;
  std::vector<bool> priced;
  std::vector<GroupCommands> starts;
  if (const auto good = sees_all_parts(launch, {"torchtitan", "megatron"},
                                       "machines of dstack share no folder; choose a plan on one machine (--plan), "
                                       "--to slurm or kubernetes, or framework: torch");
      !good)
    return std::unexpected(good.error());
  for (const LaunchGroup& group : launch.groups) {
    auto asked = cloud_group(launch, group);
    if (!asked) return std::unexpected(asked.error());
    auto& [machine, need] = *asked;
    const std::string file = group.slug + ".dstack.yml";
    set.files.push_back(
        {file, comments(banner_lines(launch)) + task_yaml(launch, group, machine, need).print(), false});
    const std::string fleet = fleet_file(launch, group);
    set.files.push_back({fleet,
                         "# Machines for " + file + ", rented when it starts and returned when they idle.\n" +
                             fleet_yaml(launch, group, machine).print(),
                         false});
    set.next.push_back("dstack apply -f " + fleet + "  # once: the fleet; nothing is rented yet");
    set.files.push_back(group_script(launch, group));
    starts.push_back({.start = {"dstack apply -f " + file + "  # shows offers and asks before it rents"},
                      .again = {"dstack apply -f " + file + "  # " + std::string(kAgain)}});
    if (starts.size() == 1 && has_volume(launch)) {
      set.files.push_back(volume_file(launch, machine));
      set.next.emplace_back("dstack apply -f runs.dstack.yml  # once: the volume for runs");
    }
    priced.push_back(machine.price_limit.has_value());
    needs.push_back(std::move(need));
  }
  auto commands = has_volume(launch) ? commands_in_order(launch, starts) : commands_apart(launch, starts, "dstack");
  if (!commands) return std::unexpected(commands.error());
  std::ranges::move(*commands, std::back_inserter(set.next));
  std::ranges::move(version_files("dstack", {{"dstack", "dstack", "dstack --version"}}), std::back_inserter(set.files));
  set.next.insert(set.next.begin(), "bash dstack/versions.sh  # whether this dstack knows what these files say");
  set.next.emplace_back("dstack ps  # status");
  for (const LaunchGroup& group : launch.groups) {
    const std::string name = object_name(launch, group);
    set.next.push_back("dstack logs " + name + "  # logs");
    set.next.push_back("dstack stop " + name + "  # stop it and terminate the machines");
  }
  set.notes = cloud_notes(launch, needs);
  set.notes.emplace_back("dstack requires file names that end in .dstack.yml.");
  set.notes.emplace_back(
      "dstack uploads at most 2 MB of this folder: to bring more in it (gpuplan, data, weights), set "
      "DSTACK_SERVER_CODE_UPLOAD_LIMIT (bytes; 0: any size) of its server, or put that into an image.");
  if (!has_volume(launch))
    set.notes.emplace_back(
        "Runs are stored on the disk of the machine and lost with it: download them before the task ends, or mount a "
        "volume at /runs. After an interruption a phase restarts from scratch.");
  for (const LaunchGroup& group : launch.groups)
    for (const ManualStep& step : manual_steps(launch, group))
      if (step.between && !has_volume(launch))
        set.notes.push_back(launch.phases[static_cast<std::size_t>(step.phase)].slug +
                            " waits for a manual step, and the task ends there: without a volume at /runs all earlier "
                            "results are lost with the machine. Create a volume before you start (dstack volumes), or "
                            "use --to skypilot, which stores runs in a bucket.");
  for (const LaunchGroup& group : launch.groups) {
    const LauncherNames* names = launcher_names(group.lease->offer->gpu);
    if (names == nullptr || names->dstack.empty())
      set.notes.push_back(
          "dstack has no name for " + printable(group.lease->offer->gpu, 60) +
          ": it may rent any GPU of that vendor with as much memory, whose speed can differ from the plan.");
  }
  const bool watched = std::ranges::any_of(needs, [](const CloudNeeds& need) { return !need.cpu && !need.human; });
  set.notes.push_back(
      limits_note(launch, priced, "max price per machine-hour (max_price)",
                  "run time (max_duration)" + std::string(watched ? ", and idle GPUs (utilization_policy)." : ".")));
  return set;
}

}  // namespace gpuplan
