#include "plan/capacity/given_evidence.h"

#include "base/math.h"
#include "model/error/error.h"
#include "plan/capacity/machines.h"
#include "plan/strategy/given.h"

namespace gpuplan {
namespace {

/// Whole machines of eight where they are more; nullopt: they do not divide.
std::optional<Machines> common_machines(const Catalogue& catalogue, const Gpu& gpu, int gpus) {
  constexpr int kOfOne = 8;
  if (gpus > kOfOne && gpus % kOfOne != 0) return std::nullopt;
  const int nodes = gpus > kOfOne ? gpus / kOfOne : 1;
  return Machines{common_box(catalogue, gpu, gpus / nodes), nodes, gpus, true};
}

/// The stated figure over what is predicted for so many GPUs; nullopt: it does not run there, or states no speed.
std::optional<OwnRun> compared(const PhaseWorkload& workload, const Catalogue& catalogue, const Given& given,
                               const Gpu& gpu, int gpus) {
  const auto machines = common_machines(catalogue, gpu, gpus);
  if (!machines) return std::nullopt;
  Phase phase = *workload.phase;
  phase.given = {given};
  PhaseWorkload alone = workload;
  alone.phase = &phase;
  Tally uncounted;
  const auto stated = best_estimate(alone, catalogue, *machines, false, uncounted);
  const auto predicted = best_estimate(alone, catalogue, *machines, true, uncounted);
  if (!stated || !predicted || stated->work_is_model || !predicted->work_is_model) return std::nullopt;
  // The time of a whole phase holds what it takes beside its work.
  const Seconds beside = stated->whole_time_given ? predicted->extra.p50 : Seconds{};
  const Seconds measured = stated->work.p50 - beside;
  if (measured <= Seconds{} || predicted->work.p50 <= Seconds{} || stated->work.p10 <= Seconds{}) return std::nullopt;
  OwnRun run{.labels = predicted->labels};
  const std::size_t figure = index_of(predicted->error_figure);
  const double known = expected_error(catalogue.errors, predicted->error_figure, predicted->labels).shift;
  run.states[figure] = true;
  run.error[figure] = math::log(measured / predicted->work.p50) + known;
  const double deviation = sigma_of(stated->work);
  run.noise = deviation * deviation;
  return run;
}

/// On the GPUs that the figure is of; of one that says no number, on the fewest that run the phase.
std::optional<OwnRun> compared(const PhaseWorkload& workload, const Catalogue& catalogue, const Given& given) {
  const Gpu* gpu = catalogue.find_gpu(given.gpu);
  if (gpu == nullptr) return std::nullopt;
  if (given.gpus > 0) return compared(workload, catalogue, given, *gpu, given.gpus);
  for (const int gpus : {1, 2, 4, 8})
    if (auto run = compared(workload, catalogue, given, *gpu, gpus)) return run;
  return std::nullopt;
}

}  // namespace

std::optional<ErrorModel> learned_from_given(const std::vector<PhaseWorkload>& workloads, const Catalogue& catalogue) {
  std::vector<OwnRun> figures;
  for (const PhaseWorkload& workload : workloads) {
    if (!workload.training && !workload.generation) continue;
    for (const Given& given : workload.phase->given)
      if (states_speed(given))
        if (auto run = compared(workload, catalogue, given)) figures.push_back(*std::move(run));
  }
  if (figures.empty()) return std::nullopt;
  ErrorModel errors = catalogue.errors;
  learn_given(errors, figures);
  return errors;
}

}  // namespace gpuplan
