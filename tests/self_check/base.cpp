#include "base/amount.h"
#include "base/math.h"
#include "base/random.h"
#include "base/text.h"
#include "self_check/hash.h"

namespace gpuplan::self_check {
namespace {

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

/// Numbers to text and back.
void add_texts(Hash& hash) {
  Random random(3);
  for (int i = 0; i < 2'000; ++i) {
    const double value = math::exp2(60.0 * (random.uniform01() - 0.5));
    const std::string text = number_text(value);
    hash.add(text);
    hash.add(fixed_text(value, i % 6));
    hash.add(significant_text(value, 1 + i % 6));
    hash.add(count_text(value));
    hash.add(count_short(value));
    hash.add(hours_text(Seconds{value}));
    hash.add(to_text(Seconds{value}));
    hash.add(to_text(Bytes{value}));
    hash.add(to_text(Dollars{value}));
    hash.add(to_text(DollarsPerSecond{value}));
    hash.add(parse_amount(text, AmountKind::kCount).value_or(-1));
    hash.add(parse_amount(fixed_text(value, 3) + " min", AmountKind::kTime).value_or(-1));
    hash.add(parse_interval(text + "-" + number_text(1.37 * value), AmountKind::kCount).value_or(Interval<double>{}));
  }
}

}  // namespace

void add_base(Hash& hash) {
  add_math(hash);
  add_random(hash);
  add_texts(hash);
}

}  // namespace gpuplan::self_check
