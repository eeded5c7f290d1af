// gpuplan report JOB: the planning document as a guide in Markdown.
#include <memory>

#include "api/report/report.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/load/job_options.h"
#include "cli/options/common_options.h"

namespace gpuplan::cli {
namespace {

struct ReportArguments {
  JobOptions job;
  std::string output, data_folder;
  bool json = false;
};

enum class Writer { kMarkdown, kJson, kPage };

/// What is written, by the flag and the end of the file's name.
Result<Writer> writer_of(const ReportArguments& options) {
  if (options.json) return Writer::kJson;
  const std::string name = to_lower(options.output);
  if (name.ends_with(".json")) return Writer::kJson;
  if (name.ends_with(".html") || name.ends_with(".htm")) return Writer::kPage;
  return Writer::kMarkdown;
}

int run_report(System& system, const ReportArguments& options) {
  const auto writer = writer_of(options);
  if (*writer == Writer::kPage)
    return complain(system, Error{"-o " + printable(options.output, 80) +
                                  ": the page is not in this build; use a name that ends in .md"});
  const auto catalogue = load_learned(system, options.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  const auto request = read_request(system, options.job, *catalogue);
  if (!request) return complain(system, request.error());
  const std::string command = command_words("report", options.job, options.data_folder);
  const std::string start = "gpuplan report ";
  const auto answer = api::ask_report(
      *request, {.arguments = command.size() > start.size() ? command.substr(start.size()) : std::string()}, *catalogue);
  if (!answer) return complain(system, answer.error());
  return deliver(system, *writer == Writer::kJson ? answer->json() : guide_markdown(answer->document()), options.output,
                 exit_code(answer->verdict()), true);
}

}  // namespace

CommandSpec report_command() {
  auto options = std::make_shared<ReportArguments>();
  CommandSpec command{.name = "report",
                      .summary = "write the whole planning document of a job: answer, bill, risks, steps",
                      .examples =
                          "  gpuplan report examples/sft-node.yaml -o GUIDE.md\n"
                          "  gpuplan report --model Qwen2.5-7B --tokens 10M --method lora -o GUIDE.md\n"};
  add_job_options(command, options->job);
  command.options.push_back({.names = "--json", .target = &options->json, .help = "output the document as JSON"});
  command.options.push_back({.names = "-o,--output",
                             .target = &options->output,
                             .help = "file to write (default: standard output)",
                             .value = "FILE",
                             .completes = Completes::kFiles});
  add_data_option(command, options->data_folder);
  set_run<run_report>(command, options);
  return command;
}

}  // namespace gpuplan::cli
