// Commands of a POSIX shell, read as far as it takes to tell words, simple commands and comments apart. Nothing is
// expanded and nothing is refused: text that no shell would take is cut somewhere.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gpuplan {

enum class ShellQuote : unsigned char { kNone, kSingle, kDouble };

/// What the next character of a text means to a shell, by those read so far.
class ShellReader {
 public:
  void read(char c);
  /// Something stands here that is not read: part of a word.
  void pass();

  /// The quotes that the next character stands in.
  ShellQuote quote() const { return quote_; }
  bool comment() const { return comment_; }
  /// Whether blanks end words here and operators cut commands: outside of quotes, $(...), backquotes and comments, and
  /// after no backslash. The '(' of "$(" does not count as an operator.
  bool bare(char next) const { return closed() && !comment_ && !(next == '(' && dollar_); }
  /// Whether everything that was opened has ended.
  bool closed() const { return quote_ == ShellQuote::kNone && !back_ && depth_ == 0 && !escaped_; }

 private:
  ShellQuote quote_ = ShellQuote::kNone;
  bool ansi_ = false;     ///< $'...': a backslash hides the quote's end
  bool back_ = false;     ///< inside of backquotes
  bool escaped_ = false;  ///< after a backslash
  bool comment_ = false;
  bool word_ = false;    ///< in a word: a '#' is part of it
  bool dollar_ = false;  ///< right after a '$'
  int depth_ = 0;        ///< of "$(", and of what it holds in parentheses
};

/// A piece of a text.
struct ShellSpan {
  std::size_t begin = 0, end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// The simple commands of a text: it is cut at line ends and at ; & && || | ( ). Redirections (2>&1, &>log) cut
/// nothing; comments and here-documents are left out.
std::vector<ShellSpan> shell_commands(std::string_view text);

/// The words of one of them, in their quotes, operators that stand between blanks among them.
std::vector<ShellSpan> shell_words(std::string_view text, ShellSpan command);

/// Whether words put behind the end of the text belong to its last command: not after a pipe, a redirection or a
/// comment, nor where a quote is open.
bool takes_more_words(std::string_view text);

}  // namespace gpuplan
