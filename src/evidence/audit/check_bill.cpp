#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/bill_ways.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/repeats.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// The figures as they are written, which is what most authors multiply.
ClaimEnds as_shown(const ClaimAmount& amount) { return {{amount.low, amount.low}, {amount.high, amount.high}}; }

/// Hours of GPUs that only the name of the column tells are bare.
double seconds_of(const ClaimAmount& amount) { return amount.dimension == ClaimDimension::kBare ? kHour : 1; }

bool same_currency(const ClaimAmount& a, const ClaimAmount& b) {
  return a.currency == b.currency || a.currency.empty() || b.currency.empty();
}

/// What both of two ranges of the same amount leave; the first where they exclude each other.
ClaimEnds both(const ClaimEnds& a, const ClaimEnds& b) {
  const auto meet = [](ClaimSpan x, ClaimSpan y) {
    const ClaimSpan one{std::max(x.low, y.low), std::min(x.high, y.high)};
    return one.low <= one.high ? one : x;
  };
  return {meet(a.low, b.low), meet(a.high, b.high)};
}

/// A price by the hour with hours, as all prices of a row go with all its times.
struct Hourly {
  const ClaimFact *price, *time;
  bool all_gpus = false;  ///< the price is that of one
  double nodes = 1;       ///< the price is that of one of them
};

/// Prices and GPUs of a record, or of the lists above it.
struct Priced {
  std::vector<const ClaimFact*> prices;
  int count = 0;
};

class Bill {
 public:
  explicit Bill(Bench& bench) : bench_(bench) {
    for (const ClaimLine& line : bench.document.lines)
      whole_hours_ = whole_hours_ || has_any(to_lower(line.said.text),
                                             {"billed per hour", "billed by the hour", "billed hourly", "whole hours",
                                              "started hour", "full hour", "hourly billing", "angefangene stunde"});
    for (const ClaimRecord& record : bench.records)
      if (record.table < 0) lists_[record.section] = &record;
  }

  void check() {
    for (const ClaimRecord& record : bench_.records)
      if (!record.total) count_exact(record);
    for (const ClaimRecord& record : bench_.records) {
      if (record.total) continue;
      cost(record);
      gpu_time(record);
    }
    judge_costs();
  }

 private:
  /// How many rows of a table are the products of their figures as written, with whole hours, and how many are not.
  struct Exact {
    int good = 0, bad = 0;
    double chance = 1;  ///< that all of `good` are by chance, were hours rounded
  };

  static std::vector<const ClaimFact*> times_of(const ClaimRecord& record) {
    const std::vector<const ClaimFact*> totals = record.all(ClaimRole::kTotalTime);
    return totals.empty() ? record.all(ClaimRole::kTime) : totals;
  }

  /// Prices of the record, else of the nearest list above that has one.
  Priced priced(const ClaimRecord& record) const {
    Priced known{record.all(ClaimRole::kPrice), record.count};
    if (record.table >= 0) return known;
    for (int at = bench_.document.sections[static_cast<std::size_t>(record.section)].parent; at > 0;
         at = bench_.document.sections[static_cast<std::size_t>(at)].parent)
      if (const auto above = lists_.find(at); above != lists_.end()) {
        if (known.prices.empty()) known.prices = above->second->all(ClaimRole::kPrice);
        if (known.count == 0) known.count = above->second->count;
      }
    if (known.prices.size() > 1) known.prices.clear();  // which of them counts is not said
    return known;
  }

  /// The number of GPUs that hours are to be multiplied with; 0: none is said.
  static double gpus_of(const ClaimRecord& record) {
    const ClaimFact* gpus = record.find(ClaimRole::kGpus);
    return gpus == nullptr ? record.count : gpus->value->range() ? 0 : gpus->value->low;
  }

  /// Hours of a row, and what its GPU-hours leave of their range.
  static ClaimEnds hours_of(const ClaimRecord& record, const ClaimFact& time) {
    const ClaimEnds hours = ends_of(*time.value) * (1 / kHour);
    const auto all = record.all(ClaimRole::kGpuTime);
    const double gpus = gpus_of(record);
    if (all.size() != 1 || gpus <= 0 || time.value->range() || all.front()->value->range()) return hours;
    const ClaimAmount& gpu_time = *all.front()->value;
    return both(hours, ends_of(gpu_time) * (seconds_of(gpu_time) / kHour / gpus));
  }

  std::vector<Hourly> hourly(const ClaimRecord& record, const Priced& about, const ClaimFact& cost) const {
    std::vector<Hourly> all;
    for (const ClaimFact* price : about.prices)
      if (same_currency(*price->value, *cost.value))
        for (const ClaimFact* time : times_of(record)) {
          if (price->value->per_node) {
            for (const double nodes : nodes_of(record)) all.push_back({price, time, false, nodes});
            continue;
          }
          if (!price->value->per_gpu) all.push_back({price, time, false});
          if (about.count > 1 || price->value->per_gpu) all.push_back({price, time, true});
        }
    return all;
  }

  static ClaimEnds product(const Hourly& one, int count, const ClaimEnds& price, const ClaimEnds& hours) {
    return price * hours * ends_of(one.all_gpus ? std::max(count, 1) : one.nodes);
  }

  /// How many nodes a row is of: what its column says. Else one or, where GPUs are counted, nobody knows.
  static std::vector<double> nodes_of(const ClaimRecord& record) {
    std::vector<double> nodes = times_over(record);
    if (nodes.empty() && gpus_of(record) <= 0) nodes.push_back(1);
    return nodes;
  }

  void count_exact(const ClaimRecord& record) {
    if (record.table < 0) return;
    const auto costs = record.all(ClaimRole::kCost), times = times_of(record), spent = record.all(ClaimRole::kGpuTime);
    if (times.size() != 1 || !times.front()->value->whole || times.front()->value->approximate) return;
    const ClaimEnds shown = as_shown(*times.front()->value) * (1 / kHour);
    if (costs.size() == 1) {
      const Priced about = priced(record);
      bool good = false, near = false;
      for (const Hourly& one : hourly(record, about, *costs.front())) {
        good = good || fits(*costs.front()->value, product(one, about.count, as_shown(*one.price->value), shown));
        near = near || fits(*costs.front()->value,
                            product(one, about.count, ends_of(*one.price->value), hours_of(record, *one.time)));
      }
      Exact& exact = exact_costs_[record.table];
      if (good) {
        ++exact.good;
        const ClaimAmount& cost = *costs.front()->value;
        if (cost.low > 0) exact.chance *= std::min(1.0, 2 * cost.low_step * shown.low_middle() / cost.low);
      } else if (near) {
        ++exact.bad;
      }
    }
    if (spent.size() == 1 && gpus_of(record) > 0) {
      const ClaimAmount& stated = *spent.front()->value;
      Exact& exact = exact_gpu_times_[record.table];
      if (fits_exactly(stated, shown * (kHour * gpus_of(record) / seconds_of(stated)))) {
        ++exact.good;
        exact.chance /= gpus_of(record);
      } else {
        ++exact.bad;
      }
    }
  }

  /// Whole GPU-hours of whole hours have nothing to be rounded.
  static bool fits_exactly(const ClaimAmount& stated, const ClaimEnds& shown) {
    ClaimAmount narrow = stated;
    if (stated.whole) narrow.low_step = narrow.high_step = 1e-6 * std::max(stated.high, 1.0);
    return fits(narrow, shown);
  }

  /// Most rows of this table are products of their figures as written: the others are no roundings.
  static bool strict(const ClaimRecord& record, const std::map<int, Exact>& tables) {
    const auto found = tables.find(record.table);
    constexpr int kTimesAsMany = 2;
    constexpr double kNoChance = 0.001;
    return found != tables.end() && found->second.chance < kNoChance &&
           found->second.good >= kTimesAsMany * std::max(found->second.bad, 1);
  }

  void cost(const ClaimRecord& record) {
    const auto costs = record.all(ClaimRole::kCost);
    if (costs.empty() || costs.size() > 3) return;
    const Priced about = priced(record);
    if (about.prices.size() > 4) return;
    const std::vector<const ClaimFact*> times = times_of(record);
    std::vector<Way> ways;
    for (const Hourly& one : hourly(record, about, *costs.front())) {
      const ClaimAmount &price = *one.price->value, &time = *one.time->value;
      bench_.use(price);
      bench_.use(time);
      const ClaimEnds shown = product(one, about.count, as_shown(price), as_shown(time) * (1 / kHour));
      const bool exact = time.whole && !time.approximate && strict(record, exact_costs_);
      ways.push_back({exact ? shown : product(one, about.count, ends_of(price), hours_of(record, *one.time)),
                      price.text + " \xC3\x97 " + time.text +
                          (one.all_gpus && about.count > 1 ? " \xC3\x97 " + std::to_string(about.count) + " GPUs"
                           : one.nodes > 1                 ? " \xC3\x97 " + number_text(one.nodes) + " nodes"
                                                           : ""),
                      shown});
    }
    if (whole_hours_)
      for (const Hourly& one : hourly(record, about, *costs.front())) {
        const ClaimEnds hours = hours_of(record, *one.time);
        const auto up = [](ClaimSpan span) {
          return ClaimSpan{std::ceil(span.low - 1e-9), std::ceil(span.high - 1e-9)};
        };
        ways.push_back({product(one, about.count, ends_of(*one.price->value), {up(hours.low), up(hours.high)}),
                        one.price->value->text + " \xC3\x97 whole hours of " + one.time->value->text});
      }
    // What the figures give as they are written is never wrong, whatever else the row says of its hours.
    for (std::size_t i = ways.size(); i-- > 0;)
      if (ways[i].shown) ways.push_back({*ways[i].shown, ways[i].how});
    for (const ClaimFact* price : about.prices) {
      if (!same_currency(*price->value, *costs.front()->value)) continue;
      bench_.use(*price->value);
      const ClaimEnds dollars = ends_of(*price->value);
      if (const ClaimFact* gpu_time = record.find(ClaimRole::kGpuTime); gpu_time != nullptr) {
        bench_.use(*gpu_time->value);
        const double hours = seconds_of(*gpu_time->value) / kHour;
        // With hours and GPUs it is in the ways above already.
        if (times.size() != 1 || gpus_of(record) <= 0 || !agree(record, *gpu_time->value, *times.front()->value))
          ways.push_back({dollars * (ends_of(*gpu_time->value) * hours),
                          price->value->text + " \xC3\x97 " + gpu_time->value->text,
                          as_shown(*price->value) * (as_shown(*gpu_time->value) * hours)});
      }
      // Work and what is beside it, where no total is stated.
      const ClaimFact* overhead = record.find(ClaimRole::kOverhead);
      if (overhead != nullptr && times.size() == 1 && times.front()->role == ClaimRole::kTime) {
        bench_.use(*overhead->value);
        ways.push_back(
            {dollars * ((ends_of(*times.front()->value) + ends_of(*overhead->value)) * (1 / kHour)),
             price->value->text + " \xC3\x97 (" + times.front()->value->text + " + " + overhead->value->text + ")"});
      }
    }
    if (record.table < 0 && about.count == 0 && gpus_of(record) <= 0) add_unsaid_gpus(*costs.front()->value, ways);
    add_beside(bench_.document, record, ways);
    // Where one figure of the row is the product, the others are what idles, taxes, storage, or the sum of all.
    const auto is_product = [&](const ClaimFact* one) {
      return std::ranges::any_of(ways, [&](const Way& way) { return fits(*one->value, way.value); });
    };
    const auto is_part = [&](const ClaimFact& one) {
      return one.role == ClaimRole::kNone && one.value->dimension == ClaimDimension::kMoney && is_product(&one);
    };
    if (const auto product = std::ranges::find_if(costs, is_product); product != costs.end())
      return costs_.push_back({&record, {*product}, std::move(ways), true});
    if (std::ranges::any_of(record.facts, is_part)) return;
    if (!ways.empty()) costs_.push_back({&record, costs, std::move(ways), false});
  }

  /// A list with the price of a GPU and no word of their number: some whole number of them is right.
  static void add_unsaid_gpus(const ClaimAmount& cost, std::vector<Way>& ways) {
    constexpr double kMost = 1e6;
    const std::size_t plain = ways.size();
    for (std::size_t i = 0; i < plain; ++i) {
      const double one = ways[i].value.low_middle();
      const double gpus = one > 0 ? std::round(cost.low / one) : 0;
      if (gpus > 1 && gpus < kMost) ways.push_back({ways[i].value * gpus, ways[i].how});
    }
  }

  /// Of the products that a cost may be, that of the other rows of its table is told; else the nearest to it, since an
  /// error changes a digit more often than it forgets a factor.
  static void put_likely_first(const ClaimAmount& cost, const std::map<std::size_t, int>& of_others,
                               std::vector<Way>& ways) {
    const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
    std::size_t first = ways.size();
    if (!of_others.empty()) first = std::ranges::max_element(of_others, more)->first;
    const auto off = [&](const Way& way) {
      const double value = way.shown ? way.shown->low_middle() : 0;
      return value > 0 && cost.low > 0 ? std::max(value / cost.low, cost.low / value) : HUGE_VAL;
    };
    if (first >= ways.size())
      first = static_cast<std::size_t>(
          std::ranges::min_element(ways, [&](const Way& a, const Way& b) { return off(a) < off(b); }) - ways.begin());
    if (first < ways.size()) std::swap(ways.front(), ways[first]);
  }

  /// A cost with the products that it may be, judged when those of the other rows are known, too.
  struct Costs {
    const ClaimRecord* record;
    std::vector<const ClaimFact*> stated;
    std::vector<Way> ways;
    bool good = false;
  };

  /// Tables whose rows all cost as much more than price × hours: set-up, storage or work by hand that is in each.
  std::set<int> with_fixed_costs() const {
    struct More {
      double least = 0, most = 0;
      int rows = 0;
      bool same = true;
    };
    std::map<int, More> tables;
    for (const Costs& one : costs_) {
      if (one.record->table < 0) continue;
      const auto [place, is_new] = tables.try_emplace(one.record->table);
      More& more = place->second;
      if (one.good || one.stated.size() != 1 || one.stated.front()->value->range()) {
        more.same = false;
        continue;
      }
      const ClaimEnds cost = ends_of(*one.stated.front()->value), &work = one.ways.front().value;
      const double least = cost.least() - work.most(), most = cost.most() - work.least();
      more.least = is_new ? least : std::max(more.least, least);
      more.most = is_new ? most : std::min(more.most, most);
      more.same = more.same && least > 0;
      ++more.rows;
    }
    constexpr int kEnough = 3;
    constexpr double kSame = 1.02;
    std::set<int> fixed;
    for (const auto& [table, more] : tables)
      if (more.same && more.rows >= kEnough && more.least <= kSame * more.most) fixed.insert(table);
    return fixed;
  }

  /// Costs below price × hours, in several rows of a table and in none above it, or where the document speaks of
  /// machines that are given back: hours that are not all paid for.
  void judge_costs() {
    std::map<int, std::pair<int, int>> off;  // by table: rows below all products, and above
    const auto is_below = [](const Costs& one) {
      return !one.good && std::ranges::all_of(one.stated, [&](const ClaimFact* cost) {
        return std::ranges::all_of(one.ways, [&](const Way& way) { return cost->value->high < way.value.least(); });
      });
    };
    for (const Costs& one : costs_)
      if (one.record->table >= 0 && !one.good)
        ++(is_below(one) ? off[one.record->table].first : off[one.record->table].second);
    const std::set<int> fixed = with_fixed_costs();
    std::map<int, std::map<std::size_t, int>> products;  // by table: which way is right, in how many rows
    for (const Costs& one : costs_)
      if (one.record->table >= 0 && one.good) {
        const auto way = std::ranges::find_if(
            one.ways, [&](const Way& each) { return fits(*one.stated.front()->value, each.value); });
        ++products[one.record->table][static_cast<std::size_t>(way - one.ways.begin())];
      }
    bool given_back = false, ranges = false;
    const auto look = [&](const std::string& text) {
      const std::string lower = to_lower(text);
      given_back = given_back || has_any(lower, {"given back", "released while idle", "stop_when_idle"});
      ranges = ranges || says_percentiles(lower);
    };
    for (const ClaimLine& line : bench_.document.lines) look(line.said.text);
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimText& head : table.heads) look(head.text);
    for (Costs& one : costs_) {
      if (fixed.contains(one.record->table)) continue;
      const auto found = off.find(one.record->table);
      if (found != off.end() && is_below(one) &&
          (given_back || (found->second.first >= 2 && found->second.second == 0)))
        continue;
      constexpr double kLess = 0.7, kMore = 1.35;
      if (ranges)
        for (Way& way : one.ways)
          way.value = {{way.value.low.low * kLess, way.value.low.high},
                       {way.value.high.low, way.value.high.high * kMore}};
      for (const ClaimFact* cost : one.stated) {
        put_likely_first(*cost->value, products[one.record->table], one.ways);
        bench_.judge(*one.record, *cost, one.ways);
      }
    }
  }

  /// GPU-hours are those of the time and the number of GPUs.
  static bool agree(const ClaimRecord& record, const ClaimAmount& gpu_time, const ClaimAmount& time) {
    return fits(gpu_time, ends_of(time) * (gpus_of(record) / seconds_of(gpu_time)));
  }

  void gpu_time(const ClaimRecord& record) {
    const auto totals = record.all(ClaimRole::kGpuTime);
    const ClaimFact* time = record.find(ClaimRole::kTotalTime);
    if (time == nullptr) time = record.find(ClaimRole::kTime);
    if (totals.size() != 1 || time == nullptr) return;
    const ClaimFact* gpus = record.find(ClaimRole::kGpus);
    if (gpus == nullptr && record.count <= 0) return;
    // Lists say "8 (for generation) + 1-2": one number of GPUs is not enough there.
    if (gpus != nullptr) bench_.use(*gpus->value);
    const ClaimEnds count = gpus != nullptr ? ends_of(*gpus->value, true) : ends_of(record.count);
    bench_.use(*time->value);
    const ClaimAmount& stated = *totals.front()->value;
    for (const auto& counts : {times_over(record), repeats_of(record)})
      for (const double times : counts)
        if (fits(stated, ends_of(*time->value) * count * (times / seconds_of(stated)))) return;
    const double unit = 1 / seconds_of(stated);
    const ClaimEnds shown = as_shown(*time->value) * count * unit;
    const std::string how = told(ClaimDimension::kBare, count) + " GPUs \xC3\x97 " + time->value->text;
    if (time->value->whole && !time->value->approximate && stated.whole && !stated.approximate &&
        strict(record, exact_gpu_times_)) {
      bench_.judge(record, *totals.front(), {{shown, how, shown}});
      if (fits(stated, shown) && !fits_exactly(stated, shown))
        bench_.find(FindingKind::kWrong, totals.front()->line, record.label, stated.text, told(stated.dimension, shown),
                    how);
      return;
    }
    bench_.judge(record, *totals.front(),
                 {{hours_by_cost(record, *time) * count * (kHour * unit), how, shown}, {shown, how}});
  }

  /// Hours of a row, and what its one price and cost leave of their range.
  ClaimEnds hours_by_cost(const ClaimRecord& record, const ClaimFact& time) const {
    const ClaimEnds hours = ends_of(*time.value) * (1 / kHour);
    const auto costs = record.all(ClaimRole::kCost);
    const Priced about = priced(record);
    if (costs.size() != 1 || bench_.right.contains(costs.front()->value->id) || about.prices.size() != 1 ||
        time.value->range() || times_of(record).size() != 1)
      return hours;
    for (const Hourly& one : hourly(record, about, *costs.front())) {
      const ClaimEnds each =
          ends_of(*one.price->value) * static_cast<double>(one.all_gpus ? std::max(about.count, 1) : 1);
      if (each.least() > 0 && !one.price->value->range() && !costs.front()->value->range() &&
          fits(*costs.front()->value, each * hours))
        return both(hours, ends_of(*costs.front()->value) / each);
    }
    return hours;
  }

  Bench& bench_;
  bool whole_hours_ = false;                            ///< the document says that hours are billed whole
  std::map<int, const ClaimRecord*> lists_;             ///< by section
  std::map<int, Exact> exact_costs_, exact_gpu_times_;  ///< by table
  std::vector<Costs> costs_;
};

}  // namespace

void check_bill(Bench& bench) { Bill(bench).check(); }

}  // namespace gpuplan::audit
