// The published JSON Schema and the reader agree: every example is valid, and what the reader refuses for its form the
// schema refuses too.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "input/job/schema.h"
#include "input/job_fixture.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

using Json = nlohmann::json;

/// A value as editors and validators see it: plain scalars have the types of YAML's core schema.
Json json_of(const Tree& tree) {
  Json json;
  if (tree.is_list()) {
    json = Json::array();
    for (const Tree& child : tree.children) json.push_back(json_of(child));
  } else if (tree.is_map()) {
    json = Json::object();
    for (const Tree& child : tree.children) json[child.key] = json_of(child);
  } else if (tree.is_scalar()) {
    double number = 0;
    const char* end = tree.text.data() + tree.text.size();
    const auto read = std::from_chars(tree.text.data(), end, number);
    if (tree.quoted) json = tree.text;
    else if (tree.text == "true" || tree.text == "false") json = tree.text == "true";
    else if (read.ec == std::errc() && read.ptr == end) json = number;
    else json = tree.text;
  }
  return json;
}

/// The part of JSON Schema (draft 2020-12) that the schema uses; a keyword not known here fails the test.
class Validator {
 public:
  explicit Validator(const Json& schema) : root_(schema) {}

  /// "" when valid, else the address of the first problem.
  std::string problem(const Json& value) { return problem(value, root_, "job"); }

 private:
  static bool has_type(const Json& value, const Json& type) {
    if (type.is_array()) return std::ranges::any_of(type, [&](const Json& one) { return has_type(value, one); });
    const std::string name = type.get<std::string>();
    if (name == "object") return value.is_object();
    if (name == "array") return value.is_array();
    if (name == "string") return value.is_string();
    if (name == "boolean") return value.is_boolean();
    if (name == "number") return value.is_number();
    if (name == "integer") return value.is_number() && value.get<double>() == static_cast<double>(value.get<long>());
    ADD_FAILURE() << "type " << name;
    return false;
  }

  std::string problem(const Json& value, const Json& schema, const std::string& at) {
    for (const auto& [keyword, rule] : schema.items()) {
      if (keyword == "$ref") {
        const std::string text = problem(value, root_["$defs"].at(rule.get<std::string>().substr(8)), at);
        if (!text.empty()) return text;
      } else if (keyword == "type") {
        if (!has_type(value, rule)) return at;
      } else if (keyword == "enum") {
        if (std::ranges::find(rule, value) == rule.end()) return at;
      } else if (keyword == "anyOf") {
        if (std::ranges::none_of(rule, [&](const Json& one) { return problem(value, one, at).empty(); })) return at;
      } else if (keyword == "required") {
        for (const Json& key : rule)
          if (value.is_object() && !value.contains(key)) return at + " lacks " + key.get<std::string>();
      } else if (keyword == "properties") {
        for (const auto& [key, inner] : rule.items())
          if (value.is_object() && value.contains(key))
            if (std::string text = problem(value[key], inner, at + "." + key); !text.empty()) return text;
      } else if (keyword == "additionalProperties") {
        if (std::string text = others(value, schema, rule, at); !text.empty()) return text;
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
          if (std::string text = problem(value[i], rule, at + "[" + std::to_string(i) + "]"); !text.empty())
            return text;
      } else if (keyword == "maxLength") {
        // In characters; bytes are no fewer.
        if (value.is_string() && value.get_ref<const std::string&>().size() > rule.get<std::size_t>()) return at;
      } else if (keyword == "minItems") {
        if (value.is_array() && value.size() < rule) return at;
      } else if (keyword == "maxItems") {
        if (value.is_array() && value.size() > rule) return at;
      } else if (keyword != "description" && keyword != "title" && keyword != "$schema" && keyword != "$defs") {
        ADD_FAILURE() << "keyword " << keyword;
      }
    }
    return "";
  }

  std::string others(const Json& value, const Json& schema, const Json& rule, const std::string& at) {
    if (!value.is_object()) return "";
    for (const auto& [key, inner] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(key)) continue;
      if (rule.is_boolean() && !rule.get<bool>()) return at + "." + key;
      if (rule.is_object())
        if (std::string text = problem(inner, rule, at + "." + key); !text.empty()) return text;
    }
    return "";
  }

  const Json& root_;
};

std::string schema_problem(const std::string& text) {
  const Json schema = Json::parse(job_schema_json());
  return Validator(schema).problem(json_of(parse_tree(text, "job.yaml").value()));
}

TEST(JobSchemaExamples, EveryExampleIsValid) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GPUPLAN_SOURCE_DIR) + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++examples;
    EXPECT_EQ(schema_problem(file_text(entry.path().string())), "") << entry.path();
  }
  EXPECT_GE(examples, 13);
}

TEST(JobSchemaExamples, EveryFormOfAValueIsValid) {
  const std::string phase = "phases: [{name: a, train: {model: gpt2, data: {samples: 10M}, sequence: 8, ";
  for (const std::string keys :
       {"batch: 8", "batch: auto", "batch: {tokens: 1M}", "batch: {sequences: 8}",
        "batch: {by_gpu: {L4: 8, else: auto}}", "micro: {by_gpu: {8x H100 SXM: 2}}", "optimizer: muon",
        "optimizer: {matrices: muon, rest: adamw}", "parallel: fsdp", "parallel: {tp: 2, pp: auto}", "compile: true",
        "compile: auto", "precision: bf16", "method: frozen, trainable: [[3, 4]]", "method: frozen, trainable: 2.3M",
        "framework: nanogpt"}) {
    EXPECT_EQ(error_of(phase + keys + "}}]"), "") << keys;
    EXPECT_EQ(schema_problem(phase + keys + "}}]"), "") << keys;
  }
}

TEST(JobSchemaExamples, WhatTheReaderRefusesForItsFormTheSchemaRefuses) {
  const std::string good = "phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n";
  ASSERT_EQ(schema_problem(good), "");
  const std::pair<std::string, std::string> cases[] = {
      {"job: x", "job lacks phases"},
      {"phases: []", "job.phases"},
      {"phases: [{fixed: {gpus: 1, time: 1 h}}]", "job.phases"},
      {"phases: [{name: a, fixed: {gpus: 1}}]", "job.phases"},
      {good + "limit: {deadline: 3 h}", "job.limit"},
      {good + "limits: {deadlin: 3 h}", "job.limits.deadlin"},
      {good + "limits: {deadline: [3 h]}", "job.limits.deadline"},
      {good + "limits: 3", "job.limits"},
      {good + "goal: fastes", "job.goal"},
      {good + "market: {offers: [{price: 3}]}", "job.market.offers"},
      {good + "variants: {a: 3}", "job.variants.a"},
  };
  for (const auto& [text, problem] : cases) {
    EXPECT_NE(error_of(text), "") << text;
    EXPECT_EQ(schema_problem(text), problem) << text;
  }
}

}  // namespace
}  // namespace gpuplan
