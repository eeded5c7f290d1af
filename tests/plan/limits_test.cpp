#include "domain/facts/limits.h"

#include <gtest/gtest.h>

#include <functional>

#include "model/training_fixture.h"
#include "plan/strategy/software.h"

namespace gpuplan {
namespace {

using namespace gpuplan::training_fixture;

const Framework& framework(std::string_view name) { return *catalogue().find_framework(name); }

/// What is said of an 8 GPU run of the model under the framework, changed by the test.
std::string why(std::string_view name, const char* model,
                const std::function<void(TrainPhase&, Strategy&)>& change = {}, StartFrom start = StartFrom::kWeights) {
  TrainPhase train = phase(use_of(model), 4096);
  Strategy strategy;
  strategy.dp = 8;
  if (change) change(train, strategy);
  return why_not_run(framework(name), train, start, strategy);
}

TEST(Limits, ColumnsSayWhatAFrameworkLacks) {
  EXPECT_EQ(why("hf-trainer", "Llama-3.1-8B"), "");
  const auto with = [](auto set) { return [set](TrainPhase&, Strategy& s) { set(s); }; };
  EXPECT_EQ(why("hf-trainer", "Llama-3.1-8B", with([](Strategy& s) { s.tp = 2; })),
            "hf-trainer has no tensor parallelism");
  EXPECT_EQ(why("hf-trainer", "Llama-3.1-8B", with([](Strategy& s) { s.pp = 2; })),
            "hf-trainer has no pipeline parallelism");
  EXPECT_EQ(why("hf-trainer", "Llama-3.1-8B", with([](Strategy& s) { s.cp = 2; })),
            "hf-trainer has no context parallelism");
  EXPECT_EQ(why("axolotl", "Llama-3.1-8B", with([](Strategy& s) { s.ep = 2; })), "axolotl has no expert parallelism");
  EXPECT_EQ(why("megatron", "Llama-3.1-8B", with([](Strategy& s) { s.sharding = Sharding::kZero3; })),
            "megatron has no full sharding (zero3)");
  EXPECT_EQ(why("deepspeed", "Llama-3.1-8B", with([](Strategy& s) { s.sharding = Sharding::kHsdp; })),
            "deepspeed has no sharding with copies (hsdp)");
  EXPECT_EQ(why("litgpt", "Llama-3.1-8B", with([](Strategy& s) { s.offload = Offload::kActivations; })),
            "litgpt keeps no activations in CPU memory");
  EXPECT_EQ(why("nanochat", "Llama-3.1-8B", with([](Strategy& s) { s.recompute = Recompute::kFull; })),
            "nanochat has no recomputation");
}

TEST(Limits, CombinationsThatFrameworksRefuse) {
  const auto met = [](std::string_view name, auto change) {
    TrainPhase train = phase(use_of("Llama-3.1-8B"), 4096);
    train.data.packing = true;
    Strategy strategy;
    strategy.dp = 4;
    change(train, strategy);
    const LimitRow* row = limit_met(framework(name), train, StartFrom::kWeights, strategy);
    return row == nullptr ? std::string("none") : std::string(name_of(row->limit));
  };
  const auto cuts = [](TrainPhase&, Strategy& s) { s.tp = 2; };
  EXPECT_EQ(met("torchtitan", cuts), "cuts_shard");
  EXPECT_EQ(met("torch", cuts), "none");
  EXPECT_EQ(met("torchtitan", [](TrainPhase&, Strategy& s) { s.tp = 2, s.sharding = Sharding::kZero2; }), "none");
  EXPECT_EQ(met("torchtitan", [](TrainPhase&, Strategy& s) { s.tp = 2, s.dp = 1; }), "none");
  EXPECT_EQ(met("torchtitan", [](TrainPhase&, Strategy& s) { s.offload = Offload::kOptimizer; }), "offload_shards");
  EXPECT_EQ(met("torchtitan",
                [](TrainPhase&, Strategy& s) { s.offload = Offload::kOptimizer, s.sharding = Sharding::kZero3; }),
            "none");
  // 32 layers.
  EXPECT_EQ(met("megatron", [](TrainPhase&, Strategy& s) { s.pp = 4, s.interleave = 3; }), "even_parts");
  EXPECT_EQ(met("megatron", [](TrainPhase&, Strategy& s) { s.pp = 4, s.interleave = 4; }), "none");
  // deepspeed/runtime/pipe/engine.py ends where gradients are cut.
  const auto stages = [](Sharding sharding) {
    return [sharding](TrainPhase&, Strategy& s) { s.pp = 2, s.dp = 2, s.sharding = sharding; };
  };
  EXPECT_EQ(met("deepspeed", stages(Sharding::kZero2)), "pipeline_whole");
  EXPECT_EQ(met("deepspeed", stages(Sharding::kZero3)), "pipeline_whole");
  EXPECT_EQ(met("deepspeed", stages(Sharding::kZero1)), "none");
  const auto host = [](TrainPhase& train, Strategy& s) {
    train.optimizer.matrices = Optimizer::kMuon;
    s.offload = Offload::kOptimizer;
  };
  EXPECT_EQ(met("megatron", host), "offload_adam");
  EXPECT_EQ(met("axolotl", [](TrainPhase&, Strategy& s) { s.cp = 2, s.micro_batch = 2; }), "context_packed");
  EXPECT_EQ(met("axolotl", [](TrainPhase&, Strategy& s) { s.cp = 2; }), "wide_cuts");
  // accelerate's mesh has no copies of the whole model beside parts of sequences, axolotl's DeepSpeed no such parts.
  const auto parts = [](Sharding sharding, int dp, Offload offload = Offload::kNone) {
    return [=](TrainPhase& train, Strategy& s) {
      train.master_weights = Format::kBf16;
      s.cp = 2;
      s.dp = dp;
      s.sharding = sharding;
      s.offload = offload;
    };
  };
  EXPECT_EQ(met("axolotl", parts(Sharding::kZero3, 4)), "none");
  EXPECT_EQ(met("axolotl", parts(Sharding::kHsdp, 4)), "none");
  EXPECT_EQ(met("axolotl", parts(Sharding::kNone, 1)), "none");
  EXPECT_EQ(met("axolotl", parts(Sharding::kNone, 4)), "wide_cuts");
  EXPECT_EQ(met("axolotl", parts(Sharding::kZero1, 1)), "wide_cuts");
  EXPECT_EQ(met("axolotl", parts(Sharding::kNone, 1, Offload::kOptimizer)), "wide_cuts");
  // Its Muon ends beside DeepSpeed, which keeps 32-bit weights and shares out states without FSDP.
  const auto muon = [](Format master, Sharding sharding, Method method = Method::kFull) {
    return [=](TrainPhase& train, Strategy& s) {
      train.optimizer.matrices = Optimizer::kMuon;
      train.master_weights = master;
      train.method = method;
      s.precision = Precision::kBf16;
      s.dp = 4;
      s.sharding = sharding;
    };
  };
  for (const Sharding sharding : {Sharding::kNone, Sharding::kZero1, Sharding::kZero2, Sharding::kZero3}) {
    EXPECT_EQ(met("axolotl", muon(Format::kFp32, sharding)), "wide_cuts");
    for (const Method method : {Method::kFull, Method::kLora})
      EXPECT_EQ(met("axolotl", muon(Format::kBf16, sharding, method)),
                sharding == Sharding::kZero1 ? "wide_cuts" : "none");
  }
  EXPECT_EQ(met("axolotl", [](TrainPhase&, Strategy& s) { s.cp = 2, s.attention = AttentionKernel::kEager; }),
            "context_flash");
  EXPECT_EQ(met("axolotl", [](TrainPhase& train,
                              Strategy& s) { train.optimizer.matrices = Optimizer::kPagedAdamW8bit, s.tp = 2; }),
            "tensor_paged");
  for (const Method method : {Method::kFull, Method::kLora, Method::kQlora})
    for (const auto& [tp, pp] : {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2)})
      EXPECT_EQ(met("deepspeed", [&](TrainPhase& train, Strategy& s) { train.method = method, s.tp = tp, s.pp = pp; }),
                method != Method::kFull && tp * pp > 1 ? "adapters_whole" : "none");
}

TEST(Limits, WideWeightsOfAxolotlAreNeitherCutNorCopied) {
  const auto said = [](const std::function<void(TrainPhase&, Strategy&)>& change) {
    return why("axolotl", "Llama-3.1-8B", change).contains("32-bit weights");
  };
  const auto hsdp = [](TrainPhase&, Strategy& s) { s.sharding = Sharding::kHsdp; };
  EXPECT_TRUE(said(hsdp));
  EXPECT_TRUE(said([](TrainPhase&, Strategy& s) { s.tp = 2, s.sharding = Sharding::kZero3; }));
  EXPECT_FALSE(said([](TrainPhase&, Strategy& s) { s.sharding = Sharding::kZero3; }));
  EXPECT_FALSE(
      said([](TrainPhase& train, Strategy& s) { train.method = Method::kLora, s.sharding = Sharding::kHsdp; }));
  EXPECT_FALSE(said([](TrainPhase&, Strategy& s) { s.precision = Precision::kFp32, s.sharding = Sharding::kHsdp; }));
}

TEST(Limits, ExpertsThatAreModulesAreNotShardedApart) {
  const auto sharded = [](TrainPhase&, Strategy& s) { s.sharding = Sharding::kZero3; };
  EXPECT_TRUE(why("torch", "Qwen3-30B-A3B", sharded).contains("a module for each expert"));
  EXPECT_EQ(why("torch", "gpt-oss-20b", sharded), "") << "its experts are one tensor";
  EXPECT_EQ(why("torch", "Llama-3.1-8B", sharded), "");
  EXPECT_EQ(why("torch", "Qwen3-30B-A3B", [](TrainPhase&, Strategy& s) { s.sharding = Sharding::kZero1; }), "");
  for (const char* name : {"hf-trainer", "accelerate"})
    for (const char* target : {"experts", "all", "attention"})
      EXPECT_EQ(why(name, "Qwen3-30B-A3B",
                    [&](TrainPhase& train, Strategy& s) {
                      train.method = Method::kLora, train.lora.targets = {target}, s.sharding = Sharding::kZero3;
                    })
                    .contains("adapters beside experts"),
                std::string(target) == "experts");
}

TEST(Limits, MegatronCutsSequencesEvenly) {
  const auto said = [](int sequence, int tp, int cp) {
    return why("megatron", "Llama-3.1-8B",
               [&](TrainPhase& train, Strategy& s) { train.sequence = sequence, s.tp = tp, s.cp = cp; })
        .contains("even parts");
  };
  EXPECT_FALSE(said(1000, 1, 1));
  EXPECT_FALSE(said(1000, 8, 1));
  EXPECT_TRUE(said(1000, 1, 8)) << "16 parts";
  EXPECT_FALSE(said(1008, 1, 8));
  EXPECT_TRUE(said(1004, 8, 1));
}

TEST(Limits, HardwareThatSoftwareLeavesOutHasAWayOut) {
  const auto said = [](std::string_view name, std::string_view gpu) {
    const Gpu& card = *catalogue().find_gpu(gpu);
    return runs_on(framework(name), card) ? "" : why_not_on(framework(name), card);
  };
  EXPECT_TRUE(said("vllm", "V100 SXM2 32GB").contains("needs compute capability 7.5 since 0.24"));
  EXPECT_TRUE(said("vllm", "V100 SXM2 32GB").ends_with("; write engine: hf"));
  EXPECT_TRUE(said("megatron", "MI300X").contains("Transformer Engine"));
  EXPECT_TRUE(said("tensorrt-llm", "V100 SXM2 32GB").ends_with("it needs compute capability 8, and the GPU has 7"));
  EXPECT_EQ(said("unsloth", "V100 SXM2 32GB"), "");
  EXPECT_EQ(said("litgpt", "MI300X"), "litgpt does not run on MI300X");
}

/// Programs that only read a stream of tokens make fewer and longer steps of short samples than are planned.
TEST(Limits, ShortSamplesAreNotJoinedUnasked) {
  const auto samples = [](bool packing, double longest) {
    return [=](TrainPhase& train, Strategy&) {
      train.data = {.samples = 20000, .tokens_per_sample = Length{400, longest}, .packing = packing, .tokens = {}};
      train.sequence = 2048;
    };
  };
  for (const char* name : {"torchtitan", "megatron", "megatron-deepspeed", "llmq"}) {
    const std::string said = why(name, "Llama-3.1-8B", samples(false, 2048));
    EXPECT_NE(said.find("always joins samples to full sequences"), std::string::npos) << name << said;
    EXPECT_NE(said.find("packing: true"), std::string::npos) << said;
    EXPECT_EQ(why(name, "Llama-3.1-8B", samples(true, 2048)), "") << name;
    EXPECT_EQ(why(name, "Llama-3.1-8B", samples(false, 400)), "") << name << ": sequences are as long as samples";
  }
  for (const char* name : {"hf-trainer", "torch", "axolotl", "llama-factory"})
    EXPECT_EQ(why(name, "Llama-3.1-8B", samples(false, 2048)), "") << name;
}

/// accelerate puts DeepSpeed's AdamW of the CPU in the place of optimizers that it has no kernel for.
TEST(Limits, OptimizersThatDeepSpeedReplacesOnTheCpu) {
  const auto with = [](std::string_view name, Optimizer optimizer, Sharding sharding) {
    return why(name, "Llama-3.1-8B", [&](TrainPhase& train, Strategy& s) {
      train.optimizer = {optimizer, optimizer};
      s.offload = Offload::kOptimizer;
      s.sharding = sharding;
    });
  };
  for (const char* name : {"deepspeed", "hf-trainer", "accelerate", "axolotl", "llama-factory"}) {
    EXPECT_EQ(with(name, Optimizer::kAdamW, Sharding::kZero1), "") << name;
    EXPECT_EQ(with(name, Optimizer::kLion, Sharding::kZero1), "") << name;
    EXPECT_NE(with(name, Optimizer::kSgd, Sharding::kZero1).find("would use AdamW instead"), std::string::npos) << name;
  }
  EXPECT_NE(with("llama-factory", Optimizer::kAdafactor, Sharding::kZero3), "");
  EXPECT_EQ(with("hf-trainer", Optimizer::kAdafactor, Sharding::kZero3), "") << "FSDP keeps them";
}

TEST(Limits, NetworksThatFrameworksLack) {
  EXPECT_EQ(why("nanogpt", "gpt2-xl"), "");
  EXPECT_NE(why("nanogpt", "Llama-3.1-8B", {}, StartFrom::kScratch), "");
  const auto drawn = [](TrainPhase& train, Strategy&) {
    train.models = {gpt(12, 768, 12, 50257)};
    train.models.front().drawn = true;
  };
  EXPECT_EQ(why("nanogpt", "gpt2", drawn, StartFrom::kScratch), "");
  EXPECT_NE(why("nanogpt", "gpt2", drawn, StartFrom::kWeights), "") << "of 2048 positions: not GPT-2's weights";
  EXPECT_EQ(why("nanochat", "gpt2", drawn, StartFrom::kScratch), "");
  EXPECT_NE(why("nanochat", "gpt2", drawn, StartFrom::kWeights), "");
  for (const char* name : {"axolotl", "llama-factory", "unsloth"})
    EXPECT_NE(why(name, "gpt2", drawn, StartFrom::kScratch).find("trains only models that are published"),
              std::string::npos);
  EXPECT_NE(why("torchtitan", "gpt2", drawn, StartFrom::kScratch), "");
  EXPECT_EQ(why("torchtitan", "Mixtral-8x7B", {}, StartFrom::kScratch), "");
  EXPECT_NE(why("torchtitan", "Mixtral-8x7B"), "") << "its weights have names of their own";
  EXPECT_NE(why("torchtitan", "DeepSeek-V3"), "") << "it would go on with other rotary positions";
  EXPECT_EQ(why("torchtitan", "DeepSeek-V3", {}, StartFrom::kScratch), "");
  EXPECT_EQ(why("torchtitan", "Qwen3-8B"), "");
  EXPECT_EQ(why("torchtitan", "Qwen3-8B", [](TrainPhase&, Strategy& s) { s.pp = 2; }).substr(0, 33),
            "torchtitan has no pipeline stages");
  EXPECT_EQ(why("torchtitan", "Llama-3.1-8B", [](TrainPhase&, Strategy& s) { s.pp = 8, s.dp = 1; }), "");
}

TEST(Limits, NetworksThatMegatronsFlagsCanNotSay) {
  for (const char* name : {"Llama-3.1-8B", "Qwen3-8B", "Qwen2.5-7B", "gpt2", "Mixtral-8x7B", "DeepSeek-V3"})
    EXPECT_EQ(why("megatron", name), "") << name;
  for (const char* name : {"Gemma-3-1B", "gpt-oss-20b", "BERT-base"})
    EXPECT_EQ(why("megatron", name).substr(0, 28), "megatron has no such network") << name;
}

TEST(Limits, ShardsKeepAwayFromBitsandbytes) {
  const auto with = [](Optimizer optimizer, Sharding sharding) {
    return why("hf-trainer", "Llama-3.1-8B", [=](TrainPhase& train, Strategy& s) {
      train.optimizer = {optimizer, optimizer, true};
      s.sharding = sharding;
    });
  };
  EXPECT_NE(with(Optimizer::kLion, Sharding::kZero3), "");
  EXPECT_NE(with(Optimizer::kPagedAdamW8bit, Sharding::kZero2), "");
  EXPECT_EQ(with(Optimizer::kLion, Sharding::kZero1), "");
  EXPECT_EQ(with(Optimizer::kAdam8bit, Sharding::kZero3), "") << "torchao has it";
}

TEST(Limits, FormsOfTorchtitan) {
  const auto form = [](const char* model) { return titan_form(*catalogue().find_model(model)); };
  EXPECT_EQ(form("Llama-3.1-8B"), TitanForm::kLlama3);
  EXPECT_EQ(form("Llama-3.2-1B"), TitanForm::kQwen3) << "tied";
  EXPECT_EQ(form("Qwen3-8B"), TitanForm::kQwen3);
  EXPECT_EQ(form("DeepSeek-V3"), TitanForm::kDeepSeek);
  EXPECT_EQ(form("Qwen2.5-7B"), TitanForm::kNone) << "biases";
  EXPECT_EQ(form("gpt2"), TitanForm::kNone);
}

TEST(Limits, WindowsInAllLayersButEveryNth) {
  ModelShape s = *catalogue().find_model("Llama-3.1-8B");
  EXPECT_EQ(full_every(s), 0);
  s.window = 1024;
  s.window_layers = 32;
  EXPECT_EQ(full_every(s), 0) << "all have one";
  s.window_layers = 16;
  EXPECT_EQ(full_every(s), 2);
  s.layers = 26, s.window_layers = 22;  // Gemma 3 1B: the sixth, the twelfth, ...
  EXPECT_EQ(full_every(s), 6);
  s.layers = 32, s.window_layers = 7;
  EXPECT_EQ(full_every(s), std::nullopt);
}

/// Frameworks for text train no networks of pictures, and say so; those that train any module do.
TEST(Limits, FrameworksForTextTrainNoPictures) {
  const char* const of_text[] = {"megatron",        "megatron-deepspeed",
                                 "megatron-bridge", "torchtitan",
                                 "axolotl",         "torchtune",
                                 "llama-factory",   "litgpt",
                                 "unsloth",         "nanogpt",
                                 "nanochat",        "llmq",
                                 "internevo",       "maxtext",
                                 "automodel"};
  const auto drawn = [](ModelKind kind) {
    return [kind](TrainPhase& train, Strategy&) {
      ModelShape shape;
      shape.kind = kind;
      shape.layers = 12, shape.hidden = 768, shape.heads = 12, shape.gated = false, shape.norm = NormKind::kLayer;
      shape.image = 224, shape.patch = 16, shape.channels = 3;
      complete(shape);
      train.models.front().shape = shape;
      train.models.front().drawn = true;
    };
  };
  for (const ModelKind kind : {ModelKind::kVit, ModelKind::kDit}) {
    for (const char* name : of_text)
      EXPECT_NE(why(name, "gpt2", drawn(kind), StartFrom::kScratch), "") << name << " " << name_of(kind);
    for (const char* name : {"torch", "hf-trainer", "accelerate", "deepspeed"})
      EXPECT_EQ(why(name, "gpt2", drawn(kind), StartFrom::kScratch), "") << name << " " << name_of(kind);
  }
  EXPECT_EQ(why("megatron", "gpt2", drawn(ModelKind::kDit), StartFrom::kScratch),
            "megatron trains only networks of text: write framework: torch, hf-trainer or accelerate");
  EXPECT_NE(why("axolotl", "BERT-base"), "") << "it writes no text";
  TrainPhase two = phase(use_of("gpt2"), 1024);
  two.models.push_back(use_of("ViT-B-16"));
  EXPECT_NE(why_not_run(framework("megatron"), two, StartFrom::kWeights, {}), "") << "one of several is enough";
}

/// A 16-bit format that a chip has for show is no reason to take it.
TEST(Limits, PrecisionIsNotTakenWhereItIsSlow) {
  constexpr double kCare = 2;  // what a format that asks for less care may be slower by
  for (const Gpu& gpu : catalogue().gpus) {
    const Precision taken = training_precision(TrainPhase{}, gpu, 1);
    for (const Precision other : {Precision::kFp32, Precision::kFp16, Precision::kBf16})
      EXPECT_GE(peak(gpu, taken) * kCare, peak(gpu, other))
          << gpu.name << " " << name_of(taken) << " " << name_of(other);
  }
  for (const char* name : {"P40", "P4", "GTX 1080"})
    EXPECT_EQ(training_precision(TrainPhase{}, *catalogue().find_gpu(name), 1), Precision::kFp32) << name;
  for (const char* name : {"V100 SXM2 32GB", "T4", "P100 PCIe"})
    EXPECT_EQ(training_precision(TrainPhase{}, *catalogue().find_gpu(name), 1), Precision::kFp16) << name;
}

/// Whoever is chosen can do it; whoever is named and can not is told so.
TEST(Limits, SoftwareIsChosenByThem) {
  const auto software = [](const TrainPhase& train) {
    return training_software(catalogue(), training_work(train).value(), *catalogue().find_gpu("H100 SXM"), 8, 1);
  };
  TrainPhase train = phase(use_of("Llama-3.1-8B"), 4096);
  train.method = Method::kLora;
  train.parallel.cp = 4;
  const Software others = software(train);
  ASSERT_FALSE(others.frameworks.empty()) << "by name only, but they do it";
  for (const Framework* one : others.frameworks) EXPECT_TRUE(one->context && one->lora) << one->name;
  const double by_hand = catalogue().practice_constants.without_script;
  const auto scripts = [](const Framework* one) { return one->scripts; };
  const double least = std::ranges::any_of(others.frameworks, scripts) ? 1 : by_hand;
  for (std::size_t i = 0; i < others.care.size(); ++i)
    EXPECT_DOUBLE_EQ(others.care[i] * least, scripts(others.frameworks[i]) ? 1 : by_hand) << others.frameworks[i]->name;
  train.framework = "hf-trainer";
  const Software named = software(train);
  EXPECT_TRUE(named.frameworks.empty());
  EXPECT_EQ(named.reason.substr(0, 71), "hf-trainer has no context parallelism; write framework: deepspeed, mega");
  train.framework = "torchtitan";
  train.method = Method::kFull;
  train.optimizer.matrices = Optimizer::kMuon;
  EXPECT_EQ(software(train).reason.substr(0, 22), "torchtitan has no muon");
}

/// Every optimizer that a framework has by frameworks.csv has a name there that launch can write, or is asked for
/// otherwise: Lamb and Muon in DeepSpeed's and LLaMA-Factory's own settings.
TEST(Limits, OptimizersHaveNames) {
  struct Named {
    const char* framework;
    std::string OptimizerFacts::* name;
  };
  for (const auto& [name, field] : {Named{"torch", &OptimizerFacts::torch},
                                    {"hf-trainer", &OptimizerFacts::trainer},
                                    {"accelerate", &OptimizerFacts::trainer},
                                    {"unsloth", &OptimizerFacts::trainer},
                                    {"axolotl", &OptimizerFacts::axolotl},
                                    {"torchtitan", &OptimizerFacts::torchtitan},
                                    {"megatron", &OptimizerFacts::megatron}})
    for (const Optimizer optimizer : framework(name).optimizers) {
      const OptimizerFacts* facts = catalogue().find_optimizer(optimizer);
      ASSERT_NE(facts, nullptr) << name_of(optimizer);
      EXPECT_NE(facts->*field, "") << name << ": " << name_of(optimizer);
    }
}

}  // namespace
}  // namespace gpuplan
