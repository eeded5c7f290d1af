// tqdm's progress bars, with what stands before and behind them: "Epoch 0:  30%|███  | 30/100 [00:12<00:28, 2.5it/s]".
#pragma once

#include <optional>
#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

struct ProgressBar {
  std::string_view label{};  ///< before the share, without the colon
  double done = 0, total = 0;
  double elapsed = 0;                    ///< seconds
  double step_seconds = scan::kUnknown;  ///< by its rate
  bool steps = false;                    ///< its rate is in "it"
  std::string_view postfix{}, behind{};  ///< in its brackets, behind the rate; behind its bracket
};

/// "Epoch 0", "Epoch 1/3", "Training epoch 2", "epoch=1": which one, and of how many.
struct EpochLabel {
  std::optional<double> number, of;
};
EpochLabel epoch_of(std::string_view label);

/// Takes a bar anywhere in the text.
Match take_bar(std::string_view text, ProgressBar& bar);

/// Losses, norms and learning rates among the names of a postfix.
void note_postfix(LogBook& book, StepRecord& record, std::string_view postfix);

}  // namespace gpuplan
