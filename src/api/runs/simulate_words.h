// What a simulation is asked beside its job, in words: the flags of `gpuplan simulate`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/amount.h"
#include "base/result.h"
#include "base/units.h"
#include "domain/work/job.h"
#include "input/question/sketch.h"

namespace gpuplan::api {

/// Empty and 0: not said.
struct SimulateWords {
  std::vector<std::string> policies{};  ///< names, or "all"
  std::string plan{};                   ///< id; empty: the pick
  std::string work{}, on_demand_price{}, spot_price{}, checkpoint{};
  std::string restart{}, notice{}, wait{}, interval{};
  int machines = 0, trials = 0, slices = 0;
};

/// A flag whose value is an amount.
struct SpotFlag {
  std::string_view name;  ///< "--spot-price"
  std::string SimulateWords::* text;
};
std::span<const SpotFlag> spot_flags();

struct SpotTimes {
  Seconds checkpoint{}, restart{}, notice{}, wait{}, interval{};  ///< 0: not said
};

/// Work and prices that stand in the place of a job.
struct WorkTerms {
  Interval<double> work{};        ///< seconds
  Interval<double> spot_price{};  ///< dollars a second, of all machines
  std::optional<Interval<double>> on_demand_price{};
  std::optional<Interval<double>> rate{};  ///< interruptions a second; there is one or a trace
  std::optional<Interval<double>> value_of_time{};
  SpotTimes times{};
  Seconds deadline{};  ///< 0: none
  Goal goal = Goal::kCheapest;
};

/// Usage errors for values that can not be read and for flags that a job answers itself.
Result<SpotTimes> read_job_times(const SimulateWords& words);
/// The same where `words.work` stands for the job; `traced`: a trace says how machines come and go. Deadline, goal and
/// the rest are those of `wishes`.
Result<WorkTerms> read_work_terms(const SimulateWords& words, const Wishes& wishes, bool traced);

/// All that is wrong with the words themselves, before a file is opened; `job` is its name, empty: there is none.
Result<void> check_words(const SimulateWords& words, const std::string& job, const Sketch& sketch, const Wishes& wishes,
                         bool traced);

}  // namespace gpuplan::api
