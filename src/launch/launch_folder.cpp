#include "launch/launch_folder.h"

#include <algorithm>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "launch/script/phase_script.h"
#include "launch/to/cloud.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"
#include "plan/notes/command_text.h"
#include "plan/strategy/checkpoints.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongestLine = 2000;

/// Slugs of phases whose command is not known to find its checkpoints.
std::vector<std::string> starts_anew(const Launch& launch) {
  std::vector<std::string> slugs;
  for (const LaunchPhase& laid : launch.phases)
    if (!command_resumes(*laid.phase)) slugs.push_back(laid.slug);
  return slugs;
}

/// Slugs of phases whose program, which gpuplan chose, goes on from no checkpoint.
std::vector<std::string> never_resumes(const Launch& launch) {
  std::vector<std::string> slugs;
  for (const LaunchPhase& laid : launch.phases)
    if (begins_anew(launch, laid)) slugs.push_back(laid.slug);
  return slugs;
}

/// What comes of starting a script of several phases again.
std::string started_again(const Launch& launch) {
  const std::vector<std::string> anew = slugs_begun_anew(launch);
  return anew.empty() ? ". Start again: it resumes"
                      : ". Start again: what is done is skipped, and " + listed(anew) +
                            (anew.size() == 1 ? " begins anew" : " begin anew");
}

/// Where a phase keeps part of its state in the memory of its machines: what these must have, or it dies there.
void add_host_memory(const Launch& launch, std::vector<std::string>& notes) {
  for (const LaunchPhase& laid : launch.phases) {
    const PhaseEstimate& estimate = *laid.part->estimate;
    if (estimate.strategy.offload == Offload::kNone || estimate.host_memory <= Bytes{}) continue;
    notes.push_back(laid.slug + " keeps " + offloaded_words(estimate.strategy.offload) +
                    " in CPU memory: " + (laid.nodes > 1 ? "each" : "the") + " machine must have " +
                    gib_text(estimate.host_memory) + " GiB of RAM.");
  }
}

/// Where a phase's checkpoints are said to go, and nothing brings them there.
void add_unserved_places(const Launch& launch, const Launcher& launcher, std::vector<std::string>& notes) {
  const auto bucket = launcher.mounts_bucket ? bucket_of(launch.job) : std::nullopt;
  std::vector<std::string> told;
  for (const LaunchPhase& laid : launch.phases) {
    const CheckpointRule& rule = defaults_of(launch.job, *laid.phase).checkpoint;
    if (laid.part->estimate->checkpoint_bytes <= Bytes{} || !leaves_machine(rule)) continue;
    if (bucket && (rule.to + "/").starts_with(bucket->scheme + "://" + bucket->name + "/")) continue;
    if (std::ranges::find(told, rule.to) != told.end()) continue;
    told.push_back(rule.to);
    notes.push_back("Nothing copies checkpoints to " + printable(rule.to, 120) +
                    " (checkpoint.to): they stay in the checkpoints folder of each run. Copy them from there yourself" +
                    (launcher.mounts_bucket ? "." : ", or take --to skypilot, which mounts a bucket for the runs."));
  }
}

/// What has to be there before a phase is started, and what being stopped costs.
std::vector<std::string> before_the_start(const Launch& launch, const Launcher& launcher) {
  std::vector<std::string> gated, notes = launch.notes;
  for (const LaunchPhase& laid : launch.phases)
    if (laid.gated) gated.push_back(laid.slug);
  if (!gated.empty())
    notes.push_back("Where " + listed(gated) + (gated.size() == 1 ? " runs" : " run") +
                    ", gpuplan must be installed, since gpuplan check decides the gate (stop here unless the success "
                    "criteria are met). Put it on the PATH, in this folder (it is copied to rented machines), or set "
                    "GPUPLAN=/path/to/gpuplan. GPUPLAN_GATE=hand leaves the gate to you.");
  if (!launch.smoke) add_host_memory(launch, notes);
  if (!launch.smoke) add_unserved_places(launch, launcher, notes);
  if (launch.smoke)
    notes.emplace_back(
        "The trial prints PASS, FAIL or SKIP for each stage; its figures of time and cost are small ones, "
        "and say nothing of the plan's.");
  for (const LaunchPhase& laid : launch.phases)
    if (const std::string how = how_started(launch, laid); !how.empty()) notes.push_back(laid.slug + ": " + how);
  if (const std::vector<std::string> slugs = starts_anew(launch); !slugs.empty())
    notes.push_back("After an interruption, " + listed(slugs) + (slugs.size() == 1 ? " restarts" : " restart") +
                    " from scratch, unless the program finds its own checkpoints: the command does not use "
                    "{checkpoints}, the checkpoint folder of the run.");
  if (const std::vector<std::string> slugs = never_resumes(launch); !slugs.empty())
    notes.push_back(
        "After an interruption, " + listed(slugs) + (slugs.size() == 1 ? " restarts" : " restart") +
        " from scratch: TRL's programs do not resume. For supervised fine-tuning, args: {program: own} in the "
        "job takes a program that does.");
  return notes;
}

}  // namespace

std::vector<std::string> slugs_begun_anew(const Launch& launch) {
  std::vector<std::string> slugs = starts_anew(launch);
  std::ranges::move(never_resumes(launch), std::back_inserter(slugs));
  for (const LaunchPhase& laid : launch.phases)
    if (starts_over(*laid.phase) && !laid.phase->checkpoint) slugs.push_back(laid.slug);
  return slugs;
}

std::string use_of(const Launch& launch, const LaunchFile& file) {
  const std::string& path = file.path;
  if (path == launch.one_script)
    return "the whole job: what is planned and expected, setup, run, check, next" + started_again(launch);
  if (path == "smoke.sh")
    return "the trial: starts the work, stops it, starts it again, checks it; a line for each stage";
  for (const LaunchPhase& laid : launch.phases)
    if (path == laid.script())
      return "phase " + printable(laid.phase->name, 60) + " alone, on the machine it is started on; to read what runs";
  for (const LaunchGroup& group : launch.groups)
    if (path == group.slug + ".sh")
      return launch.smoke ? "the trial on one machine: each phase is started, stopped, started again, checked"
                          : "the phases of one machine, in turn";
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name == "submit.sh")
    return "submits all phases, each after what it needs; again after a failure: only what is left";
  if (name.starts_with("rent")) return "rents the machine; without an argument it only prints what it would do";
  if (path.ends_with(".sbatch")) return "batch job of a phase, handed in by submit.sh";
  if (path.find('/') == std::string::npos && path.ends_with(".sh"))
    return "all phases on this machine, in turn" + started_again(launch);
  return "";
}

namespace {

/// A line for each script that somebody may start or hand in.
std::string index_of_scripts(const Launch& launch, const LaunchFolder& folder) {
  std::string text;
  for (const LaunchFile& file : folder.files)
    if (const std::string use = use_of(launch, file); !use.empty()) text += "- `" + file.path + "`: " + use + ".\n";
  return text;
}

std::string readme(const Launch& launch, const Launcher& launcher, const LaunchFolder& folder) {
  std::string text = "# " + markdown_text(printable(launch.job.name)) + "\n\n";
  for (const std::string& line : banner_lines(launch)) text += "    " + line + "\n";
  text += "\n## Start it\n\n";
  for (const std::string& line : folder.next) text += "    " + line + "\n";
  if (!launch.smoke)
    text += "\nTo try these scripts first, in minutes and with a small model:\n\n    " +
            printable(launch.command, kLongestLine) + " --smoke -o trial\n";
  if (!folder.notes.empty()) text += "\n## Know before\n\n";
  for (const std::string& note : folder.notes) text += "- " + markdown_text(note) + "\n";
  text += "\n## Phases\n\n";
  for (const LaunchPhase& laid : launch.phases) {
    text += "### " + laid.slug + "\n\n";
    for (const std::string& line : banner_lines(launch, laid))
      if (!line.starts_with("written by ")) text += "    " + line + "\n";  // stands above
    text += "\n";
    const std::vector<std::string> notes = work_notes(launch, laid);
    for (const std::string& note : notes) text += "- " + markdown_text(printable(note, 600)) + "\n";
    if (!notes.empty()) text += "\n";
  }
  const std::vector<std::string> anew = slugs_begun_anew(launch);
  text +=
      "## Files\n\n" + index_of_scripts(launch, folder) + "- `phases/` holds " +
      (launch.one_script.empty() ? "a script for each phase, the same under every launcher (this is " +
                                       std::string(launcher.name) + "), and what it reads"
                                 : std::string("what the script reads: programs and settings")) +
      "; `plan.json` the plan.\n"
      "- Runs are stored in `runs/PHASE/` (or under `GPUPLAN_RUNS`): `log.txt`, `checkpoints/`, `gpus-0.csv`, "
      "`summary.txt` at the end, `check.txt` with the result of `gpuplan check`, and `done` when the phase has "
      "passed.\n"
      "- Stopped by a signal (SIGTERM, SIGUSR1), a phase writes a checkpoint and exits with 75; the next start resumes "
      "from it" +
      (anew.empty() ? std::string() : ", but " + listed(anew) + (anew.size() == 1 ? " begins anew" : " begin anew")) +
      ".\n"
      "- Exit codes: 0 done, 6 gate failed, 75 stopped (rerun to resume), 78 input missing, 124 time limit reached.\n";
  return text;
}

}  // namespace

Result<LaunchFolder> launch_folder(const Launch& launch, const Launcher& launcher, std::string plan_json) {
  LaunchFolder folder;
  folder.files.push_back({"plan.json", std::move(plan_json)});
  if (launch.one_script.empty()) folder.files.push_back(shared_script());
  auto set = launcher.make(launch);
  if (!set) return std::unexpected(set.error());
  for (const LaunchPhase& laid : launch.phases) {
    auto files = phase_files(launch, laid, set->frame);
    if (!files) return std::unexpected(files.error());
    std::ranges::move(*files, std::back_inserter(folder.files));
  }
  std::ranges::move(set->files, std::back_inserter(folder.files));
  for (const std::string& line : set->next) folder.next.push_back(printable(line, kLongestLine));
  std::vector<std::string> notes = before_the_start(launch, launcher);
  std::ranges::move(set->notes, std::back_inserter(notes));
  for (const std::string& note : notes) folder.notes.push_back(printable(note, kLongestLine));
  folder.files.insert(folder.files.begin(), {"README.md", readme(launch, launcher, folder)});
  return folder;
}

}  // namespace gpuplan
