// LLaMA-Factory's own templates for conversations, by the names of models: without their owner, in small letters.
#pragma once

#include <string_view>

namespace gpuplan {

/// "" where the tokenizer's own is to be taken, which LLaMA-Factory takes apart rightly as far as anybody knows.
std::string_view named_template(std::string_view model);

/// Whether the model's tokenizer comes with a template, which what is trained of it keeps.
bool converses(std::string_view model);

}  // namespace gpuplan
