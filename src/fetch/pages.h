// Lists that come in pages: where the next one is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fetch/price_sources.h"

namespace gpuplan::fetch {

/// The most that one page may have.
inline constexpr std::size_t kMostPageBytes = 16'000'000;
inline constexpr int kMostPages = 500;

/// The address behind the page `text`, which came from `url`; nullopt: it was the last. Fails for a text that is no
/// JSON, a next address that is none or of another server, and a count that makes no sense.
Result<std::optional<std::string>> next_page(const PageRule& rule, std::string_view url, std::string_view text);

}  // namespace gpuplan::fetch
