// verl (verl/utils/logger/aggregate_logger.py: concat_dict_to_str; verl/trainer/ppo/metric_utils.py;
// verl/trainer/fsdp_sft_trainer.py).
#include <array>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

struct VerlName {
  std::string_view name;
  NamedValue value;
};

constexpr NamedValue of(StepValue quantity, double scale = 1) { return {NamedValue::Kind::kQuantity, quantity, scale}; }
constexpr NamedValue gib(NamedValue::Kind kind) { return {kind, StepValue::kLoss, units::GiB.value}; }

/// Its throughput is that of one GPU.
constexpr std::array kNames = {
    VerlName{"actor/pg_loss", of(StepValue::kLoss)},
    VerlName{"train/loss", of(StepValue::kLoss)},
    VerlName{"val/loss", of(StepValue::kValidation)},
    VerlName{"actor/grad_norm", of(StepValue::kGradNorm)},
    VerlName{"train/grad_norm", of(StepValue::kGradNorm)},
    VerlName{"actor/lr", of(StepValue::kLearningRate)},
    VerlName{"train/lr", of(StepValue::kLearningRate)},
    VerlName{"train/lr(1e-3)", of(StepValue::kLearningRate, 1e-3)},
    VerlName{"timing_s/step", of(StepValue::kStepSeconds)},
    VerlName{"train/time(s)", of(StepValue::kStepSeconds)},
    VerlName{"perf/throughput", of(StepValue::kTokensPerGpu)},
    VerlName{"perf/max_memory_allocated_gb", gib(NamedValue::Kind::kAllocated)},
    VerlName{"perf/max_memory_reserved_gb", gib(NamedValue::Kind::kReserved)},
};

}  // namespace

Match verl_step(LogBook& book, const LogLine& line) {
  std::string_view rest = line.text;
  StepRecord record;
  if (!scan::take(rest, "step:") || !scan::take_number(rest, record.step) || !scan::take(rest, " - "))
    return Match::kNo;
  bool slashes = false;  // its names have a group before them
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(" - "), rest.size());
    const std::string_view part = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 3, rest.size()));
    const std::size_t colon = part.rfind(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = part.substr(0, colon);
    std::string_view number = part.substr(colon + 1);
    scan::take(number, "np.float64(");
    double value = 0;
    slashes = slashes || name.contains('/');
    if (tells_rewards(name)) book.log.rewards = true;
    for (const VerlName& known : kNames)
      if (known.name == name && scan::take_next(number, value)) note_value(book, record, known.value, value);
  }
  if (!slashes) return Match::kNo;
  if (record.known == 0) book.shows(LogFormat::kVerl);
  else book.record(LogFormat::kVerl, record, line);
  return Match::kRecord;
}

}  // namespace gpuplan
