// One function per command. Each gets its parsed options, prints results to stdout and messages to stderr, and
// returns the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpuplan::cli {

/// Contract of the command line.
enum ExitCode {
  kDone = 0,
  kInternal = 1,
  kUsage = 2,
  kNothingFits = 3,
  kMissesLimits = 4,
  kBadInput = 5,
  kCheckFailed = 6,
  kInterrupted = 130,
};

/// Options that several commands share.
struct Common {
  bool json = false;
  bool all = false;
  bool explain = false;
  bool no_color = false;
  std::string data_folder;  ///< replaces built-in data
  std::string output;       ///< -o FILE; empty: stdout
  int jobs = 0;             ///< threads; 0: as many as there are cores
  std::uint64_t seed = 1;
};

struct PlanOptions {
  Common common;
  std::string job;                  ///< file or "-"
  std::vector<std::string> set;     ///< ADDRESS=VALUE
  std::vector<std::string> prices;  ///< CSV files
  std::vector<std::string> rates;   ///< EUR=1.08
  std::string ignore;               ///< "given"
  std::string as_of;
};

struct FitOptions {
  Common common;
  std::string subject;  ///< model name, path or job file
  std::vector<std::string> set;
  std::string gpu;  ///< only this one
  std::vector<int> counts;
};

struct FilterOptions {
  Common common;
  std::vector<std::string> filter;
  std::vector<std::string> prices;
  std::vector<std::string> rates;  ///< EUR=1.08
};

struct ModelOptions {
  Common common;
  std::string model;
};

struct SchemaOptions {
  bool markdown = false;
  std::string key;  ///< describe this address only
};

int run_plan(const PlanOptions& options);
int run_fit(const FitOptions& options);
int run_gpus(const FilterOptions& options);
int run_offers(const FilterOptions& options);
int run_model(const ModelOptions& options);
int run_schema(const SchemaOptions& options);

}  // namespace gpuplan::cli
