#include "input/models/model_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gpuplan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = R"({"model_type": "llama", "hidden_size": 256, "intermediate_size": 512,
  "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 1000})";
// 2 x 1000 x 256 + 2 x (4 x 256^2 + 3 x 256 x 512 + 2 x 256) + 256
constexpr double kParameters = 512'000 + 2 * (262'144 + 393'216 + 512) + 256;

class ModelSource : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::temp_directory_path() / ("gpuplan-model-source-" + std::string(test->name()) + std::to_string(std::rand()));
    fs::create_directories(folder_ / "Tiny-Llama");
    ModelShape known;
    known.name = "Known-1B";
    known.layers = 7;
    catalogue_.models.push_back(known);
    catalogue_.model_names.add("Known-1B", 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  Result<FoundModel> find(const std::string& name) const { return find_model(catalogue_, name, folder_.string()); }
  std::string source_error(const std::string& name) const {
    const auto found = find(name);
    EXPECT_FALSE(found.has_value());
    return found ? "" : found.error().message;
  }

  Catalogue catalogue_;
  fs::path folder_;
};

TEST_F(ModelSource, NamesOfTheCatalogueComeFirst) {
  fs::create_directories(folder_ / "known-1b");
  for (const char* name : {"Known-1B", "known 1b", " org/Known_1B "}) {
    const auto found = find(name);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(found->shape.layers, 7);
    EXPECT_EQ(found->source, "catalogue");
  }
}

TEST_F(ModelSource, ConfigAndItsFolder) {
  write("Tiny-Llama/config.json", kConfig);
  for (const char* name :
       {"Tiny-Llama", "./Tiny-Llama", "Tiny-Llama/", "Tiny-Llama/config.json", "./Tiny-Llama/config.json"}) {
    const auto found = find(name);
    ASSERT_TRUE(found.has_value()) << name << ": " << found.error().message;
    EXPECT_EQ(count_parameters(found->shape).total(), kParameters);
    EXPECT_EQ(found->shape.name, "Tiny-Llama") << name;
  }
  const auto absolute = find_model(catalogue_, (folder_ / "Tiny-Llama").string(), "/nowhere");
  EXPECT_TRUE(absolute.has_value());
}

TEST_F(ModelSource, WeightsThatDisagreeAreNoted) {
  write("Tiny-Llama/config.json", kConfig);
  write("Tiny-Llama/model.safetensors.index.json",
        R"({"metadata": {"total_size": 8000000}, "weight_map": {"a": "b"}})");
  const auto found = find("Tiny-Llama");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->shape.published, 4'000'000);
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_NE(found->notes[0].find("4M parameters"), std::string::npos) << found->notes[0];
}

TEST_F(ModelSource, UnknownNamesGetAHint) {
  const std::string give =
      " a path to its config.json, or its size: --params 9B, {params: 9B, layers: 32, hidden: 4096}";
  EXPECT_EQ(source_error("Knwon-1B"), "unknown model 'Knwon-1B'. Did you mean 'Known-1B'? Or give" + give);
  EXPECT_EQ(source_error("org/Knwon-1B"), "unknown model 'org/Knwon-1B'. Did you mean 'Known-1B'? Or give" + give);
  EXPECT_EQ(source_error("zzzzzz"), "unknown model 'zzzzzz'. Give" + give);
  EXPECT_EQ(source_error("\x1b[31mred"), "unknown model '?[31mred'. Give" + give);
  EXPECT_EQ(source_error(""), "expected a model name or a path to a model");
  EXPECT_EQ(source_error(std::string(10'000, 'x')),
            "'" + std::string(60, 'x') + "…' is neither a model name nor a path");
}

TEST_F(ModelSource, PathsThatLeadNowhere) {
  EXPECT_EQ(source_error("./absent/config.json"), "no such file");
  EXPECT_EQ(source_error("absent.gguf"), "no such file");
  EXPECT_EQ(source_error("Tiny-Llama"), "expected config.json in this folder");
  const std::string kinds = "expected config.json, a folder that holds one, or a .safetensors or .gguf file";
  write("notes.txt", "hello");
  EXPECT_EQ(source_error("./notes.txt"), kinds);
  write("nothing", "");
  EXPECT_EQ(source_error("./nothing"), kinds);
  write("empty.gguf", "");
  EXPECT_EQ(source_error("empty.gguf"), "no GGUF file: it does not begin with 'GGUF'");
  write("empty.safetensors", "");
  EXPECT_EQ(source_error("empty.safetensors"), "too short for a safetensors file");
  write("empty.json", "");
  EXPECT_EQ(source_error("empty.json"), "is empty; expected JSON");
  fs::create_directories(folder_ / "dir.json");
  EXPECT_EQ(source_error("dir.json"), "expected config.json in this folder");
  EXPECT_EQ(source_error("/dev/zero"), "is not a file");
  EXPECT_EQ(source_error("/dev/full"), "is not a file");
}

TEST_F(ModelSource, FinderPutsThePlaceIntoTheMessage) {
  write("Tiny-Llama/config.json", "{\"model_type\": \"llama\",\n\"num_hidden_layers\": 0}");
  const ModelFinder finder(catalogue_);
  const auto shape = finder.resolve("./Tiny-Llama", folder_.string());
  ASSERT_FALSE(shape.has_value());
  EXPECT_EQ(shape.error().message, (folder_ / "./Tiny-Llama/config.json").string() +
                                       ":2: num_hidden_layers: expected a whole number from 1 to 10,000, got '0'");
  EXPECT_TRUE(shape.error().place.file.empty());
}

}  // namespace
}  // namespace gpuplan
