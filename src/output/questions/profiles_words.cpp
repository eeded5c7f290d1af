// What is said of a profile in the tables and texts of `gpuplan profiles`.
#include "base/text.h"
#include "output/questions/profiles_report.h"
#include "output/words/plan_words.h"
#include "plan/capacity/misfit_words.h"

namespace gpuplan {
namespace {

/// Why a profile does not run.
std::string refusal(const Profile& profile) {
  const NearMiss& miss = profile.tally.nearest;
  if (miss.phase >= 0 && miss.gpu != nullptr) return gib_text(miss.needed - miss.usable) + " GiB short";
  return printable(main_reason(profile.tally), 100);
}

}  // namespace

std::string gain_words(double gain) {
  constexpr double kNothing = 0.005;
  if (gain >= 1) return significant_text(1 + gain, 2) + "x as fast";
  if (gain >= kNothing) return percent(gain) + " faster";
  return gain <= -kNothing ? percent(-gain) + " slower" : "no faster";
}

std::string under_used_words(const Profile& profile) {
  if (!profile.best || profile.used() >= kUnderUsed) return "";
  if (!profile.gain) return percent(profile.used()) + " used";
  return "batch " + count_text(profile.largest_tried) + " fits" +
         (profile.larger_recomputes ? " with activation checkpointing, " : ", ") + gain_words(*profile.gain);
}

std::string remark_words(const Profile& profile) {
  if (!profile.best) return refusal(profile);
  if (profile.best->fit == Fit::kTight) return "OOM risk: fits at P50, not at P90";
  return under_used_words(profile);
}

}  // namespace gpuplan
