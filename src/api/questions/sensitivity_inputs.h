// Which amounts of a job a sensitivity moves, how far, and what they are called.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/job/address.h"
#include "input/job/amounts.h"

namespace gpuplan::api {

/// Numbers of GPUs and shapes of models are choices, `where` holds conditions: nobody doubts their values.
bool is_choice(const std::string& address);

/// Batches, and sequences of a batch counted in tokens, go by halves and doubles: what lies between does not divide.
bool goes_by_halves(const Tree& job, const std::string& address);

/// Ends of an amount: of its own range, else a share down and up, or half and double; nullopt when that is no change.
std::optional<std::pair<Amount, Amount>> ends_of(Amount amount, double by, bool halves = false);

/// The shortest address that tells what it is: "share" and "time" say nothing without what stands before them, and
/// positions of offers and figures nothing without the GPU.
std::string input_name(const Tree& job, const std::vector<JobPlace>& all, const std::string& address);

}  // namespace gpuplan::api
