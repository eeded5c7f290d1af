// Limits and rules that contradict each other: one line that says what, where, and what to do.
#include "input/job/checks/job.h"

#include <gtest/gtest.h>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

constexpr const char* kPhases =
    "phases:\n"
    "  - {name: data, cpu: {time: 2 h, exact: true}}\n"
    "  - {name: work, needs: [data], fixed: {gpus: 1, time: 3 h, exact: true}}\n"
    "  - {name: beside, fixed: {gpus: 1, time: 4 h, exact: true}}\n";

TEST(JobChecks, ADeadlineShorterThanWhatTheJobStates) {
  EXPECT_EQ(
      error_of(std::string(kPhases) + "limits: {deadline: 4.9 h}\n"),
      "job.yaml:5: limits.deadline: 4.9 h cannot be met: data and work take at least 5 h by the times in the job; "
      "raise it, or shorten these phases");
  EXPECT_EQ(error_of(std::string(kPhases) + "limits: {deadline: 5 h}\n"), "");
  EXPECT_NE(error_of(std::string(kPhases) + "limits: {deadline: 7 h}\nbuffer: 50%\n")
                .find("data and work take at least 7.5 h"),
            std::string::npos);
}

std::string trained_on(const std::string& where, const std::string& train) {
  return "where: {" + where + "}\nphases:\n  - name: t\n    train:\n      model: Llama-3.1-8B\n      sequence: 2048\n" +
         "      data: {tokens: 20M}\n      " + train + "\n";
}

TEST(JobChecks, NumbersOfGpusThatDoNotAgree) {
  EXPECT_EQ(
      error_of(trained_on("gpus: [8x H100 SXM], counts: [4]", "method: lora")),
      "job.yaml:1: where.counts: 4 GPUs, but where.gpus asks for machines of 8; write the same number in both, or "
      "leave the count out of where.gpus");
  EXPECT_EQ(
      error_of(trained_on("gpus: [8x H100 SXM], counts: [12], nodes: [2, 4]", "method: lora")),
      "job.yaml:1: where.counts: 12 GPUs, but where.gpus and where.nodes ask for 16 or 32; write the same number in "
      "both, or leave the count out of where.gpus");
  for (const char* good : {"gpus: [8x H100 SXM], counts: [4, 8]", "gpus: [8x H100 SXM], counts: [16], nodes: [2]",
                           "gpus: [H100 SXM], counts: [4]", "gpus: [8x H100 SXM, A100], counts: [4]"})
    EXPECT_EQ(error_of(trained_on(good, "method: lora")), "") << good;
  // Parts of a pool's machines may be taken.
  EXPECT_EQ(error_of("market: {use: only, pools: [{name: p, gpu: H100 SXM, gpus: 8}]}\n" +
                     trained_on("gpus: [8x H100 SXM], counts: [4]", "method: lora")),
            "");
}

TEST(JobChecks, LayoutsThatNoNumberOfGpusHas) {
  EXPECT_EQ(
      error_of(trained_on("counts: [4]", "parallel: {dp: 3}")),
      "job.yaml:8: phases.t.train.parallel.dp: dp 3 needs a multiple of 3 GPUs, but where asks for 4; leave one of "
      "the two out, or make them agree");
  EXPECT_EQ(error_of(trained_on("gpus: [8x H100 SXM]", "parallel: {tp: 2, pp: 3}")),
            "job.yaml:8: phases.t.train.parallel.tp: tp 2 and pp 3 need a multiple of 6 GPUs, but where asks for 8; "
            "leave one of the two out, or make them agree");
  for (const char* good : {"counts: [4, 6]", "counts: [2]", "gpus: [H100 SXM]", "spot: never"})
    EXPECT_EQ(error_of(trained_on(good, "parallel: {dp: 3}")), "") << good;
  EXPECT_EQ(
      error_of(trained_on("counts: [8]", "batch: 30\n      parallel: {dp: 8}")),
      "job.yaml:9: phases.t.train.parallel.dp: 8 copies cannot share a batch of 30 sequences evenly; 6 or 10 can; "
      "or take another batch");
  EXPECT_EQ(error_of(trained_on("counts: [8]", "batch: 32\n      parallel: {dp: 8}")), "");
}

TEST(JobChecks, FiguresThatAreNotExactMayComeOutShorter) {
  const std::string phases = "phases: [{name: a, fixed: {gpus: 1, time: 5 h}}]\n";
  EXPECT_EQ(error_of(phases + "limits: {deadline: 4.5 h}\n"), "") << "unlikely, and no contradiction";
  EXPECT_NE(error_of(phases + "limits: {deadline: 4 h}\n").find("a takes at least"), std::string::npos);
}

TEST(JobChecks, ManualStepsAndItemsCountAndSetUpsAreLeftToTheSearch) {
  const std::string phases =
      "phases:\n"
      "  - name: test\n"
      "    before: {note: check, time: 1 h}\n"
      "    work: {items: 200, each: {one: 16.1 s}, exact: true, workers: 2}\n";
  // 100 x 16.1 s are 27 min, the check at least 50.
  EXPECT_NE(error_of(phases + "limits: {deadline: 1 h}\n").find("limits.deadline"), std::string::npos);
  EXPECT_EQ(error_of(phases + "limits: {deadline: 2 h}\n"), "");
  const std::string set_up = "phases: [{name: test, setup: {time: 2 h}, work: {items: 1, each: {one: 1 s}}}]\n";
  EXPECT_EQ(error_of(set_up + "limits: {deadline: 1 h}\n"), "") << "the answer tells the nearest plan";
}

TEST(JobChecks, ABudgetThatTheContingencyTakes) {
  EXPECT_EQ(error_of(std::string(kPhases) + "limits: {budget: $20}\ncontingency: $20\n"),
            "job.yaml:5: limits.budget: $20.00 is used up by the contingency of $20.00; raise limits.budget or lower "
            "contingency");
  EXPECT_EQ(error_of(std::string(kPhases) + "limits: {budget: $21}\ncontingency: $20\n"), "");
}

TEST(JobChecks, SpotPoliciesWithoutSpotMachines) {
  EXPECT_EQ(error_of(std::string(kPhases) + "where: {spot: never}\nspot: {policy: greedy}\n"),
            "job.yaml:6: spot.policy: greedy needs spot machines, but where.spot is never; set where.spot: allow, or "
            "policy: on_demand");
  EXPECT_NE(
      error_of(std::string(kPhases) + "where: {spot: only}\nspot: {policy: on_demand}\n").find("where.spot is only"),
      std::string::npos);
  for (const char* good :
       {"where: {spot: never}\nspot: {policy: on_demand}\n", "where: {spot: never}\nspot: {notice: 2 min}\n",
        "where: {spot: only}\nspot: {policy: greedy}\n", "spot: {policy: uniform_progress}\n"})
    EXPECT_EQ(error_of(std::string(kPhases) + good), "") << good;
}

TEST(JobChecks, OnNeedsAMachineToStayOn) {
  EXPECT_EQ(error_of("phases:\n"
                     "  - {name: data, cpu: {time: 2 h}}\n"
                     "  - {name: work, needs: [data], on: data, fixed: {gpus: 1, time: 3 h}}\n"),
            "job.yaml:3: phases.work.on: phase data uses no GPU, so there is no machine to stay on; name a phase that "
            "uses GPUs");
  EXPECT_EQ(error_of("phases:\n"
                     "  - {name: a, fixed: {gpus: 1, time: 3 h}}\n"
                     "  - {name: data, needs: [a], on: a, cpu: {time: 2 h}}\n"
                     "  - {name: b, needs: [data], on: data, fixed: {gpus: 1, time: 3 h}}\n"),
            "")
      << "data stays on the machine of a";
}

TEST(JobChecks, EachPhaseOnItsOwnAndOnAnothers) {
  EXPECT_EQ(error_of("phases:\n"
                     "  - {name: a, fixed: {gpus: 1, time: 3 h}}\n"
                     "  - {name: b, needs: [a], on: a, fixed: {gpus: 1, time: 3 h}}\n"
                     "schedule: each_phase\n"),
            "job.yaml:3: phases.b.on: schedule: each_phase rents separate machines for each phase, but b stays on "
            "those of a; remove one of the two (schedule: best keeps `on`)");
}

TEST(JobChecks, VariantsAreCheckedToo) {
  const std::string error = error_of(std::string(kPhases) + "variants: {hasty: {limits.deadline: 1 h}}\n");
  EXPECT_NE(error.find("variants.hasty: limits.deadline: 1 h cannot be met: data and work take at least 5 h"),
            std::string::npos)
      << error;
}

constexpr const char* kTrain =
    "phases:\n"
    "  - name: a\n"
    "    fixed: {gpus: 1, time: 1 h}\n";

TEST(JobChecks, ConditionsAreUnderstoodBeforeAnythingRuns) {
  EXPECT_EQ(error_of(std::string(kTrain) + "    succeed_when: [loss < 3, los < 3]\n"),
            "job.yaml:4: phases.a.succeed_when[1]: 'los < 3': 'los' is not a metric of this phase or of logs. Did you "
            "mean 'loss'?");
  EXPECT_EQ(
      error_of(std::string(kTrain) + "    succeed_when: loss <\n"),
      "job.yaml:4: phases.a.succeed_when: 'loss <': expected a number, a name or ( at character 7, found the end");
  EXPECT_EQ(
      error_of(std::string(kTrain) + "    metrics:\n      x: 'x ([0-9]+)'\n      y: x + perplexity\n"),
      "job.yaml:6: phases.a.metrics.y: 'x + perplexity': 'perplexity' is not a metric of this phase or of logs; define "
      "it in metrics, or use loss, validation_loss, val_bpb, grad_norm, learning_rate, throughput, step_time, "
      "memory, gpu_busy, kv_cache or steps");
  EXPECT_EQ(error_of(std::string(kTrain) + "    metrics: {x: 'x ([0-9]+)', y: x / 2}\n    succeed_when: y > x > 1\n"),
            "");
}

/// Rows of a table that is not as long end the training, as they end generation.
TEST(JobChecks, SequencesBeyondLearnedPositions) {
  const auto job = [](const std::string& model, const std::string& data, const std::string& more) {
    return "phases: [{name: t, train: {model: " + model + ", data: {samples: 1000" + data + "}, " + more + "}}]\n";
  };
  EXPECT_EQ(error_of(job("gpt2", "", "sequence: 4096")),
            "job.yaml:1: phases.t.train.sequence: gpt2 comes with 1,024 learned positions, and training fails at a "
            "sequence of 4,096 tokens; cut sequences to 1,024, take a model with rotary positions, or name the folder "
            "of a copy with a longer table (start: scratch learns one anew)");
  for (const char* model : {"gpt2", "BERT-large", "OPT-1.3B"}) {
    EXPECT_NE(error_of(job(model, ", tokens_per_sample: 5000", "method: lora")).find("learned positions"),
              std::string::npos)
        << model;
    EXPECT_EQ(error_of(job(model, "", "sequence: 512")), "") << model;
    EXPECT_EQ(error_of(job(model, "", "sequence: 4096, start: scratch")), "") << model;
    EXPECT_EQ(error_of(job(model, ", tokens_per_sample: 400", "sequence: 512")), "") << model;
  }
  EXPECT_EQ(error_of(job("Llama-2-7B", "", "sequence: 16384")), "") << "rotary positions can be extended";
  EXPECT_EQ(error_of(job("ViT-B/16", "", "sequence: 197")), "") << "a table of parts of a picture";
}

}  // namespace
}  // namespace gpuplan
