#include "plan/notes/known_problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plan/searched.h"

namespace gpuplan {
namespace {

/// A training phase on one H100 SXM, hf-trainer, bf16, LoRA.
struct Case {
  Phase phase;
  PhaseEstimate estimate;

  Case() {
    TrainPhase train;
    train.method = Method::kLora;
    train.data.tokens_per_sample = Length{300, 512};
    phase.name = "train";
    phase.work = train;
    on("H100 SXM", 1);
    estimate.framework = known().find_framework("hf-trainer");
  }
  void on(const std::string& gpu, int gpus, bool peer_access = true) {
    estimate.node = NodeShape{.gpu = known().find_gpu(gpu), .gpus = gpus, .peer_access = peer_access};
    ASSERT_NE(estimate.node->gpu, nullptr);
    estimate.gpus = gpus;
    estimate.strategy.dp = gpus;
  }
  TrainPhase& train() { return std::get<TrainPhase>(phase.work); }
  bool touched_by(const KnownProblem& problem) const { return touches(problem, phase, estimate); }
};

KnownProblem when(std::vector<ProblemFeature> features) {
  KnownProblem problem;
  problem.features = std::move(features);
  return problem;
}

TEST(KnownProblems, AreOfAKindOfPhase) {
  Case c;
  KnownProblem problem = when({ProblemFeature::kLora});
  EXPECT_TRUE(c.touched_by(problem));
  problem.kind = KnownProblem::Kind::kTrain;
  EXPECT_TRUE(c.touched_by(problem));
  problem.kind = KnownProblem::Kind::kGenerate;
  EXPECT_FALSE(c.touched_by(problem));
  c.phase.work = CpuPhase{};
  EXPECT_FALSE(c.touched_by(when({})));
}

TEST(KnownProblems, AreOfHardware) {
  Case c;
  KnownProblem problem;
  problem.hardware = {"H100 SXM", "Ada"};
  EXPECT_TRUE(c.touched_by(problem));
  c.on("L40S", 1);
  EXPECT_TRUE(c.touched_by(problem));
  c.on("A100 SXM 80GB", 1);
  EXPECT_FALSE(c.touched_by(problem));

  KnownProblem old;
  old.capability_from = 7.0;
  old.capability_below = 8.0;
  EXPECT_FALSE(c.touched_by(old));
  c.on("T4", 1);
  EXPECT_TRUE(c.touched_by(old));
  // Hardware without a compute capability has no such problem, however low the limit.
  c.on("MI300X", 1);
  EXPECT_FALSE(c.touched_by(old));
  old.capability_from = 0;
  EXPECT_FALSE(c.touched_by(old));
}

TEST(KnownProblems, AreOfSoftware) {
  Case c;
  KnownProblem problem;
  problem.frameworks = {"torch", "hf-trainer"};
  EXPECT_TRUE(c.touched_by(problem));
  problem.frameworks = {"torch"};
  EXPECT_FALSE(c.touched_by(problem));
  c.estimate.framework = nullptr;
  EXPECT_FALSE(c.touched_by(problem));
}

TEST(KnownProblems, NeedAllTheirFeatures) {
  Case c;
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kCompile, ProblemFeature::kLengthsVary})));
  c.estimate.strategy.compile = true;
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kCompile, ProblemFeature::kLengthsVary})));
  c.train().data.packing = true;
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kCompile, ProblemFeature::kLengthsVary})));

  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kQlora})));
  c.train().method = Method::kQlora;
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kQlora, ProblemFeature::kLora, ProblemFeature::kFrozenBase})));
  c.train().method = Method::kFull;
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kFrozenBase})));

  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kFp16})));
  c.estimate.strategy.precision = Precision::kFp16;
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kFp16})));
  c.estimate.strategy.sharding = Sharding::kZero3;
  c.estimate.strategy.recompute = Recompute::kFull;
  c.estimate.strategy.offload = Offload::kOptimizer;
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kZero3, ProblemFeature::kFullRecompute, ProblemFeature::kOffload})));
  c.train().optimizer.rest = Optimizer::kAdam8bit;
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kAdam8bit})));
}

TEST(KnownProblems, OfTrafficAskWhetherGpusExchangeAnything) {
  Case c;
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kTraffic})));
  c.on("RTX 4090", 4, false);
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kTraffic, ProblemFeature::kNoPeerAccess})));
  c.on("H100 SXM", 4, true);
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kTraffic})));
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kNoPeerAccess})));

  // Replicas that generate side by side exchange nothing.
  c.on("RTX 4090", 4, false);
  c.phase.work = GeneratePhase{};
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kNoPeerAccess})));
  c.estimate.strategy.tp = 2;
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kNoPeerAccess})));
  KnownProblem eight = when({ProblemFeature::kTraffic});
  eight.gpus_from = 8;
  EXPECT_FALSE(c.touched_by(eight));
  c.estimate.gpus = 8;
  EXPECT_TRUE(c.touched_by(eight));
}

TEST(KnownProblems, OfGraphsSpareWhatKeepsActivations) {
  Case c;
  c.phase.work = GeneratePhase{};
  c.estimate.framework = known().find_framework("vllm");
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kCudaGraphs})));
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kHooks})));
  std::get<GeneratePhase>(c.phase.work).store = Store{};
  EXPECT_FALSE(c.touched_by(when({ProblemFeature::kCudaGraphs})));
  EXPECT_TRUE(c.touched_by(when({ProblemFeature::kHooks})));
}

TEST(KnownProblems, OfWeightsMadeWhileLoadingSparePublishedOnes) {
  Case c;
  GeneratePhase generate;
  generate.models.emplace_back();
  generate.models.front().shape.native = Format::kBf16;
  c.phase.work = generate;
  c.estimate.framework = known().find_framework("vllm");
  c.estimate.strategy.weights = Format::kFp8;
  const KnownProblem problem = when({ProblemFeature::kWeightsMadeFp8});
  EXPECT_TRUE(c.touched_by(problem));
  c.estimate.framework = known().find_framework("tensorrt-llm");
  EXPECT_FALSE(c.touched_by(problem)) << "it reads weights that are 8 bit already";
  c.estimate.framework = known().find_framework("vllm");
  c.estimate.strategy.weights = Format::kBf16;
  EXPECT_FALSE(c.touched_by(problem));
  c.estimate.strategy.weights = Format::kFp8;
  generate.models.front().shape.native = Format::kFp8;
  c.phase.work = generate;
  EXPECT_FALSE(c.touched_by(problem));
}

TEST(KnownProblems, OfAPlanComeGravestFirstAndThoseWithAFixLast) {
  const Searched searched(example_job("trm-nanochat"));
  const auto plan = std::ranges::find_if(searched.result.plans, [](const Plan& one) { return one.label == "8x B200"; });
  ASSERT_NE(plan, searched.result.plans.end());
  const auto found = known_problems(*plan, searched.job, known());
  ASSERT_GE(found.size(), 2u);
  for (std::size_t i = 1; i < found.size(); ++i) {
    const KnownProblem &before = *found[i - 1].problem, &after = *found[i].problem;
    EXPECT_LE(before.fixed_in.empty() ? 0 : 1, after.fixed_in.empty() ? 0 : 1);
    if (before.fixed_in.empty() == after.fixed_in.empty()) {
      EXPECT_LE(before.effect, after.effect);
    }
  }
  for (const TouchedPhases& touched : found) EXPECT_EQ(touched.phases, (std::vector<int>{0, 1})) << touched.problem->id;
}

/// Ids of the problems of the plan with this label.
std::vector<std::string> ids(const Searched& searched, const std::string& label) {
  std::vector<std::string> result;
  const Plan* plan = searched.plan(label);
  if (plan == nullptr) {
    ADD_FAILURE() << "no plan " << label;
    return result;
  }
  for (const TouchedPhases& touched : known_problems(*plan, searched.job, known()))
    result.push_back(touched.problem->id);
  return result;
}

bool holds(const std::vector<std::string>& list, const std::string& id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

TEST(KnownProblems, OfTheTableTouchOnlyWhatTheyAreAbout) {
  const Searched searched(example_job("trm-nanochat"));
  EXPECT_TRUE(holds(ids(searched, "8x B200"), "torch-blackwell"));
  EXPECT_TRUE(holds(ids(searched, "8x B200"), "compile-blackwell-cudnn"));
  EXPECT_TRUE(holds(ids(searched, "8x B200"), "compile-first-step"));
  EXPECT_FALSE(holds(ids(searched, "8x H100 SXM"), "torch-blackwell"));
  EXPECT_FALSE(holds(ids(searched, "8x H100 SXM"), "compile-blackwell-cudnn"));
  EXPECT_TRUE(holds(ids(searched, "8x H100 SXM"), "compile-first-step"));
  EXPECT_FALSE(holds(ids(searched, "8x H100 SXM"), "no-peer-access"));

  Job eager = example_job("trm-nanochat");
  for (Phase& phase : eager.phases) std::get<TrainPhase>(phase.work).compile.value = false;
  EXPECT_FALSE(holds(ids(Searched(eager), "8x B200"), "compile-first-step"));
}

}  // namespace
}  // namespace gpuplan
