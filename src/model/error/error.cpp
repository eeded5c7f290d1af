#include "model/error/error.h"

#include <algorithm>
#include <cmath>

#include "base/sorting.h"
#include "model/error/terms.h"

namespace gpuplan {
namespace {

/// log2 of a number above 1, else 0; straight between powers of two: at most 0.09 off, and the same on every machine.
double octaves(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // 0.5 ... 1
  return x > 1 ? exponent + 2 * (fraction - 1) : 0;
}

/// Position among what own runs tell of; -1: nothing.
int learned_position(const LearnedFigure& learned, const ErrorTerm& term) {
  if (term.part == ErrorPart::kConfiguration) return -1;  // every run has its own
  for (std::size_t i = 0; i < learned.labels.size(); ++i)
    if (learned.labels[i] == term) return static_cast<int>(i);
  return -1;
}

/// The terms of one prediction: positions of those that own runs tell of, and the variance of the others.
struct Split {
  std::array<std::size_t, kMostTerms> known{};
  std::size_t count = 0;
  double rest = 0;
};

Split split(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  const LearnedFigure& learned = model.learned[index_of(figure)];
  Split parts;
  for_each_term(model, figure, labels, [&](const ErrorTerm& term) {
    const int at = learned.labels.empty() ? -1 : learned_position(learned, term);
    if (at >= 0) parts.known[parts.count++] = static_cast<std::size_t>(at);
    else parts.rest += term.variance;
  });
  return parts;
}

double covariance(const LearnedFigure& learned, std::size_t i, std::size_t j) {
  return learned.covariance[i * learned.labels.size() + j];
}

/// Of a label.
double publishers_of(const ErrorLabels& labels, ErrorPart part) {
  if (part == ErrorPart::kSoftware) return labels.software_publishers;
  return part == ErrorPart::kCard ? labels.card_publishers : labels.generation_publishers;
}

constexpr std::array<std::string_view, kErrorParts> kWords = [] {
  std::array<std::string_view, kErrorParts> words{};
  const auto say = [&](ErrorPart part, std::string_view text) { words[index_of(part)] = text; };
  say(ErrorPart::kSoftware, "framework or engine");
  say(ErrorPart::kCard, "this GPU");
  say(ErrorPart::kGeneration, "its generation of GPUs");
  say(ErrorPart::kSite, "whose machines and software they are");
  say(ErrorPart::kModel, "this network");
  say(ErrorPart::kAmount, "so much work at once");
  say(ErrorPart::kConfiguration, "this one configuration");
  say(ErrorPart::kMachines, "several machines");
  say(ErrorPart::kNetwork, "network between the machines unknown");
  say(ErrorPart::kCut, "tensor or pipeline parallel");
  say(ErrorPart::kPcie, "tensor parallel over PCIe");
  say(ErrorPart::kWide, "16 GPUs and more");
  say(ErrorPart::kExperts, "mixture of experts");
  say(ErrorPart::kExpertsApart, "mixture of experts across machines");
  say(ErrorPart::kLong, "sequences of 16k tokens and more");
  say(ErrorPart::kFewTokens, "few tokens per micro-batch: CPU-bound");
  say(ErrorPart::kEightBit, "8-bit products or weights");
  say(ErrorPart::kFourBit, "4-bit products or weights");
  say(ErrorPart::kAdapters, "low-rank adapters");
  say(ErrorPart::kScores, "attention without a fused kernel");
  say(ErrorPart::kHost, "CPU-bound eager engine");
  say(ErrorPart::kOffload, "CPU offload");
  say(ErrorPart::kOld, "GPU older than Ampere");
  say(ErrorPart::kVendor, "GPU of another vendor than NVIDIA");
  say(ErrorPart::kStatic, "static batch");
  say(ErrorPart::kLargest, "largest static batch that fits");
  say(ErrorPart::kHooks, "hooks that collect activations");
  say(ErrorPart::kSpeculative, "speculative decoding");
  say(ErrorPart::kNetworks, "several or frozen models, never measured");
  say(ErrorPart::kCustom, "custom model, only totals known");
  say(ErrorPart::kAssumed, "batch or parallel degrees assumed");
  say(ErrorPart::kCrowded, "more requests at once than the engine was measured with");
  return words;
}();

}  // namespace

int model_number(double parameters) {
  constexpr double kSteps = 16;  // an octave
  return static_cast<int>(std::lround(kSteps * octaves(parameters)));
}

int amount_octave(double amount) { return static_cast<int>(std::lround(octaves(amount))); }

double prior_variance(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  double variance = 0;
  for_each_term(model, figure, labels, [&](const ErrorTerm& term) { variance += term.variance; });
  const double scale = scale_of(figure, labels);
  return variance * scale * scale;
}

ExpectedError expected_error(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  const Split parts = split(model, figure, labels);
  ExpectedError expected{0, parts.rest};
  const LearnedFigure& learned = model.learned[index_of(figure)];
  for (std::size_t a = 0; a < parts.count; ++a) {
    expected.shift += learned.mean[parts.known[a]];
    for (std::size_t b = 0; b < parts.count; ++b)
      expected.variance += covariance(learned, parts.known[a], parts.known[b]);
  }
  const double scale = scale_of(figure, labels);
  return {expected.shift * scale, expected.variance * scale * scale};
}

int own_runs_on(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  return split(model, figure, labels).count > 0 ? model.learned[index_of(figure)].runs : 0;
}

int given_on(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  return split(model, figure, labels).count > 0 ? model.learned[index_of(figure)].given : 0;
}

double ratio_variance(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& a, const ErrorLabels& b) {
  // Every factor of a joint sample weighs by the difference of its loads.
  std::vector<ErrorLoad> loads = error_loads(model, figure, a);
  double own = 0;  // what is left to each configuration
  std::erase_if(loads, [&](const ErrorLoad& load) {
    if (load.part != ErrorPart::kConfiguration || load.learned >= 0) return false;
    own += load.load * load.load;
    return true;
  });
  for (ErrorLoad other : error_loads(model, figure, b)) {
    if (other.part == ErrorPart::kConfiguration && other.learned < 0) {
      own += other.load * other.load;
      continue;
    }
    const auto same = std::ranges::find_if(loads, [&](const ErrorLoad& load) {
      return load.learned == other.learned &&
             (load.learned >= 0 || (load.part == other.part && load.label == other.label && load.more == other.more &&
                                    load.number == other.number));
    });
    if (same != loads.end()) {
      same->load -= other.load;
    } else {
      other.load = -other.load;
      loads.push_back(other);
    }
  }
  for (const ErrorLoad& load : loads) own += load.load * load.load;
  return own;
}

double variance_after(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& of, const ErrorLabels& run) {
  const double here = expected_error(model, figure, of).variance;
  const double there = expected_error(model, figure, run).variance;
  if (here <= 0 || there <= 0) return here;
  const double shared = (here + there - ratio_variance(model, figure, of, run)) / 2;
  return std::max(0.0, here - shared * shared / there);
}

std::vector<ErrorShare> error_shares(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  const LearnedFigure& learned = model.learned[index_of(figure)];
  const Split parts = split(model, figure, labels);
  const double scale = scale_of(figure, labels);
  std::vector<ErrorShare> shares;
  for_each_term(model, figure, labels, [&](const ErrorTerm& term) {
    const int at = learned.labels.empty() ? -1 : learned_position(learned, term);
    double variance = at < 0 ? term.variance : 0;
    for (std::size_t b = 0; at >= 0 && b < parts.count; ++b)
      variance += covariance(learned, static_cast<std::size_t>(at), parts.known[b]);
    variance *= scale * scale;
    if (!shares.empty() && shares.back().part == term.part) shares.back().variance += variance;
    else shares.push_back({term.part, variance});
  });
  sort_stably(shares, std::greater<>{}, &ErrorShare::variance);
  return shares;
}

std::string_view words_of(ErrorPart part) { return kWords[index_of(part)]; }

std::string_view regime_of(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  double most = 0;
  std::string_view words = "no special circumstance";
  for_each_term(model, figure, labels, [&](const ErrorTerm& term) {
    if ((term.part >= ErrorPart::kSite && term.part <= ErrorPart::kConfiguration) || term.variance <= most) return;
    if (term.part <= ErrorPart::kGeneration && publishers_of(labels, term.part) > 0) return;
    most = term.variance;
    words = term.part == ErrorPart::kSoftware     ? "a framework or engine without measured runs"
            : term.part == ErrorPart::kCard       ? "no run measured on this GPU"
            : term.part == ErrorPart::kGeneration ? "no run measured on such hardware"
                                                  : words_of(term.part);
  });
  return words;
}

std::vector<ErrorLoad> error_loads(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  const LearnedFigure& learned = model.learned[index_of(figure)];
  const std::size_t size = learned.labels.size();
  const double scale = scale_of(figure, labels);
  std::vector<ErrorLoad> loads;
  for_each_term(model, figure, labels, [&](const ErrorTerm& term) {
    if (size == 0 || learned_position(learned, term) < 0)
      loads.push_back({term.part, term.label, term.more, term.number, -1, scale * std::sqrt(term.variance)});
  });
  const Split parts = split(model, figure, labels);
  for (std::size_t factor = 0; factor < size && parts.count > 0; ++factor) {
    double load = 0;
    for (std::size_t a = 0; a < parts.count; ++a) load += learned.root[parts.known[a] * size + factor];
    if (load != 0) loads.push_back({ErrorPart::kSite, {}, {}, 0, static_cast<int>(factor), scale * load});
  }
  return loads;
}

std::vector<ErrorLoad> unit_error_loads(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels) {
  std::vector<ErrorLoad> loads = error_loads(model, figure, labels);
  double variance = 0;
  for (const ErrorLoad& load : loads) variance += load.load * load.load;
  if (variance <= 0) return {};
  for (ErrorLoad& load : loads) load.load /= std::sqrt(variance);
  return loads;
}

}  // namespace gpuplan
