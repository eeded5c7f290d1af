// Reads JSON within bounds that hostile text can not get around. The one door to the JSON library.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "input/text/tree.h"

namespace gpuplan {

struct JsonLimits {
  std::size_t bytes = 16'000'000;
  std::size_t values = 500'000;  ///< of any kind, containers too
  int depth = 64;
};

/// Told what stands in a text, in order, as it is read. A false ends the reading.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual bool begin_map() = 0;
  virtual bool begin_list() = 0;
  virtual bool end() = 0;
  virtual bool key(std::string&& name) = 0;
  virtual bool string(std::string&& text) = 0;
  /// Numbers as written, true, false and null.
  virtual bool word(std::string&& text) = 0;
};

/// Ok also when `events` ended the reading. The error names the line.
Result<bool> read_json(std::string_view text, const std::string& file, const JsonLimits& limits, JsonEvents& events);

/// The text as a tree without places; of equal keys the last counts, as everywhere in JSON.
Result<Tree> parse_json(std::string_view text, const std::string& file, const JsonLimits& limits = {});

}  // namespace gpuplan
