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
  bool sure;           ///< every reader takes it for one: what looks like it may be text of a paragraph or a quote
};

/// "<https://y.org>", "<mailto:a@b.org>": how long the link is that begins there; 0: it is none.
std::size_t link_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  constexpr std::string_view kKinds[] = {"<https://", "<http://", "<mailto:"};
  if (std::ranges::none_of(kKinds, [&](std::string_view kind) { return rest.starts_with(kind); })) return 0;
  const std::size_t end = rest.find_first_of("> \t<`\"\\", 1);
  return end != std::string_view::npos && rest[end] == '>' ? end + 1 : 0;
}

/// Where the code span ends that begins with this run of backticks; npos: it is none, or goes on in another line.
std::size_t span_end(std::string_view text, std::size_t at, std::size_t run) {
  for (std::size_t next = at + run; (next = text.find('`', next)) != std::string_view::npos;) {
    const std::size_t length = run_of(text.substr(next), '`');
    if (length == run) return next + length;
    next += length;
  }
  return std::string_view::npos;
}

/// Calls back with each run of backticks that may begin a span, and goes on behind what it answers.
template <class At>
void each_span(std::string_view text, At&& at_run) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\') i += 2;
    else if (text[i] == '`') i = at_run(i, run_of(text.substr(i), '`'));
    else ++i;
  }
}

/// Whether each span of code that begins in the line ends in it.
bool spans_close(std::string_view text) {
  bool all = true;
  each_span(text, [&](std::size_t at, std::size_t run) {
    const std::size_t end = span_end(text, at, run);
    all = all && end != std::string_view::npos;
    return end == std::string_view::npos ? at + run : end;
  });
  return all;
}

/// "| --- | :-: |": what stands around it is a table, whose bars split code too.
bool rules_table(std::string_view line) {
  return line.find_first_not_of("|:- \t>") == std::string_view::npos &&
         line.find_first_of("|:") != std::string_view::npos && line.contains('-');
}

/// A line with nothing in it that HTML would take: "<" is written as an entity, but in code and in links. `code`:
/// whether spans of code are what they look like.
std::string without_html(std::string_view text, bool code) {
  std::string result;
  const auto plain = [&](std::size_t from, std::size_t to) {
    while (from < to) {
      const std::size_t link = code && text[from] == '<' ? link_at(text, from) : 0;
      if (link > 0) {
        result += text.substr(from, link);
        from += link;
      } else {
        result += text[from] == '<' ? "&lt;" : std::string(1, text[from]);
        ++from;
      }
    }
  };
  std::size_t done = 0;
  if (code)
    each_span(text, [&](std::size_t at, std::size_t run) {
      const std::size_t end = span_end(text, at, run);
      plain(done, at);
      result += text.substr(at, end - at);
      return done = end;
    });
  plain(done, text.size());
  return result;
}

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
    if (fence_) add(std::string(fence_->indent, ' ') + fence_->sign, false);
    std::string text;
    for (std::size_t i = 0; i < lines_.size();) {
      if (lines_[i].code || trim(lines_[i].text).empty()) {
        text += guide_code(lines_[i++].text) + '\n';
        continue;
      }
      // Lines without a gap: a span of code that is open in one may end in another, whatever blocks they are.
      std::size_t end = i;
      bool code = true, table = false;
      for (; end < lines_.size() && !lines_[end].code && !trim(lines_[end].text).empty(); ++end) {
        code = code && spans_close(lines_[end].text);
        table = table || rules_table(lines_[end].text);
      }
      for (; i < end; ++i) text += without_html(lines_[i].text, code && !table) + '\n';
    }
    return text;
  }

 private:
  void line(const std::string& one) {
    const Margin margin = margin_of(one);
    const std::string_view words = std::string_view(one).substr(margin.length);
    if (fence_) {
      // A line that is not as far in as the entry of the list ends both it and the code.
      add(one, fence_->sure && (!fence_in_list_ || run_of(one, ' ') >= fence_->indent || trim(one).empty()));
      const auto sign = fence_in(words);
      const bool ends = sign && sign->starts_with(fence_->sign) && trim(words) == *sign;
      if (ends) fence_.reset();
      return;
    }
    if (trim(words).empty()) {
      add(one, false);
      paragraph_.reset();
      return;
    }
    const std::size_t indent = run_of(one, ' ');
    if (indent == 0 || margin.list) in_list_ = margin.list;
    if (one.starts_with("[^")) footnotes_ = true;
    if (indent >= kCodeIndent && !in_list_ && !paragraph_) return add(one, !footnotes_);  // code
    if (auto sign = fence_in(words)) {
      const bool sure = !margin.quote && (margin.list ? !paragraph_ : indent < kCodeIndent);
      fence_ = {*std::move(sign), margin.length, sure};
      fence_in_list_ = in_list_;
      add(one, false);
      return paragraph_.reset();
    }
    if (const std::size_t level = heading_level(words); level > 0) {
      const std::string more(level < kHighest ? kHighest - level : 0, '#');
      add(one.substr(0, margin.length) + more + std::string(words), false);
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
    add(one, false);
  }

  void add(std::string text, bool code) { lines_.push_back({std::move(text), code}); }

  /// The lines of the paragraph are a heading.
  void underlined() {
    const std::string& first = lines_[*paragraph_].text;
    std::string heading = first.substr(0, margin_of(first).length) + std::string(kHighest, '#');
    for (std::size_t i = *paragraph_; i < lines_.size(); ++i)
      heading += " " + std::string(trim(std::string_view(lines_[i].text).substr(margin_of(lines_[i].text).length)));
    lines_.resize(*paragraph_);
    add(std::move(heading), false);
    paragraph_.reset();
  }

  struct Line {
    std::string text;
    bool code = false;  ///< a whole line of it: nothing in it is a mark
  };

  std::vector<Line> lines_;
  std::optional<Fence> fence_;
  bool fence_in_list_ = false;
  bool footnotes_ = false;                ///< what is indented may belong to one
  std::optional<std::size_t> paragraph_;  ///< where the paragraph begins that the next line may go on with
  bool listed_ = false;                   ///< it is an entry of a list
  bool in_list_ = false;                  ///< what is indented belongs to an entry
};

}  // namespace

std::string guide_code(std::string_view line) {
  constexpr std::string_view kMarks[] = {"<!-- own text", "<!-- end of own text", "<!-- gpuplan report"};
  const bool mark = std::ranges::any_of(kMarks, [&](std::string_view one) { return line.starts_with(one); });
  return (mark ? " " : "") + std::string(line);
}

std::string prose_markdown(std::string_view markdown) { return Prose().of(markdown); }

}  // namespace gpuplan
