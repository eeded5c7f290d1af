#include "api/questions/fit_sketch.h"

#include <algorithm>

#include "api/questions/question.h"
#include "base/text.h"
#include "input/models/model_source.h"
#include "output/words/plan_words.h"

namespace gpuplan::api {
namespace {

/// The questions that the flags leave open, each with what it lacks. Memory does not depend on the amount of data.
std::vector<Sketch> open_questions(const Sketch& sketch) {
  Sketch base = sketch;
  if (base.samples.empty() && base.tokens.empty()) base.samples = "1000";
  Sketch training = base;
  if (training.micro.empty() && training.batch.empty()) training.micro = "1";
  if (training.epochs.empty() && training.steps.empty()) training.epochs = "1";
  std::vector<Sketch> open;
  const auto train = [&](Method method) {
    training.method = name_of(method);
    open.push_back(training);
  };
  if (!generates(sketch)) {
    if (!sketch.method.empty()) {
      open.push_back(training);
    } else {
      if (sketch.rank.empty()) train(Method::kFull);
      train(Method::kLora);
      train(Method::kQlora);
    }
    if (trains(sketch) || !sketch.batch.empty()) return open;
  }
  Sketch generation = base;
  generation.generate = true;
  if (generation.batch.empty() && generation.concurrency.empty()) generation.batch = "1";
  if (generation.prompt.empty()) generation.prompt = "1024";
  if (generation.new_tokens.empty()) generation.new_tokens = "1024";
  open.push_back(std::move(generation));
  return open;
}

std::string optimizer_words(const TrainPhase& train) {
  const auto name = [](Optimizer optimizer) {
    return optimizer == Optimizer::kAdamW ? std::string("AdamW") : std::string(name_of(optimizer));
  };
  if (train.optimizer.matrices == train.optimizer.rest) return name(train.optimizer.matrices);
  return name(train.optimizer.matrices) + " and " + name(train.optimizer.rest);
}

std::string title_of(const TrainPhase& train) {
  std::string text;
  switch (train.method) {
    case Method::kFull:
      text = "full fine-tuning";
      break;
    case Method::kLora:
      text = "LoRA rank " + std::to_string(train.lora.rank) + " on all linear layers";
      break;
    case Method::kQlora:
      text = "LoRA rank " + std::to_string(train.lora.rank) + " over 4-bit weights (QLoRA)";
      break;
    case Method::kFrozen:
      text = "a frozen model with " + count_text(train.trainable.value_or(0)) + " trainable parameters";
      break;
  }
  text += ", " + optimizer_words(train);
  if (train.sequence) text += ", sequence " + count_text(*train.sequence);
  if (train.batch && train.batch->sequences) text += ", batch " + count_text(*train.batch->sequences);
  if (train.micro.value) text += ", micro-batch " + count_text(*train.micro.value);
  if (train.precision.value) text += ", " + std::string(name_of(*train.precision.value));
  return text;
}

std::string title_of(const GeneratePhase& generate) {
  const Prompts& prompts = generate.data.front();
  std::string text = "generation, ";
  if (generate.concurrency) text += count_text(*generate.concurrency) + " concurrent requests";
  else text += count_of(generate.batch.value.value_or(1), "sequence") + " at a time";
  text += ", " + count_text(prompts.prompt_tokens.mean) + " input and " + count_text(prompts.new_tokens.mean) +
          " output tokens, weights ";
  return text + (generate.weights ? std::string(name_of(*generate.weights)) : "as published");
}

}  // namespace

Result<FitReport> sketched_report(const Sketch& sketch, const UserConfig& config, const Catalogue& catalogue,
                                  ModelFiles files) {
  const ModelFinder models(catalogue, files);
  FitReport report;
  for (const Sketch& question : open_questions(sketch)) {
    const auto sketched = sketch_job(question, {}, models);
    auto source = sketched ? read_sketch(*sketched) : std::unexpected(sketched.error());
    if (!source) return std::unexpected(source.error());
    apply_config(*source, config);
    auto loaded = read_source(*source, catalogue, files);
    if (!loaded) return std::unexpected(loaded.error());
    FitSection section;
    section.job = std::move(loaded->job);
    const PhaseWork& work = section.job.phases.front().work;
    const auto* train = std::get_if<TrainPhase>(&work);
    const auto& network = train != nullptr ? train->models.front() : std::get<GeneratePhase>(work).models.front();
    if (train == nullptr && network.shape.kind != ModelKind::kDecoder && !generates(sketch)) continue;
    section.name = train != nullptr ? std::string(name_of(train->method)) : "generate";
    section.title = train != nullptr ? title_of(*train) : title_of(std::get<GeneratePhase>(work));
    section.job.phases.front().name = section.name;
    section.sized = !sketch.samples.empty() || !sketch.tokens.empty();
    report.subject = called(catalogue, network.name, network.shape);
    report.params = network.params();
    report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace gpuplan::api
