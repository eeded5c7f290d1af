// The user's words as data, for programs that make documents of a plan.
#pragma once

#include "domain/work/job.h"
#include "output/text/json_writer.h"

namespace gpuplan {

/// The value of the member "prose": null for a job that says nothing in words; else {"title", "purpose", "notes",
/// "tasks", "phases", "offers", "options", "variants"}, of phases, offers and variants only those with words. Texts are
/// Markdown as the job has it; an empty one says nothing.
void write_prose(JsonWriter& json, const Job& job);

}  // namespace gpuplan
