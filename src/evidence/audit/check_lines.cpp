#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digits/decimal.h"
#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/bill_tally.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// What a column of a bill is, as its head says.
enum class Line { kOther, kCount, kUnitPrice, kDiscount, kDiscountMoney, kTaxRate, kTax, kMoney, kRunning };

/// What a row comes to by the other columns: the value, and how.
using Right = std::optional<std::pair<ClaimEnds, std::string>>;

/// Lines of a bill: quantity, price, discount, taxes, and what has been spent so far. What a column means is what makes
/// most rows right; the rows that it does not are wrong.
class Lines {
 public:
  explicit Lines(Bench& bench) : bench_(bench) {}

  void check() {
    constexpr std::size_t kMostColumns = 24;
    for (const ClaimTable& table : bench_.document.tables) {
      if (table.headless || table.across || table.rows.empty() || table.heads.size() > kMostColumns) continue;
      table_ = &table;
      columns_.clear();
      for (std::size_t i = 0; i < table.heads.size(); ++i) columns_.push_back(line_of(i));
      products();
      taxes();
      running();
    }
  }

 private:
  static bool is_head(std::string_view head, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return has_word(head, word); });
  }

  Line line_of(std::size_t column) const {
    const std::string head = to_lower(table_->heads[column].text);
    std::size_t shares = 0, money = 0, numbers = 0;
    for (const ClaimRow& row : table_->rows) {
      const ClaimAmount* value = at(row, column);
      if (value == nullptr) continue;
      ++numbers;
      shares += value->dimension == ClaimDimension::kShare ? 1U : 0U;
      money += value->dimension == ClaimDimension::kMoney ? 1U : 0U;
    }
    if (numbers == 0) return Line::kOther;
    const bool percent = shares == numbers || head.contains('%') || has_any(head, {"rate", "percent", "pct"});
    if (is_taken_off(head) && !head.contains("saving"))
      return percent ? Line::kDiscount : money > 0 ? Line::kDiscountMoney : Line::kOther;
    if (says_tax(head) &&
        !has_any(head, {"incl", "excl", "before", "after", "without", "with", "net", "ohne", "inkl", "pre"}))
      return shares == numbers || (percent && shares == 0 && !share_in(head)) ? Line::kTaxRate : Line::kTax;
    if (has_any(head, {"cumulative", "cumul", "running total", "so far", "kumuliert"})) return Line::kRunning;
    if (is_head(head, {"qty", "quantity", "menge", "anzahl", "units", "count", "pcs", "pieces", "nodes", "months"}))
      return Line::kCount;
    if (has_any(head, {"unit price", "unit cost", "price each", "price per unit", "einzelpreis", "price/unit"}) ||
        head == "price" || head == "preis")
      return Line::kUnitPrice;
    if (money > 0 ||
        is_head(head, {"amount", "total", "net", "netto", "gross", "brutto", "gesamt", "betrag", "sum", "subtotal"}))
      return Line::kMoney;
    return Line::kOther;
  }

  static const ClaimAmount* at(const ClaimRow& row, std::size_t column) {
    const auto& all = row.cells[column].quantities;
    return all.size() == 1 && !all[0].range() && !all[0].approximate && !all[0].odd ? &all.front() : nullptr;
  }
  static bool is_total(const ClaimRow& row) {
    return std::ranges::any_of(row.cells, [](const ClaimText& cell) { return is_total_word(cell.text); });
  }
  std::vector<std::size_t> all(Line line) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i] == line) found.push_back(i);
    return found;
  }

  /// The number as it is written.
  static ClaimEnds written(const ClaimAmount& value) {
    return value.dimension == ClaimDimension::kShare ? ends_of(value, true) : ends_of(value) * (1 / value.unit);
  }
  /// 20 under "VAT %", 0.2 under "tax_rate" and 20%.
  double share(const ClaimAmount& value, std::size_t column) const {
    if (value.dimension == ClaimDimension::kShare) return value.low;
    return has_any(to_lower(table_->heads[column].text), {"%", "percent", "pct"}) || value.low >= 1 ? value.low / 100
                                                                                                    : value.low;
  }
  /// 0.2 of "VAT 20%" and "MwSt. 19 %".
  static std::optional<double> share_in(std::string_view head) {
    const std::size_t sign = head.find('%');
    if (sign == std::string_view::npos) return std::nullopt;
    std::string_view number = trim(head.substr(0, sign));
    std::size_t from = number.size();
    while (from > 0 && (is_digit(number[from - 1]) || number[from - 1] == '.')) --from;
    number.remove_prefix(from);
    double value = 0;
    const auto end = read_number(number.data(), number.data() + number.size(), value);
    if (number.empty() || end.ec != std::errc() || end.ptr != number.data() + number.size()) return std::nullopt;
    return value / 100;
  }

  /// What a reading says of a column: how many rows it makes right, and those that it does not.
  struct Reading {
    struct Off {
      const ClaimRow* row;
      const ClaimAmount* stated;
      ClaimEnds right;
      std::string how;
    };
    int good = 0;
    std::vector<Off> off;
  };

  template <class RightOf>
  Reading read(std::size_t column, RightOf&& right_of) {
    Reading reading;
    for (const ClaimRow& row : table_->rows) {
      const ClaimAmount* stated = at(row, column);
      if (stated == nullptr || stated->low <= 0 || is_total(row) || !bench_.go_on()) continue;
      const Right right = right_of(row);
      if (!right || right->first.least() <= 0) continue;
      if (fits(*stated, right->first * stated->unit)) ++reading.good;
      else reading.off.push_back({&row, stated, right->first, right->second});
    }
    return reading;
  }

  /// Most rows are as it says.
  static bool is_sure(const Reading& reading) {
    return reading.good >= 1 && reading.off.size() <= static_cast<std::size_t>(reading.good);
  }
  static void keep(std::optional<Reading>& best, Reading&& other) {
    if (is_sure(other) && (!best || other.good > best->good)) best = std::move(other);
  }

  void tell(const std::optional<Reading>& reading, std::size_t column, const std::vector<std::size_t>& by) {
    if (!reading) return;
    for (const ClaimRow& row : table_->rows) {
      if (is_total(row)) continue;
      if (const ClaimAmount* stated = at(row, column)) bench_.use(*stated);
      for (const std::size_t other : by)
        if (const ClaimAmount* value = at(row, other)) bench_.use(*value);
    }
    for (const Reading::Off& off : reading->off) {
      const ClaimEnds right = off.right * off.stated->unit;
      bench_.right.emplace(off.stated->id, (right.low_middle() + right.high_middle()) / 2);
      bench_.find(FindingKind::kWrong, off.row->line, label_of(*off.row), off.stated->text, told(*off.stated, right),
                  off.how);
    }
  }
  static std::string label_of(const ClaimRow& row) {
    for (const ClaimText& cell : row.cells)
      if (!cell.text.empty() && cell.quantities.empty()) return cell.text;
    return row.cells.front().text;
  }

  /// Quantity × price × (1 − discount) = amount. With hours of its own a row is check_bill's.
  void products() {
    const auto prices = all(Line::kUnitPrice), counts = all(Line::kCount), totals = all(Line::kMoney),
               discounts = all(Line::kDiscount), off = all(Line::kDiscountMoney);
    if (prices.size() != 1 || counts.empty() || discounts.size() + off.size() > 1) return;
    for (const ClaimRow& row : table_->rows)
      for (const ClaimText& cell : row.cells)
        if (cell.quantities.size() == 1 && cell.quantities[0].dimension == ClaimDimension::kTime) return;
    const std::size_t price = prices.front();
    for (const std::size_t total : totals) {
      std::optional<Reading> best;
      std::vector<std::vector<std::size_t>> sets{counts};
      if (counts.size() > 1)
        for (const std::size_t one : counts) sets.push_back({one});
      for (const std::vector<std::size_t>& factors : sets) {
        Reading reading =
            read(total, [&](const ClaimRow& row) { return product(row, price, factors, discounts, off); });
        keep(best, std::move(reading));
      }
      std::vector<std::size_t> by{price};
      for (const auto* more : {&counts, &discounts, &off}) by.insert(by.end(), more->begin(), more->end());
      tell(best, total, by);
      if (best) return;  // other columns go on from this one: taxes
    }
  }

  Right product(const ClaimRow& row, std::size_t price, const std::vector<std::size_t>& factors,
                const std::vector<std::size_t>& discounts, const std::vector<std::size_t>& off) const {
    const ClaimAmount* each = at(row, price);
    if (each == nullptr) return std::nullopt;
    ClaimEnds value = written(*each);
    std::string how = each->text;
    bool trivial = true;  // "1 × $250 = $250" says nothing of what the columns mean
    for (const std::size_t factor : factors) {
      const ClaimAmount* count = at(row, factor);
      if (count == nullptr) return std::nullopt;
      value = value * (count->low / count->unit);
      how.insert(0, count->text + " \xC3\x97 ");
      trivial = trivial && count->low == count->unit;
    }
    for (const std::size_t discount : discounts) {
      const ClaimAmount* less = at(row, discount);
      if (less == nullptr) continue;
      const double part = share(*less, discount);
      if (part < 0 || part >= 1) return std::nullopt;
      value = value * (1 - part);
      if (part > 0) how += " - " + less->text;
      trivial = trivial && part == 0;
    }
    for (const std::size_t discount : off) {
      const ClaimAmount* less = at(row, discount);
      if (less == nullptr) continue;
      const ClaimEnds part = written(*less);
      value = value - part;
      if (less->low > 0) how += " - " + less->text;
      trivial = false;
    }
    if (trivial) return std::nullopt;
    return std::pair{value, how};
  }

  /// Rate × amount = tax, amount + tax = gross, amount × (1 + rate) = gross.
  void taxes() {
    const auto taxes = all(Line::kTax), rates = all(Line::kTaxRate), money = all(Line::kMoney);
    if (taxes.size() > 1 || rates.size() > 1 || (taxes.empty() && rates.empty())) return;
    const auto rate_of = [&](const ClaimRow& row) -> std::optional<double> {
      if (rates.empty()) return share_in(table_->heads[taxes.front()].text);
      const ClaimAmount* rate = at(row, rates.front());
      if (rate == nullptr) return std::nullopt;
      return share(*rate, rates.front());
    };
    const auto percent = [](double rate) { return significant_text(rate * 100, 4) + "%"; };
    std::vector<std::size_t> by = rates;
    by.insert(by.end(), money.begin(), money.end());
    if (!taxes.empty()) {
      std::optional<Reading> best;
      for (const std::size_t base : money)
        keep(best, read(taxes.front(), [&](const ClaimRow& row) -> Right {
               const auto rate = rate_of(row);
               const ClaimAmount* of = at(row, base);
               if (!rate || of == nullptr || base > taxes.front()) return std::nullopt;
               return std::pair{written(*of) * *rate, percent(*rate) + " of " + of->text};
             }));
      tell(best, taxes.front(), by);
    }
    for (const std::size_t gross : money) {
      if (gross < (taxes.empty() ? rates.front() : taxes.front())) continue;
      std::optional<Reading> best;
      for (const std::size_t base : money) {
        if (base >= gross) continue;
        keep(best, read(gross, [&](const ClaimRow& row) -> Right {
               const ClaimAmount* of = at(row, base);
               if (of == nullptr) return std::nullopt;
               if (taxes.empty()) {
                 const auto rate = rate_of(row);
                 if (!rate || *rate <= 0) return std::nullopt;
                 return std::pair{written(*of) * (1 + *rate), of->text + " + " + percent(*rate)};
               }
               const ClaimAmount* tax = at(row, taxes.front());
               if (tax == nullptr || tax->low <= 0) return std::nullopt;
               ClaimEnds whole = written(*of) + written(*tax);
               // Of a tax that is wrong the gross may be that of the right one.
               const auto other = bench_.right.find(tax->id);
               const ClaimAmount* stated = at(row, gross);
               if (other != bench_.right.end() && stated != nullptr) {
                 const ClaimEnds right = written(*of) + ends_of(other->second / tax->unit);
                 if (fits(*stated, right * stated->unit)) whole = right;
               }
               return std::pair{whole, of->text + " + " + tax->text};
             }));
      }
      tell(best, gross, by);
    }
  }

  /// "Cumulative": what stands above it and the row's own.
  void running() {
    for (const std::size_t column : all(Line::kRunning)) {
      std::optional<Reading> best;
      std::size_t of = column;
      for (std::size_t own = 0; own < columns_.size(); ++own) {
        if (columns_[own] == Line::kRunning) continue;
        Reading reading = running_of(column, own);
        if (is_sure(reading) && reading.good >= 2 && (!best || reading.good > best->good)) {
          best = std::move(reading);
          of = own;
        }
      }
      tell(best, column, {of});
    }
  }

  Reading running_of(std::size_t column, std::size_t own) {
    Reading reading;
    ClaimEnds sum = ends_of(0.0);
    const ClaimAmount* above = nullptr;
    for (const ClaimRow& row : table_->rows) {
      const ClaimAmount *stated = at(row, column), *more = at(row, own);
      if (is_total(row) || !bench_.go_on()) continue;
      if (stated == nullptr || more == nullptr || stated->dimension != more->dimension) return {};
      const ClaimEnds one = ends_of(*more);
      sum = sum + one;
      const ClaimEnds next = above != nullptr ? ends_of(*above) + one : one;
      if (fits(*stated, sum) || fits(*stated, next)) ++reading.good;
      else
        reading.off.push_back({&row, stated, next * (1 / stated->unit),
                               (above != nullptr ? above->text + " + " : std::string()) + more->text});
      above = stated;
    }
    return reading;
  }

  Bench& bench_;
  const ClaimTable* table_ = nullptr;
  std::vector<Line> columns_;
};

}  // namespace

void check_lines(Bench& bench) { Lines(bench).check(); }

}  // namespace gpuplan::audit
