// Lines of programs inside the lines of what keeps them: records of Docker and of clouds, and the parts in which
// containers' runtimes write long lines.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpuplan {

/// The text of a record of one line: {"log": "...\n", "stream": "stderr", ...} of Docker, {"textPayload": "...",
/// "timestamp": ...} of Google, {"message": ...} of CloudWatch and others, {"line": ...} of Loki, {"msg": ...} and
/// {"event": ...} of loggers that write records.
struct LineRecord {
  std::string_view text{};  ///< as JSON writes it; no data: it is no such record
  bool error_stream = false, docker = false;

  /// Looks at a line that begins with a brace.
  static LineRecord of(std::string_view line);
  /// A line of a record that stands on several: `"textPayload": "...",`.
  static LineRecord of_member(std::string_view line);
  explicit operator bool() const { return text.data() != nullptr; }
};

/// Whether the document that begins so holds lines of logs, and no numbers of its own.
bool holds_line_records(std::string_view start);

class WrappedLines {
 public:
  /// Calls `take(text, number)` for every line that `text` completes; `fed`: it ended with a line feed, not with a
  /// carriage return.
  template <class Take>
  void line(std::string_view text, std::uint32_t number, bool fed, Take&& take) {
    std::string_view rest = may_wrap(text, number) ? unwrapped(text, number, fed) : text;
    // A line that was left as it is has no ends inside.
    const bool made = rest.data() != text.data();
    while (!rest.empty()) {
      const std::size_t end = made ? std::min({rest.find('\r'), rest.find('\n'), rest.size()}) : rest.size();
      if (end > 0) take(rest.substr(0, end), number);
      rest.remove_prefix(std::min(rest.size(), end + 1));
    }
  }
  /// What was begun and never ended.
  template <class Take>
  void end(Take&& take) {
    for (const std::string& part : parts_)
      if (!part.empty()) take(std::string_view(part));
  }

 private:
  /// Lines of containers begin with a time of RFC 3339.
  bool may_wrap(std::string_view text, std::uint32_t number) const {
    if (number == open_line_) return true;
    const char first = text.front();
    if (first == '{') return text.size() > 1 && (text[1] == '"' || text[1] == ' ');
    if (first == '"') return true;
    if (first == ' ') return text[std::min(text.find_first_not_of(' '), text.size() - 1)] == '"';
    return text.size() > 30 && text[10] == 'T' && text[4] == '-';
  }
  std::string_view unwrapped(std::string_view text, std::uint32_t number, bool fed);
  std::string_view record(const LineRecord& record);
  std::string_view part(std::string_view text, std::uint32_t number, bool fed);
  std::string_view joined(std::string& begun, std::string_view text);

  std::array<std::string, 2> parts_;  ///< begun lines, of stdout and stderr
  std::string out_;
  std::uint32_t open_line_ = 0;  ///< whose end is no end of a line of the program
  bool open_error_ = false;      ///< that one is of stderr
};

}  // namespace gpuplan
