// The answer to "which GPUs should I rent": it owns all that it shows.
#pragma once

#include <memory>
#include <vector>

#include "api/questions/question.h"
#include "output/answer/plan_json.h"

namespace gpuplan::api {

struct PlanLook {
  bool compare_given = false;  ///< work out the job's own figures and the model's, side by side
  std::string command{};       ///< PlanReport::command; empty: as it is
};

/// Told how many of the variants are worked out, first 0 of them; may be empty.
using VariantProgress = void (*)(void* context, int done, int all);

class PlanAnswer {
 public:
  PlanAnswer(const PlanAnswer&) = delete;
  PlanAnswer& operator=(const PlanAnswer&) = delete;
  PlanAnswer(PlanAnswer&&) noexcept;
  PlanAnswer& operator=(PlanAnswer&&) noexcept;
  ~PlanAnswer();

  /// Sentences and tables are made from it. Lives as long as the answer, wherever that is moved.
  PlanReport& report();
  const PlanReport& report() const;
  const Searched& searched() const;
  const Question& question() const;
  const JobSource& source() const;
  Verdict verdict() const;
  /// What would make something fit, where nothing does; empty where something does.
  const std::vector<Remedy>& remedies() const;

  /// The document "gpuplan/plan@1"; `look` says the rest of what is in it.
  std::string json(PlanJsonLook look) const;

 private:
  struct Parts;
  explicit PlanAnswer(std::unique_ptr<Parts> parts);
  friend Result<PlanAnswer> ask_plan(const Request&, const Catalogue&, const PlanLook&, VariantProgress, void*);
  std::unique_ptr<Parts> parts_;
};

/// Reads the question and searches for the job and each of its variants. `catalogue` must outlive the answer. Fails for
/// wrong input; that nothing fits is an answer.
Result<PlanAnswer> ask_plan(const Request& request, const Catalogue& catalogue, const PlanLook& look = {},
                            VariantProgress progress = nullptr, void* context = nullptr);

}  // namespace gpuplan::api
