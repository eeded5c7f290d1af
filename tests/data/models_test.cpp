// Checks the facts of data/models.csv against each other and against counts that others published.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "base/text.h"
#include "input/csv.h"
#include "input/model_table.h"

namespace gpuplan {
namespace {

const std::string& text() {
  static const std::string content = [] {
    std::ifstream in(std::string(GPUPLAN_DATA_DIR) + "/models.csv", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  return content;
}

const Catalogue& catalogue() {
  static const Catalogue read = [] {
    Catalogue result;
    const auto status = read_models(text(), "models.csv", result);
    EXPECT_TRUE(status.has_value()) << status.error().place.line << ": " << status.error().message;
    return result;
  }();
  return read;
}

TEST(Models, ThereAreEnough) { EXPECT_GE(catalogue().models.size(), 200U); }

TEST(Models, ParametersFollowFromTheShape) {
  int exact = 0;
  for (const ModelShape& model : catalogue().models) {
    const double counted = count_parameters(model).total();
    ASSERT_GT(model.published, 0) << model.name;
    EXPECT_NEAR(counted / model.published, 1, 0.01) << model.name;
    exact += counted == model.published;
  }
  // Most sources give every digit, and there the formula must too: a slip in one column would show.
  EXPECT_GE(exact, 160);
}

// Authors round to two digits and count the embedding or leave it out.
TEST(Models, ActiveParametersFollowFromTheShape) {
  for (const ModelShape& model : catalogue().models) {
    if (model.active_published == 0) continue;
    const ParameterCount count = count_parameters(model);
    const double with = count.active / model.active_published,
                 without = (count.active - count.embedding) / model.active_published;
    EXPECT_LT(std::min(std::abs(with - 1), std::abs(without - 1)), 0.07) << model.name;
  }
}

TEST(Models, WidthsAgree) {
  for (const ModelShape& m : catalogue().models) {
    EXPECT_GE(m.max_context, 50) << m.name;
    EXPECT_TRUE(m.positions == 0 || m.positions >= m.max_context) << m.name;
    EXPECT_TRUE(!m.mla() || m.head_dim == m.qk_nope_dim + m.qk_rope_dim) << m.name;
    EXPECT_LT(m.extra, 0.04 * m.published) << m.name;
    if (m.kind == ModelKind::kVit) {
      EXPECT_EQ(m.positions, (m.image / m.patch) * (m.image / m.patch) + 1) << m.name;
    }
  }
}

TEST(Models, NamesPeopleUse) {
  for (const char* name : {"gpt2",
                           "gpt2-xl",
                           "openai-community/gpt2-medium",
                           "llama-7b",
                           "llama-2-70b",
                           "meta-llama/Llama-2-7b-chat-hf",
                           "llama-3-8b",
                           "meta-llama/Meta-Llama-3-70B-Instruct",
                           "meta-llama/Llama-3.1-8B-Instruct",
                           "llama-3.1-405b",
                           "llama-3.3-70b",
                           "meta-llama/Llama-3.2-1B-Instruct",
                           "codellama-34b",
                           "Qwen/Qwen2.5-7B-Instruct",
                           "Qwen2.5-7B",
                           "Qwen/Qwen2.5-Coder-7B-Instruct",
                           "qwen1.5-72b",
                           "qwen3-30b-a3b",
                           "Qwen/Qwen3-235B-A22B",
                           "Qwen/Qwen3-Coder-480B-A35B-Instruct",
                           "mistral-7b",
                           "mixtral-8x7b",
                           "mistralai/Mixtral-8x22B-Instruct-v0.1",
                           "google/gemma-2b",
                           "gemma-2-9b",
                           "google/gemma-3-27b-it",
                           "microsoft/phi-1_5",
                           "phi-2",
                           "phi-3-mini",
                           "phi-4",
                           "allenai/Olmo-3-7B",
                           "allenai/OLMo-2-1124-7B",
                           "deepseek-v3",
                           "deepseek-r1",
                           "DeepSeek-V2-Lite",
                           "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
                           "gpt-oss-20b",
                           "openai/gpt-oss-120b",
                           "falcon-7b",
                           "falcon-180b",
                           "mpt-7b",
                           "mpt-30b",
                           "EleutherAI/pythia-12b",
                           "gpt-neox-20b",
                           "gpt-j-6b",
                           "facebook/opt-13b",
                           "opt-1.3b",
                           "bloom-176b",
                           "bigscience/bloom",
                           "bert-large",
                           "bert-base-uncased",
                           "roberta-base",
                           "vit-b/16",
                           "ViT-L-16",
                           "tinyllama-1.1b",
                           "bigcode/starcoder2-15b",
                           "yi-34b",
                           "command-r+",
                           "command-r",
                           "dbrx",
                           "grok-1",
                           "gpt-175b",
                           "gpt-530b",
                           "gpt-22b",
                           "gpt-1t",
                           "kimi-k2",
                           "nanochat-d20"})
    EXPECT_NE(catalogue().find_model(name), nullptr) << name;
  EXPECT_NE(catalogue().find_model("opt-1.3b"), catalogue().find_model("opt-13b"));
  EXPECT_NE(catalogue().find_model("command-r"), catalogue().find_model("command-r+"));
  EXPECT_EQ(catalogue().find_model("Olmo-3-70B"), nullptr);
}

TEST(Models, FamiliesAreThere) {
  const auto table = CsvTable::parse(text(), "models.csv");
  ASSERT_TRUE(table.has_value());
  const auto column = table->find("family");
  ASSERT_TRUE(column.has_value());
  std::set<std::string> families;
  for (std::size_t row = 0; row < table->rows(); ++row) families.emplace(table->cell(row, *column));
  for (const char* family : {"GPT-2", "GPT-3", "Megatron", "Llama", "Qwen", "Mistral", "Gemma", "Phi", "OLMo",
                             "DeepSeek", "gpt-oss", "Falcon", "MPT", "Pythia", "OPT", "BLOOM", "BERT", "ViT"})
    EXPECT_TRUE(families.contains(family)) << family;
}

}  // namespace
}  // namespace gpuplan
