// Reads YAML (and JSON, which is YAML) into a tree, within bounds that hostile text can not get around.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "input/text/tree.h"

namespace gpuplan {

/// A job of every example together is under 30 KB; these leave room for generated files and none for bombs.
inline constexpr std::size_t kMaxTextBytes = 1'000'000;
inline constexpr int kMaxNodes = 100'000;  ///< after aliases and merges are expanded
inline constexpr std::size_t kMaxExpandedBytes = 4'000'000;
inline constexpr int kMaxDepth = 64;

/// One document. Refused, each with one line: text over the bounds, bytes that are not UTF-8 text, control characters
/// (also as escapes in quotes), duplicate keys, keys that are not plain names, unknown tags, several documents, and
/// what YAML itself refuses. `file` is the name used in places. An empty text gives a null tree.
Result<Tree> parse_tree(std::string_view text, const std::string& file);

}  // namespace gpuplan
