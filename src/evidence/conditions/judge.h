// Conditions held against a log: what conditions.h does, in parts.
#pragma once

#include <string>
#include <vector>

#include "evidence/conditions/conditions.h"

namespace gpuplan {

/// Reads the tree of a condition with the values of one log. Refers to its parts, which must outlive it.
class ConditionJudge {
 public:
  ConditionJudge(const PhaseConditions& asked, const LogView& view, const std::vector<LogValue>& metrics)
      : asked_(asked), view_(view), metrics_(metrics) {}

  LogValue number(const ConditionTree& tree, int index) const;
  Judgement judge(const ConditionTree& tree, int index) const;

 private:
  static const ConditionNode& at(const ConditionTree& tree, int index) {
    return tree.nodes[static_cast<std::size_t>(index)];
  }

  LogValue named(const std::string& name) const;
  static LogValue function(SeriesFunction which, const LogValue& of);
  static LogValue arithmetic(ConditionNode::Kind kind, const LogValue& a, const LogValue& b);
  Judgement chain(const ConditionTree& tree, const ConditionNode& node) const;
  Judgement in_range(const ConditionTree& tree, const ConditionNode& node) const;
  static Judgement share_in(const LogValue& value, double low, double high, Dimension dimension, bool percent);
  Judgement falls(const ConditionTree& tree, const ConditionNode& node) const;
  Judgement finite(const ConditionTree& tree, const ConditionNode& node) const;
  Judgement reaches(const ConditionTree& tree, const ConditionNode& node) const;
  Judgement several(const ConditionTree& tree, const ConditionNode& node) const;
  /// NaN or infinite losses that the log counts beside its series.
  bool loses_numbers(const ConditionNode& node) const;

  const PhaseConditions& asked_;
  const LogView& view_;
  const std::vector<LogValue>& metrics_;
};

}  // namespace gpuplan
