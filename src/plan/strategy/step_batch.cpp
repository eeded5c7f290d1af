#include "plan/strategy/step_batch.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/math.h"

namespace gpuplan {

namespace {

/// A batch beyond this is a slip of the pen; multiples are looked for below it.
constexpr double kMostRounded = 1e9;

double power_of_two(double about) { return math::exp2(std::floor(math::log2(std::max(about, 1.0)) + 0.5)); }
double power_of_two_below(double most) {
  double power = 1;
  while (power * 2 <= most) power *= 2;
  return power;
}

int twos(std::int64_t number) {
  int count = 0;
  for (; number % 2 == 0; number /= 2) ++count;
  return count;
}

/// The multiple of `ranks` within a share of the batch that halves most often, so that micro-batches have a choice; of
/// those the nearest. 0: there is none.
double multiple_near(double batch, int ranks, double share) {
  const auto first = static_cast<std::int64_t>(std::ceil(batch * (1 - share) / ranks));
  const auto last = static_cast<std::int64_t>(std::floor(batch * (1 + share) / ranks));
  double best = 0;
  int halves = -1;
  // Far more multiples than that are all as good.
  for (std::int64_t each = std::max<std::int64_t>(first, 1); each <= last && each < first + 4096; ++each) {
    const double sequences = static_cast<double>(each) * ranks;
    const int often = std::min(twos(each), 4);
    const bool nearer = std::abs(sequences - batch) < std::abs(best - batch);
    if (often > halves || (often == halves && nearer)) {
      best = sequences;
      halves = often;
    }
  }
  return best;
}

}  // namespace

double usual_batch(const PracticeConstants& practice, const TrainingWork& work) {
  if (work.custom || !(work.sequence > 0)) return 0;
  const double steps = practice.pretrain_steps;
  const bool all = work.phase->method == Method::kFull;
  double batch = 0;
  if (all) {
    const double size = math::exp(practice.batch_growth * math::log(work.params / practice.batch_params));
    const double tokens = std::min(practice.batch_tokens * size, practice.batch_tokens_most);
    const double most = std::max(tokens / work.sequence, practice.tune_sequences);
    batch = std::clamp(work.sequences_total / steps, practice.tune_sequences, most);
  } else {
    const double least = std::min(practice.adapter_sequences * std::max(1.0, work.params / practice.adapter_params),
                                  practice.tune_sequences);
    batch = std::clamp(work.sequences_total / steps, least, practice.tune_sequences);
  }
  // A run of few steps learns little.
  const double most = std::max(1.0, work.sequences_total / practice.tune_steps);
  return batch <= most ? power_of_two(batch) : power_of_two_below(most);
}

StepBatch step_batch(const PracticeConstants& practice, const TrainingWork& work, const TrainPhase& phase,
                     const std::string& gpu, int gpus) {
  StepBatch result;
  if (const auto by_gpu = phase.batch_by_gpu.on(gpu, gpus)) {
    result.sequences = result.wanted = *by_gpu;
    return result;
  }
  result.sequences = result.wanted = work.batch;
  double slack = 0;
  int micro = 1;
  bool exact = true;
  if (work.batch > 0) {
    if (phase.batch && phase.batch->tokens) {
      slack = practice.batch_slack_most;
      // 1M tokens are 488.28 sequences of 2,048: nobody means 8 x 61.
      exact = std::fmod(phase.batch->tokens->value, work.sequence) == 0;
    }
  } else if (!phase.accumulate.on(gpu, gpus)) {
    // A micro-batch says how a step is done, not how much is learned in it: that stays the usual, unless several
    // sequences for each GPU are more.
    micro = phase.micro.on(gpu, gpus).value_or(1);
    double usual = usual_batch(practice, work);
    if (usual > 0 && micro > 1) usual = std::max(usual, static_cast<double>(micro) * gpus);
    result.sequences = result.wanted = usual;
    result.usual = true;
    slack = practice.usual_slack;
  }
  if (!(slack > 0) || !(result.wanted > 0) || result.wanted > kMostRounded) return result;
  // Near first: what is stated exactly stays as it is where the GPUs divide it.
  const double near = std::min(slack, practice.batch_slack);
  for (int ranks = gpus; ranks >= 1; ranks = ranks % 2 == 0 ? ranks / 2 : 0) {
    for (const double share : {0.0, near, slack}) {
      if (share == 0 && !exact) continue;
      const double found = multiple_near(result.wanted / micro, ranks, share) * micro;
      if (!(found > 0)) continue;
      result.sequences = found;
      return result;
    }
  }
  return result;
}

int fewer_gpus(const StepBatch& batch, int gpus) {
  const int half = gpus / 2;
  if (batch.sequences > 0 && batch.sequences <= kMostRounded)
    for (int fewer = gpus - 1; fewer > half; --fewer)
      if (std::fmod(batch.sequences, fewer) == 0) return fewer;
  return half;
}

}  // namespace gpuplan
