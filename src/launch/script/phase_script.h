// The script of one phase, and the script of one machine that runs its phases in turn: bash, the same under every
// launcher.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// Exit codes of phase scripts. 0: done, and the gate passed.
inline constexpr int kGateClosed = 6;    ///< a condition of succeed_when does not hold: what needs it must not start
inline constexpr int kComeBack = 75;     ///< stopped to be started again (preemption, time limit): it resumes
inline constexpr int kNotPrepared = 78;  ///< a variable, a file or a manual step is missing
inline constexpr int kTimeIsUp = 124;    ///< stopped at its time limit, as timeout(1) says it

/// What a launcher adds to the one script that holds all.
struct ScriptFrame {
  std::string head;                   ///< comments right below the first line: what a batch system is asked for
  std::string figures;                ///< variables that `functions` read
  std::string functions;              ///< what it has beside lib.sh, which they follow
  std::string start = "run_phase\n";  ///< the last line
};

/// `phases/SLUG.sh` and the files that it reads, lib.sh aside. Started by hand it runs on this machine; a launcher
/// tells it of others by GPUPLAN_NODES, GPUPLAN_NODE_RANK and GPUPLAN_MASTER_ADDR, where runs lie by GPUPLAN_RUNS
/// (default: `runs` beside the scripts), where the job's own commands start from by GPUPLAN_CODE (default: the current
/// folder), and when to stop by GPUPLAN_LIMIT (seconds, 0: never).
Result<std::vector<LaunchFile>> phase_files(const Launch& launch, const LaunchPhase& phase,
                                            const ScriptFrame& frame = {});

/// A template without the lines before its first empty one: what it wants set, and what lib.sh has too.
std::string without_header(std::string_view text);

/// `phases/lib.sh`, which the scripts of all phases share.
LaunchFile shared_script();

/// The body of a script that runs these scripts beside it in turn and ends with the first that does not end with 0.
std::string in_turn(const std::vector<std::string>& scripts);

/// `SLUG.sh`, which runs the phases of one group in turn and stops at a closed gate; exits as they do. Of a trial it
/// stops each of them once, too (smoke_script.h).
LaunchFile group_script(const Launch& launch, const LaunchGroup& group);

/// Predictions of a phase for the head of its script: time, cost, memory, criteria of success. One line each, safe in
/// comments.
std::vector<std::string> banner_lines(const Launch& launch, const LaunchPhase& phase);
/// The same of a whole plan.
std::vector<std::string> banner_lines(const Launch& launch);

/// What the phase's script says of its program: which one runs, what is assumed, how it resumes.
std::vector<std::string> work_notes(const Launch& launch, const LaunchPhase& phase);
/// Whether the program that gpuplan chose for the phase starts from scratch after an interruption.
bool begins_anew(const Launch& launch, const LaunchPhase& phase);
/// How the command of the job is started, where that may surprise; "" elsewhere.
std::string how_started(const Launch& launch, const LaunchPhase& laid);

/// "28 min (20 min … 39 min)".
std::string hours_range(const Outcome<Seconds>& hours);

/// The lines as comments.
std::string comments(const std::vector<std::string>& lines, std::string_view sign = "# ");

}  // namespace gpuplan
