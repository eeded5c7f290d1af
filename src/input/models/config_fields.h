// Looks keys of a model's configuration up under their several names, and keeps the first thing that is wrong.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/text/tree.h"

namespace gpuplan {

struct FieldError {
  std::optional<Error> first;
};

/// A map of a configuration. Null counts as absent, as transformers takes it. The tree, text and error outlive it.
class Fields {
 public:
  using Keys = std::initializer_list<std::string_view>;

  Fields(const Tree& map, std::string_view text, const std::string& file, FieldError& error)
      : map_(&map), text_(text), file_(&file), error_(&error) {}

  bool valid() const { return map_ != nullptr; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool has_any(Keys keys) const;

  /// Whole number from 0 to `most` under the first key present, else `fallback`.
  int integer(Keys keys, int fallback, int most) const;
  /// The same from 1, and its absence is an error.
  int required(Keys keys, int most) const;
  bool flag(std::string_view key, bool fallback) const;
  std::string_view word(Keys keys) const;  ///< "" when absent

  Fields inside(std::string_view key) const;                 ///< a map under this key; not valid() when there is none
  Fields first_inside() const;                               ///< the first map in this one
  std::vector<Fields> items(std::string_view key) const;     ///< the maps of a list
  double real(std::string_view key, double fallback) const;  ///< a number from 0 to a thousand
  int length_of(std::string_view key) const;                 ///< of a list or map; 0 when absent
  int count_of(std::string_view key, std::string_view word) const;   ///< entries of a list that are this word
  std::string_view first_word(std::string_view key) const;           ///< the first entry of a list; "" when absent
  bool contains(std::string_view key, std::string_view part) const;  ///< an entry has this in it

  void fail(std::string_view key, std::string_view message) const;

 private:
  Fields(const Tree* map, const Fields& parent)
      : map_(map), text_(parent.text_), file_(parent.file_), error_(parent.error_) {}
  const Tree* find(std::string_view key) const;
  int checked(std::string_view key, const Tree& value, int least, int most) const;

  const Tree* map_;
  std::string_view text_;
  const std::string* file_;
  FieldError* error_;
};

}  // namespace gpuplan
