// gpuplan report JOB: the planning document as a guide in Markdown, what changed since one was made, and the same one
// anew.
#include <memory>
#include <optional>
#include <utility>

#include "api/pages/report_page.h"
#include "api/report/guide_file.h"
#include "api/report/report.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/io/terminal.h"
#include "cli/load/job_options.h"
#include "cli/options/common_options.h"
#include "cli/options/options.h"
#include "launch/parts/launch_plan.h"
#include "output/report/guide.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan::cli {
namespace {

constexpr std::size_t kMostOfGuide = 32'000'000;

struct ReportArguments {
  JobOptions job;
  std::string output, data_folder;
  std::string check, update;  ///< guides
  bool json = false, force = false, charts = false;
};

enum class Writer { kMarkdown, kJson, kPage };

/// What is written, by the flag and the end of the file's name.
Writer writer_of(const ReportArguments& options) {
  if (options.json) return Writer::kJson;
  const std::string name = to_lower(options.output);
  if (name.ends_with(".json")) return Writer::kJson;
  return name.ends_with(".html") || name.ends_with(".htm") ? Writer::kPage : Writer::kMarkdown;
}

/// The words of a command as command_words() writes them.
std::vector<std::string> words_of(std::string_view command) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\'') {
      quoted = !quoted;
      if (!word) word.emplace();
    } else if (c == '\\' && !quoted && i + 1 < command.size()) {
      if (!word) word.emplace();
      *word += command[++i];
    } else if (c == ' ' && !quoted) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      if (!word) word.emplace();
      *word += c;
    }
  }
  if (word) words.push_back(*std::move(word));
  return words;
}

/// Everything but the job's name, which may be "-".
bool asks_nothing(const ReportArguments& options) {
  return command_words("report", options.job, options.data_folder) == "gpuplan report";
}

/// What the guide was made from. Of its command only what is asked counts, not where the answer goes.
Result<ReportArguments> asked_in(const api::GuideFile& guide, const std::string& file) {
  const std::vector<std::string> command = words_of(guide.record.command);
  if (command.size() < 3 || command[0] != "gpuplan" || command[1] != "report")
    return failure(
        "does not say what it was made from; name the job: gpuplan report JOB --check " + printable(file, 80), {file});
  if (command[2] == "-")
    return failure("was made from standard input; name the job: gpuplan report JOB --check " + printable(file, 80),
                   {file});
  std::vector<const char*> words;
  for (std::size_t i = 1; i < command.size(); ++i) words.push_back(command[i].c_str());
  const std::vector<CommandSpec> known = {report_command()};
  const auto read = read_options(words, known);
  if (!read || (*read)->filled == nullptr)
    return failure("its command cannot be read any more: " + printable(guide.record.command, 200), {file});
  return *static_cast<const ReportArguments*>((*read)->filled.get());
}

/// "docs/" of "docs/GUIDE.md"; "" of a name alone.
std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

struct Asked {
  api::Request request;
  api::ReportAnswer answer;
};

class ReportFolder final : public api::FilesBeside {
 public:
  ReportFolder(System& system, const std::string& file) : system_(system), file_(file) {}
  bool has(const std::string& path) const override {
    return !file_.empty() && file_ != "-" && system_.facts_of(folder_of(file_) + path).is_file();
  }

 private:
  System& system_;
  const std::string& file_;
};

/// `file`: of the report, beside which scripts may lie; empty: it goes to standard output.
Result<Asked> ask(System& system, const ReportArguments& options, const Catalogue& catalogue, const std::string& file,
                  const std::string& charts = "") {
  auto request = read_request(system, options.job, catalogue);
  if (!request) return std::unexpected(request.error());
  const std::string command = command_words("report", options.job, options.data_folder);
  constexpr std::string_view kStart = "gpuplan report ";
  const ReportFolder beside(system, file);
  auto answer =
      api::ask_report(*request,
                      {.arguments = command.size() > kStart.size() ? command.substr(kStart.size()) : std::string(),
                       .charts = charts,
                       .beside = &beside},
                      catalogue);
  if (!answer) return std::unexpected(std::move(answer.error()));
  return Asked{*std::move(request), *std::move(answer)};
}

std::string changes_text(const std::string& file, const api::GuideFile& guide,
                         const std::vector<api::GuideChange>& changes, const Screen& screen) {
  const std::string since = guide.record.made.empty() ? "" : " since " + printable(guide.record.made, 20);
  std::string text;
  if (changes.empty()) text = paragraph(printable(file) + ": nothing changed" + since + ".", screen, 0, 0);
  else {
    text = paragraph(printable(file) + ": " + count_of(static_cast<double>(changes.size()), "change") + since + ".",
                     screen, 0, 0);
    Table table({{.title = "WHAT", .narrowest = 20, .wrap = true},
                 {.title = "THEN", .narrowest = 12, .wrap = true},
                 {.title = "NOW", .narrowest = 12, .wrap = true}});
    for (const api::GuideChange& change : changes)
      table.add({{printable(change.what, 120)},
                 {change.before.empty() ? "–" : printable(change.before, 120)},
                 {change.now.empty() ? "–" : printable(change.now, 120)}});
    text += table.text(screen);
  }
  if (guide.by_hand())
    text += paragraph("Edited by hand outside the marks for own text: " + api::edit_words(guide) + ".", screen, 0, 0);
  return text;
}

std::string changes_json(const api::GuideFile& guide, const std::vector<api::GuideChange>& changes) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/report-changes@1").member("made", guide.record.made);
  json.key("changes").begin_array();
  for (const api::GuideChange& change : changes) {
    json.begin_object(true).member("what", change.what).key("before");
    if (change.before.empty()) json.null();
    else json.value(change.before);
    json.key("now");
    if (change.now.empty()) json.null();
    else json.value(change.now);
    json.end();
  }
  json.end().member("edited_by_hand", guide.by_hand()).end();
  return json.take();
}

/// "docs/GUIDE" and ".md" of "docs/GUIDE.md"; a name that begins with its only dot has no ending.
std::pair<std::string, std::string> stem_and_ending(const std::string& file) {
  const std::size_t slash = file.rfind('/'), dot = file.rfind('.');
  const bool ends = dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
  const std::size_t end = ends ? dot : file.size();
  return {file.substr(0, end), file.substr(end)};
}

/// "GUIDE.edited.md": a name beside the guide that nothing has yet.
std::string kept_name(System& system, const std::string& file) {
  const auto [start, end] = stem_and_ending(file);
  const std::string edited = start + ".edited";
  std::string name = edited + end;
  for (int i = 2; system.facts_of(name).kind != FileFacts::Kind::kNothing; ++i)
    name = join(std::vector<std::string>{edited, "-", std::to_string(i), end}, "");
  return name;
}

/// "docs/GUIDE.charts": the folder of a guide's drawings.
std::string charts_folder(const std::string& guide) { return stem_and_ending(guide).first + ".charts"; }

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The charts of a guide as files beside it. Returns kDone, or the exit code after a message.
int write_charts(System& system, const std::string& folder, const api::ReportAnswer& answer) {
  std::vector<LaunchFile> files;
  for (DrawnChart& chart : answer.drawings())
    files.push_back({.path = chart.key + ".svg", .text = std::move(chart.svg)});
  return files.empty() ? kDone : deliver_folder(system, folder, files, true);
}

/// --check and --update.
int look_again(System& system, const ReportArguments& options) {
  const bool update = !options.update.empty();
  const std::string& file = update ? options.update : options.check;
  const auto text = read_file(system, file, kMostOfGuide);
  if (!text) return complain(system, text.error());
  const auto guide = api::read_guide(*text, file);
  if (!guide) return complain(system, guide.error());
  ReportArguments asked = options;
  if (asks_nothing(options)) {
    auto before = asked_in(*guide, file);
    if (!before) return complain(system, before.error());
    asked.job = std::move(before->job);
    asked.data_folder = std::move(before->data_folder);
  }
  if (update && guide->by_hand() && !options.force)
    return complain(system,
                    Error{"edited by hand outside the marks for own text: " + api::edit_words(*guide) +
                              "; put the text between marks, or add --force, which keeps this file beside the new "
                              "one",
                          {file, guide->edited.empty() ? 0 : guide->edited.front()}});
  const auto catalogue = load_learned(system, asked.data_folder, asked.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  // Drawings that are there are drawn anew.
  const std::string folder = charts_folder(file);
  const bool drawn = text->find("](" + last_part(folder) + "/") != std::string::npos;
  const auto now = ask(system, asked, *catalogue, file, drawn ? last_part(folder) : std::string());
  if (!now) {
    Error error = now.error();
    // Names of files count from the folder in which the guide was made.
    if (asks_nothing(options) && error.message.contains("no such file"))
      error.message += "; the guide was made by \"" + printable(guide->record.command, 120) +
                       "\": go to the folder in which it was made, or name the job: gpuplan report JOB --" +
                       (update ? "update " : "check ") + printable(file, 80);
    return complain(system, error);
  }
  const api::ReportAnswer& answer = now->answer;
  const std::vector<api::GuideChange> changes = api::changes_since(guide->record, answer.record());
  if (update) {
    if (guide->by_hand()) {
      const std::string kept = kept_name(system, file);
      if (const int code = deliver(system, *text, kept, kDone); code != kDone) return code;
      say(system, "gpuplan: the edited guide is kept as " + printable(kept));
    }
    if (drawn)
      if (const int code = write_charts(system, folder, answer); code != kDone) return code;
    const std::string made = api::sealed_guide(guide_markdown(answer.document(), guide->own), answer.record());
    const int code = deliver(system, made, file, exit_code(answer.verdict()));
    if (code == kInternal || code == kInterrupted) return code;
    return deliver(
        system,
        options.json ? changes_json(*guide, changes) : changes_text(file, *guide, changes, screen(system, false)), "",
        code);
  }
  return deliver(
      system, options.json ? changes_json(*guide, changes) : changes_text(file, *guide, changes, screen(system, false)),
      options.output, changes.empty() && !guide->by_hand() ? kDone : kCheckFailed);
}

/// Own text is not written over.
Result<void> may_write(System& system, const ReportArguments& options) {
  if (options.output.empty() || options.output == "-" || options.force) return {};
  if (!system.facts_of(options.output).is_file()) return {};
  const auto text = system.read(options.output, kMostOfGuide);
  if (!text || !api::is_guide(*text)) return {};
  const auto guide = api::read_guide(*text, options.output);
  if (!guide) return std::unexpected(guide.error());
  if (guide->own.empty() && !guide->by_hand()) return {};
  return failure("holds text of your own: gpuplan report --update " + printable(options.output, 80) +
                     " keeps it, --force writes over it",
                 {options.output});
}

Result<void> good_report_options(const ReportArguments& options) {
  if (!options.check.empty() && !options.update.empty()) return wrong_use("--check and --update cannot be combined");
  if (!options.update.empty() && !options.output.empty())
    return wrong_use("--update writes the guide that it names; leave -o away");
  if (options.charts && (options.output.empty() || options.output == "-" || writer_of(options) != Writer::kMarkdown))
    return wrong_use("--charts: draws beside a guide in a file; add -o GUIDE.md");
  return {};
}

Result<api::PageFile> page_of_report(System& system, const ReportArguments& options, const Asked& asked) {
  const std::vector<DrawnChart> charts = asked.answer.drawings();
  const std::string runs = options.job.runs.none ? std::string() : own_runs_file(system, options.job.runs);
  const std::string report = asked.answer.json(), plan = asked.answer.plan().json({});
  return api::report_page(
      {.asked = asked.request,
       .question = asked.answer.plan().question(),
       .report = report,
       .plan = plan,
       .charts = charts,
       .own_facts = !options.data_folder.empty() || (!runs.empty() && system.facts_of(runs).is_file())});
}

int run_report(System& system, const ReportArguments& options) {
  if (const auto good = good_report_options(options); !good) return complain(system, good.error());
  if (!options.check.empty() || !options.update.empty()) return look_again(system, options);
  const auto catalogue = load_learned(system, options.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  if (const auto may = may_write(system, options); !may) return complain(system, may.error());
  const std::string folder = options.charts ? charts_folder(options.output) : std::string();
  const auto asked = ask(system, options, *catalogue, options.output, last_part(folder));
  if (!asked) return complain(system, asked.error());
  const int code = exit_code(asked->answer.verdict());
  switch (writer_of(options)) {
    case Writer::kJson:
      return deliver(system, asked->answer.json(), options.output, code, true);
    case Writer::kPage: {
      const auto page = page_of_report(system, options, *asked);
      if (!page) return complain(system, page.error());
      if (!page->without_knobs.empty()) say(system, "gpuplan: no knobs in the page: " + page->without_knobs);
      return deliver(system, page->html, options.output, code);
    }
    case Writer::kMarkdown:
      break;
  }
  if (options.charts)
    if (const int failed = write_charts(system, folder, asked->answer); failed != kDone) return failed;
  return deliver(system, api::sealed_guide(guide_markdown(asked->answer.document()), asked->answer.record()),
                 options.output, code, true);
}

constexpr const char* kReportNotes =
    "The guide holds the answer, every plan, memory, speed, bill, risks, steps to run it, what to do when it\n"
    "goes wrong, and what it rests on. What you write between the marks \"own text\" stays with --update.\n"
    "Exit codes: 3 nothing fits; 4 no plan meets the limits; 6 with --check: something changed.\n";

}  // namespace

CommandSpec report_command() {
  auto options = std::make_shared<ReportArguments>();
  CommandSpec command{.name = "report",
                      .summary = "write the planning document of a job: answer, bill, risks, steps",
                      .examples =
                          "  gpuplan report examples/sft-node.yaml -o GUIDE.md\n"
                          "  gpuplan report --model Qwen2.5-7B --tokens 10M --method lora -o GUIDE.md\n"
                          "  gpuplan report examples/sft-node.yaml -o plan.html\n"
                          "  gpuplan report --check GUIDE.md\n"
                          "  gpuplan report --update GUIDE.md\n",
                      .notes = kReportNotes};
  add_job_options(command, options->job);
  command.options.push_back({.names = "--check",
                             .target = &options->check,
                             .help = "say what changed since this guide was made: prices, gpuplan, the job",
                             .value = "GUIDE.md",
                             .completes = Completes::kFiles});
  command.options.push_back({.names = "--update",
                             .target = &options->update,
                             .help = "write this guide anew; own text between its marks stays",
                             .value = "GUIDE.md",
                             .completes = Completes::kFiles});
  command.options.push_back(
      {.names = "--force",
       .target = &options->force,
       .help = "write over a guide that was edited by hand; --update keeps the old one beside it"});
  command.options.push_back({.names = "--charts",
                             .target = &options->charts,
                             .help = "draw the charts of a guide as SVG files beside it (GUIDE.charts)"});
  command.options.push_back({.names = "--json", .target = &options->json, .help = "output JSON"});
  command.options.push_back({.names = "-o,--output",
                             .target = &options->output,
                             .help = "file to write: .md, .html or .json (default: guide to standard output)",
                             .value = "FILE",
                             .completes = Completes::kFiles});
  add_data_option(command, options->data_folder);
  set_run<run_report>(command, options);
  return command;
}

}  // namespace gpuplan::cli
