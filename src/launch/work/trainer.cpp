// The Trainer of transformers, with peft for adapters: started by accelerate (DDP, FSDP) or by torchrun (DeepSpeed).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "launch/work/arguments.h"
#include "launch/work/options.h"
#include "launch/work/trl.h"

namespace gpuplan {
namespace {

std::string launch_line(const WorkPlace& place, Backend backend) {
  const std::string target = file_word("train.py");
  if (backend == Backend::kOne) return "python3 " + target;
  if (backend == Backend::kDeepSpeed) return torchrun(place) + " " + target;
  return "accelerate launch --config_file " + file_word("accelerate.yaml") + accelerate_flags(place) + " " + target;
}

}  // namespace

Result<Work> trainer_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Strategy& s = place.strategy();
  if (s.tp * s.pp * s.cp > 1 || s.ep > 1)
    return placeholder(place,
                       "The generated Trainer script has no tensor, pipeline, context or expert parallelism; with "
                       "train.parallel: zero3 in the job the plan has none either, and the script runs it.");
  std::string optimizer = optimizer_name(place, train.optimizer.matrices, &OptimizerFacts::trainer);
  // DeepSpeed brings one that the Trainer lacks (deepspeed_json()).
  if (train.optimizer.matrices == Optimizer::kLamb && backend_of(place) == Backend::kDeepSpeed)
    optimizer = optimizer_name(place, Optimizer::kAdamW, &OptimizerFacts::trainer);
  if (shards_by_dtensors(place)) optimizer = for_dtensors(optimizer);
  if (optimizer.empty())
    return placeholder(place,
                       "The generated Trainer script has no " + std::string(name_of(train.optimizer.matrices)) + ".");
  if (s.precision > Precision::kBf16)
    return placeholder(place, "The generated Trainer script trains only in 16 and 32 bit.");
  const bool unsloth = runs_under(place, "unsloth");
  if (unsloth && place.laid.nodes > 1)
    return placeholder(place, "The generated script runs Unsloth on one machine only.");
  const Backend backend = backend_of(place);
  const bool deepspeed = backend == Backend::kDeepSpeed;
  const auto chosen = trainer_program(place);
  if (!chosen) return std::unexpected(chosen.error());
  if (const std::string why = runs_under(place, "hf-trainer") ? towers_unloaded(place, chosen->trl) : ""; !why.empty())
    return placeholder(place, why);
  if (chosen->trl) {
    auto work = trl_work(place, optimizer);
    if (work) work->notes.insert(work->notes.begin(), chosen->note);
    return work;
  }
  Work work;
  JsonWriter json;
  json.begin_object();
  const bool good = write_training(json, place, work);
  json.member("sharding", name_of(s.sharding)).member("fsdp", backend == Backend::kFsdp).member("deepspeed", deepspeed);
  json.member("trainer_recomputes", trainer_recomputes(place, backend));
  json.member("unsloth", unsloth).member("unused_weights", !unsloth && leaves_weights_unused(place));
  json.member("optim", optimizer);
  json.key("arguments").begin_object();
  write_arguments(json, passed_on(place));
  json.end().end();
  if (!good) return placeholder(place, "No transformers class has the shape of its model.");
  std::vector<std::string> packages = trainer_packages(place, backend, Trains::kTrainer);
  // What it needs, in the versions that it needs, it brings as an extra: without, its command line alone
  // (unslothai/unsloth 015bdef, pyproject.toml).
  if (unsloth) {
    packages = {"unsloth[huggingface]", requirement("transformers"), "datasets>=2.20", "bitsandbytes>=0.45.5"};
    if (torch_bounded(place)) packages.push_back(torch_requirement(place, "2.6"));
  }
  work.prepare.push_back(pip_install(packages));
  install_attention(place, work);
  // datasets keeps rows as Arrow, and lists of tokens and labels in 8 bytes each.
  work.data = {.fetches = true, .copies = 1, .bytes_a_token = separate_samples(train) && !unsloth ? 24.0 : 16.0};
  add_data_programs(place, work);
  work.files.push_back(program(place, "run_parts.py"));
  work.files.push_back(program(place, "train_trainer.py", "train.py"));
  work.files.push_back({place.path("settings.json"), json.take(), false});
  if (deepspeed) {
    work.files.push_back({place.path("ds_config.json"), deepspeed_json(place), false});
    ask_compilers(place, work);
  }
  if (backend == Backend::kDdp || backend == Backend::kFsdp)
    work.files.push_back({place.path("accelerate.yaml"), accelerate_yaml(place, backend, States::kSharded), false});
  require_data(place, work);
  ask_first(place, train.models, work);
  if (runs_under(place, "hf-trainer")) work.notes.push_back(chosen->note);
  work.notes.emplace_back("train.py resumes from the newest checkpoint; a stop writes one first.");
  if (train.method != Method::kFull)
    work.notes.push_back("LoRA: alpha " + std::to_string(adapter_numbers(place).alpha) + ", dropout " +
                         number_text(adapter_numbers(place).dropout) +
                         " (lora_alpha and lora_dropout in args). The folder final contains only the adapter.");
  tell_texts_alone(place, work);
  if (deepspeed && !runs_under(place, "deepspeed"))
    work.notes.emplace_back("The Trainer uses DeepSpeed for sharding and CPU offload.");
  if (backend == Backend::kFsdp && s.offload != Offload::kNone && s.offload != Offload::kActivations)
    work.notes.emplace_back("FSDP offloads weights, gradients and optimizer states to CPU memory together.");
  lead_reports(place, work);
  finish_model(place, work);
  leave_out_unfinished(work);
  for (std::string& line : name_layers(place, work, false)) work.command.push_back(std::move(line));
  work.command.push_back(supervised(place, work, launch_line(place, backend)));
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
