#include "input/logs/book/lines.h"

#include <algorithm>
#include <array>
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

/// "[rank0]:", "[default7]:" (torchrun, by the name of a role), "[1,3]<stderr>:" (mpirun).
bool take_marked_rank(std::string_view rest, std::string_view& text, LogLine& line) {
  if (is_digit(rest.front())) {
    take_rank(rest);
    if (!take(rest, ",")) return false;
    const bool named = take(rest, "mpirank:");  // SageMaker's "[1,mpirank:0,algo-1]<stdout>:"
    const int rank = take_rank(rest);
    if (named && take(rest, ",")) rest.remove_prefix(std::min(rest.size(), rest.find(']')));
    if (rank < 0 || (!take(rest, "]<stdout>:") && !take(rest, "]<stderr>:"))) return false;
    take(rest, "#015");  // a carriage return
    line.rank = rank;
  } else {
    while (!rest.empty() && (is_letter(rest.front()) || rest.front() == '_')) rest.remove_prefix(1);
    const int rank = take_rank(rest);
    if (rank < 0 || !take(rest, "]:")) return false;
    line.rank = rank;
  }
  take(rest, " ");
  text = rest;
  return true;
}

/// "[INFO|trainer.py:2134] 2026-03-01 10:00:00,123 >> " (transformers), "[INFO|2026-03-01 10:00:00] callbacks:143 >> "
bool take_level(std::string_view rest, std::string_view& text, LogLine& line) {
  const std::size_t arrow = rest.substr(0, 160).find(" >> ");
  if (arrow == std::string_view::npos) return false;
  const std::size_t bar = rest.find('|'), close = rest.find("] ");
  for (const std::size_t at : {bar + 1, close + 2}) {
    if (at > arrow) continue;
    std::string_view time = rest.substr(at);
    if (scan::take_time(time, line.time)) break;
  }
  text = rest.substr(arrow + 4);
  return true;
}

/// Marks of ranks, "[titan] ", "[pod/trainer-0/main] " (kubectl logs --prefix) and "[2025-08-01 07:19:37] ".
bool take_bracket(std::string_view& text, LogLine& line) {
  std::string_view rest = text.substr(1);
  if (rest.empty()) return false;
  if (take(rest, "titan]")) {
    text = rest;
    return true;
  }
  if (rest.starts_with("pod/")) {
    const auto pod = scan::take_until(rest, ']');
    if (pod) text = rest;
    return pod.has_value();
  }
  if (rest.starts_with("INFO|") || rest.starts_with("WARNING|")) return take_level(rest, text, line);
  if (take_marked_rank(rest, text, line)) return true;
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

/// What loggers put between the time and the message: " - root - INFO - ", " - INFO - __main__ - ", " | INFO     |
/// __main__:log_dist:54 - " (loguru), " stdout F " (containers of Kubernetes).
void take_logger(std::string_view& text) {
  const std::string_view next = text.substr(0, 100);
  if (next.starts_with(" stdout F ") || next.starts_with(" stderr F ")) {
    text.remove_prefix(std::string_view(" stdout F ").size());
  } else if (next.starts_with(" | ")) {
    const std::size_t level = next.find(" | ", 3);
    const std::size_t message = level == std::string_view::npos ? level : next.find(" - ", level);
    if (message != std::string_view::npos) text.remove_prefix(message + 3);
  } else if (next.starts_with(" - ")) {
    for (const std::string_view level : {"INFO - ", "WARNING - ", "ERROR - "}) {
      const std::size_t at = next.find(level);
      if (at == std::string_view::npos) continue;
      text.remove_prefix(at + level.size());
      if (text.starts_with("__main__ - ")) text.remove_prefix(std::string_view("__main__ - ").size());
      break;
    }
  }
}

/// "0: " (srun --label), and the time of day with what logging puts behind it: " - root - INFO - ".
bool take_digits(std::string_view& text, LogLine& line) {
  std::string_view rest = text;
  if (double time = 0; scan::take_time(rest, time)) {
    line.time = time;
    text = rest;
    take_logger(text);
    return true;
  }
  const int rank = take_rank(rest);
  if (rank < 0 || !take(rest, ": ")) return false;
  line.rank = rank;
  line.labelled = text;
  text = rest;
  return true;
}

/// "I0820 10:11:12.123456 139912 trainer.py:701] " (glog, absl): the time alone is taken; the names stay, for they
/// tell whose line it is. The day is one of a leap year.
void note_glog_time(std::string_view text, LogLine& line) {
  constexpr std::string_view kShape = "I0820 10:11:12.1";
  if (text.size() <= kShape.size() || text[5] != ' ' || !std::string_view("IWEF").contains(text[0])) return;
  for (std::size_t at = 1; at < 5; ++at)
    if (!is_digit(text[at])) return;
  std::string_view time = text.substr(6);
  double seconds = 0;
  if (!scan::take_time(time, seconds)) return;
  constexpr std::array<int, 12> kBefore = {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335};
  constexpr double kDay = 86'400, kYear = 19'723;  // days from 1970 to 2024
  const int month = 10 * (text[1] - '0') + (text[2] - '0'), day = 10 * (text[3] - '0') + (text[4] - '0');
  if (month < 1 || month > 12 || day < 1 || day > 31) return;
  line.time = kDay * (kYear + kBefore[static_cast<std::size_t>(month - 1)] + day - 1) + seconds;
}

/// "i.finetune/0 [default0]:" (TorchX, NeMo-Run): a role and its replica, before the mark of a rank.
bool take_role(std::string_view& text) {
  constexpr std::size_t kLongest = 64;
  const std::size_t end = text.find(' ');
  if (end >= kLongest || end + 1 == text.size() || text[end + 1] != '[') return false;
  const std::size_t slash = text.substr(0, end).rfind('/');
  if (slash == std::string_view::npos || slash + 1 == end) return false;
  const std::string_view replica = text.substr(slash + 1, end - slash - 1), mark = text.substr(end + 1);
  if (replica.find_first_not_of("0123456789") != std::string_view::npos) return false;
  if (!mark.starts_with("[default") && !mark.starts_with("[rank") && !(mark.size() > 1 && is_digit(mark[1])))
    return false;
  text = mark;
  return true;
}

/// "worker-0: " (pdsh) and "trainer-1  | " (docker compose): the name of a host, before what a name would not stand
/// before otherwise.
bool take_host(std::string_view& text) {
  constexpr std::size_t kLongest = 64;
  std::size_t size = 0;
  bool digit = false;
  for (; size < text.size() && size < kLongest; ++size) {
    const char c = text[size];
    if (is_digit(c)) digit = true;
    else if (!is_letter(c) && c != '-' && c != '.' && c != '_') break;
  }
  if (!digit) return false;
  std::string_view rest = text.substr(size);
  if (!take(rest, ": ")) {
    scan::skip_spaces(rest);
    if (rest.size() + size == text.size() || !take(rest, "| ")) return false;
  }
  std::string_view next = rest;
  scan::skip_spaces(next);
  double share = 0;
  const bool marked = next.size() > 1 && next.front() == '[' && (is_digit(next[1]) || next.starts_with("[rank"));
  if (!marked && !next.starts_with("{'") && !(scan::take_number(next, share) && next.starts_with("%|"))) return false;
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
    else if (i == 0 && is_letter(peek.front())) {
      note_glog_time(peek, line);
      taken = take_role(peek) || take_host(peek);
    }
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
