#include "input/feeds/formats/json/json_fields.h"

#include <charconv>
#include <cmath>

#include "base/text.h"
#include "input/feeds/rows/feed_rows.h"
#include "input/text/csv.h"
#include "input/text/untidy/yes_no.h"

namespace gpuplan {

const Tree* json_at(const Tree& tree, std::string_view path) {
  const Tree* here = &tree;
  while (here != nullptr && !path.empty()) {
    const std::size_t point = path.find('.');
    here = here->find(path.substr(0, point));
    path = point == std::string_view::npos ? std::string_view() : path.substr(point + 1);
  }
  return here;
}

std::string json_text(const Tree& tree, std::string_view path) {
  const Tree* value = json_at(tree, path);
  return value != nullptr && value->is_scalar() ? value->text : std::string();
}

double number_said(std::string_view text) {
  text = trim(text);
  if (text.starts_with('$')) text = trim(text.substr(1));
  if (text.size() > 64) return kNoPrice;
  std::string digits;
  std::size_t at = 0, since_comma = 0;
  bool comma = false, point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ',') {
      // 1,234: commas part thousands. 1,5 and 1.234,5 may mean something else.
      if (point || at == 0 || (comma && since_comma != 3) || since_comma > 3) return kNoPrice;
      comma = true;
      since_comma = 0;
      continue;
    }
    const bool sign = (c == '-' || c == '+') && (at == 0 || text[at - 1] == 'e' || text[at - 1] == 'E');
    const bool exponent = (c == 'e' || c == 'E') && at > 0 && at + 1 < text.size() && text[at + 1] != ' ';
    if (!is_digit(c) && c != '.' && !sign && !exponent) break;
    if (c == '.' && comma && since_comma != 3) return kNoPrice;
    point = point || c == '.';
    since_comma += is_digit(c) && !point ? 1U : 0U;
    if (c != '+') digits += c;
  }
  if (comma && !point && since_comma != 3) return kNoPrice;
  // A unit may follow, nothing else: "80 GB", "80GB", but not "8x H100" or "2026-09".
  const std::string_view rest = trim(text.substr(at));
  for (const char c : rest)
    if (!is_letter(c) && c != '/' && c != '%') return kNoPrice;
  if (rest.starts_with('x')) return kNoPrice;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) return kNoPrice;
  return value;
}

double json_number(const Tree& tree, std::string_view path) {
  const Tree* value = json_at(tree, path);
  return value != nullptr && value->is_scalar() ? number_said(value->text) : kNoPrice;
}

double json_number_or(const Tree& tree, std::string_view path, double otherwise) {
  const double value = json_number(tree, path);
  return std::isnan(value) ? otherwise : value;
}

std::optional<bool> json_flag(const Tree& tree, std::string_view path) {
  const std::string text = json_text(tree, path);
  if (text == "1" || text == "0") return text == "1";
  return read_yes_no(text);
}

std::string date_said(std::string_view text) {
  constexpr std::size_t kDay = 10;
  text = trim(text);
  if (text.size() > kDay) text = text.substr(0, kDay);
  return is_iso_date(text) ? std::string(text) : std::string();
}

}  // namespace gpuplan
