#include "launch/parts/launch_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/words/plan_words.h"
#include "plan/billing/timeline.h"
#include "plan/strategy/practice.h"

namespace gpuplan {
namespace {

constexpr std::size_t kSlugLength = 40;

/// When to stop something that takes so long nine times out of ten: a tenth more, ten minutes at least, in whole
/// minutes. A limit at P90 itself would stop one run in ten that is about to end.
Seconds limit_for(Seconds p90) {
  const Seconds room = std::max(p90 * 0.1, 10 * units::minute);
  return std::ceil((p90 + room) / units::minute) * units::minute;
}

/// "01-validate".
std::string numbered(std::size_t position, std::string_view name) {
  const std::string number = std::to_string(position + 1);
  return (number.size() < 2 ? "0" : "") + number + "-" + slug_of(name, kSlugLength, "phase");
}

Error mismatch(const Phase& phase, const std::string& what) {
  return {"phases." + printable(phase.name, 60) + ": " + what, {}, false};
}

/// Nothing is written whose numbers do not go together: a launcher's arithmetic is the plan's.
Result<void> check_numbers(const Phase& phase, const PhaseEstimate& estimate, const LaunchPhase& laid) {
  if (!estimate.node) return {};
  if (estimate.gpus != laid.nodes * laid.gpus)
    return std::unexpected(mismatch(phase, std::to_string(estimate.gpus) + " GPUs do not divide evenly over " +
                                               std::to_string(laid.nodes) + " machines"));
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  const bool cut = train != nullptr || std::holds_alternative<GeneratePhase>(phase.work);
  const Strategy& s = estimate.strategy;
  if (cut && s.placement == Placement::kInTurn && s.gpus() != estimate.gpus)
    return std::unexpected(mismatch(phase, "dp " + std::to_string(s.dp) + " x tp " + std::to_string(s.tp) + " x pp " +
                                               std::to_string(s.pp) + " x cp " + std::to_string(s.cp) + " are not " +
                                               std::to_string(estimate.gpus) + " GPUs"));
  const double sequences = static_cast<double>(s.dp) * s.micro_batch * s.grad_accum;
  if (train != nullptr && estimate.batch > 0 && sequences != estimate.batch)
    return std::unexpected(
        mismatch(phase, "a batch of " + number_text(estimate.batch) + " sequences is not " + std::to_string(s.dp) +
                            " ranks x micro-batch " + std::to_string(s.micro_batch) + " x gradient accumulation " +
                            std::to_string(s.grad_accum) + "; set micro and accumulate that divide it"));
  return {};
}

/// For each phase those that must have ended before it, directly or not.
std::vector<std::vector<bool>> ancestors_of(const std::vector<LaunchPhase>& phases) {
  std::vector<std::vector<bool>> all(phases.size(), std::vector<bool>(phases.size(), false));
  for (std::size_t i = 0; i < phases.size(); ++i)
    for (const int need : phases[i].needs) {
      const auto before = static_cast<std::size_t>(need);
      all[i][before] = true;
      for (std::size_t j = 0; j < phases.size(); ++j)
        if (all[before][j]) all[i][j] = true;
    }
  return all;
}

class GroupLayout {
 public:
  explicit GroupLayout(Launch& launch) : launch_(launch) {}

  Result<void> lay_out() {
    if (auto good = phases(); !good) return good;
    groups();
    return {};
  }

 private:
  Result<void> phases() {
    // Scripts stand in the job's own order wherever needs allow.
    std::vector<Slot> slots = slots_of(launch_.job);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].rank = static_cast<int>(i);
      slots[i].gpus = launch_.plan.phases[i].estimate->gpus;
      slots[i].on_machine = slots[i].on_machine || slots[i].gpus > 0;
    }
    const std::vector<int> order = sorted(slots);
    position_.assign(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) position_[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto at = static_cast<std::size_t>(order[i]);
      LaunchPhase laid;
      laid.phase = &launch_.job.phases[at];
      laid.part = &launch_.plan.phases[at];
      laid.slug = numbered(i, laid.phase->name);
      if (laid.part->estimate->lighter) laid.lighter = gpuplan::lighter(std::get<TrainPhase>(laid.phase->work));
      for (const int need : slots[at].needs) laid.needs.push_back(position_[static_cast<std::size_t>(need)]);
      std::ranges::sort(laid.needs);
      const PhaseEstimate& estimate = laid.part->estimate;
      // A phase that needs fewer GPUs than a machine has runs on the first of them.
      laid.nodes = estimate.node && estimate.gpus > 0 ? estimate.node->machines_for(estimate.gpus) : 1;
      laid.gpus = estimate.gpus / std::max(laid.nodes, 1);
      laid.limit = limit_for(laid.part->hours.p90);
      if (auto good = check_numbers(*laid.phase, estimate, laid); !good) return good;
      launch_.phases.push_back(std::move(laid));
    }
    for (const LaunchPhase& laid : launch_.phases)
      for (const int need : laid.needs) {
        LaunchPhase& before = launch_.phases[static_cast<std::size_t>(need)];
        before.gated = before.gated || !before.phase->succeed_when.empty();
      }
    return {};
  }

  void groups() {
    for (const Lease& lease : launch_.plan.leases) {
      LaunchGroup group;
      group.lease = &lease;
      for (const int phase : lease.phases) group.phases.push_back(position_[static_cast<std::size_t>(phase)]);
      std::ranges::sort(group.phases);
      if (!group.phases.empty()) launch_.groups.push_back(std::move(group));
    }
    sort_stably(launch_.groups, {}, [](const LaunchGroup& group) { return group.phases.front(); });
    const auto ancestors = ancestors_of(launch_.phases);
    for (std::size_t g = 0; g < launch_.groups.size(); ++g) {
      LaunchGroup& group = launch_.groups[g];
      Seconds p90{};
      Seconds work{};
      for (const int phase : group.phases) {
        LaunchPhase& laid = launch_.phases[static_cast<std::size_t>(phase)];
        laid.group = static_cast<int>(g);
        p90 += laid.part->hours.p90;
        work += laid.part->hours.p50;
      }
      // Between its phases the machine may wait for others.
      group.limit = limit_for(p90 + std::max(group.lease->to - group.lease->from - work, Seconds{}));
      group.slug = group.phases.size() == 1 ? launch_.phases[static_cast<std::size_t>(group.phases.front())].slug
                                            : "machine-" + std::to_string(g + 1);
    }
    for (std::size_t g = 0; g < launch_.groups.size(); ++g)
      for (std::size_t other = 0; other < launch_.groups.size(); ++other) {
        const auto first = static_cast<std::size_t>(launch_.groups[g].phases.front());
        if (g != other && std::ranges::all_of(launch_.groups[other].phases, [&](int phase) {
              return ancestors[first][static_cast<std::size_t>(phase)];
            }))
          launch_.groups[g].needs.push_back(static_cast<int>(other));
      }
  }

  Launch& launch_;
  std::vector<int> position_;  ///< of the job's phases in Launch::phases
};

}  // namespace

Seconds checkpoint_time(const PhaseEstimate& estimate) {
  return estimate.checkpoint_rate.value > 0 ? estimate.checkpoint_bytes / estimate.checkpoint_rate : Seconds{};
}

Seconds stopping_time(const PhasePlan& part) { return 3 * checkpoint_time(part.estimate) + part.seconds_per_step.p90; }

int stop_seconds(const PhasePlan& part) {
  return static_cast<int>(std::min(stopping_time(part) + 1 * units::minute, 1 * units::hour) / units::second);
}

Result<void> check_launch_name(const std::string& name) {
  constexpr std::size_t kLongest = 60;
  const auto plain = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; };
  // "runs", "phases" and launchers' folders stand beside the script, whose ending tells it from them.
  if (!name.empty() && name.size() <= kLongest && std::ranges::all_of(name, plain) && name.front() != '-') return {};
  return wrong_use("--name: '" + printable(name, kLongest) +
                   "' cannot name files and jobs; expected letters, digits, '_' and '-' (at most " +
                   std::to_string(kLongest) + "), as in train_8xA100_fast");
}

std::string single_name(const Launch& launch) {
  const LaunchPhase& laid = launch.phases.front();
  std::string name = slug_of(laid.phase->name, kSlugLength, "phase");
  if (laid.part->offer == nullptr || laid.gpus == 0) return name;
  name += "_" + (laid.nodes > 1 ? std::to_string(laid.nodes) + "x" : "") + std::to_string(laid.gpus) + "x";
  for (const char c : laid.part->offer->gpu.str())
    if (is_letter(c) || is_digit(c)) name += c;
    else if (name.back() != '_') name += '_';
  return name;
}

bool brings_code(const Phase& phase) {
  const auto* cpu = std::get_if<CpuPhase>(&phase.work);
  return !phase.command.empty() || (phase.setup && !phase.setup->text.empty()) ||
         (cpu != nullptr && !cpu->command.empty());
}

Result<Launch> lay_out_phases(const Job& job, const Plan& plan, const Catalogue& catalogue, std::string plan_name,
                              std::string command) {
  Launch launch{.job = job,
                .plan = plan,
                .catalogue = catalogue,
                .slug = slug_of(job.name, kSlugLength, "job"),
                .plan_name = std::move(plan_name),
                .command = std::move(command)};
  if (auto good = GroupLayout(launch).lay_out(); !good) return std::unexpected(good.error());
  return launch;
}

}  // namespace gpuplan
