#include "input/logs/book/wrapped_lines.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "input/logs/book/lines.h"
#include "input/logs/book/names.h"

namespace gpuplan {
namespace {

/// Members that hold the line.
constexpr std::array<std::string_view, 7> kTexts = {"log", "textPayload", "message", "line", "MESSAGE", "msg", "event"};
/// One of these stands beside it in the records of who keeps logs.
constexpr std::array<std::string_view, 14> kMarks = {"stream",        "timestamp",
                                                     "time",          "ts",
                                                     "@timestamp",    "asctime",
                                                     "date",          "level",
                                                     "levelname",     "severity",
                                                     "ingestionTime", "logName",
                                                     "logStreamName", "__REALTIME_TIMESTAMP"};
/// In which Google keeps the members of records that programs write themselves.
constexpr std::string_view kPayload = "jsonPayload";

template <std::size_t N>
bool is_one(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Where the string ends that begins behind `at`: at its closing quote.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at;
}

/// What JSON writes: of control signs only those that matter are kept.
void unescape(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    if (++at == text.size()) break;
    switch (text[at]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        const std::string_view code = text.substr(at + 1, 4);
        out += code == "001b" || code == "001B" ? '\x1b' : code == "0027" ? '\'' : code == "000d" ? '\r' : '?';
        at += 4;
        break;
      }
      default:
        out += text[at];
    }
  }
}

/// The tags of a line of containers' runtimes: "2026-03-01T10:00:00.123456789Z stderr P <part of a line>".
struct Tags {
  bool found = false, error_stream = false, partial = false;
  std::size_t tag = 0, text = 0;  ///< where they begin
};

Tags tags_of(std::string_view line) {
  constexpr std::size_t kLongestTime = 40;
  Tags tags;
  const std::size_t space = line.substr(0, kLongestTime).find(' ');
  if (space == std::string_view::npos) return tags;
  const std::string_view stream = line.substr(space + 1, 7);
  tags.error_stream = stream == "stderr ";
  if (!tags.error_stream && stream != "stdout ") return tags;
  tags.tag = space + 8;
  if (tags.tag >= line.size() || (line[tags.tag] != 'P' && line[tags.tag] != 'F')) return tags;
  const std::size_t end = std::min(line.size(), line.find(' ', tags.tag));
  if (end != tags.tag + 1 && line[tags.tag + 1] != ':') return tags;
  tags.found = true;
  tags.partial = line[tags.tag] == 'P';
  tags.text = std::min(line.size(), end + 1);
  return tags;
}

}  // namespace

LineRecord LineRecord::of(std::string_view line) {
  LineRecord record;
  std::string_view text;
  bool marked = false, payload = false;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0) payload = --depth > 1 && payload;
    if (c != '"') continue;
    const std::size_t end = string_end(line, at + 1);
    std::size_t next = end + 1;
    while (next < line.size() && line[next] == ' ') ++next;
    if (next >= line.size()) return {};
    const std::string_view name = line.substr(at + 1, end - at - 1);
    at = end;
    if (line[next] != ':' || depth == 0 || depth > (payload ? 2U : 1U)) continue;
    ++next;
    while (next < line.size() && line[next] == ' ') ++next;
    if (next >= line.size()) return {};
    const bool string = line[next] == '"';
    if (string && is_one(kTexts, name)) {
      const std::size_t close = string_end(line, next + 1);
      if (close >= line.size()) return {};
      text = line.substr(next + 1, close - next - 1);
      record.docker = name == "log";
      at = close;
    } else if (is_one(kMarks, name)) {
      marked = true;
      if (name == "stream") record.error_stream = line.substr(next).starts_with("\"stderr");
    } else if (name == kPayload) {
      payload = line[next] == '{';
    } else if (named_value(name).kind != NamedValue::Kind::kNothing) {
      return {};  // a record of numbers, with words beside them
    }
  }
  if (marked) record.text = text;
  return record;
}

LineRecord LineRecord::of_member(std::string_view line) {
  line = trim(line);
  if (line.ends_with(',')) line.remove_suffix(1);
  if (!line.starts_with('"') || !line.ends_with('"')) return {};
  const std::size_t end = line.find('"', 1);
  if (!is_one(kTexts, line.substr(1, end - 1))) return {};
  constexpr std::string_view kBetween = "\": \"";
  if (!line.substr(end).starts_with(kBetween)) return {};
  const std::size_t from = end + kBetween.size();
  if (from >= line.size() || string_end(line, from) + 1 != line.size()) return {};
  return {.text = line.substr(from, line.size() - from - 1)};
}

bool holds_line_records(std::string_view start) {
  while (!start.empty()) {
    const std::string_view line = trim(start.substr(0, start.find('\n')));
    if (line.starts_with('{') && line.size() > 1) return static_cast<bool>(LineRecord::of(line));
    if (LineRecord::of_member(line)) return true;
    start.remove_prefix(std::min(start.size(), start.find('\n')));
    if (!start.empty()) start.remove_prefix(1);
  }
  return false;
}

std::string_view WrappedLines::joined(std::string& begun, std::string_view text) {
  out_.swap(begun);
  begun.clear();
  out_ += text.substr(0, LineCutter::kLongest - std::min(LineCutter::kLongest, out_.size()));
  return out_;
}

std::string_view WrappedLines::unwrapped(std::string_view text, std::uint32_t number, bool fed) {
  const char first = text.front();
  if (first == '{') {
    if (const LineRecord found = LineRecord::of(text)) return record(found);
  } else if (first == '"' || first == ' ') {
    if (const LineRecord found = LineRecord::of_member(text)) return record(found);
  }
  return part(text, number, fed);
}

std::string_view WrappedLines::record(const LineRecord& record) {
  // Docker cuts lines at 16 KiB; what else keeps lines in such records does so without their ends.
  constexpr std::size_t kCutAt = 16000;
  std::string& begun = parts_[record.error_stream ? 1 : 0];
  const bool whole = !record.docker || record.text.ends_with("\\n") || record.text.size() < kCutAt;
  if (begun.size() < LineCutter::kLongest) unescape(record.text, begun);
  return whole ? joined(begun, {}) : std::string_view();
}

std::string_view WrappedLines::part(std::string_view text, std::uint32_t number, bool fed) {
  Tags tags;
  if (number != open_line_) tags = tags_of(text);
  if (tags.found) {
    open_error_ = tags.error_stream;
    if (tags.partial) open_line_ = number;
  } else if (number != open_line_) {
    return text;
  }
  std::string& begun = parts_[open_error_ ? 1 : 0];
  // The time of the first part is that of the line; its tag is the one of whole lines.
  const bool more = tags.found && !begun.empty();
  if (number == open_line_ && fed) {
    if (begun.size() >= LineCutter::kLongest) return {};
    if (tags.found && !more) (begun += text.substr(0, tags.tag)) += "F ";
    begun += text.substr(tags.text);
    return {};
  }
  if (more) return joined(begun, text.substr(tags.text));
  if (!tags.found || (!tags.partial && tags.text == tags.tag + 2)) return text;
  out_ = text.substr(0, tags.tag);
  return (out_ += "F ") += text.substr(tags.text);
}

}  // namespace gpuplan
