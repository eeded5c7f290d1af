// Which files an import reads, whose they are, and of which day.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io/system.h"

namespace gpuplan::cli {

struct ImportFile {
  std::string name;      ///< "-": standard input
  std::string provider;  ///< by its path; empty: the list says
  bool found = false;    ///< in a folder that was named: it may be no price list
};

/// The files that the words name: of a folder all that can be price lists (.csv, .json, .zip, .gz and the like).
Result<std::vector<ImportFile>> import_files(System& system, const std::vector<std::string>& words);

struct ListDate {
  std::string date, why;  ///< "2026-11-20", "its name"
};

/// The date of rows without one: what --as-of says, else what the name of the file has ("2026-11-20", "20261120"), else
/// the day on which it was changed, but none after today.
ListDate date_of_list(System& system, const std::string& name, const std::string& as_of, const std::string& today);

}  // namespace gpuplan::cli
