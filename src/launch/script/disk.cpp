#include "launch/script/disk.h"

#include <algorithm>

#include "base/text.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/parts.h"
#include "output/words/collection_words.h"
#include "plan/strategy/checkpoints.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {
namespace {

/// Kept ones, and where older ones are removed the next, which is whole before one of them goes.
Bytes checkpoints(const Launch& launch, const LaunchPhase& laid) {
  const PhaseEstimate estimate = with_due_checkpoints(launch, laid);
  const double kept = std::max(estimate.kept_checkpoints, estimate.checkpoint_bytes > Bytes{} ? 1.0 : 0.0);
  const double next = estimate.checkpoints > kept ? 1 : 0;
  return estimate.checkpoint_bytes * (kept + next) / checkpoint_writers(estimate);
}

double tokens_of(const PhaseWork& work) {
  const auto* train = std::get_if<TrainPhase>(&work);
  if (train == nullptr) return 0;
  if (train->data.tokens) return train->data.tokens->value;
  const double each = train->data.tokens_per_sample ? train->data.tokens_per_sample->mean : 0;
  return train->data.samples.value_or(0) * each * train->rows();
}

/// The variable that stands for DATA: phases that read different rows have each its own.
std::string data_variable(const Work& work) {
  const auto entry = std::ranges::find_if(
      work.required, [](const std::string& line) { return line.starts_with("DATA:") || line.starts_with("DATA_"); });
  return entry == work.required.end() ? "DATA" : required_variable(*entry).name;
}

void add_weights(const WorkPlace& place, std::vector<DiskPart>& parts) {
  const auto* generate = std::get_if<GeneratePhase>(&place.phase().work);
  const bool trains = std::holds_alternative<TrainPhase>(place.phase().work);
  if (generate == nullptr && (!trains || place.from_scratch())) return;
  const std::vector<ModelUse>& models = generate != nullptr ? generate->models : place.train().models;
  // Several have a variable each: which of them are fetched is not told apart.
  if (models.size() != 1 || models.front().drawn || !trained_by(place, models.front()).empty()) return;
  parts.push_back({"hub", model_variable(place, models, 0), source_of(models.front()),
                   place.estimate().weights_bytes / std::max(1, place.estimate().nodes), "weights"});
}

/// The trained model with what it takes on the disk beside the plan's count: torchtitan has its parts there until they
/// are joined, and train.py leaves the weights as they are trained, in fp32 where products are in 16 bits.
Bytes results(const WorkPlace& place) {
  const Bytes planned = place.estimate().results_bytes;
  if (runs_under(place, "torchtitan")) return planned * 2;
  const Precision precision = place.strategy().precision;
  const bool wide = precision == Precision::kFp32 || precision == Precision::kTf32;
  return runs_under(place, "torch") && !wide && master_weights(place) == Format::kFp32 ? planned * 2 : planned;
}

}  // namespace

std::vector<DiskPart> disk_parts(const Launch& launch, const LaunchPhase& phase, const Work& work) {
  const WorkPlace place{launch, phase};
  const PhaseEstimate& estimate = place.estimate();
  std::vector<DiskPart> parts;
  if (!work.unwritten.empty()) return parts;
  if (work.resumes || !work.user_command)
    parts.push_back({"run", "", "", checkpoints(launch, phase), "checkpoints", checkpoint_writers(estimate)});
  if (!work.user_command) {
    parts.push_back({"run", "", "", results(place), "results"});
    add_weights(place, parts);
    const PreparedData& data = work.data;
    const Bytes rows = data.fetched > Bytes{} ? data.fetched : estimate.data_bytes;
    if (data.fetches) parts.push_back({data.place, data_variable(work), "", rows, "data"});
    parts.push_back({data.place, "", "", rows * data.copies + Bytes{tokens_of(place.phase().work) * data.bytes_a_token},
                     "tokens of the data"});
  }
  std::erase_if(parts, [](const DiskPart& part) { return part.size < 1 * units::MB; });
  return parts;
}

Bytes all_of(const std::vector<DiskPart>& parts) {
  Bytes sum{};
  for (const DiskPart& part : parts) sum += part.size;
  return sum;
}

std::string disk_words(const std::vector<DiskPart>& parts, int machines) {
  if (parts.empty()) return "";
  std::vector<std::string> words;
  words.reserve(parts.size());
  for (const DiskPart& part : parts) words.push_back(part.what + " " + disk_text(part.size));
  return disk_text(all_of(parts)) + (machines > 1 ? " on each machine" : "") + ": " + join(words, ", ");
}

}  // namespace gpuplan
