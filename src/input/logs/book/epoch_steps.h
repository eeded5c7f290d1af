// Steps that a program counts anew in each epoch, made steps of the run: that they begin again is no new start of it.
#pragma once

#include <optional>

namespace gpuplan {

/// What a line says of the place of its step.
struct StepPlace {
  double step = 0;
  double of = 0;                   ///< steps, as it says behind a slash; not above 0: it does not
  double epoch = -1, epochs = -1;  ///< not above or at 0: it does not say
  bool of_epoch = false;           ///< surely counted in the epoch: "[epoch 2][100/1000]"
};

/// Programs number epochs and steps from 0 or 1, and steps by the epoch or by the run; which of these, shows with the
/// lines. Until then "step 10 of 1,000" of one epoch of several is taken as one of that epoch.
class EpochSteps {
 public:
  /// The step of the run. `begins`: the program has just said that it starts or has ended.
  double count(const StepPlace& place, bool begins);
  /// Of the run, by the line that was counted last; NaN: it says those of an epoch, and nothing how many epochs.
  double planned() const;
  /// All steps of an epoch are done, and whether it was the last one the lines do not say: "epoch 1 - iter 900/900".
  bool epoch_over() const { return epoch_ && epochs_ <= 0 && !whole_ && of_ > 0 && last_ && *last_ >= of_; }

 private:
  void first(const StepPlace& place);
  void next(const StepPlace& place);
  bool many() const { return anew_ || passes_ > 0 || epochs_ > 1; }

  std::optional<double> epoch_, last_;  ///< of the line before
  double passes_ = 0;                   ///< epochs before this one
  double length_ = 0;                   ///< steps of an epoch; 0: not known
  double of_ = 0, epochs_ = 0;          ///< as lines say; 0: they do not
  double interval_ = 0;                 ///< steps between the last two lines of an epoch
  bool from_zero_ = false;
  bool anew_ = false;   ///< they were seen to begin anew, or the line says so
  bool whole_ = false;  ///< they were seen to go on
};

}  // namespace gpuplan
