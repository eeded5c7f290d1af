#include "launch/command/rewards.h"

#include <gtest/gtest.h>

#include "launch/command/starters.h"

namespace gpuplan {
namespace {

std::vector<CommandWord> words(std::string_view command) { return words_of(command, shell_commands(command).front()); }

std::string wrong(const std::string& command, int processes = 8) {
  return rewarded_wrongly(words(command), command, processes);
}

const std::string kGrpo = "trl grpo --model_name_or_path m --dataset_name d --reward_funcs accuracy_reward ";

TEST(Rewards, TrlStartsProcesses) {
  EXPECT_TRUE(learns_by_rewards(words("CUDA_VISIBLE_DEVICES=0 trl grpo --config a.yaml")));
  EXPECT_FALSE(learns_by_rewards(words("trl sft --config a.yaml")));
  EXPECT_TRUE(starts_processes(words("trl sft --config a.yaml")));
  EXPECT_FALSE(starts_processes(words("trl vllm-serve --model m")));
  EXPECT_TRUE(missing_of_accelerate(words("trl grpo --config a.yaml")).contains("--num_machines"));
  EXPECT_EQ(missing_of_accelerate(words("trl grpo --accelerate_config zero3")), "");
}

TEST(Rewards, ARewardIsAskedFor) {
  EXPECT_TRUE(wrong("trl grpo --model_name_or_path m --dataset_name d").contains("--reward_funcs"));
  EXPECT_EQ(wrong("trl grpo --config a.yaml"), "");
  EXPECT_EQ(wrong("trl grpo --reward-model-name-or-path r"), "");
}

TEST(Rewards, AnswersComeInWholeGroups) {
  EXPECT_EQ(wrong(kGrpo), "") << "8 x 8 in groups of 8";
  EXPECT_EQ(wrong(kGrpo + "--per_device_train_batch_size 2 --gradient_accumulation_steps 4 --num_generations 16"), "");
  EXPECT_TRUE(wrong(kGrpo + "--per_device_train_batch_size 3 --num_generations 16", 2)
                  .contains("3 x 2 processes x 1 = 6 answers at a time, which do not divide into groups of 16"));
  EXPECT_TRUE(wrong(kGrpo + "--per_device_train_batch_size 1 --steps_per_generation 3", 2).contains("groups of 8"));
  EXPECT_TRUE(wrong(kGrpo + "--generation_batch_size 20").contains("--generation_batch_size 20"));
  EXPECT_TRUE(wrong(kGrpo + "--num_generations 1").contains("2 answers or more"));
  EXPECT_EQ(wrong(kGrpo + "--num_generations \"$N\""), "");
  EXPECT_EQ(wrong("trl grpo --config a.yaml --num_generations 7"), "") << "the file may say the batch";
}

TEST(Rewards, AServerHasGpusOfItsOwn) {
  EXPECT_EQ(wrong(kGrpo + "--use_vllm"), "");
  EXPECT_EQ(wrong(kGrpo + "--use_vllm false --vllm_mode server"), "");
  EXPECT_TRUE(wrong(kGrpo + "--use_vllm --vllm_mode server").contains("a vLLM server that it does not start"));
  EXPECT_EQ(wrong(kGrpo + "--use_vllm --vllm_mode server --vllm_server_base_url http://h:8000"), "");
  const std::string both = "trl vllm-serve --model m & " + kGrpo + "--use_vllm true --vllm_mode server";
  const auto last = shell_commands(both).back();
  EXPECT_TRUE(rewarded_wrongly(words_of(both, last), both, 8).contains("all of the training"));
  EXPECT_TRUE(wrong(kGrpo + "--use_vllm --vllm_tensor_parallel_size 3").contains("does not divide"));
  EXPECT_TRUE(uncounted_of_rewards(words(kGrpo + "--use_vllm")).contains("30% of each GPU"));
  EXPECT_FALSE(uncounted_of_rewards(words(kGrpo)).contains("%"));
}

}  // namespace
}  // namespace gpuplan
