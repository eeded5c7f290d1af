// A small writer of YAML 1.2 that reads the same in YAML 1.1: maps, lists and scalars; whatever a string holds, it
// stays one string.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuplan {

class Yaml {
 public:
  /// A string: plain where nobody can read it as something else, else in double quotes with escapes.
  static Yaml text(std::string_view value);
  static Yaml number(double value);
  static Yaml whole(long long value);
  static Yaml yes_no(bool value);
  static Yaml null();
  /// Several lines as a literal block where every character is plain ASCII, else as one string in quotes.
  static Yaml lines(const std::vector<std::string>& lines);
  static Yaml map();
  static Yaml list();
  static Yaml list(const std::vector<std::string>& texts);

  /// Of a map, in the order they are set; `comment` goes above the key.
  Yaml& set(std::string_view key, Yaml value, std::string_view comment = "");
  Yaml& set(std::string_view key, std::string_view value, std::string_view comment = "") {
    return set(key, text(value), comment);
  }
  Yaml& set(std::string_view key, const char* value, std::string_view comment = "") {
    return set(key, text(value), comment);
  }
  /// Of a list.
  Yaml& add(Yaml value);

  bool empty() const { return values_.empty(); }
  /// The whole, from the left margin. REQUIRES: a map or a list that is not empty.
  std::string print() const { return printed(0); }

 private:
  enum class Kind { kScalar, kBlock, kMap, kList };

  explicit Yaml(Kind kind, std::string text = {}) : kind_(kind), text_(std::move(text)) {}
  std::string printed(int indent) const;
  /// With its line end, to follow a key or the '-' of a list.
  std::string after(int indent, bool in_list) const;

  Kind kind_;
  std::string text_;                          ///< as written, of a scalar; lines of a block
  std::vector<std::string> keys_, comments_;  ///< of the values of a map; of a list they are empty
  std::vector<Yaml> values_;
};

}  // namespace gpuplan
