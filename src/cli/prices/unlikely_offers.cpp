#include "cli/prices/unlikely_offers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "store/rows/dates.h"

namespace gpuplan::cli {
namespace {

/// "p5.48xlarge H100 SXM us-east-1"
std::string offer_words(const Offer& offer) {
  std::vector<std::string> parts;
  for (const Word* part : {&offer.instance, &offer.gpu, &offer.region})
    if (!part->empty()) parts.push_back(printable(*part, 60));
  return join(parts, " ");
}

void add_note(Feed& list, FeedNote note) {
  if (list.notes.size() < Feed::kMostNotes) list.notes.push_back(std::move(note));
}

void reject(Feed& list, const OfferRow& row, std::string reason, std::string words) {
  list.reject(row, reason);
  add_note(list, {row.row, true, std::move(reason), std::move(words)});
}

/// `row` is counted as corrected once.
void correct(Feed& list, OfferRow& row, std::string reason, std::string words) {
  ++list.corrections[reason];
  if (row.corrected == 0) ++list.corrected;
  row.corrected |= 1;
  add_note(list, {row.row, false, std::move(reason), std::move(words)});
}

/// Keeps the offers of a list of which `is_kept(offer, row)` says so.
template <class IsKept>
void keep_offers(Feed& list, IsKept is_kept) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.offers.size(); ++i) {
    if (!is_kept(list.offers[i], list.offer_rows[i])) continue;
    if (kept != i) {
      list.offers[kept] = std::move(list.offers[i]);
      list.offer_rows[kept] = list.offer_rows[i];
    }
    ++kept;
  }
  list.offers.resize(kept);
  list.offer_rows.resize(kept);
}

struct GaugeWords {
  const char *rule, *beside;
};
GaugeWords words_of(PriceGauge gauge) {
  switch (gauge) {
    case PriceGauge::kBefore:
      return {"what the provider asked before", "before"};
    case PriceGauge::kOwn:
      return {"what the provider asks beside it", "its others"};
    case PriceGauge::kOnDemand:
      return {"what the provider asks on demand", "on demand"};
    case PriceGauge::kOthers:
      break;
  }
  return {"what others ask", "others"};
}

std::string odd_words(const Offer& offer, const OddPrice& odd) {
  return offer_words(offer) + ": " + to_text(odd.usual * odd.times) + (odd.spot ? " spot" : "") + " a GPU, " +
         words_of(odd.gauge).beside + " " + to_text(odd.usual);
}

}  // namespace

void reject_future(Feed& list, std::string_view today) {
  const int last = days_before(packed_date(today), -1);
  keep_offers(list, [&](const Offer& offer, const OfferRow& row) {
    if (packed_date(offer.as_of) <= last) return true;
    reject(list, row, "a date in the future", offer_words(offer));
    return false;
  });
}

OfferVerdict look_at_odd(Feed& list, const Offer& offer, const OfferRow& row, PriceJudge& judge, bool keep) {
  OfferVerdict verdict;
  OfferRow counted = row;
  for (const OddPrice& odd : judge.judge(offer)) {
    if (!verdict.kept) break;
    const std::string what = std::string(odd.times > 1 ? "far above " : "far below ") + words_of(odd.gauge).rule;
    if (keep) {
      correct(list, counted, std::string("a ") + (odd.spot ? "spot " : "") + "price " + what + ", kept",
              odd_words(offer, odd));
    } else if (odd.spot && offer.price) {
      correct(list, counted, "a spot price " + what + ", left out", odd_words(offer, odd));
      verdict.spot_kept = false;
    } else {
      reject(list, row, "a price " + what, odd_words(offer, odd));
      verdict.kept = false;
    }
  }
  return verdict;
}

void look_at_odd(std::vector<Feed>& lists, PriceJudge& judge, bool keep) {
  // What is read together is one market: a folder has a list for each provider.
  for (const Feed& list : lists)
    for (const Offer& offer : list.offers) judge.add(offer, PriceStanding::kNew);
  for (Feed& list : lists)
    keep_offers(list, [&](Offer& offer, const OfferRow& row) {
      const OfferVerdict verdict = look_at_odd(list, offer, row, judge, keep);
      if (!verdict.spot_kept) offer.spot_price.reset();
      return verdict.kept;
    });
}

}  // namespace gpuplan::cli
