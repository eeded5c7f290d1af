#include "base/digits/decimal.h"

#include <array>

namespace gpuplan {
namespace {

/// The longest double in plain notation has 325 digits and a sign; 60 decimals behind 309 digits are longer.
using Buffer = std::array<char, 400>;

template <typename... How>
std::string digits(double value, How... how) {
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, how...);
  return {buffer.data(), end.ptr};
}

}  // namespace

std::string shortest_digits(double value) { return digits(value); }
std::string plain_digits(double value) { return digits(value, std::chars_format::fixed); }
std::string fixed_digits(double value, int decimals) { return digits(value, std::chars_format::fixed, decimals); }
std::string general_digits(double value, int most) { return digits(value, std::chars_format::general, most); }

double rounded_to_digits(double value, int most) {
  Buffer buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, most - 1);
  double rounded = value;
  std::from_chars(buffer.data(), end.ptr, rounded);
  return rounded;
}

std::from_chars_result read_number(const char* from, const char* to, double& value) {
  return std::from_chars(from, to, value);
}

}  // namespace gpuplan
