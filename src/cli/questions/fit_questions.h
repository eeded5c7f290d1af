// What `gpuplan fit` asks of a model or of a job: one section for each way to use it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/load/find_config.h"
#include "domain/facts/catalogue.h"
#include "input/question/sketch.h"
#include "output/fit/report.h"

namespace gpuplan::cli {

/// What the user typed.
struct FitWords {
  const std::string& subject;                ///< model name, path or job file; empty: the sketch says it
  const std::vector<std::string>& settings;  ///< ADDRESS=VALUE, for jobs only
  const Sketch& sketch;                      ///< flags that narrow the question about a model
};

/// The subject by its name, and its questions without answers: of a job its phases that train or generate, of a model
/// what the flags ask, without flags fine-tuning in full, with LoRA and QLoRA, and generation.
Result<FitReport> fit_questions(const FitWords& words, const UserConfig& config, const Catalogue& catalogue);

}  // namespace gpuplan::cli
