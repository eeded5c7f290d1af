#include "launch/command/servers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digits/decimal.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kVllmServe = "vllm serve", kSglang = "sglang.launch_server";

/// A flag of two programs that both decide the same. Names with a dash between their words, those of vLLM first.
struct Decides {
  std::array<std::string_view, 5> names;
  std::string_view variable;  ///< to write instead, or a key of the job
};
constexpr Decides kTensor{{"tensor-parallel-size", "tp", "tp-size"}, "{tp}"};
constexpr Decides kPipeline{{"pipeline-parallel-size", "pp", "pp-size"}, "{pp}"};
constexpr Decides kReplicas{{"data-parallel-size", "dp", "dp-size"}, "{dp}"};
constexpr Decides kRequests{{"max-num-seqs", "max-running-requests"}, "{micro}"};
constexpr Decides kLength{{"max-model-len", "context-length"}, ""};
constexpr Decides kCache{{"kv-cache-dtype"}, "generate.kv_cache"};
constexpr Decides kWeights{{"quantization", "q"}, "generate.weights"};

struct StatedOption {
  std::string flag, value;
};

std::optional<StatedOption> given(const std::vector<CommandWord>& words, const Decides& decides) {
  for (const std::string_view name : decides.names)
    if (!name.empty())
      if (const auto value = option(words, name))
        return StatedOption{(name.size() <= 2 ? "-" : "--") + std::string(name), std::string(*value)};
  return std::nullopt;
}

/// A count as both read it: "32768", and as vLLM does "32k" (thousands) and "32K" (of 1024). nullopt: something else.
std::optional<double> counted(std::string_view text) {
  double value = 0;
  const auto [end, error] = read_number(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value <= 0) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return value;
  if (unit == "k") return value * 1000;
  if (unit == "K") return value * 1024;
  return std::nullopt;
}

std::string plain(std::string_view flag) {
  std::string name(flag);
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace

std::optional<Server> server_of(const std::vector<CommandWord>& words) {
  const std::size_t at = program_word(words);
  const auto text = [&](std::size_t i) { return i < words.size() ? words[i].text : std::string_view(); };
  if (program_name(text(at)) == "vllm" && text(at + 1) == "serve") return Server{"vllm", "serve", kVllmServe, at + 2};
  std::size_t module = at + 1;
  while (text(module) == "-u" || text(module) == "-O") ++module;
  if (!is_python(text(at)) || text(module) != "-m") return std::nullopt;
  if (text(module + 1) == "vllm.entrypoints.openai.api_server") return Server{"vllm", "serve", kVllmServe, module + 2};
  if (text(module + 1) == kSglang) return Server{"sglang", "launch_server", kSglang, module + 2};
  return std::nullopt;
}

std::string served_wrongly(const std::vector<CommandWord>& words, const Server& server, const ServerPlan& planned) {
  // Ranks of SGLang's attention that share data count among its tensor-parallel ones.
  const bool shared = option(words, "enable-dp-attention").has_value();
  for (const auto& [decides, number] :
       {std::pair{&kTensor, planned.tp}, std::pair{&kPipeline, planned.pp}, std::pair{&kReplicas, planned.replicas}}) {
    const auto found = shared ? std::nullopt : given(words, *decides);
    const auto value = found ? counted(found->value) : std::nullopt;
    if (value && *value != number)
      return "has " + found->flag + " " + found->value + ", but the plan has " + std::to_string(number) + "; write " +
             std::string(decides->variable) + " instead";
  }
  if (const auto found = given(words, kLength))
    if (const auto value = counted(found->value); value && *value < planned.longest)
      return "has " + found->flag + " " + found->value + ", but the job's longest request has " +
             count_text(planned.longest) + " tokens, prompt and answer; write " + number_text(planned.longest) +
             " or more";
  // SGLang counts those of all replicas together.
  const int requests = planned.requests * (server.program == "sglang" ? planned.replicas : 1);
  if (const auto found = given(words, kRequests))
    if (const auto value = counted(found->value); value && *value < requests)
      return "has " + found->flag + " " + found->value + ", but the plan has " + std::to_string(requests) +
             " concurrent requests; write " + (requests == planned.requests ? "{micro}" : "{batch}") + " instead";
  if (const auto found = given(words, kCache);
      found && !found->value.starts_with("$") && found->value.starts_with("fp8") != planned.fp8_cache)
    return "has " + found->flag + " " + printable(found->value, 40) + ", but the plan counts with " +
           (planned.fp8_cache ? "8-bit" : "16-bit") + " keys and values; set " + std::string(kCache.variable) + ": " +
           (planned.fp8_cache ? "bf16" : "fp8") + " in the job, or leave it out";
  if (const auto found = given(words, kWeights);
      found && planned.whole_weights && (found->value == "fp8" || found->value == "bitsandbytes"))
    return "has " + found->flag + " " + found->value + ", but the plan counts with 16-bit weights; set " +
           std::string(kWeights.variable) + ": " + (found->value == "fp8" ? "fp8" : "nf4") + " in the job";
  return "";
}

std::vector<std::string> flags_of(const std::vector<CommandWord>& words, const Server& server) {
  std::vector<std::string> flags;
  for (std::size_t i = server.first; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    if (word.size() < 2 || word.front() != '-' || word == "--" || (!is_letter(word[1]) && word[1] != '-')) continue;
    if (word.starts_with("-O")) continue;  // -O3: vLLM's level of compilation
    // --hf-overrides.rope_theta=1: a key of a flag's value.
    const std::string_view flag = word.substr(0, word.find_first_of("=."));
    if (flag.find_first_of("$`{*'\"") == std::string_view::npos) flags.emplace_back(flag);
  }
  return flags;
}

bool is_flag_of(std::span<const std::string_view> known, std::string_view flag) {
  constexpr std::size_t kShort = 3;  // "-tp" is a name of its own
  const std::string name = plain(flag);
  const std::string on = name.starts_with("--no-") ? "--" + name.substr(5) : name;
  if (name == "-h" || name == "--help") return true;
  return std::ranges::any_of(known, [&](std::string_view one) {
    const std::string full = (one.starts_with("-") ? "" : "--") + plain(one);
    return full == name || full == on || (name.size() > kShort && full.starts_with(name));
  });
}

}  // namespace gpuplan
