#include "launch/parts/named_templates.h"

#include <algorithm>
#include <array>

namespace gpuplan {
namespace {

/// What it calls the words around messages, by the beginning of a model's name (hiyouga/LLaMA-Factory 0.9.3
/// to 0.9.5, extras/constants.py). Longer beginnings first. Some of these models were taught to converse and have a
/// template of their own, which it would take apart wrongly (parse_template): Gemma's refuses a message of the system
/// alone, of Llama's since 3.1, Phi's and gpt-oss' a part would stand where it does not belong. Of Qwen 2.5 and 3 it is
/// right. Both versions know gemma, which is as good for what the later one calls gemma2.
/// mistral_small wants a processor of pictures, which the first Mistral Small comes without.
struct NamedTemplate {
  std::string_view begins, name;
};
constexpr std::array<NamedTemplate, 44> kTemplates = {{
    {"meta-llama-3", "llama3"},
    {"llama-3.2-11b-vision", "mllama"},
    {"llama-3.2-90b-vision", "mllama"},
    {"llama-3.1-tulu", ""},
    {"llama-3", "llama3"},
    {"llama-4", "llama4"},
    {"llama-2", "llama2"},
    {"codellama", "llama2"},
    {"mistral-nemo", "ministral"},
    {"ministral-8b", "ministral"},
    {"ministral-3-", "ministral3"},
    {"mistral-7b", "mistral"},
    {"mixtral", "mistral"},
    {"mistral-small-24b-instruct", ""},
    {"mistral-small-24b", "ministral"},
    {"mistral-small-3.", "mistral_small"},
    {"gemma-3-1b", "gemma"},
    {"gemma-3-270m", "gemma"},
    {"gemma-3-", "gemma3"},
    {"gemma-3n-", "gemma3n"},
    {"gemma-4-e", "gemma4n"},
    {"gemma-4-", "gemma4"},
    {"gemma-", "gemma"},
    {"codegemma", "gemma"},
    {"yi-", "yi"},
    {"deepseek-r1", "deepseekr1"},
    {"deepseek-v3", "deepseek3"},
    {"deepseek-llm", "deepseek"},
    {"deepseek-coder-v2", "deepseek"},
    {"deepseek-coder", "deepseekcoder"},
    {"falcon-h1", "falcon_h1"},
    {"falcon-", "falcon"},
    {"internlm2", "intern2"},
    {"smollm2", "smollm2"},
    {"smollm-", "smollm"},
    {"granite-3", "granite3"},
    {"gpt-oss", "gpt_oss"},
    {"phi-3-small", "phi_small"},
    {"phi-3", "phi"},
    {"phi-4-mini", "phi4_mini"},
    {"phi-4-reasoning", ""},
    {"phi-4", "phi4"},
    {"qwen3.5-", "qwen3_5"},
    {"qwen3.6-", "qwen3_6"},
}};

}  // namespace

bool converses(std::string_view model) {
  constexpr std::array<std::string_view, 10> kTaught = {"instruct", "chat",  "-it",   "zephyr",      "distill",
                                                        "gpt-oss",  "phi-4", "qwen3", "deepseek-r1", "deepseek-v3"};
  return std::ranges::any_of(kTaught, [model](std::string_view word) { return model.contains(word); });
}

std::string_view named_template(std::string_view model) {
  for (const NamedTemplate& known : kTemplates)
    if (model.starts_with(known.begins)) return known.name;
  return "";
}

}  // namespace gpuplan
