// Activations that a `collect` phase keeps: how much of them, and what that takes of GPUs, hosts, disks and time.
#pragma once

#include <optional>
#include <vector>

#include "base/units.h"
#include "domain/work/strategy.h"
#include "model/generation/generation.h"

namespace gpuplan {

/// Level 1: the activations of samples, before any hardware is known; zero where nothing is kept.
struct KeptActivations {
  double tokens = 0;   ///< of a sample that are kept, mean
  double longest = 0;  ///< the same of the longest sample
  Bytes token{};       ///< layers x width x bytes of a number
  Bytes sample{};      ///< mean
  Bytes all{};         ///< samples x models
};
KeptActivations kept_activations(const GenerationWork& work);

/// What one GPU holds of one sample until its batch is done: hooks keep what they see in 16 bit at least, and it goes
/// to the host when the text is complete. Under a layer split each GPU holds its own layers'.
Bytes kept_on_gpu(const GenerationWork& work, double pp);

/// Time of one replica to hand over `samples` samples of one model. Nothing is computed meanwhile: hooks copy, and
/// scripts write, before the next batch begins.
struct StoreTraffic {
  Seconds to_host{};
  Seconds to_disk{};  ///< the replicas of a machine share its disk; zero where memory keeps all
  constexpr Seconds total() const { return to_host + to_disk; }
};
StoreTraffic store_traffic(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy,
                           double samples);

/// Level 4: what the whole phase takes beside its GPUs' time. Machines are filled one after the other, so the first is
/// the fullest.
struct CollectionUse {
  KeptActivations kept;
  Bytes on_gpu{};        ///< of the activations, until a batch is done: on each GPU, within its memory
  Bytes host{};          ///< memory of the fullest machine that activations take
  Bytes checkpoints{};   ///< of the models, on the disk of the fullest machine
  Bytes machine_disk{};  ///< fullest machine: checkpoints, and activations that stay on disk
  Bytes disk{};          ///< of all machines together
  StoreTraffic traffic;  ///< of one replica, all its models
  bool on_disk = true;   ///< false: memory keeps the activations
  std::optional<DollarsPerByteSecond> disk_price;  ///< by the job, for offers that state none

  /// Whether the phase keeps anything.
  constexpr bool any() const { return kept.all > Bytes{}; }
};
CollectionUse collection_use(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy,
                             const GenerationEstimate& estimate);

/// Adds the lines of an explanation that a phase which keeps activations has more: its parts of time and memory, and
/// what it takes beside them.
void explain_collection(const GenerationWork& work, const CollectionUse& use, std::vector<Term>& terms);

}  // namespace gpuplan
