// GPUs by name in a line of prose or a cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

class GpuMentions {
 public:
  /// The catalogue must outlive it.
  explicit GpuMentions(const Catalogue& catalogue);

  /// In the order of the text, each with how many of them and the memory that is part of its name. "On the H100 12 GB
  /// of gradients are reduced" names none.
  std::vector<GpuMention> in(std::string_view text);

 private:
  void form_and_memory(std::string_view text, GpuMention& mention, bool counted);
  bool is_made(const std::string& key, double gigabytes);

  std::vector<std::string> stems_;  ///< squeezed first words of names, sorted
  audit::GpuNames names_;
};

}  // namespace gpuplan
