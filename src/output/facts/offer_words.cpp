#include "output/facts/offer_words.h"

#include <array>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "output/text/row_filter.h"

namespace gpuplan {
namespace {

/// "yes" and "no" as configuration files write them.
std::optional<bool> answer_in(std::string_view value) {
  const std::string lower = to_lower(value);
  if (lower == "true" || lower == "yes" || lower == "1" || lower == "spot") return true;
  if (lower == "false" || lower == "no" || lower == "0") return false;
  return std::nullopt;
}

/// "aws/us-east-1/us-east-1a"
void add_infra(std::string_view value, std::vector<std::string>& filter) {
  constexpr std::array<std::string_view, 3> kFields = {"provider=", "region=", "zone="};
  const std::vector<std::string_view> parts = split(value, '/');
  for (std::size_t i = 0; i < parts.size() && i < kFields.size(); ++i)
    if (const std::string_view part = trim(parts[i]); !part.empty() && part != "*")
      filter.push_back(std::string(kFields[i]).append(part));
}

}  // namespace

MeantOffers meant_offers(std::span<const std::string> filter) {
  MeantOffers meant;
  for (std::string& term : filter_terms(filter)) {
    const std::size_t equals = term.find('=');
    const std::string field = squeeze(std::string_view(term).substr(0, equals));
    const bool is = equals != std::string::npos && term.find_first_of("<>!") == std::string::npos;
    const std::string_view value =
        is ? trim(std::string_view(term).substr(term.find_first_not_of('=', equals))) : std::string_view();
    if (is && field == "infra" && value.find(',') == std::string_view::npos) {
      add_infra(value, meant.filter);
    } else if (is && (field == "backend" || field == "backends")) {
      meant.filter.push_back(std::string("provider=").append(value));
    } else if (const auto answer = answer_in(value); is && field == "usespot" && answer) {
      meant.spot = meant.spot || *answer;
      if (*answer) meant.filter.emplace_back("spot>0");
    } else if (is && (field == "memory" || field == "mem") && value.ends_with('+')) {
      const std::string size(trim(value.substr(0, value.size() - 1)));
      meant.notes.push_back("'" + printable(term, 40) + "' is read as SkyPilot means it, as CPU memory (RAM): ram>=" +
                            printable(size, 20) + ". Of the GPU it is memory>=" + printable(size, 20));
      meant.filter.push_back("ram>=" + size);
    } else {
      meant.filter.push_back(std::move(term));
    }
  }
  return meant;
}

}  // namespace gpuplan
