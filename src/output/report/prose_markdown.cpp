#include "output/report/prose_markdown.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/safe_text.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::size_t kHighest = 3;        // level of a heading: sections have two
constexpr std::size_t kCodeIndent = 4;     // outside of lists, what is so far in is code
constexpr std::size_t kDeepestMargin = 6;  // "- > 1. " and so on

std::size_t run_of(std::string_view text, char sign) { return std::min(text.find_first_not_of(sign), text.size()); }

/// What stands before the words of a line: blanks, marks of quotes and of lists.
struct Margin {
  std::size_t length = 0;
  bool list = false, quote = false;
};

/// "- ", "12. ": how long the mark of a list is; 0 where there is none.
std::size_t list_mark(std::string_view text) {
  std::size_t sign = 0;
  while (sign < text.size() && sign < 9 && is_digit(text[sign])) ++sign;
  const std::string_view signs = sign > 0 ? ".)" : "-*+";
  if (sign >= text.size() || signs.find(text[sign]) == std::string_view::npos) return 0;
  return sign + 1 < text.size() && text[sign + 1] == ' ' ? sign + 2 : 0;
}

Margin margin_of(std::string_view line) {
  Margin margin;
  for (std::size_t depth = 0; depth < kDeepestMargin; ++depth) {
    margin.length += run_of(line.substr(margin.length), ' ');
    const std::string_view rest = line.substr(margin.length);
    if (rest.starts_with('>')) {
      margin.quote = true;
      ++margin.length;
    } else if (const std::size_t mark = list_mark(rest); mark > 0) {
      margin.list = true;
      margin.length += mark;
    } else {
      break;
    }
  }
  return margin;
}

/// A line of nothing but "=" or "-": what stands above it is a heading.
bool underlines(std::string_view words) {
  const std::string_view text = trim(words);
  return !text.empty() && (text[0] == '=' || text[0] == '-') && run_of(text, text[0]) == text.size();
}

/// "# " to "###### ": its level, 0 where it is no heading.
std::size_t heading_level(std::string_view words) {
  const std::size_t signs = run_of(words, '#');
  const bool ends = signs == words.size() || words[signs] == ' ' || words[signs] == '\t';
  return signs > 0 && signs <= 6 && ends ? signs : 0;
}

struct Fence {
  std::string sign;    ///< "```"
  std::size_t indent;  ///< of its line
};

/// The fence of code that begins with these words.
std::optional<std::string> fence_in(std::string_view words) {
  if (words.empty() || (words[0] != '`' && words[0] != '~')) return std::nullopt;
  const std::size_t length = run_of(words, words[0]);
  if (length < 3 || (words[0] == '`' && words.find('`', length) != std::string_view::npos)) return std::nullopt;
  return std::string(length, words[0]);
}

class Prose {
 public:
  std::string of(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::size_t end = markdown.find('\n');
      line(safe_text(markdown.substr(0, end)));
      markdown.remove_prefix(end == std::string_view::npos ? markdown.size() : end + 1);
    }
    if (fence_) lines_.push_back(std::string(fence_->indent, ' ') + fence_->sign);
    std::string text;
    for (const std::string& one : lines_) {
      for (const char c : one) text += c == '<' ? "&lt;" : std::string(1, c);
      text += '\n';
    }
    return text;
  }

 private:
  void line(const std::string& one) {
    const Margin margin = margin_of(one);
    const std::string_view words = std::string_view(one).substr(margin.length);
    if (fence_) {
      lines_.push_back(one);
      const auto sign = fence_in(words);
      const bool ends = sign && sign->starts_with(fence_->sign) && trim(words) == *sign;
      if (ends) fence_.reset();
      return;
    }
    if (trim(words).empty()) {
      lines_.push_back(one);
      paragraph_.reset();
      return;
    }
    const std::size_t indent = run_of(one, ' ');
    if (indent == 0 || margin.list) in_list_ = margin.list;
    if (indent >= kCodeIndent && !in_list_ && !paragraph_) return lines_.push_back(one);  // code
    if (auto sign = fence_in(words)) {
      fence_ = {*std::move(sign), margin.length};
      lines_.push_back(one);
      return paragraph_.reset();
    }
    if (const std::size_t level = heading_level(words); level > 0) {
      const std::string more(level < kHighest ? kHighest - level : 0, '#');
      lines_.push_back(one.substr(0, margin.length) + more + std::string(words));
      return paragraph_.reset();
    }
    // Of an entry of a list only what stands as far in as its words.
    if (paragraph_ && !margin.list && underlines(words) && (!listed_ || indent >= 2)) {
      underlined();
      return;
    }
    if (!paragraph_ || margin.list) {
      paragraph_ = lines_.size();
      listed_ = margin.list;
    }
    lines_.push_back(one);
  }

  /// The lines of the paragraph are a heading.
  void underlined() {
    const std::string& first = lines_[*paragraph_];
    std::string heading = first.substr(0, margin_of(first).length) + std::string(kHighest, '#');
    for (std::size_t i = *paragraph_; i < lines_.size(); ++i)
      heading += " " + std::string(trim(std::string_view(lines_[i]).substr(margin_of(lines_[i]).length)));
    lines_.resize(*paragraph_);
    lines_.push_back(std::move(heading));
    paragraph_.reset();
  }

  std::vector<std::string> lines_;
  std::optional<Fence> fence_;
  std::optional<std::size_t> paragraph_;  ///< where the paragraph begins that the next line may go on with
  bool listed_ = false;                   ///< it is an entry of a list
  bool in_list_ = false;                  ///< what is indented belongs to an entry
};

}  // namespace

std::string prose_markdown(std::string_view markdown) { return Prose().of(markdown); }

}  // namespace gpuplan
