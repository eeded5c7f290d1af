#include "input/logs/formats/fields.h"

#include <algorithm>
#include <array>
#include <optional>

#include "input/logs/book/known_names.h"

namespace gpuplan {
namespace {

constexpr char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_name_letter(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

struct FieldUnitName {
  std::string_view name;
  FieldUnit unit;
  double scale;
};

/// GB is what programs write for 1024^3 bytes of PyTorch's allocator.
constexpr KnownNames kFieldUnits(std::array{
    FieldUnitName{"us", FieldUnit::kTime, 1e-6},
    FieldUnitName{"ms", FieldUnit::kTime, 1e-3},
    FieldUnitName{"s", FieldUnit::kTime, 1},
    FieldUnitName{"sec", FieldUnit::kTime, 1},
    FieldUnitName{"secs", FieldUnit::kTime, 1},
    FieldUnitName{"seconds", FieldUnit::kTime, 1},
    FieldUnitName{"m", FieldUnit::kTime, 60},
    FieldUnitName{"min", FieldUnit::kTime, 60},
    FieldUnitName{"h", FieldUnit::kTime, 3600},
    FieldUnitName{"ms/step", FieldUnit::kTime, 1e-3},
    FieldUnitName{"ms/it", FieldUnit::kTime, 1e-3},
    FieldUnitName{"ms/iter", FieldUnit::kTime, 1e-3},
    FieldUnitName{"s/step", FieldUnit::kTime, 1},
    FieldUnitName{"s/it", FieldUnit::kTime, 1},
    FieldUnitName{"s/iter", FieldUnit::kTime, 1},
    FieldUnitName{"sec/step", FieldUnit::kTime, 1},
    FieldUnitName{"it/s", FieldUnit::kStepsPerSecond, 1},
    FieldUnitName{"steps/s", FieldUnit::kStepsPerSecond, 1},
    FieldUnitName{"steps/sec", FieldUnit::kStepsPerSecond, 1},
    FieldUnitName{"tok/s", FieldUnit::kTokens, 1},
    FieldUnitName{"tok/sec", FieldUnit::kTokens, 1},
    FieldUnitName{"toks/s", FieldUnit::kTokens, 1},
    FieldUnitName{"tokens/s", FieldUnit::kTokens, 1},
    FieldUnitName{"tokens/sec", FieldUnit::kTokens, 1},
    FieldUnitName{"tokens/second", FieldUnit::kTokens, 1},
    FieldUnitName{"tok/s/gpu", FieldUnit::kTokensPerGpu, 1},
    FieldUnitName{"tokens/s/gpu", FieldUnit::kTokensPerGpu, 1},
    FieldUnitName{"tokens/sec/gpu", FieldUnit::kTokensPerGpu, 1},
    FieldUnitName{"samples/s", FieldUnit::kSequences, 1},
    FieldUnitName{"samples/sec", FieldUnit::kSequences, 1},
    FieldUnitName{"seq/s", FieldUnit::kSequences, 1},
    FieldUnitName{"mb", FieldUnit::kBytes, units::MiB.value},
    FieldUnitName{"mib", FieldUnit::kBytes, units::MiB.value},
    FieldUnitName{"gb", FieldUnit::kBytes, units::GiB.value},
    FieldUnitName{"gib", FieldUnit::kBytes, units::GiB.value},
    FieldUnitName{"tflops", FieldUnit::kFlops, 1e12},
    FieldUnitName{"tflop/s", FieldUnit::kFlops, 1e12},
    FieldUnitName{"%", FieldUnit::kShare, 0.01},
});

bool same_letters(std::string_view text, std::string_view lowered) {
  return std::ranges::equal(text, lowered, [](char a, char b) { return small_letter(a) == b; });
}

std::optional<FieldMeasure> field_measure(std::string_view text) {
  constexpr std::size_t kLongest = 16;
  std::array<char, kLongest> small;
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  std::ranges::transform(text, small.begin(), small_letter);
  const FieldUnitName* const found = kFieldUnits.find({small.data(), text.size()});
  return found == nullptr ? std::nullopt : std::optional(FieldMeasure{found->unit, found->scale});
}

/// With what the names below are: what they mean, and the units that numbers under them come in.
struct NameMeaning {
  std::string_view name;  ///< small letters; blanks, dashes, slashes and dots are '_'
  NamedValue value;
  FieldUnit unit = FieldUnit::kNone;  ///< that it must have been given in; kNone: it needs none
};

constexpr NamedValue is_value(StepValue quantity) { return {NamedValue::Kind::kQuantity, quantity, 1}; }
constexpr NamedValue kStepNumber{NamedValue::Kind::kStep, StepValue::kLoss, 1};
constexpr NamedValue kPeakAllocated{NamedValue::Kind::kAllocated, StepValue::kLoss, 1};
constexpr NamedValue kPeakReserved{NamedValue::Kind::kReserved, StepValue::kLoss, 1};
constexpr NamedValue kMeanTime{NamedValue::Kind::kMeanTime, StepValue::kStepSeconds, 1};

constexpr NamedValue kStepRate{NamedValue::Kind::kStepRate, StepValue::kStepSeconds, 1};

constexpr KnownNames kMeanings(std::array{
    NameMeaning{"step", kStepNumber},
    NameMeaning{"steps", kStepNumber},
    NameMeaning{"global_step", kStepNumber},
    NameMeaning{"train_step", kStepNumber},
    NameMeaning{"iter", kStepNumber},
    NameMeaning{"iteration", kStepNumber},
    NameMeaning{"s", kStepNumber},  // llm.c: "s:250 tel:3.5"
    NameMeaning{"epoch", {NamedValue::Kind::kEpoch, StepValue::kLoss, 1}},
    NameMeaning{"loss", is_value(StepValue::kLoss)},
    NameMeaning{"train_loss", is_value(StepValue::kLoss)},
    NameMeaning{"training_loss", is_value(StepValue::kLoss)},
    NameMeaning{"loss_train", is_value(StepValue::kLoss)},
    NameMeaning{"avg_loss", is_value(StepValue::kLoss)},
    NameMeaning{"mean_loss", is_value(StepValue::kLoss)},
    NameMeaning{"total_loss", is_value(StepValue::kLoss)},
    NameMeaning{"lm_loss", is_value(StepValue::kLoss)},
    NameMeaning{"ce_loss", is_value(StepValue::kLoss)},
    NameMeaning{"train_loss_step", is_value(StepValue::kLoss)},
    NameMeaning{"reduced_train_loss", is_value(StepValue::kLoss)},
    // fairseq2, OpenRLHF, sd-scripts, XTuner
    NameMeaning{"nll_loss", is_value(StepValue::kLoss)},
    NameMeaning{"gpt_loss", is_value(StepValue::kLoss)},
    NameMeaning{"avr_loss", is_value(StepValue::kLoss)},
    NameMeaning{"llm_loss", is_value(StepValue::kLoss)},
    NameMeaning{"reduced_llm_loss", is_value(StepValue::kLoss)},
    NameMeaning{"step_loss", is_value(StepValue::kLoss)},
    NameMeaning{"loss_step", is_value(StepValue::kLoss)},
    NameMeaning{"loss_train_total", is_value(StepValue::kLoss)},
    NameMeaning{"trl", is_value(StepValue::kLoss)},
    NameMeaning{"loss_mean", is_value(StepValue::kLoss)},    // torchtitan's learning by rewards
    NameMeaning{"policy_loss", is_value(StepValue::kLoss)},  // OpenRLHF; where another is told, that one counts
    NameMeaning{"val_loss", is_value(StepValue::kValidation)},
    NameMeaning{"valid_loss", is_value(StepValue::kValidation)},
    NameMeaning{"validation_loss", is_value(StepValue::kValidation)},
    NameMeaning{"eval_loss", is_value(StepValue::kValidation)},
    NameMeaning{"test_loss", is_value(StepValue::kValidation)},
    NameMeaning{"loss_val", is_value(StepValue::kValidation)},
    NameMeaning{"val_bpb", is_value(StepValue::kValidation)},
    NameMeaning{"eval", is_value(StepValue::kValidation)},
    NameMeaning{"tel", is_value(StepValue::kValidation)},
    NameMeaning{"norm", is_value(StepValue::kGradNorm)},
    NameMeaning{"grad", is_value(StepValue::kGradNorm)},
    NameMeaning{"grad_norm", is_value(StepValue::kGradNorm)},
    NameMeaning{"actor_grad_norm", is_value(StepValue::kGradNorm)},
    NameMeaning{"gradnorm", is_value(StepValue::kGradNorm)},
    NameMeaning{"gnorm", is_value(StepValue::kGradNorm)},
    NameMeaning{"gradient_norm", is_value(StepValue::kGradNorm)},
    NameMeaning{"lr", is_value(StepValue::kLearningRate)},
    NameMeaning{"learning_rate", is_value(StepValue::kLearningRate)},
    // Bare numbers of these are seconds. "time" may be all of the run's: only milliseconds are surely a step's.
    NameMeaning{"dt", is_value(StepValue::kStepSeconds)},
    NameMeaning{"step_time", is_value(StepValue::kStepSeconds)},
    NameMeaning{"time_per_step", is_value(StepValue::kStepSeconds)},
    NameMeaning{"time_per_step_s", is_value(StepValue::kStepSeconds)},
    NameMeaning{"iter_time", is_value(StepValue::kStepSeconds)},
    NameMeaning{"time_per_iter", is_value(StepValue::kStepSeconds)},
    NameMeaning{"time_per_iteration", is_value(StepValue::kStepSeconds)},
    NameMeaning{"iteration_time", is_value(StepValue::kStepSeconds)},
    NameMeaning{"train_step_timing_in_s", is_value(StepValue::kStepSeconds)},
    NameMeaning{"iter_dt", is_value(StepValue::kStepSeconds)},    // minGPT
    NameMeaning{"time_step", is_value(StepValue::kStepSeconds)},  // "time/step"
    NameMeaning{"time_iter", is_value(StepValue::kStepSeconds)},
    NameMeaning{"s_step", is_value(StepValue::kStepSeconds)},
    NameMeaning{"sec_step", is_value(StepValue::kStepSeconds)},
    NameMeaning{"step_time_s", is_value(StepValue::kStepSeconds)},
    NameMeaning{"perf_step_time", is_value(StepValue::kStepSeconds)},     // slime
    NameMeaning{"timing_step_total", is_value(StepValue::kStepSeconds)},  // OpenRLHF
    NameMeaning{"step_time_ms", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, 1e-3}},
    NameMeaning{"iter_time_ms", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, 1e-3}},
    NameMeaning{"ms_step", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, 1e-3}},
    NameMeaning{"dt_ms", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, 1e-3}},
    NameMeaning{"time_per_iteration_ms", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, 1e-3}},
    NameMeaning{"elapsed_time_per_iteration_ms", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, 1e-3}},
    NameMeaning{"sec_per_step", is_value(StepValue::kStepSeconds)},
    NameMeaning{"took", is_value(StepValue::kStepSeconds), FieldUnit::kTime},
    NameMeaning{"time", is_value(StepValue::kStepSeconds), FieldUnit::kTime},
    NameMeaning{"steps_per_second", kStepRate},
    NameMeaning{"steps_per_sec", kStepRate},
    NameMeaning{"steps_sec", kStepRate},
    NameMeaning{"steps_s", kStepRate},
    NameMeaning{"it_sec", kStepRate},  // mlx-lm: "It/sec"
    NameMeaning{"it_s", kStepRate},
    NameMeaning{"iters_sec", kStepRate},
    NameMeaning{"iters_s", kStepRate},
    NameMeaning{"last_time", is_value(StepValue::kStepSeconds)},  // detectron2, beside the median "time"
    NameMeaning{"step_avg", kMeanTime, FieldUnit::kTime},
    NameMeaning{"avg_step_time", kMeanTime},
    NameMeaning{"train_time", is_value(StepValue::kClock), FieldUnit::kTime},
    NameMeaning{"tps", is_value(StepValue::kTokens)},
    NameMeaning{"tok_s", is_value(StepValue::kTokens)},
    NameMeaning{"tok_sec", is_value(StepValue::kTokens)},
    NameMeaning{"toks_s", is_value(StepValue::kTokens)},
    NameMeaning{"tokens_s", is_value(StepValue::kTokens)},
    NameMeaning{"tokens_sec", is_value(StepValue::kTokens)},
    NameMeaning{"tok_per_sec", is_value(StepValue::kTokens)},
    NameMeaning{"tokens_per_sec", is_value(StepValue::kTokens)},
    NameMeaning{"tokens_per_second", is_value(StepValue::kTokens)},
    NameMeaning{"elements_per_second", is_value(StepValue::kTokens)},  // fairseq2: of texts they are tokens
    NameMeaning{"throughput", is_value(StepValue::kTokens), FieldUnit::kTokens},
    NameMeaning{"tgs", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"real_tgs", is_value(StepValue::kTokensPerGpu)},  // InternEvo, without padding
    NameMeaning{"tok_s_gpu", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"tokens_s_gpu", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"tokens_sec_gpu", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"tokens_per_gpu_per_second", is_value(StepValue::kTokensPerGpu)},  // Megatron-DeepSpeed
    NameMeaning{"tokens_per_sec_per_gpu", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"tokens_per_second_per_gpu", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"tokens_s_device", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"tokens_per_sec_per_device", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"tflop_s_device", {NamedValue::Kind::kQuantity, StepValue::kModelFlops, 1e12}},
    NameMeaning{"model_tflops_per_gpu", {NamedValue::Kind::kQuantity, StepValue::kModelFlops, 1e12}},
    NameMeaning{"samples_s", is_value(StepValue::kSequences)},
    NameMeaning{"samples_sec", is_value(StepValue::kSequences)},
    NameMeaning{"samples_per_sec", is_value(StepValue::kSequences)},
    NameMeaning{"samples_per_second", is_value(StepValue::kSequences)},
    // PaddleNLP's Trainer, of the steps since its last line
    NameMeaning{"interval_steps_per_second", kStepRate},
    NameMeaning{"interval_samples_per_second", is_value(StepValue::kSequences)},
    NameMeaning{"interval_tokens_per_second_per_device", is_value(StepValue::kTokensPerGpu)},
    // DeepSpeed (deepspeed/utils/timer.py): of all GPUs; the last step's stands behind the mean and takes its place
    NameMeaning{"samplespersec", is_value(StepValue::kSequences)},
    NameMeaning{"runningavgsamplespersec", is_value(StepValue::kSequences)},
    NameMeaning{"currsamplespersec", is_value(StepValue::kSequences)},
    NameMeaning{"maxmemallocated", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"mem", kPeakAllocated, FieldUnit::kBytes},  // NeMo Automodel
    NameMeaning{"memory", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"memory_usage", kPeakReserved, FieldUnit::kBytes},  // Picotron: torch.cuda.memory_reserved()
    NameMeaning{"memory_used", kPeakReserved, FieldUnit::kBytes},
    NameMeaning{"max_mem", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"max_memory", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"peak_mem", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"peak_memory", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"max_memory_allocated", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"max_mem_allocated", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"peak_memory_allocated", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"max_memory_reserved", kPeakReserved, FieldUnit::kBytes},
    NameMeaning{"max_mem_reserved", kPeakReserved, FieldUnit::kBytes},
    NameMeaning{"peak_memory_reserved", kPeakReserved, FieldUnit::kBytes},
    NameMeaning{"max_reserved", kPeakReserved, FieldUnit::kBytes},
    NameMeaning{"reserved", kPeakReserved, FieldUnit::kBytes},
});

constexpr std::size_t kLongestName = 48;

/// "Peak Reserved Device Memory", "GPU Mem": of the GPU, whatever its words and their order. `words`: as kMeanings has
/// them. What others have, or is left, is no peak.
bool is_other_memory(std::string_view words) {
  constexpr std::array<std::string_view, 12> kOthers = {"cpu",   "host",  "ram",   "swap",    "free", "total",
                                                        "avail", "limit", "cache", "process", "sys",  "capacity"};
  return std::ranges::any_of(
      kOthers, [words](std::string_view part) { return part != "ram" ? words.contains(part) : words == "ram"; });
}

NamedValue meaning_of_memory(std::string_view words) {
  constexpr std::array<std::string_view, 8> kOfGpu = {"peak", "max", "gpu", "cuda", "device", "vram", "alloc", "activ"};
  const auto holds = [words](std::string_view part) { return words.contains(part); };
  if (!words.contains("mem") && !words.contains("vram")) return {};
  if (is_other_memory(words)) return {};
  if (words.contains("reserv")) return kPeakReserved;
  return std::ranges::any_of(kOfGpu, holds) ? kPeakAllocated : NamedValue{};
}

/// "gpu_mem_gb": bytes of one, where the name ends with a unit, which is taken off; else 0.
double unit_in_name(std::string_view& words) {
  for (const auto& [unit, scale] : {std::pair{std::string_view("_gb"), units::GiB},
                                    {std::string_view("_gib"), units::GiB},
                                    {std::string_view("_mb"), units::MiB},
                                    {std::string_view("_mib"), units::MiB}}) {
    if (!words.ends_with(unit)) continue;
    words.remove_suffix(unit.size());
    return scale.value;
  }
  return 0;
}

/// Of numbers without a name, their unit tells: "3056.36 ms", "171440 tok/s".
NamedValue meaning_of_unit(const FieldMeasure& measure) {
  switch (measure.unit) {
    case FieldUnit::kTime:
      if (measure.scale < 1) return {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, measure.scale};
      break;
    case FieldUnit::kTokens:
      return is_value(StepValue::kTokens);
    case FieldUnit::kTokensPerGpu:
      return is_value(StepValue::kTokensPerGpu);
    case FieldUnit::kSequences:
      return is_value(StepValue::kSequences);
    case FieldUnit::kNone:
    case FieldUnit::kBytes:
    case FieldUnit::kStepsPerSecond:
    case FieldUnit::kShare:
    case FieldUnit::kFlops:
      break;
  }
  return {};
}

/// Steps that are no count of what was done: "warmup steps 200", "micro step 3", "every 50 steps".
bool counts_something_else(std::string_view words) {
  constexpr std::array<std::string_view, 13> kOthers = {"micro", "mini", "warmup", "per", "every", "total",       "max",
                                                        "num",   "save", "log",    "of",  "from",  "accumulation"};
  const std::size_t blank = words.find_last_of(" -_/", words.size() - 1);
  const std::string_view last = blank == std::string_view::npos ? words : words.substr(blank + 1);
  return std::ranges::any_of(kOthers, [last](std::string_view other) { return same_letters(last, other); });
}

}  // namespace

bool LogFields::next(LogField& field) {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool signed_digit = (c == '-' || c == '+' || c == '.') && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    if (is_digit(c) || signed_digit) {
      if (number(field)) return true;
    } else if (is_letter(c) || c == '_') {
      const char small = small_letter(c);
      if ((small == 'n' || small == 'i') && not_finite(field)) return true;
      word();
    } else if ((c == '-' || c == '+') && not_finite(field)) {
      return true;
    } else {
      sign();
    }
  }
  return false;
}

/// "loss: nan", "loss nan", "loss=-inf": a word of its own behind a name.
bool LogFields::not_finite(LogField& field) {
  const char c = text_[at_];
  std::string_view rest = text_.substr(at_);
  const std::size_t sign = c == '-' || c == '+' ? 1 : 0;
  if (name_end_ == name_begin_ || rest.size() < sign + 3) return false;
  const char first = small_letter(rest[sign]);
  if ((first != 'n' && first != 'i') || is_name_letter(before(at_))) return false;
  double value = 0;
  if (!scan::take_number(rest, value) || (!rest.empty() && is_name_letter(rest.front()))) return false;
  field = {.name = text_.substr(name_begin_, name_end_ - name_begin_), .value = value, .fraction = true};
  at_ = text_.size() - rest.size();
  name_begin_ = name_end_ = at_;
  separated_ = false;
  return true;
}

bool LogFields::number(LogField& field) {
  std::string_view rest = text_.substr(at_);
  const std::size_t begin = at_;
  double value = 0;
  if (!scan::take_count(rest, value)) {
    ++at_;
    return false;
  }
  at_ = text_.size() - rest.size();
  const auto joined = [&](std::size_t at) {  // times of day, dates, versions
    return at + 1 < text_.size() && (text_[at] == ':' || text_[at] == '-' || text_[at] == '.') &&
           is_digit(text_[at + 1]);
  };
  if (joined(at_)) {
    while (at_ < text_.size() && (is_digit(text_[at_]) || joined(at_))) ++at_;
    name_begin_ = name_end_ = at_;
    return false;
  }
  const std::string_view written = text_.substr(begin, at_ - begin);
  // One by one: a whole one that is copied costs a third of the time of reading such lines.
  field.name = {text_.data() + name_begin_, name_end_ - name_begin_};
  field.value = value;
  field.unit = unit_;
  field.measure.reset();
  field.total = scan::kUnknown;
  field.mebi = false;
  field.fraction = std::ranges::any_of(written, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
  if (rest.size() > 3 && (rest[0] == '/' || (rest[0] == ' ' && rest[1] == '/' && rest[2] == ' '))) {
    // "12/90", "1/  90", "1 / 90"
    std::string_view peek = rest.substr(rest[0] == '/' ? 1 : 2);
    scan::skip_spaces(peek);
    if (!peek.empty() && is_digit(peek.front()) && scan::take_count(peek, field.total)) rest = peek;
  } else if (rest.size() > 1 && rest[0] == '/' && is_digit(rest[1])) {
    rest.remove_prefix(1);
    scan::take_count(rest, field.total);
  }
  if (!rest.empty() && (rest.front() == 'k' || rest.front() == 'K') && (rest.size() == 1 || !is_name_letter(rest[1]))) {
    field.value *= 1e3;
    rest.remove_prefix(1);
  }
  // A unit, with a blank before it or without.
  std::string_view peek = rest;
  scan::skip_spaces(peek);
  std::size_t size = 0;
  while (size < peek.size() && (is_letter(peek[size]) || peek[size] == '%' || (peek[size] == '/' && size > 0))) ++size;
  // "12 s: 4" is a name, and so is "loss 3.1 m 2"
  const bool close = size > 0 && (peek.size() == rest.size() || size > 1);
  const char next = size < peek.size() ? peek[size] : ' ';
  if (close && next != ':' && next != '=' && !is_name_letter(next)) {
    field.mebi = peek.substr(0, size) == "M";  // which is no minute
    if (!field.mebi) field.measure = field_measure(peek.substr(0, size));
    if (field.measure) {
      field.unit = peek.substr(0, size);
      rest = peek.substr(size);
    }
  }
  add_smaller(field, rest);
  at_ = text_.size() - rest.size();
  name_begin_ = name_end_ = at_;
  unit_ = {};
  separated_ = false;
  return true;
}

/// "1m 9s" and "2h 5m" are one time.
void LogFields::add_smaller(LogField& field, std::string_view& rest) {
  constexpr double kMinute = 60;
  while (field.measure && field.measure->unit == FieldUnit::kTime && field.measure->scale >= kMinute) {
    std::string_view peek = rest;
    scan::skip_spaces(peek);
    double value = 0;
    if (peek.empty() || !is_digit(peek.front()) || !scan::take_number(peek, value)) return;
    std::size_t size = 0;
    while (size < peek.size() && is_letter(peek[size])) ++size;
    const auto smaller = field_measure(peek.substr(0, size));
    if (!smaller || smaller->unit != FieldUnit::kTime || smaller->scale >= field.measure->scale) return;
    field.value = (field.value * field.measure->scale + value * smaller->scale) / smaller->scale;
    field.measure = smaller;
    field.unit = peek.substr(0, size);
    rest = peek.substr(size);
  }
}

void LogFields::word() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool inside = (c == '/' || c == '-' || c == '.') && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
    if (!is_name_letter(c) && !inside) break;
    ++at_;
  }
  if (separated_ || name_end_ == name_begin_) name_begin_ = begin;
  name_end_ = at_;
  unit_ = {};
  separated_ = false;
}

void LogFields::sign() {
  const char c = text_[at_];
  ++at_;
  if (c == ' ' || c == '\t' || c == '\'' || c == '"') return;
  if (c == '.' && is_letter(before(at_ - 1)) && at_ < text_.size() && text_[at_] == ' ') return;  // "Peak Mem. 61.2"
  if (c == ':' || c == '=') {
    separated_ = true;
    return;
  }
  if ((c == '[' || c == '(') && separated_) return;  // "lr=[0.0001]", "loss: tensor(2.3)"
  // "Step [50/1000], Loss: 3.4"
  if (c == '[' && name_end_ > name_begin_ && at_ < text_.size() && is_digit(text_[at_])) {
    separated_ = true;
    return;
  }
  if ((c == '[' || c == '(') && name_end_ > name_begin_) {
    const char close = c == '[' ? ']' : ')';
    const std::size_t end = text_.substr(at_, 12).find(close);
    const std::string_view inside = end == std::string_view::npos ? std::string_view() : text_.substr(at_, end);
    if (!inside.empty() && field_measure(inside)) {
      unit_ = inside;
      at_ += end + 1;
      return;
    }
  }
  if (c == '(' && name_end_ > name_begin_ && before(at_ - 1) != ' ') return;  // "tensor(2.3"
  name_begin_ = name_end_ = at_;
  separated_ = false;
}

NamedValue meaning_of(const LogField& field) {
  FieldMeasure measure = field.measure ? *field.measure : field_measure(field.unit).value_or(FieldMeasure{});
  if (field.name.empty()) return meaning_of_unit(measure);
  std::array<char, kLongestName> small;
  std::string_view name = field.name;
  if (name.size() > small.size()) name.remove_prefix(name.size() - small.size());
  std::ranges::transform(name, small.begin(), [](char c) {
    const char s = small_letter(c);
    return s == ' ' || s == '-' || s == '/' || s == '.' ? '_' : s;
  });
  std::string_view words(small.data(), name.size());
  // detectron2's "max_mem: 7012M"
  if (field.mebi && words.contains("mem")) measure = {FieldUnit::kBytes, units::MiB.value};
  std::size_t left = 0;
  while (true) {
    if (const NameMeaning* const found = kMeanings.find(words); found != nullptr) {
      const NameMeaning& meaning = *found;
      if (meaning.value.kind == NamedValue::Kind::kStep &&
          (measure.unit != FieldUnit::kNone || (left > 0 && counts_something_else(name.substr(0, left - 1)))))
        return {};
      const FieldUnit unit = measure.unit;
      if (meaning.unit != FieldUnit::kNone && unit != meaning.unit) return {};
      // A share is not the value itself: "loss 5%".
      if (unit == FieldUnit::kShare || unit == FieldUnit::kStepsPerSecond) return {};
      if (words == "time" && measure.scale >= 1) return {};
      NamedValue value = meaning.value;
      const bool memory = value.kind == NamedValue::Kind::kAllocated || value.kind == NamedValue::Kind::kReserved;
      if (memory && left > 0 && is_other_memory({small.data(), name.size()})) return {};
      if (unit != FieldUnit::kNone) value.scale *= measure.scale;
      return value;
    }
    // The words behind the next blank.
    const std::size_t blank = name.find(' ', left);
    if (blank == std::string_view::npos) {
      std::string_view whole(small.data(), name.size());
      const double scale = measure.unit == FieldUnit::kBytes ? measure.scale : unit_in_name(whole);
      if (!(scale > 0)) return {};
      NamedValue memory = meaning_of_memory(whole);
      memory.scale *= scale;
      return memory;
    }
    left = blank + 1;
    words = std::string_view(small.data() + left, name.size() - left);
  }
}

NamedValue meaning_of_key(std::string_view name) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || is_digit(c); };
  if (!std::ranges::all_of(name, is_plain)) return meaning_of({.name = name});
  const NameMeaning* const found = kMeanings.find(name);
  return found == nullptr || found->unit != FieldUnit::kNone ? NamedValue{} : found->value;
}

}  // namespace gpuplan
