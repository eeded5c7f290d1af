// gpuplan for C++ programs: which GPUs to rent for a job, what they cost and how long they take.
//
//   #include <gpuplan/gpuplan.h>
//   const auto reply = gpuplan::plan(*gpuplan::Facts::built_in(), {.job = "phases: ..."});
//
// Needs nothing but the standard library. Nothing here throws but for want of memory.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuplan {

struct Catalogue;

/// Wrong input: what, where, what was expected and what to do, in one line.
struct Problem {
  std::string message;
  std::string file;          ///< as the question names it; empty: the question itself
  int line = 0, column = 0;  ///< counted from 1; 0: unknown
};

/// Hardware, prices, models and the constants of the model. Cheap to copy; may be shared by threads.
class Facts {
 public:
  /// The tables compiled in.
  static std::expected<Facts, Problem> built_in();
  /// Tables in place of those of the same name: {"offers.csv", its text}.
  static std::expected<Facts, Problem> with(const std::vector<std::pair<std::string, std::string>>& tables);

  const Catalogue& catalogue() const { return *catalogue_; }

 private:
  explicit Facts(std::shared_ptr<const Catalogue> catalogue) : catalogue_(std::move(catalogue)) {}
  std::shared_ptr<const Catalogue> catalogue_;
};

struct PlanQuestion {
  std::string job{};             ///< a job file (YAML or JSON) or a kept plan; empty: `flags` ask
  std::string job_name = "job";  ///< what messages call it
  /// Flags of `gpuplan plan` about the work and about wishes: {"model", "Qwen2.5-7B"}, {"gpu", "H100"}.
  std::vector<std::pair<std::string, std::string>> flags{};
  std::vector<std::string> set{};                             ///< changes of the job: "samples=x2"
  std::vector<std::pair<std::string, std::string>> prices{};  ///< price lists, the whole market: name, CSV
  std::vector<std::string> rates{};                           ///< "EUR=1.08"
  std::string as_of{};                                        ///< "2026-01": the market as it was known then
  bool ignore_given = false;  ///< let the model answer where the job brings figures of its own
  int threads = 1;
  std::uint64_t seed = 1;  ///< the same seed gives the same plans, whatever the threads
};

/// 80 % of outcomes lie between the ends.
struct Range {
  double p10 = 0, p50 = 0, p90 = 0;
};

struct PlanSummary {
  std::string id;    ///< "5f0c2a91": of everything that tells two plans apart
  std::string name;  ///< "8x H100 SXM (lambda)"
  int gpus = 0;
  bool spot = false;
  bool keeps_limits = true;  ///< deadline, budget and targets
  bool on_frontier = false;  ///< no other plan is both faster and cheaper
  Range hours, dollars;
};

enum class PlanOutcome { kFound, kMissesLimits, kNothingFits };

/// Owns all that it shows, its facts too.
class PlanReply {
 public:
  PlanReply(PlanReply&&) noexcept;
  PlanReply& operator=(PlanReply&&) noexcept;
  ~PlanReply();

  PlanOutcome outcome() const;
  std::vector<PlanSummary> plans() const;  ///< the frontier by cost, then the others, the nearest to it first
  std::optional<PlanSummary> pick() const;
  std::vector<std::string> why() const;       ///< the pick and its reasons, or why nothing fits: a sentence each
  std::string text(int columns = 120) const;  ///< what `gpuplan plan` prints, without the command to type next
  std::string json(bool all = false) const;   ///< the document "gpuplan/plan@1"

 private:
  struct Parts;
  explicit PlanReply(std::unique_ptr<Parts> parts);
  friend std::expected<PlanReply, Problem> plan(const Facts&, const PlanQuestion&);
  std::unique_ptr<Parts> parts_;
};

/// Fails for wrong input. That nothing fits is an answer.
std::expected<PlanReply, Problem> plan(const Facts& facts, const PlanQuestion& question);

/// Any question as JSON, answered as JSON (gpuplan/ask.h).
std::string ask(std::string_view json);

std::string_view version();  ///< "0.1.0"

}  // namespace gpuplan
