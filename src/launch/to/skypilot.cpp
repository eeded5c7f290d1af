// SkyPilot: one managed job for each group of phases, and a pipeline of them where they follow each other.
// Keys after docs/source/reference/yaml-spec.rst and sky/utils/schemas.py of SkyPilot.
#include <algorithm>
#include <array>

#include "base/amount.h"
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

/// Providers that SkyPilot rents at, and its names of them. A region narrows the search where both write it the same
/// way.
struct SkyCloud {
  std::string_view provider, name;
  bool region;
  bool network;  ///< has `network_tier: best`, without which machines come with the ordinary network
};
constexpr std::array kClouds = {
    SkyCloud{"aws", "aws", true, true},
    SkyCloud{"azure", "azure", true, false},
    SkyCloud{"gcp", "gcp", true, true},
    SkyCloud{"lambda", "lambda", true, false},
    SkyCloud{"nebius", "nebius", true, true},
    SkyCloud{"oci", "oci", true, false},
    SkyCloud{"runpod", "runpod", true, false},
    SkyCloud{"verda", "verda", true, false},
    SkyCloud{"cudo", "cudo", true, false},
    SkyCloud{"vast", "vast", false, false},  // "France, FR, EU"
    SkyCloud{"paperspace", "paperspace", true, false},
    SkyCloud{"digitalocean", "do", true, false},
    SkyCloud{"primeintellect", "primeintellect", false, false},
    SkyCloud{"seeweb", "seeweb", false, false},
};

/// Null: SkyPilot does not rent there.
const SkyCloud* sky_cloud(const Offer& offer) {
  const auto cloud = std::ranges::find(kClouds, std::string_view(offer.provider), &SkyCloud::provider);
  return offer.kind == OfferKind::kRented && cloud != kClouds.end() ? &*cloud : nullptr;
}

constexpr std::string_view kMount = "/gpuplan-runs";

/// Passes on the token that weights may ask for.
constexpr std::string_view kSecretWords = " --secret HF_TOKEN";

bool plain_region(std::string_view region) {
  return !region.empty() && std::ranges::all_of(region, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

/// "aws/us-east-1" before "aws" where the job does not bind itself to regions.
std::vector<std::string> places_of(const Launch& launch, const Offer& offer) {
  const SkyCloud* cloud = sky_cloud(offer);
  if (cloud == nullptr) return {};
  const std::string name(cloud->name);
  std::vector<std::string> places;
  if (cloud->region && plain_region(offer.region)) places.push_back(name + "/" + offer.region);
  if (places.empty() || launch.job.where.regions.empty()) places.push_back(name);
  return places;
}

std::string job_bucket(const Launch& launch) {
  return "gpuplan-" + launch.slug + "-" + slug_of(launch.plan.id, 12, "plan");
}

Yaml storage(const Launch& launch) {
  Yaml mount = Yaml::map();
  if (const auto bucket = bucket_of(launch.job)) mount.set("source", bucket->scheme + "://" + bucket->name);
  else mount.set("name", job_bucket(launch), "created at the first start; rename it if the name is taken");
  mount.set("mode", "MOUNT_CACHED");
  return Yaml::map().set(kMount, std::move(mount), "checkpoints, logs and results: kept after the machines are gone");
}

std::string runs_folder(const Launch& launch) {
  std::string folder(kMount);
  if (const auto bucket = bucket_of(launch.job); bucket && !bucket->folder.empty()) folder += "/" + bucket->folder;
  return folder + "/" + launch.slug;
}

/// Whether a phase on several machines is planned with a network that machines have only where it is asked for.
bool wants_fast_network(const Launch& launch, const LaunchGroup& group) {
  constexpr BytesPerSecond kFast{12.5e9};  // 100 Gbit/s, more than Ethernet that comes without asking
  return std::ranges::any_of(group.phases, [&](int position) {
    const LaunchPhase& laid = launch.phases[static_cast<std::size_t>(position)];
    const auto& node = laid.part->estimate->node;
    return laid.nodes > 1 && node && node->network >= kFast;
  });
}

/// Of a fast network that the plan counts with and SkyPilot cannot ask for; "" elsewhere.
std::string network_note(const Launch& launch, const LaunchGroup& group) {
  const SkyCloud* cloud = sky_cloud(*group.lease->offer);
  if (!wants_fast_network(launch, group) || (cloud != nullptr && cloud->network)) return "";
  return group.slug + ": the plan counts with a fast network between machines, which SkyPilot asks for " +
         (cloud == nullptr ? std::string("only where a cloud is set")
                           : "nowhere at " + printable(cloud->provider, 40)) +
         ": look at the first lines of the log for NET/IB, or at the time of the first steps, before you let it run.";
}

struct Task {
  Yaml document;
  std::string name;
  std::string variables;  ///< " --env DATA --secret HF_TOKEN"
};

Result<Task> task_of(const Launch& launch, const LaunchGroup& group, const CloudMachine& machine,
                     const CloudNeeds& needs) {
  const Offer& offer = *machine.offer;
  const LauncherNames* names = launcher_names(machine.gpu->name);
  const std::string accelerator =
      names == nullptr ? "" : skypilot_name(*names, offer.provider, offer.instance, machine.gpus);
  if (names == nullptr || accelerator.empty())
    return failure("SkyPilot has no name for " + machine.gpu->name +
                   "; choose a plan on other GPUs (--plan), or --to bash");
  const bool slice = names->skypilot == "{instance}";

  Yaml resources = Yaml::map();
  resources.set("accelerators", accelerator + ":" + std::to_string(slice ? 1 : machine.gpus), "of one machine");
  const std::vector<std::string> places = places_of(launch, offer);
  if (places.size() == 1) resources.set("infra", places.front());
  if (places.size() > 1) {
    Yaml ordered = Yaml::list();
    for (const std::string& place : places) ordered.add(Yaml::map().set("infra", place));
    resources.set("ordered", std::move(ordered));
  }
  if (wants_fast_network(launch, group) && sky_cloud(offer) != nullptr && sky_cloud(offer)->network)
    resources.set("network_tier", "best", "the plan counts with the fast network between machines");
  if (const long long memory = asked_memory_gib(machine); memory > 0)
    resources.set("memory", std::to_string(memory) + "+", "GiB: predicted CPU memory");
  const std::string_view image = launcher_image("skypilot", *machine.gpu, machine.framework);
  if (!image.empty()) resources.set("image_id", "docker:" + std::string(image), image_words(*machine.gpu));
  resources.set("use_spot", Yaml::yes_no(machine.spot));
  resources.set("disk_size", Yaml::whole(whole_gb(machine.disk)), "GB: the plan's estimate + 20% + 50 GB");
  if (machine.price_limit)
    resources.set("max_hourly_cost", Yaml::number(dollars_an_hour(*machine.price_limit)), kPriceLimitWords);
  Yaml codes = Yaml::list();
  codes.add(Yaml::whole(kComeBack));
  Yaml recovery = Yaml::map();
  // Reaching the time limit is an error for SkyPilot, as are a closed gate and what nobody prepared: none of them must
  // be started again.
  recovery.set("max_restarts_on_errors", Yaml::whole(0), "a time limit is an error too; interruptions are not");
  recovery.set("recover_on_exit_codes", std::move(codes), "stopped after a checkpoint");
  resources.set("job_recovery", std::move(recovery));

  Yaml envs = Yaml::map();
  envs.set("GPUPLAN_RUNS", runs_folder(launch));
  std::string variables;
  for (const RequiredVariable& variable : needs.required) {
    envs.set(variable.name, Yaml::null(), variable.what);
    variables += " --env " + variable.name;
  }
  if (needs.hub) variables += kSecretWords;

  std::vector<std::string> run = {
      "set -uo pipefail",
      "export GPUPLAN_NODES=\"$SKYPILOT_NUM_NODES\" GPUPLAN_NODE_RANK=\"$SKYPILOT_NODE_RANK\"",
      "GPUPLAN_MASTER_ADDR=$(printf '%s\\n' \"$SKYPILOT_NODE_IPS\" | head -n 1)",
      "export GPUPLAN_MASTER_ADDR",
  };
  std::ranges::move(arrival_lines(), std::back_inserter(run));
  run.emplace_back("# Then the job is stopped and the machines are terminated: exit code 124 is not restarted.");
  run.push_back(guarded_start(group, machine));

  Task task{Yaml::map(), object_name(launch, group), {}};
  task.document.set("name", task.name);
  if (machine.nodes > 1) task.document.set("num_nodes", Yaml::whole(machine.nodes));
  task.document.set("workdir", ".", "this folder, with all scripts");
  task.document.set("resources", std::move(resources));
  task.document.set("file_mounts", storage(launch));
  task.document.set("envs", std::move(envs));
  if (needs.hub) {
    task.document.set("secrets", Yaml::map().set("HF_TOKEN", Yaml::null()),
                      "taken from your shell: sky jobs launch --secret HF_TOKEN ...");
  }
  task.document.set("run", Yaml::lines(run));
  task.variables = std::move(variables);
  return task;
}

/// Of machines that no cloud is named for.
std::string anywhere_note(const Launch& launch, const LaunchGroup& group) {
  const Offer& offer = *group.lease->offer;
  if (offer.kind != OfferKind::kRented || offer.provider.empty())
    return group.slug + ": no cloud is set, so SkyPilot chooses the cheapest of those you have enabled.";
  const std::string provider = printable(offer.provider, 40);
  const auto most = price_limit(launch.job, offer, group.lease->spot);
  return group.slug + ": SkyPilot does not rent at " + provider +
         ", whose machine the plan is for. It looks for one with the same GPUs at all clouds that you have enabled" +
         (most ? ", for at most $" + number_text(dollars_an_hour(*most)) +
                     "/h (max_hourly_cost), and finds none where all of them ask more"
               : std::string()) +
         ". Plan with one of its clouds (where.providers, or --provider), or rent the machine at " + provider +
         " yourself and take --to bash.";
}

}  // namespace

bool skypilot_rents(const Offer& offer) {
  if (offer.provider.empty()) return true;
  const LauncherNames* names = launcher_names(offer.gpu);
  return sky_cloud(offer) != nullptr && names != nullptr &&
         !skypilot_name(*names, offer.provider, offer.instance, offer.gpus).empty();
}

Result<LaunchSet> skypilot_launcher(const Launch& launch) {
  LaunchSet set;
  std::vector<CloudNeeds> needs;
  std::vector<bool> priced;
  std::vector<GroupCommands> starts;
  std::string pipeline;
  std::vector<std::string> names;
  // What one machine writes to the bucket the others see only some time later.
  if (const auto good =
          sees_all_parts(launch, {"torchtitan"},
                         "SkyPilot's bucket shows each machine the files of the others too late; choose a plan on one "
                         "machine (--plan), --to slurm or kubernetes, or framework: torch or megatron");
      !good)
    return std::unexpected(good.error());
  for (const LaunchGroup& group : launch.groups) {
    auto asked = cloud_group(launch, group);
    if (!asked) return std::unexpected(asked.error());
    auto& [machine, need] = *asked;
    auto task = task_of(launch, group, machine, need);
    if (!task) return std::unexpected(task.error());
    const std::string file = "skypilot/" + group.slug + ".yaml";
    std::vector<std::string> head = banner_lines(launch);
    head.insert(head.begin() + 1,
                "A SkyPilot managed job. Start it from the parent folder: workdir is where you type the command.");
    const std::string document = task->document.print();
    set.files.push_back({file, comments(head) + document, false});
    set.files.push_back(group_script(launch, group));
    const std::string start = "sky jobs launch -n " + task->name + task->variables + " " + file;
    starts.push_back({.start = {start + "  # asks before it rents"}, .again = {start + "  # " + std::string(kAgain)}});
    pipeline += "---\n" + document;
    names.push_back(task->name);
    priced.push_back(machine.price_limit.has_value());
    needs.push_back(std::move(need));
  }
  if (launch.groups.empty()) return failure("no phase of this plan needs a rented machine; use --to bash");
  if (launch.groups.size() > 1 && is_chain(launch)) {
    const std::string name = slug_of(launch.slug, 50, "job");
    std::vector<std::string> head = banner_lines(launch);
    head.insert(head.begin() + 1, "All groups as one pipeline: each starts when the one before has exited with 0.");
    set.files.push_back(
        {"skypilot/pipeline.yaml", comments(head) + "---\n" + Yaml::map().set("name", name).print() + pipeline, false});
    for (std::size_t g = 0; g < starts.size(); ++g) starts[g] = {};
    std::string start = "sky jobs launch -n " + name;
    for (const RequiredVariable& variable : variables_of(needs)) start += " --env " + variable.name;
    if (std::ranges::any_of(needs, &CloudNeeds::hub)) start += kSecretWords;
    start += " skypilot/pipeline.yaml";
    starts.front() = {.start = {start + "  # all groups in turn; asks before it rents"},
                      .again = {start + "  # " + std::string(kAgain)}};
    names = {name};
  }
  std::ranges::move(version_files("skypilot", {{"skypilot", "sky", "sky --version"}}), std::back_inserter(set.files));
  set.next = commands_in_order(launch, starts);
  set.next.insert(set.next.begin(), "bash skypilot/versions.sh  # whether this SkyPilot knows what these files say");
  set.next.emplace_back("sky jobs queue  # status");
  for (const std::string& name : names) {
    set.next.push_back("sky jobs logs -n " + name + "  # follow it");
    set.next.push_back("sky jobs cancel -n " + name + "  # stop it and terminate the machines");
  }
  set.notes = cloud_notes(launch, needs);
  if (const auto bucket = bucket_of(launch.job); bucket) {
    set.notes.push_back("Results go to " + bucket->scheme + "://" + bucket->name + ", below " +
                        runs_folder(launch).substr(kMount.size() + 1) + ".");
  } else {
    set.notes.push_back("Results go to the bucket " + job_bucket(launch) +
                        ", which SkyPilot creates and which is billed until you run: sky storage delete " +
                        job_bucket(launch) + ".");
  }
  for (const LaunchGroup& group : launch.groups)
    if (std::string note = network_note(launch, group); !note.empty()) set.notes.push_back(std::move(note));
  for (const LaunchGroup& group : launch.groups)
    if (places_of(launch, *group.lease->offer).empty()) set.notes.push_back(anywhere_note(launch, group));
  set.notes.push_back(limits_note(launch, priced, "max price per machine-hour (max_hourly_cost)",
                                  "run time of the job from each start (it stops itself and is not restarted), and of "
                                  "a phase over all its starts."));
  return set;
}

}  // namespace gpuplan
