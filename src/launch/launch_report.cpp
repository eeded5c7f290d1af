#include "launch/launch_report.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "launch/script/phase_script.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// The command and what is said of it.
std::pair<std::string, std::string> split_note(const std::string& line) {
  const std::size_t at = line.find("  # ");
  return at == std::string::npos ? std::pair{line, std::string()} : std::pair{line.substr(0, at), line.substr(at + 4)};
}

/// What to type: commands with their notes beside them, above them where commands are long. A command is one line, to
/// be copied.
std::string next_text(const std::vector<std::string>& lines, const Screen& screen) {
  constexpr int kLong = 60;
  const bool beside = std::ranges::all_of(
      lines, [](const std::string& line) { return display_width(split_note(line).first) <= kLong; });
  Table table({{""}, {"", Align::kLeft, 0, 20, true}});
  std::string text;
  for (const std::string& line : lines) {
    const auto [command, note] = split_note(line);
    if (beside) table.add({{command, Paint::kBold}, {note, Paint::kDim}});
    else
      text += (note.empty() ? "" : "  " + painted("# " + note, Paint::kDim, screen) + "\n") + "  " +
              painted(command, Paint::kBold, screen) + "\n";
  }
  return beside ? table.text(screen) : text;
}

std::string checks_text(const std::vector<ScriptCheck>& checks, const Screen& screen) {
  std::string text = "\n" + heading("Checks", screen);
  Table table({{"VALIDATOR"}, {"FILES", Align::kRight}, {"RESULT"}});
  std::vector<std::string> validators;
  for (const ScriptCheck& check : checks)
    if (std::ranges::find(validators, check.validator) == validators.end()) validators.push_back(check.validator);
  for (const std::string& validator : validators) {
    int passed = 0;
    int failed = 0;
    bool missing = false;
    for (const ScriptCheck& check : checks) {
      if (check.validator != validator) continue;
      passed += check.result == ScriptCheck::Result::kPassed ? 1 : 0;
      failed += check.result == ScriptCheck::Result::kFailed ? 1 : 0;
      missing = missing || check.result == ScriptCheck::Result::kMissing;
    }
    table.add({validator, missing ? "–" : std::to_string(passed + failed),
               missing      ? Cell("not installed or not responding: not checked", Paint::kYellow)
               : failed > 0 ? Cell(std::to_string(failed) + " failed", Paint::kRed)
                            : Cell("passed", Paint::kGreen)});
  }
  text += table.text(screen);
  for (const ScriptCheck& check : checks)
    if (check.result == ScriptCheck::Result::kFailed)
      text += paragraph(check.validator + ": " + check.file + ": " + check.message, screen, 2, 4, Paint::kRed);
  return text;
}

void write_checks(JsonWriter& json, const std::vector<ScriptCheck>& checks) {
  constexpr std::string_view kWords[] = {"passed", "failed", "missing"};
  json.key("checks").begin_array();
  for (const ScriptCheck& check : checks) {
    json.begin_object(true).member("validator", check.validator);
    if (check.file.empty()) json.null_member("file");
    else json.member("file", check.file);
    json.member("result", kWords[static_cast<int>(check.result)]);
    if (check.message.empty()) json.null_member("message");
    else json.member("message", check.message);
    json.end();
  }
  json.end();
}

}  // namespace

std::string plans_index(const LaunchReport& report, const std::string& top) {
  const auto folder_of = [&](const WrittenFolder& written) {
    return written.path.substr(std::min(top.size() + 1, written.path.size()));
  };
  std::string text = "# " + markdown_text(printable(report.job)) + ": " + std::to_string(report.folders.size()) +
                     " plans for " + report.launcher +
                     "\n\nIn the order of gpuplan plan; times and costs are P50 (P10–P90).\n\n"
                     "| PLAN | MACHINES | TIME | COST | MEETS | FOLDER |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const WrittenFolder& written : report.folders) {
    const Plan& plan = written.launch->plan;
    std::string meets;
    if (plan.chance_in_time) meets = "deadline " + chance_words(*plan.chance_in_time);
    if (plan.chance_in_budget)
      meets += (meets.empty() ? "" : ", ") + std::string("budget ") + chance_words(*plan.chance_in_budget);
    text += "| " + plan.id + " | " + markdown_text(printable(written.launch->plan_name)) + " | " +
            hours_range(plan.hours) + " | " + range_words(plan.cost) + " | " + (meets.empty() ? "–" : meets) + " | `" +
            folder_of(written) + "/` |\n";
  }
  text += "\n## What to type\n";
  for (const WrittenFolder& written : report.folders) {
    text += "\n### " + markdown_text(printable(written.launch->plan_name)) + "\n\n    cd " + folder_of(written) + "\n";
    for (const std::string& line : written.folder.next) text += "    " + line + "\n";
  }
  return text;
}

std::string launch_text(const LaunchReport& report, const Screen& screen) {
  std::string text;
  if (report.folders.size() > 1) {
    const std::string& first = report.folders.front().path;
    text += paragraph("Wrote " + std::to_string(report.folders.size()) + " plans, one folder each; " +
                          printable(first.substr(0, first.rfind('/'))) +
                          "/README.md compares them: time, cost and what to type.",
                      screen);
  }
  for (const WrittenFolder& written : report.folders) {
    if (!text.empty()) text += "\n";
    const Launch& launch = *written.launch;
    const std::vector<std::string> banner = banner_lines(launch);
    text += heading(banner.front(), screen);
    for (std::size_t i = 1; i + 1 < banner.size(); ++i) text += paragraph(banner[i], screen);
    text += "\n" + paragraph("Wrote " + std::to_string(written.folder.files.size()) + " files to " +
                                 printable(written.path) + "/. Nothing was started or rented.",
                             screen);
    for (const std::string& note : written.folder.notes) text += paragraph(note, screen);
    text += "\n" + heading("Next, in " + printable(written.path), screen);
    text += next_text(written.folder.next, screen);
    if (report.checked) text += checks_text(written.checks, screen);
  }
  return text;
}

std::string launch_json(const LaunchReport& report) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/launch@1").member("job", report.job).member("to", report.launcher);
  json.key("folders").begin_array();
  for (const WrittenFolder& written : report.folders) {
    json.begin_object().member("path", written.path).member("plan", written.launch->plan.id);
    json.member("label", written.launch->plan_name).key("files").begin_array();
    for (const LaunchFile& file : written.folder.files)
      json.begin_object(true)
          .member("path", file.path)
          .member("bytes", file.text.size())
          .member("executable", file.executable)
          .end();
    json.end().member("notes", written.folder.notes);
    json.key("next").begin_array();
    for (const std::string& line : written.folder.next) {
      const auto [command, note] = split_note(line);
      json.begin_object(true).member("command", command).member("note", note).end();
    }
    json.end();
    if (report.checked) write_checks(json, written.checks);
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
