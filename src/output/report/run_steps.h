// Numbered steps of how a plan is run, and those of a plan whose machines people rent one after another.
#pragma once

#include <string>
#include <vector>

#include "output/report/report_parts.h"

namespace gpuplan {

class Steps {
 public:
  explicit Steps(ReportSection& section) : section_(section) {}

  void add(const std::string& words, const std::string& code = "");
  int count() const { return count_; }

 private:
  ReportSection& section_;
  int count_ = 0;
};

/// What one of the launcher's commands is about: the phases whose names it holds.
std::vector<const PhasePlan*> phases_in(const ReportParts& parts, const Plan& pick, const std::string& command);

/// "8x A100 SXM 80GB at lium, on demand, $9.76/h, with 17.5 GB free on its disk for the job".
std::string machine_words(const PlanReport& report, const Plan& pick, const Lease& lease);

/// "sft, 1.5 h, $15.27; dpo, 15 min".
std::string phase_figures(const PlanReport& report, const Plan& pick, const std::vector<const PhasePlan*>& phases);

/// "By hand, before score (30 min): check the probes".
std::string by_hand_words(const Phase& phase);

/// For plans that take machines several times: each in the order of time, from renting it to giving it back, with what
/// runs on one's own machine where its turn is. What has run is fetched with the folder, and so goes on to the next.
/// `commands`: those of the launcher that set or start something.
void add_machines_in_turn(const ReportParts& parts, const Plan& pick, const std::vector<RunPart::Step>& commands,
                          Steps& steps);

}  // namespace gpuplan
