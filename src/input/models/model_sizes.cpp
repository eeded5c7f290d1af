#include "input/models/model_sizes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"

namespace gpuplan {
namespace {

struct SizedName {
  std::string_view family;  ///< what stands before the size: "Qwen3"
  std::string_view size;    ///< "7B", "30B-A3B"
};

/// "1.5B" or "270M" at the beginning of the text: its length; 0 when there is none.
std::size_t size_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
  if (end == 0 || end == text.size() || std::string_view("bBmM").find(text[end]) == std::string_view::npos) return 0;
  ++end;
  return end == text.size() || !(is_letter(text[end]) || is_digit(text[end])) ? end : 0;
}

/// Splits at the first size that follows a '-', '_' or blank, without the organisation in front.
std::optional<SizedName> split_at_size(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    if (name[i] != '-' && name[i] != '_' && name[i] != ' ') continue;
    std::size_t length = size_length(name.substr(i + 1));
    if (length == 0) continue;
    const std::string_view size = name.substr(i + 1);
    // Active parameters of a mixture of experts belong to the size.
    if (size.size() > length + 2 && size[length] == '-' && (size[length + 1] == 'A' || size[length + 1] == 'a'))
      if (const std::size_t active = size_length(size.substr(length + 2)); active > 0) length += 2 + active;
    return SizedName{name.substr(0, i), size.substr(0, length)};
  }
  return std::nullopt;
}

/// "Qwen" of "Qwen2.5-Coder".
std::string brand(std::string_view family) {
  std::size_t end = 0;
  while (end < family.size() && is_letter(family[end])) ++end;
  return to_lower(family.substr(0, end));
}

}  // namespace

std::string other_sizes(const Catalogue& catalogue, std::string_view name) {
  const auto wanted = split_at_size(trim(name));
  if (!wanted || wanted->family.empty()) return "";
  std::vector<std::string> sizes, as_large;
  const std::string family_wanted = squeeze(wanted->family);
  for (const ModelShape& model : catalogue.models) {
    const auto known = split_at_size(model.name);
    if (!known) continue;
    if (squeeze(known->family) == family_wanted) {
      if (std::ranges::find(sizes, known->size) == sizes.end()) sizes.emplace_back(known->size);
    } else if (iequals(known->size, wanted->size) && !brand(known->family).empty() &&
               brand(known->family) == brand(wanted->family) && as_large.size() < 3) {
      as_large.push_back(model.name);
    }
  }
  // Of a size that exists another word of the name is wrong.
  if (sizes.empty() || std::ranges::any_of(sizes, [&](const std::string& s) { return iequals(s, wanted->size); }))
    return "";
  const std::string family = printable(wanted->family, 60), size = printable(wanted->size, 20);
  std::string text = "there is no " + family + " with " + size + "; " + family + " comes in " + listed(sizes);
  // Newest last in the table of models.
  std::ranges::reverse(as_large);
  if (!as_large.empty())
    text += "; with " + size + " there " + (as_large.size() == 1 ? "is " : "are ") + listed(as_large);
  return text;
}

}  // namespace gpuplan
