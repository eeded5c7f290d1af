#include "launch/launch_folder.h"

#include <algorithm>

#include "base/shell_text.h"
#include "base/text.h"
#include "launch/phase_script.h"
#include "output/table.h"

namespace gpuplan {
namespace {

std::string readme(const Launch& launch, const Launcher& launcher, const LaunchFolder& folder) {
  std::string text = "# " + markdown_text(printable(launch.job.name)) + "\n\n";
  for (const std::string& line : banner_lines(launch)) text += "    " + line + "\n";
  text += "\n## Start it\n\n";
  for (const std::string& line : folder.next) text += "    " + line + "\n";
  if (!folder.notes.empty()) text += "\n## Know before\n\n";
  for (const std::string& note : folder.notes) text += "- " + markdown_text(note) + "\n";
  text += "\n## Phases\n\n";
  for (const LaunchPhase& laid : launch.phases) {
    text += "### " + laid.slug + "\n\n";
    for (const std::string& line : banner_lines(launch, laid)) text += "    " + line + "\n";
    text += "\n";
  }
  text +=
      "## Where things lie\n\n"
      "- `phases/` holds a script for each phase, the same under every launcher (this is " +
      std::string(launcher.name) +
      "), and what it reads; `plan.json` the plan.\n"
      "- Runs lie in `runs/PHASE/` (or under `GPUPLAN_RUNS`): `log.txt`, `checkpoints/`, `gpus-0.csv`, `summary.txt` "
      "at the end, `check.txt` "
      "with what `gpuplan check` says of the log, and `done` when the phase has passed.\n"
      "- Stopped by a signal (SIGTERM, SIGUSR1) a phase has time to write a checkpoint and ends with 75; started again "
      "it goes on from there.\n"
      "- Exit codes: 0 done, 6 the gate stays closed, 75 start it again, 78 something is missing.\n";
  return text;
}

}  // namespace

Result<LaunchFolder> launch_folder(const Launch& launch, const Launcher& launcher, std::string plan_json) {
  LaunchFolder folder;
  folder.files.push_back({"plan.json", std::move(plan_json)});
  folder.files.push_back(shared_script());
  for (const LaunchPhase& laid : launch.phases) {
    auto files = phase_files(launch, laid);
    if (!files) return std::unexpected(files.error());
    std::ranges::move(*files, std::back_inserter(folder.files));
  }
  auto set = launcher.make(launch);
  if (!set) return std::unexpected(set.error());
  std::ranges::move(set->files, std::back_inserter(folder.files));
  constexpr std::size_t kLongest = 2000;
  for (const std::string& line : set->next) folder.next.push_back(printable(line, kLongest));
  for (const std::string& note : set->notes) folder.notes.push_back(printable(note, kLongest));
  folder.files.insert(folder.files.begin(), {"README.md", readme(launch, launcher, folder)});
  return folder;
}

}  // namespace gpuplan
