#include "launch/command/servers.h"

#include <gtest/gtest.h>

#include <array>

namespace gpuplan {
namespace {

std::vector<CommandWord> server_words(std::string_view command) {
  return words_of(command, shell_commands(command).front());
}

/// Two GPUs a replica, four replicas, 64 requests each of at most 3000 tokens.
constexpr ServerPlan kPlan{2, 1, 4, 64, 3000, false, true};

std::string wrong_server(std::string_view command, const ServerPlan& plan = kPlan) {
  const auto split = server_words(command);
  const auto server = server_of(split);
  return server ? served_wrongly(split, *server, plan) : "no server";
}

TEST(Servers, AreKnownByWhatStartsThem) {
  for (const char* command : {"vllm serve m --port 1", "CUDA_VISIBLE_DEVICES=0,1 uv run vllm serve m",
                              "python3 -u -m vllm.entrypoints.openai.api_server --model m",
                              "/opt/bin/python -m sglang.launch_server --model m"})
    EXPECT_TRUE(server_of(server_words(command))) << command;
  for (const char* command : {"vllm bench serve --model m", "python serve.py", "vllm", "python -m", ""})
    EXPECT_FALSE(server_of(words_of(command, ShellSpan{0, std::string_view(command).size()}))) << command;
}

TEST(Servers, WhatContradictsThePlanIsSaid) {
  EXPECT_EQ(wrong_server("vllm serve m --tensor-parallel-size 4"),
            "has --tensor-parallel-size 4, but the plan has 2; write {tp} instead");
  EXPECT_EQ(wrong_server("python -m sglang.launch_server --tp-size=4"),
            "has --tp-size 4, but the plan has 2; write {tp} instead");
  EXPECT_EQ(wrong_server("vllm serve m -pp 2"), "has -pp 2, but the plan has 1; write {pp} instead");
  EXPECT_TRUE(wrong_server("vllm serve m --max_model_len 2k").contains("longest request has 3,000 tokens"));
  EXPECT_TRUE(wrong_server("vllm serve m --max-num-seqs 16").ends_with("write {micro} instead"));
  EXPECT_TRUE(
      wrong_server("python -m sglang.launch_server --max-running-requests 64").ends_with("write {batch} instead"));
  EXPECT_TRUE(wrong_server("vllm serve m --kv-cache-dtype fp8_e4m3").contains("set generate.kv_cache: fp8"));
  EXPECT_TRUE(wrong_server("vllm serve m -q fp8").contains("set generate.weights: fp8"));
}

TEST(Servers, WhatAgreesOrNobodyKnowsPasses) {
  for (const char* command :
       {"vllm serve m -tp 2 -dp 4 --max-model-len 4K --max-num-seqs 256", "vllm serve m --tensor-parallel-size \"$TP\"",
        "vllm serve m --max-model-len auto --kv-cache-dtype auto",
        "python -m sglang.launch_server --tp 8 --dp 4 --enable-dp-attention --max-running-requests 256"})
    EXPECT_EQ(wrong_server(command), "") << command;
  ServerPlan narrow = kPlan;
  narrow.fp8_cache = true, narrow.whole_weights = false;
  EXPECT_EQ(wrong_server("vllm serve m --kv-cache-dtype fp8 --quantization fp8", narrow), "");
  EXPECT_NE(wrong_server("vllm serve m --kv-cache-dtype auto", narrow), "");
}

TEST(Servers, FlagsAreReadAsArgparseDoes) {
  const auto split =
      server_words("vllm serve m --max_model_len=9 -O3 -tp 2 --hf-overrides.a.b 1 --seed -1 \"$MORE\" --no-log -- x");
  const auto flags = flags_of(split, *server_of(split));
  EXPECT_EQ(flags, (std::vector<std::string>{"--max_model_len", "-tp", "--hf-overrides", "--seed", "--no-log"}));
  constexpr std::array<std::string_view, 4> kKnown = {"--max-model-len", "-tp", "log", "--tensor-parallel-size"};
  for (const char* flag : {"--max_model_len", "-tp", "--no-log", "--log", "--tensor-par", "--help"})
    EXPECT_TRUE(is_flag_of(kKnown, flag)) << flag;
  for (const char* flag : {"--max-model-length", "-t", "--no-tp", "--tensor-parallel-sizes"})
    EXPECT_FALSE(is_flag_of(kKnown, flag)) << flag;
}

}  // namespace
}  // namespace gpuplan
