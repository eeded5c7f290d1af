#include "launch/work/setting_lines.h"

#include <algorithm>
#include <cmath>

#include "base/shell/shell_text.h"
#include "base/text.h"

namespace gpuplan {
namespace {

/// YAML 1.1 reads 2e-05 as a text: a point makes it a number.
std::string yaml_number(double value) {
  std::string text = number_text(value);
  const std::size_t power = text.find('e');
  if (text.find('.') != std::string::npos) return text;
  return power == std::string::npos ? text + ".0" : text.insert(power, ".0");
}

bool plain_key(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

/// What stands for an argument: 8 stays a whole number, "true" becomes a truth.
std::string argument_text(const std::string& value) {
  if (iequals(value, "true") || iequals(value, "false")) return iequals(value, "true") ? "true" : "false";
  const auto number = argument_number(value);
  if (!number) return string_literal(value);
  const bool whole = std::abs(*number) < 1e15 && *number == std::floor(*number);
  return whole ? std::to_string(static_cast<long long>(*number)) : yaml_number(*number);
}

}  // namespace

SettingLines& SettingLines::set(std::string_view key, double value) { return raw(key, yaml_number(value)); }

SettingLines& SettingLines::set(std::string_view key, std::string_view value) {
  return raw(key, string_literal(value));
}

SettingLines& SettingLines::set(std::string_view key, const std::vector<std::string>& values) {
  std::vector<std::string> literals;
  for (const std::string& value : values) literals.push_back(string_literal(value));
  return raw(key, "[" + join(literals, ", ") + "]");
}

SettingLines& SettingLines::raw(std::string_view key, const std::string& value) {
  if (std::ranges::find(taken_, key) == taken_.end()) text_ += std::string(key) + ": " + value + "\n";
  return *this;
}

SettingLines& SettingLines::take_arguments(const std::vector<PassedOn>& passed) {
  for (const auto& [name, value] : passed) {
    raw(plain_key(name) ? name : string_literal(name), argument_text(value));
    taken_.push_back(name);
  }
  return *this;
}

void keep_checkpoints(SettingLines& lines, const WorkPlace& place) {
  if (const int keep = place.estimate().keep_checkpoints; keep > 0) lines.set("save_total_limit", keep);
}

void place_settings(const WorkPlace& place, std::string_view file, Work& work) {
  work.files.push_back(program(place, "place_settings.py"));
  work.command.push_back("python3 " + file_word("place_settings.py") + " " + file_word(file) + " \"$GPUPLAN_RUN_DIR/" +
                         std::string(file) + "\"");
}

}  // namespace gpuplan
