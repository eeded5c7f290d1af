#include "input/models/config_fields.h"

#include <algorithm>

#include "base/digits/decimal.h"
#include "base/text.h"

namespace gpuplan {
namespace {

/// JSON trees carry no places; the first line that has the key serves.
int line_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.find('"' + std::string(key) + '"');
  if (at == std::string_view::npos) return 0;
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, at), '\n'));
}

}  // namespace

const Tree* Fields::find(std::string_view key) const {
  const Tree* value = map_ != nullptr ? map_->find(key) : nullptr;
  return value != nullptr && !value->is_null() ? value : nullptr;
}

bool Fields::has_any(Keys keys) const {
  return std::ranges::any_of(keys, [this](std::string_view key) { return has(key); });
}

int Fields::checked(std::string_view key, const Tree& value, int least, int most) const {
  double number = 0;
  if (value.is_scalar() && !value.quoted) {
    const char* end = value.text.data() + value.text.size();
    const auto [rest, problem] = read_number(value.text.data(), end, number);
    // 4096.0 is how some exporters write 4096.
    if (problem == std::errc() && rest == end && number >= least && number <= most &&
        number == static_cast<int>(number))
      return static_cast<int>(number);
  }
  fail(key, "expected a whole number from " + std::to_string(least) + " to " + count_text(most) + ", got " +
                got_text(value));
  return least;
}

int Fields::integer(Keys keys, int fallback, int most) const {
  for (const std::string_view key : keys)
    if (const Tree* value = find(key)) {
      // Lists (sizes of each layer) and words stand where a plain model has a number; they are for others.
      if (value->is_scalar() && (value->text == "true" || value->text == "false") && !value->quoted) continue;
      return checked(key, *value, 0, most);
    }
  return fallback;
}

int Fields::required(Keys keys, int most) const {
  for (const std::string_view key : keys)
    if (const Tree* value = find(key)) return checked(key, *value, 1, most);
  fail(*keys.begin(), "missing key; expected the Hugging Face configuration of a transformer");
  return 1;
}

bool Fields::flag(std::string_view key, bool fallback) const {
  const Tree* value = find(key);
  if (value == nullptr || !value->is_scalar()) return fallback;
  if (value->text == "true") return true;
  if (value->text == "false") return false;
  fail(key, "expected true or false, got " + got_text(*value));
  return fallback;
}

std::string_view Fields::word(Keys keys) const {
  for (const std::string_view key : keys)
    if (const Tree* value = find(key); value != nullptr && value->is_scalar()) return value->text;
  return {};
}

Fields Fields::inside(std::string_view key) const {
  const Tree* value = find(key);
  return {value != nullptr && value->is_map() ? value : nullptr, *this};
}

Fields Fields::first_inside() const {
  if (map_ != nullptr)
    for (const Tree& child : map_->children)
      if (child.is_map()) return {&child, *this};
  return {nullptr, *this};
}

std::vector<Fields> Fields::items(std::string_view key) const {
  std::vector<Fields> found;
  if (const Tree* value = find(key); value != nullptr && value->is_list())
    for (const Tree& child : value->children)
      if (child.is_map()) found.push_back({&child, *this});
  return found;
}

double Fields::real(std::string_view key, double fallback) const {
  constexpr double kMost = 1000;
  const Tree* value = find(key);
  if (value == nullptr) return fallback;
  double number = -1;
  if (value->is_scalar() && !value->quoted) {
    const char* end = value->text.data() + value->text.size();
    const auto [rest, problem] = read_number(value->text.data(), end, number);
    if (problem == std::errc() && rest == end && number >= 0 && number <= kMost) return number;
  }
  fail(key, "expected a number from 0 to 1,000, got " + got_text(*value));
  return fallback;
}

int Fields::length_of(std::string_view key) const {
  const Tree* value = find(key);
  return value != nullptr ? static_cast<int>(value->children.size()) : 0;
}

int Fields::count_of(std::string_view key, std::string_view word) const {
  const Tree* value = find(key);
  if (value == nullptr) return 0;
  return static_cast<int>(std::ranges::count(value->children, word, &Tree::text));
}

std::string_view Fields::first_word(std::string_view key) const {
  const Tree* value = find(key);
  return value != nullptr && !value->children.empty() ? std::string_view(value->children.front().text)
                                                      : std::string_view();
}

bool Fields::contains(std::string_view key, std::string_view part) const {
  const Tree* value = find(key);
  return value != nullptr && std::ranges::any_of(value->children, [part](const Tree& entry) {
           return entry.text.find(part) != std::string::npos;
         });
}

void Fields::fail(std::string_view key, std::string_view message) const {
  if (error_->first) return;
  error_->first = Error{std::string(key) + ": " + std::string(message), {*file_, line_of(text_, key)}};
}

}  // namespace gpuplan
