// What a record of Hugging Face's Trainer holds, whether it was printed or kept in a JSON file.
#pragma once

#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

/// One record of names and values: {'loss': 1.1294, 'grad_norm': 0.713, 'epoch': 1.0}.
class TrainerRecord {
 public:
  void note(LogBook& book, std::string_view name, double value);
  /// Values that are texts: ms-swift's '30/100' is its step, of how many; LLaMA-Factory's "0:12:34" the time since the
  /// start.
  void note_text(std::string_view name, std::string_view text);
  /// Writes it into the book when there was anything known in it.
  bool close(LogBook& book, LogFormat format, const LogLine& line);

 private:
  void note_summary(LogBook& book, std::string_view name, double value);
  void note_any(LogBook& book, std::string_view name, double value);
  double guessed_step(LogBook& book) const;
  void end(LogBook& book, LogFormat format, const LogLine& line) const;

  StepRecord record_;
  double epoch_ = scan::kUnknown, run_time_ = scan::kUnknown, steps_per_second_ = scan::kUnknown,
         tokens_per_second_ = scan::kUnknown, total_steps_ = scan::kUnknown, train_loss_ = scan::kUnknown,
         mean_time_ = scan::kUnknown;
};

}  // namespace gpuplan
