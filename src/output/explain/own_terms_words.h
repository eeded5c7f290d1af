// What the user's own terms make of a bill, in words and in JSON: credits, and GPUs at prices of a contract.
#pragma once

#include <string>
#include <vector>

#include "domain/work/job.h"
#include "output/text/json_writer.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// "after $15.25 of credits at gcp (until 2027-01-31)"; empty where none pay.
std::string credit_words(const Job& job, const Plan& plan);

/// "credits at gcp (until 2027-01-31)"; empty where none pay.
std::string credit_names(const Job& job, const Plan& plan);

/// A sentence for the credits that pay, and one for the GPUs that a commitment covers.
std::vector<std::string> own_terms_words(const Job& job, const Plan& plan);

/// Members of a plan and of a lease; none where the job has no such terms.
void write_credits(JsonWriter& json, const Job& job, const Plan& plan);
void write_covered(JsonWriter& json, const Job& job, const Lease& lease);

}  // namespace gpuplan
