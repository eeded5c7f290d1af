// The order in which a job lists its phases changes no figure and no id.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/text.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

int any(std::mt19937& random, int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); }

std::string phase_text(std::mt19937& random, int index, int before) {
  const char* models[] = {"Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-1.5B"};
  const std::string model = models[any(random, 2)];
  // Names in another order than the file's.
  std::string text = "  - name: p" + std::to_string((index * 7 + 3) % 10) + '\n';
  switch (any(random, 4)) {
    case 0:
      text += "    fixed: {gpus: " + std::to_string(1 + any(random, 2)) +
              ", time: " + std::to_string(10 * (1 + any(random, 5))) + " min}\n";
      break;
    case 1:
      text += "    cpu: {time: " + std::to_string(5 * (1 + any(random, 5))) + "-40 min}\n";
      break;
    case 2:
      text += "    train: {model: " + model +
              ", method: lora, data: {tokens: 3M}, sequence: 512, batch: {sequences: 64}}\n";
      break;
    default:
      text += "    generate: {model: " + model +
              ", data: [{samples: 2000, prompt_tokens: 100, new_tokens: 50}], engine: vllm}\n";
  }
  std::string needs;
  for (int need = 0; need < before; ++need)
    if (any(random, 4) == 0) needs += (needs.empty() ? "p" : ", p") + std::to_string((need * 7 + 3) % 10);
  if (!needs.empty()) text += "    needs: [" + needs + "]\n";
  return text;
}

std::string figures(const auto& outcome) {
  return number_text(outcome.p10.value) + ' ' + number_text(outcome.p50.value) + ' ' + number_text(outcome.p90.value) +
         ' ' + number_text(outcome.mean.value) + "; ";
}

/// Everything of a search, phases by their names.
std::string told_found(const Job& job, const SearchResult& found) {
  std::string text;
  for (const Plan& plan : found.plans) {
    text += plan.id + ' ' + plan.label + ": " + figures(plan.hours) + figures(plan.cost) +
            number_text(plan.idle.value) + ' ' + number_text(plan.gpu_hours) + ' ' + number_text(plan.interruptions) +
            (plan.on_frontier ? " frontier" : "") + '\n';
    std::map<std::string, std::string> phases;
    for (const PhasePlan& part : plan.phases)
      phases[job.phases[static_cast<std::size_t>(part.estimate->phase)].name] =
          number_text(part.start.value) + ' ' + figures(part.hours) + figures(part.cost) +
          number_text(part.estimate->fetch.p50.value);
    for (const auto& [name, figures_of] : phases) text += "  " + name + ' ' + figures_of + '\n';
    for (const Lease& lease : plan.leases)
      text += "  held " + number_text(lease.from.value) + " to " + number_text(lease.to.value) + '\n';
  }
  text += number_text(static_cast<double>(found.tally.considered));
  for (const long count : found.tally.rejected) text += ' ' + std::to_string(count);
  return text + ' ' + std::to_string(found.recommendations.pick.value_or(-1));
}

TEST(Permutation, TheOrderOfPhasesChangesNothing) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    std::mt19937 random(seed);
    std::string text = "phases:\n";
    const int size = 2 + any(random, 4);
    for (int i = 0; i < size; ++i) text += phase_text(random, i, i);
    text += any(random, 2) == 0 ? "schedule: stop_when_idle\n" : "";
    text += R"(market:
  use: only
  offers:
    - {gpu: A100 SXM 80GB, gpus: 1, price: $2/h, spot_price: $1/h, interruptions: 5%/h}
    - {gpu: H100 SXM, gpus: 2, price: $5-6/h, billing: {minimum: 1 h, increment: 1 h}}
    - {gpu: RTX 4090, gpus: 4, price: $2/h, billing: {startup: 10 min}}
where: {spot: allow}
)";
    Job job = job_of(text);
    ASSERT_EQ(job.phases.size(), static_cast<std::size_t>(size)) << text;
    const Searched as_written(job);
    const std::string expected = told_found(as_written.job, as_written.result);
    for (int shuffle = 0; shuffle < 2; ++shuffle) {
      std::ranges::shuffle(job.phases, random);
      const Searched other(job);
      EXPECT_EQ(told_found(other.job, other.result), expected) << "seed " << seed << '\n' << text;
    }
  }
}

TEST(Permutation, WhatALaterPhaseNeedsIsFetchedOnceInAnyOrder) {
  Job job = job_of(R"(
phases:
  - {name: c, fixed: {gpus: 1, time: 30 min}}
  - {name: b, generate: {model: Qwen/Qwen2.5-7B, data: [{samples: 1000, prompt_tokens: 100, new_tokens: 50}], engine: vllm}}
  - {name: a, train: {model: Qwen/Qwen2.5-7B, method: lora, data: {tokens: 3M}, sequence: 512, batch: {sequences: 64}}}
market: {use: only, offers: [{gpu: A100 SXM 80GB, price: $2/h}]}
)");
  const Searched found(job);
  // The machines that run either phase fetch what it needs once, and others for themselves.
  for (const Plan& plan : found.result.plans) {
    int fetched = 0;
    for (const PhasePlan& part : plan.phases) fetched += part.estimate->fetch.p50 > Seconds{} ? 1 : 0;
    const auto fetching = std::ranges::count_if(plan.leases, [](const Lease& lease) {
      return std::ranges::any_of(lease.phases, [](int phase) { return phase > 0; });
    });
    EXPECT_EQ(fetched, fetching) << plan.label;
  }
}

TEST(Permutation, LeasesEndWhenThePlanDoes) {
  for (const char* name : kExamples) {
    const Searched found(example_job(name));
    for (const Plan& plan : found.result.plans) {
      if (plan.leases.empty()) continue;
      Seconds last{};
      for (const Lease& lease : plan.leases) last = std::max(last, lease.to);
      EXPECT_LE(last.value, plan.hours.p50.value + 1e-6) << name << ' ' << plan.label;
      if (plan.phases.size() == 1) {
        EXPECT_NEAR(last.value, plan.hours.p50.value, 1e-6) << name << ' ' << plan.label;
      }
    }
  }
}

}  // namespace
}  // namespace gpuplan
