// Key `rollouts` of a `train` phase with `objective: grpo`.
#include <array>

#include "input/job/codecs.h"

namespace gpuplan {

namespace {

struct RolloutsRecord {
  using Object = Rollouts;
  static constexpr std::string_view title = "rollouts";
  static constexpr std::array keys = {
      key<&Rollouts::prompt_tokens>("prompt_tokens", "required", "tokens per prompt; longer prompts are left out",
                                    between(1, 1e9)),
      key<&Rollouts::new_tokens>("new_tokens", "required", "tokens per answer; longer answers are cut off",
                                 between(1, 1e9)),
      key<&Rollouts::generations>("generations", "8", "answers per prompt, compared with each other",
                                  between(2, 10'000)),
      key<&Rollouts::reward>("reward", "required",
                             "reward functions: those that TRL has (accuracy_reward, think_format_reward, ...), or "
                             "module.function of your own"),
      key<&Rollouts::reward_time>("reward_time", "not counted",
                                  "time the reward functions take for all answers of a step, while the GPUs wait"),
      key<&Rollouts::beta>("beta", "0", "weight of the KL divergence from the model as it was; 0: no reference model",
                           between(0, 1000)),
      key_as<ShareCodec, &Rollouts::memory_share>(
          "memory_share", "30%",
          "share of each GPU's memory that vLLM takes; more where its weights and the answers to one prompt need more",
          {0.05, 0.9}),
      key<&Rollouts::sleep>("sleep", "false", "vLLM gives its memory back while the model trains"),
  };
};

}  // namespace

constinit const ValueType Codec<Rollouts>::type = Record<RolloutsRecord>::type;
bool Codec<Rollouts>::read(Reader& reader, const Tree& tree, Rollouts& out, const Bounds& bounds) {
  return Record<RolloutsRecord>::read(reader, tree, out, bounds);
}

}  // namespace gpuplan
