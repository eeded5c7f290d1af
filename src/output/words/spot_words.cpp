#include "output/words/spot_words.h"

#include <algorithm>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/plan_words.h"
#include "plan/billing/interruptions.h"
#include "plan/notes/interruption_notes.h"

namespace gpuplan {

namespace {

std::string rate_words(const SpotTerms& terms) {
  std::string text = range_text(to_text(terms.rate.p10), to_text(terms.rate.p90));
  if (terms.bathtub) {
    text += " on average over lives of " + to_text(terms.bathtub->cap) + " at most (bathtub)";
  } else {
    text += " chance per hour that a machine is interrupted (" + significant_text(terms.rate.p50 * units::hour, 3) +
            " per hour)";
  }
  text += ", a restart takes " + to_text(terms.restart);
  if (terms.wait > Seconds{}) text += " after " + to_text(terms.wait) + " until another machine is there";
  return text + ".";
}

std::string checkpoint_words(const SpotTerms& terms, const Recoverable& how, const ExpectedRun& run) {
  if (terms.anew) return "it restarts from scratch";
  if (terms.checkpoint <= Seconds{}) return "what is done is stored as it comes";
  std::string text = "a checkpoint of " + to_text(terms.checkpoint) + " every " + to_text(run.interval) + " of work";
  if (how.warned()) text += " and one within the notice";
  if (terms.interval > Seconds{}) return text + ", as the job says";
  if (how.warned()) return text;
  text += ", which loses least";
  if (terms.bathtub || terms.rate.p50 <= PerSecond{}) return text;
  const PerSecond all = terms.rate.p50 * terms.machines;
  return text + " (Young " + to_text(young_interval(all, terms.checkpoint)) + ", Daly " +
         to_text(daly_higher_interval(all, terms.checkpoint)) + ")";
}

/// What half and twice the interval lose.
std::string loss_words(const SpotTerms& terms, const Recoverable& how) {
  if (terms.bathtub || how.warned() || terms.checkpoint <= Seconds{}) return "";
  const std::vector<PerSecond> rates = rate_levels(terms.rate);
  const auto lost = [&](Seconds interval) {
    return hours_words(interval_loss(rates, terms.machines, how, interval, DollarsPerSecond{}).time);
  };
  std::string text = " Half the interval would lose " + lost(how.interval / 2) + " more than the best";
  if (how.interval < how.work) text += ", twice as much " + lost(std::min(how.interval * 2, how.work));
  return text + ".";
}

}  // namespace

std::vector<std::string> spot_words(const Job& job, const Plan& plan) {
  std::vector<std::string> lines;
  std::string said;
  for (const PhasePlan& phase : plan.phases) {
    if (!can_be_interrupted(job, phase)) continue;
    const PhaseEstimate& estimate = phase.estimate;
    const Seconds work = interruptible_work(estimate) * (1 + job.buffer);  // as it is billed
    if (work <= Seconds{}) continue;
    const SpotTerms terms = spot_terms(job, estimate, *phase.offer);
    if (std::string rate = rate_words(terms); rate != said) {
      lines.push_back("Interruptions: " + rate);
      said = std::move(rate);
    }
    const Recoverable how = recoverable(terms, work);
    const ExpectedRun run = with_interruptions(terms, work);
    std::string text = "Interruptions of " + printable(job.phases[static_cast<std::size_t>(estimate.phase)].name, 60) +
                       ": " + significant_text(run.interruptions, 2) + " expected";
    if (terms.machines > 1) text += " (" + std::to_string(terms.machines) + " machines stop when one is taken)";
    lines.push_back(text + ", none with a chance of " + percent(run.uninterrupted) + "; " +
                    checkpoint_words(terms, how, run) + "; " + hours_words(run.wall - work) + " on top of " +
                    hours_words(work) + "." + loss_words(terms, how));
  }
  return lines;
}

}  // namespace gpuplan
