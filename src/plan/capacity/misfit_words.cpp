#include "plan/capacity/misfit_words.h"

#include <algorithm>

#include "base/amount.h"

namespace gpuplan {

std::string_view reason(Misfit why) {
  switch (why) {
    case Misfit::kMemory:
      return "GPU memory";
    case Misfit::kUneven:
      return "divisibility";
    case Misfit::kUnsupported:
      return "software support";
    case Misfit::kPrecision:
      return "precision";
    case Misfit::kHostMemory:
      return "CPU memory";
    case Misfit::kGiven:
      return "what the job fixes";
    case Misfit::kGpus:
      return "the number of GPUs";
    case Misfit::kTimeLimit:
      return "time limits of pools";
    case Misfit::kDisk:
      return "room on the disk";
    case Misfit::kNetwork:
      return "several small machines that no known network joins";
  }
  return "";
}

std::string main_reason(const Tally& tally) {
  const auto most = std::ranges::max_element(tally.rejected);
  if (*most == 0) return tally.unsupported_reason.empty() ? "no combination to try" : tally.unsupported_reason;
  switch (static_cast<Misfit>(most - tally.rejected.begin())) {
    case Misfit::kMemory:
      return "not enough GPU memory";
    case Misfit::kUneven:
      return "batch, heads or layers are not divisible by its GPUs";
    case Misfit::kHostMemory:
      return "not enough CPU memory";
    case Misfit::kGiven:
      return "the job fixes settings that do not work here";
    case Misfit::kGpus:
      return "the job needs more GPUs";
    case Misfit::kTimeLimit:
      return "it may take " + to_text(tally.soonest.takes) + ", and jobs are stopped after " +
             to_text(tally.soonest.limit) + " there";
    case Misfit::kDisk:
      return "not enough disk space";
    case Misfit::kNetwork:
      return "nothing is known of the network between its machines, which are not whole ones; name the provider "
             "(--provider) to plan on them all the same";
    case Misfit::kUnsupported:
    case Misfit::kPrecision:
      break;
  }
  return tally.unsupported_reason.empty() ? "its software or number format is not supported" : tally.unsupported_reason;
}

}  // namespace gpuplan
