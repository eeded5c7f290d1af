#include "web/self_check.h"

#include <bit>

#include "base/math.h"
#include "base/random.h"

namespace gpuplan {
namespace {

/// Takes in numbers bit by bit: order and signs of zeros count, and all NaNs are one.
class Hash {
 public:
  void add(std::uint64_t bits) {
    state_ ^= bits;
    state_ = splitmix64(state_);
  }
  void add(double value) { add(value == value ? std::bit_cast<std::uint64_t>(value) : ~std::uint64_t{0}); }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

void add_functions(Hash& hash, double x) {
  hash.add(math::exp(x));
  hash.add(math::expm1(x));
  hash.add(math::exp2(x));
  hash.add(math::log(x));
  hash.add(math::log1p(x));
  hash.add(math::log2(x));
  hash.add(math::normal_cdf(x));
  hash.add(math::normal_quantile(x));
}

void add_math(Hash& hash) {
  for (const double x : {0.0, -0.0, 1.0, -1.0, math::detail::kInfinity, -math::detail::kInfinity, math::detail::kNaN,
                         1e-310, 1e308, 5e-324}) {
    add_functions(hash, x);
    for (const double y : {0.0, 0.5, -2.0, 3.0, 1e18, math::detail::kInfinity}) hash.add(math::pow(x, y));
  }
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    add_functions(hash, random.uniform01());
    add_functions(hash, 800.0 * (random.uniform01() - 0.5));
    const double wide = math::exp2(2000.0 * (random.uniform01() - 0.5));
    add_functions(hash, wide);
    hash.add(math::pow(wide, 4.0 * (random.uniform01() - 0.5)));
    // Two draws are two statements: compilers differ in the order in which they evaluate arguments.
    const double base = 1.0 + random.uniform01();
    hash.add(math::pow(base, 1000.0 * random.uniform01()));
  }
}

void add_random(Hash& hash) {
  Random random(42, 7);
  for (int i = 0; i < 20'000; ++i) {
    hash.add(random.next());
    hash.add(random.uniform01());
    hash.add(random.exponential(3.0));
    hash.add(random.normal());
    hash.add(random.below(1000));
  }
}

}  // namespace

std::uint64_t self_check_hash() {
  Hash hash;
  add_math(hash);
  add_random(hash);
  return hash.value();
}

}  // namespace gpuplan
