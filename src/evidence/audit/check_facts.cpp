#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digits/decimal.h"
#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Beyond these times of the cheapest and dearest offer known a price is told.
constexpr double kLeastBelievable = 0.5, kMostBelievable = 1.6;
constexpr double kLeastOfInstance = 0.75, kMostOfInstance = 1.35;

struct Range {
  double low = 0, high = 0;
  int offers = 0;
  std::string oldest, newest;

  void add(double price, const std::string& as_of) {
    low = offers == 0 ? price : std::min(low, price);
    high = offers == 0 ? price : std::max(high, price);
    if (offers == 0 || as_of < oldest) oldest = as_of;
    if (offers == 0 || as_of > newest) newest = as_of;
    ++offers;
  }
};

class Facts {
 public:
  explicit Facts(Bench& bench) : bench_(bench) {
    for (const Offer& offer : bench.catalogue.offers) {
      if (offer.kind != OfferKind::kRented || offer.gpus < 1) continue;
      const Offer*& longest = bills_[squeeze(offer.provider)];
      if (longest == nullptr || least_bill(offer) > least_bill(*longest)) longest = &offer;
      Range& gpu = gpus_[offer.gpu];
      for (const auto& price : {offer.price, offer.spot_price})
        if (price && price->p50.value > 0) {
          gpu.add(price->p50.value * kHour / offer.gpus, offer.as_of);
          // Names of marketplaces ("8x H100") are none of machines.
          if (offer.instance.size() >= 5 && offer.instance.find(' ') == std::string::npos &&
              offer.instance.find_first_of(".-") != std::string::npos && offer.price == price)
            instances_[to_lower(offer.instance)].add(price->p50.value * kHour, offer.as_of);
        }
    }
  }

  void check() {
    for (const ClaimSection& section : bench_.document.sections) models(section.line, section.title);
    for (const ClaimLine& line : bench_.document.lines) {
      models(line.line, line.said);
      instance_prices(line);
      price_in_words(line);
      billing(line);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) models(row.line, cell);
    for (const ClaimRecord& record : bench_.records) prices(record);
  }

 private:
  /// "Name-7B" where the sizes of that name are known and 7B is none of them.
  void models(int line, const ClaimText& said) {
    const std::string_view text = said.text;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!is_letter(text[at]) ||
          (at > 0 && (is_letter(text[at - 1]) || is_digit(text[at - 1]) || text[at - 1] == '-' || text[at - 1] == '/')))
        continue;
      std::size_t end = at;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) ||
                                   ((text[end] == '-' || text[end] == '.') && end + 1 < text.size() &&
                                    (is_letter(text[end + 1]) || is_digit(text[end + 1])))))
        ++end;
      const std::string_view word = text.substr(at, end - at);
      const std::size_t from = std::exchange(at, end);
      const std::size_t dash = word.rfind('-');
      if (dash == std::string_view::npos || dash < 4 || dash + 2 >= word.size() ||
          (word.back() != 'B' && word.back() != 'b'))
        continue;
      const auto size = size_in(word.substr(dash + 1));
      const std::string stem = to_lower(word.substr(0, dash));
      if (!size || !std::ranges::any_of(stem, is_digit) || bench_.catalogue.find_model(word) != nullptr ||
          !models_told_.insert(std::string(word)).second)
        continue;
      std::vector<double> sizes;
      for (const ModelShape& model : bench_.catalogue.models) {
        const std::string name = to_lower(model.name);
        if (!name.starts_with(stem + "-")) continue;
        // "Qwen3-30B-A3B" is one of 30B.
        const std::string_view rest = std::string_view(name).substr(stem.size() + 1);
        if (const auto one = size_in(rest.substr(0, rest.find('-')))) sizes.push_back(*one);
      }
      std::ranges::sort(sizes);
      sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
      constexpr std::size_t kEnough = 4;
      if (sizes.size() < kEnough ||
          std::ranges::any_of(sizes, [&](double one) { return std::fabs(one - *size) < 0.03 * one; }))
        continue;
      std::vector<std::string> words;
      for (const double one : sizes) words.push_back(number_text(one) + "B");
      bench_.find(FindingKind::kUnlikely, line + said.lines_to(from), std::string(word), std::string(word), "",
                  "no " + std::string(word.substr(0, dash)) + " of this size is known; there are " + listed(words));
    }
  }
  static std::optional<double> size_in(std::string_view text) {
    double value = 0;
    if (text.size() < 2 || (text.back() != 'B' && text.back() != 'b')) return std::nullopt;
    const auto end = read_number(text.data(), text.data() + text.size() - 1, value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() - 1) return std::nullopt;
    return value;
  }

  /// Under "Count", "Qty" or "Cards", and under whatever else heads may say: a price may be of so many GPUs.
  static std::vector<double> counts_of(const ClaimRecord& record) {
    constexpr double kMost = 1024;
    std::vector<double> counts;
    for (const ClaimFact& one : record.facts)
      if ((one.value->dimension == ClaimDimension::kBare || one.value->dimension == ClaimDimension::kGpus ||
           one.value->dimension == ClaimDimension::kTimes) &&
          one.value->whole && !one.value->range() && one.value->low >= 2 && one.value->low <= kMost)
        counts.push_back(one.value->low);
    return counts;
  }

  /// Prices of GPUs by the hour, one GPU each.
  void prices(const ClaimRecord& record) {
    if (record.gpu.empty()) return;
    const ClaimRecord* rows[] = {&record};
    for (const ClaimRecord* row : rows)
      for (const ClaimFact* price : row->all(ClaimRole::kPrice)) {
        // "Prices: 24 USD/h and 12 USD/h" of a list: of which machines each is nobody knows.
        if (row->table < 0 && (to_lower(price->name) == "prices" || row->all(ClaimRole::kPrice).size() > 1)) continue;
        if (price->value->foreign || price->value->low <= 0 || price->value->odd || price->value->per_node) continue;
        const Range market = market_of(record.gpu, record.gigabytes);
        constexpr int kEnough = 3;
        if (market.offers < kEnough) continue;
        bench_.use(*price->value);
        const double gpus = price->value->per_gpu ? 1 : std::max(record.count, 1);
        const double low = price->value->low / gpus, high = price->value->high / gpus;
        const double alone = price->value->low;  // where the price of a GPU is meant, not of all
        // Of a price without a time nobody knows whether it is that of an hour.
        constexpr double kNoHour = 20;
        if (price->value->dimension == ClaimDimension::kMoney && low > kNoHour * market.high) continue;
        const auto is_believable = [&](double least, double most) {
          return most >= market.low * kLeastBelievable && least <= market.high * kMostBelievable;
        };
        if (is_believable(low, high) || is_believable(alone, alone) ||
            std::ranges::any_of(counts_of(*row), [&](double count) {
              return is_believable(price->value->low / count, price->value->high / count);
            }))
          continue;
        // "Hours", "Price": what all of the hours cost.
        if (const ClaimFact* time = row->time(); price->value->dimension == ClaimDimension::kMoney && time != nullptr &&
                                                 row->cost() == nullptr && time->value->low > 0) {
          const double hours = time->value->low / kHour;
          if (is_believable(low / hours, high / hours)) continue;
        }
        bench_.find(FindingKind::kUnlikely, price->line, record.label, price->value->text,
                    told(ClaimDimension::kPrice, market.low, market.high) + " a GPU",
                    "what " + std::to_string(market.offers) + " offers ask for it (" + market.oldest + " to " +
                        market.newest + "); old, or a slip");
      }
  }

  /// Offers of a GPU, of its size where that is said.
  Range market_of(const std::string& key, double gigabytes) {
    Range market;
    for (const Gpu* gpu : names_.named(key)) {
      if (gigabytes > 0 && !has_size(*gpu, gigabytes)) continue;
      const auto found = gpus_.find(gpu->name);
      if (found == gpus_.end()) continue;
      market.add(found->second.low, found->second.oldest);
      market.add(found->second.high, found->second.newest);
      market.offers += found->second.offers - 2;
    }
    return market;
  }

  /// "1x RTX 4090 at $4.50/h": the one machine and the one price of a line. Twice as far off as in a table, since a
  /// line may say more than that.
  void price_in_words(const ClaimLine& line) {
    if (line.code || line.said.gpus.size() != 1) return;
    const GpuMention& gpu = line.said.gpus.front();
    const ClaimAmount* price = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kPrice) {
        if (price != nullptr) return;
        price = &one;
      }
    if (price == nullptr || price->from < gpu.to || price->foreign || price->odd || price->per_node ||
        price->unit != 1 || price->low <= 0 || is_value_of_time(line.said.text, *price))
      return;
    const std::string joined = to_lower(std::string_view(line.said.text).substr(gpu.to, price->from - gpu.to));
    std::string_view words = trim(joined);
    for (const std::string_view about : {"about", "around", "roughly", "~", "only", "just"})
      if (words.ends_with(about)) words = trim(words.substr(0, words.size() - about.size()));
    if (!is_one_of(words, {"at",
                           "@",
                           ", at",
                           "for",
                           "costs",
                           "on demand at",
                           "cost",
                           "go for",
                           "goes for",
                           "rents for",
                           "rent for",
                           "rents at",
                           "rent at",
                           "is quoted at",
                           "are quoted at",
                           "quoted at",
                           "lists at",
                           "sells at",
                           "can be had for",
                           "is",
                           "are",
                           "=",
                           ":"}))
      return;
    const Range market = market_of(gpu.key, gpu.gigabytes);
    constexpr int kEnough = 3;
    if (market.offers < kEnough) return;
    bench_.use(*price);
    const double count = price->per_gpu ? 1 : std::max(gpu.count, 1);
    constexpr double kTwice = 2;
    const auto is_believable = [&](double least, double most) {
      return most * kTwice >= market.low * kLeastBelievable && least <= market.high * kMostBelievable * kTwice;
    };
    if (is_believable(price->low / count, price->high / count) || is_believable(price->low, price->high)) return;
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == line.line_of(*price); }))
      return;
    bench_.find(FindingKind::kUnlikely, line.line_of(*price), gpu.text, price->text,
                told(ClaimDimension::kPrice, market.low, market.high) + " a GPU",
                "what " + std::to_string(market.offers) + " offers ask for it (" + market.oldest + " to " +
                    market.newest + "); old, or a slip");
  }

  /// A machine of a provider by name, with another price than its list has.
  void instance_prices(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    const std::string title = to_lower(bench_.document.sections[static_cast<std::size_t>(line.section)].title.text);
    if (lower.find("spot") != std::string::npos || lower.find("preemptible") != std::string::npos ||
        lower.find("reserved") != std::string::npos)
      return;
    const ClaimAmount* price = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kPrice && !one.per_gpu && !one.foreign && price == nullptr &&
          !is_value_of_time(line.said.text, one))
        price = &one;
    if (price == nullptr) return;
    for (const std::string_view text : {std::string_view(lower), std::string_view(title)})
      for (const std::string_view raw : split(text, ' ')) {
        std::string_view word = raw;
        while (!word.empty() && !is_letter(word.back()) && !is_digit(word.back())) word.remove_suffix(1);
        while (!word.empty() && !is_letter(word.front()) && !is_digit(word.front())) word.remove_prefix(1);
        const auto found = instances_.find(std::string(word));
        if (found == instances_.end()) continue;
        const Range& known = found->second;
        bench_.use(*price);
        if (price->high < known.low * kLeastOfInstance || price->low > known.high * kMostOfInstance)
          if (prices_told_.insert(std::string(word) + number_text(std::round(price->low))).second)
            bench_.find(FindingKind::kUnlikely, line.line_of(*price), std::string(word), price->text,
                        told(ClaimDimension::kPrice, known.low, known.high),
                        "the list prices known of this machine (" + known.oldest + " to " + known.newest + ")");
        return;
      }
  }

  /// "Minimum 1-hour blocks" of a provider that bills by the second.
  void billing(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    if (lower.find("minimum") == std::string::npos || line.said.quantities.size() != 1 ||
        line.said.quantities[0].dimension != ClaimDimension::kTime)
      return;
    const std::string title = to_lower(bench_.document.sections[static_cast<std::size_t>(line.section)].title.text);
    if (lower.find("bill") == std::string::npos && lower.find("block") == std::string::npos &&
        title.find("billing") == std::string::npos)
      return;
    std::set<std::string> words;
    for (const std::string_view text : {std::string_view(lower), std::string_view(title)})
      for (const std::string_view word : split(text, ' ')) words.insert(squeeze(word));
    const Offer* longest = nullptr;
    for (const std::string& word : words)
      if (const auto found = bills_.find(word); found != bills_.end()) longest = found->second;
    if (longest == nullptr) return;
    const ClaimAmount& stated = line.said.quantities[0];
    const double known = least_bill(*longest).value;
    bench_.use(stated);
    if (known < stated.low - stated.low_step / 2)
      bench_.find(FindingKind::kWrong, line.line_of(stated), longest->provider, stated.text,
                  told(ClaimDimension::kTime, known),
                  "the least that " + longest->provider + " bills, then by " +
                      told(ClaimDimension::kTime, longest->billing.increment.value));
  }

  static Seconds least_bill(const Offer& offer) { return std::max(offer.billing.minimum, offer.billing.increment); }

  Bench& bench_;
  std::map<std::string, Range> gpus_, instances_;
  std::map<std::string, const Offer*> bills_;  ///< by provider, the one with the longest least bill
  GpuNames names_{bench_.catalogue};
  std::set<std::string> models_told_, prices_told_;
};

}  // namespace

void check_facts(Bench& bench) { Facts(bench).check(); }

}  // namespace gpuplan::audit
