#include "input/prices/price_kind.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "input/text/untidy/yes_no.h"

namespace gpuplan {
namespace {

using Words = std::string_view;  // between bars

bool is_word_of(std::string_view word, Words words) {
  for (std::size_t from = 0; from <= words.size();) {
    const std::size_t end = std::min(words.find('|', from), words.size());
    if (words.substr(from, end - from) == word) return true;
    from = end + 1;
  }
  return false;
}

bool begins_as(std::string_view word, Words beginnings) {
  for (std::size_t from = 0; from <= beginnings.size();) {
    const std::size_t end = std::min(beginnings.find('|', from), beginnings.size());
    if (word.starts_with(beginnings.substr(from, end - from))) return true;
    from = end + 1;
  }
  return false;
}

// Names without blanks and signs.
constexpr Words kAnyNames =
    "pricing|paymentoption|billingtype|market|markettype|capacitytype|tier|leasetype|offertype|offeringtype|"
    "instancelifecycle|"
    "lifecycle|provisioningmodel|provisioning|rentaltype|usagetype";
// Names made of a word of prices and one of sorts: "price tier", "pricing class", "tipo de precio".
constexpr Words kOfPrices = "price|prices|pricing|purchase|purchasing|tariff|preis|prix|precio|precios|tarif|tarifa";
constexpr Words kOfBills = "billing|payment|charge|charging|rate|cost|rent|rental|usage|service|lease|offer|offering";
constexpr Words kSorts =
    "tier|tiers|class|type|kind|model|mode|option|plan|category|scheme|level|art|typ|klasse|modell|stufe|tipo|clase|"
    "modelo|modele|categorie|classe";
constexpr Words kOf = "of|de|du|des|del";
constexpr Words kMaybeNames =
    "type|kind|plan|billing|billingmode|billingmodel|option|mode|class|category|purchase|lease";
constexpr Words kSpotNames =
    "spot|isspot|preemptible|ispreemptible|interruptible|isinterruptible|unterbrechbar|interrumpible|istspot|esspot|"
    "estspot";
constexpr Words kTermNames =
    "term|terms|termlength|termmonths|termyears|leaseterm|lockin|lockinmonths|minterm|mintermmonths|mintermyears|"
    "minimumterm|minimumtermmonths|minimumtermyears|minimummonths|minimumyears|laufzeit|laufzeitmonate|"
    "mindestlaufzeit|mindestlaufzeitmonate|vertragslaufzeit|vertragslaufzeitmonate|dureeminimale|dureeminimalemois|"
    "engagement|engagementmois|plazominimo|permanencia|permanenciameses";
constexpr Words kTermWords = "commit|contract", kReservedWords = "reserv";
/// Of money or numbers of machines under a commitment, not of whether there is one.
constexpr Words kOfAmounts = "price|cost|rate|usd|eur|discount|saving|hour|available|count|capacity|id|url";

constexpr Words kNot = "no|non|not|without|un";
constexpr Words kSpotWords = "spot|preempt|interrupt|bid|lowprio|evictable";
constexpr Words kCommittedWords = "reserv|commit|contract|subscri|prepaid|annual|savings|term|dws|calendar";
constexpr Words kUpfront = "upfront|up-front|ri|cud|yearly|block|blocks";
constexpr Words kTimes = "y|yr|yrs|year|years|m|mo|mos|mth|month|months|w|wk|week|weeks|jahr|jahre|monat|monate";
constexpr Words kYears = "yr|yrs|year|years|yearly";
constexpr Words kTermOnly = "monthly|month|weekly|week|quarterly|fixed";
constexpr Words kOnDemandWords = "ondemand|demand|payg|paygo|payasyougo|hourly|hour|hours|hr|paug";
constexpr Words kUsualWords =
    "standard|secure|community|regular|list|default|normal|public|instant|flexible|dedicated|marketplace|production|od|"
    "pay|as|you|go";
constexpr Words kFillers =
    "on|price|prices|pricing|priced|instance|instances|vm|vms|plan|capacity|type|the|of|per|with|for|gpu|gpus|use|"
    "usage|"
    "offer|only|all|partial|min|low|priority|a|an|and|in|cloud|minimum";

struct Found {
  bool spot = false, committed = false, lasts = false, upfront = false;
  bool on_demand = false, usual = false, negated = false, serverless = false, other = false;
};

/// Whether a name is words of these two lists and nothing else, in either order: "pricetier", "tipodeprecio".
bool is_made_of(std::string_view name, Words what, Words sort) {
  const auto rest_after = [](std::string_view text, Words begins, auto is_rest) {
    return std::ranges::any_of(split(begins, '|'), [&](std::string_view word) {
      return text.starts_with(word) && is_rest(text.substr(word.size()));
    });
  };
  const auto both = [&](Words first, Words second) {
    return rest_after(name, first, [&](std::string_view rest) {
      return is_word_of(rest, second) ||
             rest_after(rest, kOf, [&](std::string_view last) { return is_word_of(last, second); });
    });
  };
  return both(what, sort) || both(sort, what);
}

/// One word, with the figures before it: "1yr" and "1 yr" are the same.
void look_at(std::string_view word, bool figure, KindAsked asked, Found& found) {
  if (is_word_of(word, kNot)) found.negated = true;
  else if (begins_as(word, "unreserv|uncommit|nonspot|noncommit|nonpreempt|noninterrupt|uninterrupt") ||
           is_word_of(word, kOnDemandWords))
    found.on_demand = true;
  else if (begins_as(word, kSpotWords)) found.spot = true;
  else if (word == "serverless") found.serverless = true;
  else if (is_word_of(word, kUpfront)) found.upfront = true;
  else if (begins_as(word, kCommittedWords) || (asked == KindAsked::kCommitment && is_word_of(word, kTermOnly)))
    found.committed = true;
  else if (is_word_of(word, kYears) || (figure && is_word_of(word, kTimes))) found.lasts = true;
  else if (is_word_of(word, kUsualWords)) found.usual = true;
  else if (!is_word_of(word, kFillers)) found.other = true;
}

}  // namespace

KindAsked kind_asked(std::string_view name) {
  const std::string word = squeeze(name);
  if (is_word_of(word, kSpotNames)) return KindAsked::kSpot;
  if (is_word_of(word, kAnyNames)) return KindAsked::kAny;
  if (is_word_of(word, kMaybeNames)) return KindAsked::kMaybe;
  if (is_made_of(word, kOfPrices, kSorts)) return KindAsked::kAny;
  if (is_made_of(word, kOfBills, kSorts)) return KindAsked::kMaybe;
  if (is_word_of(word, kTermNames)) return KindAsked::kCommitment;
  const auto holds = [&](Words words) {
    return std::ranges::any_of(split(words, '|'),
                               [&](std::string_view one) { return word.find(one) != std::string::npos; });
  };
  if (holds(kOfAmounts)) return KindAsked::kNothing;
  if (holds(kReservedWords)) return KindAsked::kReserved;
  return holds(kTermWords) ? KindAsked::kCommitment : KindAsked::kNothing;
}

PriceKind price_kind(std::string_view words, KindAsked asked) {
  const std::string lower = to_lower(trim(words));
  const std::string_view text = lower;
  if (text.empty() || text == "-" || text == "n/a" || text == "\xE2\x80\x93" || text == "\xE2\x80\x94" ||
      text == "null")
    return PriceKind::kUnsaid;
  const bool flag = asked >= KindAsked::kSpot;
  const PriceKind yes = asked == KindAsked::kSpot ? PriceKind::kSpot : PriceKind::kCommitted;
  const auto answer = read_yes_no(text);
  if (flag && (answer == true || text == "1")) return yes;
  if (answer == false || (flag && text == "0")) return PriceKind::kOnDemand;
  const bool whole = std::ranges::all_of(text, is_digit);
  // Months or years, but not what is asked for: "1.80".
  constexpr std::size_t kMostDigits = 2;
  if (whole) return asked == KindAsked::kCommitment && text.size() <= kMostDigits ? yes : PriceKind::kOther;

  Found found;
  bool figure = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (is_digit(text[at])) {
      while (at < text.size() && is_digit(text[at])) ++at;
      figure = true;
    } else if (is_letter(text[at])) {
      while (at < text.size() && is_letter(text[at])) ++at;
      look_at(text.substr(begin, at - begin), figure, asked, found);
      figure = false;
    } else {
      if (text[at] == '.' || text[at] == '$') found.other = true;  // a price
      ++at;
    }
  }
  if (text.find("low") != std::string_view::npos && text.find("priority") != std::string_view::npos) found.spot = true;
  // Where nothing but what stands in it tells what a column is, all of it must.
  const bool telling = asked != KindAsked::kNothing && asked != KindAsked::kMaybe;
  if (found.other && !telling) return PriceKind::kOther;
  if (found.serverless) return PriceKind::kServerless;
  if (found.upfront) return PriceKind::kCommitted;  // "no upfront" too
  if (found.negated && (found.spot || found.committed)) return PriceKind::kOnDemand;
  if (found.spot) return PriceKind::kSpot;
  if (found.committed) return PriceKind::kCommitted;
  // "3 years" may be an age.
  if (found.lasts) return asked == KindAsked::kNothing ? PriceKind::kUnsaid : PriceKind::kCommitted;
  return found.on_demand || found.usual ? PriceKind::kOnDemand : PriceKind::kOther;
}

void KindColumn::note(std::string_view cell) {
  switch (price_kind(cell, asked_)) {
    case PriceKind::kUnsaid:
      break;
    case PriceKind::kOnDemand:
      ++on_demand_;
      break;
    case PriceKind::kSpot:
    case PriceKind::kCommitted:
    case PriceKind::kServerless:
      ++telling_;
      break;
    case PriceKind::kOther:
      ++others_;
      break;
  }
}

PriceKind KindColumn::kind(std::string_view cell) const {
  return price_kind(cell, asked_ == KindAsked::kNothing ? KindAsked::kMaybe : asked_);
}

bool KindColumn::is_of_kinds() const {
  switch (asked_) {
    case KindAsked::kAny:
    case KindAsked::kSpot:
      return true;
    case KindAsked::kCommitment:
    case KindAsked::kReserved:
      return telling_ + on_demand_ >= others_;
    case KindAsked::kMaybe:
      return telling_ > 0 && telling_ + on_demand_ >= others_;
    case KindAsked::kNothing:
      break;
  }
  return telling_ > 0 && others_ == 0;
}

}  // namespace gpuplan
