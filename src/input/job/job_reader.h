// A job file from text to Job.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "input/models/model_resolver.h"
#include "input/text/tree.h"

namespace gpuplan {

/// How often spot machines are taken away when --spot asks for them and nobody says: once in 20 hours. The AWS Spot
/// Instance Advisor lists 5 % to over 20 % a month (0.03 %/h), traces of single zones some 40 %/h (Wu et al., NSDI
/// 2024): this is the middle by ratio, rounded to the cautious side.
inline constexpr std::string_view kAssumedInterruptions = "5%/h";

/// The plan that a kept plan was made for: the one to launch.
struct KeptChoice {
  std::string id, label;
  Dollars cost{};  ///< median, when it was kept
};

/// A job as written, before its meaning is read: settings may still change it.
struct JobSource {
  Tree tree;
  std::string file;            ///< as the user named it; names the job when nothing else does
  std::vector<Offer> boxes{};  ///< own boxes and pools beside the job's, unless its market is closed
  std::vector<std::string> assumed{}, from_config{};  ///< become the job's
  std::optional<KeptChoice> kept{};                   ///< where the job was read from a kept plan that recommends one
};

/// YAML or JSON text. Errors as parse_tree.
Result<JobSource> parse_job(std::string_view text, const std::string& file);

/// Checks every key and value, resolves names, and fills defaults. Each error is one line
/// ("limits.deadline: expected a time such as 12 h or 45 min, got '12 hous'") with its place; what came from a setting
/// is a usage error. Variants are read too: a value in one that could not be read is an error.
Result<Job> read_job(const JobSource& source, const Catalogue& catalogue, const ModelResolver& models);

/// The source with the settings of one of its variants applied, and no variants.
Result<JobSource> with_variant(const JobSource& source, const Variant& variant);

}  // namespace gpuplan
