// What an import kept and what not, and why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "domain/market/price_records.h"
#include "output/text/style.h"

namespace gpuplan {

/// What became of one row.
struct ImportNote {
  std::string file;
  std::uint64_t row = 0;  ///< line, or number of the record; 0: not known
  bool rejected = false;
  std::string reason, words;
};

struct ImportReport {
  ImportRecord record;  ///< number 0: nothing was kept, since only a trial was asked for
  std::string store;    ///< its file
  std::map<std::string, std::uint64_t> rejections{}, corrections{};  ///< rows by reason
  std::vector<ImportNote> notes{};                                   ///< with --details
  bool details = false;
  std::vector<std::string> dates{};  ///< where the dates of rows without one come from, a line each
};

std::string import_text(const ImportReport& report, const Screen& screen);
std::string import_json(const ImportReport& report);
std::string import_csv(const ImportReport& report);

}  // namespace gpuplan
