// gpuplan fit MODEL|JOB: which GPUs hold it, memory by part, largest batch.
#include <algorithm>
#include <memory>

#include "api/questions/fit_questions.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/find_config.h"
#include "cli/load/load_job.h"
#include "cli/load/own_runs.h"
#include "cli/options/common_options.h"
#include "cli/options/sketch_options.h"
#include "input/text/gpu_name.h"
#include "output/fit/report.h"
#include "output/fit/views.h"
#include "plan/capacity/machines.h"

namespace gpuplan::cli {
namespace {

struct FitArguments {
  Common common;
  std::string subject;  ///< model name, path or job file
  std::vector<std::string> set;
  Sketch sketch;
  std::vector<std::string> gpus;  ///< only these
  std::vector<int> counts;
  std::vector<int> batches;  ///< memory by these
  bool placements = false;
  bool all = false;
  OwnRunsOptions runs;
  bool no_config = false;
  bool explain = false;
};

FitLook look_of(const FitArguments& options, const Screen& screen = {}) {
  return {screen, options.all, options.common.details, options.explain};
}

template <class Section>
int fit_exit_code(const FitReport& report, const std::vector<Section>& sections) {
  // A job runs only when every phase has a place; of a model it is enough to know what can be done with it.
  const bool job = report.params <= 0;
  const bool held = job ? std::ranges::all_of(sections, &Section::held) : std::ranges::any_of(sections, &Section::held);
  return held ? kDone : kNothingFits;
}

/// Memory by the number of sequences at once, on as many GPUs as --counts or --gpu says, else on one.
int answer_batches(System& system, const FitArguments& options, const std::vector<int>& counts, const FitReport& report,
                   const Catalogue& catalogue) {
  if (counts.size() > 1)
    return complain(system, wrong_use("--batches takes one number of GPUs at a time, such as --counts " +
                                      std::to_string(report.counts[0])));
  std::vector<int> batches = options.batches;
  std::ranges::sort(batches);
  batches.erase(std::ranges::unique(batches).begin(), batches.end());
  const int count = counts.empty() ? 1 : counts.front();
  std::vector<BatchSection> sections;
  for (const FitSection& asked : report.sections) {
    Job job = asked.job;
    job.where.gpus = gpus_to_try(job, catalogue, options.all);
    auto rows = memory_by_batch(job, 0, catalogue, batches, count);
    if (!rows) return complain(system, rows.error());
    sections.push_back({asked.name, asked.title, count, *std::move(rows)});
  }
  return deliver_form(
      system, options.common, fit_exit_code(report, sections),
      [&](const Screen& screen) { return batches_text(report, sections, look_of(options, screen)); },
      [&] { return batches_json(report, sections); },
      [&] {
        std::vector<NamedTable> tables;
        for (const BatchSection& section : sections) tables.push_back({section.name, batch_table(section, true)});
        return joined_csv("question", tables);
      });
}

/// The card to compare layouts on: the only one asked for, else the smallest that holds the phase alone, else the one
/// that holds most.
const Gpu* card_for(const FitSection& section, const Catalogue& catalogue, bool all) {
  Job job = section.job;
  job.where.gpus = gpus_to_try(job, catalogue, all);
  const auto rows = fit_phase(job, 0, catalogue, {1});
  if (!rows || rows->empty()) return nullptr;
  const Gpu* best = nullptr;
  bool held = false;
  for (const FitRow& row : *rows) {
    const Gpu* gpu = row.node.gpu;
    const bool holds_it = holds(row);
    const bool better = best == nullptr || (holds_it && !held) ||
                        (holds_it == held && (held ? gpu->usable < best->usable : gpu->usable > best->usable));
    if (!better) continue;
    best = gpu;
    held = holds_it;
  }
  return best;
}

int answer_placements(System& system, const FitArguments& options, const FitReport& report,
                      const Catalogue& catalogue) {
  std::vector<PlacementSection> sections;
  for (const FitSection& asked : report.sections) {
    const Gpu* gpu = card_for(asked, catalogue, options.all);
    if (gpu == nullptr) return complain(system, wrong_use("--placements: no GPU matches"));
    auto found = placements_of(asked.job, 0, catalogue, *gpu, report.counts);
    if (!found) return complain(system, found.error());
    sections.push_back({asked.name, asked.title, *std::move(found)});
  }
  return deliver_form(
      system, options.common, fit_exit_code(report, sections),
      [&](const Screen& screen) { return placements_text(report, sections, look_of(options, screen)); },
      [&] { return placements_json(report, sections); },
      [&] {
        std::vector<NamedTable> tables;
        for (const PlacementSection& section : sections) tables.push_back({section.name, placement_table(section)});
        return joined_csv("question", tables);
      });
}

Result<void> good_fit_options(const FitArguments& options) {
  if (!options.batches.empty() && options.placements) return wrong_use("--batches and --placements cannot be combined");
  if (!options.explain) return {};
  if (!options.batches.empty()) return wrong_use("--explain and --batches cannot be combined");
  if (options.placements) return wrong_use("--explain and --placements cannot be combined");
  if (form_of(options.common) == Form::kCsv) return wrong_use("--explain has no CSV output; use --json or --markdown");
  return {};
}

int run_fit(System& system, const FitArguments& options) {
  if (const auto good = good_fit_options(options); !good) return complain(system, good.error());
  const auto catalogue = load_learned(system, options.common.data_folder, options.runs);
  if (!catalogue) return complain(system, catalogue.error());
  const auto config = load_config(system, options.no_config, *catalogue);
  if (!config) return complain(system, config.error());
  std::optional<api::NamedText> job;
  if (looks_like_job(system, options.subject)) {
    auto text = read_job_text(system, options.subject);
    if (!text) return complain(system, text.error());
    job = *std::move(text);
  }
  auto report =
      api::fit_questions({options.subject, job ? &*job : nullptr, options.set, options.sketch}, *config, *catalogue);
  if (!report) return complain(system, report.error());

  std::vector<int> counts = options.counts;
  std::vector<GpuChoice> only;
  int first_count = 0;
  for (const std::string& name : options.gpus) {
    auto family = find_gpus(*catalogue, name);
    if (!family) return complain(system, wrong_use("--gpu: " + family.error().message));
    if (options.placements && family->gpus.size() > 1) family->gpus = {find_gpu(*catalogue, name)->gpu};
    if (only.empty()) first_count = family->count;
    const bool another = !only.empty() && only.front().gpu != family->gpus.front()->name;
    // A number is of all GPUs: one table has one set of them.
    if (another && family->count != first_count && options.counts.empty())
      return complain(system,
                      wrong_use("--gpu: '" + printable(options.gpus.front(), 40) + "' and '" + printable(name, 40) +
                                "' name different numbers of GPUs; use one at a time, or --counts for all"));
    if (another && options.placements)
      return complain(system, wrong_use("--placements compares on one GPU; use --gpu once"));
    for (const Gpu* gpu : family->gpus) only.push_back({gpu->name, 0});
    if (family->count > 0 && options.counts.empty()) counts.push_back(family->count);
  }
  std::ranges::sort(counts);
  counts.erase(std::ranges::unique(counts).begin(), counts.end());
  if (!only.empty())
    for (FitSection& section : report->sections) section.job.where.gpus = only;
  // Every number of GPUs of several kinds is no short answer.
  const bool brief = !options.common.details && !options.common.json && !options.common.csv && !options.common.markdown;
  report->every_count = !options.counts.empty() || options.gpus.size() == 1 || (options.gpus.size() > 1 && !brief);
  if (!counts.empty()) report->counts = counts;
  if (report->counts.empty()) report->counts = {1, 2, 4, 8};
  std::ranges::sort(report->counts);
  report->counts.erase(std::ranges::unique(report->counts).begin(), report->counts.end());

  if (!options.batches.empty()) return answer_batches(system, options, counts, *report, *catalogue);
  if (options.placements) return answer_placements(system, options, *report, *catalogue);

  if (const auto done = api::fill(*report, *catalogue, options.all); !done) return complain(system, done.error());

  return deliver_form(
      system, options.common, fit_exit_code(*report, report->sections),
      [&](const Screen& screen) { return fit_table(*report, *catalogue, look_of(options, screen)); },
      [&] { return fit_json(*report, *catalogue, look_of(options)); },
      [&] { return fit_csv(*report, look_of(options)); });
}

}  // namespace

CommandSpec fit_command() {
  auto options = std::make_shared<FitArguments>();
  CommandSpec command{.name = "fit",
                      .summary = "show memory per GPU, maximum batch and the GPUs a model fits on",
                      .examples =
                          "  gpuplan fit Llama-3.1-8B\n"
                          "  gpuplan fit Qwen2.5-32B --gpu \"RTX 4090\" --counts 1,2,4,8\n"
                          "  gpuplan fit job.yaml --batches 32,64,128,256\n"
                          "  gpuplan fit job.yaml --placements --counts 1,2,4\n"
                          "  gpuplan fit Qwen2.5-7B --method qlora --sequence 4096 --gpu \"RTX 4090\"\n"
                          "  gpuplan fit job.yaml --json\n"};
  command.words = {{.names = "subject",
                    .target = &options->subject,
                    .help = "model name, path of a model, or job file",
                    .value = "MODEL|JOB",
                    .completes = Completes::kModels}};
  add_sketch_options(command, options->sketch);
  const std::vector<OptionSpec> own = {{.names = "--gpu",
                                        .target = &options->gpus,
                                        .help = "only this GPU (repeatable)",
                                        .value = "NAME",
                                        .completes = Completes::kGpus,
                                        .commas = true},
                                       {.names = "--counts",
                                        .target = &options->counts,
                                        .help = "GPUs in one machine, such as 1,2,4,8 (default: 1,2,4,8)",
                                        .value = "N,N",
                                        .least = 1,
                                        .most = 1024}};
  command.options.insert(command.options.end(), own.begin(), own.end());
  command.options.push_back({.names = "--batches",
                             .target = &options->batches,
                             .help = "show memory by micro-batch, and the GPUs each one fits on",
                             .value = "N,N",
                             .least = 1,
                             .most = 1 << 20});
  command.options.push_back(
      {.names = "--placements",
       .target = &options->placements,
       .help = "show memory by number of GPUs: DDP, FSDP, tensor or pipeline parallel, one model per GPU"});
  add_set_option(command, options->set);
  add_config_flag(command, options->no_config);
  add_runs_options(command, options->runs);
  add_all_flag(command, options->all, "list every known GPU, also those too small");
  command.options.push_back(
      {.names = "--explain", .target = &options->explain, .help = "show how each number is computed, with sources"});
  add_details_flag(command, options->common);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  add_aliases(command);
  set_run<run_fit>(command, options);
  return command;
}

}  // namespace gpuplan::cli
