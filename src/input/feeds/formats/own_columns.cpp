#include "input/feeds/formats/own_columns.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "base/sorting.h"
#include "base/text.h"
#include "input/feeds/formats/own_names.h"
#include "input/prices/price_kind.h"
#include "input/text/untidy/accents.h"

namespace gpuplan {
namespace {

/// What begins with another one stands before it.
constexpr std::array kCurrencies = {
    std::pair{std::string_view("US$"), std::string_view("USD")},
    std::pair{std::string_view("AU$"), std::string_view("AUD")},
    std::pair{std::string_view("CA$"), std::string_view("CAD")},
    std::pair{std::string_view("NZ$"), std::string_view("NZD")},
    std::pair{std::string_view("HK$"), std::string_view("HKD")},
    std::pair{std::string_view("A$"), std::string_view("AUD")},
    std::pair{std::string_view("C$"), std::string_view("CAD")},
    std::pair{std::string_view("S$"), std::string_view("SGD")},
    std::pair{std::string_view("R$"), std::string_view("BRL")},
    std::pair{std::string_view("$"), std::string_view("USD")},
    std::pair{std::string_view("\xE2\x82\xAC"), std::string_view("EUR")},
    std::pair{std::string_view("\x80"), std::string_view("EUR")},  // Windows' code page
    std::pair{std::string_view("\xC2\xA3"), std::string_view("GBP")},
    std::pair{std::string_view("\xA3"), std::string_view("GBP")},
    std::pair{std::string_view("\xE2\x82\xB9"), std::string_view("INR")},
    std::pair{std::string_view("CN\xC2\xA5"), std::string_view("CNY")},
    std::pair{std::string_view("JP\xC2\xA5"), std::string_view("JPY")},
    std::pair{std::string_view("\xC2\xA5"), std::string_view("JPY|CNY")},
    std::pair{std::string_view("\xEF\xBF\xA5"), std::string_view("JPY|CNY")},  // the wide sign
    std::pair{std::string_view("\xE5\x85\x83"), std::string_view("CNY")},      // yuan
    std::pair{std::string_view("\xE5\x86\x86"), std::string_view("JPY")},      // yen
    std::pair{std::string_view("\xE2\x82\xBD"), std::string_view("RUB")},
    std::pair{std::string_view("\xD1\x80\xD1\x83\xD0\xB1"), std::string_view("RUB")},  // rub
    std::pair{std::string_view("\xE2\x82\xA9"), std::string_view("KRW")},
    std::pair{std::string_view("\xE2\x82\xBA"), std::string_view("TRY")},
    std::pair{std::string_view("\xE2\x82\xB4"), std::string_view("UAH")},
    std::pair{std::string_view("\xE2\x82\xAA"), std::string_view("ILS")},
    std::pair{std::string_view("z\xC5\x82"), std::string_view("PLN")},
    std::pair{std::string_view("K\xC4\x8D"), std::string_view("CZK")},
};
constexpr std::array<std::string_view, 24> kCodes = {"USD", "EUR", "GBP", "INR", "CHF", "JPY", "CNY", "CAD",
                                                     "AUD", "SEK", "NOK", "DKK", "PLN", "BRL", "KRW", "SGD",
                                                     "HKD", "ILS", "NZD", "RUB", "TRY", "UAH", "CZK", "TWD"};
/// Words for them.
constexpr std::array kCurrencyWords = {
    std::pair{std::string_view("kr"), std::string_view("SEK|NOK|DKK")},
    std::pair{std::string_view("rmb"), std::string_view("CNY")},
    std::pair{std::string_view("yuan"), std::string_view("CNY")},
    std::pair{std::string_view("yen"), std::string_view("JPY")},
    std::pair{std::string_view("rub"), std::string_view("RUB")},
    std::pair{std::string_view("zl"), std::string_view("PLN")},
    std::pair{std::string_view("kc"), std::string_view("CZK")},
    std::pair{std::string_view("sfr"), std::string_view("CHF")},
    std::pair{std::string_view("euro"), std::string_view("EUR")},
    std::pair{std::string_view("euros"), std::string_view("EUR")},
};

constexpr std::array kTimes = {
    std::pair{std::string_view("h|hr|hrs|hour|hours|hourly|stunde|stunden|std|stundlich|heure|heures|horaire|"
                               "hora|horas|horario"),
              1.0},
    std::pair{std::string_view("s|sec|second|seconds|sekunde"), 1.0 / 3600},
    std::pair{std::string_view("minute|minutes"), 1.0 / 60},
    std::pair{std::string_view("day|days|daily|tag|tages|taglich|jour|jours|journalier|dia|dias|diario"), 24.0},
    std::pair{std::string_view("week|weekly|woche|wochen|semaine|semaines|semana|semanas|semanal"), 168.0},
    std::pair{std::string_view("mo|month|months|monthly|monat|monats|monatlich|mois|mensuel|mensuelle|mes|"
                               "meses|mensual"),
              kMonthHours},
    std::pair{std::string_view("year|yearly|annual|yr|jahr|jahres|jahrlich|annee|annuel|annuelle|ano|anual"), 8760.0}};

constexpr std::string_view kPriceWords =
                               "price|prices|pricing|cost|costs|rate|dph|fee|tariff|preis|preise|kosten|netto|brutto|"
                               "prix|tarif|cout|couts|precio|precios|tarifa|coste|costes|costo",
                           kSpotWords = "spot|preemptible|preempt|interruptible|interrumpible|bid",
                           kGpuWords = "gpu|gpus|accelerator|accelerators|card|chip|karte|grafikkarte|carte|tarjeta",
                           kMachineWords =
                               "instance|node|machine|server|vm|host|box|maschine|knoten|instanz|serveur|noeud|"
                               "servidor|nodo|maquina|instancia",
                           kCentWords = "ct|cent|cents",
                           kJoiningWords = "per|pro|je|a|an|each|billed|charged|priced|par|por|la|de|l";

/// Words of a head in lower case; currencies are told apart.
struct Head {
  std::vector<std::string> words;
  std::string joined;
  std::string currency;

  bool any(std::string_view wanted) const {
    return std::ranges::any_of(words, [&](const std::string& word) { return one_of(word, wanted); });
  }
};

Head head_of(std::string_view name) {
  Head head;
  std::string word;
  const auto end = [&] {
    if (word.empty()) return;
    for (const std::string& part : price_words(word))
      if (const std::string_view code = currency_of(part); !code.empty()) {
        head.currency = code;
      } else {
        head.joined += part;
        head.words.push_back(part);
      }
    word.clear();
  };
  for (std::size_t at = 0; at < name.size();) {
    const char c = name[at];
    if (const auto [code, length] = currency_sign(name.substr(at)); length > 1 && is_letter(c) && word.empty()) {
      head.currency = code;
      at += length;
      continue;
    }
    if (is_letter(c) || is_digit(c)) {
      // "pricePerHour" is three words.
      const bool hump = !word.empty() && c >= 'A' && c <= 'Z' && word.back() >= 'a' && word.back() <= 'z';
      if (hump && word != "v") end();
      word += c;
      ++at;
      continue;
    }
    end();
    if (name.substr(at).starts_with("\xC2\xA2")) head.words.emplace_back("cents");
    const auto [code, length] = currency_sign(name.substr(at));
    if (length > 0) head.currency = code;
    at += std::max<std::size_t>(length, 1);
  }
  end();
  return head;
}

/// Of something else than the price of a machine as it is.
constexpr std::string_view kOtherWords =
    "storage|disk|egress|ingress|network|bandwidth|transfer|token|tokens|setup|upfront|reserved|reservation|commit|"
    "commitment|committed|discount|discounted|savings|max|min|cap|limit|cpu|vcpu|vcpus|core|cores|ram|memory|"
    "gb|gib|tb|"
    "tflop|tflops|low|high|change|old|previous|1yr|3yr|exchange|fx|as|asof|"
    "date|updated|timestamp|stockage|disque|almacenamiento|disco|speicher|festplatte|trafic|trafico|reserve|reservee|"
    "reservado|reservada|reserviert|engagement|compromiso|remise|descuento|rabatt|memoire|memoria|coeur|nucleo|kern";
constexpr std::string_view kBillingWords = "billing|billed|increment|granularity|minimum";
/// What others pay: of two prices the one that the reader pays counts.
constexpr std::string_view kListWords = "list|listed|retail|msrp|rack";
constexpr std::string_view kSummaryWords = "avg|average|mean|median|lowest|highest|cheapest|minimum|starting|from";

/// Prices, by the words of the head.
OwnColumn price_column(const Head& head, const OwnTax& tax) {
  OwnColumn column;
  if (head.any(kOtherWords)) return column;
  // Else it is the tax itself.
  if (tax.said == OwnTax::Said::kNothing && std::ranges::any_of(head.words, is_tax_word)) return column;
  double hours = 0;
  std::string_view time;
  for (const std::string& word : head.words)
    if (hours_of(word) > 0) {
      hours = hours_of(word);
      time = word;
    }
  const bool price = head.any(kPriceWords);
  const bool demand = head.any("demand|ondemand") && (head.any("on") || head.any("ondemand"));
  const bool per = head.any("per|pro|je|par|por") && (hours > 0 || head.any("gpu"));
  const bool rented = hours > 0 && (!head.currency.empty() || time == "hourly" || time == "monthly" || head.any("gpu"));
  const bool money_only = !head.currency.empty() && head.words.empty();
  const bool spot = head.any(kSpotWords);
  if (!price && !demand && !per && !rented && !money_only && !(spot && !head.currency.empty())) return column;
  column.field = spot ? OwnField::kSpotPrice : OwnField::kPrice;
  column.per_gpu = head.any(kGpuWords);
  column.per_machine = head.any(kMachineWords) && !column.per_gpu;
  column.cents = head.any(kCentWords);
  column.summary = head.any(kSummaryWords);
  column.list = head.any(kListWords);
  column.tax = tax;
  column.hours = hours;
  return column;
}

/// "Storage ($/GB/month)", "egress_price_per_gb": prices of what a machine uses beside its GPUs.
OwnColumn extra_price_column(const Head& head) {
  constexpr std::string_view kDiskWords =
      "storage|disk|volume|stockage|disque|almacenamiento|disco|speicher|speicherplatz|festplatte";
  constexpr std::string_view kEgressWords = "egress|outbound|traffic|trafic|trafico|bandwidth|transfer";
  OwnColumn column;
  const bool disk = head.any(kDiskWords), egress = head.any(kEgressWords);
  const bool priced = head.any(kPriceWords) || !head.currency.empty();
  if (disk == egress || !priced || head.any("discount|included|free|ingress|min|max|cap|limit")) return column;
  const bool of_tb = head.any("tb|tib|to");
  if (!of_tb && !head.any("gb|gib|go") && head.joined != "storagecost" && head.joined != "diskprice" &&
      head.joined != "egressprice")
    return column;
  column.field = disk ? OwnField::kDiskPrice : OwnField::kEgressPrice;
  constexpr double kGbOfTb = 1000;
  column.unit = of_tb ? 1 / kGbOfTb : 1;
  column.cents = head.any(kCentWords);
  for (const std::string& word : head.words)
    if (hours_of(word) > 0) column.hours = hours_of(word);
  return column;
}

double memory_unit(const Head& head) {
  if (head.any("mb|mib|mo")) return 1.0 / 1024;
  return head.any("tb|tib|to") ? 1024 : 1;
}

/// Whether a text is nothing but words of these, one after another; they are put into `words`.
bool cut_into(std::string_view text, std::span<const std::string_view> of, std::vector<std::string>& words) {
  if (text.empty()) return true;
  for (const std::string_view word : of) {
    if (!text.starts_with(word)) continue;
    words.emplace_back(word);
    if (cut_into(text.substr(word.size()), of, words)) return true;
    words.pop_back();
  }
  return false;
}

/// Words that others run together, the longer ones first.
const std::vector<std::string_view>& words_run_together() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all = {"usd", "eur", "gbp", "ondemand", "total", "per", "pro", "par", "por", "cents"};
    constexpr std::size_t kShortest = 2;  // "h" would cut anything
    const auto add = [&](std::string_view list) {
      for (const std::string_view word : split(list, '|'))
        if (word.size() > kShortest || word == "hr") all.push_back(word);
    };
    for (const std::string_view list : {kPriceWords, kSpotWords, kGpuWords, kMachineWords}) add(list);
    for (const auto& [list, hours] : kTimes) add(list);
    sort_stably(all, std::greater<>(), &std::string_view::size);
    return all;
  }();
  return words;
}

}  // namespace

int undone(const OwnColumn& column) {
  return (column.per_gpu ? 2 : 0) +
         (column.hours == 0   ? 1
          : column.hours == 1 ? 0
                              : 4) +
         (column.summary ? 8 : 0) + (column.list ? 16 : 0) + (column.tax.said == OwnTax::Said::kWith ? 32 : 0);
}

std::vector<std::string> head_words(std::string_view name) { return head_of(without_accents(name)).words; }

std::vector<std::string> price_words(std::string_view word) {
  const std::string lower = to_lower(word);
  // "gpuh": the one letter that says a time behind it.
  if (lower == "gpuh" || lower == "gpuhs") return {"gpu", "h"};
  std::vector<std::string> words;
  constexpr std::size_t kShortest = 5, kLongest = 40;
  if (lower.size() >= kShortest && lower.size() <= kLongest && cut_into(lower, words_run_together(), words))
    return words;
  return {lower};
}

bool is_gpu_word(std::string_view word) { return one_of(word, kGpuWords); }
bool is_machine_word(std::string_view word) { return one_of(word, kMachineWords); }
bool is_cent_word(std::string_view word) { return one_of(word, kCentWords); }
bool is_joining_word(std::string_view word) { return one_of(word, kJoiningWords); }

std::pair<std::string_view, std::size_t> currency_sign(std::string_view text) {
  for (const auto& [sign, code] : kCurrencies)
    if (text.starts_with(sign)) return {code, sign.size()};
  return {"", 0};
}

std::string_view currency_of(std::string_view text) {
  for (const auto& [sign, code] : kCurrencies)
    if (text == sign) return code;
  for (const std::string_view code : kCodes)
    if (iequals(code, text)) return code;
  for (const auto& [word, code] : kCurrencyWords)
    if (iequals(word, text)) return code;
  return "";
}

bool settle_currency(std::string& currency, std::string_view other) {
  if (other.empty() || iequals(currency, other)) return true;
  const auto among = [](std::string_view one, std::string_view several) {
    return std::ranges::any_of(split(several, '|'), [&](std::string_view code) { return iequals(code, one); });
  };
  if (currency.empty() || among(other, currency)) {
    currency = other;
    return true;
  }
  return among(currency, other);
}

double hours_of(std::string_view word) {
  for (const auto& [words, hours] : kTimes)
    if (one_of(word, words)) return hours;
  return 0;
}

OwnColumn own_column(std::string_view written) {
  const std::string plain = without_accents(written);
  const std::string_view name = plain;
  const Head head = head_of(name);
  const OwnTax tax = read_own_tax(name);
  OwnColumn column;
  // "memory[GiB]", "VRAM (GB)": the unit is no part of the name.
  const std::string_view bare = name.substr(0, name.find_first_of("[("));
  const std::string joined = trim(bare).empty() ? head.joined : head_of(bare).joined;
  // "Spot ($/h)" holds prices.
  const KindAsked asked = kind_asked(joined);
  if (asked > KindAsked::kMaybe && head.currency.empty() && price_column(head, tax).field != OwnField::kSpotPrice) {
    column.field = OwnField::kKind;
    column.of_spot = asked == KindAsked::kSpot;
    return column;
  }
  // "rate type": of a price, but none.
  if (asked == KindAsked::kMaybe && price_column(head, tax).field == OwnField::kPrice) return column;
  for (const OwnNames& names : kOwnNames) {
    if (!one_of(joined, names.names) && !one_of(head.joined, names.names)) continue;
    column.field = names.field;
    column.currency = head.currency;
    if (names.field == OwnField::kRam || names.field == OwnField::kGpuMemory || names.field == OwnField::kMemory)
      column.unit = memory_unit(head);
    if (names.field == OwnField::kTaxRate) {
      const bool percent = name.find('%') != std::string_view::npos;
      column.unit = percent || head.any("rate|percent|pct|mwstsatz|steuersatz|taux|tipo") ? 0.01 : 1;
    }
    if (names.field == OwnField::kMinimum) column.unit = head.any("minutes|min") ? 60 : 1;
    return column;
  }
  column = extra_price_column(head);
  if (column.field == OwnField::kNone) column = price_column(head, tax);
  column.currency = head.currency;
  if (column.field == OwnField::kNone) {
    column.of_others = head.any(kOtherWords) || head.any(kBillingWords);
    column.of_units = !column.of_others && head.any("unit|units|period|basis|measure|per|einheit|uom");
  }
  return column;
}

void OwnColumns::settle_memory(bool of_gpus) {
  constexpr auto kFrom = static_cast<std::size_t>(OwnField::kMemory);
  if (!places_[kFrom]) return;
  const auto into = static_cast<std::size_t>(of_gpus ? OwnField::kGpuMemory : OwnField::kRam);
  if (!places_[into]) places_[into] = places_[kFrom], meanings_[into] = meanings_[kFrom];
}

std::optional<OwnColumns> OwnColumns::of(FeedHeader header) {
  OwnColumns columns;
  std::array<std::size_t, kFields> ranks{};
  for (std::size_t i = 0; i < header.size(); ++i) {
    OwnColumn column = own_column(header[i]);
    if (column.field == OwnField::kNone) continue;
    const auto field = static_cast<std::size_t>(column.field);
    auto rank = static_cast<std::size_t>(undone(column));
    if (column.field == OwnField::kGpu || column.field == OwnField::kAsOf || column.field == OwnField::kGpus ||
        column.field == OwnField::kInstance) {
      // The more telling name of two: "GPU Model" before "GPU".
      const std::string joined = head_of(without_accents(header[i])).joined;
      for (const OwnNames& names : kOwnNames)
        if (names.field == column.field) rank = names.names.find(joined);
    }
    if (columns.places_[field] && ranks[field] <= rank) {
      // Of "GPU Model" and "GPU" the second counts them.
      if (column.field == OwnField::kGpu && iequals(trim(header[i]), "gpu") && !columns.at(OwnField::kGpus)) {
        columns.places_[static_cast<std::size_t>(OwnField::kGpus)] = i;
        ranks[static_cast<std::size_t>(OwnField::kGpus)] = std::string::npos;
      }
      continue;
    }
    columns.places_[field] = i;
    columns.meanings_[field] = std::move(column);
    ranks[field] = rank;
  }
  // "GPUs" alone may say all: "8x H100".
  if (!columns.at(OwnField::kGpu)) {
    constexpr auto kAll = static_cast<std::size_t>(OwnField::kGpu), kOne = static_cast<std::size_t>(OwnField::kGpus);
    std::swap(columns.places_[kAll], columns.places_[kOne]);
  }
  const bool priced = columns.at(OwnField::kPrice) || columns.at(OwnField::kSpotPrice);
  if (!columns.at(OwnField::kGpu) || !priced) return std::nullopt;
  return columns;
}

}  // namespace gpuplan
