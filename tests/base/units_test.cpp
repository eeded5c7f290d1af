#include "base/units.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

using namespace units;

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept Comparable = requires(A a, B b) { a < b; };
template <class A, class B>
concept Assignable = requires(A a, B b) { a = b; };
template <class A, class B>
concept Dividable = requires(A a, B b) { a / b; };

// Compiling is passing.
static_assert(80 * GiB == Bytes{80.0 * 1024 * 1024 * 1024});
static_assert(6.0 * GB / (2.0 * GB / second) == 3.0 * second);
static_assert(2.5 * dollar / hour * (2 * hour) == Dollars{5});
static_assert(1 * TB / second == BytesPerSecond{1e12});
static_assert(10 * TFLOP / (5 * TFLOP / second) == 2 * second);
static_assert(1 * day == 24 * hour && 1 * hour == 60 * minute && 1 * minute == 60 * second);
static_assert(1 * month == 730 * hour);
static_assert(6 * GB / (2 * GB) == 3.0);
static_assert(Seconds{1} < Seconds{2} && !(Seconds{2} < Seconds{1}));
static_assert(-Dollars{2} + Dollars{5} - Dollars{1} == Dollars{2});
static_assert(1.0 / (4 * second) == PerSecond{0.25});
static_assert(PerSecond{0.25} * (4 * second) == 1.0, "powers that cancel leave a plain number");
static_assert(std::is_same_v<decltype(GB / GB), double>);
static_assert(std::is_same_v<decltype(GB / second), BytesPerSecond>);
static_assert(std::is_same_v<decltype(TFLOP / second), FlopsPerSecond>);
static_assert(std::is_same_v<decltype(token / second), TokensPerSecond>);
static_assert(std::is_same_v<decltype(dollar / GB), DollarsPerByte>);
static_assert(std::is_same_v<decltype(dollar / GB / month), DollarsPerByteSecond>);
static_assert(std::is_same_v<decltype(1.0 / (token / second)), decltype(second / token)>);

// And these must not compile.
static_assert(Addable<Bytes, Bytes> && !Addable<Bytes, Seconds> && !Addable<Bytes, double>);
static_assert(!Addable<DollarsPerSecond, Dollars> && !Addable<PerSecond, Seconds>);
static_assert(Comparable<Seconds, Seconds> && !Comparable<Seconds, Dollars> && !Comparable<Seconds, double>);
static_assert(!Comparable<PerSecond, Seconds>, "a rate is not its reciprocal");
static_assert(Assignable<Seconds&, Seconds> && !Assignable<Seconds&, Bytes> && !Assignable<Bytes&, double>);
static_assert(!std::is_convertible_v<double, Bytes> && !std::is_convertible_v<Bytes, double>);
static_assert(std::is_constructible_v<Bytes, double> && !std::is_constructible_v<Bytes, Seconds>);
static_assert(Dividable<Dollars, Seconds> && Dividable<double, Seconds>);
static_assert(sizeof(Bytes) == sizeof(double));

TEST(Units, CompoundAssignment) {
  Seconds time = 2 * hour;
  time += 30 * minute;
  time -= 15 * minute;
  time *= 2;
  time /= 4;
  EXPECT_EQ(time, Seconds{(2.25 * 3600) / 2});
}

}  // namespace
}  // namespace gpuplan
