#include "plan/billing/sampled_timeline.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace gpuplan {

SampledTimeline::SampledTimeline(const Timeline& packed, const std::vector<Slot>& slots,
                                 const std::vector<LeaseCapacity>& leases, const std::vector<Samples>& durations,
                                 double stretch)
    : slots_(slots),
      leases_(leases),
      durations_(durations),
      stretch_(stretch),
      starts_(slots.size()),
      ends_(slots.size()),
      uses_(leases.size()) {
  for (Use& use : uses_) {
    use.asked.fill(std::numeric_limits<double>::infinity());
    use.left.fill(0);
  }
  for (const int phase : packed.turns()) run(static_cast<std::size_t>(phase), packed.behind(phase));
}

void SampledTimeline::run(std::size_t phase, const std::vector<int>& behind) {
  const Slot& slot = slots_[phase];
  Samples& starts = starts_[phase];
  Samples& ends = ends_[phase];
  const auto after = [&](int other) {
    const Samples& until = ends_[static_cast<std::size_t>(other)];
    for (std::size_t s = 0; s < starts.size(); ++s) starts[s] = std::max(starts[s], until[s]);
  };
  starts.fill(0);
  for (const int need : slot.needs) after(need);
  Use* const use = slot.on_machine ? &uses_[static_cast<std::size_t>(slot.lease)] : nullptr;
  if (use != nullptr) {
    const double startup = leases_[static_cast<std::size_t>(slot.lease)].startup.value;
    for (std::size_t s = 0; s < starts.size(); ++s) {
      use->asked[s] = std::min(use->asked[s], starts[s]);
      starts[s] = std::max(starts[s], use->asked[s] + startup);
    }
  }
  for (const int before : behind) after(before);
  const Samples& durations = durations_[phase];
  for (std::size_t s = 0; s < starts.size(); ++s)
    ends[s] = starts[s] + Timeline::sound(Seconds{durations[s] * stretch_}).value;
  if (use == nullptr) return;
  for (std::size_t s = 0; s < starts.size(); ++s) use->left[s] = std::max(use->left[s], ends[s]);
  use->phases.push_back(static_cast<int>(phase));
}

Samples SampledTimeline::wall() const {
  Samples last{};
  for (const Samples& ends : ends_)
    for (std::size_t s = 0; s < last.size(); ++s) last[s] = std::max(last[s], ends[s]);
  return last;
}

Samples SampledTimeline::held(std::size_t lease) const {
  const Use& use = uses_[lease];
  Samples held;
  for (std::size_t s = 0; s < held.size(); ++s) held[s] = use.left[s] - std::min(use.asked[s], use.left[s]);
  return held;
}

Samples SampledTimeline::busy(std::size_t lease) const {
  Samples busy{};
  std::vector<int> phases = uses_[lease].phases;
  for (std::size_t s = 0; s < busy.size(); ++s) {
    const auto use = [&](int phase) {
      const auto i = static_cast<std::size_t>(phase);
      return std::tuple(starts_[i][s], ends_[i][s], slots_[i].rank);
    };
    // Most often they are in order; where they are not, the next sample begins with this order.
    if (!std::ranges::is_sorted(phases, {}, use)) std::ranges::sort(phases, {}, use);
    double until = 0;
    for (const int phase : phases) {
      const auto [from, to, rank] = use(phase);
      busy[s] += std::max(0.0, to - std::max(from, until));
      until = std::max(until, to);
    }
  }
  return busy;
}

}  // namespace gpuplan
