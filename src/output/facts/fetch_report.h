// What `prices fetch` tells: what came of each list, and which lists there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "output/text/style.h"

namespace gpuplan {

struct FetchRow {
  enum class Outcome { kFetched, kNotChanged, kFailed, kNoKey } outcome = Outcome::kFetched;
  std::string list;                      ///< "skypilot/aws"
  std::string title;                     ///< of its source
  std::string reason{};                  ///< why not
  std::uint64_t kept = 0, rejected = 0;  ///< rows
  std::uint64_t bytes = 0;               ///< as transferred
  std::string date{}, before{};          ///< of its prices, now and at the last fetch; empty: not known
};

struct FetchReport {
  std::vector<FetchRow> rows;
  std::string today;
  std::string store;  ///< where the prices are now; empty: nowhere

  bool all_came() const;
};

std::string fetch_text(const FetchReport& report, const Screen& screen);
std::string fetch_json(const FetchReport& report);
std::string fetch_csv(const FetchReport& report);

/// A list that can be fetched.
struct SourceRow {
  std::string list, title, provider;
  std::string address;
  std::string key;        ///< "none", "set", "not set", "not set, works without"
  std::string variables;  ///< that hold the key
  bool asked = true;      ///< without naming it
  std::string notes;
};
std::string sources_text(const std::vector<SourceRow>& rows, const Screen& screen);
std::string sources_json(const std::vector<SourceRow>& rows);
std::string sources_csv(const std::vector<SourceRow>& rows);

}  // namespace gpuplan
