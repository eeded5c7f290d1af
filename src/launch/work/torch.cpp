// Plain PyTorch: torchrun and a program that shares out what the plan says, by DDP, ZeRO-1, FSDP2 and tensor
// parallelism.
#include <array>

#include "base/text.h"
#include "launch/work/parts.h"

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
  const std::vector<std::string_view> known(kTrainArguments.begin(), kTrainArguments.end());
  if (const auto others = other_arguments(place, known); !others.empty())
    return place.wrong("args names " + printable(others.front(), 60) +
                       ", which the generated script for torch does not support (it supports " +
                       listed(std::vector<std::string>(known.begin(), known.end())) +
                       "); set command: in the job file");
  const auto has = [&](Optimizer optimizer) {
    return !optimizer_name(place, optimizer, &OptimizerFacts::torch).empty();
  };
  if (!has(train.optimizer.matrices) || !has(train.optimizer.rest))
    return placeholder(place, "PyTorch itself has only AdamW, Muon and SGD.");
  if (s.precision > Precision::kBf16) return placeholder(place, "PyTorch alone trains only in 16 and 32 bit.");
  if (train.method != Method::kFull)
    return placeholder(place, "The generated script for torch supports only full training.");
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
  work.prepare.push_back(pip_install({muon ? "torch>=2.9" : "torch>=2.6", requirement("transformers"), "datasets>=2.20",
                                      requirement("accelerate"), "numpy"}));
  if (s.attention == AttentionKernel::kFlash1 || s.attention == AttentionKernel::kFlash2)
    work.prepare.push_back("python3 -m pip install --quiet --no-build-isolation 'flash-attn>=2.6'");
  for (const char* name : {"phase_parts.py", "run_parts.py", "training_data.py", "training_network.py",
                           "training_stream.py", "training_checkpoints.py"})
    work.files.push_back(program(place, name));
  if (shares.fsdp || s.tp > 1) work.files.push_back(program(place, "training_shards.py"));
  work.files.push_back(program(place, "train_torch.py", "train.py"));
  work.files.push_back({place.path("settings.json"), json.take(), false});
  require_data(place, work);
  if (place.from_scratch())
    work.notes.emplace_back(
        "DATA may also be tokens: a file NAME.bin, or a folder of them, as nanoGPT's prepare.py makes.");
  work.notes.emplace_back("train.py resumes from the newest checkpoint; a stop writes one first.");
  if (shares.sharding == Sharding::kZero1)
    work.notes.emplace_back("ZeRO-1: each rank has its own state file, so it resumes only on the same number of GPUs.");
  work.command.push_back(supervised(place, work, torchrun(place) + " " + file_word("train.py")));
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
