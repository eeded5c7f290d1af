// What `gpuplan fit` asks of a model or of a job: one section for each way to use it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/catalogue.h"
#include "output/fit_report.h"

namespace gpuplan::cli {

/// The subject by its name, and its questions without answers: of a job its phases that train or generate, of a model
/// fine-tuning in full, with LoRA and QLoRA, and generation. `settings` are ADDRESS=VALUE, for jobs only.
Result<FitReport> fit_questions(const std::string& subject, const std::vector<std::string>& settings,
                                const Catalogue& catalogue);

}  // namespace gpuplan::cli
