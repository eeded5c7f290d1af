// What `gpuplan fit` asks of a model or of a job: one section for each way to use it.
#pragma once

#include <string>
#include <vector>

#include "api/questions/prices.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/models/model_source.h"
#include "input/question/sketch.h"
#include "input/question/user_config.h"
#include "output/fit/report.h"

namespace gpuplan::api {

/// What the user typed.
struct FitWords {
  const std::string& subject;                ///< model name or path; empty: the sketch says it, or `job`
  const NamedText* job;                      ///< in place of a subject: a job file; null: it is a model
  const std::vector<std::string>& settings;  ///< ADDRESS=VALUE, for jobs only
  const Sketch& sketch;                      ///< flags that narrow the question about a model
  ModelFiles files = ModelFiles::kRead;      ///< networks named by a path
};

/// The subject by its name, and its questions without answers: of a job its phases that train or generate, of a model
/// what the flags ask, without flags fine-tuning in full, with LoRA and QLoRA, and generation.
Result<FitReport> fit_questions(const FitWords& words, const UserConfig& config, const Catalogue& catalogue);

/// Answers the questions: for each GPU the smallest of the report's counts (1, 2, 4, 8 where it names none) that holds
/// it, or all of them. `all`: every GPU of the catalogue rather than those that the job or the market names.
Result<void> fill(FitReport& report, const Catalogue& catalogue, bool all);

}  // namespace gpuplan::api
