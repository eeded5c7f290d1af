#include "input/job/checks/generation.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "input/job/checks/cuts.h"
#include "input/job/checks/fail_at.h"
#include "model/generation/generation.h"

namespace gpuplan {
namespace {

std::string number(double value) { return count_text(value); }

/// What an engine does with formats: reading weights, keeping a cache.
using Does = bool (EngineProfile::*)(Format) const;

std::string formats_of(const Catalogue& catalogue, const Framework& engine, Does does) {
  std::vector<std::string> names;
  const EngineProfile& profile = engine_profile(catalogue, engine);
  for (const auto& entry : Names<Format>::entries)
    if (name_of(entry.value) == entry.name && (profile.*does)(entry.value)) names.emplace_back(entry.name);
  return listed(names);
}

std::string engines_for(const Catalogue& catalogue, Format format, Does does) {
  std::vector<std::string> names;
  for (const Framework& engine : catalogue.frameworks)
    if (engine.generates && (engine_profile(catalogue, engine).*does)(format)) names.push_back(engine.name);
  if (names.empty()) return "no other engine does";
  return listed(names) + (names.size() == 1 ? " does" : " do");
}

bool check_engine(Reader& reader, const Tree& tree, const GeneratePhase& phase) {
  const Framework* engine = phase.engine.empty() ? nullptr : reader.catalogue.find_framework(phase.engine);
  if (engine == nullptr) return true;
  if (!engine->generates)
    return fail_at(reader, tree, "engine", engine->name + " does not generate text; expected an inference engine");
  const EngineProfile& profile = engine_profile(reader.catalogue, *engine);
  if (phase.weights && !profile.reads(*phase.weights))
    return fail_at(reader, tree, "weights",
                   engine->name + " does not read " + std::string(name_of(*phase.weights)) + "; it reads " +
                       formats_of(reader.catalogue, *engine, &EngineProfile::reads) + "; " +
                       engines_for(reader.catalogue, *phase.weights, &EngineProfile::reads));
  if (phase.kv_cache && !profile.keeps_cache(*phase.kv_cache))
    return fail_at(reader, tree, "kv_cache",
                   engine->name + " does not keep its KV cache in " + std::string(name_of(*phase.kv_cache)) +
                       "; it knows " + formats_of(reader.catalogue, *engine, &EngineProfile::keeps_cache) + "; " +
                       engines_for(reader.catalogue, *phase.kv_cache, &EngineProfile::keeps_cache));
  return true;
}

bool check_bits(Reader& reader, const Tree& tree, const GeneratePhase& phase) {
  if (phase.weights == Format::kExl2 && !phase.weight_bits)
    return fail_at(reader, tree, "weights", "EXL2 files come in any size; add weight_bits, such as weight_bits: 4.65");
  if (!phase.weight_bits) return true;
  if (!phase.weights) return fail_at(reader, tree, "weight_bits", "also needs weights, the format with this many bits");
  const double usual = bits_of(*phase.weights);
  // Groups may be smaller and some layers wider, but a format of four bits never takes two or twelve.
  const bool any_size = *phase.weights == Format::kExl2;
  if (any_size || (*phase.weight_bits >= 0.75 * usual && *phase.weight_bits <= 1.5 * usual)) return true;
  return fail_at(reader, tree, "weight_bits",
                 std::string(name_of(*phase.weights)) + " takes about " + number_text(usual) +
                     " bits per weight; expected " + significant_text(0.75 * usual, 2) + " to " +
                     significant_text(1.5 * usual, 2) + ", got " + number_text(*phase.weight_bits));
}

bool check_context(Reader& reader, const Tree& tree, const GeneratePhase& phase) {
  const Tree& data = *tree.find("data");
  for (std::size_t i = 0; i < phase.data.size(); ++i) {
    const Prompts& prompts = phase.data[i];
    const double longest = prompts.prompt_tokens.max + prompts.new_tokens.max;
    for (const ModelUse& model : phase.models) {
      const int most = model.shape.max_context;
      if (most <= 0 || longest <= most) continue;
      const double left = most - prompts.prompt_tokens.max;
      std::string message = model.name + " reads at most " + number(most) + " tokens, but the longest sample has " +
                            number(longest) + ": " + number(prompts.prompt_tokens.max) + " input" +
                            (phase.forward_only ? "" : " and " + number(prompts.new_tokens.max) + " output") + "; ";
      if (phase.forward_only) message += "shorten prompts to " + number(most);
      else if (left >= 1) message += "generate at most " + number(left) + " tokens";
      else message += "cut prompts to " + number(most - 1) + " or less, to leave room for output tokens";
      const Reader::Scope scope(reader, "data");
      const Reader::Scope item(reader, i);
      const bool prompt = phase.forward_only || left < 1;
      return fail_at(reader, data.is_list() ? data.children[i] : data, prompt ? "prompt_tokens" : "new_tokens",
                     message);
    }
  }
  return true;
}

bool check_cuts(Reader& reader, const Tree& tree, const GeneratePhase& phase) {
  const Parallel& parallel = phase.parallel;
  const Tree* at = tree.find("parallel");
  if (at == nullptr) return true;
  const Reader::Scope scope(reader, "parallel");
  const auto wrong = [&](std::string_view key, const std::string& message) {
    return fail_at(reader, *at, key, message);
  };
  if (parallel.cp.value_or(1) > 1)
    return wrong("cp", "context parallelism is for training; use 1, or tp for generation");
  if (!check_degrees(reader, *at, phase.models, parallel, CutsOf::kGeneration)) return false;
  const Framework* engine = phase.engine.empty() ? nullptr : reader.catalogue.find_framework(phase.engine);
  if (engine == nullptr) return true;
  if (parallel.tp.value_or(1) > 1 && !engine->tensor)
    return wrong("tp", engine->name + " has no tensor parallelism; expected 1" +
                           (engine->pipeline ? ", or pp: it splits layers over GPUs" : ""));
  if (parallel.pp.value_or(1) > 1 && !engine->pipeline)
    return wrong("pp", engine->name + " does not split layers over GPUs; expected 1");
  if (parallel.ep.value_or(1) > 1 && !engine->expert)
    return wrong("ep", engine->name + " has no expert parallelism; expected 1");
  return true;
}

}  // namespace

bool check_generation(Reader& reader, const Tree& tree, const GeneratePhase& phase) {
  return check_engine(reader, tree, phase) && check_bits(reader, tree, phase) && check_context(reader, tree, phase) &&
         check_cuts(reader, tree, phase);
}

}  // namespace gpuplan
