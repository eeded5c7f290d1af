#include "plan/advice/limit_remedies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "plan/advice/less_work.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

std::vector<LimitRemedy> tried(const Searched& searched) {
  return limit_remedies(searched.job, known(), known().offers, searched.market, searched.result, {});
}

const LimitRemedy* find(const std::vector<LimitRemedy>& remedies, std::string_view begins) {
  for (const LimitRemedy& remedy : remedies)
    if (remedy.change.starts_with(begins)) return &remedy;
  return nullptr;
}

/// 1000 steps of exactly 3.6 s: one hour, one dollar.
constexpr const char* kHour = R"(
market: {use: only, offers: [{gpu: H100 SXM, price: $1/h}]}
phases:
  - name: train
    overhead: {time: 0 s}  # nothing beside the steps
    train: {model: gpt2, steps: 1000, batch: {sequences: 8}, sequence: 512}
    given: [{gpu: H100 SXM, seconds_per_step: 3.6 s, exact: true}]
)";

TEST(LimitRemedies, AreNoneWhenTheLimitsAreKept) {
  EXPECT_TRUE(tried(Searched(job_of(kHour))).empty());
  EXPECT_TRUE(tried(Searched(job_of(std::string(kHour) + "limits: {deadline: 2 h, budget: $2}\n"))).empty());
}

TEST(LimitRemedies, SayHowMuchWorkIsDoneInTime) {
  const Searched searched(job_of(std::string(kHour) + "limits: {deadline: 30 min}\n"));
  const auto remedies = tried(searched);
  const LimitRemedy* steps = find(remedies, "phases.train.train.steps: ");
  ASSERT_NE(steps, nullptr);
  EXPECT_EQ(steps->change, "phases.train.train.steps: 500 (50% of the work)");
  EXPECT_TRUE(steps->keeps);
  EXPECT_NEAR(steps->hours.p90 / units::hour, 0.5, 1e-9);
  EXPECT_NEAR(steps->cost.p90.value, 0.5, 1e-9);
}

TEST(LimitRemedies, NameTheLimitThatCouldBeKept) {
  const Searched late(job_of(std::string(kHour) + "limits: {deadline: 30 min}\n"));
  const auto remedies = tried(late);
  ASSERT_NE(find(remedies, "limits.deadline: "), nullptr);
  EXPECT_EQ(find(remedies, "limits.deadline: ")->change, "limits.deadline: 1 h");
  EXPECT_EQ(find(remedies, "limits.budget"), nullptr);

  const auto poor = tried(Searched(job_of(std::string(kHour) + "limits: {budget: $0.20}\n")));
  ASSERT_NE(find(poor, "limits.budget: "), nullptr);
  EXPECT_EQ(find(poor, "limits.budget: ")->change, "limits.budget: $1.00");
  EXPECT_EQ(find(poor, "limits.deadline"), nullptr);
  EXPECT_EQ(find(poor, "where.nodes"), nullptr) << "more machines are no way to save";

  const auto both = tried(Searched(job_of(std::string(kHour) + "limits: {deadline: 30 min, budget: $0.20}\n")));
  ASSERT_NE(find(both, "limits."), nullptr);
  EXPECT_EQ(find(both, "limits.")->change, "limits.deadline: 1 h, limits.budget: $1.00");
}

TEST(LimitRemedies, TryWhatTheJobLeavesOut) {
  Job job = example_job("latentwire");
  job.limits.deadline = 1 * units::hour;
  const auto remedies = tried(Searched(job));
  const LimitRemedy* model = find(remedies, "--ignore given");
  ASSERT_NE(model, nullptr);
  EXPECT_TRUE(model->keeps) << "the model finds the given speeds too slow";
  ASSERT_NE(find(remedies, "market.use: add"), nullptr);

  SearchOptions ignoring;
  ignoring.ignore_given = true;
  Job slow = example_job("latentwire");
  slow.limits.deadline = 1 * units::minute;
  const Searched searched(slow, ignoring);
  EXPECT_EQ(
      find(limit_remedies(slow, known(), known().offers, searched.market, searched.result, ignoring), "--ignore given"),
      nullptr);
}

TEST(LimitRemedies, TryMoreMachinesWhereAFastNetworkJoinsThem) {
  Job job = example_job("generate-70b");
  job.limits.deadline = 38 * units::minute;
  const auto remedies = tried(Searched(job));
  const LimitRemedy* nodes = find(remedies, "where.nodes: [");
  ASSERT_NE(nodes, nullptr);
  EXPECT_TRUE(nodes->keeps);
  EXPECT_GE(nodes->nodes, 2);
  EXPECT_LE(nodes->hours.p90, 38 * units::minute);
  EXPECT_EQ(nodes->change.find("counts"), std::string::npos) << nodes->change;
}

TEST(LimitRemedies, SayThatMoreMachinesTakeOtherCounts) {
  Job job = example_job("generate-70b");
  job.where.counts = {8};
  job.limits.deadline = 10 * units::minute;
  const auto remedies = tried(Searched(job));
  const LimitRemedy* nodes = find(remedies, "where.nodes: [");
  ASSERT_NE(nodes, nullptr);
  EXPECT_NE(nodes->change.find("], where.counts: all"), std::string::npos) << nodes->change;
  // What is printed, done.
  job.where.nodes = {nodes->nodes};
  job.where.counts.clear();
  EXPECT_FALSE(Searched(job).result.plans.empty());
}

/// The job with what a remedy says, as far as it is about machines or software; nullopt: about something else.
std::optional<Job> with(const Job& job, const std::string& change) {
  Job other = job;
  const auto value = [&](std::string_view key) {
    const std::size_t at = change.find(key);
    return at == std::string::npos ? std::string() : change.substr(at + key.size());
  };
  if (const std::string nodes = value("where.nodes: ["); !nodes.empty()) {
    other.where.nodes = {std::stoi(nodes)};
    if (change.find("where.counts: all") != std::string::npos) other.where.counts.clear();
  } else if (change == "where.counts: all") {
    other.where.counts.clear();
  } else if (change == "where.gpus: all") {
    other.where.gpus.clear();
  } else if (const std::string engine = value(".generate.engine: "); !engine.empty()) {
    std::get<GeneratePhase>(other.phases.front().work).engine = engine;
  } else if (const std::string framework = value(".train.framework: "); !framework.empty()) {
    std::get<TrainPhase>(other.phases.front().work).framework = framework;
  } else {
    return std::nullopt;
  }
  return other;
}

TEST(LimitRemedies, GiveThePlanOfTheChangedJob) {
  const std::string serve =
      "phases:\n  - name: write\n    generate: {model: Llama-3.1-8B, situation: saturated,"
      " data: {samples: 10M, prompt_tokens: 1000, new_tokens: 500}}\n";
  const std::string tune =
      "phases:\n  - name: tune\n    train: {model: Qwen2.5-7B, method: lora, sequence: 2048, data: {tokens: 2B}}\n";
  const std::string where[] = {"where: {gpus: [H100 SXM], counts: [1]}\n", "where: {gpus: [A100 SXM 80GB]}\n",
                               "where: {gpus: [L40S], counts: [8]}\n"};
  int done = 0;
  for (const std::string& work : {serve, tune}) {
    for (const std::string& machines : where) {
      const Searched late(job_of(work + machines + "limits: {deadline: 3 h}\n"));
      ASSERT_TRUE(late.result.recommendations.limits_missed) << work << machines;
      for (const LimitRemedy& remedy : tried(late)) {
        const std::optional<Job> changed = with(late.job, remedy.change);
        if (!changed) continue;
        const Searched then(*changed);
        EXPECT_EQ(then.pick().label, remedy.plan) << machines << remedy.change;
        EXPECT_EQ(then.pick().nodes, remedy.nodes) << machines << remedy.change;
        EXPECT_EQ(then.pick().hours.p90, remedy.hours.p90) << machines << remedy.change;
        EXPECT_EQ(then.pick().cost.p90, remedy.cost.p90) << machines << remedy.change;
        EXPECT_EQ(!then.result.recommendations.limits_missed, remedy.keeps) << machines << remedy.change;
        ++done;
      }
    }
  }
  EXPECT_GE(done, 10);
}

TEST(LimitRemedies, MoreMachinesTakeThoseOfOtherCounts) {
  Job job = example_job("generate-70b");
  job.where.gpus = {{"H100 SXM", 0}};
  Job eight = job;
  eight.where.nodes = {8};
  job.where.counts = {2};
  job.limits.deadline = Searched(eight).pick().hours.p90 * 1.05;
  const auto remedies = tried(Searched(job));
  const LimitRemedy* nodes = find(remedies, "where.nodes: [");
  ASSERT_NE(nodes, nullptr);
  EXPECT_TRUE(nodes->keeps) << "machines of eight were left out of the market";
}

TEST(LimitRemedies, NameTheEngineThatKeepsTheLimits) {
  Job job = job_of(
      "market: {use: only, offers: [{gpu: P100 PCIe, gpus: 8, price: $10/h}]}\n"
      "phases:\n  - name: write\n    generate: {model: Qwen2.5-7B, situation: saturated,"
      " data: {samples: 50k, prompt_tokens: 800, new_tokens: 400}}\n");
  const Seconds unasked = Searched(job).pick().hours.p90;
  job.limits.deadline = unasked * 0.6;
  const auto remedies = tried(Searched(job));
  const LimitRemedy* engine = find(remedies, "phases.write.generate.engine: ");
  ASSERT_NE(engine, nullptr);
  EXPECT_TRUE(engine->keeps);
}

TEST(LimitRemedies, SayOnHowManyMachinesItFits) {
  const char* text = "phases: [{name: train, train: {model: DeepSeek-V3, sequence: 2048, data: {tokens: 100M}}}]\n";
  const Searched none(job_of(text), Finds::kPerhapsNothing);
  ASSERT_TRUE(none.result.plans.empty());
  const auto remedies = tried(none);
  ASSERT_EQ(remedies.size(), 1U);
  const LimitRemedy& more = remedies.front();
  ASSERT_TRUE(more.change.starts_with("where.nodes: [")) << more.change;
  const std::optional<Job> changed = with(none.job, more.change);
  const Searched then(*changed);
  EXPECT_EQ(then.pick().label, more.plan);
  EXPECT_EQ(then.pick().cost.p90, more.cost.p90);
  EXPECT_GT(more.nodes, 1);
  // A job that no number of machines helps hears of none.
  const Searched hopeless(
      job_of("phases: [{name: train, train: {model: DeepSeek-V3, sequence: 2048, framework: unsloth, "
             "data: {tokens: 100M}}}]\n"),
      Finds::kPerhapsNothing);
  EXPECT_TRUE(tried(hopeless).empty());
}

TEST(LimitRemedies, ComeWithThoseThatHelpFirst) {
  for (const char* example : {"latentwire", "llama-8b-full", "collection", "trm-nanochat", "sft-node"}) {
    Job job = example_job(example);
    job.limits.deadline = 20 * units::minute;
    job.limits.budget = Dollars{3};
    bool helped = true;
    for (const LimitRemedy& remedy : tried(Searched(job))) {
      EXPECT_LE(remedy.keeps, helped) << example << ": " << remedy.change;
      helped = remedy.keeps;
      EXPECT_EQ(remedy.keeps, remedy.meets_deadline && remedy.meets_budget) << example << ": " << remedy.change;
    }
  }
}

TEST(LimitRemedies, TheShareIsThatOfTheAmountShown) {
  for (const double epochs : {1.0, 0.93, 3.0}) {
    for (double share = 0.02; share < 1; share += 0.0137) {
      for (const bool tokens : {true, false}) {
        Job job = job_of(kHour);
        Phase& phase = job.phases.front();
        auto& train = std::get<TrainPhase>(phase.work);
        train.steps.reset();
        train.epochs = epochs;
        if (tokens) train.data.tokens = Tokens{200e6 * epochs};
        const Shrunk less = shrink(phase, share);
        const double left = tokens ? train.data.tokens->value / (200e6 * epochs) : *train.epochs / epochs;
        EXPECT_DOUBLE_EQ(less.share, left) << less.setting;
        EXPECT_LE(less.share, share + 1e-6) << less.setting;
      }
    }
  }
}

}  // namespace
}  // namespace gpuplan
