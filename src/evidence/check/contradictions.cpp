// Whether a log is of the phase that it is held against.
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/check/run_check.h"

namespace gpuplan {
namespace {

/// Numbers that are stated, in logs and in plans, and may be rounded.
constexpr double kSameStep = 0.01;
/// Steps that follow from lengths of samples, which are means.
constexpr double kAbout = 0.2;
bool near(double a, double b, double share) {
  constexpr double kWhole = 1;  // the last batch may be kept or dropped
  return std::abs(a - b) <= std::max(kWhole, share * std::max(a, b));
}

/// Parameters are counted with and without embeddings (of which a small model may be made for the most part), padding
/// and biases; those of large ones beside towers for pictures.
bool same_parameters(const CheckedRun& run, double logged) {
  constexpr double kLarge = 1e9, kOfLarge = 1.5, kUnknown = 4, kPadding = 0.05;
  const double more = std::max(logged, run.parameters), less = std::min(logged, run.parameters);
  const bool known = run.fewest_parameters > 0;
  if (less >= kLarge || !known) return more / less < (less >= kLarge ? kOfLarge : kUnknown);
  return logged >= run.fewest_parameters * (1 - kPadding) && logged <= run.most_parameters * (1 + kPadding);
}

/// Tokens of each sequence where all are of one length; 0: samples have lengths of their own.
double packed_length(const CheckedRun& run) {
  const auto* train = std::get_if<TrainPhase>(&run.phase.work);
  if (train == nullptr || run.expected.batch <= 0) return 0;
  const double mean = run.expected.tokens_per_step / run.expected.batch;
  return train->sequence && near(mean, *train->sequence, kSameStep) ? mean : 0;
}

/// Of the only network that the phase trains; null: there are several, or its shape is not known.
const ModelShape* shape_of(const CheckedRun& run) {
  const auto* train = std::get_if<TrainPhase>(&run.phase.work);
  if (train == nullptr || train->models.size() != 1 || train->models.front().custom) return nullptr;
  return &train->models.front().shape;
}

/// One figure that both the log and the plan have.
struct Stated {
  bool same = true;
  std::string words;
};

/// A phase that generates with the log of training, or the other way round.
std::string other_work(const CheckedRun& run) {
  const RunLog& log = run.log;
  const bool trained = log.last_step || !log.loss.empty();
  const bool vllm = std::ranges::find(log.formats, LogFormat::kVllm) != log.formats.end();
  if (std::holds_alternative<GeneratePhase>(run.phase.work) && trained)
    return "the log is a training log, but the phase generates";
  if (run.expected.steps > 0 && std::holds_alternative<TrainPhase>(run.phase.work) && vllm && !trained)
    return "the log is from vLLM, but the phase trains";
  return "";
}

/// The bars of one of several replicas count its share of the prompts.
bool is_share(double part, double whole, int gpus) {
  const double shares = std::round(whole / part);
  return part > 0 && shares >= 1 && shares <= std::max(1, gpus) && near(part, whole / shares, kSameStep);
}

std::vector<Stated> stated_of(const CheckedRun& run) {
  const Expectation& expected = run.expected;
  const RunLog& log = run.log;
  std::vector<Stated> stated;
  const auto add = [&](bool same, std::string words) { stated.push_back({same, std::move(words)}); };
  if (expected.steps > 0 && log.planned_steps)
    add(near(*log.planned_steps, expected.steps, run.exact_steps ? kSameStep : kAbout),
        "the log plans " + count_text(*log.planned_steps) + " steps, the phase has " + count_text(expected.steps));
  else if (expected.steps > 0 && log.last_step && *log.last_step > expected.steps * (1 + kAbout) + 1)
    add(false, "the log reaches step " + count_text(*log.last_step) + ", the phase has " + count_text(expected.steps));
  // Batches of samples hold as many tokens as the samples have; those of packed sequences are stated.
  if (expected.steps > 0 && log.sequences_per_step && expected.batch > 0) {
    add(near(*log.sequences_per_step, expected.batch, kSameStep),
        "a step in the log has " + count_text(*log.sequences_per_step) + " sequences, a step of the phase " +
            count_text(expected.batch));
  } else if (expected.tokens_per_step > 0 && log.tokens_per_step) {
    add(near(*log.tokens_per_step, expected.tokens_per_step, run.exact_steps ? kSameStep : kAbout),
        "a step in the log has " + count_text(*log.tokens_per_step) + " tokens, a step of the phase " +
            count_text(expected.tokens_per_step));
  }
  if (const double length = packed_length(run); length > 0 && log.sequence_length && *log.sequence_length > 0)
    add(near(*log.sequence_length, length, kSameStep), "sequences in the log have " + count_text(*log.sequence_length) +
                                                           " tokens, those of the phase " + count_text(length));
  if (const ModelShape* shape = shape_of(run)) {
    const auto part = [&](const std::optional<double>& logged, int planned, const std::string& before,
                          const std::string& after) {
      if (logged && planned > 0)
        add(*logged == planned, "the model in the log has " + before + count_text(*logged) + after +
                                    ", the model of the phase " + count_text(planned));
    };
    part(log.setup.layers, shape->layers, "", " layers");
    part(log.setup.hidden, shape->hidden, "a hidden size of ", "");
  }
  if (expected.gpus > 0 && log.processes && expected.steps > 0)
    add(*log.processes == expected.gpus, "the log is from " + count_text(*log.processes) +
                                             (*log.processes == 1 ? " GPU" : " GPUs") + ", the plan has " +
                                             count_text(expected.gpus));
  if (!expected.gpu.empty() && !run.gpu.empty())
    add(run.gpu == expected.gpu, "the log is from " + run.gpu + ", the plan is for " + expected.gpu);
  if (run.parameters > 0 && log.parameters && *log.parameters > 0) {
    add(same_parameters(run, *log.parameters), "the model in the log has " + count_short(*log.parameters) +
                                                   " parameters, the model of the phase " +
                                                   count_short(run.parameters));
  }
  if (std::string words = other_work(run); !words.empty()) add(false, std::move(words));
  if (const auto* generate = std::get_if<GeneratePhase>(&run.phase.work);
      generate != nullptr && log.prompts && !log.benchmark) {
    double samples = 0;
    for (const Prompts& prompts : generate->data) samples += prompts.samples;
    samples *= static_cast<double>(std::max<std::size_t>(1, generate->models.size()));
    if (samples > 0)
      add(is_share(*log.prompts, samples, expected.gpus),
          "the log has " + count_text(*log.prompts) + " prompts, the phase has " + count_text(samples));
  }
  return stated;
}

}  // namespace

std::vector<std::string> contradictions(const CheckedRun& run) {
  std::vector<std::string> found;
  for (Stated& one : stated_of(run))
    if (!one.same) found.push_back(std::move(one.words));
  return found;
}

int agreements(const CheckedRun& run) {
  const std::vector<Stated> stated = stated_of(run);
  return static_cast<int>(std::ranges::count_if(stated, [](const Stated& one) { return one.same; }));
}

}  // namespace gpuplan
