// gpuplan audit PLAN: a plan or quote made by hand, recomputed.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/audit/audit.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/job_options.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "output/audit/audit_report.h"

namespace gpuplan::cli {
namespace {

struct AuditArguments {
  Common common;
  std::string plan;
  std::string form;  ///< empty: by the end of the name
  JobOptions job;
};

int run_audit(System& system, const AuditArguments& options) {
  if (options.plan.empty())
    return complain(system, wrong_use("the name of the plan is empty; give a file, or - for standard input"));
  if (options.plan == "-" && options.job.job == "-")
    return complain(system, wrong_use("'-' (standard input) can be used only once, for the plan or the job"));
  if (options.job.job.empty() && !options.job.set.empty())
    return complain(system, wrong_use("--set changes a job; name it with --job"));
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  auto text = read_file(system, options.plan, kMaxClaimsBytes);
  if (!text) return complain(system, text.error());
  std::optional<api::Request> request;
  if (!options.job.job.empty()) {
    auto read = read_request(system, options.job, *catalogue);
    if (!read) return complain(system, read.error());
    request = *std::move(read);
  }
  const auto answer = api::audit({shown_name(options.plan), *std::move(text)},
                                 from_name<ClaimsForm>(options.form).value_or(claims_form(options.plan)),
                                 request ? &*request : nullptr, *catalogue);
  if (!answer) return complain(system, answer.error());
  const AuditReport report = answer->report();
  return deliver_form(
      system, options.common, answer->audit.findings.empty() ? kDone : kCheckFailed,
      [&](const Screen& screen) { return audit_text(report, screen, options.common.details); },
      [&] { return audit_json(report); }, [&] { return audit_csv(report); });
}

std::vector<std::string> form_names() {
  const auto names = all_names<ClaimsForm>();
  return {names.begin(), names.end()};
}

constexpr const char* kAuditNotes =
    "What is read: Markdown (tables, lists, sums in prose and code), CSV, and YAML such as\n"
    "claims: [{say: \"4x A100 fits batch 32\"}]; numbers of several countries (1,234.5 and 1.234,5).\n"
    "\nHow to read the result (docs/audit.md has every check):\n"
    "  wrong          no value that the digits shown allow makes it right\n"
    "  inconsistent   the plan says it twice, differently\n"
    "  dominated      another option of the plan is as cheap and as fast\n"
    "  unlikely       far from what is known, such as an old price\n"
    "  missing        nothing is said of setup or buffer\n"
    "With --job memory and times are held against the model too.\n"
    "\nExit codes: 0 nothing was found; 6 something was; 5 the plan or job cannot be read.\n";

}  // namespace

CommandSpec audit_command() {
  auto options = std::make_shared<AuditArguments>();
  CommandSpec command{.name = "audit",
                      .summary = "check a plan or quote made by hand: sums, facts, options",
                      .examples =
                          "  gpuplan audit PLAN.md\n"
                          "  gpuplan audit quote.csv --details\n"
                          "  gpuplan audit claims.yaml --job examples/llama-8b-full.yaml\n"
                          "  gpuplan audit - --form csv --json < quote.csv\n",
                      .notes = kAuditNotes};
  command.words = {{.names = "plan",
                    .target = &options->plan,
                    .help = "the plan: .md, .csv or .yaml, or - for standard input",
                    .value = "PLAN",
                    .completes = Completes::kFiles,
                    .required = true}};
  JobOptions& job = options->job;
  command.options.push_back({.names = "--job",
                             .target = &job.job,
                             .help = "the job that is planned: memory and times are held against the model",
                             .value = "JOB",
                             .completes = Completes::kFiles});
  command.options.push_back({.names = "--form",
                             .target = &options->form,
                             .help = "how to read the plan (default: by the end of its name)",
                             .value = "FORM",
                             .choices = form_names()});
  add_set_option(command, job.set);
  add_price_options(command, job.prices, job.rates);
  add_config_flag(command, job.no_config);
  add_details_flag(command, options->common);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_audit>(command, options);
  return command;
}

}  // namespace gpuplan::cli
