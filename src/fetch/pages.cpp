#include "fetch/pages.h"

#include <charconv>
#include <cstdint>

#include "base/text.h"
#include "fetch/http/url.h"
#include "input/text/json_text.h"

namespace gpuplan::fetch {
namespace {

using Next = std::optional<std::string>;

/// The value under "meta.links.next"; null: there is none.
const Tree* member_of(const Tree& page, std::string_view path) {
  const Tree* at = &page;
  for (const std::string_view name : split(path, '.'))
    if (at != nullptr) at = at->find(name);
  return at != nullptr && at->is_scalar() && !at->text.empty() ? at : nullptr;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Some servers write blanks into their own addresses.
Result<Next> linked_page(std::string_view url, std::string_view link) {
  std::string text;
  for (const char c : link) {
    if (c == ' ') text += "%20";
    else text += c;
  }
  const auto here = parse_url(url), next = parse_url(text);
  if (!here || !next) return failure("its list goes on at an address that cannot be used");
  if (!same_origin(*here, *next)) return failure("its list goes on at another server, " + next->shown());
  return Next(next->text());
}

Result<Next> counted_page(const PageRule& rule, std::string_view url, const Tree& page) {
  const Tree* total = member_of(page, rule.member);
  const auto rows = total != nullptr ? whole_number(total->text) : std::nullopt;
  const auto number = whole_number(parameter_of(url, rule.parameter)),
             size = whole_number(parameter_of(url, rule.size));
  if (!number || !size || *number < 1 || *size < 1)
    return failure("its address counts no pages: expected " + rule.parameter + " and " + rule.size);
  if (!rows) return failure("its list does not say how long it is: expected " + rule.member);
  if (*number >= kMostPages || *number * *size >= *rows) return Next();
  return Next(with_parameter(url, rule.parameter, std::to_string(*number + 1)));
}

}  // namespace

Result<Next> next_page(const PageRule& rule, std::string_view url, std::string_view text) {
  if (rule.kind == PageRule::Kind::kNone) return Next();
  const auto page = parse_json(text, "", {.bytes = kMostPageBytes});
  if (!page || !page->is_map()) return failure("sends something else than a page of a list in JSON");
  if (rule.kind == PageRule::Kind::kCount) return counted_page(rule, url, *page);
  const Tree* next = member_of(*page, rule.member);
  if (next == nullptr) return Next();
  if (rule.kind == PageRule::Kind::kLink) return linked_page(url, next->text);
  return Next(with_parameter(url, rule.parameter, next->text));
}

}  // namespace gpuplan::fetch
