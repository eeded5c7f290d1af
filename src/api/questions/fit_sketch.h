// What fit asks about a model when flags narrow the question: `--method qlora --sequence 4096`.
#pragma once

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/models/model_source.h"
#include "input/question/sketch.h"
#include "input/question/user_config.h"
#include "output/fit/report.h"

namespace gpuplan::api {

/// A section for each method that the flags leave open (without --method: full, lora and qlora; also generation when
/// no flag is about training), one sequence at a time unless --batch, --micro or --concurrency say
/// more. REQUIRES: the sketch names a model. Errors name the flag.
Result<FitReport> sketched_report(const Sketch& sketch, const UserConfig& config, const Catalogue& catalogue,
                                  ModelFiles files);

}  // namespace gpuplan::api
