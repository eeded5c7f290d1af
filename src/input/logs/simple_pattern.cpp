#include "input/logs/simple_pattern.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/text.h"

namespace gpuplan {
namespace {

using Set = std::array<std::uint64_t, 2>;

constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostItems = 64;
constexpr int kMostSteps = 2000;  ///< of one match, before RE2 is asked

constexpr bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool holds(const Set& set, char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && (set[byte / 64] >> (byte % 64) & 1U) != 0;
}
constexpr void add(Set& set, char from, char to) {
  for (int c = static_cast<unsigned char>(from); c <= static_cast<unsigned char>(to); ++c)
    set[static_cast<std::size_t>(c) / 64] |= std::uint64_t{1} << (static_cast<unsigned>(c) % 64);
}
constexpr Set inverse(const Set& set) { return {~set[0], ~set[1]}; }

/// "\d", "\.": what stands behind the backslash; false for places, and for what takes more letters.
bool take_escape(std::string_view& rest, Set& set) {
  if (rest.empty()) return false;
  const char c = rest.front();
  rest.remove_prefix(1);
  Set known{};
  switch (c) {
    case 'd':
    case 'D':
      add(known, '0', '9');
      break;
    case 's':
    case 'S':  // as RE2: without \v
      for (const char blank : {'\t', '\n', '\f', '\r', ' '}) add(known, blank, blank);
      break;
    case 'w':
    case 'W':
      add(known, '0', '9');
      add(known, 'A', 'Z');
      add(known, 'a', 'z');
      add(known, '_', '_');
      break;
    default:
      if (is_letter(c) || is_digit(c) || !is_ascii(c)) return false;
      add(known, c, c);
  }
  if (c == 'D' || c == 'S' || c == 'W') known = inverse(known);
  set[0] |= known[0];
  set[1] |= known[1];
  return true;
}

/// "[^0-9.]" behind its bracket.
bool take_class(std::string_view& rest, Set& set) {
  const bool others = rest.starts_with('^');
  if (others) rest.remove_prefix(1);
  for (bool first = true; !rest.empty(); first = false) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == ']' && !first) {
      if (others) set = inverse(set);
      return true;
    }
    if (!is_ascii(c) || c == '[') return false;
    if (c == '\\') {
      if (!take_escape(rest, set) || rest.starts_with('-')) return false;
      continue;
    }
    char last = c;
    if (rest.size() > 1 && rest[0] == '-' && rest[1] != ']') {
      last = rest[1];
      if (last == '\\' || last == '[' || !is_ascii(last) || last < c) return false;
      rest.remove_prefix(2);
    }
    add(set, c, last);
  }
  return false;
}

}  // namespace

bool SimplePattern::take_item(std::string_view& rest) {
  Item item;
  const char c = rest.front();
  rest.remove_prefix(1);
  constexpr std::string_view kOthers = "|^$*+?{})(";
  if (!is_ascii(c) || kOthers.contains(c)) return false;
  if (c == '[') {
    if (!take_class(rest, item.set)) return false;
  } else if (c == '\\') {
    if (!take_escape(rest, item.set)) return false;
  } else if (c == '.') {
    add(item.set, '\n', '\n');
    item.set = inverse(item.set);
  } else {
    add(item.set, c, c);
  }
  if (!rest.empty() && (rest.front() == '*' || rest.front() == '+' || rest.front() == '?')) {
    item.least = rest.front() == '+' ? 1 : 0;
    item.most = rest.front() == '?' ? 1 : kEndless;
    rest.remove_prefix(1);
  }
  // "a+?", "a**", "a{2}"
  if (!rest.empty() && (rest.front() == '*' || rest.front() == '+' || rest.front() == '?' || rest.front() == '{'))
    return false;
  items_.push_back(item);
  return items_.size() <= kMostItems;
}

std::optional<SimplePattern> SimplePattern::read(std::string_view pattern) {
  SimplePattern made;
  int groups = 0;
  bool inside = false;
  while (!pattern.empty()) {
    if (pattern.front() == '(') {
      if (++groups > 1 || pattern.starts_with("(?")) return std::nullopt;
      made.begin_ = made.items_.size();
      inside = true;
      pattern.remove_prefix(1);
    } else if (pattern.front() == ')') {
      if (!inside) return std::nullopt;
      inside = false;
      made.end_ = made.items_.size();
      pattern.remove_prefix(1);
      if (!pattern.empty() && std::string_view("*+?{").contains(pattern.front())) return std::nullopt;
    } else if (!made.take_item(pattern)) {
      return std::nullopt;
    }
  }
  return groups == 1 && !inside ? std::optional(std::move(made)) : std::nullopt;
}

bool SimplePattern::match_from(std::size_t item, std::size_t at, std::string_view text,
                               std::array<std::size_t, 2>& group, int& left) const {
  for (; item < items_.size(); ++item) {
    if (--left < 0) return false;
    if (item == begin_) group[0] = at;
    if (item == end_) group[1] = at;
    const Item& now = items_[item];
    const std::size_t room = std::min(now.most, text.size() - at);
    std::size_t count = 0;
    while (count < room && holds(now.set, text[at + count])) ++count;
    if (at + count < text.size() && count < room && !is_ascii(text[at + count])) left = -1;
    if (left < 0 || count < now.least) return false;
    if (count == now.least) {
      at += count;
      continue;
    }
    // As many as there are, then fewer.
    for (;; --count) {
      if (match_from(item + 1, at + count, text, group, left)) return true;
      if (count == now.least || left < 0) return false;
    }
  }
  if (begin_ == items_.size()) group[0] = at;
  if (end_ == items_.size()) group[1] = at;
  return true;
}

SimplePattern::Found SimplePattern::match(std::string_view text, std::string_view& group) const {
  std::array<std::size_t, 2> bounds{};
  int left = kMostSteps;
  const bool found = match_from(0, 0, text, bounds, left);
  if (left < 0) return Found::kUndecided;
  if (!found) return Found::kNo;
  group = text.substr(bounds[0], bounds[1] - bounds[0]);
  return Found::kYes;
}

}  // namespace gpuplan
