#include "input/question/plan_file.h"

#include <gtest/gtest.h>

#include <string>

#include "output/answer/plan_json.h"
#include "output/page/html_text.h"
#include "output/words/plan_words.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// What `gpuplan plan JOB -o plan.json` keeps of an example.
std::string kept_text(const Searched& searched, const JobSource& source) {
  const PlanReport report(searched.result, searched.job, known());
  return plan_json(report, {.all = true, .job_file = source.file, .job_text = flow_text(source.tree)});
}

template <class T>
void expect_same(const std::optional<Interval<T>>& read, const std::optional<Interval<T>>& made) {
  ASSERT_EQ(read.has_value(), made.has_value());
  if (!read) return;
  EXPECT_DOUBLE_EQ(read->p10.value, made->p10.value);
  EXPECT_DOUBLE_EQ(read->p50.value, made->p50.value);
  EXPECT_DOUBLE_EQ(read->p90.value, made->p90.value);
}

template <class T>
void expect_same(const std::optional<T>& read, const std::optional<T>& made) {
  ASSERT_EQ(read.has_value(), made.has_value());
  if (!read) return;
  EXPECT_DOUBLE_EQ(read->value, made->value);
}

template <class T>
void expect_same(const Outcome<T>& read, const Outcome<T>& made) {
  EXPECT_DOUBLE_EQ(read.p10.value, made.p10.value);
  EXPECT_DOUBLE_EQ(read.p50.value, made.p50.value);
  EXPECT_DOUBLE_EQ(read.p90.value, made.p90.value);
  EXPECT_DOUBLE_EQ(read.mean.value, made.mean.value);
}

void expect_same(const Expectation& read, const Expectation& made) {
  EXPECT_EQ(read.job, made.job);
  EXPECT_EQ(read.phase, made.phase);
  EXPECT_EQ(read.plan_id, made.plan_id);
  EXPECT_EQ(read.plan, made.plan);
  EXPECT_EQ(read.gpu, made.gpu);
  EXPECT_EQ(read.gpus, made.gpus);
  EXPECT_EQ(read.nodes, made.nodes);
  EXPECT_EQ(read.evidence, made.evidence);
  EXPECT_EQ(read.steps, made.steps);
  EXPECT_DOUBLE_EQ(read.tokens_per_step, made.tokens_per_step);
  EXPECT_EQ(read.batch, made.batch);
  EXPECT_EQ(read.micro_batch, made.micro_batch);
  EXPECT_EQ(read.strategy, made.strategy);
  expect_same(read.seconds_per_step, made.seconds_per_step);
  expect_same(read.tokens_per_second, made.tokens_per_second);
  expect_same(read.memory, made.memory);
  expect_same(read.allocated, made.allocated);
  expect_same(read.reserved, made.reserved);
  expect_same(read.usable, made.usable);
  expect_same(read.hours, made.hours);
  if (!made.billing) expect_same(read.cost, made.cost);  // a kept plan has no rules of billing
  EXPECT_DOUBLE_EQ(read.price.value, made.price.value);
}

TEST(PlanFile, GivesTheNumbersOfTheSearch) {
  for (const char* name : {"trm-nanochat", "collection", "pretrain-7b-2-nodes", "sft-node"}) {
    SCOPED_TRACE(name);
    const auto source = example_source(name);
    ASSERT_TRUE(source);
    const Searched searched(example_job(name));
    const auto kept = read_plan_file(kept_text(searched, *source), "plan.json");
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(kept->job, searched.job.name);
    EXPECT_EQ(kept->pick, searched.pick().id);
    ASSERT_EQ(kept->plans.size(), searched.result.plans.size());
    for (std::size_t i = 0; i < kept->plans.size(); ++i) {
      const Plan& plan = searched.result.plans[i];
      ASSERT_EQ(kept->plans[i].phases.size(), plan.phases.size());
      for (std::size_t p = 0; p < plan.phases.size(); ++p) {
        const PhasePlan& part = plan.phases[p];
        const Phase& phase = searched.job.phases[static_cast<std::size_t>(part.estimate->phase)];
        expect_same(kept->plans[i].phases[p],
                    expectation_of(searched.job, plan, part, strategy_words(part.estimate, phase)));
      }
    }
  }
}

TEST(PlanFile, MachinesCostWhatIsPaidByTheHour) {
  const Searched searched(example_job("trm-nanochat"));
  const PhasePlan& part = searched.pick().phases.front();
  ASSERT_NE(part.offer, nullptr);
  EXPECT_DOUBLE_EQ(machines_price(part).value, part.offer->price->p50.value * part.estimate->nodes);
}

TEST(PlanFile, TheJobInItReadsBackAsTheSameJob) {
  auto source = example_source("trm-nanochat");
  ASSERT_TRUE(source);
  ASSERT_TRUE(set_value(source->tree, "phases.validate.train.steps=777"));
  const Searched searched(example_job("trm-nanochat"));
  const auto kept = read_plan_file(kept_text(searched, *source), "plan.json");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->source.file, source->file);
  EXPECT_EQ(flow_text(kept->source.tree), flow_text(source->tree));
  const auto job = read_job(kept->source, known(), ModelFinder(known()));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(std::get<TrainPhase>(job->phases.front().work).steps, 777);
  EXPECT_EQ(job->phases.front().command, searched.job.phases.front().command);
  EXPECT_EQ(job->phases.front().setup->text, searched.job.phases.front().setup->text);
}

TEST(PlanFile, IsReadFromAPage) {
  const auto source = example_source("trm-nanochat");
  ASSERT_TRUE(source);
  const Searched searched(example_job("trm-nanochat"));
  const std::string plan = kept_text(searched, *source);
  const std::string page =
      "\n<!DOCTYPE html>\n<title>x</title><p>&lt;script type=&quot;application/json&quot;</p>"
      "<script type=\"application/json\" id=\"gpuplan-report\">{}</script>"
      "<script type=\"application/json\" id=\"gpuplan-plan\">" +
      html_json(plan) + "</script><script>1</script>";
  EXPECT_TRUE(is_kept_plan(page));
  const auto kept = read_plan_file(page, "plan.html"), alone = read_plan_file(plan, "plan.json");
  ASSERT_TRUE(kept) << kept.error().message;
  ASSERT_TRUE(alone);
  EXPECT_EQ(kept->pick, alone->pick);
  EXPECT_EQ(flow_text(kept->source.tree), flow_text(alone->source.tree));
  EXPECT_EQ(kept->plans.size(), alone->plans.size());
  EXPECT_FALSE(is_kept_plan("<!doctype html><p>a page of others</p>"));
  EXPECT_EQ(plan_in_page("phases: []"), "phases: []");
}

std::string error_of_plan(std::string_view text) { return line_of(read_plan_file(text, "plan.json")); }

TEST(PlanFile, WhatIsNoPlanIsOneLine) {
  EXPECT_EQ(error_of_plan("phases: []"),
            "plan.json:1: not valid JSON; expected a plan saved with gpuplan plan JOB -o plan.json");
  EXPECT_EQ(
      error_of_plan("[1]"),
      "plan.json: is not a saved plan; create one with gpuplan plan JOB -o plan.json (schema gpuplan/plan@1), found a "
      "list");
  EXPECT_EQ(
      error_of_plan(R"({"schema": "gpuplan/fit@1"})"),
      "plan.json: is not a saved plan; create one with gpuplan plan JOB -o plan.json (schema gpuplan/plan@1), found "
      "'gpuplan/fit@1'");
  EXPECT_EQ(
      error_of_plan(R"({"schema": {"a": 1}})"),
      "plan.json: is not a saved plan; create one with gpuplan plan JOB -o plan.json (schema gpuplan/plan@1), found a "
      "map");
  EXPECT_EQ(error_of_plan(R"({"schema": "gpuplan/plan@1", "job": "a", "job_file": null, "plans": []})"),
            "plan.json: contains no job: an older gpuplan or another program wrote it; save it again with gpuplan plan "
            "JOB -o plan.json");
  EXPECT_EQ(error_of_plan(R"({"schema": "gpuplan/plan@1", "job_file": {"name": "j.yaml", "text": "{a: "}})")
                .starts_with("plan.json: the job in it: "),
            true);
}

TEST(PlanFile, NamesPlansAndJobs) {
  const std::string text = R"({"schema": "gpuplan/plan@1", "job": "one", "job_file": {"name": "j.yaml", "text": "{}"},
      "recommendations": {"pick": "k3f9a1"}, "plans": [{"id": "k3f9a1", "label": "A", "phases": [{"name": "p"}]},
      {"id": "b7c2d4", "label": "B", "phases": 7}, 5]})";
  const auto kept = read_plan_file(text, "plan.json");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ((*plan_named(*kept, ""))->label, "A");
  EXPECT_EQ((*plan_named(*kept, "b7c2d4"))->label, "B");
  EXPECT_NE(expectation_of(kept->plans[0], "p"), nullptr);
  EXPECT_EQ(expectation_of(kept->plans[0], "q"), nullptr);
  EXPECT_EQ(line_of(plan_named(*kept, "k3f9a2")),
            "plan.json: no plan 'k3f9a2' among its 3. Did you mean 'k3f9a1'?; recommended: k3f9a1");
  EXPECT_TRUE(made_for(*kept, "one"));
  EXPECT_EQ(line_of(made_for(*kept, "two")),
            "plan.json: belongs to job 'one', not to job 'two'; give a plan of the same job");
}

}  // namespace
}  // namespace gpuplan
