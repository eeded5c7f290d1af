#include "input/feeds/rows/price_notes.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "input/text/untidy/accents.h"

namespace gpuplan {
namespace {

using Words = std::string_view;  // between bars

constexpr Words kNoteNames =
    "note|notes|comment|comments|remark|remarks|details|description|conditions|info|information|misc|"
    "bemerkung|bemerkungen|anmerkung|anmerkungen|kommentar|hinweis|hinweise|bedingungen|remarque|remarques|commentaire|"
    "commentaires|conditions|observaciones|nota|notas|comentario|comentarios|condiciones";

/// Beginnings of words; each stands for the price of the row.
constexpr Words kSpot = "spot|preempt|interruptib|evictable";
constexpr Words kCommitted = "reserv|commit|prepaid|mindestlaufzeit|vertragslaufzeit";
/// These only beside a length of months or years, or where they are asked for.
constexpr Words kTerms =
    "term|contract|subscri|laufzeit|vertrag|engagement|duree|plazo|contrato|permanencia|compromiso";
constexpr Words kLong = "month|year|week|yr|monat|jahr|woche|mois|an|ans|annee|semaine|mes|meses|ano|anos|semana";
constexpr Words kAsked = "min|minimum|required|only|fixed|nur|mindest|minimal|obligatoire|minimo";
/// Whole words that deny, or offer something beside the price.
constexpr Words kOther =
    "no|not|non|without|never|ohne|kein|keine|keinen|sans|aucun|sin|ninguno|ningun|or|oder|ou|also|auch|aussi|"
    "available|"
    "option|optional|optionally|possible|discount|discounts|discounted|cheaper|less|from|save|savings|ask|contact|"
    "if|when|unlike|instead|vs|versus|than|waived|cancel|unreserved|uncommitted|noncommitted";

bool begins(std::string_view word, Words beginnings) {
  return std::ranges::any_of(split(beginnings, '|'), [&](std::string_view one) { return word.starts_with(one); });
}
bool is_one(std::string_view word, Words words) {
  return std::ranges::any_of(split(words, '|'), [&](std::string_view one) { return word == one; });
}

PriceKind kind_of_part(std::span<const std::string> words) {
  const auto any = [&](Words of, bool whole) {
    return std::ranges::any_of(words,
                               [&](const std::string& word) { return whole ? is_one(word, of) : begins(word, of); });
  };
  if (any(kOther, true)) return PriceKind::kUnsaid;
  if (any(kCommitted, false)) return PriceKind::kCommitted;
  const bool lasts = std::ranges::any_of(words, [](const std::string& word) {
    return is_one(word, kLong) ||
           (word.size() > 2 && word.ends_with('s') && is_one(word.substr(0, word.size() - 1), kLong)) ||
           is_one(word, "mo|mos|monate|jahre|monaten|jahren");
  });
  const bool asked = any(kAsked, true);
  // "min. 1 month" needs no more; "minimum term 1 h" is how hours are billed.
  if (lasts && (asked || any(kTerms, false))) return PriceKind::kCommitted;
  if (asked && any("contract|vertrag|contrato|subscri", false)) return PriceKind::kCommitted;
  // "May be interrupted" is what spot means.
  const bool taken = any("interrupted|preempted|unterbrochen|interrompu|interrumpido", true) &&
                     any("may|can|might|kann|konnen|peut|puede", true);
  return taken || any(kSpot, false) ? PriceKind::kSpot : PriceKind::kUnsaid;
}

}  // namespace

bool is_note_name(std::string_view name) { return is_one(squeeze(without_accents(name)), kNoteNames); }

PriceKind kind_in_note(std::string_view note) {
  const std::string lower = to_lower(without_accents(note));
  PriceKind all = PriceKind::kUnsaid;
  std::vector<std::string> part;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) part.push_back(std::move(word));
    word.clear();
  };
  const auto end_part = [&] {
    end_word();
    all = std::max(all, kind_of_part(part));
    part.clear();
  };
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const char c = lower[i];
    // "min. term": the point ends a word that was cut.
    const bool cut = c == '.' && (word == "min" || word == "max" || word == "approx");
    if (is_letter(c)) word += c;
    else if (!cut && (c == ',' || c == ';' || c == '.' || c == '/' || c == '(' || c == ')' || c == '|')) end_part();
    else end_word();
  }
  end_part();
  return all;
}

}  // namespace gpuplan
