#include "plan/billing/gates.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "domain/market/billed_time.h"
#include "domain/market/offer_price.h"
#include "plan/billing/interruptions.h"
#include "plan/billing/ledger.h"
#include "plan/billing/timeline.h"

namespace gpuplan {

namespace {

/// Which phases run, by position.
using Runs = std::vector<char>;

/// A median with what lies below and above it, and the mean.
struct SampleSpread {
  double p50 = 0, below = 0, above = 0, mean = 0;
};

double root_of_squares(double a, double b) { return std::sqrt(a * a + b * b); }

class GateTree {
 public:
  GateTree(const Job& job, const Plan& plan) : job_(job), plan_(plan) {
    for (const Slot& slot : slots_of(job)) needs_.emplace_back(slot.needs.begin(), slot.needs.end());
    for (std::size_t i = 0; i < job.phases.size(); ++i)
      if (passes(i) < 1) gates_.push_back(i);
    if (!any()) return;
    ledger_ = stretch_ledger(job, plan);
    const Runs every(plan.phases.size(), 1);
    whole_ = mean_spent(every, hours_of(every));
  }

  bool any() const { return !gates_.empty(); }

  Gates gates() const {
    Gates result;
    for (const std::size_t gate : gates_) {
      result.chance *= passes(gate);
      result.ends.push_back(end_at(gate));
    }
    SampleSpread hours, cost;
    average(hours, cost);
    result.expected_hours = Seconds{hours.mean};
    result.expected_cost = Dollars{cost.mean};
    result.saved = std::max(plan_.cost.mean - result.expected_cost, Dollars{});
    return result;
  }

 private:
  /// Branches that are walked one by one; with more gates than that, histories are drawn.
  static constexpr std::size_t kMostGates = 10;
  static constexpr int kHistories = 4096;

  double passes(std::size_t i) const { return job_.phases[i].chance_to_pass.value_or(1); }

  /// Phases that run when the gates do what `failed` says.
  Runs runs(const Runs& failed) const {
    Runs run(plan_.phases.size(), 1);
    for (bool changed = true; changed;) {  // needs may stand after what needs them
      changed = false;
      for (std::size_t i = 0; i < run.size(); ++i) {
        const auto stops = [&](std::size_t need) { return run[need] == 0 || failed[need] != 0; };
        if (run[i] == 0 || std::ranges::none_of(needs_[i], stops)) continue;
        run[i] = 0;
        changed = true;
      }
    }
    return run;
  }

  EarlyEnd end_at(std::size_t gate) const {
    Runs failed(plan_.phases.size(), 0);
    failed[gate] = 1;
    const Runs run = runs(failed);
    EarlyEnd end;
    end.phase = static_cast<int>(gate);
    end.passes = passes(gate);
    end.chance = reached(gate) * (1 - passes(gate));
    for (std::size_t i = 0; i < run.size(); ++i)
      if (run[i] == 0) end.not_run.push_back(static_cast<int>(i));
    const SampleSpread hours = hours_of(run);
    end.hours = {Seconds{hours.p50 - hours.below}, Seconds{hours.p50}, Seconds{hours.p50 + hours.above},
                 Seconds{hours.mean}};
    end.cost = cost_of(run, hours);
    return end;
  }

  /// Chance that everything passes that a gate needs, directly or not.
  double reached(std::size_t gate) const {
    Runs seen(plan_.phases.size(), 0);
    std::vector<std::size_t> open = needs_[gate];
    double chance = 1;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (seen[at] != 0) continue;
      seen[at] = 1;
      chance *= passes(at);
      open.insert(open.end(), needs_[at].begin(), needs_[at].end());
    }
    return chance;
  }

  /// Means over what the gates do: every combination, or drawn when there are too many.
  void average(SampleSpread& hours, SampleSpread& cost) const {
    const auto add = [&](const Runs& failed, double chance) {
      const Runs run = runs(failed);
      const SampleSpread ends = hours_of(run);
      hours.mean += chance * ends.mean;
      cost.mean += chance * cost_of(run, ends).mean.value;
    };
    if (gates_.size() <= kMostGates) {
      for (std::size_t branch = 0; branch < (std::size_t{1} << gates_.size()); ++branch) {
        Runs failed(plan_.phases.size(), 0);
        double chance = 1;
        for (std::size_t g = 0; g < gates_.size(); ++g) {
          const bool fails = (branch >> g & 1) != 0;
          failed[gates_[g]] = fails ? 1 : 0;
          chance *= fails ? 1 - passes(gates_[g]) : passes(gates_[g]);
        }
        add(failed, chance);
      }
      return;
    }
    Random random(1);
    for (int history = 0; history < kHistories; ++history) {
      Runs failed(plan_.phases.size(), 0);
      for (const std::size_t gate : gates_) failed[gate] = random.uniform01() >= passes(gate) ? 1 : 0;
      add(failed, 1.0 / kHistories);
    }
  }

  Seconds end_of(std::size_t i) const { return gpuplan::end_of(plan_.phases[i]); }

  bool all(const Runs& run) const {
    return std::ranges::all_of(run, [](char runs) { return runs != 0; });
  }

  /// Until the last of the phases ends: the phases one after the other that lead there, and the gaps between them.
  SampleSpread hours_of(const Runs& run) const {
    if (all(run)) {
      const Outcome<Seconds>& h = plan_.hours;
      return {h.p50.value, (h.p50 - h.p10).value, (h.p90 - h.p50).value, h.mean.value};
    }
    std::vector<char> open = run;
    const auto last_before = [&](Seconds time) {
      std::optional<std::size_t> last;
      for (std::size_t i = 0; i < open.size(); ++i)
        if (open[i] != 0 && end_of(i) <= time + units::second && (!last || end_of(i) > end_of(*last))) last = i;
      return last;
    };
    Seconds latest{};
    for (std::size_t i = 0; i < run.size(); ++i)
      if (run[i] != 0) latest = std::max(latest, end_of(i));
    SampleSpread sum{latest.value, 0, 0, latest.value};
    SampleSpread model;  // one factor for all of them: high and low together; what the user stated is independent
    for (auto i = last_before(latest); i; i = last_before(plan_.phases[*i].start)) {
      open[*i] = 0;
      const Outcome<Seconds>& h = plan_.phases[*i].hours;
      const double below = (h.p50 - h.p10).value;
      const double above = (h.p90 - h.p50).value;
      sum.mean += (h.mean - h.p50).value;
      if (plan_.phases[*i].estimate->work_is_model) {
        model.below += below;
        model.above += above;
      } else {
        sum.below = root_of_squares(sum.below, below);
        sum.above = root_of_squares(sum.above, above);
      }
    }
    sum.below = root_of_squares(sum.below, model.below);
    sum.above = root_of_squares(sum.above, model.above);
    return sum;
  }

  /// Times of a branch against their median, equally likely.
  static std::vector<double> stretches(const SampleSpread& hours) {
    constexpr int kParts = 32;
    const double middle = std::max(hours.p50, 1e-9);
    const double down = math::log(middle / std::max(middle - hours.below, 1e-9)) / kZ90;
    const double up = math::log((middle + hours.above) / middle) / kZ90;
    std::vector<double> parts;
    for (int i = 0; i < kParts; ++i) {
      const double score = math::normal_quantile((i + 0.5) / kParts);
      parts.push_back(math::exp(score * (score < 0 ? down : up)));
    }
    return parts;
  }

  /// Where all times are so many times their medians: each lease until the last of its phases that runs, at what the
  /// bill says for these stretches, and what its rules bill beyond; nothing for machines that are not taken.
  Dollars spent(const Runs& run, double stretch) const {
    Dollars sum{};
    for (std::size_t l = 0; l < plan_.leases.size(); ++l) {
      const Lease& lease = plan_.leases[l];
      Seconds until{};
      bool whole = true;
      for (const int phase : lease.phases) {
        const auto i = static_cast<std::size_t>(phase);
        if (run[i] != 0) until = std::max(until, end_of(i));
        else whole = false;
      }
      if (until <= lease.from) continue;
      const Dollars cost = spent_until(static_cast<int>(l), whole ? lease.to : until, whole, stretch);
      sum += whole ? cost : std::min(cost, spent_until(static_cast<int>(l), lease.to, true, stretch));
    }
    return sum;
  }

  Seconds unpaid(const Lease& lease) const {
    return lease.offer->billing.startup_billed ? Seconds{} : lease.offer->billing.startup;
  }

  /// Paid for at a stretch until a time: rounded once, and what rentals that begin on the way add.
  Seconds paid(const Lease& lease, Seconds until, double stretch) const {
    const Seconds held = lease.to - lease.from - unpaid(lease), time = until - lease.from - unpaid(lease);
    Seconds rentals{};
    if (can_be_taken(lease.spot, *lease.offer) && held > Seconds{})
      rentals = std::max(lease.billed - billed_seconds(held, lease.offer->billing), Seconds{}) * (time / held);
    return billed_seconds(time * stretch, lease.offer->billing) + rentals * stretch;
  }

  Dollars spent_until(int position, Seconds until, bool whole, double stretch) const {
    const Lease& lease = plan_.leases[static_cast<std::size_t>(position)];
    const Seconds time = until - lease.from - unpaid(lease);
    const auto rate = lease.billed > Seconds{} ? lease.cost / lease.billed : DollarsPerSecond{};
    const auto beyond = [&](double at) { return rate * std::max(paid(lease, until, at) - time * at, Seconds{}); };
    Dollars used{};  // for the time itself
    if (whole) {
      used = std::max(lease.cost - beyond(1), Dollars{});
    } else {
      for (const Stretch& line : ledger_.stretches) {
        const auto held = std::ranges::find(line.leases, position) - line.leases.begin();
        if (held != std::ssize(line.leases) && line.from + line.length() * 0.5 < until)
          used += line.shares[static_cast<std::size_t>(held)];
      }
      // A little that billing rounds up is in the shares.
      if (beyond(1) <= rate * (time * kWorthALine)) return used * stretch;
    }
    return used * stretch + beyond(stretch);
  }

  double mean_spent(const Runs& run, const SampleSpread& hours) const {
    double sum = 0, all = 0;
    for (const double stretch : stretches(hours)) {
      sum += spent(run, stretch).value;
      all += stretch;
    }
    return sum / all * (hours.mean / std::max(hours.p50, 1e-9));  // parts have no mean of a whole tail
  }

  Outcome<Dollars> cost_of(const Runs& run, const SampleSpread& hours) const {
    if (all(run)) return plan_.cost;
    const Dollars median = spent(run, 1);
    if (median <= Dollars{}) return {};
    double price = 0;  // standard deviation of the logarithm
    for (const Lease& lease : plan_.leases) {
      const auto& listed = lease.spot ? lease.offer->spot_price : lease.offer->price;
      if (!listed || listed->p10 <= DollarsPerSecond{}) continue;
      price = std::max(price, sigma_of(price_today(*lease.offer, lease.spot)));
    }
    const double middle = std::max(hours.p50, 1e-9);
    // What a bill does where times are short or long: nothing, within a block.
    const auto off = [&](double stretch) { return math::log(std::max(spent(run, stretch) / median, 1e-9)); };
    const double low = math::exp(-root_of_squares(off(std::max(middle - hours.below, 1e-9) / middle), kZ90 * price));
    const double high = math::exp(root_of_squares(off((middle + hours.above) / middle), kZ90 * price));
    const double share = whole_ > 0 ? mean_spent(run, hours) / whole_ : 0;
    return {median * low, median, median * high, plan_.cost.mean * share};
  }

  const Job& job_;
  const Plan& plan_;
  std::vector<std::size_t> gates_;
  std::vector<std::vector<std::size_t>> needs_;
  StretchLedger ledger_;
  double whole_ = 0;  ///< mean_spent() of the whole job
};

}  // namespace

std::optional<Gates> gates_of(const Job& job, const Plan& plan) {
  if (plan.phases.size() != job.phases.size()) return std::nullopt;
  const GateTree tree(job, plan);
  if (!tree.any()) return std::nullopt;
  return tree.gates();
}

}  // namespace gpuplan
