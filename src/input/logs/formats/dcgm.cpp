// Samples of NVIDIA's DCGM exporter, as Prometheus scrapes them.
#include <algorithm>

#include "base/text.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

/// `name="value"` among the labels.
std::string_view label(std::string_view labels, std::string_view name) {
  for (std::size_t at = labels.find(name); at != std::string_view::npos; at = labels.find(name, at + 1)) {
    std::string_view rest = labels.substr(at + name.size());
    if ((at == 0 || labels[at - 1] == ',') && scan::take(rest, "=\"")) return rest.substr(0, rest.find('"'));
  }
  return {};
}

/// The number of an error stays in all samples after it.
bool known(const LogBook& book, std::string_view text) {
  return std::ranges::any_of(book.log.events,
                             [&](const LogEvent& event) { return event.text == printable(trim(text)); });
}

}  // namespace

Match dcgm_sample(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  if (!scan::take(rest, "DCGM_FI_")) return Match::kNo;
  const auto name = scan::take_until(rest, '{');
  const auto labels = name ? scan::take_until(rest, '}') : std::nullopt;
  double value = 0;
  if (!labels || !scan::take_next(rest, value)) return Match::kBroken;
  // What the exporter writes for "no value" is near the largest integer (its README: 9223372036854775794).
  constexpr double kNoValue = 9.2e18;
  book.shows(LogFormat::kDcgm);
  if (!(value < kNoValue)) return Match::kRecord;
  const std::string_view gpu = label(*labels, "gpu");
  if (*name == "DEV_GPU_UTIL") book.gpu_sample(gpu, value / 100, std::nullopt, line.number);
  else if (*name == "DEV_FB_USED") book.gpu_sample(gpu, std::nullopt, value * units::MiB, line.number);
  else if (*name == "DEV_XID_ERRORS" && value > 0 && !known(book, line.text))
    book.event(LogEvent::Kind::kError, line, line.text);
  if (book.log.gpu.empty()) book.log.gpu = printable(label(*labels, "modelName"), 80);
  return Match::kRecord;
}

}  // namespace gpuplan
