// Answers that a network gives while it learns from what they are worth: group relative policy optimization (Shao et
// al. 2024, arXiv:2402.03300).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace gpuplan {

/// Length of sequences in tokens.
struct Length {
  double mean = 0;
  double max = 0;
};

/// What a user of TRL says of them; names and defaults of its GRPOConfig stand in data/interfaces/trl.csv.
struct Rollouts {
  Length prompt_tokens, new_tokens;
  int generations = 8;                 ///< answers to a prompt, which are compared with each other (num_generations)
  std::vector<std::string> reward;     ///< functions that say what answers are worth: TRL's, or module.function
  std::optional<Seconds> reward_time;  ///< of all answers of a step, while the GPUs wait; nullopt: none is counted
  double beta = 0;                     ///< weight of staying near the network as it was; 0: it is not there
  double memory_share = 0.3;           ///< of each GPU that the engine takes, at least (vllm_gpu_memory_utilization)
  bool sleep = false;                  ///< it gives its memory back while the network learns (vllm_enable_sleep_mode)
};

}  // namespace gpuplan
