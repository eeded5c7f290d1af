// `gpuplan profiles`: how to set each phase up on each kind of machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/work/job.h"
#include "output/text/style.h"
#include "output/text/table.h"
#include "plan/advice/profiles.h"

namespace gpuplan {

/// One phase; where a plan is recommended, how it runs the phase.
struct ProfilesSection {
  PhaseProfiles found;
  std::optional<std::size_t> picked;          ///< position of the profile that the recommended plan uses
  std::optional<double> gain_by_compiling{};  ///< on the picked one
};

struct ProfilesReport {
  const Job& job;
  std::vector<ProfilesSection> sections;

  const Phase& phase(const ProfilesSection& section) const {
    return job.phases[static_cast<std::size_t>(section.found.phase)];
  }
  /// At least one profile of every phase runs.
  bool held() const;
};

std::string gain_words(double gain);                   ///< "12% faster", "2.5x as fast", "no faster"
std::string under_used_words(const Profile& profile);  ///< why so little memory is used; empty: enough is
/// Why a profile does not run, or what is to be said of one that does; may be empty.
std::string remark_words(const Profile& profile);

/// A row for each profile and one for testing without a GPU. What all rows share (precision, recomputation, ...) has a
/// key but is not shown; `common` takes it as a sentence, empty when there is none.
Table profiles_table(const ProfilesReport& report, const ProfilesSection& section, std::string* common = nullptr);

std::string profiles_text(const ProfilesReport& report, const Screen& screen, bool details = false);
std::string profiles_json(const ProfilesReport& report);  ///< "gpuplan/profiles@1"

}  // namespace gpuplan
