// What own runs tell of the errors that they share with predictions: a Gaussian update of independent parts, with noise
// of heavy tails, so that an odd run counts for little (Lange, Little and Taylor 1989, robust estimation with t noise).
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math.h"
#include "model/error/error.h"
#include "model/error/terms.h"

namespace gpuplan {
namespace {

constexpr double kTails = 4;  // degrees of freedom of the noise of single runs

/// A square matrix, row by row.
struct Square {
  std::size_t size = 0;
  std::vector<double> cells;
  explicit Square(std::size_t n) : size(n), cells(n * n, 0.0) {}
  double& at(std::size_t i, std::size_t j) { return cells[i * size + j]; }
  double at(std::size_t i, std::size_t j) const { return cells[i * size + j]; }
};

/// Lower triangle L with L L' = matrix. What rounding makes negative counts as nothing.
Square root_of(const Square& matrix) {
  Square root(matrix.size);
  for (std::size_t j = 0; j < matrix.size; ++j) {
    double diagonal = matrix.at(j, j);
    for (std::size_t k = 0; k < j; ++k) diagonal -= root.at(j, k) * root.at(j, k);
    root.at(j, j) = diagonal > 1e-12 * matrix.at(j, j) ? std::sqrt(diagonal) : 0;
    for (std::size_t i = j + 1; i < matrix.size && root.at(j, j) > 0; ++i) {
      double sum = matrix.at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= root.at(i, k) * root.at(j, k);
      root.at(i, j) = sum / root.at(j, j);
    }
  }
  return root;
}

/// The inverse of a positive definite matrix.
Square inverse_of(const Square& matrix) {
  const Square root = root_of(matrix);
  const std::size_t n = matrix.size;
  Square lower(n);  // the inverse of the root
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      double sum = i == j ? 1 : 0;
      for (std::size_t k = j; k < i; ++k) sum -= root.at(i, k) * lower.at(k, j);
      lower.at(i, j) = sum / root.at(i, i);
    }
  Square inverse(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = std::max(i, j); k < n; ++k) inverse.at(i, j) += lower.at(k, i) * lower.at(k, j);
  return inverse;
}

/// One figure of all runs that state it: which labels each has, its error, and the variance of its own.
struct Problem {
  std::vector<LearnedLabel> labels;
  std::vector<double> prior;  ///< variance of each label
  std::vector<std::vector<std::size_t>> of_run;
  std::vector<double> error, noise;
};

Problem problem_of(const ErrorModel& model, ErrorFigure figure, const std::vector<OwnRun>& runs) {
  Problem problem;
  for (const OwnRun& run : runs) {
    if (!run.states[index_of(figure)]) continue;
    std::vector<std::size_t> has;
    double noise = 0;
    for_each_term(model, figure, run.labels, [&](const ErrorTerm& term) {
      if (term.part == ErrorPart::kConfiguration) {
        noise += term.variance;
        return;
      }
      const auto known = std::ranges::find_if(problem.labels, [&](const LearnedLabel& one) { return one == term; });
      has.push_back(static_cast<std::size_t>(known - problem.labels.begin()));
      if (known != problem.labels.end()) return;
      std::string label(term.label);
      if (!term.more.empty()) label += "/" + std::string(term.more);
      problem.labels.push_back({term.part, std::move(label)});
      problem.prior.push_back(term.variance);
    });
    constexpr double kLeast = 1e-6;  // no two runs are the same
    problem.of_run.push_back(std::move(has));
    problem.error.push_back(run.error[index_of(figure)]);
    problem.noise.push_back(std::max(noise, kLeast));
  }
  return problem;
}

/// Mean and variance of what a single run shares with others, of variance `prior` beforehand, when the run is off by
/// `error` and has noise of its own. By a grid: of one run nobody can say whether it is odd or everything is.
std::pair<double, double> single(double error, double prior, double noise) {
  constexpr int kSteps = 240;
  const double width = std::max(6 * std::sqrt(prior), std::abs(error) + 6 * std::sqrt(noise));
  double sum = 0, first = 0, second = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double shared = width * (2.0 * i / kSteps - 1);
    const double left = (error - shared) * (error - shared) / noise;
    const double density =
        math::exp(-shared * shared / (2 * prior)) * math::exp(-(kTails + 1) / 2 * math::log(1 + left / kTails));
    sum += density;
    first += density * shared;
    second += density * shared * shared;
  }
  const double mean = first / sum;
  return {mean, std::max(0.0, second / sum - mean * mean)};
}

LearnedFigure solve_single(Problem problem) {
  LearnedFigure learned;
  double prior = 0;
  for (const std::size_t at : problem.of_run.front()) prior += problem.prior[at];
  if (prior <= 0) return learned;
  const auto [mean, variance] = single(problem.error.front(), prior, problem.noise.front());
  const std::size_t n = problem.labels.size();
  Square covariance(n);
  for (std::size_t i = 0; i < n; ++i) {
    learned.mean.push_back(problem.prior[i] / prior * mean);
    for (std::size_t j = 0; j < n; ++j)
      covariance.at(i, j) =
          (i == j ? problem.prior[i] : 0) - problem.prior[i] * problem.prior[j] / prior * (1 - variance / prior);
  }
  learned.root = root_of(covariance).cells;
  learned.covariance = std::move(covariance.cells);
  learned.labels = std::move(problem.labels);
  learned.runs = 1;
  return learned;
}

LearnedFigure solve(Problem problem) {
  const std::size_t runs = problem.error.size();
  if (runs == 0 || problem.labels.empty()) return {};
  if (runs == 1) return solve_single(std::move(problem));
  const std::size_t n = problem.labels.size();
  Square shared(runs);  // variance that two runs have in common
  for (std::size_t i = 0; i < runs; ++i)
    for (std::size_t j = 0; j < runs; ++j)
      for (const std::size_t label : problem.of_run[i])
        if (std::ranges::find(problem.of_run[j], label) != problem.of_run[j].end())
          shared.at(i, j) += problem.prior[label];
  std::vector<double> weight(runs, 1.0), pull(runs, 0.0);
  Square inverse(runs);
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    Square total = shared;
    for (std::size_t i = 0; i < runs; ++i) total.at(i, i) += problem.noise[i] / weight[i];
    inverse = inverse_of(total);
    for (std::size_t i = 0; i < runs; ++i) {
      pull[i] = 0;
      for (std::size_t j = 0; j < runs; ++j) pull[i] += inverse.at(i, j) * problem.error[j];
    }
    if (round + 1 == kRounds) break;
    for (std::size_t i = 0; i < runs; ++i) {
      // Error of the run as the others predict it, exactly (Sundararajan and Keerthi 2001).
      const double variance = 1 / inverse.at(i, i);
      const double residual = pull[i] * variance;
      weight[i] = std::clamp((kTails + 1) / (kTails + residual * residual / variance), 0.02, 1.25);
    }
  }
  LearnedFigure learned;
  learned.mean.assign(n, 0.0);
  Square covariance(n);
  std::vector<std::vector<double>> spread(n, std::vector<double>(runs, 0.0));  // prior x labels' runs
  for (std::size_t i = 0; i < runs; ++i)
    for (const std::size_t label : problem.of_run[i]) {
      spread[label][i] = problem.prior[label];
      learned.mean[label] += problem.prior[label] * pull[i];
    }
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<double> through(runs, 0.0);
    for (std::size_t i = 0; i < runs; ++i)
      for (std::size_t j = 0; j < runs; ++j) through[i] += inverse.at(i, j) * spread[a][j];
    for (std::size_t b = 0; b < n; ++b) {
      double sum = a == b ? problem.prior[a] : 0;
      for (std::size_t i = 0; i < runs; ++i) sum -= through[i] * spread[b][i];
      covariance.at(a, b) = sum;
    }
  }
  learned.root = root_of(covariance).cells;
  learned.covariance = std::move(covariance.cells);
  learned.labels = std::move(problem.labels);
  learned.runs = static_cast<int>(runs);
  return learned;
}

}  // namespace

void learn(ErrorModel& model, const std::vector<OwnRun>& runs) {
  const std::size_t first = runs.size() > kMostOwnRuns ? runs.size() - kMostOwnRuns : 0;
  const std::vector<OwnRun> newest(runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end());
  for (const auto& entry : Names<ErrorFigure>::entries)
    model.learned[index_of(entry.value)] = solve(problem_of(model, entry.value, newest));
  model.own_runs = static_cast<int>(newest.size());
}

}  // namespace gpuplan
