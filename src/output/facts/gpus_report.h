// `gpuplan gpus`: the hardware known, as a table and as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "output/facts/offers_report.h"
#include "output/text/style.h"

namespace gpuplan {

struct GpusReport {
  std::vector<const Gpu*> rows;  ///< in the catalogue's order
  std::size_t known = 0;         ///< before the filter
  std::string near;              ///< ". Did you mean ...?" when a single word matched nothing
  std::string counted;           ///< "H100:8": a term that asks for machines, of which this table has none; or empty
};

/// The GPUs that satisfy the filter (output/text/row_filter.h). The report refers to the catalogue.
Result<GpusReport> select_gpus(const Catalogue& catalogue, std::span<const std::string> filter);

/// Whether a term of a filter is a condition on what GPUs are: "memory>=40", but not "num_gpus>=8".
bool is_gpu_condition(std::string_view term);

/// The table; a single GPU, or every one with `explain`, is followed by its names, source and notes.
std::string gpus_text(const GpusReport& report, const Screen& screen, bool explain);

/// Every field of every row.
std::string gpus_csv(const GpusReport& report);

/// Schema gpuplan/gpus@1, with the member "offers" of gpuplan/offers@1 where machines were asked for (not null). A peak
/// or link that the hardware does not have, and what is not known, is null.
std::string gpus_json(const GpusReport& report, const OffersReport* offers = nullptr);

}  // namespace gpuplan
