#include "launch/script/smoke_script.h"

#include <numeric>

#include "base/shell/shell_text.h"
#include "input/text/embedded_data.h"
#include "launch/parts/smoke_job.h"
#include "launch/script/phase_script.h"
#include "launch/work/work.h"

namespace gpuplan {
namespace {

/// Seconds after which a command is stopped that has written no checkpoint.
constexpr const char* kPatience = "\"${GPUPLAN_SMOKE_STOP:-120}\"";
/// Programs that are killed leave what they wrote before: until a checkpoint is whole.
constexpr int kSettle = 3;

/// "trial '01-train' phases/01-train.sh checkpoints 0 1".
Result<std::string> trial_line(const Launch& launch, const LaunchPhase& laid, TrialFrom from) {
  const auto work = phase_work(launch, laid);
  if (!work) return std::unexpected(work.error());
  const std::string script = !launch.one_script.empty()  ? launch.one_script
                             : from == TrialFrom::kSlurm ? "slurm/submit.sh"
                                                         : laid.script();
  const bool generates = std::holds_alternative<GeneratePhase>(laid.phase->work);
  const bool settled = work->user_command || saves_when_stopped(laid);
  std::string line = "trial " + bash_value(laid.slug) + " " + bash_value(script);
  line += generates ? " results " : " checkpoints ";
  line += std::to_string(settled ? 0 : kSettle) + " " + (work->resumes ? "1" : "0");
  return line + (work->user_command ? std::string(" ") + kPatience : "") + " || finish\n";
}

}  // namespace

Result<LaunchFile> smoke_script(const Launch& launch, const std::string& path, const std::vector<int>& phases,
                                TrialFrom from) {
  std::vector<std::string> lines = banner_lines(launch);
  lines.insert(lines.begin() + 1, "A trial of the scripts: setup, data, first steps, stop, resume, check, gate.");
  lines.emplace_back("Exit codes: 0 no stage failed, 1 one did, 75 stopped, 78 input missing.");
  std::string text = "#!/usr/bin/env bash\n" + comments(lines);
  text += "# shellcheck disable=SC2317  # functions are called by name\n";
  text += "cd \"$(dirname \"${BASH_SOURCE[0]}\")\" || exit\n";
  text += embedded_data("templates/smoke.sh");
  text += "\n";
  text += embedded_data(from == TrialFrom::kSlurm ? "templates/smoke-slurm.sh" : "templates/smoke-here.sh");
  text += "\n";
  for (const int position : phases) {
    const auto line = trial_line(launch, launch.phases[static_cast<std::size_t>(position)], from);
    if (!line) return std::unexpected(line.error());
    text += *line;
  }
  return LaunchFile{path, text + "finish\n", true};
}

Result<LaunchFile> smoke_script(const Launch& launch, TrialFrom from) {
  std::vector<int> all(launch.phases.size());
  std::iota(all.begin(), all.end(), 0);
  return smoke_script(launch, "smoke.sh", all, from);
}

}  // namespace gpuplan
