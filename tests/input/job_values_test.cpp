// What the values of a job file mean: units, ranges, figures, names of hardware, offers of one's own, models.
#include <gtest/gtest.h>

#include <cmath>

#include <string>
#include <variant>

#include "input/job_fixture.h"
#include "input/models/usual_shape.h"
#include "plan/notes/model_notes.h"

namespace gpuplan {
namespace {

using namespace units;

Job value_job(const std::string& text) {
  const auto job = read_text_as_job(text, "folder/some-job.yaml");
  EXPECT_EQ(line_of(job), "") << text;
  return job.value_or(Job{});
}
Job job_with(const std::string& lines) {
  return value_job("phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n" + lines);
}
Phase value_phase(const std::string& keys) { return value_job("phases: [{name: a, " + keys + "}]").phases.at(0); }
TrainPhase train_of(const std::string& keys) {
  return std::get<TrainPhase>(value_phase("train: {data: {samples: 10M}, sequence: 8, " + keys + "}").work);
}

template <class T>
void expect_range(const Interval<T>& range, double p10, double p50, double p90) {
  EXPECT_NEAR(range.p10.value, p10, 1e-9 * p10);
  EXPECT_NEAR(range.p50.value, p50, 1e-9 * p50);
  EXPECT_NEAR(range.p90.value, p90, 1e-9 * p90);
}

TEST(JobValues, DefaultsOfAJob) {
  const Job job = job_with("");
  EXPECT_EQ(job.name, "some-job");
  EXPECT_FALSE(job.market.only);
  EXPECT_EQ(job.where.spot, SpotUse::kNever);
  EXPECT_EQ(job.limits.confidence, 0.9);
  EXPECT_EQ(job.goal, Goal::kBestValue);
  EXPECT_DOUBLE_EQ(job.value_of_time.value * 3600, 5);
  EXPECT_FALSE(job.value_of_time_given);
  EXPECT_EQ(job.buffer, 0);
  EXPECT_EQ(job.contingency, Dollars(0));
  EXPECT_EQ(job.schedule, Schedule::kBest);
}

TEST(JobValues, CaseOfNamesAndUnitsDoesNotMatter) {
  const Job job = job_with(
      "goal: CHEAPEST\nlimits: {deadline: 55 MIN, budget: USD 50}\nspot: {interruptions: 5%/H}\n"
      "where: {gpus: [h100 sxm, \"4X rtx 4090\", 'RTX 4090:2'], disk: 80 gib, inet_down: 200 MBIT/s}\n");
  EXPECT_EQ(job.goal, Goal::kCheapest);
  EXPECT_EQ(job.limits.deadline, 55 * minute);
  EXPECT_EQ(job.limits.budget, Dollars(50));
  EXPECT_DOUBLE_EQ(job.spot.interruptions->p50.value * 3600, -std::log1p(-0.05));
  EXPECT_EQ(job.where.gpus.at(0).gpu, "H100 SXM");
  EXPECT_EQ(job.where.gpus.at(1).gpu, "RTX 4090");
  EXPECT_EQ(job.where.gpus.at(1).count, 4);
  EXPECT_EQ(job.where.gpus.at(2).count, 2);
  EXPECT_DOUBLE_EQ(job.where.disk->value, 80 * GiB.value);
  EXPECT_DOUBLE_EQ(job.where.inet_down->value, 25e6);
}

TEST(JobValues, BareNumbersMeanTheUnitOfTheSchema) {
  const Job job =
      job_with("limits: {budget: 50}\nvalue_of_time: 10\nbuffer: 0.3\nspot: {interruptions: 0.02, wait: 0}\n");
  EXPECT_EQ(job.spot.wait, Seconds{});  // nothing is nothing in every unit
  EXPECT_EQ(job.limits.budget, Dollars(50));
  EXPECT_DOUBLE_EQ(job.value_of_time.value * 3600, 10);
  EXPECT_DOUBLE_EQ(job.buffer, 0.3);
  EXPECT_DOUBLE_EQ(job.spot.interruptions->p50.value * 3600, 0.02);
}

TEST(JobValues, FiguresAreWithinTwentyPercentUnlessExact) {
  expect_range(std::get<FixedPhase>(value_phase("fixed: {gpus: 1, time: 1 h}").work).time.range, 3000, 3600, 4320);
  expect_range(std::get<FixedPhase>(value_phase("fixed: {gpus: 1, time: 1 h, exact: true}").work).time.range, 3600,
               3600, 3600);
  expect_range(std::get<FixedPhase>(value_phase("fixed: {gpus: 1, time: 1-4 h}").work).time.range, 3600, 7200, 14400);
  const Phase phase = value_phase(
      "fixed: {gpus: 1, time: 1 h}, given: [{gpu: L4, tokens_per_second: 60, exact: true}, {gpu: 2x L4, memory: 12 "
      "GiB}]");
  expect_range(*phase.given.at(0).tokens_per_second, 60, 60, 60);
  EXPECT_EQ(phase.given.at(0).gpus, 0);
  EXPECT_EQ(phase.given.at(1).gpus, 2);
  EXPECT_TRUE(phase.given.at(1).memory->exact()) << "a peak that was seen is no guess";
  EXPECT_NEAR(phase.given.at(1).memory->p50 / GiB, 12, 1e-9);
}

TEST(JobValues, PricesAreExactUnlessTheyAreRanges) {
  const Job job = job_with(
      "market:\n  as_of: 2026-01\n  offers:\n    - {gpu: 8x H100 SXM, price: $20-24/h}\n"
      "    - {gpu: L4, spot_price: 0.2, billing: {minimum: 10 min, increment: 1 min}, disk_price: $0.10/GB-month}\n");
  const Offer& range = job.market.offers.at(0);
  EXPECT_EQ(range.gpus, 8);
  EXPECT_EQ(range.as_of, "2026-01");
  EXPECT_DOUBLE_EQ(range.price->p10.value * 3600, 20);
  EXPECT_DOUBLE_EQ(range.price->p90.value * 3600, 24);
  const Offer& spot = job.market.offers.at(1);
  EXPECT_FALSE(spot.price);
  EXPECT_TRUE(spot.spot_price->exact());
  EXPECT_EQ(spot.billing.minimum, 10 * minute);
  EXPECT_EQ(spot.billing.increment, 1 * minute);
  EXPECT_NEAR(spot.disk_price->value * 1e9 * month.value, 0.10, 1e-12);
}

TEST(JobValues, ANameThatSeveralGpusBeginWithAllowsEachOfThem) {
  const auto named = [](const std::string& list) {
    std::string result;
    for (const GpuChoice& choice : job_with("where: {gpus: " + list + "}").where.gpus)
      result += (choice.count > 0 ? std::to_string(choice.count) + "x " : "") + choice.gpu + ";";
    return result;
  };
  EXPECT_EQ(named("A100"), "A100 PCIe 80GB;A100 SXM 80GB;A100 SXM 40GB;A100 PCIe 40GB;") << "no A100X";
  EXPECT_EQ(named("8x a100-sxm"), "8x A100 SXM 80GB;8x A100 SXM 40GB;");
  EXPECT_EQ(named("[RTX 4060 Ti, 'RTX 4060 Ti:2']"),
            "RTX 4060 Ti 16GB;RTX 4060 Ti 8GB;2x RTX 4060 Ti 16GB;2x RTX 4060 Ti 8GB;")
      << "no card has this name alone";
  EXPECT_EQ(named("[A100 SXM 40GB, A100-80GB, L4]"), "A100 SXM 40GB;A100 SXM 80GB;L4;") << "in full, or another name";
  EXPECT_EQ(named("[V100S PCIe 32GB, RTX 5060]"), "V100S PCIe 32GB;RTX 5060;") << "a name in full is that one alone";
  EXPECT_EQ(named("[L4, l4]"), "L4;") << "said once";
  const Job job = job_with("market: {own: [{name: box, gpu: A100, gpus: 8}]}");
  EXPECT_EQ(job.market.own.at(0).gpu, "A100 SXM 40GB") << "a machine has one kind";
  EXPECT_EQ(job.assumed,
            std::vector<std::string>{"'A100' in market.own is A100 SXM 40GB; A100 PCIe 80GB, A100 SXM 80GB and A100 "
                                     "PCIe 40GB have names of their own."});
  EXPECT_TRUE(job_with("market: {own: [{name: box, gpu: 8x H100 SXM}]}").assumed.empty());
}

/// Chips that are sold two to a package are counted as programs see them, and who names the package is told.
TEST(JobValues, DiesOfAPackageAreGpus) {
  const auto assumed = [](const std::string& list, const std::string& machine) {
    return job_with("market: {" + list + ": [{" + machine + "}]}").assumed;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(assumed("own", "name: box, gpu: MI250, gpus: 4"),
            Lines{"'MI250' in market.own is MI250 GCD, one of 2 dies of an OAM package, which programs see as a GPU: 4 "
                  "GPUs here; for 4 packages write gpus: 8."});
  EXPECT_EQ(assumed("pools", "name: p, gpu: mi250x, gpus: 8").front().find("'mi250x' in market.pools is MI250X GCD"),
            0U);
  EXPECT_NE(assumed("own", "name: box, gpu: 2x MI250").front().find("for 2 packages write gpus: 4."),
            std::string::npos);
  EXPECT_NE(assumed("own", "name: box, gpu: MI250").front().find("for 1 package write gpus: 2."), std::string::npos);
  for (const char* named : {"MI250 GCD", "mi250x gcd", "MI300X", "L40S", "K80"})
    EXPECT_EQ(assumed("own", "name: box, gpus: 4, gpu: " + std::string(named)), Lines{}) << named;
}

TEST(JobValues, OwnBoxesCostElectricityAndPoolsNothing) {
  const Job job = job_with(
      "market:\n  own:\n    - {name: desk, gpu: RTX 4090, gpus: 2, watts: 1 kW, usd_per_kwh: $0.30}\n"
      "    - {name: shelf, gpu: 2x L4, usd_per_kwh: 0.5}\n    - {name: gift, gpu: L4}\n"
      "  pools: [{name: p, gpu: L4, gpus: 4, leave_free: 25%}, {name: q, gpu: L4, price: $0.10/h, leave_free: 2}]\n");
  const Offer& desk = job.market.own.at(0);
  EXPECT_EQ(desk.kind, OfferKind::kOwn);
  EXPECT_EQ(desk.label, "desk");
  EXPECT_NEAR(desk.price->p50.value * 3600, 0.30, 1e-12) << "the whole box: 1 kW at $0.30";
  const double watts = known().find_gpu("L4")->tdp_watts;
  EXPECT_NEAR(job.market.own.at(1).price->p50.value * 3600, 2 * watts / 1000 * 0.5, 1e-12);
  EXPECT_EQ(job.market.own.at(2).price->p50, DollarsPerSecond(0));
  EXPECT_EQ(job.market.pools.at(0).price->p50, DollarsPerSecond(0));
  EXPECT_EQ(job.market.pools.at(0).leave_free, 0.25);
  EXPECT_EQ(job.market.pools.at(1).leave_free, 2);
  EXPECT_NEAR(job.market.pools.at(1).price->p50.value * 3600, 0.10, 1e-12);
}

TEST(JobValues, ValuesByHardware) {
  const TrainPhase train = train_of(
      "model: gpt2, micro: {by_gpu: {\"8x H100 SXM\": 32, H100 SXM: 16, A100 SXM 80GB: 28, else: 4}}, "
      "compile: {by_gpu: {L4: false, else: auto}}");
  EXPECT_EQ(train.micro.on("H100 SXM", 8), 32);
  EXPECT_EQ(train.micro.on("H100 SXM", 4), 16);
  EXPECT_EQ(train.micro.on("A100 SXM 80GB", 8), 28);
  EXPECT_EQ(train.micro.on("L4", 1), 4);
  EXPECT_EQ(train.compile.on("L4", 1), false);
  EXPECT_EQ(train.compile.on("H100 SXM", 1), std::nullopt);
}

TEST(JobValues, Models) {
  const auto model = [](const std::string& text) { return train_of("model: " + text).models.at(0); };
  EXPECT_EQ(model("meta-llama/Llama-3.1-8B").shape.layers, 32);
  const ModelUse like = model("{like: gpt2, name: mine, loops: 2, supervision_steps: 4}");
  EXPECT_EQ(like.name, "mine");
  EXPECT_EQ(like.shape.layers, 12);
  EXPECT_EQ(like.loops, 2);
  EXPECT_EQ(like.supervision_steps, 4);
  EXPECT_NEAR(model("{params: 25M, layers: 6, hidden: 384}").params(), 25e6, 1);
  EXPECT_EQ(model("{layers: 6, hidden: 384}").name, "6 layers x 384");
  EXPECT_EQ(model("{layers: 6, hidden: 384, window: 512}").shape.window_layers, 6);
  const ModelUse custom =
      model("{custom: {params: 25M, flops_per_sample: 1T, activation_bytes_per_sample: 1 GB, kernels_per_step: 2k}}");
  EXPECT_EQ(custom.params(), 25e6);
  EXPECT_EQ(custom.custom->flops_per_sample, Flops(1e12));
  EXPECT_EQ(custom.custom->kernels_per_step, 2000);
  EXPECT_EQ(custom.name, "25M custom model");
  const TrainPhase several = train_of("models: [{name: gpt2, frozen: true}, gpt2], method: full");
  EXPECT_TRUE(several.models.at(0).frozen);
  EXPECT_FALSE(several.models.at(1).frozen);
}

TEST(JobValues, CommonKeysOfPhases) {
  const Phase phase = value_phase(
      "cpu: {time: 1 h}, setup: {run: make, time: 5 min, exact: true}, before: {note: look, time: 1 min}, "
      "args: {lr: 0.001}, command: 'run {gpus}', overhead: {time: 1 min, each_model: 2 min, share: 10%}, "
      "evaluate: {every: 100 steps, time: 20 s}, checkpoint: {every: 5 min, keep: all, to: s3}, "
      "metrics: {x: 'x: (.*)'}, succeed_when: x in 15%..25%, chance_to_pass: 80%, yields: y, note: n");
  EXPECT_EQ(phase.setup->text, "make");
  EXPECT_TRUE(phase.setup->time.range.exact());
  EXPECT_EQ(phase.before->text, "look");
  EXPECT_EQ(phase.args.at(0).second, "0.001");
  EXPECT_DOUBLE_EQ(phase.overhead.share, 0.1);
  EXPECT_EQ(phase.evaluate->every_steps, 100);
  EXPECT_EQ(phase.checkpoint->every_time, 5 * minute);
  EXPECT_EQ(phase.checkpoint->keep, -1);
  EXPECT_EQ(phase.succeed_when.at(0), "x in 15%..25%");
  EXPECT_EQ(phase.chance_to_pass, 0.8);
  EXPECT_EQ(phase.yields + phase.note, "yn");
}

TEST(JobValues, VariantsAreWholeJobs) {
  const std::string text =
      "phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n"
      "variants: {cheap: {where.spot: only, limits.budget: $5}, wide: {phases.a.fixed.gpus: 4}}\n";
  const auto source = parse_job(text, "job.yaml").value();
  const ModelFinder models(known());
  const Job job = read_job(source, known(), models).value();
  ASSERT_EQ(job.variants.size(), 2U);
  const auto variant = [&](std::size_t i) {
    return read_job(with_variant(source, job.variants.at(i)).value(), known(), models).value();
  };
  EXPECT_EQ(variant(0).where.spot, SpotUse::kOnly);
  EXPECT_EQ(variant(0).limits.budget, Dollars(5));
  EXPECT_TRUE(variant(0).variants.empty());
  EXPECT_EQ(std::get<FixedPhase>(variant(1).phases.at(0).work).gpus, 4);
  EXPECT_EQ(job.where.spot, SpotUse::kNever);
  EXPECT_EQ(line_of(with_variant(source, {"none", {}})), "job.yaml: no variant 'none'");
}

TEST(JobValues, ShapesThatContradictThemselvesAreRefused) {
  const auto error = [](const std::string& model) {
    return error_of("phases:\n  - {name: t, train: {model: " + model + ", data: {tokens: 1M}, sequence: 1k}}\n");
  };
  EXPECT_NE(error("{layers: 12, hidden: 768, heads: 7}").find("hidden (768) is no multiple of heads (7)"),
            std::string::npos);
  EXPECT_EQ(error("{layers: 12, hidden: 768, heads: 7, head_dim: 128}"), "");
  EXPECT_NE(error("{params: 7M, layers: 4, hidden: 256, vocab: 500k}").find("fewer than this shape has at the least"),
            std::string::npos);
  EXPECT_EQ(error("{params: 130M, layers: 4, hidden: 256, vocab: 500k, tied: true}"), "");
}

TEST(JobValues, MicroAndAccumulateHaveToDivideABatch) {
  const auto error = [](const std::string& keys) {
    return error_of("phases:\n  - {name: t, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k, " + keys + "}}\n");
  };
  EXPECT_NE(error("micro: 2, accumulate: 3, batch: 16").find("micro 2 x accumulate 3 = 6 sequences a step"),
            std::string::npos);
  EXPECT_EQ(error("micro: 2, accumulate: 4, batch: 16"), "");
  EXPECT_EQ(error("micro: 2, accumulate: 3"), "");
}

/// As --batch takes it.
TEST(JobValues, ABatchMayBeWrittenInTokens) {
  const auto batch = [](const std::string& written) {
    const Job job = value_job(
        "phases:\n  - {name: t, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k, batch: " + written + "}}\n");
    return std::get<TrainPhase>(job.phases[0].work).batch.value();
  };
  for (const char* written : {"0.5M tokens", "{tokens: 0.5M}", "500k Tokens"}) {
    EXPECT_EQ(batch(written).tokens, Tokens{500e3}) << written;
    EXPECT_FALSE(batch(written).sequences) << written;
  }
  EXPECT_EQ(batch("64").sequences, 64);
}

/// A size alone is a model: in a file as in flags, the same one.
TEST(JobValues, ASizeAloneIsAUsualDecoder) {
  for (const char* size : {"25M", "350M", "1.5B", "9B", "70B"}) {
    const auto job = read_text_as_job(std::string("phases: [{name: t, train: {model: {params: ") + size +
                                      "}, data: {tokens: 20M}, sequence: 2048}}]\n");
    ASSERT_TRUE(job) << size << line_of(job);
    const ModelUse& use = std::get<TrainPhase>(job->phases.front().work).models.front();
    EXPECT_TRUE(use.from_size);
    const UsualShape usual = usual_shape(use.shape.published);
    EXPECT_EQ(use.shape.layers, usual.layers) << size;
    EXPECT_EQ(use.shape.hidden, usual.hidden) << size;
    EXPECT_EQ(use.shape.vocab, usual.vocab) << size;
    EXPECT_NEAR(use.params() / use.shape.published, 1, 0.01) << size;
    EXPECT_EQ(model_notes(*job).size(), 1U) << "what it is taken for is told";
  }
  EXPECT_NE(
      error_of("phases: [{name: t, train: {model: {params: 9B, layers: 32}, data: {tokens: 20M}, sequence: 2048}}]\n")
          .find("hidden is missing"),
      std::string::npos);
}

}  // namespace
}  // namespace gpuplan
