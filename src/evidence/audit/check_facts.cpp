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
#include "evidence/audit/figures/known_prices.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

constexpr double kLeastOfInstance = 0.75, kMostOfInstance = 1.35;

class Facts {
 public:
  explicit Facts(Bench& bench) : bench_(bench) {
    for (const Offer& offer : bench.catalogue.offers) {
      if (offer.kind != OfferKind::kRented || offer.gpus < 1) continue;
      const Offer*& longest = bills_[squeeze(offer.provider)];
      if (longest == nullptr || least_bill(offer) > least_bill(*longest)) longest = &offer;
      // Names of marketplaces ("8x H100") are none of machines.
      if (offer.price && offer.price->p50.value > 0 && offer.instance.size() >= 5 &&
          offer.instance.find(' ') == std::string::npos && offer.instance.find_first_of(".-") != std::string::npos)
        instances_[to_lower(offer.instance)].add(offer.price->p50.value * kHour, offer.as_of);
    }
  }

  void check() {
    for (const ClaimSection& section : bench_.document.sections) models(section.line, section.title);
    for (const ClaimLine& line : bench_.document.lines) {
      models(line.line, line.said);
      instance_prices(line);
      billing(line);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) models(row.line, cell);
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
        const KnownPrices& known = found->second;
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
  std::map<std::string, KnownPrices> instances_;
  std::map<std::string, const Offer*> bills_;  ///< by provider, the one with the longest least bill
  std::set<std::string> models_told_, prices_told_;
};

}  // namespace

void check_facts(Bench& bench) { Facts(bench).check(); }

}  // namespace gpuplan::audit
