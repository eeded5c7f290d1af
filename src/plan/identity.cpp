#include "plan/identity.h"

#include <string>
#include <string_view>

#include "base/text.h"

namespace gpuplan {

std::uint64_t identity(const Plan& plan) {
  std::string text;
  const auto add = [&](std::string_view part) {
    text += part;
    text += '|';
  };
  const auto add_number = [&](double number) { add(number_text(number)); };
  const auto add_offer = [&](const Offer* offer) {
    if (offer == nullptr) return add("");
    for (const std::string* part : {&offer->provider, &offer->region, &offer->instance, &offer->gpu, &offer->label})
      add(*part);
    add_number(offer->gpus);
    add_number(static_cast<double>(offer->kind));
  };
  add_offer(plan.offer);
  add_number(plan.nodes);
  add_number(plan.gpus);
  add_number(plan.spot ? 1 : 0);
  // Which phases share machines is part of a plan that takes several; whether one is let go while idle is not.
  if (plan.offer == nullptr || plan.at_once > 1) {
    for (const Lease& lease : plan.leases) {
      for (const int phase : lease.phases) add_number(phase);
      add(lease.spot ? "spot" : "on demand");
    }
  }
  for (const PhasePlan& phase : plan.phases) {
    if (plan.offer == nullptr) add_offer(phase.offer);
    const Strategy& s = phase.estimate.strategy;
    for (const int number : {s.dp, s.tp, s.pp, s.cp, s.ep, s.micro_batch, s.grad_accum, s.interleave})
      add_number(number);
    add(name_of(s.sharding));
    add(name_of(s.recompute));
    add(name_of(s.offload));
    add(name_of(s.attention));
    add(name_of(s.placement));
    add(name_of(s.precision));
    add(name_of(s.weights));
    add_number(s.compile ? 1 : 0);
    if (phase.estimate.framework != nullptr) add(phase.estimate.framework->name);
  }
  return hash_of(text);
}

}  // namespace gpuplan
