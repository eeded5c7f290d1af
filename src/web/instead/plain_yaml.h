// YAML as most people write it, and all of JSON, where yaml-cpp is not there.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "input/text/tree.h"

namespace gpuplan {

/// Lists and maps by indentation or in brackets, texts on one line, comments. What it reads is what parse_tree() reads,
/// places too, within the same bounds. What it does not know is refused with its place: anchors and aliases, tags,
/// texts over several lines, several documents.
Result<Tree> parse_plain_yaml(std::string_view text, const std::string& file);

}  // namespace gpuplan
