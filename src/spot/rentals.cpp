#include "spot/rentals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math.h"
#include "domain/market/billed_time.h"
#include "spot/histories.h"

namespace gpuplan {
namespace {

/// One rental whose machine lives memoryless.
class Rental {
 public:
  Rental(double rate, const Billing& billing) : rate_(rate) {
    const double at_least = std::max(billing.minimum, billing.term).value;
    block_ = std::max(billing.increment, billing.term).value;
    first_ = block_ > 0 ? std::ceil(at_least / block_ - 1e-9) * block_ : at_least;
    gone_ = -math::expm1(-rate_ * block_);
    past_first_ = math::exp(-rate_ * first_);
  }

  /// Expected to be paid by one that ends when `most` is done, or is taken before.
  double paid(double most) const {
    if (most <= 0) return 0;
    if (most <= first_) return first_;
    if (block_ <= 0) return first_ + (past_first_ - math::exp(-rate_ * most)) / rate_;
    const double blocks = std::ceil((most - first_) / block_ - 1e-9);
    return first_ + block_ * past_first_ * lasting(blocks);
  }

  /// The same of one that begins with a restart and, taken while it works, holds on until a checkpoint is written; what
  /// does not depend on `most` is worked out once.
  class OnNotice {
   public:
    OnNotice(const Rental& rental, double begin, double checkpoint)
        : rental_(rental),
          begin_(begin),
          checkpoint_(checkpoint),
          restarting_(rental.cut_short(begin)),
          writing_(rental.cut_short(begin + checkpoint)),
          left_(math::exp(-rental.rate_ * begin)),
          held_(math::exp(rental.rate_ * checkpoint)) {}

    double paid(double most) const {
      const double bill = rental_.bill(begin_ + most);
      if (most <= checkpoint_) return restarting_ + left_ * bill;
      return restarting_ + held_ * (rental_.cut_short(begin_ + most) - writing_) +
             math::exp(-rental_.rate_ * (begin_ + most - checkpoint_)) * bill;
    }

   private:
    const Rental& rental_;
    double begin_, checkpoint_;
    double restarting_, writing_;  ///< paid by those that are taken until then
    double left_, held_;
  };

 private:
  /// Sum over so many blocks of the chance to begin one, where the first begins for sure.
  double lasting(double blocks) const { return gone_ > 0 ? -math::expm1(-rate_ * block_ * blocks) / gone_ : blocks; }
  double bill(double held) const {
    if (held <= first_ || block_ <= 0) return held > 0 ? std::max(held, first_) : 0;
    return first_ + block_ * std::ceil((held - first_) / block_ - 1e-9);
  }
  /// Of paid(most) the part of those that are taken before.
  double cut_short(double most) const { return most > 0 ? paid(most) - math::exp(-rate_ * most) * bill(most) : 0; }

  double rate_;
  double block_ = 0, first_ = 0;  ///< of time; what is paid in any case
  double gone_ = 0;               ///< chance to be taken within a block
  double past_first_ = 0;         ///< and to be there when more than that is paid
};

}  // namespace

Seconds expected_paid(PerSecond rate, int machines, const Recoverable& how, const Billing& billing) {
  const double r = rate.value * machines;
  const double pieces = how.pieces(), checkpoint = how.checkpoint.value, restart = how.restart.value;
  const double exposed = how.work.value + pieces * checkpoint;
  if (r <= 0) return billed_seconds(Seconds{exposed}, billing);
  const Rental rental(r, billing);
  const ExpectedRun run = expected_run(Lifetimes::exponential(rate, machines), how);
  if (!(run.wall < kHopeless * how.work))  // each ends by being taken
    return Seconds{run.interruptions * rental.paid(kHopeless * how.work.value)};
  const double again = math::exp(r * restart);
  if (how.warned()) {
    const double ended = (pieces - 1) * -math::expm1(-r * checkpoint);  // taken while one was written anyway
    const double rentals = again * (r * how.work.value + ended);
    constexpr int kParts = 1024;  // of the work, of which each is left as likely as another
    double sum = 0;
    const Rental::OnNotice restarted(rental, restart, checkpoint);
    for (int i = 0; i < kParts; ++i) sum += restarted.paid(checkpoint + (exposed - checkpoint) * (i + 0.5) / kParts);
    return Seconds{Rental::OnNotice(rental, 0, checkpoint).paid(exposed) + rentals * sum / kParts};
  }
  const double whole = (how.interval + how.checkpoint).value;
  const double last = exposed - (pieces - 1) * whole;
  double paid = rental.paid(exposed) + again * math::expm1(r * last) * rental.paid(restart + last);
  // Of many pieces as many as show how it goes.
  constexpr double kMost = 512;
  const int taken = static_cast<int>(std::min(pieces - 1, kMost));
  double sum = 0;
  for (int i = 0; i < taken; ++i) {
    const double left = pieces - 1 <= kMost ? i + 1 : (i + 0.5) * (pieces - 1) / taken + 0.5;
    sum += rental.paid(restart + last + left * whole);
  }
  if (taken > 0) paid += again * math::expm1(r * whole) * sum * (pieces - 1) / taken;
  return Seconds{paid};
}

Seconds expected_paid(std::span<const PerSecond> rates, int machines, const Recoverable& how, const Billing& billing) {
  Seconds sum{};
  for (const PerSecond rate : rates) sum += expected_paid(rate, machines, how, billing);
  return sum / static_cast<double>(rates.size());
}

Seconds simulated_paid(const Lifetimes& lives, const Recoverable& how, const Billing& billing, std::uint64_t seed) {
  constexpr std::size_t kHistories = 1024;
  std::vector<History> runs(kHistories);
  simulate_histories(std::span(&lives, 1), how, seed, 1, runs, &billing);
  Seconds sum{};
  for (const History& run : runs) sum += run.paid;
  return sum / static_cast<double>(runs.size());
}

}  // namespace gpuplan
