#include "evidence/check/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/check/serving_check.h"
#include "evidence/check/signs.h"

namespace gpuplan {
namespace {

std::string share_text(double share) { return significant_text(share * 100, 2) + "%"; }

/// "at step 412, line 1,033".
std::string where(const Series::Point& point) {
  std::string text = std::isnan(point.step) ? "" : "at step " + count_text(point.step);
  if (point.line > 0) text += (text.empty() ? "in line " : ", line ") + count_text(point.line);
  return text;
}

std::string gib(double bytes) { return to_text(Bytes{bytes}); }

class Diagnosis {
 public:
  Diagnosis(const CheckedRun& run, const RunCheck& check, const std::vector<MemoryTrial>& trials)
      : run_(run), check_(check), trials_(trials) {}

  std::vector<Advice> advice() {
    memory();
    loss();
    goals();
    idle_gpus();
    if (check_.contradictions.empty()) speed();  // of something else it says nothing
    restarts();
    finish();
    return std::move(advice_);
  }

 private:
  void say(Ailment ailment, std::string words) { advice_.push_back({ailment, std::move(words)}); }

  void memory() {
    if (check_.out_of_memory == 0) return;
    const LogEvent* event = last_event(run_.log, LogEvent::Kind::kOutOfMemory);
    std::string words = "Out of memory" + (event != nullptr ? " " + place_of(*event, false) : std::string());
    if (run_.expected.memory && run_.expected.usable)
      words += "; planned: " + gib(run_.expected.memory->p50.value) + " (at most " +
               gib(run_.expected.memory->p90.value) + ", P90) of " + gib(run_.expected.usable->value);
    words += ".";
    if (run_.expected.memory && run_.expected.usable && run_.expected.memory->p90 < *run_.expected.usable)
      words +=
          " It should have fit. Check micro-batch and sequence length against the plan, and other processes on the "
          "GPU.";
    for (const MemoryTrial& trial : trials_) words += " " + trial_words(trial);
    if (std::ranges::none_of(trials_, &MemoryTrial::found))
      words += run_.expected.micro_batch > 1
                   ? " Halve the micro-batch (" + count_text(run_.expected.micro_batch) +
                         " now) and double gradient accumulation."
                   : " Use full activation checkpointing (recompute: full), or more or larger GPUs.";
    say(Ailment::kOutOfMemory, words);
  }

  std::string trial_words(const MemoryTrial& trial) const {
    if (!trial.found)
      return upper(trial.change) + ": no plan found with the same framework, parallelism and sharding (" +
             run_.expected.strategy + ").";
    std::string words = upper(trial.change) + " takes " + gib(trial.memory.value);
    if (run_.expected.memory) {
      const double less = 1 - trial.memory / run_.expected.memory->p50;
      if (less > 0) words += " (" + share_text(less) + " less)";
    }
    words += " and " + to_text(trial.hours);
    if (run_.expected.hours.p50 > Seconds{})
      words += ", " + fixed_text(trial.hours / run_.expected.hours.p50, 2) + "x the time";
    words += trial.fits ? "" : "; it may still not fit";
    return words + ": --set " + trial.setting + ".";
  }

  static std::string upper(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }

  void loss() {
    if (check_.bad_losses > 0) {
      const auto first = std::ranges::find(run_.log.events, LogEvent::Kind::kNotFinite, &LogEvent::kind);
      std::string words = count_text(static_cast<double>(check_.bad_losses)) + " values of the loss are not finite";
      if (first != run_.log.events.end()) words += ", the first " + place_of(*first, false) + " (" + first->text + ")";
      say(Ailment::kNotFinite, words +
                                   ". Halve the learning rate, clip gradients at 1.0, and restart from a checkpoint "
                                   "before that line; in fp16, use loss scaling or bf16.");
    }
    skipped_steps();
    if (!check_.loss || !check_.loss->fall) return;
    const Fall& fall = *check_.loss->fall;
    if (fall.spikes > 0)
      say(Ailment::kSpikes, "The loss jumps: " + count_text(static_cast<double>(fall.spikes)) +
                                (fall.spikes == 1 ? " spike" : " spikes") + ", the largest to " +
                                significant_text(fall.worst, 2) + "x the running median " + where(fall.worst_at) +
                                ". Halve the learning rate or use a longer warm-up, and check the data of that step.");
    if (fall.finite && !fall.falls())
      say(Ailment::kNotFalling,
          "The loss does not fall: " + significant_text(fall.first, 4) + " to " + significant_text(fall.last, 4) +
              " (medians of the first and last part). Check data and labels, then try a tenth of the learning rate.");
  }

  /// The scale of the loss is looked for at the start and now and then: some steps of fp16 are skipped in any run.
  void skipped_steps() {
    constexpr double kSearch = 40, kMany = 0.02;
    const double skipped = run_.log.skipped_steps, steps = check_.steps.value_or(0);
    if (skipped <= kSearch || skipped < kMany * steps) return;
    say(Ailment::kSkippedSteps, count_text(skipped) + " of " + count_text(steps) +
                                    " steps were skipped because gradients were not finite. Train in bf16, or halve "
                                    "the learning rate and restart from a checkpoint before the first of them.");
  }

  void goals() {
    if (!check_.reasons.empty() || !check_.contradictions.empty()) return;  // it ended before its goals
    for (const Judgement& one : check_.conditions) {
      if (one.holds != Holds::kNo || !one.missed_by || one.name.empty()) continue;
      if (one.name == "grad_norm") {
        say(Ailment::kGradients, "Gradient norms are too " + std::string(one.below ? "low" : "high") + " (" +
                                     one.condition + "; missed by " + share_text(*one.missed_by) + "). " +
                                     (one.below ? "Check that all layers get gradients, or raise the learning rate."
                                                : "Halve the learning rate and clip gradients."));
        continue;
      }
      if (is_target(one.name)) {
        off_target(one);
        continue;
      }
      if (one.name == "throughput" || one.name == "step_time" || one.name == "memory" || one.name == "gpu_busy")
        continue;
      if (check_.verdict == Verdict::kRunning && will_come(one)) continue;
      std::string words = upper(printable(one.name, 60)) + " is too " + (one.below ? "low" : "high") + " (" +
                          one.condition + "; missed by " + share_text(*one.missed_by) + "). ";
      if (one.more_steps && *one.more_steps < kFarAway * std::max(check_.steps.value_or(0), 1.0))
        words += "At the rate of the last half of the log it needs about " + count_text(round_steps(*one.more_steps)) +
                 " more steps.";
      else
        words += "It stopped improving in the last half of the log. Halve the learning rate before you train longer.";
      say(Ailment::kShortOfGoal, words);
    }
  }

  /// Of a server: what moves it is how many requests it has at once.
  void off_target(const Judgement& one) {
    const bool first = one.name == "time_to_first_token";
    say(Ailment::kShortOfGoal,
        one.words + ", the target is missed by " + share_text(*one.missed_by) + ". " +
            (one.below ? "Let more requests in at once, or add replicas."
                       : "Let fewer requests in at once (--max-num-seqs) and add replicas for the rest, or plan again "
                         "with more tensor parallelism or smaller weights" +
                             std::string(first ? "; prompts that wait for others count too." : ".")));
  }

  /// By the end of the run, as it goes on.
  bool will_come(const Judgement& one) const {
    return one.more_steps && check_.steps && *one.more_steps <= check_.planned_steps - *check_.steps;
  }

  static constexpr double kFarAway = 10;  ///< runs as long as this one: no hope by waiting

  static double round_steps(double steps) {
    const double ten = std::pow(10.0, std::floor(std::log10(std::max(steps, 1.0))) - 1);
    return ten > 1 ? std::ceil(steps / ten) * ten : std::ceil(steps);
  }

  void speed() {
    // The sentence is about the figure that it names: logs count tokens in ways of their own.
    const RunFigure* rate = check_.figure(Measured::kStepTime);
    if (rate == nullptr || rate->agreement() == Agreement::kNoPrediction) rate = check_.figure(Measured::kThroughput);
    if (rate == nullptr) return;
    const bool rates = rate->what == Measured::kThroughput;
    if (rate->agreement() != (rates ? Agreement::kBelow : Agreement::kAbove)) return;
    const double times = rates ? 1 / *rate->ratio() : *rate->ratio();
    if (run_.log.rewards && generates()) {
      say(Ailment::kSlow,
          (rates ? "Throughput is " + fixed_text(*rate->ratio(), 2) : "Steps take " + fixed_text(times, 2)) +
              "x the prediction, which is of training alone: answers that are generated and judged "
              "within a step take time that is not planned. How much it is stands in the program's own "
              "times of generation.");
      return;
    }
    const std::string words = rates ? "Slow: throughput is " + fixed_text(*rate->ratio(), 2) + "x the prediction. "
                                    : "Slow: steps take " + fixed_text(times, 2) + "x the prediction. ";
    say(Ailment::kSlow, words + cause(times, *rate));
    smaller_than_planned();
  }

  /// Preferences that are there already (DPO) are only learnt.
  bool generates() const {
    const auto* train = std::get_if<TrainPhase>(&run_.phase.work);
    return train == nullptr || train->objective == Objective::kNextToken;
  }

  /// Which term is off, as far as the log shows it.
  std::string cause(double times, const RunFigure& rate) const {
    if (std::holds_alternative<GeneratePhase>(run_.phase.work)) return slow_generation_words(run_.log);
    constexpr double kPrecision = 1.8;
    const RunFigure* busy = check_.figure(Measured::kGpuBusy);
    if (busy != nullptr && busy->value < kBusyGpu)
      return "GPU utilization is " + share_text(busy->value) +
             ": the GPUs wait for data or the CPU. Try more dataloader workers, data on local disk, torch.compile.";
    if (rate.low && rate.high && *rate.low > 0 && *rate.high / *rate.low > kSteadySteps)
      return "Step times vary " + fixed_text(*rate.high / *rate.low, 2) +
             "x (P10–P90): data loading, evaluation inside steps, or a shared machine. Add an nvidia-smi log to tell.";
    std::string words =
        busy != nullptr ? "GPU utilization is " + share_text(busy->value) + " (waiting for other GPUs counts as busy). "
                        : "";
    if (times > kPrecision)
      words += "Usual causes: fp32 instead of bf16, unfused attention, no compile, thermal or power throttling.";
    else if (run_.expected.gpus > 1)
      words +=
          "All steps are equally slow: check GPU communication first (NCCL_DEBUG=INFO shows the links used), then "
          "precision, attention and compile.";
    else
      words +=
          "All steps are equally slow: check precision, the attention kernel and compile, then clocks (nvidia-smi -q "
          "-d PERFORMANCE).";
    return words;
  }

  void smaller_than_planned() {
    for (const Measured what : {Measured::kAllocated, Measured::kReserved, Measured::kDevice}) {
      const RunFigure* figure = check_.figure(what);
      if (figure == nullptr || !figure->ratio() || *figure->ratio() > kMemoryAsPlanned ||
          figure->agreement() != Agreement::kBelow)
        continue;
      std::string words = "It uses " + gib(figure->value) + ", planned were " + gib(figure->expected->p50) +
                          ": the micro-batch or the sequences may be smaller than in the plan";
      if (run_.expected.micro_batch > 0) words += " (micro-batch " + count_text(run_.expected.micro_batch) + ")";
      return say(Ailment::kSmallerThanPlanned, words + ".");
    }
  }

  void idle_gpus() {
    constexpr double kIdle = 0.05, kWorking = 0.3;
    std::vector<std::string> idle;
    bool any = false;
    for (const GpuUse& gpu : run_.log.gpus) {
      if (gpu.busy < kIdle) idle.push_back(printable(gpu.gpu, 20));
      any = any || gpu.busy > kWorking;
    }
    if (!any || idle.empty()) return;
    const auto seen = static_cast<double>(run_.log.gpus.size());
    const auto working = seen - static_cast<double>(idle.size());
    if (run_.expected.gpus > 0 && working >= run_.expected.gpus) return;  // the rest of a larger machine
    say(Ailment::kFewGpus, "GPU " + listed(idle) + " of " + count_text(seen) + " idle (below " + share_text(kIdle) +
                               " utilization); the plan uses " + count_text(run_.expected.gpus) +
                               ". Start with torchrun --nproc-per-node=" +
                               std::to_string(run_.expected.gpus / std::max(run_.expected.nodes, 1)) +
                               " and check CUDA_VISIBLE_DEVICES.");
  }

  void restarts() {
    if (run_.log.runs_before > 0)
      say(Ailment::kRestarts, "The log has " + count_text(run_.log.runs_before + 1) +
                                  " runs, one after the other: this is the last. Of the others give the lines of each "
                                  "as a file of its own.");
    if (check_.restarts == 0) return;
    say(Ailment::kRestarts, "Restarted " + count_text(static_cast<double>(check_.restarts)) +
                                (check_.restarts == 1 ? " time" : " times") + "; speeds are since the last restart.");
  }

  void finish() {
    if (!check_.projection || run_.expected.hours.p90 <= Seconds{}) return;
    const Projection& projection = *check_.projection;
    if (projection.hours.p50 <= run_.expected.hours.p90) return;
    std::string words = "At this pace the phase takes " + to_text(projection.hours.p50) + " instead of " +
                        to_text(run_.expected.hours.p50) + " (" + to_text(run_.expected.hours.p90) + " at P90)";
    if (run_.expected.cost.p50 > Dollars{})
      words += " and costs " + to_text(projection.cost.p50) + " instead of " + to_text(run_.expected.cost.p50);
    say(Ailment::kLate, words + ".");
  }

  const CheckedRun& run_;
  const RunCheck& check_;
  const std::vector<MemoryTrial>& trials_;
  std::vector<Advice> advice_;
};

}  // namespace

std::vector<Advice> diagnose(const CheckedRun& run, const RunCheck& check, const std::vector<MemoryTrial>& trials) {
  return Diagnosis(run, check, trials).advice();
}

}  // namespace gpuplan
