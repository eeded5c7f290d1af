#include "output/text/row_shorthand.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kTo = "..";

bool is_count(std::string_view text) {
  return !text.empty() && text.size() < 6 && text != "0" && std::ranges::all_of(text, is_digit);
}
bool is_memory(std::string_view text) {
  return !text.empty() && is_digit(text.front()) && !is_digit(text.back()) &&
         parse_amount(text, AmountKind::kBytes).has_value();
}

/// "A..B", "A..", "..B" or "A", each part of which is `good`; "A+" is "A..", as SkyPilot writes it.
std::optional<WrittenRange> read_range(std::string_view text, bool (*good)(std::string_view)) {
  if (text.ends_with('+') && good(trim(text.substr(0, text.size() - 1))))
    return WrittenRange{std::string(trim(text.substr(0, text.size() - 1))), ""};
  const std::size_t to = text.find(kTo);
  if (to == std::string_view::npos)
    return good(text) ? std::optional(WrittenRange{std::string(text), std::string(text)}) : std::nullopt;
  const std::string_view least = trim(text.substr(0, to)), most = trim(text.substr(to + kTo.size()));
  if ((least.empty() && most.empty()) || (!least.empty() && !good(least)) || (!most.empty() && !good(most)))
    return std::nullopt;
  return WrittenRange{std::string(least), std::string(most)};
}

Error no_range(std::string_view term, std::string_view expected) {
  return {"filter '" + printable(term, 60) + "': expected " + std::string(expected), {}, true};
}

/// A range of memories that holds none.
std::optional<Error> upside_down(std::string_view term, const WrittenRange& memory) {
  const auto least = parse_amount(memory.least, AmountKind::kBytes),
             most = parse_amount(memory.most, AmountKind::kBytes);
  if (memory.least.empty() || memory.most.empty() || !least || !most || *least <= *most) return std::nullopt;
  return no_range(term, "the smaller memory first: " + memory.most + ".." + memory.least);
}

}  // namespace

Result<std::optional<RowShorthand>> read_shorthand(std::string_view term) {
  RowShorthand found;
  if (const std::size_t colon = term.rfind(':'); colon != std::string_view::npos) {
    const std::string_view count = trim(term.substr(colon + 1));
    found.gpus = read_range(count, is_count);
    // Names of regions and instances have colons too: only what looks like a number is meant as one.
    if (!found.gpus && (count.empty() || is_digit(count.front()) || count.front() == '{' || count.starts_with(kTo)))
      return std::unexpected(no_range(term, "a number of GPUs behind the colon, such as H100:8 or H100:1..8"));
    if (!found.gpus) return std::nullopt;
    if (const auto& [least, most] = *found.gpus; !least.empty() && !most.empty() && std::stoi(least) > std::stoi(most))
      return std::unexpected(no_range(term, "the smaller number first: " + most + ".." + least));
    found.word = trim(term.substr(0, colon));
    if (auto memory = read_range(found.word, is_memory)) {
      if (const auto wrong = upside_down(term, *memory)) return std::unexpected(*wrong);
      found.memory = std::move(memory);
      found.word.clear();
    }
    return found;
  }
  if (term.find(kTo) != std::string_view::npos) {
    found.memory = read_range(term, is_memory);
    if (!found.memory) return std::unexpected(no_range(term, "memory of a GPU such as 24GB..80GB, 40GB.. or ..24GB"));
    if (const auto wrong = upside_down(term, *found.memory)) return std::unexpected(*wrong);
    return found;
  }
  if (term.ends_with('+'))
    if (auto memory = read_range(term, is_memory)) {
      found.memory = std::move(memory);
      return found;
    }
  // "8x H100", "8xH100"
  std::size_t digits = 0;
  while (digits < term.size() && is_digit(term[digits])) ++digits;
  if (digits > 0 && digits + 1 < term.size() && (term[digits] == 'x' || term[digits] == 'X') &&
      trim(term.substr(digits + 1)).size() > 1 && !is_digit(trim(term.substr(digits + 1)).front()) &&
      is_count(term.substr(0, digits))) {
    const std::string count(term.substr(0, digits));
    found.gpus = WrittenRange{count, count};
    found.word = trim(term.substr(digits + 1));
    return found;
  }
  return std::nullopt;
}

}  // namespace gpuplan
