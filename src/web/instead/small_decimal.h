#pragma once

#include <charconv>
#include <string>

// base/digits/decimal.h without tables. Numbers of the size that plans hold are done with exact fixed-point arithmetic,
// others by the C library, which takes long. The unit tests hold it against the C++ library.
namespace gpuplan::small {

std::string shortest_digits(double value);
std::string plain_digits(double value);
std::string fixed_digits(double value, int decimals);
std::string general_digits(double value, int digits);
double rounded_to_digits(double value, int digits);
std::from_chars_result read_number(const char* from, const char* to, double& value);

}  // namespace gpuplan::small
