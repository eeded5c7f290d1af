#include "input/logs/book/lines.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace gpuplan {
namespace {

using scan::take;

/// ESC [ ... letter (colours, cursor) and ESC ] ... BEL (links, titles) are left out.
std::string_view without_escapes(std::string_view text, std::string& buffer) {
  std::size_t escape = text.find('\x1b');
  if (escape == std::string_view::npos) return text;
  buffer.clear();
  while (escape != std::string_view::npos) {
    buffer += text.substr(0, escape);
    text.remove_prefix(escape + 1);
    if (take(text, "[")) {
      const auto last = std::ranges::find_if(text, [](char c) { return c >= '@' && c <= '~'; });
      text.remove_prefix(static_cast<std::size_t>(last - text.begin()) + (last == text.end() ? 0 : 1));
    } else if (take(text, "]")) {
      const std::size_t bell = text.find_first_of("\a\x1b");
      if (bell == std::string_view::npos) text = {};
      else text.remove_prefix(text[bell] == '\a' ? bell + 1 : bell);
    }
    escape = text.find('\x1b');
  }
  return buffer += text;
}

/// Digits at the front, taken off; -1 when there are none or too many for a rank.
int take_rank(std::string_view& text) {
  std::size_t count = 0;
  int rank = 0;
  for (; count < text.size() && is_digit(text[count]); ++count) {
    if (count == 6) return -1;
    rank = 10 * rank + (text[count] - '0');
  }
  if (count == 0) return -1;
  text.remove_prefix(count);
  return rank;
}

/// "[rank0]:", "[default7]:" (torchrun), "[titan] " and "[2025-08-01 07:19:37] ".
bool take_bracket(std::string_view& text, LogLine& line) {
  std::string_view rest = text.substr(1);
  if (take(rest, "titan]")) {
    text = rest;
    return true;
  }
  if (take(rest, "rank") || take(rest, "default")) {
    const int rank = take_rank(rest);
    if (rank < 0 || !take(rest, "]:")) return false;
    line.rank = rank;
    take(rest, " ");
    text = rest;
    return true;
  }
  double time = 0;
  if (!scan::take_time(rest, time) || !take(rest, "]")) return false;
  line.time = time;
  text = rest;
  return true;
}

/// "(EngineCore pid=77) ", "(TrainWorker pid=77, ip=10.0.0.1) ", "(worker1, rank=1, pid=77) " (vLLM, Ray, SkyPilot).
bool take_process(std::string_view& text, LogLine& line) {
  const std::size_t end = text.substr(0, 120).find(')');
  if (end == std::string_view::npos) return false;
  std::string_view inside = text.substr(1, end - 1);
  if (inside.find("pid=") == std::string_view::npos) return false;
  if (const std::size_t at = inside.find("rank="); at != std::string_view::npos) {
    inside.remove_prefix(at + 5);
    line.rank = take_rank(inside);
  }
  text.remove_prefix(end + 1);
  take(text, " ");
  return true;
}

/// "0: " (srun --label), and the time of day with what logging puts behind it: " - root - INFO - ".
bool take_digits(std::string_view& text, LogLine& line) {
  std::string_view rest = text;
  if (double time = 0; scan::take_time(rest, time)) {
    line.time = time;
    text = rest;
    const std::string_view next = text.substr(0, 80);
    if (next.starts_with(" - "))
      for (const std::string_view level : {"INFO - ", "WARNING - ", "ERROR - "})
        if (const std::size_t at = next.find(level); at != std::string_view::npos) {
          text.remove_prefix(at + level.size());
          break;
        }
    return true;
  }
  const int rank = take_rank(rest);
  if (rank < 0 || !take(rest, ": ")) return false;
  line.rank = rank;
  line.labelled = text;
  text = rest;
  return true;
}

}  // namespace

LogLine plain_line(std::string_view text, std::uint32_t number, std::string& buffer) {
  LogLine line;
  line.number = number;
  text = without_escapes(text, buffer);
  constexpr int kMostPrefixes = 6;
  for (int i = 0; i < kMostPrefixes; ++i) {
    std::string_view peek = text;
    scan::skip_spaces(peek);
    if (peek.empty()) break;
    bool taken = false;
    if (peek.front() == '[') taken = take_bracket(peek, line);
    else if (peek.front() == '(') taken = take_process(peek, line);
    else if (is_digit(peek.front())) taken = take_digits(peek, line);
    if (!taken) break;
    text = peek;
  }
  line.text = text;
  return line;
}

void LineCutter::keep(std::string_view piece) {
  if (skipping_) return;
  const std::size_t room = kLongest - rest_.size();
  if (piece.size() > room) {
    ++cut_;
    skipping_ = true;
    piece = piece.substr(0, room);
  }
  rest_ += piece;
}

void LineCutter::restart() {
  rest_.clear();
  rest_.shrink_to_fit();
  number_ = 1;
  skipping_ = false;
}

}  // namespace gpuplan
