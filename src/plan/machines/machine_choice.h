// Which machines each phase of a job runs on: every schedule that no other beats in both time and cost.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "base/units.h"
#include "domain/market/offer.h"
#include "plan/machines/series_parallel.h"

namespace gpuplan {

/// Machines of an offer as the choice among them sees them.
struct MachineTerms {
  DollarsPerSecond price{};  ///< of all of them
  Billing billing;
  int gpus = 1;
  bool side_by_side = true;  ///< two phases may each have such machines at one time (false: a pool is too small)
  std::vector<int> rooms{};  ///< what it takes its GPUs from that has only so many: a box, a pool, a quota
};

/// Time of a phase on machines that can not run it.
inline constexpr Seconds kNowhere{std::numeric_limits<double>::infinity()};

/// A phase as the choice sees it. Times and GPUs are by machine; kNowhere where it can not run.
struct Stage {
  std::vector<Seconds> times;  ///< one figure when it needs no machine
  std::vector<int> gpus;       ///< used; for stages that share machines
  std::vector<int> needs;      ///< positions of stages
  bool machine = true;
  // A stage that must run on the machines of one before it: that one lends, this one stays, those between hold.
  bool lends = false;  ///< its machines are held after it, whatever they cost
  bool stays = false;  ///< runs on the machines that are held when it begins
  bool holds = false;  ///< what is held when it begins is held after it
  /// What it costs there beside the machines, by machine; empty: nothing.
  std::vector<Dollars> dollars{};
  Dollars beside(int machine_used) const {
    return dollars.empty() ? Dollars{} : dollars[static_cast<std::size_t>(machine_used)];
  }
};

struct ChoiceProblem {
  std::vector<MachineTerms> machines;
  std::vector<int> rooms{};  ///< GPUs in each of them, whatever machines they are taken as
  std::vector<Stage> stages;
  bool keep = true;  ///< machines may be kept from phase to phase; false: only for stages that stay on them
};

/// Machines held for these stages, from the first to the last.
struct ChosenMachines {
  int machine = 0;
  std::vector<int> stages;

  friend bool operator==(const ChosenMachines&, const ChosenMachines&) = default;
};

/// Dynamic programming over the series-parallel order of the phases. A label is a time, the money paid so far, the
/// machines still held and how much of what is paid for them is left; labels that can not lead to a better end are
/// dropped, so the frontier of the ends is exact for these rules:
///  * each phase runs on machines taken for it, on machines held since a phase before it, or beside machines that are
///    kept idle for a later phase (one such machine at a time);
///  * phases side by side have machines of their own, or share one that is held while all of them run; of machines held
///    before a fork one branch may go on using them, or they wait for the join.
/// Above `most` labels in a step the ones that differ least in cost are left out, and above 32 kinds of machines held
/// at a fork only the cheapest go on: exact() says whether either happened.
class MachineChoice {
 public:
  struct Point {
    Seconds time{};
    Dollars cost{};
  };

  /// REQUIRES: `order` holds the stages of the problem. Both must outlive it.
  MachineChoice(const ChoiceProblem& problem, const Module& order, std::size_t most = 2000);

  /// By rising time and falling cost; empty when some phase can run nowhere.
  const std::vector<Point>& frontier() const { return points_; }
  /// How a point of the frontier is reached.
  std::vector<ChosenMachines> machines_of(std::size_t point) const;
  /// Largest share by which labels left out of one step may have made it dearer.
  double thinned() const { return thinned_; }
  /// Nothing was left out: no schedule within the rules beats the frontier.
  bool exact() const { return thinned_ == 0 && !cut_; }

 private:
  enum class Move { kNone, kFresh, kContinue, kBeside, kJoin, kAppend };
  /// Who goes on with the machines that are held when a step begins: the only or first of what it puts together, or of
  /// a join the second.
  enum class Heir { kNobody, kFirst, kSecond };
  /// How a label came about.
  struct Step {
    Move move = Move::kNone;
    int before = -1;            ///< step before it
    int machine = -1;           ///< kFresh, kContinue, kBeside
    int group = -1;             ///< stages it runs
    int a = -1, b = -1;         ///< kJoin: ends of two branches; kAppend: a
    Heir heir = Heir::kNobody;  ///< of what was held before it
    /// kJoin: what `a` holds is held at the end; kAppend: what was held before it is.
    bool keeps = false;
  };
  struct Label {
    Seconds time{};
    Dollars cost{};
    Seconds slack{};  ///< of the held machines: paid for and not used
    int step = -1;
  };
  /// A label not yet taken over.
  struct Candidate {
    Seconds time{};
    Dollars cost{};
    Seconds slack{};
    Step step;
  };
  using Labels = std::vector<Label>;
  using Candidates = std::vector<Candidate>;
  /// Labels by what is held: nothing, or a machine.
  struct Sets {
    bool go_on = false;        ///< the next stage goes on with what is held: letting it go is looked at elsewhere
    Labels released;           ///< nothing held; by rising time, falling cost
    std::vector<Labels> held;  ///< by machine
  };

  /// Labels that hold a machine when branches begin, with as much left of it.
  struct Fork {
    std::size_t machine;
    Seconds slack;
    Labels labels;
  };
  /// A run of stages on one machine.
  struct Block {
    std::vector<Seconds> times;  ///< by machine
    int group = 0;
    bool lends = false, stays = false, holds = false;
    std::vector<Dollars> dollars;  ///< by machine, beside what it costs
  };

  Sets solve(const Module& module, const Sets& start, bool apart);
  Sets run_stage(const Module& module, const Sets& start, bool apart);
  Sets run_block(const Block& block, const Sets& start, bool apart);
  Sets run_idle(Seconds time, int group, const Sets& start, bool holds, bool apart);
  Sets run_parallel(const Module& module, const Sets& start, bool apart);
  Sets run_branches(const Module& module, const Sets& start, bool holds, bool apart);
  Labels some_of(const Labels& labels, std::size_t most);
  std::vector<Fork> forks_of(const Sets& start);
  Labels side_by_side(const Labels& a, const Labels& b);
  Labels wait_for(int machine, const Labels& own, const Labels& others, Heir heir);
  std::vector<Seconds> shared_times(const Module& module) const;
  std::vector<Dollars> beside_machines(const std::vector<int>& stages) const;

  Sets nothing_held() const;
  Labels released(const Sets& sets);
  template <class T>
  std::vector<T> frontier_of(std::vector<T> all);
  Labels settle(const Candidates& candidates);
  Candidates unbeaten(int machine, Candidates candidates);
  Labels settle_held(int machine, Candidates candidates);
  bool worth_holding(int machine, const Candidate& candidate, const Labels& released) const;
  Sets taken(const Candidates& open, std::vector<Candidates>& held, bool must_hold, bool apart);
  Dollars worth_of_holding(int machine, Seconds slack) const;
  Dollars extension(int machine, Seconds slack, Seconds time, Seconds& left) const;
  void search(const Module& order);
  /// Whether so many labels were looked at that the search is begun again with less to look at.
  bool too_much() const { return looked_at_ > kMostLookedAt; }
  /// Machines that some schedule may take for a block: to hold them after it, and to let them go.
  struct Takers {
    std::vector<int> any, once;
  };
  Takers worth_taking(const Block& block, bool apart) const;
  /// Whether both may be held at one time.
  bool both_to_be_had(int one, int other) const;
  int step_of(const Step& step);
  int collect(int step, int inherited, std::vector<ChosenMachines>& held) const;

  const ChoiceProblem& problem_;
  std::size_t most_;            ///< labels in a set
  std::size_t most_in_blocks_;  ///< in one that holds a machine billed in blocks of time
  std::vector<Step> steps_;
  std::vector<std::vector<int>> groups_;  ///< stages that run as one
  std::vector<Point> points_;
  std::vector<int> ends_;                                  ///< steps of the points
  static constexpr std::size_t kMostLookedAt = 1'000'000;  ///< about a tenth of a second
  std::size_t looked_at_ = 0;
  std::vector<char> in_play_;      ///< by machine: may be taken
  bool keeps_ = true;              ///< machines may be kept from phase to phase
  std::vector<Seconds> shortest_;  ///< by machine: of the shortest stage that can run there
  double thinned_ = 0;
  bool cut_ = false;
};

}  // namespace gpuplan
