// Phases, machines and a one-call estimate for the tests of the training model, on the facts in data/.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "input/tables/catalogue_files.h"
#include "model/training/training.h"

namespace gpuplan::training_fixture {

using units::GiB;

/// A file of data/.
inline std::string text_of(std::string_view name) {
  std::ifstream file(std::string(GPUPLAN_DATA_DIR) + "/" + std::string(name), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// All of data/, read once.
inline const Catalogue& catalogue() {
  static const Catalogue all = [] {
    std::vector<std::string> texts;
    for (const auto name : kDataFiles) texts.push_back(text_of(name));
    std::vector<DataFile> files;
    for (std::size_t i = 0; i < kDataFiles.size(); ++i)
      files.push_back({kDataFiles[i], std::string(kDataFiles[i]), texts[i]});
    auto parsed = parse_catalogue(files);
    if (!parsed)
      ADD_FAILURE() << parsed.error().place.file << ":" << parsed.error().place.line << ": " << parsed.error().message;
    return parsed ? *std::move(parsed) : Catalogue{};
  }();
  return all;
}

/// A machine of `gpus` such GPUs, joined by their own link when they have one.
inline NodeShape machine(const Gpu& gpu, int gpus, double network_gbit = 0) {
  NodeShape node;
  node.gpu = &gpu;
  node.gpus = gpus;
  node.link = gpu.link_needs_bridge ? BytesPerSecond{} : gpu.link;
  node.link_kind = node.link.value > 0 ? LinkKind::kNvswitch : LinkKind::kPcie;
  node.network = BytesPerSecond{network_gbit * 1e9 / 8};
  return node;
}

inline NodeShape machine(const char* gpu, int gpus, double network_gbit = 0) {
  return machine(*catalogue().find_gpu(gpu), gpus, network_gbit);
}

inline ModelUse use_of(const char* model) {
  ModelUse use;
  use.name = model;
  use.shape = *catalogue().find_model(model);
  return use;
}

/// A GPT with two MLP matrices, learned positions and tied embeddings.
inline ModelUse gpt(int layers, int hidden, int heads, int vocab) {
  ModelUse use;
  ModelShape& s = use.shape;
  s.layers = layers;
  s.hidden = hidden;
  s.heads = s.kv_heads = heads;
  s.head_dim = hidden / heads;
  s.ffn = 4 * hidden;
  s.gated = false;
  s.vocab = vocab;
  s.tied = true;
  s.positions = 2048;
  s.norm = NormKind::kLayer;
  s.attention_bias = BiasKind::kAll;
  s.mlp_bias = true;
  return use;
}

inline TrainPhase phase(ModelUse use, int sequence, Method method = Method::kFull) {
  TrainPhase phase;
  phase.models.push_back(std::move(use));
  phase.sequence = sequence;
  phase.data.samples = 1000;
  phase.method = method;
  return phase;
}

/// Everything about one candidate. The phase must outlive it.
struct Case {
  std::shared_ptr<const NodeShape> node;  ///< the rates point to it
  TrainingWork work;
  TrainingRates rates;
  LayerCost layer;
  TrainingEstimate estimate;
  Spread spread;
};

inline Case run(const TrainPhase& phase, const NodeShape& node, const Strategy& s, const char* framework = "torch") {
  Case result;
  auto work = training_work(phase);
  if (!work) {
    ADD_FAILURE() << work.error().message;
    return result;
  }
  result.work = *std::move(work);
  result.node = std::make_shared<const NodeShape>(node);
  result.rates = training_rates(catalogue(), *result.node, *catalogue().find_framework(framework), s.precision,
                                s.compile, result.work);
  result.layer = layer_cost(result.work, result.rates, {s.tp, s.cp, s.ep, s.micro_batch, s.recompute, s.attention});
  const int nodes = (s.gpus() + node.gpus - 1) / node.gpus;
  result.estimate = training_estimate(result.work, result.rates, result.layer, s, nodes);
  result.spread = training_spread(result.work, result.rates, s, nodes);
  return result;
}

inline Strategy strategy(int dp, int micro, int accumulate, Sharding sharding = Sharding::kNone) {
  Strategy s;
  s.dp = dp;
  s.micro_batch = micro;
  s.grad_accum = accumulate;
  s.sharding = sharding;
  return s;
}

}  // namespace gpuplan::training_fixture
