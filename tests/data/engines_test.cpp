// Engines, the constants of generation and what is fitted of them: three tables and two lists that must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "domain/facts/number_fields.h"
#include "evidence/validation/fitted_value.h"
#include "input/text/csv.h"
#include "model/generation/generation.h"
#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using training_fixture::catalogue;

std::string shown_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

const EngineProfile* find(std::string_view name) {
  for (const EngineProfile& engine : catalogue().engines)
    if (engine.name == name) return &engine;
  return nullptr;
}

TEST(DataEngines, EveryFrameworkThatGeneratesHasARowOrIsTakenAsItsKind) {
  ASSERT_NE(find("*"), nullptr);
  ASSERT_NE(find("*eager"), nullptr);
  std::size_t own = 0;
  for (const Framework& framework : catalogue().frameworks) {
    if (!framework.generates) continue;
    const EngineProfile& profile = engine_profile(catalogue(), framework);
    if (profile.name == framework.name) ++own;
    else EXPECT_EQ(profile.name, framework.cuda_graphs ? "*" : "*eager") << framework.name;
  }
  EXPECT_GE(own, 15U);
  EXPECT_EQ(own + 2, catalogue().engines.size()) << "a row that no framework reaches";
}

TEST(DataEngines, AgreeWithThemselves) {
  for (const EngineProfile& engine : catalogue().engines) {
    EXPECT_NE(engine.formats, 0U) << engine.name;
    EXPECT_TRUE(engine.reads(Format::kFp16)) << engine.name;
    // What copies its cache starts every kernel from the host, and so does what loops over experts.
    if (engine.copies_cache || engine.loops_experts) {
      EXPECT_GT(engine.host_layer_us, 0) << engine.name;
    }
    EXPECT_FALSE(engine.copies_cache && engine.continuous) << engine.name;
    // 8- and 4-bit formats of the tensor cores are for engines that expand them elsewhere, or for those who have them.
    if (engine.emulates) {
      EXPECT_TRUE(engine.reads(Format::kFp8)) << engine.name;
    }
    // GGUF files are read by one family of engines.
    EXPECT_EQ(engine.reads(Format::kQ4K), engine.reads(Format::kQ8_0)) << engine.name;
    if (engine.reads(Format::kQ4K)) {
      EXPECT_FALSE(engine.reads(Format::kInt4)) << engine.name;
    }
  }
  EXPECT_TRUE(find("llama.cpp")->reads(Format::kQ4K));
  EXPECT_GT(std::min(find("vllm")->publishers, find("hf")->publishers), 0);
  EXPECT_EQ(find("*")->publishers, 0);
}

TEST(DataGenerationConstants, EachHasOneRowInsideOfItsBounds) {
  const std::string text = shown_text(std::string(GPUPLAN_DATA_DIR) + "/generation_constants.csv");
  const auto table = CsvTable::parse(text, "generation_constants.csv").value();
  std::map<std::string, std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    EXPECT_TRUE(rows.emplace(std::string(table.cell(row, *table.find("name"))), row).second);
  EXPECT_EQ(rows.size(), kGenerationConstants.size());
  for (const GenerationConstant& constant : kGenerationConstants) {
    const auto found = rows.find(std::string(constant.name));
    ASSERT_NE(found, rows.end()) << constant.name;
    const auto number = [&](const char* column) {
      return std::stod(std::string(table.cell(found->second, *table.find(column))));
    };
    EXPECT_LE(number("least"), number("value")) << constant.name;
    EXPECT_GE(number("most"), number("value")) << constant.name;
    EXPECT_LT(number("least"), number("most")) << constant.name;
    EXPECT_EQ(catalogue().generation_constants.*constant.field, number("value")) << constant.name;
    EXPECT_TRUE(std::isnan(GenerationConstants{}.*constant.field)) << constant.name << ": a number in the code";
  }
}

TEST(DataGenerationConstants, NamesAndFieldsArePairs) {
  // Two names of one field would make a fit move one and read the other.
  GenerationConstants numbered;
  double next = 1;
  for (const GenerationConstant& constant : kGenerationConstants) numbered.*constant.field = next++;
  std::set<std::string_view> names;
  next = 1;
  for (const GenerationConstant& constant : kGenerationConstants) {
    EXPECT_EQ(numbered.*constant.field, next++) << constant.name;
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
  }
  EXPECT_EQ(sizeof(GenerationConstants), kGenerationConstants.size() * sizeof(double)) << "a field without a name";
}

TEST(DataPracticeConstants, EachHasOneRowInsideOfItsBounds) {
  const std::string text = shown_text(std::string(GPUPLAN_DATA_DIR) + "/practice_constants.csv");
  const auto table = CsvTable::parse(text, "practice_constants.csv").value();
  std::set<std::string_view> names;
  PracticeConstants numbered;
  double next = 1;
  for (const PracticeConstant& constant : kPracticeConstants) numbered.*constant.field = next++;
  next = 1;
  for (const PracticeConstant& constant : kPracticeConstants) {
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
    EXPECT_EQ(numbered.*constant.field, next++) << constant.name << ": two names of one field";
    EXPECT_TRUE(std::isnan(PracticeConstants{}.*constant.field)) << constant.name << ": a number in the code";
  }
  EXPECT_EQ(sizeof(PracticeConstants), kPracticeConstants.size() * sizeof(double)) << "a field without a name";
  ASSERT_EQ(table.rows(), kPracticeConstants.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string_view name = table.cell(row, *table.find("name"));
    const auto* constant = std::ranges::find(kPracticeConstants, name, &PracticeConstant::name);
    ASSERT_NE(constant, kPracticeConstants.end()) << name;
    const double value = catalogue().practice_constants.*constant->field;
    EXPECT_EQ(value, std::stod(std::string(table.cell(row, *table.find("value"))))) << name;
    if (table.cell(row, *table.find("unit")) == "factor") {
      EXPECT_GE(value, 1) << name << ": a harder way is not preferred";
      EXPECT_LE(value, catalogue().practice_constants.most) << name;
    }
  }
}

TEST(DataFit, ParametersHaveAddressesAndAllowWhatIsWritten) {
  Catalogue copy = catalogue();
  std::set<const double*> fitted;
  for (const char* const name : {"generation_parameters.csv"}) {
    const std::string text = shown_text(std::string(GPUPLAN_SOURCE_DIR) + "/tools/fit/" + name);
    const auto table = CsvTable::parse(text, name).value();
    EXPECT_GT(table.rows(), 10U) << name;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto cell = [&](const char* column) { return std::string(table.cell(row, *table.find(column))); };
      const std::string where = cell("table") + "/" + cell("row") + "/" + cell("column");
      const double* value = fitted_value(copy, {cell("table"), cell("row"), cell("column")});
      ASSERT_NE(value, nullptr) << name << ": " << where;
      EXPECT_TRUE(fitted.insert(value).second) << name << ": " << where << " is listed twice";
      const double least = std::stod(cell("least")), most = std::stod(cell("most")), prior = std::stod(cell("prior"));
      EXPECT_LT(least, most) << where;
      EXPECT_LE(least, prior) << where;
      EXPECT_GE(most, prior) << where;
      EXPECT_GT(std::stod(cell("deviation")), 0) << where;
      EXPECT_LE(least, *value) << name << ": " << where;
      EXPECT_GE(most, *value) << name << ": " << where;
    }
  }
}

TEST(DataFit, BoundsOfEnginesAreThoseThatTheTableAllows) {
  const std::string text = shown_text(std::string(GPUPLAN_SOURCE_DIR) + "/tools/fit/generation_parameters.csv");
  const auto table = CsvTable::parse(text, "generation_parameters.csv").value();
  std::size_t engines = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = [&](const char* column) { return std::string(table.cell(row, *table.find(column))); };
    if (cell("table") != "engines") continue;
    ++engines;
    const EngineProfile* engine = find(cell("row"));
    ASSERT_NE(engine, nullptr) << cell("row");
    EXPECT_GT(engine->publishers, 0) << cell("row") << " is fitted, but to what?";
    for (const auto& field : kEngineFields)
      if (field.name == cell("column")) {
        EXPECT_GE(std::stod(cell("least")), field.low) << cell("row") << " " << field.name;
        EXPECT_LE(std::stod(cell("most")), field.high) << cell("row") << " " << field.name;
      }
  }
  EXPECT_GT(engines, 30U);
}

}  // namespace
}  // namespace gpuplan
