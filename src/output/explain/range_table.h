// What a range is made of, and what would narrow it.
#pragma once

#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/facts/error_model.h"
#include "domain/market/own_scatter.h"
#include "domain/work/phase.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// A figure of a phase whose range the model makes: how far P90 is from the median, as parts of it and whole.
struct RangeParts {
  struct Part {
    std::string words;
    double off = 0;  ///< 1.28 standard deviations of ln(measured / predicted): 0.1 is about 10 % up or down
  };
  std::string_view name;    ///< "time", "memory"
  std::string_view title;   ///< "TIME", "MEMORY"
  std::vector<Part> parts;  ///< the largest first; their squares add up to that of `whole`
  double whole = 0;
  double after_same = 0;       ///< `whole` after one own run set up alike
  double after_framework = 0;  ///< after one own run of the framework or engine on another GPU
  int own_runs = 0;            ///< that tell something of it already
};

/// Of the time and the memory of a phase, as far as they are predicted.
std::vector<RangeParts> range_parts(const ErrorModel& errors, const Phase& phase, const PhaseEstimate& estimate);

Table range_table(const std::vector<RangeParts>& figures);
void write_ranges(JsonWriter& json, const std::vector<RangeParts>& figures);

/// What the range of a plan's cost is made of beside its time: prices that have moved since they were listed, and
/// machines that may be gone.
struct CostRange {
  double whole = 0;                      ///< as RangeParts::whole
  std::vector<RangeParts::Part> prices;  ///< squares of these and of `rest` add up to that of the whole
  double rest = 0;                       ///< time, and what billing makes of it
};
/// `own`: of the prices that the user has stored.
CostRange cost_range(const Plan& plan, const Catalogue& catalogue, const OwnScatters& own = {});
/// Empty where no price is in doubt.
Table cost_range_table(const CostRange& range);
void write_cost_range(JsonWriter& json, const CostRange& range);

}  // namespace gpuplan
