// How --help looks: what the command does, examples first, then its options.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace gpuplan::cli {

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace gpuplan::cli
