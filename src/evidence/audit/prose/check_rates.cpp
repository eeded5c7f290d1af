#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// What a price is of: "$0.09/GB", "$0.60 per million tokens".
struct PriceOf {
  ClaimDimension dimension = ClaimDimension::kBare;
  double amount = 1;         ///< base units
  bool by_month = false;     ///< "$/GB-month"
  std::size_t end = 0;       ///< byte behind its unit
  std::string_view words{};  ///< as written
};

struct PerUnit {
  std::string_view name;
  ClaimDimension dimension;
  double amount;
};
constexpr PerUnit kPerUnits[] = {
    {"million tokens", ClaimDimension::kTokens, 1e6},
    {"1m tokens", ClaimDimension::kTokens, 1e6},
    {"m tokens", ClaimDimension::kTokens, 1e6},
    {"mtok", ClaimDimension::kTokens, 1e6},
    {"m tok", ClaimDimension::kTokens, 1e6},
    {"million", ClaimDimension::kTokens, 1e6},
    {"1m", ClaimDimension::kTokens, 1e6},
    {"m", ClaimDimension::kTokens, 1e6},
    {"thousand tokens", ClaimDimension::kTokens, 1e3},
    {"1k tokens", ClaimDimension::kTokens, 1e3},
    {"k tokens", ClaimDimension::kTokens, 1e3},
    {"1k", ClaimDimension::kTokens, 1e3},
    {"gb", ClaimDimension::kBytes, 1e9},
    {"gib", ClaimDimension::kBytes, 1073741824.0},
    {"tb", ClaimDimension::kBytes, 1e12},
    {"tib", ClaimDimension::kBytes, 1099511627776.0},
    {"kwh", ClaimDimension::kEnergy, 3.6e6},
    {"mwh", ClaimDimension::kEnergy, 3.6e9},
};

/// The unit behind a price; nullopt: none of these.
std::optional<PriceOf> price_of(std::string_view text, const ClaimAmount& price) {
  const std::string lower = to_lower(text.substr(price.to));
  std::string_view rest = lower;
  bool per = false;
  for (const std::string_view sign : {"/", " / ", " per ", " a "})
    if (!per && rest.starts_with(sign)) {
      rest.remove_prefix(sign.size());
      per = true;
    }
  if (!per) return std::nullopt;
  for (const PerUnit& unit : kPerUnits) {
    if (!rest.starts_with(unit.name) || (rest.size() > unit.name.size() && is_letter(rest[unit.name.size()]))) continue;
    PriceOf found{unit.dimension, unit.amount, false, 0, {}};
    rest.remove_prefix(unit.name.size());
    for (const std::string_view month :
         {"-month", "-months", "/month", "/mo", "-mo", " per month", " a month", " and month", " month"})
      if (!found.by_month && rest.starts_with(month)) {
        rest.remove_prefix(month.size());
        found.by_month = true;
      }
    // "/GB/day", "/GB-hour"
    if (rest.starts_with("/") || rest.starts_with("-") || (!rest.empty() && is_letter(rest[0]))) return std::nullopt;
    found.end = text.size() - rest.size();
    found.words = text.substr(price.from, found.end - price.from);
    return found;
  }
  return std::nullopt;
}

/// What so much work costs at a price, told in sentences.
class Rates {
 public:
  explicit Rates(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (!reads_as_prose(line) || all.size() < 2) continue;
      for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        paid(line, all[i], all[i + 1], all[i + 2]);
        rented(line, all[i], all[i + 1], all[i + 2]);
      }
      for (std::size_t i = 0; i + 2 < all.size(); ++i) {
        bought(line, i);
        bought_at(line, i);
      }
    }
    of_nodes();
  }

 private:
  static bool is_plain(const ClaimAmount& one) { return !one.range() && one.low > 0; }

  /// "400 GPU-hours at $2.25 per GPU-hour, so it costs $900", "40 h at $2/h cost $80".
  void paid(const ClaimLine& line, const ClaimAmount& work, const ClaimAmount& price, const ClaimAmount& cost) {
    const bool of_gpus = work.dimension == ClaimDimension::kGpuTime,
               of_nodes = work.dimension == ClaimDimension::kNodeTime;
    if ((!of_gpus && !of_nodes && work.dimension != ClaimDimension::kTime) ||
        cost.dimension != ClaimDimension::kMoney ||
        (price.dimension != ClaimDimension::kPrice && price.dimension != ClaimDimension::kMoney) || work.odd ||
        price.odd || cost.odd || !is_plain(work) || !is_plain(price) || cost.range() || price.currency != cost.currency)
      return;
    const std::string joined = without_gpus(line.said, work, price);
    if (!is_one_of(joined, {"at", "@", "; at", ", at", "for", "at a rate of", "on at", "on, at", "with at"}) ||
        (joined == "for" && !of_gpus))
      return;
    // "400 GPU-hours at $2.25": the price of one of them.
    if (price.dimension == ClaimDimension::kMoney && !of_gpus) return;
    if (!comes_to(line, price.to, cost)) return;
    const auto times = counts(line, work, price, cost);
    if (!times || holds_more(line, work, cost)) return;
    // Hours of machines at a price that is nobody knows whose: only where no count is near.
    const double hours = price.dimension == ClaimDimension::kPrice ? 1 / kHour : 1 / work.unit;
    const ClaimEnds right = ends_of(price) * (ends_of(work, true) * hours);
    if (is_any(cost, right, *times)) return use({&work, &price, &cost});
    if (price.per_gpu && !of_gpus && times->size() < 2) return;  // of how many GPUs is said elsewhere
    // One count, that of the GPUs, can be told; of others nobody knows what they are of.
    double factor = 1;
    if (!of_gpus && times->size() > 1) {
      if (times->size() > 2 || times->back() != gpus_counted(line.said, work.from, cost.to)) return;
      factor = price.per_gpu ? times->back() : nearest(cost, right, *times);
    }
    tell(line, work, price, cost, right * factor,
         work.text + " \xC3\x97 " + price.text + (factor == 1 ? "" : " \xC3\x97 " + number_text(factor)));
  }

  /// "8x H100 at $23.92/h for 10 h cost $239.20": of each or of all.
  void rented(const ClaimLine& line, const ClaimAmount& price, const ClaimAmount& time, const ClaimAmount& cost) {
    if (price.dimension != ClaimDimension::kPrice || time.dimension != ClaimDimension::kTime ||
        cost.dimension != ClaimDimension::kMoney || time.odd || cost.odd || !is_plain(price) || !is_plain(time) ||
        cost.range() || price.currency != cost.currency)
      return;
    const std::string joined = between(line.said, price, time);
    if (!is_one_of(joined, {"for", "over", "during", "each for", "each, for", "each over", "a gpu for", ", for",
                            "per gpu for"}))
      return;
    if (!comes_to(line, time.to, cost)) return;
    const auto times = counts(line, price, time, cost);
    if (!times || holds_more(line, price, cost)) return;
    const ClaimEnds right = ends_of(price) * (ends_of(time, true) * (1 / kHour));
    if (is_any(cost, right, *times)) return use({&price, &time, &cost});
    const bool each = price.per_gpu || joined.starts_with("each") || joined.contains("gpu");
    if (each && times->size() < 2) return;
    // Of the ways to read it the one that is nearest is told.
    const double factor = each ? times->back() : nearest(cost, right, *times);
    tell(line, price, time, cost, right * factor,
         price.text + " \xC3\x97 " + time.text + (factor == 1 ? "" : " \xC3\x97 " + number_text(factor)));
  }

  static double nearest(const ClaimAmount& cost, const ClaimEnds& right, const std::vector<double>& times) {
    const auto off = [&](double factor) { return std::fabs(right.low_middle() * factor - cost.low) / cost.low; };
    return *std::ranges::min_element(times, {}, off);
  }

  /// "3 TB at $0.09/GB are $270", "50M tokens at $0.60 per million tokens cost $30", "230 kWh at $0.20/kWh: $46".
  void bought(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount &work = all[place], &price = all[place + 1];
    const auto of = price_of(line.said.text, price);
    const ClaimAmount* cost = of ? behind(line, place + 2, of->end) : nullptr;
    if (cost == nullptr || !joins(between(line.said, work, price))) return;
    std::size_t from = of->end;
    for (const std::string_view word : {" tokens", " input", " output", " egress", " of egress", " storage",
                                        " of storage", " traffic", " of traffic"})
      if (to_lower(std::string_view(line.said.text).substr(from)).starts_with(word)) from += word.size();
    if (comes_to(line, from, *cost)) costs(line, work, price, *cost, *of);
  }

  /// "At $0.60 per million tokens, 50M tokens cost $30."
  void bought_at(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount& price = all[place];
    const auto of = price_of(line.said.text, price);
    const ClaimAmount* work = of ? behind(line, place + 1, of->end) : nullptr;
    if (work == nullptr || work == &all.back()) return;
    const ClaimAmount& cost = *(work + 1);
    const std::string_view text = line.said.text;
    std::string_view gap = text.substr(of->end, work->from - of->end);
    if (gap.starts_with(" tokens")) gap.remove_prefix(std::string_view(" tokens").size());
    if (!is_one_of(to_lower(gap), {"", ",", ":", ";", ", so", "; so", ", and", "so", ", so that"})) return;
    std::size_t from = work->to;
    for (const std::string_view word : {" input", " output", " tokens", " of egress", " of traffic"})
      if (to_lower(text.substr(from)).starts_with(word)) from += word.size();
    if (comes_to(line, from, cost)) costs(line, *work, price, cost, *of);
  }

  /// What the document's sentences ask for the hour of a node, where they name one price: "$24 per node-hour", "A
  /// node-hour costs $24"; nullptr: none, or several.
  const ClaimAmount* price_of_node() const {
    const ClaimAmount* found = nullptr;
    for (const ClaimLine& line : bench_.document.lines)
      for (const ClaimAmount& one : line.said.quantities) {
        const std::string before = to_lower(trim(std::string_view(line.said.text).substr(0, one.from)));
        const bool told = one.dimension == ClaimDimension::kMoney &&
                          ends_with_word(before, {"a node-hour costs", "one node-hour costs", "a node-hour is",
                                                  "per node-hour:", "price of a node-hour:", "node-hour at"});
        if (!told && !(one.dimension == ClaimDimension::kPrice && one.per_node)) continue;
        if (one.range() || one.odd || (found != nullptr && found->low / found->unit != one.low / one.unit))
          return nullptr;
        found = &one;
      }
    return found;
  }

  /// Node-hours of a table without prices cost what its sentences say, where most of its rows do.
  void of_nodes() {
    const ClaimAmount* price = price_of_node();
    if (price == nullptr) return;
    const ClaimEnds each = ends_of(*price) * (1 / price->unit);
    for (int table = 0; table < bench_.tables(); ++table) {
      std::vector<std::pair<const ClaimRecord*, const ClaimAmount*>> rows;
      int good = 0;
      const ClaimEnds written = ends_of(*price, true) * (1 / price->unit);
      const auto right = [&](const ClaimAmount& hours) { return each * (ends_of(hours) * (1 / kHour)); };
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (!bench_.go_on()) return;
        const ClaimAmount* hours = nullptr;
        for (const ClaimFact& one : row->facts)
          if (one.value->dimension == ClaimDimension::kNodeTime && !one.value->range()) hours = one.value;
        if (row->total || hours == nullptr || row->cost() == nullptr || row->find(ClaimRole::kPrice) != nullptr ||
            row->cost()->value->currency != price->currency)
          continue;
        rows.emplace_back(row, hours);
        good += fits(*row->cost()->value, right(*hours)) ? 1 : 0;
      }
      constexpr int kEnough = 2;
      if (good < kEnough || static_cast<std::size_t>(good) * 2 < rows.size()) continue;
      bench_.use(*price);
      for (const auto& [row, hours] : rows) {
        bench_.use(*hours);
        bench_.judge(*row, *row->cost(),
                     {{right(*hours), hours->text + " \xC3\x97 " + price->text,
                       written * (ends_of(*hours, true) * (1 / kHour))}});
      }
    }
  }

  /// The first amount that stands behind the unit of a price, which may hold one itself: "$3 per 1M tokens".
  static const ClaimAmount* behind(const ClaimLine& line, std::size_t place, std::size_t end) {
    const auto& all = line.said.quantities;
    while (place < all.size() && all[place].from < end) ++place;
    return place < all.size() ? &all[place] : nullptr;
  }

  void costs(const ClaimLine& line, const ClaimAmount& work, const ClaimAmount& price, const ClaimAmount& told_cost,
             const PriceOf& of) {
    ClaimAmount cost = told_cost;
    // "2 TB at $0.10/GB per month cost $200 a month"
    constexpr double kMonthHours = 730;
    if (of.by_month && cost.dimension == ClaimDimension::kPrice && !cost.odd && !cost.per_gpu && cost.unit > 0 &&
        std::fabs(cost.unit * kMonthHours - 1) < 0.02) {
      cost.dimension = ClaimDimension::kMoney;
      for (double* value : {&cost.low, &cost.high, &cost.low_step, &cost.high_step}) *value /= told_cost.unit;
      cost.unit = 1;
    }
    constexpr double kLeastTokens = 1000;
    const bool bare_tokens = of.dimension == ClaimDimension::kTokens && work.dimension == ClaimDimension::kBare &&
                             work.currency.empty() && work.low >= kLeastTokens;
    if (price.currency.empty() || !is_plain(work) || !is_plain(price) || work.odd ||
        (work.dimension != of.dimension && !bare_tokens) || cost.dimension != ClaimDimension::kMoney || cost.odd ||
        cost.range() || cost.currency != price.currency)
      return;
    const auto times = counts(line, work, price, cost);
    if (!times) return;
    for (const ClaimAmount& one : line.said.quantities)
      if (of.by_month && one.dimension == ClaimDimension::kTime) return;
    const ClaimEnds right = ends_of(price) * (ends_of(work, true) * (1 / of.amount));
    if (is_any(cost, right, *times)) return use({&work, &price, &cost});
    // Thousands of either kind.
    if (of.dimension == ClaimDimension::kBytes)
      for (const double kind : {1.024, 1 / 1.024, 1.024 * 1.024, 1.073741824, 1 / 1.073741824})
        if (is_any(cost, right * kind, *times)) return;
    if (counts_more(line, work, price, cost, of.end)) return;
    tell(line, work, price, cost, right, work.text + " \xC3\x97 " + std::string(of.words));
  }

  /// Something else is counted in the sentence, besides what the unit of the price says.
  static bool counts_more(const ClaimLine& line, const ClaimAmount& work, const ClaimAmount& price,
                          const ClaimAmount& cost, std::size_t unit_end) {
    const std::string_view text = line.said.text;
    const std::size_t from = begin_of_sentence(text, work.from), to = end_of_sentence(text, cost.to);
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.from < to && &one != &work && &one != &price && &one != &cost &&
          (one.from < price.to || one.from >= unit_end) && one.from < cost.from)
        return true;
    const auto words = multipliers({line.said.text, {}, line.said.gpus}, from, to, {});
    return !words || words->size() > 1;
  }

  /// "input tokens at", "of egress at".
  static bool joins(std::string_view words) {
    for (bool taken = true; taken;) {
      taken = false;
      for (const std::string_view word : {"input", "output", "prompt", "completion", "tokens", "egress", "storage",
                                          "of", "traffic", "data", "-month", "generated", "in", "out"})
        if (words.starts_with(word) && words.size() > word.size() && words[word.size()] == ' ') {
          words = trim(words.substr(word.size()));
          taken = true;
        }
    }
    return is_one_of(words, {"at", "@", "for", "x", "\xC3\x97", "*", ", at", "at a price of", "at a rate of"});
  }

  static bool comes_to(const ClaimLine& line, std::size_t from, const ClaimAmount& cost) {
    if (cost.from < from) return false;
    const std::string_view text = line.said.text, gap = text.substr(from, cost.from - from);
    bool verb = false;
    return leads(gap, verb) && (verb || !gap.contains(',')) && ends_clause(text.substr(cost.to));
  }

  /// What else may be in a cost: "10 h at $2/h, in total $30, storage included".
  static bool holds_more(const ClaimLine& line, const ClaimAmount& first, const ClaimAmount& cost) {
    const std::string_view text = line.said.text;
    const std::size_t from = begin_of_sentence(text, first.from), to = end_of_sentence(text, cost.to);
    return has_any(
        to_lower(text.substr(from, to - from)),
        {"includ",  "incl.", "set-up", "setup",   "fee",  "tax",     "vat",       "discount", "credit", "plus ",
         "minimum", "round", "billed", "deposit", "idle", "support", "surcharge", "storage",  "disk",   "egress"});
  }

  static std::optional<std::vector<double>> counts(const ClaimLine& line, const ClaimAmount& first,
                                                   const ClaimAmount& second, const ClaimAmount& cost) {
    return multipliers(line.said, begin_of_sentence(line.said.text, first.from),
                       end_of_sentence(line.said.text, cost.to), {&first, &second, &cost});
  }

  static bool is_any(const ClaimAmount& stated, const ClaimEnds& right, const std::vector<double>& times) {
    return std::ranges::any_of(times, [&](double factor) { return fits(stated, right * factor); });
  }

  void use(std::initializer_list<const ClaimAmount*> amounts) {
    for (const ClaimAmount* one : amounts) bench_.use(*one);
  }

  void tell(const ClaimLine& line, const ClaimAmount& first, const ClaimAmount& second, const ClaimAmount& cost,
            const ClaimEnds& right, const std::string& how) {
    use({&first, &second, &cost});
    bench_.find(FindingKind::kWrong, line.line_of(cost), line.label, cost.text, told(cost, right), how);
  }

  Bench& bench_;
};

}  // namespace

void check_rates(Bench& bench) { Rates(bench).check(); }

}  // namespace gpuplan::audit
