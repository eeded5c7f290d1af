// The prose of docs/job-file.md, ahead of the tables that are made from the declaration.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

extern const std::string_view kJobFileIntroduction;

/// The anchor that Markdown viewers give a heading.
std::string section_anchor(std::string_view heading);

}  // namespace gpuplan
