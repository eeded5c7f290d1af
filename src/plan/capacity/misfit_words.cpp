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
      return "host memory";
    case Misfit::kGiven:
      return "what the job fixes";
    case Misfit::kGpus:
      return "the number of GPUs";
    case Misfit::kTimeLimit:
      return "time limits of pools";
  }
  return "";
}

std::string main_reason(const Tally& tally) {
  const auto most = std::ranges::max_element(tally.rejected);
  if (*most == 0) return tally.unsupported_reason.empty() ? "nothing could be tried" : tally.unsupported_reason;
  switch (static_cast<Misfit>(most - tally.rejected.begin())) {
    case Misfit::kMemory:
      return "too little GPU memory";
    case Misfit::kUneven:
      return "batch, heads or layers do not divide over its GPUs";
    case Misfit::kHostMemory:
      return "too little host memory";
    case Misfit::kGiven:
      return "the job fixes another way to run it";
    case Misfit::kGpus:
      return "the job fixes more GPUs";
    case Misfit::kTimeLimit:
      return "it may take " + to_text(tally.soonest.takes) + ", and a job may run for " + to_text(tally.soonest.limit) +
             " there";
    case Misfit::kUnsupported:
    case Misfit::kPrecision:
      break;
  }
  return tally.unsupported_reason.empty() ? "its software or number format is not supported" : tally.unsupported_reason;
}

}  // namespace gpuplan
