// What was drawn once and is asked for again: schedules of one search differ in a few phases, and hold the others
// alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/shared.h"
#include "plan/billing/error_factors.h"
#include "plan/billing/interruptions.h"
#include "plan/billing/samples.h"

namespace gpuplan {

/// The time of one phase in all joint samples, without buffer.
struct DrawnTime {
  Samples seconds{};
  Strata order{};  ///< the strata that they mostly follow
  Seconds median{};
  Outcome<Seconds> told{};

  /// Of samples and order, the rest.
  void tell();
};

/// What the drawn time of a phase follows from. An exact time draws from no factor: its `Draw` says so.
struct TimeKey {
  /// Which strata are drawn from: one stream (and no weights), or several streams by their weights.
  struct Draw {
    static constexpr int kNone = -1, kWeighed = -2;
    int stream = kNone;
    ErrorWeights weights{};
    auto operator<=>(const Draw&) const = default;
  };
  Interval<Seconds> work{}, extra{};
  Draw works{};
  int extras = Draw::kNone;
  auto operator<=>(const TimeKey&) const = default;
};

/// What a phase has to do on machines that can be taken away. The buffer is time on machines like any other.
struct ExposedPhase {
  SpotTerms terms;
  Seconds busy{};  ///< as it would be without interruptions
  Seconds work{};  ///< of it what the terms add checkpoints to
};
/// Rare interruptions alone would ask for fewer checkpoints than the phase writes anyway: it writes those still.
Seconds written_anyway(const ExposedPhase& phase, const InterruptedPhase& met);

/// The drawn time of a phase with its interruptions inside.
struct InterruptedTime {
  Shared<DrawnTime> time;
  std::optional<Samples> away{};    ///< of it without machines; nullopt where nobody waits for new ones
  Shared<Samples> interruptions{};  ///< as many as what each sample loses tells
};

/// Keeps what it has drawn, up to a bound. For one thread at a time.
class DrawnTimes {
 public:
  explicit DrawnTimes(std::uint64_t seed) : seed_(seed), scores_(seed) {}

  const Scores& scores() const { return scores_; }

  /// Work and what stands beside it. The streams of weights count from `first` on.
  Shared<DrawnTime> time(const TimeKey& key, int first);

  /// An offer's price in dollars a second.
  Samples price(const Interval<DollarsPerSecond>& price, int stream);

  /// interrupted_phase(), a quantile for each sample.
  const InterruptedPhase& interrupted(const SpotTerms& terms, Seconds work);

  /// paid_beyond() of it.
  Seconds paid_beyond(const ExposedPhase& phase, const Billing& billing);

  /// time() of a phase that meets interruptions, whose luck is drawn from stream `luck`. Until the next call.
  const InterruptedTime& time(const TimeKey& key, int first, const ExposedPhase& phase, int luck);

 private:
  struct Interrupted {
    SpotTerms terms;
    Seconds work{};
    InterruptedPhase phase;
  };

  struct PaidBeyond {
    SpotTerms terms;
    Seconds work{};
    Billing billing;
    Seconds beyond{};
  };

  struct InterruptedKey {
    TimeKey time;
    std::size_t met = 0;  ///< position in `interrupted_`
    Seconds busy{};
    int luck = 0;
    auto operator<=>(const InterruptedKey&) const = default;
  };

  /// Its place in `interrupted_`.
  std::size_t met(const SpotTerms& terms, Seconds work);

  std::uint64_t seed_;
  Scores scores_;
  std::map<TimeKey, Shared<DrawnTime>> times_;
  std::map<Interval<Seconds>, Samples> rising_;  ///< times in rising order of the score
  std::map<std::pair<Interval<DollarsPerSecond>, int>, Samples> prices_;
  std::vector<Interrupted> interrupted_;
  std::vector<PaidBeyond> paid_beyond_;
  std::map<InterruptedKey, InterruptedTime> interrupted_times_;
};

}  // namespace gpuplan
