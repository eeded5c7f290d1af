// How long the short answer is, and which remarks it makes. Rows of data/answer_constants.csv: judgements, each with
// its reason there.
#pragma once

#include <array>
#include <string_view>

#include "base/unset.h"

namespace gpuplan {

struct AnswerConstants {
  double rows = kUnset;               ///< plans in the table
  double lines = kUnset;              ///< of the whole answer, for one phase
  double lines_of_phases = kUnset;    ///< for several
  double remarks = kUnset;            ///< at most
  double old_price_days = kUnset;     ///< age from which prices are old
  double beside_shared = kUnset;      ///< share of the variance of time beside the work that all plans of a job share
  double price_drift = kUnset;        ///< standard deviation of the logarithm of a price on demand after a month
  double price_drift_spot = kUnset;   ///< the same of spot prices
  double own_drift_months = kUnset;   ///< of prices in the user's store that tell as much of it
  double own_spread_prices = kUnset;  ///< prices in the user's store that tell as much of a spread as its row
  double stale_run_days = kUnset;     ///< age from which it is said that own runs are old
  double setup_share = kUnset;        ///< share of the hours from which time beside the work is told
  double beside_machines_share = kUnset;  ///< share of the cost from which disks, and results sent out, are told
  double idle_share = kUnset;             ///< share of the cost from which idle machines are told
  double disk_a_gpu_tb = kUnset;          ///< TB of disk for each GPU, beyond which rented machines seldom have it
  double sensible_price = kUnset;         ///< times the value of an hour, at most and at least

  // How much a remark matters; the largest are made.
  double weight_limits = kUnset, weight_memory = kUnset, weight_disk = kUnset, weight_given = kUnset,
         weight_host = kUnset, weight_old_prices = kUnset, weight_software = kUnset, weight_regret = kUnset,
         weight_queue = kUnset, weight_setup = kUnset, weight_idle = kUnset, weight_faster = kUnset,
         weight_supply = kUnset, weight_spot = kUnset, weight_gates = kUnset, weight_assumed = kUnset,
         weight_variants = kUnset, weight_api = kUnset, weight_close = kUnset, weight_kept = kUnset,
         weight_long = kUnset, weight_model = kUnset;

  bool operator==(const AnswerConstants&) const = default;
};

/// A constant by its name in the table.
struct AnswerConstant {
  std::string_view name;
  double AnswerConstants::* field;
};

inline constexpr std::array kAnswerConstants = {
    AnswerConstant{"rows", &AnswerConstants::rows},
    AnswerConstant{"lines", &AnswerConstants::lines},
    AnswerConstant{"lines_of_phases", &AnswerConstants::lines_of_phases},
    AnswerConstant{"remarks", &AnswerConstants::remarks},
    AnswerConstant{"old_price_days", &AnswerConstants::old_price_days},
    AnswerConstant{"beside_shared", &AnswerConstants::beside_shared},
    AnswerConstant{"setup_share", &AnswerConstants::setup_share},
    AnswerConstant{"beside_machines_share", &AnswerConstants::beside_machines_share},
    AnswerConstant{"disk_a_gpu_tb", &AnswerConstants::disk_a_gpu_tb},
    AnswerConstant{"sensible_price", &AnswerConstants::sensible_price},
    AnswerConstant{"weight_limits", &AnswerConstants::weight_limits},
    AnswerConstant{"weight_long", &AnswerConstants::weight_long},
    AnswerConstant{"weight_model", &AnswerConstants::weight_model},
    AnswerConstant{"weight_memory", &AnswerConstants::weight_memory},
    AnswerConstant{"weight_disk", &AnswerConstants::weight_disk},
    AnswerConstant{"weight_given", &AnswerConstants::weight_given},
    AnswerConstant{"weight_host", &AnswerConstants::weight_host},
    AnswerConstant{"weight_old_prices", &AnswerConstants::weight_old_prices},
    AnswerConstant{"weight_software", &AnswerConstants::weight_software},
    AnswerConstant{"weight_regret", &AnswerConstants::weight_regret},
    AnswerConstant{"weight_queue", &AnswerConstants::weight_queue},
    AnswerConstant{"weight_setup", &AnswerConstants::weight_setup},
    AnswerConstant{"weight_idle", &AnswerConstants::weight_idle},
    AnswerConstant{"weight_faster", &AnswerConstants::weight_faster},
    AnswerConstant{"weight_api", &AnswerConstants::weight_api},
    AnswerConstant{"weight_supply", &AnswerConstants::weight_supply},
    AnswerConstant{"weight_spot", &AnswerConstants::weight_spot},
    AnswerConstant{"weight_gates", &AnswerConstants::weight_gates},
    AnswerConstant{"weight_assumed", &AnswerConstants::weight_assumed},
    AnswerConstant{"weight_variants", &AnswerConstants::weight_variants},
    AnswerConstant{"weight_close", &AnswerConstants::weight_close},
    AnswerConstant{"weight_kept", &AnswerConstants::weight_kept},
    AnswerConstant{"idle_share", &AnswerConstants::idle_share},
    AnswerConstant{"price_drift", &AnswerConstants::price_drift},
    AnswerConstant{"price_drift_spot", &AnswerConstants::price_drift_spot},
    AnswerConstant{"own_drift_months", &AnswerConstants::own_drift_months},
    AnswerConstant{"own_spread_prices", &AnswerConstants::own_spread_prices},
    AnswerConstant{"stale_run_days", &AnswerConstants::stale_run_days},
};

}  // namespace gpuplan
