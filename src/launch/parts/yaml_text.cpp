#include "launch/parts/yaml_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/shell/shell_text.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongestComment = 400;  // bytes of a text shown in a comment or message

/// Whether all readers of YAML take the text for a string as it stands: a letter or '/' first, then letters, digits and
/// a few signs (no blank follows a ':'), and none of the words that YAML 1.1 reads as truth or nothing.
bool plain(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  constexpr std::string_view kSigns = "_./-:=";
  if (text.empty() || text.size() > 200 || (!is_letter(text.front()) && text.front() != '/')) return false;
  if (text.ends_with('.') || text.ends_with(':')) return false;
  return std::ranges::all_of(
             text, [&](char c) { return is_letter(c) || is_digit(c) || kSigns.find(c) != std::string_view::npos; }) &&
         std::ranges::find(kWords, to_lower(text)) == kWords.end();
}

std::string scalar(std::string_view text) { return plain(text) ? std::string(text) : string_literal(text); }

std::string margin(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

constexpr int kStep = 2;

}  // namespace

Yaml Yaml::text(std::string_view value) { return Yaml(Kind::kScalar, scalar(value)); }

Yaml Yaml::number(double value) { return Yaml(Kind::kScalar, std::isfinite(value) ? number_text(value) : "null"); }

Yaml Yaml::whole(long long value) { return Yaml(Kind::kScalar, std::to_string(value)); }

Yaml Yaml::yes_no(bool value) { return Yaml(Kind::kScalar, value ? "true" : "false"); }

Yaml Yaml::null() { return Yaml(Kind::kScalar, "null"); }

Yaml Yaml::lines(const std::vector<std::string>& lines) {
  std::string whole;
  bool literal = !lines.empty() && !lines.front().empty() && lines.front().front() != ' ' && !lines.back().empty();
  for (const std::string& line : lines) {
    whole += line + "\n";
    literal = literal && std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
  }
  return literal ? Yaml(Kind::kBlock, whole) : text(whole);
}

Yaml Yaml::map() { return Yaml(Kind::kMap); }

Yaml Yaml::list() { return Yaml(Kind::kList); }

Yaml Yaml::list(const std::vector<std::string>& texts) {
  Yaml all = list();
  for (const std::string& one : texts) all.add(text(one));
  return all;
}

Yaml& Yaml::set(std::string_view key, Yaml value, std::string_view comment) {
  keys_.push_back(scalar(key));
  comments_.emplace_back(comment);
  values_.push_back(std::move(value));
  return *this;
}

Yaml& Yaml::add(Yaml value) {
  keys_.emplace_back();
  comments_.emplace_back();
  values_.push_back(std::move(value));
  return *this;
}

std::string Yaml::after(int indent, bool in_list) const {
  if (kind_ == Kind::kScalar) return " " + text_ + "\n";
  if (kind_ == Kind::kBlock) {
    std::string text = " |\n";
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (end > 0) text += margin(indent + kStep) + std::string(rest.substr(0, end));
      text += '\n';
      rest.remove_prefix(end + 1);
    }
    return text;
  }
  if (values_.empty()) return kind_ == Kind::kMap ? " {}\n" : " []\n";
  const std::string inner = printed(indent + kStep);
  // "- key: value": the first key stands on the line of the '-'.
  if (in_list && kind_ == Kind::kMap && comments_.front().empty())
    return " " + inner.substr(margin(indent + kStep).size());
  return "\n" + inner;
}

std::string Yaml::printed(int indent) const {
  std::string text;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!comments_[i].empty()) text += margin(indent) + "# " + printable(comments_[i], kLongestComment) + "\n";
    text += margin(indent) + (kind_ == Kind::kMap ? keys_[i] + ":" : "-");
    text += values_[i].after(indent, kind_ == Kind::kList);
  }
  return text;
}

}  // namespace gpuplan
