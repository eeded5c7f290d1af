// `args` of phases that gpuplan writes programs for: nothing that they say is dropped without a word.
#include "launch/work/arguments.h"

#include <gtest/gtest.h>

#include "launch/launched.h"
#include "launch/parts/interfaces.h"

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 10> kFrameworks = {"torch",         "hf-trainer", "accelerate", "deepspeed",
                                                          "unsloth",       "megatron",   "torchtitan", "axolotl",
                                                          "llama-factory", "nanogpt"};

struct Args {
  std::string_view framework;
  std::string args, keys{}, more{};

  Result<Work> work() const {
    const bool gpt2 = framework == "nanogpt";
    const Launched laid(job_of(
        "market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h}]}\nphases:\n  - name: train\n    train: "
        "{model: " +
        std::string(gpt2 ? "gpt2" : "meta-llama/Llama-3.2-1B") +
        ", data: {samples: 6400}, sequence: 512, batch: {sequences: 64}, framework: " + std::string(framework) + keys +
        "}\n    args: {" + args + "}\n" + more));
    return phase_work(*laid.launch, laid.launch->phases.front());
  }
  std::string error() const {
    const auto written = work();
    return written ? "" : written.error().message;
  }
  /// All that is written, in one text.
  std::string text() const {
    const auto written = work();
    if (!written) return "error: " + written.error().message;
    std::string all;
    for (const std::string& line : written->command) all += line + "\n";
    for (const LaunchFile& file : written->files) {
      const bool program = file.path.ends_with(".py") || file.path.ends_with(".sh");
      if (!program || file.path.ends_with("settings.json")) all += file.text;
    }
    return all;
  }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Arguments, AValueThatIsNoneIsTold) {
  for (const std::string_view framework : kFrameworks)
    for (const char* value : {"'2,0e-5'", "high", "'5e-5x'", "'$LR'", "auto", "-1e-5", "0", "''", "nan", "1e999"}) {
      const Args one{framework, std::string("learning_rate: ") + value};
      EXPECT_TRUE(has(one.error(), "phases.train.args.learning_rate: '")) << framework << value << ": " << one.error();
      EXPECT_TRUE(has(one.error(), "is not a number above 0, as in 2e-5")) << one.error();
    }
  for (const auto& [args, expected] : std::vector<std::pair<std::string, std::string>>{
           {"lr: x", "a number above 0"},
           {"weight_decay: -1", "a number of 0 or more"},
           {"warmup_steps: 2.5", "a whole number of 0 or more"},
           {"warmup_ratio: 10%", "a number from 0 to below 1"},
           {"warmup_ratio: 1", "a number from 0 to below 1"},
           {"max_grad_norm: one", "a number of 0 or more"},
           {"seed: abc", "a whole number"},
           {"warmup_ratio: 0.1, warmup_steps: 10", "args has warmup_ratio as well; use one of them"},
           {"lr: 1e-5, learning_rate: 2e-5", "args has learning_rate as well; use one of them"}})
    EXPECT_TRUE(has(Args{"torch", args}.error(), expected)) << args << ": " << Args{"torch", args}.error();
  for (const auto& [args, expected] :
       std::vector<std::pair<std::string, std::string>>{{"lora_alpha: 1.5", "a whole number above 0"},
                                                        {"lora_alpha: 0", "a whole number above 0"},
                                                        {"lora_dropout: 1", "a number from 0 to below 1"},
                                                        {"use_rslora: maybe", "true or false"}})
    for (const std::string_view framework : {"hf-trainer", "accelerate", "axolotl", "llama-factory"})
      EXPECT_TRUE(has(Args{framework, args, ", method: lora"}.error(), expected)) << framework << args;
}

TEST(Arguments, WhatThePlanDecidesIsSetInTheJob) {
  for (const std::string_view framework : kFrameworks)
    for (const auto& [args, key] :
         std::vector<std::pair<std::string, std::string>>{{"max_steps: 10", "train.steps"},
                                                          {"num_train_epochs: 2", "train.epochs"},
                                                          {"per_device_train_batch_size: 8", "train.micro"},
                                                          {"gradient_accumulation_steps: 2", "train.accumulate"},
                                                          {"max_length: 512", "train.sequence"},
                                                          {"bf16: true", "train.precision"},
                                                          {"optim: adafactor", "train.optimizer"},
                                                          {"gradient_checkpointing: true", "train.recompute"},
                                                          {"save_steps: 5", "checkpoint: {every: ..., keep: ...}"},
                                                          {"eval_strategy: steps", "evaluate: {every: ...}"},
                                                          {"deepspeed: x.json", "train.parallel"},
                                                          {"output_dir: /tmp/x", "GPUPLAN_RUNS"}})
      EXPECT_TRUE(has(Args{framework, args}.error(), "the plan decides that; set " + key))
          << framework << " " << args << ": " << Args{framework, args}.error();
  for (const char* args : {"training.steps: 5", "training.local_batch_size: 2", "parallelism.tensor_parallel_degree: 2",
                           "optimizer.name: Adam", "checkpoint.interval: 3"})
    EXPECT_TRUE(has(Args{"torchtitan", args}.error(), "the plan decides that")) << args;
  for (const char* args : {"train-iters: 5", "seq-length: 2", "tensor-model-parallel-size: 2", "fp16: true"})
    EXPECT_TRUE(has(Args{"megatron", args}.error(), "the plan decides that")) << args;
}

TEST(Arguments, NamesThatTheProgramLacksAreToldBeforeIt) {
  for (const std::string_view framework : kFrameworks)
    for (const char* args : {"learning_rat: 1e-5", "beta: 3", "LORA: 1", "a.b: c", "training.seq: 5"}) {
      const std::string error = Args{framework, args}.error();
      EXPECT_TRUE(has(error, "does not support it (supported: learning_rate")) << framework << args << error;
      EXPECT_EQ(error.find('\n'), std::string::npos);
    }
  for (const std::string_view framework : kFrameworks)
    EXPECT_FALSE((Args{framework, "lora_alpha: 8"}).error().empty()) << framework << " trains all weights";
  // Of TRL, on machines that stay; the same on spot goes to the Trainer, which has none.
  EXPECT_EQ((Args{"hf-trainer", "use_liger_kernel: true, shuffle_dataset: true, neftune_noise_alpha: 5"}.error()), "");
  EXPECT_TRUE(has((Args{"hf-trainer", "program: own, shuffle_dataset: true"}.error()), "does not support it"));
  EXPECT_EQ((Args{"hf-trainer", "program: own, logging_steps: 3, adam_beta2: 0.95"}.error()), "");
  EXPECT_TRUE(has((Args{"accelerate", "dataloader_num_workers: often"}.error()), "'often' is not a whole number"));
  EXPECT_TRUE(has((Args{"accelerate", "dataloader_drop_last: 3"}.error()), "'3' is not true or false"));
}

TEST(Arguments, AdaptersAreWhatPeopleSetUnderEveryProgram) {
  struct Program {
    std::string_view framework;
    std::string alpha, dropout, rslora, more{};
  };
  for (const Program& program :
       std::vector<Program>{{"hf-trainer", "lora_alpha: 8\n", "lora_dropout: 0.05", "use_rslora: true"},
                            {"hf-trainer", "\"alpha\": 8,", "\"dropout\": 0.05", "\"rslora\": true", ", program: own"},
                            {"accelerate", "\"alpha\": 8,", "\"dropout\": 0.05", "\"rslora\": true"},
                            {"unsloth", "\"alpha\": 8,", "\"dropout\": 0.05", "\"rslora\": true"},
                            {"axolotl", "lora_alpha: 8\n", "lora_dropout: 0.05", "peft_use_rslora: true"},
                            {"llama-factory", "lora_alpha: 8\n", "lora_dropout: 0.05", "use_rslora: true"}}) {
    const std::string text =
        Args{program.framework, "lora_alpha: 8, lora_dropout: 0.05, use_rslora: true" + program.more, ", method: lora"}
            .text();
    for (const std::string& part : {program.alpha, program.dropout, program.rslora})
      EXPECT_TRUE(has(text, part)) << program.framework << " " << part << "\n" << text;
    EXPECT_FALSE(has(text, "\"arguments\": {\"lora")) << "not of the Trainer";
  }
  EXPECT_TRUE(has((Args{"unsloth", "use_dora: true", ", method: lora"}.error()), "does not support it"));
  EXPECT_TRUE(has((Args{"accelerate", "lr: 1e-4", ", method: lora, lora: {rank: 32}"}.text()), "\"alpha\": 64"));
}

TEST(Arguments, AShareOfWarmingUpIsAsManySteps) {
  // 6,400 samples in batches of 64.
  for (const auto& [framework, expected] :
       std::vector<std::pair<std::string_view, std::string>>{{"torch", "\"warmup_steps\": 13,"},
                                                             {"hf-trainer", "warmup_steps: 13\n"},
                                                             {"accelerate", "\"warmup_steps\": 13,"},
                                                             {"axolotl", "warmup_steps: 13\n"},
                                                             {"llama-factory", "warmup_steps: 13\n"},
                                                             {"megatron", "--lr-warmup-iters 13"},
                                                             {"torchtitan", "warmup_steps = 13\n"},
                                                             {"nanogpt", "\"warmup_iters\": 13"}}) {
    EXPECT_TRUE(has(Args{framework, "warmup_ratio: 0.125"}.text(), expected)) << framework;
    EXPECT_TRUE(has(Args{framework, "warmup_steps: 13"}.text(), expected)) << framework;
    EXPECT_FALSE(has(Args{framework, "warmup_ratio: 0.125"}.text(), "warmup_ratio")) << framework;
    EXPECT_FALSE(has(Args{framework, "weight_decay: 0.1"}.text(), expected)) << framework;
  }
}

TEST(Arguments, FlagsAreSpelledAsTheProgramSpellsThem) {
  EXPECT_TRUE(has((Args{"megatron", "adam_eps: 1e-6, seed: 7, log_memory_to_tensorboard: true"}.text()),
                  " --adam-eps=1e-6 --seed=7 --log-memory-to-tensorboard"));
  EXPECT_TRUE(has((Args{"torchtitan", "training.deterministic: false"}.text() +
                   Args{"torchtitan", "profiling.enable_profiling: false"}.text()),
                  " --profiling.no-enable_profiling"));
  EXPECT_TRUE(has((Args{"torchtitan", "metrics.enable_wandb: true, optimizer.beta2: 0.9"}.text()),
                  " --metrics.enable_wandb --optimizer.beta2=0.9"));
}

TEST(Arguments, OfEnginesTheyAreHeldAsWell) {
  const auto error = [](const std::string& engine, const std::string& args) {
    const Launched laid(
        job_of("market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h}]}\nphases:\n  - name: answers\n    "
               "generate: {model: meta-llama/Llama-3.2-1B, data: {samples: 100, prompt_tokens: 100, new_tokens: 100}, "
               "engine: " +
               engine + "}\n    args: {" + args + "}\n"));
    const auto work = phase_work(*laid.launch, laid.launch->phases.front());
    return work ? std::string() : work.error().message;
  };
  for (const char* engine : {"vllm", "hf"}) {
    EXPECT_TRUE(has(error(engine, "temperature: warm"), "'warm' is not a number of 0 or more"));
    EXPECT_TRUE(has(error(engine, "max_num_seqs: 8"), "the plan decides that; set generate.batch"));
    EXPECT_EQ(error(engine, "temperature: 0.7"), "");
  }
  EXPECT_EQ(error("vllm", "enforce_eager: true"), "");
  EXPECT_TRUE(has(error("vllm", "enforce_eager: yes please"), "'yes please' is not true or false"));
  EXPECT_TRUE(has(error("vllm", "max_num_batch_tokens: 8192"), "Did you mean 'max_num_batched_tokens'?"));
  EXPECT_TRUE(has(error("vllm", "swap_space: 4"), "does not support it")) << "gone before 0.26";
  EXPECT_TRUE(has(error("vllm", "max_model_len: 199"), "longest request has 200 tokens"));
  EXPECT_EQ(error("vllm", "max_model_len: 200"), "");
  EXPECT_TRUE(has(error("hf", "enforce_eager: true"), "does not support it (supported: temperature)"));
}

TEST(Arguments, TablesThatTheyAreHeldAgainstAreThere) {
  for (const std::string_view table : kArgumentTables) EXPECT_NE(interface_of(table), nullptr) << table;
  for (const auto& [table, section, name, found] :
       std::vector<std::tuple<std::string_view, std::string_view, std::string_view, std::string>>{
           {"megatron", "", "micro_batch_size", "--micro-batch-size"},
           {"nanochat", "base_train", "warmup-steps", "--warmup-steps"},
           {"torchtitan", "JobConfig", "training.seq_len", "training.seq_len"},
           {"transformers", "TrainingArguments", "weightDecay", "weight_decay"},
           {"trl", "sft", "max_length", "max_length"}}) {
    const InterfaceRow* row = interface_row(table, section, name);
    ASSERT_NE(row, nullptr) << table;
    EXPECT_EQ(row->name, found);
  }
  EXPECT_EQ(interface_row("trl", "sft", "nothing"), nullptr);
  EXPECT_EQ(interface_row("nothing", "", "x"), nullptr);
  EXPECT_EQ(interface_row("torchtitan", "JobConfig", "training.seed"), nullptr) << "gone since 0.2.0";
  const std::string head = "section,name,type,choices,default,since,until,source\n";
  const auto nested = read_interface_rows(head + "A,b,B,,,,,\nB,c,int,,,,,\nB,old,int,,,,0.1,\n", "x.csv");
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->back().name, "b.c");
  EXPECT_FALSE(read_interface_rows(head + "A,,int,,,,,\n", "x.csv"));
}

}  // namespace
}  // namespace gpuplan
