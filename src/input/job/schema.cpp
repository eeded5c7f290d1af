#include "input/job/schema.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/declaration/sample_text.h"
#include "input/job/codecs.h"

namespace gpuplan {

namespace {

using OrderedJson = nlohmann::ordered_json;
using Kind = ValueType::Kind;

/// One record is described once, wherever it occurs.
class SchemaWriter {
 public:
  OrderedJson write() {
    OrderedJson schema;
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
    schema["title"] = "gpuplan job file";
    schema.update(record(Codec<Job>::type));
    schema["$defs"] = definitions_;
    return schema;
  }

 private:
  static OrderedJson any_of(std::vector<OrderedJson> options) {
    if (options.size() == 1) return std::move(options.front());
    OrderedJson json;
    json["anyOf"] = std::move(options);
    return json;
  }

  OrderedJson of(const ValueType& type) {
    OrderedJson json;
    switch (type.kind) {
      case Kind::kText:  // YAML reads an unquoted 0.001 as a number
        json["type"] = {"string", "number", "boolean"};
        if (type.longest > 0) json["maxLength"] = type.longest;
        break;
      case Kind::kGpu:  // 4090 is one
        json["type"] = {"string", "number"};
        break;
      case Kind::kSteps:
      case Kind::kDate:
        json["type"] = "string";
        break;
      case Kind::kWord:
        for (std::size_t i = 0; i < type.word_count; ++i) json["enum"].push_back(type.words[i]);
        break;
      case Kind::kFlag:
        json["type"] = "boolean";
        break;
      case Kind::kAmount:
        if (type.amount == AmountKind::kTime)
          json = any_of({{{"type", "string"}}, {{"enum", {0}}}});  // "12" is no time
        else json["type"] = {"number", "string"};
        json["description"] = expected_text(type);
        if (!bare_unit(type.amount).empty())
          json["description"] = expected_text(type) + "; a bare number is " + std::string(bare_unit(type.amount));
        break;
      case Kind::kRecord:
        return reference(type);
      case Kind::kNamed:
        json["type"] = "object";
        json["additionalProperties"] = of(*type.of);
        break;
      case Kind::kList: {
        OrderedJson list;
        list["type"] = "array";
        list["items"] = of(*type.of);
        list["minItems"] = 1;
        list["maxItems"] = type.max_items;
        return any_of({list, of(*type.of)});
      }
      case Kind::kByGpu: {
        OrderedJson by_gpu;
        by_gpu["type"] = "object";
        by_gpu["properties"]["by_gpu"] = {{"type", "object"},
                                          {"additionalProperties", any_of({of(kAutoType), of(*type.of)})}};
        by_gpu["required"] = {"by_gpu"};
        by_gpu["additionalProperties"] = false;
        return any_of({of(kAutoType), of(*type.of), by_gpu});
      }
      case Kind::kOneOf: {
        std::vector<OrderedJson> options;
        for (std::size_t i = 0; i < type.option_count; ++i) options.push_back(of(*type.options[i]));
        return any_of(std::move(options));
      }
      case Kind::kMatrices:
        json["type"] = "array";
        json["items"] = {
            {"type", "array"}, {"items", {{"type", {"integer", "string"}}}}, {"minItems", 2}, {"maxItems", 2}};
        break;
      case Kind::kAny:
        json = OrderedJson::object();
        break;
    }
    return json;
  }

  OrderedJson reference(const ValueType& type) {
    const std::string name = squeeze(type.title);
    if (!definitions_.contains(name)) {
      definitions_[name] = nullptr;  // claims the name, so that order is that of first use
      definitions_[name] = record(type);
    }
    return {{"$ref", "#/$defs/" + name}};
  }

  OrderedJson record(const ValueType& type) {
    OrderedJson json;
    json["type"] = "object";
    OrderedJson properties = OrderedJson::object();
    OrderedJson required = OrderedJson::array();
    for (const Key& key : type) {
      OrderedJson property = of(*key.type);
      std::string text(key.help);
      const std::string bounds = bounds_text(*key.type, key.bounds);
      if (!bounds.empty()) text += "; " + bounds;
      if (!key.fallback.empty() && !key.required()) text += "; default: " + std::string(key.fallback);
      property["description"] =
          property.contains("description") ? text + " (" + property["description"].get<std::string>() + ")" : text;
      properties[std::string(key.name)] = std::move(property);
      if (key.required()) required.push_back(key.name);
    }
    json["properties"] = std::move(properties);
    if (!required.empty()) json["required"] = std::move(required);
    json["additionalProperties"] = false;
    return json;
  }

  OrderedJson definitions_ = OrderedJson::object();
};

/// What a table cell says of a value: records by their section.
std::string value_text(const ValueType& type) {
  switch (type.kind) {
    case Kind::kText:
      return type.title.empty() ? "text" : std::string(type.title);
    case Kind::kWord: {
      std::vector<std::string> words;
      const std::size_t shown = type.shown_words > 0 ? type.shown_words : type.word_count;
      for (std::size_t i = 0; i < shown; ++i) words.push_back("`" + std::string(type.words[i]) + "`");
      return join(words, ", ");
    }
    case Kind::kFlag:
      return "`true`, `false`";
    case Kind::kAmount: {
      std::string text(expectation(type.amount));
      text.resize(std::min(text.size(), text.find(" such as")));
      if (type.whole && type.amount == AmountKind::kCount) text = "a whole number";
      if (!bare_unit(type.amount).empty()) text += ", bare " + std::string(bare_unit(type.amount));
      if (type.figure) return text + ", or a range; a single number stands for ±20%";
      return type.range ? text + ", or a range" : text;
    }
    case Kind::kGpu:
      return "a GPU";
    case Kind::kSteps:
      return "`200 steps`";
    case Kind::kDate:
      return "`2026-01` or `2026-01-31`";
    case Kind::kRecord:
      return "[" + std::string(type.title) + "](#" + section_anchor(type.title) + ")";
    case Kind::kNamed:
      return "a map: names to " + (type.of->kind == Kind::kAny ? "values" : value_text(*type.of));
    case Kind::kList:
      return "a list: " + value_text(*type.of);
    case Kind::kByGpu:
      return "`auto`, " + value_text(*type.of) + ", or `by_gpu`";
    case Kind::kOneOf: {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < type.option_count; ++i) parts.push_back(value_text(*type.options[i]));
      return join(parts, ", or ");
    }
    case Kind::kMatrices:
      return "a list of matrices such as `[[768, 256], [256, 4096]]`";
    case Kind::kAny:
      return "a value";
  }
  return "";
}

/// Records in the order in which they are met, each once.
void collect_records(const ValueType& type, std::vector<const ValueType*>& found) {
  if (type.kind == Kind::kRecord) {
    for (const ValueType* other : found)
      if (other->title == type.title) return;
    found.push_back(&type);
  }
  for (const Key& key : type) collect_records(*key.type, found);
  if (type.of != nullptr) collect_records(*type.of, found);
  for (std::size_t i = 0; i < type.option_count; ++i) collect_records(*type.options[i], found);
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

const Key* find_key(const ValueType& type, std::string_view name, std::vector<std::string_view>& names) {
  for (const Key& key : type) {
    if (key.name == name) return &key;
    names.push_back(key.name);
  }
  if (type.of != nullptr)
    if (const Key* key = find_key(*type.of, name, names)) return key;
  for (std::size_t i = 0; i < type.option_count; ++i)
    if (const Key* key = find_key(*type.options[i], name, names)) return key;
  return nullptr;
}

/// Addresses of all keys of this name below a type, the shallow ones first come; each record once.
void addresses_of(std::string_view name, const ValueType& type, const std::string& prefix,
                  std::vector<const ValueType*>& seen, std::vector<std::string>& found) {
  if (type.kind == Kind::kRecord) {
    if (std::ranges::find(seen, type.title, &ValueType::title) != seen.end()) return;
    seen.push_back(&type);
  }
  for (const Key& key : type)
    if (key.name == name) found.push_back(prefix + std::string(name));
  for (const Key& key : type) addresses_of(name, *key.type, prefix + std::string(key.name) + ".", seen, found);
  if (type.of != nullptr) addresses_of(name, *type.of, prefix, seen, found);
  for (std::size_t i = 0; i < type.option_count; ++i) addresses_of(name, *type.options[i], prefix, seen, found);
}

}  // namespace

std::string job_schema_json() { return SchemaWriter().write().dump(1) + "\n"; }

std::string job_keys_markdown() {
  std::string out(kJobFileIntroduction);
  std::vector<const ValueType*> records;
  collect_records(Codec<Job>::type, records);
  for (const ValueType* record : records) {
    out +=
        "\n### " + std::string(record->title) + "\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const Key& key : *record) {
      std::string value = value_text(*key.type);
      const std::string bounds = bounds_text(*key.type, key.bounds);
      if (!bounds.empty()) value += " (" + bounds + ")";
      const std::string fallback = key.required() ? "**required**" : std::string(key.fallback);
      out += "| `" + std::string(key.name) + "` | " + cell(value) + " | " + cell(fallback) + " | " +
             cell(std::string(key.help)) + " |\n";
    }
  }
  return out;
}

Result<std::string> describe_key(std::string_view address) {
  const ValueType* type = &Codec<Job>::type;
  std::vector<std::string_view> top;
  if (!address.contains('.') && find_key(*type, address, top) == nullptr) {
    // A name alone, as --set takes it.
    std::vector<const ValueType*> seen;
    std::vector<std::string> found;
    addresses_of(address, *type, "", seen, found);
    if (found.size() == 1) return describe_key(found.front());
    if (!found.empty())
      return std::unexpected(
          Error{"'" + printable(address, 60) + "' matches several keys: " + join(found, ", "), {}, true});
  }
  const Key* key = nullptr;
  for (const std::string_view name : split(address, '.')) {
    std::vector<std::string_view> names;
    key = find_key(*type, name, names);
    if (key == nullptr)
      return wrong_use("unknown key '" + printable(name, 60) + "' in '" + printable(address, 80) + "'" +
                       did_you_mean(name, names));
    type = key->type;
  }
  std::string out;
  if (key != nullptr) {
    out += std::string(address) + ": " + std::string(key->help) + "\n  value: " + expected_text(*type);
    const std::string bounds = bounds_text(*type, key->bounds);
    if (!bounds.empty()) out += ", " + bounds;
    if (!key->fallback.empty()) out += "\n  default: " + std::string(key->fallback);
    out += '\n';
  }
  std::vector<const ValueType*> records;
  collect_records(*type, records);
  if (records.empty()) return out;
  for (const Key& inside : *records.front())
    out += "  " + std::string(inside.name) + ": " + std::string(inside.help) + "\n";
  return out;
}

}  // namespace gpuplan
