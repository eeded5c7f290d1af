#include "input/text/yaml_problem.h"

#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace gpuplan {
namespace {

struct Words {
  std::string_view problem;  ///< the library's message, or its beginning
  std::string_view text;
};

namespace library = YAML::ErrorMsg;
constexpr std::string_view kMisplaced =
    "indentation does not match the list or map above; check the spaces, and quote text with special characters";
constexpr std::string_view kOpening = "text that starts with one of * & ! % @ ` needs quotes";
constexpr std::string_view kEscape =
    "unknown escape in double quotes; write \\\\ for a backslash, or use single quotes";
constexpr std::string_view kDirective = "YAML directives (lines that start with %) are not supported; remove them";

// The library's messages are no constants for the compiler.
const auto& all_words() {
  static const auto words = std::to_array<Words>({
      {library::END_OF_SEQ_FLOW, "missing ] or comma"},
      {library::END_OF_MAP_FLOW, "missing } or comma"},
      {library::FLOW_END, "] or } without its [ or {; check the brackets before it"},
      {library::EOF_IN_SCALAR, "missing closing quote"},
      {library::END_OF_MAP, kMisplaced},
      {library::END_OF_SEQ, kMisplaced},
      {library::MAP_KEY, kMisplaced},
      {library::MAP_VALUE, "unexpected colon; check the indentation, and quote text that contains ': '"},
      {library::BLOCK_ENTRY, "a list cannot start here; put its first '- ' on a line of its own"},
      {library::TAB_IN_INDENTATION, "tab in the indentation; use spaces"},
      {library::UNKNOWN_TOKEN, kOpening},
      {library::UNKNOWN_ANCHOR, "alias (*name) without an anchor (&name) above it; quote it if it is text"},
      {library::ALIAS_NOT_FOUND, kOpening},
      {library::ANCHOR_NOT_FOUND, kOpening},
      {library::CHAR_IN_ALIAS, kOpening},
      {library::CHAR_IN_ANCHOR, kOpening},
      {library::TAG_WITH_NO_SUFFIX, kOpening},
      {library::CHAR_IN_TAG_HANDLE, kOpening},
      {library::END_OF_VERBATIM_TAG, kOpening},
      {library::CHAR_IN_BLOCK, "text after | or >; start it on the next line, indented"},
      {library::INVALID_ESCAPE, kEscape},
      {library::INVALID_HEX, kEscape},
      {library::INVALID_UNICODE, kEscape},
      {library::YAML_DIRECTIVE_ARGS, kDirective},
      {library::YAML_VERSION, kDirective},
      {library::YAML_MAJOR_VERSION, kDirective},
      {library::REPEATED_YAML_DIRECTIVE, kDirective},
      {library::TAG_DIRECTIVE_ARGS, kDirective},
      {library::REPEATED_TAG_DIRECTIVE, kDirective},
  });
  return words;
}

/// Line number `line`, counted from 1.
std::string_view line_at(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

bool tab_in_indentation(std::string_view line) {
  const std::size_t end = line.find_first_not_of(" \t");
  return end != std::string_view::npos && line.substr(0, end).find('\t') != std::string_view::npos;
}

}  // namespace

std::string yaml_problem(std::string_view problem, std::string_view text, int line) {
  if (line > 0 && tab_in_indentation(line_at(text, line))) problem = library::TAB_IN_INDENTATION;
  std::string message = "not valid YAML: ";
  for (const Words& words : all_words())
    if (problem.starts_with(words.problem)) return message += words.text;
  return message += printable(problem);
}

}  // namespace gpuplan
