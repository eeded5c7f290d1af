// Checks the facts of data/models.csv against each other and against counts that others published.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "base/text.h"
#include "input/tables/models.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

const std::string& text() {
  static const std::string content = [] {
    std::ifstream in(std::string(GPUPLAN_DATA_DIR) + "/models.csv", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  return content;
}

const Catalogue& all_facts() {
  static const Catalogue read = [] {
    Catalogue result;
    const auto status = read_models(text(), "models.csv", result);
    EXPECT_TRUE(status.has_value()) << status.error().place.line << ": " << status.error().message;
    return result;
  }();
  return read;
}

TEST(Models, ThereAreEnough) { EXPECT_GE(all_facts().models.size(), 200U); }

TEST(Models, ParametersFollowFromTheShape) {
  int exact = 0;
  for (const ModelShape& model : all_facts().models) {
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
  for (const ModelShape& model : all_facts().models) {
    if (model.active_published == 0) continue;
    const ParameterCount count = count_parameters(model);
    const double with = count.active / model.active_published,
                 without = (count.active - count.embedding) / model.active_published;
    EXPECT_LT(std::min(std::abs(with - 1), std::abs(without - 1)), 0.07) << model.name;
  }
}

TEST(Models, WidthsAgree) {
  for (const ModelShape& m : all_facts().models) {
    EXPECT_GE(m.max_context, 50) << m.name;
    EXPECT_TRUE(m.positions == 0 || m.positions >= m.max_context) << m.name;
    EXPECT_TRUE(!m.mla() || m.head_dim == m.qk_nope_dim + m.qk_rope_dim) << m.name;
    EXPECT_LT(m.extra, 0.04 * m.published) << m.name;
    if (m.kind == ModelKind::kVit) {
      EXPECT_EQ(m.positions, (m.image / m.patch) * (m.image / m.patch) + 1) << m.name;
    }
  }
}

/// A model that is said to be "as" another has its shape: only contexts, windows, positions and formats differ.
TEST(Models, VariantsHaveTheShapeOfTheirModel) {
  const auto table = CsvTable::parse(text(), "models.csv");
  ASSERT_TRUE(table.has_value());
  const auto name = table->find("name"), notes = table->find("notes");
  ASSERT_TRUE(name && notes);
  const std::set<std::string_view> free = {"name",         "aliases", "max_context", "window", "window_layers",
                                           "native_dtype", "source",  "as_of",       "notes",  "positions"};
  int variants = 0;
  for (std::size_t row = 0; row < table->rows(); ++row) {
    std::string_view note = table->cell(row, *notes);
    if (!note.starts_with("as ")) continue;
    note = note.substr(3, note.find_first_of(",; ", 3) - 3);
    SCOPED_TRACE(std::string(table->cell(row, *name)) + " as " + std::string(note));
    std::size_t base = 0;
    while (base < table->rows() && table->cell(base, *name) != note) ++base;
    if (note.starts_with("v0.") || note == "on" || note == "in") continue;
    ASSERT_LT(base, table->rows());
    for (std::size_t column = 0; column < table->columns(); ++column)
      if (!free.contains(table->name(column))) {
        EXPECT_EQ(table->cell(row, column), table->cell(base, column)) << table->name(column);
      }
    ++variants;
  }
  EXPECT_GE(variants, 25);
}

/// The context that a model's own configuration states, which differs among models of one shape.
TEST(Models, ContextsAreThoseOfTheModelNamed) {
  struct Known {
    const char* name;
    int context;
  };
  for (const auto& [name, context] : {Known{"Qwen/Qwen2.5-7B", 131072},
                                      Known{"Qwen/Qwen2.5-7B-Instruct", 32768},
                                      Known{"Qwen2.5-Coder-7B", 32768},
                                      Known{"Qwen2.5-Coder-32B-Instruct", 32768},
                                      Known{"Qwen2.5-Math-7B", 4096},
                                      Known{"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", 131072},
                                      Known{"QwQ-32B-Preview", 32768},
                                      Known{"Qwen3-4B", 40960},
                                      Known{"Qwen3-4B-Thinking-2507", 262144},
                                      Known{"Qwen3-Coder-30B-A3B", 262144},
                                      Known{"Qwen3-235B-A22B-Instruct-2507", 262144},
                                      Known{"Qwen3-VL-8B-Instruct", 262144},
                                      Known{"moonshotai/Kimi-K2-Instruct", 131072},
                                      Known{"Kimi-K2-Thinking", 262144},
                                      Known{"Kimi-K2.5", 262144},
                                      Known{"phi-4", 16384},
                                      Known{"Phi-4-reasoning-plus", 32768},
                                      Known{"Phi-3-mini-4k-instruct", 4096},
                                      Known{"Phi-3-mini-128k-instruct", 131072},
                                      Known{"stable-code-3b", 16384},
                                      Known{"stablelm-3b-4e1t", 4096},
                                      Known{"Falcon3-1B-Instruct", 4096},
                                      Known{"Falcon3-3B-Base", 32768},
                                      Known{"MiniMax-M2.5", 196608},
                                      Known{"MiniMax-M2.7", 204800},
                                      Known{"GLM-4.5", 131072},
                                      Known{"GLM-4.6", 202752},
                                      Known{"Mistral-Small-24B-Instruct-2501", 32768},
                                      Known{"Devstral-Small-2505", 131072},
                                      Known{"SmolLM-1.7B", 2048},
                                      Known{"SmolLM2-1.7B", 8192},
                                      Known{"bge-m3", 8192}}) {
    const ModelShape* shape = all_facts().find_model(name);
    ASSERT_NE(shape, nullptr) << name;
    EXPECT_EQ(shape->max_context, context) << name;
  }
  EXPECT_EQ(all_facts().find_model("Kimi-K2.5")->native, Format::kInt4);
  EXPECT_EQ(all_facts().find_model("Kimi-K2")->native, Format::kFp8);
  EXPECT_EQ(all_facts().find_model("Phi-3-mini-4k-instruct")->window, 2047);
  EXPECT_EQ(all_facts().find_model("Phi-3-mini")->window, 0);
}

/// "7B" in a name is what the shape has, or what it has beside its tables of tokens.
TEST(Models, SizesInNamesAreThoseOfTheShapes) {
  int named = 0;
  for (const ModelShape& model : all_facts().models) {
    double size = 0;
    for (std::size_t at = 0; at < model.name.size(); ++at) {
      std::size_t end = at;
      while (end < model.name.size() && (std::isdigit(model.name[end]) || model.name[end] == '.')) ++end;
      const bool starts = at == 0 || model.name[at - 1] == '-' || model.name[at - 1] == ' ';
      const bool stands = end + 1 == model.name.size() || (end + 1 < model.name.size() && model.name[end + 1] == '-');
      if (end > at && starts && stands && (model.name[end] == 'B' || model.name[end] == 'M'))
        size = std::stod(model.name.substr(at, end - at)) * (model.name[end] == 'B' ? 1e9 : 1e6);
      at = std::max(at, end);
    }
    if (size == 0) continue;
    const ParameterCount count = count_parameters(model);
    const double all = count.total() / size, once = (count.total() - count.head) / size,
                 inner = (count.total() - count.embedding - count.head) / size;
    EXPECT_TRUE((all > 0.85 && all < 1.15) || (once > 0.85 && once < 1.15) || (inner > 0.7 && inner < 1.3))
        << model.name << " " << all << " " << inner;
    ++named;
  }
  EXPECT_GE(named, 150);
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
    EXPECT_NE(all_facts().find_model(name), nullptr) << name;
  EXPECT_NE(all_facts().find_model("opt-1.3b"), all_facts().find_model("opt-13b"));
  EXPECT_NE(all_facts().find_model("command-r"), all_facts().find_model("command-r+"));
  EXPECT_EQ(all_facts().find_model("Olmo-3-70B"), nullptr);
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
