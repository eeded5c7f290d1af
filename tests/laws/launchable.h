// A plan as every launcher writes it, in memory.
#pragma once

#include <string>

#include "laws/answer.h"

namespace gpuplan::laws {

/// What is wrong with the folders of every launcher for the pick: an error of several lines, two files of one name, a
/// file that says nan. Empty: nothing; a launcher may refuse a plan in one line.
std::string wrong_folders(const Answer& answer);
/// An error that is no single line, or has control characters.
std::string wrong_error(const Error& error);

}  // namespace gpuplan::laws
