#include "output/words/plan_words.h"

#include <cmath>
#include <variant>

#include "base/amount.h"
#include "base/text.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

using std::to_string;

std::string length_words(const Length& length) {
  return count_short(length.mean) +
         (length.max > length.mean ? " tokens (up to " + count_short(length.max) + ")" : " tokens");
}

std::string models_words(const std::vector<ModelUse>& models) {
  if (models.empty()) return "no model";
  std::string text;
  if (models.size() > 2) return to_string(models.size()) + " models";
  for (const ModelUse& model : models) {
    if (!text.empty()) text += " and ";
    text += model.name.empty() ? count_short(model.params()) + " parameters" : printable(model.name, 60);
  }
  return text;
}

/// What is done to the weights, as people call it.
std::string method_words(const TrainPhase& train) {
  if (train.objective != Objective::kNextToken) {
    const std::string name = train.objective == Objective::kDpo ? "DPO" : "GRPO";
    return train.method == Method::kFull
               ? name + " of "
               : name + " (" + std::string(train.method == Method::kQlora ? "QLoRA" : "LoRA") + ") of ";
  }
  switch (train.method) {
    case Method::kLora:
      return "LoRA fine-tuning of ";
    case Method::kQlora:
      return "QLoRA fine-tuning of ";
    case Method::kFull:
    case Method::kFrozen:
      break;
  }
  return train.method == Method::kFrozen ? "training on top of frozen " : "training of ";
}

std::string train_words(const TrainPhase& train) {
  std::string text = method_words(train) + models_words(train.models);
  if (train.data.samples)
    text +=
        " on " + count_short(*train.data.samples) + " " + sample_word(train) + (*train.data.samples == 1 ? "" : "s");
  if (train.data.tokens)
    text += (train.data.samples ? ", " : " on ") + count_short(train.data.tokens->value) + " tokens";
  if (train.epochs) text += ", " + count_of(*train.epochs, "epoch");
  if (train.steps) text += ", " + count_of(*train.steps, "step");
  if (train.steps_at_batch) text += " at batch " + count_text(*train.steps_at_batch);
  return text;
}

std::string generate_words(const GeneratePhase& generate) {
  double samples = 0;
  for (const Prompts& prompts : generate.data) samples += prompts.samples;
  std::string text = models_words(generate.models);
  text += ", " + count_short(samples) + (samples == 1 ? " sample" : " samples") +
          (generate.models.size() > 2 ? " each" : "");
  if (generate.data.size() == 1 && !generate.forward_only)
    text += ", " + length_words(generate.data.front().new_tokens) + " of output each";
  return text;
}

struct WorkWords {
  std::string operator()(const TrainPhase& train) const { return train_words(train); }
  std::string operator()(const GeneratePhase& generate) const { return generate_words(generate); }
  std::string operator()(const WorkPhase& work) const {
    return count_of(work.items, "item") + ", " + count_of(static_cast<double>(work.each.size()), "stage") + ", " +
           count_of(work.workers, "worker");
  }
  std::string operator()(const FixedPhase& fixed) const {
    return (fixed.human ? "manual work, " : "fixed time, ") + to_text(fixed.time.range.p50);
  }
  std::string operator()(const CpuPhase& cpu) const { return "CPU only, " + to_text(cpu.time.range.p50); }
};

void add(std::string& text, const std::string& part) {
  if (!text.empty()) text += ", ";
  text += part;
}

std::string degree(const char* name, int value) { return std::string(name) + " " + to_string(value); }

std::string offload_words(Offload offload) { return "CPU offload (" + offloaded_words(offload) + ")"; }

std::string training_strategy(const PhaseEstimate& estimate) {
  const Strategy& s = estimate.strategy;
  std::string text;
  // People say "data parallel" where it is all there is, and count the letters of the alphabet where it is not.
  const bool alone = s.tp * s.pp * s.cp * s.ep == 1;
  if (s.dp > 1) add(text, degree(alone ? "data parallel" : "dp", s.dp));
  if (s.tp > 1) add(text, degree("tp", s.tp));
  if (s.pp > 1) add(text, degree("pp", s.pp));
  if (s.interleave > 1) add(text, degree("vpp", s.interleave));
  if (s.cp > 1) add(text, degree("cp", s.cp));
  if (s.ep > 1) add(text, degree("ep", s.ep));
  if (s.sharding != Sharding::kNone) add(text, sharded_words(s.sharding));
  add(text, degree("micro-batch", s.micro_batch));
  if (s.grad_accum > 1) add(text, degree("gradient accumulation", s.grad_accum));
  if (s.offload != Offload::kNone) add(text, offload_words(s.offload));
  if (s.recompute != Recompute::kNone) add(text, std::string(name_of(s.recompute)) + " activation checkpointing");
  if (s.attention == AttentionKernel::kEager) add(text, "eager attention");
  add(text, estimate.lighter ? "pure bf16, 8-bit AdamW" : std::string(name_of(s.precision)));
  if (s.compile) add(text, "compiled");
  if (const auto& rollouts = estimate.rollouts)
    add(text, "vLLM in " + percent(rollouts->share) + " of " +
                  (s.dp == 1          ? "the GPU"
                   : rollouts->tp > 1 ? "each GPU, tp " + to_string(rollouts->tp)
                                      : "each GPU"));
  return text;
}

std::string generation_strategy(const PhaseEstimate& estimate, const GeneratePhase& phase) {
  const Strategy& s = estimate.strategy;
  const bool apart = phase.models.size() > 1 && s.placement == Placement::kOneModelPerGpu && s.dp > 1;
  std::string text = apart ? "one model per GPU" : s.dp > 1 ? to_string(s.dp) + " replicas" : std::string();
  if (s.tp > 1) add(text, degree("tp", s.tp));
  if (s.pp > 1) add(text, degree("pp", s.pp));
  if (s.ep > 1) add(text, degree("ep", s.ep));
  if (phase.models.size() > 1 && !apart) add(text, "models one after another");
  // What an engine is given to do at once, or what a script takes together.
  const bool requests = s.micro_batch > 1 && !phase.forward_only &&
                        (phase.situation == Situation::kSaturated || phase.situation == Situation::kConcurrency);
  const std::string each = s.dp > 1 && !apart && s.micro_batch > 1 ? " each" : "";
  add(text,
      (requests ? to_string(s.micro_batch) + " concurrent requests" : degree("batch size", s.micro_batch)) + each);
  // Neither memory nor the engine takes as many at once as the job sends.
  const double held = static_cast<double>(s.micro_batch) * s.dp;
  if (phase.concurrency && std::min(*phase.concurrency, estimate.units) > held)
    text += " (" + count_text(*phase.concurrency) + " asked, the others wait)";
  const std::string bits = phase.weight_bits ? " of " + number_text(*phase.weight_bits) + " bits" : std::string();
  add(text, std::string(name_of(s.weights)) + " weights" + bits);
  if (phase.speculation) add(text, to_string(phase.speculation->tokens) + " draft tokens (speculative decoding)");
  return text;
}

/// Dollars with three digits and without the sign that stands beside them.
std::string bare_dollars(Dollars money) {
  const double value = money.value;
  if (value > 0 && value < 0.00995) return significant_text(value, 2);
  return value >= 99.95 ? count_text(value) : value >= 9.995 ? fixed_text(value, 1) : fixed_text(value, 2);
}

/// The unit a time is best read in.
struct TimeUnit {
  const char* name;
  Seconds one;
};
TimeUnit unit_for(Seconds time) {
  if (time >= 0.95 * units::hour) return {" h", units::hour};
  if (time >= 10 * units::minute) return {" min", units::minute};
  if (time >= Seconds{0.95}) return {" s", units::second};
  if (time >= Seconds{0.95e-3}) return {" ms", units::millisecond};
  return {" us", units::microsecond};
}

std::string in_unit(Seconds time, const TimeUnit& unit) {
  const double value = time / unit.one;
  return value >= 99.95 ? count_text(value) : significant_text(value, value >= 9.95 ? 3 : 2);
}

}  // namespace

std::string sharded_words(Sharding sharding) {
  switch (sharding) {
    case Sharding::kZero1:
      return "ZeRO-1";
    case Sharding::kZero2:
      return "ZeRO-2";
    case Sharding::kZero3:
      return "ZeRO-3";
    case Sharding::kHsdp:
      return "HSDP";
    case Sharding::kNone:
      break;
  }
  return "";
}

std::vector<std::string> beside_machines_words(const Plan& plan, double least) {
  std::vector<std::string> words;
  const auto add = [&](Dollars money, const char* what) {
    if (money > Dollars{} && money >= least * plan.cost.p50) words.push_back(short_money(money) + " of it for " + what);
  };
  add(plan.disk, "disk space");
  add(plan.egress, "results sent out (egress)");
  return words;
}

std::string cost_words(const Outcome<Dollars>& cost) { return cost.p90 <= Dollars{} ? "no charge" : to_text(cost.p50); }

std::string listed_few(std::vector<std::string> names) {
  constexpr std::size_t kMost = 3;
  if (names.size() > kMost) {
    const std::size_t more = names.size() - (kMost - 1);
    names.resize(kMost - 1);
    names.push_back(std::to_string(more) + " others");
  }
  return listed(names);
}

std::string percent(double share) { return percent_text(share); }

std::string short_money(Dollars money) {
  const double size = money.value < 0 ? -money.value : money.value;
  if (size > 0 && size < 0.00995) return (money.value < 0 ? "-$" : "$") + significant_text(size, 1);
  const double cents = size * 100 - 100 * static_cast<double>(static_cast<long long>(size < 1e12 ? size : 0));
  if (size >= 10 || (size > 0.5 && cents < 0.5)) return (money.value < 0 ? "-$" : "$") + count_text(size);
  return to_text(money);
}

std::string hours_words(Seconds time) {
  if (time < Seconds{}) return "-" + hours_words(-time);
  if (time == Seconds{}) return "0 s";
  if (time >= 0.95 * units::hour) return hours_text(time) + " h";
  if (time >= 10 * units::minute) return count_text(time / units::minute) + " min";
  if (time >= units::minute) return significant_text(time / units::minute, 2) + " min";
  if (time >= Seconds{0.95}) return significant_text(time.value, 2) + " s";
  return to_text(time);
}

std::string hours_label(double hours) {
  if (hours == 0) return "0";
  return hours > 0 && hours < 0.95 ? hours_words(hours * units::hour)
         : hours >= 99.5           ? count_text(hours) + " h"
                                   : significant_text(hours, 3) + " h";
}

std::string money_label(double dollars) { return dollars == 0 ? "$0" : short_money(Dollars{dollars}); }

std::string range_words(const Interval<Seconds>& time) {
  const TimeUnit unit = unit_for(time.p50);
  std::string figure = in_unit(time.p50, unit);
  if (time.exact()) return figure + unit.name;
  // A median that happens to be whole is as exact as its neighbours.
  const auto has_point = [](const std::string& text) { return text.find('.') != std::string::npos; };
  if (!has_point(figure) && has_point(in_unit(time.p10, unit)) && figure.size() < 3) figure += ".0";
  const std::string range = range_text(in_unit(time.p10, unit), in_unit(time.p90, unit));
  if (range.find(kRangeDash) == std::string::npos) return figure + unit.name;  // as narrow as its figures
  return figure + unit.name + " (" + range + ")";
}

std::string range_words(const Outcome<Dollars>& cost) {
  if (cost.p90 <= Dollars{}) return "no charge";
  const std::string median = to_text(cost.p50);
  return cost.p10 == cost.p90 ? median : median + " (" + outcome_text(cost) + ")";
}

std::string times_words(double ratio) {
  // Close to one a single digit would hide the difference.
  if (ratio >= 0.95 && ratio < 1.095) return fixed_text(ratio, 2) + "x";
  if (ratio >= 1.095 && ratio < 9.95) return fixed_text(ratio, 1) + "x";
  return (ratio >= 99.5 ? count_text(ratio) : significant_text(ratio, 2)) + "x";
}

std::string outcome_text(const Outcome<Seconds>& hours) {
  return range_text(hours_text(hours.p10), hours_text(hours.p90));
}

std::string outcome_text(const Outcome<Dollars>& cost) {
  return cost.p90 <= Dollars{} ? std::string() : range_text(bare_dollars(cost.p10), bare_dollars(cost.p90));
}

std::string chance_words(double chance) {
  if (chance > 0.995) return "> 99%";
  if (chance < 0.005) return "< 1%";
  return percent(chance);
}

std::string chance_words(double chance, bool enough) {
  // Of one that just misses what is asked nobody reads that it is reached.
  return chance_words(enough || chance >= 0.995 ? chance : std::floor(chance * 100) / 100);
}

std::string gib_text(Bytes size) {
  const double gib = size / units::GiB;
  return gib >= 99.95 ? count_text(gib) : gib >= 0.95 ? fixed_text(gib, 1) : significant_text(gib, 2);
}

std::string beside_others_words(const Plan& plan) {
  constexpr double kSeen = 1.03;
  Seconds last{};
  bool beside = false;
  for (const PhasePlan& part : plan.phases) {
    beside = beside || (part.gpus_billed > 0 && part.start < last);
    last = std::max(last, end_of(part));
  }
  if (!beside || plan.hours.p50 <= last * kSeen) return "";
  return "Phases run side by side, and the job waits for the latest: " + hours_words(plan.hours.p50) +
         " at the median, though none of them alone is expected to end after " + hours_words(last) + ".";
}

std::string memory_words(const Plan& plan) {
  const PhasePlan* fullest = plan.fullest();
  if (fullest == nullptr || !fullest->estimate->node || fullest->estimate->node->gpu == nullptr) return "–";
  return gib_text(fullest->estimate->memory_total.p50) + " of " + gib_text(fullest->estimate->node->gpu->usable) +
         " GiB";
}

std::string repeated_words(const Plan& plan) {
  constexpr double kSeen = 0.01;
  if (plan.interruptions <= 0 || plan.spot_loss < kSeen * plan.hours.mean) return "";
  return " Of the hours, " + hours_words(plan.spot_loss) +
         " go into interruptions, work done again and checkpoints (mean).";
}

std::optional<double> target_chance(const Plan& plan) {
  std::optional<double> chance;
  for (const PhasePlan& part : plan.phases)
    if (part.estimate->serving && part.estimate->serving->chance)
      chance = std::min(chance.value_or(1), *part.estimate->serving->chance);
  return chance;
}

std::string limits_words(const Plan& plan) {
  std::vector<std::string> missed;
  // Kept more often than not, and not as surely as was asked.
  const auto perhaps = [](const std::optional<double>& chance) { return chance && *chance >= 0.5; };
  if (!plan.meets_deadline) missed.emplace_back(perhaps(plan.chance_in_time) ? "may be late" : "misses deadline");
  if (!plan.meets_budget) missed.emplace_back(perhaps(plan.chance_in_budget) ? "may exceed budget" : "over budget");
  if (!plan.reaches_target) missed.emplace_back(perhaps(target_chance(plan)) ? "may miss target" : "misses target");
  return plan.keeps_limits() ? "ok" : join(missed, ", ");
}

std::string upper_first(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string offloaded_words(Offload offload) {
  std::string text;
  const auto parts = static_cast<unsigned>(offload);
  if ((parts & static_cast<unsigned>(Offload::kOptimizer)) != 0) add(text, "optimizer");
  if ((parts & static_cast<unsigned>(Offload::kParams)) != 0) add(text, "weights");
  if ((parts & static_cast<unsigned>(Offload::kActivations)) != 0) add(text, "activations");
  return text;
}

std::string sample_word(const TrainPhase& train) {
  return train.rollouts ? "prompt" : train.rows() > 1 ? "pair" : "sample";
}

std::string phase_words(const Phase& phase) { return std::visit(WorkWords{}, phase.work); }

std::string strategy_words(const PhaseEstimate& estimate, const Phase& phase) {
  if (!estimate.node) return "";
  std::string text;
  if (std::holds_alternative<TrainPhase>(phase.work)) text = training_strategy(estimate);
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work)) text = generation_strategy(estimate, *generate);
  if (!text.empty() && estimate.framework != nullptr) add(text, estimate.framework->name);
  return text;
}

std::string rate_words(const PhasePlan& plan, const Phase& phase) {
  const PhaseEstimate& estimate = plan.estimate;
  if (!estimate.node || estimate.work.p50 <= Seconds{}) return "";
  if (std::holds_alternative<TrainPhase>(phase.work) && estimate.steps > 0 && plan.seconds_per_step.p50 > Seconds{}) {
    return count_of(estimate.steps, "step") + " x " + range_words(plan.seconds_per_step);
  }
  if (std::holds_alternative<GeneratePhase>(phase.work) && plan.tokens_per_second.p50 > TokensPerSecond{}) {
    const double all = plan.tokens_per_second.p50.value;
    const std::string each = estimate.gpus > 1 ? ", " + rate_text(all / estimate.gpus) + " per GPU" : "";
    return rate_text(all) + " tokens/s" + each;
  }
  return "";
}

std::string price_words(const Offer& offer, bool spot) {
  const auto& price = spot ? offer.spot_price : offer.price;
  if (!price) return "no price";
  std::string text = to_text(price->p50);
  if (!price->exact()) text += " (" + range_text(to_text(price->p10), to_text(price->p90)) + ")";
  return text + (offer.kind == OfferKind::kPool ? " per GPU" : "");
}

std::string paid_price_words(const Plan& plan) {
  if (plan.leases.empty() || !plan.leases.front().own_price) return price_words(*plan.offer, plan.spot);
  const DollarsPerSecond each = *plan.leases.front().own_price / std::max(plan.nodes, 1);
  return (each > DollarsPerSecond{} ? to_text(each) : std::string("$0/h")) + " on your own terms";
}

std::string term_words(const Billing& billing) {
  return billing.term > Seconds{} ? " x " + to_text(billing.term) : std::string();
}

std::string billing_words(const Billing& billing) {
  if (billing.term > Seconds{}) return "in whole terms of " + to_text(billing.term);
  std::string text = billing.increment == units::second   ? "per second"
                     : billing.increment == units::minute ? "per minute"
                     : billing.increment == units::hour   ? "per hour"
                                                          : "per " + to_text(billing.increment);
  if (billing.minimum > billing.increment) text += ", at least " + to_text(billing.minimum);
  return text;
}

bool rents(const Plan& plan) {
  return std::ranges::any_of(plan.phases, [](const PhasePlan& part) {
    return part.offer != nullptr && part.offer->kind == OfferKind::kRented;
  });
}

bool offers_to_rent(const std::vector<Plan>& plans) { return std::ranges::any_of(plans, rents); }

std::string_view paid_word(const Plan& plan) { return rents(plan) ? "paid for" : "held"; }

std::string place_words(const Offer& offer) {
  if (offer.kind == OfferKind::kOwn)
    return offer.label.empty() ? "your own machine" : "your machine " + printable(offer.label, 40);
  if (offer.kind == OfferKind::kPool) return offer.label.empty() ? "pool" : "pool " + printable(offer.label, 40);
  std::string text = printable(offer.provider, 40);
  if (!offer.region.empty()) text += (text.empty() ? "" : " ") + printable(offer.region, 40);
  return text;
}

std::string wait_words(const Plan& plan) {
  if (plan.wait.p50 <= Seconds{}) return "";
  return ", after " + hours_words(plan.wait.p50) + " in the queue: done in " + hours_words(plan.done());
}

}  // namespace gpuplan
