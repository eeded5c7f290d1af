// Codecs of the parts of a job, each declared in the file named beside it.
#pragma once

#include <array>
#include <string_view>

#include "domain/work/job.h"
#include "input/declaration/record.h"

namespace gpuplan {

// market.cpp
template <>
struct Codec<MarketSpec> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, MarketSpec&, const Bounds&);
};
/// Boxes one has, and parts of a cluster one may use.
struct OwnBoxesCodec {
  static const ValueType type;
  static bool read(Reader&, const Tree&, std::vector<Offer>&, const Bounds&);
};
struct PoolsCodec {
  static const ValueType type;
  static bool read(Reader&, const Tree&, std::vector<Offer>&, const Bounds&);
};
template <>
struct Codec<Where> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Where&, const Bounds&);
};

// own_terms.cpp
template <>
struct Codec<Commitment> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Commitment&, const Bounds&);
};
template <>
struct Codec<Credit> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Credit&, const Bounds&);
};

// limits.cpp
template <>
struct Codec<Limits> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Limits&, const Bounds&);
};
template <>
struct Codec<SpotRules> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, SpotRules&, const Bounds&);
};
/// How often machines of one offer are taken away: a rate, a range of it, or a band.
struct OfferRateCodec {
  static constexpr std::array<const ValueType*, 2> options = {&Codec<Interval<PerSecond>>::type,
                                                              &Codec<SpotBand>::type};
  static const ValueType type;
  static bool read(Reader&, const Tree&, Offer&);
};
/// Key of an offer or pool with such a value.
constexpr Key rate_key(std::string_view fallback, std::string_view help) {
  return {"interruptions", fallback, help, &OfferRateCodec::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds&) {
            return OfferRateCodec::read(reader, tree, *static_cast<Offer*>(object));
          }};
}
template <>
struct Codec<CheckpointRule> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, CheckpointRule&, const Bounds&);
};
template <>
struct Codec<Evaluate> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Evaluate&, const Bounds&);
};

template <>
struct Codec<Storage> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Storage&, const Bounds&);
};

// model.cpp
template <>
struct Codec<ModelUse> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, ModelUse&, const Bounds&);
};
template <>
struct Codec<Length> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Length&, const Bounds&);
};
template <>
struct Codec<Parallel> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Parallel&, const Bounds&);
};

/// A training framework or inference engine by its name in the catalogue; "auto" leaves it empty.
struct FrameworkCodec {
  static const ValueType type;
  static bool read(Reader&, const Tree&, std::string&, const Bounds&);
};

// rollouts.cpp
template <>
struct Codec<Rollouts> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Rollouts&, const Bounds&);
};

// train.cpp, job_generate.cpp
struct TrainCodec {
  static const ValueType type;
  static bool read(Reader&, const Tree&, PhaseWork&, const Bounds&);
};
struct GenerateCodec {
  static const ValueType type;
  static bool read(Reader&, const Tree&, PhaseWork&, const Bounds&);
};
struct CollectCodec {
  static const ValueType type;
  static bool read(Reader&, const Tree&, PhaseWork&, const Bounds&);
};

// record.cpp
template <>
struct Codec<Job> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Job&, const Bounds&);
};

// phase.cpp
/// Keys of a phase that say what it does; it has exactly one of them.
inline constexpr std::array<std::string_view, 6> kPhaseKinds = {"train", "generate", "collect", "work", "fixed", "cpu"};
template <>
struct Codec<Phase> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Phase&, const Bounds&);
  static std::string_view item_name(const Tree&);  ///< "" when it has none
};

/// `model` and `models` both read into the list of models; exactly one of them must be given.
bool check_models(Reader&, const Tree&);

inline constexpr ValueType kGpuType{.kind = ValueType::Kind::kGpu};

/// Reads `gpu` of an offer or a figure: the name, and the count where the text has one.
template <class Object>
constexpr Key gpu_key(std::string_view fallback, std::string_view help) {
  return {"gpu", fallback, help, &kGpuType, [](Reader& reader, const Tree& tree, void* object, const Bounds&) {
            auto& out = *static_cast<Object*>(object);
            int count = 0;
            std::string gpu;
            if (!read_gpu(reader, tree, gpu, count)) return false;
            out.gpu = gpu;
            if (count > 0) out.gpus = count;
            return true;
          }};
}
/// `gpu: 4x NAME` beside `gpus: 8` is an error.
bool check_gpu_count(Reader&, const Tree&);

}  // namespace gpuplan
