#include "plan/capacity/placements.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "base/whole.h"
#include "domain/facts/limits.h"
#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"
#include "plan/capacity/misfit_words.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/software.h"

namespace gpuplan {

namespace {

Phase& phase_at(Job& job, int phase) { return job.phases[static_cast<std::size_t>(phase)]; }

class Layouts {
 public:
  Layouts(const Job& job, int phase, const Catalogue& catalogue, const Gpu& gpu)
      : job_(job), phase_(phase), catalogue_(catalogue), gpu_(gpu) {
    phase_at(job_, phase).given.clear();
    if (auto* generate = std::get_if<GeneratePhase>(&phase_at(job_, phase).work)) {
      // As many sequences as memory holds would fill every GPU alike.
      if (!generate->batch.given()) generate->batch = {1, {}};
      generate->place = Placement::kInTurn;
      generate->parallel = {};
    }
  }

  Placements run(const std::vector<int>& counts) {
    settle(counts);
    Placements result{&gpu_, recompute_, offload_, {}};
    for (const int gpus : counts) {
      if (gpus == 1) {
        result.rows.push_back(row(Layout::kOneGpu, 1));
        continue;
      }
      result.rows.push_back(row(Layout::kReplicated, gpus));
      if (trains()) {
        result.rows.push_back(row(Layout::kOptimizerSharded, gpus));
        result.rows.push_back(row(Layout::kFullySharded, gpus));
      }
      result.rows.push_back(row(Layout::kTensorParallel, gpus));
      if (models() > 1 && gpus % models() == 0) result.rows.push_back(apart(gpus));
    }
    // What all layouts do is said once.
    const auto plain = [](const PlacementRow& row) { return row.needed.p50 > Bytes{} && !row.recomputed; };
    if (std::ranges::any_of(result.rows, &PlacementRow::recomputed) && std::ranges::none_of(result.rows, plain)) {
      result.recompute = Recompute::kFull;
      for (PlacementRow& row : result.rows) row.recomputed = false;
    }
    return result;
  }

 private:
  bool trains() const { return std::holds_alternative<TrainPhase>(job_.phases[static_cast<std::size_t>(phase_)].work); }
  int models() const {
    const Phase& phase = job_.phases[static_cast<std::size_t>(phase_)];
    if (const auto* train = std::get_if<TrainPhase>(&phase.work)) return static_cast<int>(train->models.size());
    return static_cast<int>(std::get<GeneratePhase>(phase.work).models.size());
  }

  Machines machines(int gpus) const { return {common_box(catalogue_, gpu_, gpus), 1, gpus, true}; }

  /// Micro-batch, recomputation and offload of the fewest GPUs that hold the phase in the best way.
  void settle(const std::vector<int>& counts) {
    const auto workloads = prepare(job_);
    if (workloads && trains()) {
      const TrainingWork& work = *(*workloads)[static_cast<std::size_t>(phase_)].training;
      batch_ = work.batch;
      start_ = start_from(catalogue_.practice_constants, work);
      chosen_ = std::get<TrainPhase>(phase_at(job_, phase_).work).framework.empty();
      if (chosen_) hold_framework(work, counts.empty() ? 1 : std::ranges::max(counts));
    }
    // Offloaded states would hide what sharding saves: a way without comes first, then one with room to spare.
    int best_rank = 3;
    std::vector<int> tried = {1};
    tried.insert(tried.end(), counts.begin(), counts.end());
    for (const int gpus : tried) {
      Tally ignored;
      const auto best = try_phase(job_, phase_, catalogue_, machines(gpus), ignored);
      if (!best) continue;
      const int rank = best->fit != Fit::kFits ? 2 : best->strategy.offload != Offload::kNone ? 1 : 0;
      if (rank >= best_rank) continue;
      best_rank = rank;
      micro_ = best->strategy.micro_batch;
      recompute_ = best->strategy.recompute;
      offload_ = best->strategy.offload;
    }
    if (best_rank < 3) return;
    // Nothing holds it: the least it could need.
    if (trains()) recompute_ = Recompute::kFull;
  }

  /// Of the frameworks that people would take for so many GPUs the first that knows copies and shares, products cut too
  /// if there is such a one: what another keeps or frees is then no matter of the layout.
  void hold_framework(const TrainingWork& work, int gpus) {
    auto& train = std::get<TrainPhase>(phase_at(job_, phase_).work);
    const Software software = training_software(catalogue_, work, gpu_, gpus, 1);
    const auto knows = [](const Framework& f) {
      return f.zero[static_cast<std::size_t>(Sharding::kZero1)] && f.zero[static_cast<std::size_t>(Sharding::kZero3)];
    };
    const Framework* held = nullptr;
    const std::span all(software.frameworks);
    for (const Framework* framework : all.first(software.usual))
      if (knows(*framework) && (held == nullptr || (!held->tensor && framework->tensor))) held = framework;
    for (const Framework* framework : all.subspan(software.usual))
      if (held == nullptr && knows(*framework)) held = framework;
    if (held != nullptr) train.framework = held->name;
  }

  /// The micro-batch of so many ranks that share the batch of a step; 0: it does not divide.
  int micro_of(int ranks) const {
    if (batch_ <= 0) return micro_;
    if (std::fmod(batch_, ranks) != 0) return 0;
    const int each = whole<int>(std::min(batch_ / ranks, 65536.0));
    int micro = std::min(micro_, each);
    while (each % micro != 0) --micro;
    return micro;
  }

  void measure(const Job& job, const Machines& on, PlacementRow& row, Effort effort) const {
    Tally tally;
    const auto estimate = try_phase(job, phase_, catalogue_, on, tally);
    row.effort = effort;
    if (estimate) {
      row.memory = estimate->memory;
      row.framework = estimate->framework;
      row.needed = estimate->memory_total;
      row.fits = estimate->fit == Fit::kFits;
      row.tight = !row.fits;
      if (!trains()) row.micro_batch = estimate->strategy.micro_batch;
    } else if (tally.nearest.phase >= 0) {
      row.memory = tally.nearest.memory;
      if (const int framework = tally.nearest.strategy.framework; framework >= 0)
        row.framework = &catalogue_.frameworks[static_cast<std::size_t>(framework)];
      row.needed = exactly(tally.nearest.needed);
    } else {
      row.why_not = main_reason(tally);
    }
  }

  PlacementRow row(Layout layout, int gpus) const {
    PlacementRow row;
    row.layout = layout;
    row.gpus = gpus;
    Job job = job_;
    Phase& phase = phase_at(job, phase_);
    const bool cut = layout == Layout::kTensorParallel;
    const Parallel parallel{cut ? 1 : gpus, cut ? gpus : 1, 1, 1, {}, std::nullopt};
    if (auto* generate = std::get_if<GeneratePhase>(&phase.work)) {
      generate->parallel = parallel;
      measure(job, machines(gpus), row,
              gpus == 1 ? Effort::kOneProcess
              : cut     ? Effort::kModelParallel
                        : Effort::kReplicas);
      return row;
    }
    auto& train = std::get<TrainPhase>(phase.work);
    row.micro_batch = micro_of(cut ? 1 : gpus);
    if (row.micro_batch == 0) {
      row.why_not = "batch " + count_text(batch_) + " is not divisible by " + count_text(gpus);
      return row;
    }
    const bool asked = train.recompute.given();
    fix(train, parallel, layout, row.micro_batch);
    const Effort effort = layout == Layout::kOneGpu       ? Effort::kOneProcess
                          : layout == Layout::kReplicated ? Effort::kDataParallel
                          : cut                           ? Effort::kModelParallel
                                                          : Effort::kSharded;
    const auto measured = [&](PlacementRow plain) {
      PlacementRow again = plain;
      measure(job, machines(gpus), plain, effort);
      if (plain.fits || recompute_ == Recompute::kFull || asked) return plain;
      train.recompute = {Recompute::kFull, {}};
      measure(job, machines(gpus), again, effort);
      train.recompute = {recompute_, {}};
      again.recomputed = true;
      return again.fits || (again.tight && !plain.tight) ? again : plain;
    };
    if (!cut || !chosen_) return measured(row);
    if (const Framework* held = catalogue_.find_framework(train.framework); held != nullptr && held->tensor)
      return measured(row);
    // Of the frameworks gpuplan would think of, the first that cuts layers; then those that it takes by name alone.
    std::vector<const Framework*> able;
    for (const Framework& framework : catalogue_.frameworks)
      if (framework.trains && framework.tensor && can_train(framework, train, start_, {})) able.push_back(&framework);
    sort_stably(able, {}, [](const Framework* f) { return std::pair(f->pretrain <= 0, f->pretrain); });
    row.why_not = "no supported framework";
    for (const Framework* framework : able) {
      train.framework = framework->name;
      PlacementRow tried = row;
      tried.why_not.clear();
      tried = measured(tried);
      if (tried.needed.p50 > Bytes{}) return tried;
      if (framework == able.front()) row.why_not = tried.why_not;
    }
    return row;
  }

  void fix(TrainPhase& train, const Parallel& parallel, Layout layout, int micro) const {
    train.parallel = parallel;
    train.parallel.sharding = layout == Layout::kOptimizerSharded ? Sharding::kZero1
                              : layout == Layout::kFullySharded   ? Sharding::kZero3
                                                                  : Sharding::kNone;
    train.micro = {micro, {}};
    train.accumulate = {};
    // Without a batch the step is what is at work at once.
    if (!train.batch && !train.batch_by_gpu.given()) train.accumulate = {1, {}};
    train.recompute = {recompute_, {}};
    train.offload = {offload_, {}};
  }

  /// Every model on a GPU of its own, all of them at work on the same samples.
  PlacementRow apart(int gpus) const {
    PlacementRow fullest;
    fullest.layout = Layout::kModelsApart;
    fullest.gpus = gpus;
    const int ranks = gpus / models();
    for (std::size_t i = 0; i < static_cast<std::size_t>(models()); ++i) {
      PlacementRow one = fullest;
      Job job = job_;
      Phase& phase = phase_at(job, phase_);
      std::string name;
      if (auto* generate = std::get_if<GeneratePhase>(&phase.work)) {
        generate->models = {generate->models[i]};
        name = generate->models.front().name;
        generate->parallel = {ranks, 1, 1, 1, {}, std::nullopt};
      }
      if (auto* train = std::get_if<TrainPhase>(&phase.work)) {
        train->models = {train->models[i]};
        name = train->models.front().name;
        one.micro_batch = micro_of(ranks);
        if (one.micro_batch == 0) {
          one.why_not = "batch " + count_text(batch_) + " is not divisible by " + count_text(ranks);
          return one;
        }
        fix(*train, {ranks, 1, 1, 1, {}, std::nullopt}, Layout::kReplicated, one.micro_batch);
      }
      measure(job, machines(ranks), one, Effort::kModelsApart);
      if (one.needed.p50 <= Bytes{}) return one;
      auto models = std::move(fullest.models);
      models.emplace_back(name, one.needed.p50);
      if (i == 0 || one.needed.p50 > fullest.needed.p50) fullest = one;
      fullest.models = std::move(models);
    }
    return fullest;
  }

  Job job_;
  int phase_;
  const Catalogue& catalogue_;
  const Gpu& gpu_;
  double batch_ = 0;  ///< sequences of an optimizer step; 0: as many as the micro-batches make
  int micro_ = 1;
  bool chosen_ = false;  ///< the framework: the job leaves it open
  StartFrom start_ = StartFrom::kWeights;
  Recompute recompute_ = Recompute::kNone;
  Offload offload_ = Offload::kNone;
};

}  // namespace

Result<Placements> placements_of(const Job& job, int phase, const Catalogue& catalogue, const Gpu& gpu,
                                 const std::vector<int>& counts) {
  if (const auto workloads = prepare(job); !workloads) return std::unexpected(workloads.error());
  return Layouts(job, phase, catalogue, gpu).run(counts);
}

}  // namespace gpuplan
