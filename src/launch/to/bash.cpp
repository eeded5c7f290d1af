// Machines that one has already, or rents by hand: scripts to be started on them.
#include <algorithm>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "launch/script/phase_script.h"
#include "launch/script/smoke_script.h"
#include "launch/to/launchers.h"
#include "launch/work/work.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr const char* kShared = "Several nodes: this folder and GPUPLAN_RUNS must be on shared storage.";

std::string run_name(const Launch& launch) { return (launch.name.empty() ? "run" : launch.name) + ".sh"; }

/// All phases on one machine, those that need no GPU too.
LaunchFile run_script(const Launch& launch) {
  std::vector<std::string> lines = banner_lines(launch);
  std::vector<std::string> scripts;
  for (const LaunchPhase& laid : launch.phases) scripts.push_back(laid.script());
  lines.insert(lines.begin() + 1, "All phases, one after another; run it again to resume.");
  lines.emplace_back(
      "Exit codes: 0 done, 6 gate failed, 75 stopped (rerun to resume), 78 input missing, 124 time limit reached.");
  return {run_name(launch), "#!/usr/bin/env bash\n" + comments(lines) + in_turn(scripts), true};
}

/// "GPUPLAN_NODES=2 GPUPLAN_NODE_RANK=0 GPUPLAN_MASTER_ADDR=HOST0 bash run.sh" for each machine.
void start_commands(const std::string& script, int nodes, bool own_code, std::vector<std::string>& next,
                    const std::string& more = "") {
  const std::string code = own_code ? "GPUPLAN_CODE=~/PROGRAM " : "";
  if (nodes == 1) {
    next.push_back(code + "bash " + script + "  # on the machine" + more +
                   (own_code ? "; ~/PROGRAM = folder your commands run in" : ""));
    return;
  }
  for (int rank = 0; rank < nodes; ++rank) {
    std::string line = code + "GPUPLAN_NODES=" + std::to_string(nodes);
    line += " GPUPLAN_NODE_RANK=" + std::to_string(rank);
    line += " GPUPLAN_MASTER_ADDR=\"$FIRST\" bash " + script;
    line += "  # on machine " + std::to_string(rank) + "; FIRST is the address of machine 0";
    next.push_back(std::move(line));
  }
}

}  // namespace

Result<LaunchSet> bash_launcher(const Launch& launch) {
  LaunchSet set;
  const auto required = required_variables(launch);
  if (!required) return std::unexpected(required.error());
  set.next = export_lines(launch, *required);
  int most_nodes = 1;
  const bool own_code =
      std::ranges::any_of(launch.phases, [](const LaunchPhase& laid) { return brings_code(*laid.phase); });
  for (const LaunchGroup& group : launch.groups) most_nodes = std::max(most_nodes, group.lease->nodes);
  if (launch.smoke) {
    auto trial = smoke_script(launch, TrialFrom::kMachine);
    if (!trial) return std::unexpected(trial.error());
    set.files.push_back(*std::move(trial));
    if (launch.one_script.empty()) set.files.push_back(run_script(launch));
    start_commands("smoke.sh", most_nodes, own_code, set.next, ": PASS, FAIL or SKIP for each stage");
    if (most_nodes > 1) set.notes.emplace_back(kShared);
    return set;
  }
  if (!launch.one_script.empty()) {
    start_commands(launch.one_script, 1, own_code, set.next);
  } else if (launch.groups.size() <= 1) {
    set.files.push_back(run_script(launch));
    start_commands(run_name(launch), most_nodes, own_code, set.next);
    if (most_nodes == 1 && launch.plan.at_once > 1)
      set.notes.emplace_back("The plan runs phases in parallel; " + run_name(launch) +
                             " runs them one after another, which takes longer.");
  } else {
    for (const LaunchPhase& laid : launch.phases)
      if (laid.group < 0) set.next.push_back("bash " + laid.script() + "  # on your own machine, in this order");
    for (const LaunchGroup& group : launch.groups) {
      set.files.push_back(group_script(launch, group));
      start_commands(group.slug + ".sh", group.lease->nodes, own_code, set.next);
    }
    set.notes.emplace_back(
        "The plan rents machines " + std::to_string(launch.groups.size()) +
        " times: put GPUPLAN_RUNS on shared storage, or copy the runs of the phases each one needs to it.");
  }
  if (most_nodes > 1) set.notes.emplace_back(kShared);
  const bool amd = std::ranges::any_of(launch.phases, [](const LaunchPhase& laid) {
    const auto& node = laid.part->estimate->node;
    return node && node->gpu != nullptr && node->gpu->vendor == "amd";
  });
  set.next.push_back("watch -n 1 " + std::string(amd ? "rocm-smi" : "nvidia-smi") +
                     "  # GPU utilization should be 95% or more after the first steps");
  set.next.emplace_back("tail -f runs/*/log.txt  # logs; runs/*/summary.txt is written at the end of each phase");
  return set;
}

}  // namespace gpuplan
