// What makes a plan the same plan tomorrow.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace gpuplan {

/// Hash of offers, machines and strategies: the same plan has the same one tomorrow, at other prices too.
std::uint64_t identity(const Plan& plan);

}  // namespace gpuplan
