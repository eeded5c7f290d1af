// The job of a command: its file with the settings of the command line.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "input/job/job_reader.h"
#include "input/job/settings.h"

namespace gpuplan::cli {

struct LoadedJob {
  Job job;
  JobSource source;           ///< as written, with the settings
  std::vector<Job> variants;  ///< the whole job with the overrides of each of job.variants
};

/// The job with its variants.
Result<LoadedJob> read_source(const JobSource& source, const Catalogue& catalogue);

/// A job file as written, or the job of a kept plan (input/question/plan_file.h), with the settings applied. `file` is
/// a path or
/// "-"; `settings` are ADDRESS=VALUE. Errors name file and line, or the setting (usage errors).
Result<JobSource> open_job(const std::string& file, const std::vector<std::string>& settings);

/// True for what is a job file rather than a model: "-", and files whose text is a map with phases.
bool looks_like_job(const std::string& name);

}  // namespace gpuplan::cli
