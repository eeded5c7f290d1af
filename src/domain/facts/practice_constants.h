// What it takes that people choose a harder way of cutting work (plan/strategy/practice.h). Rows of
// data/practice_constants.csv: judgements, each with its reason there.
#pragma once

#include <array>
#include <string_view>

#include "base/unset.h"

namespace gpuplan {

struct PracticeConstants {
  // By how much a way must be faster, for each one thing that somebody has to set up and to look for faults in.
  double tensor = kUnset;            ///< tensor parallelism over fast links
  double tensor_over_pcie = kUnset;  ///< tensor parallelism over PCIe
  double pipeline = kUnset;
  double interleave = kUnset;       ///< several stages on each rank
  double context = kUnset;          ///< sequences cut over ranks
  double expert = kUnset;           ///< experts on several ranks of a machine
  double expert_across = kUnset;    ///< experts on several machines
  double offload = kUnset;          ///< state or activations in host memory
  double zero1 = kUnset;            ///< optimizer's state shared out
  double zero2 = kUnset;            ///< gradients too
  double zero3 = kUnset;            ///< weights too
  double hybrid = kUnset;           ///< weights inside groups of ranks
  double other_framework = kUnset;  ///< another framework than the one that comes first
  double most = kUnset;             ///< all of these together at most
  double few_gpus = kUnset;         ///< GPUs up to which all of it counts in full
  double each_point = kUnset;       ///< share of time that each point of complexity() counts as

  bool operator==(const PracticeConstants&) const = default;
};

/// A constant by its name in the table.
struct PracticeConstant {
  std::string_view name;
  double PracticeConstants::* field;
};

inline constexpr std::array kPracticeConstants = {
    PracticeConstant{"tensor", &PracticeConstants::tensor},
    PracticeConstant{"tensor_over_pcie", &PracticeConstants::tensor_over_pcie},
    PracticeConstant{"pipeline", &PracticeConstants::pipeline},
    PracticeConstant{"interleave", &PracticeConstants::interleave},
    PracticeConstant{"context", &PracticeConstants::context},
    PracticeConstant{"expert", &PracticeConstants::expert},
    PracticeConstant{"expert_across", &PracticeConstants::expert_across},
    PracticeConstant{"offload", &PracticeConstants::offload},
    PracticeConstant{"zero1", &PracticeConstants::zero1},
    PracticeConstant{"zero2", &PracticeConstants::zero2},
    PracticeConstant{"zero3", &PracticeConstants::zero3},
    PracticeConstant{"hybrid", &PracticeConstants::hybrid},
    PracticeConstant{"other_framework", &PracticeConstants::other_framework},
    PracticeConstant{"most", &PracticeConstants::most},
    PracticeConstant{"few_gpus", &PracticeConstants::few_gpus},
    PracticeConstant{"each_point", &PracticeConstants::each_point},
};

}  // namespace gpuplan
