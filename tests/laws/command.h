// A whole command line in this process: what it prints and the code that it ends with.
#pragma once

#include <string>
#include <vector>

#include "laws/case.h"

namespace gpuplan::laws {

struct Ran {
  int code = 0;
  std::string out, err;
};
/// "plan", "job.yaml", "--json": without the program's name.
Ran run_command(const std::vector<std::string>& words);

/// The files of a case in a folder of their own, which goes with the process: job.yaml, prices.csv.
struct CaseFiles {
  std::string job, prices;  ///< paths; `prices` is empty when the job brings its own market
};
CaseFiles write_files(const Case& one);
/// A text in the same folder; its path.
std::string write_text(const std::string& name, std::string_view text);

/// What is wrong with how a command ended: no code that it documents, or an error that is not one line with a place.
std::string wrong_end(const Ran& ran);

}  // namespace gpuplan::laws
