// Plain PyTorch: torchrun and a program that shares out what the plan says, by DDP, ZeRO-1, FSDP2 and tensor
// parallelism.
#include <array>

#include "base/text.h"
#include "launch/work/options.h"

namespace gpuplan {
namespace {

/// How train_torch.py shares things out. It keeps to the plan, but for two cases: FSDP2 moves weights, gradients and
/// states to the host together, and beside tensor parallelism it stands in for DDP.
struct Shares {
  Sharding sharding = Sharding::kNone;
  bool fsdp = false;
  std::string note;
};

Shares shares_of(const Strategy& s) {
  Shares shares{s.sharding, s.sharding >= Sharding::kZero2, ""};
  const bool host = includes(s.offload, Offload::kOptimizer) || includes(s.offload, Offload::kParams);
  const bool grid = s.tp > 1 && s.dp > 1;
  if (shares.fsdp || (!host && !grid)) {
    if (host) shares.note = "FSDP2 offloads weights, gradients and optimizer states to CPU memory together.";
    return shares;
  }
  shares.note = host ? "CPU offload uses FSDP2, which also moves weights and gradients to CPU memory."
                     : "With tensor parallelism FSDP2 replaces DDP: it needs less memory than the plan assumes.";
  shares.sharding = Sharding::kZero2;
  shares.fsdp = true;
  return shares;
}

}  // namespace

Result<Work> torch_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const Strategy& s = place.strategy();
  Work work;
  JsonWriter json;
  json.begin_object();
  const Shares shares = shares_of(s);
  const bool good = write_training(json, place, work);
  json.member("sharding", name_of(shares.sharding)).member("fsdp", shares.fsdp).end();
  if (!good) return placeholder(place, "No transformers class has the shape of its model.");
  if (!shares.note.empty()) work.notes.push_back(shares.note);
  const bool muon = train.optimizer.matrices == Optimizer::kMuon;
  // get_total_norm and clip_grads_with_norm_ are public since 2.6, torch.optim.Muon since 2.9; IterableDataset has
  // state_dict since datasets 2.20; `dtype` took the place of `torch_dtype` in transformers 4.56.
  work.prepare.push_back(pip_install({torch_requirement(place, muon ? "2.9" : "2.6"), requirement("transformers"),
                                      "datasets>=2.20", requirement("accelerate"), "numpy"}));
  install_attention(place, work);
  add_data_programs(place, work);
  for (const char* name : {"run_parts.py", "decoder_layers.py", "training_network.py", "training_stream.py",
                           "training_checkpoints.py", "training_evaluation.py"})
    work.files.push_back(program(place, name));
  if (shares.fsdp || s.tp > 1) work.files.push_back(program(place, "training_shards.py"));
  work.files.push_back(program(place, "train_torch.py", "train.py"));
  work.files.push_back({place.path("settings.json"), json.take(), false});
  require_data(place, work);
  ask_first(place, train.models, work);
  if (place.from_scratch())
    work.notes.emplace_back(
        "DATA may also be tokens: a file NAME.bin, or a folder of them, as nanoGPT's prepare.py makes.");
  work.notes.emplace_back("train.py resumes from the newest checkpoint; a stop writes one first.");
  if (shares.sharding == Sharding::kZero1)
    work.notes.emplace_back("ZeRO-1: each rank has its own state file, so it resumes only on the same number of GPUs.");
  lead_reports(place, work);
  finish_model(place, work);
  work.command.push_back(supervised(place, work, torchrun(place) + " " + file_word("train.py")));
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
