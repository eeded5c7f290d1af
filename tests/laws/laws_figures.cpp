// What holds of one answer by itself.
#include "laws/figures.h"
#include "laws/laws.h"

namespace gpuplan::laws {
namespace {

template <std::string (*kWrong)(const Answer&)>
Verdict check(const Answer& base, Random&) {
  if (base.plans().empty()) return silent();
  std::string words = kWrong(base);
  return words.empty() ? holds() : broken(std::move(words));
}

Verdict document(const Answer& base, Random&) {
  std::string words = wrong_document(plan_document(base, true));
  return words.empty() ? holds() : broken(std::move(words));
}

Verdict page(const Answer& base, Random&) {
  std::string words = wrong_words(plan_page(base, Screen{}, true));
  return words.empty() ? holds() : broken(std::move(words));
}

constexpr Law kLaws[] = {
    {"sums", "phases, leases and idle time add up to the totals", check<wrong_sums>},
    {"chances", "chances lie between 0 and 1, and interruptions give nothing back", check<wrong_chances>},
    {"dominance", "ids are unique, nobody dominates himself, and the frontier is one", check<wrong_dominance>},
    {"document", "no figure of --json is below zero, out of order or missing", document},
    {"page", "no sentence says nan or inf", page},
};

}  // namespace

std::span<const Law> figure_laws() { return kLaws; }

}  // namespace gpuplan::laws
