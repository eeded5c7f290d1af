#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

enum class Period { kNone, kDay, kWeek, kMonth, kQuarter, kYear };

/// How many of the shorter make the longer, as people count them.
struct Ratio {
  Period shorter, longer;
  std::array<double, 4> of;
};
constexpr Ratio kRatios[] = {
    {Period::kMonth, Period::kYear, {12, 12, 12, 12}},
    {Period::kMonth, Period::kQuarter, {3, 3, 3, 3}},
    {Period::kQuarter, Period::kYear, {4, 4, 4, 4}},
    {Period::kWeek, Period::kYear, {52, 365.0 / 7, 52, 52}},
    {Period::kWeek, Period::kMonth, {4, 52.0 / 12, 4.33, 4.3}},
    {Period::kDay, Period::kWeek, {7, 5, 7, 7}},
    {Period::kDay, Period::kMonth, {30, 365.0 / 12, 31, 30.4}},
    {Period::kDay, Period::kYear, {365, 360, 366, 250}},
};

/// What a column of money is the cost of. Empty: of something else.
Period period_of(std::string_view head) {
  const std::string lower = to_lower(head);
  // Of an hour that is told by the month, after the first year, since the beginning.
  if (has_any(lower,
              {"token", "saved", "saving", "gb", "discount", "first", "hours", "until", "so far", "prior", "last"}))
    return Period::kNone;
  const auto says = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return has_word(lower, word); });
  };
  Period found = Period::kNone;
  int named = 0;
  for (const auto& [period, good] : {std::pair{Period::kDay, says({"daily", "day", "tag"})},
                                     {Period::kWeek, says({"weekly", "week", "woche"})},
                                     {Period::kMonth, says({"monthly", "month", "mo", "monat"})},
                                     {Period::kQuarter, says({"quarterly", "quarter", "quartal"})},
                                     {Period::kYear, says({"yearly", "annual", "annually", "year", "yr", "jahr"})}})
    if (good) found = period, ++named;
  return named == 1 ? found : Period::kNone;
}

/// Columns that tell the same cost by the month and by the year.
class Periods {
 public:
  explicit Periods(Bench& bench) : bench_(bench) {}

  void check() {
    constexpr std::size_t kMostColumns = 24;
    for (const ClaimTable& table : bench_.document.tables) {
      if (table.headless || table.heads.size() > kMostColumns) continue;
      std::vector<Period> periods;
      for (const ClaimText& head : table.heads) periods.push_back(period_of(head.text));
      for (const Ratio& ratio : kRatios) {
        if (std::ranges::count(periods, ratio.shorter) != 1 || std::ranges::count(periods, ratio.longer) != 1) continue;
        compare(table, static_cast<std::size_t>(std::ranges::find(periods, ratio.shorter) - periods.begin()),
                static_cast<std::size_t>(std::ranges::find(periods, ratio.longer) - periods.begin()), ratio);
      }
    }
  }

 private:
  static const ClaimAmount* money_at(const ClaimRow& row, std::size_t column) {
    const auto& all = row.cells[column].quantities;
    const bool money = all.size() == 1 && (all[0].dimension == ClaimDimension::kMoney ||
                                           (all[0].dimension == ClaimDimension::kPrice && all[0].unit != 1) ||
                                           all[0].dimension == ClaimDimension::kBare);
    return money && !all[0].range() && !all[0].approximate && all[0].low > 0 ? &all.front() : nullptr;
  }

  /// What most rows are by one number of periods the others must be, too.
  void compare(const ClaimTable& table, std::size_t shorter, std::size_t longer, const Ratio& ratio) {
    std::size_t most = 0;
    double times = 0;
    std::vector<const ClaimRow*> rows;
    // Totals are those of their columns, which may hold what is paid once.
    for (const ClaimRow& row : table.rows)
      if (std::ranges::none_of(row.cells, [](const ClaimText& cell) { return is_total_word(cell.text); }) &&
          money_at(row, shorter) != nullptr && money_at(row, longer) != nullptr)
        rows.push_back(&row);
    const auto is_right = [&](const ClaimRow* row, double factor) {
      const ClaimAmount &less = *money_at(*row, shorter), &more = *money_at(*row, longer);
      return fits(more, ends_of(less) * (factor / less.unit * more.unit));
    };
    for (const double factor : ratio.of) {
      const auto right = static_cast<std::size_t>(
          std::ranges::count_if(rows, [&](const ClaimRow* row) { return is_right(row, factor); }));
      if (right > most) most = right, times = factor;
    }
    // A year has twelve months, whatever the other rows say; of days and weeks people count several numbers.
    const bool always = std::ranges::all_of(ratio.of, [&](double of) { return of == ratio.of[0]; });
    constexpr std::size_t kEnough = 2;
    if (always ? most < 1 || most * 2 < rows.size() : most < kEnough || most * 2 <= rows.size()) return;
    for (const ClaimRow* row : rows) {
      const ClaimAmount &less = *money_at(*row, shorter), &more = *money_at(*row, longer);
      bench_.use(less);
      bench_.use(more);
      if (is_right(row, times)) continue;
      ClaimAmount money = more;  // of the whole period, not of an hour of it
      money.dimension = ClaimDimension::kMoney;
      bench_.find(FindingKind::kWrong, row->line, row->cells.front().text, more.text,
                  told(money, ends_of(less) * (times / less.unit)),
                  significant_text(times, 4) + " \xC3\x97 " + less.text + ", as in the other rows");
    }
  }

  Bench& bench_;
};

}  // namespace

void check_periods(Bench& bench) { Periods(bench).check(); }

}  // namespace gpuplan::audit
