// What all answers of the door have in common, whatever was asked.
#pragma once

#include <string>
#include <string_view>

#include "api/door_runs.h"

namespace gpuplan::api {

/// Answers a question that was read, with the facts that it is asked over.
using Replier = Result<Reply> (*)(const DoorQuestion& asked, const Catalogue& catalogue);

/// Reads a question in JSON with its facts, has it answered, and says so in JSON (api/ask.h).
std::string answer_to(std::string_view question, Replier reply);

}  // namespace gpuplan::api
