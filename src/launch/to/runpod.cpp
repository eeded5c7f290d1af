// RunPod: a script that rents a pod with runpodctl (noun-verb), which the provider ends at a given time.
#include <algorithm>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/tables/launcher_names.h"
#include "launch/script/phase_script.h"
#include "launch/to/cloud.h"
#include "launch/to/launchers.h"
#include "launch/to/rented.h"

namespace gpuplan {
namespace {

/// Beside the volume: the image's own layers, packages and caches.
constexpr int kContainerDiskGb = 50;

/// The two clouds have prices of their own; which one an offer is of stands in its name ("1x_A100-80GB_SECURE").
std::string_view cloud_of(const Offer& offer) {
  return to_lower(offer.instance).find("community") != std::string::npos ? "COMMUNITY" : "SECURE";
}

}  // namespace

Result<LaunchSet> runpod_launcher(const Launch& launch) {
  if (const auto good = single_machines(launch, "RunPod"); !good) return std::unexpected(good.error());
  if (launch.groups.empty()) return failure("no phase of this plan needs a rented machine; use --to bash");
  LaunchSet set;
  std::vector<CloudNeeds> needs;
  std::vector<GroupCommands> starts;
  for (const LaunchGroup& group : launch.groups) {
    auto asked = cloud_group(launch, group);
    if (!asked) return std::unexpected(asked.error());
    auto& [machine, need] = *asked;
    // The price would be another one, and which machine is the best with it.
    if (const std::string& provider = machine.offer->provider;
        launch.job.where.spot == SpotUse::kOnly && machine.spot && !provider.empty() && !iequals(provider, "runpod"))
      return failure(
          "RunPod: the plan uses a spot price of " + printable(provider, 40) +
          ", for want of one of RunPod, where runpodctl rents only on demand; plan without spot (where.spot: never, or "
          "--spot never), or take another launcher");
    const LauncherNames* names = launcher_names(machine.gpu->name);
    const std::string_view image = launcher_image("runpod", *machine.gpu, machine.framework);
    if (names == nullptr || names->runpod.empty() || image.empty())
      return failure("RunPod does not offer " + printable(machine.gpu->name, 60) +
                     " under an id that gpuplan knows; choose a plan on other GPUs (--plan), or --to bash");
    RentScript script{"runpod", group, machine, need, {}, {}};
    script.more = {"image=${IMAGE:-" + std::string(image) + "}\n",
                   "volume=" + std::to_string(whole_gb(machine.disk)) + "\n",
                   "disk=" + std::to_string(kContainerDiskGb) + "\n", assignment("gpu", names->runpod),
                   "gpus=" + std::to_string(machine.gpus) + "\n", assignment("cloud", cloud_of(*machine.offer)),
                   // Another image may be made for another CUDA.
                   "cuda=${CUDA-" + cuda_of(image) + "}\n"};
    set.files.push_back(rent_script(launch, script));
    set.files.push_back(group_script(launch, group));
    const std::string path = rent_path(launch, "runpod", group);
    starts.push_back({.start = {"bash " + path + "  # dry run",
                                "bash " + path + " rent  # rents it; runpodctl pod get POD tells HOST and PORT of ssh",
                                "bash " + path + " start HOST PORT  # copies this folder and starts it",
                                "bash " + path + " log HOST PORT  # what it prints"},
                      .again = {"runpodctl pod start POD  # the disk is kept; HOST and PORT may change",
                                "bash " + path + " start HOST PORT  # " + std::string(kAgain)},
                      .end = {"bash " + path + " fetch HOST PORT  # downloads runs/, before the pod ends",
                              "runpodctl pod delete POD  # terminates it"}});
    if (machine.spot)
      set.notes.push_back(group.slug + ": the plan uses spot, but runpodctl rents only on demand, which costs more.");
    if (const std::string_view own = launcher_image("", *machine.gpu, machine.framework);
        own != launcher_image("", *machine.gpu))
      set.notes.push_back(group.slug + ": " + std::string(machine.framework) + " needs the contents of " +
                          std::string(own) +
                          ", and the image used here (with an ssh server) does not have them: install them in "
                          "setup.run, or set IMAGE=... to one with both.");
    if (machine.offloads)
      set.notes.push_back(group.slug +
                          ": runpodctl cannot ask for CPU memory; look at what the pod has before you start.");
    if (machine.price_limit)
      set.notes.push_back(group.slug + ": runpodctl has no price limit; the plan assumes at most $" +
                          number_text(dollars_an_hour(*machine.price_limit)) +
                          " per hour. Check the price before you rent.");
    needs.push_back(std::move(need));
  }
  std::ranges::move(rent_library("runpod"), std::back_inserter(set.files));
  auto commands = commands_apart(launch, starts, "RunPod");
  if (!commands) return std::unexpected(commands.error());
  set.next = *std::move(commands);
  for (std::string& note : rented_notes(launch, needs)) set.notes.push_back(std::move(note));
  set.notes.emplace_back(
      "Limits: RunPod deletes the pod and its disk (--terminate-after) an hour after its time is up: download the runs "
      "before. The image is assumed; change it with IMAGE=...");
  return set;
}

}  // namespace gpuplan
