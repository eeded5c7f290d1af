#include "input/logs/fields/field_units.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "input/logs/book/known_names.h"
#include "input/logs/book/scan.h"
#include "input/logs/fields/name_words.h"

namespace gpuplan {
namespace {

struct FieldUnitName {
  std::string_view name;
  FieldUnit unit;
  double scale;
};

/// GB is what programs write for 1024^3 bytes of PyTorch's allocator.
/// What is a rate or the time of a step is told by its parts (name_words.h).
constexpr KnownNames kFieldUnits(std::array{
    FieldUnitName{"us", FieldUnit::kTime, 1e-6},
    FieldUnitName{"ms", FieldUnit::kTime, 1e-3},
    FieldUnitName{"s", FieldUnit::kTime, 1},
    FieldUnitName{"sec", FieldUnit::kTime, 1},
    FieldUnitName{"secs", FieldUnit::kTime, 1},
    FieldUnitName{"seconds", FieldUnit::kTime, 1},
    FieldUnitName{"m", FieldUnit::kTime, 60},
    FieldUnitName{"min", FieldUnit::kTime, 60},
    FieldUnitName{"h", FieldUnit::kTime, 3600},
    FieldUnitName{"mb", FieldUnit::kBytes, units::MiB.value},
    FieldUnitName{"mib", FieldUnit::kBytes, units::MiB.value},
    FieldUnitName{"gb", FieldUnit::kBytes, units::GiB.value},
    FieldUnitName{"gib", FieldUnit::kBytes, units::GiB.value},
    FieldUnitName{"tflops", FieldUnit::kFlops, 1e12},
    FieldUnitName{"tflop/s", FieldUnit::kFlops, 1e12},
    FieldUnitName{"%", FieldUnit::kShare, 0.01},
});

}  // namespace

std::optional<FieldMeasure> field_measure(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  std::array<char, kLongest> small;
  if (text.empty() || text.size() > kLongest) return std::nullopt;
  std::ranges::transform(text, small.begin(), small_letter);
  const std::string_view unit(small.data(), text.size());
  if (const FieldUnitName* const found = kFieldUnits.find(unit)) return FieldMeasure{found->unit, found->scale};
  return unit.contains('/') ? measure_of_parts(unit) : std::nullopt;
}

bool is_rate_unit(std::string_view text) {
  scan::skip_spaces(text);
  const std::size_t end = std::min(text.size(), text.find_first_of(" ,;|)]"));
  const std::string_view unit = text.substr(0, end);
  return unit.contains('/') && field_measure(unit);
}

bool is_inside_unit(std::string_view text, std::size_t at) {
  return text[at] == '/' && at > 0 && at + 1 < text.size() && is_letter(text[at + 1]);
}

std::optional<FieldMeasure> unit_in_words(std::string_view text, std::size_t& size) {
  constexpr std::string_view kPer = " per ";
  std::array<char, 24> slashes;
  std::size_t end = size, filled = 0;
  const auto add = [&](std::string_view part) {
    if (filled + part.size() > slashes.size()) return false;
    std::ranges::copy(part, slashes.data() + filled);
    filled += part.size();
    return true;
  };
  if (!add(text.substr(0, end))) return std::nullopt;
  std::optional<FieldMeasure> found;
  while (text.substr(end).starts_with(kPer)) {
    std::size_t next = end + kPer.size();
    while (next < text.size() && is_letter(text[next])) ++next;
    if (!add("/") || !add(text.substr(end + kPer.size(), next - end - kPer.size()))) break;
    const auto measure = field_measure({slashes.data(), filled});
    if (!measure) break;
    found = measure;
    size = end = next;
  }
  return found;
}

}  // namespace gpuplan
