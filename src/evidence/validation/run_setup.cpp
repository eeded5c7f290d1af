#include "evidence/validation/run_setup.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/text.h"
#include "base/whole.h"
#include "evidence/validation/run_machine.h"
#include "model/compute.h"
#include "model/training/training.h"

namespace gpuplan {
namespace {

constexpr double kLossChunk = 1024;  // tokens whose logits exist at a time, as Unsloth's kernel has it

/// A framework that the catalogue does not know: the middle of those it does.
const Framework& unknown_framework() {
  static const Framework framework = [] {
    Framework f;
    f.name = "unknown";
    f.trains = true;
    return f;
  }();
  return framework;
}

/// Fills a setup field by field, noting what had to be assumed.
class RunFiller {
 public:
  RunFiller(const Catalogue& catalogue, const TrainingRun& run, RunSetup& setup)
      : all_(catalogue), run_(run), s_(setup) {}

  void fill() {
    s_.assumptions = run_.assumptions;
    s_.catalogue_gpu = all_.find_gpu(run_.gpu);
    s_.refused = refused_facts(run_, s_.catalogue_gpu);
    if (!s_.refused.empty()) return;
    constexpr double kMostGpus = 1e6;
    double ranks = 1;
    for (const auto& degree : {run_.dp, run_.tp, run_.pp, run_.cp}) ranks *= degree.value_or(1);
    if (ranks > kMostGpus) {
      s_.refused = "dp x tp x pp x cp make " + count_text(ranks) + " GPUs; expected at most " + count_text(kMostGpus);
      return;
    }
    set_software();
    set_degrees();
    set_machine();
    if (run_.shape->layers > 0 && s_.strategy.pp > run_.shape->layers)
      s_.refused = count_text(s_.strategy.pp) + " stages of " + count_text(run_.shape->layers) + " layers";
    if (!s_.refused.empty()) return;
    set_phase();
    set_batch();
    set_sharding();
    set_recompute();
    set_loss();
  }

 private:
  void assume(std::string what) { s_.assumptions.push_back(std::move(what)); }

  void set_software() {
    const Framework* known = run_software(all_, run_, "framework", "an average one", s_.strategy, s_.assumptions);
    s_.framework = known != nullptr ? known : &unknown_framework();
    Strategy& strategy = s_.strategy;
    const bool tensor_cores = s_.catalogue_gpu->compute_capability >= 8 || s_.catalogue_gpu->compute_capability == 0;
    strategy.precision = run_.precision.value_or(tensor_cores ? Precision::kBf16 : Precision::kFp16);
    if (!run_.precision) assume("precision: " + std::string(name_of(strategy.precision)));
    if (strategy.precision != Precision::kFp32 && product_peak(*s_.catalogue_gpu, strategy.precision).value <= 0 &&
        (strategy.precision == Precision::kFp16 || strategy.precision == Precision::kBf16 ||
         strategy.precision == Precision::kTf32)) {
      assume(std::string(name_of(strategy.precision)) + ": at the fp32 rate, the GPU has no units for it");
      strategy.precision = Precision::kFp32;
    }
    strategy.compile = run_.compile.value_or(false);
    // Stacks that rely on the vendor's fused attention had none of use before Hopper: they kept the scores, fused the
    // softmax, and computed the attention core again (Korthikanti et al. 2022).
    // Fused attention that is not the vendor's needs Turing (Dao et al. 2022, arXiv:2205.14135).
    const TrainingSoftware& software = software_of(all_, s_.framework->name);
    const double capability = s_.catalogue_gpu->compute_capability;
    const bool keeps_scores = !run_.attention && ((software.vendor_attention && capability < 9) ||
                                                  (software.fused && capability > 0 && capability < 7.5));
    if (keeps_scores) strategy.recompute = Recompute::kSelective;
    strategy.attention = run_.attention.value_or(keeps_scores ? AttentionKernel::kEager : AttentionKernel::kFlash);
    if (!run_.attention)
      assume(keeps_scores ? "attention: eager" : "attention: the fused kernel that the framework ships");
    strategy.offload = run_.offload.value_or(Offload::kNone);
    strategy.interleave = run_.vpp.value_or(1);
  }

  void set_degrees() {
    Strategy& d = s_.strategy;
    d.cp = run_.cp.value_or(1);
    d.tp = run_.tp.value_or(1);
    d.pp = run_.pp.value_or(1);
    const int cut = d.tp * d.pp * d.cp;
    gpus_ = run_.gpus.value_or(run_.dp.value_or(1) * cut);
    if (!run_.gpus) assume("GPUs: " + count_text(gpus_));
    if (!run_.tp || !run_.pp) imputed_cut();
    d.dp = run_.dp.value_or(std::max(1, gpus_ / (d.tp * d.pp * d.cp)));
    if (!run_.dp && gpus_ > 1 && run_.tp && run_.pp) assume("data parallel: " + count_text(d.dp));
    d.ep = run_.ep.value_or(1);
    if (!run_.ep && run_.shape->moe()) {
      while (d.ep * 2 <= std::min(8, d.dp * d.cp * d.tp) && run_.shape->experts % (d.ep * 2) == 0) d.ep *= 2;
      assume("expert parallel: " + count_text(d.ep));
    }
  }

  /// True of frameworks that cut large networks by tensors and stages because they do not shard weights.
  bool cuts_networks() const { return s_.framework->tensor && !s_.framework->zero[3]; }

  /// The smallest tensor degree inside a machine, then the fewest stages, until a GPU's parameters take half of its
  /// memory at 16 bytes each; none where weights are sharded instead.
  void imputed_cut() {
    Strategy& d = s_.strategy;
    const double params = count_parameters(*run_.shape).total();
    const double most = s_.catalogue_gpu->memory.value / 32;
    const int box = std::min(run_.gpus_per_node.value_or(8), gpus_);
    const bool fully_sharded = run_.sharding ? shards_weights(*run_.sharding) : !cuts_networks();
    const auto too_large = [&] { return !fully_sharded && params / (d.tp * d.pp) > most; };
    if (!run_.tp)
      while (too_large() && d.tp * 2 <= box && gpus_ % (d.tp * 2 * d.pp * d.cp) == 0) d.tp *= 2;
    if (!run_.pp)
      while (too_large() && d.pp * 2 <= run_.shape->layers && gpus_ % (d.tp * d.pp * 2 * d.cp) == 0) d.pp *= 2;
    if (gpus_ == 1) return;
    s_.degrees_known = false;
    assume("tensor x pipeline parallel: " + count_text(d.tp) + " x " + count_text(d.pp));
  }

  void set_machine() {
    const Gpu& gpu = *s_.catalogue_gpu;
    const RunMachine machine = run_machine(all_, run_, gpu, gpus_, s_.assumptions);
    s_.node = machine.node;
    s_.nodes = machine.nodes;
    s_.gpu = gpu;
    if (run_.gpu_power_w && gpu.tdp_watts > 0) s_.gpu.tdp_watts = std::min(gpu.tdp_watts, *run_.gpu_power_w);
  }

  void set_phase() {
    TrainPhase& phase = s_.phase;
    ModelUse use;
    use.name = run_.model;
    use.shape = *run_.shape;
    phase.models.push_back(std::move(use));
    if (!run_.networks.empty()) phase.models = run_.networks;
    phase.method = run_.method.value_or(Method::kFull);
    phase.framework = s_.framework->name;
    phase.optimizer.matrices = run_.optimizer.value_or(Optimizer::kAdamW);
    phase.optimizer.rest = phase.optimizer.matrices == Optimizer::kMuon ? Optimizer::kAdamW : phase.optimizer.matrices;
    if (!run_.optimizer) assume("optimizer: adamw");
    if (run_.optimizer_rest) phase.optimizer.rest = *run_.optimizer_rest;
    phase.trainable = run_.trainable;
    phase.master_weights = run_.master_weights;
    const bool zero = run_.sharding && *run_.sharding != Sharding::kNone;
    if (!run_.settled && !run_.master_weights && !zero && phase.method == Method::kFull && !run_.from_scratch &&
        s_.strategy.precision == Precision::kBf16 && software_of(all_, s_.framework->name).keeps_format) {
      phase.master_weights = Format::kBf16;
      assume("weights learn in bf16, as they are loaded");
    }
    phase.optimizer_state = run_.optimizer_state;
    const bool adapters = phase.method == Method::kLora || phase.method == Method::kQlora;
    if (adapters) {
      phase.lora.rank = run_.lora_rank.value_or(16);
      const bool all = software_of(all_, s_.framework->name).adapts_all;
      phase.lora.targets = run_.lora_targets.value_or(std::vector<std::string>{all ? "all-linear" : "attention"});
      if (!run_.lora_targets)
        assume("LoRA rank " + count_text(phase.lora.rank) +
               (all ? " on all linear layers" : " on the attention projections"));
    }
    const double sequence = run_.sequence.value_or(512);
    if (!run_.sequence) assume("sequence: 512 tokens");
    phase.sequence = clamped<int>(std::min(sequence, 2e9));
    if (run_.mean_tokens) phase.data.tokens_per_sample = Length{*run_.mean_tokens, sequence};
    phase.steps = 1;
    phase.batch = BatchSize{.sequences = 1.0, .tokens = {}};
  }

  void set_batch() {
    Strategy& d = s_.strategy;
    const double replica = run_.global_batch ? std::max(1.0, *run_.global_batch / d.dp) : 0;
    double micro = run_.micro_batch.value_or(0);
    double accumulate = run_.grad_accum.value_or(0);
    if (micro > 0 && accumulate <= 0 && replica > 0) accumulate = std::max(1.0, std::round(replica / micro));
    if (micro <= 0 && accumulate > 0 && replica > 0) micro = std::max(1.0, std::round(replica / accumulate));
    if (micro <= 0) {
      s_.batch_known = false;
      s_.micro_assumed = true;
      micro = usual_micro(replica);
      assume("micro-batch: " + number_text(micro));
    }
    if (accumulate <= 0) {
      accumulate = replica > 0 ? std::max(1.0, std::round(replica / micro)) : usual_accumulation(micro);
      if (replica <= 0) {
        s_.batch_known = false;
        assume("gradient accumulation: " + number_text(accumulate));
      }
    }
    constexpr double kMost = 1e6;
    d.micro_batch = clamped<int>(std::min(micro, kMost));
    d.grad_accum = clamped<int>(std::min(accumulate, kMost));
    s_.global_batch = run_.global_batch.value_or(micro * accumulate * d.dp);
    s_.phase.batch->sequences = s_.global_batch;
  }

  /// One sequence at a time of a network that is cut over GPUs; else what makes 8192 tokens, which keeps a GPU busy, as
  /// far as it divides the batch.
  double usual_micro(double replica) const {
    if (s_.strategy.tp * s_.strategy.pp > 1) return 1;
    const double wanted = std::max(1.0, std::floor(8192 / static_cast<double>(*s_.phase.sequence)));
    double micro = 1;
    while (micro * 2 <= wanted && (replica <= 0 || std::fmod(replica, micro * 2) == 0)) micro *= 2;
    return micro;
  }

  /// Fine-tuning: one. Training from scratch: what makes the batch that networks of this size are trained with (GPT-3,
  /// Brown et al. 2020, table 2.1), and several micro-batches for each stage of a pipeline.
  double usual_accumulation(double micro) const {
    const Strategy& d = s_.strategy;
    const double least = d.pp > 1 ? 4.0 * d.pp : 1;
    if (!run_.from_scratch) return least;
    const double params = count_parameters(*run_.shape).total();
    const double tokens = params < 1e9 ? 0.5e6 : params < 5e9 ? 1e6 : 2e6;
    return std::max(least, std::round(tokens / (micro * d.dp * *s_.phase.sequence)));
  }

  void set_sharding() {
    Strategy& d = s_.strategy;
    const double ranks = static_cast<double>(d.dp) * d.cp;
    if (run_.sharding) {
      d.sharding = *run_.sharding;
    } else if (ranks > 1) {
      const bool cuts = cuts_networks() || d.tp * d.pp > 1;
      const bool adapters = s_.phase.method == Method::kLora || s_.phase.method == Method::kQlora;
      const bool large = !adapters && count_parameters(*run_.shape).total() > 1.5e9;
      d.sharding = cuts ? Sharding::kZero1 : large ? Sharding::kZero3 : Sharding::kNone;
      assume("sharding: " + std::string(name_of(d.sharding)));
    }
    if (ranks <= 1) d.sharding = Sharding::kNone;
  }

  void set_recompute() {
    Recompute& recompute = s_.strategy.recompute;
    if (run_.recompute) {
      recompute = *run_.recompute;
      return;
    }
    const TrainingSoftware& software = software_of(all_, s_.framework->name);
    s_.scores_only = software.scores_only();
    const UsualRecompute usual = software.recompute;
    const bool sharded = shards_weights(s_.strategy.sharding);
    if (usual == UsualRecompute::kSelective) recompute = Recompute::kSelective;
    if (usual == UsualRecompute::kAlways || (usual == UsualRecompute::kSharded && sharded))
      recompute = Recompute::kFull;
    assume("recompute: " + std::string(name_of(recompute)));
  }

  /// Sequences this long are trained with a loss in chunks; whole logits would be most of the memory.
  void set_loss() {
    constexpr double kLong = 32768;
    const double tokens = static_cast<double>(*s_.phase.sequence) * s_.strategy.micro_batch / s_.strategy.cp;
    if (tokens < kLong || s_.strategy.tp > 1 || s_.framework->fused_loss > 0 || run_.from_scratch || run_.settled)
      return;
    s_.fused_loss = kLossChunk;
    assume("loss: in chunks");
  }

  const Catalogue& all_;
  const TrainingRun& run_;
  RunSetup& s_;
  int gpus_ = 1;
};

void assume_instead(RunSetup& s, std::string_view setting, const std::string& value) {
  assume_anew(s, setting, value + ", else it would not have fitted");
}

/// Stacks that cut networks by tensors and stages have many small ways to save memory, and recipes use just enough of
/// them: not fitting says little about any single one.
bool has_many_ways(const Framework& framework) { return framework.tensor && framework.pipeline; }

}  // namespace

void assume_anew(RunSetup& s, std::string_view setting, std::string_view words) {
  std::erase_if(s.assumptions, [&](const std::string& one) { return one.starts_with(setting); });
  s.assumptions.push_back(std::string(setting) + ": " + std::string(words));
}

bool save_memory(const TrainingRun& run, RunSetup& s) {
  if (run.settled) return false;
  Strategy& strategy = s.strategy;
  const Framework& framework = *s.framework;
  if (s.micro_assumed && strategy.micro_batch > 1) {
    strategy.micro_batch /= 2;
    if (run.grad_accum) s.phase.batch->sequences = s.global_batch /= 2;
    else strategy.grad_accum *= 2;
    assume_instead(s, "micro-batch", count_text(strategy.micro_batch));
    return true;
  }
  const double ranks = static_cast<double>(strategy.dp) * strategy.cp;
  if (!run.sharding && ranks > 1 && !shards_weights(strategy.sharding) && framework.zero[3]) {
    strategy.sharding = Sharding::kZero3;
    assume_instead(s, "sharding", std::string(name_of(strategy.sharding)));
    return true;
  }
  // What Megatron recomputes selectively are the scores of attention, which fused kernels do not keep.
  const bool helps = !s.scores_only || strategy.attention == AttentionKernel::kEager;
  if (!run.recompute && helps && strategy.recompute == Recompute::kNone && framework.recompute_selective) {
    strategy.recompute = Recompute::kSelective;
    assume_instead(s, "recompute", std::string(name_of(strategy.recompute)));
    return true;
  }
  if (has_many_ways(framework)) return false;
  if (!run.recompute && strategy.recompute != Recompute::kFull && framework.recompute_full) {
    strategy.recompute = Recompute::kFull;
    assume_instead(s, "recompute", std::string(name_of(strategy.recompute)));
    return true;
  }
  // Where steps are made on the 16-bit weights themselves, "optimizer" may say that they are on the host too.
  if (run.master_weights == Format::kBf16 && includes(strategy.offload, Offload::kOptimizer) &&
      !includes(strategy.offload, Offload::kParams) && includes(framework.offload, Offload::kParams)) {
    strategy.offload = includes(strategy.offload, Offload::kActivations) ? Offload::kAll : Offload::kOptimizerParams;
    assume_instead(s, "offload", std::string(name_of(strategy.offload)));
    return true;
  }
  if (s.fused_loss <= 0 && framework.fused_loss <= 0) {
    s.fused_loss = kLossChunk;
    assume_instead(s, "loss", "in chunks");
    return true;
  }
  return false;
}

bool may_recompute_more(const TrainingRun& run, const RunSetup& s) {
  const bool open =
      !run.settled && !run.recomputed_layers && (!run.recompute || *run.recompute == Recompute::kSelective);
  return open && s.strategy.recompute != Recompute::kFull && s.framework->recompute_full;
}

RunSetup run_setup(const Catalogue& catalogue, const TrainingRun& run) {
  RunSetup setup;
  RunFiller(catalogue, run, setup).fill();
  return setup;
}

}  // namespace gpuplan
