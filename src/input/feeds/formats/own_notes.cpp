#include "input/feeds/formats/own_notes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "input/feeds/rows/price_notes.h"
#include "input/feeds/rows/stock_words.h"

namespace gpuplan {

std::string_view form_said(std::string_view cell) {
  return cell.find("://") == std::string_view::npos ? trim(cell) : std::string_view();
}

std::string heed_note(std::string_view note, PriceKind said, FeedRow& row) {
  switch (kind_in_note(note)) {
    case PriceKind::kCommitted:
      return "a price under a commitment, as its note says";
    case PriceKind::kSpot:
      if (said == PriceKind::kUnsaid && std::isnan(row.spot)) {
        row.spot = std::exchange(row.price, kNoPrice);
        row.corrections.emplace_back("a spot price, as its note says");
      }
      break;
    default:
      break;
  }
  if (row.stock == Stock::kUnsaid && says_sold_out(note)) {
    row.stock = Stock::kSoldOut;
    row.corrections.emplace_back("sold out, as its note says");
  }
  return "";
}

void heed_availability(PriceKind said, FeedRow& row) {
  const std::string lower = to_lower(row.availability);
  // "spot: low" may stand beside what is said of the price on demand.
  const bool of_row = (lower.contains("interrupt") || lower.contains("preempt")) && !lower.contains("demand");
  if (!of_row || said != PriceKind::kUnsaid || !std::isnan(row.spot) || kind_in_note(lower) != PriceKind::kSpot) return;
  row.spot = std::exchange(row.price, kNoPrice);
  row.corrections.emplace_back("a spot price, as its availability says");
}

bool says_other_system(const OwnColumn& column, std::string_view cell) {
  if (column.field != OwnField::kSystem && column.field != OwnField::kProvider) return false;  // "platform" is either
  constexpr std::array<std::string_view, 6> kLicensed = {"windows", "rhel", "redhat", "suse", "sles", "ubuntupro"};
  const std::string word = squeeze(cell);
  return std::ranges::any_of(kLicensed, [&](std::string_view one) { return word.contains(one); });
}

}  // namespace gpuplan
