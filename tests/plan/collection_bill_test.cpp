// Space on disks in bills, two passes in place of one, and what is assumed of `collect` phases.
#include <gtest/gtest.h>

#include <algorithm>

#include "plan/strategy/two_passes.h"
#include "searched.h"

namespace gpuplan {
namespace {

std::string job_text(const std::string& offer, const std::string& store, const std::string& more = "") {
  return "market: {use: only, offers: [{gpu: RTX 4090, price: $0.60/h" + offer +
         "}]}\n"
         "phases:\n"
         "  - name: collect\n"
         "    collect:\n"
         "      model: allenai/Olmo-3-7B\n"
         "      data: [{name: prompts, samples: 1500, prompt_tokens: 200, new_tokens: 512}]\n"
         "      weights: fp16\n"
         "      store: {layers: 16, width: 4096, dtype: fp16" +
         store + "}\n" + more;
}

bool any_line(const std::vector<std::string>& lines, const std::string& words) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

constexpr const char* kTenHours = "    given: [{gpu: RTX 4090, time: 10 h, exact: true}]\n";

TEST(CollectionBill, SpaceIsPaidForWhileThePhaseRuns) {
  const Searched free(job_of(job_text("", "", kTenHours)));
  const Searched priced(job_of(job_text(", disk_price: $0.10/GB-month", "", kTenHours)));
  const CollectionUse& use = priced.pick().phases.front().estimate->collection;
  EXPECT_NEAR(use.disk / units::GB, 139.99 + 14.6, 0.1) << "1500 x 93.3 MB and the checkpoint";
  const double dollars = use.disk / units::GB * 0.10 * 10 / 730;
  EXPECT_NEAR(priced.pick().cost.p50.value, free.pick().cost.p50.value + dollars, 0.006);
  EXPECT_NEAR(priced.pick().disk.value, dollars, 0.002);
  EXPECT_NEAR(priced.pick().phases.front().disk.value, dollars, 0.002);
  EXPECT_NEAR(priced.pick().phases.front().cost.p50.value, priced.pick().cost.p50.value, 0.001) << "parts add up";
  EXPECT_EQ(free.pick().disk, Dollars{});
}

TEST(CollectionBill, TheJobMayPriceSpaceWhereOffersDoNot) {
  const Searched offer(job_of(job_text(", disk_price: $0.10/GB-month", "", kTenHours)));
  const Searched job(job_of(job_text("", ", disk_price: $0.10/GB-month", kTenHours)));
  const Searched both(job_of(job_text(", disk_price: $0.10/GB-month", ", disk_price: $9/GB-month", kTenHours)));
  EXPECT_EQ(job.pick().cost.p50, offer.pick().cost.p50);
  EXPECT_EQ(both.pick().cost.p50, offer.pick().cost.p50) << "an offer knows better";
}

TEST(CollectionBill, EachPhaseOnItsOwnOfferPaysForItsSpace) {
  const std::string each = "schedule: each_phase\n";
  const Searched one(job_of(job_text(", disk_price: $0.10/GB-month", "", kTenHours)));
  const Searched apart(job_of(job_text(", disk_price: $0.10/GB-month", "", std::string(kTenHours) + each)));
  EXPECT_NEAR(apart.pick().cost.p50.value, one.pick().cost.p50.value, 0.011);
  EXPECT_NEAR(apart.pick().disk.value, one.pick().disk.value, 0.002);
}

TEST(CollectionBill, HostsTooSmallForWhatMemoryKeepsAreLeftOut) {
  Job job = job_of(job_text("", ", to: memory"));
  job.market.offers.front().ram = 64 * units::GiB;
  const Searched none(job, Finds::kPerhapsNothing);
  EXPECT_TRUE(none.result.plans.empty());
  EXPECT_GT(none.result.tally.rejected[static_cast<std::size_t>(Misfit::kHostMemory)], 0);
  job.market.offers.front().ram = 256 * units::GiB;
  const Searched enough(job);
  ASSERT_FALSE(enough.result.plans.empty());
  EXPECT_NEAR(enough.pick().phases.front().estimate->host_memory / units::GB, 140, 0.1);
}

TEST(TwoPasses, ServingAndReadingOnceBeatsHooksInEveryStep) {
  Job single = job_of(job_text("", ""));
  std::get<GeneratePhase>(single.phases.front().work).situation = Situation::kSingle;
  const Searched slow(single);
  const auto two = two_passes(slow.job, slow.pick().phases.front().estimate, known());
  ASSERT_TRUE(two.has_value());
  EXPECT_LT(two->together, two->one * 0.5);
  EXPECT_EQ(two->read.framework->name, "hf");
  EXPECT_NE(two->generate.framework->name, "hf");
  EXPECT_GT(two->read.collection.kept.all, Bytes{});
  EXPECT_EQ(two->generate.collection.kept.all, Bytes{});
  EXPECT_EQ(two->read.collection.kept.all, slow.pick().phases.front().estimate->collection.kept.all)
      << "the same activations";

  std::get<GeneratePhase>(single.phases.front().work).store.reset();
  EXPECT_FALSE(two_passes(single, slow.pick().phases.front().estimate, known()).has_value()) << "nothing is kept";
}

TEST(CollectionNotes, SayWhatTheJobDoesNot) {
  const Searched open(job_of(job_text("", "")));
  const auto& lines = open.result.assumptions;
  EXPECT_TRUE(any_line(lines, "engine: hf")) << "the engine";
  EXPECT_TRUE(any_line(lines, "batches as large as memory holds"));
  EXPECT_TRUE(any_line(lines, "1.5 GB/s"));
  EXPECT_TRUE(any_line(lines, "no offer lists disk_price"));

  Job said = job_of(job_text(", disk_price: $0.10/GB-month", ", disk_rate: 500 MB/s"));
  auto& collect = std::get<GeneratePhase>(said.phases.front().work);
  collect.engine = "hf";
  collect.situation = Situation::kSingle;
  const Searched stated(said);
  EXPECT_FALSE(any_line(stated.result.assumptions, "engine"));
  EXPECT_FALSE(any_line(stated.result.assumptions, "batches"));
  EXPECT_FALSE(any_line(stated.result.assumptions, "1.5 GB/s"));
  EXPECT_TRUE(any_line(stated.result.assumptions, "paid for while the phase runs."));

  collect.engine = "vllm";
  const Searched graphs(said);
  EXPECT_TRUE(any_line(graphs.result.assumptions, "hooks keep vllm from replaying captured graphs"));
}

}  // namespace
}  // namespace gpuplan
