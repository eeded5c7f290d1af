// What a row of a list of one's own asks, out of all its cells that tell of money: prices under several heads, the unit
// and the currency that stand beside them. Tables and JSON are read by the same rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/feeds/formats/own_columns.h"
#include "input/feeds/rows/feed_rows.h"
#include "input/text/untidy/loose_number.h"

namespace gpuplan {

/// What one price is of: "$/GPU/h", "EUR per GPU-hour", "month", "cents per node hour".
struct OwnUnit {
  std::string currency{};    ///< empty: not said
  double hours = 0;          ///< 0: not said
  bool per_gpu = false;      ///< of one GPU
  bool per_machine = false;  ///< of all that is rented together, in so many words
  bool cents = false;
  bool known = false;  ///< every word of it says something, and it says something

  bool says_all() const { return known && hours > 0 && (per_gpu || !currency.empty()); }
};

OwnUnit read_own_unit(std::string_view cell);

class OwnPrices {
 public:
  explicit OwnPrices(LooseNumbers& numbers) : numbers_(&numbers) {}

  /// A cell of any column; what tells nothing of money is passed over. `column` and `cell` outlive this.
  void add(const OwnColumn& column, std::string_view cell);
  /// What the list as a whole says of tax in its prices.
  void say_tax(const OwnTax& tax) { tax_ = tax; }
  /// A ledger of providers no row of which has a number of GPUs: prices that say nothing else are of one.
  void say_of_one(bool of_one) { of_one_ = of_one; }
  /// How many are rented together at least, of a row whose price is of one; 0: not said.
  void say_least(double gpus) { least_gpus_ = gpus; }
  /// Fills prices and currency of a row whose GPUs are known. Returns what is wrong with it; empty: nothing.
  std::string read(FeedRow& row);
  /// The same of a cell that turns out to be a spot price, headed by nothing that says so.
  std::string read_spot(std::string_view cell, FeedRow& row);

 private:
  struct Candidate {
    const OwnColumn* column;
    std::string_view cell;
  };
  struct Found {
    std::string currency{}, problem{};
  };

  void add_tax(const OwnColumn& column, std::string_view cell);
  std::string take_tax_off(const OwnTax& said, FeedRow& row, double& into) const;
  std::string settle_unit();
  bool unit_is_of(const OwnColumn& column) const;
  std::string read_kind(bool spot, FeedRow& row, double& into, Found& found);
  std::string settle_others(const std::vector<Candidate>& others, const Candidate& taken, FeedRow& row, double& into);
  std::string convert(const OwnColumn& column, std::string_view cell, FeedRow& row, double& into, Found& found);

  LooseNumbers* numbers_;
  std::vector<Candidate> prices_, units_;
  std::string currency_{};  ///< of the row
  OwnUnit unit_{};
  OwnTax tax_{};  ///< of all prices that say nothing of their own
  double tax_rate_ = 0;
  bool of_one_ = false, is_of_one_ = false;  ///< of the list, of the row
  double least_gpus_ = 0;
};

}  // namespace gpuplan
