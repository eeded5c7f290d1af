// What gpuplan.toml and the environment say, as a table.
#pragma once

#include <string>
#include <vector>

#include "output/text/style.h"

namespace gpuplan {

/// A key with the value in effect and where that comes from.
struct ConfigRow {
  std::string key, value;
  std::string file;  ///< a gpuplan.toml or a variable of the environment; empty: the default
  int line = 0;      ///< 0: none
};

/// A place where gpuplan.toml may lie.
struct ConfigFileRow {
  std::string file, why;
  bool there = false;
};

std::string config_text(const std::vector<ConfigRow>& rows, const Screen& screen, bool origin);
std::string config_places_text(const std::vector<ConfigFileRow>& places, const Screen& screen);
std::string config_csv(const std::vector<ConfigRow>& rows);
std::string config_places_csv(const std::vector<ConfigFileRow>& places);
/// "gpuplan/config@1": files looked for and values.
std::string config_json(const std::vector<ConfigRow>& rows, const std::vector<ConfigFileRow>& places);

}  // namespace gpuplan
