// Phases that train what an earlier one has trained: what they start from, for every pair of frameworks.
#include <gtest/gtest.h>

#include <array>

#include "launch/launched.h"

namespace gpuplan {
namespace {

struct Way {
  std::string framework, method;
  bool adapters() const { return method != "full"; }
  bool gpt2() const { return framework == "nanogpt"; }
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const char* framework : {"hf-trainer", "accelerate", "deepspeed", "unsloth", "axolotl", "llama-factory"})
    for (const char* method : {"full", "lora", "qlora"})
      if (std::string(framework) != "deepspeed" || std::string(method) != "qlora") all.push_back({framework, method});
  for (const char* framework : {"torch", "torchtitan", "megatron", "nanogpt"}) all.push_back({framework, "full"});
  return all;
}

std::string training(const std::string& name, const Way& way, const std::string& model, const std::string& more) {
  return "  - name: " + name + "\n    train: {model: " + model +
         ", data: {samples: 1000}, sequence: 512, batch: {sequences: 64}, start: weights, framework: " + way.framework +
         (way.adapters() ? ", method: " + way.method : "") + "}\n" + more;
}

Launched pair(const Way& first, const std::string& then) {
  return Launched(job_of(
      "market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h}]}\nphases:\n" +
      training("a", first, then.find("gpt2") != std::string::npos ? "gpt2" : "meta-llama/Llama-3.2-1B", "") + then));
}

std::string all_of(const Work& work) {
  std::string text;
  for (const auto& lines : {work.command, work.required, work.checks})
    for (const std::string& line : lines) text += line + "\n";
  for (const LaunchFile& file : work.files)
    if (file.path.ends_with("settings.json")) text += file.text;
  return text + work.unwritten;
}

std::string finish_of(const Work& work) { return work.finish.empty() ? "" : work.finish.front(); }

TEST(Chain, TrainingStartsFromWholeWeightsUnderEveryPairOfFrameworks) {
  int pairs = 0;
  for (const Way& first : ways())
    for (const Way& second : ways()) {
      const auto other = [](const Way& way) { return way.framework == "torchtitan" || way.framework == "unsloth"; };
      if ((first.gpt2() && other(second)) || (other(first) && second.gpt2())) continue;  // no network that both know
      const std::string model = first.gpt2() || second.gpt2() ? "gpt2" : "meta-llama/Llama-3.2-1B";
      const Launched laid = pair(first, training("b", second, model, "    needs: [a]\n"));
      ASSERT_TRUE(laid.launch);
      SCOPED_TRACE(first.framework + " " + first.method + ", then " + second.framework + " " + second.method);
      const auto before = phase_work(*laid.launch, laid.launch->phases[0]);
      const auto after = phase_work(*laid.launch, laid.launch->phases[1]);
      ASSERT_TRUE(before && after);
      ++pairs;
      const bool own_form = first.framework == "megatron" || first.gpt2();
      const std::string left = own_form ? "01-a/checkpoints" : first.adapters() ? "01-a/merged" : "01-a/final";
      const std::string text = all_of(*after);
      EXPECT_NE(text.find(left), std::string::npos) << text;
      if (first.adapters()) {
        EXPECT_EQ(text.find("01-a/final"), std::string::npos) << "a folder with adapters alone: " << text;
        EXPECT_TRUE(finish_of(*before).ends_with("finish_model.py\" answers merge")) << finish_of(*before);
        EXPECT_FALSE(finish_of(*before).starts_with("[")) << "in any case";
      } else {
        EXPECT_FALSE(finish_of(*before).ends_with(" merge"));
      }
      EXPECT_EQ(after->unwritten.empty(), !second.gpt2()) << "nanoGPT takes no folder";
    }
  EXPECT_GT(pairs, 300);
}

TEST(Chain, GenerationTakesAdaptersAsTheyAre) {
  for (const Way& first : ways())
    for (const char* engine : {"vllm", "hf"}) {
      if (first.gpt2()) continue;
      SCOPED_TRACE(first.framework + " " + first.method + ", then " + engine);
      const Launched laid = pair(
          first, std::string(
                     "  - name: b\n    needs: [a]\n    generate: {model: meta-llama/Llama-3.2-1B, data: {samples: 100, "
                     "prompt_tokens: 100, new_tokens: 100}, engine: ") +
                     engine + "}\n");
      ASSERT_TRUE(laid.launch);
      const auto before = phase_work(*laid.launch, laid.launch->phases[0]);
      const auto after = phase_work(*laid.launch, laid.launch->phases[1]);
      ASSERT_TRUE(before && after);
      EXPECT_NE(all_of(*after).find(first.framework == "megatron"
                                        ? "MODEL_02_B: folder of meta-llama/Llama-3.2-1B as transformers"
                                        : "\"01-a/final\""),
                std::string::npos)
          << all_of(*after);
      EXPECT_FALSE(finish_of(*before).ends_with(" merge"));
    }
}

/// MODEL is where the job begins: taken in a later phase too, it would throw away what the earlier one learnt.
TEST(Chain, AVariableForTheFirstModelIsNoneForWhatFollows) {
  for (const Way& first : ways())
    for (const Way& second : ways()) {
      if (first.gpt2() || second.gpt2() || second.framework == "megatron") continue;
      if (second.framework == "torchtitan") continue;  // begins from ASSETS
      SCOPED_TRACE(first.framework + " " + first.method + ", then " + second.framework + " " + second.method);
      const std::string model = "meta-llama/Llama-3.2-1B";
      const Launched laid = pair(first, training("b", second, model, "    needs: [a]\n"));
      ASSERT_TRUE(laid.launch);
      const std::string after = all_of(*phase_work(*laid.launch, laid.launch->phases[1]));
      EXPECT_NE(after.find("MODEL_02_B"), std::string::npos) << after;
      EXPECT_EQ(after.find("{MODEL:-"), std::string::npos) << after;
      EXPECT_EQ(after.find("\"variable\": \"MODEL\""), std::string::npos) << after;
      EXPECT_EQ(all_of(*phase_work(*laid.launch, laid.launch->phases[0])).find("MODEL_01"), std::string::npos);
    }
}

TEST(Chain, PhasesThatBeginWithDifferentModelsHaveAVariableEach) {
  const auto laid = [](const std::string& model, const std::string& more) {
    return pair({"hf-trainer", "lora"}, training("b", {"axolotl", "lora"}, model, more));
  };
  const auto text = [](const Launched& both, std::size_t which) {
    return all_of(*phase_work(*both.launch, both.launch->phases[which]));
  };
  const Launched other = laid("Qwen/Qwen2.5-0.5B", "");
  EXPECT_NE(text(other, 0).find("MODEL_01_A"), std::string::npos) << text(other, 0);
  EXPECT_NE(text(other, 1).find("MODEL_02_B"), std::string::npos) << text(other, 1);
  const Launched same = laid("meta-llama/Llama-3.2-1B", "");
  EXPECT_NE(text(same, 1).find("{MODEL:-"), std::string::npos) << text(same, 1);
}

TEST(Chain, WhatPhasesWantUnderOneNameHasAVariableEach) {
  const Launched laid =
      pair({"torchtitan", "full"}, training("b", {"torchtitan", "full"}, "meta-llama/Llama-3.2-3B", ""));
  ASSERT_TRUE(laid.launch);
  EXPECT_NE(all_of(*phase_work(*laid.launch, laid.launch->phases[0])).find("ASSETS_01_A: "), std::string::npos);
  const std::string second = all_of(*phase_work(*laid.launch, laid.launch->phases[1]));
  EXPECT_NE(second.find("export ASSETS=\"$ASSETS_02_B\""), std::string::npos) << second;
}

TEST(Chain, OnlyWhatTrainsFromThemHasAdaptersMerged) {
  const Way lora{"hf-trainer", "lora"};
  const auto merged = [&](const std::string& then) {
    const Launched laid = pair(lora, then);
    return laid.launch && finish_of(*phase_work(*laid.launch, laid.launch->phases[0])).ends_with(" merge");
  };
  const std::string model = "meta-llama/Llama-3.2-1B";
  EXPECT_TRUE(merged(training("b", {"torch", "full"}, model, "    needs: [a]\n")));
  EXPECT_TRUE(merged("  - name: look\n    needs: [a]\n    cpu: {command: look, time: 1 min}\n" +
                     training("b", {"torch", "full"}, model, "    needs: [look]\n")));
  EXPECT_FALSE(merged(training("b", {"torch", "full"}, "meta-llama/Llama-3.2-3B", "    needs: [a]\n")))
      << "another model";
  EXPECT_FALSE(merged(training("b", {"torch", "full"}, model, "    needs: [a]\n    command: python train.py\n")))
      << "it says itself what it reads";
}

}  // namespace
}  // namespace gpuplan
