#include "plan/notes/batch_notes.h"

#include "base/text.h"

namespace gpuplan {

namespace {

/// "phases.sft: " where there are several.
std::string address(const Job& job, const PhaseEstimate& phase) {
  return job.phases.size() > 1 ? "phases." + job.phases[static_cast<std::size_t>(phase.phase)].name + ": " : "";
}

/// What was chosen or changed about the batch of a phase.
std::vector<std::string> batch_lines(const Job& job, const PhasePlan& part) {
  const PhaseEstimate& phase = *part.estimate;
  std::vector<std::string> lines;
  if (phase.batch_usual) {
    const std::string tokens =
        phase.sequence > 1 ? ", " + count_text(phase.batch * phase.sequence * phase.rows) + " tokens" : "";
    lines.push_back("a global batch of " + batch_count(phase, phase.batch) + tokens +
                    ", as people train such a model (--batch).");
  } else if (phase.batch != phase.batch_wanted) {
    lines.push_back("a global batch of " + batch_count(phase, phase.batch) + " instead of " +
                    count_text(phase.batch_wanted) + ", so that GPUs and micro-batches divide it.");
  }
  if (phase.lighter)
    lines.push_back(lighter_words(job, phase) +
                    (states_optimizer(job, phase) ? " (master_weights)." : " (optimizer)."));
  if (const std::string idle = idle_words(part); !idle.empty())
    lines.push_back("a batch of " + batch_count(phase, phase.batch) + " " + idle + "; " + why_idle(part) + ".");
  return lines;
}

}  // namespace

std::string batch_count(const PhaseEstimate& phase, double count) {
  return count_of(count, phase.rollouts ? "answer" : phase.rows > 1 ? "pair" : "sequence");
}

bool states_optimizer(const Job& job, const PhaseEstimate& phase) {
  const auto* train = std::get_if<TrainPhase>(&job.phases[static_cast<std::size_t>(phase.phase)].work);
  return train != nullptr && train->optimizer.stated;
}

std::string lighter_words(const Job& job, const PhaseEstimate& phase) {
  const bool stated = states_optimizer(job, phase);
  return std::string(stated ? "no fp32 weights, as they do not fit without "
                            : "8-bit AdamW and no fp32 weights, as fp32 AdamW does not fit without ") +
         (phase.gpus > 1 ? "cutting layers or " : "") + "CPU memory";
}

std::string idle_words(const PhasePlan& phase) {
  const PhaseEstimate& estimate = *phase.estimate;
  const int paid = phase.gpus_billed;
  if (estimate.batch_wanted <= 0 || estimate.gpus >= paid) return "";
  return "uses " + count_text(estimate.gpus) + " of " + count_text(paid) + " GPUs";
}

std::string why_idle(const PhasePlan& phase) {
  const PhaseEstimate& estimate = *phase.estimate;
  bool divides = false;
  for (int gpus = estimate.gpus + 1; gpus <= phase.gpus_billed; ++gpus)
    divides = divides || std::fmod(estimate.batch, gpus) == 0;
  return divides ? "no way to use more fits and is faster" : "it does not divide by more";
}

void add_batch_notes(const Job& job, const Plan& plan, std::vector<std::string>& lines) {
  for (const PhasePlan& part : plan.phases) {
    if (part.estimate->batch_wanted <= 0) continue;
    const std::string at = address(job, *part.estimate);
    for (const std::string& line : batch_lines(job, part)) lines.push_back(at + line);
  }
}

}  // namespace gpuplan
