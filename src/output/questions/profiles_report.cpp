#include "output/questions/profiles_report.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// Profiles by what is said of them, in the order of the table: "rtx-4090, l4: fp16: no bf16".
class Grouped {
 public:
  void add(const std::string& words, const std::string& name) {
    if (words.empty()) return;
    const auto same = std::ranges::find(groups_, words, &Group::words);
    if (same == groups_.end()) groups_.push_back({words, {name}});
    else same->names.push_back(name);
  }
  std::vector<std::string> lines(std::size_t most) const {
    std::vector<std::string> result;
    for (const Group& group : groups_) {
      if (result.size() == most) {
        result.push_back("… and " + std::to_string(groups_.size() - most) + " more (--json).");
        break;
      }
      result.push_back(join(group.names, ", ") + ": " + group.words + ".");
    }
    return result;
  }

 private:
  struct Group {
    std::string words;
    std::vector<std::string> names;
  };
  std::vector<Group> groups_;
};

/// Why a profile is not in bf16, where the reader may have expected it.
std::string precision_words(const Profile& profile, const TrainPhase& train) {
  if (!profile.best) return "";
  const Gpu& gpu = *profile.machines.node.gpu;
  const Precision precision = profile.best->strategy.precision;
  const std::string name(name_of(precision));
  if (precision == Precision::kBf16) return "";
  if (train.precision.on(gpu.name, profile.machines.gpus)) return name + ": set in the job";
  return name + ": " + gpu.architecture + " has no bf16" + (precision == Precision::kFp32 ? " and no fp16" : "");
}

std::string compile_words(const Profile& profile, const TrainPhase& train) {
  if (!profile.best || profile.best->framework == nullptr) return "";
  const bool on = profile.best->strategy.compile;
  const auto said = train.compile.on(profile.machines.node.gpu->name, profile.machines.gpus);
  if (on)
    return profile.best->framework->compile
               ? ""
               : "compiled, as set in the job; " + profile.best->framework->name + " may not support it";
  if (said) return "not compiled, as set in the job";
  if (!profile.best->framework->compile)
    return "not compiled: " + profile.best->framework->name + " does not support it";
  return "not compiled (to change: compile: true)";
}

std::string compiling_words(const ProfilesSection& section) {
  return "compile: true would be " + gain_words(*section.gain_by_compiling) + " on " +
         section.found.profiles[*section.picked].name + " (predicted, compile time excluded).";
}

/// What the table had no room for, and why things are as they are.
std::vector<std::string> notes(const ProfilesReport& report, const ProfilesSection& section, const Table& table,
                               const Screen& screen) {
  std::vector<std::string> result;
  const auto take = [&](const Grouped& grouped, std::size_t most) {
    for (std::string& line : grouped.lines(most)) result.push_back(std::move(line));
  };
  const auto dropped = table.dropped(screen);
  const Phase& phase = report.phase(section);
  if (std::ranges::find(dropped, "NOTE") != dropped.end()) {
    // Why something does not run comes first: it is looked for; then the recommended one.
    Grouped bad;
    Grouped under;
    if (section.picked)
      under.add(under_used_words(section.found.profiles[*section.picked]),
                section.found.profiles[*section.picked].name);
    for (std::size_t i = 0; i < section.found.profiles.size(); ++i) {
      const Profile& profile = section.found.profiles[i];
      const std::string words = under_used_words(profile);
      if (remark_words(profile) != words) bad.add(remark_words(profile), profile.name);
      else if (section.picked != i) under.add(words, profile.name);
    }
    take(bad, 6);
    take(under, 6);
  }
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work);
      generate != nullptr && generate->situation == Situation::kSingle && !generate->batch.given())
    result.emplace_back("Batch 1, as set in the job (situation: single).");
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) {
    const bool fixed = train->batch || train->batch_by_gpu.given();
    const bool under = std::ranges::any_of(section.found.profiles, [](const Profile& p) { return p.gain.has_value(); });
    if (under && fixed)
      result.emplace_back(
          "A larger micro-batch would change the global batch, which the job fixes (batch, parallel, micro).");
    Grouped why;
    for (const Profile& profile : section.found.profiles) why.add(precision_words(profile, *train), profile.name);
    take(why, 6);
    Grouped compile;
    for (const Profile& profile : section.found.profiles) compile.add(compile_words(profile, *train), "compile");
    std::vector<std::string> lines = compile.lines(4);
    // One reason for all needs no names.
    for (std::string& line : lines) line = upper_first(line.substr(line.find(": ") + 2));
    for (std::string& line : lines) result.push_back(std::move(line));
    if (section.gain_by_compiling && section.picked) result.push_back(compiling_words(section));
  }
  return result;
}

/// What to know of the recommended profile alone.
std::vector<std::string> short_notes(const ProfilesSection& section) {
  std::vector<std::string> result;
  if (!section.picked) return result;
  const Profile& picked = section.found.profiles[*section.picked];
  if (picked.gain) result.push_back(picked.name + ": " + under_used_words(picked) + ".");
  if (section.gain_by_compiling) result.push_back(compiling_words(section));
  return result;
}

std::string section_text(const ProfilesReport& report, const ProfilesSection& section, const Screen& screen,
                         bool details) {
  const Phase& phase = report.phase(section);
  std::string text = paragraph(printable(phase.name, 60) + ": " + phase_words(phase), screen);
  std::string common;
  const Table table = profiles_table(report, section, &common);
  text += table.text(screen);
  if (!common.empty()) text += paragraph(common, screen);
  const auto lines = details ? notes(report, section, table, screen) : short_notes(section);
  if (!lines.empty()) text += '\n';
  for (const std::string& line : lines) text += paragraph(line, screen, 2, 4);
  if (details)
    text += paragraph(std::string(kCpuProfile) + ": for testing only (" + gib_text(section.found.cpu.state) +
                          " GiB in fp32 plus activations); no time predicted.",
                      screen, 2, 4);
  if (section.picked) {
    const Profile& picked = section.found.profiles[*section.picked];
    if (!phase.command.empty() && picked.best) {
      text += '\n' + paragraph("Command for the recommended GPU (" + picked.name + "):", screen);
      const std::string command = filled_command(phase, *picked.best, picked.name);
      for (const std::string_view line : split(trim(command), '\n')) text += "    " + printable(line, 4000) + '\n';
    }
  }
  return text;
}

}  // namespace

bool ProfilesReport::held() const {
  return std::ranges::all_of(sections, [](const ProfilesSection& section) {
    return std::ranges::any_of(section.found.profiles, [](const Profile& p) { return p.best.has_value(); });
  });
}

std::string profiles_text(const ProfilesReport& report, const Screen& screen, bool details) {
  std::string text = paragraph(
      printable(report.job.name, 100) + ": suggested settings per GPU (predicted memory and speed)", screen, 0, 0);
  for (const ProfilesSection& section : report.sections) text += '\n' + section_text(report, section, screen, details);
  return text;
}

std::string profiles_json(const ProfilesReport& report) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/profiles@1").member("job", report.job.name);
  json.key("phases").begin_array();
  for (const ProfilesSection& section : report.sections) {
    const Phase& phase = report.phase(section);
    json.begin_object().member("name", phase.name);
    json.member("kind", std::holds_alternative<TrainPhase>(phase.work) ? "train" : "generate");
    const Profile* picked = section.picked ? &section.found.profiles[*section.picked] : nullptr;
    json.member("picked", picked != nullptr ? std::optional<std::string_view>(picked->name) : std::nullopt);
    json.member("gain_by_compiling", section.gain_by_compiling);
    if (picked != nullptr && picked->best && !phase.command.empty())
      json.member("command", trim(filled_command(phase, *picked->best, picked->name)));
    else json.null_member("command");
    json.member("cpu_state_gib", section.found.cpu.state / units::GiB);
    json.key("profiles");
    profiles_table(report, section).write_json(json);
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
