// What can happen to any run: NaN, checkpoints, and going on from one. How runs end is data/run_ends.csv.
#include "input/logs/formats/formats.h"

namespace gpuplan {

void not_finite(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kNotFinite, line, line.text);
}

void checkpoint_line(LogBook& book, const LogLine& line, std::string_view) {
  book.event(LogEvent::Kind::kCheckpoint, line, line.text);
}

/// A checkpoint is read: no event of its own, but steps that come again are done again.
void resume_line(LogBook& book, const LogLine&, std::string_view) { book.starts(); }

}  // namespace gpuplan
