// The examples as Job: a dozen facts of each, worked out by hand from the files.
#include <gtest/gtest.h>

#include <cmath>

#include <string>
#include <variant>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

using namespace units;

Job example(const std::string& name) {
  const auto source = example_source(name);
  const ModelFinder models(known());
  const auto job = source ? read_job(*source, known(), models) : Result<Job>(std::unexpected(source.error()));
  EXPECT_EQ(line_of(job), "");
  return job.value_or(Job{});
}

template <class Work>
const Work& work(const Job& job, std::size_t phase) {
  return std::get<Work>(job.phases.at(phase).work);
}

template <class T>
void expect_range(const Interval<T>& range, double p10, double p90) {
  EXPECT_NEAR(range.p10.value, p10, 1e-9 * p10);
  EXPECT_NEAR(range.p90.value, p90, 1e-9 * p90);
}

TEST(JobExamples, Collection) {
  const Job job = example("collection");
  EXPECT_EQ(job.name, "phase-2-collection");
  EXPECT_TRUE(job.market.only);
  ASSERT_EQ(job.market.offers.size(), 15U);
  EXPECT_EQ(job.market.offers[0].gpu, "B200");
  EXPECT_EQ(job.market.offers[0].as_of, "2026-01");
  expect_range(*job.market.offers[0].price, 4.0 / 3600, 6.0 / 3600);
  EXPECT_EQ(job.market.offers[14].gpus, 4);
  EXPECT_TRUE(job.market.offers[14].price->exact());
  EXPECT_EQ(job.where.spot, SpotUse::kNever);
  EXPECT_DOUBLE_EQ(*job.where.reliability, 0.95);
  EXPECT_DOUBLE_EQ(job.where.inet_down->value, 25e6);
  EXPECT_DOUBLE_EQ(job.where.disk->value, 200e9);
  const auto& collect = work<GeneratePhase>(job, 0);
  EXPECT_TRUE(collect.collect);
  ASSERT_EQ(collect.models.size(), 4U);
  EXPECT_EQ(collect.models[1].name, "Olmo-3-7B-SFT");
  EXPECT_EQ(collect.models[1].shape.layers, 32);
  EXPECT_EQ(collect.data.at(0).new_tokens.max, 512);
  EXPECT_EQ(collect.situation, Situation::kSingle);
  EXPECT_EQ(collect.place, Placement::kOneModelPerGpu);
  EXPECT_EQ(collect.engine, "hf");
  EXPECT_EQ(collect.store->layers, 16);
  const Phase& phase = job.phases[0];
  EXPECT_DOUBLE_EQ(phase.overhead.share, 0.1);
  expect_range(phase.overhead.each_model.range, 100, 144);
  ASSERT_EQ(phase.given.size(), 8U);
  expect_range(*phase.given[0].tokens_per_second, 250, 300);
  expect_range(*phase.given[7].tokens_per_second, 70 / 1.2, 70 * 1.2);
  EXPECT_EQ(job.limits.budget, Dollars(50));
  EXPECT_TRUE(job.value_of_time_given);
  EXPECT_DOUBLE_EQ(job.value_of_time.value, 7.0 / 3600);
}

TEST(JobExamples, Latentwire) {
  const Job job = example("latentwire");
  ASSERT_EQ(job.market.pools.size(), 1U);
  const Offer& pool = job.market.pools[0];
  EXPECT_EQ(pool.kind, OfferKind::kPool);
  EXPECT_EQ(pool.label, "gpu");
  EXPECT_EQ(pool.gpus, 4);
  EXPECT_EQ(pool.max_time, 12 * hour);
  EXPECT_TRUE(pool.preemptible);
  EXPECT_EQ(pool.price->p50, DollarsPerSecond(0));
  EXPECT_EQ(job.where.counts, (std::vector{1, 2, 4}));
  EXPECT_EQ(job.goal, Goal::kFewestGpus);
  EXPECT_EQ(job.limits.deadline, 12 * hour);
  const auto& train = work<TrainPhase>(job, 0);
  ASSERT_EQ(train.models.size(), 2U);
  EXPECT_TRUE(train.models[1].frozen && train.models[1].gradient_through);
  EXPECT_EQ(train.method, Method::kFrozen);
  EXPECT_DOUBLE_EQ(*train.trainable, 768.0 * 256 + 256 * 4096 + 256 * 3584);
  EXPECT_EQ(train.epochs, 8);
  EXPECT_EQ(train.sequence, 96);
  EXPECT_EQ(train.batch->sequences, 4);
  EXPECT_FALSE(train.parallel.dp.has_value());
  EXPECT_EQ(job.phases[0].given.at(2).gpus, 4);
  expect_range(*job.phases[0].given[2].samples_per_second, 5, 7.2);
  EXPECT_NE(job.phases[0].command.find("--batch_size {micro}"), std::string::npos);
  EXPECT_FALSE(job.value_of_time_given);
}

TEST(JobExamples, Neurlang) {
  const Job job = example("neurlang");
  EXPECT_EQ(job.where.spot, SpotUse::kAllow);
  EXPECT_DOUBLE_EQ(job.spot.interruptions->p50.value, -std::log1p(-0.02) / 3600);
  ASSERT_EQ(job.market.offers.size(), 14U);
  EXPECT_DOUBLE_EQ(job.market.offers[3].spot_price->p50.value, 1.79 / 3600);
  ASSERT_EQ(job.phases.size(), 3U);
  expect_range(work<CpuPhase>(job, 0).time.range, 500, 720);
  EXPECT_EQ(job.phases[1].needs, std::vector<std::string>{"datagen"});
  const auto& train = work<TrainPhase>(job, 1);
  EXPECT_EQ(train.models.at(0).name, "25M");
  EXPECT_EQ(train.models[0].shape.published, 25e6);
  EXPECT_NEAR(train.models[0].params(), 25e6, 25e4);
  EXPECT_EQ(train.steps, 10'000);
  EXPECT_EQ(train.steps_at_batch, 256);
  EXPECT_FALSE(train.batch.has_value());
  EXPECT_FALSE(train.epochs.has_value());
  EXPECT_EQ(train.data.samples, 50'000);
  EXPECT_EQ(train.precision.value, Precision::kBf16);
  EXPECT_EQ(job.phases[2].line, 92);
}

TEST(JobExamples, SftNode) {
  const Job job = example("sft-node");
  const Offer& offer = job.market.offers.at(0);
  EXPECT_EQ(offer.instance, "p4d.24xlarge");
  EXPECT_EQ(offer.gpus, 8);
  EXPECT_DOUBLE_EQ(offer.interruptions->p50.value, -std::log1p(-0.05) / 3600);
  EXPECT_EQ(offer.billing.minimum, 60 * second);
  expect_range(*offer.spot_price, 10.0 / 3600, 15.0 / 3600);
  ASSERT_EQ(job.phases.size(), 7U);
  const auto& sft = work<TrainPhase>(job, 1);
  EXPECT_EQ(sft.data.tokens_per_sample->mean, 3000);
  EXPECT_EQ(sft.data.tokens_per_sample->max, 8192);
  EXPECT_EQ(sft.framework, "hf-trainer");
  EXPECT_FALSE(sft.micro.given());
  EXPECT_EQ(job.phases[1].checkpoint->every_time, 5 * minute);
  EXPECT_EQ(job.phases[1].checkpoint->keep, -1);
  expect_range(*job.phases[1].given.at(0).seconds_per_step, 37.5, 54);
  EXPECT_TRUE(work<FixedPhase>(job, 2).human);
  EXPECT_EQ(job.phases[3].needs, (std::vector<std::string>{"sft", "extensions"}));
  const auto& stages = work<WorkPhase>(job, 4);
  ASSERT_EQ(stages.each.size(), 5U);
  EXPECT_EQ(stages.each[4].first, "timing");
  EXPECT_EQ(stages.workers, 2);
  EXPECT_EQ(job.spot.notice, 2 * minute);
  EXPECT_EQ(job.where.spot, SpotUse::kAllow);
  EXPECT_DOUBLE_EQ(job.buffer, 0.3);
  EXPECT_EQ(job.contingency, Dollars(20));
  ASSERT_EQ(job.variants.size(), 3U);
  EXPECT_EQ(job.variants[0].name, "conservative");
  EXPECT_EQ(job.variants[0].settings.at(0), (std::pair<std::string, std::string>{"where.spot", "never"}));
}

TEST(JobExamples, VariantsApply) {
  const auto source = example_source("sft-node").value();
  const ModelFinder models(known());
  const Job job = read_job(source, known(), models).value();
  const Job aggressive = read_job(with_variant(source, job.variants[2]).value(), known(), models).value();
  EXPECT_EQ(aggressive.where.spot, SpotUse::kOnly);
  EXPECT_EQ(aggressive.schedule, Schedule::kStopWhenIdle);
  EXPECT_TRUE(aggressive.variants.empty());
}

TEST(JobExamples, TrmNanochat) {
  const Job job = example("trm-nanochat");
  ASSERT_EQ(job.phases.size(), 2U);
  const Phase& validate = job.phases[0];
  EXPECT_EQ(validate.setup->text.substr(0, 25), "bash scripts/setup_env.sh");
  expect_range(validate.setup->time.range, 600, 1200);
  const auto& first = work<TrainPhase>(job, 0);
  EXPECT_EQ(first.models.at(0).name, "12 layers x 768");
  EXPECT_EQ(first.models[0].loops, 2);
  EXPECT_EQ(first.models[0].supervision_steps, 4);
  EXPECT_EQ(first.batch->tokens, Tokens(524'288));
  EXPECT_EQ(first.optimizer.matrices, Optimizer::kMuon);
  EXPECT_EQ(first.optimizer.rest, Optimizer::kAdamW);
  EXPECT_EQ(first.compile.value, true);
  EXPECT_EQ(validate.evaluate->every_steps, 100);
  EXPECT_EQ(validate.checkpoint->every_steps, 200);
  EXPECT_EQ(validate.args.at(0), (std::pair<std::string, std::string>{"matrix_lr", "0.001"}));
  EXPECT_EQ(validate.metrics.size(), 5U);
  EXPECT_EQ(validate.succeed_when.at(3), "loss decreases smoothly");
  EXPECT_DOUBLE_EQ(*validate.chance_to_pass, 0.8);
  const Phase& produce = job.phases[1];
  EXPECT_EQ(produce.on, "validate");
  EXPECT_EQ(produce.before->text, "nanochat/gpt.py: supervision_weight_base 10.0, improvement_reward_scale 2.0");
  const auto& second = work<TrainPhase>(job, 1);
  EXPECT_EQ(second.steps, 5000);                     // its own
  EXPECT_EQ(second.batch->tokens, Tokens(524'288));  // merged
  EXPECT_EQ(second.sequence, 2048);
}

TEST(JobExamples, CommonCases) {
  EXPECT_EQ(work<TrainPhase>(example("llama-8b-lora"), 0).method, Method::kLora);
  EXPECT_EQ(work<TrainPhase>(example("llama-8b-qlora"), 0).lora.rank, 16);
  const Job full = example("llama-8b-full");
  EXPECT_TRUE(work<TrainPhase>(full, 0).data.packing);
  EXPECT_EQ(full.limits.deadline, 2 * day);
  EXPECT_EQ(work<TrainPhase>(example("gpt-124m"), 0).data.tokens, Tokens(10e9));
  EXPECT_EQ(work<TrainPhase>(example("gpt-124m"), 0).epochs, 1);
  EXPECT_EQ(work<TrainPhase>(example("gpt2-1.5b"), 0).models.at(0).shape.layers, 48);
  const Job nodes = example("pretrain-7b-2-nodes");
  EXPECT_EQ(nodes.where.nodes, std::vector{2});
  EXPECT_EQ(nodes.where.gpus.at(0).gpu, "H100 SXM");
  EXPECT_EQ(nodes.where.gpus[0].count, 8);
  EXPECT_EQ(work<GeneratePhase>(example("generate-70b"), 0).situation, Situation::kSaturated);
  const Job as_run = example("neurlang-as-run");
  const auto& neurlang = work<TrainPhase>(as_run, 0).models.at(0);
  EXPECT_EQ(neurlang.custom->params, 5'754'637);
  EXPECT_EQ(neurlang.custom->flops_per_sample, Flops(4.4e9));
}

TEST(JobExamples, JsonIsReadLikewise) {
  const auto job = read_text_as_job(R"({"phases": [{"name": "a", "train": {"model": "gpt2", "data": {"tokens": 1e9},
      "sequence": 1024, "compile": false, "micro": {"by_gpu": {"8x H100 SXM": 32, "else": "auto"}}}}],
      "where": {"gpus": ["L4"]}})",
                                    "x/y.job.json");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->name, "y.job");
  const auto& train = std::get<TrainPhase>(job->phases[0].work);
  EXPECT_EQ(train.compile.value, false);
  EXPECT_EQ(train.micro.on("H100 SXM", 8), 32);
  EXPECT_EQ(train.micro.on("H100 SXM", 4), std::nullopt);
}

TEST(JobExamples, ExactFiguresStayExact) {
  const auto job = read_text_as_job(
      "phases: [{name: a, fixed: {gpus: 1, time: 2 h, exact: true}}, {name: b, work: {items: 3, each: {s: 1 s}, "
      "exact: yes}}, {name: c, cpu: {time: 1 h}}]");
  ASSERT_TRUE(job);
  EXPECT_TRUE(std::get<FixedPhase>(job->phases[0].work).time.range.exact());
  EXPECT_TRUE(std::get<WorkPhase>(job->phases[1].work).each[0].second.range.exact());
  EXPECT_FALSE(std::get<CpuPhase>(job->phases[2].work).time.range.exact());
}

}  // namespace
}  // namespace gpuplan
