// Tables of names: words of other programs, names on the hub, optimizers, regions.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "input/declaration/other_words.h"
#include "input/models/hub_names.h"
#include "input/prices/region_areas.h"
#include "input/question/sketch.h"
#include "input/text/csv.h"
#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using training_fixture::catalogue;
using training_fixture::text_of;

std::set<std::string> our_flags() {
  std::set<std::string> flags{"--generate", "--forward-only", "--no-color", "--as-of", "--rate", "--prices"};
  for (const SketchFlag& flag : sketch_flags()) flags.emplace(flag.name);
  for (const WishFlag& flag : wish_flags()) flags.emplace(flag.name);
  return flags;
}

TEST(DataWords, AdviceNamesFlagsThatThereAre) {
  const std::string file = text_of("other_words.csv");  // the table points into it
  const CsvTable table = CsvTable::parse(file, "other_words.csv").value();
  CsvReader cells(table);
  const auto kind = cells.column("kind"), word = cells.column("word"), advice = cells.column("advice"),
             source = cells.column("source"), as_of = cells.column("as_of");
  const std::set<std::string> flags = our_flags();
  std::set<std::string> seen;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    cells.required(row, source);
    cells.date(row, as_of);
    const std::string name(cells.required(row, word)), text(cells.required(row, advice));
    EXPECT_TRUE(seen.insert(std::string(cells.required(row, kind)) + " " + name).second) << name << " twice";
    EXPECT_FALSE(flags.contains(name)) << name << " is a flag of ours";
    EXPECT_EQ(advice_on(cells.text(row, kind), name), text);
    for (std::size_t at = text.find(" --"); at != std::string::npos; at = text.find(" --", at + 1)) {
      const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + 1);
      EXPECT_TRUE(flags.contains(text.substr(at + 1, end == std::string::npos ? end : end - at - 1))) << text;
    }
  }
  EXPECT_TRUE(cells.ok());
  EXPECT_EQ(advice_on("flag", "--sequence"), "");
}

/// What a flag takes for another spelling, a file and --set answer with the key's own name.
TEST(DataWords, SpellingsOfFlagsAreAnsweredInFiles) {
  for (const FlagAlias& alias : flag_aliases()) {
    const std::string_view word = alias.name.substr(2);
    if (!alias.value.empty() || word == "num-gpus" || word == "ttft" || word == "tpot" || word == "load") continue;
    EXPECT_NE(advice_on("key", word), "") << word;
  }
}

TEST(DataWords, DefaultsOfClassesAreWholeNumbers) {
  const std::string file = text_of("model_defaults.csv");  // the table points into it
  const CsvTable table = CsvTable::parse(file, "model_defaults.csv").value();
  CsvReader cells(table);
  const auto type = cells.column("model_type"), key = cells.column("key"), value = cells.column("value"),
             source = cells.column("source"), as_of = cells.column("as_of");
  std::set<std::string> seen;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string name = std::string(cells.required(row, type)) + " " + std::string(cells.required(row, key));
    EXPECT_TRUE(seen.insert(name).second) << name << " twice";
    EXPECT_GT(cells.whole(row, value, 1, 10'000'000), 0) << name;
    cells.required(row, source);
    cells.date(row, as_of);
  }
  EXPECT_TRUE(cells.ok());
}

TEST(DataWords, AliasesStandForFlagsThatThereAre) {
  const std::set<std::string> flags = our_flags();
  for (const FlagAlias& alias : flag_aliases()) {
    EXPECT_TRUE(flags.contains(std::string(alias.flag))) << alias.name;
    EXPECT_FALSE(flags.contains(std::string(alias.name))) << alias.name;
  }
}

TEST(DataWords, HubNamesAreOfModelsThatAreKnown) {
  const std::string file = text_of("hub_names.csv");  // the table points into it
  const CsvTable table = CsvTable::parse(file, "hub_names.csv").value();
  CsvReader cells(table);
  const auto name = cells.column("name"), hub = cells.column("hub");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string model(cells.required(row, name)), on_hub(cells.required(row, hub));
    EXPECT_NE(catalogue().find_model(model), nullptr) << model;
    EXPECT_EQ(std::count(on_hub.begin(), on_hub.end(), '/'), 1) << on_hub;
    EXPECT_EQ(hub_name(model), on_hub);
  }
  EXPECT_EQ(hub_name("Qwen3-8B"), "Qwen/Qwen3-8B");
  EXPECT_EQ(hub_name("qwen3 8b"), "Qwen/Qwen3-8B");
  EXPECT_EQ(hub_name("some/folder"), "some/folder");
  EXPECT_EQ(hub_name("nothing-of-the-kind"), "");
}

TEST(DataWords, EveryOptimizerHasItsRow) {
  for (const auto& entry : Names<Optimizer>::entries) {
    const OptimizerFacts* facts = catalogue().find_optimizer(entry.value);
    ASSERT_NE(facts, nullptr) << entry.name;
    EXPECT_GT(facts->state_bytes, 0) << entry.name;
    EXPECT_FALSE(facts->eight_bit && facts->follows) << entry.name;
  }
}

TEST(DataWords, PagedStatesTakeWhatTheSameTakeUnpaged) {
  const auto bytes = [](Optimizer optimizer) { return catalogue().find_optimizer(optimizer)->state_bytes; };
  EXPECT_EQ(bytes(Optimizer::kPagedAdamW8bit), bytes(Optimizer::kAdam8bit));
  EXPECT_EQ(bytes(Optimizer::kPagedAdamW32bit), bytes(Optimizer::kAdamW));
  EXPECT_LT(bytes(Optimizer::kAdafactor), bytes(Optimizer::kAdam8bit));
}

TEST(DataWords, AreasHaveRegionsOfOffersThatAreKnown) {
  for (const std::string& area : region_areas()) EXPECT_FALSE(regions_of(area).empty()) << area;
  EXPECT_TRUE(regions_of("us-east-1").empty());
  const auto& eu = regions_of("EU");
  EXPECT_NE(std::find(eu.begin(), eu.end(), "DE"), eu.end());
  for (const char* outside : {"CH", "GB", "RU", "NO"})
    EXPECT_EQ(std::find(eu.begin(), eu.end(), outside), eu.end()) << outside;
}

}  // namespace
}  // namespace gpuplan
