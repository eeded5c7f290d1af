// What is worth knowing of an answer beside its figures, the weightiest first.
#pragma once

#include <string>
#include <vector>

#include "output/words/plan_report.h"

namespace gpuplan {

/// What a remark is about, for who tells the same elsewhere: a report does in its sections.
enum class RemarkAbout { kOther, kSpot, kIdle, kVariants, kRegret, kBreakEven };

struct Remark {
  double weight = 0;  ///< from data/answer_constants.csv
  std::string text;   ///< one paragraph
  bool warning = false;
  std::string shorter{};  ///< what is said where there is no room for all of it; empty: nothing
  std::string brief{};    ///< its first sentence, where there is no room for that either; empty: it is one
  std::string least{};    ///< where there is no room for that either
  std::string also{};     ///< said after it where all else that is said leaves room; empty: nothing
  RemarkAbout about = RemarkAbout::kOther;
};

/// All that could be said of the pick, the heaviest first; who prints them takes as many as there is room for. Empty
/// without a pick.
std::vector<Remark> remarks(const PlanReport& report);

/// What plan prints after "! " of that plan, and all that it has no room for: what somebody should know who starts it.
std::vector<std::string> warnings(const PlanReport& report, const Plan& plan);

}  // namespace gpuplan
