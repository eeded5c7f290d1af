#include "input/feeds/formats/own_extras.h"

#include <cmath>

#include "base/text.h"
#include "input/feeds/formats/own_amounts.h"

namespace gpuplan {
namespace {

/// A share of the time, "0.995", "99.5" or "99.5%".
void read_reliability(std::string_view cell, LooseNumbers& numbers, FeedRow& row) {
  const bool percent = cell.ends_with('%');
  if (percent) cell = trim(cell.substr(0, cell.size() - 1));
  bool known = true;
  const double figure = read_own_number(cell, numbers, false, known);
  if (std::isnan(figure) && known) return;
  const double share = percent || figure > 1 ? figure / 100 : figure;
  if (share >= 0 && share <= 1) row.reliability = share;
  else row.corrections.emplace_back("a reliability that is no share of the time, left out");
}

void read_extra_price(const OwnColumn& column, std::string_view cell, LooseNumbers& numbers, FeedRow& row) {
  const bool disk = column.field == OwnField::kDiskPrice;
  if (one_of(to_lower(cell), "free|included|incl|gratis|kostenlos|frei|inklusive|gratuit|inclus|incluido")) return;
  const OwnPrice price = read_own_price(cell, numbers);
  if (price.problem.empty() && (std::isnan(price.value) || price.value == 0)) return;  // nothing is asked
  const std::string& currency = price.currency.empty() ? column.currency : price.currency;
  const bool same = currency.empty() || iequals(currency, row.currency.empty() ? "USD" : row.currency);
  if (!price.problem.empty() || price.value < 0 || !same) {
    row.corrections.emplace_back(disk ? "a price of disk space that cannot be used, left out"
                                      : "a price of traffic that cannot be used, left out");
    return;
  }
  const double hours = price.hours > 0 ? price.hours : column.hours;
  const double months = disk && hours > 0 ? kMonthHours / hours : 1;
  (disk ? row.disk_price : row.egress_price) = price.value * months * column.unit * (column.cents ? 0.01 : 1);
}

}  // namespace

void read_own_extra(const OwnColumn& column, std::string_view cell, LooseNumbers& numbers, FeedRow& row) {
  cell = trim(cell);
  if (cell.empty()) return;
  if (column.field == OwnField::kReliability) read_reliability(cell, numbers, row);
  else if (column.field == OwnField::kDiskPrice || column.field == OwnField::kEgressPrice)
    read_extra_price(column, cell, numbers, row);
}

}  // namespace gpuplan
