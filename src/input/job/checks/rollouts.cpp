#include "input/job/checks/rollouts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.h"
#include "input/job/checks/fail_at.h"

namespace gpuplan {
namespace {

/// Reward functions that TRL knows by name (trl/scripts/grpo.py, reward_funcs_registry).
constexpr std::array<std::string_view, 4> kRewards = {"accuracy_reward", "reasoning_accuracy_reward",
                                                      "think_format_reward", "get_soft_overlong_punishment"};

/// "rewards.exact_match": names of Python with dots between them.
bool is_dotted(std::string_view text) {
  bool dot = false, begins = true;
  for (const char c : text) {
    if (c == '.') {
      if (begins) return false;
      dot = begins = true;
      continue;
    }
    if (!(is_letter(c) || c == '_' || (!begins && is_digit(c)))) return false;
    begins = false;
  }
  return dot && !begins;
}

bool check_rewards(Reader& reader, const Tree& tree, const Rollouts& rollouts) {
  const auto fail = [&](const std::string& message) { return fail_at(reader, tree, "rollouts.reward", message); };
  const std::string expected = "expected " + listed(std::vector<std::string>(kRewards.begin(), kRewards.end()), "or") +
                               ", or a function of your own as module.function";
  if (rollouts.reward.empty()) return fail("no reward function; " + expected);
  for (const std::string& name : rollouts.reward) {
    if (std::ranges::find(kRewards, name) != kRewards.end() || is_dotted(name)) continue;
    if (name.find('/') != std::string::npos)
      return fail("reward models such as " + printable(name, 60) + " are not planned, only reward functions; " +
                  expected);
    return fail("'" + printable(name, 60) + "' is no reward function that TRL has; " + expected);
  }
  return true;
}

/// A step learns from all answers to its prompts.
bool check_groups(Reader& reader, const Tree& tree, const TrainPhase& phase) {
  const int group = phase.rollouts->generations;
  const auto whole = [&](double batch) { return std::fmod(batch, group) == 0; };
  const auto fail = [&](double batch) {
    const double below = std::floor(batch / group) * group;
    const std::string near = below > 0 ? count_text(below) + " or " + count_text(below + group) : count_text(group);
    return fail_at(reader, tree, "batch",
                   "a step of " + count_text(batch) + " answers does not divide into groups of " + count_text(group) +
                       " (rollouts.generations); " + near + " does");
  };
  if (phase.batch && phase.batch->sequences && !whole(*phase.batch->sequences)) return fail(*phase.batch->sequences);
  if (phase.batch_by_gpu.value && !whole(*phase.batch_by_gpu.value)) return fail(*phase.batch_by_gpu.value);
  for (const auto& one : phase.batch_by_gpu.cases)
    if (!whole(one.value)) return fail(one.value);
  return true;
}

/// Keys that mean nothing beside rollouts, or something that is not planned, with what to write instead.
bool check_keys(Reader& reader, const Tree& tree, const TrainPhase& phase) {
  const auto leave_out = [&](std::string_view key, const std::string& why) {
    return fail_at(reader, tree, key, why + "; leave out " + std::string(key.substr(key.find('.') + 1)));
  };
  const std::string lengths = "grpo has sequences as long as rollouts.prompt_tokens and new_tokens say";
  if (phase.sequence) return leave_out("sequence", lengths);
  if (phase.data.tokens_per_sample) return leave_out("data.tokens_per_sample", lengths);
  if (phase.data.tokens)
    return fail_at(reader, tree, "data.tokens", "grpo counts prompts; expected data: {samples: PROMPTS}");
  if (phase.data.packing) return leave_out("data.packing", "answers are not packed");
  if (phase.start == StartFrom::kScratch) return leave_out("start", "grpo starts from a trained model");
  const auto stays = [](Offload offload) { return offload == Offload::kNone; };
  const auto& offload = phase.offload;
  if ((offload.value && !stays(*offload.value)) ||
      std::ranges::any_of(offload.cases, [&](const auto& one) { return !stays(one.value); }))
    return leave_out("offload", "grpo is not planned with CPU offload");
  const bool batch = phase.batch && phase.batch->sequences;
  if (!batch && !phase.batch_by_gpu.given())
    return fail_at(reader, tree, "rollouts",
                   "grpo needs a batch, the answers of one optimizer step; for example batch: " +
                       count_text(8.0 * phase.rollouts->generations) + " (8 prompts x " +
                       count_text(phase.rollouts->generations) + " generations)");
  return true;
}

}  // namespace

bool check_rollouts(Reader& reader, const Tree& tree, TrainPhase& phase) {
  if (phase.objective != Objective::kGrpo) {
    const Tree* rollouts = tree.find("rollouts");
    return rollouts == nullptr || reader.fail_at_key(*rollouts, "rollouts also needs objective: grpo");
  }
  const Tree& objective = *tree.find("objective");
  if (!phase.rollouts)
    return reader.fail_at_key(
        objective,
        "grpo also needs rollouts, in a job file: rollouts: {prompt_tokens: {mean: 200, max: 512}, "
        "new_tokens: {mean: 600, max: 1024}, reward: accuracy_reward}");
  const ModelUse& model = phase.models.front();
  if (phase.models.size() != 1 || model.custom || model.shape.kind != ModelKind::kDecoder)
    return reader.fail_at_key(objective, "grpo trains one decoder");
  if (phase.method != Method::kFull && phase.method != Method::kLora)
    return reader.fail_at_key(objective, "grpo is planned with method: full or lora");
  if (!check_keys(reader, tree, phase) || !check_rewards(reader, tree, *phase.rollouts) ||
      !check_groups(reader, tree, phase))
    return false;
  const Length &prompts = phase.rollouts->prompt_tokens, &answers = phase.rollouts->new_tokens;
  const Length whole{prompts.mean + answers.mean, prompts.max + answers.max};
  if (model.shape.max_context > 0 && whole.max > model.shape.max_context)
    return fail_at(reader, tree, "rollouts",
                   "the longest prompt and answer have " + count_text(whole.max) + " tokens, but " +
                       printable(model.name, 60) + " reads at most " + count_text(model.shape.max_context));
  phase.data.tokens_per_sample = whole;
  phase.offload = {Offload::kNone, {}};
  return true;
}

}  // namespace gpuplan
