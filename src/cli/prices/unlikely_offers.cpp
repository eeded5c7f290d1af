#include "cli/prices/unlikely_offers.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/market/odd_prices.h"
#include "store/rows/dates.h"

namespace gpuplan::cli {
namespace {

/// "p5.48xlarge H100 SXM us-east-1"
std::string offer_words(const Offer& offer) {
  std::vector<std::string> parts;
  for (const std::string* part : {&offer.instance, &offer.gpu, &offer.region})
    if (!part->empty()) parts.push_back(printable(*part, 60));
  return join(parts, " ");
}

void add_note(Feed& list, FeedNote note) {
  if (list.notes.size() < Feed::kMostNotes) list.notes.push_back(std::move(note));
}

/// What is wrong with an offer of a list: why its row is rejected, and the row's words for the note.
struct Fault {
  std::string reason, words;
};

/// Takes the offers out of the list that have a fault, by their positions.
void reject_faults(Feed& list, const std::map<std::size_t, Fault>& faults) {
  if (faults.empty()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.offers.size(); ++i) {
    if (const auto fault = faults.find(i); fault != faults.end()) {
      --list.kept;
      ++list.rejections[fault->second.reason];
      add_note(list, {list.offer_rows[i], true, fault->second.reason, fault->second.words});
      continue;
    }
    if (kept != i) {
      list.offers[kept] = std::move(list.offers[i]);
      list.offer_rows[kept] = list.offer_rows[i];
    }
    ++kept;
  }
  list.offers.resize(kept);
  list.offer_rows.resize(kept);
  list.corrected = std::min(list.corrected, list.kept);
}

std::string odd_words(const Offer& offer, const OddPrice& odd) {
  return offer_words(offer) + ": " + to_text(odd.usual * odd.times) + (odd.spot ? " spot" : "") + " a GPU, " +
         (odd.own ? "before " : "others ") + to_text(odd.usual);
}

}  // namespace

void reject_future(Feed& list, std::string_view today) {
  const int last = days_before(packed_date(today), -1);
  std::map<std::size_t, Fault> faults;
  for (std::size_t i = 0; i < list.offers.size(); ++i)
    if (packed_date(list.offers[i].as_of) > last)
      faults.emplace(i, Fault{"a date in the future", offer_words(list.offers[i])});
  reject_faults(list, faults);
}

void look_at_odd(std::vector<Feed>& lists, const std::vector<Offer>& known, bool keep) {
  // What is read together is one market: a folder has a list for each provider.
  std::vector<Offer> all;
  for (const Feed& list : lists) all.insert(all.end(), list.offers.begin(), list.offers.end());
  const std::vector<OddPrice> odd = odd_prices(all, known);
  auto next = odd.begin();
  std::size_t first = 0;
  for (Feed& list : lists) {
    const std::size_t size = list.offers.size();
    std::map<std::size_t, Fault> faults;
    for (; next != odd.end() && next->offer < first + size; ++next) {
      const std::size_t i = next->offer - first;
      Offer& offer = list.offers[i];
      const std::string what = std::string(next->times > 1 ? "far above" : "far below") +
                               (next->own ? " what the provider asked before" : " what others ask");
      if (keep) {
        const std::string reason = std::string("a ") + (next->spot ? "spot " : "") + "price " + what + ", kept";
        add_note(list, {list.offer_rows[i], false, reason, odd_words(offer, *next)});
        ++list.corrections[reason];
        list.corrected = std::min(list.corrected + 1, list.kept);
      } else if (next->spot && offer.price && !faults.contains(i)) {
        const std::string reason = "a spot price " + what + ", left out";
        add_note(list, {list.offer_rows[i], false, reason, odd_words(offer, *next)});
        ++list.corrections[reason];
        offer.spot_price.reset();
        list.corrected = std::min(list.corrected + 1, list.kept);
      } else {
        faults.emplace(i, Fault{"a price " + what, odd_words(offer, *next)});
      }
    }
    first += size;
    reject_faults(list, faults);
  }
}

}  // namespace gpuplan::cli
