#include "input/logs/fields/name_words.h"

#include <array>
#include <cstdint>

#include "input/logs/book/known_names.h"

namespace gpuplan {
namespace {

/// What a word may be in a name or a unit; bits, as "train" is of nothing and "cross" of losses alone.
enum class WordKind : std::uint8_t {
  kNeutral,  ///< of which part of the program, or how it was averaged
  kMean,     ///< averaged over all steps so far, where it is a time
  kPer,
  kTokens,
  kSamples,
  kSteps,    ///< "steps", of which a rate may count several
  kStep,     ///< "step", which has a time
  kSeconds,  ///< and other units of time
  kTime,     ///< "time" itself
  kDevice,
  kLoss,
  kOfLoss,  ///< which loss, where it is the one that is trained on
  kHeldOut,
  kGradient,
  kNorm,
  kLearning,
  kRate,
  kLearningRate,
  kTeraflops
};

struct KnownWord {
  std::string_view name;
  WordKind kind;
  double scale = 1;
};

constexpr KnownNames kWords(std::array{
    KnownWord{"train", WordKind::kNeutral},
    KnownWord{"training", WordKind::kNeutral},
    KnownWord{"trainer", WordKind::kNeutral},
    KnownWord{"metrics", WordKind::kNeutral},
    KnownWord{"perf", WordKind::kNeutral},
    KnownWord{"performance", WordKind::kNeutral},
    KnownWord{"optim", WordKind::kNeutral},
    KnownWord{"total", WordKind::kNeutral},
    KnownWord{"global", WordKind::kNeutral},
    KnownWord{"current", WordKind::kNeutral},
    KnownWord{"curr", WordKind::kNeutral},
    KnownWord{"cur", WordKind::kNeutral},
    KnownWord{"interval", WordKind::kNeutral},
    KnownWord{"real", WordKind::kNeutral},
    KnownWord{"this", WordKind::kNeutral},
    KnownWord{"in", WordKind::kNeutral},
    KnownWord{"reduced", WordKind::kNeutral},
    KnownWord{"actor", WordKind::kNeutral},
    KnownWord{"act", WordKind::kOfLoss},
    KnownWord{"grpo", WordKind::kNeutral},
    KnownWord{"ppo", WordKind::kNeutral},
    KnownWord{"sft", WordKind::kNeutral},
    KnownWord{"throughput", WordKind::kNeutral},
    KnownWord{"avg", WordKind::kMean},
    KnownWord{"average", WordKind::kMean},
    KnownWord{"mean", WordKind::kMean},
    KnownWord{"avr", WordKind::kMean},
    KnownWord{"running", WordKind::kMean},
    KnownWord{"per", WordKind::kPer},
    KnownWord{"tok", WordKind::kTokens},
    KnownWord{"toks", WordKind::kTokens},
    KnownWord{"token", WordKind::kTokens},
    KnownWord{"tokens", WordKind::kTokens},
    KnownWord{"sample", WordKind::kSamples},
    KnownWord{"samples", WordKind::kSamples},
    KnownWord{"sequence", WordKind::kSamples},
    KnownWord{"sequences", WordKind::kSamples},
    KnownWord{"seq", WordKind::kSamples},
    KnownWord{"seqs", WordKind::kSamples},
    KnownWord{"image", WordKind::kSamples},
    KnownWord{"images", WordKind::kSamples},
    KnownWord{"img", WordKind::kSamples},
    KnownWord{"imgs", WordKind::kSamples},
    KnownWord{"example", WordKind::kSamples},
    KnownWord{"examples", WordKind::kSamples},
    KnownWord{"step", WordKind::kStep},
    KnownWord{"steps", WordKind::kSteps},
    KnownWord{"iter", WordKind::kStep},
    KnownWord{"iters", WordKind::kSteps},
    KnownWord{"iteration", WordKind::kStep},
    KnownWord{"iterations", WordKind::kSteps},
    KnownWord{"batch", WordKind::kStep},
    KnownWord{"batches", WordKind::kSteps},
    KnownWord{"update", WordKind::kStep},
    KnownWord{"updates", WordKind::kSteps},
    KnownWord{"it", WordKind::kStep},
    KnownWord{"its", WordKind::kSteps},
    KnownWord{"us", WordKind::kSeconds, 1e-6},
    KnownWord{"ms", WordKind::kSeconds, 1e-3},
    KnownWord{"s", WordKind::kSeconds},
    KnownWord{"sec", WordKind::kSeconds},
    KnownWord{"secs", WordKind::kSeconds},
    KnownWord{"second", WordKind::kSeconds},
    KnownWord{"seconds", WordKind::kSeconds},
    KnownWord{"min", WordKind::kSeconds, 60},
    KnownWord{"minute", WordKind::kSeconds, 60},
    KnownWord{"time", WordKind::kTime},
    KnownWord{"timing", WordKind::kTime},
    KnownWord{"duration", WordKind::kTime},
    KnownWord{"elapsed", WordKind::kTime},
    KnownWord{"dt", WordKind::kTime},
    KnownWord{"gpu", WordKind::kDevice},
    KnownWord{"device", WordKind::kDevice},
    KnownWord{"chip", WordKind::kDevice},
    KnownWord{"npu", WordKind::kDevice},
    KnownWord{"rank", WordKind::kDevice},
    KnownWord{"card", WordKind::kDevice},
    KnownWord{"loss", WordKind::kLoss},
    KnownWord{"losses", WordKind::kNeutral},
    KnownWord{"lm", WordKind::kOfLoss},
    KnownWord{"ce", WordKind::kOfLoss},
    KnownWord{"nll", WordKind::kOfLoss},
    KnownWord{"gpt", WordKind::kOfLoss},
    KnownWord{"llm", WordKind::kOfLoss},
    KnownWord{"mlm", WordKind::kOfLoss},
    KnownWord{"cross", WordKind::kOfLoss},
    KnownWord{"entropy", WordKind::kOfLoss},
    KnownWord{"language", WordKind::kOfLoss},
    KnownWord{"model", WordKind::kOfLoss},
    KnownWord{"main", WordKind::kOfLoss},
    KnownWord{"policy", WordKind::kOfLoss},
    KnownWord{"dpo", WordKind::kOfLoss},
    KnownWord{"clip", WordKind::kOfLoss},
    KnownWord{"contrastive", WordKind::kOfLoss},
    KnownWord{"orpo", WordKind::kOfLoss},
    KnownWord{"kto", WordKind::kOfLoss},
    KnownWord{"val", WordKind::kHeldOut},
    KnownWord{"valid", WordKind::kHeldOut},
    KnownWord{"validation", WordKind::kHeldOut},
    KnownWord{"eval", WordKind::kHeldOut},
    KnownWord{"evaluation", WordKind::kHeldOut},
    KnownWord{"test", WordKind::kHeldOut},
    KnownWord{"dev", WordKind::kHeldOut},
    KnownWord{"cv", WordKind::kHeldOut},
    KnownWord{"grad", WordKind::kGradient},
    KnownWord{"gradient", WordKind::kGradient},
    KnownWord{"norm", WordKind::kNorm},
    KnownWord{"learning", WordKind::kLearning},
    KnownWord{"rate", WordKind::kRate},
    KnownWord{"lr", WordKind::kLearningRate},
    KnownWord{"tflop", WordKind::kTeraflops},
    KnownWord{"tflops", WordKind::kTeraflops},
});

constexpr std::uint32_t bit(WordKind kind) { return 1U << static_cast<unsigned>(kind); }

/// The words of a name, as far as their order matters.
struct Words {
  std::uint32_t kinds = 0;
  WordKind counted = WordKind::kNeutral;  ///< tokens, samples, steps or time, whichever came first
  double scale = 1;                       ///< seconds of the unit of time

  bool has(WordKind kind) const { return (kinds & bit(kind)) != 0; }
  /// Only these and words that say nothing.
  bool only(std::uint32_t others) const {
    return (kinds & ~(others | bit(WordKind::kNeutral) | bit(WordKind::kMean))) == 0;
  }
  bool add(std::string_view word) {
    const KnownWord* const known = kWords.find(word);
    if (known == nullptr) return false;
    kinds |= bit(known->kind);
    if (known->kind == WordKind::kSeconds) scale = known->scale;
    constexpr std::uint32_t kCounted = bit(WordKind::kTokens) | bit(WordKind::kSamples) | bit(WordKind::kSteps) |
                                       bit(WordKind::kStep) | bit(WordKind::kSeconds) | bit(WordKind::kTime);
    if (counted == WordKind::kNeutral && (bit(known->kind) & kCounted) != 0) counted = known->kind;
    return true;
  }
};

std::optional<Words> words_of(std::string_view text, char between) {
  Words words;
  while (true) {
    const std::size_t end = text.find(between);
    const std::string_view word = text.substr(0, end);
    if (!word.empty() && !words.add(word)) return std::nullopt;
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

constexpr std::uint32_t kRateOrTime = bit(WordKind::kPer) | bit(WordKind::kSeconds) | bit(WordKind::kTime);
constexpr std::uint32_t kAnyStep = bit(WordKind::kStep) | bit(WordKind::kSteps);

/// Tokens, samples or steps over time; the time of a step.
std::optional<FieldMeasure> measure_of(const Words& words) {
  const bool step = (words.kinds & kAnyStep) != 0;
  const bool device = words.has(WordKind::kDevice);
  if (words.counted == WordKind::kTokens && words.has(WordKind::kSeconds) &&
      words.only(bit(WordKind::kTokens) | bit(WordKind::kDevice) | kRateOrTime))
    return FieldMeasure{device ? FieldUnit::kTokensPerGpu : FieldUnit::kTokens, 1 / words.scale};
  if (device) return std::nullopt;
  if (words.counted == WordKind::kSamples && words.has(WordKind::kSeconds) &&
      words.only(bit(WordKind::kSamples) | kRateOrTime))
    return FieldMeasure{FieldUnit::kSequences, 1 / words.scale};
  if (!step || !words.only(kAnyStep | kRateOrTime)) return std::nullopt;
  // "step_ms": no rate counts steps in a thousandth of a second.
  const bool small = words.scale < 1 && !words.has(WordKind::kPer);
  if (words.has(WordKind::kTime) || words.counted == WordKind::kSeconds || small)
    return FieldMeasure{FieldUnit::kStepTime, words.scale};
  // "steps_s" is a rate; what "step_s" may be its value alone would tell.
  const bool rate = words.counted == WordKind::kSteps || words.has(WordKind::kPer);
  if (rate && words.has(WordKind::kSeconds)) return FieldMeasure{FieldUnit::kStepsPerSecond, 1 / words.scale};
  return std::nullopt;
}

constexpr NamedValue value_of_words(StepValue quantity, double scale = 1) {
  return {NamedValue::Kind::kQuantity, quantity, scale};
}

}  // namespace

std::optional<FieldMeasure> measure_of_parts(std::string_view small) {
  auto words = words_of(small, '/');
  if (!words || (words->kinds & bit(WordKind::kTime)) != 0) return std::nullopt;
  words->kinds |= bit(WordKind::kPer);
  return measure_of(*words);
}

NamedValue meaning_of_words(std::string_view small) {
  if (small.starts_with("train_train_")) return {};  // W&B's "train/train_loss" of Trainer: the mean of the run
  const auto words = words_of(small, '_');
  if (!words) return {};
  if (words->has(WordKind::kLoss)) {
    constexpr std::uint32_t kOfLosses =
        bit(WordKind::kLoss) | bit(WordKind::kOfLoss) | bit(WordKind::kHeldOut) | kAnyStep;
    if (!words->only(kOfLosses)) return {};
    return value_of_words(words->has(WordKind::kHeldOut) ? StepValue::kValidation : StepValue::kLoss);
  }
  if (words->has(WordKind::kGradient) && words->has(WordKind::kNorm))
    return words->only(bit(WordKind::kGradient) | bit(WordKind::kNorm)) ? value_of_words(StepValue::kGradNorm)
                                                                        : NamedValue{};
  if (words->has(WordKind::kLearningRate) || (words->has(WordKind::kLearning) && words->has(WordKind::kRate)))
    return words->only(bit(WordKind::kLearningRate) | bit(WordKind::kLearning) | bit(WordKind::kRate))
               ? value_of_words(StepValue::kLearningRate)
               : NamedValue{};
  constexpr double kTera = 1e12;
  if (words->has(WordKind::kTeraflops))
    return words->has(WordKind::kDevice) && words->only(bit(WordKind::kTeraflops) | bit(WordKind::kDevice) |
                                                        bit(WordKind::kPer) | bit(WordKind::kSeconds))
               ? value_of_words(StepValue::kModelFlops, kTera)
               : NamedValue{};
  const auto measure = measure_of(*words);
  // A mean rate is beside that of the step, as a rule.
  if (!measure || (words->has(WordKind::kMean) && measure->unit != FieldUnit::kStepTime)) return {};
  switch (measure->unit) {
    case FieldUnit::kTokens:
      return value_of_words(StepValue::kTokens, measure->scale);
    case FieldUnit::kTokensPerGpu:
      return value_of_words(StepValue::kTokensPerGpu, measure->scale);
    case FieldUnit::kSequences:
      return value_of_words(StepValue::kSequences, measure->scale);
    case FieldUnit::kStepTime:
      if (words->has(WordKind::kMean)) return {NamedValue::Kind::kMeanTime, StepValue::kStepSeconds, measure->scale};
      return value_of_words(StepValue::kStepSeconds, measure->scale);
    case FieldUnit::kStepsPerSecond:
      return {NamedValue::Kind::kStepRate, StepValue::kStepSeconds, measure->scale};
    default:
      return {};
  }
}

}  // namespace gpuplan
