#include "launch/to/launchers.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace gpuplan {

std::span<const Launcher> launchers() {
  static constexpr std::array all = {
      Launcher{"bash", "scripts for machines you have, or rent by hand", bash_launcher, OneScript::kOneMachine},
      Launcher{"slurm", "a Slurm batch job; for several phases one each, and a script that submits them",
               slurm_launcher, OneScript::kOneLease},
      Launcher{"skypilot", "a SkyPilot managed job per machine, or a pipeline of them", skypilot_launcher,
               OneScript::kNever, nullptr, skypilot_rents, true},
      Launcher{"dstack", "a dstack task per machine", dstack_launcher, OneScript::kNever, nullptr, dstack_rents},
      Launcher{"kubernetes", "a Job or JobSet per machine, with Kueue", kubernetes_launcher},
      Launcher{"vast", "Vast.ai searches in order of preference, and a script that rents", vast_launcher,
               OneScript::kNever, &LauncherNames::vast},
      Launcher{"runpod", "a script that rents a RunPod pod", runpod_launcher, OneScript::kNever,
               &LauncherNames::runpod},
  };
  return all;
}

std::string one_script_name(const Launcher& launcher, const Launch& launch) {
  if (launch.phases.size() != 1 || launch.groups.size() > 1) return "";
  switch (launcher.one_script) {
    case OneScript::kNever:
      return "";
    case OneScript::kOneMachine:
      if (launch.phases.front().nodes > 1) return "";
      break;
    case OneScript::kOneLease:
      if (launch.groups.empty()) return "";
      break;
  }
  return (launch.name.empty() ? single_name(launch) : launch.name) + ".sh";
}

std::string_view launcher_for(const Plan& plan) {
  const auto any_pool = [&](auto&& wanted) {
    return std::ranges::any_of(plan.leases, [&](const Lease& lease) {
      return lease.offer != nullptr && lease.offer->kind == OfferKind::kPool && wanted(*lease.offer);
    });
  };
  const auto in_slurm = [](const Offer& pool) {
    return pool.queue.empty() || !pool.partition.empty() || !pool.account.empty() || !pool.qos.empty();
  };
  if (any_pool(in_slurm)) return "slurm";
  if (any_pool([](const Offer&) { return true; })) return "kubernetes";
  const bool at_home = std::ranges::all_of(
      plan.leases, [](const Lease& lease) { return lease.offer == nullptr || lease.offer->kind == OfferKind::kOwn; });
  if (at_home && !plan.leases.empty()) return "bash";
  if (plan.offer != nullptr && (plan.offer->kind == OfferKind::kOwn || plan.offer->provider.empty())) return "bash";
  // Those that are called like a provider rent single machines there.
  const bool together = std::ranges::any_of(plan.leases, [](const Lease& lease) { return lease.nodes > 1; });
  for (const Launcher& launcher : launchers())
    if (!together && plan.offer != nullptr && iequals(launcher.name, plan.offer->provider)) return launcher.name;
  for (const Launcher& launcher : launchers()) {
    const bool rents =
        launcher.rents != nullptr && std::ranges::all_of(plan.leases, [&](const Lease& lease) {
          return lease.offer == nullptr || lease.offer->kind != OfferKind::kRented || launcher.rents(*lease.offer);
        });
    if (rents) return launcher.name;
  }
  return "bash";
}

}  // namespace gpuplan
