// The parts that the error of one prediction has, one after the other.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "domain/facts/error_model.h"

namespace gpuplan {

/// One part with its label or number; a generation's label is in two halves.
struct ErrorTerm {
  ErrorPart part = ErrorPart::kSite;
  std::string_view label{}, more{};
  double variance = 0;  ///< before any own run
  int number = 0;
};

/// Amounts are laid out on two rows of cells, each two octaves wide and one shifted against the other by one, so that
/// two amounts share both halves of the part, one, or none, as they are close (Albus 1975).
inline std::array<int, 2> amount_cells(int octave) { return {octave / 2 * 2, (octave + 1) / 2 * 2 + 1}; }

inline bool operator==(const LearnedLabel& known, const ErrorTerm& term) {
  if (known.part != term.part || known.number != term.number) return false;
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

/// Of the error that a label brings along, after `publishers` of measured runs: each shows the label's error through
/// what its own site adds, so that what is not known of it falls as the mean of so many readings does (the normal
/// posterior).
inline double label_variance(const ErrorComponent& component, double publishers, double site) {
  const double known = component.deviation * component.deviation;
  const double unknown = component.unmeasured * component.unmeasured - known;
  if (!(unknown > 0)) return known;
  if (!(publishers > 0)) return known + unknown;
  const double noise = site * site;
  return known + (noise > 0 ? unknown * noise / (noise + publishers * unknown) : 0);
}

/// Calls `use(term)` for every part that the figure knows and the run has, in the order of ErrorPart, before
/// scale_of().
template <class Use>
void for_each_term(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels, const Use& use) {
  const auto& components = model.components[index_of(figure)];
  const double site = components[index_of(ErrorPart::kSite)].deviation;
  const auto tell_label = [&](ErrorPart part, double publishers, std::string_view label, std::string_view more) {
    const double variance = label_variance(components[index_of(part)], publishers, site);
    if (variance > 0) use(ErrorTerm{part, label, more, variance});
  };
  const auto tell = [&](ErrorPart part) {
    if (const double each = components[index_of(part)].deviation; each > 0) use(ErrorTerm{part, {}, {}, each * each});
  };
  tell_label(ErrorPart::kSoftware, labels.software_publishers, labels.software, {});
  tell_label(ErrorPart::kCard, labels.card_publishers, labels.card, {});
  tell_label(ErrorPart::kGeneration, labels.generation_publishers, labels.architecture, labels.memory_type);
  tell(ErrorPart::kSite);
  if (const double each = components[index_of(ErrorPart::kModel)].deviation; each > 0)
    use(ErrorTerm{ErrorPart::kModel, {}, {}, each * each, labels.model});
  if (const double both = components[index_of(ErrorPart::kAmount)].deviation; both > 0)
    for (const int cell : amount_cells(labels.amount))
      use(ErrorTerm{ErrorPart::kAmount, {}, {}, both * both / 2, cell});
  const double deviation = components[index_of(ErrorPart::kConfiguration)].deviation;
  if (deviation > 0)
    use(ErrorTerm{ErrorPart::kConfiguration, {}, {}, deviation * deviation * wider_at(model, figure, labels)});
  for (std::uint32_t left = labels.circumstances; left != 0; left &= left - 1)
    tell(static_cast<ErrorPart>(std::countr_zero(left)));
}

/// A run has at most the labelled ones, one of them twice, and one bit each.
inline constexpr std::size_t kMostTerms = kErrorParts + 1;

}  // namespace gpuplan
