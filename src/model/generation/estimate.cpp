// Level 4 of the generation model: batches, waves and placement put together from single passes.
#include <cmath>

#include "base/math.h"
#include "model/generation/collection.h"
#include "model/generation/generation.h"
#include "model/generation/latency.h"
#include "model/generation/step.h"

namespace gpuplan {
namespace {

using math::larger;
using math::smaller;

/// What one replica does for one network.
struct Run {
  GenerationParts parts;
  MemoryUse memory;
  double batch = 1;
  Seconds first_token{}, next_token{};
  double waiting = 0;  ///< share of the time to first token
};

/// Working memory of a pass over prompts, a token.
Bytes pass_memory(const NetworkWork& network, const GenerationConstants& c, const GenerationCut& cut) {
  return Bytes{2 * (c.activation_hidden * network.hidden + c.activation_mlp * network.mlp_width / cut.tp)};
}

/// Working memory of a forward pass: inputs, and the widest intermediate results of one layer. The batch decides when
/// prompts go in together, the chunk when the engine cuts them.
MemoryUse memory_use(const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
                     const GenerationCut& cut, double batch, double kept_tokens) {
  const EngineProfile& profile = *rates.profile;
  const GenerationConstants& c = *rates.constants;
  const bool reads_only = work.phase->forward_only;
  MemoryUse memory;
  memory.weights = weight_memory(network, rates, cut);
  if (!reads_only) memory.kv_cache = batch * cache_memory(network, rates, cut, kept_tokens);
  if (work.draft) {
    memory.weights += weight_memory(*work.draft, rates, cut);
    memory.kv_cache += batch * cache_memory(*work.draft, rates, cut, kept_tokens);
  }
  memory.frozen = memory.weights;
  const double most_prompt = work.longest - work.longest_new;
  double at_once = batch * larger(most_prompt, 1.0);
  if (profile.continuous && at_once > rates.chunk_tokens) at_once = rates.chunk_tokens;
  memory.activations = at_once * pass_memory(network, c, cut);
  memory.activations += batch * kept_on_gpu(work, cut.pp);
  memory.logits = Bytes{c.logit_bytes * batch * network.vocab};
  // Eager forward passes score every position, in 16 bit.
  if (reads_only && profile.copies_cache) memory.logits = Bytes{2 * at_once * network.vocab};
  memory.framework = c.framework_gib * units::GiB;
  memory.driver = profile.reserve_gib * units::GiB;
  return memory;
}

/// Sequences that fit where the engine takes this share of memory.
double room_in(double share, const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
               const GenerationCut& cut, double kept_tokens) {
  const MemoryUse none = memory_use(network, work, rates, cut, 0, kept_tokens);
  const MemoryUse one = memory_use(network, work, rates, cut, 1, kept_tokens);
  const double free = (rates.node->gpu->usable * share - none.total()).value * rates.profile->free_share;
  const double each = (one.total() - none.total()).value;
  if (!rates.profile->continuous) return each > 0 ? free / each : rates.constants->most_static;
  // A chunk of prompts is there whatever the batch; only cache and scores grow with it.
  const double kept = (one.kv_cache + one.logits + kept_on_gpu(work, cut.pp)).value;
  const double chunk_tokens = rates.chunk_tokens;
  const double chunk = (chunk_tokens * pass_memory(network, *rates.constants, cut)).value;
  const double by_chunk = (free - chunk) / kept;
  const double prompt = larger(work.longest - work.longest_new, 1.0);
  return by_chunk * prompt >= chunk_tokens ? by_chunk : free / each;
}

/// Sequences that fit, as a real number; below one when not even one does.
double room(const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
            const GenerationCut& cut, double kept_tokens) {
  // Fewer than this at once leave the GPU waiting for memory: it is told to take more of it, for as many at the most.
  constexpr double kFew = 64;
  const double share = rates.profile->memory_share;
  const double fits = room_in(share, network, work, rates, cut, kept_tokens);
  if (!(rates.most_share > share) || fits >= kFew) return fits;
  return larger(fits, smaller(kFew, room_in(rates.most_share, network, work, rates, cut, kept_tokens)));
}

/// Smooth minimum: batches just below a limit already feel it, since requests come and go.
double soft_minimum(double a, double b, double c) {
  const double a2 = 1 / (a * a), b2 = 1 / (b * b), c2 = 1 / (c * c);
  return 1 / std::sqrt(std::sqrt(a2 * a2 + b2 * b2 + c2 * c2));
}

/// Requests at work at once for a replica, on average.
double share_of_requests(const GeneratePhase& phase, const Strategy& strategy) {
  return larger(1, *phase.concurrency / strategy.dp);
}

/// Sequences in flight, and how many would fit where that was asked.
struct Batch {
  double size = 1, fits = 0;
};

Batch choose_batch(const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
                   const GenerationCut& cut, const Strategy& strategy, double samples, double kept_tokens) {
  const GeneratePhase& phase = *work.phase;
  const GenerationConstants& c = *rates.constants;
  if (phase.situation == Situation::kSingle) return {};
  const bool concurrency = phase.situation == Situation::kConcurrency;
  const double most = phase.batch.given() ? rates.most_in_flight : smaller(rates.slots, rates.most_in_flight);
  if (strategy.micro_batch > 0 && !concurrency) {
    // Who admits by what requests hold now needs to know how many would fit in all.
    const bool asked = rates.profile->evicts && rates.profile->continuous && phase.situation == Situation::kSaturated;
    const double fits = asked ? room(network, work, rates, cut, kept_tokens) : 0;
    return {smaller(strategy.micro_batch, samples), fits >= 1 ? fits : 0};
  }
  const double fits = room(network, work, rates, cut, kept_tokens);
  if (!(fits >= 1)) return {};
  if (concurrency) {
    // What does not fit waits. Replicas share what is at work at once: where it does not divide, some have one more
    // than others, and together they have no more than there is.
    const double share = share_of_requests(phase, strategy);
    const double wanted = strategy.micro_batch > 0 ? smaller(strategy.micro_batch, share) : share;
    const double held = rates.profile->continuous ? fits : larger(1, c.static_fill * fits);
    return {smaller(smaller(smaller(wanted, held), most), samples), fits};
  }
  double batch = 1;
  if (phase.forward_only) {
    // A pass of about 8k tokens is compute-bound with large models; more only needs memory. Small ones that give
    // vectors still wait for launches then, and engines read more at once unasked. vLLM 2026-08, vllm/config: 32,768
    // batched tokens for pooling models.
    constexpr double kPooledTokens = 32768;
    const double tokens = network.head > 0 ? rates.chunk_tokens : larger(rates.chunk_tokens, kPooledTokens);
    batch = smaller(smaller(fits, larger(1, tokens / work.prompt_tokens)), samples);
  } else if (phase.situation == Situation::kStatic || !rates.profile->continuous) {
    batch =
        smaller(smaller(c.static_fill * fits, smaller(c.most_static, rates.profile->slots > 0 ? most : fits)), samples);
  } else {
    batch = smaller(soft_minimum(fits, rates.most_in_flight, samples), most);
  }
  return {larger(1, std::floor(batch)), fits};
}

/// One pass of the model over every sequence, and of the draft before it, one token after the other.
DecodeStep whole_step(const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
                      const GenerationCut& cut, double sequences, double context) {
  DecodeStep step = decode_step(network, rates, cut, sequences, context, 1 + work.guesses);
  if (!work.draft) return step;
  const DecodeStep draft = decode_step(*work.draft, rates, cut, sequences, context);
  for (Seconds DecodeStep::* const part :
       {&DecodeStep::weights, &DecodeStep::compute, &DecodeStep::kv, &DecodeStep::launch, &DecodeStep::host,
        &DecodeStep::traffic, &DecodeStep::hops})
    step.*part += work.guesses * (draft.*part);
  return step;
}

/// Prompts are read by the draft as well.
Seconds prompts_time(const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
                     const GenerationCut& cut, double sequences, double tokens) {
  const Seconds own = prefill_time(network, rates, cut, sequences, tokens);
  return work.draft ? own + prefill_time(*work.draft, rates, cut, sequences, tokens) : own;
}

/// Requests join and leave a running batch.
bool is_server(const GenerationWork& work, const GenerationRates& rates) {
  const GeneratePhase& phase = *work.phase;
  return rates.profile->continuous && !phase.forward_only &&
         (phase.situation == Situation::kSaturated || phase.situation == Situation::kConcurrency);
}

/// A run as far as memory decides it: the batch that is in flight, and what it takes.
Run load_network(const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
                 const GenerationCut& cut, const Strategy& strategy, double samples) {
  // Paged caches hold what is there; static batches set memory aside for the longest sample.
  const bool server = is_server(work, rates);
  const double whole = server ? work.prompt_tokens + work.new_tokens : work.longest;
  // Requests that are under way have half of their answers. Engines that count on it put some out again when they were
  // too many; others set room aside for the rest of each answer.
  const double held = server && rates.profile->evicts ? work.prompt_tokens + work.new_tokens / 2 : whole;
  Run run;
  const Batch batch = choose_batch(network, work, rates, cut, strategy, samples, held);
  run.batch = batch.size;
  // The fullest replica has a whole request more than the average, which no share of one is.
  const GeneratePhase& phase = *work.phase;
  const bool shared = phase.situation == Situation::kConcurrency && run.batch == share_of_requests(phase, strategy);
  // All may be near their ends at once, as far as there is room.
  const double kept = math::smaller(whole, math::larger(held, held * batch.fits / run.batch));
  run.memory =
      memory_use(network, work, rates, cut, shared ? std::ceil(run.batch) : run.batch, batch.fits > 0 ? kept : whole);
  return run;
}

Run run_network(const NetworkWork& network, const GenerationWork& work, const GenerationRates& rates,
                const GenerationCut& cut, const Strategy& strategy, double samples) {
  const GeneratePhase& phase = *work.phase;
  const EngineProfile& profile = *rates.profile;
  const GenerationConstants& c = *rates.constants;
  const bool server = is_server(work, rates);
  Run run = load_network(network, work, rates, cut, strategy, samples);

  // Stages of a layer split work on different batches at a time, when the engine does that and there are enough.
  const double lanes = profile.pipelines ? smaller(cut.pp, run.batch) : 1.0;
  const double in = work.prompt_tokens;

  if (phase.forward_only) {
    const double waves = std::ceil(samples / run.batch);
    run.parts.prefill = waves / lanes * prefill_time(network, rates, cut, samples / waves, in);
    run.first_token = prefill_time(network, rates, cut, samples / waves, in);
  } else {
    double waves = samples / run.batch, out = work.new_tokens, each = run.batch;
    if (!server) {
      waves = std::ceil(waves);
      each = samples / waves;
      // A static batch runs until its longest answer ends: of B lengths spread evenly about the mean, the longest is
      // expected (B-1)/(B+1) of the way to the maximum.
      if (each > 1) out += larger(0, work.longest_new - out) * (each - 1) / (each + 1);
    }
    const DecodeStep step = whole_step(network, work, rates, cut, each / lanes, in + out / 2);
    out /= work.tokens_a_pass;  // passes from here on
    double scale = waves * out;
    Seconds prefill{};
    if (server) {
      const double together = smaller(each, larger(1, std::floor(rates.chunk_tokens / larger(in, 1))));
      const Seconds one = prompts_time(network, work, rates, cut, together, in) / together;
      // Replicas that share experts go in step: prompts that one of them reads hold up the others.
      const double wait = strategy.ep > 1 ? c.group_wait : 1;
      prefill = wait * each / lanes * one;
      const Seconds decode = out * step.total();
      // Chunks of prompts ride along with decode steps: part of the smaller time is hidden.
      const Seconds hidden = c.chunk_overlap * (prefill < decode ? prefill : decode);
      const double shown = (prefill + decode - hidden) / (prefill + decode);
      // Over the first and last requests the batch is not full.
      const double tail = 1 + c.tail * run.batch / larger(samples, run.batch);
      prefill *= waves * shown * tail;
      scale *= shown * tail;
      ServerLoad load{.served = each, .samples = samples, .lanes = lanes, .new_tokens = work.new_tokens};
      if (phase.situation == Situation::kConcurrency) load.asked = smaller(*phase.concurrency / strategy.dp, samples);
      load.varied = work.longest > in + work.new_tokens;
      load.prompt = one;
      load.prompt_alone = together > 1 ? prompts_time(network, work, rates, cut, 1, in) : one;
      load.step = step.total();
      load.decode = decode;
      load.hidden = hidden;
      const Latency latency = latency_under(load, profile, c);
      run.first_token = latency.first_token;
      run.next_token = latency.next_token;
      run.waiting = latency.waiting;
    } else {
      const Seconds one = prompts_time(network, work, rates, cut, each, in);
      run.first_token = one;
      // A server takes as long about a request that it has alone as about one of many.
      if (profile.continuous && phase.situation == Situation::kSingle)
        run.first_token += Seconds{c.first_fixed_ms * 1e-3} + c.first_steps * step.total();
      prefill = waves / lanes * one;
      run.next_token = step.total() / work.tokens_a_pass;
    }
    run.parts.prefill = prefill;
    run.parts.weights = scale * step.weights;
    run.parts.compute = scale * step.compute;
    run.parts.kv_reads = scale * step.kv;
    run.parts.launch = scale * step.launch;
    run.parts.host = scale * step.host;
    run.parts.tensor_traffic = scale * step.traffic;
    run.parts.pipeline_traffic = scale * step.hops;
  }
  run.parts.store = store_traffic(work, rates, strategy, samples).total();
  return run;
}

void add(GenerationParts& sum, const GenerationParts& parts) {
  sum.prefill += parts.prefill;
  sum.weights += parts.weights;
  sum.kv_reads += parts.kv_reads;
  sum.compute += parts.compute;
  sum.launch += parts.launch;
  sum.host += parts.host;
  sum.tensor_traffic += parts.tensor_traffic;
  sum.pipeline_traffic += parts.pipeline_traffic;
  sum.store += parts.store;
}

/// Who runs which models.
struct Deal {
  int replicas;
  bool spread;     ///< over the replicas, each its own
  int sharing;     ///< replicas that work on the same model
  int lanes;       ///< replicas that work on different ones
  double samples;  ///< of a model, for one of those that share it
};

Deal deal_of(const GenerationWork& work, const Strategy& strategy) {
  const int models = work.models;
  const int replicas = strategy.dp > 0 ? strategy.dp : 1;
  const bool spread = strategy.placement == Placement::kOneModelPerGpu && models > 1;
  const int sharing = spread ? (replicas > models ? replicas / models : 1) : replicas;
  const int lanes = spread ? (replicas < models ? replicas : models) : 1;
  return {replicas, spread, sharing, lanes, std::ceil(work.samples / sharing)};
}

}  // namespace

MemoryUse generation_memory(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy) {
  const GenerationCut cut = generation_cut(work, rates, strategy);
  const Deal deal = deal_of(work, strategy);
  MemoryUse fullest;
  Bytes most{-1};
  int shape = -1;
  const auto lanes = static_cast<std::size_t>(deal.lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t i = lane; i < work.networks.size(); i += lanes) {
      const NetworkWork& network = work.networks[i];
      if (network.same_as == shape) continue;
      shape = network.same_as;
      const MemoryUse memory = load_network(network, work, rates, cut, strategy, deal.samples).memory;
      if (!(memory.total() > most)) continue;
      most = memory.total();
      fullest = memory;
    }
  }
  return fullest;
}

GenerationEstimate generation_estimate(const GenerationWork& work, const GenerationRates& rates,
                                       const Strategy& strategy) {
  const GenerationCut cut = generation_cut(work, rates, strategy);
  const int models = work.models;
  const auto [replicas, spread, sharing, lanes, samples] = deal_of(work, strategy);

  GenerationEstimate estimate;
  estimate.replicas = replicas;
  estimate.rounds = spread ? std::ceil(static_cast<double>(models) / lanes) : models;
  Run run;
  int shape = -1;
  Bytes fullest{-1};
  Seconds longest{-1};
  const double tokens_each = samples * (work.phase->forward_only ? work.prompt_tokens : work.new_tokens);
  const auto count = work.networks.size();
  for (int lane = 0; lane < lanes; ++lane) {
    GenerationParts sum;
    Seconds load{};
    double done = 0;
    for (auto i = static_cast<std::size_t>(lane); i < count; i += static_cast<std::size_t>(lanes)) {
      const NetworkWork& network = work.networks[i];
      if (network.same_as != shape) {
        run = run_network(network, work, rates, cut, strategy, samples);
        shape = network.same_as;
      }
      add(sum, run.parts);
      load += run.memory.weights * cut.tp * cut.pp / rates.disk;
      ++done;
      if (run.memory.total() > fullest) {
        fullest = run.memory.total();
        estimate.memory = run.memory;
        estimate.batch = run.batch;
        estimate.time_to_first_token = run.first_token;
        estimate.time_per_output_token = run.next_token;
        estimate.waiting = run.waiting;
      }
    }
    if (sum.total() > longest) {
      longest = sum.total();
      estimate.parts = sum;
      estimate.load = load;
      estimate.replica_tokens_per_second = done * tokens_each / longest.value;
    }
  }
  double busy = spread ? static_cast<double>(lanes * sharing) : replicas;
  // Fewer requests than replicas keep only so many of them at work.
  busy = smaller(busy, larger(1, spread ? work.samples * lanes : work.samples));
  if (work.phase->situation == Situation::kConcurrency) busy = smaller(busy, larger(1, *work.phase->concurrency));
  estimate.tokens_per_second = estimate.replica_tokens_per_second * busy;
  return estimate;
}

}  // namespace gpuplan
