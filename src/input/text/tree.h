// The plain tree that a job file is read into: text in, values out, no knowledge of what the keys mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan {

/// A value of a YAML or JSON text with the place it was written at. Aliases and merges are expanded already.
struct Tree {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  bool quoted = false;        ///< scalar in quotes or marked !!str
  bool from_setting = false;  ///< came from the command line, not from the file
  std::string_view flag{};    ///< and this flag said it ("--tokens", a constant); empty: --set
  int line = 0, column = 0;   ///< counted from 1; 0 unknown
  std::string text;           ///< of a scalar, as written without quotes
  std::string key;            ///< name under which this value lies in its map; "" elsewhere
  int key_line = 0, key_column = 0;
  std::vector<Tree> children;  ///< values of a list or a map in order; keys of a map are unique

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }

  /// The value under this key; nullptr when there is none or when this is no map.
  const Tree* find(std::string_view name) const;
  Tree* find(std::string_view name);
};

Tree scalar_tree(std::string_view text);

/// The tree as YAML on one line ("{gpu: L4, price: $1/h}"), which reads back as the same tree.
std::string flow_text(const Tree& tree);

/// What the tree is, for messages: "'12 hous'", "a list", "a map", "nothing". User text is made printable.
std::string got_text(const Tree& tree);

}  // namespace gpuplan
