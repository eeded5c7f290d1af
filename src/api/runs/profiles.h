// How to set each phase of a job up on each kind of machine.
#pragma once

#include <memory>
#include <string>

#include "api/questions/question.h"
#include "output/questions/profiles_report.h"

namespace gpuplan::api {

struct ProfilesTerms {
  std::string phase{};  ///< its name; empty: every phase that trains or generates
  bool all = false;     ///< every GPU of the catalogue in place of the market's machines
};

struct ProfilesAnswer {
  std::unique_ptr<const Searched> searched;
  ProfilesReport report;  ///< refers to it

  /// kNothingFits: some phase runs on none of the machines.
  Verdict verdict() const { return report.held() ? Verdict::kFound : Verdict::kNothingFits; }
};

/// `catalogue` must outlive the answer. Fails for wrong input, a phase that is none, and where no machine is left.
Result<ProfilesAnswer> ask_profiles(const Request& request, const ProfilesTerms& terms, const Catalogue& catalogue);

}  // namespace gpuplan::api
