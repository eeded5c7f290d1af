// Answers to the questions about a plan at work, as JSON.
#pragma once

#include <string>
#include <vector>

#include "api/door_question.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan::api {

/// The document that answers, and what came of it.
struct Reply {
  std::string document;
  Verdict verdict = Verdict::kFound;
  std::vector<LaunchFile> files{};  ///< that a launch would write
  std::vector<std::string> why{};   ///< why it would write none, a sentence each
  std::string html{}, contents{};   ///< a report as the inside of a page (output/page/body.h)
  std::vector<Error> left_out{};    ///< own runs that can not be used
};

Result<Reply> reply_profiles(const DoorQuestion& asked, const Catalogue& catalogue);
Result<Reply> reply_simulate(const DoorQuestion& asked, const Catalogue& catalogue);
Result<Reply> reply_check(const DoorQuestion& asked, const Catalogue& catalogue);
Result<Reply> reply_launch(const DoorQuestion& asked, const Catalogue& catalogue);

}  // namespace gpuplan::api
