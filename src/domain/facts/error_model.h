// What the error of a prediction is made of. ln(measured / predicted) is a sum of independent normal parts; runs that
// have a label of a part in common (the same card, say) have that part of their errors in common, which cancels when
// they are compared and is learned from one of them. Rows of data/error_components.csv; what comes of them stands in
// model/error/error.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/unset.h"

namespace gpuplan {

/// What is predicted; each has numbers of its own. Rate: generated tokens a second. Prefill: prompts read with nothing
/// else under way.
enum class ErrorFigure { kTime, kMemory, kRate, kPrefill, kPerToken, kFirstToken, kServingMemory };
template <>
struct Names<ErrorFigure> {
  static constexpr std::array entries = {
      Named<ErrorFigure>{ErrorFigure::kTime, "time"},
      Named<ErrorFigure>{ErrorFigure::kMemory, "memory"},
      Named<ErrorFigure>{ErrorFigure::kRate, "rate"},
      Named<ErrorFigure>{ErrorFigure::kPrefill, "prefill"},
      Named<ErrorFigure>{ErrorFigure::kPerToken, "tpot"},
      Named<ErrorFigure>{ErrorFigure::kFirstToken, "ttft"},
      Named<ErrorFigure>{ErrorFigure::kServingMemory, "generation_memory"},
  };
};
inline constexpr std::size_t kErrorFigures = Names<ErrorFigure>::entries.size();

/// The first three have a label: whose framework, card and generation of hardware it is. Everybody's site is one to
/// himself. Model and amount have a number: of the network, and of the tokens or sequences that are at work at once.
/// The configuration is what is left to a single run. The others are circumstances, which a run has or not.
enum class ErrorPart {
  kSoftware,
  kCard,
  kGeneration,
  kSite,
  kModel,
  kAmount,
  kConfiguration,
  kMachines,
  kNetwork,
  kCut,
  kPcie,
  kWide,
  kExperts,
  kExpertsApart,
  kLong,
  kFewTokens,
  kEightBit,
  kFourBit,
  kAdapters,
  kScores,
  kHost,
  kOffload,
  kOld,
  kVendor,
  kStatic,
  kLargest,
  kHooks,
  kSpeculative,
  kNetworks,
  kCustom,
  kAssumed,
  kCrowded
};
template <>
struct Names<ErrorPart> {
  static constexpr std::array entries = {
      Named<ErrorPart>{ErrorPart::kSoftware, "software"},
      Named<ErrorPart>{ErrorPart::kCard, "card"},
      Named<ErrorPart>{ErrorPart::kGeneration, "generation"},
      Named<ErrorPart>{ErrorPart::kSite, "site"},
      Named<ErrorPart>{ErrorPart::kModel, "model"},
      Named<ErrorPart>{ErrorPart::kAmount, "amount"},
      Named<ErrorPart>{ErrorPart::kConfiguration, "configuration"},
      Named<ErrorPart>{ErrorPart::kMachines, "machines"},
      Named<ErrorPart>{ErrorPart::kNetwork, "network"},
      Named<ErrorPart>{ErrorPart::kCut, "cut"},
      Named<ErrorPart>{ErrorPart::kPcie, "pcie"},
      Named<ErrorPart>{ErrorPart::kWide, "wide"},
      Named<ErrorPart>{ErrorPart::kExperts, "experts"},
      Named<ErrorPart>{ErrorPart::kExpertsApart, "experts_apart"},
      Named<ErrorPart>{ErrorPart::kLong, "long"},
      Named<ErrorPart>{ErrorPart::kFewTokens, "few_tokens"},
      Named<ErrorPart>{ErrorPart::kEightBit, "eight_bit"},
      Named<ErrorPart>{ErrorPart::kFourBit, "four_bit"},
      Named<ErrorPart>{ErrorPart::kAdapters, "adapters"},
      Named<ErrorPart>{ErrorPart::kScores, "scores"},
      Named<ErrorPart>{ErrorPart::kHost, "host"},
      Named<ErrorPart>{ErrorPart::kOffload, "offload"},
      Named<ErrorPart>{ErrorPart::kOld, "old"},
      Named<ErrorPart>{ErrorPart::kVendor, "vendor"},
      Named<ErrorPart>{ErrorPart::kStatic, "static"},
      Named<ErrorPart>{ErrorPart::kLargest, "largest"},
      Named<ErrorPart>{ErrorPart::kHooks, "hooks"},
      Named<ErrorPart>{ErrorPart::kSpeculative, "speculative"},
      Named<ErrorPart>{ErrorPart::kNetworks, "networks"},
      Named<ErrorPart>{ErrorPart::kCustom, "custom"},
      Named<ErrorPart>{ErrorPart::kAssumed, "assumed"},
      Named<ErrorPart>{ErrorPart::kCrowded, "crowded"},
  };
};
inline constexpr std::size_t kErrorParts = Names<ErrorPart>::entries.size();

constexpr std::size_t index_of(ErrorFigure figure) { return static_cast<std::size_t>(figure); }
constexpr std::size_t index_of(ErrorPart part) { return static_cast<std::size_t>(part); }

/// So many publishers that one more would tell nothing.
inline constexpr double kAmple = 1e15;

/// Whose errors a run shares. Views of names that the catalogue holds.
struct ErrorLabels {
  std::uint32_t circumstances = 0;                 ///< a bit for each part that is one
  std::string_view software{};                     ///< framework or engine
  std::string_view card{};                         ///< GPU product
  std::string_view architecture{}, memory_type{};  ///< the generation of hardware: both together
  int model = 0;                                   ///< which network, by its parameters: model_number()
  int amount = 0;                                  ///< of tokens or sequences at work at once: amount_octave()
  /// How many publishers' runs with such a label took part in the fit.
  double software_publishers = kAmple, card_publishers = kAmple, generation_publishers = kAmple;
  double memory_scale = 1;  ///< of deviations of memory: part of it is known to the byte
  double first_scale = 1;   ///< of those of the time to first token: part of it is the own prompt

  void add(bool applies, ErrorPart part) {
    if (applies) circumstances |= std::uint32_t{1} << static_cast<unsigned>(part);
  }
  bool has(ErrorPart part) const { return ((circumstances >> static_cast<unsigned>(part)) & 1U) != 0; }
};

/// Standard deviations of ln(measured / predicted). 0: the figure does not know such a part.
struct ErrorComponent {
  double deviation = kUnset;   ///< of a label, where any number of publishers have measured it
  double unmeasured = kUnset;  ///< where no run with such a label took part in the fit; of labelled parts only

  bool operator==(const ErrorComponent&) const = default;
};

/// One label of a part, of whose error something is known.
struct LearnedLabel {
  ErrorPart part = ErrorPart::kSite;
  std::string label;  ///< "" for a site, for circumstances and for what has a number
  int number = 0;     ///< of a model and of an amount

  bool operator==(const LearnedLabel&) const = default;
};

/// A software on a card whose runs contradict each other.
struct UnsteadySetup {
  std::string software, card;
  double wider = 1;  ///< variance of one configuration there, over that of others

  bool is(std::string_view its_software, std::string_view its_card) const {
    return software == its_software && card == its_card;
  }
  bool operator==(const UnsteadySetup&) const = default;
};

/// What own runs tell of one figure: the joint normal distribution of the errors that they share with predictions.
struct LearnedFigure {
  std::vector<LearnedLabel> labels;
  std::vector<double> mean;        ///< of ln(measured / predicted)
  std::vector<double> covariance;  ///< labels x labels, row by row
  std::vector<double> root;        ///< lower triangle L with L L' = covariance
  std::vector<UnsteadySetup> unsteady;
  int runs = 0;   ///< that state the figure
  int given = 0;  ///< figures of the job that do

  bool operator==(const LearnedFigure&) const = default;
};

struct ErrorModel {
  std::array<std::array<ErrorComponent, kErrorParts>, kErrorFigures> components{};
  std::array<LearnedFigure, kErrorFigures> learned{};  ///< empty unless the user has runs of his own
  int own_runs = 0;                                    ///< that it was learned from

  const ErrorComponent& component(ErrorFigure figure, ErrorPart part) const {
    return components[index_of(figure)][index_of(part)];
  }
  bool operator==(const ErrorModel&) const = default;
};

}  // namespace gpuplan
