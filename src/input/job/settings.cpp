#include "input/job/settings.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/declaration/other_words.h"
#include "input/job/address.h"
#include "input/job/amounts.h"
#include "input/job/codecs.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {

namespace {

using Kind = ValueType::Kind;

void mark_setting(Tree& tree) {
  tree.from_setting = true;
  tree.flag = {};  // what the setting changes was said by a flag perhaps: the setting has the last word
  for (Tree& child : tree.children) mark_setting(child);
}

/// Walks types and values together, so that an address can only lead to where a key is declared.
class Setter {
 public:
  explicit Setter(Tree& job) : tree_(&job), type_(&Codec<Job>::type) {}

  Result<void> set(const std::vector<AddressStep>& steps, Tree value) {
    const bool removes = value.is_null();
    from_setting_ = value.from_setting;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool last = i + 1 == steps.size();
      auto moved = steps[i].index ? at_index(*steps[i].index, removes) : at_name(steps[i].name, removes, last);
      if (!moved) return std::unexpected(std::move(moved.error()));
      if (tree_ == nullptr) return {};  // taken away, or was never there
      (where_ += steps[i].index   ? "["
                 : where_.empty() ? ""
                                  : ".") +=
          steps[i].index ? number_text(static_cast<double>(*steps[i].index)) + "]" : printable(steps[i].name, 60);
    }
    if (removes) return wrong_use(where_ + ": a list item cannot be removed; set the whole list");
    if (auto good = make_absolute(value); !good) return good;
    value.key = std::move(tree_->key);
    value.key_line = tree_->key_line;
    value.key_column = tree_->key_column;
    *tree_ = std::move(value);
    return {};
  }

 private:
  /// "x2" becomes twice what stands here.
  Result<void> make_absolute(Tree& value) const {
    const auto factor = value.is_scalar() && !value.quoted ? relative_factor(value.text) : std::nullopt;
    if (!factor || !takes_amount(*type_)) return {};
    const std::string shown = printable(value.text, 20);
    if (tree_->is_null())
      return wrong_use(shown + " needs a value in the job, and " + where_ + " has none; expected " +
                       expected_text(*type_));
    if (*factor <= 0) return wrong_use(where_ + ": " + shown + " leaves nothing; use a factor above 0, such as x0.5");
    const bool from_setting = value.from_setting;
    const int line = value.line, column = value.column;
    value = *tree_;
    if (auto done = multiply(value, *type_, *factor); !done)
      return wrong_use(where_ + ": " + shown + " needs an amount: " + done.error().message);
    if (from_setting) mark_setting(value);
    value.line = line;
    value.column = column;
    return {};
  }

  /// The way to write this type that can hold the key; nullptr when there is none.
  const ValueType* holder(const ValueType& type, std::string_view name) {
    switch (type.kind) {
      case Kind::kRecord:
        return type.find(name) != nullptr ? &type : nullptr;
      case Kind::kNamed:
      case Kind::kAny:
        return &type;
      case Kind::kByGpu:
        return name == "by_gpu" ? &type : nullptr;
      case Kind::kList:
        return holder_in_list(type, name);
      case Kind::kOneOf:
        for (std::size_t i = 0; i < type.option_count; ++i)
          if (const ValueType* found = holder(*type.options[i], name)) return found;
        return nullptr;
      default:
        return nullptr;
    }
  }
  /// Lists of things that have names can be addressed by them.
  const ValueType* holder_in_list(const ValueType& type, std::string_view) {
    return holder(*type.of, "name") != nullptr ? &type : nullptr;
  }

  Result<void> at_name(std::string_view name, bool removes, bool last) {
    const ValueType* record = holder(*type_, name);
    if (record == nullptr) return no_such_key(name);
    if (record->kind == Kind::kList) return at_item(*record, name);
    if (record->kind == Kind::kRecord) {
      const Key& key = *record->find(name);
      if (removes && last && key.required())
        return wrong_use((where_.empty() ? "" : where_ + ".") + std::string(name) +
                         " is required and cannot be removed");
      type_ = key.type;
    } else if (record->kind == Kind::kByGpu) {
      cases_.push_back({.kind = Kind::kNamed, .of = record->of});
      type_ = &cases_.back();
    } else if (record->kind == Kind::kNamed) {
      type_ = record->of;
    }
    Tree* child = tree_->find(name);
    if (child == nullptr || (removes && last)) {
      if (removes) {
        std::erase_if(tree_->children, [&](const Tree& entry) { return tree_->is_map() && entry.key == name; });
        tree_ = nullptr;
        return {};
      }
      make_map(*record);
      Tree fresh;
      fresh.key = name;
      fresh.from_setting = from_setting_;
      tree_->children.push_back(std::move(fresh));
      child = &tree_->children.back();
    }
    tree_ = child;
    return {};
  }

  /// What stands in the place of a map becomes one; a text that stands for its main key is kept under that key.
  void make_map(const ValueType& record) {
    if (tree_->is_map()) return;
    Tree inside = *tree_;
    tree_->kind = Tree::Kind::kMap;
    tree_->text.clear();
    tree_->children.clear();
    if (!inside.is_scalar() || record.scalar_key.empty() || is_auto(inside)) return;
    inside.key = record.scalar_key;
    tree_->children.push_back(std::move(inside));
  }

  Result<void> at_item(const ValueType& list, std::string_view name) {
    std::vector<std::string_view> names;
    type_ = list.of;
    for (Tree* item : items()) {
      const Tree* item_name = item->find("name");
      if (item_name == nullptr) continue;
      if (item_name->text == name) {
        tree_ = item;
        return {};
      }
      names.push_back(item_name->text);
    }
    return wrong_use("nothing in " + where_ + " is named '" + printable(name, 60) + "'" + did_you_mean(name, names));
  }

  std::vector<Tree*> items() {
    if (!tree_->is_list()) return tree_->is_null() ? std::vector<Tree*>() : std::vector<Tree*>{tree_};
    std::vector<Tree*> all;
    for (Tree& child : tree_->children) all.push_back(&child);
    return all;
  }

  const ValueType* list_in(const ValueType& type) {
    if (type.kind == Kind::kList) return &type;
    for (std::size_t i = 0; i < type.option_count; ++i)
      if (const ValueType* found = list_in(*type.options[i])) return found;
    return nullptr;
  }

  Result<void> at_index(std::size_t index, bool removes) {
    if (type_->kind == Kind::kAny) return wrong_use(where_ + ": set the whole value");
    const ValueType* list = list_in(*type_);
    if (list == nullptr) return wrong_use(where_ + " is not a list");
    type_ = list->of;
    if (!tree_->is_list()) {
      Tree only = *tree_;
      tree_->kind = Tree::Kind::kList;
      tree_->text.clear();
      tree_->children.clear();
      only.key.clear();
      if (!only.is_null()) tree_->children.push_back(std::move(only));
    }
    const std::size_t size = tree_->children.size();
    if (index > size || (index == size && removes))
      return wrong_use(where_ + " has " + count_text(static_cast<double>(size)) + " items; the next one is [" +
                       number_text(static_cast<double>(size)) + "]");
    if (index == size) tree_->children.emplace_back().from_setting = from_setting_;
    tree_ = &tree_->children[index];
    return {};
  }

  Result<void> no_such_key(std::string_view name) {
    std::vector<std::string_view> names;
    std::vector<std::string> listed;
    collect_keys(*type_, names);
    for (const std::string_view each : names) listed.emplace_back(each);
    std::string message = "unknown key '" + printable(name, 60) + "'";
    if (!where_.empty()) message += " in " + where_;
    const std::string guess = did_you_mean(name, names);
    const std::string_view advice = advice_on("key", name);
    if (!advice.empty()) {
      message += "; " + std::string(advice);
    } else if (!guess.empty()) {
      message += guess;
    } else if (listed.empty()) {
      message = where_ + " has no keys inside; expected " + expected_text(*type_);
    } else {
      message += "; known keys are " + join(listed, ", ");
    }
    return wrong_use(std::move(message));
  }

  static void collect_keys(const ValueType& type, std::vector<std::string_view>& names) {
    for (const Key& key : type) names.push_back(key.name);
    for (std::size_t i = 0; i < type.option_count; ++i) collect_keys(*type.options[i], names);
    if (type.kind == Kind::kByGpu) names.push_back("by_gpu");
  }

  Tree* tree_;
  const ValueType* type_;
  bool from_setting_ = false;
  std::string where_;            ///< the part of the address walked so far
  std::deque<ValueType> cases_;  ///< types of by_gpu maps on the way
};

/// A method without adapters takes their settings along: `--vary method=lora,full` compares methods of one job.
Result<void> drop_adapters(Tree& job, std::string_view address, const Tree& value) {
  constexpr std::string_view kKey = ".method";
  if (!address.ends_with(kKey) || !value.is_scalar()) return {};
  const auto method = from_name<Method>(to_lower(value.text));
  if (!method || *method == Method::kLora || *method == Method::kQlora) return {};
  const std::string adapters = std::string(address.substr(0, address.size() - kKey.size())) + ".lora";
  const auto steps = address_steps(adapters);  // refer to the text
  if (!steps) return std::unexpected(steps.error());
  Tree none;
  none.from_setting = value.from_setting;
  return Setter(job).set(*steps, std::move(none));
}

}  // namespace

Result<std::vector<Change>> set_tree(Tree& job, std::string_view address, const Tree& value) {
  if (const auto steps = address_steps(address.substr(0, address.find("[*]"))); steps)
    if (steps->front().name == "variants") return wrong_use("variants cannot be set with --set; edit the job file");
  auto addresses = full_addresses(job, address);
  if (!addresses) return std::unexpected(addresses.error());
  // Of many items "x2" is about those that state the value.
  if (addresses->size() > 1 && value.is_scalar() && relative_factor(value.text)) {
    const std::string first = addresses->front();
    std::erase_if(*addresses, [&](const std::string& each) { return value_at(job, each) == nullptr; });
    if (addresses->empty()) addresses->push_back(first);
  }
  std::vector<Change> changes;
  for (const std::string& each : *addresses) {
    const auto steps = address_steps(each);
    if (!steps) return std::unexpected(steps.error());
    const Tree* stated = value_at(job, each);
    Change change{each, stated != nullptr ? flow_text(*stated) : "", ""};
    if (auto set = Setter(job).set(*steps, value); !set) return std::unexpected(std::move(set.error()));
    if (const Tree* now = value_at(job, each); now != nullptr && !value.is_null()) change.after = flow_text(*now);
    changes.push_back(std::move(change));
    if (auto dropped = drop_adapters(job, each, value); !dropped) return std::unexpected(std::move(dropped.error()));
  }
  return changes;
}

Result<std::vector<Change>> set_value(Tree& job, std::string_view assignment) {
  const std::string shown = "--set " + printable(assignment, 80) + ": ";
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) return wrong_use(shown + "expected ADDRESS=VALUE such as limits.deadline=12h");
  const std::string_view text = trim(assignment.substr(equals + 1));
  auto value = parse_tree(text, "--set");
  if (!value) {
    // ">20%" and the like are no YAML by themselves and need no quotes here; broken lists and maps do not pass.
    const bool structured = !text.empty() && std::string_view("[{\"'").find(text.front()) != std::string_view::npos;
    if (structured || printable(text, text.size()) != text) return wrong_use(shown + value.error().message);
    value = scalar_tree(text);
  }
  mark_setting(*value);
  auto set = set_tree(job, assignment.substr(0, equals), *value);
  if (!set) return wrong_use(shown + set.error().message);
  return set;
}

}  // namespace gpuplan
