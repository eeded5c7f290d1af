#include "plan/billing/sampled_timeline.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace gpuplan {
namespace {

/// Phases that need some of those before them, on two leases or on none.
std::vector<Slot> random_slots(std::size_t phases, Random& random) {
  std::vector<Slot> slots(phases);
  for (std::size_t i = 0; i < phases; ++i) {
    Slot& slot = slots[i];
    slot.rank = static_cast<int>(i);
    for (std::size_t need = 0; need < i; ++need)
      if (random.uniform01() < 0.25) slot.needs.push_back(static_cast<int>(need));
    slot.on_machine = random.uniform01() < 0.85;
    if (!slot.on_machine) continue;
    slot.lease = random.uniform01() < 0.5 ? 0 : 1;
    slot.gpus = static_cast<int>(random.uniform01() * 5);
  }
  return slots;
}

TEST(SampledTimeline, SaysOfEachSampleWhatTheTimelineSays) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const std::vector<Slot> slots = random_slots(1 + static_cast<std::size_t>(round) % 9, random);
    const std::vector<LeaseCapacity> leases = {{4, Seconds{round % 2 == 0 ? 0.0 : 30.0}}, {8, {}}};
    std::vector<Samples> durations(slots.size());
    std::vector<Seconds> medians;
    constexpr double kStretch = 1.1;
    for (Samples& of : durations) {
      const double usual = 100 * random.uniform01();
      for (double& seconds : of) seconds = usual * (0.3 + random.uniform01());
      medians.push_back(Seconds{usual * kStretch});
    }
    Timeline timeline(slots, leases);
    timeline.place(medians);
    timeline.follow(medians);
    const SampledTimeline sampled(timeline, slots, leases, durations, kStretch);
    const Samples wall = sampled.wall();
    for (std::size_t s = 0; s < wall.size(); ++s) {
      std::vector<Seconds> one;
      for (const Samples& of : durations) one.push_back(Seconds{of[s] * kStretch});
      timeline.follow(one);
      ASSERT_EQ(wall[s], timeline.end().value);
      for (std::size_t lease = 0; lease < leases.size(); ++lease) {
        const auto [from, to] = timeline.held(lease);
        ASSERT_EQ(sampled.held(lease)[s], (to - from).value);
        ASSERT_EQ(sampled.busy(lease)[s], timeline.busy(lease).value);
      }
    }
  }
}

}  // namespace
}  // namespace gpuplan
