#include "input/feeds/formats/own_prices.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/sorting.h"
#include "base/text.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/text/untidy/yes_no.h"

namespace gpuplan {
namespace {

constexpr std::string_view kTwoCurrencies = "prices in two currencies",
                           kContradiction = "a unit that contradicts the price beside it";

/// A head that says neither of what time nor of how many GPUs its prices are.
bool is_bare(const OwnColumn& column) {
  return column.hours == 0 && !column.per_gpu && !column.per_machine && !column.cents;
}

bool is_of_price(const OwnColumn& column) {
  return column.field == OwnField::kPrice || column.field == OwnField::kSpotPrice;
}

}  // namespace

OwnUnit read_own_unit(std::string_view cell) {
  OwnUnit unit;
  double figure = 0;  // before a time: 730 of "per 730 hours"
  for (std::string_view rest = trim(cell); !rest.empty();) {
    if (is_digit(rest.front())) {
      const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), figure);
      if (end.ec != std::errc() || !(figure > 0)) return {};
      rest.remove_prefix(static_cast<std::size_t>(end.ptr - rest.data()));
      continue;
    }
    if (const auto [sign, length] = currency_sign(rest); length > 0) {
      unit.currency = sign;
      rest.remove_prefix(length);
      continue;
    }
    if (rest.starts_with("\xC2\xA2")) {
      unit.cents = true;
      rest.remove_prefix(2);
      continue;
    }
    if (!is_letter(rest.front())) {
      constexpr std::string_view kPassed = " /_-.,*()[]\xC2\xA0\t";
      if (kPassed.find(rest.front()) == std::string_view::npos) return {};
      rest.remove_prefix(1);
      continue;
    }
    std::size_t length = 0;
    while (length < rest.size() && is_letter(rest[length])) ++length;
    for (const std::string& word : price_words(rest.substr(0, length))) {
      if (const std::string_view code = currency_of(word); !code.empty()) {
        unit.currency = code;
      } else if (const double hours = hours_of(word); hours > 0) {
        if (unit.hours > 0) return {};
        unit.hours = hours * (figure > 0 ? figure : 1);
        figure = 0;
      } else if (is_gpu_word(word)) {
        unit.per_gpu = true;
      } else if (is_machine_word(word)) {
        unit.per_machine = true;
      } else if (is_cent_word(word)) {
        unit.cents = true;
      } else if (!is_joining_word(word)) {
        return {};
      }
    }
    rest.remove_prefix(length);
  }
  // "8 GPUs": of so many it would have to be known whether they are all.
  if (figure > 1 || (unit.per_gpu && unit.per_machine)) return {};
  unit.known = unit.hours > 0 || unit.per_gpu || unit.per_machine || unit.cents || !unit.currency.empty();
  return unit;
}

void OwnPrices::add(const OwnColumn& column, std::string_view cell) {
  cell = trim(cell);
  if (says_none(to_lower(cell))) return;
  switch (column.field) {
    case OwnField::kUnit:
      return units_.push_back({&column, cell});
    case OwnField::kTaxRate:
    case OwnField::kTaxIncluded:
      return add_tax(column, cell);
    case OwnField::kCurrency: {
      // "EUR/h"
      const OwnUnit unit = read_own_unit(cell);
      if (unit.known && currency_of(cell).empty()) return units_.push_back({&column, cell});
      const std::string_view code = currency_of(cell);
      currency_ = code.empty() ? cell : code;
      return;
    }
    case OwnField::kPrice:
    case OwnField::kSpotPrice:
      // "unit_price" heads either.
      if (std::ranges::none_of(cell, is_digit) && read_own_unit(cell).known) return units_.push_back({&column, cell});
      return prices_.push_back({&column, cell});
    case OwnField::kNone:
      // What says of itself that it is the unit of a price needs no head.
      if (column.of_units ? read_own_unit(cell).known : !column.of_others && read_own_unit(cell).says_all())
        units_.push_back({&column, cell});
      return;
    default:
      return;
  }
}

void OwnPrices::add_tax(const OwnColumn& column, std::string_view cell) {
  // "inkl. 19% MwSt.", "exkl.", "zzgl. 19%"
  if (const OwnTax said = read_own_tax("VAT " + std::string(cell)); said.said != OwnTax::Said::kNothing) {
    tax_ = {said.said, said.rate > 0 ? said.rate : tax_.rate};
    return;
  }
  if (column.field == OwnField::kTaxIncluded) {
    const auto answer = read_yes_no(cell);
    if (answer == true || cell == "1") tax_.said = OwnTax::Said::kWith;
    if (answer == false || cell == "0") tax_.said = OwnTax::Said::kWithout;
    return;
  }
  // "19%"; 19 where the head says that it is a rate. Else it may be the tax in money.
  const auto number = numbers_->read(cell);
  if (!number || number->two_ways || number->value <= 0) return;
  const bool percent = trim(cell.substr(number->length)) == "%";
  constexpr double kHighest = 50;
  if (percent && number->value <= kHighest) tax_rate_ = number->value / 100;
  else if (column.unit < 1 && trim(cell.substr(number->length)).empty() && number->value <= kHighest)
    tax_rate_ = number->value < 1 ? number->value : number->value / 100;
}

std::string OwnPrices::take_tax_off(const OwnTax& said, FeedRow& row, double& into) const {
  if (said.said != OwnTax::Said::kWith) return "";
  const double rate = said.rate > 0 ? said.rate : tax_rate_ > 0 ? tax_rate_ : tax_.rate;
  if (rate <= 0)
    return "a price with tax, whose rate is not said: clouds ask theirs without (head it 'incl. 19% VAT', or add a "
           "column "
           "'VAT %')";
  into /= 1 + rate;
  row.corrections.emplace_back("a price with tax, taken without it");
  return "";
}

/// All that the row says of the unit of its prices, in one.
std::string OwnPrices::settle_unit() {
  for (const Candidate& candidate : units_) {
    const OwnUnit one = read_own_unit(candidate.cell);
    if (!one.known) return "a unit of prices that gpuplan does not know: " + printable(candidate.cell, 40);
    if (!settle_currency(unit_.currency, one.currency)) return std::string(kTwoCurrencies);
    if (unit_.hours > 0 && one.hours > 0 && unit_.hours != one.hours)
      return "units of prices that contradict each other";
    unit_.hours = std::max(unit_.hours, one.hours);
    unit_.per_gpu = unit_.per_gpu || one.per_gpu;
    unit_.per_machine = unit_.per_machine || one.per_machine;
    unit_.cents = unit_.cents || one.cents;
    unit_.known = true;
  }
  return unit_.per_gpu && unit_.per_machine ? "units of prices that contradict each other" : "";
}

/// Of a price and one that says what it is of, the unit is that of the first.
bool OwnPrices::unit_is_of(const OwnColumn& column) const {
  return unit_.known &&
         (is_bare(column) || std::ranges::none_of(prices_, [](const Candidate& one) { return is_bare(*one.column); }));
}

std::string OwnPrices::convert(const OwnColumn& column, std::string_view cell, FeedRow& row, double& into,
                               Found& found) {
  const OwnPrice price = read_own_price(cell, *numbers_);
  found.problem = price.problem;
  if (std::isnan(price.value)) return "";
  const OwnUnit unit = unit_is_of(column) ? unit_ : OwnUnit{};
  const double hours = price.hours > 0 ? price.hours : column.hours;
  if (unit.hours > 0 && hours > 0 && unit.hours != hours) return std::string(kContradiction);
  const bool per_gpu = price.per_gpu || column.per_gpu;
  if ((unit.per_machine && per_gpu) || (unit.per_gpu && column.per_machine)) return std::string(kContradiction);
  found.currency = price.currency.empty() ? column.currency : price.currency;
  if (!settle_currency(found.currency, unit.currency)) return std::string(kTwoCurrencies);
  into = price.value;
  if (!price.cents && (column.cents || unit.cents)) into /= 100;
  if (const double of = std::max(hours, unit.hours); of > 0) into /= of;
  const bool said = per_gpu || unit.per_gpu;
  if (said || (is_of_one_ && !column.per_machine && !unit.per_machine)) {
    // A count that stands beside a price of one GPU says what is sold together; without it, one is.
    if (row.gpus == 0) {
      row.gpus = std::max(least_gpus_, 1.0);
      row.corrections.push_back(std::string(said ? "a price of one GPU, no number of them: taken as "
                                                 : "no number of GPUs in the whole list: prices of one, taken as ") +
                                (least_gpus_ > 1 ? "the fewest that are rented together" : "one"));
    }
    into *= row.gpus;
  }
  const OwnTax& tax = price.tax.said != OwnTax::Said::kNothing    ? price.tax
                      : column.tax.said != OwnTax::Said::kNothing ? column.tax
                                                                  : tax_;
  if (std::string wrong = take_tax_off(tax, row, into); !wrong.empty()) return wrong;
  if (price.range) row.corrections.emplace_back("a range of prices, taken at its middle");
  if (price.from) row.corrections.emplace_back("a price that only says where prices begin, taken as it is");
  return "";
}

/// What stands beside the price that is taken: of the machine and of one of its GPUs, for the same time, they say the
/// same. A bare "price" that is that of one GPU is one.
std::string OwnPrices::settle_others(const std::vector<Candidate>& others, const Candidate& taken, FeedRow& row,
                                     double& into) {
  const auto per_gpu = [&](const Candidate& one) {
    return one.column->per_gpu || read_own_price(one.cell, *numbers_).per_gpu;
  };
  // A month may be cheaper by the hour, and means and lists of others are other prices.
  const auto is_other = [](const Candidate& one) {
    return one.column->hours > 1 || undone(*one.column) >= undone(OwnColumn{.summary = true});
  };
  const bool of_gpu = per_gpu(taken);
  for (const Candidate& other : others) {
    if (per_gpu(other) == of_gpu || is_other(other) || is_other(taken)) continue;
    FeedRow beside;
    beside.gpus = row.gpus;
    double machine = kNoPrice;
    Found found;
    if (!convert(*other.column, other.cell, beside, machine, found).empty() || !(machine > 0) || row.gpus <= 1)
      continue;
    constexpr double kRounded = 0.01, kNear = 0.02, kFar = 1.5;  // dollars of one GPU; shares
    const auto alike = [&](double a, double b) {
      return std::abs(a - b) <= kNear * std::max(a, b) + kRounded * row.gpus;
    };
    if (alike(machine, into)) continue;
    const Candidate& bare = of_gpu ? other : taken;
    const double of_bare = of_gpu ? machine : into;
    if (is_bare(*bare.column) && alike(of_bare * row.gpus, of_gpu ? into : machine)) {
      if (!of_gpu) into = machine;
      row.corrections.emplace_back("a price that is that of one GPU, as the column beside it says");
      continue;
    }
    if (std::max(machine, into) > kFar * std::min(machine, into))
      return "a price that is not that of one GPU beside it times their number";
    if (of_gpu) into = machine;
    row.corrections.emplace_back(
        "a price that is not quite that of one GPU beside it times their number, taken as it is");
  }
  return "";
}

/// The first cell that holds a price, of those whose heads need least undoing.
std::string OwnPrices::read_kind(bool spot, FeedRow& row, double& into, Found& found) {
  std::vector<Candidate> candidates;
  for (const Candidate& one : prices_)
    if ((one.column->field == OwnField::kSpotPrice) == spot) candidates.push_back(one);
  sort_stably(candidates, {}, [](const Candidate& one) { return undone(*one.column); });
  std::string problem;
  for (const Candidate& one : candidates) {
    if (std::string wrong = convert(*one.column, one.cell, row, into, found); !wrong.empty()) return wrong;
    if (!std::isnan(into)) {
      if (std::string wrong = settle_others(candidates, one, row, into); !wrong.empty()) return wrong;
      break;
    }
    if (problem.empty()) problem = found.problem;
  }
  found.problem = std::isnan(into) ? std::move(problem) : "";
  return "";
}

std::string OwnPrices::read(FeedRow& row) {
  // What a machine is called may say how many it has.
  is_of_one_ = of_one_ && row.gpus == 0 && row.instance.empty();
  if (std::string wrong = settle_unit(); !wrong.empty()) return wrong;
  Found on_demand, as_spot;
  if (std::string wrong = read_kind(false, row, row.price, on_demand); !wrong.empty()) return wrong;
  if (std::string wrong = read_kind(true, row, row.spot, as_spot); !wrong.empty()) return wrong;
  // One that can not be read takes nothing from the other.
  const bool none = std::isnan(row.price) && std::isnan(row.spot);
  if (none && !on_demand.problem.empty()) return on_demand.problem;
  if (none && !as_spot.problem.empty()) return as_spot.problem;
  if (!on_demand.problem.empty()) row.corrections.push_back(on_demand.problem + ", left out");
  if (!as_spot.problem.empty()) row.corrections.push_back("spot: " + as_spot.problem + ", left out");
  // A figure without a sign is in the currency of the row.
  row.currency = unit_.currency;
  for (const std::string* said : {&currency_, &on_demand.currency, &as_spot.currency})
    if (!settle_currency(row.currency, *said)) return std::string(kTwoCurrencies);
  return "";
}

std::string OwnPrices::read_spot(std::string_view cell, FeedRow& row) {
  const auto like = std::ranges::find_if(prices_, [](const Candidate& one) { return is_of_price(*one.column); });
  const OwnColumn bare;
  Found found;
  if (std::string wrong = convert(like == prices_.end() ? bare : *like->column, cell, row, row.spot, found);
      !wrong.empty())
    return wrong;
  if (!settle_currency(row.currency, found.currency)) return std::string(kTwoCurrencies);
  return std::isnan(row.spot) ? "a kind of price that gpuplan does not know" : "";
}

}  // namespace gpuplan
