#include "model/generation/collection.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gpuplan {
namespace {

/// Hidden states are computed in 16 bit; wider ones are cast where they are.
constexpr double kComputedBytes = 2;

/// Tokens of a sample that are kept, out of a prompt and an answer.
double kept_tokens(KeptTokens which, double prompt, double answer) {
  switch (which) {
    case KeptTokens::kAll:
      return prompt + answer;
    case KeptTokens::kPrompt:
      return prompt;
    case KeptTokens::kNew:
      return answer;
    case KeptTokens::kLast:
      return 1;
  }
  return prompt + answer;
}

/// Replicas on the machine that has most of them.
double replicas_on_a_machine(const GenerationRates& rates, const Strategy& strategy) {
  const int gpus = strategy.tp * strategy.pp;
  return std::clamp(rates.node->gpus / gpus, 1, std::max(1, static_cast<int>(strategy.dp)));
}

}  // namespace

KeptActivations kept_activations(const GenerationWork& work) {
  KeptActivations kept;
  if (!work.phase->store) return kept;
  const Store& store = *work.phase->store;
  kept.tokens = kept_tokens(store.tokens, work.prompt_tokens, work.new_tokens);
  kept.longest = kept_tokens(store.tokens, work.longest - work.longest_new, work.longest_new);
  kept.token = Bytes{store.layers * store.width * bytes_of(store.dtype)};
  kept.sample = kept.token * kept.tokens;
  kept.all = kept.sample * (work.samples * work.models);
  return kept;
}

Bytes kept_on_gpu(const GenerationWork& work, double pp) {
  const KeptActivations kept = kept_activations(work);
  if (kept.all <= Bytes{}) return {};
  const double wider = std::max(1.0, kComputedBytes / bytes_of(work.phase->store->dtype));
  return kept.token * (kept.longest * wider / pp);
}

StoreTraffic store_traffic(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy,
                           double samples) {
  const KeptActivations kept = kept_activations(work);
  if (kept.all <= Bytes{}) return {};
  const Store& store = *work.phase->store;
  StoreTraffic traffic;
  traffic.to_host = kept.sample * samples / rates.host_link;
  if (work.stored_on_disk)
    traffic.to_disk =
        kept.sample * (samples * replicas_on_a_machine(rates, strategy)) / store.disk_rate.value_or(rates.disk);
  return traffic;
}

CollectionUse collection_use(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy,
                             const GenerationEstimate& estimate) {
  CollectionUse use;
  use.kept = kept_activations(work);
  use.on_disk = work.stored_on_disk;
  if (!use.any()) return use;
  use.disk_price = work.phase->store->disk_price;
  const bool apart = strategy.placement == Placement::kOneModelPerGpu && work.models > 1;
  const double replicas = std::max(1, static_cast<int>(strategy.dp));
  // Of more replicas than models, the whole multiples work.
  const double busy = apart && replicas > work.models ? std::floor(replicas / work.models) * work.models : replicas;
  const double here = std::min(replicas_on_a_machine(rates, strategy), busy);
  const double machines = std::ceil(busy / here);

  use.on_gpu = kept_on_gpu(work, strategy.pp) * estimate.batch;
  const Bytes kept_here = use.kept.all * (here / busy);
  // On the way to a disk the host holds the batches that its GPUs are done with.
  use.host = work.stored_on_disk ? use.kept.token * (use.kept.longest * estimate.batch * here) : kept_here;
  Bytes models{};
  for (std::size_t i = 0; i < work.params.size(); ++i)
    models += Bytes{work.params[i].total() * bytes_of(work.phase->models[i].shape.native)};
  const double models_here = apart ? std::min(1.0, here * estimate.rounds / work.models) : 1.0;
  use.checkpoints = models * models_here;
  use.machine_disk = use.checkpoints + (work.stored_on_disk ? kept_here : Bytes{});
  use.disk = use.checkpoints * machines + (work.stored_on_disk ? use.kept.all : Bytes{});
  const double samples_each = std::ceil(work.samples / (apart ? busy / std::min<double>(busy, work.models) : replicas));
  use.traffic = store_traffic(work, rates, strategy, samples_each * estimate.rounds);
  return use;
}

void explain_collection(const GenerationWork& work, const CollectionUse& use, std::vector<Term>& terms) {
  if (!use.any()) return;
  using Kind = Term::Kind;
  const auto add = [&](Kind kind, std::string_view name, double value, std::string_view formula,
                       std::string_view source, bool part) {
    if (value > 0) terms.push_back({kind, name, value, formula, source, part});
  };
  add(Kind::kTime, "activations to CPU memory", use.traffic.to_host.value,
      "layers x width x tokens x bytes x samples of a replica / achieved rate of PCIe", "data/links.csv", true);
  add(Kind::kTime, "activations to the disk", use.traffic.to_disk.value,
      "layers x width x tokens x bytes x samples of all replicas of a machine / rate of its disk",
      work.phase->store->disk_rate
          ? "rate of the job (store.disk_rate)"
          : "1.5 GB/s: Samsung PM9A3 data sheet (2021), smallest size; an assumption for rented disks",
      true);
  add(Kind::kMemory, "activations kept", use.on_gpu.value,
      "layers x width x longest sample x batch x bytes, two at least, until the batch is done", "definition", true);
  add(Kind::kDisk, "activations, total", use.kept.all.value, "layers x width x tokens x bytes x samples x models",
      "definition", false);
  add(Kind::kMemory, "CPU memory of a machine", use.host.value,
      use.on_disk ? "a batch of each of its GPUs, on the way to the disk" : "everything that its GPUs store",
      "definition", false);
  add(Kind::kDisk, "disk of a machine", use.machine_disk.value,
      use.on_disk ? "what its GPUs store + checkpoints of its models" : "checkpoints of its models", "definition",
      false);
}

}  // namespace gpuplan
