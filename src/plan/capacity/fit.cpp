#include "plan/capacity/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "model/generation/generation.h"
#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

namespace {

/// The phase of a job alone, with one thing changed.
struct Changed {
  Job job;
  std::string text;
  int gpus = 1;
};

/// Formats of fewer bits, largest first: what the engine reads, or what some engine does where none is named.
std::vector<Format> smaller_formats(const GeneratePhase& generate, const Catalogue& catalogue, Format now) {
  constexpr std::array kCommon = {Format::kFp8, Format::kInt8, Format::kInt4, Format::kQ2K};
  constexpr std::array kAll = {Format::kFp8, Format::kInt8, Format::kQ8_0, Format::kQ6K,
                               Format::kQ4K, Format::kInt4, Format::kQ3K,  Format::kQ2K};
  std::vector<Format> result;
  const Framework* engine = generate.engine.empty() ? nullptr : catalogue.find_framework(generate.engine);
  const double bits = generate.weight_bits.value_or(bits_of(now));
  const auto add = [&](Format format) {
    if (bits_of(format) < bits && (engine == nullptr || engine_profile(catalogue, *engine).reads(format)))
      result.push_back(format);
  };
  if (engine == nullptr) std::ranges::for_each(kCommon, add);
  else std::ranges::for_each(kAll, add);
  return result;
}

/// Changes worth trying, in the order a person would: the ones that cost least first.
std::vector<Changed> changes(const Job& job, const Catalogue& catalogue, const NearMiss& miss) {
  std::vector<Changed> result;
  const auto index = static_cast<std::size_t>(miss.phase);
  const auto add = [&](std::string text, int gpus, auto change) {
    Changed changed{job, std::move(text), gpus};
    changed.job.phases[index].given.clear();
    change(changed.job.phases[index]);
    result.push_back(std::move(changed));
  };
  const Phase& phase = job.phases[index];
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) {
    const auto with = [](auto change) { return [change](Phase& p) { change(std::get<TrainPhase>(p.work)); }; };
    if (train->micro.given() && miss.strategy.micro_batch > 1)
      add("micro: auto instead of " + count_text(miss.strategy.micro_batch), miss.gpus, with([](TrainPhase& t) {
            t.micro = {};
            t.accumulate = {};
          }));
    if (train->recompute.given() && miss.strategy.recompute != Recompute::kFull)
      add("recompute: full", miss.gpus, with([](TrainPhase& t) { t.recompute = {Recompute::kFull, {}}; }));
    if (train->offload.given() && miss.strategy.offload == Offload::kNone)
      add("offload: optimizer", miss.gpus, with([](TrainPhase& t) { t.offload = {Offload::kOptimizer, {}}; }));
    // Data parallelism alone: a pipeline or tensor parallelism beside it would be another remedy than what is said.
    const auto sharded = [](TrainPhase& t) {
      t.parallel = {};
      t.parallel.tp = t.parallel.pp = t.parallel.cp = t.parallel.ep = 1;
      t.parallel.sharding = Sharding::kZero3;
    };
    if (miss.gpus > 1 && train->parallel.sharding && *train->parallel.sharding != Sharding::kZero3) {
      const std::string same = "parallel: zero3 on the same " + count_text(miss.gpus) + " GPUs";
      add(same, miss.gpus, with(sharded));
      if (train->recompute.given() || train->micro.given())
        add(same + ", micro: 1, recompute: full", miss.gpus, with([=](TrainPhase& t) {
              sharded(t);
              t.micro = {1, {}};
              t.accumulate = {};
              t.recompute = {Recompute::kFull, {}};
            }));
    }
    for (int gpus = miss.gpus * 2; gpus <= std::max(8, miss.gpus * 2); gpus *= 2)
      add(count_text(gpus) + " GPUs", gpus, with([](TrainPhase& t) { t.parallel = {}; }));  // cut as it fits best
    if (train->rollouts && !train->rollouts->sleep)
      add("rollouts: {sleep: true}", miss.gpus, with([](TrainPhase& t) { t.rollouts->sleep = true; }));
    if (train->method == Method::kFull) {
      add("method: lora", miss.gpus, with([](TrainPhase& t) { t.method = Method::kLora; }));
      add("method: qlora", miss.gpus, with([](TrainPhase& t) { t.method = Method::kQlora; }));
    } else if (train->method == Method::kLora) {
      add("method: qlora", miss.gpus, with([](TrainPhase& t) { t.method = Method::kQlora; }));
    }
    if (const int half = train->sequence.value_or(0) / 2; half >= 512)
      add("sequence: " + count_text(half), miss.gpus, with([half](TrainPhase& t) { t.sequence = half; }));
  } else if (const auto* generate = std::get_if<GeneratePhase>(&phase.work)) {
    const auto with = [](auto change) { return [change](Phase& p) { change(std::get<GeneratePhase>(p.work)); }; };
    if (generate->batch.given() && miss.strategy.micro_batch > 1)
      add("batch: auto", miss.gpus, with([](GeneratePhase& g) { g.batch = {}; }));
    for (int gpus = std::max(2, miss.gpus * 2); gpus <= std::max(8, miss.gpus * 2); gpus *= 2)
      add(count_text(gpus) + " GPUs with tensor parallelism", gpus, with([gpus](GeneratePhase& g) {
            g.parallel = {};
            g.parallel.tp = gpus;
          }));
    for (const Format format : smaller_formats(*generate, catalogue, miss.strategy.weights))
      add("weights: " + std::string(name_of(format)), miss.gpus, with([format](GeneratePhase& g) {
            g.weights = format;
            g.weight_bits.reset();
          }));
    if (miss.memory.kv_cache > miss.needed * 0.1 && !generate->kv_cache)
      add("kv_cache: fp8", miss.gpus, with([](GeneratePhase& g) { g.kv_cache = Format::kFp8; }));
  }
  return result;
}

/// One sequence more than the largest number; nullopt when something else than memory ends it.
std::optional<Limit> limit_of(OpenBatch& open, const FitRow& row) {
  const int more = row.largest_micro_batch + 1;
  const Bytes usable = row.node.gpu->usable;
  NearMiss miss;
  const auto estimate = open.with(more, miss);
  if (estimate && estimate->fit == Fit::kFits) return std::nullopt;
  if (!estimate && miss.phase < 0) return std::nullopt;
  const MemoryUse& use = estimate ? estimate->memory : miss.memory;
  const MemoryPart& part = largest_part(use);
  return Limit{more, part.name, use.*part.size, estimate ? estimate->memory_total.p50 : miss.needed, usable};
}

/// What a plan with micro-batches of more than the largest would run (`plan --micro`), where that fits: all else is as
/// the job has it. One more, or so many that they divide a stated batch. Nullopt too where it is the way of `best`,
/// which has more room where a batch is not accumulated.
std::optional<PhaseEstimate> one_more(const Job& job, int phase, const Catalogue& catalogue, const Machines& machines,
                                      const PhaseEstimate& best, int largest) {
  Job more = job;
  more.phases[static_cast<std::size_t>(phase)].given.clear();
  auto* train = std::get_if<TrainPhase>(&more.phases[static_cast<std::size_t>(phase)].work);
  if (train == nullptr || train->models.front().custom) return std::nullopt;
  int sequences = largest + 1;
  if (train->batch && train->batch->sequences) {
    const double batch = *train->batch->sequences;
    while (sequences <= batch && std::fmod(batch, sequences) != 0) ++sequences;
    if (sequences > batch) return std::nullopt;
    train->accumulate = {};
  }
  train->micro = {sequences, {}};
  Tally tally;
  auto found = try_phase(more, phase, catalogue, machines, tally);
  if (!found || found->fit != Fit::kFits) return std::nullopt;
  const bool same = found->framework == best.framework && found->lighter == best.lighter &&
                    found->strategy.offload == best.strategy.offload;
  return same ? std::nullopt : found;
}

}  // namespace

Result<std::vector<FitRow>> fit_phase(const Job& job, int phase, const Catalogue& catalogue,
                                      const std::vector<int>& counts) {
  auto workloads = prepare(job);
  if (!workloads) return std::unexpected<Error>(std::move(workloads.error()));
  const PhaseWorkload& workload = (*workloads)[static_cast<std::size_t>(phase)];
  std::vector<FitRow> rows;
  for (const Gpu* gpu : wanted_gpus(job, catalogue)) {
    for (const int count : counts) {
      FitRow row;
      row.node = common_box(catalogue, *gpu, count);
      row.gpus = count;
      Tally tally;
      const Machines machines{row.node, 1, count, true};
      row.best = best_estimate(workload, catalogue, machines, true, tally);
      row.nearest = tally.nearest;
      row.host = tally.host;
      if (row.best && workload.generation) {
        row.context = longest_context(workload, catalogue, *row.best, 1);
        const int batch = row.best->strategy.micro_batch;
        if (batch > 1) row.context_at_batch = longest_context(workload, catalogue, *row.best, batch);
      }
      if (row.best && (workload.training || workload.generation)) {
        OpenBatch open(job, phase, catalogue, machines, *row.best, FrameworkOf::kJob);
        row.largest_micro_batch = open.largest();
        row.limit = limit_of(open, row);
        if (row.largest_micro_batch > 0)
          row.otherwise = one_more(job, phase, catalogue, machines, *row.best, row.largest_micro_batch);
      } else if (row.nearest.phase >= 0) {
        const MemoryPart& part = largest_part(row.nearest.memory);
        row.limit = {std::max(1, static_cast<int>(row.nearest.strategy.micro_batch)), part.name,
                     row.nearest.memory.*part.size, row.nearest.needed, row.nearest.usable};
      }
      rows.push_back(row);
    }
  }
  return rows;
}

bool holds(const FitRow& row) { return row.best && row.best->fit == Fit::kFits; }

Result<std::vector<FitRow>> smallest_counts(const Job& job, int phase, const Catalogue& catalogue,
                                            const std::vector<int>& counts) {
  Job narrowed = job;
  std::vector<FitRow> found;
  std::vector<FitRow> open;  // of GPUs that hold it at no count so far
  for (const int count : counts) {
    auto rows = fit_phase(narrowed, phase, catalogue, {count});
    if (!rows) return std::unexpected(rows.error());
    open.clear();
    narrowed.where.gpus.clear();
    for (const FitRow& row : *rows) {
      if (holds(row)) {
        found.push_back(row);
        continue;
      }
      narrowed.where.gpus.push_back({row.node.gpu->name, 0});
      open.push_back(row);
    }
    if (open.empty()) break;
  }
  found.insert(found.end(), open.begin(), open.end());
  return found;
}

namespace {

/// Machines with so many of these GPUs in all that the market has, as many of them as the job allows, each of another
/// host; without a market, or none of it, one as they are commonly rented. Empty: the market has none.
std::vector<Machines> machines_with(const Job& job, const Catalogue& catalogue, const NearMiss& miss, int gpus,
                                    std::span<const Offer> market) {
  std::vector<Machines> found;
  Job free = job;
  free.where.gpus = {{miss.gpu->name, 0}};
  free.where.counts = {gpus};
  for (const Offer& offer : market) {
    if (offer.gpu != miss.gpu->name) continue;
    for (const Machines& machines : machines_on(free, catalogue, offer)) {
      const auto alike = [&](const Machines& one) {
        return one.nodes == machines.nodes && one.node.ram == machines.node.ram;
      };
      if (machines.gpus == gpus && std::ranges::none_of(found, alike)) found.push_back(machines);
    }
  }
  if (found.empty() && (market.empty() || (gpus == miss.gpus && job.where.nodes.empty())))
    found.push_back({common_box(catalogue, *miss.gpu, gpus), 1, gpus, true});
  return found;
}

}  // namespace

std::vector<Remedy> remedies(const Job& job, const Catalogue& catalogue, const NearMiss& miss,
                             std::span<const Offer> market) {
  std::vector<Remedy> result;
  if (miss.phase < 0 || miss.gpu == nullptr) return result;
  // Two formats of one size (fp8, int8) are one answer.
  const auto add = [&](Remedy remedy) {
    const bool format = remedy.change.starts_with("weights: ");
    if (format && !result.empty() && result.back().change.starts_with("weights: ") &&
        result.back().needed < remedy.needed * 1.01)
      return;
    result.push_back(std::move(remedy));
  };
  for (const Changed& changed : changes(job, catalogue, miss)) {
    Tally tally;
    std::optional<PhaseEstimate> estimate;
    for (const Machines& machines : machines_with(changed.job, catalogue, miss, changed.gpus, market)) {
      const auto here = try_phase(changed.job, miss.phase, catalogue, machines, tally);
      if (!here) continue;
      const auto rank = [](const PhaseEstimate& one) {
        return std::tuple(one.fit != Fit::kFits, one.strategy.offload != Offload::kNone, one.memory_total.p50);
      };
      if (!estimate || rank(*here) < rank(*estimate)) estimate = here;
    }
    if (estimate) {
      std::string text = changed.text;
      if (text == "batch: auto") text += ", " + count_text(estimate->strategy.micro_batch) + " at once";
      // A change that leaves the cuts open says which of them did it.
      const Strategy& now = estimate->strategy;
      std::vector<std::string> cuts;
      if (now.sharding != miss.strategy.sharding && now.sharding != Sharding::kNone &&
          text.find("zero3") == std::string::npos)
        cuts.emplace_back(name_of(now.sharding));
      if (now.tp > 1 && now.tp != miss.strategy.tp && text.find("tensor") == std::string::npos)
        cuts.push_back("tp " + std::to_string(now.tp));
      if (now.pp > 1 && now.pp != miss.strategy.pp) cuts.push_back("pp " + std::to_string(now.pp));
      const auto before = static_cast<std::size_t>(std::max<int>(0, miss.strategy.framework));
      if (estimate->framework != nullptr && miss.strategy.framework >= 0 &&
          estimate->framework != &catalogue.frameworks[before])
        cuts.push_back(estimate->framework->name);
      if (now.offload != Offload::kNone && miss.strategy.offload == Offload::kNone) cuts.emplace_back("CPU offload");
      if (!cuts.empty()) text += " (" + join(cuts, ", ") + ")";
      add({std::move(text), estimate->memory_total.p50, estimate->fit == Fit::kFits});
    } else if (tally.nearest.phase >= 0) add({changed.text, tally.nearest.needed, false});
  }
  return result;
}

}  // namespace gpuplan
