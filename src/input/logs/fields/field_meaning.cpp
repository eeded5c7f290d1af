// What the names of numbers mean, whatever program wrote them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.h"
#include "input/logs/book/known_names.h"
#include "input/logs/fields/fields.h"
#include "input/logs/fields/name_words.h"

namespace gpuplan {
namespace {

bool same_letters(std::string_view text, std::string_view lowered) {
  return std::ranges::equal(text, lowered, [](char a, char b) { return small_letter(a) == b; });
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

/// Names whose words alone do not tell what they mean (name_words.h).
constexpr KnownNames kMeanings(std::array{
    NameMeaning{"step", kStepNumber},
    NameMeaning{"steps", kStepNumber},
    NameMeaning{"global_step", kStepNumber},
    NameMeaning{"train_step", kStepNumber},
    NameMeaning{"iter", kStepNumber},
    NameMeaning{"iteration", kStepNumber},
    NameMeaning{"it", kStepNumber},
    NameMeaning{"iterations", kStepNumber},
    NameMeaning{"training_iteration", kStepNumber},  // Ray
    NameMeaning{"up", kStepNumber},                  // Marian
    NameMeaning{"update", kStepNumber},
    NameMeaning{"updates", kStepNumber},
    NameMeaning{"step_i", kStepNumber},  // paxml
    NameMeaning{"s", kStepNumber},       // llm.c: "s:250 tel:3.5"
    NameMeaning{"epoch", {NamedValue::Kind::kEpoch, StepValue::kLoss, 1}},
    NameMeaning{"loss", is_value(StepValue::kLoss)},
    NameMeaning{"train_epoch_loss", is_value(StepValue::kLoss)},  // peft's examples; others have it beside the steps'
    NameMeaning{"trl", is_value(StepValue::kLoss)},
    NameMeaning{"xent", is_value(StepValue::kLoss)},  // OpenNMT-py
    NameMeaning{"cost", is_value(StepValue::kLoss)},  // Marian
    NameMeaning{"crossentropyloss", is_value(StepValue::kLoss)},
    NameMeaning{"cross_entropy", is_value(StepValue::kLoss)},
    NameMeaning{"val_bpb", is_value(StepValue::kValidation)},
    NameMeaning{"eval", is_value(StepValue::kValidation)},
    NameMeaning{"tel", is_value(StepValue::kValidation)},
    NameMeaning{"norm", is_value(StepValue::kGradNorm)},
    NameMeaning{"grad", is_value(StepValue::kGradNorm)},
    NameMeaning{"gradnorm", is_value(StepValue::kGradNorm)},
    NameMeaning{"gnorm", is_value(StepValue::kGradNorm)},
    // Bare numbers of these are seconds. "time" may be all of the run's: only milliseconds are surely a step's.
    NameMeaning{"dt", is_value(StepValue::kStepSeconds)},
    NameMeaning{"timing_step_total", is_value(StepValue::kStepSeconds)},  // OpenRLHF
    NameMeaning{"dt_ms", {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, 1e-3}},
    NameMeaning{"batch_cost", is_value(StepValue::kStepSeconds)},  // PaddlePaddle
    NameMeaning{"avg_batch_cost", is_value(StepValue::kStepSeconds)},
    NameMeaning{"iter_speed", is_value(StepValue::kStepSeconds), FieldUnit::kTime},  // Cosmos
    NameMeaning{"time_this_iter_s", is_value(StepValue::kStepSeconds)},              // Ray
    NameMeaning{"took", is_value(StepValue::kStepSeconds), FieldUnit::kTime},
    NameMeaning{"time", is_value(StepValue::kStepSeconds), FieldUnit::kTime},
    NameMeaning{"it_sec", kStepRate},  // mlx-lm: "It/sec"
    NameMeaning{"it_s", kStepRate},
    NameMeaning{"global_step_sec", kStepRate},                    // TensorFlow's estimators
    NameMeaning{"u_sec", kStepRate},                              // Sockeye: updates
    NameMeaning{"last_time", is_value(StepValue::kStepSeconds)},  // detectron2, beside the median "time"
    NameMeaning{"step_avg", kMeanTime, FieldUnit::kTime},
    NameMeaning{"train_time", is_value(StepValue::kClock), FieldUnit::kTime},
    NameMeaning{"tps", is_value(StepValue::kTokens)},
    NameMeaning{"elements_per_second", is_value(StepValue::kTokens)},  // fairseq2: of texts they are tokens
    NameMeaning{"throughput", is_value(StepValue::kTokens), FieldUnit::kTokens},
    NameMeaning{"tgs", is_value(StepValue::kTokensPerGpu)},
    NameMeaning{"real_tgs", is_value(StepValue::kTokensPerGpu)},  // InternEvo, without padding
    NameMeaning{"tflop_s_device", {NamedValue::Kind::kQuantity, StepValue::kModelFlops, 1e12}},
    NameMeaning{"flops_per_gpu", is_value(StepValue::kModelFlops), FieldUnit::kFlops},  // GPT-NeoX
    NameMeaning{"model_tflops_per_gpu", {NamedValue::Kind::kQuantity, StepValue::kModelFlops, 1e12}},
    // DeepSpeed (deepspeed/utils/timer.py): of all GPUs; the last step's stands behind the mean and takes its place
    NameMeaning{"samplespersec", is_value(StepValue::kSequences)},
    NameMeaning{"runningavgsamplespersec", is_value(StepValue::kSequences)},
    NameMeaning{"currsamplespersec", is_value(StepValue::kSequences)},
    NameMeaning{"mem", kPeakAllocated, FieldUnit::kBytes},  // NeMo Automodel
    NameMeaning{"memory", kPeakAllocated, FieldUnit::kBytes},
    NameMeaning{"memory_usage", kPeakReserved, FieldUnit::kBytes},  // Picotron: torch.cuda.memory_reserved()
    NameMeaning{"memory_used", kPeakReserved, FieldUnit::kBytes},
    NameMeaning{"max_reserved", kPeakReserved, FieldUnit::kBytes},
    NameMeaning{"reserved", kPeakReserved, FieldUnit::kBytes},
});

constexpr std::size_t kLongestName = 48;

/// What others have, or is left, is no peak of a GPU's.
bool is_other_memory(std::string_view words) {
  constexpr std::array<std::string_view, 12> kOthers = {"cpu",   "host",  "ram",   "swap",    "free", "total",
                                                        "avail", "limit", "cache", "process", "sys",  "capacity"};
  return std::ranges::any_of(
      kOthers, [words](std::string_view part) { return part != "ram" ? words.contains(part) : words == "ram"; });
}

/// "Peak Reserved Device Memory", "GPU Mem": of the GPU, whatever its words and their order. `words`: as kMeanings has
/// them.
NamedValue meaning_of_memory(std::string_view words) {
  constexpr std::array<std::string_view, 9> kOfGpu = {"peak", "max",   "gpu",   "cuda", "device",
                                                      "vram", "alloc", "activ", "hbm"};
  const auto holds = [words](std::string_view part) { return words.contains(part); };
  if (!words.contains("mem") && !words.contains("vram") && !words.contains("hbm")) return {};
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

/// Bytes of one of a peak without a unit, by how large it is: PyTorch's allocator counts bytes, and programs print
/// them, MiB or GiB; 0: it may be more than one of them.
double memory_unit_by_size(const LogField& field) {
  constexpr double kBytes = 1e9, kMebi = 2000, kMostMebi = 2e6, kMostGibi = 500;
  if (field.value >= kBytes) return 1;
  if (field.value >= kMebi && field.value < kMostMebi) return units::MiB.value;
  return field.fraction && field.value >= 1 && field.value < kMostGibi ? units::GiB.value : 0;
}

/// "max_memory_allocated", and not "max_memory_share".
bool is_amount_of_memory(std::string_view words) {
  constexpr std::array<std::string_view, 3> kAmounts = {"alloc", "reserv", "max_mem"};
  constexpr std::array<std::string_view, 6> kShares = {"util", "perc", "pct", "frac", "ratio", "share"};
  const auto holds = [words](std::string_view part) { return words.contains(part); };
  return std::ranges::any_of(kAmounts, holds) && !std::ranges::any_of(kShares, holds);
}

/// "reserved memory: 75161927680": the size tells the unit.
NamedValue memory_by_size(std::string_view words, const LogField& field) {
  const double scale = is_amount_of_memory(words) ? memory_unit_by_size(field) : 0;
  if (!(scale > 0)) return {};
  NamedValue memory = meaning_of_memory(words);
  memory.scale *= scale;
  return memory;
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
    case FieldUnit::kStepTime:
      return {NamedValue::Kind::kQuantity, StepValue::kStepSeconds, measure.scale};
    case FieldUnit::kStepsPerSecond:
      return kStepRate;
    case FieldUnit::kNone:
    case FieldUnit::kBytes:
    case FieldUnit::kShare:
    case FieldUnit::kFlops:
      break;
  }
  return {};
}

/// "Speed: 1234.5 samples/sec", "throughput 5.1k tokens/s", which say by their units what they are.
bool is_speed(std::string_view words) {
  return words.ends_with("speed") || words.ends_with("throughput") || words == "rate" ||
         words.ends_with("performance") || words.ends_with("tput");
}

/// A rate by its unit, where the name is that of a speed.
NamedValue speed_of(std::string_view words, const FieldMeasure& measure) {
  const bool rate = measure.unit == FieldUnit::kTokens || measure.unit == FieldUnit::kTokensPerGpu ||
                    measure.unit == FieldUnit::kSequences || measure.unit == FieldUnit::kStepsPerSecond;
  if (!rate || !is_speed(words)) return {};
  NamedValue speed = meaning_of_unit(measure);
  speed.scale *= measure.scale;
  return speed;
}

/// "step/s: 3.1": a name that is a rate by its slash.
NamedValue rate_of_name(std::string_view name) {
  const auto measure = name.contains('/') ? field_measure(name) : std::nullopt;
  if (!measure || measure->unit != FieldUnit::kStepsPerSecond) return {};
  return {NamedValue::Kind::kStepRate, StepValue::kStepSeconds, measure->scale};
}

/// Steps that are no count of what was done: "warmup steps 200", "micro step 3", "every 50 steps".
bool counts_something_else(std::string_view words) {
  constexpr std::array<std::string_view, 13> kOthers = {"micro", "mini", "warmup", "per", "every", "total",       "max",
                                                        "num",   "save", "log",    "of",  "from",  "accumulation"};
  const std::size_t blank = words.find_last_of(" -_/", words.size() - 1);
  const std::string_view last = blank == std::string_view::npos ? words : words.substr(blank + 1);
  return std::ranges::any_of(kOthers, [last](std::string_view other) { return same_letters(last, other); });
}

constexpr bool surely_mebi(const LogField& field) {
  constexpr double kSurelyMebi = 500;
  return !field.fraction && field.value >= kSurelyMebi;
}

NamedValue meaning_in(const LogField& field, FieldMeasure measure) {
  // Whatever their names, they are times of steps, or of a part of them.
  if (field.name.empty()) return meaning_of_unit(measure);
  if (measure.unit == FieldUnit::kStepTime) return field.name.contains("ata") ? NamedValue{} : meaning_of_unit(measure);
  std::array<char, kLongestName> small;
  std::string_view name = field.name;
  if (constexpr std::string_view kValue = " value"; name.ends_with(kValue)) name.remove_suffix(kValue.size());
  if (name.size() > small.size()) name.remove_prefix(name.size() - small.size());
  std::ranges::transform(name, small.begin(), [](char c) {
    const char s = small_letter(c);
    return s == ' ' || s == '-' || s == '/' || s == '.' ? '_' : s;
  });
  std::string_view words(small.data(), name.size());
  // detectron2's "max_mem: 7012M"
  if (field.mebi && words.contains("mem")) measure = {FieldUnit::kBytes, units::MiB.value};
  if (field.gibi && words.contains("mem")) measure = {FieldUnit::kBytes, units::GiB.value};
  // "max mem: 18712" of the many who took over torchvision's MetricLogger: so many GiB no GPU has.
  if (measure.unit == FieldUnit::kNone && surely_mebi(field) && words.ends_with("mem"))
    measure = {FieldUnit::kBytes, units::MiB.value};
  std::size_t left = 0;
  while (true) {
    const NameMeaning* const found = kMeanings.find(words);
    NamedValue value = found != nullptr ? found->value : meaning_of_words(words);
    if (value.kind != NamedValue::Kind::kNothing) {
      const FieldUnit unit = measure.unit;
      if (value.kind == NamedValue::Kind::kStep &&
          (unit != FieldUnit::kNone || (left > 0 && counts_something_else(name.substr(0, left - 1)))))
        return {};
      if (found != nullptr && found->unit != FieldUnit::kNone && unit != found->unit) {
        if (found->unit == FieldUnit::kBytes && unit == FieldUnit::kNone && left > 0)
          return memory_by_size({small.data(), name.size()}, field);
        return speed_of(words, measure);
      }
      // A share is not the value itself: "loss 5%".
      if (unit == FieldUnit::kShare || unit == FieldUnit::kStepsPerSecond) return {};
      if (words == "time" && measure.scale >= 1) return {};
      const bool memory = value.kind == NamedValue::Kind::kAllocated || value.kind == NamedValue::Kind::kReserved;
      // Of which memory it is, words before may tell: "Peak Reserved Device Memory".
      if (const std::string_view whole(small.data(), name.size()); memory && left > 0) {
        if (is_other_memory(whole)) return {};
        if (whole.contains("reserv")) value = kPeakReserved;
        else if (whole.contains("max") || whole.contains("peak")) value = kPeakAllocated;  // "Max CUDA memory usage"
      }
      if (unit != FieldUnit::kNone) value.scale = measure.scale;
      else if (!memory && (field.mebi || field.gibi)) value.scale *= field.mebi ? 1e6 : 1e9;  // "tokens_per_sec: 1.7M"
      return value;
    }
    // The words behind the next blank.
    const std::size_t blank = name.find(' ', left);
    if (blank == std::string_view::npos) {
      std::string_view whole(small.data(), name.size());
      if (const NamedValue speed = speed_of(words, measure); speed.kind != NamedValue::Kind::kNothing) return speed;
      if (const NamedValue rate = rate_of_name(name.substr(left)); rate.kind != NamedValue::Kind::kNothing) return rate;
      double scale = measure.unit == FieldUnit::kBytes ? measure.scale : unit_in_name(whole);
      if (!(scale > 0) && measure.unit == FieldUnit::kNone && is_amount_of_memory(whole))
        scale = memory_unit_by_size(field);
      if (!(scale > 0)) return {};
      NamedValue memory = meaning_of_memory(whole);
      memory.scale *= scale;
      return memory;
    }
    left = blank + 1;
    words = std::string_view(small.data() + left, name.size() - left);
  }
}

/// What was found last for names like this one: the lines of a log have the same names again and again.
struct Remembered {
  std::array<char, 31> name{};
  std::uint8_t size = 0;  ///< 0: nothing
  FieldUnit unit = FieldUnit::kNone;
  bool mebi = false, gibi = false, surely_mebi = false;
  bool memory = false;  ///< a name of memory, whose unit its size may tell
  double scale = 0, bytes = 0;
  NamedValue value;

  bool is_of(const LogField& field, const FieldMeasure& measure) const {
    return size == field.name.size() && unit == measure.unit && mebi == field.mebi && gibi == field.gibi &&
           surely_mebi == gpuplan::surely_mebi(field) && scale == measure.scale &&
           (!memory || bytes == memory_unit_by_size(field)) && std::memcmp(name.data(), field.name.data(), size) == 0;
  }
};

}  // namespace

NamedValue meaning_of(const LogField& field) {
  if (field.meaning != nullptr) return *field.meaning;
  const FieldMeasure measure = field.measure ? *field.measure : field_measure(field.unit).value_or(FieldMeasure{});
  constexpr std::size_t kPlaces = 64;
  constinit thread_local std::array<Remembered, kPlaces> memory{};
  const std::string_view name = field.name;
  if (name.empty() || name.size() > Remembered{}.name.size()) return meaning_in(field, measure);
  const auto letter = [](char c) { return static_cast<std::size_t>(static_cast<unsigned char>(c)); };
  const std::size_t hash = name.size() + 3 * letter(name.front()) + 5 * letter(name.back()) +
                           7 * letter(name[name.size() / 2]) + static_cast<std::size_t>(measure.unit);
  Remembered& place = memory[hash % kPlaces];
  if (place.is_of(field, measure)) return place.value;
  const NamedValue value = meaning_in(field, measure);
  std::ranges::copy(name, place.name.begin());
  place.size = static_cast<std::uint8_t>(name.size());
  place.unit = measure.unit;
  place.mebi = field.mebi;
  place.gibi = field.gibi;
  place.surely_mebi = surely_mebi(field);
  place.scale = measure.scale;
  place.memory = name.contains("em");
  place.bytes = place.memory ? memory_unit_by_size(field) : 0;
  place.value = value;
  return value;
}

NamedValue meaning_of_key(std::string_view name) { return meaning_of({.name = name}); }

}  // namespace gpuplan
