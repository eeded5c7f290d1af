#include "output/words/plan_words.h"

#include <variant>

#include "base/amount.h"
#include "base/text.h"

namespace gpuplan {
namespace {

using std::to_string;

std::string length_words(const Length& length) {
  return count_short(length.mean) +
         (length.max > length.mean ? " tokens (most " + count_short(length.max) + ")" : " tokens");
}

std::string models_words(const std::vector<ModelUse>& models) {
  if (models.empty()) return "no model";
  std::string text;
  if (models.size() > 2) return to_string(models.size()) + " models";
  for (const ModelUse& model : models) {
    if (!text.empty()) text += " + ";
    text += model.name.empty() ? count_short(model.params()) + " parameters" : printable(model.name, 60);
  }
  return text;
}

std::string train_words(const TrainPhase& train) {
  std::string text = models_words(train.models);
  if (train.method != Method::kFull) text += " (" + std::string(name_of(train.method)) + ")";
  if (train.data.samples) text += ", " + count_short(*train.data.samples) + " samples";
  if (train.data.tokens) text += ", " + count_short(train.data.tokens->value) + " tokens";
  if (train.epochs) text += " x " + count_of(*train.epochs, "epoch");
  if (train.steps) text += ", " + count_of(*train.steps, "step");
  return text;
}

std::string generate_words(const GeneratePhase& generate) {
  double samples = 0;
  for (const Prompts& prompts : generate.data) samples += prompts.samples;
  std::string text = models_words(generate.models);
  text += generate.models.size() > 2 ? " x " : ", ";
  text += count_short(samples) + " samples";
  if (generate.data.size() == 1 && !generate.forward_only)
    text += " of " + length_words(generate.data.front().new_tokens);
  return text;
}

struct WorkWords {
  std::string operator()(const TrainPhase& train) const { return train_words(train); }
  std::string operator()(const GeneratePhase& generate) const { return generate_words(generate); }
  std::string operator()(const WorkPhase& work) const {
    return count_of(work.items, "item") + " through " + count_of(static_cast<double>(work.each.size()), "stage") +
           ", " + count_of(work.workers, "worker");
  }
  std::string operator()(const FixedPhase& fixed) const {
    return (fixed.human ? "somebody works for " : "") + to_text(fixed.time.range.p50);
  }
  std::string operator()(const CpuPhase& cpu) const { return "no GPU, " + to_text(cpu.time.range.p50); }
};

void add(std::string& text, const std::string& part) {
  if (!text.empty()) text += ", ";
  text += part;
}

std::string degree(const char* name, int value) { return std::string(name) + " " + to_string(value); }

std::string training_strategy(const PhaseEstimate& estimate) {
  const Strategy& s = estimate.strategy;
  std::string text;
  if (s.dp > 1) add(text, degree("dp", s.dp));
  if (s.tp > 1) add(text, degree("tp", s.tp));
  if (s.pp > 1) add(text, degree("pp", s.pp));
  if (s.interleave > 1) add(text, degree("vpp", s.interleave));
  if (s.cp > 1) add(text, degree("cp", s.cp));
  if (s.ep > 1) add(text, degree("ep", s.ep));
  if (s.sharding != Sharding::kNone) add(text, std::string(name_of(s.sharding)));
  add(text,
      degree("micro-batch", s.micro_batch) + (s.grad_accum > 1 ? " x accumulation " + to_string(s.grad_accum) : ""));
  if (s.recompute != Recompute::kNone) add(text, "recompute " + std::string(name_of(s.recompute)));
  if (s.offload != Offload::kNone) add(text, "offload " + std::string(name_of(s.offload)));
  if (s.attention == AttentionKernel::kEager) add(text, "eager attention");
  add(text, std::string(name_of(s.precision)));
  if (s.compile) add(text, "compiled");
  return text;
}

std::string generation_strategy(const PhaseEstimate& estimate, const GeneratePhase& phase) {
  const Strategy& s = estimate.strategy;
  std::string text = s.dp > 1 ? to_string(s.dp) + " replicas" : std::string("1 replica");
  if (s.tp > 1) add(text, degree("tp", s.tp));
  if (s.pp > 1) add(text, "layers over " + to_string(s.pp) + " GPUs");
  if (s.ep > 1) add(text, to_string(s.ep) + " of them sharing experts");
  if (phase.models.size() > 1)
    add(text, s.placement == Placement::kOneModelPerGpu && s.dp > 1 ? "models side by side" : "models in turn");
  add(text, s.micro_batch > 1 ? to_string(s.micro_batch) + " sequences at once each" : "one sequence at a time each");
  const std::string bits = phase.weight_bits ? " of " + number_text(*phase.weight_bits) + " bits" : std::string();
  add(text, std::string(name_of(s.weights)) + " weights" + bits);
  if (phase.speculation) add(text, to_string(phase.speculation->tokens) + " tokens guessed ahead");
  return text;
}

/// Dollars with three digits and without the sign that stands beside them.
std::string bare_dollars(Dollars money) {
  const double value = money.value;
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

/// Whether one figure after ± is honest: P10 and P90 are about as far from the median. For a lognormal quantity this
/// is so up to about ±16 %.
bool is_symmetric(double p10, double p50, double p90) {
  const double up = p90 - p50, down = p50 - p10, half = (up + down) / 2;
  return up > 0 && down > 0 && (up > down ? up - down : down - up) <= 0.15 * half;
}

/// With as many decimals as the median is written with, but two digits are enough; with one where that would leave
/// none.
std::string half_width(double half, std::string_view median) {
  if (half >= 9.95) return count_text(half);
  const std::size_t point = median.rfind('.');
  const int decimals = point == std::string_view::npos ? 0 : static_cast<int>(median.size() - point - 1);
  const std::string text = decimals == 0 ? count_text(half) : fixed_text(half, decimals);
  const bool none = text.find_first_of("123456789") == std::string::npos;
  return none ? significant_text(half, 1) : text;
}

}  // namespace

std::string rate_text(double rate) {
  const std::string digits = significant_text(rate, 3);
  return rate >= 999.5 ? count_text(parse_amount(digits, AmountKind::kCount).value_or(rate)) : digits;
}

std::string count_of(double count, const std::string& noun) {
  const std::string number = count >= 999.5 ? count_text(count) : significant_text(count, 3);
  return number + " " + noun + (number == "1" ? "" : "s");
}

std::string percent(double share) {
  const double value = share * 100;
  if (value > 0 && value < 0.95) return significant_text(value, 1) + " %";
  if (value > 99 && value < 100) return value > 99.95 ? "> 99.9 %" : fixed_text(value, 1) + " %";
  return count_text(value) + " %";
}

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

std::string range_words(const Interval<Seconds>& time) {
  const TimeUnit unit = unit_for(time.p50);
  std::string figure = in_unit(time.p50, unit);
  if (time.exact()) return figure + unit.name;
  // A median that happens to be whole is as exact as its neighbours.
  const auto has_point = [](const std::string& text) { return text.find('.') != std::string::npos; };
  if (!has_point(figure) && has_point(in_unit(time.p10, unit)) && figure.size() < 3) figure += ".0";
  const std::string median = figure + unit.name;
  if (is_symmetric(time.p10.value, time.p50.value, time.p90.value))
    return median + " ± " + half_width((time.p90 - time.p10) / unit.one / 2, figure);
  const std::string low = in_unit(time.p10, unit), high = in_unit(time.p90, unit);
  return median + " (" + low + " … " + high + ")";
}

std::string range_words(const Outcome<Dollars>& cost) {
  if (cost.p90 <= Dollars{}) return "free";
  std::string median = to_text(cost.p50);
  if (cost.p10 == cost.p90) return median;
  if (is_symmetric(cost.p10.value, cost.p50.value, cost.p90.value))
    return median + " ± " + half_width((cost.p90 - cost.p10).value / 2, median);
  return median + " (" + outcome_text(cost) + ")";
}

std::string times_words(double ratio) {
  // Close to one a single digit would hide the difference, and at one there is none.
  const bool one = ratio >= 0.995 && ratio < 1.005;
  if (one || (ratio >= 1.095 && ratio < 9.95)) return fixed_text(ratio, 1) + "x";
  if (ratio >= 0.95 && ratio < 1.095) return fixed_text(ratio, 2) + "x";
  return (ratio >= 99.5 ? count_text(ratio) : significant_text(ratio, 2)) + "x";
}

std::string outcome_text(const Outcome<Seconds>& hours) {
  return hours_text(hours.p10) + " … " + hours_text(hours.p90);
}

std::string outcome_text(const Outcome<Dollars>& cost) {
  return cost.p90 <= Dollars{} ? std::string() : bare_dollars(cost.p10) + " … " + bare_dollars(cost.p90);
}

std::string chance_words(double chance) {
  if (chance > 0.995) return "> 99 %";
  return chance < 0.005 ? "< 1 %" : percent(chance);
}

std::string gib_text(Bytes size) {
  const double gib = size / units::GiB;
  return gib >= 99.95 ? count_text(gib) : gib >= 0.95 ? fixed_text(gib, 1) : significant_text(gib, 2);
}

std::string memory_words(const Plan& plan) {
  const PhasePlan* fullest = plan.fullest();
  if (fullest == nullptr || !fullest->estimate->node || fullest->estimate->node->gpu == nullptr) return "–";
  return gib_text(fullest->estimate->memory_total.p50) + " of " + gib_text(fullest->estimate->node->gpu->usable) +
         " GiB";
}

std::string limits_words(const Plan& plan) {
  std::string text = plan.meets_deadline ? "" : "too late";
  if (!plan.meets_budget) text += text.empty() ? "over budget" : ", over budget";
  if (!plan.reaches_target) text += text.empty() ? "misses target" : ", misses target";
  return plan.keeps_limits() ? "kept" : text;
}

std::string upper_first(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
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
    return count_of(estimate.steps, "step") + " of " + range_words(plan.seconds_per_step);
  }
  if (std::holds_alternative<GeneratePhase>(phase.work) && plan.tokens_per_second.p50 > TokensPerSecond{}) {
    const double all = plan.tokens_per_second.p50.value;
    const std::string each = estimate.gpus > 1 ? ", " + rate_text(all / estimate.gpus) + " a GPU" : "";
    return rate_text(all) + " tokens/s" + each;
  }
  return "";
}

std::string price_words(const Offer& offer, bool spot) {
  const auto& price = spot ? offer.spot_price : offer.price;
  if (!price) return "no price";
  std::string text = to_text(price->p50);
  if (!price->exact()) text += " (" + to_text(price->p10) + " … " + to_text(price->p90) + ")";
  return text + (offer.kind == OfferKind::kPool ? " a GPU"
                 : offer.gpus > 1               ? " for " + to_string(offer.gpus) + " GPUs"
                                                : "");
}

std::string billing_words(const Billing& billing) {
  std::string text = billing.increment == units::second   ? "by the second"
                     : billing.increment == units::minute ? "by the minute"
                     : billing.increment == units::hour   ? "by the hour"
                                                          : "in steps of " + to_text(billing.increment);
  if (billing.minimum > billing.increment) text += ", at least " + to_text(billing.minimum);
  return text;
}

std::string place_words(const Offer& offer) {
  if (offer.kind == OfferKind::kOwn) return offer.label.empty() ? "own box" : "own box " + printable(offer.label, 40);
  if (offer.kind == OfferKind::kPool) return offer.label.empty() ? "pool" : "pool " + printable(offer.label, 40);
  std::string text = printable(offer.provider, 40);
  if (!offer.region.empty()) text += (text.empty() ? "" : " ") + printable(offer.region, 40);
  return text;
}

}  // namespace gpuplan
