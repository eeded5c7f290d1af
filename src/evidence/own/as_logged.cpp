#include "evidence/own/as_logged.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace gpuplan {
namespace {

/// Programs that write a format: lines of the last one alone tell that it was it.
std::vector<std::string_view> programs_of(LogFormat format) {
  switch (format) {
    case LogFormat::kNanochat:
      return {"nanochat"};
    case LogFormat::kNanogpt:
      return {"nanogpt", "torch"};  // loops of people's own that began as a copy of it
    case LogFormat::kTorchtitan:
      return {"torchtitan"};
    case LogFormat::kTorchtune:
      return {"torchtune"};
    case LogFormat::kMegatron:
      return {"megatron", "megatron-bridge", "megatron-deepspeed", "nemo"};
    case LogFormat::kNemo:
      return {"nemo"};
    case LogFormat::kLlmq:
      return {"llmq"};
    case LogFormat::kLitgpt:
      return {"litgpt"};
    case LogFormat::kComposer:
      return {"composer"};
    case LogFormat::kTrainerOutput:
    case LogFormat::kTrainerState:
      return {"hf-trainer", "accelerate",    "deepspeed",      "axolotl",
              "unsloth",    "llama-factory", "optimum-habana", "neuronx"};
    default:
      return {};  // anybody's
  }
}

class Layout {
 public:
  Layout(const RunLog& log, TrainingRun& run) : log_(log), setup_(log.setup), run_(run) {}

  Result<std::vector<std::string>> take(const Catalogue& catalogue) {
    program(catalogue);
    bool cut = degree(setup_.tp, run_.tp, "tensor parallel");
    cut = degree(setup_.pp, run_.pp, "pipeline parallel") || cut;
    cut = degree(setup_.cp, run_.cp, "context parallel") || cut;
    cut = degree(setup_.ep, run_.ep, "expert parallel") || cut;
    const bool pass = setup_.micro_batch && *setup_.micro_batch != run_.micro_batch.value_or(1);
    if (cut || pass)
      if (auto good = batch(pass); !good) return std::unexpected(good.error());
    if (setup_.precision && run_.precision && *setup_.precision != *run_.precision) {
      tell(std::string(name_of(*setup_.precision)), std::string(name_of(*run_.precision)));
      run_.precision = setup_.precision;
    }
    if (setup_.recompute && *setup_.recompute != run_.recompute.value_or(Recompute::kNone)) {
      tell("activation checkpointing " + std::string(name_of(*setup_.recompute)),
           std::string(name_of(run_.recompute.value_or(Recompute::kNone))));
      run_.recompute = setup_.recompute;
    }
    return std::move(told_);
  }

 private:
  void tell(const std::string& now, const std::string& planned) { told_.push_back(now + " instead of " + planned); }

  void program(const Catalogue& catalogue) {
    // GPU monitors and progress bars stand beside what the program itself writes.
    for (const LogFormat format : log_.formats) {
      const auto programs = programs_of(format);
      if (programs.empty()) continue;
      if (std::ranges::find(programs, run_.framework) != programs.end()) return;
      const Framework* ran = catalogue.find_framework(programs.front());
      if (ran == nullptr || !ran->trains) return;
      tell(ran->name, run_.framework);
      run_.framework = ran->name;
      return;
    }
  }

  /// Whether the log says another one.
  bool degree(const std::optional<double>& logged, std::optional<int>& planned, const std::string& what) {
    if (!logged || *logged == planned.value_or(1)) return false;
    tell(what + " " + count_text(*logged), count_text(planned.value_or(1)));
    planned = static_cast<int>(*logged);
    return true;
  }

  /// Degrees and micro-batch settle the rest.
  Result<void> batch(bool pass) {
    const double shared = static_cast<double>(run_.tp.value_or(1)) * run_.pp.value_or(1) * run_.cp.value_or(1);
    const double replicas = run_.gpus.value_or(1) / shared;
    if (pass) {
      tell("micro-batch " + count_text(*setup_.micro_batch), count_text(run_.micro_batch.value_or(1)));
      run_.micro_batch = setup_.micro_batch;
    }
    const double passes = run_.global_batch.value_or(0) / (replicas * run_.micro_batch.value_or(1));
    if (std::floor(replicas) != replicas || replicas < 1 || std::floor(passes) != passes || passes < 1)
      return failure("not kept: the layout that the log states (" + join(told_, ", ") + ") does not divide " +
                     count_text(run_.gpus.value_or(1)) + " GPUs and " + count_text(run_.global_batch.value_or(0)) +
                     " sequences a step");
    if (replicas != run_.dp.value_or(1)) tell("data parallel " + count_text(replicas), count_text(run_.dp.value_or(1)));
    run_.dp = static_cast<int>(replicas);
    run_.grad_accum = passes;
    return {};
  }

  const RunLog& log_;
  const LoggedSetup& setup_;
  TrainingRun& run_;
  std::vector<std::string> told_;
};

}  // namespace

Result<std::vector<std::string>> set_as_logged(const RunLog& log, const Catalogue& catalogue, AnyRun& run) {
  auto* training = std::get_if<TrainingRun>(&run);
  if (training == nullptr) return std::vector<std::string>{};
  return Layout(log, *training).take(catalogue);
}

}  // namespace gpuplan
