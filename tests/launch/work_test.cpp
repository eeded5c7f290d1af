#include "launch/work/work.h"

#include <gtest/gtest.h>

#include <cmath>

#include "launch/parts/launch_plan.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

/// The pick of a job, laid out.
struct Laid {
  Searched searched;
  Result<Launch> launch;

  explicit Laid(Job job)
      : searched(std::move(job)), launch(lay_out(searched.job, searched.pick(), known(), "plan", "gpuplan launch")) {
    EXPECT_TRUE(launch.has_value()) << line_of(launch);
  }
  const LaunchPhase& phase(std::size_t which = 0) const { return launch->phases.at(which); }
  Result<Work> work(std::size_t which = 0) const { return phase_work(*launch, phase(which)); }
};

const LaunchFile* file(const Work& work, std::string_view name) {
  for (const LaunchFile& found : work.files)
    if (found.path.ends_with("/" + std::string(name))) return &found;
  return nullptr;
}

bool says(const std::vector<std::string>& texts, std::string_view part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

/// A job of one phase that trains on `gpus` GPUs of each of `nodes` machines. `keys` go into `train`, `more` beside it.
struct Training {
  std::string command{};
  int gpus = 1;
  int nodes = 1;
  std::string keys{}, more{};

  Job job() const {
    std::string text = "market: {use: only, offers: [{gpu: H100 SXM, gpus: " + std::to_string(gpus) +
                       ", price: $1/h}]}\nwhere: {nodes: " + std::to_string(nodes) + "}\n";
    text +=
        "phases:\n  - name: train\n    train:\n      model: Qwen/Qwen2.5-1.5B\n      data: {samples: 1000}\n"
        "      sequence: 512\n      batch: {sequences: 64}\n" +
        keys;
    if (keys.find("parallel") == std::string::npos)
      text += "      parallel: {dp: " + std::to_string(gpus * nodes) + "}\n";
    if (!command.empty()) text += "    command: |\n      " + command + "\n";
    return job_of(text + more);
  }
};

std::string command_of(const std::string& command, int gpus, int nodes = 1, const std::string& more = "") {
  const Laid laid(Training{.command = command, .gpus = gpus, .nodes = nodes, .keys = "", .more = more}.job());
  const auto work = laid.work();
  return work ? work->command.at(0) : "error: " + line_of(work);
}

TEST(Work, EveryPhaseOfEveryExampleHasSomethingToRun) {
  for (const char* example : kExamples) {
    const Laid laid(example_job(example));
    for (const LaunchPhase& phase : laid.launch->phases) {
      const auto work = phase_work(*laid.launch, phase);
      ASSERT_TRUE(work.has_value()) << example << " " << phase.slug << ": " << line_of(work);
      const auto* fixed = std::get_if<FixedPhase>(&phase.phase->work);
      const auto* cpu = std::get_if<CpuPhase>(&phase.phase->work);
      const bool somebody = (fixed != nullptr && fixed->human) || (cpu != nullptr && cpu->command.empty());
      EXPECT_EQ(work->command.empty(), somebody) << example << " " << phase.slug;
      for (const LaunchFile& written : work->files) {
        EXPECT_TRUE(written.path.starts_with("phases/" + phase.slug + "/")) << written.path;
        EXPECT_FALSE(written.text.empty()) << written.path;
      }
    }
  }
}

TEST(Work, CommandsAreStartedInAsManyProcessesAsThereAreGpus) {
  EXPECT_EQ(command_of("python -u train.py --batch {micro} 'a b'", 1).substr(0, 28), "python -u train.py --batch 8");
  EXPECT_TRUE(command_of("python -u train.py -b {accumulate}", 4)
                  .starts_with("torchrun --standalone --nproc-per-node=\"$GPUPLAN_GPUS\" train.py -b "));
  EXPECT_TRUE(command_of("FOO=1 python3.11 -m my.train", 4)
                  .starts_with("FOO=1 torchrun --standalone --nproc-per-node=\"$GPUPLAN_GPUS\" -m my.train"));
  EXPECT_TRUE(command_of("uv run python train.py", 4).starts_with("uv run torchrun --standalone"));
  EXPECT_EQ(command_of("python prepare.py\n      python train.py", 4),
            "python prepare.py\ntorchrun --standalone --nproc-per-node=\"$GPUPLAN_GPUS\" train.py")
      << "the last one trains";
  const std::string two = command_of("python train.py", 8, 2);
  EXPECT_TRUE(two.starts_with("torchrun --nnodes=\"$GPUPLAN_NODES\" --node-rank=\"$GPUPLAN_NODE_RANK\" ")) << two;
  EXPECT_EQ(command_of("python -c 'print(1)'", 4), "python -c 'print(1)'");
  for (const char* own : {"accelerate launch --num_processes 4 train.py", "deepspeed --num_gpus={gpus} train.py",
                          "python -m torch.distributed.run --nproc_per_node={gpus} train.py"})
    EXPECT_EQ(command_of(own, 4).substr(0, 10), std::string(own).substr(0, 10)) << "it starts its processes itself";
}

TEST(Work, PythonIsFoundWhereverItStandsInALine) {
  const std::string torchrun = "torchrun --standalone --nproc-per-node=\"$GPUPLAN_GPUS\" train.py";
  for (const auto& [given, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"cd code && python train.py --bs {dp}", "cd code && " + torchrun + " --bs 4"},
           {"source venv/bin/activate; python3 train.py", "source venv/bin/activate; " + torchrun},
           {"timeout -k 60 5h python -u train.py", "timeout -k 60 5h " + torchrun},
           {"nice -n 5 python train.py 2>&1 | tee log", "nice -n 5 " + torchrun + " 2>&1 | tee log"},
           {"python prepare.py; python train.py & wait", "python prepare.py; " + torchrun + " & wait"},
           {"if true; then python train.py; fi", "if true; then " + torchrun + "; fi"},
           {"A=$(python3 name.py; date) python train.py", "A=$(python3 name.py; date) " + torchrun},
           {"python train.py # then; python export.py", torchrun + " # then; python export.py"},
           {"(cd code; python train.py) || exit 3", "(cd code; " + torchrun + ") || exit 3"},
           {"echo 'a; python b.py' && python train.py", "echo 'a; python b.py' && " + torchrun}})
    EXPECT_EQ(command_of(given, 4), wanted);
  EXPECT_EQ(command_of("python train.py && cat <<'X'\n      python b.py\n      X", 4),
            torchrun + " && cat <<'X'\npython b.py\nX");
  for (const char* hidden :
       {"bash -c 'python train.py'", "sudo -E python3 train.py", "python prep.py; x python train.py"})
    EXPECT_TRUE(
        command_of(hidden, 4).starts_with("error: phases.train: the plan uses 4 GPUs, one process per GPU, and its "
                                          "command starts python in a way"))
        << command_of(hidden, 4);
  EXPECT_EQ(command_of("bash -c 'python train.py'", 1), "bash -c 'python train.py'");
}

/// One process hands out work to all GPUs: torchrun would start as many of them as there are GPUs.
TEST(Work, ProgramsThatStartTheirProcessesAreLeftAsTheyAre) {
  for (const char* own :
       {"python3 -m verl.trainer.main_ppo data.train_batch_size={batch}",
        "python3 -m recipe.dapo.main_dapo trainer.n_gpus_per_node=4",
        "uv run python examples/run_grpo.py cluster.gpus_per_node=4",
        "uv run --extra mcore python examples/run_grpo_math.py", "python3 -m openrlhf.cli.train_ppo_ray --x {micro}",
        "python -m skyrl_train.entrypoints.main_base", "python main.py --devices {gpus}", "GPUS={gpus} python main.py",
        "export GPUS={gpus}; python main.py", "bash -c 'python main.py {gpus}'"}) {
    const Laid laid(Training{.command = own, .gpus = 4}.job());
    const auto work = laid.work();
    ASSERT_TRUE(work) << own << line_of(work);
    EXPECT_EQ(work->command.at(0).find("torchrun"), std::string::npos) << own;
    EXPECT_NE(work->starts.find("as it is"), std::string::npos) << own;
  }
  for (const char* other : {"python3 -m verl.trainer.fsdp_sft_trainer trainer.n_gpus_per_node={gpus}",
                            "python prepare.py {gpus} && python train.py", "python train.py --world {world}"}) {
    const Laid laid(Training{.command = other, .gpus = 4}.job());
    const auto work = laid.work();
    ASSERT_TRUE(work) << other;
    EXPECT_NE(work->command.at(0).find("torchrun"), std::string::npos) << other;
    EXPECT_NE(work->starts.find("A command that names {gpus} is left as it is"), std::string::npos) << other;
  }
  EXPECT_TRUE(command_of("python3 -m verl.trainer.main_ppo", 8, 2)
                  .starts_with("error: phases.train: its command is one Ray program for all GPUs, and would be started "
                               "on each of the plan's 2 machines"));
  EXPECT_TRUE(command_of("ray start --head; python3 -m verl.trainer.main_ppo", 8, 2).starts_with("ray start"));
}

TEST(Work, WhatStartsOneProcessOrTrainsByItselfIsAnError) {
  for (const auto& [gpus, nodes] : {std::pair{8, 2}, {8, 1}}) {
    const std::string error = command_of("srun python train.py --bs {micro}", gpus, nodes);
    EXPECT_TRUE(error.starts_with("error: phases.train: its command starts srun inside of the job")) << error;
    EXPECT_NE(error.find("leave srun out"), std::string::npos) << error;
  }
  EXPECT_TRUE(command_of("srun -n 8 python train.py", 8).starts_with("srun -n 8"));
  EXPECT_TRUE(command_of("srun python train.py", 1).starts_with("srun"));
  for (const char* alone : {"mpirun -np {world} python train.py", "deepspeed train.py", "composer train.py",
                            "llamafactory-cli train a.yaml", "axolotl train a.yaml", "tune run full_finetune"}) {
    const std::string error = command_of(alone, 8, 2);
    EXPECT_TRUE(error.starts_with("error: phases.train: its command starts ")) << error;
    EXPECT_NE(error.find("on each of the plan's 2 machines"), std::string::npos) << error;
    EXPECT_FALSE(command_of(alone, 8).starts_with("error")) << alone;
  }
  for (const char* told : {"NNODES={nodes} NODE_RANK=$GPUPLAN_NODE_RANK llamafactory-cli train a.yaml",
                           "axolotl train a.yaml --launcher torchrun -- --nnodes={nodes}", "axolotl preprocess a.yaml",
                           "tune download x", "deepspeed --no_ssh --node_rank $GPUPLAN_NODE_RANK train.py"})
    EXPECT_FALSE(command_of(told, 8, 2).starts_with("error")) << command_of(told, 8, 2);
  const std::string accelerate = command_of("accelerate launch --num_processes {world} train.py", 8, 2);
  EXPECT_TRUE(accelerate.starts_with("accelerate launch --num_machines \"$GPUPLAN_NODES\" --machine_rank "))
      << accelerate;
  EXPECT_EQ(command_of("accelerate launch --config_file a.yaml train.py", 8, 2),
            "accelerate launch --config_file a.yaml train.py");
}

TEST(Work, FewerGpusInSightThanThePlanHasAreAnError) {
  const std::string error =
      "error: phases.train: its command sets CUDA_VISIBLE_DEVICES to 2 GPUs, but the plan has 4; remove it";
  EXPECT_EQ(command_of("CUDA_VISIBLE_DEVICES=0,1 python train.py", 4), error);
  EXPECT_EQ(command_of("export CUDA_VISIBLE_DEVICES=\"0,1\"; torchrun --nproc-per-node={gpus} train.py", 4), error);
  EXPECT_EQ(command_of("CUDA_VISIBLE_DEVICES=2,3 torchrun train.py", 4), error);
  EXPECT_TRUE(
      command_of("CUDA_VISIBLE_DEVICES=0,1,2,3 python train.py", 4).starts_with("CUDA_VISIBLE_DEVICES=0,1,2,3 t"));
  EXPECT_TRUE(command_of("CUDA_VISIBLE_DEVICES=0 python a.py; python train.py", 4).ends_with("train.py"));
}

TEST(Work, DegreesThatACommandNeverHearsOfAreAnError) {
  const auto big = [](const std::string& command, const std::string& parallel = "") {
    const Laid laid(
        job_of("market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nwhere: {nodes: 4}\nphases:\n  - "
               "name: train\n    train: {model: meta-llama/Llama-3.1-70B, data: {tokens: 100M}, sequence: 4096, batch: "
               "{sequences: 64}, framework: megatron" +
               parallel + "}\n    command: " + command + "\n"));
    const Strategy& s = laid.phase().part->estimate->strategy;
    EXPECT_LT(s.dp, 32) << "the plan cuts the model";
    const auto work = laid.work();
    return work ? work->command.at(0) : "error: " + line_of(work);
  };
  const std::string error = big("torchrun train.py --bs {micro} --accum {accumulate}");
  EXPECT_TRUE(error.starts_with("error: phases.train: the plan has ")) << error;
  EXPECT_NE(error.find("but its command does not use it"), std::string::npos) << error;
  EXPECT_NE(error.find("train.parallel: {"), std::string::npos) << error;
  EXPECT_TRUE(big("torchrun train.py --bs {micro} --tp {tp} --pp {pp}").starts_with("torchrun"));
  EXPECT_TRUE(big("torchrun train.py").starts_with("torchrun")) << "it says nothing of batches";
  EXPECT_TRUE(big("torchrun train.py --bs {micro}", ", parallel: {tp: 8, pp: 4}").starts_with("torchrun"))
      << "the job states them";
}

TEST(Work, CommandsWithoutGpusAreFilledTooAndRefuseUnknownVariables) {
  const auto prepare = [](const std::string& command) {
    const Laid laid(job_of(
        "market: {use: only, own: [{name: box, gpu: RTX 4090}]}\nphases:\n  - name: prep\n    cpu: {time: 5 min, "
        "command: \"" +
        command + "\"}\n  - {name: a, needs: [prep], fixed: {gpus: 1, time: 1 h}, command: 'true'}\n"));
    const auto work = laid.work();
    return work ? work->command.at(0) : "error: " + line_of(work);
  };
  EXPECT_EQ(prepare("echo {phase} {run}"), "echo prep \"${GPUPLAN_RUN_DIR}\"");
  EXPECT_TRUE(
      prepare("echo {phse}").starts_with("error: phases.prep: its command names {phse}, which is not a variable"));
  EXPECT_EQ(prepare("awk '{{print}}' a"), "awk '{print}' a");
}

TEST(Work, NumbersThatContradictThePlanAreErrors) {
  EXPECT_EQ(command_of("torchrun --standalone --nproc_per_node=8 train.py", 4),
            "error: phases.train: its command has --nproc-per-node 8, but the plan has 4; write {gpus} instead");
  EXPECT_EQ(command_of("torchrun --nproc-per-node 2 train.py", 1),
            "error: phases.train: its command has --nproc-per-node 2, but the plan has 1; write {gpus} instead");
  EXPECT_EQ(command_of("accelerate launch --num_processes=8 train.py", 8, 2),
            "error: phases.train: its command has --num-processes 8, but the plan has 16; write {world} instead");
  EXPECT_EQ(command_of("torchrun --standalone --nproc_per_node={gpus} train.py", 8, 2),
            "error: phases.train: its command has --standalone, but the plan has 2 nodes; remove it, gpuplan adds the "
            "rendezvous options");
  EXPECT_TRUE(command_of("torchrun --nproc_per_node={gpus} train.py", 8, 2)
                  .starts_with("torchrun --nnodes=\"$GPUPLAN_NODES\""));
  EXPECT_EQ(command_of("torchrun train.py", 4), "torchrun --nproc-per-node=\"$GPUPLAN_GPUS\" train.py");
}

TEST(Work, UnknownVariablesAreOneLineThatSaysWhichThereAre) {
  const std::string error = command_of("python train.py --batch {mirco}", 1);
  EXPECT_TRUE(error.starts_with(
      "error: phases.train: its command names {mirco}, which is not a variable. Did you mean 'micro'?"))
      << error;
  EXPECT_NE(error.find("{checkpoints}"), std::string::npos);
  EXPECT_NE(error.find("for literal braces write {{mirco}}"), std::string::npos);
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(Work, ArgumentsFollowTheCommandUnlessItNamesThem) {
  const std::string args = "    args: {lr: 0.1, note: \"$(touch x) 'y'\", wd: 2}\n";
  EXPECT_EQ(command_of("python train.py --lr=0.1", 1, 1, args),
            "python train.py --lr=0.1 --note='$(touch x) '\\''y'\\''' --wd=2");
  EXPECT_TRUE(command_of("python train.py | tee log", 1, 1, args).starts_with("error: phases.train: its args "));
  EXPECT_EQ(command_of("python train.py {args} | tee log", 1, 1, "    args: {wd: 2}\n"),
            "python train.py --wd=2 | tee log");
}

TEST(Work, ResumptionIsKnownFromTheCommand) {
  EXPECT_FALSE(Laid(Training{.command = "python train.py"}.job()).work()->resumes);
  EXPECT_TRUE(Laid(Training{.command = "python train.py --out {checkpoints}"}.job()).work()->resumes);
  EXPECT_TRUE(Laid(Training{.command = ""}.job()).work()->resumes);
}

TEST(Work, TrainingProgramsHoldTheStrategy) {
  const Laid laid(example_job("llama-8b-full"));
  const auto work = laid.work();
  ASSERT_TRUE(work.has_value());
  const Strategy& s = laid.phase().part->estimate->strategy;
  const LaunchFile* settings = file(*work, "settings.json");
  ASSERT_NE(settings, nullptr);
  for (const auto& [name, value] : {std::pair("dp", s.dp),
                                    {"micro_batch", s.micro_batch},
                                    {"grad_accum", s.grad_accum},
                                    {"sequence", 4096},
                                    {"batch", 32}})
    EXPECT_NE(settings->text.find("\"" + std::string(name) + "\": " + std::to_string(value)), std::string::npos)
        << name << settings->text;
  EXPECT_NE(settings->text.find("\"sharding\": \"" + std::string(name_of(s.sharding)) + "\""), std::string::npos);
  EXPECT_NE(settings->text.find("\"packing\": true"), std::string::npos);
  EXPECT_NE(file(*work, "train.py"), nullptr);
  EXPECT_TRUE(says(work->required, "DATA: ")) << "data is not named in job files";
  EXPECT_FALSE(says(work->required, "MODEL: ")) << "it has an organisation in front";
  EXPECT_TRUE(work->command.back().starts_with("exec bash \"$GPUPLAN_FILES/supervise.sh\" "));
}

/// gpt2-xl in steps of minutes on one A100; `market` in braces.
Job slow_job(const std::string& market, const std::string& more = "") {
  return job_of("market: {use: only, " + market + "}\n" + more +
                "phases:\n  - name: pretrain\n    train: {model: gpt2-xl, data: {tokens: 1B}, sequence: 1024, batch: "
                "{tokens: 4_194_304}, precision: bf16, framework: torch}\n");
}

int setting(const Work& work, const std::string& name) {
  const std::string& text = file(work, "settings.json")->text;
  const std::size_t at = text.find("\"" + name + "\": ");
  return at == std::string::npos ? -1 : std::stoi(text.substr(at + name.size() + 4));
}

TEST(Work, WhatMayBeCutShortWritesCheckpointsInTime) {
  const Laid pool(slow_job("pools: [{name: a, gpu: A100 SXM 80GB, gpus: 1, max_time: 6 h}]"));
  const PhaseEstimate& estimate = pool.phase().part->estimate;
  ASSERT_GT(estimate.jobs, 1);
  const Seconds step = estimate.work.p50 / estimate.steps;
  const int every = setting(*pool.work(), "checkpoint_steps");
  EXPECT_GE(every, 1);
  EXPECT_LE(every * step, 1 * units::hour);
  const Laid whole(slow_job("own: [{name: a, gpu: A100 SXM 80GB}]"));
  EXPECT_LE(setting(*whole.work(), "checkpoint_steps") * step, 1.1 * units::hour)
      << "nobody takes it away, but it may end";
  const Laid preemptible(slow_job("pools: [{name: a, gpu: A100 SXM 80GB, gpus: 1, preemptible: true}]"));
  EXPECT_LE(setting(*preemptible.work(), "checkpoint_steps") * step, 1.1 * units::hour);
  const Laid spot(slow_job("offers: [{gpu: A100 SXM 80GB, price: $2/h, spot_price: $0.5/h, interruptions: 5%/h}]",
                           "where: {spot: only}\n"));
  // The plan counts with the interval of least expected time: Young's sqrt(2 c / r), a whole number of equal pieces.
  const auto young = [](const Laid& laid, double rate_an_hour) {
    const PhaseEstimate& on = laid.phase().part->estimate;
    return std::sqrt(2 * (on.checkpoint_bytes / on.checkpoint_rate).value * 3600 / rate_an_hour);
  };
  EXPECT_NEAR((setting(*spot.work(), "checkpoint_steps") * step).value, young(spot, 0.0513), 0.2 * young(spot, 0.0513));
  const Laid rare(slow_job("offers: [{gpu: A100 SXM 80GB, price: $2/h, spot_price: $0.5/h, interruptions: 0.1%/h}]",
                           "where: {spot: only}\n"));
  ASSERT_GT(young(rare, 0.001), 1.5 * 3600);
  EXPECT_NEAR((setting(*rare.work(), "checkpoint_steps") * step).value, young(rare, 0.001), 0.35 * young(rare, 0.001))
      << "no oftener than the plan counts";
}

TEST(Work, LongStepsLookAtAStopBetweenPasses) {
  const Laid slow(slow_job("own: [{name: a, gpu: A100 SXM 80GB}]"));
  const auto work = slow.work();
  const int passes = setting(*work, "stop_passes");
  const Seconds pass = slow.phase().part->seconds_per_step.p50 / setting(*work, "grad_accum");
  EXPECT_GE(passes, 1);
  EXPECT_LE((passes - 1) * pass, 10 * units::second);
  EXPECT_LT(passes, setting(*work, "grad_accum"));
  EXPECT_TRUE(says(std::vector<std::string>{file(*work, "train.py")->text}, "stop_passes"));
}

TEST(Work, FrameworksGetTheirOwnPrograms) {
  const auto with = [](const std::string& framework, const std::string& more = "") {
    return Laid(Training{.command = "", .gpus = 4, .keys = "      framework: " + framework + "\n" + more}.job())
        .work()
        .value();
  };
  const auto sharding = [](const std::string& name) { return "      parallel: {dp: 4, sharding: " + name + "}\n"; };
  const Work trainer = with("hf-trainer", "      method: lora\n");
  EXPECT_NE(file(trainer, "accelerate.yaml")->text.find("num_processes: 4"), std::string::npos);
  EXPECT_TRUE(says(trainer.prepare, "peft"));
  const Work sharded = with("accelerate", sharding("zero3"));
  EXPECT_NE(file(sharded, "accelerate.yaml")->text.find("fsdp_reshard_after_forward: true"), std::string::npos);
  const Work deepspeed = with("deepspeed", sharding("zero2"));
  EXPECT_NE(file(deepspeed, "ds_config.json")->text.find("\"stage\": 2"), std::string::npos);
  EXPECT_TRUE(says(deepspeed.command, "torchrun"));
  EXPECT_TRUE(says(with("megatron").command, "--global-batch-size 64"));
  EXPECT_TRUE(says(with("megatron").command, "--num-query-groups 2"));
  EXPECT_TRUE(says(with("megatron").command, "exec bash \"$GPUPLAN_FILES/supervise.sh\" --workers "));
  EXPECT_TRUE(says(with("litgpt").required, "GPUPLAN_COMMAND_01_TRAIN: the command of this phase"));
  const Work axolotl = with("axolotl");
  EXPECT_NE(file(axolotl, "axolotl.yaml")->text.find("base_model: \"@GPUPLAN_BASE_MODEL@\""), std::string::npos);
  EXPECT_TRUE(says(axolotl.command, "model='Qwen/Qwen2.5-1.5B'"));
  EXPECT_NE(file(with("llama-factory"), "llama_factory.yaml")->text.find("cutoff_len: 512"), std::string::npos);
}

TEST(Work, ProgramsHaveTheWideWeightsThatThePlanCounts) {
  const auto axolotl = [](const std::string& keys) {
    return Laid(Training{.command = "", .gpus = 4, .keys = "      framework: axolotl\n      method: full\n" + keys}
                    .job())
        .work()
        .value();
  };
  const std::string sharded = "      parallel: {dp: 4, sharding: zero3}\n";
  for (const auto& [keys, stage] : {std::pair<std::string, std::string>{"", "1"}, {sharded, "3"}}) {
    const Work work = axolotl(keys + "      master_weights: fp32\n");
    EXPECT_FALSE(file(work, "axolotl.yaml")->text.contains("fsdp_version"));
    ASSERT_NE(file(work, "ds_config.json"), nullptr);
    EXPECT_TRUE(file(work, "ds_config.json")->text.contains("\"stage\": " + stage));
  }
  const Work pure = axolotl(sharded + "      master_weights: bf16\n");
  EXPECT_TRUE(file(pure, "axolotl.yaml")->text.contains("fsdp_version: 2"));
  EXPECT_EQ(file(pure, "ds_config.json"), nullptr);
}

TEST(Work, TheReferenceOfDpoGetsItsWeights) {
  const std::string keys =
      "      framework: hf-trainer\n      method: full\n      objective: dpo\n"
      "      parallel: {dp: 4, sharding: zero3}\n";
  const Work full = Laid(Training{.command = "", .gpus = 4, .keys = keys}.job()).work().value();
  const std::string& text = file(full, "accelerate.yaml")->text;
  EXPECT_TRUE(text.contains("fsdp_version: 1\n")) << text;
  EXPECT_TRUE(text.contains("fsdp_sharding_strategy: FULL_SHARD")) << text;
  EXPECT_TRUE(text.contains("fsdp_sync_module_states: true")) << text;
}

TEST(Work, CheckpointsThatWereCutOffArePutAside) {
  for (const char* framework : {"accelerate", "deepspeed", "unsloth", "axolotl", "llama-factory"}) {
    const Work work =
        Laid(Training{.command = "", .keys = "      framework: " + std::string(framework) + "\n"}.job()).work().value();
    EXPECT_TRUE(says(work.command, "/trainer_state.json")) << framework;
  }
}

TEST(Work, TorchIsMadeForTheGpu) {
  const auto on = [](const std::string& gpu, const std::string& keys) {
    const std::string text = "market: {use: only, offers: [{gpu: " + gpu +
                             ", gpus: 1, price: $1/h}]}\nphases:\n  - name: train\n    train: {model: gpt2, data: "
                             "{samples: 1000}, sequence: 512, batch: {sequences: 8}, framework: torch" +
                             keys + "}\n";
    return Laid(job_of(text)).work().value();
  };
  EXPECT_TRUE(says(on("V100 SXM 32GB", ", precision: fp16").prepare, "'torch>=2.6,<2.11'"));
  EXPECT_TRUE(says(on("A100 SXM 80GB", "").prepare, "'torch>=2.6'"));
  EXPECT_FALSE(says(on("A100 SXM 80GB", "").prepare, "rocm"));
  const Work amd = on("MI300X", "");
  EXPECT_TRUE(amd.prepare.front().contains("download.pytorch.org/whl/rocm"));
  EXPECT_TRUE(amd.prepare.back().contains("exit 78")) << "whatever packages bring along";
}

TEST(Work, ScriptsOfTrlBeginAnewAndShardOnlyWhenTold) {
  const std::string grpo = "trl grpo --reward_funcs accuracy_reward --num_generations 8 --output_dir {checkpoints}";
  const std::string sharded = "      parallel: {dp: 4, sharding: zero3}\n";
  const std::string whole = "      parallel: {dp: 4, sharding: none}\n";
  const auto copies = Laid(Training{.command = grpo, .gpus = 4, .keys = whole}.job()).work();
  ASSERT_TRUE(copies.has_value()) << line_of(copies);
  EXPECT_FALSE(copies->resumes);
  const auto work = Laid(Training{.command = grpo, .gpus = 4, .keys = sharded}.job()).work();
  ASSERT_FALSE(work.has_value());
  EXPECT_TRUE(work.error().message.contains("--accelerate_config")) << work.error().message;
  EXPECT_TRUE(
      Laid(Training{.command = grpo + " --accelerate_config zero3 --num_processes {world}", .gpus = 4, .keys = sharded}
               .job())
          .work()
          .has_value());
}

TEST(Work, MegatronSaysWhatItLearnsOfSamples) {
  const Work work =
      Laid(Training{.command = "", .gpus = 4, .keys = "      framework: megatron\n"}.job()).work().value();
  EXPECT_TRUE(says(work.notes, "prompts too"));
  EXPECT_TRUE(says(work.command, "--split 100,0,0"));
}

TEST(Work, RowsAreCutAtTheJobsSequenceWhateverLengthTheDataAreSaidToHave) {
  struct Program {
    std::string framework, file, key;
  };
  const std::vector<Program> programs = {
      {"axolotl", "axolotl.yaml", "sequence_len: "},    {"llama-factory", "llama_factory.yaml", "cutoff_len: "},
      {"hf-trainer", "sft.yaml", "max_length: "},       {"accelerate", "settings.json", "\"sequence\": "},
      {"deepspeed", "settings.json", "\"sequence\": "}, {"unsloth", "settings.json", "\"sequence\": "},
      {"torch", "settings.json", "\"sequence\": "}};
  const auto job = [](const std::string& framework, const std::string& rows, const std::string& sequence) {
    return job_of(
        "market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h}]}\nphases:\n  - name: train\n    train: "
        "{model: meta-llama/Llama-3.2-1B, data: {samples: 1000, " +
        rows + "}, batch: {sequences: 64}, framework: " + framework + sequence + "}\n");
  };
  for (const Program& program : programs)
    for (const auto& [rows, sequence, cut, noted] : std::vector<std::tuple<std::string, std::string, int, bool>>{
             {"tokens_per_sample: 700", ", sequence: 2048", 2048, true},
             {"tokens_per_sample: {mean: 700, max: 900}", ", sequence: 2048", 900, false},
             {"tokens_per_sample: {mean: 700, max: 2048}", ", sequence: 2048", 2048, false},
             {"tokens_per_sample: {mean: 700, max: 4096}", ", sequence: 2048", 2048, false},
             {"tokens_per_sample: 700, packing: true", ", sequence: 2048", 2048, false},
             {"tokens_per_sample: 700", "", 700, false}}) {
      SCOPED_TRACE(program.framework + " " + rows + sequence);
      const Laid laid(job(program.framework, rows, sequence));
      const auto work = laid.work();
      ASSERT_TRUE(work.has_value());
      const LaunchFile* written = file(*work, program.file);
      if (written == nullptr) written = file(*work, "settings.json");
      ASSERT_NE(written, nullptr);
      const std::string key = written->path.ends_with("settings.json") ? "\"sequence\": " : program.key;
      EXPECT_NE(written->text.find(key + std::to_string(cut)), std::string::npos) << written->text;
      EXPECT_EQ(says(work->notes, "Rows are cut at 2,048 tokens"), noted);
    }
  EXPECT_NE(file(*Laid(job("axolotl", "tokens_per_sample: 700", "")).work(), "axolotl.yaml")
                ->text.find("excess_length_strategy: \"truncate\""),
            std::string::npos)
      << "others cut rows as well";
  EXPECT_EQ(command_of("train {sequence}", 1), "train 512");
  const Laid unsaid(job_of(
      "market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h}]}\nphases:\n  - name: train\n    train: "
      "{model: gpt2, data: {samples: 1000, tokens_per_sample: 300}, batch: 8}\n    command: train {sequence}\n"));
  EXPECT_EQ(unsaid.work()->command.at(0), "train 300") << "as the data say";
}

TEST(Work, EvaluationTakesNoLargerBatchThanTraining) {
  for (const auto& [framework, name, key] :
       std::vector<std::array<std::string, 3>>{{"llama-factory", "llama_factory.yaml", "per_device_eval_batch_size: "},
                                               {"hf-trainer", "sft.yaml", "per_device_eval_batch_size: "}})
    for (const int micro : {1, 2}) {
      const std::string keys = "      framework: " + framework + "\n      micro: " + std::to_string(micro) + "\n";
      const Laid laid(
          Training{.gpus = 1, .keys = keys, .more = "    evaluate: {every: 50 steps, time: 1 min}\n"}.job());
      const std::string text = file(*laid.work(), name)->text;
      const std::size_t at = text.find(key);
      ASSERT_NE(at, std::string::npos) << text;
      EXPECT_LE(std::stoi(text.substr(at + key.size())), micro);
    }
}

TEST(Work, GenerationRunsEveryReplicaOnItsGpus) {
  const Laid laid(example_job("generate-70b"));
  const auto work = laid.work();
  ASSERT_TRUE(work.has_value());
  const Strategy& s = laid.phase().part->estimate->strategy;
  const std::string& settings = file(*work, "settings.json")->text;
  EXPECT_NE(settings.find("\"replicas\": " + std::to_string(s.dp)), std::string::npos) << settings;
  EXPECT_NE(settings.find("\"tensor_parallel_size\": " + std::to_string(s.tp)), std::string::npos);
  EXPECT_NE(settings.find("\"max_num_seqs\": " + std::to_string(s.micro_batch)), std::string::npos);
  EXPECT_NE(settings.find("\"max_model_len\": 3072"), std::string::npos) << "2048 of the prompt, 1024 of the answer";
}

TEST(Work, WhatAnEarlierPhaseMadeIsTakenUp) {
  const Laid two(example_job("collect-two-passes"));
  EXPECT_TRUE(says(two.work(1)->command, "/01-generate/results")) << "answers are read";
  EXPECT_FALSE(says(two.work(1)->required, "DATA: "));
  EXPECT_TRUE(says(two.work(0)->required, "MODEL_OLMO_3_7B_SFT: "));
  const Laid sft(example_job("sft-node"));
  EXPECT_NE(file(*sft.work(3), "settings.json")->text.find("\"trained_by\": [\"02-sft/final\"]"), std::string::npos);
}

TEST(Work, PhasesThatReadDifferentRowsHaveTheirOwnData) {
  const Laid sft(example_job("sft-node"));
  const auto trains = sft.work(1);
  const auto answers = sft.work(3);
  ASSERT_TRUE(trains && answers);
  EXPECT_TRUE(says(trains->required, "DATA_02_SFT: ")) << "training rows";
  EXPECT_FALSE(says(trains->required, "DATA: "));
  EXPECT_EQ(trains->command.front(), "export DATA=\"$DATA_02_SFT\"");
  EXPECT_TRUE(says(answers->required, "DATA_04_VERIFY_GENERATE: ")) << "prompts";
  EXPECT_EQ(answers->command.front(), "export DATA=\"$DATA_04_VERIFY_GENERATE\"");
  const Laid passes(example_job("collect-two-passes"));
  EXPECT_TRUE(says(passes.work(0)->required, "DATA: ")) << "the only phase that asks";
  EXPECT_TRUE(says(passes.work(1)->command, "${DATA_02_")) << "prompts of the first phase are not its answers";
}

TEST(Work, NamesOfUsersStayData) {
  const std::string hostile = "x'; touch /tmp/y; $(id) \\\"\\n{micro}";
  const Laid laid(job_of(
      "market: {use: only, own: [{name: box, gpu: H100 SXM}]}\nphases:\n  - name: a\n    generate:\n      model: "
      "{like: Qwen/Qwen2.5-1.5B, name: \"" +
      hostile + "\"}\n      data: [{name: \"" + hostile +
      "\", samples: 5, prompt_tokens: 5, new_tokens: 5}]\n      engine: vllm\n"));
  const auto work = laid.work();
  ASSERT_TRUE(work.has_value());
  for (const std::string& line : work->command) EXPECT_EQ(line.find("touch"), std::string::npos);
  for (const std::string& line : work->required) EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_NE(file(*work, "settings.json")->text.find("\"slug\": \"x-touch-tmp-y-id-micro\""), std::string::npos)
      << file(*work, "settings.json")->text;
}

/// Without a template LLaMA-Factory writes messages of a base model without roles and ends.
TEST(Work, LlamaFactoryIsToldHowMessagesAreWritten) {
  const auto with = [](const std::string& model, const std::string& more = "") {
    return *Laid(job_of("market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nphases:\n  - name: a\n"
                        "    train: {model: " +
                        model +
                        ", method: lora, framework: llama-factory, data: {samples: 1000, tokens_per_sample: 400}, "
                        "sequence: 512, batch: {sequences: 64}}\n" +
                        more))
                .work();
  };
  const auto yaml = [](const Work& work) { return file(work, "llama_factory.yaml")->text; };
  for (const auto& [model, name] : {std::pair{"meta-llama/Llama-3.1-8B", "llama3"},
                                    {"mistralai/Mistral-7B-v0.3", "mistral"},
                                    {"google/gemma-2-9b", "gemma"}}) {
    const Work work = with(model);
    EXPECT_NE(yaml(work).find("template: \"" + std::string(name) + "\""), std::string::npos) << yaml(work);
    EXPECT_TRUE(says(work.notes, "template " + std::string(name))) << model;
    EXPECT_EQ(file(work, "parsed_template.py"), nullptr) << model;
  }
  const Work asked = with("meta-llama/Llama-3.1-8B", "    args: {template: alpaca}\n");
  EXPECT_NE(yaml(asked).find("template: \"alpaca\""), std::string::npos);
  for (const char* model : {"Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct"}) {
    EXPECT_EQ(yaml(with(model)).find("template:"), std::string::npos) << model;
    EXPECT_TRUE(says(with(model).command, "parsed_template.py"))
        << model << ": held against its own way before the start";
  }
}

}  // namespace
}  // namespace gpuplan
