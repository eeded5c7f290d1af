#include "input/feeds/rows/stock_words.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/names.h"
#include "base/text.h"
#include "input/text/untidy/accents.h"
#include "input/text/untidy/yes_no.h"

namespace gpuplan {
namespace {

/// Without blanks and signs.
constexpr std::array<std::string_view, 36> kNone = {
    "soldout",      "outofstock",     "nocapacity",     "outofcapacity", "nostock",        "notinstock",
    "notavailable", "unavailable",    "waitlist",       "waitinglist",   "backorder",      "insufficientcapacity",
    "noinventory",  "fullybooked",    "fullyutilized",  "noquota",       "nobalance",      "noavailability",
    "preorder",     "comingsoon",     "ausverkauft",    "ausgebucht",    "nichtverfugbar", "nichtverfuegbar",
    "vergriffen",   "keinekapazitat", "nichtlieferbar", "warteliste",    "epuise",         "rupturedestock",
    "indisponible", "listedattente",  "agotado",        "nodisponible",  "sinstock",       "listadeespera"};
/// What is so now and then, or not at all.
constexpr std::array<std::string_view, 14> kDoubt = {
    "often",      "sometimes",     "may", "rarely",   "occasionally", "never",   "notsoldout",
    "nowaitlist", "nowaitinglist", "oft", "manchmal", "souvent",      "parfois", "avecesagotado"};
/// Nothing but these, where availability is what is asked for.
constexpr std::array<std::string_view, 8> kAnswers = {"0",    "full",      "busy",  "out",
                                                      "sold", "exhausted", "empty", "reserved"};

}  // namespace

bool says_sold_out(std::string_view text) {
  const std::string word = squeeze(without_accents(text));
  const auto holds = [&](std::string_view part) { return word.contains(part); };
  return std::ranges::any_of(kNone, holds) && std::ranges::none_of(kDoubt, holds);
}

Stock stock_said(std::string_view text) {
  if (const auto stock = from_name<Stock>(to_lower(trim(text)))) return *stock;
  const std::string word = squeeze(without_accents(text));
  if (read_yes_no(word) == false || std::ranges::find(kAnswers, word) != kAnswers.end() || says_sold_out(text))
    return Stock::kSoldOut;
  return word == "limited" ? Stock::kLow : Stock::kUnsaid;
}

}  // namespace gpuplan
