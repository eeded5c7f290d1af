// What the user wants done: phases in order, a market, limits and preferences.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/shared.h"
#include "domain/hardware/hardware.h"
#include "domain/hardware/storage.h"
#include "domain/market/offer.h"
#include "domain/market/own_scatter.h"
#include "domain/market/own_terms.h"
#include "domain/work/phase.h"

namespace gpuplan {

/// Offers the job itself brings.
struct MarketSpec {
  std::vector<Offer> offers, pools, own;  ///< by kind of offer
  std::string as_of;
  std::string today{};     ///< what prices' age counts to, 2026-11-25; empty: nobody says, and they count as of today
  bool only = false;       ///< nothing but these
  double price_level = 1;  ///< what all prices of machines to rent are taken times
  Shared<OwnScatters> scatter{};  ///< of the prices that the user has stored
};

enum class SpotUse { kNever, kAllow, kOnly };
template <>
struct Names<SpotUse> {
  static constexpr std::array entries = {
      Named<SpotUse>{SpotUse::kNever, "never"},
      Named<SpotUse>{SpotUse::kAllow, "allow"},
      Named<SpotUse>{SpotUse::kOnly, "only"},
  };
};

/// A GPU the job may run on; count 0: any number.
struct GpuChoice {
  std::string gpu;
  int count = 0;

  bool operator==(const GpuChoice&) const = default;
};

struct Where {
  std::vector<GpuChoice> gpus;
  std::vector<int> counts;  ///< GPUs in all
  std::vector<int> nodes;   ///< numbers of nodes to try; empty: 1
  std::vector<std::string> providers;
  std::vector<std::string> regions;        ///< "DE", or of an area what it holds: "eu=DE", "eu=eu-north*"
  std::vector<std::string> known_regions;  ///< the same of all areas, where `regions` names one: the others are unknown
  SpotUse spot = SpotUse::kNever;
  bool spot_given = false;  ///< somebody said it: then it holds for pools that take machines away too
  std::optional<DollarsPerSecond> max_price;
  std::vector<std::pair<std::string, int>> quota;  ///< GPUs by provider
  std::optional<double> reliability;
  std::optional<BytesPerSecond> inet_down;
  std::optional<Bytes> disk;
  std::optional<LinkKind> interconnect;

  bool operator==(const Where&) const = default;
};

struct Limits {
  std::optional<Seconds> deadline;
  std::optional<Dollars> budget;
  double confidence = 0.9;
};

enum class Goal { kBestValue, kCheapest, kFastest, kFewestGpus };
template <>
struct Names<Goal> {
  static constexpr std::array entries = {
      Named<Goal>{Goal::kBestValue, "best_value"},
      Named<Goal>{Goal::kCheapest, "cheapest"},
      Named<Goal>{Goal::kFastest, "fastest"},
      Named<Goal>{Goal::kFewestGpus, "fewest_gpus"},
  };
};

struct SpotRules {
  // At most one of these four.
  std::optional<Interval<PerSecond>> interruptions;  ///< of one machine
  std::optional<SpotBand> band;
  std::optional<Bathtub> bathtub;
  std::string trace;  ///< file

  bool assumed = false;  ///< nobody said `interruptions`: it serves offers of which nothing is known
  std::optional<Seconds> notice;
  std::optional<Expected<Seconds>> restart;
  std::optional<Seconds> wait;  ///< mean time until another machine is there
  std::string policy;
  std::optional<DollarsPerSecond> max_price;
};

enum class Schedule { kBest, kKeep, kStopWhenIdle, kEachPhase };
template <>
struct Names<Schedule> {
  static constexpr std::array entries = {
      Named<Schedule>{Schedule::kBest, "best"},
      Named<Schedule>{Schedule::kKeep, "keep"},
      Named<Schedule>{Schedule::kStopWhenIdle, "stop_when_idle"},
      Named<Schedule>{Schedule::kEachPhase, "each_phase"},
  };
};

/// A named set of overrides; texts are YAML values.
struct Variant {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;  ///< address, value
  VariantProse prose{};
};

struct Job {
  std::string name;
  std::vector<Phase> phases;
  MarketSpec market;
  std::vector<Commitment> commitments;  ///< of an offer the first that fits covers first
  std::vector<Credit> credits;
  Where where;
  Limits limits;
  Goal goal = Goal::kBestValue;
  DollarsPerSecond value_of_time{5.0 / 3600};
  bool value_of_time_given = false;
  SpotRules spot;
  CheckpointRule checkpoint;
  Storage storage;
  double buffer = 0;  ///< share added to the hours of all phases
  Dollars contingency{};
  Schedule schedule = Schedule::kBest;
  std::vector<Variant> variants;
  JobProse prose;
  std::vector<OptionProse> options;      ///< words about ways to run the job
  std::vector<std::string> assumed;      ///< what reading it assumed, a sentence each; shown
  std::vector<std::string> from_config;  ///< what it took from gpuplan.toml, a sentence for each file; shown
};

}  // namespace gpuplan
