// What it takes that people choose a harder way of cutting work (plan/strategy/practice.h). Rows of
// data/practice_constants.csv: judgements, each with its reason there.
#pragma once

#include <array>
#include <string_view>

#include "base/unset.h"

namespace gpuplan {

struct PracticeConstants {
  // By how much a way must be faster in a run that is not long, for each one thing that somebody has to set up and to
  // look for faults in. Setting up is work once: in long runs it counts as an amount (`effort`).
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
  double dense_framework = kUnset;  ///< a mixture of experts pretrained where experts are not known
  double other_framework = kUnset;  ///< a framework that is thought of by name only
  double without_script = kUnset;   ///< a framework that launch writes no programs for
  double cut_params = kUnset;       ///< parameters at which cutting layers counts twice what it does far above
  double pretrain_tokens =
      kUnset;                      ///< tokens of further training from which on it is more pretraining than fine-tuning
  double scratch_tokens = kUnset;  ///< tokens a parameter from which on a published network starts anew
  double most = kUnset;            ///< all of these together at most
  double effort = kUnset;          ///< dollars that setting up a way with a factor of 2 is worth
  double gpu_hour = kUnset;        ///< dollars of a GPU-hour that a faster way saves
  double waited_hour = kUnset;     ///< dollars of an hour that a faster way is done sooner
  double lasting = kUnset;         ///< share of it that counts however long a run is
  double each_point = kUnset;      ///< share of time that each point of complexity() counts as

  // Sequences of an optimizer step where the job does not say (plan/strategy/step_batch.h).
  double batch_tokens = kUnset;          ///< tokens of a pretraining step of a model of `batch_params`
  double batch_params = kUnset;          ///< parameters
  double batch_growth = kUnset;          ///< power of the parameters that these tokens grow with
  double batch_tokens_most = kUnset;     ///< tokens
  double pretrain_steps = kUnset;        ///< steps that a run has at the least, unless its batch is a fine-tuning's
  double tune_sequences = kUnset;        ///< sequences of a fine-tuning of all weights; the most for adapters
  double adapter_sequences = kUnset;     ///< sequences with adapters
  double adapter_params = kUnset;        ///< parameters up to which it is so many; more beyond
  double tune_steps = kUnset;            ///< steps that any run has at the least
  double batch_slack = kUnset;           ///< share by which a batch in tokens may change to divide by the GPUs
  double batch_slack_most = kUnset;      ///< the same where nothing nearer divides by all of them
  double serve_layers = kUnset;          ///< generation with layers split over GPUs must be faster by
  double serve_experts = kUnset;         ///< the same with experts shared by replicas
  double tie_share = kUnset;             ///< worse by less, a plan may be as good as the best
  double tie_chance = kUnset;            ///< chance to be better than the best that it has at the least then
  double same_share = kUnset;            ///< differences that decide nothing, however sure they are
  double least_capability = kUnset;      ///< CUDA compute capability that current software begins with
  double usual_slack = kUnset;           ///< the same of a batch that is assumed
  double longest_days = kUnset;          ///< days beyond which a plan is not recommended where a shorter one exists
  double whole_machine = kUnset;         ///< GPUs of a machine from which on it is rented to be joined with others
  double process_memory = kUnset;        ///< GiB of host memory asked for at the least for each GPU of a cluster's job
  double gpu_hours_to_failure = kUnset;  ///< GPU-hours from one failure of hardware to the next, on machines that stay

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
    PracticeConstant{"dense_framework", &PracticeConstants::dense_framework},
    PracticeConstant{"other_framework", &PracticeConstants::other_framework},
    PracticeConstant{"without_script", &PracticeConstants::without_script},
    PracticeConstant{"cut_params", &PracticeConstants::cut_params},
    PracticeConstant{"pretrain_tokens", &PracticeConstants::pretrain_tokens},
    PracticeConstant{"scratch_tokens", &PracticeConstants::scratch_tokens},
    PracticeConstant{"most", &PracticeConstants::most},
    PracticeConstant{"effort", &PracticeConstants::effort},
    PracticeConstant{"gpu_hour", &PracticeConstants::gpu_hour},
    PracticeConstant{"waited_hour", &PracticeConstants::waited_hour},
    PracticeConstant{"lasting", &PracticeConstants::lasting},
    PracticeConstant{"each_point", &PracticeConstants::each_point},
    PracticeConstant{"batch_tokens", &PracticeConstants::batch_tokens},
    PracticeConstant{"batch_params", &PracticeConstants::batch_params},
    PracticeConstant{"batch_growth", &PracticeConstants::batch_growth},
    PracticeConstant{"batch_tokens_most", &PracticeConstants::batch_tokens_most},
    PracticeConstant{"pretrain_steps", &PracticeConstants::pretrain_steps},
    PracticeConstant{"tune_sequences", &PracticeConstants::tune_sequences},
    PracticeConstant{"adapter_sequences", &PracticeConstants::adapter_sequences},
    PracticeConstant{"adapter_params", &PracticeConstants::adapter_params},
    PracticeConstant{"tune_steps", &PracticeConstants::tune_steps},
    PracticeConstant{"batch_slack", &PracticeConstants::batch_slack},
    PracticeConstant{"batch_slack_most", &PracticeConstants::batch_slack_most},
    PracticeConstant{"serve_layers", &PracticeConstants::serve_layers},
    PracticeConstant{"serve_experts", &PracticeConstants::serve_experts},
    PracticeConstant{"tie_share", &PracticeConstants::tie_share},
    PracticeConstant{"tie_chance", &PracticeConstants::tie_chance},
    PracticeConstant{"same_share", &PracticeConstants::same_share},
    PracticeConstant{"least_capability", &PracticeConstants::least_capability},
    PracticeConstant{"usual_slack", &PracticeConstants::usual_slack},
    PracticeConstant{"longest_days", &PracticeConstants::longest_days},
    PracticeConstant{"whole_machine", &PracticeConstants::whole_machine},
    PracticeConstant{"process_memory", &PracticeConstants::process_memory},
    PracticeConstant{"gpu_hours_to_failure", &PracticeConstants::gpu_hours_to_failure},
};

}  // namespace gpuplan
