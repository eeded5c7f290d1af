// Machines that differ in host memory and disk alone get what each would get on its own.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "plan/searched.h"

namespace gpuplan {
namespace {

/// A box of this GPU with so much memory and disk, in GiB and TB; zero: not said.
std::string box(const char* gpu, int gpus, int ram, int disk) {
  std::string text = "    - {name: r" + std::to_string(ram) + "d" + std::to_string(disk) + ", gpu: " + gpu +
                     ", gpus: " + std::to_string(gpus);
  if (ram > 0) text += ", ram: " + std::to_string(ram) + " GiB";
  if (disk > 0) text += ", disk: " + std::to_string(disk) + " GB";
  return text + "}\n";
}

struct Work {
  const char* phase;
  const char* gpu;
};
/// Offload of what a GPU does not hold, a checkpoint that is read into host memory, and activations that it keeps.
constexpr std::array kWork = {
    Work{"{name: t, train: {model: Llama-3.1-8B, method: full, data: {tokens: 20M}, sequence: 2048}}", "RTX 4090"},
    Work{"{name: t, train: {model: Llama-3.1-8B, method: full, data: {tokens: 20M}, sequence: 2048, offload: "
         "optimizer}}",
         "A40"},
    Work{"{name: t, train: {model: Qwen2.5-7B, method: lora, data: {tokens: 5M}, sequence: 2048}}", "A40"},
    Work{"{name: g, generate: {model: Llama-3.1-70B, data: [{samples: 1000, prompt_tokens: 500, new_tokens: 300}]}}",
         "A100 SXM 80GB"},
};

std::string told_plan(const Plan& plan) {
  const PhaseEstimate& estimate = plan.phases.front().estimate;
  return described(estimate) + " " + std::to_string(plan.hours.p50.value) + " " + std::to_string(plan.hours.p90.value) +
         " " + std::to_string(estimate.memory_total.p90.value) + " " + std::to_string(estimate.host_memory.value) +
         " " + std::to_string(estimate.extra.p50.value) + " ram " + std::to_string(estimate.node->ram.value) +
         " disk " + std::to_string(estimate.node->disk.value);
}

Job job_on(const Work& work, const std::string& boxes) {
  return job_of(std::string("phases:\n  - ") + work.phase + "\nmarket:\n  use: only\n  own:\n" + boxes);
}

TEST(SharedEstimates, AreThoseOfEachMachineAlone) {
  std::size_t plans = 0;
  for (const Work& work : kWork) {
    std::string all;
    std::vector<std::string> each;
    for (const int ram : {0, 8, 24, 48, 64, 96, 128, 256, 512, 1024})
      for (const int disk : {0, 20, 2000}) {
        each.push_back(box(work.gpu, 4, ram, disk));
        all += each.back();
      }
    std::size_t found = 0;
    const Searched together(job_on(work, all), Finds::kPerhapsNothing);
    for (const std::string& one : each) {
      const Searched alone(job_on(work, one), Finds::kPerhapsNothing);
      for (const Plan& plan : alone.result.plans) {
        const Plan* same = together.plan(plan.label);
        ASSERT_NE(same, nullptr) << work.phase << plan.label;
        EXPECT_EQ(told_plan(*same), told_plan(plan)) << work.phase << plan.label;
        ++found;
      }
    }
    EXPECT_EQ(together.result.plans.size(), found) << work.phase;
    plans += found;
  }
  EXPECT_GT(plans, 100U);
}

}  // namespace
}  // namespace gpuplan
