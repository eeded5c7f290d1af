// Keys of `limits:`, `spot:`, `checkpoint:` and `evaluate:`.
#include <array>

#include "base/text.h"
#include "input/job_codecs.h"

namespace gpuplan {

namespace {

struct LimitsRecord {
  using Object = Limits;
  static constexpr std::string_view title = "limits";
  static constexpr std::array keys = {
      key<&Limits::deadline>("deadline", "none", "time until the last result, waiting in queues included", kPositive),
      key<&Limits::budget>("budget", "none", "most that it may cost", kPositive),
      key_as<ShareCodec, &Limits::confidence>("confidence", "90%", "chance at which limits must hold",
                                              between(0.5, 0.9999)),
  };
};

// ---- every: 5 min | 100 steps | auto ----

constexpr ValueType kStepsType{.kind = ValueType::Kind::kSteps};
constexpr std::array<const ValueType*, 2> kIntervalOptions = {&kStepsType, &Codec<Seconds>::type};
constexpr ValueType kIntervalType{
    .kind = ValueType::Kind::kOneOf, .options = kIntervalOptions.data(), .option_count = kIntervalOptions.size()};
constexpr std::array<const ValueType*, 3> kAutoIntervalOptions = {&kAutoType, &kStepsType, &Codec<Seconds>::type};
constexpr ValueType kAutoIntervalType{.kind = ValueType::Kind::kOneOf,
                                      .options = kAutoIntervalOptions.data(),
                                      .option_count = kAutoIntervalOptions.size()};

/// Reads "100 steps" into every_steps or "5 min" into every_time.
template <class Object>
bool read_interval(Reader& reader, const Tree& tree, Object& out, const ValueType& type) {
  if (!tree.is_scalar()) return mismatch(reader, tree, type);
  const std::string_view text = trim(tree.text);
  for (const std::string_view noun : {"steps", "step"}) {
    if (text.size() <= noun.size() || !iequals(text.substr(text.size() - noun.size()), noun)) continue;
    Tree number = tree;
    number.text = trim(text.substr(0, text.size() - noun.size()));
    double steps = 0;
    if (!WholeCodec::read(reader, number, steps, at_least(1))) return false;
    out.every_steps = steps;
    return true;
  }
  Seconds time{};
  const auto seconds = parse_amount(tree.text, AmountKind::kTime);
  if (!seconds || parse_amount(tree.text, AmountKind::kCount)) return mismatch(reader, tree, type);
  if (!Codec<Seconds>::read(reader, tree, time, kPositive)) return false;
  out.every_time = time;
  return true;
}

template <class Object, bool Auto>
constexpr Key every_key(std::string_view fallback, std::string_view help) {
  return {"every", fallback, help, Auto ? &kAutoIntervalType : &kIntervalType,
          [](Reader& reader, const Tree& tree, void* object, const Bounds&) {
            if (Auto && is_auto(tree)) return true;
            return read_interval(reader, tree, *static_cast<Object*>(object), Auto ? kAutoIntervalType : kIntervalType);
          }};
}

struct KeepCodec {
  static constexpr std::array<std::string_view, 1> kWords = {"all"};
  static constexpr ValueType kAll{.kind = ValueType::Kind::kWord, .words = kWords.data(), .word_count = kWords.size()};
  static constexpr std::array<const ValueType*, 2> options = {&kAll, &WholeCodec::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, int& out, const Bounds& bounds) {
    if (!tree.is_scalar() || !iequals(tree.text, "all")) return WholeCodec::read(reader, tree, out, bounds);
    out = -1;
    return true;
  }
};

struct CheckpointRecord {
  using Object = CheckpointRule;
  static constexpr std::string_view title = "checkpoint";
  static constexpr std::array keys = {
      every_key<CheckpointRule, true>("auto", "time or steps between checkpoints"),
      key_as<KeepCodec, &CheckpointRule::keep>("keep", "", "how many are kept", between(1, 1e6)),
      key<&CheckpointRule::to>("to", "local disk", "where they go"),
  };
};

struct EvaluateRecord {
  using Object = Evaluate;
  static constexpr std::string_view title = "evaluate";
  static constexpr std::array keys = {
      every_key<Evaluate, false>("required", "time or steps between evaluations"),
      key<&Evaluate::time>("time", "required", "how long one evaluation takes", kPositive),
      exact_key(),
  };
};

/// AWS Spot Instance Advisor: bands of the share of instances interrupted in a month.
constexpr std::array<std::string_view, 5> kBands = {"<5%", "5-10%", "10-15%", "15-20%", ">20%"};

struct TraceRecord {
  using Object = SpotRules;
  static constexpr std::string_view title = "trace";
  static constexpr std::array keys = {
      key<&SpotRules::trace>("trace", "required", "file with times at which machines were there"),
  };
};

struct InterruptionsCodec {
  static constexpr ValueType kBand{.kind = ValueType::Kind::kWord, .words = kBands.data(), .word_count = kBands.size()};
  static constexpr std::array<const ValueType*, 3> options = {&Codec<PerSecond>::type, &kBand,
                                                              &Record<TraceRecord>::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, SpotRules& out) {
    if (tree.is_map()) return Record<TraceRecord>::read(reader, tree, out, {});
    for (const std::string_view band : kBands) {
      if (!tree.is_scalar() || trim(tree.text) != band) continue;
      out.band = band;
      return true;
    }
    if (!tree.is_scalar()) return mismatch(reader, tree, type);
    return Codec<std::optional<PerSecond>>::read(reader, tree, out.interruptions, {});
  }
};

/// How spot and on-demand machines are mixed. greedy: spot while there is any; the others: Wu et al., "Can't Be Late"
/// (NSDI 2024).
constexpr std::array<std::string_view, 5> kPolicies = {"auto", "on_demand", "greedy", "time_sliced",
                                                       "uniform_progress"};

struct SpotRecord {
  using Object = SpotRules;
  static constexpr std::string_view title = "spot";
  static constexpr std::array keys = {
      Key{"interruptions", "from the offer", "how often machines are taken away: a rate, an AWS band, or a trace",
          &InterruptionsCodec::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds&) {
            return InterruptionsCodec::read(reader, tree, *static_cast<SpotRules*>(object));
          }},
      key<&SpotRules::notice>("notice", "none", "warning before a machine is taken away"),
      key<&SpotRules::restart>("restart", "estimated", "time to get going again on a new machine"),
      key_as<WordCodec<kPolicies>, &SpotRules::policy>("policy", "auto", "how spot and on-demand are mixed"),
      key<&SpotRules::max_price>("max_price", "none", "most that a spot machine may cost by the hour", kPositive),
      exact_key(),
  };
};

}  // namespace

constinit const ValueType Codec<Limits>::type = Record<LimitsRecord>::type;
bool Codec<Limits>::read(Reader& reader, const Tree& tree, Limits& out, const Bounds& bounds) {
  return Record<LimitsRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType Codec<SpotRules>::type = Record<SpotRecord>::type;
bool Codec<SpotRules>::read(Reader& reader, const Tree& tree, SpotRules& out, const Bounds& bounds) {
  return Record<SpotRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType Codec<CheckpointRule>::type = Record<CheckpointRecord>::type;
bool Codec<CheckpointRule>::read(Reader& reader, const Tree& tree, CheckpointRule& out, const Bounds& bounds) {
  return Record<CheckpointRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType Codec<Evaluate>::type = Record<EvaluateRecord>::type;
bool Codec<Evaluate>::read(Reader& reader, const Tree& tree, Evaluate& out, const Bounds& bounds) {
  return Record<EvaluateRecord>::read(reader, tree, out, bounds);
}

}  // namespace gpuplan
