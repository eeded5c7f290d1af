#include "input/job/address.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "input/job_fixture.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

constexpr std::string_view kTwoPhases = R"(market:
  offers:
    - {gpu: L4, price: $1/h}
    - {gpu: L40S, price: $2-3/h, spot_price: $1/h}
phases:
  - name: train
    train:
      model: gpt2
      data: {samples: 1000}
      epochs: 2
      sequence: 128
      batch: {sequences: 4}
      micro: {by_gpu: {L4: 2, else: auto}}
  - name: test-it
    needs: train
    work: {items: 10, each: {compile: 2 s, run: 10-20 s}}
    overhead: {time: 1 min}
)";

/// The address in full, several joined by blanks, or the error.
std::string full(std::string_view address, std::string_view text = kTwoPhases) {
  const auto tree = parse_tree(text, "job.yaml").value();
  const auto found = full_addresses(tree, address);
  if (!found) {
    EXPECT_TRUE(found.error().usage);
    return line_of(found);
  }
  std::string all;
  for (const std::string& each : *found) all += (all.empty() ? "" : " ") + each;
  return all;
}

TEST(JobAddress, ShortOnesStandForTheOnlyPlace) {
  EXPECT_EQ(full("epochs"), "phases.train.train.epochs");
  EXPECT_EQ(full("samples"), "phases.train.train.data.samples");
  EXPECT_EQ(full("data.samples"), "phases.train.train.data.samples");
  EXPECT_EQ(full("deadline"), "limits.deadline");
  EXPECT_EQ(full("budget"), "limits.budget");
  EXPECT_EQ(full("sequence"), "phases.train.train.sequence");
  EXPECT_EQ(full("compile"), "phases.test-it.work.each.compile");
  EXPECT_EQ(full("spot_price"), "market.offers[1].spot_price");
  EXPECT_EQ(full("micro.by_gpu.L4"), "phases.train.train.micro.by_gpu.L4");
  EXPECT_EQ(full(" epochs "), "phases.train.train.epochs");
}

TEST(JobAddress, WhatIsStatedGoesFirst) {
  // Both phases could state an overhead; one does.
  EXPECT_EQ(full("overhead.time"), "phases.test-it.overhead.time");
  // Either could be meant, and neither is stated.
  EXPECT_EQ(full("tokens"),
            "'tokens' matches several keys: phases.train.train.data.tokens or phases.train.train.batch.tokens. Write "
            "the full one.");
}

TEST(JobAddress, SeveralPlacesAreNamed) {
  EXPECT_EQ(full("price"),
            "'price' matches several keys: market.offers[0].price or market.offers[1].price. Write the full one. All "
            "of them: market.offers[*].price");
  const std::string two = "phases: [{name: a, train: {model: gpt2, epochs: 1}}, {name: b, train: {epochs: 2}}]";
  EXPECT_EQ(full("epochs", two),
            "'epochs' matches several keys: phases.a.train.epochs or phases.b.train.epochs. Write the full one. All of "
            "them: phases[*].train.epochs");
  EXPECT_EQ(full("b.epochs", two), "phases.b.train.epochs");
  EXPECT_EQ(full("phases[*].train.epochs", two), "phases[0].train.epochs phases[1].train.epochs");
}

TEST(JobAddress, ManyPlacesAreCounted) {
  std::string offers;
  for (int i = 0; i < 20; ++i) offers += "{gpu: L4, price: $1/h}, ";
  const std::string line = full("price", "market: {offers: [" + offers + "]}");
  EXPECT_TRUE(
      line.ends_with("market.offers[5].price or 14 more. Write the full one. All of them: market.offers[*].price"))
      << line;
}

TEST(JobAddress, TheKindOfAPhaseMayBeLeftOut) {
  EXPECT_EQ(full("phases.train.epochs"), "phases.train.train.epochs");
  EXPECT_EQ(full("phases[0].epochs"), "phases[0].train.epochs");
  EXPECT_EQ(full("phases.test-it.each.run"), "phases.test-it.work.each.run");
  EXPECT_EQ(full("train.epochs"), "phases.train.train.epochs");
  EXPECT_EQ(full("test-it.items"), "phases.test-it.work.items");
  // A key of the phase itself is no key of its kind.
  EXPECT_EQ(full("phases.test-it.overhead.share"), "phases.test-it.overhead.share");
  EXPECT_EQ(full("phases.train.epoch"), "unknown key 'epoch' in phases.train. Did you mean 'epochs'?");
  EXPECT_EQ(full("phases.test-it.itms"), "unknown key 'itms' in phases.test-it. Did you mean 'items'?");
}

TEST(JobAddress, StepsBetweenMayBeLeftOut) {
  EXPECT_EQ(full("train.samples"), "phases.train.train.data.samples");
  EXPECT_EQ(full("test-it.run"), "phases.test-it.work.each.run");
  EXPECT_EQ(full("samples.train"), "samples.train");  // in another order it is another address
  const std::string two =
      "phases: [{name: a, generate: {data: [{samples: 1}]}}, {name: b, generate: {data: "
      "[{samples: 2}, {samples: 3}]}}]";
  EXPECT_EQ(full("a.samples", two), "phases.a.generate.data[0].samples");
  EXPECT_EQ(full("b.samples", two),
            "'b.samples' matches several keys: phases.b.generate.data[0].samples or phases.b.generate.data[1].samples. "
            "Write the full one.");
}

TEST(JobAddress, EveryItemOfAList) {
  EXPECT_EQ(full("market.offers[*].price"), "market.offers[0].price market.offers[1].price");
  EXPECT_EQ(full("offers[*].price"), "market.offers[0].price market.offers[1].price");
  EXPECT_EQ(full("phases[*].overhead.share"), "phases[0].overhead.share phases[1].overhead.share");
  EXPECT_EQ(full("market.pools[*].price"), "'market.pools[*].price' needs items in market.pools, and the job has none");
}

TEST(JobAddress, AnUnknownKeyIsLookedForWhereItsFirstWordLeads) {
  EXPECT_EQ(full("train.foo"), "phases.train.train.foo");
  EXPECT_EQ(full("where.foo"), "where.foo");
  const std::string two = "phases: [{name: a, train: {epochs: 1}}, {name: b, train: {epochs: 1}}]";
  EXPECT_EQ(full("train.foo", two), "phases.b.train.foo");
}

TEST(JobAddress, SlipsGetAHint) {
  EXPECT_EQ(full("epoch"), "unknown key 'epoch'. Did you mean 'epochs'?");
  EXPECT_EQ(full("dedline"), "unknown key 'dedline'. Did you mean 'deadline'?");
  EXPECT_EQ(full("xyzzy"), "xyzzy");  // whoever uses the address lists the keys of the top
}

TEST(JobAddress, NamesThatAreNoStepsAreLeftOut) {
  const std::string job = R"(phases: [{name: "a.b", train: {epochs: 3}, args: {"x[0]": 1, "y=1": 2, good: 3}}])";
  EXPECT_EQ(full("epochs", job), "phases[0].train.epochs");
  EXPECT_EQ(full("good", job), "phases[0].args.good");
  const auto tree = parse_tree(job, "job.yaml").value();
  for (const JobPlace& place : places(tree)) EXPECT_TRUE(address_steps(place.address)) << place.address;
}

TEST(JobAddress, PlacesHoldTheValuesOfTheJob) {
  for (const std::string name : {"collection", "latentwire", "neurlang", "sft-node", "trm-nanochat"}) {
    const Tree tree = example_source(name).value().tree;
    const std::vector<JobPlace> all = places(tree);
    std::size_t stated = 0;
    for (const JobPlace& place : all) {
      EXPECT_EQ(value_at(tree, place.address), place.tree) << name << " " << place.address;
      if (place.tree == nullptr) continue;
      ++stated;
      const std::string brief = short_address(all, place.address);
      const auto back = full_addresses(tree, brief);
      ASSERT_TRUE(back) << brief;
      EXPECT_EQ(back->front(), place.address) << brief;
    }
    EXPECT_GT(stated, 10U) << name;
  }
}

TEST(JobAddress, PlacesAreDistinct) {
  const auto tree = parse_tree(kTwoPhases, "job.yaml").value();
  std::vector<std::string> addresses;
  for (const JobPlace& place : places(tree)) addresses.push_back(place.address);
  std::ranges::sort(addresses);
  EXPECT_EQ(std::ranges::adjacent_find(addresses), addresses.end());
}

}  // namespace
}  // namespace gpuplan
