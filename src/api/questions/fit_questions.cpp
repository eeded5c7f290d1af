#include "api/questions/fit_questions.h"

#include <algorithm>

#include "api/questions/fit_sketch.h"
#include "api/questions/question.h"
#include "base/sorting.h"
#include "base/text.h"
#include "input/models/model_source.h"
#include "output/words/plan_words.h"
#include "plan/capacity/fit.h"
#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"

namespace gpuplan::api {
namespace {

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
  section.sized = false;
  section.title = "generation, sequences of " + count_text(sequence) + " tokens, weights as published";
  section.job = one_phase(section.name, std::move(generate));
  return section;
}

std::vector<FitSection> model_questions(const ModelShape& shape, const std::string& name) {
  ModelUse model;
  model.name = name;
  model.shape = shape;
  const std::string length = ", sequence " + count_text(sequence_for(shape)) + ", micro-batch 1";
  std::vector<FitSection> sections;
  sections.push_back(training_question(model, Method::kFull, "full fine-tuning, AdamW" + length));
  sections.push_back(training_question(model, Method::kLora, "LoRA rank 16 on all linear layers, AdamW" + length));
  sections.push_back(
      training_question(model, Method::kQlora, "LoRA rank 16 over 4-bit weights (QLoRA), AdamW" + length));
  if (shape.kind == ModelKind::kDecoder) sections.push_back(generation_question(model));
  return sections;
}

std::vector<FitSection> job_questions(const Job& job) {
  std::vector<FitSection> sections;
  for (const Phase& phase : job.phases) {
    if (!computes(phase)) continue;
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
Result<void> fill_section(FitSection& section, const Catalogue& catalogue, const std::vector<int>& counts,
                          bool every_count, bool all) {
  Job job = section.job;
  job.where.gpus = gpus_to_try(job, catalogue, all);
  auto rows = every_count ? fit_phase(job, 0, catalogue, counts) : smallest_counts(job, 0, catalogue, counts);
  if (!rows) return std::unexpected(rows.error());
  section.rows = *std::move(rows);
  sort_stably(section.rows, [](const FitRow& a, const FitRow& b) {
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

}  // namespace

Result<FitReport> fit_questions(const FitWords& words, const UserConfig& config, const Catalogue& catalogue) {
  FitReport report;
  const std::string& subject = words.subject;
  const std::string_view flag = first_flag(words.sketch);
  if (words.job == nullptr && subject.empty() && words.sketch.model.empty() && words.sketch.params.empty() &&
      words.sketch.layers.empty())
    return wrong_use("missing model or job file. Example: gpuplan fit Llama-3.1-8B");
  if (words.job != nullptr) {
    if (!flag.empty()) return std::unexpected(flag_beside_job(words.sketch, *words.job, catalogue, words.files));
    auto source = open_source(*words.job, words.settings);
    if (source) apply_config(*source, config);
    const auto job = source ? read_source(*source, catalogue, words.files) : std::unexpected(source.error());
    if (!job) return std::unexpected(job.error());
    report.subject = job->job.name;
    report.sections = job_questions(job->job);
    report.counts = job->job.where.counts;
    if (report.sections.empty()) return failure("the job has no phase that trains or generates", {words.job->name});
    return report;
  }
  if (!words.settings.empty()) return wrong_use("--set works only with a job file");
  if (!flag.empty()) {
    Sketch sketch = words.sketch;
    if (!subject.empty()) {
      if (!sketch.model.empty() || !sketch.params.empty())
        return wrong_use(std::string(flag) + " and '" + printable(subject, 80) +
                         "' both name the model; use one of them");
      sketch.model = subject;
    }
    return sketched_report(sketch, config, catalogue, words.files);
  }
  auto model = find_model(catalogue, subject, "", words.files);
  if (!model) return std::unexpected(model.error());
  report.subject = called(catalogue, subject, model->shape);
  report.params = count_parameters(model->shape).total();
  report.sections = model_questions(model->shape, report.subject);
  for (FitSection& section : report.sections)
    for (const Offer& box : config.boxes) section.job.market.own.push_back(box);
  return report;
}

Result<void> fill(FitReport& report, const Catalogue& catalogue, bool all) {
  if (report.counts.empty()) report.counts = {1, 2, 4, 8};
  for (FitSection& section : report.sections)
    if (auto done = fill_section(section, catalogue, report.counts, report.every_count, all); !done) return done;
  return {};
}

}  // namespace gpuplan::api
