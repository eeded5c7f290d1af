#include "base/math.h"

#include <cmath>  // std::sqrt only: IEEE 754 prescribes its result
#include <cstddef>

namespace gpuplan::math {
namespace {

/// a[0] + a[1] x + a[2] x^2 + ...
template <std::size_t N>
double polynomial(double x, const double (&a)[N]) {
  double sum = a[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + a[i];
  return sum;
}

// Rational approximations of the error function: W. J. Cody, "Rational Chebyshev approximations for the error
// function", Mathematics of Computation 23 (1969) 631-637, tables II, III and IV at the highest degree given.

/// erf(z) for |z| <= 0.46875.
double erf_small(double z) {
  constexpr double kOver[] = {3.20937758913846947e3, 3.77485237685302021e2, 1.13864154151050156e2,
                              3.16112374387056560e0, 1.85777706184603153e-1};
  constexpr double kUnder[] = {2.84423683343917062e3, 1.28261652607737228e3, 2.44024637934444173e2,
                               2.36012909523441209e1, 1.0};
  const double square = z * z;
  return z * polynomial(square, kOver) / polynomial(square, kUnder);
}

/// exp(z^2) erfc(z) for z > 0.46875: the tail without the factor that makes it small.
double scaled_erfc(double z) {
  if (z <= 4.0) {
    constexpr double kOver[] = {1.23033935479799725e3, 2.05107837782607147e3,  1.71204761263407058e3,
                                8.81952221241769090e2, 2.98635138197400131e2,  6.61191906371416295e1,
                                8.88314979438837594e0, 5.64188496988670089e-1, 2.15311535474403846e-8};
    constexpr double kUnder[] = {1.23033935480374942e3, 3.43936767414372164e3, 4.36261909014324716e3,
                                 3.29079923573345963e3, 1.62138957456669019e3, 5.37181101862009858e2,
                                 1.17693950891312499e2, 1.57449261107098347e1, 1.0};
    return polynomial(z, kOver) / polynomial(z, kUnder);
  }
  constexpr double kOver[] = {6.58749161529837803e-4, 1.60837851487422766e-2, 1.25781726111229246e-1,
                              3.60344899949804439e-1, 3.05326634961232344e-1, 1.63153871373020978e-2};
  constexpr double kUnder[] = {2.33520497626869185e-3, 6.05183413124413191e-2, 5.27905102951428412e-1,
                               1.87295284992346725e0,  2.56852019228982242e0,  1.0};
  constexpr double kInverseSqrtPi = 0.56418958354775628695;
  const double square = 1.0 / (z * z);
  return (kInverseSqrtPi - square * polynomial(square, kOver) / polynomial(square, kUnder)) / z;
}

}  // namespace

double normal_cdf(double x) {
  if (detail::is_nan(x)) return x;
  const double size = detail::magnitude(x);
  const double z = size / detail::kSqrt2;
  if (z <= 0.46875) return 0.5 + 0.5 * erf_small(x / detail::kSqrt2);
  double tail = 0.0;
  if (size < 40.0) {
    // exp(-x^2/2) in two factors: the first square is exact, so the error does not grow with x (Cody's device).
    const double coarse = static_cast<double>(static_cast<int>(size * 16.0)) / 16.0;
    const double rest = (size - coarse) * (size + coarse);
    tail = 0.5 * exp(-coarse * coarse * 0.5) * exp(-rest * 0.5) * scaled_erfc(z);
  }
  return x < 0 ? tail : 1.0 - tail;
}

// M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37 (1988)
// 477-484, routine PPND16: about 16 figures.
double normal_quantile(double probability) {
  if (!(probability >= 0.0 && probability <= 1.0)) return detail::kNaN;
  const double centred = probability - 0.5;
  if (detail::magnitude(centred) <= 0.425) {
    constexpr double kOver[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3};
    constexpr double kUnder[] = {1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
    const double r = 0.180625 - centred * centred;
    return centred * polynomial(r, kOver) / polynomial(r, kUnder);
  }
  const double tail = centred < 0 ? probability : 1.0 - probability;
  if (tail == 0.0) return centred < 0 ? -detail::kInfinity : detail::kInfinity;
  const double depth = std::sqrt(-log(tail));
  double value = 0;
  if (depth <= 5.0) {
    constexpr double kOver[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr double kUnder[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
    value = polynomial(depth - 1.6, kOver) / polynomial(depth - 1.6, kUnder);
  } else {
    constexpr double kOver[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr double kUnder[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
    value = polynomial(depth - 5.0, kOver) / polynomial(depth - 5.0, kUnder);
  }
  return centred < 0 ? -value : value;
}

}  // namespace gpuplan::math
