#include "model/generation/generation.h"
#include "model/training/training.h"
#include "self_check/hash.h"
#include "self_check/world.h"

namespace gpuplan::self_check {
namespace {

NodeShape machine(const Gpu& gpu) {
  NodeShape node;
  node.gpu = &gpu;
  node.gpus = 8;
  node.link = gpu.link;
  node.link_kind = gpu.link_kind == LinkKind::kNone ? LinkKind::kPcie : gpu.link_kind;
  node.peer_access = gpu.link.value > 0;
  node.network = 50.0 * units::GB / units::second;
  node.ram = 1024 * units::GiB;
  return node;
}

void add_spread(Hash& hash, const Spread& spread) {
  hash.add(spread.time);
  hash.add(spread.memory);
  hash.add(spread.regime);
}

void add_terms(Hash& hash, const std::vector<Term>& terms) {
  for (const Term& term : terms) {
    hash.add(term.kind);
    hash.add(term.name);
    hash.add(term.value);
    hash.add(term.formula);
    hash.add(term.source);
    hash.add(term.part_of_total);
  }
}

struct TrainingCut {
  int dp, tp, pp, cp, ep, micro, accumulate;
  Sharding sharding;
  Recompute recompute;
  Offload offload;
  AttentionKernel attention;
};

constexpr TrainingCut kTrainingCuts[] = {
    {1, 1, 1, 1, 1, 1, 1, Sharding::kNone, Recompute::kNone, Offload::kNone, AttentionKernel::kFlash},
    {8, 1, 1, 1, 1, 4, 2, Sharding::kZero1, Recompute::kSelective, Offload::kNone, AttentionKernel::kEager},
    {16, 1, 1, 1, 4, 2, 1, Sharding::kZero2, Recompute::kNone, Offload::kNone, AttentionKernel::kFlash},
    {32, 1, 1, 1, 1, 1, 3, Sharding::kZero3, Recompute::kFull, Offload::kNone, AttentionKernel::kFlash},
    {4, 4, 1, 2, 2, 1, 8, Sharding::kZero1, Recompute::kSelective, Offload::kNone, AttentionKernel::kFlash},
    {4, 2, 4, 1, 1, 2, 16, Sharding::kNone, Recompute::kFull, Offload::kOptimizer, AttentionKernel::kFlash},
};

void add_training(Hash& hash, const Catalogue& all, const TrainPhase& phase) {
  const auto work = training_work(phase);
  hash.add(work.has_value());
  if (!work) return hash.add(work.error().message);
  for (const Gpu& gpu : all.gpus) {
    const NodeShape node = machine(gpu);
    for (const Framework& framework : all.frameworks) {
      if (!framework.trains) continue;
      for (const Precision precision : {Precision::kFp16, Precision::kBf16, Precision::kFp8}) {
        if (peak(gpu, precision).value <= 0) continue;
        const TrainingRates rates =
            training_rates(all, node, framework, precision, precision == Precision::kBf16, *work);
        for (const TrainingCut& cut : kTrainingCuts) {
          if (work->custom && cut.tp * cut.pp * cut.cp * cut.ep > 1) continue;
          if (!work->moe && cut.ep > 1) continue;
          Strategy strategy;
          strategy.dp = cut.dp;
          strategy.tp = cut.tp;
          strategy.pp = cut.pp;
          strategy.cp = cut.cp;
          strategy.ep = cut.ep;
          strategy.micro_batch = cut.micro;
          strategy.grad_accum = cut.accumulate;
          strategy.sharding = cut.sharding;
          strategy.recompute = cut.recompute;
          strategy.offload = cut.offload;
          strategy.attention = cut.attention;
          strategy.precision = precision;
          strategy.compile = rates.compile;
          const int nodes = node.machines_for(strategy.gpus());
          const LayerCost layer =
              layer_cost(*work, rates, {cut.tp, cut.cp, cut.ep, cut.micro, cut.recompute, cut.attention});
          hash.add_amounts(layer);
          const TrainingEstimate estimate = training_estimate(*work, rates, layer, strategy, nodes);
          hash.add_amounts(estimate.step);
          hash.add_amounts(estimate.memory);
          hash.add_amounts(training_memory(*work, rates, layer, strategy));
          hash.add(estimate.host_memory);
          add_spread(hash, training_spread(*work, rates, strategy, nodes));
          add_terms(hash, explain_training(*work, rates, layer, strategy, nodes));
        }
      }
    }
  }
}

void add_all_training(Hash& hash, const Catalogue& all) {
  constexpr Optimizer kOptimizers[] = {Optimizer::kAdamW, Optimizer::kAdam8bit, Optimizer::kMuon, Optimizer::kSgd};
  for (const ModelUse& network : networks()) {
    for (const Method method : {Method::kFull, Method::kLora, Method::kQlora, Method::kFrozen}) {
      if (network.custom && method != Method::kFull) continue;
      TrainPhase phase;
      phase.models = {network};
      phase.method = method;
      phase.trainable = method == Method::kFrozen ? std::optional(3e7) : std::nullopt;
      phase.lora.targets = {"q_proj", "mlp"};
      phase.optimizer.matrices = kOptimizers[static_cast<std::size_t>(method)];
      phase.sequence = network.shape.kind == ModelKind::kEncoder ? 512 : 1024;
      phase.data.samples = 54321;
      phase.data.tokens_per_sample = Length{311, 1024};
      phase.data.packing = method == Method::kLora;
      phase.epochs = 2.5;
      add_training(hash, all, phase);
    }
  }
}

struct GenerationTry {
  int dp, tp, pp, ep, batch;
  Placement placement;
};

constexpr GenerationTry kGenerationTries[] = {
    {1, 1, 1, 1, 1, Placement::kInTurn},         {1, 1, 1, 1, 24, Placement::kInTurn},
    {8, 1, 1, 1, 0, Placement::kInTurn},         {2, 4, 1, 1, 0, Placement::kInTurn},
    {8, 1, 1, 8, 0, Placement::kInTurn},         {2, 2, 2, 1, 16, Placement::kInTurn},
    {2, 1, 1, 1, 4, Placement::kOneModelPerGpu},
};

void add_generation(Hash& hash, const Catalogue& all, const GeneratePhase& phase) {
  const auto work = generation_work(phase);
  hash.add(work.has_value());
  if (!work) return hash.add(work.error().message);
  for (const Gpu& gpu : all.gpus) {
    const NodeShape node = machine(gpu);
    for (const Framework& engine : all.frameworks) {
      if (!engine.generates) continue;
      for (const Format format : {Format::kFp16, Format::kFp8, Format::kInt8, Format::kInt4, Format::kNf4,
                                  Format::kMxfp4, Format::kNvfp4, Format::kW8A8, Format::kQ4K}) {
        const Format cache = format == Format::kFp16 ? format : format == Format::kNf4 ? Format::kInt8 : Format::kFp8;
        const auto rates = generation_rates(all, node, engine, format, cache);
        hash.add(rates.has_value());
        if (!rates) continue;
        for (const GenerationTry& cut : kGenerationTries) {
          if (!work->networks.front().moe() && cut.ep > 1) continue;
          Strategy strategy;
          strategy.dp = cut.dp;
          strategy.tp = cut.tp;
          strategy.pp = cut.pp;
          strategy.ep = cut.ep;
          strategy.micro_batch = cut.batch;
          strategy.placement = cut.placement;
          strategy.weights = format;
          const GenerationEstimate estimate = generation_estimate(*work, *rates, strategy);
          hash.add_amounts(estimate.parts);
          hash.add_amounts(estimate.memory);
          for (const double value : {estimate.batch, estimate.replicas, estimate.rounds, estimate.tokens_per_second,
                                     estimate.replica_tokens_per_second, estimate.time_to_first_token.value,
                                     estimate.time_per_output_token.value, estimate.load.value})
            hash.add(value);
          add_spread(hash, generation_spread(*work, *rates, strategy));
          add_terms(hash, explain_generation(*work, *rates, strategy));
        }
      }
    }
  }
}

void add_all_generation(Hash& hash, const Catalogue& all) {
  for (const ModelUse& network : networks()) {
    if (network.custom) continue;
    GeneratePhase phase;
    phase.models = {network, network};
    phase.models.back().loops = 2;
    phase.data = {{"short", 700, {123, 256}, {77, 300}}, {"long", 50, {3000, 4000}, {500, 1000}}};
    phase.forward_only = network.shape.kind == ModelKind::kEncoder;
    for (const Situation situation :
         {Situation::kSingle, Situation::kStatic, Situation::kConcurrency, Situation::kSaturated}) {
      phase.situation = situation;
      phase.concurrency = situation == Situation::kConcurrency ? std::optional(40.0) : std::nullopt;
      add_generation(hash, all, phase);
    }
    if (!phase.forward_only) {
      phase.speculation = Speculation{3, 0.7, networks()[1]};
      add_generation(hash, all, phase);
      phase.speculation = Speculation{5, 0.4, std::nullopt};
      add_generation(hash, all, phase);
      phase.speculation.reset();
    }
    phase.collect = true;
    phase.store = Store{16, 2048, Format::kFp16, "disk"};
    phase.situation = Situation::kStatic;
    add_generation(hash, all, phase);
  }
}

}  // namespace

void add_models(Hash& hash) {
  const Catalogue all = catalogue();
  add_all_training(hash, all);
  add_all_generation(hash, all);
}

}  // namespace gpuplan::self_check
