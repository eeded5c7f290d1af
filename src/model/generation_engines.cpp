#include "model/generation_engines.h"

#include <array>

namespace gpuplan {
namespace {

using units::GiB;
using units::microsecond;
using units::millisecond;

constexpr unsigned bit(Format format) { return 1U << static_cast<unsigned>(format); }

constexpr unsigned kHalf = bit(Format::kFp16) | bit(Format::kBf16);
constexpr unsigned kGguf = bit(Format::kQ8_0) | bit(Format::kQ6K) | bit(Format::kQ5K) | bit(Format::kQ4K) |
                           bit(Format::kQ4_0) | bit(Format::kQ3K) | bit(Format::kQ2K);
constexpr unsigned kFour = bit(Format::kInt4) | bit(Format::kInt8);
constexpr unsigned kServed = kHalf | kFour | bit(Format::kFp8) | bit(Format::kFp32);
constexpr unsigned kEverything = ~0U;

// Times fitted on published serving runs, 2026: an eager Python layer costs the host 0.72 ms, a step of a graph engine
// 0.39 ms and 6 us a sequence. `reserve` 2.0 GiB and the 0.917 of memory come from the batches that saturated runs
// reach; exllama and llama.cpp bring no Python framework, their reserve is a CUDA context and one scratch buffer.
constexpr EngineProfile kEager = {
    .name = "hf",
    .formats = kServed | bit(Format::kNf4) | bit(Format::kMxfp4),
    .host_per_layer = 0.72 * millisecond,
    .int8_scale = 0.29,
    .continuous = false,
    .pipelines = false,
    .copies_cache = true,
    .memory_share = 1.0,
    .reserve = 1.9 * GiB,
};

constexpr EngineProfile kGraph = {
    .name = "vllm",
    .formats = kServed | bit(Format::kNf4) | bit(Format::kMxfp4) | bit(Format::kNvfp4),
    .host_per_step = 0.39 * millisecond,
    .host_per_sequence = 6.0 * microsecond,
    .emulates = true,
    .memory_share = 0.917,
    .reserve = 2.0 * GiB,
};

constexpr EngineProfile kLlamaCpp = {
    .name = "llama.cpp",
    .formats = kHalf | kGguf | bit(Format::kFp32) | bit(Format::kMxfp4),
    .host_per_step = 0.39 * millisecond,
    .host_per_sequence = 6.0 * microsecond,
    .expand_scale = 0.75,
    .product_scale = 0.55,
    .expands_16_bit = true,
    .half_accumulate = true,
    .pipelines = false,
    .prompt_chunk = 512,
    .memory_share = 1.0,
    .reserve = 0.8 * GiB,
};

constexpr EngineProfile named(EngineProfile base, std::string_view name) {
  base.name = name;
  return base;
}

constexpr EngineProfile formats(EngineProfile base, unsigned formats) {
  base.formats = formats;
  return base;
}

/// Schedulers written in Python take longer between steps than those in C++.
constexpr EngineProfile hosted(EngineProfile base, double milliseconds) {
  base.host_per_step = milliseconds * millisecond;
  return base;
}

constexpr EngineProfile static_graph(std::string_view name, unsigned formats) {
  EngineProfile profile = kGraph;
  profile.name = name;
  profile.formats = formats;
  profile.continuous = false;
  profile.emulates = false;
  return profile;
}

constexpr EngineProfile exllama(std::string_view name) {
  EngineProfile profile = static_graph(name, kHalf | kFour);
  profile.half_accumulate = true;
  profile.pipelines = false;
  profile.memory_share = 1.0;
  profile.reserve = 0.8 * GiB;
  return profile;
}

/// torch.compile with a static cache: graphs without a server.
constexpr EngineProfile compiled(std::string_view name) {
  EngineProfile profile = static_graph(name, kServed | bit(Format::kNf4));
  profile.pipelines = false;
  profile.memory_share = 1.0;
  profile.reserve = 1.9 * GiB;
  return profile;
}

/// C++ engines of 2022: kernels not yet captured in graphs.
constexpr EngineProfile faster_transformer() {
  EngineProfile profile = static_graph("fastertransformer", kHalf | bit(Format::kInt8) | bit(Format::kFp32));
  profile.launch_scale = 1.5;
  profile.reserve = 2.5 * GiB;
  return profile;
}

constexpr EngineProfile deepspeed() {
  EngineProfile profile = static_graph("deepspeed-mii", kHalf | bit(Format::kInt8) | bit(Format::kFp32));
  profile.int8_scale = 0.29;
  return profile;
}

constexpr EngineProfile mlc() {
  EngineProfile profile = kGraph;
  profile.name = "mlc";
  profile.formats = kHalf | kFour;
  profile.half_accumulate = true;
  profile.emulates = false;
  return profile;
}

constexpr EngineProfile trusted(EngineProfile base, double trust) {
  base.trust = trust;
  return base;
}

constexpr auto kProfiles = std::to_array<EngineProfile>({
    kEager,
    trusted(compiled("hf-compiled"), 1.2),
    compiled("gpt-fast"),
    hosted(kGraph, 0.6),
    hosted(named(kGraph, "sglang"), 1.2),
    formats(named(kGraph, "tensorrt-llm"), kServed | bit(Format::kMxfp4) | bit(Format::kNvfp4)),
    kLlamaCpp,
    exllama("exllama"),
    exllama("exllamav2"),
    faster_transformer(),
    exllama("tinychat"),
    static_graph("qserve", kHalf | kFour),
    trusted(static_graph("autoawq", kHalf | bit(Format::kInt4)), 1.3),
    formats(named(kGraph, "lmdeploy"), kServed),
    trusted(formats(named(kGraph, "tgi"), kServed | bit(Format::kNf4)), 1.2),
    trusted(formats(named(kGraph, "jetstream"), kHalf | kFour), 1.6),
    trusted(deepspeed(), 1.3),
    mlc(),
});

constexpr EngineProfile kUnknownEager = trusted(formats(named(kEager, "?"), kEverything & ~kGguf), 1.5);
constexpr EngineProfile kUnknownGraph = trusted(formats(named(kGraph, "?"), kEverything & ~kGguf), 1.5);

}  // namespace

const EngineProfile& engine_profile(const Framework& engine) {
  for (const EngineProfile& profile : kProfiles)
    if (profile.name == engine.name) return profile;
  return engine.cuda_graphs ? kUnknownGraph : kUnknownEager;
}

}  // namespace gpuplan
