// Traces of spot machines, as texts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/questions/prices.h"
#include "base/result.h"
#include "plan/advice/spot_simulation.h"

namespace gpuplan::api {

struct TraceText {
  std::string name;  ///< what starts and answers call it: trace_name()
  NamedText file;    ///< input/prices/trace_file.h
};

/// How machines come and go; no trace: as the market says.
struct SpotTexts {
  std::vector<TraceText> traces{};
  std::optional<NamedText> starts{};  ///< CSV with the ticks at which replays begin; none: random ones
};

/// "data/us-west-2a.json" is called us-west-2a.
std::string trace_name(const std::string& file);

/// `machines`: needed at once. Errors name file and line; starts without a trace are a usage error.
Result<std::vector<SimulatedTrace>> read_traces(const SpotTexts& texts, int machines);

}  // namespace gpuplan::api
