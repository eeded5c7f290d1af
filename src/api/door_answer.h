// What all answers of the door have in common, whatever was asked.
#pragma once

#include <string>
#include <string_view>

#include "api/door_runs.h"

namespace gpuplan::api {

/// What a door answers, and where it has its facts from: what it does not name stays out of a module.
struct Door {
  Result<Catalogue> (*facts)(const DoorQuestion& asked);
  Result<Reply> (*reply)(const DoorQuestion& asked, const Catalogue& catalogue);
};

/// Reads a question in JSON with its facts, has it answered, and says so in JSON (api/ask.h).
std::string answer_to(std::string_view question, const Door& door);

}  // namespace gpuplan::api
