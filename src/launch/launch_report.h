// What `gpuplan launch` says: what it wrote, what to type next, what validators found.
#pragma once

#include <string>
#include <vector>

#include "launch/launch_folder.h"
#include "output/text/style.h"

namespace gpuplan {

/// What a validator says of one file, or that it is not installed.
struct ScriptCheck {
  enum class Result { kPassed, kFailed, kMissing };
  std::string validator;  ///< "shellcheck"
  std::string file;       ///< empty: for all files of its kind
  Result result = Result::kPassed;
  std::string message;  ///< its first line when it fails, printable
};

/// One folder that was written, or would be.
struct WrittenFolder {
  std::string path;
  const Launch* launch = nullptr;
  LaunchFolder folder;
  std::vector<ScriptCheck> checks;
};

struct LaunchReport {
  std::string job, launcher;
  std::vector<WrittenFolder> folders;
  bool checked = false;
};

/// What stands in README.md above the folders of several plans: a table of time and cost, and how each is started.
std::string plans_index(const LaunchReport& report, const std::string& top);

std::string launch_text(const LaunchReport& report, const Screen& screen);
std::string launch_json(const LaunchReport& report);  ///< "gpuplan/launch@1"

}  // namespace gpuplan
