#include "plan/notes/assumptions.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "model/generation/generation.h"
#include "model/training/host_memory.h"
#include "model/training/training.h"
#include "plan/billing/interruptions.h"
#include "plan/notes/collection_notes.h"
#include "plan/notes/command_text.h"
#include "plan/notes/interruption_notes.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {

namespace {

/// Whether time beside the work is what data/assumptions.csv says.
bool assumes_time(const Plan& plan) {
  return std::ranges::any_of(plan.phases, [](const PhasePlan& part) {
    for (std::size_t i = 0; i < kTimeTerms; ++i)
      if (part.estimate->origins[i] == TermOrigin::kAssumed && part.estimate->terms[i].p50 > Seconds{}) return true;
    return false;
  });
}

/// "collect": phases whose many results leave rented machines at no price.
std::vector<std::string> leave_free_of_charge(const Job& job, const std::vector<Plan>& plans) {
  constexpr Bytes kMuch{5e10};  // below it, what others ask for traffic decides nothing
  std::vector<std::string> names;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const int phase = static_cast<int>(i);
    const auto leaves = [&](const Plan& plan) {
      return plan.on_frontier && std::ranges::any_of(plan.phases, [&](const PhasePlan& part) {
               return part.estimate->phase == phase && part.estimate->results_bytes >= kMuch && part.offer != nullptr &&
                      part.offer->kind == OfferKind::kRented && !part.offer->egress_price &&
                      !part.estimate->egress_price;
             });
    };
    if (results_leave(job, phase) && std::ranges::any_of(plans, leaves)) names.push_back(job.phases[i].name);
  }
  return names;
}

/// Phases whose GPUs are given back while somebody works.
std::string worked_without(const Job& job) {
  std::vector<std::string> names;
  for (const Phase& phase : job.phases) {
    const auto* fixed = std::get_if<FixedPhase>(&phase.work);
    if (let_go(job, phase) && fixed->gpus > 0) names.push_back(phase.name);
  }
  return listed(names);
}

/// Conditions that the job names and that no offer's row can answer.
std::string unanswered(const Where& where, const std::vector<Plan>& plans) {
  std::vector<std::string> names;
  const auto says = [](const Plan& plan) { return plan.offer != nullptr && plan.offer->reliability > 0; };
  if (where.reliability && std::ranges::none_of(plans, says)) names.push_back("reliability");
  if (where.inet_down) names.push_back("inet_down");
  if (where.disk) names.push_back("disk");
  return listed(names);
}

bool keeps_in_memory(const CollectionUse& use) { return use.any() && !use.on_disk; }

/// Host memory that nobody states and a plan uses, once for each machine of one's own.
void add_host_memory(const Catalogue& catalogue, const std::vector<Plan>& plans, std::vector<std::string>& lines) {
  bool rented = false;
  std::vector<std::string> told;
  for (const Plan& plan : plans)
    for (const PhasePlan& part : plan.phases) {
      const PhaseEstimate& estimate = part.estimate;
      const bool unknown = part.offer != nullptr && estimate.node && estimate.node->ram <= Bytes{};
      const bool used = estimate.strategy.offload != Offload::kNone || keeps_in_memory(estimate.collection);
      if (!plan.on_frontier || !unknown || !used) continue;
      if (part.offer->kind == OfferKind::kRented) {
        rented = true;
      } else if (std::ranges::find(told, part.offer->label.str()) == told.end()) {
        told.push_back(part.offer->label);
        lines.push_back(printable(part.offer->label, 60) + " has " +
                        to_text(unstated_host_memory(catalogue.training_constants, *estimate.node)) +
                        " of memory (RAM), as far as its GPUs tell; plans use up to " + to_text(estimate.host_memory) +
                        " of it. State it with ram: in " + (part.offer->kind == OfferKind::kPool ? "pools." : "own."));
      }
    }
  if (rented)
    lines.push_back(
        "rented machines of unknown memory (RAM) count as having as much as their GPUs, those with small GPUs up to 96 "
        "GiB "
        "a GPU; no plan uses more.");
}

std::string adapter_words(const Offer& pool) {
  const std::string rate = number_text(pool.network.value * 8 / 1e9) + " Gbit/s";
  return "machines of pool " + printable(pool.label, 60) + " have " + rate + " between them, all " +
         count_text(pool.gpus) +
         " GPUs of one together; with an adapter for each GPU write network: " + count_text(pool.gpus) + "x " + rate +
         ".";
}

/// Pools whose rate between machines reads like that of one adapter, where each GPU may have its own.
void add_adapters(const std::vector<Plan>& plans, std::vector<std::string>& lines) {
  constexpr BytesPerSecond kOneAdapter{100e9 / 8};
  std::vector<std::string> told;
  for (const Plan& plan : plans) {
    if (!plan.on_frontier || plan.nodes < 2 || plan.offer == nullptr || plan.offer->kind != OfferKind::kPool) continue;
    const Offer& pool = *plan.offer;
    if (pool.gpus < 2 || pool.network < kOneAdapter || pool.network / pool.gpus >= kOneAdapter) continue;
    if (std::ranges::find(told, pool.label.str()) != told.end()) continue;
    told.push_back(pool.label);
    lines.push_back(adapter_words(pool));
  }
}

/// Whose machines exchange over a network that nobody knows.
void add_unknown_networks(const std::vector<Plan>& plans, std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const Plan& plan : plans) {
    if (!plan.on_frontier || plan.nodes < 2 || plan.offer == nullptr) continue;
    if (plan.node.gpu == nullptr || plan.node.network > BytesPerSecond{}) continue;
    const std::string name = plan.offer->provider.empty() ? "this market" : printable(plan.offer->provider, 40);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (!names.empty())
    lines.push_back(to_text(kUnknownNetwork) + " between machines of " + listed(names) +
                    ", whose network no row of data/nodes.csv names.");
}

}  // namespace

std::string slots_words(const Job& job, const Catalogue& catalogue, const PhaseEstimate& estimate) {
  const auto* generate = std::get_if<GeneratePhase>(&job.phases[static_cast<std::size_t>(estimate.phase)].work);
  if (generate == nullptr || estimate.framework == nullptr || generate->batch.given()) return "";
  const double slots = engine_profile(catalogue, *estimate.framework).slots;
  if (slots <= 0 || estimate.strategy.micro_batch < slots) return "";
  return estimate.framework->name + " takes " + count_text(slots) +
         " requests at once per replica, as its server does by default (batch: 32, --batch 32, for more).";
}

std::string software_words(const Catalogue& catalogue, std::span<const Plan> plans) {
  if (catalogue.errors.own_runs > 0) return "";
  std::vector<std::string> names;
  for (const Plan& plan : plans) {
    if (plans.size() > 1 && !plan.on_frontier) continue;
    for (const PhasePlan& part : plan.phases) {
      const ErrorLabels& labels = part.estimate->labels;
      if (!part.estimate->work_is_model || labels.software_publishers > 0 || labels.software.empty()) continue;
      std::string name(labels.software);
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names.empty() ? "" : listed(names) + " as fast as programs of the kind, for want of measured runs.";
}

std::string rollout_words(const Job& job) {
  std::vector<std::string> without_reward_time;
  bool any = false;
  for (const Phase& phase : job.phases) {
    const auto* train = std::get_if<TrainPhase>(&phase.work);
    if (train == nullptr || !train->rollouts) continue;
    any = true;
    if (!train->rollouts->reward_time) without_reward_time.push_back(printable(phase.name, 30));
  }
  if (!any) return "";
  std::string text = "answers are given as fast as vLLM alone gives them, for want of measured runs of GRPO";
  if (!without_reward_time.empty())
    text += "; rewards take no time" + (job.phases.size() > 1 ? " in " + listed(without_reward_time) : "") +
            " (rollouts: {reward_time: 2 s})";
  return text + ".";
}

std::vector<std::string> assumptions(const Job& job, const Catalogue& catalogue, const std::vector<Plan>& plans) {
  std::vector<std::string> lines = job.assumed;
  if (std::string words = assumed_rate_words(job, plans); !words.empty()) lines.push_back(std::move(words));
  for (const Plan& plan : plans)
    for (const PhasePlan& part : plan.phases) {
      std::string words = slots_words(job, catalogue, *part.estimate);
      if (!words.empty() && std::ranges::find(lines, words) == lines.end()) lines.push_back(std::move(words));
    }
  if (std::string words = software_words(catalogue, plans); !words.empty()) lines.push_back(std::move(words));
  if (std::string words = rollout_words(job); !words.empty()) lines.push_back(std::move(words));
  if (std::ranges::any_of(plans, assumes_time))
    lines.push_back(
        "typical rates of disks and networks for downloads, loading and checkpoints (--explain); storage, or setup and "
        "overhead of a phase, replace them.");
  if (const std::string names = worked_without(job); !names.empty())
    lines.push_back("during manual work in " + names +
                    " the GPUs are not needed: schedule: stop_when_idle releases them. With schedule: best or keep, or "
                    "on: with the name of a phase, they stay.");
  if (const std::string names = unanswered(job.where, plans); !names.empty())
    lines.push_back("every offer has the " + names + " required: the offers do not list it.");
  add_host_memory(catalogue, plans, lines);
  add_adapters(plans, lines);
  add_unknown_networks(plans, lines);
  for (const Phase& phase : job.phases) {
    const auto* train = std::get_if<TrainPhase>(&phase.work);
    if (train == nullptr || !train->batch || !train->epochs) continue;
    const double sequences = train->batch->sequences.value_or(0);
    double samples = train->data.samples.value_or(0);
    if (train->data.tokens && train->sequence.value_or(0) > 0) samples = train->data.tokens->value / *train->sequence;
    if (samples > 0 && sequences > samples * *train->epochs)
      lines.push_back("phases." + phase.name + ": one step of the whole batch of " + count_text(sequences) +
                      " sequences is more than all data (" + count_text(samples * *train->epochs) +
                      "); a batch in tokens is written batch: {tokens: 0.5M}.");
  }
  add_collection_notes(job, plans, lines);
  if (const auto names = leave_free_of_charge(job, plans); !names.empty())
    lines.push_back("results of " + listed(names) +
                    " are downloaded free of charge: no offer lists egress_price (storage.egress_price).");
  const auto frontier = [&](auto holds) {
    return std::ranges::any_of(plans, [&](const Plan& p) { return p.on_frontier && p.offer && holds(p); });
  };
  if (frontier([&](const Plan& p) { return p.offer->preemptible && !interruption_rate(job, *p.offer); }))
    lines.push_back("no preemption in the preemptible pool (spot.interruptions).");
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const auto cut_short = [&](const Plan& plan) {
      return std::ranges::any_of(plan.phases, [&](const PhasePlan& part) {
        const bool taken = part.offer != nullptr && (part.spot || part.offer->preemptible);
        return plan.on_frontier && part.estimate->phase == static_cast<int>(i) && (taken || part.estimate->jobs > 1);
      });
    };
    if (!command_resumes(job.phases[i]) && std::ranges::any_of(plans, cut_short))
      lines.push_back("phases." + job.phases[i].name +
                      ": its command finds its own checkpoints when it is started again; it names no {checkpoints}.");
  }
  add_interruption_notes(job, plans, lines);
  return lines;
}

}  // namespace gpuplan
