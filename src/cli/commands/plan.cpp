// gpuplan plan JOB: plans, frontier, recommendation and why.
#include <algorithm>
#include <memory>
#include <optional>

#include "api/questions/plan_answer.h"
#include "api/questions/whatif.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/progress.h"
#include "cli/load/job_options.h"
#include "cli/options/common_options.h"
#include "launch/to/launchers.h"
#include "launch/work/work.h"
#include "launch/work/written_instead.h"
#include "output/answer/plan_json.h"
#include "output/answer/plan_table.h"
#include "output/answer/short_answer.h"
#include "output/charts/charts.h"
#include "output/charts/svg/svg.h"
#include "output/explain/explain.h"
#include "output/views/plan_views.h"

namespace gpuplan::cli {
namespace {

struct PlanArguments {
  Common common;
  JobOptions job;
  std::vector<std::string> show;  ///< names of views
  bool all = false;
  int top = 0;  ///< rows of plans; 0: not said
  bool explain = false;
  bool details = false;
  std::string svg;    ///< file; empty: no chart is drawn
  std::string chart;  ///< name; empty: the first
  std::string theme;  ///< of the chart; empty: light
  int width = 0;      ///< of the chart; 0: that of a report
};

constexpr const char* kHowToReadPlan =
    "How to read the table:\n"
    "  HOURS, COST       median, from first boot to last result\n"
    "  P10–P90           80% of outcomes fall in this range\n"
    "  BEST IN           chance that the plan turns out the best for the job's goal\n"
    "  ON TIME           chance to meet the deadline; IN BUDGET: to stay within the budget\n"
    "  ✔                 recommended, for the job's goal and within its limits\n"
    "With --details:\n"
    "  $ PER HOUR SAVED  what an hour less costs, compared with the row above\n"
    "  MEMORY PER GPU    peak needed of usable, on the fullest GPU; OOM risk: fits at P50, not at P90\n"
    "  SOURCE            yours: figures of the job file; predicted: by gpuplan; !: they are far apart\n"
    "  BEATEN BY         a plan that is at least as good on time and cost, and better on one\n";

/// The views asked for, each once, in the order of the list.
std::vector<const PlanView*> views_of(const PlanArguments& options) {
  std::vector<const PlanView*> views;
  for (const PlanView& view : plan_views())
    if (std::ranges::any_of(options.show, [&](const std::string& name) { return name == view.name || name == "all"; }))
      views.push_back(&view);
  return views;
}

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const PlanView& view : plan_views()) names.emplace_back(view.name);
  names.emplace_back("all");
  return names;
}

/// "Tables for --show:" and what each of them says.
std::string view_help() {
  std::string text = "\nTables for --show (or all of them: --show all):\n";
  for (const PlanView& view : plan_views()) text += "  " + padded(view.name, 13) + "  " + std::string(view.help) + '\n';
  return text;
}

/// Charts that more than the plan has to be asked for.
constexpr std::string_view kTornadoCost = "tornado-cost", kTornadoHours = "tornado-hours";
constexpr double kTornadoMoves = 0.2;

std::vector<std::string> chart_names() {
  std::vector<std::string> names;
  for (const PlanChart& chart : plan_charts()) names.emplace_back(chart.name);
  names.emplace_back(kTornadoCost);
  names.emplace_back(kTornadoHours);
  return names;
}

/// "Charts for --chart:" and what each of them shows.
std::string chart_help() {
  std::string text = "\nCharts for --chart, drawn by --svg:\n";
  const auto add = [&](std::string_view name, std::string_view help) {
    text += "  " + padded(name, 13) + "  " + std::string(help) + '\n';
  };
  for (const PlanChart& chart : plan_charts()) add(chart.name, chart.help);
  add(kTornadoCost, "what moves the cost most: each input at its low and its high end");
  add(kTornadoHours, "what moves the time most");
  return text;
}

/// Whether the job's own figures are to stand beside the model's.
bool compares_evidence(const PlanArguments& options) {
  if (options.job.ignore == "given") return false;
  return std::ranges::any_of(views_of(options), [](const PlanView* view) { return view->make == evidence_view; });
}

std::string table_text(const PlanReport& report, const PlanArguments& options, const std::vector<Remedy>& changes,
                       const Screen& screen) {
  PlanLook look;
  look.screen = screen;
  look.all = options.all;
  look.top = options.top;
  std::string text;
  if (!options.show.empty() && !report.found.plans.empty())
    text = paragraph(header_words(report), screen, 0, 0) + paragraph(prices_words(report), screen, 0, 0);
  else if (options.details || options.all || options.top > 0) text = plan_table(report, look, changes);
  else text = short_answer(report, screen, changes);
  for (const PlanView* view : views_of(options))
    if (!report.found.plans.empty()) text += '\n' + view_text(view->make(report, look.screen), look.screen);
  if (!options.explain) return text;
  for (const Plan& plan : report.found.plans)
    if (&plan == report.pick() || (look.all && plan.on_frontier))
      text += '\n' + explain_plan(report, plan, look.screen);
  return text;
}

/// The table of --show, or the plans. Why there is none is said on stderr.
std::string csv_text(System& system, const PlanReport& report, const PlanArguments& options) {
  if (report.found.plans.empty())
    for (const std::string& line : nothing_fits_words(report)) say(system, "gpuplan: " + line);
  const std::vector<const PlanView*> views = views_of(options);
  if (views.empty()) return plan_csv(report, options.all);
  return report.found.plans.empty() ? "" : views.front()->make(report, Screen{}).table.csv();
}

/// Nothing: the chart has nothing to show for this job.
Result<std::optional<Chart>> chart_of(const PlanReport& report, const PlanArguments& options,
                                      const api::Request& request, const Catalogue& catalogue) {
  if (options.chart == kTornadoCost || options.chart == kTornadoHours) {
    const auto moved = api::ask_sensitivity(request, kTornadoMoves, catalogue);
    if (!moved) return std::unexpected(moved.error());
    return tornado_chart(moved->report(), options.chart == kTornadoCost ? Swing::kCost : Swing::kHours);
  }
  for (const PlanChart& chart : plan_charts())
    if (options.chart == chart.name || options.chart.empty()) return chart.make(report);
  return std::nullopt;
}

/// Writes the chart that was asked for. Returns an exit code where the command ends with it.
std::optional<int> deliver_chart(System& system, const PlanReport& report, const PlanArguments& options,
                                 const api::Request& request, const Catalogue& catalogue) {
  const int code = exit_code(report.found);
  const auto chart = chart_of(report, options, request, catalogue);
  if (!chart) return complain(system, chart.error());
  if (!*chart) {
    say(system, "gpuplan: --svg: nothing to draw in the chart " +
                    (options.chart.empty() ? std::string(plan_charts().front().name) : options.chart) +
                    (report.found.plans.empty()       ? ", since nothing fits"
                     : report.found.plans.size() == 1 ? ", there is one plan only"
                                                      : " for this job") +
                    "; " + printable(options.svg, 100) + " is not written");
    return options.svg == "-" ? std::optional(code) : std::nullopt;
  }
  const ChartTheme theme = options.theme == "dark"   ? ChartTheme::kDark
                           : options.theme == "both" ? ChartTheme::kBoth
                                                     : ChartTheme::kLight;
  const int written =
      deliver(system, svg_of(**chart, {.width = options.width > 0 ? options.width : kReportWidth, .theme = theme}),
              options.svg, code);
  return written != code || options.svg == "-" ? std::optional(written) : std::nullopt;
}

Result<void> good_plan_options(const PlanArguments& options) {
  const Form form = form_of(options.common);
  if (options.svg.empty() && !options.chart.empty())
    return wrong_use("--chart: says which chart --svg draws; add --svg FILE.svg");
  if (options.svg.empty() && !options.theme.empty())
    return wrong_use("--theme: says how --svg draws; add --svg FILE.svg");
  if (options.svg.empty() && options.width > 0)
    return wrong_use("--width: says how wide --svg draws; add --svg FILE.svg");
  if (!options.svg.empty() && options.svg == options.common.output && options.svg != "-")
    return wrong_use("--svg and -o: both write " + printable(options.svg, 80) + "; give them different files");
  if (options.top > 0 && (form == Form::kJson || form == Form::kCsv))
    return wrong_use("--top: says how long the table of plans is; leave it away with JSON and CSV");
  if (options.top > 0 && !options.show.empty())
    return wrong_use("--top: says how long the table of plans is, and --show has others in its place");
  if (form != Form::kCsv) return {};
  if (options.explain) return wrong_use("--explain: has no CSV; use --json or --markdown");
  if (views_of(options).size() > 1) return wrong_use("--csv: holds one table; name one with --show");
  return {};
}

/// The line that tells how far the variants are has gone when this returns.
Result<api::PlanAnswer> ask(System& system, const PlanArguments& options, const api::Request& request,
                            const Catalogue& catalogue) {
  struct Line {
    System& system;
    std::optional<Progress> shown;
  } line{system, {}};
  return api::ask_plan(
      request, catalogue,
      {.compare_given = compares_evidence(options),
       .command = command_words("plan", options.job, options.common.data_folder)},
      [](void* context, int done, int all) {
        auto& [machine, shown] = *static_cast<Line*>(context);
        if (done == 0) shown.emplace(machine, "searching variants", all);
        else shown->step();
      },
      &line);
}

int run_plan(System& system, const PlanArguments& options) {
  const std::int64_t start = system.now();
  if (const auto good = good_plan_options(options); !good) return complain(system, good.error());
  const auto catalogue = load_learned(system, options.common.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  const auto request = read_request(system, options.job, *catalogue);
  if (!request) return complain(system, request.error());
  auto answer = ask(system, options, *request, *catalogue);
  if (!answer) return complain(system, answer.error());
  const Form form = form_of(options.common);
  PlanReport& report = answer->report();
  report.all = options.all || form == Form::kJson || form == Form::kCsv;
  if (const Plan* pick = report.pick()) {
    report.launch =
        command_words("launch", options.job, options.common.data_folder) + " --to " + std::string(launcher_for(*pick));
    if (form == Form::kText || form == Form::kMarkdown)  // others do not tell
      for (const Unwritten& lacking : unwritten(report.job, *pick, report.catalogue))
        report.unwritten.push_back(lacking.sentence());
    if (!report.unwritten.empty())
      if (std::string words = written_instead(report); !words.empty()) report.unwritten.push_back(std::move(words));
  }
  if (!options.svg.empty())
    if (const auto code = deliver_chart(system, report, options, *request, *catalogue)) return *code;
  return deliver_form(
      system, options.common, exit_code(answer->searched().found),
      [&](const Screen& screen) { return table_text(report, options, answer->remedies(), screen); },
      [&] {
        return answer->json({.all = options.all,
                             .explain = options.explain,
                             .elapsed_ms = static_cast<double>(system.now() - start) / 1e6,
                             .views = views_of(options)});
      },
      [&] { return csv_text(system, report, options); });
}

}  // namespace

CommandSpec plan_command() {
  auto options = std::make_shared<PlanArguments>();
  CommandSpec command{
      .name = "plan",
      .summary = "compare GPUs for a job and recommend one",
      .examples =
          "  gpuplan plan --model Qwen2.5-7B --tokens 10M --method lora\n"
          "  gpuplan plan --model Llama-3.3-70B --generate --samples 10k --prompt 500 --new 300 --spot only\n"
          "  gpuplan plan examples/collection.yaml --gpu \"RTX 4090\" --deadline \"2 h\"\n"
          "  gpuplan plan job.yaml --prices offers.csv --json | jq .recommendations\n"
          "  gpuplan plan job.yaml --set limits.budget='$50' --set where.spot=allow\n"
          "  gpuplan plan job.yaml --svg memory.svg --chart memory\n"
          "  generate-job | gpuplan plan -\n",
      .notes = kHowToReadPlan + view_help() + chart_help()};
  add_job_options(command, options->job);
  command.options.push_back({.names = "--show",
                             .target = &options->show,
                             .help = "print these tables instead (comma-separated, see below)",
                             .value = "TABLE,...",
                             .choices = view_names(),
                             .commas = true});
  add_all_flag(command, options->all, "list all plans, those that others beat too; with --details");
  command.options.push_back({.names = "--top",
                             .target = &options->top,
                             .help = "maximum rows of plans, with --details (default: 10; no end with --all)",
                             .value = "N",
                             .least = 1,
                             .most = 100000});
  command.options.push_back(
      {.names = "--explain", .target = &options->explain, .help = "show how each number is computed, with sources"});
  command.options.push_back({.names = "-v,--details",
                             .target = &options->details,
                             .help = "the long answer: every reason, limit, assumption and what was left out"});
  command.options.push_back({.names = "--svg",
                             .target = &options->svg,
                             .help = "also draw a chart into a file, for papers and slides",
                             .value = "FILE.svg",
                             .completes = Completes::kFiles});
  command.options.push_back({.names = "--chart",
                             .target = &options->chart,
                             .help = "which chart --svg draws (default: cost-time; see below)",
                             .value = "NAME",
                             .choices = chart_names()});
  command.options.push_back({.names = "--theme",
                             .target = &options->theme,
                             .help = "colors of the chart (default: light; both: as the reader's system says)",
                             .value = "NAME",
                             .choices = {"light", "dark", "both"}});
  command.options.push_back({.names = "--width",
                             .target = &options->width,
                             .help = "width of the chart in pixels (default: 760)",
                             .value = "N",
                             .least = static_cast<int>(kNarrowest),
                             .most = 4000});
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_plan>(command, options);
  return command;
}

}  // namespace gpuplan::cli
