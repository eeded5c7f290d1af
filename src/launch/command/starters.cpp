#include "launch/command/starters.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 15> kLaunchers = {
    "torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec",          "srun",       "horovodrun", "composer",
    "tune",     "axolotl",    "litgpt",    "ray",    "llamafactory-cli", "colossalai", "fabric"};

/// Modules and files, by their beginnings, whose one process hands out work to all GPUs through Ray.
constexpr std::array<std::string_view, 7> kRayModules = {
    "verl.trainer.main_",       "openrlhf.cli.train_ppo_ray",   "openrlhf.cli.train_grpo", "skyrl_train.entrypoints.",
    "skyrl.train.entrypoints.", "verl.trainer.sft_trainer_ray", "areal.launcher."};
constexpr std::array<std::string_view, 4> kRayFiles = {"start_rlvr_pipeline.py", "start_agentic_pipeline.py",
                                                       "run_grpo_math.py", "train_ppo_ray.py"};
/// Settings, by their beginnings, that only such programs take: NeMo RL's, and those of verl's recipes.
constexpr std::array<std::string_view, 3> kRaySettings = {
    "cluster.gpus_per_node=", "cluster.num_nodes=", "trainer.n_gpus_per_node="};

/// What the same projects start by torchrun, though it takes those settings too.
constexpr std::array<std::string_view, 2> kTorchrunModules = {"verl.trainer.fsdp_sft_trainer",
                                                              "verl.trainer.sft_trainer"};

bool begins(std::string_view word, std::span<const std::string_view> with) {
  return std::ranges::any_of(with, [&](std::string_view one) { return word.starts_with(one); });
}

/// Launchers that know of other machines only by what they are told: by one of these words.
struct Told {
  std::string_view launcher;
  std::string_view command;  ///< what it starts training by; empty: it does nothing else
  std::array<std::string_view, 3> by{};
  std::string_view write;  ///< an example
};
constexpr std::array<Told, 5> kTold = {{
    {"deepspeed", "", {"--no_ssh", "--no-ssh"}, ""},
    {"composer",
     "",
     {"--node_rank", "--node-rank"},
     "--node_rank \"$GPUPLAN_NODE_RANK\" and its world size and address"},
    {"tune", "run", {"--nnodes"}, "--nnodes, --node-rank and --master-addr"},
    {"axolotl",
     "train",
     {"--nnodes", "--num_machines", "--num-machines"},
     "--launcher torchrun -- --nnodes and the like"},
    {"llamafactory-cli", "train", {"NNODES"}, "NNODES, NODE_RANK, MASTER_ADDR and MASTER_PORT"},
}};

bool is_torchrun_module(std::string_view text) { return begins(text, kTorchrunModules) && !text.ends_with("_ray"); }

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// The word at `at` is TRL's program, which hands on to accelerate what its training does not know
/// (trl/cli/commands/training.py).
bool trl_trains(const std::vector<CommandWord>& words, std::size_t at) {
  return at + 1 < words.size() && program_name(words[at].text) == "trl" &&
         one_of(words[at + 1].text, {"sft", "dpo", "grpo", "kto", "reward", "rloo"});
}

}  // namespace

bool starts_processes(const std::vector<CommandWord>& words) {
  const std::size_t at = program_word(words);
  if (at >= words.size()) return false;
  if (trl_trains(words, at)) return true;
  if (std::ranges::find(kLaunchers, program_name(words[at].text)) != kLaunchers.end()) return true;
  if (!is_python(words[at].text) || at + 2 >= words.size() || words[at + 1].text != "-m") return false;
  const std::string_view module = words[at + 2].text;
  return module.starts_with("torch.distributed.") || module.starts_with("accelerate.") ||
         module.starts_with("deepspeed");
}

bool is_ray_program(const std::vector<CommandWord>& words) {
  bool ray = false;
  for (const CommandWord& word : words) {
    std::string_view text = word.text;
    while (!text.empty() && (text.front() == '\'' || text.front() == '"' || text.front() == '+')) text.remove_prefix(1);
    if (is_torchrun_module(text)) return false;
    ray = ray || begins(text, kRayModules) || begins(program_name(text), kRayFiles) || begins(text, kRaySettings);
  }
  return ray;
}

bool is_torchrun_program(const std::vector<CommandWord>& words) {
  return std::ranges::any_of(words, [](const CommandWord& word) { return is_torchrun_module(word.text); });
}

std::string started_wrongly(const std::vector<CommandWord>& words, std::string_view text, int nodes, int gpus) {
  const std::size_t at = program_word(words);
  if (at >= words.size() || nodes * gpus <= 1) return "";
  const std::string name(program_name(words[at].text));
  const std::string instead = "; write torchrun --nproc-per-node={gpus} instead of " + name +
                              ", or plain python: gpuplan adds what the other machines need";
  if (name == "srun") {
    const bool counted = option(words, "ntasks") || option(words, "n") || option(words, "ntasks-per-node");
    if (nodes == 1 && counted) return "";
    return "starts srun inside of the job, which " +
           std::string(nodes > 1 ? "waits for machines that the job itself holds, or starts one process on each"
                                 : "starts one process") +
           ", but the plan has a process for each of " + std::to_string(nodes * gpus) +
           " GPUs; leave srun out: gpuplan starts the command on every machine, and python once for each GPU";
  }
  if (nodes > 1 && one_of(name, {"mpirun", "mpiexec", "horovodrun"}))
    return "starts " + name + " on each of the plan's " + std::to_string(nodes) +
           " machines, where each would start all processes again" + instead;
  if (nodes > 1)
    for (const Told& told : kTold) {
      if (told.launcher != name) continue;
      if (!told.command.empty() && (at + 1 >= words.size() || words[at + 1].text != told.command)) continue;
      if (std::ranges::any_of(told.by, [&](std::string_view by) { return !by.empty() && text.contains(by); })) continue;
      return "starts " + name + " on each of the plan's " + std::to_string(nodes) +
             " machines and does not tell it of the others: each would train by itself" +
             (told.write.empty() ? instead
                                 : "; give it " + std::string(told.write) +
                                       " (GPUPLAN_NODE_RANK, GPUPLAN_MASTER_ADDR, GPUPLAN_MASTER_PORT)");
    }
  return "";
}

std::string missing_of_accelerate(const std::vector<CommandWord>& words) {
  const std::size_t at = program_word(words);
  const bool launch =
      at + 1 < words.size() && program_name(words[at].text) == "accelerate" && words[at + 1].text == "launch";
  if (!launch && !trl_trains(words, at)) return "";
  if (option(words, "config-file") || option(words, "accelerate-config")) return "";
  std::string missing;
  for (const auto& [name, written] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"num-processes", "--num_processes \"$((GPUPLAN_GPUS * GPUPLAN_NODES))\""},
           {"num-machines", "--num_machines \"$GPUPLAN_NODES\""},
           {"machine-rank", "--machine_rank \"$GPUPLAN_NODE_RANK\""},
           {"main-process-ip", "--main_process_ip \"$GPUPLAN_MASTER_ADDR\""},
           {"main-process-port", "--main_process_port \"$GPUPLAN_MASTER_PORT\""}})
    if (!option(words, name)) missing += (missing.empty() ? "" : " ") + std::string(written);
  return missing;
}

}  // namespace gpuplan
