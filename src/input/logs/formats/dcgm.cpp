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

/// "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk     fb": the head of `nvidia-smi dmon`, again
/// and again
void dmon_head(LogBook& book, const LogLine& line, std::string_view) {
  std::string_view rest = line.text.substr(std::string_view("# ").size());
  if (!line.text.starts_with("# gpu ")) return;
  LogFacts& facts = book.facts;
  facts.dmon_busy = facts.dmon_memory = -1;
  for (int column = 0; !rest.empty(); ++column) {
    scan::skip_spaces(rest);
    const std::string_view name = rest.substr(0, rest.find(' '));
    rest.remove_prefix(name.size());
    if (name == "sm") facts.dmon_busy = column;
    if (name == "fb") facts.dmon_memory = column;
  }
  if (facts.dmon_busy > 0 || facts.dmon_memory > 0) book.shows(LogFormat::kNvidiaSmi);
}

/// "    0    350     60     70     98     60      0      0   2619   1980  71234"; "-" is no value
Match dmon_row(LogBook& book, const LogLine& line) {
  const LogFacts& facts = book.facts;
  if (facts.dmon_busy < 0 && facts.dmon_memory < 0) return Match::kNo;
  std::string_view rest = line.text, gpu;
  std::optional<double> busy, memory;
  int column = 0;
  for (scan::skip_spaces(rest); !rest.empty(); scan::skip_spaces(rest), ++column) {
    const std::string_view cell = rest.substr(0, rest.find(' '));
    rest.remove_prefix(cell.size());
    const auto value = scan::number(cell);
    if (!value && cell != "-") return Match::kNo;
    if (column == 0) gpu = cell;
    else if (column == facts.dmon_busy && value) busy = *value / 100;
    else if (column == facts.dmon_memory) memory = value;
  }
  if (column <= std::max(facts.dmon_busy, facts.dmon_memory)) return Match::kNo;
  book.shows(LogFormat::kNvidiaSmi);
  book.gpu_sample(gpu, busy, memory ? std::optional(*memory * units::MiB) : std::nullopt, line.number);
  return Match::kRecord;
}

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
