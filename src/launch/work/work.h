// What runs inside a phase's script: the command of its framework with the plan's numbers filled in, and the files that
// it reads.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// Data on a machine's disk before the work starts.
struct PreparedData {
  bool fetches = false;       ///< they are fetched whole, unless DATA is a file or folder; else read as they come
  Bytes fetched{};            ///< how much that is; 0: as the plan has it
  double copies = 0;          ///< of them that are made besides
  double bytes_a_token = 0;   ///< of what is made of each token
  std::string place = "hub";  ///< DiskPart::place
};

/// Shell lines see these variables, all set and exported by the phase's script (launch/script/phase_script.h):
///   GPUPLAN_NODES, GPUPLAN_NODE_RANK, GPUPLAN_GPUS (of this machine), GPUPLAN_MASTER_ADDR, GPUPLAN_MASTER_PORT,
///   GPUPLAN_RUN_DIR (of the phase: logs, results), GPUPLAN_CHECKPOINTS (folder inside of it),
///   GPUPLAN_FILES (folder that `files` lie in, beside the scripts).
struct Work {
  std::vector<LaunchFile> files;     ///< "phases/02-sft/train.py": programs and settings the command reads
  std::vector<std::string> prepare;  ///< shell lines run on every machine first: packages of the framework
  std::vector<std::string>
      checks;  ///< shell lines run at each start before the work: end with 78 where something is missing
  std::vector<std::string> finish;   ///< shell lines run once after the work, on the first machine
  std::vector<std::string> command;  ///< shell lines; the last of them is started in the background and waited for
  std::vector<std::string>
      required;                    ///< variables the user must set, "DATA: a JSON-lines file with ...", checked first
  std::vector<std::string> notes;  ///< sentences for the head of the script: what is assumed, how it resumes
  PreparedData data;
  int log_machine = 0;         ///< the machine whose log tells of the training
  bool resumes = false;        ///< started again, it goes on from the newest of GPUPLAN_CHECKPOINTS
  bool saves_late = false;     ///< told to stop, it writes no checkpoint: it goes on from the last one before
  bool begins_anew = false;    ///< started again, it does not, and gpuplan chose it: trl sft
  bool never_resumes = false;  ///< the same of a command of the job that is known: TRL's
  bool user_command = false;   ///< the job's own `command`
  std::string starts;          ///< a sentence, where what the user wrote is started another way, or may surprise
  std::string unwritten;       ///< why gpuplan writes no program and the user has to name a command; else empty
};

/// Fails (bad input) for a `command` with variables that do not exist.
Result<Work> phase_work(const Launch& launch, const LaunchPhase& phase);

/// The plan laid out for launching, with what its phases read: fails where lay_out_phases() does.
Result<Launch> lay_out(const Job& job, const Plan& plan, const Catalogue& catalogue, std::string plan_name,
                       std::string command);

/// What a plan can not be launched without, known when it is made: phases that gpuplan writes no program for, though
/// they have no `command`, or whose command is wrong, with the reason. A job knows itself where others lack a command.
struct Unwritten {
  std::string phase;
  std::string why;       ///< sentences
  bool refused = false;  ///< launch writes nothing before the job is mended
  /// "The job needs command: for train: why".
  std::string sentence() const;
  bool operator==(const Unwritten&) const = default;
};
std::vector<Unwritten> unwritten(const Job& job, const Plan& plan, const Catalogue& catalogue);

/// One of Work::required, taken apart.
struct RequiredVariable {
  std::string name, what;  ///< `what` may be empty
};
RequiredVariable required_variable(const std::string& entry);

/// Variables that the user must set for any of the phases, "NAME: what", each once.
Result<std::vector<std::string>> required_variables(const Launch& launch);

/// The same, and HF_TOKEN where weights are fetched, as lines of LaunchSet::next: "export NAME=...  # what".
std::vector<std::string> export_lines(const Launch& launch, const std::vector<std::string>& required);

}  // namespace gpuplan
