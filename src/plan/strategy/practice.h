// What people who train models do: which ways of cutting work they reach for first, and how much a harder one has to
// promise before they take it. The time model can not tell ways apart that differ by a few percent, and knows nothing
// of the days that a harder set-up costs. The factors are rows of data/practice_constants.csv.
#pragma once

#include <string_view>
#include <vector>

#include "domain/facts/framework.h"
#include "domain/facts/practice_constants.h"
#include "domain/hardware/hardware.h"
#include "domain/work/job.h"
#include "domain/work/strategy.h"
#include "model/training/training.h"

namespace gpuplan {

struct PhaseEstimate;

/// What practice has to say beside the strategy itself.
struct Habit {
  double framework = 1;  ///< framework_care(): at least 1; 1 where the job names it
  double params = 0;     ///< of the networks: small ones are not cut; 0: not known
  bool odd = false;      ///< nobody thinks of it for such fine-tuning: cuts in it ask for the more
  double counted = 1;    ///< counted_care()
};

/// Share of what ways ask for that counts where a job has such a goal. Who asks for dollars or hours alone pays for
/// them with work: what is left is what the model can not tell apart.
double counted_care(Goal goal);

/// What kind of training it is: asked of once for all frameworks.
struct TrainingKind {
  StartFrom start = StartFrom::kWeights;  ///< start_from()
  double pretraining = 0;                 ///< pretraining_share()
};
TrainingKind kind_of(const PracticeConstants& practice, const TrainingWork& work);

/// Whether a framework is taken for such a method unless it is named.
bool left_open(const Framework& framework, Method method);
/// Whether it would go on training with samples that it joins to full sequences: they have to be made beforehand,
/// prompts are learnt too, and samples see each other. Left open, nobody takes it where anything else fits.
bool joins_samples(const Framework& framework, const TrainPhase& train, StartFrom start);
/// Whether people think of a framework for such work; others they take where it pays.
bool thought_of(const Framework& framework, const TrainPhase& train, const TrainingKind& kind);
bool thought_of(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work);

/// How people see a framework that the job leaves open, with framework_care() over the least of all.
Habit habit_of(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work, double care,
               double counted = 1);

/// How much faster than one that people would take first a framework must be for such work on so many machines. What it
/// is for fine-tuning goes over to what it is for pretraining as tokens grow; what pretraining asks for fades with
/// parameters x machines where the framework is `eased_by` them. `other_framework` for one that is not thought of, and
/// more for one without scripts, which counts whatever is asked for: a plan is there to be run.
double framework_care(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work,
                      const TrainingKind& kind, int nodes, double counted = 1);
double framework_care(const PracticeConstants& practice, const Framework& framework, const TrainingWork& work,
                      int nodes, double counted = 1);

/// How far training is pretraining rather than fine-tuning, 0 to 1: 1 from scratch, 0 for adapters, for further
/// training of all weights by its tokens.
double pretraining_share(const PracticeConstants& practice, const TrainingWork& work);

/// Whether it is more of that than of fine-tuning.
bool mostly_pretraining(const PracticeConstants& practice, const TrainingWork& work);

/// Whether training begins with weights that somebody published, or from scratch: as the job says, else adapters and
/// frozen networks always do. Of others, shapes that the job writes speak for a start from scratch, and so do corpora
/// of many tokens a parameter.
StartFrom start_from(const PracticeConstants& practice, const TrainingWork& work);

/// What a way asks for beside its time.
struct Care {
  double setup = 1;   ///< in a run that is not long a plainer way that fits may take so many times as long
  double later = 0;   ///< what the hours of a long one beyond that count as in addition, a share of them
  double points = 1;  ///< weight_of_points(): decides between equally fast ways
};
Care care_of(const PracticeConstants& practice, const Strategy& strategy, const NodeShape& node, const Habit& habit);

/// Times with the care that they take. Setting up is work that people do once: in short runs it counts as a share of
/// the time, in long ones as what so many people's hours are worth beside the GPUs' and one's own that the run takes.
class Weighing {
 public:
  Weighing(const PracticeConstants& practice, double gpus);
  /// Grows with the time; never below it.
  Seconds operator()(Seconds time, const Care& care) const {
    const Seconds asked = time < full_ ? time * care.setup : full_ * care.setup + (time - full_) * (1 + care.later);
    return asked * care.points;
  }

 private:
  Seconds full_;  ///< up to so long the share counts
};

/// The product of what cuts, shards, offload and framework ask for (at least 1).
double complexity_penalty(const PracticeConstants& practice, const Strategy& strategy, const NodeShape& node,
                          const Habit& habit);

/// What it is the product of, but for the bounds: rows of data/practice_constants.csv by name, and "framework".
struct CareFactor {
  std::string_view name;
  double value = 1;
  bool operator==(const CareFactor&) const = default;
};
std::vector<CareFactor> complexity_factors(const PracticeConstants& practice, const Strategy& strategy,
                                           const NodeShape& node, const Habit& habit);

/// How much a person has to understand to run it: decides between ways that are equally fast.
int complexity(const Strategy& strategy);
/// More points than any strategy has.
inline constexpr int kMostPoints = 20;
/// What so many points make a strategy look longer by.
double weight_of_points(const PracticeConstants& practice, int points);
/// The most that cuts in a framework that people think of for some work ask for.
Care most_care(const PracticeConstants& practice);

// What people who fine-tune all weights take where AdamW with fp32 states has no room on the GPUs, rather than wait for
// host memory: 8-bit states, and weights in bf16 without an fp32 copy.

/// Whether a job leaves that open: training of all weights of a published network in bf16 that states no formats, and
/// no optimizer but 8-bit AdamW.
bool may_be_lighter(const PracticeConstants& practice, const TrainingWork& work, Precision precision);
/// The same training so.
TrainPhase lighter(TrainPhase train);
/// How many times as fast that must be, with care, where what is asked for fits: 1 in fine-tuning, growing to the most
/// that anything asks for the more of the run is pretraining, which lives with its formats for longer.
double lighter_asks(const PracticeConstants& practice, const TrainingWork& work);
/// The training as the estimate runs it.
TrainPhase as_run(const TrainPhase& train, const PhaseEstimate& estimate);

/// Sold with one memory and another.
bool same_chip(const Gpu& one, const Gpu& other);

/// True when tensor-parallel ranks of a machine talk over its own fast links (NVLink, xGMI and the like) and not over
/// PCIe.
bool fast_links(const NodeShape& node);

}  // namespace gpuplan
