// What is wrong with a text that is no YAML, in words that help.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// `problem` is a message of yaml-cpp, `line` the line of the text that it points at, 0 when it points nowhere.
std::string yaml_problem(std::string_view problem, std::string_view text, int line);

}  // namespace gpuplan
