#include "api/questions/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "api/questions/frontier_offers.h"
#include "api/questions/sensitivity_inputs.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "input/job/address.h"
#include "input/job/amounts.h"
#include "input/job/codecs.h"
#include "input/models/model_source.h"
#include "plan/advice/whatif.h"
#include "plan/billing/interruptions.h"
#include "plan/ranking/frontier.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan::api {
namespace {

constexpr std::string_view kPickPrice = "price of the machine";  // of the plan that is recommended

/// One search again: what is changed in the job or the market, and where its result goes.
struct Trial {
  std::size_t input = 0;
  bool high = false;
  std::string address, value;        ///< of the job
  std::optional<std::size_t> stage;  ///< without an address: the offer that it changes
  double factor = 1;                 ///< and what its price is multiplied by
  bool rate = false;                 ///< or of its interruptions
  bool possible = true;
};

class Sensitivity {
 public:
  Sensitivity(const Question& question, const Searched& answer, const Catalogue& catalogue, double by, std::size_t most)
      : source_(question.loaded.source),
        answer_(answer),
        catalogue_(catalogue),
        terms_(question.terms),
        by_(by),
        most_(most) {
    std::erase_if(source_.tree.children, [](const Tree& child) { return child.key == "variants"; });
    bare_ = source_;
    drop_prose(bare_.tree, Codec<Job>::type);
    if (Tree* phases = bare_.tree.find("phases"))
      for (Tree& phase : phases->children) drop_prose(phase, Codec<Phase>::type);
    report_.by = by;
  }

  SensitivityReport run() {
    const auto pick = answer_.found.recommendations.pick;
    if (!pick) return std::move(report_);
    pick_ = &answer_.found.plans[static_cast<std::size_t>(*pick)];
    stages_ = frontier_offers(answer_);
    report_.offers = stages_.size();
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (stages_[i].at == pick_->offer) pick_stage_ = i;
    now_ = search_again(answer_.job, market_of(answer_.job, stages_));
    if (!now_) return std::move(report_);
    collect_job();
    collect_market();
    if (most_ == 0) {
      try_ends({false, true});
    } else {
      try_ends({true});
      keep_largest();
      try_ends({false});
    }
    for (Input& input : inputs_) take(input);
    collect_model();
    return std::move(report_);
  }

 private:
  /// What a job file says for readers: it moves no figure, and every trial would read it again.
  static void drop_prose(Tree& place, const ValueType& type) {
    std::erase_if(place.children, [&](const Tree& child) {
      const Key* key = type.find(child.key);
      return key != nullptr && key->prose;
    });
  }

  struct Input {
    SensitivityInput told;
    std::array<Trial, 2> trials;
  };

  /// The frontier offer that an address of the market is about.
  std::optional<std::size_t> stage_at(const std::string& address) const {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const FrontierOffer& stage = stages_[i];
      if (stage.list == FrontierOffer::List::kMarket) continue;
      const std::string start =
          std::string(list_address(stage.list)) + "[" + number_text(static_cast<double>(stage.position)) + "].";
      if (!address.starts_with(start)) continue;
      const std::string_view key = std::string_view(address).substr(start.size());
      const bool unused = (key == "price" && !stage.on_demand) || (key == "spot_price" && !stage.spot);
      return unused ? std::nullopt : std::optional(i);
    }
    return std::nullopt;
  }

  void collect_job() {
    const std::vector<JobPlace> all = places(source_.tree);
    for (const JobPlace& place : all) {
      if (place.tree == nullptr) continue;
      const auto amount = amount_in(*place.tree, *place.type);
      if (!amount) continue;
      if (is_choice(place.address)) {
        ++report_.choices;
        continue;
      }
      const auto stage = stage_at(place.address);
      if (place.address.starts_with("market.") && !stage) {
        ++report_.other_offers;
        continue;
      }
      if (most_ > 0 && in_small_phase(place.address)) continue;
      const bool price = place.address.ends_with(pick_->spot ? ".spot_price" : ".price");
      std::string name = stage && stage == pick_stage_ && price ? std::string(kPickPrice)
                                                                : input_name(source_.tree, all, place.address);
      const auto ends = ends_of(*amount, by_, goes_by_halves(source_.tree, place.address));
      if (!ends) {
        report_.fixed.push_back(std::move(name));
        continue;
      }
      Input& input = inputs_.emplace_back();
      input.told = {std::move(name),  place.address,        "job",
                    place.tree->text, {brief(ends->first)}, {brief(ends->second)}};
      input.trials[0].value = written(ends->first);
      input.trials[1].value = written(ends->second);
      for (Trial& trial : input.trials) trial.address = place.address;
    }
  }

  /// Price and interruptions of the pick's machine where the job does not state them.
  void collect_market() {
    if (!pick_stage_) return;
    const Offer& offer = now_->market[*pick_stage_];
    const bool known = stages_[*pick_stage_].list == FrontierOffer::List::kMarket;
    const auto& price = pick_->spot ? offer.spot_price : offer.price;
    if (known && price && price->p50 > DollarsPerSecond{})
      add_market(std::string(kPickPrice), {AmountKind::kPrice, {price->p10.value, price->p50.value, price->p90.value}});
    const bool stated = offer.interruptions ? !known : value_at(source_.tree, "spot.interruptions") != nullptr;
    const auto rate = interruption_rate(answer_.job, offer);
    if (pick_->spot && !stated && rate && rate->p50 > PerSecond{})
      add_market("interruptions of the machine",
                 {AmountKind::kRate, {rate->p10.value, rate->p50.value, rate->p90.value}});
  }

  void add_market(const std::string& name, const Amount& amount) {
    const auto ends = ends_of(amount, by_);
    if (!ends) return;
    Input& input = inputs_.emplace_back();
    input.told = {name,
                  "",
                  "market",
                  brief({.kind = amount.kind, .value = exactly(amount.value.p50)}),
                  {brief(ends->first)},
                  {brief(ends->second)}};
    for (const bool high : {false, true}) {
      Trial& trial = input.trials[high ? 1 : 0];
      trial.stage = pick_stage_;
      trial.factor = (high ? ends->second : ends->first).value.p50 / amount.value.p50;
      trial.rate = amount.kind == AmountKind::kRate;
    }
  }

  /// A job on the frontier's offers as it has them, all of them in one search: plans may join offers.
  std::optional<Searched> search_again(Job job, std::vector<Offer> market) const {
    SearchOptions how;
    how.ignore_given = terms_.how.ignore_given;
    how.seed = terms_.how.seed;
    how.common = &answer_.found.market.providers;
    how.chances = false;
    auto found = search_market(std::move(job), std::move(market), catalogue_, how);
    return found ? std::optional(*std::move(found)) : std::nullopt;
  }

  /// What is found for a trial; nullopt when no job has this value.
  std::optional<Searched> verdict_of(const Trial& trial) const {
    if (trial.address.empty()) {
      std::vector<Offer> market = now_->market;
      Offer& offer = market[*trial.stage];
      auto& price = pick_->spot ? offer.spot_price : offer.price;
      if (trial.rate) offer.interruptions = exactly(interruption_rate(answer_.job, offer)->p50 * trial.factor);
      else price = exactly(price->p50 * trial.factor);
      return search_again(answer_.job, std::move(market));
    }
    JobSource changed = bare_;
    if (!set_tree(changed.tree, trial.address, scalar_tree(trial.value))) return std::nullopt;
    auto job = read_job(changed, catalogue_, ModelFinder(catalogue_, terms_.model_files));
    if (!job) return std::nullopt;
    if (terms_.only_lists) job->market = answer_.job.market;
    std::vector<Offer> market = market_of(*job, stages_);
    return search_again(*std::move(job), std::move(market));
  }

  /// These ends of every input, each on its own.
  void try_ends(const std::vector<bool>& ends) {
    auto work = [&](int task) {
      Input& input = inputs_[static_cast<std::size_t>(task) / ends.size()];
      const bool high = ends[static_cast<std::size_t>(task) % ends.size()];
      Trial& trial = input.trials[high ? 1 : 0];
      SensitivityEnd& end = high ? input.told.high : input.told.low;
      const auto found = verdict_of(trial);
      trial.possible = found.has_value();
      if (!found) return;
      const Plan* stays = plan_on_same(stages_, *pick_, found->found, found->market);
      end.runs = stays != nullptr;
      if (stays != nullptr) end.hours = stays->hours.p50, end.cost = stays->cost.p50;
      const auto pick = found->found.recommendations.pick;
      if (!pick) end.other_pick = "nothing fits";
      else if (&found->found.plans[static_cast<std::size_t>(*pick)] != stays) end.other_pick = name_in(*found, *pick);
    };
    parallel_for(static_cast<int>(inputs_.size() * ends.size()), terms_.how.threads, work);
  }

  /// Of a phase that is next to nothing of the plan.
  bool in_small_phase(std::string_view address) const {
    constexpr std::string_view kPhases = "phases.";
    constexpr double kSmall = 0.02;
    if (!address.starts_with(kPhases)) return false;
    for (const PhasePlan& part : pick_->phases) {
      const std::string start =
          std::string(kPhases) + answer_.job.phases[static_cast<std::size_t>(part.estimate->phase)].name + ".";
      if (address.starts_with(start))
        return part.hours.p50 < kSmall * pick_->hours.p50 && part.cost.p50 <= kSmall * pick_->cost.p50;
    }
    return false;
  }

  /// The inputs that move the plan most at their high ends, in their order.
  void keep_largest() {
    if (inputs_.size() <= most_) return;
    const auto moves = [&](const Input& input) {
      const SensitivityEnd& end = input.told.high;
      if (!input.trials[1].possible || !end.runs) return 0.0;
      const auto share = [](double now, double then) { return now > 0 ? std::abs(then / now - 1) : 0.0; };
      return share(pick_->cost.p50.value, end.cost.value) + share(pick_->hours.p50.value, end.hours.value);
    };
    std::vector<double> sizes;
    for (const Input& input : inputs_) sizes.push_back(moves(input));
    std::vector<double> sorted = sizes;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(most_ - 1), std::greater<>());
    const double least = sorted[most_ - 1];
    std::vector<Input> kept;
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (sizes[i] > 0 && sizes[i] >= least) kept.push_back(std::move(inputs_[i]));
    inputs_ = std::move(kept);
  }

  std::string name_in(const Searched& searched, int position) const {
    const PlanReport plan_report(searched.found, searched.job, catalogue_);
    return plan_report.name(plan_report.plan(position));
  }

  /// Puts an input where it belongs in the report.
  void take(Input& input) {
    SensitivityInput& told = input.told;
    if (!input.trials[0].possible && !input.trials[1].possible) {
      report_.fixed.push_back(std::move(told.name));
      return;
    }
    for (const bool high : {false, true}) {
      if (input.trials[high ? 1 : 0].possible) continue;
      SensitivityEnd& end = high ? told.high : told.low;  // this end is no job: it stays where it is
      end = {told.now, pick_->hours.p50, pick_->cost.p50, true, ""};
    }
    const auto as_it_stands = [&](const SensitivityEnd& end) {
      return end.runs && end.hours == pick_->hours.p50 && end.cost == pick_->cost.p50 && end.other_pick.empty();
    };
    if (as_it_stands(told.low) && as_it_stands(told.high)) report_.without_effect.push_back(std::move(told.name));
    else report_.inputs.push_back(std::move(told));
  }

  /// What gpuplan itself may be wrong by.
  void collect_model() {
    const ErrorModel& errors = now_->found.errors ? *now_->found.errors : catalogue_.errors;
    for (const std::string& error : model_errors(answer_.job, *pick_)) {
      SensitivityInput told{"predicted time (" + join_parts(error) + ")", "", "model", "p50", {"p10"}, {"p90"}};
      for (const bool high : {false, true}) {
        SensitivityEnd& end = high ? told.high : told.low;
        const Plan moved = at_model_error(answer_.job, *pick_, error, !high, errors, terms_.how.seed);
        end.hours = moved.hours.p50;
        end.cost = moved.cost.p50;
        SearchResult found;
        for (const Plan& plan : now_->found.plans)
          found.plans.push_back(at_model_error(answer_.job, plan, error, !high, errors, terms_.how.seed));
        mark_frontier(found.plans);
        found.recommendations =
            recommend(answer_.job, found.plans,
                      {errors, catalogue_.answer_constants.beside_shared, catalogue_.practice_constants,
                       terms_.how.seed, answer_.found.market.providers, false});
        const auto pick = found.recommendations.pick;
        const Plan* stays = plan_on_same(stages_, *pick_, found, now_->market);
        if (pick && stays != &found.plans[static_cast<std::size_t>(*pick)])
          end.other_pick = PlanReport(found, answer_.job, catalogue_).names[static_cast<std::size_t>(*pick)];
      }
      report_.inputs.push_back(std::move(told));
    }
  }

  /// "RTX 4090/torch/train" -> "RTX 4090, torch, train".
  static std::string join_parts(const std::string& error) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(error, '/'))
      if (!part.empty()) parts.emplace_back(part);
    return join(parts, ", ");
  }

  JobSource source_;
  JobSource bare_;  ///< the same without prose
  const Searched& answer_;
  const Catalogue& catalogue_;
  const SearchTerms& terms_;
  double by_;
  std::size_t most_;
  const Plan* pick_ = nullptr;
  std::vector<FrontierOffer> stages_;
  std::optional<std::size_t> pick_stage_;  ///< the pick's offer; nullopt: it joins several
  std::optional<Searched> now_;  ///< the answer among the frontier's offers; its market is in the order of stages_
  std::vector<Input> inputs_;
  SensitivityReport report_;
};

}  // namespace

SensitivityReport sensitivity(const Question& question, const Searched& answer, const Catalogue& catalogue, double by,
                              std::size_t most) {
  return Sensitivity(question, answer, catalogue, by, most).run();
}

}  // namespace gpuplan::api
