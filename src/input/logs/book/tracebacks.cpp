#include "input/logs/book/tracebacks.h"

#include <string_view>

#include "base/text.h"
#include "input/logs/book/run_end_table.h"

namespace gpuplan {
namespace {

using Role = RunEnd::Role;

constexpr std::string_view kTraceback = "Traceback (most recent call last)";

/// Lines of several processes stand between what belongs together.
constexpr std::uint32_t kNear = 8;

/// The corners and sides of the boxes that rich draws.
bool is_boxed(std::string_view text) {
  return text.starts_with("\u256d") || text.starts_with("\u2502") || text.starts_with("\u2570");
}

bool begins(std::string_view text) {
  return text.starts_with(kTraceback) || (is_boxed(text) && text.find(kTraceback) != std::string_view::npos);
}

bool links(std::string_view text) {
  return text.starts_with("During handling of") || text.starts_with("The above exception");
}

/// What stands between a traceback's first line and the exception.
bool is_inside(std::string_view text) {
  return text.empty() || text.front() == ' ' || text.front() == '\t' || links(text) || is_boxed(text);
}

}  // namespace

bool Tracebacks::any_line(LogBook& book, const LogLine& line) {
  if (begins(line.text)) {
    if (!begun_) begin(line);
    return true;
  }
  if (!begun_) {
    if (coming_ > 0) return without_frames(line);
    if (ended_ != Noise::kNone) {
      if (links(line.text)) chained_ = true;
      else if (!trim(line.text).empty()) ended_ = Noise::kNone;
    }
    return false;
  }
  if (line.rank != begun_->rank) return false;
  if (is_inside(line.text)) inside(line);
  else exception(book, line);
  return true;
}

void Tracebacks::begin(const LogLine& line) {
  begun_ = LogLine{.number = line.number, .rank = line.rank};
  framed_ = closing_ = false;
  noise_ = chained_ ? ended_ : Noise::kNone;
  if (coming_ > 0) {
    noise_ = next_;
    --coming_;
  }
  chained_ = false;
  ended_ = Noise::kNone;
}

void Tracebacks::inside(const LogLine& line) {
  const bool frame = trim(line.text).starts_with("File \"");
  if (frame && !framed_ && is_of(Role::kFrame, line.text)) noise_ = Noise::kIgnored;
  framed_ = framed_ || frame;
  if (noise_ == Noise::kThread && is_of(Role::kClosing, line.text)) closing_ = true;
}

void Tracebacks::exception(LogBook& book, const LogLine& line) {
  begun_.reset();
  if (noise_ == Noise::kThread && (closing_ || is_of(Role::kClosing, line.text))) noise_ = Noise::kIgnored;
  if (noise_ == Noise::kIgnored) {
    ended_ = noise_;
    return;
  }
  const bool memory = line.text.find("out of memory") != std::string_view::npos ||
                      line.text.find("OutOfMemory") != std::string_view::npos;
  book.event(memory ? LogEvent::Kind::kOutOfMemory : LogEvent::Kind::kError, line, line.text);
}

void Tracebacks::comes(Noise noise, const LogLine& line) {
  coming_ = next_ == noise ? coming_ + 1 : 1;
  next_ = noise;
  said_at_ = line.number;
}

/// An exception that Python goes on after has a traceback behind it, or none when it came from C. True for the latter.
bool Tracebacks::without_frames(const LogLine& line) {
  if (line.number > said_at_ + kNear) coming_ = 0;
  if (coming_ == 0 || line.text.empty() || !is_letter(line.text.front())) return false;
  const std::string_view name = line.text.substr(0, line.text.find_first_of(": "));
  if (name.size() < line.text.size() && line.text[name.size()] != ':') return false;
  if (!name.ends_with("Error") && !name.ends_with("Exception") && !name.ends_with("Interrupt")) return false;
  --coming_;
  return next_ == Noise::kIgnored;
}

void Tracebacks::glued(const LogLine& line) {
  if (is_of(Role::kIgnored, line.text)) noise(Noise::kIgnored, line);
  else if (is_of(Role::kThread, line.text)) noise(Noise::kThread, line);
  else if (line.text.find(kTraceback) != std::string_view::npos && !begun_) begin(line);
}

void Tracebacks::end(LogBook& book) const {
  if (begun_ && noise_ != Noise::kIgnored && !closing_)
    book.event(LogEvent::Kind::kError, *begun_, "Traceback that breaks off");
}

}  // namespace gpuplan
