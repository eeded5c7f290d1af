// Leases of a schedule that follow each other on like machines.
#pragma once

#include "plan/billing/bill.h"

namespace gpuplan {

/// Joins machines of one kind that are given back and taken again at once: one lease has the phases of both. Starts and
/// ends stay those of before.
void join_touching(JobSchedule& laid);

}  // namespace gpuplan
