// How to set a phase up on each kind of machine: what a user would write into a table of profiles by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

/// "rtx-4090", "4x-a100-sxm-80gb", "16x-h100-sxm-2-nodes": what `{profile}` in a job's command stands for.
std::string profile_name(const std::string& gpu, int gpus, int nodes);
inline constexpr const char* kCpuProfile = "cpu";

/// Less than this share of the memory used is worth a remark.
inline constexpr double kUnderUsed = 0.5;

/// The best way to run a phase on one kind of machine.
struct Profile {
  std::string name;
  Machines machines;
  std::optional<PhaseEstimate> best;  ///< nullopt: does not run; `tally` says why
  Tally tally;
  int largest = 0;  ///< sequences at once (micro-batch, or in flight a replica) that still fit; OpenBatch
  /// Where less than kUnderUsed is used and more would fit: how much faster the same work is at `largest_tried`
  /// (0.1: 10 %), the largest power of two that fits.
  std::optional<double> gain;
  int largest_tried = 0;
  bool larger_recomputes = false;  ///< it fits by recomputing activations that `best` keeps

  /// Needed of usable on the fullest GPU, medians; 0 when it does not run.
  double used() const;
};

/// What to test the phase with where there is no GPU. No time is predicted for processors.
struct CpuProfile {
  int micro_batch = 1;
  Bytes state{};  ///< weights, gradients and optimizer states in fp32; activations come on top
};

struct PhaseProfiles {
  int phase = 0;  ///< position in the job
  std::vector<Profile> profiles;
  CpuProfile cpu;
};

/// Profiles of one phase that trains or generates, on each of `machines`. REQUIRES: the phase is of such a kind.
Result<PhaseProfiles> profiles_of(const Job& job, int phase, const Catalogue& catalogue,
                                  const std::vector<Machines>& machines, bool ignore_given, int threads);

/// How much faster (0.1: 10 %) the work of an estimate that is not compiled would be if it was; nullopt when the
/// framework can not, or it is compiled already.
std::optional<double> gain_by_compiling(const Job& job, int phase, const Catalogue& catalogue, const Machines& machines,
                                        const PhaseEstimate& best);

/// The phase's command as the estimate runs it on the machine of that profile: plan/notes/command_text.h. Empty when
/// the phase has no command.
std::string filled_command(const Phase& phase, const PhaseEstimate& estimate, const std::string& profile);

}  // namespace gpuplan
