// GPU-hours of a plan, phase by phase: what is used, what is paid for, and what fills the difference.
#pragma once

#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Medians. Used and billed are GPU-hours.
struct LedgerLine {
  double used = 0, billed = 0;
  Dollars cost{};
};

struct Ledger {
  std::vector<LedgerLine> phases;  ///< in the plan's order, buffer inside
  LedgerLine subtotal;             ///< sum of the phases
  LedgerLine idle;                 ///< machines held while no phase uses them, and what billing rounds up
  LedgerLine total;                ///< subtotal + idle: the plan's own figures
  LedgerLine buffer;               ///< the part of the subtotal that the job's `buffer` adds
  double machine_hours = 0;        ///< of whole rented machines; 0: nothing is rented

  double utilisation() const { return total.billed > 0 ? total.used / total.billed : 0; }
};

/// Costs are those of the plan's phases and its idle time, cent by cent.
Ledger ledger_of(const Job& job, const Plan& plan);

/// A stretch of the whole job in which nothing begins or ends: the ledger's line for these hours. Medians, buffer
/// inside.
struct Stretch {
  Seconds from{}, to{};
  std::vector<int> phases{};      ///< positions in the plan of those that run, on the user's own machine too
  std::vector<int> leases{};      ///< positions among the plan's
  std::vector<Dollars> shares{};  ///< of the cost, by lease
  int used = 0, billed = 0;       ///< GPUs
  Dollars cost{};  ///< of the phases that run: their costs by the machine time each takes of it; and idle time
  Dollars idle{};  ///< the part of it for GPUs that nothing uses
  Seconds length() const { return to - from; }
};

struct StretchLedger {
  std::vector<Lease> leases;
  std::vector<Stretch> stretches;  ///< in order of time, from the start of the job to its end, without holes
  Dollars beyond{};                ///< billed beyond the last use: minimums, whole blocks, committed terms
  double beyond_gpu_hours = 0;
  Dollars idle{};  ///< of all stretches
  Seconds held{};  ///< machines are held, at least one
};

/// Costs of the stretches and `beyond` add up to the plan's median cost, and those of the stretches in which a phase is
/// alone on its machines to the phase's.
StretchLedger stretch_ledger(const Job& job, const Plan& plan);

/// A stretch of time in which a set of phases runs, by the medians of a plan and with the job's buffer.
struct Spell {
  Seconds from{}, to{};
  std::vector<int> phases;  ///< positions in the plan; empty: nothing runs that holds the machine
  int gpus = 0;             ///< used
  Seconds length() const { return to - from; }
};

/// The time between the first and the last use of the machines, cut wherever a phase begins or ends. Phases that run on
/// the user's own machine are in none of them.
std::vector<Spell> spells_of(const Plan& plan);

/// When a phase ends, by the medians and with the job's buffer.
Seconds end_of(const PhasePlan& part);

/// Most GPUs in use at an instant.
int peak_gpus(const std::vector<Spell>& spells);

}  // namespace gpuplan
