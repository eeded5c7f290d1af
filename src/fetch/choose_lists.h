// Which lists a user means.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fetch/keys.h"
#include "fetch/price_sources.h"

namespace gpuplan::fetch {

/// A source, or one of its parts.
struct ListChoice {
  const PriceSource* source = nullptr;
  std::string part{};
  bool named = false;  ///< by the user

  std::string name() const { return part.empty() ? source->name : source->name + '/' + part; }
  /// Its usual name; empty: the list says.
  std::string provider() const;
};

/// Words are names of sources ("skypilot"), of parts ("skypilot/aws") or of providers ("aws"): of a provider those that
/// are not fetched by name only, or all where it has no others. No words: all that are not fetched by name only. Each
/// list once, in the order of the sources.
Result<std::vector<ListChoice>> choose_lists(std::span<const PriceSource> sources, std::span<const std::string> words);

/// Other addresses for a run, "vultr=http://127.0.0.1:8000/plans"; "gpuhunt.version=" and "verda.token=" for what is
/// asked before. Several for one name are taken together.
Result<void> set_addresses(std::vector<PriceSource>& sources, std::span<const std::string> settings);

}  // namespace gpuplan::fetch
