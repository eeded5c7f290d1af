// What a bill comes to by the user's own terms: capacity that is reserved or committed to, and credits.
#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include "domain/market/offer.h"
#include "domain/work/job.h"

namespace gpuplan {

/// GPUs of a lease that one commitment covers.
struct CoveredGpus {
  const Commitment* by = nullptr;
  int gpus = 0;
};

/// Those of a job, counted from the day of the plan: a job is taken to start then. The job must outlive it.
class OwnTerms {
 public:
  explicit OwnTerms(const Job& job);

  /// Some commitment may cover GPUs of this offer at one time; in the order in which they are taken. `until`: time from
  /// the start of the job to the end of their use, by which none may have ended.
  std::vector<const Commitment*> commitments(const Offer& offer, bool spot, Seconds until) const;
  bool any_commitment() const { return !commitments_.empty(); }
  /// What one machine of the offer costs an hour where it is covered.
  static Interval<DollarsPerSecond> price(const Commitment& by, const Offer& offer,
                                          const Interval<DollarsPerSecond>& listed);
  /// Median price of such machines, where nothing else takes what covers them.
  DollarsPerSecond price(const Offer& offer, bool spot, int nodes, int gpus) const;

  /// Providers that credits are left of, each once.
  const std::vector<std::string_view>& credited_providers() const { return providers_; }
  /// What they pay of a bill there: each in the order in which they end, and of what is billed until then. Bills grow
  /// evenly over the `time` of the job.
  Dollars credited(std::string_view provider, Dollars bill, Seconds time) const;

 private:
  template <class T>
  struct Lasting {
    const T* terms = nullptr;
    Seconds left{std::numeric_limits<double>::infinity()};  ///< from the start of the job
  };
  std::vector<Lasting<Commitment>> commitments_;
  std::vector<Lasting<Credit>> credits_;  ///< the first to end first
  std::vector<std::string_view> providers_;
};

}  // namespace gpuplan
