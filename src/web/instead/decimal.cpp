#include "base/digits/decimal.h"

#include "web/instead/small_decimal.h"

namespace gpuplan {

std::string shortest_digits(double value) { return small::shortest_digits(value); }
std::string plain_digits(double value) { return small::plain_digits(value); }
std::string fixed_digits(double value, int decimals) { return small::fixed_digits(value, decimals); }
std::string general_digits(double value, int digits) { return small::general_digits(value, digits); }
double rounded_to_digits(double value, int digits) { return small::rounded_to_digits(value, digits); }
std::from_chars_result read_number(const char* from, const char* to, double& value) {
  return small::read_number(from, to, value);
}

}  // namespace gpuplan
