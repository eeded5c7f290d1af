// The best way to generate on some machines: engines and formats, on all GPUs or on fewer.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/whole.h"
#include "model/generation/generation.h"
#include "plan/strategy/generation/generation_search.h"
#include "plan/strategy/generation/serving.h"
#include "plan/strategy/given.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/software.h"

namespace gpuplan {

namespace {

/// GPUs to use, most first: all, then halves of them; where the job fixes degrees, what these can share.
std::vector<int> gpu_counts(const Parallel& fixed, const Machines& machines) {
  const int unit = fixed.dp.value_or(1) * fixed.tp.value_or(1) * fixed.pp.value_or(1);
  if (machines.exact) return {machines.gpus};
  if (unit > machines.gpus) return {};
  std::vector<int> counts;
  int gpus = fixed.dp && fixed.tp ? unit : machines.gpus - machines.gpus % unit;
  for (; gpus >= unit; gpus /= 2) {
    gpus -= gpus % unit;
    counts.push_back(gpus);
    if (gpus == 1) break;
  }
  return counts;
}

/// "parallel takes 16 GPUs (dp 4 x tp 4), more than the machines here have; ...".
std::string too_many_words(const Parallel& fixed) {
  int gpus = 1;
  std::string degrees;
  const auto add = [&](std::string_view name, const std::optional<int>& degree) {
    if (degree.value_or(1) == 1) return;
    gpus *= *degree;
    degrees += (degrees.empty() ? "" : " x ") + std::string(name) + " " + std::to_string(*degree);
  };
  add("dp", fixed.dp);
  add("tp", fixed.tp);
  add("pp", fixed.pp);
  return "parallel needs " + std::to_string(gpus) + " GPUs (" + degrees +
         "), more than one machine has here; lower it, or allow several nodes with where.nodes";
}

/// An engine with its rates on a machine.
struct Server {
  const Framework* engine = nullptr;
  GenerationRates rates;
};

/// The first of those that the software names that runs there, and with it those that people think of as readily
/// (auto_rank): the faster is taken. Reading texts without writing any is what the first is for.
std::vector<Server> servers_of(const Catalogue& catalogue, const NodeShape& node, const GeneratePhase& phase,
                               const Software& software) {
  std::vector<Server> servers;
  for (const Framework* engine : software.frameworks) {
    if (!servers.empty()) {
      const int rank = servers.front().engine->auto_rank;
      if (phase.forward_only || rank == 0 || engine->auto_rank != rank) break;
    }
    if (auto rates = serving_rates(catalogue, node, *engine, phase, software.weights))
      servers.push_back({engine, *std::move(rates)});
  }
  return servers;
}

/// The best way of an engine on so many of the GPUs.
struct Served {
  GenerationCandidate best;
  const Server* server = nullptr;
  const Given* given = nullptr;
  int gpus = 1;
};

}  // namespace

std::optional<PhaseEstimate> best_generation(const PhaseWorkload& workload, const Catalogue& catalogue,
                                             const Machines& machines, bool ignore_given, Tally& tally) {
  const Phase& phase = *workload.phase;
  const auto& generate = std::get<GeneratePhase>(phase.work);
  const GenerationWork& work = *workload.generation;
  const Gpu& gpu = *machines.node.gpu;
  const auto unsupported = [&](Misfit why, std::string reason) {
    tally.reject(why);
    if (tally.unsupported_reason.empty()) tally.unsupported_reason = std::move(reason);
    return std::nullopt;
  };
  Software software = generation_software(catalogue, generate, gpu, machines.nodes);
  if (software.frameworks.empty()) return unsupported(software.why, std::move(software.reason));
  std::vector<Server> servers = servers_of(catalogue, machines.node, generate, software);
  if (servers.empty())
    return unsupported(Misfit::kPrecision, format_problem(catalogue, machines.node, software, generate));

  const std::vector<int> counts = gpu_counts(generate.parallel, machines);
  if (counts.empty()) return unsupported(Misfit::kGpus, too_many_words(generate.parallel));
  // Few requests may be served sooner by fewer GPUs, which talk less; many keep all at work.
  const bool few = generate.situation == Situation::kConcurrency;
  std::optional<Served> served;
  for (const int gpus : counts) {
    const Given* given = nullptr;
    // Replicas are independent: a figure for one of 1, 2, 4, ... GPUs serves all of them.
    for (int replica = gpus; !ignore_given && given == nullptr && replica >= 1; replica /= 2)
      given = given_for(phase, gpu.name, gpus, replica);
    for (Server& server : servers) {
      server.rates.errors = &workload.errors_with(given, catalogue);
      const GenerationCandidate found =
          search_generation(workload, catalogue, machines, gpus, server.rates, *server.engine, given, tally);
      if (found.any && (!served || rank_of(found) < rank_of(served->best))) served = {found, &server, given, gpus};
    }
    if (served && (!few || given != nullptr)) break;
  }
  if (!served) return std::nullopt;
  const auto& [best, server, given, gpus] = *served;
  const GenerationRates& rates = server->rates;
  PhaseEstimate estimate =
      modelled(workload, machines, gpus, best.strategy, best.fits, best.estimate.parts.total(), best.spread);
  // Requests that replicas share do not always divide: the fullest has one more. Those that memory has room for do.
  const double share = few ? std::max(1.0, *generate.concurrency / best.strategy.dp) : 0;
  const bool shared = best.estimate.batch == share;
  estimate.strategy.micro_batch = clamped<std::int32_t>(shared ? std::ceil(share) : best.estimate.batch);
  estimate.framework = server->engine;
  estimate.units = work.samples * work.models;
  estimate.tokens = estimate.units * (generate.forward_only ? work.prompt_tokens : work.new_tokens);
  estimate.memory = best.estimate.memory;
  estimate.memory_total = best.memory;
  estimate.batch = (shared ? share : std::floor(best.estimate.batch)) * best.strategy.dp;
  estimate.collection = collection_use(work, rates, best.strategy, best.estimate);
  estimate.host_memory = estimate.collection.host;
  if (given != nullptr) {
    // One model after the other on every replica, or each replica its own models.
    const int replicas = best.strategy.dp;
    const bool own = best.strategy.placement == Placement::kOneModelPerGpu;
    const double sharers = own ? std::max(1, replicas / work.models) : replicas;
    const double samples = work.samples * best.estimate.rounds / sharers;
    const double tokens = generate.forward_only ? work.prompt_tokens : work.new_tokens;
    const double replica_units = given_units(*given, gpus, replicas) / replicas;
    apply_given(*given, {samples, samples * tokens, 0}, replica_units, phase.overhead.share, estimate);
  }
  estimate.serving = serving_of(work, best.estimate, best.spread, estimate, workload.defaults.confidence);
  estimate.rounds = best.estimate.rounds;
  add_terms(workload, catalogue, estimate);
  return estimate;
}

}  // namespace gpuplan
