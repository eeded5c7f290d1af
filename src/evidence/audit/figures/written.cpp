#include "evidence/audit/figures/written.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/sorting.h"

namespace gpuplan {
namespace {

constexpr double kHourSeconds = 3600, kKilowattHour = 3.6e6;

/// Powers of seconds, dollars, bytes, joules and operations. What is counted has none.
struct Powers {
  int time = 0, money = 0, bytes = 0, energy = 0, operations = 0;

  bool operator==(const Powers&) const = default;
  bool none() const { return *this == Powers{}; }
  friend Powers operator+(Powers a, Powers b) {
    return {a.time + b.time, a.money + b.money, a.bytes + b.bytes, a.energy + b.energy, a.operations + b.operations};
  }
  friend Powers operator-(Powers a, Powers b) {
    return {a.time - b.time, a.money - b.money, a.bytes - b.bytes, a.energy - b.energy, a.operations - b.operations};
  }
};

Powers powers_of(ClaimDimension dimension) {
  switch (dimension) {
    case ClaimDimension::kTime:
    case ClaimDimension::kGpuTime:
    case ClaimDimension::kNodeTime:
    case ClaimDimension::kStepTime:
      return {1, 0, 0, 0};
    case ClaimDimension::kMoney:
      return {0, 1, 0, 0};
    case ClaimDimension::kPrice:
      return {-1, 1, 0, 0};
    case ClaimDimension::kBytes:
    case ClaimDimension::kWidth:
      return {0, 0, 1, 0};
    case ClaimDimension::kByteRate:
      return {-1, 0, 1, 0};
    case ClaimDimension::kTokenRate:
    case ClaimDimension::kSampleRate:
      return {-1, 0, 0, 0};
    case ClaimDimension::kPower:
      return {-1, 0, 0, 1};
    case ClaimDimension::kEnergy:
      return {0, 0, 0, 1};
    case ClaimDimension::kOperations:
      return {0, 0, 0, 0, 1};
    case ClaimDimension::kOperationRate:
      return {-1, 0, 0, 0, 1};
    default:
      return {};
  }
}

/// Seconds in the hour of a price.
double seconds_of(ClaimDimension dimension) { return dimension == ClaimDimension::kPrice ? kHourSeconds : 1; }

struct Worked {
  ClaimEnds value;
  Powers powers;
  bool mixed = false;  ///< parts of different units were added
};

enum class Percents { kOneByOne, kAllOfTheFirst, kPlain };

/// nullopt: a negative result.
std::optional<Worked> worked(std::span<const WrittenTerm> terms, bool written, Percents percents) {
  Worked sum, product;
  ClaimEnds first = ends_of(0.0);  // what the first percentage is of
  bool share = false, any = false, any_percent = false;
  char pending = '+';
  const auto take = [&] {
    if (any && share && percents != Percents::kPlain) {
      if (!any_percent) first = sum.value;
      any_percent = true;
      product.value = product.value * (percents == Percents::kOneByOne ? sum.value : first);
      product.powers = sum.powers;
    }
    if (any && !(product.powers == sum.powers)) sum.mixed = true;
    if (!any) sum.powers = product.powers;
    sum.value = pending == '-' ? sum.value - product.value : sum.value + product.value;
    any = true;
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const WrittenTerm& term = terms[i];
    ClaimEnds value = written ? term.written : term.base * (1 / seconds_of(term.dimension));
    if (term.dimension == ClaimDimension::kShare && written) value = term.base;
    if (term.off) value = {{1 - value.low.high, 1 - value.low.low}, {1 - value.high.high, 1 - value.high.low}};
    const Powers powers = powers_of(term.dimension);
    if (term.sign == '*') {
      product = {product.value * value, product.powers + powers};
      share = false;
    } else if (term.sign == '/') {
      product = {ClaimEnds{product.value.low / value.low, product.value.high / value.high}, product.powers - powers};
      share = false;
    } else {
      if (i > 0) {
        take();
        pending = term.sign;
      }
      product = {value, powers};
      share = term.dimension == ClaimDimension::kShare;
    }
  }
  take();
  if (sum.value.low.low < 0 || sum.value.high.low < 0) return std::nullopt;
  // "4 h / 8-16 h": the greater divisor gives less.
  if (sum.value.low_middle() > sum.value.high_middle()) std::swap(sum.value.low, sum.value.high);
  return sum;
}

/// A number that turns one unit into another: "90 min / 60".
bool converts(const WrittenTerm& term, bool bits) {
  constexpr std::array kFactors = {60.0, 3600.0, 24.0, 1440.0, 86400.0,   168.0, 7.0,   730.0, 1000.0,
                                   1e6,  1e9,    1e12, 1024.0, 1048576.0, 100.0, 0.001, 0.01};
  if (term.dimension != ClaimDimension::kBare || term.quantity == nullptr) return false;
  const double value = term.quantity->low;
  return (bits && value == 8) || std::ranges::find(kFactors, value) != kFactors.end();
}

/// A thousand or 1024 of it: a power of them that a unit of memory is made of. 0: of neither.
int thousands_of(double unit) {
  for (int power = 1; power <= 4; ++power)
    if (unit == std::pow(1000.0, power) || unit == std::pow(1024.0, power)) return power;
  return 0;
}

/// Units of one kind that a number without unit may be meant in.
std::vector<double> units_of(Powers powers) {
  if (powers == Powers{1, 0, 0, 0}) return {1, 60, kHourSeconds, 24 * kHourSeconds};
  if (powers == Powers{0, 0, 1, 0})
    return {1, 0.125, 1e3, 1e6, 1e9, 1e12, 1024, 1048576.0, 1073741824.0, 1099511627776.0};
  if (powers == Powers{0, 0, 0, 1}) return {1, kHourSeconds, kKilowattHour};
  if (powers == Powers{-1, 0, 0, 1}) return {1, 1e3};
  if (powers == Powers{0, 1, 0, 0}) return {1, 0.01};
  if (powers == Powers{-1, 1, 0, 0}) return {1 / kHourSeconds};
  return {1};
}

}  // namespace

std::vector<WrittenTerm> written_terms(const ClaimText& said) {
  std::vector<WrittenTerm> terms;
  for (const ClaimAmount& quantity : said.quantities) {
    const ClaimEnds base = ends_of(quantity, true);
    terms.push_back({0, base, base * (1 / quantity.unit), quantity.dimension, quantity.unit, &quantity, quantity.from,
                     quantity.to});
  }
  for (const GpuMention& gpu : said.gpus) {
    if (gpu.count <= 0) continue;
    WrittenTerm term;
    term.from = gpu.from;
    term.to = gpu.to;
    if (gpu.gigabytes > 0) {
      term.dimension = ClaimDimension::kBytes;
      term.unit = 1e9;
      term.base = ends_of(gpu.count * gpu.gigabytes * 1e9);
      term.written = ends_of(gpu.count * gpu.gigabytes);
    } else {
      term.dimension = ClaimDimension::kGpus;
      term.base = term.written = ends_of(gpu.count);
    }
    terms.push_back(term);
  }
  sort_stably(terms, {}, &WrittenTerm::from);
  return terms;
}

WrittenReadings work_out(std::span<const WrittenTerm> terms, const ClaimAmount& stated) {
  WrittenReadings read;
  bool money = false, bare = false, bits = false, conversion = false, memory = false, all_shares = true;
  int percents = 0;
  for (const WrittenTerm& term : terms) {
    if (term.quantity != nullptr && term.quantity->odd) return read;
    if (term.sign == '/' && term.base.low.low <= 0) return read;
    bare = bare || term.dimension == ClaimDimension::kBare;
    money = money || term.dimension == ClaimDimension::kMoney;
    bits = bits || term.dimension == ClaimDimension::kWidth || term.dimension == ClaimDimension::kByteRate;
    memory = memory || (term.dimension == ClaimDimension::kBytes && thousands_of(term.unit) > 0);
    const bool share = term.dimension == ClaimDimension::kShare;
    all_shares = all_shares && share;
    percents += share && (term.sign == '+' || term.sign == '-') ? 1 : 0;
  }
  if (stated.odd) return read;
  for (const WrittenTerm& term : terms) conversion = conversion || converts(term, bits);

  std::vector<Percents> ways;
  if (all_shares || percents == 0) ways.push_back(Percents::kPlain);
  if (percents > 0) ways.push_back(Percents::kOneByOne);
  if (percents > 1) ways.push_back(Percents::kAllOfTheFirst);
  const Powers wanted = powers_of(stated.dimension);
  for (const Percents way : ways) {
    const auto base = worked(terms, false, way), written = worked(terms, true, way);
    if (!base || !written) continue;
    const auto add = [&](const ClaimEnds& value) { read.values.push_back(value); };
    const double scale = seconds_of(stated.dimension);
    const Powers more = base->powers - wanted;
    const bool number = stated.dimension == ClaimDimension::kBare;
    if (base->mixed) {
      // "$256 + 12": what has no unit is meant in that of the rest.
      if (!bare) continue;
      add(written->value * stated.unit);
      read.sure = read.sure || std::ranges::all_of(terms, [&](const WrittenTerm& term) {
                    return term.dimension == ClaimDimension::kBare ||
                           (term.dimension == stated.dimension && term.unit == stated.unit);
                  });
      continue;
    }
    if (more.none()) {
      add(base->value * scale);
      read.sure = read.plain = true;
      // A number of bytes has two kinds of thousands, and their signs are often mixed up.
      const int power = thousands_of(stated.unit);
      if (wanted == Powers{0, 0, 1, 0} && power > 0) {
        const bool binary = stated.unit == std::pow(1024.0, power);
        const bool same = std::ranges::all_of(terms, [&](const WrittenTerm& term) {
          return term.dimension != ClaimDimension::kBytes || thousands_of(term.unit) == 0 ||
                 (term.unit == std::pow(1024.0, thousands_of(term.unit))) == binary;
        });
        if (!memory || !same) {
          add(base->value * std::pow(1.024, power));
          add(base->value * std::pow(1 / 1.024, power));
        }
      }
      if (conversion) add(written->value * stated.unit);
      if (conversion && bits) add(written->value);
      if (number && stated.unit == 1) add(written->value);
    } else if (money && more == Powers{1, 0, 0, 0}) {
      // "$3.20 × 10 h": the price of an hour, or of whatever the time is written in.
      add(base->value * (scale / kHourSeconds));
      add(written->value * stated.unit);
      read.sure = read.plain = true;
    } else if (money && more == Powers{0, 0, 0, 1}) {
      add(base->value * (scale / kKilowattHour));
      read.sure = true;
    } else if (number) {
      add(written->value);
      for (const double unit : units_of(base->powers)) add(base->value * (1 / unit));
      read.sure = true;
    } else if (base->powers.none()) {
      // Nothing has a unit: they are numbers of it, of one smaller, or of bits.
      add(written->value * stated.unit);
      for (const double unit : units_of(wanted)) add(written->value * (unit * scale));
      read.sure = std::ranges::all_of(terms, [](const WrittenTerm& term) {
        return term.dimension == ClaimDimension::kBare || term.quantity == nullptr ||
               term.dimension == ClaimDimension::kParameters || term.dimension == ClaimDimension::kGpus;
      });
    } else if (bare) {
      add(written->value * stated.unit);
    }
  }
  return read;
}

const ClaimEnds& told_reading(const WrittenReadings& readings, const ClaimAmount& stated) {
  if (readings.plain) return readings.values.front();
  const double said = std::log(std::max((stated.low + stated.high) / 2, 1e-300));
  return *std::ranges::min_element(readings.values, {}, [&](const ClaimEnds& one) {
    const double middle = (one.low_middle() + one.high_middle()) / 2;
    return std::fabs(std::log(std::max(middle, 1e-300)) - said);
  });
}

}  // namespace gpuplan
