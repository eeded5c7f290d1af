#include "plan/notes/guesses.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/amount.h"
#include "base/text.h"
#include "plan/capacity/largest_batch.h"

namespace gpuplan {

namespace {

constexpr double kMatters = 0.1;

/// A guess as completion makes it, and what else is usual.
struct Open {
  std::string_view key;
  bool ModelShape::* guessed;
  int ModelShape::* value;
  /// The other values, smallest first.
  std::vector<double> (*others)(const ModelShape&);
};

constexpr Open kOpen[] = {
    // Bytes; the tables of Qwen2.5 and of Gemma are the largest in wide use.
    {"vocab", &ModelShape::vocab_guessed, &ModelShape::vocab,
     [](const ModelShape&) { return std::vector<double>{256, 152'064, 262'144}; }},
    // Heads of 128 in place of 64, and the other way round.
    {"heads", &ModelShape::heads_guessed, &ModelShape::heads,
     [](const ModelShape& shape) { return std::vector<double>{std::max(1.0, shape.heads / 2.0), shape.heads * 2.0}; }},
    // From two to six widths: narrow MLPs of early models, wide ones with three matrices.
    {"ffn", &ModelShape::ffn_guessed, &ModelShape::ffn,
     [](const ModelShape& shape) { return std::vector<double>{2.0 * shape.hidden, 6.0 * shape.hidden}; }},
};

/// The shape with another value in place of a guess, and as many parameters as the user said; nullopt when it can not
/// have so few.
std::optional<ModelShape> with(const ModelShape& shape, const Open& open, double value) {
  ModelShape other = shape;
  other.*open.value = static_cast<int>(value);
  if (open.value == &ModelShape::heads) {
    const bool all = shape.kv_heads == shape.heads;
    other.head_dim = std::max(1, shape.hidden / other.heads);
    if (all) other.kv_heads = other.heads;
  }
  if (!contradiction(other).empty()) return std::nullopt;
  if (shape.published > 0) {
    other.extra = 0;
    const double missing = shape.published - count_parameters(other).total();
    if (missing < -0.01 * shape.published) return std::nullopt;
    other.extra = std::max(0.0, missing);
  }
  return other;
}

/// The phase run as the plan runs it, whatever its own figures say.
std::optional<PhaseEstimate> as_planned(Job job, const Catalogue& catalogue, const PhasePlan& part) {
  const PhaseEstimate& best = part.estimate;
  Phase& phase = job.phases[static_cast<std::size_t>(best.phase)];
  if (auto* train = std::get_if<TrainPhase>(&phase.work)) train->recompute = {best.strategy.recompute, {}};
  const Machines machines{.node = *best.node, .nodes = best.nodes, .gpus = best.gpus};
  OpenBatch open(std::move(job), best.phase, catalogue, machines, best);
  return open.with(best.strategy.micro_batch);
}

}  // namespace

std::vector<Guess> guesses_that_matter(const Job& job, const Catalogue& catalogue, const Plan& plan) {
  std::vector<Guess> found;
  Job changed = job;  // one guess at a time, and back
  for (const PhasePlan& part : plan.phases) {
    const auto at = static_cast<std::size_t>(part.estimate->phase);
    std::vector<ModelUse>* models = models_of(changed.phases[at]);
    if (models == nullptr || !part.estimate->node || part.estimate->framework == nullptr) continue;
    const auto open_in = [](const ModelUse& use) {
      return !use.custom && (use.shape.vocab_guessed || use.shape.heads_guessed || use.shape.ffn_guessed);
    };
    if (std::ranges::none_of(*models, open_in)) continue;
    const auto base = as_planned(job, catalogue, part);
    if (!base || base->memory_total.p50 <= Bytes{} || base->work_by_model <= Seconds{}) continue;
    for (const Open& open : kOpen) {
      std::optional<Guess> most;
      double moved = kMatters;
      for (ModelUse& use : *models) {
        if (use.custom || !(use.shape.*open.guessed)) continue;
        const ModelShape kept = use.shape;
        for (const double value : open.others(kept)) {
          const auto other = with(kept, open, value);
          if (!other) continue;
          use.shape = *other;
          const auto estimate = as_planned(changed, catalogue, part);
          use.shape = kept;
          Guess guess{part.estimate->phase,
                      open.key,
                      static_cast<double>(kept.*open.value),
                      value,
                      base->memory_total.p50,
                      {},
                      1};
          double by = 1;  // it does not fit any more
          if (estimate) {
            guess.other_memory = estimate->memory_total.p50;
            by = std::abs(guess.other_memory / guess.memory - 1);
            if (part.estimate->evidence != Evidence::kGiven) {
              guess.time = estimate->work_by_model / base->work_by_model;
              by = std::max(by, std::abs(guess.time - 1));
            }
          }
          if (by <= moved) continue;
          moved = by;
          most = guess;
        }
      }
      if (most) found.push_back(*most);
    }
  }
  return found;
}

std::string guess_words(const Job& job, const Guess& guess) {
  const auto gib = [](Bytes size) { return significant_text(size / units::GiB, size >= 10 * units::GiB ? 3 : 2); };
  std::string text = "phases." + job.phases[static_cast<std::size_t>(guess.phase)].name + ": model." +
                     std::string(guess.key) + " is " + count_text(guess.taken) +
                     ", a guess from the model in the job; with " + count_text(guess.other) + " the phase ";
  if (guess.other_memory <= Bytes{}) {
    text += "would not fit as planned";
  } else {
    // What stays within a hundredth is no news.
    const bool memory = std::abs(guess.other_memory / guess.memory - 1) > 0.01;
    const bool time = std::abs(guess.time - 1) > 0.01;
    if (memory) text += "would need " + gib(guess.other_memory) + " instead of " + gib(guess.memory) + " GiB per GPU";
    if (time) text += std::string(memory ? " and" : "would") + " take " + significant_text(guess.time, 2) + "x as long";
  }
  return text + ".";
}

}  // namespace gpuplan
