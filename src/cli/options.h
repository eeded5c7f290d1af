// From the words of the command line to plain structs. Nothing below this sees a flag as text.
#pragma once

#include <expected>
#include <string>

#include "cli/commands.h"

namespace gpuplan::cli {

enum class Verb { kPlan, kFit, kGpus, kOffers, kModel, kSchema };

/// One command with its options; the structs of the other commands keep their defaults.
struct Request {
  Verb verb = Verb::kPlan;
  PlanOptions plan;
  FitOptions fit;
  FilterOptions filter;
  ModelOptions model;
  SchemaOptions schema;
};

/// What to print in place of running a command: help (kDone, for stdout) or what is wrong (kUsage, for stderr).
struct Answer {
  int code = kDone;
  std::string text;
};

std::expected<Request, Answer> read_options(int argc, const char* const* argv);

}  // namespace gpuplan::cli
