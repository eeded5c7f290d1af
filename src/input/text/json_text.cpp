#include "input/text/json_text.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/text/plain_text.h"

namespace gpuplan {
namespace {

using Json = nlohmann::json;

/// Passes what the library reads on, and counts.
class Guard : public nlohmann::json_sax<Json> {
 public:
  Guard(const JsonLimits& limits, JsonEvents& events) : limits_(limits), events_(events) {}

  bool null() override { return value() && events_.word("null"); }
  bool boolean(bool on) override { return value() && events_.word(on ? "true" : "false"); }
  bool number_integer(std::int64_t number) override { return value() && events_.word(std::to_string(number)); }
  bool number_unsigned(std::uint64_t number) override { return value() && events_.word(std::to_string(number)); }
  bool number_float(double, const std::string& text) override { return value() && events_.word(std::string(text)); }
  bool string(std::string& text) override { return value() && events_.string(std::move(text)); }
  bool binary(Json::binary_t&) override { return false; }
  bool key(std::string& name) override { return events_.key(std::move(name)); }
  bool start_object(std::size_t) override { return enter() && events_.begin_map(); }
  bool start_array(std::size_t) override { return enter() && events_.begin_list(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    bad_at_ = position;
    broken_ = true;
    return false;
  }

  bool broken() const { return broken_; }
  std::size_t bad_at() const { return bad_at_; }
  bool too_deep() const { return too_deep_; }
  bool too_many() const { return values_ > limits_.values; }

 private:
  bool value() { return ++values_ <= limits_.values; }
  bool enter() {
    too_deep_ = depth_ >= limits_.depth;
    ++depth_;
    return !too_deep_ && value();
  }
  bool leave() {
    --depth_;
    return events_.end();
  }

  const JsonLimits& limits_;
  JsonEvents& events_;
  std::size_t values_ = 0, bad_at_ = 0;
  int depth_ = 0;
  bool too_deep_ = false, broken_ = false;
};

class TreeBuilder : public JsonEvents {
 public:
  bool begin_map() override { return open(Tree::Kind::kMap); }
  bool begin_list() override { return open(Tree::Kind::kList); }
  bool end() override {
    Tree done = std::move(open_.back());
    open_.pop_back();
    return put(std::move(done));
  }
  bool key(std::string&& name) override {
    key_ = std::move(name);
    return true;
  }
  bool string(std::string&& text) override { return scalar(std::move(text), true); }
  bool word(std::string&& text) override { return scalar(std::move(text), false); }

  Tree root;

 private:
  bool open(Tree::Kind kind) {
    Tree tree;
    tree.kind = kind;
    tree.key = std::exchange(key_, {});
    open_.push_back(std::move(tree));
    return true;
  }
  bool scalar(std::string&& text, bool quoted) {
    Tree tree;
    tree.kind = !quoted && text == "null" ? Tree::Kind::kNull : Tree::Kind::kScalar;
    tree.quoted = quoted;
    tree.key = std::exchange(key_, {});
    tree.text = std::move(text);
    return put(std::move(tree));
  }
  bool put(Tree&& tree) {
    if (open_.empty()) {
      root = std::move(tree);
      return true;
    }
    Tree& parent = open_.back();
    // Maps of a configuration are small; the large ones are read by events.
    if (parent.is_map() && parent.children.size() < 1000)
      if (Tree* same = parent.find(tree.key)) {
        *same = std::move(tree);
        return true;
      }
    parent.children.push_back(std::move(tree));
    return true;
  }

  std::vector<Tree> open_;
  std::string key_;
};

}  // namespace

Result<bool> read_json(std::string_view text, const std::string& file, const JsonLimits& limits, JsonEvents& events) {
  if (text.size() > limits.bytes)
    return failure("too large (limit " + count_text(static_cast<double>(limits.bytes)) + " bytes)", {file});
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (trim(text).empty()) return failure("is empty; expected JSON", {file});
  Guard guard(limits, events);
  Json::sax_parse(text, &guard);
  if (guard.broken()) return failure("not valid JSON", place_of_byte(text, guard.bad_at(), file));
  if (guard.too_deep()) return failure("nested deeper than " + std::to_string(limits.depth) + " levels", {file});
  if (guard.too_many())
    return failure("more than " + count_text(static_cast<double>(limits.values)) + " values", {file});
  return true;
}

Result<Tree> parse_json(std::string_view text, const std::string& file, const JsonLimits& limits) {
  TreeBuilder builder;
  const Result<bool> read = read_json(text, file, limits, builder);
  if (!read) return std::unexpected(read.error());
  return std::move(builder.root);
}

}  // namespace gpuplan
