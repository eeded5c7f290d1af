// What is known of an optimizer: the memory of its states, and what training programs call it. Rows of
// data/optimizers.csv.
#pragma once

#include <string>

#include "base/unset.h"
#include "domain/work/phase.h"

namespace gpuplan {

struct OptimizerFacts {
  Optimizer optimizer = Optimizer::kAdamW;
  double state_bytes = kUnset;  ///< of its states, for each parameter that learns, where weights are kept in 32 bit
  bool follows = false;         ///< states take the format of the weights: half of that where these have 16 bits
  bool paged = false;           ///< states move to host memory while the GPU has no room for them
  bool eight_bit = false;
  // Names in the settings of these programs; empty: the program has no such optimizer.
  std::string trainer;  ///< TrainingArguments.optim, of Hugging Face's Trainer; LLaMA-Factory takes the same
  std::string axolotl;
  std::string torch, torchtitan, megatron;
  std::string source, as_of;

  bool operator==(const OptimizerFacts&) const = default;
};

}  // namespace gpuplan
