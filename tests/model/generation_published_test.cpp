// The model beside published measurements. Figures are facts of the sources named; every row is one whole
// configuration.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/generation_fixture.h"
#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::generation_fixture;

struct Published {
  const char* source;
  Gpu gpu;
  ModelShape shape;
  const char* engine;
  Format weights;
  Situation situation;
  int tp, batch;
  double prompt, fresh;
  double tokens_per_second;
};

ModelShape qwen(int layers, int hidden, int heads, int kv_heads, int ffn, int vocab) {
  ModelShape shape = llama_2_7b();
  shape.name = "Qwen2.5";
  shape.layers = layers;
  shape.hidden = hidden;
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  shape.ffn = ffn;
  shape.vocab = vocab;
  shape.attention_bias = BiasKind::kQkv;
  return shape;
}

std::vector<Published> published() {
  Gpu capped = a100();
  capped.tdp_watts = 330;
  return {
      {"turboderp/exllamav2 README", rtx4090(), llama_2_7b(), "exllamav2", Format::kInt4, Situation::kSingle, 1, 1, 128,
       128, 205},
      {"pytorch-labs/gpt-fast README", capped, llama_2_7b(), "gpt-fast", Format::kBf16, Situation::kSingle, 1, 1, 5,
       200, 104.9},
      {"pytorch-labs/gpt-fast README", capped, llama_2_7b(), "gpt-fast", Format::kInt8, Situation::kSingle, 1, 1, 5,
       200, 155.58},
      {"pytorch-labs/gpt-fast README", capped, llama_2_7b(), "gpt-fast", Format::kInt4, Situation::kSingle, 1, 1, 5,
       200, 196.8},
      {"pytorch-labs/gpt-fast README", capped, llama_2_7b(), "gpt-fast", Format::kBf16, Situation::kSingle, 2, 1, 5,
       200, 168.84},
      {"pytorch-labs/gpt-fast README", capped, llama_2_7b(), "gpt-fast", Format::kBf16, Situation::kSingle, 4, 1, 5,
       200, 254.02},
      {"pytorch-labs/gpt-fast README", capped, llama_2_7b(), "gpt-fast", Format::kBf16, Situation::kSingle, 8, 1, 5,
       200, 328.43},
      {"XiongjieDai/GPU-Benchmarks-on-LLM-Inference", rtx4090(), llama_3_8b(), "llama.cpp", Format::kQ4K,
       Situation::kSingle, 1, 1, 1, 1024, 127.74},
      {"XiongjieDai/GPU-Benchmarks-on-LLM-Inference", rtx4090(), llama_3_8b(), "llama.cpp", Format::kFp16,
       Situation::kSingle, 1, 1, 1, 1024, 54.34},
      {"XiongjieDai/GPU-Benchmarks-on-LLM-Inference", a100(), llama_3_8b(), "llama.cpp", Format::kQ4K,
       Situation::kSingle, 1, 1, 1, 1024, 133.38},
      {"XiongjieDai/GPU-Benchmarks-on-LLM-Inference", a100(), llama_3_8b(), "llama.cpp", Format::kFp16,
       Situation::kSingle, 1, 1, 1, 1024, 53.18},
      {"mlc-ai/llm-perf-bench", rtx4090(), llama_2_7b(), "mlc", Format::kInt4, Situation::kSingle, 1, 1, 8, 256, 204.8},
      {"mlc-ai/llm-perf-bench", rtx4090(), llama_2_70b(), "mlc", Format::kInt4, Situation::kSingle, 2, 1, 8, 256, 34.5},
      {"Qwen2.5 documentation", a100(), qwen(28, 3584, 28, 4, 18944, 152064), "hf", Format::kBf16, Situation::kSingle,
       1, 1, 1, 2048, 40.38},
      {"Qwen2.5 documentation", a100(), qwen(28, 3584, 28, 4, 18944, 152064), "hf", Format::kInt8, Situation::kSingle,
       1, 1, 1, 2048, 31.55},
      {"Qwen2.5 documentation", a100(), qwen(28, 3584, 28, 4, 18944, 152064), "hf", Format::kInt4, Situation::kSingle,
       1, 1, 1, 2048, 43.1},
      {"Qwen2.5 documentation", a100(), qwen(64, 5120, 40, 8, 27648, 152064), "vllm", Format::kBf16, Situation::kSingle,
       2, 1, 30720, 2048, 31.82},
      {"Qwen2.5 documentation", a100(), qwen(80, 8192, 64, 8, 29568, 152064), "vllm", Format::kBf16, Situation::kSingle,
       4, 1, 1, 2048, 31.37},
      {"TensorRT-LLM documentation 0.9", h100(), llama_2_7b(), "tensorrt-llm", Format::kFp8, Situation::kStatic, 1, 896,
       128, 128, 19854},
      {"TensorRT-LLM documentation 0.9", h100(), llama_2_70b(), "tensorrt-llm", Format::kFp8, Situation::kStatic, 2,
       1024, 128, 128, 6428},
      {"TensorRT-LLM documentation 0.9", h100(), llama_2_70b(), "tensorrt-llm", Format::kFp8, Situation::kStatic, 4,
       512, 128, 2048, 10900},
      {"TensorRT-LLM documentation 0.9", a100(), mixtral(), "tensorrt-llm", Format::kFp16, Situation::kStatic, 2, 512,
       128, 128, 5684},
      {"TensorRT-LLM documentation 0.9", a100(), llama_2_7b(), "tensorrt-llm", Format::kFp16, Situation::kStatic, 1,
       256, 128, 128, 5390},
      {"TensorRT-LLM documentation 0.9", a100(), llama_2_70b(), "tensorrt-llm", Format::kFp16, Situation::kStatic, 4,
       1024, 128, 128, 2744},
      {"TensorRT-LLM documentation 0.9", a100(), llama_2_70b(), "tensorrt-llm", Format::kFp16, Situation::kStatic, 8,
       512, 128, 2048, 5472},
      {"TensorRT-LLM documentation 1.0", h100(), llama_3_8b(), "tensorrt-llm", Format::kFp8, Situation::kSaturated, 1,
       0, 1000, 1000, 15220},
  };
}

/// The constants and engines of data/.
const Catalogue& facts() { return training_fixture::catalogue(); }

TEST(GenerationPublished, NearMeasuredRates) {
  std::vector<double> errors;
  std::size_t held = 0;
  for (const Published& row : published()) {
    const bool saturated = row.situation == Situation::kSaturated;
    const GeneratePhase phase = phase_of(row.shape, row.situation, saturated ? 2000 : row.batch, row.prompt, row.fresh);
    const Rig rig(row.gpu, phase, row.engine, row.weights, row.weights == Format::kFp8 ? Format::kFp8 : Format::kFp16,
                  facts());
    const Strategy strategy = strategy_of(1, row.tp, 1, saturated ? 0 : row.batch);
    const GenerationEstimate estimate = rig.estimate(strategy);
    // llama.cpp and exllama report decoding alone.
    const std::string by = row.engine;
    const double rate =
        by == "llama.cpp" || by == "exllamav2" ? 1 / estimate.time_per_output_token.value : estimate.tokens_per_second;
    const double off = std::abs(std::log(rate / row.tokens_per_second));
    const double deviation = generation_spread(rig.work, rig.rates, strategy).time;
    errors.push_back(off);
    if (off < 1.2816 * deviation) ++held;
    // Tails are heavier than a normal: one table has a mixture of experts at more than twice the rate.
    EXPECT_LT(off, 4 * deviation) << row.source << ", " << row.gpu.name << ", " << row.shape.name << ": measured "
                                  << row.tokens_per_second << ", predicted " << rate;
  }
  EXPECT_GE(held, errors.size() * 7 / 10) << "80 % intervals";
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 0.12);
}

}  // namespace
}  // namespace gpuplan
