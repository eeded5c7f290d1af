// Slurm: a job of one phase is one script that sbatch takes; several are one batch job for each phase, and a script
// that hands them in with what each waits for.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/amount.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/text/embedded_data.h"
#include "launch/script/phase_script.h"
#include "launch/script/smoke_script.h"
#include "launch/to/cloud.h"
#include "launch/to/launchers.h"
#include "launch/to/slurm_resources.h"
#include "launch/to/slurm_submit.h"
#include "launch/work/work.h"

namespace gpuplan {
namespace {

/// "--partition=gpu" as a line, "" when there is no value.
std::string directive(std::string_view option, const std::string& value) {
  return value.empty() ? "" : "#SBATCH --" + std::string(option) + "=" + value + "\n";
}

std::string gib(Bytes size) { return std::to_string(static_cast<long long>(std::llround(size / units::GiB))) + "G"; }

/// What is asked for, and why it is so much.
std::string directives(const Launch& launch, const LaunchPhase& phase, const SlurmResources& ask) {
  const Offer& offer = *ask.offer;
  std::string text = "#SBATCH --job-name=" + slurm_job_name(launch, phase) + "\n";
  text += directive("partition", offer.partition) + directive("account", offer.account) + directive("qos", offer.qos);
  text += "#SBATCH --nodes=" + std::to_string(phase.nodes) + "\n#SBATCH --ntasks-per-node=1\n";
  if (phase.gpus > 0)
    text += "#SBATCH --gpus-per-node=" + (ask.gpu_type.empty() ? "" : ask.gpu_type + ":") + std::to_string(phase.gpus) +
            "\n";
  if (ask.exclusive)
    text += "# Whole machines are billed: request all CPUs and memory.\n#SBATCH --exclusive\n#SBATCH --mem=0\n";
  if (ask.cpus) {
    if (ask.cpus_assumed)
      text += "# The pool does not list its CPUs: as many per GPU as the smallest known machine with it.\n";
    text += directive("cpus-per-task", std::to_string(*ask.cpus));
  }
  if (ask.memory)
    text +=
        (ask.memory_least ? std::string("# CPU memory: more than predicted, for libraries, data loaders and compilers "
                                        "of each GPU's process.\n")
                          : std::string("# Predicted CPU memory + 25%.\n")) +
        directive("mem", gib(*ask.memory));
  text += "# " + to_text(phase.limit) + " is P90 of the phase plus a margin" +
          (ask.runs > 1 ? "; the pool stops jobs before, so it takes " + std::to_string(ask.runs) + " in a row" : "") +
          ".\n" + directive("time", slurm_time(ask.time));
  if (ask.resumes && ask.saves_late)
    text +=
        "# What runs writes no checkpoint when it is stopped: the job is requeued and goes on from the last one "
        "before.\n";
  else if (ask.resumes)
    text += "# A checkpoint takes " +
            (ask.checkpoint < units::second ? "less than a second" : to_text(ask.checkpoint)) +
            "; Slurm may signal a minute early. Then the job is requeued.\n";
  else
    text +=
        "# What runs cannot go on from a checkpoint: a job that is stopped is not requeued, as it would begin anew.\n";
  text += directive("signal", "B:USR1@" + std::to_string(ask.lead));
  return text + (ask.resumes ? "#SBATCH --requeue\n" : "#SBATCH --no-requeue\n") +
         "#SBATCH --open-mode=append\n#SBATCH --output=%x-%j.out\n";
}

/// Whether it comes back, when it is told, and for how long: what templates/slurm-job.sh reads.
std::string times(const LaunchPhase& phase, const SlurmResources& ask) {
  const Seconds planned = std::max(phase.limit, ask.time * ask.runs);
  return "requeues=" + std::to_string(ask.resumes ? 1 : 0) + "\nlead=" + std::to_string(ask.lead) +
         "\nplanned=" + std::to_string(std::llround(planned / units::second)) + "\n";
}

LaunchFile batch_file(const Launch& launch, const LaunchPhase& phase, const SlurmResources& ask) {
  std::string text = "#!/bin/bash\n" + comments(banner_lines(launch, phase));
  text += directives(launch, phase, ask);
  text += "\n# shellcheck disable=SC1091,SC2034  # job.sh reads the variables\n";
  text += "slug=" + shell_quoted(phase.slug) + "\nscript=" + shell_quoted(phase.script()) +
          "\non_machine=(bash slurm/machine.sh " + shell_quoted(phase.slug) + ")\nhand_in=slurm/submit.sh\n";
  text += "nodes=" + std::to_string(phase.nodes) + "\ngpus=" + std::to_string(phase.gpus) + "\n" + times(phase, ask);
  // Slurm runs a copy of this file, so it can not know where it was.
  text +=
      "cd \"${SLURM_SUBMIT_DIR:-.}\" || exit 78\n[ -f slurm/job.sh ] || cd .. # submitted from slurm/ itself\n"
      "source slurm/job.sh\nrun_job\n";
  return {slurm_batch_file(phase), std::move(text), false};
}

/// What makes the script that holds all a batch job.
ScriptFrame batch_frame(const Launch& launch, const LaunchPhase& phase, const SlurmResources& ask) {
  ScriptFrame frame;
  frame.head = directives(launch, phase, ask) + "#\n";
  frame.figures = "script=" + launch.one_script + "\nhand_in='sbatch " + launch.one_script + "'\n" + times(phase, ask);
  frame.functions = "# ---- as a job of Slurm\n\n" + without_header(embedded_data("templates/slurm-job.sh")) + "\n";
  frame.start = embedded_data("templates/slurm-single.sh");
  return frame;
}

/// The command that hands all in, with an option of sbatch.
std::string hand_in(const Launch& launch, const std::string& option) {
  return launch.one_script.empty() ? "slurm/submit.sh" + (option.empty() ? "" : " " + option)
                                   : "sbatch " + (option.empty() ? "" : option + " ") + launch.one_script;
}

/// Where Slurm's names, processors and partitions come from: each said once.
void note(const Launch& launch, const LaunchPhase& phase, const SlurmResources& ask, std::set<std::string>& notes) {
  const Offer& offer = *ask.offer;
  const auto with_option = [&](const std::string& option) { return hand_in(launch, option); };
  // An option of submit.sh is the same for every job.
  const bool alike = std::ranges::all_of(
      launch.phases, [&](const LaunchPhase& other) { return other.gpus == phase.gpus || other.gpus == 0; });
  if (!ask.gpu_type.empty() && phase.gpus > 0)
    notes.insert("GPU name: " + ask.gpu_type + ". If your cluster uses another (sinfo -o '%P %G'): " +
                 (alike ? with_option("--gpus-per-node=NAME:" + std::to_string(phase.gpus))
                        : "sed -i 's/=" + ask.gpu_type + ":/=NAME:/' slurm/*.sbatch") +
                 ".");
  if (offer.kind == OfferKind::kRented)
    notes.insert(
        "The plan is for rented machines: " + launch.plan_name +
        " is assumed to be a Slurm cluster in that cloud with whole machines of this kind, and no partition is set; " +
        with_option("--partition=NAME") + " names one.");
  if (ask.cpus_assumed)
    notes.insert("CPUs: pool " + printable(offer.label, 60) +
                 " has: " + std::to_string(*ask.cpus / std::max(phase.gpus, 1)) +
                 " per GPU requested, as many as the smallest known machine with " + offer.gpu + ".");
  if (ask.runs > 1 && !ask.resumes)
    notes.insert(phase.slug + " may take longer than the " + to_text(ask.time) +
                 " that a job lasts, and cannot go on from a checkpoint: what it has done by then is lost.");
  else if (ask.runs > 1)
    notes.insert(phase.slug + " needs " + std::to_string(ask.runs) + " jobs of " + to_text(ask.time) +
                 " in a row and requeues itself: " +
                 (ask.saves_late ? "each goes on from the last checkpoint of the one before."
                                 : "it writes a checkpoint before each ends."));
}

}  // namespace

Result<LaunchSet> slurm_launcher(const Launch& launch) {
  LaunchSet set;
  std::set<std::string> notes;
  const auto required = required_variables(launch);
  if (!required) return std::unexpected(required.error());
  set.next = export_lines(launch, *required);
  const bool whole = !launch.one_script.empty();
  for (const LaunchPhase& phase : launch.phases) {
    if (phase.group < 0) continue;
    const LaunchGroup& group = launch.groups[static_cast<std::size_t>(phase.group)];
    if (group.lease->offer->kind == OfferKind::kOwn)
      return failure("phases." + printable(phase.phase->name, 60) + " runs on your own machine " +
                     printable(group.lease->offer->label, 60) +
                     ", which is no pool of a Slurm cluster; use --to bash, or a plan on the pools alone (--plan)");
    if (group.phases.size() > 1 && launch.job.schedule == Schedule::kKeep)
      return failure(
          "schedule: keep holds machines from the first to the last phase, and each phase is a job of its own "
          "in Slurm; use --set schedule=best");
    auto ask = slurm_resources(launch, phase);
    if (!ask) return std::unexpected(ask.error());
    note(launch, phase, *ask, notes);
    if (!whole) {
      set.files.push_back(batch_file(launch, phase, *ask));
      continue;
    }
    set.frame = batch_frame(launch, phase, *ask);
    if (phase.phase->before && !phase.phase->before->text.empty())
      set.next.push_back("mkdir -p runs/" + phase.slug + " && touch runs/" + phase.slug +
                         "/prepared  # when this is done: " + phase.phase->before->text);
  }
  if (!whole) {
    set.files.push_back({"slurm/job.sh", std::string(embedded_data("templates/slurm-job.sh")), false});
    set.files.push_back({"slurm/machine.sh", std::string(embedded_data("templates/slurm-machine.sh")), false});
    set.files.push_back(slurm_submit_script(launch, *required));
  }
  const bool own_code =
      std::ranges::any_of(launch.phases, [](const LaunchPhase& phase) { return brings_code(*phase.phase); });
  if (launch.smoke) {
    auto trial = smoke_script(launch, TrialFrom::kSlurm);
    if (!trial) return std::unexpected(trial.error());
    set.files.push_back(*std::move(trial));
  }
  const std::string code = own_code ? "GPUPLAN_CODE=~/PROGRAM " : "";
  std::string submits = launch.smoke ? "hand it in, stop it, look on: PASS, FAIL or SKIP for each stage"
                        : whole      ? "hand it in"
                                     : "submit all phases, chained";
  if (own_code) submits += "; ~/PROGRAM = folder your commands run in";
  const std::vector<std::string> commands = {
      hand_in(launch, "--test-only") + "  # dry run" + (whole ? "" : " (sbatch --test-only)"),
      code + (launch.smoke ? "bash smoke.sh" : hand_in(launch, "")) + "  # " + submits, "squeue --me  # status",
      "tail -F " + slurm_stem(launch) + "-*.out runs/*/log.txt  # logs",
      "scancel --me --name=" +
          (whole ? slurm_stem(launch) + "  # stop it for good" : "NAME  # cancel one (dependents too)")};
  set.next.insert(set.next.end(), commands.begin(), commands.end());
  set.notes.assign(notes.begin(), notes.end());
  if (std::string note = assumed_price_note(launch); !note.empty()) set.notes.push_back(std::move(note));
  set.notes.emplace_back("This folder must be on shared storage.");
  set.notes.emplace_back(
      "A job that Slurm puts back into the queue waits about two minutes there before it can start (seen with Slurm "
      "22.05).");
  return set;
}

}  // namespace gpuplan
