// The hash of the self check, and how results of the core enter it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/interval.h"
#include "base/random.h"
#include "base/text.h"
#include "base/units.h"

namespace gpuplan::self_check {

/// Takes in numbers bit by bit: order and signs of zeros count, and all NaNs are one.
class Hash {
 public:
  void add(std::uint64_t bits) {
    state_ ^= bits;
    state_ = splitmix64(state_);
  }
  void add(double value) { add(value == value ? std::bit_cast<std::uint64_t>(value) : ~std::uint64_t{0}); }
  template <class T>
    requires std::is_enum_v<T> || std::is_integral_v<T>
  void add(T value) {
    add(static_cast<std::uint64_t>(value));
  }
  void add(std::string_view text) { add(hash_of(text)); }
  template <int B, int F, int S, int D, int T>
  void add(Quantity<B, F, S, D, T> amount) {
    add(amount.value);
  }
  template <class T>
  void add(const Interval<T>& interval) {
    add(interval.p10);
    add(interval.p50);
    add(interval.p90);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  /// A struct that holds nothing but amounts and doubles: a member that joins it is hashed at once.
  template <class T>
  void add_amounts(const T& amounts) {
    static_assert(sizeof(T) % sizeof(double) == 0 && std::is_trivially_copyable_v<T>);
    for (const double value : std::bit_cast<std::array<double, sizeof(T) / sizeof(double)>>(amounts)) add(value);
  }

  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

/// The parts of the check, one for each group of floors.
void add_base(Hash& hash);      ///< functions, random streams, texts
void add_models(Hash& hash);    ///< estimates, term by term
void add_plans(Hash& hash);     ///< whole searches and what fits
void add_spot(Hash& hash);      ///< lives of machines, closed forms and histories
void add_policies(Hash& hash);  ///< policies on traces and at random

}  // namespace gpuplan::self_check
