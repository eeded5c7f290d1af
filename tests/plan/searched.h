// A whole search from a job's text, on the facts in data/.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "input/job_fixture.h"
#include "plan/answer/market.h"
#include "plan/ranking/recommendation.h"
#include "plan/search.h"

namespace gpuplan {

/// Whether a search has to find plans: what a test says of each plan holds of none as well.
enum class Finds { kPlans, kPerhapsNothing };

/// What a result points into stays with it.
struct Searched {
  Job job;
  std::vector<Offer> market;
  MarketFilter filter;
  SearchResult result;

  explicit Searched(Job asked, Finds finds) : Searched(std::move(asked), {}, finds) {}
  explicit Searched(Job asked, const SearchOptions& options = {}, Finds finds = Finds::kPlans) : job(std::move(asked)) {
    market = market_for(job, known(), known().offers, filter);
    auto found = search(job, known(), market, options);
    if (found) result = std::move(*found);
    else ADD_FAILURE() << found.error().message;
    if (found && finds == Finds::kPlans && result.plans.empty()) ADD_FAILURE() << "no plan: nothing is tested";
  }
  Searched(const Searched&) = delete;
  Searched& operator=(const Searched&) = delete;

  /// Null when there is none.
  const Plan* plan(std::string_view label) const {
    for (const Plan& plan : result.plans)
      if (plan.label == label) return &plan;
    return nullptr;
  }
  const Plan& pick() const { return result.plans.at(static_cast<std::size_t>(result.recommendations.pick.value())); }
};

/// What its plans were compared by.
inline Compared compared_of(const Searched& all) {
  return {all.result.errors ? *all.result.errors : known().errors, known().answer_constants.beside_shared,
          known().practice_constants, SearchOptions{}.seed, all.result.market.providers};
}

inline Job job_of(std::string_view text) {
  auto job = read_text_as_job(text);
  EXPECT_EQ(line_of(job), "");
  return job ? *std::move(job) : Job{};
}

inline Job example_job(const std::string& name) {
  return job_of(file_text(std::string(GPUPLAN_SOURCE_DIR) + "/examples/" + name + ".yaml"));
}

inline constexpr const char* kExamples[] = {
    "collection", "collect-forward-only", "collect-two-passes",  "generate-70b",  "gpt-124m",
    "gpt2-1.5b",  "latentwire",           "llama-8b-full",       "llama-8b-lora", "llama-8b-qlora",
    "neurlang",   "neurlang-as-run",      "pretrain-7b-2-nodes", "sft-node",      "trm-nanochat"};

/// "torch dp2 tp1 ... zero1 none none fits".
inline std::string described(const PhaseEstimate& e) {
  const Strategy& s = e.strategy;
  std::string text = e.framework->name;
  for (const auto& [name, degree] : {std::pair{"dp", s.dp},
                                     {"tp", s.tp},
                                     {"pp", s.pp},
                                     {"vpp", s.interleave},
                                     {"cp", s.cp},
                                     {"ep", s.ep},
                                     {"micro", s.micro_batch},
                                     {"accumulate", s.grad_accum}})
    text += std::string(" ") + name + std::to_string(degree);
  for (const std::string_view name : {name_of(s.sharding), name_of(s.recompute), name_of(s.offload), name_of(e.fit)})
    text += " " + std::string(name);
  return text;
}

}  // namespace gpuplan
