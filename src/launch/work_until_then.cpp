// Only the job's own command; src/launch/work.cpp takes its place.
#include "launch/work.h"
#include "plan/profiles.h"

namespace gpuplan {

Result<Work> phase_work(const Launch&, const LaunchPhase& laid) {
  Work work;
  const auto* cpu = std::get_if<CpuPhase>(&laid.phase->work);
  const std::string command = cpu != nullptr ? cpu->command : filled_command(*laid.phase, laid.part->estimate, "");
  if (!command.empty()) work.command.push_back(command);
  work.user_command = true;
  return work;
}

}  // namespace gpuplan
