// `gpuplan calibrate`: own runs, each beside its prediction, and what they teach.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "evidence/own/learning.h"
#include "output/text/style.h"

namespace gpuplan {

/// What a row that was kept changes for the plan that it ran.
struct LearnedNow {
  const ComparedRow* row = nullptr;
  std::optional<Interval<Seconds>> before, now;  ///< of the phase's work; nullopt: the row states no time
};

/// Refers to what it was made of, which must outlive it.
struct CalibrateReport {
  const std::vector<ComparedRow>& rows;
  std::vector<Teaching> teachings{};
  std::vector<OwnContradiction> contradictions{};
  std::optional<LearnedNow> kept{};
  std::string file{};                  ///< as messages call it
  std::vector<std::string> differs{};  ///< of the row kept now: what its log says that the plan does not
  std::string today{};                 ///< "2026-11-24", which ages count to; empty: nobody says
};

/// What was learned from the row kept now, in a few lines.
std::string calibrate_text(const CalibrateReport& report, const Screen& screen);
/// Every row, what they teach together, what contradicts.
std::string own_runs_text(const CalibrateReport& report, const Screen& screen);
/// "gpuplan/calibrate@1".
std::string calibrate_json(const CalibrateReport& report);
/// A line for each figure of each row.
std::string own_runs_csv(const CalibrateReport& report);

/// What is odd about the rows, a sentence each: a run that is ten times off, runs that contradict each other.
std::vector<std::string> odd_words(const CalibrateReport& report);

}  // namespace gpuplan
