#include "evidence/check/serving_check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "base/amount.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kTargetFirst = "time_to_first_token", kTargetEach = "time_per_output_token",
                           kTargetRate = "tokens_per_second";

std::optional<Interval<double>> seconds_of(const std::optional<Interval<Seconds>>& range) {
  if (!range) return std::nullopt;
  return Interval<double>{range->p10.value, range->p50.value, range->p90.value};
}

std::string target_rate_words(double value) { return significant_text(value, 3) + " tokens/s"; }

/// `most`: the figure may be no more than the target, else no less.
struct TargetPart {
  std::string_view name, what;
  double value = 0, target = 0;
  bool most = true;
  std::string value_text{}, target_text{};
};

Judgement target_judged(const TargetPart& part) {
  Judgement one;
  one.name = part.name;
  one.condition = std::string(part.what) + (part.most ? " <= " : " >= ") + part.target_text + " (target)";
  const bool good = part.most ? part.value <= part.target : part.value >= part.target;
  one.holds = good ? Holds::kYes : Holds::kNo;
  one.words = std::string(part.what) + " is " + part.value_text;
  if (!good) {
    one.missed_by = std::abs(part.value - part.target) / part.target;
    one.below = !part.most;
  }
  return one;
}

}  // namespace

std::vector<RunFigure> latency_figures(const CheckedRun& run) {
  std::vector<RunFigure> figures;
  const auto add = [&](Measured what, const std::optional<Seconds>& measured,
                       const std::optional<Interval<Seconds>>& planned) {
    if (!measured) return;
    RunFigure figure{what, measured->value};
    figure.expected = seconds_of(planned);
    figures.push_back(figure);
  };
  add(Measured::kFirstToken, run.log.first_token, run.expected.first_token);
  add(Measured::kPerToken, run.log.per_token, run.expected.per_token);
  return figures;
}

std::vector<Judgement> judge_target(const CheckedRun& run, const std::vector<RunFigure>& figures) {
  const auto* generate = std::get_if<GeneratePhase>(&run.phase.work);
  if (generate == nullptr) return {};
  std::vector<Judgement> judgements;
  const auto figure = [&](Measured what) {
    const auto found = std::ranges::find(figures, what, &RunFigure::what);
    return found == figures.end() ? nullptr : &*found;
  };
  const auto time = [&](Measured what, const std::optional<Seconds>& target, std::string_view name,
                        std::string_view words) {
    const RunFigure* measured = figure(what);
    if (measured == nullptr || !target) return;
    judgements.push_back(target_judged({name, words, measured->value, target->value, true,
                                        to_text(Seconds{measured->value}) + " on average", to_text(*target)}));
  };
  const GenerationTarget& target = generate->target;
  if (const RunFigure* rate = figure(Measured::kThroughput); rate != nullptr && target.tokens_per_second)
    judgements.push_back(
        target_judged({kTargetRate, "throughput", rate->value, target.tokens_per_second->value, false,
                       target_rate_words(rate->value), target_rate_words(target.tokens_per_second->value)}));
  time(Measured::kFirstToken, target.time_to_first_token, kTargetFirst, "TTFT");
  time(Measured::kPerToken, target.time_per_output_token, kTargetEach, "TPOT");
  return judgements;
}

bool is_target(const std::string& name) { return name == kTargetFirst || name == kTargetEach || name == kTargetRate; }

std::string slow_generation_words(const RunLog& log) {
  const auto by = [&](LogFormat format) { return std::ranges::find(log.formats, format) != log.formats.end(); };
  if (!by(LogFormat::kVllm) && !by(LogFormat::kSglang))
    return "Compare with the plan: concurrent sequences, lengths of prompts and answers, and the format of the "
           "weights. "
           "Then look at the attention kernel, compile and the clocks (nvidia-smi -q -d PERFORMANCE).";
  return "Compare with the plan: requests at once (--max-concurrency of the benchmark, --max-num-seqs of the server), "
         "lengths of prompts and answers, format of the weights, --tensor-parallel-size and replicas. Then look for "
         "preemptions in the server's log (too little memory for the KV cache: --gpu-memory-utilization, "
         "--max-model-len), for --enforce-eager, which leaves out CUDA graphs, and at the clocks (nvidia-smi -q -d "
         "PERFORMANCE).";
}

}  // namespace gpuplan
