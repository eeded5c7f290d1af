// Order, offers, prices and the amount of data: what the search owes to every market.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "laws/draw.h"
#include "laws/laws.h"

namespace gpuplan::laws {
namespace {

/// The changed case was refused where the first was not: a violation by itself.
Verdict refused(const Error& error, Case other) { return broken("refused: " + error.message, std::move(other)); }

Verdict offer_order(const Answer& base, Random& random) {
  if (offers_of(base.asked) < 2) return silent();
  Case other = base.asked;
  shuffle(other.prices, random);
  for (Tree* list : offer_lists(other.job)) shuffle(list->children, random);
  const Asked shuffled = ask(other);
  if (!shuffled) return refused(shuffled.error(), other);
  if (const std::string words = difference(base, **shuffled); !words.empty())
    return broken("the order of offers: " + words, other);
  return holds();
}

Verdict phase_order(const Answer& base, Random& random) {
  if (phases_of(base.asked.job).size() < 2) return silent();
  Case other = base.asked;
  shuffle(phases_of(other.job), random);
  const Asked shuffled = ask(other);
  if (!shuffled) return refused(shuffled.error(), other);
  if (const std::string words = difference(base, **shuffled); !words.empty())
    return broken("the order of phases: " + words, other);
  return holds();
}

/// Whether the case has GPUs that current software no longer runs on: they are only taken where there is nothing else,
/// so that one more offer takes them away.
bool has_old_gpus(const Answer& base) {
  const double least = base.catalogue().practice_constants.least_capability;
  return std::ranges::any_of(base.known, [&](const Offer& offer) {
    const Gpu* gpu = base.catalogue().find_gpu(offer.gpu);
    return gpu != nullptr && gpu->compute_capability > 0 && gpu->compute_capability < least;
  });
}

Verdict more_offers(const Answer& base, Random& random) {
  if (has_old_gpus(base)) return silent();
  Case other = base.asked;
  add_offer(random, other);
  const Asked richer = ask(other);
  if (!richer) return silent();  // the market is the random thing here: an offer too odd to read proves nothing
  if (const std::string words = worse_best(base, **richer); !words.empty())
    return broken("one more offer: " + words, other);
  return holds();
}

/// Offers by what an id of a row would be: everything that tells two apart.
bool uses(const Plan& plan, const Offer& offer) {
  const auto is = [&](const Offer* used) {
    return used != nullptr && used->kind == offer.kind && used->gpu == offer.gpu && used->gpus == offer.gpus &&
           used->provider == offer.provider && used->region == offer.region && used->instance == offer.instance &&
           used->price == offer.price && used->spot_price == offer.spot_price && used->label == offer.label;
  };
  return is(plan.offer) || std::ranges::any_of(plan.phases, [&](const PhasePlan& part) { return is(part.offer); });
}

Verdict dominated_offer(const Answer& base, Random& random) {
  if (base.plans().empty() || base.asked.prices.size() < 2 || base.known.size() != base.asked.prices.size())
    return silent();
  std::vector<std::size_t> beaten;
  for (std::size_t i = 0; i < base.known.size(); ++i)
    if (std::ranges::none_of(base.plans(),
                             [&](const Plan& plan) { return plan.on_frontier && uses(plan, base.known[i]); }))
      beaten.push_back(i);
  if (beaten.empty() || has_old_gpus(base)) return silent();
  Case other = base.asked;
  drop_offer(other, beaten[random.below(beaten.size())]);
  const Asked poorer = ask(other);
  if (!poorer) return refused(poorer.error(), other);
  const auto frontier = [](const Answer& answer) {
    std::vector<const Plan*> plans;
    for (const Plan& plan : answer.plans())
      if (plan.on_frontier) plans.push_back(&plan);
    return plans;
  };
  const auto left = frontier(base), right = frontier(**poorer);
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    if (i >= left.size())
      return broken("without a dominated offer " + plan_words(*right[i]) + " is on the frontier", other);
    if (i >= right.size())
      return broken("without a dominated offer " + plan_words(*left[i]) + " is not on the frontier", other);
    // Of several phases two schedules may take and cost the same, and which of them is found depends on the market.
    const bool other_plan = left[i]->id != right[i]->id && base.searched.job.phases.size() == 1;
    const auto near = [&](double a, double b) { return same(a, b) || std::max(a, b) <= std::min(a, b) * slack(base); };
    if (other_plan || !near(hours(*left[i]), hours(*right[i])) || !near(dollars(*left[i]), dollars(*right[i])))
      return broken("without a dominated offer the frontier has " + plan_words(*right[i]) + " in place of " +
                        plan_words(*left[i]),
                    other);
  }
  return holds();
}

Verdict lower_prices(const Answer& base, Random& random) {
  if (base.plans().empty()) return silent();
  Case other = base.asked;
  const bool all = chance(random, 0.3);
  const double factor = between(random, 0.5, 0.99);
  const std::size_t count = offers_of(other);
  if (count == 0) return silent();
  const std::size_t only = random.below(count);
  std::size_t at = 0;
  for (PriceRow& row : other.prices)
    if (const std::size_t number = at++; all || number == only)
      for (auto& [column, text] : row)
        if (column == "price_per_hour") text = scaled(text, factor);
  if (other.prices.empty())
    for (Tree* list : offer_lists(other.job))
      for (Tree& offer : list->children)
        if (const std::size_t number = at++; all || number == only)
          for (const std::string_view key : {"price", "spot_price", "usd_per_kwh"})
            if (Tree* price = offer.find(key)) price->text = scaled(price->text, factor);
  const Asked cheaper = ask(other);
  if (!cheaper) return refused(cheaper.error(), other);
  if (const std::string words = worse_best(base, **cheaper); !words.empty())
    return broken("lower prices: " + words, other);
  return holds();
}

/// Doubles the amounts of work that data make; false when there are none.
bool double_data(Tree& job) {
  bool any = false;
  const auto twice = [&](Tree* amount) {
    if (amount == nullptr || !amount->is_scalar()) return;
    amount->text = scaled(amount->text, 2);
    any = true;
  };
  for (Tree& phase : phases_of(job)) {
    Tree* work = work_of(phase);
    Tree* data = work != nullptr ? work->find("data") : nullptr;
    if (data == nullptr) continue;
    if (data->is_list())
      for (Tree& set : data->children) twice(set.find("samples"));
    else if (work->find("steps") == nullptr) {
      twice(data->find("tokens"));
      twice(data->find("samples"));
    }
  }
  return any;
}

Verdict twice_the_data(const Answer& base, Random&) {
  // Spot machines lose work by chance, and without checkpoints more than twice as much in twice the time.
  if (base.plans().empty()) return silent();
  Case other = base.asked;
  drop(other.job, "spot");
  put(put(other.job, "where", map_tree()), "spot", "never");
  for (Tree* list : offer_lists(other.job))
    for (Tree& offer : list->children) drop(offer, "preemptible");
  // What comes every so many steps comes one time more when two rests of a stretch make a full one.
  for (Tree& phase : phases_of(other.job))
    for (const std::string_view part : {"evaluate", "checkpoint"})
      if (Tree* work = work_of(phase)) drop(phase, part), drop(*work, part);
  // Memory that holds the activations once need not hold them twice.
  for (Tree& phase : phases_of(other.job))
    if (Tree* work = work_of(phase))
      if (Tree* store = work->find("store")) drop(*store, "to");
  // The usual batch grows with the tokens of a run, and a long run is taken for pretraining, with other care.
  for (Tree& phase : phases_of(other.job))
    if (Tree* work = phase.find("train"); work != nullptr && work->find("batch") == nullptr) {
      drop(*work, "micro");
      put(*work, "batch", "64");
    }
  const Asked once = ask(other);
  Case doubled = other;
  if (!once || (*once)->plans().empty() || !double_data(doubled.job)) return silent();
  const Asked twice = ask(doubled);
  if (!twice) return refused(twice.error(), doubled);
  if ((*twice)->plans().empty()) return broken("twice the data: nothing fits any more", doubled);
  if (!comparable(**once, **twice)) return silent();
  const Plan& a = *(*once)->at((*once)->found().recommendations.fastest);
  const Plan& b = *(*twice)->at((*twice)->found().recommendations.fastest);
  if (slower(a, b) && done(a) > kCare * slack(base) * done(b))
    return broken("twice the data is faster: " + plan_words(a) + ", then " + plan_words(b), doubled);
  if (more(done(b), 2 * kCare * slack(base) * done(a), 3 * kSecond))
    return broken("twice the data takes more than twice the time: " + plan_words(a) + ", then " + plan_words(b),
                  doubled);
  return holds();
}

/// All that an answer may ask for before it takes a framework that the job does not name, with the points of complexity
/// (`most` in data/practice_constants.csv).
constexpr double kMostCare = 3 * 1.02;

Verdict named_framework(const Answer& base, Random& random) {
  std::vector<const Framework*> trainers;
  for (const Framework& framework : base.catalogue().frameworks)
    if (framework.trains && framework.auto_full && framework.auto_adapters) trainers.push_back(&framework);
  if (trainers.empty()) return silent();
  const Framework& framework = *trainers[random.below(trainers.size())];
  Case other = base.asked;
  bool any = false;
  for (Tree& phase : phases_of(other.job)) {
    Tree* work = phase.find("train");
    if (work == nullptr || work->find("framework") != nullptr) continue;
    // Weights in 16 bit alone are no matter of time.
    const Tree* method = work->find("method");
    if (!framework.master_fp32 && (method == nullptr || method->text == "full")) return silent();
    // Nor do people who fine-tune cut layers without being asked to.
    drop(*work, "parallel");
    Tree& parallel = put(*work, "parallel", map_tree());
    put(parallel, "tp", "1");
    put(parallel, "pp", "1");
    // What compiles takes a minute longer to start, which work of seconds never makes up for.
    if (work->find("compile") == nullptr) put(*work, "compile", "false");
    any = true;
  }
  if (!any) return silent();
  const Asked open = ask(other);
  if (!open) return silent();
  for (Tree& phase : phases_of(other.job))
    if (Tree* work = phase.find("train"); work != nullptr && work->find("framework") == nullptr)
      put(*work, "framework", framework.name);
  const Asked named = ask(other);
  if (!named) return silent();  // it does not do such work
  // What fits in the host's memory alone is not looked for in programs that nobody thinks of for such work.
  const auto on_host = [](const Plan& plan) {
    return std::ranges::any_of(plan.phases,
                               [](const PhasePlan& part) { return part.estimate->strategy.offload != Offload::kNone; });
  };
  if (std::ranges::all_of((*named)->plans(), on_host)) return silent();
  if (const std::string words = worse_best(**named, **open, kMostCare); !words.empty())
    return broken("where " + framework.name + " is not named: " + words, other);
  return holds();
}

constexpr Law kLaws[] = {
    {"offer-order", "the order of offers changes nothing", offer_order},
    {"phase-order", "the order of phases in the file changes nothing", phase_order},
    {"more-offers", "one more offer never makes the cheapest, fastest or best value worse", more_offers},
    {"dominated-offer", "without an offer that is not on the frontier the frontier is the same", dominated_offer},
    {"lower-prices", "lower prices never make the cheapest, fastest or best value worse", lower_prices},
    {"twice-the-data", "twice the data takes between once and twice the time", twice_the_data},
    {"named-framework", "a framework that the job names is never better by more than care asks for", named_framework},
};

}  // namespace

std::span<const Law> search_laws() { return kLaws; }

}  // namespace gpuplan::laws
