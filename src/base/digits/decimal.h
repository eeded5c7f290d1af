#pragma once

#include <charconv>
#include <string>

// Doubles as decimal digits and back, each nearest to the other: what std::to_chars and std::from_chars do. The module
// for pages brings its own (src/web/instead/decimal.cpp): the tables of a C++ library for this are a twelfth of it.
namespace gpuplan {

/// The shortest that reads back as the same, in plain notation or with an exponent, whichever is shorter.
std::string shortest_digits(double value);
/// The same, never with an exponent.
std::string plain_digits(double value);
/// So many decimals, ties to even.
std::string fixed_digits(double value, int decimals);
/// At most so many digits, as printf's %g.
std::string general_digits(double value, int digits);
/// The value of its first digits: 1 to 17 of them.
double rounded_to_digits(double value, int digits);
/// A number at the beginning of [from, to), as std::from_chars reads it.
std::from_chars_result read_number(const char* from, const char* to, double& value);

}  // namespace gpuplan
