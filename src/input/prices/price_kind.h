// What a word beside a price says of it: on demand, as spot, or under a commitment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpuplan {

enum class PriceKind : std::uint8_t {
  kUnsaid,
  kOnDemand,
  kSpot,
  kCommitted,   ///< reserved, for a term, for a contract
  kServerless,  ///< of calls or functions: no machine is rented
  kOther        ///< words that say something else
};

/// What the name of a column or field asks of the price.
enum class KindAsked : std::uint8_t {
  kNothing,     ///< of something else
  kMaybe,       ///< "type", "plan": of the price where what stands in it says so
  kAny,         ///< "pricing_model"
  kSpot,        ///< "preemptible", of which "yes" is one answer
  kReserved,    ///< "reserved", of which "yes" is one; its figures may be prices
  kCommitment,  ///< "term", "commitment_months", of which "yes" or "12" is one
};

KindAsked kind_asked(std::string_view name);

/// "spot", "1-year reserved", "3yr commit", "pay as you go".
PriceKind price_kind(std::string_view words, KindAsked asked = KindAsked::kNothing);

/// Tells by what stands in a column of any name whether it is of kinds of prices.
class KindColumn {
 public:
  explicit KindColumn(KindAsked asked = KindAsked::kNothing) : asked_(asked) {}
  void note(std::string_view cell);
  bool is_of_kinds() const;
  /// Whatever comes, it is not.
  bool is_of_something_else() const { return asked_ == KindAsked::kNothing && others_ > 0; }
  /// What a cell of it says, once it is known to be of kinds.
  PriceKind kind(std::string_view cell) const;

 private:
  KindAsked asked_;
  std::size_t telling_ = 0, on_demand_ = 0, others_ = 0;  ///< telling: spot or committed
};

}  // namespace gpuplan
