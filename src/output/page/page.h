// The page: one HTML file that holds a report, the plan it tells of, and a planner that answers what if. It opens from
// disk and asks the network for nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "output/page/body.h"

namespace gpuplan {

/// What a reader may turn.
struct Knob {
  std::string group;                   ///< "Limits"; knobs of one group follow each other
  std::string address;                 ///< what --set calls it: "limits.deadline", "phases.produce.train.steps"
  std::string title;                   ///< "Deadline"
  std::string now;                     ///< as the job says it; empty: it does not
  std::string hint;                    ///< "12 h"
  std::vector<std::string> choices{};  ///< empty: any text
  bool list = false;                   ///< values with commas between them
};

struct PageParts {
  std::string_view shell;   ///< the file around it, with its script and style: web/ builds it
  std::string_view report;  ///< JSON that write_report() wrote
  std::string_view plan;    ///< JSON of `plan --json`
  /// JSON of the question that the planner in the page is asked, without "set"; empty: the page answers nothing.
  std::string_view question{};
  /// The WebAssembly module (cmake/web.cmake) packed by xz or gzip; empty: the page answers nothing.
  std::string_view engine{};
  std::span<const DrawnChart> charts{};  ///< drawn where no script runs
  std::span<const Knob> knobs{};
};

/// The whole file. Fails when the shell is empty, which it is in a gpuplan that was built without Node, and for JSON
/// that is no report.
Result<std::string> page_of(const PageParts& parts);

}  // namespace gpuplan
