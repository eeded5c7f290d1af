// Time that is not work: each term by hand, what a job's own figures replace, checkpoints and their bytes, jobs in a
// row where a pool limits how long one may run, and the price of disks and of traffic out.
#include "plan/strategy/phase_terms.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "searched.h"

namespace gpuplan {
namespace {

constexpr double kOlmo = 7.298e9;  // parameters of Olmo-3-7B, to a per mille

std::string market(const std::string& offer = "{gpu: A100 SXM 80GB, gpus: 8, price: $20/h}") {
  return "market: {use: only, offers: [" + offer + "]}\n";
}

/// Fine-tuning of all weights for 100 steps of one second, on eight GPUs in one machine.
std::string training(const std::string& more = "", const std::string& train = "", const std::string& top = "",
                     const std::string& offer = "{gpu: A100 SXM 80GB, gpus: 8, price: $20/h}") {
  return market(offer) +
         "phases:\n"
         "  - name: sft\n"
         "    train:\n"
         "      model: allenai/Olmo-3-7B\n"
         "      data: {samples: 6400, tokens_per_sample: 1000}\n"
         "      epochs: 1\n"
         "      sequence: 1024\n"
         "      batch: {sequences: 64}\n"
         "      precision: bf16\n"
         "      framework: hf-trainer\n" +
         train + "    given: [{gpu: A100 SXM 80GB, gpus: 8, seconds_per_step: 1 s, exact: true}]\n" + more + top;
}

constexpr const char* kRates =
    "storage: {disk_rate: 1 GB/s, download_rate: 500 MB/s, upload_rate: 250 MB/s, exact: true}\n";

PhaseEstimate estimate(const std::string& text) {
  const Searched found(job_of(text));
  EXPECT_FALSE(found.result.plans.empty()) << text;
  return found.result.plans.empty() ? PhaseEstimate{} : *found.pick().phases.front().estimate;
}

double seconds(const PhaseEstimate& of, TimeTerm term) { return of.term(term).p50.value; }

Interval<Seconds> sum(const PhaseEstimate& of) {
  Interval<Seconds> all{};
  for (const Interval<Seconds>& term : of.terms) all = all + term;
  return all;
}

TEST(PhaseTerms, AreTheBytesOverTheRatesThatTheJobStates) {
  const PhaseEstimate sft = estimate(training("", "", kRates));
  EXPECT_NEAR(sft.weights_bytes / units::GB, kOlmo * 2 / 1e9, 0.1) << "as they are published, in 16 bit";
  // 6400 samples of 1000 tokens of 4 bytes.
  EXPECT_NEAR(sft.data_bytes / units::MB, 25.6, 1e-9);
  EXPECT_NEAR(seconds(sft, TimeTerm::kFetch), (14.6e9 + 25.6e6) / 500e6, 0.2);
  // From the disk at 1 GB/s, then a GPU's part over PCIe in a second or two.
  EXPECT_GT(seconds(sft, TimeTerm::kLoad), 14.5);
  EXPECT_LT(seconds(sft, TimeTerm::kLoad), 17);
  EXPECT_EQ(sft.fetch, sft.term(TimeTerm::kFetch));
  EXPECT_EQ(sft.origin(TimeTerm::kLoad), TermOrigin::kModel);
  EXPECT_EQ(sft.origin(TimeTerm::kWarmUp), TermOrigin::kAssumed);
}

/// A fabric of GPUs is no way to storage, and a burst of a minute is no rate to plan by: for every machine of
/// data/nodes.csv that is known to move less than the job says, the machine's own network is what counts.
TEST(PhaseTerms, NothingIsFetchedFasterThanTheMachineCan) {
  const auto storage = [](int gigabytes) {
    return "storage: {download_rate: " + std::to_string(gigabytes) +
           " GB/s, upload_rate: " + std::to_string(gigabytes) + " GB/s, exact: true}\n";
  };
  int limited = 0;
  for (const Node& node : known().nodes) {
    if (node.front.value <= 0 || node.gpus != 8 || node.gpu != "A100 SXM 80GB") continue;
    const std::string offer =
        "{gpu: A100 SXM 80GB, gpus: 8, price: $20/h, provider: " + node.provider + ", instance: " + node.instance + "}";
    const PhaseEstimate fast = estimate(training("", "", storage(50), offer));
    const double bytes = fast.weights_bytes.value + fast.data_bytes.value;
    ASSERT_GT(bytes, 1e9) << node.instance;
    EXPECT_NEAR(seconds(fast, TimeTerm::kFetch), bytes / std::min(node.front.value, 50e9), 0.05) << node.instance;
    const PhaseEstimate slow = estimate(training("", "", storage(1), offer));
    EXPECT_NEAR(seconds(slow, TimeTerm::kFetch), bytes / 1e9, 0.05) << node.instance;
    ++limited;
  }
  EXPECT_GE(limited, 2);
}

TEST(PhaseTerms, AddUpToTheTimeBesideTheWork) {
  for (const char* name : kExamples) {
    const Searched found(example_job(name));
    for (const Plan& plan : found.result.plans) {
      for (const PhasePlan& part : plan.phases) {
        // What a machine has already is taken out of both: the last bits may differ.
        EXPECT_NEAR(part.estimate->extra.p50.value, sum(part.estimate).p50.value, 1e-6) << name;
        EXPECT_NEAR(part.estimate->extra.p90.value, sum(part.estimate).p90.value, 1e-6) << name;
        EXPECT_LE(part.estimate->fetch.p50, part.estimate->extra.p50) << name;
        EXPECT_LE(part.estimate->extra.p10, part.estimate->extra.p90) << name;
      }
    }
  }
}

TEST(PhaseTerms, AreAssumedWithARangeWhereNobodySays) {
  const PhaseEstimate sft = estimate(training());
  EXPECT_EQ(sft.origin(TimeTerm::kFetch), TermOrigin::kAssumed);
  EXPECT_NEAR(seconds(sft, TimeTerm::kFetch), 14.62e9 / 300e6, 0.5);
  EXPECT_NEAR(sft.term(TimeTerm::kFetch).p90.value, 14.63e9 / 100e6, 1);
  EXPECT_NEAR(sft.term(TimeTerm::kFetch).p10.value, 14.61e9 / 900e6, 0.2);
  EXPECT_FALSE(sft.term(TimeTerm::kLoad).exact());
}

TEST(PhaseTerms, TheLeastDownloadRateOfWhereStandsForTheMachines) {
  const PhaseEstimate sft = estimate(training("", "", "where: {inet_down: 200 Mbit/s}\nstorage: {data: 0 GB}\n"));
  EXPECT_NEAR(seconds(sft, TimeTerm::kFetch), 14.6e9 / 25e6, 5) << "200 Mbit/s are 25 MB/s";
  EXPECT_EQ(sft.origin(TimeTerm::kFetch), TermOrigin::kModel);
}

TEST(PhaseTerms, SetupStandsForTheStartAndAnOverheadForEverything) {
  const PhaseEstimate plain = estimate(training());
  const PhaseEstimate setup = estimate(training("    setup: {time: 3 min, exact: true}\n"));
  const PhaseEstimate none = estimate(training("    setup: {time: 0 s}\n"));
  const PhaseEstimate overhead = estimate(training("    overhead: {time: 5 min, exact: true}\n"));
  for (const TimeTerm term : {TimeTerm::kFetch, TimeTerm::kLoad, TimeTerm::kWarmUp}) {
    EXPECT_GT(seconds(plain, term), 0);
    for (const PhaseEstimate* stated : {&setup, &none, &overhead}) EXPECT_EQ(seconds(*stated, term), 0);
  }
  EXPECT_EQ(seconds(setup, TimeTerm::kSetup), 180);
  EXPECT_EQ(seconds(setup, TimeTerm::kCheckpoint), seconds(plain, TimeTerm::kCheckpoint)) << "not part of a set-up";
  EXPECT_EQ(overhead.extra, exactly(Seconds{300}));
  EXPECT_EQ(estimate(training("    overhead: {time: 0 s}\n")).extra, exactly(Seconds{0}));
  EXPECT_GT(estimate(training("    overhead: {share: 10%}\n")).extra.p50, Seconds{0})
      << "a share says nothing of the start";
}

TEST(PhaseTerms, AGivenTimeOfTheWholePhaseHasEverythingInIt) {
  const std::string text = training();
  const std::string rate = "seconds_per_step: 1 s";
  std::string whole = text;
  whole.replace(whole.find(rate), rate.size(), "time: 100 s");
  EXPECT_EQ(estimate(whole).extra, exactly(Seconds{0}));
  EXPECT_GT(estimate(text).extra.p50, Seconds{0}) << "a step's time has no start in it";
}

TEST(PhaseTerms, PhasesWhoseTimeTheJobStatesHaveNothingAssumed) {
  const PhaseEstimate fixed =
      estimate(market() + "phases: [{name: look, fixed: {gpus: 8, time: 1 h}, before: {time: 10 min, exact: true}}]\n");
  EXPECT_EQ(fixed.extra, exactly(Seconds{600}));
  EXPECT_EQ(seconds(fixed, TimeTerm::kManual), 600);
  EXPECT_EQ(fixed.disk_bytes, Bytes{});
}

TEST(PhaseTerms, TrainingFromScratchFetchesNoWeights) {
  const PhaseEstimate scratch = estimate(training("", "      start: scratch\n", kRates));
  EXPECT_EQ(scratch.weights_bytes, Bytes{});
  EXPECT_NEAR(seconds(scratch, TimeTerm::kFetch), 25.6e6 / 500e6, 1e-9) << "data alone";
  EXPECT_EQ(seconds(scratch, TimeTerm::kLoad), 0);

  std::string corpus = training("", "", kRates);
  const std::string samples = "{samples: 6400, tokens_per_sample: 1000}";
  corpus.replace(corpus.find(samples), samples.size(), "{tokens: 100G}");
  EXPECT_EQ(estimate(corpus).weights_bytes, Bytes{}) << "a corpus stated in tokens";
  std::string from = corpus;
  from.replace(from.find("      epochs"), 0, "      start: weights\n");
  EXPECT_NEAR(estimate(from).weights_bytes / units::GB, 14.6, 0.1);
}

TEST(PhaseTerms, CheckpointsHoldWeightsMasterWeightsAndStates) {
  const PhaseEstimate full = estimate(training("", "", kRates));
  const double each = full.checkpoint_bytes.value / kOlmo;
  EXPECT_TRUE(std::abs(each - 12) < 0.1 || std::abs(each - 14) < 0.1) << each << " bytes a parameter under AdamW";
  const PhaseEstimate lion = estimate(training("", "      optimizer: lion\n", kRates));
  EXPECT_NEAR((full.checkpoint_bytes - lion.checkpoint_bytes).value / kOlmo, 4, 0.05) << "one moment, not two";
  const PhaseEstimate lora = estimate(training("", "      method: lora\n", kRates));
  EXPECT_LT(lora.checkpoint_bytes, 0.05 * full.checkpoint_bytes) << "adapters alone";
  EXPECT_NEAR(full.results_bytes / units::GB, 14.6, 0.1) << "the model, in 16 bit";
  EXPECT_LT(lora.results_bytes, units::GB);
}

TEST(PhaseTerms, CheckpointsAreWrittenAsOftenAsTheJobSaysAndAtTheEnd) {
  struct Case {
    const char* rule;
    double count, kept;
  };
  for (const Case& c : {Case{"", 1, 1}, Case{"    checkpoint: {every: 25 steps}\n", 4, 2},
                        Case{"    checkpoint: {every: 30 steps, keep: 3}\n", 4, 3},
                        Case{"    checkpoint: {every: 20 s, keep: all}\n", 5, 5},
                        Case{"    checkpoint: {every: 1 h, keep: all}\n", 1, 1}}) {
    const PhaseEstimate sft = estimate(training(c.rule, "", kRates));
    EXPECT_EQ(sft.checkpoints, c.count) << c.rule;
    EXPECT_EQ(sft.kept_checkpoints, c.kept) << c.rule;
    EXPECT_EQ(sft.checkpoint_rate, BytesPerSecond{1e9});
    EXPECT_NEAR(seconds(sft, TimeTerm::kCheckpoint), c.count * sft.checkpoint_bytes.value / 1e9, 1e-6) << c.rule;
    const Bytes disk = sft.weights_bytes + sft.data_bytes + sft.checkpoint_bytes * c.kept + sft.results_bytes;
    EXPECT_NEAR(sft.disk_bytes.value, disk.value, 1) << c.rule;
  }
  const PhaseEstimate away = estimate(training("    checkpoint: {every: 25 steps, to: 's3://bucket'}\n", "", kRates));
  EXPECT_EQ(away.checkpoint_rate, BytesPerSecond{250e6}) << "uploaded";
  EXPECT_NEAR(away.disk_bytes / units::GB, 2 * 14.6, 0.2) << "weights and the model that comes out";
}

TEST(PhaseTerms, MachinesWriteTheirShardsSideBySide) {
  std::string two = training("", "      parallel: {sharding: zero3}\n", kRates) + "where: {nodes: 2}\n";
  const std::string given = "gpus: 8, seconds_per_step";
  two.replace(two.find(given), given.size(), "gpus: 16, seconds_per_step");
  const PhaseEstimate sft = estimate(two);
  EXPECT_EQ(sft.nodes, 2);
  EXPECT_EQ(sft.checkpoint_rate, BytesPerSecond{2e9});
  EXPECT_NEAR(sft.weights_bytes / units::GB, 2 * 14.6, 0.2) << "each machine fetches them";
  EXPECT_NEAR(seconds(sft, TimeTerm::kFetch), 14.62e9 / 500e6, 0.2) << "at the same time";
}

TEST(PhaseTerms, FasterDisksAndNetworksAreNeverSlower) {
  Seconds before{1e300};
  for (const int factor : {1, 2, 5, 20}) {
    const std::string rate = std::to_string(100 * factor) + " MB/s";
    const PhaseEstimate sft = estimate(training("    checkpoint: {every: 25 steps}\n", "",
                                                "storage: {disk_rate: " + rate + ", download_rate: " + rate +
                                                    ", upload_rate: " + rate + ", results: 's3://bucket'}\n"));
    EXPECT_LT(sft.extra.p50, before);
    EXPECT_NEAR(seconds(sft, TimeTerm::kUpload), sft.results_bytes.value / (1e8 * factor), 1e-6);
    before = sft.extra.p50;
  }
}

TEST(PhaseTerms, EnginesCaptureGraphsForEachModelThatAReplicaRuns) {
  const auto generate = [](const std::string& engine, const std::string& models) {
    return estimate(market("{gpu: A100 SXM 80GB, price: $2/h}") +
                    "phases:\n"
                    "  - name: answer\n"
                    "    generate:\n"
                    "      models: [" +
                    models +
                    "]\n"
                    "      data: [{name: p, samples: 100, prompt_tokens: 100, new_tokens: 100}]\n"
                    "      weights: bf16\n"
                    "      engine: " +
                    engine + "\n");
  };
  const std::string two = "allenai/Olmo-3-7B, {like: allenai/Olmo-3-7B, name: other}";
  EXPECT_EQ(seconds(generate("hf", "allenai/Olmo-3-7B"), TimeTerm::kWarmUp), 20);
  EXPECT_EQ(seconds(generate("vllm", "allenai/Olmo-3-7B"), TimeTerm::kWarmUp), 60);
  EXPECT_EQ(seconds(generate("vllm", two), TimeTerm::kWarmUp), 100);
  EXPECT_NEAR(generate("vllm", two).weights_bytes / units::GB, 2 * 14.6, 0.2);
  EXPECT_EQ(generate("vllm", two).checkpoint_bytes, Bytes{}) << "samples are stored as they come";
  // 2 models x 100 samples x 100 tokens of 4 bytes.
  EXPECT_NEAR(generate("vllm", two).results_bytes.value, 80'000, 1e-6);
}

TEST(PhaseTerms, WhatAnEngineRoundsWhileLoadingIsFetchedAsItIsPublished) {
  const auto gigabytes = [](const std::string& engine, const std::string& weights) {
    return estimate(market("{gpu: H100 SXM, price: $2/h}") +
                    "phases: [{name: a, generate: {model: allenai/Olmo-3-7B, data: {samples: 100, prompt_tokens: 100, "
                    "new_tokens: 100}, engine: " +
                    engine + ", weights: " + weights + "}}]\n")
               .weights_bytes /
           units::GB;
  };
  constexpr double kPublished = 2 * kOlmo / 1e9;
  EXPECT_NEAR(gigabytes("vllm", "fp8"), kPublished, 0.1);
  EXPECT_NEAR(gigabytes("vllm", "nf4"), kPublished, 0.1);
  EXPECT_NEAR(gigabytes("hf", "int8"), kPublished, 0.1);
  EXPECT_NEAR(gigabytes("vllm", "int8"), kPublished / 2, 0.3) << "a copy that somebody quantized";
  EXPECT_LT(gigabytes("vllm", "int4"), kPublished / 3);
  EXPECT_NEAR(gigabytes("tensorrt-llm", "fp8"), kPublished / 2, 0.3);
}

TEST(PhaseTerms, AreInsideTheBuffer) {
  const Searched plain(job_of(training("    setup: {time: 10 min, exact: true}\n", "", kRates)));
  const Searched longer(
      job_of(training("    setup: {time: 10 min, exact: true}\n", "", std::string(kRates) + "buffer: 30%\n")));
  EXPECT_GT(plain.pick().hours.p50, Seconds{700});
  EXPECT_NEAR(longer.pick().hours.p50.value, 1.3 * plain.pick().hours.p50.value, 1);
}

TEST(PhaseTerms, LaterPhasesWithTheSameModelNeedNotFetch) {
  const Job job = example_job("sft-node");
  const auto phase = [&](std::string_view name) { return *std::ranges::find(job.phases, name, &Phase::name); };
  EXPECT_TRUE(fetches_the_same(phase("sft"), phase("verify-generate")));
  Phase other = phase("verify-generate");
  std::get<GeneratePhase>(other.work).models.front().name = "another";
  EXPECT_FALSE(fetches_the_same(phase("sft"), other));
}

TEST(PhaseTerms, APhaseOnTheMachinesOfAnotherFindsWhatItFetched) {
  const Searched found(job_of(training("", "",
                                       std::string("  - name: again\n"
                                                   "    needs: [sft]\n"
                                                   "    on: sft\n"
                                                   "    train: {model: allenai/Olmo-3-7B, data: {samples: 6400, "
                                                   "tokens_per_sample: 1000}, sequence: 1024}\n") +
                                           kRates)));
  const PhaseEstimate& again = found.pick().phases.at(1).estimate;
  EXPECT_EQ(seconds(again, TimeTerm::kFetch), 0);
  EXPECT_GT(seconds(again, TimeTerm::kLoad), 14.5) << "but has to load it";
}

std::string pool(const std::string& limits, const std::string& phase, const std::string& more = "") {
  return "market: {use: only, pools: [{name: lab, gpu: A100 SXM 80GB, gpus: 8, max_time: " + limits +
         "}]}\nwhere: {counts: [8]}\n" + phase + more;
}

constexpr const char* kTenHours =
    "phases:\n"
    "  - name: pretrain\n"
    "    train:\n"
    "      model: allenai/Olmo-3-7B\n"
    "      start: scratch\n"
    "      data: {tokens: 65.536M}\n"
    "      sequence: 1024\n"
    "      batch: {sequences: 64}\n"
    "    setup: {time: 6 min, exact: true}\n"
    "    given: [{gpu: A100 SXM 80GB, gpus: 8, seconds_per_step: 36 s, exact: true}]\n";

TEST(TimeLimits, TrainingGoesOnInAnotherJob) {
  const PhaseEstimate uncut = estimate(pool("12 h", kTenHours, kRates));
  EXPECT_EQ(uncut.jobs, 1);
  EXPECT_EQ(seconds(uncut, TimeTerm::kRestart), 0);
  // 10 h of work, 6 min of set-up and a checkpoint: three jobs of 4 h, each restart with a set-up and the checkpoint
  // before it.
  const PhaseEstimate cut = estimate(pool("4 h", kTenHours, kRates));
  EXPECT_EQ(cut.jobs, 3);
  const double written = cut.checkpoint_bytes.value / 1e9;
  EXPECT_NEAR(seconds(cut, TimeTerm::kRestart), 2 * (360 + written), 1e-6);
  EXPECT_GE(cut.checkpoints, 12) << "a job that ends before its first has done nothing";
  const double more = cut.checkpoints - uncut.checkpoints;
  EXPECT_NEAR((cut.extra.p50 - uncut.extra.p50).value, 2 * (360 + written) + more * written, 1e-6);
  // Every second of the phase lies in one of the jobs.
  EXPECT_LE((cut.work.p90 + cut.extra.p90) / units::hour, 3 * 4.0);
  EXPECT_GT((cut.work.p90 + cut.extra.p90) / units::hour, 2 * 4.0);
}

TEST(TimeLimits, TheBufferIsInsideOfAJob) {
  EXPECT_EQ(estimate(pool("12 h", kTenHours, std::string(kRates) + "buffer: 10%\n")).jobs, 1);
  EXPECT_EQ(estimate(pool("12 h", kTenHours, std::string(kRates) + "buffer: 30%\n")).jobs, 2) << "13.3 h";
}

TEST(TimeLimits, ARestartThatLeavesNoTimeForWorkRulesThePoolOut) {
  const Searched found(job_of(pool("5 min", kTenHours, kRates)), Finds::kPerhapsNothing);
  EXPECT_TRUE(found.result.plans.empty());
  const Tally& tally = found.result.tally;
  EXPECT_GT(tally.rejected[static_cast<std::size_t>(Misfit::kTimeLimit)], 0);
  EXPECT_EQ(tally.feasible, 0);
  EXPECT_EQ(tally.soonest.limit, Seconds{300});
}

TEST(TimeLimits, WorkThatCanNotGoOnNeedsAPoolThatLetsItEnd) {
  const std::string look = "phases: [{name: look, fixed: {gpus: 8, time: 5 h, exact: true}}]\n";
  EXPECT_FALSE(Searched(job_of(pool("5 h", look))).result.plans.empty());
  const Searched found(job_of(pool("4 h", look)), Finds::kPerhapsNothing);
  EXPECT_TRUE(found.result.plans.empty());
  const Tally& tally = found.result.tally;
  EXPECT_EQ(tally.rejected[static_cast<std::size_t>(Misfit::kTimeLimit)], tally.considered);
  EXPECT_EQ(tally.soonest.takes, Seconds{5 * 3600.0});
  EXPECT_EQ(tally.soonest.limit, Seconds{4 * 3600.0});
}

TEST(TimeLimits, TheWaitInAQueueIsRead) {
  const Job job = job_of(pool("4 h, wait: 2-6 h", kTenHours));
  ASSERT_TRUE(job.market.pools.front().wait.has_value());
  EXPECT_EQ(job.market.pools.front().wait->p10, Seconds{7200});
  EXPECT_EQ(job.market.pools.front().wait->p90, Seconds{21600});
}

TEST(TimeLimits, EachJobWaitsAndTheDeadlineCountsIt) {
  const std::string limits = "limits: {deadline: 12 h}\n";
  const Searched at_once(job_of(pool("12 h", kTenHours, kRates + limits)));
  EXPECT_EQ(at_once.pick().wait, Interval<Seconds>{});
  EXPECT_EQ(at_once.pick().chance_in_time, 1);
  const Searched waits(job_of(pool("12 h, wait: 3 h", kTenHours, kRates + limits)));
  EXPECT_EQ(waits.pick().wait, exactly(Seconds{3 * 3600.0}));
  EXPECT_EQ(waits.pick().hours.p50, at_once.pick().hours.p50) << "no part of the hours";
  EXPECT_EQ(waits.pick().chance_in_time, 0);
  // The middle of 1 to 3 h leaves a little more than half of the chance: 10.1 h of the 12 are hours.
  const Searched some(job_of(pool("12 h, wait: 1-3 h", kTenHours, kRates + limits)));
  EXPECT_GT(*some.pick().chance_in_time, 0.4);
  EXPECT_LT(*some.pick().chance_in_time, 0.7);
  const Searched cut(job_of(pool("4 h, wait: 1 h", kTenHours, kRates)));
  EXPECT_EQ(cut.pick().wait, exactly(Seconds{3 * 3600.0})) << "three jobs in a row";
}

TEST(BytesInMoney, DisksOfEveryPhaseArePaidForWhileItRuns) {
  const std::string offer = "{gpu: A100 SXM 80GB, gpus: 8, price: $20/h";
  const Searched free(job_of(training("", "", kRates, offer + "}")));
  const Searched priced(job_of(training("", "", kRates, offer + ", disk_price: $0.10/GB-month}")));
  const PhasePlan& part = priced.pick().phases.front();
  const double dollars = part.estimate->disk_bytes / units::GB * 0.10 * (part.hours.p50 / units::hour) / 730;
  EXPECT_NEAR((priced.pick().cost.p50 - free.pick().cost.p50).value, dollars, 0.011);
  EXPECT_NEAR(part.disk.value, dollars, 0.005);
  EXPECT_NEAR(priced.pick().disk.value, dollars, 0.005);
}

TEST(BytesInMoney, ResultsThatLeaveArePaidForByTheByte) {
  const std::string offer = "{gpu: A100 SXM 80GB, gpus: 8, price: $20/h";
  const Searched free(job_of(training("", "", kRates, offer + "}")));
  const Searched priced(job_of(training("", "", kRates, offer + ", egress_price: $0.09/GB}")));
  const PhasePlan& part = priced.pick().phases.front();
  const double dollars = part.estimate->results_bytes / units::GB * 0.09;
  EXPECT_NEAR(dollars, 14.6 * 0.09, 0.01);
  EXPECT_NEAR((priced.pick().cost.p50 - free.pick().cost.p50).value, dollars, 0.011);
  EXPECT_NEAR(part.egress.value, dollars, 1e-9);
  EXPECT_EQ(part.disk, Dollars{});

  std::string job = kRates;
  job.replace(job.find("exact"), 0, "egress_price: $0.09/GB, ");
  const Searched by_job(job_of(training("", "", job, offer + "}")));
  EXPECT_EQ(by_job.pick().cost.p50, priced.pick().cost.p50);
}

TEST(BytesInMoney, WhatALaterPhaseOnMachinesNeedsStays) {
  Job job = example_job("sft-node");
  const auto leaves = [&](std::string_view name) {
    const auto at = std::ranges::find(job.phases, name, &Phase::name);
    return results_leave(job, static_cast<int>(at - job.phases.begin()));
  };
  EXPECT_FALSE(leaves("sft")) << "verify-generate goes on with it";
  EXPECT_TRUE(leaves("metrics")) << "documentation is written at home";
  job.storage.results = "s3://results";
  EXPECT_TRUE(leaves("sft")) << "what is uploaded leaves";
}

}  // namespace
}  // namespace gpuplan
