#include "laws/launchable.h"

#include <set>

#include "launch/launch_folder.h"
#include "launch/to/launchers.h"
#include "launch/work/work.h"
#include "laws/figures.h"
#include "output/answer/plan_json.h"

namespace gpuplan::laws {

std::string wrong_error(const Error& error) {
  if (error.message.empty()) return "an error without words";
  for (const char c : error.message)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return "an error of several lines: " + error.message;
  return "";
}

std::string wrong_folders(const Answer& answer) {
  const Plan* pick = answer.pick();
  if (pick == nullptr) return "";
  const auto launch =
      lay_out(answer.searched.job, *pick, answer.catalogue(), answer.report->name(*pick), "gpuplan launch job.yaml");
  if (!launch) return wrong_error(launch.error());
  for (const Launcher& launcher : launchers()) {
    PlanJsonLook look;
    look.launched = pick;
    const auto folder = launch_folder(*launch, launcher, plan_json(*answer.report, look));
    const std::string name(launcher.name);
    if (!folder) {
      if (std::string words = wrong_error(folder.error()); !words.empty()) return name + ": " + words;
      continue;
    }
    std::set<std::string> paths;
    for (const LaunchFile& file : folder->files) {
      if (!paths.insert(file.path).second) return name + ": two files are called " + file.path;
      if (file.path.empty() || file.path.front() == '/' || file.path.find("..") != std::string::npos)
        return name + ": a file called " + file.path;
      if (file.text.find('\0') != std::string::npos) return name + ": " + file.path + " holds a zero byte";
      // Scripts test for nan themselves; documents and tables do not name it.
      if (file.path.ends_with(".json") || file.path.ends_with(".md"))
        if (std::string words = wrong_words(file.text); !words.empty()) return name + ": " + file.path + ": " + words;
    }
  }
  return "";
}

}  // namespace gpuplan::laws
