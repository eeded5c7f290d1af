// The steps of records that tell only their epoch: they come every so many steps, and their count tells how many.
#pragma once

#include <cstdint>

#include "evidence/log/run_log.h"

namespace gpuplan {

class RecordCount {
 public:
  /// The step of a record of this epoch; NaN: not known. `loss`: one of those that are counted. `per_epoch`: steps; 0:
  /// not known. As soon as the records tell how many steps lie between two of them, those before get their steps too.
  double add(RunLog& log, double epoch, bool loss, double per_epoch);
  /// All records are there: they get their steps.
  void number(RunLog& log, double per_epoch) const;
  /// Another run begins: only epochs tell where it goes on.
  void begin_again() { uneven_ = count_ > 0; }

 private:
  std::uint64_t count_ = 0;
  double epoch_ = 0;             ///< of the last one
  double least_ = 0, most_ = 0;  ///< steps between two records, by all epochs so far; 0: not known
  double interval_ = 0;          ///< found; 0: not yet
  bool uneven_ = false;
};

}  // namespace gpuplan
