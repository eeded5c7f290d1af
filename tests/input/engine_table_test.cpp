// Reading engines.csv and generation_constants.csv: what is taken, and what is refused in one clear line.
#include "input/tables/engines.h"

#include <gtest/gtest.h>

#include "domain/facts/number_fields.h"
#include "input/job_fixture.h"
#include "input/tables/constants.h"

namespace gpuplan {
namespace {

/// Rows of engines as the table has them; every number is 1 and every switch "no" unless a test says otherwise.
std::string engine_row(const std::string& name, const std::string& formats, const std::string& column = "",
                       const std::string& value = "") {
  std::string row = name + "," + formats;
  row += column == "caches" ? "," + value : ",fp16";
  row += column == "unfused" ? "," + value : ",";
  for (const auto& field : kEngineFields) row += "," + (column == field.name ? value : std::string("1"));
  row += column == "attention" ? "," + value : ",newest";
  for (const char* const flag : {"own_kernels", "half_accumulate", "continuous", "prompts_first", "evicts", "pipelines",
                                 "copies_cache", "loops_experts", "emulates", "one_shot", "host_tables", "measured"})
    row += column == flag ? "," + value : ",no";
  return row + ",me," + (column == "as_of" ? value : "2026-11") + "\n";
}

std::string header() {
  std::string row = "name,formats,caches,unfused";
  for (const auto& field : kEngineFields) row += "," + std::string(field.name);
  return row +
         ",attention,own_kernels,half_accumulate,continuous,prompts_first,evicts,pipelines,copies_cache,loops_experts,"
         "emulates,one_shot,host_tables,"
         "measured,source,as_of\n";
}

/// The message when the rows are refused.
std::string refusal(const std::string& rows, std::vector<EngineProfile>* read = nullptr) {
  Catalogue catalogue = known();
  catalogue.engines.clear();
  const auto done = read_engines(header() + rows, "e.csv", catalogue);
  if (read != nullptr) *read = catalogue.engines;
  return line_of(done);
}

TEST(EngineTable, ReadsNamesFormatsNumbersAndSwitches) {
  std::vector<EngineProfile> read;
  ASSERT_EQ(refusal(engine_row("trtllm", "fp16+fp8", "launch", "0.5") + engine_row("*", "q4_k_m", "continuous", "yes") +
                        engine_row("hf", "bf16", "attention", "scores"),
                    &read),
            "");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].name, "tensorrt-llm") << "by its name in the catalogue";
  EXPECT_TRUE(read[0].reads(Format::kFp16));
  EXPECT_TRUE(read[0].reads(Format::kFp8));
  EXPECT_FALSE(read[0].reads(Format::kBf16));
  EXPECT_FALSE(read[0].reads(Format::kQ4K));
  EXPECT_EQ(read[0].launch, 0.5);
  EXPECT_EQ(read[0].time, 1);
  EXPECT_FALSE(read[0].continuous);
  EXPECT_TRUE(read[1].reads(Format::kQ4K));
  EXPECT_TRUE(read[1].continuous);
  EXPECT_EQ(read[2].attention, PromptAttention::kScores);
  EXPECT_EQ(read[2].source, "me");
  EXPECT_EQ(read[2].as_of, "2026-11");
}

TEST(EngineTable, CachesAndCopiesHaveFormatsOfTheirOwn) {
  std::vector<EngineProfile> read;
  ASSERT_EQ(
      refusal(engine_row("vllm", "fp16+nf4", "caches", "fp16+fp8") + engine_row("hf", "fp16+nf4", "unfused", "nf4"),
              &read),
      "");
  EXPECT_TRUE(read[0].keeps_cache(Format::kFp8));
  EXPECT_FALSE(read[0].keeps_cache(Format::kQ4_0));
  EXPECT_FALSE(read[0].copies_weights(Format::kNf4));
  EXPECT_TRUE(read[1].copies_weights(Format::kNf4));
  EXPECT_TRUE(refusal(engine_row("hf", "fp16", "unfused", "nf4")).starts_with("e.csv:2: column unfused: "));
  EXPECT_EQ(refusal(engine_row("hf", "fp16", "caches", "")), "e.csv:2: column caches is empty");
}

TEST(EngineTable, RefusesEnginesThatAreNone) {
  EXPECT_EQ(refusal(engine_row("vlm", "fp16")),
            "e.csv:2: column name: 'vlm' is not a framework of frameworks.csv that generates");
  EXPECT_EQ(refusal(engine_row("axolotl", "fp16")),
            "e.csv:2: column name: 'axolotl' is not a framework of frameworks.csv that generates");
  EXPECT_NE(refusal(engine_row("", "fp16")), "");
}

TEST(EngineTable, RefusesEnginesGivenTwice) {
  EXPECT_EQ(refusal(engine_row("vllm", "fp16") + engine_row("vllm", "bf16")),
            "e.csv:3: column name: 'vllm' is not given once");
  EXPECT_EQ(refusal(engine_row("tensorrt-llm", "fp16") + engine_row("trtllm", "bf16")),
            "e.csv:3: column name: 'trtllm' is not given once")
      << "under another of its names";
}

TEST(EngineTable, RefusesFormatsThatDoNotExist) {
  const std::string message = refusal(engine_row("vllm", "fp16+fp9"));
  EXPECT_TRUE(message.starts_with("e.csv:2: column formats: ")) << message;
  EXPECT_NE(message.find("fp9"), std::string::npos) << message;
  EXPECT_NE(refusal(engine_row("vllm", "")), "");
}

TEST(EngineTable, RefusesNumbersOutOfRange) {
  for (const auto& field : kEngineFields) {
    const std::string column(field.name);
    for (const std::string& wrong : {std::to_string(field.high * 2 + 1), std::string("-1"), std::string("fast")}) {
      const std::string message = refusal(engine_row("vllm", "fp16", column, wrong));
      EXPECT_TRUE(message.starts_with("e.csv:2: column " + column + ": ")) << column << ": " << message;
    }
  }
  EXPECT_TRUE(refusal(engine_row("vllm", "fp16", "attention", "some")).starts_with("e.csv:2: column attention: "));
  EXPECT_TRUE(refusal(engine_row("vllm", "fp16", "one_shot", "perhaps")).starts_with("e.csv:2: column one_shot: "));
  EXPECT_TRUE(refusal(engine_row("vllm", "fp16", "as_of", "lately")).starts_with("e.csv:2: column as_of: "));
}

std::string constants(const std::string& rows, GenerationConstants* read = nullptr) {
  Catalogue catalogue;
  const auto done =
      read_generation_constants("name,value,least,most,unit,meaning,source,as_of\n" + rows, "c.csv", catalogue);
  if (read != nullptr) *read = catalogue.generation_constants;
  return line_of(done);
}

TEST(GenerationConstantsTable, ReadsValuesAndRefusesToDoWithoutOne) {
  std::string all;
  for (const GenerationConstant& constant : kGenerationConstants)
    if (constant.name != "launch_us") all += std::string(constant.name) + ",1,0,9,share,what,me,2026-11\n";
  GenerationConstants read;
  ASSERT_EQ(constants(all + "launch_us,7.5,0.1,56,us,idle,me,2026-11\n", &read), "");
  EXPECT_EQ(read.launch_us, 7.5);
  EXPECT_EQ(read.decode_time, 1);
  EXPECT_EQ(constants(all, &read),
            "c.csv: no row for 'launch_us', a constant of the generation model; take it from the table that gpuplan "
            "brings, or leave the file out of the folder");
}

TEST(GenerationConstantsTable, RefusesWhatIsNoConstantOrOutOfBounds) {
  EXPECT_EQ(constants("lunch_us,7.5,0.1,56,us,idle,me,2026-11\n"),
            "c.csv:2: column name: 'lunch_us' is not a constant of the generation model");
  EXPECT_EQ(constants("step_time,1,0.1,56,us,idle,me,2026-11\n"),
            "c.csv:2: column name: 'step_time' is not a constant of the generation model")
      << "it is one of training";
  EXPECT_EQ(constants("launch_us,7,0.1,56,us,idle,me,2026-11\nlaunch_us,7,0.1,56,us,idle,me,2026-11\n"),
            "c.csv:3: column name: 'launch_us' is not given once");
  EXPECT_TRUE(constants("launch_us,70,0.1,56,us,idle,me,2026-11\n").starts_with("c.csv:2: column value: "));
  EXPECT_TRUE(constants("launch_us,0.01,0.1,56,us,idle,me,2026-11\n").starts_with("c.csv:2: column value: "));
  EXPECT_TRUE(constants("launch_us,7,56,0.1,us,idle,me,2026-11\n").starts_with("c.csv:2: column most: "));
  EXPECT_TRUE(constants("launch_us,nan,0.1,56,us,idle,me,2026-11\n").starts_with("c.csv:2: column value: "));
  EXPECT_NE(constants("launch_us,,0.1,56,us,idle,me,2026-11\n"), "");
  EXPECT_NE(constants("launch_us,7,0.1,56,us,idle,,2026-11\n"), "") << "no source";
  EXPECT_NE(constants("launch_us,7,0.1,56,us,idle,me,soon\n"), "");
}

}  // namespace
}  // namespace gpuplan
