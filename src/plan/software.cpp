#include "plan/software.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace gpuplan {

namespace {

bool runs_on(const Framework& framework, const Gpu& gpu) {
  if (std::ranges::find(framework.vendors, gpu.vendor) == framework.vendors.end()) return false;
  return gpu.compute_capability == 0 || gpu.compute_capability >= framework.min_compute_capability;
}

bool supports(const Framework& framework, Method method) {
  switch (method) {
    case Method::kFull:
      return framework.full;
    case Method::kLora:
      return framework.lora;
    case Method::kQlora:
      return framework.qlora;
    case Method::kFrozen:
      return framework.frozen;
  }
  return false;
}

/// 16-bit where the hardware has it: bf16 needs no loss scaling and comes first.
Precision natural_precision(const Gpu& gpu) {
  if (gpu.bf16 > FlopsPerSecond{}) return Precision::kBf16;
  if (gpu.fp16 > FlopsPerSecond{}) return Precision::kFp16;
  return Precision::kFp32;
}

/// Something that none of those chosen so far can do. What several can do each, but none together (full shards of a
/// pipeline's stages), does not count: whoever wants it names the framework.
bool adds_to(const std::vector<const Framework*>& chosen, const Framework& other) {
  const auto have = [&](auto feature) {
    return std::ranges::any_of(chosen, [&](const Framework* f) { return feature(*f); });
  };
  const auto adds = [&](auto feature) { return feature(other) && !have(feature); };
  const auto keeps = [](Offload what) { return [what](const Framework& f) { return includes(f.offload, what); }; };
  return chosen.empty() ||
         adds([](const Framework& f) { return f.zero[static_cast<std::size_t>(Sharding::kZero3)]; }) ||
         adds([](const Framework& f) { return f.tensor; }) || adds([](const Framework& f) { return f.pipeline; }) ||
         adds([](const Framework& f) { return f.context; }) || adds([](const Framework& f) { return f.expert; }) ||
         adds(keeps(Offload::kOptimizer)) || adds(keeps(Offload::kParams)) || adds(keeps(Offload::kActivations));
}

/// Frameworks to look at: the one that is named, else those with a rank, best first.
std::vector<const Framework*> candidates(const Catalogue& catalogue, const std::string& wanted) {
  std::vector<const Framework*> found;
  for (const Framework& framework : catalogue.frameworks)
    if (wanted.empty() ? framework.auto_rank > 0 : framework.name == wanted) found.push_back(&framework);
  std::ranges::sort(found, {}, [](const Framework* f) { return std::pair(f->auto_rank, f); });  // ties: catalogue order
  return found;
}

Software none(Misfit why, std::string reason) {
  Software result;
  result.why = why;
  result.reason = std::move(reason);
  return result;
}

std::string cannot_run(const std::string& framework, const Gpu& gpu) {
  return framework + " does not run on " + gpu.name;
}

}  // namespace

Software training_software(const Catalogue& catalogue, const TrainPhase& phase, const Gpu& gpu, int gpus, int nodes) {
  Software result;
  result.precision = phase.precision.on(gpu.name, gpus).value_or(natural_precision(gpu));
  if (peak(gpu, result.precision) <= FlopsPerSecond{})
    return none(Misfit::kPrecision, gpu.name + " has no " + std::string(name_of(result.precision)));
  result.compile = phase.compile.on(gpu.name, gpus).value_or(false);

  const bool named = !phase.framework.empty();
  for (const Framework* candidate : candidates(catalogue, phase.framework)) {
    const Framework& framework = *candidate;
    if (!framework.trains) continue;
    if (!runs_on(framework, gpu)) {
      if (named) return none(Misfit::kUnsupported, cannot_run(framework.name, gpu));
      continue;
    }
    if (!supports(framework, phase.method)) {
      if (named)
        return none(Misfit::kUnsupported,
                    framework.name + " has no " + std::string(name_of(phase.method)) + " training");
      continue;
    }
    if (gpus > 1 && !framework.multi_gpu) {
      if (named) return none(Misfit::kUnsupported, framework.name + " uses one GPU only");
      continue;
    }
    if (nodes > 1 && !framework.multi_node) {
      if (named) return none(Misfit::kUnsupported, framework.name + " runs on one machine only");
      continue;
    }
    if (std::ranges::find(framework.precisions, result.precision) == framework.precisions.end()) {
      if (named)
        return none(Misfit::kPrecision,
                    framework.name + " does not train in " + std::string(name_of(result.precision)));
      continue;
    }
    if (adds_to(result.frameworks, framework)) result.frameworks.push_back(&framework);
  }
  if (result.frameworks.empty())
    return none(Misfit::kUnsupported, "no framework known to gpuplan does " + std::string(name_of(phase.method)) +
                                          " training in " + std::string(name_of(result.precision)) + " on " + gpu.name);
  return result;
}

Software generation_software(const Catalogue& catalogue, const GeneratePhase& phase, const Gpu& gpu, int nodes) {
  Software result;
  const std::string wanted = !phase.engine.empty() ? phase.engine : phase.collect ? "hf" : "";
  for (const Framework* candidate : candidates(catalogue, wanted)) {
    const Framework& engine = *candidate;
    if (!engine.generates) continue;
    if (!runs_on(engine, gpu)) {
      if (!wanted.empty()) return none(Misfit::kUnsupported, cannot_run(engine.name, gpu));
      continue;
    }
    if (nodes > 1 && !engine.multi_node) continue;
    result.frameworks.push_back(&engine);
    return result;
  }
  return none(Misfit::kUnsupported, "no engine known to gpuplan generates on " + gpu.name);
}

}  // namespace gpuplan
