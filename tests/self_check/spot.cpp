#include <vector>

#include "plan/billing/interruptions.h"
#include "self_check/hash.h"
#include "spot/bands.h"
#include "spot/interrupted_time.h"

namespace gpuplan::self_check {
namespace {

using units::hour;
using units::minute;

void add_run(Hash& hash, const ExpectedRun& run) {
  for (const Seconds time : {run.wall, run.interval, run.billed}) hash.add(time);
  hash.add(run.interruptions);
  hash.add(run.uninterrupted);
}

void add_terms(Hash& hash, const SpotTerms& terms) {
  for (const double hours : {0.1, 5.0, 48.0}) {
    add_run(hash, with_interruptions(terms, hours * hour));
    const InterruptedPhase met = interrupted_phase(terms, hours * hour, 3, 33);
    for (const double time : met.wall) hash.add(time);
    for (const double time : met.billed) hash.add(time);
  }
}

}  // namespace

void add_spot(Hash& hash) {
  for (const auto& band : Names<SpotBand>::entries) hash.add(rate_of(band.value));
  SpotTerms terms;
  terms.restart = 5 * minute;
  for (const int machines : {1, 4}) {
    terms.machines = machines;
    for (const Seconds checkpoint : {Seconds{}, minute}) {
      terms.checkpoint = checkpoint;
      for (const Seconds notice : {Seconds{}, 2 * minute}) {
        terms.notice = notice;
        for (const auto& band : Names<SpotBand>::entries) {
          terms.rate = rate_of(band.value);
          add_terms(hash, terms);
        }
        terms.rate = exactly(0.05 / hour);
        terms.wait = 10 * minute;
        add_terms(hash, terms);
        terms.bathtub = Bathtub{};
        add_terms(hash, terms);
        terms.bathtub.reset();
        terms.wait = {};
      }
    }
    Recoverable how = recoverable(terms, 48 * hour);
    how.notice = {};
    hash.add(deviation(terms.rate.p50, machines, how));
  }
}

}  // namespace gpuplan::self_check
