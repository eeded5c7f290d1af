// Amounts as people write them ("12 h", "$0.35/h", "5%/h", "80 GiB", "11.2B tokens", "50_000", "20-24") and as
// gpuplan prints them.
#pragma once

#include <string>
#include <string_view>

#include "base/interval.h"
#include "base/result.h"
#include "base/units.h"

namespace gpuplan {

/// Kinds of amount a text can be read as; the bare-number unit is what a number without unit means.
enum class AmountKind {
  kCount,                ///< plain number with k M B T suffix; bare: one
  kShare,                ///< "5%" or 0.05; bare: a fraction
  kTime,                 ///< s, ms, us, min, h, d, week; bare: only 0, since "12" could be hours as well as seconds
  kSeconds,              ///< a time under a name that says its unit (seconds_per_step); bare: seconds
  kMoney,                ///< $; bare: dollars
  kPrice,                ///< $/h, $/s, $/month; bare: dollars an hour
  kRate,                 ///< 5%/h: the chance in one hour, below 100%; 0.05/h: so many an hour; bare: per hour
  kBytes,                ///< B, kB, MB, GB, TB, KiB, MiB, GiB, TiB; bare: bytes
  kBytesPerSecond,       ///< GB/s, Mbit/s, Gbit/s; bare: bytes a second
  kTokens,               ///< tokens with k M B T; bare: tokens
  kTokensPerSecond,      ///< tokens/s, tok/s; bare: tokens a second
  kSamplesPerSecond,     ///< samples/s; bare: samples a second
  kDollarsPerByteMonth,  ///< $/GB-month; bare: dollars a GB and month
  kDollarsPerByte,       ///< $/GB; bare: dollars a GB
  kPower,                ///< W, kW; bare: watts
};

/// What a number of this kind is written like, for messages ("a time such as 12 h or 45 min").
std::string_view expectation(AmountKind kind);

/// A single amount in base units. The error message says what was expected; it has no place.
Result<double> parse_amount(std::string_view text, AmountKind kind);

/// Like parse_amount, and "20-24", "20..24", "$4-6/h", "10-20 min" as p10..p90 with the geometric mean as median
/// (arithmetic when p10 is not positive). A single amount is exact. A chance p in a time T becomes the rate of the
/// Poisson process with that chance, -ln(1 - p) / T: 5%/h is 0.0513/h.
Result<Interval<double>> parse_interval(std::string_view text, AmountKind kind);

std::string to_text(Seconds time);            ///< "6.2 h", "45 min", "12.3 ms"
std::string to_text(Bytes size);              ///< "16.3 GiB"
std::string to_text(Dollars money);           ///< "$4.74", "$1,234"
std::string to_text(BytesPerSecond rate);     ///< "3.35 TB/s"
std::string to_text(FlopsPerSecond rate);     ///< "989 TFLOP/s"
std::string to_text(PerSecond rate);          ///< the chance in one hour, "5%/h"; from twice an hour up "2.5/h"
std::string to_text(Flops work);              ///< "4.1 PFLOP"
std::string to_text(DollarsPerSecond price);  ///< "$0.35/h"
std::string hours_text(Seconds time);         ///< hours as a bare number: "3.4", "0.05", "120"
std::string count_short(double count);        ///< "7.24B", "25M", "1500"

/// Three digits: "0.25", "142", "22,500".
std::string rate_text(double rate);

}  // namespace gpuplan
