// Keys of `limits:`, `spot:`, `checkpoint:`, `evaluate:` and `storage:`.
#include <array>

#include "base/text.h"
#include "input/job/codecs.h"

namespace gpuplan {

namespace {

struct LimitsRecord {
  using Object = Limits;
  static constexpr std::string_view title = "limits";
  static constexpr std::array keys = {
      key<&Limits::deadline>("deadline", "none", "finish within this time, queue wait included", kPositive),
      key<&Limits::budget>("budget", "none", "spend at most this much", kPositive),
      key_as<ShareCodec, &Limits::confidence>("confidence", "90%", "chance of meeting the limits that is required",
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
    if (!WholeCodec::read(reader, number, steps, between(1, 1e12))) return false;
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
      key_as<KeepCodec, &CheckpointRule::keep>("keep", "", "number of checkpoints kept", between(1, 1e6)),
      key<&CheckpointRule::to>("to", "local disk", "where checkpoints are written"),
  };
};

struct EvaluateRecord {
  using Object = Evaluate;
  static constexpr std::string_view title = "evaluate";
  static constexpr std::array keys = {
      every_key<Evaluate, false>("required", "time or steps between evaluations"),
      key<&Evaluate::time>("time", "required", "time of one evaluation", kPositive),
      exact_key(),
  };
};

struct StorageRecord {
  using Object = Storage;
  using RateCodec = OptionalCodec<FigureCodec<AmountKind::kBytesPerSecond>>;
  static constexpr std::string_view title = "storage";
  static constexpr std::array keys = {
      key_as<RateCodec, &Storage::disk_rate>("disk_rate", "400 MB/s..5.6 GB/s",
                                             "disk speed of one machine, read or write", kPositive),
      key_as<RateCodec, &Storage::download_rate>("download_rate", "where.inet_down, else 100..900 MB/s",
                                                 "download speed of one machine (weights, data)", kPositive),
      key_as<RateCodec, &Storage::upload_rate>("upload_rate", "100..900 MB/s",
                                               "upload speed of one machine (checkpoints, results)", kPositive),
      key<&Storage::data>("data", "4 bytes per token, 110 kB per image", "size of the training data on disk"),
      key<&Storage::results>("results", "", "where results are uploaded; without it the upload is not counted"),
      key<&Storage::disk_price>("disk_price", "of the offer", "price of disk space, if the offer does not list it"),
      key<&Storage::egress_price>("egress_price", "of the offer",
                                  "price of egress traffic, if the offer does not list it"),
      exact_key(),
  };
};

/// {trace: FILE} or {bathtub: ...}.
struct BathtubRecord {
  using Object = Bathtub;
  static constexpr std::string_view title = "bathtub";
  static constexpr std::array keys = {
      key_as<ShareCodec, &Bathtub::share>("share", "45%", "height: twice this share is interrupted by the end",
                                          between(0.01, 1)),
      key<&Bathtub::early>("early", "95 min", "time scale of interruptions after the start", kPositive),
      key<&Bathtub::late>("late", "48 min", "time scale of interruptions before the end", kPositive),
      key<&Bathtub::bend>("bend", "24 h", "age at which late interruptions reach the height", kPositive),
      key<&Bathtub::cap>("cap", "24 h", "maximum lifetime of a machine", kPositive),
  };
};

struct LifetimesRecord {
  using Object = SpotRules;
  static constexpr std::string_view title = "interruptions";
  static constexpr std::array keys = {
      key<&SpotRules::trace>("trace", "", "file with the times at which machines were available, for gpuplan simulate"),
      key_as<OptionalCodec<Record<BathtubRecord>>, &SpotRules::bathtub>(
          "bathtub", "",
          "many interruptions early, few in the middle, the rest before a maximum lifetime (Kadupitiya et al., HPDC "
          "2020)"),
  };
  static bool check(Reader& reader, const Tree& tree, SpotRules& rules) {
    if (rules.trace.empty() == rules.bathtub.has_value()) return true;
    return reader.fail(tree, "expected either trace or bathtub");
  }
};

struct InterruptionsCodec {
  static constexpr std::array<const ValueType*, 3> options = {&Codec<Interval<PerSecond>>::type, &Codec<SpotBand>::type,
                                                              &Record<LifetimesRecord>::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, SpotRules& out) {
    if (tree.is_map()) return Record<LifetimesRecord>::read(reader, tree, out, {});
    if (!tree.is_scalar()) return mismatch(reader, tree, type);
    out.band = from_name<SpotBand>(trim(tree.text));
    return out.band || Codec<std::optional<Interval<PerSecond>>>::read(reader, tree, out.interruptions, {});
  }
};

/// How spot and on-demand machines are mixed. greedy: spot while there is any; the others: Wu et al., "Can't Be Late"
/// (NSDI 2024).
constexpr std::array<std::string_view, 6> kPolicies = {"auto",   "on_demand",   "spot_only",
                                                       "greedy", "time_sliced", "uniform_progress"};

struct SpotRecord {
  using Object = SpotRules;
  static constexpr std::string_view title = "spot";
  static constexpr std::array keys = {
      Key{"interruptions", "from the offer, else 5%/h",
          "interruption rate: a rate or range, an AWS band, a trace, or a model of lifetimes",
          &InterruptionsCodec::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds&) {
            return InterruptionsCodec::read(reader, tree, *static_cast<SpotRules*>(object));
          }},
      key<&SpotRules::notice>("notice", "none", "warning before an interruption"),
      key<&SpotRules::restart>("restart", "estimated", "time to restart on a new machine"),
      key<&SpotRules::wait>("wait", "0 s, in a pool its wait", "mean wait for a replacement machine; not billed"),
      key_as<WordCodec<kPolicies>, &SpotRules::policy>(
          "policy", "auto", "how gpuplan simulate mixes spot and on demand; a plan stays on spot"),
      key<&SpotRules::max_price>("max_price", "none", "maximum price per hour of a spot machine", kPositive),
      exact_key(),
  };
};

}  // namespace

constinit const ValueType Codec<Limits>::type = Record<LimitsRecord>::type;
bool Codec<Limits>::read(Reader& reader, const Tree& tree, Limits& out, const Bounds& bounds) {
  return Record<LimitsRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType OfferRateCodec::type{.kind = ValueType::Kind::kOneOf,
                                               .options = OfferRateCodec::options.data(),
                                               .option_count = OfferRateCodec::options.size()};
bool OfferRateCodec::read(Reader& reader, const Tree& tree, Offer& out) {
  if (!tree.is_scalar()) return mismatch(reader, tree, type);
  out.band = from_name<SpotBand>(trim(tree.text));
  return out.band || Codec<std::optional<Interval<PerSecond>>>::read(reader, tree, out.interruptions, {});
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

constinit const ValueType Codec<Storage>::type = Record<StorageRecord>::type;
bool Codec<Storage>::read(Reader& reader, const Tree& tree, Storage& out, const Bounds& bounds) {
  return Record<StorageRecord>::read(reader, tree, out, bounds);
}

}  // namespace gpuplan
