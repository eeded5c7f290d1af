// A report as the inside of a page.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gpuplan {

/// A chart as it is drawn where no script runs.
struct DrawnChart {
  std::string key;  ///< of the chart
  std::string svg;  ///< the drawing; it goes in as a picture
};

/// What a page shows of a report.
struct PageBody {
  std::string title;     ///< plain
  std::string contents;  ///< HTML: the links to the sections
  std::string html;      ///< HTML: head and sections
};

/// From what write_report() wrote (output/report). Every text of the report is a text in the page, but for prose
/// (output/page/prose.h). Fails for what is no report. The same bytes natively and in WebAssembly.
Result<PageBody> page_body(std::string_view report, std::span<const DrawnChart> charts = {});

}  // namespace gpuplan
