#include "input/job/settings.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "input/job/address.h"
#include "input/job_fixture.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

constexpr std::string_view kJob = R"(market:
  offers:
    - {gpu: L4, price: $1/h}
    - {gpu: L40S, price: $2/h}
phases:
  - name: verify-run
    train:
      model: gpt2
      data: {samples: 1000}
      sequence: 128
)";

/// The job after the settings as one line, or the error's line.
std::string after(std::initializer_list<std::string_view> settings, std::string_view text = kJob) {
  auto tree = parse_tree(text, "job.yaml").value();
  for (const std::string_view setting : settings) {
    const auto done = set_value(tree, setting);
    if (!done) {
      EXPECT_TRUE(done.error().usage);
      return line_of(done);
    }
  }
  return flow_text(tree);
}

Result<Job> job_after(std::initializer_list<std::string_view> settings) {
  auto source = parse_job(kJob, "job.yaml").value();
  for (const std::string_view setting : settings) {
    const auto set = set_value(source.tree, setting);
    EXPECT_EQ(line_of(set), "") << setting;
  }
  const ModelFinder models(known());
  return read_job(source, known(), models);
}

TEST(JobSettings, ChangeValuesByAddress) {
  const Job job = job_after({"phases.verify-run.train.epochs=16", "limits.deadline=12 h", "market.offers[1].price=$3/h",
                             "phases[0].train.data.samples=2_000", "where.counts=[1, 2]", "spot.interruptions=>20%"})
                      .value();
  const auto& train = std::get<TrainPhase>(job.phases[0].work);
  EXPECT_EQ(train.epochs, 16);
  EXPECT_EQ(train.data.samples, 2000);
  EXPECT_EQ(job.limits.deadline, 12 * units::hour);
  EXPECT_DOUBLE_EQ(job.market.offers[1].price->p50.value, 3.0 / 3600);
  EXPECT_EQ(job.where.counts, (std::vector{1, 2}));
  EXPECT_EQ(job.spot.band, SpotBand::kAbove20);
}

TEST(JobSettings, ValuesAreYaml) {
  EXPECT_EQ(after({"where={gpus: [L4, 'H100']}", "job=a"}, "phases: 1"),
            "{phases: 1, where: {gpus: [L4, \"H100\"]}, job: a}");
  EXPECT_EQ(after({"limits.deadline=[1, 2"}, "phases: 1"),
            "--set limits.deadline=[1, 2: a list or map where a key is expected; check for a missing ] or }");
}

TEST(JobSettings, EmptyValuesTakeKeysAway) {
  EXPECT_EQ(after({"limits.deadline="}, "limits: {deadline: 3 h, budget: $5}"), "{limits: {budget: $5}}");
  EXPECT_EQ(after({"limits.deadline=", "where.quota.aws="}, "job: a"), "{job: a}");
}

TEST(JobSettings, ATextKeepsItsPlaceInAMap) {
  EXPECT_EQ(after({"phases[0].train.model.frozen=true"}, "phases: [{train: {model: gpt2}}]"),
            "{phases: [{train: {model: {name: gpt2, frozen: true}}}]}");
  EXPECT_EQ(after({"phases[0].train.batch.tokens=1M"}, "phases: [{train: {batch: auto}}]"),
            "{phases: [{train: {batch: {tokens: 1M}}}]}");
}

TEST(JobSettings, ListsGrowByOne) {
  EXPECT_EQ(after({"market.own[0].name=desk", "market.own[0].gpu=L4", "market.own[1].name=lab"}, "job: a"),
            "{job: a, market: {own: [{name: desk, gpu: L4}, {name: lab}]}}");
  EXPECT_EQ(after({"where.gpus[1]=L4"}, "where: {gpus: H100 SXM}"), "{where: {gpus: [H100 SXM, L4]}}");
  EXPECT_EQ(after({"market.offers[7].price=$1/h"}),
            "--set market.offers[7].price=$1/h: market.offers has 2 items; the next one is [2]");
}

TEST(JobSettings, NamesOfHardwareArePartsOfAddresses) {
  const Job job =
      job_after({"phases.verify-run.train.micro.by_gpu.8x H100 SXM=32", "phases.verify-run.train.micro.by_gpu.else=16"})
          .value();
  const auto& train = std::get<TrainPhase>(job.phases[0].work);
  EXPECT_EQ(train.micro.on("H100 SXM", 8), 32);
  EXPECT_EQ(train.micro.on("L4", 1), 16);
}

TEST(JobSettings, WordsOfOtherProgramsAreAnswered) {
  EXPECT_EQ(after({"seq_len=4096"}), "--set seq_len=4096: unknown key 'seq_len'; did you mean sequence?");
  EXPECT_TRUE(after({"phases.verify-run.train.gradient_checkpointing=true"}).find("did you mean recompute?") !=
              std::string::npos);
  EXPECT_NE(after({"lora.r=8"}).find("did you mean rank"), std::string::npos) << after({"lora.r=8"});
}

TEST(JobSettings, UnknownAddressesAreUsageErrors) {
  EXPECT_EQ(
      after({"phases.verify-run.train.epoch=3"}),
      "--set phases.verify-run.train.epoch=3: unknown key 'epoch' in phases.verify-run.train. Did you mean 'epochs'?");
  EXPECT_EQ(
      after({"phases.verify_runs.train.epochs=3"}),
      "--set phases.verify_runs.train.epochs=3: nothing in phases is named 'verify_runs'. Did you mean 'verify-run'?");
  EXPECT_EQ(after({"limit.deadline=3 h"}), "--set limit.deadline=3 h: unknown key 'limit'. Did you mean 'limits'?");
  EXPECT_EQ(
      after({"limits.deadline.hours=3"}),
      "--set limits.deadline.hours=3: limits.deadline has no keys inside; expected a time such as 12 h or 45 min");
  EXPECT_EQ(after({"limits[0]=3"}), "--set limits[0]=3: limits is not a list");
  EXPECT_EQ(after({"limits.deadline"}), "--set limits.deadline: expected ADDRESS=VALUE such as limits.deadline=12h");
  for (const std::string address :
       {"", ".", "a..b", "limits.", "[0]", "phases[", "phases[x]", "phases[0]x", "phases[-1]"})
    EXPECT_EQ(after({address + "=1"}), "--set " + address + "=1: '" + address +
                                           "' is not a key of a job; expected one such as limits.deadline, "
                                           "phases.train.train.epochs or market.offers[2].price");
  EXPECT_EQ(after({"where.\x1b[31m=1"}).find('\x1b'), std::string::npos);
  EXPECT_EQ(after({"phases.verify-run.args.\x93=1"}),
            "--set phases.verify-run.args.?=1: 'phases.verify-run.args.?' is not a key of a job; expected one such as "
            "limits.deadline, phases.train.train.epochs or market.offers[2].price");
  EXPECT_EQ(after({"variants.x=1"}), "--set variants.x=1: variants cannot be set with --set; edit the job file");
  EXPECT_EQ(after({"goal=\x1b[31m"}), "--set goal=?[31m: expected UTF-8 text without control characters");
}

TEST(JobSettings, UnitsAndListsAreReadAsInAFile) {
  const Job job =
      job_after({"limits.deadline=1 h 30 min", "limits.budget=$1,250", "where.inet_down=200 Mbit/s",
                 "where.gpus=[L4, 4x RTX 4090]", "where.counts=4", "market.as_of=2026-01",
                 "phases.verify-run.train.data={tokens: 1.5B}", "phases.verify-run.train.batch.tokens=500k",
                 "phases.verify-run.given[0]={gpu: L4, tokens_per_second: 20k-24k}", "phases.verify-run.needs="})
          .value();
  EXPECT_EQ(job.limits.deadline, 90 * units::minute);
  EXPECT_EQ(job.limits.budget, Dollars(1250));
  EXPECT_DOUBLE_EQ(job.where.inet_down->value, 25e6);
  ASSERT_EQ(job.where.gpus.size(), 2U);
  EXPECT_EQ(job.where.gpus[1].count, 4);
  EXPECT_EQ(job.where.counts, std::vector{4});
  EXPECT_EQ(job.market.as_of, "2026-01");
  const auto& train = std::get<TrainPhase>(job.phases[0].work);
  EXPECT_EQ(train.data.tokens, Tokens(1.5e9));
  EXPECT_FALSE(train.data.samples);
  EXPECT_EQ(train.batch->tokens, Tokens(5e5));
  EXPECT_EQ(job.phases[0].given.at(0).tokens_per_second->p90, TokensPerSecond(24e3));
}

TEST(JobSettings, WhatIsRequiredStays) {
  EXPECT_EQ(after({"phases="}), "--set phases=: phases is required and cannot be removed");
  EXPECT_EQ(after({"phases.verify-run.name="}),
            "--set phases.verify-run.name=: phases.verify-run.name is required and cannot be removed");
  EXPECT_EQ(after({"market.offers[0]="}),
            "--set market.offers[0]=: market.offers[0]: a list item cannot be removed; set the whole list");
}

TEST(JobSettings, NamesOfTheFileAreHarmlessInHints) {
  EXPECT_EQ(after({"phases.tra_in.train.epochs=6"}, "phases: [{name: \"tra\\n in\"}]"),
            "--set phases.tra_in.train.epochs=6: nothing in phases is named 'tra_in'. Did you mean 'tra? in'?");
}

TEST(JobSettings, BadValuesAreUsageErrorsWithTheAddress) {
  const auto job = job_after({"phases.verify-run.train.epochs=-3"});
  ASSERT_FALSE(job);
  EXPECT_TRUE(job.error().usage);
  EXPECT_EQ(line_of(job), "--set phases.verify-run.train.epochs: expected more than 0 and at most 1,000,000, got '-3'");
}

TEST(JobSettings, EveryWrongValueIsOneLine) {
  const auto wrong = [](std::string_view setting) { return line_of(job_after({setting})); };
  EXPECT_EQ(wrong("limits.deadline=-3 h"), "--set limits.deadline: expected more than 0 s, got '-3 h'");
  EXPECT_EQ(wrong("limits.deadline=nan"), "--set limits.deadline: expected a time such as 12 h or 45 min, got 'nan'");
  EXPECT_EQ(wrong("limits.deadline=1e-300 s"),
            "--set limits.deadline: expected a time such as 12 h or 45 min, got '1e-300 s' (it is too small)");
  EXPECT_EQ(wrong("limits.deadline={hours: 3}"),
            "--set limits.deadline: expected a time such as 12 h or 45 min, got a map");
  EXPECT_EQ(wrong("limits={deadline: 3 h, foo: 1}"),
            "--set limits: unknown key 'foo'; known keys are deadline, budget, confidence");
  EXPECT_EQ(
      wrong("market.offers[1].gpu=H300"),
      "--set market.offers[1].gpu: unknown GPU 'H300'. Did you mean 'B300', 'H200' or 'H800'? (list: gpuplan gpus)");
  EXPECT_EQ(wrong("phases.verify-run.train.model=gpt7"),
            "--set phases.verify-run.train.model: unknown model 'gpt7'. Did you mean 'GPT-2'? Or give a path to its "
            "config.json, or its size: --params 9B, {params: 9B, layers: 32, hidden: 4096}");
  EXPECT_EQ(wrong("phases=[]"),
            "--set phases: expected a list, each item a map of name, train, generate, collect, "
            "work, fixed, cpu, needs, ..., got an empty list");
  EXPECT_EQ(wrong("goal=&a [*a]"),
            "--set goal: expected best_value, cheapest, fastest or fewest_gpus, got '&a [*a]'; what the job is for, in "
            "words, is purpose");
}

TEST(JobSettings, ShortAddressesAndRelativeValues) {
  const Job job = job_after({"samples=x2", "phases.verify-run.epochs=3", "deadline=12 h", "epochs=x0.5",
                             "market.offers[*].price=+10%", "sequence=-50%"})
                      .value();
  const auto& train = std::get<TrainPhase>(job.phases[0].work);
  EXPECT_EQ(train.data.samples, 2000);
  EXPECT_EQ(train.epochs, 1.5);
  EXPECT_EQ(train.sequence, 64);
  EXPECT_EQ(job.limits.deadline, 12 * units::hour);
  EXPECT_NEAR(job.market.offers[0].price->p50.value * 3600, 1.1, 1e-12);
  EXPECT_NEAR(job.market.offers[1].price->p50.value * 3600, 2.2, 1e-12);
}

TEST(JobSettings, RelativeValuesNeedOneInTheJob) {
  EXPECT_EQ(after({"epochs=x2"}),
            "--set epochs=x2: x2 needs a value in the job, and phases.verify-run.train.epochs has none; expected a "
            "number such as 1500, 50_000 or 25M");
  EXPECT_EQ(after({"market.offers[*].spot_price=x2"}),
            "--set market.offers[*].spot_price=x2: x2 needs a value in the job, and market.offers[0].spot_price has "
            "none; expected a price such as $0.35/h");
  EXPECT_EQ(after({"batch=auto", "batch=x2"}),
            "--set batch=x2: phases.verify-run.train.batch: x2 needs an amount: 'auto' is "
            "none");
  EXPECT_EQ(
      after({"samples=x0"}),
      "--set samples=x0: phases.verify-run.train.data.samples: x0 leaves nothing; use a factor above 0, such as x0.5");
  EXPECT_EQ(after({"samples=-100%"}).find("-100% leaves nothing") != std::string::npos, true);
}

TEST(JobSettings, TextsAreNotRelative) {
  EXPECT_EQ(after({"job=x2", "phases[0].note=+10%", "phases[0].args.rate=x3"}, "phases: [{train: {}}]"),
            "{phases: [{train: {}, note: \"+10%\", args: {rate: x3}}], job: x2}");
  EXPECT_EQ(after({"goal=x2"}, "job: a"), "{job: a, goal: x2}");  // reading the job refuses it
}

TEST(JobSettings, ItemsWithoutTheValueStayWithoutIt) {
  EXPECT_EQ(after({"market.offers[*].spot_price=x2"},
                  "market: {offers: [{gpu: L4}, {gpu: L40S, spot_price: $1/h}, {gpu: T4}]}"),
            "{market: {offers: [{gpu: L4}, {gpu: L40S, spot_price: $2/h}, {gpu: T4}]}}");
}

TEST(JobSettings, WhatEachSettingDid) {
  auto tree = parse_tree(kJob, "job.yaml").value();
  const auto doubled = set_value(tree, "samples=x2").value();
  ASSERT_EQ(doubled.size(), 1U);
  EXPECT_EQ(doubled[0].address, "phases.verify-run.train.data.samples");
  EXPECT_EQ(doubled[0].before, "1000");
  EXPECT_EQ(doubled[0].after, "2000");
  const auto prices = set_value(tree, "offers[*].price=x2").value();
  ASSERT_EQ(prices.size(), 2U);
  EXPECT_EQ(prices[1].address, "market.offers[1].price");
  const auto gone = set_value(tree, "samples=").value();
  EXPECT_EQ(gone[0].before, "2000");
  EXPECT_EQ(gone[0].after, "");
}

TEST(JobSettings, VariantsTakeShortAddressesToo) {
  const Job job =
      read_text_as_job(std::string(kJob) + "variants: {more: {samples: x3, verify-run.epochs: 2}}\n").value();
  ASSERT_EQ(job.variants.size(), 1U);
  const auto source =
      parse_job(std::string(kJob) + "variants: {more: {samples: x3, verify-run.epochs: 2}}\n", "j").value();
  const auto changed = with_variant(source, job.variants[0]).value();
  EXPECT_EQ(value_at(changed.tree, "phases.verify-run.train.data.samples")->text, "3000");
  EXPECT_EQ(value_at(changed.tree, "phases.verify-run.train.epochs")->text, "2");
}

TEST(JobSettings, SettingWhatStandsThereChangesNothing) {
  for (const std::string name : {"collection", "latentwire", "neurlang", "sft-node", "trm-nanochat"}) {
    const auto tree = example_source(name).value().tree;
    const std::string before = flow_text(tree);
    for (const Tree& child : tree.children) {
      if (child.key == "variants") continue;
      Tree copy = tree;
      ASSERT_TRUE(set_value(copy, child.key + "=" + flow_text(child))) << child.key;
      EXPECT_EQ(flow_text(copy), before);
    }
    const Tree& phases = *tree.find("phases");
    for (const Tree& phase : phases.children) {
      for (const Tree& key : phase.children) {
        Tree copy = tree;
        const std::string address = "phases." + phase.find("name")->text + "." + key.key;
        ASSERT_TRUE(set_value(copy, address + "=" + flow_text(key))) << address;
        EXPECT_EQ(flow_text(copy), before);
      }
    }
  }
}

TEST(JobSettings, AMethodWithoutAdaptersTakesTheirSettingsAlong) {
  const auto adapters_after = [](const std::string& setting) {
    auto source = parse_job(
        "phases: {name: a, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k, method: lora, lora: {rank: 8}}}\n",
        "a.yaml");
    EXPECT_TRUE(set_value(source->tree, setting)) << setting;
    return source->tree.find("phases")->find("train")->find("lora") != nullptr;
  };
  EXPECT_TRUE(adapters_after("method=qlora"));
  EXPECT_FALSE(adapters_after("method=full"));
  EXPECT_FALSE(adapters_after("phases.a.train.method=Full"));
  EXPECT_TRUE(adapters_after("epochs=2"));
}

}  // namespace
}  // namespace gpuplan
