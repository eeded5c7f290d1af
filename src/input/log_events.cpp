// What can happen to any run: out of memory, errors, NaN, checkpoints, and being stopped and started again.
#include "base/text.h"
#include "input/log_formats.h"

namespace gpuplan {

void out_of_memory(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kOutOfMemory, line, line.text);
}

void not_finite(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kNotFinite, line, line.text);
}

void error_line(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kError, line, line.text);
}

/// A line of its own: a shell, of a child that got SIGKILL.
void killed_line(LogBook& book, const LogLine& line, std::string_view) {
  if (trim(line.text) == "Killed") error_line(book, line, {});
}

void restart_line(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kRestart, line, line.text);
}

void checkpoint_line(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kCheckpoint, line, line.text);
}

/// A checkpoint is read: no event of its own, but steps that come again are done again.
void resume_line(LogBook& book, const LogLine&, std::string_view) { book.starts(); }

}  // namespace gpuplan
