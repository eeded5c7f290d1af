// What the search chooses beside what people did, as published, for models and machines of all sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "domain/facts/limits.h"
#include "model/training_fixture.h"
#include "plan/advice/alternatives.h"
#include "plan/searched.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"

namespace gpuplan {
namespace {

using training_fixture::machine;

/// A model, a way to train it, and machines.
struct Setting {
  const char* model;
  Method method;
  int sequence;
  double batch;  ///< sequences a step; 0: open
  const char* gpu;
  int per_machine, gpus;
  double network_gbit;
  const char* framework = "";  ///< empty: open
  std::optional<StartFrom> start = std::nullopt;
};

Job job_for(const Setting& setting) {
  Job job;
  Phase phase;
  phase.name = "train";
  TrainPhase train = training_fixture::phase(training_fixture::use_of(setting.model), setting.sequence, setting.method);
  train.data.samples = 1e6;
  train.framework = setting.framework;
  train.start = setting.start;
  if (setting.batch > 0) train.batch = BatchSize{setting.batch, std::nullopt};
  phase.work = std::move(train);
  job.phases.push_back(std::move(phase));
  return job;
}

TrainPhase& train_of(Job& job) { return std::get<TrainPhase>(job.phases.front().work); }

Machines machines_for(const Setting& s) {
  return {machine(s.gpu, s.per_machine, s.network_gbit), (s.gpus + s.per_machine - 1) / s.per_machine, s.gpus, true};
}

std::optional<PhaseEstimate> best(const Job& job, const Setting& setting) {
  const auto workloads = prepare(job);
  if (!workloads) {
    ADD_FAILURE() << workloads.error().message;
    return std::nullopt;
  }
  Tally tally;
  return best_estimate(workloads->front(), training_fixture::catalogue(), machines_for(setting), true, tally);
}

struct Range {
  int least = 1, most = 1;
  bool holds(int value) const { return value >= least && value <= most; }
};

using enum Sharding;
const std::vector<Sharding> kCopies = {kNone};
const std::vector<Sharding> kSharded = {kZero1, kZero2, kZero3, kHsdp};
const std::vector<Sharding> kFully = {kZero2, kZero3, kHsdp};
const std::vector<Sharding> kAny = {kNone, kZero1, kZero2, kZero3, kHsdp};

struct Recipe {
  const char* name = "";
  Setting setting;
  std::vector<Sharding> sharding{};
  Range tp{}, pp{}, cp{}, ep{};
  std::optional<bool> offload = false;  ///< nullopt: either
  const char* published = "";           ///< who does it so
};

class Practice : public testing::TestWithParam<Recipe> {};

// Each range holds what was published and its neighbours that the same people call reasonable.
const Recipe kRecipes[] = {
    {.name = "gpt2_on_one_gpu",
     .setting = {"GPT-2", Method::kFull, 1024, 64, "A100 SXM 40GB", 1, 1, 0},
     .sharding = kCopies,
     .published = "one process"},
    {.name = "nanogpt",
     .setting = {"GPT-2", Method::kFull, 1024, 480, "A100 SXM 40GB", 8, 8, 0},
     .sharding = {kNone, kZero1},
     .published = "karpathy/nanoGPT: DDP"},
    {.name = "bert_large",
     .setting = {"BERT-large", Method::kFull, 512, 256, "V100 SXM2 32GB", 8, 8, 0},
     .sharding = {kNone, kZero1, kZero2},
     .published = "NVIDIA DeepLearningExamples: DDP; weights whole on every GPU"},
    {.name = "gpt2_xl",
     .setting = {"GPT-2-XL", Method::kFull, 1024, 512, "A100 SXM 40GB", 8, 8, 0},
     .sharding = kAny,
     .published = "data parallelism; ZeRO where memory is short (Rajbhandari et al. 2020)"},
    {.name = "tinyllama",
     .setting = {"TinyLlama-1.1B", Method::kFull, 2048, 1024, "A100 SXM 40GB", 8, 16, 1600},
     .sharding = kAny,
     .published = "jzhang38/TinyLlama: FSDP"},
    {.name = "llama3_8b_one_node",
     .setting = {"Llama-3.1-8B", Method::kFull, 8192, 64, "H100 SXM", 8, 8, 0, "torchtitan"},
     .sharding = kSharded,
     .cp = {1, 2},
     .published = "pytorch/torchtitan: FSDP2 on 8 GPUs"},
    {.name = "llama3_8b_16_nodes",
     .setting = {"Llama-3.1-8B", Method::kFull, 8192, 256, "H100 SXM", 8, 128, 3200, "torchtitan"},
     .sharding = kSharded,
     .cp = {1, 2},
     .published = "pytorch/torchtitan: FSDP2 on 128 GPUs"},
    {.name = "llama_7b_sft",
     .setting = {"Llama-2-7B", Method::kFull, 4096, 64, "A100 SXM 80GB", 8, 8, 0},
     .sharding = kSharded,
     .published = "torchtune, llama-recipes: FSDP on one node"},
    {.name = "mpt_7b",
     .setting = {"MPT-7B", Method::kFull, 2048, 1760, "A100 SXM 40GB", 8, 440, 1600},
     .sharding = kSharded,
     .published = "mosaicml/llm-foundry: FSDP on 440 GPUs"},
    {.name = "mpt_30b",
     .setting = {"MPT-30B", Method::kFull, 8192, 512, "H100 SXM", 8, 256, 3200},
     .sharding = kSharded,
     .tp = {1, 8},
     .pp = {1, 8},
     .cp = {1, 2},
     .published = "mosaicml/llm-foundry: FSDP on 256 GPUs; NVIDIA NeMo cuts such models"},
    {.name = "llama_70b_8_nodes",
     .setting = {"Llama-2-70B", Method::kFull, 4096, 256, "A100 SXM 80GB", 8, 64, 1600},
     .sharding = kAny,
     .tp = {1, 8},
     .pp = {1, 8},
     .published = "FSDP (llama-recipes), or TP 8 and PP 4 (Megatron)"},
    {.name = "megatron_22b",
     .setting = {"Megatron-22B", Method::kFull, 2048, 32, "A100 SXM 80GB", 8, 8, 0},
     .sharding = kAny,
     .tp = {1, 8},
     .pp = {1, 2},
     .published = "Korthikanti et al. 2022: TP 8"},
    {.name = "gpt3_175b",
     .setting = {"GPT-3-175B", Method::kFull, 2048, 1536, "A100 SXM 80GB", 8, 1024, 1600, "", StartFrom::kScratch},
     .sharding = kAny,
     .tp = {2, 8},
     .pp = {1, 16},
     .published = "Narayanan et al. 2021: TP 8, PP 12 on 1536; NVIDIA NeMo: TP 4, PP 8; Zhang et al. 2022: TP 8, full "
                  "shards on 992"},
    {.name = "megatron_1t",
     .setting = {"Megatron-1T", Method::kFull, 2048, 3072, "A100 SXM 80GB", 8, 3072, 1600, "", StartFrom::kScratch},
     .sharding = kAny,
     .tp = {4, 8},
     .pp = {8, 64},
     .published = "Narayanan et al. 2021: TP 8, PP 64"},
    {.name = "llama3_405b",
     .setting = {"Llama-3.1-405B", Method::kFull, 8192, 2048, "H100 SXM", 8, 16384, 3200, "", StartFrom::kScratch},
     .sharding = kAny,
     .tp = {4, 8},
     .pp = {4, 32},
     .cp = {1, 2},
     .published = "Llama 3 paper 2024: TP 8, PP 16"},
    {.name = "llama3_405b_long",
     .setting = {"Llama-3.1-405B", Method::kFull, 131072, 128, "H100 SXM", 8, 16384, 3200, "", StartFrom::kScratch},
     .sharding = kAny,
     .tp = {4, 8},
     .pp = {4, 32},
     .cp = {2, 32},
     .published = "Llama 3 paper 2024: TP 8, CP 16, PP 16"},
    {.name = "long_context_8b",
     .setting = {"Llama-3.1-8B", Method::kFull, 262144, 8, "A100 SXM 80GB", 8, 8, 0},
     .sharding = kAny,
     .tp = {1, 8},
     .pp = {1, 4},
     .cp = {1, 8},
     .offload = std::nullopt,
     .published = "jzhang38/EasyContext: ring attention over 8 GPUs, ZeRO-3 with offload"},
    {.name = "mixtral",
     .setting = {"Mixtral-8x7B", Method::kFull, 4096, 256, "H100 SXM", 8, 64, 3200, "", StartFrom::kScratch},
     .sharding = kAny,
     .tp = {1, 4},
     .pp = {1, 8},
     .ep = {2, 8},
     .published = "NVIDIA NeMo: EP 8, PP 4"},
    {.name = "deepseek_v3",
     .setting = {"DeepSeek-V3", Method::kFull, 4096, 15360, "H100 SXM", 8, 2048, 3200, "", StartFrom::kScratch},
     .sharding = kAny,
     .tp = {1, 8},
     .pp = {1, 16},
     .ep = {8, 64},
     .published = "DeepSeek-V3 report 2024: EP 64, PP 16"},
    {.name = "qlora_70b_one_gpu",
     .setting = {"Llama-2-70B", Method::kQlora, 1024, 16, "A100 SXM 80GB", 1, 1, 0},
     .sharding = kCopies,
     .published = "Dettmers et al. 2023: 65B on 48 GB"},
    {.name = "qlora_70b_two_cards",
     .setting = {"Llama-2-70B", Method::kQlora, 512, 8, "RTX 4090", 2, 2, 0},
     .sharding = {kZero3},
     .offload = true,
     .published = "AnswerDotAI/fsdp_qlora: FSDP on two cards of 24 GB, parameters on the host"},
    {.name = "qlora_70b_eight_cards",
     .setting = {"Llama-2-70B", Method::kQlora, 2048, 64, "RTX 4090", 8, 8, 0},
     .sharding = {kZero3},
     .offload = true,
     .published = "axolotl and Hugging Face: FSDP with QLoRA, parameters on the host; no pipelines"},
    {.name = "qlora_7b_one_card",
     .setting = {"Llama-2-7B", Method::kQlora, 1024, 16, "RTX 4090", 1, 1, 0},
     .sharding = kCopies,
     .published = "huggingface/peft: one card"},
    {.name = "lora_8b_one_gpu",
     .setting = {"Llama-3.1-8B", Method::kLora, 2048, 16, "A100 SXM 80GB", 1, 1, 0},
     .sharding = kCopies,
     .published = "torchtune: one GPU"},
    {.name = "lora_8b_node",
     .setting = {"Llama-3.1-8B", Method::kLora, 2048, 64, "A100 SXM 80GB", 8, 8, 0},
     .sharding = kCopies,
     .published = "DDP"},
    {.name = "full_1b_pcie_box",
     .setting = {"Llama-3.2-1B", Method::kFull, 2048, 64, "RTX 4090", 4, 4, 0},
     .sharding = kAny,
     .pp = {1, 2},
     .published = "data parallelism; no tensor parallelism over PCIe"},
    {.name = "full_3b_pcie_box",
     .setting = {"Llama-3.2-3B", Method::kFull, 2048, 64, "RTX 4090", 8, 8, 0},
     .sharding = kAny,
     .tp = {1, 8},
     .pp = {1, 8},
     .published = "whatever keeps traffic off the slots"},
    {.name = "full_8b_pcie_box",
     .setting = {"Llama-3.1-8B", Method::kFull, 2048, 32, "RTX 4090", 4, 4, 0},
     .sharding = kAny,
     .tp = {1, 4},
     .pp = {1, 4},
     .offload = true,
     .published = "DeepSpeed: ZeRO with the optimizer on the host"},
};

TEST_P(Practice, ComesOutFirst) {
  const Recipe& recipe = GetParam();
  const Job job = job_for(recipe.setting);
  const auto found = best(job, recipe.setting);
  ASSERT_TRUE(found) << "nothing runs; published: " << recipe.published;
  const Strategy& s = found->strategy;
  const std::string text = described(*found) + "; published: " + recipe.published;
  EXPECT_TRUE(recipe.tp.holds(s.tp)) << text;
  EXPECT_TRUE(recipe.pp.holds(s.pp)) << text;
  EXPECT_TRUE(recipe.cp.holds(s.cp)) << text;
  EXPECT_TRUE(recipe.ep.holds(s.ep)) << text;
  EXPECT_TRUE(std::ranges::find(recipe.sharding, s.sharding) != recipe.sharding.end()) << text;
  if (recipe.offload) {
    EXPECT_EQ(s.offload != Offload::kNone, *recipe.offload) << text;
  }
  EXPECT_EQ(s.gpus(), recipe.setting.gpus) << text;
  EXPECT_TRUE(can_run(*found->framework, std::get<TrainPhase>(job.phases.front().work), found->start, s)) << text;
}

TEST_P(Practice, TensorRanksStayOnFastLinks) {
  // Inside a machine always; over PCIe only where nothing else comes near.
  const Recipe& recipe = GetParam();
  const Job job = job_for(recipe.setting);
  const auto found = best(job, recipe.setting);
  ASSERT_TRUE(found);
  EXPECT_LE(found->strategy.tp, recipe.setting.per_machine);
  if (found->strategy.tp == 1 || fast_links(*found->node)) return;
  for (const Alternative& other : alternatives(job, *found, training_fixture::catalogue())) {
    if (other.aspect == Aspect::kTensor && other.why == WhyNot::kSlower) {
      EXPECT_GT(other.time, 1.2) << described(*found);
    }
  }
}

TEST_P(Practice, CompilesAsFastAsIsTold) {
  const Recipe& recipe = GetParam();
  Job job = job_for(recipe.setting);
  const auto found = best(job, recipe.setting);
  ASSERT_TRUE(found);
  for (const Alternative& other : alternatives(job, *found, training_fixture::catalogue())) {
    if (other.aspect != Aspect::kCompile) continue;
    EXPECT_FALSE(found->strategy.compile);
    auto& train = std::get<TrainPhase>(job.phases.front().work);
    train.compile = {true, {}};
    train.framework = found->framework->name;
    const auto compiled = best(job, recipe.setting);
    ASSERT_TRUE(compiled);
    EXPECT_TRUE(compiled->strategy.compile);
    EXPECT_LE(compiled->work_by_model / found->work_by_model, other.time * 1.1) << described(*compiled);
    for (const Alternative& again : alternatives(job, *compiled, training_fixture::catalogue()))
      EXPECT_NE(again.aspect, Aspect::kCompile) << "asked for already";
  }
}

TEST_P(Practice, IsNotBeatenByAWayThatWasLeftOut) {
  const Recipe& recipe = GetParam();
  const Job job = job_for(recipe.setting);
  const auto found = best(job, recipe.setting);
  ASSERT_TRUE(found);
  for (const Alternative& other : alternatives(job, *found, training_fixture::catalogue())) {
    EXPECT_FALSE(other.strategy == found->strategy);
    if (other.why == WhyNot::kMemory) {
      EXPECT_GT(other.memory.p50, found->node->gpu->usable);
      EXPECT_EQ(other.time, 0);
    }
    if (other.why == WhyNot::kTight) {
      EXPECT_GE(other.memory.p90, found->node->gpu->usable);
    }
    if (other.why == WhyNot::kSlower) {
      EXPECT_GT(other.time, 1);
    }
    if (other.aspect == Aspect::kCompile) {
      EXPECT_LT(other.time, 0.98) << "or there is nothing to tell";
      continue;
    }
    if (other.why == WhyNot::kNotWorthIt && found->fit == Fit::kFits) {
      EXPECT_GT(other.time * other.complexity_penalty, 0.95) << name_of(other.aspect) << ": " << described(*found);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, Practice, testing::ValuesIn(kRecipes),
                         [](const testing::TestParamInfo<Recipe>& one) { return std::string(one.param.name); });

TEST(PracticeConstantsOfTheTable, DecideWhatIsChosen) {
  // Two machines on a slow network: a pipeline would be a fifth to a third faster than sharded weights.
  const Setting setting{"Llama-2-7B", Method::kFull, 4096, 64, "A100 SXM 80GB", 8, 16, 50};
  const Job job = job_for(setting);
  const auto workloads = prepare(job);
  ASSERT_TRUE(workloads);
  Catalogue all = training_fixture::catalogue();
  const auto chosen = [&] {
    Tally tally;
    return best_estimate(workloads->front(), all, machines_for(setting), true, tally)->strategy;
  };
  const Strategy careful = chosen();
  EXPECT_EQ(careful.pp * careful.tp, 1) << careful.pp << careful.tp;
  using P = PracticeConstants;
  for (double P::* const factor :
       {&P::tensor, &P::tensor_over_pcie, &P::pipeline, &P::interleave, &P::zero1, &P::zero2, &P::zero3, &P::hybrid})
    all.practice_constants.*factor = 1;
  for (Framework& framework : all.frameworks) framework.fine_tune = framework.pretrain = 1;
  const Strategy careless = chosen();
  EXPECT_GT(careless.pp * careless.tp, 1);
}

TEST(PracticeConstantsOfTheTable, MultiplyUpToABound) {
  PracticeConstants practice;
  practice.tensor = 1.2;
  practice.zero1 = 1.1;
  practice.pipeline = 1.5;
  practice.most = 1.4;
  Strategy s;
  s.dp = 2;
  s.tp = 8;
  s.sharding = Sharding::kZero1;
  NodeShape node = machines_for({"Llama-2-7B", Method::kFull, 4096, 1024, "A100 SXM 80GB", 16, 8, 800}).node;
  EXPECT_DOUBLE_EQ(complexity_penalty(practice, s, node, {}), 1.1 * 1.2);
  s.pp = 2;
  EXPECT_DOUBLE_EQ(complexity_penalty(practice, s, node, {}), 1.4);
  EXPECT_EQ(complexity_factors(practice, s, node, {}),
            (std::vector<CareFactor>{{"zero1", 1.1}, {"tensor", 1.2}, {"pipeline", 1.5}}));
  s.pp = 1;
  practice.cut_params = 7e9;
  EXPECT_DOUBLE_EQ(complexity_penalty(practice, s, node, {1.05, 0}), 1.05 * 1.1 * 1.2) << "another framework";
  EXPECT_GT(complexity_penalty(practice, s, node, {1, 1e9}), complexity_penalty(practice, s, node, {1, 70e9}))
      << "small networks are not cut";
}

/// Setting up is work once, whatever the run takes.
TEST(PracticeConstantsOfTheTable, AreAnAmountInLongRuns) {
  PracticeConstants practice = training_fixture::catalogue().practice_constants;
  const Care harder{1.5, 0, 1};
  for (const int gpus : {1, 8, 1024}) {
    const Weighing weigh(practice, gpus);
    const auto asked = [&](Seconds time) { return weigh(time, harder) - time; };
    EXPECT_DOUBLE_EQ(asked(units::minute) / units::minute, 0.5);
    const Seconds year = 365 * units::day;
    EXPECT_NEAR(asked(year) / asked(2 * year), 1, 1e-9);
    const double hourly = practice.gpu_hour * gpus + practice.waited_hour;
    EXPECT_NEAR(asked(year) / units::hour * hourly, 0.5 * practice.effort, 1e-6 * practice.effort);
  }
}

/// The longer a run, the less is left lying for a setup that is done once: no longer run takes more for a token.
TEST(StrategyLaws, LongerRunsTakeNoSlowerWays) {
  for (const Setting& setting : {Setting{"Llama-3.1-8B", Method::kFull, 16384, 16, "H100 SXM", 8, 8, 0},
                                 Setting{"Llama-3.1-8B", Method::kFull, 4096, 64, "A100 SXM 80GB", 8, 16, 100},
                                 Setting{"Llama-3.1-8B", Method::kLora, 2048, 16, "RTX 4090", 2, 2, 0},
                                 Setting{"Llama-3.1-70B", Method::kLora, 4096, 64, "H100 SXM", 8, 8, 0},
                                 Setting{"Qwen3-30B-A3B", Method::kLora, 2048, 64, "H100 SXM", 8, 8, 0}}) {
    double before = 1e300;
    for (const double samples : {1e3, 1e4, 1e5, 1e6, 1e7}) {
      Job job = job_for(setting);
      train_of(job).data.samples = samples;
      train_of(job).start = StartFrom::kWeights;
      train_of(job).master_weights = Format::kFp32;
      const auto found = best(job, setting);
      ASSERT_TRUE(found) << setting.model;
      const double each = found->work_by_model.value / (found->steps * setting.batch);
      EXPECT_LE(each, before * 1.001) << setting.model << ", " << samples << ": " << described(*found);
      before = each;
    }
  }
}

TEST(StrategyLaws, FixedDegreesAreHonoured) {
  const Setting setting{"Llama-3.1-8B", Method::kFull, 8192, 64, "H100 SXM", 8, 16, 3200};
  for (const int tp : {1, 2, 8})
    for (const int pp : {1, 2})
      for (const int cp : {1, 2}) {
        Job job = job_for(setting);
        train_of(job).parallel = {std::nullopt, tp, pp, cp, std::nullopt, std::nullopt};
        const auto found = best(job, setting);
        if (tp * pp * cp > 16) continue;
        ASSERT_TRUE(found) << tp << " " << pp << " " << cp;
        EXPECT_EQ(found->strategy.tp, tp);
        EXPECT_EQ(found->strategy.pp, pp);
        EXPECT_EQ(found->strategy.cp, cp);
      }
  for (const Sharding sharding : kAny) {
    Job job = job_for(setting);
    train_of(job).parallel.sharding = sharding;
    const auto found = best(job, setting);
    ASSERT_TRUE(found) << name_of(sharding);
    EXPECT_EQ(found->strategy.sharding, sharding);
  }
  for (const Offload offload : {Offload::kNone, Offload::kParams, Offload::kActivations, Offload::kAll}) {
    Job job = job_for(setting);
    train_of(job).offload = {offload, {}};
    const auto found = best(job, setting);
    ASSERT_TRUE(found) << name_of(offload);
    EXPECT_EQ(found->strategy.offload, offload);
  }
}

/// No cut and no sharding that the job asks for is better than what is chosen when it asks for none.
void expect_never_worse(const Setting& setting, Optimizer optimizer = Optimizer::kAdamW) {
  Job job = job_for(setting);
  train_of(job).optimizer.matrices = optimizer;
  train_of(job).offload = {Offload::kNone, {}};  // which is not chosen for speed, nor are formats
  train_of(job).master_weights = Format::kFp32;
  const auto free = best(job, setting);
  ASSERT_TRUE(free);
  const PracticeConstants& practice = training_fixture::catalogue().practice_constants;
  const NodeShape node = machines_for(setting).node;
  const TrainingWork work = training_work(train_of(job)).value();
  const auto worth = [&](const PhaseEstimate& e) {
    const double care = framework_care(practice, *e.framework, work, machines_for(setting).nodes);
    return Weighing(practice, setting.gpus)(e.work_by_model,
                                            care_of(practice, e.strategy, node, Habit{care, work.params}));
  };
  for (const int tp : {1, 2, 4, 8})
    for (const int pp : {1, 2, 4, 8})
      for (const auto& sharding :
           {std::optional<Sharding>{}, std::optional(Sharding::kZero1), std::optional(Sharding::kZero3)}) {
        Job fixed = job;
        train_of(fixed).parallel = {std::nullopt, tp, pp, std::nullopt, std::nullopt, sharding};
        const auto other = best(fixed, setting);
        if (!other || (other->fit == Fit::kTight && free->fit == Fit::kFits)) continue;
        // A harder way that smaller GPUs are told to take may be chosen: then it is the faster one.
        EXPECT_LE(free->work_by_model.value, worth(*other).value * 1.02)
            << setting.model << ": " << described(*free) << " against " << described(*other);
      }
}

TEST(StrategyLaws, MoreChoicesAreNeverWorse) {
  for (const Setting& setting : {Setting{"Llama-3.1-8B", Method::kFull, 8192, 64, "H100 SXM", 8, 16, 3200},
                                 Setting{"GPT-2-XL", Method::kFull, 1024, 512, "A100 SXM 40GB", 8, 8, 0},
                                 Setting{"Llama-3.1-70B", Method::kFull, 8192, 128, "H100 SXM", 8, 64, 3200},
                                 Setting{"Llama-3.2-3B", Method::kFull, 2048, 64, "RTX 4090", 8, 8, 0}})
    expect_never_worse(setting);
  expect_never_worse({"Qwen2.5-32B", Method::kFull, 2048, 32, "MI325X", 4, 4, 0}, Optimizer::kMuon);
}

/// Settings where what people think of first does badly: slow links, large vocabularies, experts, odd optimizers.
struct Hard {
  Setting setting;
  Optimizer optimizer = Optimizer::kAdamW;
  double samples = 1e4;
};
const Hard kHard[] = {{{"Llama-3.1-8B", Method::kLora, 2048, 64, "RTX 4090", 8, 8, 0}},
                      {{"Llama-3.1-70B", Method::kLora, 2048, 64, "RTX 4090", 8, 8, 0}},
                      {{"Phi-4", Method::kFull, 1024, 64, "RTX 4090", 8, 8, 0}},
                      {{"Qwen3-30B-A3B", Method::kLora, 2048, 64, "H100 SXM", 8, 8, 0}},
                      {{"Llama-3.1-8B", Method::kLora, 131072, 16, "H100 SXM", 8, 8, 0}},
                      {{"Llama-3.1-8B", Method::kFull, 4096, 64, "H100 SXM", 8, 8, 0}, Optimizer::kLion},
                      {{"Llama-3.1-8B", Method::kFull, 4096, 64, "H100 SXM", 8, 8, 0}, Optimizer::kPagedAdamW32bit}};

/// Fixes something and asks whether that is better by more than all care together.
template <class Fix>
void expect_not_better(const Hard& hard, const std::string& what, Fix fix) {
  const PracticeConstants& practice = training_fixture::catalogue().practice_constants;
  Job job = job_for(hard.setting);
  train_of(job).data.samples = hard.samples;
  train_of(job).optimizer = {hard.optimizer, hard.optimizer, hard.optimizer != Optimizer::kAdamW};
  // Who fine-tunes cuts no layers without being asked to.
  train_of(job).parallel.tp = train_of(job).parallel.pp = 1;
  Job fixed = job;
  fix(train_of(fixed));
  const auto open = best(job, hard.setting), other = best(fixed, hard.setting);
  if (!other || other->fit != Fit::kFits) return;
  ASSERT_TRUE(open) << hard.setting.model << ", " << what;
  EXPECT_EQ(open->fit, Fit::kFits) << hard.setting.model << ", " << what;
  const Seconds least = Weighing(practice, hard.setting.gpus)(other->work_by_model, most_care(practice));
  EXPECT_LE(open->work_by_model, least) << hard.setting.model << ", " << what << ": " << described(*open) << " against "
                                        << described(*other);
}

TEST(StrategyLaws, NamingAFrameworkGainsNoMoreThanItsCare) {
  std::vector<Hard> settings(std::begin(kHard), std::end(kHard));
  for (Hard longer : kHard) {
    longer.samples = 1e6;  // where care is an amount
    settings.push_back(longer);
  }
  for (const Hard& hard : settings)
    for (const Framework& framework : training_fixture::catalogue().frameworks) {
      Job job = job_for(hard.setting);
      train_of(job).data.samples = hard.samples;
      if (!framework.trains || !left_open(framework, hard.setting.method)) continue;
      if (joins_samples(framework, train_of(job), StartFrom::kWeights)) continue;    // another training too
      if (!framework.master_fp32 && hard.setting.method == Method::kFull) continue;  // another training
      expect_not_better(hard, framework.name, [&](TrainPhase& train) { train.framework = framework.name; });
    }
}

TEST(StrategyLaws, FixingAMicroBatchOrAShardingGainsNoMoreThanItsCare) {
  for (const Hard& hard : kHard) {
    for (const int micro : {1, 2, 4})
      expect_not_better(hard, "micro-batch", [&](TrainPhase& train) { train.micro = {micro, {}}; });
    for (const Sharding sharding : {Sharding::kNone, Sharding::kZero2, Sharding::kZero3})
      expect_not_better(hard, "sharding", [&](TrainPhase& train) { train.parallel.sharding = sharding; });
    for (const Recompute recompute : {Recompute::kNone, Recompute::kFull})
      expect_not_better(hard, "recomputation", [&](TrainPhase& train) { train.recompute = {recompute, {}}; });
  }
}

TEST(StrategyLaws, StatingTheOptimizerThatIsTakenChangesNothing) {
  const Setting lone{"Qwen3-8B", Method::kFull, 2048, 64, "A100 PCIe 80GB", 1, 1, 0};
  Job job = job_for(lone);
  train_of(job).data.samples = 1e4;
  const auto open = best(job, lone);
  train_of(job).optimizer = {Optimizer::kAdam8bit, Optimizer::kAdam8bit, true};
  const auto stated = best(job, lone);
  ASSERT_TRUE(open && stated && open->lighter);
  EXPECT_TRUE(stated->lighter) << described(*stated);
  EXPECT_EQ(open->strategy, stated->strategy);
  train_of(job).master_weights = Format::kFp32;
  const auto full = best(job, lone);
  EXPECT_TRUE(!full || !full->lighter) << "it asks for fp32 weights";
}

/// What a plan does not do anyhow may be refused.
TEST(StrategyLaws, RefusingAnOffloadThatIsNotTakenChangesNothing) {
  std::vector<std::pair<std::string, Setting>> settings;
  for (const Recipe& recipe : kRecipes) settings.emplace_back(recipe.name, recipe.setting);
  settings.emplace_back("lighter", Setting{"Qwen3-8B", Method::kFull, 2048, 64, "A100 PCIe 80GB", 1, 1, 0});
  int lighter = 0;
  for (const auto& [name, setting] : settings) {
    Job job = job_for(setting);
    train_of(job).data.samples = 1e4;
    const auto open = best(job, setting);
    if (!open || open->strategy.offload != Offload::kNone) continue;
    lighter += open->lighter ? 1 : 0;
    train_of(job).offload = {Offload::kNone, {}};
    const auto stated = best(job, setting);
    ASSERT_TRUE(stated) << name;
    EXPECT_EQ(open->strategy, stated->strategy) << name;
    EXPECT_EQ(open->lighter, stated->lighter) << name;
  }
  EXPECT_GT(lighter, 0);
}

bool cuts(const Strategy& s) { return s.tp * s.pp * s.cp > 1; }

TEST(StrategyLaws, OffloadComesLast) {
  // Whatever fits on the GPUs stays there, unless it has to be cut and takes longer so.
  for (const Recipe& recipe : kRecipes) {
    const Job job = job_for(recipe.setting);
    const auto found = best(job, recipe.setting);
    if (!found || found->strategy.offload == Offload::kNone) continue;
    Job without = job;
    train_of(without).offload = {Offload::kNone, {}};
    const auto other = best(without, recipe.setting);
    EXPECT_TRUE(!other || other->lighter || other->fit == Fit::kTight ||
                (cuts(other->strategy) && other->work_by_model > found->work_by_model))
        << recipe.name << ": " << described(*other);
  }
}

TEST(StrategyLaws, CutsOverSlowLinksDoNotHideTheHostsMemory) {
  // Tensor parallelism over eight cards without peer access fits, and took 24 times as long as what the search found
  // on a smaller card of the same kind.
  const Setting setting{"Llama-3.1-8B", Method::kFull, 2048, 1024, "RTX 4090", 8, 8, 0, "", StartFrom::kScratch};
  const auto found = best(job_for(setting), setting);
  ASSERT_TRUE(found);
  Job offloaded = job_for(setting);
  train_of(offloaded).offload = {Offload::kOptimizer, {}};
  const auto other = best(offloaded, setting);
  ASSERT_TRUE(other && other->fit == Fit::kFits);
  EXPECT_LE(found->work_by_model.value, other->work_by_model.value * 1.02)
      << described(*found) << " against " << described(*other);
}

TEST(StrategyLaws, FormatsAreNotTakenForSpeed) {
  // Sharded AdamW in fp32 has room on eight A100 over PCIe, though it is slow there.
  const Setting setting{"Qwen3-8B", Method::kFull, 2048, 64, "A100 PCIe 80GB", 8, 8, 0};
  const auto tuned = [](const Setting& where) {
    Job job = job_for(where);
    train_of(job).data.samples = 1e4;  // further training on more is no fine-tuning
    return best(job, where);
  };
  const auto full = tuned(setting);
  ASSERT_TRUE(full);
  EXPECT_FALSE(full->lighter) << described(*full);
  const Setting lone{"Qwen3-8B", Method::kFull, 2048, 64, "A100 PCIe 80GB", 1, 1, 0};
  const auto light = tuned(lone);
  ASSERT_TRUE(light);
  EXPECT_TRUE(light->lighter) << described(*light);
}

TEST(StrategyLaws, ThreadsChangeNothing) {
  const Job job = job_of(
      "job: t\n"
      "phases:\n"
      "  - name: train\n"
      "    train: {model: Llama-3.1-8B, data: {tokens: 100M}, sequence: 8192, batch: 64}\n");
  const Searched one(job, {.threads = 1});
  const Searched two(job, {.threads = 2});
  ASSERT_EQ(one.result.plans.size(), two.result.plans.size());
  EXPECT_EQ(one.result.tally.considered, two.result.tally.considered);
  for (std::size_t i = 0; i < one.result.plans.size(); ++i) EXPECT_EQ(one.result.plans[i].id, two.result.plans[i].id);
}

TEST(StrategyLaws, AnUnevenPipelineIsTried) {
  // 61 layers over 4 stages: three of 16 and one of 13.
  const Setting setting{"DeepSeek-V3", Method::kFull, 4096, 1024, "H100 SXM", 8, 512, 3200};
  Job job = job_for(setting);
  train_of(job).parallel.pp = 4;
  const auto found = best(job, setting);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->strategy.pp, 4);
  // A last stage without layers is none.
  train_of(job).parallel.pp = 128;
  EXPECT_FALSE(best(job, setting));
}

TEST(StrategyLaws, StagesOfARankDivideItsLayers) {
  const Setting setting{"GPT-3-175B", Method::kFull, 2048, 1536, "A100 SXM 80GB", 8, 1024, 1600};
  Job job = job_for(setting);
  train_of(job).parallel.tp = 8;
  train_of(job).parallel.pp = 8;
  const auto found = best(job, setting);
  ASSERT_TRUE(found);
  EXPECT_EQ(96 / 8 % found->strategy.interleave, 0) << described(*found);
  if (found->strategy.interleave > 1) {
    EXPECT_EQ(found->strategy.grad_accum % 8, 0);
  }
}

/// How a step is done does not change what is learned in it.
TEST(Practice, AStatedMicroBatchKeepsTheUsualBatch) {
  const Setting lora{"Qwen2.5-7B", Method::kLora, 2048, 0, "H100 SXM", 1, 1, 0};
  Job job = job_for(lora);
  const auto open = best(job, lora);
  ASSERT_TRUE(open);
  for (const int micro : {1, 2, 4}) {
    train_of(job).micro = {micro, {}};
    const auto stated = best(job, lora);
    ASSERT_TRUE(stated) << micro;
    EXPECT_EQ(stated->strategy.micro_batch, micro);
    EXPECT_EQ(stated->batch, open->batch) << micro;
    EXPECT_EQ(stated->steps, open->steps) << micro;
  }
  // More at once on each of several GPUs than the usual step has is a larger step.
  const Setting eight{"Qwen2.5-7B", Method::kLora, 2048, 0, "H100 SXM", 8, 8, 0};
  Job wide = job_for(eight);
  train_of(wide).micro = {16, {}};
  const auto found = best(wide, eight);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->gpus, 8);
  EXPECT_EQ(found->batch, 128);
}

/// Nobody waits twice as long for less than a gigabyte of a risk that stays.
TEST(Practice, ShorterSequencesTakeNoLongerWhereEveryWayIsAtRisk) {
  Seconds before{};
  for (const int sequence : {512, 1024, 2048}) {
    const Setting tight{"Qwen2.5-32B", Method::kQlora, sequence, 0, "RTX 4090", 1, 1, 0};
    Job job = job_for(tight);
    train_of(job).data.samples = 20e6 / sequence;
    const auto found = best(job, tight);
    ASSERT_TRUE(found) << sequence;
    EXPECT_EQ(found->fit, Fit::kTight) << sequence;
    EXPECT_LT(before, found->work_by_model * 1.2) << sequence;
    before = found->work_by_model;
  }
}

/// What people think of for pretraining is taken for fine-tuning, where it is faster by more than any care asks for.
TEST(Practice, NoKnownFrameworkIsLeftThatIsFarFaster) {
  for (const char* const gpu : {"RTX 4090", "RTX 3090"}) {
    const Setting open{"Llama-3.1-8B", Method::kFull, 2048, 0, gpu, 8, 8, 0};
    Setting named = open;
    named.framework = "megatron";
    const auto left = best(job_for(open), open), asked = best(job_for(named), named);
    ASSERT_TRUE(left && asked) << gpu;
    EXPECT_EQ(asked->fit, Fit::kFits);
    EXPECT_LE(left->work_by_model / asked->work_by_model, training_fixture::catalogue().practice_constants.most * 1.02);
  }
}

}  // namespace
}  // namespace gpuplan
