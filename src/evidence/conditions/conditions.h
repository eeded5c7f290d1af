// The metrics and `succeed_when` of a phase: understood when the job is read, judged by the log of a run.
// docs/check.md explains the language.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "domain/work/phase.h"
#include "evidence/conditions/log_quantity.h"
#include "evidence/conditions/syntax.h"

namespace gpuplan {

/// kUndecided: the log does not say what it would take to know. It counts as not passed.
enum class Holds { kYes, kNo, kUndecided };
template <>
struct Names<Holds> {
  static constexpr std::array entries = {
      Named<Holds>{Holds::kYes, "passed"},
      Named<Holds>{Holds::kNo, "not passed"},
      Named<Holds>{Holds::kUndecided, "not decided"},
  };
};

/// One condition, judged.
struct Judgement {
  std::string condition{};  ///< as the job has it
  Holds holds = Holds::kUndecided;
  std::string words{};  ///< the values and what was asked of them
  /// How far the value is from the nearest that would do, as a share of that; nullopt: no one number says it.
  std::optional<double> missed_by{};
  std::optional<double> more_steps{};  ///< until it would do, if it goes on as in its last half
  bool below = false;                  ///< it is too small
  std::string name{};                  ///< of the quantity that missed, where it is one
  bool no_number = false;              ///< it may be missed only because a value is not a number
};

/// What a metric of the job comes to.
struct MetricValue {
  std::string name;
  std::optional<double> first, last, end;  ///< nullopt: the log does not say
  std::size_t count = 0;                   ///< values met
};

/// The parts of a phase that a log is searched for, and what is asked of them.
class PhaseConditions {
 public:
  /// Which of the texts is wrong, and how: one line that quotes it.
  struct Problem {
    enum class In { kMetrics, kConditions } in = In::kConditions;
    std::size_t index = 0;
    std::string message;
  };
  static std::expected<PhaseConditions, Problem> read(const Phase& phase);

  /// Metrics that are regular expressions: name and pattern; the others are formulas.
  std::vector<std::pair<std::string, std::string>> patterns() const;
  bool is_pattern(std::size_t metric) const { return !metrics_[metric].formula.has_value(); }
  bool empty() const { return conditions_.empty(); }

  std::vector<Judgement> judge(const LogView& view) const;
  std::vector<MetricValue> metrics(const LogView& view) const;

  static constexpr std::size_t kMostMetrics = 64, kMostConditions = 64;

 private:
  friend class ConditionJudge;
  struct MetricText {
    std::string name, text;
    std::optional<ConditionTree> formula;
  };
  /// The dimension of a name; nullopt: there is none of that name.
  std::optional<Dimension> dimension_of(std::string_view name) const;
  std::string unknown_name(std::string_view name) const;
  std::optional<Problem> order_formulas();
  std::string check(ConditionTree& tree, bool formula) const;
  const MetricText* metric(std::string_view name) const;
  std::vector<LogValue> metric_values(const LogView& view) const;

  std::vector<MetricText> metrics_;
  std::vector<std::size_t> order_;     ///< of the formulas: each after those that it needs
  std::vector<Dimension> dimensions_;  ///< of metrics
  std::vector<ConditionTree> conditions_;
};

}  // namespace gpuplan
