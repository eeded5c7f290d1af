#include "base/shell/shell_words.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"

namespace gpuplan {

namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }

bool ends_word(char c) { return blank(c) || std::string_view("\n;&|()<>").contains(c); }

class Commands {
 public:
  explicit Commands(std::string_view text) : text_(text) {}

  std::vector<ShellSpan> cut() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool bare = reader_.bare(c);
      if (c == '\n' && (bare || reader_.comment())) {
        line_end();
      } else if (bare && c == '<' && next() == '<') {
        here();
      } else if (bare && cuts(c)) {
        reader_.read(c);
        end_command(1);
      } else {
        const bool commented = reader_.comment();
        reader_.read(c);
        if (reader_.comment() && !commented) end_command(0);
        ++at_;
      }
    }
    if (!reader_.comment()) end_command(0);
    return std::move(found_);
  }

 private:
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\n'; }

  bool cuts(char c) const {
    const bool redirected = next() == '>' || (at_ > 0 && (text_[at_ - 1] == '>' || text_[at_ - 1] == '<'));
    if (c == '&') return !redirected;
    if (c == '|') return at_ == 0 || text_[at_ - 1] != '>';
    return c == ';' || c == '(' || c == ')';
  }

  void end_command(std::size_t length) {
    const ShellSpan command{begin_, at_};
    if (!trim(command.of(text_)).empty()) found_.push_back(command);
    at_ += length;
    begin_ = at_;
  }

  /// `<<WORD`: what follows the line up to WORD is text. `<<<` is a word on the line.
  void here() {
    at_ += 2;
    reader_.pass();
    if (at_ < text_.size() && text_[at_] == '<') {
      ++at_;
      return;
    }
    while (at_ < text_.size() && (text_[at_] == '-' || blank(text_[at_]))) ++at_;
    std::string word;
    for (; at_ < text_.size() && !ends_word(text_[at_]); ++at_)
      if (text_[at_] != '\'' && text_[at_] != '"' && text_[at_] != '\\') word += text_[at_];
    if (!word.empty()) here_.push_back(word);
  }

  void line_end() {
    if (reader_.comment()) begin_ = at_;
    reader_.read('\n');
    end_command(1);
    for (const std::string& word : std::exchange(here_, {})) {
      bool ended = false;
      while (!ended && at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        ended = trim(text_.substr(at_, end - at_)) == word;
        at_ = std::min(end + 1, text_.size());
      }
      begin_ = at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
  ShellReader reader_;
  std::vector<std::string> here_;
  std::vector<ShellSpan> found_;
};

}  // namespace

void ShellReader::read(char c) {
  const bool after_dollar = std::exchange(dollar_, false);
  if (comment_) {
    comment_ = c != '\n';
    word_ = false;
  } else if (escaped_) {
    escaped_ = false;
    if (c != '\n') word_ = true;  // a line that goes on is no end of a word and no word
  } else if (c == '\\' && (quote_ != ShellQuote::kSingle || ansi_)) {
    escaped_ = true;
  } else if (quote_ != ShellQuote::kNone) {
    if (c == (quote_ == ShellQuote::kSingle ? '\'' : '"')) quote_ = ShellQuote::kNone;
  } else if (c == '\'' || c == '"') {
    quote_ = c == '"' ? ShellQuote::kDouble : ShellQuote::kSingle;
    ansi_ = c == '\'' && after_dollar;
    word_ = true;
  } else if (c == '#' && !word_) {
    comment_ = true;
  } else {
    word_ = !ends_word(c);
    if (c == '`') back_ = !back_;
    dollar_ = c == '$';
    if (c == '(' && (depth_ > 0 || after_dollar)) ++depth_;
    if (c == ')' && depth_ > 0) word_ = --depth_ == 0;
  }
}

void ShellReader::pass() {
  if (comment_) return;
  escaped_ = dollar_ = false;
  word_ = true;
}

std::vector<ShellSpan> shell_commands(std::string_view text) { return Commands(text).cut(); }

std::vector<ShellSpan> shell_words(std::string_view text, ShellSpan command) {
  std::vector<ShellSpan> words;
  std::size_t at = command.begin;
  const auto line_goes_on = [&] { return text[at] == '\\' && at + 1 < command.end && text[at + 1] == '\n'; };
  while (at < command.end) {
    if (blank(text[at]) || text[at] == '\n') {
      ++at;
      continue;
    }
    if (line_goes_on()) {
      at += 2;
      continue;
    }
    const std::size_t from = at;
    ShellReader reader;
    reader.pass();  // comments were left out
    while (at < command.end && !(reader.bare(text[at]) && (blank(text[at]) || text[at] == '\n')))
      reader.read(text[at++]);
    words.push_back({from, at});
  }
  return words;
}

bool takes_more_words(std::string_view text) {
  // The last line that says something, with those before that a backslash joins to it.
  std::size_t begin = 0;
  ShellSpan last;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] != '\n' || (i > 0 && text[i - 1] == '\\'))) continue;
    if (const ShellSpan line{begin, i}; !trim(line.of(text)).empty()) last = line;
    begin = i + 1;
  }
  if (last.begin == last.end) return false;
  ShellReader reader;
  for (const char c : last.of(text)) {
    if (reader.bare(c) && std::string_view("|&;<>()#").contains(c)) return false;
    reader.read(c);
  }
  return reader.closed();
}

}  // namespace gpuplan
