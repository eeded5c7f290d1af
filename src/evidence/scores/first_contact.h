// First contact: what a version predicted for runs of sources that it had not seen, before anybody looked at them. The
// test can be made once for each source; what any later version says of the same runs has them in sight.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/interval.h"
#include "evidence/validation/validation.h"

namespace gpuplan {

/// A figure as it was predicted then.
struct ContactFigure {
  std::string id, source;  ///< of the run
  Metric metric = Metric::kStepSeconds;
  double measured = 0;
  std::optional<Interval<double>> predicted{};  ///< nullopt when it was refused
  std::string reason;                           ///< of that
  std::string version;                          ///< commit that predicted
};

struct FirstContact {
  std::vector<PredictedRun> then;     ///< the runs that were met, as predicted at first contact; what is known
                                      ///< of each (spread.labels) in the words of today
  std::vector<PredictedRun> now;      ///< the same, as predicted today
  std::vector<std::string> lost;      ///< "ID METRIC" of figures of no run that is there
  std::vector<std::string> versions;  ///< each once, in the order of their names
};

/// `today`: predictions of runs, among them those that were met. Refers to the runs, and to nothing else that it was
/// given.
FirstContact first_contact(std::span<const ContactFigure> figures, std::span<const PredictedRun> today);

}  // namespace gpuplan
