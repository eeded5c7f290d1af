#include "input/job/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

/// GPUPLAN_UPDATE_DOCS=1 writes the file anew.
void expect_current(const std::string& name, const std::string& wanted) {
  const std::string path = std::string(GPUPLAN_SOURCE_DIR) + "/docs/" + name;
  if (std::getenv("GPUPLAN_UPDATE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_TRUE(file_text(path) == wanted) << name << " is not current; run the tests with GPUPLAN_UPDATE_DOCS=1";
}

TEST(JobSchema, DocumentsAreCurrent) {
  expect_current("job-file.md", job_keys_markdown());
  expect_current("job-file.schema.json", job_schema_json());
}

TEST(JobSchema, DescribesEveryKeyTheReaderKnows) {
  const auto schema = nlohmann::json::parse(job_schema_json());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["required"], nlohmann::json::array({"phases"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  for (const char* key : {"epochs", "steps_at_batch", "batch", "optimizer", "compile"})
    EXPECT_TRUE(schema["$defs"]["train"]["properties"].contains(key)) << key;
  const auto& methods = schema["$defs"]["train"]["properties"]["method"]["enum"];
  EXPECT_EQ(methods, nlohmann::json::array({"full", "lora", "qlora", "frozen"}));
}

/// Every "$ref" leads somewhere.
void check_references(const nlohmann::json& node, const nlohmann::json& definitions) {
  if (node.is_object() && node.contains("$ref")) {
    const std::string target = node["$ref"].get<std::string>();
    ASSERT_EQ(target.substr(0, 8), "#/$defs/");
    EXPECT_TRUE(definitions.contains(target.substr(8))) << target;
  }
  if (!node.is_structured()) return;  // iterating over a scalar gives the scalar again
  for (const auto& child : node) check_references(child, definitions);
}

TEST(JobSchema, ReferencesAreWhole) {
  const auto schema = nlohmann::json::parse(job_schema_json());
  check_references(schema, schema["$defs"]);
}

TEST(JobSchema, DescribesOneKey) {
  EXPECT_EQ(describe_key("limits.deadline").value(),
            "limits.deadline: finish within this time, queue wait included\n"
            "  value: a time such as 12 h or 45 min, more than 0 s\n"
            "  default: none\n");
  EXPECT_NE(describe_key("phases.train.epochs").value().find("default: 1 without steps"), std::string::npos);
  EXPECT_NE(describe_key("").value().find("phases: the work, in phases"), std::string::npos);
  const auto unknown = describe_key("limits.deadlin");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().usage);
  EXPECT_EQ(unknown.error().message, "unknown key 'deadlin' in 'limits.deadlin'. Did you mean 'deadline'?");
}

TEST(DescribeKey, TakesANameAlone) {
  EXPECT_EQ(describe_key("deadline").value(), describe_key("limits.deadline").value());
  EXPECT_EQ(describe_key("rank").value(), describe_key("phases.train.lora.rank").value());
  EXPECT_EQ(describe_key("samples").error().message,
            "'samples' matches several keys: phases.train.data.samples, phases.generate.data.samples");
  EXPECT_TRUE(describe_key("samples").error().usage);
  EXPECT_EQ(describe_key("nosuch").error().message, "unknown key 'nosuch' in 'nosuch'");
}

}  // namespace
}  // namespace gpuplan
