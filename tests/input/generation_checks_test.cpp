// What a generate phase can ask that no machine could give: one line each, naming what works.
#include <gtest/gtest.h>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

std::string generate(const std::string& model, const std::string& keys,
                     const std::string& data = "{samples: 10, prompt_tokens: 20, new_tokens: 30}") {
  return error_of("phases: [{name: a, generate: {model: " + model + ", data: [" + data + "], " + keys + "}}]");
}

TEST(GenerationChecks, AnUnknownQuantisationHasANeighbour) {
  const std::string error = generate("Llama-3.1-8B", "weights: q4_k_n");
  EXPECT_NE(error.find("got 'q4_k_n'. Did you mean 'q4_k_m"), std::string::npos) << error;
}

TEST(GenerationChecks, EnginesReadSomeFormats) {
  EXPECT_EQ(generate("Llama-3.1-8B", "engine: llama.cpp, weights: q4_k_m"), "");
  const std::string error = generate("Llama-3.1-8B", "engine: vllm, weights: q4_k_m");
  EXPECT_TRUE(error.starts_with("job.yaml:1: phases.a.generate.weights: vllm does not read q4_k_m; it reads "))
      << error;
  EXPECT_NE(error.find("int4"), std::string::npos) << error;
  EXPECT_TRUE(error.ends_with("llama.cpp does")) << error;
}

TEST(GenerationChecks, Exl2SaysItsSize) {
  EXPECT_EQ(generate("Llama-3.1-8B", "weights: exl2, weight_bits: 4.65"), "");
  EXPECT_EQ(
      generate("Llama-3.1-8B", "weights: exl2"),
      "job.yaml:1: phases.a.generate.weights: EXL2 files come in any size; add weight_bits, such as weight_bits: 4.65");
  EXPECT_EQ(generate("Llama-3.1-8B", "weight_bits: 4"),
            "job.yaml:1: phases.a.generate.weight_bits: also needs weights, the format with this many bits");
  EXPECT_EQ(generate("Llama-3.1-8B", "weights: fp8, weight_bits: 4"),
            "job.yaml:1: phases.a.generate.weight_bits: fp8 takes about 8 bits per weight; expected 6 to 12, got 4");
  EXPECT_EQ(generate("Llama-3.1-8B", "weights: int4, weight_bits: 4.5"), "");
}

TEST(GenerationChecks, CachesHaveFormatsOfTheirOwn) {
  EXPECT_EQ(generate("Llama-3.1-8B", "kv_cache: q8_0"), "");
  const std::string error = generate("Llama-3.1-8B", "kv_cache: q4_k_m");
  EXPECT_TRUE(error.starts_with("job.yaml:1: phases.a.generate.kv_cache: q4_k_m is a weight format; expected fp32"))
      << error;
  EXPECT_NE(generate("Llama-3.1-8B", "kv_cache: fp9").find("Did you mean 'fp8"), std::string::npos);
}

TEST(GenerationChecks, EnginesKeepTheirCacheInSomeFormats) {
  EXPECT_EQ(generate("Llama-3.1-8B", "engine: vllm, kv_cache: fp8"), "");
  EXPECT_EQ(generate("Llama-3.1-8B", "engine: llama.cpp, kv_cache: q4_0"), "");
  for (const char* format : {"q4_0", "q8_0", "int8", "int4"}) {
    const std::string error = generate("Llama-3.1-8B", "engine: vllm, kv_cache: " + std::string(format));
    EXPECT_TRUE(error.starts_with("job.yaml:1: phases.a.generate.kv_cache: vllm does not keep its KV cache in " +
                                  std::string(format) + "; it knows fp32, fp16, bf16 and fp8; "))
        << error;
  }
}

TEST(GenerationChecks, NoMoreIsStoredThanThereIs) {
  const auto store = [](const std::string& what) {
    return error_of(
        "phases: [{name: a, collect: {model: Llama-3.1-8B, data: [{samples: 10, prompt_tokens: 20}], "
        "forward_only: true, store: " +
        what + "}}]");
  };
  EXPECT_EQ(store("{layers: 33, width: 4096}"), "");
  EXPECT_NE(store("{layers: 34, width: 4096}").find("has 32 layers"), std::string::npos);
  EXPECT_EQ(store("{layers: 1, width: 128256}"), "") << "scores of the vocabulary";
  EXPECT_NE(store("{layers: 1, width: 200000}").find("no more than 128,256 values"), std::string::npos);
}

TEST(GenerationChecks, ContextsEndWhereTheModelDoes) {
  EXPECT_EQ(generate("Llama-2-7B", "situation: single", "{samples: 1, prompt_tokens: 4000, new_tokens: 200}"),
            "job.yaml:1: phases.a.generate.data[0].new_tokens: Llama-2-7B reads at most 4,096 tokens, but the longest "
            "sample has 4,200: 4,000 input and 200 output; generate at most 96 tokens");
  EXPECT_EQ(
      generate("Llama-2-7B", "situation: single", "{samples: 1, prompt_tokens: 5000, new_tokens: 200}"),
      "job.yaml:1: phases.a.generate.data[0].prompt_tokens: Llama-2-7B reads at most 4,096 tokens, but the longest "
      "sample has 5,200: 5,000 input and 200 output; cut prompts to 4,095 or less, to leave room for output tokens");
  EXPECT_EQ(generate("Llama-2-7B", "situation: single", "{samples: 1, prompt_tokens: 4000, new_tokens: 96}"), "");
}

TEST(GenerationChecks, HeadsDivide) {
  EXPECT_EQ(generate("Qwen2.5-7B", "parallel: {tp: 4}"), "");
  EXPECT_EQ(generate("Qwen2.5-7B", "parallel: {tp: 8}"),
            "job.yaml:1: phases.a.generate.parallel.tp: 28 heads of Qwen2.5-7B are not divisible by 8; 4 does");
  EXPECT_EQ(generate("Qwen2.5-7B", "parallel: {tp: 7}"),
            "job.yaml:1: phases.a.generate.parallel.tp: 4 KV heads of Qwen2.5-7B cannot be split evenly over 7 "
            "GPUs; 4 does");
  EXPECT_EQ(generate("Llama-2-7B", "parallel: {tp: 5}"),
            "job.yaml:1: phases.a.generate.parallel.tp: 32 heads of Llama-2-7B are not divisible by 5; 4 or 8 do");
}

TEST(GenerationChecks, SoDoExpertsAndStages) {
  EXPECT_EQ(generate("Mixtral-8x7B", "parallel: {ep: 4}"), "");
  EXPECT_EQ(generate("Mixtral-8x7B", "parallel: {ep: 6}"),
            "job.yaml:1: phases.a.generate.parallel.ep: 8 experts of Mixtral-8x7B are not divisible by 6; 4 or 8 do");
  EXPECT_EQ(generate("Llama-2-7B", "parallel: {ep: 2}"),
            "job.yaml:1: phases.a.generate.parallel.ep: Llama-2-7B has no experts; use 1, or tp instead of ep");
  EXPECT_EQ(generate("Llama-2-7B", "parallel: {pp: 40}"),
            "job.yaml:1: phases.a.generate.parallel.pp: 32 layers of Llama-2-7B do not fill 40 stages; expected at "
            "most 32");
  EXPECT_EQ(
      generate("Llama-2-7B", "parallel: {cp: 2}"),
      "job.yaml:1: phases.a.generate.parallel.cp: context parallelism is for training; use 1, or tp for generation");
  EXPECT_EQ(generate("Llama-2-7B", "engine: hf, parallel: {tp: 2}"),
            "job.yaml:1: phases.a.generate.parallel.tp: hf has no tensor parallelism; expected 1, or pp: it splits "
            "layers over GPUs");
}

TEST(GenerationChecks, SpeculationAndTargets) {
  EXPECT_EQ(generate("Llama-2-7B", "speculative: {tokens: 4, acceptance: 0.7}"), "");
  EXPECT_EQ(generate("Llama-2-7B", "speculative: {tokens: 4, acceptance: 70%, draft: gpt2}"), "");
  EXPECT_EQ(generate("Llama-2-7B", "speculative: {tokens: 4}"),
            "job.yaml:1: phases.a.generate.speculative: missing 'acceptance'; expected a share such as 30% or 0.3: "
            "chance that a draft token is accepted when those before it were");
  EXPECT_NE(generate("Llama-2-7B", "speculative: {tokens: 0, acceptance: 0.7}").find("expected from 1 to 64, got '0'"),
            std::string::npos);
  EXPECT_NE(generate("Llama-2-7B", "speculative: {tokens: 4, acceptance: 1.4}").find("expected at most 100%"),
            std::string::npos);
  EXPECT_EQ(generate("Llama-2-7B", "target: {tokens_per_second: 1000, time_to_first_token: 500 ms}"), "");
  EXPECT_EQ(generate("Llama-2-7B", "target: {}"),
            "job.yaml:1: phases.a.generate.target: empty target; expected tokens_per_second, time_to_first_token or "
            "time_per_output_token");
}

TEST(GenerationChecks, WhatIsReadIsKept) {
  const auto job = read_text_as_job(
      "phases: [{name: a, generate: {model: Llama-2-7B, data: [{samples: 10, prompt_tokens: 20, new_tokens: 30}], "
      "weights: exl2, weight_bits: 3.5, kv_cache: q4_0, speculative: {tokens: 5, acceptance: 0.8, draft: gpt2}, "
      "target: {tokens_per_second: 1500, time_per_output_token: 20 ms}}}]");
  ASSERT_EQ(line_of(job), "");
  const auto& phase = std::get<GeneratePhase>(job->phases.front().work);
  EXPECT_EQ(phase.weights, Format::kExl2);
  EXPECT_EQ(phase.weight_bits, 3.5);
  EXPECT_EQ(phase.kv_cache, Format::kQ4_0);
  ASSERT_TRUE(phase.speculation);
  EXPECT_EQ(phase.speculation->tokens, 5);
  EXPECT_DOUBLE_EQ(phase.speculation->acceptance, 0.8);
  ASSERT_TRUE(phase.speculation->draft);
  EXPECT_EQ(phase.speculation->draft->shape.layers, 12);
  EXPECT_EQ(phase.target.tokens_per_second, TokensPerSecond{1500});
  EXPECT_FALSE(phase.target.time_to_first_token);
  EXPECT_DOUBLE_EQ(phase.target.time_per_output_token->value, 0.02);
}

}  // namespace
}  // namespace gpuplan
