// The launchers: what each writes around the scripts of the phases. One file each: launch/to/bash.cpp, slurm.cpp,
// skypilot.cpp, dstack.cpp, kubernetes.cpp, vast.cpp, runpod.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/tables/launcher_names.h"
#include "launch/parts/launch_plan.h"
#include "launch/script/phase_script.h"

namespace gpuplan {

/// What a launcher adds to the scripts of phases and machines.
struct LaunchSet {
  std::vector<LaunchFile> files;
  std::vector<std::string> next;   ///< commands to type now, each with a word on it after " # "
  std::vector<std::string> notes;  ///< sentences: what to know before starting
  ScriptFrame frame{};             ///< of the one script that holds all, where the launch has one
};

Result<LaunchSet> bash_launcher(const Launch& launch);
Result<LaunchSet> slurm_launcher(const Launch& launch);
Result<LaunchSet> skypilot_launcher(const Launch& launch);
bool skypilot_rents(const Offer& offer);
Result<LaunchSet> dstack_launcher(const Launch& launch);
bool dstack_rents(const Offer& offer);
Result<LaunchSet> kubernetes_launcher(const Launch& launch);
Result<LaunchSet> vast_launcher(const Launch& launch);
/// What to search for there, best first; empty where the plan can not run there.
struct MarketSearch {
  std::string about, command;
};
std::vector<MarketSearch> vast_searches(const Launch& launch);
Result<LaunchSet> runpod_launcher(const Launch& launch);

/// Which plans of a single phase are one script, with all that the others would share inside.
enum class OneScript {
  kNever,
  kOneMachine,
  kOneLease,  ///< on machines that are taken together, however many
};

struct Launcher {
  std::string_view name;
  std::string_view help;
  Result<LaunchSet> (*make)(const Launch&);
  OneScript one_script = OneScript::kNever;
  /// Its names of GPUs, where it rents of the provider that it is called like and of no other.
  std::string LauncherNames::* ids = nullptr;
  /// Of one that rents at several providers: whether this offer is among what it finds.
  bool (*rents)(const Offer&) = nullptr;
  bool mounts_bucket = false;  ///< runs lie in the bucket that the job names (bucket_of)
};
std::span<const Launcher> launchers();

/// The launcher that suits a plan: the one that is called like the provider, where machines work alone, or one that
/// rents there among other places; where none does, bash, on machines that somebody rents by hand.
std::string_view launcher_for(const Plan& plan);

/// The name of the one script that this launcher writes for the plan ("train_8xH100_SXM.sh"); empty: it writes several.
std::string one_script_name(const Launcher& launcher, const Launch& launch);

}  // namespace gpuplan
