#include "evidence/validation/publishers.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/compute.h"
#include "model/generation/generation.h"
#include "model/training/training.h"

namespace gpuplan {
namespace {

/// Rows that stand for what has none of its own tell of nothing that was measured.
bool for_all(std::string_view name) { return name.starts_with('*'); }

}  // namespace

std::vector<FittedNumber> count_publishers(const Catalogue& catalogue, std::span<const PublishedRun> runs,
                                           bool training, std::string_view without) {
  // By table and row.
  std::map<std::pair<std::string, std::string>, std::set<std::string_view>> found;
  const auto enter = [&](const char* table, const std::string& row, std::string_view publisher) {
    if (for_all(row)) return;
    std::set<std::string_view>& publishers = found[{table, row}];
    if (publisher != without) publishers.insert(publisher);
  };
  for (const PublishedRun& run : runs) {
    if (const Gpu* gpu = catalogue.find_gpu(run.gpu)) {
      const Efficiency& row = efficiency_of(catalogue, *gpu);
      enter("gpus", gpu->name, run.publisher);
      enter("efficiency", row.architecture + "/" + row.memory_type + "/" + row.accumulation, run.publisher);
    }
    if (const Framework* framework = catalogue.find_framework(run.framework)) {
      if (training) enter("training_software", software_of(catalogue, framework->name).name, run.publisher);
      else enter("engines", engine_profile(catalogue, *framework).name, run.publisher);
    }
  }
  std::vector<FittedNumber> counts;
  for (const auto& [where, publishers] : found) {
    const bool hardware = where.first == "gpus" || where.first == "efficiency";
    const char* column = !hardware ? "publishers" : training ? "training_publishers" : "serving_publishers";
    counts.push_back({{where.first, where.second, column}, static_cast<double>(publishers.size())});
  }
  return counts;
}

}  // namespace gpuplan
