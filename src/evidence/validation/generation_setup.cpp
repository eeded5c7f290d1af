#include "evidence/validation/generation_setup.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/whole.h"
#include "evidence/validation/run_machine.h"

namespace gpuplan {
namespace {

/// An engine that the catalogue does not know: the middle of those it does.
const Framework& unknown_engine() {
  static const Framework engine = [] {
    Framework f;
    f.name = "unknown";
    f.generates = true;
    f.cuda_graphs = true;
    return f;
  }();
  return engine;
}

/// Requests of a run whose queue is always full: enough that ramp and tail are as in published ones, which generate
/// about three million tokens and never fewer than a thousand answers.
double saturated_requests(double tokens_each) { return std::clamp(3e6 / std::max(tokens_each, 1.0), 1000.0, 30000.0); }

/// Fills a setup field by field, noting what had to be assumed.
class GenerationFiller {
 public:
  GenerationFiller(const Catalogue& catalogue, const GenerationRun& run, GenerationSetup& setup)
      : all_(catalogue), run_(run), s_(setup) {}

  void fill() {
    s_.assumptions = run_.assumptions;
    s_.catalogue_gpu = all_.find_gpu(run_.gpu);
    s_.refused = refused_facts(run_, s_.catalogue_gpu);
    if (!s_.refused.empty()) return;
    constexpr double kMostGpus = 1e6;
    double copies = 1;
    for (const auto& degree : {run_.tp, run_.pp, run_.replicas}) copies *= degree.value_or(1);
    if (std::max<double>(copies, run_.gpus.value_or(1)) > kMostGpus) {
      s_.refused = "gpus, or tp x pp x replicas, make " + count_text(std::max<double>(copies, run_.gpus.value_or(1))) +
                   " GPUs; expected at most " + count_text(kMostGpus);
      return;
    }
    set_engine();
    s_.scores = run_.attention == AttentionKernel::kEager;
    set_formats();
    set_mode();
    set_degrees();
    set_machine();
    set_phase();
    set_batch();
  }

 private:
  void assume(std::string what) { s_.assumptions.push_back(std::move(what)); }

  void set_engine() {
    const Framework* known =
        run_software(all_, run_, "engine", "an average one with CUDA graphs", s_.strategy, s_.assumptions);
    s_.engine = known != nullptr ? known : &unknown_engine();
  }

  void set_formats() {
    s_.weights = run_.weights.value_or(run_.shape->native);
    if (!run_.weights) assume("weights: " + std::string(name_of(s_.weights)));
    set_gguf();
    // Tables quote what files of these formats take on average; others leave scales out.
    if (run_.bits_per_weight && run_.weights == s_.weights && (is_gguf(s_.weights) || s_.weights == Format::kExl2))
      s_.phase.weight_bits = run_.bits_per_weight;
    s_.strategy.weights = s_.weights;
    if (run_.kv_cache) {
      s_.kv_cache = *run_.kv_cache;
      return;
    }
    // TensorRT-LLM checkpoints in 8 and 4 bit bring the scales of an 8-bit cache; other engines keep 16 bit unless
    // told.
    const bool scaled = s_.engine->name == "tensorrt-llm";
    if (scaled && (s_.weights == Format::kFp8 || s_.weights == Format::kNvfp4)) s_.kv_cache = Format::kFp8;
    else if (scaled && int8_products(s_.weights)) s_.kv_cache = Format::kInt8;
    else s_.kv_cache = s_.weights == Format::kBf16 ? Format::kBf16 : Format::kFp16;
    assume("KV cache: " + std::string(name_of(s_.kv_cache)));
  }

  /// llama.cpp has formats of its own for what tables call int4 and int8.
  void set_gguf() {
    if (s_.engine->name != "llama.cpp") return;
    const Format stated = s_.weights;
    if (stated == Format::kInt4) s_.weights = Format::kQ4_0;
    if (stated == Format::kInt8) s_.weights = Format::kQ8_0;
    if (stated != s_.weights) assume(std::string(name_of(stated)) + ": as " + std::string(name_of(s_.weights)));
  }

  void set_mode() {
    s_.input_tokens = run_.input_tokens.value_or(512);
    s_.output_tokens = std::max(1.0, run_.output_tokens.value_or(128));
    s_.mode = mode_of(run_);
    if (!run_.mode) assume("mode: " + std::string(name_of(s_.mode)));
    if (!run_.input_tokens) assume("input: 512 tokens");
    if (!run_.output_tokens && s_.mode != GenerationMode::kPrefill) assume("output: 128 tokens");
    if (s_.mode == GenerationMode::kPrefill) s_.output_tokens = 1;
    s_.input_tokens = std::max(s_.input_tokens, s_.mode == GenerationMode::kPrefill ? 1.0 : 0.0);
    s_.rate_counts = run_.rate_counts.value_or(counts_decoding() ? RateCounts::kDecode : RateCounts::kAll);
  }

  /// Whether the rate is that of generating alone, where nobody says. Who states how fast prompts were read beside it
  /// has timed the two apart; so do the benchmarks that come with llama.cpp and ExLlama. Those of servers state both
  /// latencies, and a rate over all of the time.
  bool counts_decoding() const {
    if (s_.mode != GenerationMode::kSingle && s_.mode != GenerationMode::kStatic) return false;
    const std::string& engine = s_.engine->name;
    const bool apart = run_.prefill_rate || (run_.first_token && !run_.per_token);
    return apart || engine == "llama.cpp" || engine.starts_with("exllama");
  }

  void set_degrees() {
    Strategy& d = s_.strategy;
    d.tp = run_.tp.value_or(1);
    d.pp = run_.pp.value_or(1);
    gpus_ = run_.gpus.value_or(d.tp * d.pp * run_.replicas.value_or(1));
    if (!run_.gpus) assume("GPUs: " + count_text(gpus_));
    if (!run_.tp && !run_.pp && gpus_ > 1) imputed_cut();
    const int cut = d.tp * d.pp;
    const int replicas = run_.replicas.value_or(std::max(1, gpus_ / cut));
    if (!run_.replicas && replicas > 1) assume("replicas: " + count_text(replicas));
    // What replicas of that cut do not use up holds the rest of the experts: attention is data parallel over it.
    const int rest = std::max(1, gpus_ / (cut * replicas));
    d.dp = replicas * rest;
    d.ep = 1;
    if (rest > 1) share_experts(run_.ep.value_or(rest));
    else if (parts_attention(replicas)) part_attention(replicas);
    else if (run_.ep.value_or(1) > 1)
      assume("experts: split like the other weights, over " + count_text(cut) + " GPUs");
  }

  /// The largest number of replicas up to that many that shares the experts evenly.
  void share_experts(int wanted) {
    Strategy& d = s_.strategy;
    if (!run_.shape->moe()) return;
    d.ep = std::clamp(wanted, 1, d.dp);
    while (d.dp % d.ep != 0) --d.ep;
    if (!run_.ep) assume("expert parallel: " + count_text(d.ep));
  }

  /// Latent attention has one cache for all heads, so that cutting it by heads copies it: engines give each GPU its own
  /// requests instead once there are several for each.
  bool parts_attention(int replicas) const {
    if (run_.parts_attention) return *run_.parts_attention;
    const int tp = s_.strategy.tp;
    return run_.shape->mla() && run_.shape->moe() && tp > 1 && s_.strategy.pp == 1 && tp * replicas == gpus_ &&
           (!run_.batch || *run_.batch >= 8.0 * tp * replicas) && s_.mode != GenerationMode::kSingle &&
           s_.mode != GenerationMode::kPrefill;
  }
  void part_attention(int replicas) {
    Strategy& d = s_.strategy;
    d.ep = d.tp;
    d.dp = replicas * d.tp;
    d.tp = 1;
    assume("attention: data parallel over " + count_text(d.ep) + " GPUs, experts shared");
  }

  /// The smallest tensor degree inside a machine until weights take half of a GPU's memory.
  void imputed_cut() {
    Strategy& d = s_.strategy;
    const double weights = count_parameters(*run_.shape).total() * bytes_of(s_.weights);
    const double most = s_.catalogue_gpu->memory.value / 2;
    const int box = std::min(run_.gpus_per_node.value_or(8), gpus_);
    while (weights / d.tp > most && d.tp * 2 <= box && gpus_ % (d.tp * 2) == 0) d.tp *= 2;
    s_.degrees_known = false;
    assume("tensor parallel: " + count_text(d.tp));
  }

  void set_machine() {
    const Gpu& gpu = *s_.catalogue_gpu;
    const RunMachine machine = run_machine(all_, run_, gpu, gpus_, s_.assumptions);
    s_.node = machine.node;
    s_.nodes = machine.nodes;
    s_.gpu = gpu;
    if (run_.gpu_power_w && gpu.tdp_watts > 0) s_.gpu.tdp_watts = *run_.gpu_power_w;
  }

  void set_phase() {
    GeneratePhase& phase = s_.phase;
    ModelUse use;
    use.name = run_.model;
    use.shape = *run_.shape;
    use.shape.max_context = 0;  // it was run
    phase.models.push_back(std::move(use));
    set_planned(phase);
    phase.engine = s_.engine->name;
    phase.weights = s_.weights;
    phase.kv_cache = s_.kv_cache;
    phase.forward_only = s_.mode == GenerationMode::kPrefill;
    switch (s_.mode) {
      case GenerationMode::kSingle:
        phase.situation = Situation::kSingle;
        break;
      case GenerationMode::kStatic:
      case GenerationMode::kPrefill:
        phase.situation = Situation::kStatic;
        break;
      case GenerationMode::kConcurrency:
        phase.situation = Situation::kConcurrency;
        break;
      case GenerationMode::kSaturated:
        phase.situation = Situation::kSaturated;
        break;
    }
  }

  /// What only plans say.
  void set_planned(GeneratePhase& phase) {
    if (!run_.networks.empty()) phase.models = run_.networks;
    for (ModelUse& use : phase.models) use.shape.max_context = 0;
    s_.strategy.placement = run_.placement.value_or(Placement::kInTurn);
    phase.store = run_.store;
    phase.collect = run_.store.has_value();
    phase.speculation = run_.speculation;
  }

  void set_batch() {
    const double batch = run_.batch.value_or(0);
    const double tokens = s_.input_tokens + s_.output_tokens;
    double samples = std::max(1.0, batch);
    switch (s_.mode) {
      case GenerationMode::kSingle:
      case GenerationMode::kPrefill:
        s_.strategy.micro_batch = a_replica(samples);
        break;
      case GenerationMode::kStatic:
        s_.strategy.micro_batch = batch > 0 ? a_replica(batch) : 0;
        s_.batch_known = batch > 0;
        if (batch > 0) break;
        samples = 1e6;  // so many batches that the last one, which is not full, does not count
        assume("batch: the largest that fits");
        break;
      case GenerationMode::kConcurrency:
        s_.phase.concurrency = samples;
        s_.strategy.micro_batch = 0;
        s_.batch_known = batch > 0;
        if (batch <= 0) assume("concurrent requests: 1");
        samples *= 10;
        break;
      case GenerationMode::kSaturated:
        s_.strategy.micro_batch = 0;
        samples = saturated_requests(tokens);
        break;
    }
    const double longest_output = std::max(s_.output_tokens, run_.longest_output.value_or(0));
    const double longest_input = std::max(s_.input_tokens, run_.cache_tokens.value_or(0) - longest_output);
    if (run_.in_flight) s_.strategy.micro_batch = *run_.in_flight;
    if (run_.requests) samples = *run_.requests;
    s_.phase.data = {Prompts{"", samples, {s_.input_tokens, longest_input}, {s_.output_tokens, longest_output}}};
  }

  std::int32_t a_replica(double sequences) const {
    return clamped<std::int32_t>(std::clamp(std::ceil(sequences / s_.strategy.dp), 1.0, 1e7));
  }

  const Catalogue& all_;
  const GenerationRun& run_;
  GenerationSetup& s_;
  int gpus_ = 1;
};

}  // namespace

GenerationMode mode_of(const GenerationRun& run) {
  if (run.mode) return *run.mode;
  const bool generates = run.output_rate || run.total_rate || run.per_token;
  if (!generates && (run.prefill_rate || run.output_tokens.value_or(2) <= 1)) return GenerationMode::kPrefill;
  const bool several = run.batch.value_or(1) > 1;
  if (several && run.first_token && run.per_token) return GenerationMode::kConcurrency;
  return several ? GenerationMode::kStatic : GenerationMode::kSingle;
}

GenerationSetup generation_setup(const Catalogue& catalogue, const GenerationRun& run) {
  GenerationSetup setup;
  GenerationFiller(catalogue, run, setup).fill();
  return setup;
}

}  // namespace gpuplan
