// What a record of Hugging Face's Trainer holds, whether it was printed or kept in a JSON file.
#pragma once

#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

/// One record of names and values: {'loss': 1.1294, 'grad_norm': 0.713, 'epoch': 1.0}.
class TrainerRecord {
 public:
  void note(LogBook& book, std::string_view name, double value);
  /// Writes it into the book when there was anything known in it.
  bool close(LogBook& book, LogFormat format, const LogLine& line);

 private:
  double guessed_step(const LogBook& book) const;

  StepRecord record_;
  double epoch_ = scan::kUnknown, run_time_ = scan::kUnknown, steps_per_second_ = scan::kUnknown,
         tokens_per_second_ = scan::kUnknown;
};

}  // namespace gpuplan
