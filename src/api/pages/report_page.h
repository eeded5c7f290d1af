// The page of a report: what the program brings along, and what a reader may turn in this job.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/questions/question.h"
#include "base/result.h"
#include "output/page/page.h"

namespace gpuplan::api {

/// What a page is made of.
struct ReportPage {
  const Request& asked;
  const Question& question;              ///< as it was read from `asked`
  std::string_view report;               ///< JSON that write_report() wrote
  std::string_view plan;                 ///< JSON of `plan --json`
  std::span<const DrawnChart> charts{};  ///< drawn where no script runs
  bool own_facts = false;                ///< own runs or tables were learned from, which the page does not have
};

struct PageFile {
  std::string html;
  /// Why nothing in the page can be turned, and what to do for a page in which it can; empty: it can.
  std::string without_knobs{};
};

/// The whole file. The planner in it answers when it knows all that this answer was made from: not with own machines,
/// own price lists kept in settings or stored prices. Fails, with one line, where the program was built without its
/// page.
Result<PageFile> report_page(const ReportPage& page);

/// What may be turned in a job as written: its limits, its market, the work of its phases.
std::vector<Knob> knobs_of(const Tree& job);

}  // namespace gpuplan::api
