#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/audit/figures/known_prices.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Beyond these times of the cheapest and dearest offer known a price is told. Of many offers the ends are far from
/// what is usual already, so that little beyond them is a slip.
constexpr double kLeastBelievable = 0.5, kMostBelievable = 1.6;
constexpr double kLeastOfMany = 0.8, kMostOfMany = 1.25;
constexpr int kMany = 40;

/// Whether so much is asked anywhere, or might be. `doubt`: 2 lets prices be twice as far off.
bool is_believable(const KnownPrices& market, double least, double most, double doubt = 1) {
  const bool many = market.offers >= kMany;
  return most * doubt >= market.low * (many ? kLeastOfMany : kLeastBelievable) &&
         least <= market.high * (many ? kMostOfMany : kMostBelievable) * doubt;
}

/// Prices of an hour against those of all offers known of that GPU.
class Market {
 public:
  explicit Market(Bench& bench) : bench_(bench) {
    for (const Offer& offer : bench.catalogue.offers) {
      if (offer.kind != OfferKind::kRented || offer.gpus < 1) continue;
      KnownPrices& gpu = gpus_[offer.gpu];
      for (const auto& price : {offer.price, offer.spot_price})
        if (price && price->p50.value > 0) gpu.add(price->p50.value * kHour / offer.gpus, offer.as_of);
    }
  }

  void check() {
    for (const ClaimLine& line : bench_.document.lines) price_in_words(line);
    for (const ClaimRecord& record : bench_.records) prices(record);
  }

 private:
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
        const KnownPrices market = market_of(record.gpu, record.gigabytes);
        constexpr int kEnough = 3;
        if (market.offers < kEnough) continue;
        bench_.use(*price->value);
        const double gpus = price->value->per_gpu ? 1 : std::max(record.count, 1);
        const double low = price->value->low / gpus, high = price->value->high / gpus;
        const double alone = price->value->low;  // where the price of a GPU is meant, not of all
        // Of a price without a time nobody knows whether it is that of an hour.
        constexpr double kNoHour = 20;
        if (price->value->dimension == ClaimDimension::kMoney && low > kNoHour * market.high) continue;
        if (is_believable(market, low, high) || is_believable(market, alone, alone) ||
            std::ranges::any_of(counts_of(*row), [&](double count) {
              return is_believable(market, price->value->low / count, price->value->high / count);
            }))
          continue;
        // "Hours", "Price": what all of the hours cost.
        if (const ClaimFact* time = row->time(); price->value->dimension == ClaimDimension::kMoney && time != nullptr &&
                                                 row->cost() == nullptr && time->value->low > 0) {
          const double hours = time->value->low / kHour;
          if (is_believable(market, low / hours, high / hours)) continue;
        }
        bench_.find(FindingKind::kUnlikely, price->line, record.label, price->value->text,
                    told(ClaimDimension::kPrice, market.low, market.high) + " a GPU",
                    "what " + std::to_string(market.offers) + " offers ask for it (" + market.oldest + " to " +
                        market.newest + "); old, or a slip");
      }
  }

  /// Offers of a GPU, of its size where that is said.
  KnownPrices market_of(const std::string& key, double gigabytes) {
    KnownPrices market;
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

  /// "1x RTX 4090 at $4.50/h": the one machine and the one price of a line. Further off than in a table, since a
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
    const KnownPrices market = market_of(gpu.key, gpu.gigabytes);
    constexpr int kEnough = 3;
    if (market.offers < kEnough) return;
    bench_.use(*price);
    const double count = price->per_gpu ? 1 : std::max(gpu.count, 1);
    const double doubt = market.offers >= kMany ? 1.5 : 2;
    if (is_believable(market, price->low / count, price->high / count, doubt) ||
        is_believable(market, price->low, price->high, doubt))
      return;
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == line.line_of(*price); }))
      return;
    bench_.find(FindingKind::kUnlikely, line.line_of(*price), gpu.text, price->text,
                told(ClaimDimension::kPrice, market.low, market.high) + " a GPU",
                "what " + std::to_string(market.offers) + " offers ask for it (" + market.oldest + " to " +
                    market.newest + "); old, or a slip");
  }

  Bench& bench_;
  std::map<std::string, KnownPrices> gpus_;
  GpuNames names_{bench_.catalogue};
};

}  // namespace

void check_market(Bench& bench) { Market(bench).check(); }

}  // namespace gpuplan::audit
