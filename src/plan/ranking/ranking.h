// How plans rank for what the job wants, how hard an offer is to get, and what a plan costs an hour.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// How easily an offer is had, best first. Read from the words of the market; own boxes are at hand.
enum class Availability { kCommon, kVaries, kUnknown, kRare, kVeryRare };
Availability availability_of(const Offer& offer);

/// Its host is said to be away for more than an hour of a day.
bool is_often_away(const Offer& offer);

/// Rare or worse, by the words of its offer, or of a host that is often away.
bool is_rare(const Plan& plan);

/// Its GPUs are not of NVIDIA: recipes and wheels are made for CUDA first.
bool is_other_stack(const Plan& plan);
/// Whether it trains in pure bf16 with 8-bit states where nobody asks for that.
bool is_lighter(const Plan& plan);

/// What a goal makes small: dollars, seconds until the result is there, GPUs, or dollars + value of time x hours; then
/// what decides between equals: seconds, or dollars where the goal is seconds; between as many GPUs dollars + value of
/// time x hours, then fewer different machines. Compare with others of the same job and goal only.
struct GoalKey {
  double first = 0, second = 0, third = 0, fourth = 0;
  auto operator<=>(const GoalKey&) const = default;
};
GoalKey goal_key(const Job& job, Goal goal, const Plan& plan);
/// The same of the job's own goal.
GoalKey goal_key(const Job& job, const Plan& plan);

/// Cost + value of an hour x hours until the result is there.
Dollars total_at(const Plan& plan, DollarsPerSecond value_of_time);

/// Date of the oldest price that it pays; empty where none has a date.
std::string_view oldest_price(const Plan& plan);

/// Offers that it takes machines of, whichever phase it is.
std::size_t offers_in(const Plan& plan);

/// Price of the whole plan while it runs, median: all machines, or the GPUs used of a pool or an own box; nullopt for
/// plans of several offers.
std::optional<DollarsPerSecond> price_of(const Plan& plan);
/// The same for one of its GPUs.
std::optional<DollarsPerSecond> price_of_gpu(const Plan& plan);

/// Median share of the usable memory that the fullest GPU needs; 0 when no GPU is used.
double memory_share(const Plan& plan);

}  // namespace gpuplan
