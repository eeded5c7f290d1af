// Training frameworks and inference engines: what each can do, on which hardware.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unset.h"
#include "domain/facts/framework_limit.h"
#include "domain/hardware/precision.h"
#include "domain/work/phase.h"
#include "domain/work/strategy.h"

namespace gpuplan {

struct Framework {
  std::string name;
  std::vector<std::string> aliases;
  bool trains = false, generates = false;
  std::vector<std::string> vendors;
  double min_compute_capability = 0;                  ///< for NVIDIA hardware; 0 any
  bool zero[5] = {true, false, false, false, false};  ///< by Sharding
  bool tensor = false, pipeline = false, context = false, expert = false;
  bool interleave = false;           ///< pipeline ranks may hold several stages each
  Offload offload = Offload::kNone;  ///< all that it can keep in host memory
  bool recompute_selective = true, recompute_full = true;
  bool compile = false, cuda_graphs = false;
  bool compiles = false;  ///< its recipes of pretraining do so
  bool full = true, lora = false, qlora = false, frozen = false;
  std::vector<Precision> precisions;
  std::vector<Optimizer> optimizers;
  bool master_fp32 = true;  ///< weights the optimizer updates: fp32 copies, or the 16-bit weights themselves
  bool multi_gpu = true;    ///< false: runs on one GPU only
  bool multi_node = true;
  int auto_rank = 0;  ///< of an engine: order in which gpuplan thinks of it when the job names none; 0: only by name
  // How much faster it has to be than another before people take it for such a job (factor); 0: only by name.
  double fine_tune = 0, pretrain = 0;
  double eased_by = 0;                          ///< parameters x machines at which half of that has gone; 0: it stays
  bool auto_full = true, auto_adapters = true;  ///< training of all weights, of adapters: else by name only
  bool scripts = false;                         ///< launch writes programs for it
  bool saves_when_stopped = false;              ///< which write a checkpoint when they are told to stop
  double fused_loss = 0;            ///< tokens whose logits exist at a time; 0: those of the whole micro-batch
  bool activation_offload = false;  ///< what recomputation keeps lies in host memory, at hardly any cost of time
  std::vector<LimitRow> limits;     ///< rows of data/framework_limits.csv
  std::string source, as_of, notes;

  bool operator==(const Framework&) const = default;
};

/// How a framework brings a checkpoint to the GPUs.
enum class Loading : std::uint8_t {
  kSharded,    ///< every rank reads its own part
  kOnce,       ///< one rank of a machine reads everything into host memory and hands it on
  kEveryRank,  ///< every rank reads everything into host memory
  kGathered,   ///< every GPU holds everything for a moment; the machine once
};
template <>
struct Names<Loading> {
  static constexpr std::array entries = {
      Named<Loading>{Loading::kSharded, "sharded"},
      Named<Loading>{Loading::kOnce, "once"},
      Named<Loading>{Loading::kEveryRank, "every-rank"},
      Named<Loading>{Loading::kGathered, "gathered"},
  };
};

/// When a framework recomputes activations without being told to.
enum class UsualRecompute : std::uint8_t { kNever, kSharded, kAlways, kSelective };
template <>
struct Names<UsualRecompute> {
  static constexpr std::array entries = {
      Named<UsualRecompute>{UsualRecompute::kNever, "never"},
      Named<UsualRecompute>{UsualRecompute::kSharded, "sharded"},
      Named<UsualRecompute>{UsualRecompute::kAlways, "always"},
      Named<UsualRecompute>{UsualRecompute::kSelective, "selective"},
  };
};

/// How a training framework runs on the machine. Rows of data/training_software.csv, by Framework::name; "*" serves
/// frameworks without a row.
struct TrainingSoftware {
  std::string name;
  double time = kUnset;                                   ///< factor on GPU time
  double host_eager_ms = kUnset;                          ///< host time to launch one layer and pass, eager
  double host_compiled_ms = kUnset;                       ///< the same after torch.compile or its like
  double step_ms = kUnset;                                ///< host time of an optimizer step
  double step_layer_ms = kUnset;                          ///< and for each layer of it
  bool fused = false;                                     ///< fused norms, softmax and optimizer kernels
  bool vendor_attention = false;                          ///< the vendor's newest fused attention; else the common one
  double weight_bytes = kUnset, gradient_bytes = kUnset;  ///< a parameter, 16-bit training with fp32 master weights
  double logit_bytes = kUnset;                            ///< a logit at the peak of the loss, eager
  double logit_bytes_compiled = kUnset;
  double four_bit_bytes = kUnset;  ///< a 4-bit weight with its scales; less when these are quantised again
  double eight_bit_copies =
      kUnset;  ///< bytes a parameter of 8-bit copies of 16-bit weights, kept through a step of 8-bit training
  bool paged_8bit = false;  ///< 8-bit optimizers on one GPU: states paged to the host, step inside the backward pass
  bool gathers_outside = true;    ///< full sharding: embedding and output matrix stay gathered while the layers run
  bool sequence_parallel = true;  ///< tensor ranks share out tokens between the products; else each has them all
  bool adapts_all = true;         ///< adapters beside all linear layers, unless told otherwise; else attention's
  bool loops_experts = false;     ///< one product after the other for each expert; else one kernel for all
  bool keeps_quantised = false;   ///< what products read in 8 or 4 bit stays so for the backward pass, not in 16 bit
  bool planned_memory = false;    ///< buffers are laid out before the first step, no allocator, no tensor too many
  double flat_step = kUnset;    ///< 1e9 parameters of a rank whose gradients the step copies into one flat tensor of 32
                                ///< bit at a time, under full sharding; else all of them; 0: it takes them as they are
  bool adds_gradients = false;  ///< those of a micro-batch are whole before they are added to those before it
  bool copies_shards = false;   ///< full sharding: weights are copied out of what is gathered, gradients likewise
  bool gathers_8bit = false;    ///< full sharding: weights that products read in 8 bit are gathered so
  bool gathers_ahead = false;   ///< sharded optimizer: weights are gathered beside the next forward pass
  bool overlaps_tensor = false;   ///< tensor parallelism: traffic in chunks beside the products before and after it
  bool copy_engines = false;      ///< inside a machine without a link of its own, bytes are copied over host memory
  double reduce_bytes = kUnset;   ///< of a gradient on its way, copies and sharded optimizers; at most those it has
  double scatter_bytes = kUnset;  ///< the same under full sharding
  double cast_bytes = kUnset;     ///< moved for each number that products of 8 or 4 bit read, to convert it
  bool keeps_format = false;      ///< without ZeRO, weights learn in the format that they were loaded in
  Loading loading = Loading::kEveryRank;
  UsualRecompute recompute = UsualRecompute::kNever;
  double publishers = kUnset;  ///< of runs of it that took part in the fit
  std::string source, as_of;

  /// Fused stacks recompute the scores of attention selectively (Korthikanti et al. 2022, arXiv:2205.05198), others
  /// most of a layer.
  bool scores_only() const { return fused && !planned_memory; }
  bool operator==(const TrainingSoftware&) const = default;
};

}  // namespace gpuplan
