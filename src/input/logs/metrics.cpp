#include "input/logs/metrics.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "input/logs/simple_pattern.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostMetrics = 64, kLongestPattern = 4096;
constexpr std::int64_t kMostMemory = 1 << 20;  // of one pattern: programs and their caches

/// Instructions of one pattern, each of which may be tried at each byte of a log. A class of all letters has 1,200.
constexpr int kMostProgram = 1500;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

/// The letter of the words that lines of logs have least: each place of it is looked at.
char rarest(std::string_view words) {
  constexpr std::string_view kByHowOften = " e0123456789:.,taoinsrldhcumpfgw\"'_=-/[](){}ybvkxjqz|%";
  std::size_t best = 0;
  char rare = words.empty() ? ' ' : words.front();
  for (const char c : words)
    if (const std::size_t at = std::min(kByHowOften.find(c), kByHowOften.size()); at > best) {
      best = at;
      rare = c;
    }
  return rare;
}

std::size_t find_from(std::string_view text, std::string_view words, char rare, std::size_t from) {
  const std::size_t found = scan::find(text.substr(std::min(from, text.size())), words, rare);
  return found == std::string_view::npos ? found : found + from;
}

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  return options;
}

/// Where the text that must be found with a pattern is collected: runs of plain characters at its outermost level.
class Runs {
 public:
  explicit Runs(std::string_view pattern) : rest_(pattern) {}

  Needle longest() {
    bool begins = true;  // nothing but plain characters so far
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '|') return {};
      if (c == '(') {
        if (rest_.starts_with("?") && !rest_.starts_with("?:") && !rest_.starts_with("?P<")) return {};  // flags
        if (!skip_group()) return {};
        close(begins);
      } else if (c == '[') {
        if (!skip_class()) return {};
        close(begins);
      } else if (c == '*' || c == '?' || c == '{') {
        // What stands before may be missing: a quantifier is of one character of the run, or of a group behind it.
        if (!run_.empty()) run_.pop_back();
        close(begins);
        if (c == '{') {
          const std::size_t end = rest_.find_first_not_of("0123456789,");
          if (end == std::string_view::npos || rest_[end] != '}') return {};  // no quantifier
          rest_.remove_prefix(end + 1);
        }
      } else if (c == '+' || c == '.' || c == '^' || c == '$' || c == ')' || static_cast<unsigned char>(c) >= 0x80) {
        close(begins);  // a quantifier behind a letter of several bytes would be of all of them
      } else if (c == '\\') {
        if (rest_.empty()) return {};
        const char escaped = rest_.front();
        rest_.remove_prefix(1);
        const bool letter = (escaped >= 'a' && escaped <= 'z') || (escaped >= 'A' && escaped <= 'Z');
        if (letter || is_digit(escaped)) {
          // Classes and places; what takes more letters (\x41, \p{..}, \Q..\E) is left to the pattern alone.
          constexpr std::string_view kSimple = "dDsSwWbBAz";
          if (kSimple.find(escaped) == std::string_view::npos) return {};
          close(begins);
        } else {
          run_ += escaped;
        }
      } else {
        run_ += c;
      }
    }
    close(begins);
    return best_;
  }

 private:
  void close(bool& begins) {
    if (begins && !run_.empty()) best_ = {run_, true};
    else if (!best_.first && run_.size() > best_.text.size()) best_ = {run_, false};
    begins = false;
    run_.clear();
  }
  bool skip_class() {
    if (!rest_.empty() && rest_.front() == '^') rest_.remove_prefix(1);
    bool first = true;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\' && !rest_.empty()) {
        if (is_digit(rest_.front()) || rest_.front() == 'Q' || rest_.front() == 'x') return false;
        rest_.remove_prefix(1);
      } else if (c == '[' && rest_.starts_with(":")) {
        const std::size_t end = rest_.find(":]");
        if (end == std::string_view::npos) return false;
        rest_.remove_prefix(end + 2);
      } else if (c == ']' && !first) {
        return true;
      }
      first = false;
    }
    return false;
  }
  bool skip_group() {
    int depth = 1;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\') {
        if (rest_.empty() || rest_.front() == 'Q') return false;
        rest_.remove_prefix(1);
      } else if (c == '[') {
        if (!skip_class()) return false;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        return true;
      }
    }
    return false;
  }

  std::string_view rest_;
  std::string run_;
  Needle best_;
};

}  // namespace

Needle needle_of(std::string_view pattern) { return Runs(pattern).longest(); }

struct LogMetrics::Pattern {
  std::unique_ptr<RE2> expression;
  Needle needle;
  char rare = ' ';  ///< of the needle's letters
  std::optional<SimplePattern> simple{};

  /// A match that begins there, and what its group holds.
  bool begins(std::string_view text, std::size_t at, std::array<re2::StringPiece, 2>& groups) const {
    std::string_view group;
    if (simple) {
      const SimplePattern::Found found = simple->match(text.substr(at), group);
      groups[1] = piece(group);
      if (found != SimplePattern::Found::kUndecided) return found == SimplePattern::Found::kYes;
    }
    return expression->Match(piece(text), at, text.size(), RE2::ANCHOR_START, groups.data(), 2);
  }
};

LogMetrics::LogMetrics() = default;
LogMetrics::LogMetrics(LogMetrics&&) noexcept = default;
LogMetrics& LogMetrics::operator=(LogMetrics&&) noexcept = default;
LogMetrics::~LogMetrics() = default;

Result<LogMetrics> LogMetrics::make(const std::vector<LogMetric>& metrics) {
  LogMetrics result;
  if (metrics.size() > kMostMetrics)
    return failure("metrics: at most " + std::to_string(kMostMetrics) + " regular expressions, got " +
                   std::to_string(metrics.size()));
  for (const LogMetric& metric : metrics) {
    const std::string name = "metric '" + printable(metric.name, 80) + "': ";
    if (metric.pattern.size() > kLongestPattern)
      return failure(name + "a pattern has at most " + count_text(kLongestPattern) + " characters");
    auto expression = std::make_unique<RE2>(piece(metric.pattern), options());
    if (!expression->ok())
      return failure(name + "not a regular expression (RE2): " + printable(expression->error(), 200));
    if (expression->NumberOfCapturingGroups() < 1)
      return failure(name + "the pattern has no group; put parentheses around the number, as in 'loss: ([0-9.]+)'");
    if (expression->ProgramSize() > kMostProgram)
      return failure(name + "the pattern is too large for long logs (repetitions such as {1000}); make it shorter");
    Needle needle = needle_of(metric.pattern);
    auto simple = needle.first ? SimplePattern::read(metric.pattern) : std::nullopt;
    const char rare = rarest(needle.text);
    result.patterns_.push_back({std::move(expression), std::move(needle), rare, std::move(simple)});
  }
  return result;
}

void LogMetrics::read(LogBook& book, const LogLine& line, bool whole) const {
  const std::string_view text = line.text;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const auto& [expression, needle, rare, simple] = patterns_[i];
    std::array<re2::StringPiece, 2> groups;
    bool found = false;
    if (!needle.first) {
      if (!needle.text.empty() && find_from(text, needle.text, rare, 0) == std::string_view::npos) continue;
      found = expression->Match(piece(text), 0, text.size(), RE2::UNANCHORED, groups.data(), 2);
    } else {
      // Where a match begins is known: from there on its end is found in one pass.
      for (std::size_t at = find_from(text, needle.text, rare, 0); !found && at != std::string_view::npos;
           at = find_from(text, needle.text, rare, at + 1))
        found = patterns_[i].begins(text, at, groups);
    }
    if (!found || groups[1].data() == nullptr) continue;
    std::string_view group(groups[1].data(), groups[1].size());
    const char* const end = group.data() + group.size();
    double value = 0;
    scan::skip_spaces(group);
    if (!scan::take_count(group, value)) {
      book.no_number(i, group);
      continue;
    }
    const std::string_view behind(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (behind.empty() && !whole) continue;  // more digits may follow
    if (group.starts_with("%") || (group.empty() && behind.starts_with("%"))) value /= 100;
    book.metric(i, value, line);
  }
}

}  // namespace gpuplan
