#include "input/job/checks/context.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "input/job/checks/fail_at.h"
#include "plan/strategy/practice.h"

namespace gpuplan {
namespace {

/// Rows of the table of positions that come with the weights; 0: it has none, or they are of a picture's parts.
int rows_of(const ModelUse& model) {
  const bool text = !model.custom && !model.drawn && model.shape.positions > 0 && model.shape.image == 0;
  return text ? model.shape.max_context : 0;
}

}  // namespace

bool check_positions(Reader& reader, const Tree& tree, const TrainPhase& phase) {
  const auto work = training_work(phase);
  if (!work || start_from(reader.catalogue.practice_constants, *work) == StartFrom::kScratch) return true;
  const double longest = work->sequence / std::max(1.0, work->rows);
  for (const ModelUse& model : phase.models) {
    const int most = rows_of(model);
    if (most <= 0 || longest <= most) continue;
    const std::string rows = count_text(most);
    std::string words = model.name;
    words.append(" comes with ").append(rows).append(" learned positions, and training fails at a sequence of ");
    words.append(count_text(longest)).append(" tokens; cut sequences to ").append(rows);
    words +=
        ", take a model with rotary positions, or name the folder of a copy with a longer table (start: scratch "
        "learns one anew)";
    return fail_at(reader, tree, phase.sequence ? "sequence" : "data.tokens_per_sample", words);
  }
  return true;
}

}  // namespace gpuplan
