#include "input/logs/others/requests.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "input/logs/fields/fields.h"

namespace gpuplan {
namespace {

/// "11.2ms", "912.4µs": seconds. Rust and Go write a duration so.
std::optional<double> duration(std::string_view text) {
  double value = 0;
  if (!scan::take_number(text, value)) return std::nullopt;
  std::size_t size = 0;
  while (size < text.size() && (is_letter(text[size]) || text[size] == '\xC2' || text[size] == '\xB5')) ++size;
  std::string_view unit = text.substr(0, size);
  if (unit == "µs") unit = "us";
  const auto measure = field_measure(unit);
  if (!measure || measure->unit != FieldUnit::kTime) return std::nullopt;
  return value * measure->scale;
}

}  // namespace

/// "Setting max batch total tokens to 451808" of TGI: what its cache holds.
void served_tokens(LogBook& book, const LogLine&, std::string_view rest) {
  double value = 0;
  if (!scan::take_count(rest, value)) return;
  book.log.kv_cache_tokens = value;
  book.shows(LogFormat::kFields);
}

bool RequestTimes::line(LogBook& book, const LogLine& line) {
  constexpr std::string_view kName = "time_per_token=";
  const std::size_t at = scan::find(line.text, kName, '_');
  if (at == std::string_view::npos) return false;
  std::string_view text = line.text.substr(at + kName.size());
  scan::take(text, "\"");
  const auto seconds = duration(text);
  if (!seconds || !(*seconds > 0)) return false;
  const double mean = book.log.per_token ? *book.log.per_token / units::second : 0;
  book.log.per_token = Seconds{mean + (*seconds - mean) / ++requests_};
  book.shows(LogFormat::kFields);
  book.works(line);
  return true;
}

}  // namespace gpuplan
