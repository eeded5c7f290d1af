#include "plan/strategy/software.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "domain/facts/limits.h"
#include "model/generation/generation.h"
#include "model/training/rollouts.h"
#include "plan/strategy/practice.h"

namespace gpuplan {

namespace {

/// 16-bit where the hardware is good at it: bf16 needs no loss scaling and comes first. Some chips have 16-bit products
/// for show, at a fraction of what they do in 32 bit.
Precision natural_precision(const Gpu& gpu) {
  if (gpu.bf16 > FlopsPerSecond{} && gpu.bf16 >= gpu.fp32) return Precision::kBf16;
  if (gpu.fp16 > FlopsPerSecond{} && gpu.fp16 >= gpu.fp32) return Precision::kFp16;
  return Precision::kFp32;
}

/// torch.compile makes kernels by Triton, which takes compute capability 7.0 and higher (pytorch/pytorch
/// torch/_inductor: GPUTooOldForTriton).
bool has_triton(const Gpu& gpu) {
  constexpr double kLeast = 7.0;
  return gpu.vendor != "nvidia" || gpu.compute_capability >= kLeast;
}

/// What limits of frameworks (data/framework_limits.csv) are about, for one or the other to run it or not.
constexpr auto kLimited = [] {
  std::array<Strategy, 7> ways{};
  for (Strategy& way : ways) way.dp = 2;
  ways[0].sharding = Sharding::kZero2;
  ways[1].sharding = Sharding::kZero3;
  ways[2].tp = 2;
  ways[3].tp = 2, ways[3].sharding = Sharding::kZero3;
  ways[4].pp = 2, ways[4].sharding = Sharding::kZero1;
  ways[5].cp = 2, ways[5].sharding = Sharding::kZero3, ways[5].micro_batch = 2;
  ways[6].offload = Offload::kOptimizer;
  return ways;
}();

/// What a framework can do of training, a bit for each: compared more often than anything else of it.
namespace feature {
constexpr std::uint32_t kTensor = 1U << 0U, kPipeline = 1U << 1U, kInterleave = 1U << 2U, kContext = 1U << 3U;
constexpr std::uint32_t kExpert = 1U << 4U, kSelective = 1U << 5U, kRecompute = 1U << 6U;
constexpr std::uint32_t kActivationOffload = 1U << 7U, kFusedLoss = 1U << 8U;
constexpr unsigned kShardings = 9, kOffloads = 16;  // where these begin
constexpr std::uint32_t kCutsLayers = kTensor | kPipeline | kInterleave | kContext;
constexpr std::uint32_t kAll = ~std::uint32_t{};
}  // namespace feature

std::uint32_t features_of(const Framework& f) {
  using namespace feature;
  std::uint32_t features = 0;
  const auto add = [&](std::uint32_t feature, bool has) { features |= has ? feature : 0; };
  add(kTensor, f.tensor);
  add(kPipeline, f.pipeline);
  add(kInterleave, f.interleave);
  add(kContext, f.context);
  add(kExpert, f.expert);
  add(kSelective, f.recompute_selective);
  add(kRecompute, f.recompute_full);
  add(kActivationOffload, f.activation_offload);
  add(kFusedLoss, f.fused_loss > 0);
  for (unsigned stage = 0; stage < std::size(f.zero); ++stage) add(1U << (kShardings + stage), f.zero[stage]);
  return features | static_cast<std::uint32_t>(f.offload) << kOffloads;
}

/// A framework with how it runs.
struct Candidate {
  const Framework* framework = nullptr;
  const TrainingSoftware* software = nullptr;
  std::uint32_t features = 0;
};

/// What of one framework another is looked at for.
enum class Part { kWays, kAll, kUncut, kCut };

/// Whether one framework does all that another does of a training, as fast and with no more care: the other need not be
/// looked at. `kWays`: whatever memory both take; what people think of is not many. For cuts it is enough that they are
/// known: what they ask for comes to the most soon.
bool replaces(const TrainPhase& phase, StartFrom start, const Candidate& first, double care, const Candidate& second,
              double other_care, Part part) {
  const std::uint32_t lacking = second.features & ~first.features;
  if (part == Part::kCut) return (lacking & (feature::kCutsLayers | feature::kExpert)) == 0;
  const bool all = part == Part::kWays || part == Part::kAll;
  if ((lacking & (all ? feature::kAll : ~feature::kCutsLayers)) != 0) return false;
  const Framework &one = *first.framework, &other = *second.framework;
  const TrainingSoftware &ours = *first.software, &theirs = *second.software;
  const bool small = part == Part::kWays ||
                     (ours.weight_bytes <= theirs.weight_bytes && ours.gradient_bytes <= theirs.gradient_bytes &&
                      ours.logit_bytes <= theirs.logit_bytes && ours.four_bit_bytes <= theirs.four_bit_bytes &&
                      ours.loops_experts <= theirs.loops_experts);
  const auto unlimited = [&](const Strategy& way) {
    if (!all && way.tp * way.pp * way.cp > 1) return true;
    return limit_met(one, phase, start, way) == nullptr || limit_met(other, phase, start, way) != nullptr;
  };
  return small && ours.time * care <= theirs.time * other_care && std::ranges::all_of(kLimited, unlimited);
}

/// Engines to look at: the one that is named, else those with a rank, best first.
std::vector<const Framework*> engines(const Catalogue& catalogue, const std::string& wanted) {
  std::vector<const Framework*> found;
  for (const Framework& framework : catalogue.frameworks)
    if (wanted.empty() ? framework.auto_rank > 0 : framework.name == wanted) found.push_back(&framework);
  sort_stably(found, {}, [](const Framework* f) { return std::pair(f->auto_rank, f); });  // ties: catalogue order
  return found;
}

/// Frameworks to look at: the one that is named, else those that people think of for such work, least care first.
std::vector<std::pair<double, const Framework*>> trainers(const Catalogue& catalogue, const TrainingWork& work,
                                                          const TrainingKind& kind, int nodes, double counted) {
  const std::string& named = work.phase->framework;
  const PracticeConstants& practice = catalogue.practice_constants;
  std::vector<std::pair<double, const Framework*>> found;
  for (const Framework& framework : catalogue.frameworks) {
    if (!named.empty()) {
      if (framework.name == named) found.emplace_back(1, &framework);
      continue;
    }
    if (framework.trains && thought_of(framework, *work.phase, kind))
      found.emplace_back(framework_care(practice, framework, work, kind, nodes, counted), &framework);
  }
  std::ranges::sort(found);  // ties: catalogue order
  return found;
}

/// What keeps a framework from a training job there, first things first.
enum class Refusal { kNone, kHardware, kGpus, kMachines, kWork, kPrecision };

struct Training {
  const TrainPhase& phase;
  const Gpu& gpu;
  int gpus, nodes;
  StartFrom start;
  Strategy asked;  ///< as far as the job fixes it
  Precision precision;

  Refusal refusal(const Framework& framework) const {
    if (!runs_on(framework, gpu)) return Refusal::kHardware;
    if (gpus > 1 && !framework.multi_gpu) return Refusal::kGpus;
    if (nodes > 1 && !framework.multi_node) return Refusal::kMachines;
    if (!can_train(framework, phase, start, asked)) return Refusal::kWork;
    const bool trains_so = std::ranges::find(framework.precisions, precision) != framework.precisions.end();
    return trains_so ? Refusal::kNone : Refusal::kPrecision;
  }

  std::string words(Refusal refusal, const Framework& framework, const Catalogue& catalogue) const {
    switch (refusal) {
      case Refusal::kNone:
        break;
      case Refusal::kHardware:
        return why_not_on(framework, gpu);
      case Refusal::kGpus:
        return framework.name + " uses one GPU only";
      case Refusal::kMachines:
        return framework.name + " runs on one machine only";
      case Refusal::kWork: {
        const auto found = obstacle(framework, phase, start, asked);
        if (!found->instead.empty()) return found->what + ": write " + found->instead;
        const std::string others = who_trains(catalogue, phase, start, asked);
        return found->what + (others.empty() ? "" : "; write framework: " + others + ", or leave it out");
      }
      case Refusal::kPrecision:
        return framework.name + " does not train in " + std::string(name_of(precision));
    }
    return "";
  }
};

Software none(Misfit why, std::string reason) {
  Software result;
  result.why = why;
  result.reason = std::move(reason);
  return result;
}

/// Why the engine that gives answers to learn from does not run on the GPU; "" where it does.
std::string no_rollouts(const Catalogue& catalogue, const TrainPhase& phase, const Gpu& gpu) {
  const Framework* engine = catalogue.find_framework(kRolloutEngine);
  if (engine == nullptr) return "objective: grpo needs " + std::string(kRolloutEngine);
  if (!runs_on(*engine, gpu)) return why_not_on(*engine, gpu);
  const Format weights = rollout_format(phase.models.front().shape);
  const bool has = weights != Format::kBf16 || gpu.bf16 > FlopsPerSecond{};
  if (has && engine_profile(catalogue, *engine).reads(weights)) return "";
  return "TRL runs " + engine->name + " with the weights as they are published, " + std::string(name_of(weights)) +
         ", which " + (has ? engine->name + " does not read" : gpu.name + " does not have");
}

}  // namespace

Precision training_precision(const TrainPhase& phase, const Gpu& gpu, int gpus) {
  return phase.precision.on(gpu.name, gpus).value_or(natural_precision(gpu));
}

Software training_software(const Catalogue& catalogue, const TrainingWork& work, const Gpu& gpu, int gpus, int nodes,
                           double counted) {
  const TrainPhase& phase = *work.phase;
  Software result;
  result.precision = training_precision(phase, gpu, gpus);
  if (peak(gpu, result.precision) <= FlopsPerSecond{})
    return none(Misfit::kPrecision, gpu.name + " has no " + std::string(name_of(result.precision)));
  // FlashAttention 3 is written for Hopper (Dao-AILab/flash-attention, README: H100 and H800).
  constexpr double kHopper = 9;
  if (phase.attention == AttentionKernel::kFlash3 && gpu.compute_capability < kHopper)
    return none(Misfit::kUnsupported,
                "flash3 is written for Hopper GPUs (H100, H200) and does not run on " + gpu.name + ": write flash2");
  if (work.rollouts)
    if (const std::string why = no_rollouts(catalogue, phase, gpu); !why.empty())
      return none(Misfit::kUnsupported, why);
  const auto compile = phase.compile.on(gpu.name, gpus);
  // Recipes of pretraining compile; a network known by its totals may hold what does not.
  const TrainingKind kind = kind_of(catalogue.practice_constants, work);
  const bool pretrains = !work.custom && kind.pretraining > 0.5;

  const Training training{phase, gpu, gpus, nodes, kind.start, asked_strategy(phase, gpu.name, gpus), result.precision};
  std::vector<Candidate> taken;  // as result.frameworks
  // Of what nobody thinks of only what does more, or is clearly faster, whatever the care.
  const auto take = [&](double care, const Framework& framework, bool usual) {
    constexpr double kAlike = 1.1;
    const Candidate other{&framework, &software_of(catalogue, framework.name), features_of(framework)};
    for (std::size_t i = 0; i < result.frameworks.size(); ++i)
      if (replaces(phase, training.start, taken[i], usual ? result.care[i] : 1, other, usual ? care : kAlike,
                   usual ? Part::kWays : Part::kAll))
        return;
    const auto adds = [&](Part part) {
      for (std::size_t i = 0; i < result.frameworks.size(); ++i)
        if (replaces(phase, training.start, taken[i], result.care[i], other, care, part)) return false;
      return true;
    };
    result.uncut.push_back(adds(Part::kUncut));
    result.cut.push_back(adds(Part::kCut));
    result.frameworks.push_back(&framework);
    taken.push_back(other);
    result.care.push_back(care);
    result.compile.push_back(compile.value_or(pretrains && framework.compiles && has_triton(gpu)));
  };
  const bool named = !phase.framework.empty();
  for (const auto& [care, framework] : trainers(catalogue, work, kind, nodes, counted)) {
    const Refusal refusal = training.refusal(*framework);
    if (refusal == Refusal::kNone) take(care, *framework, true);
    else if (named)
      return none(refusal == Refusal::kPrecision ? Misfit::kPrecision : Misfit::kUnsupported,
                  training.words(refusal, *framework, catalogue));
  }
  result.usual = result.frameworks.size();
  if (!named) {
    const PracticeConstants& practice = catalogue.practice_constants;
    for (const Framework& framework : catalogue.frameworks) {
      if (!framework.trains || !left_open(framework, phase.method) || thought_of(framework, phase, kind)) continue;
      // Formats cost quality: none that keeps no fp32 weights is taken for speed.
      const bool lesser = phase.method == Method::kFull && !framework.master_fp32 && !phase.master_weights;
      if (lesser && !result.frameworks.empty()) continue;
      if (training.refusal(framework) == Refusal::kNone)
        take(framework_care(practice, framework, work, kind, nodes, counted), framework, false);
    }
    // What people think of first may not do it: the next, in the order of the catalogue.
    result.usual = std::max(result.usual, std::min<std::size_t>(1, result.frameworks.size()));
  }
  if (result.frameworks.empty())
    return none(Misfit::kUnsupported, "no supported framework does " + std::string(name_of(phase.method)) +
                                          " training in " + std::string(name_of(result.precision)) + " on " + gpu.name +
                                          (training.asked == Strategy{} ? ""
                                                                        : " with the parallelism, recompute and "
                                                                          "offload that the job asks for"));
  // What the easiest asks for, all ask for.
  const double least = result.care.front();
  for (double& care : result.care) care /= least;
  return result;
}

namespace {

/// As the model comes, in a 16-bit format that the hardware has.
Format natural_format(const ModelShape& shape, const Gpu& gpu) {
  if (shape.native == Format::kBf16 && gpu.bf16 <= FlopsPerSecond{}) return Format::kFp16;
  if (shape.native == Format::kFp32) return gpu.bf16 > FlopsPerSecond{} ? Format::kBf16 : Format::kFp16;
  return shape.native;
}

}  // namespace

Software generation_software(const Catalogue& catalogue, const GeneratePhase& phase, const Gpu& gpu, int nodes) {
  Software result;
  result.weights = phase.weights.value_or(natural_format(phase.models.front().shape, gpu));
  // Engines convert 16-bit weights while they load: cards before Ampere have fp16 only.
  if (result.weights == Format::kBf16 && gpu.bf16 <= FlopsPerSecond{} && gpu.fp16 > FlopsPerSecond{})
    result.weights = Format::kFp16;
  const std::string wanted = !phase.engine.empty() ? phase.engine : phase.collect ? "hf" : "";
  const auto add = [&](const Framework& engine) {
    const bool runs = engine.generates && runs_on(engine, gpu) && (nodes <= 1 || engine.multi_node);
    const EngineProfile& profile = engine_profile(catalogue, engine);
    if (runs && profile.reads(result.weights) && profile.keeps_cache(cache_format(phase, gpu)))
      result.frameworks.push_back(&engine);
  };
  for (const Framework* engine : engines(catalogue, wanted)) add(*engine);
  if (wanted.empty() && result.frameworks.empty())
    for (const Framework& engine : catalogue.frameworks) add(engine);
  if (!result.frameworks.empty()) return result;

  const std::string format(name_of(result.weights));
  if (wanted.empty()) return none(Misfit::kUnsupported, "no supported engine runs " + format + " on " + gpu.name);
  const Framework* engine = catalogue.find_framework(wanted);
  if (engine == nullptr || !engine->generates) return none(Misfit::kUnsupported, wanted + " does not generate");
  if (!runs_on(*engine, gpu)) return none(Misfit::kUnsupported, why_not_on(*engine, gpu));
  if (nodes > 1 && !engine->multi_node) return none(Misfit::kUnsupported, wanted + " runs on one machine only");
  if (!engine_profile(catalogue, *engine).reads(result.weights))
    return none(Misfit::kPrecision, wanted + " does not read " + format);
  return none(Misfit::kPrecision,
              wanted + " does not keep its KV cache in " + std::string(name_of(cache_format(phase, gpu))));
}

Format cache_format(const GeneratePhase& phase, const Gpu& gpu) {
  return phase.kv_cache.value_or(gpu.bf16 > FlopsPerSecond{} ? Format::kBf16 : Format::kFp16);
}

std::optional<GenerationRates> serving_rates(const Catalogue& catalogue, const NodeShape& node, const Framework& engine,
                                             const GeneratePhase& phase, Format weights) {
  auto rates = generation_rates(catalogue, node, engine, weights, cache_format(phase, *node.gpu), phase.weight_bits);
  // Measured runs had what engines take unasked; who plans one can ask for more (gpu_memory_utilization of vLLM,
  // mem-fraction-static of SGLang).
  if (rates) rates->most_share = rates->profile->most_share;
  return rates;
}

std::string format_problem(const Catalogue& catalogue, const NodeShape& node, const Software& software,
                           const GeneratePhase& phase) {
  const Gpu& gpu = *node.gpu;
  const Framework& engine = *software.frameworks.front();
  const Format wanted = software.weights;
  const std::string name(name_of(wanted));
  const auto runs = [&](Format weights, Format cache) {
    return generation_rates(catalogue, node, engine, weights, cache).has_value();
  };
  if (runs(wanted, Format::kFp16))
    return gpu.name + " has no KV cache in " + std::string(name_of(cache_format(phase, gpu))) + "; use fp16";
  // The nearest by size that run there.
  struct Other {
    double distance;
    Format format;
  };
  std::vector<Other> others;
  for (const auto& entry : Names<Format>::entries) {
    if (name_of(entry.value) != entry.name || entry.value == Format::kExl2) continue;
    if (runs(entry.value, Format::kFp16))
      others.push_back({std::abs(bits_of(entry.value) - bits_of(wanted)), entry.value});
  }
  sort_stably(others, {}, &Other::distance);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, others.size()); ++i)
    names.emplace_back(name_of(others[i].format));
  std::string text = gpu.name + " has no " + name + " matmuls, and " + engine.name + " does not dequantize " + name +
                     " weights for it";
  if (!names.empty()) text += "; " + listed(names, "or") + (names.size() > 1 ? " run" : " runs");
  return text;
}

}  // namespace gpuplan
