// What the model says of one phase on one set of GPUs, and how it explains itself.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/math.h"
#include "base/units.h"
#include "domain/facts/error_model.h"
#include "domain/work/strategy.h"

namespace gpuplan {

/// Memory needed on the fullest GPU at the instant it needs most. The parts always add up to total().
struct MemoryUse {
  Bytes weights{};
  Bytes gradients{};
  Bytes optimizer{};    ///< states and master weights
  Bytes activations{};  ///< kept for the backward pass, or the working set of a forward pass
  Bytes logits{};       ///< output scores and their gradient
  Bytes kv_cache{};
  Bytes buffers{};        ///< gathered weights, communication and workspace
  Bytes framework{};      ///< what software allocates beside the model
  Bytes fragmentation{};  ///< held by the caching allocator beyond its tensors
  Bytes driver{};         ///< outside of the allocator: driver context and libraries
  Bytes learned{};        ///< what own runs needed more than all of that; negative: less
  Bytes frozen{};         ///< of the weights, those that do not learn: a known number in a known format

  /// What is neither tensors of the model nor buffers.
  constexpr Bytes context() const { return framework + fragmentation + driver; }
  /// Tensors of the caching allocator at their peak.
  constexpr Bytes allocated() const {
    return weights + gradients + optimizer + activations + logits + kv_cache + buffers + framework;
  }
  /// What the allocator holds.
  constexpr Bytes reserved() const { return allocated() + fragmentation; }
  /// What the driver sees.
  constexpr Bytes total() const { return reserved() + driver + learned; }
  /// What has to fit: what the allocator holds beyond its tensors it gives back when the GPU is short of memory.
  constexpr Bytes needed() const { return total() - fragmentation; }
  /// Share of what is predicted that may be more or less.
  constexpr double open_share() const {
    const Bytes all = reserved() + driver;
    return all > Bytes{} ? std::max(0.01, 1 - frozen / all) : 1;
  }
};

/// What own runs teach: the median times that factor.
inline void correct(MemoryUse& use, double factor) {
  if (factor != 1) use.learned = use.total() * (factor - 1);
}

/// A part of a MemoryUse by its names in text and in data.
struct MemoryPart {
  std::string_view name, key;
  Bytes MemoryUse::* size;
};
inline constexpr std::array<MemoryPart, 11> kMemoryParts = {{
    {"weights", "weights", &MemoryUse::weights},
    {"gradients", "gradients", &MemoryUse::gradients},
    {"optimizer", "optimizer", &MemoryUse::optimizer},
    {"activations", "activations", &MemoryUse::activations},
    {"logits", "logits", &MemoryUse::logits},
    {"KV cache", "kv_cache", &MemoryUse::kv_cache},
    {"buffers", "buffers", &MemoryUse::buffers},
    {"framework", "framework", &MemoryUse::framework},
    {"fragmentation", "fragmentation", &MemoryUse::fragmentation},
    {"driver", "driver", &MemoryUse::driver},
    {"own runs", "learned", &MemoryUse::learned},
}};

/// The part that needs most, the first of equals.
constexpr const MemoryPart& largest_part(const MemoryUse& use) {
  const MemoryPart* most = kMemoryParts.data();
  for (const MemoryPart& part : kMemoryParts)
    if (use.*part.size > use.*(most->size)) most = &part;
  return *most;
}

/// Why a candidate can not run. Ordinary: most of the space is like this; counted, never an error.
enum class Misfit {
  kMemory,       ///< median need exceeds usable memory
  kUneven,       ///< heads, layers or batch do not divide
  kUnsupported,  ///< no framework for this hardware and strategy
  kPrecision,    ///< hardware has no such mode
  kHostMemory,   ///< offloaded state exceeds host memory
  kGiven,        ///< contradicts what the job fixes
  kGpus,         ///< the phase asks for more GPUs than there are
  kTimeLimit,    ///< takes longer than a job may, and can not go on in another
  kDisk,         ///< writes more than the disk of the machine holds
  kNetwork,      ///< several machines work on one thing, and nothing is known of what joins them
};

template <>
struct Names<Misfit> {
  static constexpr std::array entries = {
      Named<Misfit>{Misfit::kMemory, "memory"},
      Named<Misfit>{Misfit::kUneven, "divisibility"},
      Named<Misfit>{Misfit::kUnsupported, "unsupported"},
      Named<Misfit>{Misfit::kPrecision, "precision"},
      Named<Misfit>{Misfit::kHostMemory, "host_memory"},
      Named<Misfit>{Misfit::kGiven, "given"},
      Named<Misfit>{Misfit::kGpus, "gpus"},
      Named<Misfit>{Misfit::kTimeLimit, "time_limit"},
      Named<Misfit>{Misfit::kDisk, "disk"},
      Named<Misfit>{Misfit::kNetwork, "network"},
  };
};

/// One line of an explanation. Texts are static.
struct Term {
  enum class Kind { kTime, kMemory, kDisk, kTokenRate, kByteRate, kOperationRate, kShare, kCount };
  Kind kind = Kind::kTime;
  std::string_view name;
  double value = 0;           ///< seconds, bytes, these or tokens or operations a second, or a plain number, by kind
  std::string_view formula;   ///< how it is computed
  std::string_view source;    ///< where the formula or its constants come from
  bool part_of_total = true;  ///< false for lines that only inform
};

/// How far a prediction may be off: standard deviations of ln(measured / predicted), and factors on the medians that
/// own runs teach, 1 without any.
struct Spread {
  double time = 0;
  double memory = 0;
  double first_token = 0, next_token = 0;  ///< generation: of the time to first token and per output token
  double time_factor = 1, memory_factor = 1, first_token_factor = 1, next_token_factor = 1;
  ErrorFigure figure = ErrorFigure::kTime;  ///< what `time` is an error of
  ErrorLabels labels;                       ///< whose errors it shares
  std::string_view regime;                  ///< what makes it wide, in words
};

/// The same where deviations of memory are multiplied by `memory_scale`.
inline Spread at_scale(Spread spread, double memory_scale) {
  const double by = memory_scale / spread.labels.memory_scale;
  if (by == 1) return spread;
  spread.labels.memory_scale = memory_scale;
  spread.memory *= by;
  if (spread.memory_factor != 1) spread.memory_factor = math::exp(by * math::log(spread.memory_factor));
  return spread;
}

}  // namespace gpuplan
