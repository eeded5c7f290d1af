// What a search takes grows with what it is asked, and not with its square. Counted in bytes taken from the heap, which
// do not depend on how busy the machine is.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "launch/launch_folder.h"
#include "launch/launched.h"
#include "launch/to/launchers.h"
#include "output/words/plan_report.h"
#include "plan/billing/timeline.h"
#include "plan/searched.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPUPLAN_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif
#endif

namespace {

std::atomic<std::size_t> taken{0};

#ifdef GPUPLAN_SANITIZED
// The sanitizer has its own operators, which notice memory that is freed in another way than it was taken.
[[maybe_unused]] const int counting = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t size) { taken += size; }, [](const volatile void*) {});
#else
void* counted(std::size_t size) noexcept {
  taken += size;
  return std::malloc(size > 0 ? size : 1);
}

void* counted_or_thrown(std::size_t size) {
  if (void* memory = counted(size)) return memory;
  throw std::bad_alloc();
}
#endif

}  // namespace

#ifndef GPUPLAN_SANITIZED
void* operator new(std::size_t size) { return counted_or_thrown(size); }
void* operator new[](std::size_t size) { return counted_or_thrown(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
#endif

namespace gpuplan {
namespace {

/// Bytes for a search and the names of its plans.
double bytes_of(const Job& job, const std::vector<Offer>& market) {
  const std::size_t before = taken;
  MarketFilter filter;
  const std::vector<Offer> offers = market_for(job, known(), market, filter);
  const auto found = search(job, known(), offers, {});
  EXPECT_TRUE(found.has_value());
  const PlanReport report(*found, job, known());
  EXPECT_GE(report.names.size(), 1U);
  return static_cast<double>(taken - before);
}

/// Half of them on the frontier of some job or near it: dearer ones are taken away less often.
std::vector<Offer> market_of(int size) {
  constexpr DollarsPerSecond kDollar{1.0 / 3600};
  std::vector<Offer> market;
  for (int i = 0; i < size; ++i) {
    Offer& offer = market.emplace_back();
    offer.gpu = "H100 SXM";
    offer.provider = "p" + std::to_string(i % 17);
    offer.region = "r" + std::to_string(i);
    offer.spot_price = exactly(kDollar * (1 + (i % 2 == 0 ? 1.0 : 1.3) * i / size));
    offer.interruptions = exactly(PerSecond{(1 + 20.0 * (size - i) / size) / 3600});
  }
  return market;
}

TEST(Growth, WithOffersIsNoSquare) {
  const Job job = job_of(
      "phases: [{name: t, train: {model: gpt2, data: {tokens: 100M}, epochs: 1, sequence: 1024}}]\n"
      "where: {spot: only}\n");
  const double few = bytes_of(job, market_of(250));
  const double many = bytes_of(job, market_of(1000));
  EXPECT_LT(many, 4 * few * 1.5);
}

/// Phases of one kind of work, in a row or all at once.
Job job_of_phases(int size, bool chain, const std::string& work) {
  std::string text = "phases:\n";
  for (int i = 0; i < size; ++i) {
    text += "  - {name: p" + std::to_string(i) + ", " + work;
    if (chain && i > 0) text += ", needs: [p" + std::to_string(i - 1) + "]";
    text += "}\n";
  }
  return job_of(text + "market: {use: only, offers: [{gpu: H100 SXM, price: 2}, {gpu: T4, gpus: 4, price: 1}]}\n");
}

TEST(Growth, WithPhasesIsNoSquare) {
  const std::string work = "fixed: {gpus: 1, time: 1 min}";
  for (const bool chain : {true, false})
    // The labels of the choice of machines grow with the phases up to their cap.
    EXPECT_LT(bytes_of(job_of_phases(160, chain, work), {}), 4 * bytes_of(job_of_phases(40, chain, work), {}) * 1.7)
        << (chain ? "chain" : "side by side");
}

TEST(Growth, OfATimelineOnMachinesOfItsOwnForEachPhaseIsNoSquare) {
  const auto bytes = [](int size) {
    std::vector<Slot> slots(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      Slot& slot = slots[static_cast<std::size_t>(i)];
      slot.gpus = 1;
      slot.on_machine = true;
      slot.lease = slot.rank = i;
      if (i > 0) slot.needs = {i - 1};
    }
    const std::size_t before = taken;
    Timeline timeline(slots, std::vector<LeaseCapacity>(slots.size(), LeaseCapacity{1, {}}));
    timeline.place(std::vector<Seconds>(slots.size(), Seconds{60}));
    EXPECT_EQ(timeline.end(), Seconds{60.0 * size});
    return static_cast<double>(taken - before);
  };
  EXPECT_LT(bytes(400), 4 * bytes(100) * 1.3);
}

TEST(Growth, OfLaunchFilesWithPhasesIsNoSquare) {
  const auto launcher = std::ranges::find(launchers(), "bash", &Launcher::name);
  ASSERT_NE(launcher, launchers().end());
  const auto bytes = [&](int size) {
    const Launched launched(job_of_phases(size, false, "train: {model: gpt2, data: {tokens: 1M}, sequence: 1024}"));
    const std::size_t before = taken;
    const auto folder = launch_folder(*launched.launch, *launcher, "{}");
    EXPECT_TRUE(folder.has_value());
    return static_cast<double>(taken - before);
  };
  EXPECT_LT(bytes(80), 4 * bytes(20) * 1.3);
}

TEST(Growth, OfManyPlansThatBeatOneTheNearestAreNamed) {
  const Job job = job_of(
      "phases: [{name: t, train: {model: gpt2, data: {tokens: 100M}, epochs: 1, sequence: 1024}}]\n"
      "where: {spot: only}\n");
  MarketFilter filter;
  const std::vector<Offer> offers = market_of(300);
  const std::vector<Offer> market = market_for(job, known(), offers, filter);
  const auto found = search(job, known(), market, {});
  ASSERT_TRUE(found.has_value());
  for (const Plan& plan : found->plans) {
    EXPECT_LE(plan.dominated_by.size(), kMostDominators);
    Dollars above = plan.cost.p50;
    for (const int position : plan.dominated_by) {
      const Plan& by = found->plans[static_cast<std::size_t>(position)];
      EXPECT_TRUE(by.on_frontier);
      EXPECT_LE(by.hours.p50, plan.hours.p50);
      EXPECT_LE(by.cost.p50, above) << "nearest in cost first";
      above = by.cost.p50;
    }
  }
}

TEST(Growth, SpotThatIsNeverTakenAwayLosesNothing) {
  for (const char* rate : {"0%/h", "0.000001%/h", "0.1%/h", "20%/h"}) {
    const Searched found(job_of(
        "phases: [{name: t, train: {model: {layers: 12, hidden: 768}, data: {tokens: 1B}, sequence: 1024, batch: "
        "{sequences: 64}}}]\n"
        "market: {use: only, offers: [{gpu: H100 SXM, price: 2, spot_price: 1}]}\n"
        "where: {spot: only}\nspot: {interruptions: " +
        std::string(rate) + "}\n"));
    for (const Plan& plan : found.result.plans) EXPECT_GE(plan.spot_loss.value, 0) << rate;
  }
}

}  // namespace
}  // namespace gpuplan
