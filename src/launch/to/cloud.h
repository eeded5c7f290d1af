// What the launchers of clouds and clusters of containers ask for: the machines of a group with limits on price and
// time, the variables its phases need, where its runs lie, and the first lines that a machine runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/hardware/hardware.h"
#include "launch/parts/launch_plan.h"
#include "launch/work/work.h"

namespace gpuplan {

/// The most that one machine of an offer may cost an hour: P90 and some room, and what the job allows; only the latter
/// for machines at hand and offers without a price, where nullopt is no limit.
std::optional<DollarsPerSecond> price_limit(const Job& job, const Offer& offer, bool spot);

/// One group's machines as something to ask for.
struct CloudMachine {
  const Offer* offer = nullptr;
  const Gpu* gpu = nullptr;  ///< of the phase that needs most memory
  int gpus = 0;              ///< of one machine
  int nodes = 1;
  std::string_view framework;  ///< of training, by its catalogue name; Megatron before others; may be empty
  bool spot = false;
  Bytes disk{};  ///< of one machine: what lies there, and room for the image and packages
  Bytes ram{};   ///< of one machine; zero: not known
  int vcpus = 0;
  Bytes host_need{};                              ///< memory of the host by the model, most of the phases
  bool offloads = false;                          ///< a phase keeps part of its state there
  Bytes runs{};                                   ///< checkpoints and results of all phases, with room
  std::optional<DollarsPerSecond> price_limit{};  ///< of one machine: P90 of the offer and room
  Seconds limit{};                                ///< after which the group is stopped from outside
  Seconds grace{};  ///< from the signal to stop to the kill: a step, a checkpoint and a minute
};
/// Fails (bad input) for a group without GPUs that this catalogue knows.
Result<CloudMachine> cloud_machine(const Launch& launch, const LaunchGroup& group);

struct CloudNeeds {
  std::vector<RequiredVariable> required;  ///< names are words of letters, digits and '_'
  bool hub = false;                        ///< weights are fetched: HF_TOKEN may be needed
  bool resumes = true;                     ///< every phase goes on from its checkpoints
  bool own_command = false;                ///< of the job: its programs must be there
  bool manual = false;                     ///< a phase waits for something done by hand
  bool human = false;                      ///< somebody works on the machine
  bool gated = false;                      ///< gpuplan decides on the machine what may start
  bool cpu = false;                        ///< GPUs idle for the length of a whole phase
};
/// Host memory to ask for, in whole GiB and no more than the plan's own machine has; zero: no more is
/// needed than any machine has.
long long asked_memory_gib(const CloudMachine& machine);

/// Variables of any of the groups, each once.
std::vector<RequiredVariable> variables_of(const std::vector<CloudNeeds>& needs);

/// What one group asks for. Fails as cloud_machine() and phase_work().
struct CloudGroup {
  CloudMachine machine;
  CloudNeeds needs;
};
Result<CloudGroup> cloud_group(const Launch& launch, const LaunchGroup& group);

/// A bucket that the job names for its checkpoints or results.
struct Bucket {
  std::string scheme;  ///< "s3" or "gs"
  std::string name;
  std::string folder;  ///< below it, without '/' at its ends; may be empty
};
std::optional<Bucket> bucket_of(const Job& job);

/// A name for objects of a cloud: a letter first, then letters, digits and '-'; told apart when it is cut.
std::string object_name(const Launch& launch, const LaunchGroup& group, std::size_t limit = 60);

/// Lines that a machine runs in the folder with the scripts, before SLUG.sh: what ran on the user's own machine comes
/// along, and gpuplan is found where somebody put it. REQUIRES: GPUPLAN_RUNS is set.
std::vector<std::string> arrival_lines();
/// "exec timeout ... bash SLUG.sh"
std::string guarded_start(const LaunchGroup& group, const CloudMachine& machine);

/// A step by hand before a phase of a group.
struct ManualStep {
  int phase = 0;         ///< position in Launch::phases
  bool between = false;  ///< it comes after another phase of the group: the job ends with kNotPrepared there
  bool first = false;    ///< it comes after no phase of any group
  std::string command;   ///< marks it as done
};
std::vector<ManualStep> manual_steps(const Launch& launch, const LaunchGroup& group);

/// What to type for one group.
struct GroupCommands {
  std::vector<std::string> start;
  std::vector<std::string> again{};  ///< after a step by hand between its phases
  std::vector<std::string> end{};    ///< when all is done
};
/// Commands in their order: phases on the user's own machine, manual steps in their place, and those of each group.
std::vector<std::string> commands_in_order(const Launch& launch, const std::vector<GroupCommands>& groups);
/// The same where machines do not see each other's runs: what a group needs of others has ended before it starts. Fails
/// where two groups need each other; `provider` is for the message.
Result<std::vector<std::string>> commands_apart(const Launch& launch, const std::vector<GroupCommands>& groups,
                                                std::string_view provider);

/// Whether the groups are one chain in which nothing is done by hand or elsewhere after the first has started.
bool is_chain(const Launch& launch);

/// What a machine gets of the folder with the scripts.
enum class Sent { kFolder, kScripts };
/// What holds on every cloud.
std::vector<std::string> cloud_notes(const Launch& launch, const std::vector<CloudNeeds>& needs,
                                     Sent sent = Sent::kFolder);

/// "Limits: PRICE, OTHERS", or that there is none on the price of a group. `priced`: which groups have one.
std::string limits_note(const Launch& launch, const std::vector<bool>& priced, const std::string& price,
                        const std::string& others);

/// On a cluster of one's own: that the price of the plan is what a provider asks, where it is one; empty: it is not.
std::string assumed_price_note(const Launch& launch);

/// Beside a command that starts a group once more.
inline constexpr std::string_view kAgain = "again: phases that are done are passed over";

/// Beside a price limit.
inline constexpr std::string_view kPriceLimitWords =
    "dollars an hour for one machine: 10 % above P90 of the offer, or what the job allows; a dearer one is not taken";

/// Dollars an hour, whole cents.
double dollars_an_hour(DollarsPerSecond price);
/// Whole gigabytes, rounded up.
long long whole_gb(Bytes size);
long long whole_seconds(Seconds time);

}  // namespace gpuplan
