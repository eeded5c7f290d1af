#include "plan/notes/interruption_notes.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "plan/billing/interruptions.h"
#include "spot/bands.h"

namespace gpuplan {

namespace {

/// The band behind the rate of an offer; nullopt when somebody said a rate.
std::optional<SpotBand> band_used(const Job& job, const Offer& offer) {
  if (offer.interruptions || (job.spot.interruptions && !job.spot.assumed)) return std::nullopt;
  if (job.spot.band) return job.spot.band;
  return job.spot.bathtub ? std::nullopt : offer.band;
}

std::string band_words(SpotBand band) {
  const Interval<PerSecond> rate = rate_of(band);
  return std::string(name_of(band)) + " as " + range_text(to_text(rate.p10), to_text(rate.p90));
}

}  // namespace

bool can_be_interrupted(const Job& job, const PhasePlan& phase) {
  return phase.offer != nullptr && phase.estimate->gpus > 0 && (phase.spot || phase.offer->preemptible) &&
         interruption_rate(job, *phase.offer).has_value();
}

std::string assumed_rate_words(PerSecond rate) {
  return "spot interruption rate " + to_text(rate) + " for offers that list none (--interruptions).";
}

std::string assumed_rate_words(const Job& job, const std::vector<Plan>& plans) {
  if (!job.spot.assumed || !job.spot.interruptions) return "";
  const auto unrated = [](const PhasePlan& part) {
    return part.spot && part.offer != nullptr && !part.offer->interruptions && !part.offer->band;
  };
  const bool any =
      std::ranges::any_of(plans, [&](const Plan& plan) { return std::ranges::any_of(plan.phases, unrated); });
  return any ? assumed_rate_words(job.spot.interruptions->p50) : "";
}

void add_interruption_notes(const Job& job, const std::vector<Plan>& plans, std::vector<std::string>& lines) {
  if (job.where.spot != SpotUse::kNever && !job.spot.trace.empty())
    lines.push_back(
        "plans do not use the trace of interruptions, gpuplan simulate does. Its --trace names one beside a "
        "rate in spot.interruptions.");

  std::vector<SpotBand> bands;
  std::string saved, warning;
  bool any = false;
  bool at_once = false;
  Seconds queue{};
  int warned = 0;
  for (const Plan& plan : plans) {
    bool counted = false;
    for (const PhasePlan& phase : plan.phases) {
      if (!can_be_interrupted(job, phase)) continue;
      const SpotTerms terms = spot_terms(job, phase.estimate, *phase.offer);
      if (const std::string words = interruption_warning(terms); !words.empty()) {
        warned += counted ? 0 : 1;
        counted = true;
        if (warning.empty()) warning = plan.label + ": " + words;
      }
      if (!plan.on_frontier) continue;
      any = true;
      if (terms.wait <= Seconds{}) at_once = true;
      else queue = std::max(queue, terms.wait);
      if (const auto band = band_used(job, *phase.offer); band && std::ranges::find(bands, *band) == bands.end())
        bands.push_back(*band);
      if (saved.empty() && terms.checkpoint > Seconds{} && terms.notice >= terms.checkpoint)
        saved = "the spot notice (" + to_text(terms.notice) + ") covers a checkpoint (" + to_text(terms.checkpoint) +
                "): no work is lost, only the restart.";
    }
  }
  if (!warning.empty()) {
    if (warned > 1) warning += " (and " + count_text(warned - 1) + " more alike)";
    lines.push_back(warning + ". Such plans compete with that time, at most 1,000 times the work.");
  }
  if (!bands.empty()) {
    std::ranges::sort(bands);
    std::vector<std::string> words;
    for (const SpotBand band : bands) words.push_back(band_words(band));
    lines.push_back("AWS says which share of instances it took back in a month, not how often in an hour: " +
                    listed(words) + " (chance per hour, P10–P90); spot.interruptions states a rate.");
  }
  if (any && job.spot.bathtub)
    lines.push_back("machines are taken early or near the end of " + to_text(job.spot.bathtub->cap) +
                    " (bathtub; typical values of Kadupitiya et al., HPDC 2020, where the job states none).");
  if (!saved.empty()) lines.push_back(saved);
  if (queue > Seconds{} && !job.spot.wait)
    lines.push_back("a preempted job waits in the queue again, for " + to_text(queue) +
                    " (wait of the pool; spot.wait).");
  if (at_once && !job.spot.wait)
    lines.push_back("no wait for a replacement machine after an interruption (spot.wait).");
}

}  // namespace gpuplan
