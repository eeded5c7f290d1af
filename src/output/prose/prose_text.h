// The user's words on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/work/job.h"

namespace gpuplan {

/// Free text of several lines as a terminal may show it: lines stay, a tab is four blanks, escape sequences, other
/// control characters and what hides text or turns it around become '?', also where they did not come from a job file
/// (which can not hold them). Markdown is left as written.
std::string terminal_prose(std::string_view text);

/// One thing that a job says in words.
struct ProsePiece {
  std::string about;     ///< "job", "phase validate", "offer 4x RTX 5090", "option 2x H100 SXM", "variant balanced"
  std::string_view key;  ///< as in the job file: "purpose", "quality.good", "tasks"
  std::string text;      ///< as the job has it; tasks as a Markdown list
};

/// All of it in the order of the job file: job, phases, machines, options, variants. Empty when it says nothing.
std::vector<ProsePiece> prose_pieces(const Job& job);

}  // namespace gpuplan
