// The parts that the error of one prediction has, one after the other.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "domain/facts/error_model.h"

namespace gpuplan {

/// One part with its label; a generation's is in two halves.
struct ErrorTerm {
  ErrorPart part = ErrorPart::kSite;
  std::string_view label{}, more{};
  double variance = 0;  ///< before any own run
};

inline bool operator==(const LearnedLabel& known, const ErrorTerm& term) {
  if (known.part != term.part) return false;
  const std::string_view label = known.label;
  if (term.more.empty()) return label == term.label;
  const std::size_t half = term.label.size();
  return label.size() == half + 1 + term.more.size() && label.starts_with(term.label) && label[half] == '/' &&
         label.ends_with(term.more);
}

/// What the deviations of a figure are multiplied by in such a run.
inline double scale_of(ErrorFigure figure, const ErrorLabels& labels) {
  switch (figure) {
    case ErrorFigure::kMemory:
    case ErrorFigure::kServingMemory:
      return labels.memory_scale;
    case ErrorFigure::kFirstToken:
      return labels.first_scale;
    default:
      return 1;
  }
}

/// How much larger the variance of one configuration is where runs of such a setup contradict each other; else 1.
inline double wider_at(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  for (const UnsteadySetup& setup : model.learned[index_of(figure)].unsteady)
    if (setup.is(labels.software, labels.card)) return setup.wider;
  return 1;
}

/// Calls `use(term)` for every part that the figure knows and the run has, in the order of ErrorPart, before
/// scale_of().
template <class Use>
void for_each_term(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels, const Use& use) {
  const auto& components = model.components[index_of(figure)];
  const auto tell = [&](ErrorPart part, bool measured, std::string_view label, std::string_view more) {
    const ErrorComponent& component = components[index_of(part)];
    const double deviation = measured ? component.deviation : component.unmeasured;
    if (deviation > 0) use(ErrorTerm{part, label, more, deviation * deviation});
  };
  tell(ErrorPart::kSoftware, labels.software_measured, labels.software, {});
  tell(ErrorPart::kCard, labels.card_measured, labels.card, {});
  tell(ErrorPart::kGeneration, labels.card_measured, labels.architecture, labels.memory_type);
  tell(ErrorPart::kSite, true, {}, {});
  const double deviation = components[index_of(ErrorPart::kConfiguration)].deviation;
  if (deviation > 0)
    use(ErrorTerm{ErrorPart::kConfiguration, {}, {}, deviation * deviation * wider_at(model, figure, labels)});
  for (std::uint32_t left = labels.circumstances; left != 0; left &= left - 1)
    tell(static_cast<ErrorPart>(std::countr_zero(left)), true, {}, {});
}

/// A run has at most the labelled ones and one bit each.
inline constexpr std::size_t kMostTerms = kErrorParts;

}  // namespace gpuplan
