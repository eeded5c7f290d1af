// A question that came in as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/accuracy/validate.h"
#include "api/questions/question.h"
#include "api/runs/simulate_words.h"
#include "base/names.h"
#include "base/result.h"

namespace gpuplan::api {

enum class Ask {
  kPlan,
  kWhatIf,
  kSensitivity,
  kFit,
  kProfiles,
  kSimulate,
  kLaunch,
  kReport,
  kCheck,
  kAudit,
  kValidate,
  kGpus,
  kOffers,
  kModel,
  kSchema,
  kVersion
};

}  // namespace gpuplan::api

namespace gpuplan {

template <>
struct Names<api::Ask> {
  static constexpr std::array entries = {
      Named<api::Ask>{api::Ask::kPlan, "plan"},
      Named<api::Ask>{api::Ask::kWhatIf, "whatif"},
      Named<api::Ask>{api::Ask::kSensitivity, "sensitivity"},
      Named<api::Ask>{api::Ask::kFit, "fit"},
      Named<api::Ask>{api::Ask::kProfiles, "profiles"},
      Named<api::Ask>{api::Ask::kSimulate, "simulate"},
      Named<api::Ask>{api::Ask::kLaunch, "launch"},
      Named<api::Ask>{api::Ask::kReport, "report"},
      Named<api::Ask>{api::Ask::kCheck, "check"},
      Named<api::Ask>{api::Ask::kAudit, "audit"},
      Named<api::Ask>{api::Ask::kValidate, "validate"},
      Named<api::Ask>{api::Ask::kGpus, "gpus"},
      Named<api::Ask>{api::Ask::kOffers, "offers"},
      Named<api::Ask>{api::Ask::kModel, "model"},
      Named<api::Ask>{api::Ask::kSchema, "schema"},
      Named<api::Ask>{api::Ask::kVersion, "version"},
  };
};

}  // namespace gpuplan

namespace gpuplan::api {

struct DoorQuestion {
  Ask ask = Ask::kPlan;
  Request request{};
  std::vector<NamedText> data{};  ///< tables in place of those compiled in
  std::vector<std::string> vary{}, filter{}, show{};
  std::string model{};
  double by = 0.2;
  bool all = false, explain = false;
  std::string phase{};
  std::vector<std::string> plans{};  ///< ids, "all", texts of kept plans
  SimulateWords simulate{};          ///< but for the plan
  std::vector<NamedText> traces{};
  std::optional<NamedText> starts{};
  std::vector<NamedText> logs{};
  std::optional<NamedText> text{};  ///< of a plan made by hand
  std::string form{};               ///< how to read it; empty: Markdown
  std::string to{}, folder{}, arguments{};
  bool sensitivity = true;  ///< of a report: with what moves the plan most
  bool allow_tight = false;
  bool smoke = false;
  ValidateTerms validate{};  ///< but for `all`
  std::optional<NamedText> runs{}, own_runs{};
  std::string kind{};
};

/// What gpuplan/ask.h says, nothing else: keys that are none, or that this question does not take, are refused.
Result<DoorQuestion> read_door_question(std::string_view json);

}  // namespace gpuplan::api
