// Cells that say what plans do and published tables have no columns for: words of a name and a value, "layers=12
// hidden=768"; of several networks one after the other, with " | " between them. What is not said is as usual.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/work/model_use.h"
#include "domain/work/phase.h"

namespace gpuplan {

std::string network_words(const std::vector<ModelUse>& networks);
std::string store_words(const Store& store);
std::string speculation_words(const Speculation& speculation);

/// The same as values. Errors have no place.
Result<std::vector<ModelUse>> read_networks(std::string_view words);
Result<Store> read_store(std::string_view words);
Result<Speculation> read_speculation(std::string_view words);

/// The shortest text that reads back as the same number.
std::string exact_text(double value);

}  // namespace gpuplan
