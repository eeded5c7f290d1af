// Parts of phase_work(): the job's own command, and what gpuplan writes for each framework and engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/limits.h"
#include "launch/work/work.h"
#include "output/text/json_writer.h"

namespace gpuplan {

/// A phase that is being written.
struct WorkPlace {
  const Launch& launch;
  const LaunchPhase& laid;

  const Phase& phase() const { return *laid.phase; }
  const PhaseEstimate& estimate() const { return laid.part->estimate; }
  const Strategy& strategy() const { return estimate().strategy; }
  /// REQUIRES: the phase is of that kind.
  const TrainPhase& train() const { return laid.lighter ? *laid.lighter : std::get<TrainPhase>(laid.phase->work); }
  const GeneratePhase& generate() const { return std::get<GeneratePhase>(laid.phase->work); }
  /// Whether training begins with random weights.
  bool from_scratch() const { return estimate().start == StartFrom::kScratch; }
  /// "phases/02-sft/NAME".
  std::string path(std::string_view name) const { return "phases/" + laid.slug + "/" + std::string(name); }
  /// "phases.sft: what", as wrong input.
  std::unexpected<Error> wrong(const std::string& what) const;
};

// work_command.cpp
Result<Work> command_work(const WorkPlace& place);

// One for each framework: work_torch.cpp, work_trainer.cpp, ...
Result<Work> torch_work(const WorkPlace& place);
Result<Work> trainer_work(const WorkPlace& place);
Result<Work> megatron_work(const WorkPlace& place);
Result<Work> torchtitan_work(const WorkPlace& place);
Result<Work> nanochat_work(const WorkPlace& place);
Result<Work> nanogpt_work(const WorkPlace& place);
Result<Work> axolotl_work(const WorkPlace& place);
Result<Work> llama_factory_work(const WorkPlace& place);
Result<Work> generation_work(const WorkPlace& place);
/// Fails where a server that the command starts contradicts the plan, or has a flag that only looks like one of its
/// own; notes flags that gpuplan does not know. REQUIRES: the phase generates.
Result<void> check_servers(const WorkPlace& place, const std::string& command, Work& work);

/// A phase for which gpuplan can write no program: it stops with exit code 78 and says that the job needs `command`.
Work placeholder(const WorkPlace& place, const std::string& why);

// What several of them share: common.cpp, models.cpp.

/// "NAME_02_SFT": a variable of that phase alone.
std::string phase_variable(std::string_view name, const LaunchPhase& laid);
/// "$GPUPLAN_FILES/NAME" as a word of the shell. `name` is a plain one.
std::string file_word(std::string_view name);
/// A program of src/launch/templates, beside the phase's script.
LaunchFile program(const WorkPlace& place, std::string_view name, std::string_view as = "");
/// How a program learns that it is to stop: by the file `stop`, or by a signal to the processes that it started.
enum class Asked { kByFile, kBySignal };
/// The words as one command that saves its state when it is asked to stop; adds supervise.sh to the files.
std::string supervised(const WorkPlace& place, Work& work, const std::string& command, Asked asked = Asked::kByFile);
/// "torchrun ...": processes for all GPUs of the phase, on one machine or several. What follows is the program.
std::string torchrun(const WorkPlace& place);
/// "python3 -m pip install --quiet 'torch>=2.6' ...".
std::string pip_install(const std::vector<std::string>& packages);
/// "peft>=0.14,<0.19": the versions of data/interfaces/index.csv.
std::string requirement(std::string_view program, std::string_view extras = "");
/// Whether the newest wheels of torch leave the GPUs of the phase out: V100 and older.
bool torch_bounded(const WorkPlace& place);
/// "torch>=2.6", and below 2.11 for V100, which later wheels leave out (data/frameworks.csv, notes of torch).
std::string torch_requirement(const WorkPlace& place, std::string_view least);
/// For the head of a script that installs FlashAttention's kernels.
inline constexpr std::string_view kBuiltFromSource =
    "flash-attn is compiled on the machine where it has no wheel for the torch here: up to an hour, with nvcc (an "
    "image "
    "called devel); MAX_JOBS=8 keeps that within the memory.";
/// The package with FlashAttention's kernels, built against the torch that is there.
void install_attention(const WorkPlace& place, Work& work);
/// Shell line that ends the phase where a program is too old for what the script uses, and says where it is newer than
/// what is known; `version` is a word of the shell. Adds version.sh to the files.
std::string check_version(const WorkPlace& place, Work& work, std::string_view program, std::string_view shown,
                          std::string_view version, std::string_view least = "");

/// Of programs that keep every checkpoint: how many the plan has room for; 0: for all that it writes.
int pruned_to(const WorkPlace& place);
/// The line that says so, beside the work.
std::string pruned_note(std::string_view program, int keep);
/// Projections that adapters sit at, by their names; empty: all linear layers.
std::vector<std::string> adapter_targets(const TrainPhase& train);
/// Steps between two lines of the log.
int log_steps(const WorkPlace& place);
/// A tenth of a rate of learning as people write it: that of 1e-5 is 1e-6 and not 1.0000000000000002e-06.
double tenth_of(double rate);
/// Sequences of an optimizer step.
int batch_of(const WorkPlace& place);
int steps_of(const WorkPlace& place);
/// vLLM's wheels of PyPI are for CUDA: for AMD's GPUs it comes with an image.
bool pip_has_vllm(const WorkPlace& place);
/// A line that ends the phase where it is not there.
std::string needs_vllm();
/// Tokens of the longest prompt and its answer together.
double longest_request(const GeneratePhase& generate);
/// Tokens at which programs that read rows one by one cut them: the longest row that the job states, within its
/// `sequence`. One number for all rows (tokens_per_sample: 700) is a mean that real rows lie around: then it is
/// `sequence` itself, though the plan counts with the memory of that number.
int longest_row(const WorkPlace& place);
/// Says so, where the two differ.
void tell_longest(const WorkPlace& place, Work& work);

/// MODEL, or MODEL_OLMO_3_7B_THINK where a phase has several: the variable that names another source of a model. Where
/// the phase goes on with what an earlier one trained, or phases begin with different models: MODEL_02_SFT, its own.
std::string model_variable(const WorkPlace& place, const std::vector<ModelUse>& models, std::size_t which);
/// Says that pictures and sounds are not learnt, of a model that sees or hears.
void tell_texts_alone(const WorkPlace& place, Work& work);
/// What a program calls the optimizer, by a column of data/optimizers.csv; "" where it has none.
std::string optimizer_name(const WorkPlace& place, Optimizer optimizer, std::string OptimizerFacts::* program);
/// Where a model is fetched from: its name on the Hugging Face hub, else the name in the job.
std::string source_of(const ModelUse& use);
/// What an earlier phase left of a model: FOLDER of its run. Adapters are `final`, and for training `merged`, with the
/// weights below them: no program trains on top of a folder with adapters alone.
struct Trained {
  std::string slug, folder;
  std::string path() const { return slug + "/" + folder; }
};
/// What phases before this one leave of that model, nearest first.
std::vector<Trained> trained_by(const WorkPlace& place, const ModelUse& model);
/// "runs/01-pre/checkpoints, which megatron writes in a form of its own": the nearest phase before that trains the
/// model and leaves nothing that others read, unless a nearer one does; "" without one.
std::string own_form(const WorkPlace& place, const ModelUse& model);
/// A later phase of training that starts from the adapters of this one, which have to be merged for it; else null.
const LaunchPhase* merged_for(const WorkPlace& place);
/// Shell lines that end the phase where adapters were left that nobody merged; none where there can be none.
std::vector<std::string> check_merged(const WorkPlace& place);
/// Shell lines that set a variable to `first`, a word of the shell, or to what the nearest phase before left.
std::vector<std::string> model_lines(const WorkPlace& place, std::string_view shell_name, std::string_view first,
                                     Work& work);
/// For settings that name the model as @GPUPLAN_BASE_MODEL@: the model's variable, else what an earlier phase trained,
/// else the job's name.
void take_model(const WorkPlace& place, Work& work);
/// A line before the Trainer of transformers starts: a checkpoint that was cut off, which lacks trainer_state.json, its
/// last file, becomes the folder cut-off. It would resume from the newest one, whole or not.
void leave_out_unfinished(Work& work);
/// The last lines of a command whose program leaves the model in `folder` of the run, as transformers reads it.
void leave_final(Work& work, std::string_view folder);
/// Its lines: `link`, below the run, becomes `final`, or the files of `from` do, a word of the shell, where the run
/// lies on something that has no links.
std::vector<std::string> final_lines(const std::string& link, const std::string& from);
/// {"name", "slug", "variable", "trained_by", "config"}; adds to `work.required` the models of which nobody knows where
/// they are. False when the model is drawn and no class of transformers has its shape.
bool write_model(JsonWriter& json, const WorkPlace& place, const std::vector<ModelUse>& models, std::size_t which,
                 Work& work);
/// Rates and the like, of which a plan knows nothing: from `args`, else those that people begin with.
struct TrainingNumbers {
  double learning_rate = 0, weight_decay = 0, warmup_steps = 0, grad_clip = 0, seed = 0;
};
TrainingNumbers training_numbers(const WorkPlace& place);
/// Whether the plan has this framework, by its name in the catalogue.
bool runs_under(const WorkPlace& place, std::string_view framework);
/// Whether sequences hold several samples, none of which may see another; text that is counted in tokens is one.
bool separate_samples(const TrainPhase& train);
/// The settings that all training programs read; the object stays open. False as write_model().
bool write_training(JsonWriter& json, const WorkPlace& place, Work& work);
/// Requires DATA, and TOKENIZER for a model that the job draws; says in notes what rates of learning are taken.
void require_data(const WorkPlace& place, Work& work);

/// Why gpuplan writes no training program: several networks, a custom one, frozen ones; "" where it can.
std::string untrainable(const TrainPhase& train);

/// "sdpa", or "eager" where transformers has no fused attention of torch for such a network.
std::string_view fused_attention(const ModelShape& shape);
/// Why no program that gpuplan writes trains a network that says no tokens; "" where it does.
std::string without_words(const ModelShape& shape);
/// Why the program cannot train the language part of a model that also sees or hears; "": it can, or the model does
/// neither. `trl`: TRL's program, else one that loads AutoModelForCausalLM.
std::string towers_unloaded(const WorkPlace& place, bool trl);
/// A pattern of the projections that adapters sit at, where names would take in more than the plan counts: towers have
/// projections of the same names, which no text reaches, and so have routed experts, beside which peft would put
/// adapters (tuners_utils.py, all-linear). "": adapter_targets() says it.
std::string target_pattern(const TrainPhase& train);
/// The same for programs that take names alone (LLaMA-Factory): ends of paths, which peft compares with a dot before
/// them (tuners_utils.py, check_target_module_exists); those that a model lacks are passed by. Empty: all projections.
std::vector<std::string> target_paths(const TrainPhase& train);
/// Fails where packed samples would reach each other through the state of state-space layers.
Result<void> keeps_states_apart(const WorkPlace& place);

/// fp32 or bf16: the weights that the optimizer updates.
Format master_weights(const WorkPlace& place);
/// "sdpa", "eager", "flash_attention_2" or "flash_attention_3", as transformers names them.
std::string_view attention_name(AttentionKernel kernel);
/// The same for the phase's network: some have what the fused kernel of torch lacks.
std::string_view attention_of(const WorkPlace& place);

}  // namespace gpuplan
