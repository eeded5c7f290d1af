// A settings file of lines "key: value": what axolotl, LLaMA-Factory and TRL read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/work/arguments.h"

namespace gpuplan {

/// Folders and names that are known when the phase starts: marks in the settings, which place_settings.py fills in.
inline constexpr std::string_view kFilesMark = "@GPUPLAN_FILES@";
inline constexpr std::string_view kRunMark = "@GPUPLAN_RUN_DIR@";
inline constexpr std::string_view kModelMark = "@GPUPLAN_BASE_MODEL@";
inline constexpr std::string_view kReportsMark =
    "@GPUPLAN_REPORTS@";  ///< one of a list: becomes as many as REPORT_TO has

/// Lines "key: value". Texts are literals, so that none becomes a number or a key.
class SettingLines {
 public:
  SettingLines& set(std::string_view key, int value) { return raw(key, std::to_string(value)); }
  SettingLines& set(std::string_view key, double value);
  SettingLines& set(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  SettingLines& set(std::string_view key, std::string_view value);
  SettingLines& set(std::string_view key, const char* value) { return set(key, std::string_view(value)); }
  SettingLines& set(std::string_view key, const std::vector<std::string>& values);
  SettingLines& raw(std::string_view key, const std::string& value);
  SettingLines& head(std::string_view key) {
    text_ += std::string(key) + ":\n";
    return *this;
  }
  /// What is set after that under the same name does not count.
  SettingLines& take_arguments(const std::vector<PassedOn>& passed);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::vector<std::string> taken_;  ///< names of arguments
};

/// Without the key everything stays.
void keep_checkpoints(SettingLines& lines, const WorkPlace& place);
/// Puts the folders of this run into the settings, which land in GPUPLAN_RUN_DIR; they come from the environment.
void place_settings(const WorkPlace& place, std::string_view file, Work& work);

}  // namespace gpuplan
