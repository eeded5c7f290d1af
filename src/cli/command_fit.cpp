// gpuplan fit MODEL|JOB: which GPUs hold it, memory by part, largest batch.
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/deliver.h"
#include "cli/load_catalogue.h"
#include "cli/load_job.h"
#include "cli/terminal.h"
#include "input/gpu_name.h"
#include "input/model_source.h"
#include "output/fit_report.h"
#include "output/plan_words.h"
#include "plan/machines.h"

namespace gpuplan::cli {
namespace {

struct Options {
  Common common;
  std::string subject;  ///< model name, path or job file
  std::vector<std::string> set;
  std::string gpu;  ///< only this one
  std::vector<int> counts;
  bool all = false;
  bool explain = false;
};

// What a model alone is asked about: a length that most fine-tuning recipes and chats stay below.
constexpr int kUsualSequence = 2048;
constexpr double kSamples = 1000;  // any number: memory does not depend on it

Job one_phase(const std::string& name, PhaseWork work) {
  Job job;
  job.name = name;
  Phase& phase = job.phases.emplace_back();
  phase.name = name;
  phase.work = std::move(work);
  return job;
}

int sequence_for(const ModelShape& shape) {
  return shape.max_context > 0 ? std::min(kUsualSequence, shape.max_context) : kUsualSequence;
}

FitSection training_question(const ModelUse& model, Method method, std::string title) {
  TrainPhase train;
  train.models = {model};
  train.data.samples = kSamples;
  train.epochs = 1;
  train.sequence = sequence_for(model.shape);
  train.micro.value = 1;
  train.method = method;
  FitSection section;
  section.name = std::string(name_of(method));
  section.title = std::move(title);
  section.job = one_phase(section.name, std::move(train));
  return section;
}

FitSection generation_question(const ModelUse& model) {
  GeneratePhase generate;
  generate.models = {model};
  const int sequence = sequence_for(model.shape);
  const double half = sequence / 2.0;
  generate.data = {{"prompts", kSamples, {half, half}, {sequence - half, sequence - half}}};
  generate.situation = Situation::kSingle;
  FitSection section;
  section.name = "generate";
  section.title = "generation, one sequence of " + count_text(sequence) + " tokens at a time, weights as published";
  section.job = one_phase(section.name, std::move(generate));
  return section;
}

std::vector<FitSection> model_questions(const ModelShape& shape, const std::string& name) {
  ModelUse model;
  model.name = name;
  model.shape = shape;
  const std::string length = ", sequence " + count_text(sequence_for(shape)) + ", micro-batch 1";
  std::vector<FitSection> sections;
  sections.push_back(training_question(model, Method::kFull, "fine-tuning of all weights, AdamW" + length));
  sections.push_back(training_question(model, Method::kLora, "LoRA of rank 16 on all linear layers, AdamW" + length));
  sections.push_back(
      training_question(model, Method::kQlora, "LoRA of rank 16 over 4-bit weights (QLoRA), AdamW" + length));
  if (shape.kind == ModelKind::kDecoder) sections.push_back(generation_question(model));
  return sections;
}

std::vector<FitSection> job_questions(const Job& job) {
  std::vector<FitSection> sections;
  for (const Phase& phase : job.phases) {
    if (!std::holds_alternative<TrainPhase>(phase.work) && !std::holds_alternative<GeneratePhase>(phase.work)) continue;
    FitSection section;
    section.name = phase.name;
    section.title = phase_words(phase);
    section.job = job;
    section.job.phases = {phase};
    section.job.phases.front().needs.clear();
    section.job.phases.front().on.clear();
    sections.push_back(std::move(section));
  }
  return sections;
}

/// For each GPU the smallest count that holds it, or every count.
Result<void> fill(FitSection& section, const Catalogue& catalogue, const std::vector<int>& counts, bool every_count,
                  bool all) {
  Job job = section.job;
  job.where.gpus = gpus_to_try(job, catalogue, all);
  auto rows = every_count ? fit_phase(job, 0, catalogue, counts) : smallest_counts(job, 0, catalogue, counts);
  if (!rows) return std::unexpected(rows.error());
  section.rows = *std::move(rows);
  std::ranges::stable_sort(section.rows, [](const FitRow& a, const FitRow& b) {
    return std::pair(-a.node.gpu->usable.value, a.node.gpu->name) <
           std::pair(-b.node.gpu->usable.value, b.node.gpu->name);
  });
  if (section.held()) return {};
  const NearMiss* nearest = nullptr;
  for (const FitRow& row : section.rows)
    if (row.nearest.phase >= 0 && (nearest == nullptr || row.nearest.shortfall() < nearest->shortfall()))
      nearest = &row.nearest;
  if (nearest != nullptr) section.remedies = remedies(section.job, catalogue, *nearest);
  return {};
}

/// The questions about the subject, with `report` naming it.
Result<FitReport> questions(const Options& options, const Catalogue& catalogue) {
  FitReport report;
  if (looks_like_job(options.subject)) {
    const auto job = load_job(options.subject, options.set, catalogue);
    if (!job) return std::unexpected(job.error());
    report.subject = job->job.name;
    report.sections = job_questions(job->job);
    report.counts = job->job.where.counts;
    if (report.sections.empty()) return failure("the job has no phase that trains or generates", {options.subject});
    return report;
  }
  if (!options.set.empty()) return std::unexpected(Error{"--set: only a job has values to set", {}, true});
  auto model = find_model(catalogue, options.subject, "");
  if (!model) return std::unexpected(model.error());
  report.subject = model->shape.name.empty() ? options.subject : model->shape.name;
  report.params = count_parameters(model->shape).total();
  report.sections = model_questions(model->shape, report.subject);
  return report;
}

int run(const Options& options) {
  const auto catalogue = load_catalogue(options.common.data_folder);
  if (!catalogue) return complain(catalogue.error());
  auto report = questions(options, *catalogue);
  if (!report) return complain(report.error());

  std::vector<int> counts = options.counts;
  if (!options.gpu.empty()) {
    const auto gpu = find_gpu(*catalogue, options.gpu);
    if (!gpu) return complain({"--gpu: " + gpu.error().message, {}, true});
    for (FitSection& section : report->sections) section.job.where.gpus = {{gpu->gpu->name, 0}};
    if (gpu->count > 0 && counts.empty()) counts = {gpu->count};
  }
  report->every_count = !options.gpu.empty() || !options.counts.empty();
  if (!counts.empty()) report->counts = std::move(counts);
  if (report->counts.empty()) report->counts = {1, 2, 4, 8};
  std::ranges::sort(report->counts);

  for (FitSection& section : report->sections)
    if (const auto done = fill(section, *catalogue, report->counts, report->every_count, options.all); !done)
      return complain(done.error());

  // A job runs only when every phase has a place; of a model it is enough to know what can be done with it.
  const bool job = report->params <= 0;
  const bool held = job ? std::ranges::all_of(report->sections, &FitSection::held)
                        : std::ranges::any_of(report->sections, &FitSection::held);
  const FitLook look{screen(options.common.no_color || !options.common.output.empty()), options.all, options.explain};
  const std::string text =
      options.common.json ? fit_json(*report, *catalogue, look) : fit_table(*report, *catalogue, look);
  return deliver(text, options.common.output, held ? kDone : kNothingFits);
}

}  // namespace

CommandSpec fit_command() {
  auto options = std::make_shared<Options>();
  CommandSpec command{.name = "fit",
                      .summary = "memory a GPU, largest batch, which GPUs hold a model or a job",
                      .examples =
                          "  gpuplan fit Llama-3.1-8B\n"
                          "  gpuplan fit Qwen2.5-32B --gpu \"RTX 4090\" --counts 1,2,4,8\n"
                          "  gpuplan fit job.yaml --json\n"};
  command.words = {{.names = "subject",
                    .target = &options->subject,
                    .help = "model name, path of a model, or job file",
                    .value = "MODEL|JOB",
                    .completes = Completes::kModels,
                    .required = true}};
  command.options = {{.names = "--gpu",
                      .target = &options->gpu,
                      .help = "this GPU only",
                      .value = "NAME",
                      .completes = Completes::kGpus},
                     {.names = "--counts",
                      .target = &options->counts,
                      .help = "GPUs in one machine, such as 1,2,4,8",
                      .value = "N,N",
                      .least = 1,
                      .most = 1024}};
  add_set_option(command, options->set);
  add_all_flag(command, options->all, "every GPU of the catalogue, those that hold nothing too");
  command.options.push_back({.names = "--explain",
                             .target = &options->explain,
                             .help = "every term of the memory, with its formula and source"});
  add_output_options(command, options->common);
  add_data_option(command, options->common);
  set_run<run>(command, options);
  return command;
}

}  // namespace gpuplan::cli
