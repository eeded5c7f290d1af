// What own runs tell of the errors that they share with predictions: a Gaussian update of independent parts, with noise
// of heavy tails, so that an odd run counts for little (Lange, Little and Taylor 1989, robust estimation with t noise).
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/math.h"
#include "base/sorting.h"
#include "model/error/error.h"
#include "model/error/terms.h"

namespace gpuplan {
namespace {

constexpr double kTails = 4;  // degrees of freedom of the noise of single runs
// Variance of that noise's scale over that of the normal distribution with the same 80 % range: (1.282 / 1.533)^2.
constexpr double kTailScale = 0.699;

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
  std::vector<double> mean;           ///< of each label, before these runs
  Square prior{0};                    ///< covariance of the labels before them
  std::vector<UnsteadySetup> setups;  ///< each software on each card that a run is of
  std::vector<std::size_t> setup;     ///< of each run
  std::vector<std::vector<std::size_t>> of_run;
  std::vector<double> error, noise;
};

/// `model` holds what was learned before.
Problem problem_of(const ErrorModel& model, ErrorFigure figure, const std::vector<OwnRun>& runs) {
  const LearnedFigure& known = model.learned[index_of(figure)];
  const std::size_t before = known.labels.size();
  Problem problem;
  problem.labels = known.labels;
  problem.mean = known.mean;
  std::vector<double> fresh;  // variances of labels that nothing is known of yet
  for (const OwnRun& run : runs) {
    if (!run.states[index_of(figure)]) continue;
    std::vector<std::size_t> has;
    const double scale = scale_of(figure, run.labels);
    double noise = run.noise / (scale * scale);
    for_each_term(model, figure, run.labels, [&](const ErrorTerm& term) {
      if (term.part == ErrorPart::kConfiguration) {
        noise += kTailScale * term.variance;
        return;
      }
      const auto same = std::ranges::find_if(problem.labels, [&](const LearnedLabel& one) { return one == term; });
      has.push_back(static_cast<std::size_t>(same - problem.labels.begin()));
      if (same != problem.labels.end()) return;
      std::string label(term.label);
      if (!term.more.empty()) label += "/" + std::string(term.more);
      problem.labels.push_back({term.part, std::move(label), term.number});
      problem.mean.push_back(0);
      fresh.push_back(term.variance);
    });
    const auto same = std::ranges::find_if(
        problem.setups, [&](const UnsteadySetup& one) { return one.is(run.labels.software, run.labels.card); });
    problem.setup.push_back(static_cast<std::size_t>(same - problem.setups.begin()));
    if (same == problem.setups.end())
      problem.setups.push_back({std::string(run.labels.software), std::string(run.labels.card), 1});
    double error = run.error[index_of(figure)] / scale;
    for (const std::size_t label : has) error -= problem.mean[label];
    constexpr double kLeast = 1e-6;  // no two runs are the same
    problem.of_run.push_back(std::move(has));
    problem.error.push_back(error);
    problem.noise.push_back(std::max(noise, kLeast));
  }
  problem.prior = Square(problem.labels.size());
  for (std::size_t i = 0; i < problem.labels.size(); ++i)
    for (std::size_t j = 0; j < problem.labels.size(); ++j) {
      double& cell = problem.prior.at(i, j);
      if (i < before && j < before) cell = known.covariance[i * before + j];
      else if (i == j) cell = fresh[i - before];
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

/// Covariance of each label with the error that each run shares.
std::vector<std::vector<double>> spread_of(const Problem& problem) {
  std::vector<std::vector<double>> spread(problem.labels.size(), std::vector<double>(problem.of_run.size(), 0.0));
  for (std::size_t label = 0; label < spread.size(); ++label)
    for (std::size_t i = 0; i < problem.of_run.size(); ++i)
      for (const std::size_t other : problem.of_run[i]) spread[label][i] += problem.prior.at(label, other);
  return spread;
}

LearnedFigure learned_of(Problem problem, Square covariance) {
  LearnedFigure learned;
  learned.root = root_of(covariance).cells;
  learned.covariance = std::move(covariance.cells);
  learned.labels = std::move(problem.labels);
  learned.mean = std::move(problem.mean);
  return learned;
}

LearnedFigure solve_single(Problem problem) {
  const auto spread = spread_of(problem);
  double prior = 0;
  for (const std::size_t at : problem.of_run.front()) prior += spread[at].front();
  Square covariance = problem.prior;
  if (prior <= 0) return learned_of(std::move(problem), std::move(covariance));
  const auto [mean, variance] = single(problem.error.front(), prior, problem.noise.front());
  for (std::size_t i = 0; i < problem.labels.size(); ++i) {
    problem.mean[i] += spread[i].front() / prior * mean;
    for (std::size_t j = 0; j < problem.labels.size(); ++j)
      covariance.at(i, j) -= spread[i].front() * spread[j].front() / prior * (1 - variance / prior);
  }
  return learned_of(std::move(problem), std::move(covariance));
}

/// Weights of the runs and how much wider the runs of each setup scatter than configurations do, found together:
/// variational updates of a Gaussian process with noise of heavy tails (Tipping and Lawrence 2003), whose scale is
/// unknown (Lange, Little and Taylor 1989). Runs of one setup that contradict each other so widen what is said of it,
/// and one that is alone far away from the others is odd.
class Scatter {
 public:
  explicit Scatter(const Problem& problem, const Square& shared) : problem_(problem), runs_(problem.error.size()) {
    weight.resize(runs_);
    wider.assign(problem.setups.size(), 1.0);
    // From what was known before any of them: a run that is far off must not speak for the others first.
    for (std::size_t i = 0; i < runs_; ++i)
      weight[i] = weight_of(square(problem.error[i]) / (shared.at(i, i) + problem.noise[i]));
  }

  double noise(std::size_t i) const { return problem_.noise[i] * wider[problem_.setup[i]] / weight[i]; }

  void update(const Square& inverse, const std::vector<double>& pull) {
    std::vector<double> sum(wider.size(), kSure), count(wider.size(), kSure);
    std::vector<int> members(wider.size(), 0);
    for (std::size_t i = 0; i < runs_; ++i) {
      const std::size_t setup = problem_.setup[i];
      const double own = noise(i);
      // What is left of the run's error, and how well that is known.
      const double left = square(own * pull[i]) + std::max(0.0, own - own * own * inverse.at(i, i));
      const double relative = left / problem_.noise[i];
      weight[i] = weight_of(relative / wider[setup]);
      sum[setup] += weight[i] * relative;
      count[setup] += 1;
      ++members[setup];
    }
    // Runs that agree may all be one configuration, which says nothing of the next.
    for (std::size_t s = 0; s < wider.size(); ++s)
      if (members[s] > 1) wider[s] = std::max(1.0, sum[s] / count[s]);
  }

  std::vector<double> weight;  ///< of each run
  std::vector<double> wider;   ///< of each setup: variance over that of configurations, 1 or more

 private:
  static constexpr double kSure = 2;  // runs that the variance of configurations is worth
  static double square(double x) { return x * x; }
  static double weight_of(double squares) {
    constexpr double kLeast = 1e-3;
    return std::max(kLeast, (kTails + 1) / (kTails + squares));
  }

  const Problem& problem_;
  std::size_t runs_;
};

LearnedFigure solve(Problem problem) {
  const std::size_t runs = problem.error.size();
  if (runs == 1) return solve_single(std::move(problem));
  const auto spread = spread_of(problem);
  Square shared(runs);  // variance that two runs have in common
  for (std::size_t i = 0; i < runs; ++i)
    for (std::size_t j = 0; j < runs; ++j)
      for (const std::size_t label : problem.of_run[i]) shared.at(i, j) += spread[label][j];
  Scatter scatter(problem, shared);
  std::vector<double> pull(runs, 0.0);
  Square inverse(runs);
  constexpr int kRounds = 30;
  for (int round = 0; round < kRounds; ++round) {
    Square total = shared;
    for (std::size_t i = 0; i < runs; ++i) total.at(i, i) += scatter.noise(i);
    inverse = inverse_of(total);
    for (std::size_t i = 0; i < runs; ++i) {
      pull[i] = 0;
      for (std::size_t j = 0; j < runs; ++j) pull[i] += inverse.at(i, j) * problem.error[j];
    }
    if (round + 1 < kRounds) scatter.update(inverse, pull);
  }
  const std::size_t n = problem.labels.size();
  Square covariance = problem.prior;
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<double> through(runs, 0.0);
    for (std::size_t i = 0; i < runs; ++i) {
      problem.mean[a] += spread[a][i] * pull[i];
      for (std::size_t j = 0; j < runs; ++j) through[i] += inverse.at(i, j) * spread[a][j];
    }
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t i = 0; i < runs; ++i) covariance.at(a, b) -= through[i] * spread[b][i];
  }
  std::vector<UnsteadySetup> unsteady;
  for (std::size_t s = 0; s < problem.setups.size(); ++s)
    if (scatter.wider[s] > 1) {
      unsteady.push_back(std::move(problem.setups[s]));
      unsteady.back().wider = scatter.wider[s];
    }
  LearnedFigure learned = learned_of(std::move(problem), std::move(covariance));
  learned.unsteady = std::move(unsteady);
  return learned;
}

/// Learns what the runs tell beyond what the model knows by now; how many state each figure.
void learn_more(ErrorModel& model, std::vector<OwnRun> runs, int LearnedFigure::* counted) {
  // Runs that contradict each other grossly make much of the last digit: their order must have no part in it.
  sort_stably(runs, [](const OwnRun& a, const OwnRun& b) {
    const auto key = [](const OwnRun& run) { return std::tie(run.error, run.labels.card, run.labels.software); };
    return key(a) < key(b);
  });
  for (const auto& entry : Names<ErrorFigure>::entries) {
    LearnedFigure& known = model.learned[index_of(entry.value)];
    Problem problem = problem_of(model, entry.value, runs);
    const auto stated = static_cast<int>(problem.error.size());
    if (stated == 0 || problem.labels.empty()) continue;
    LearnedFigure learned = solve(std::move(problem));
    learned.runs = known.runs;
    learned.given = known.given;
    learned.*counted += stated;
    for (const UnsteadySetup& setup : known.unsteady) {
      const auto same = std::ranges::find_if(
          learned.unsteady, [&](const UnsteadySetup& one) { return one.is(setup.software, setup.card); });
      if (same == learned.unsteady.end()) learned.unsteady.push_back(setup);
      else same->wider *= setup.wider;
    }
    known = std::move(learned);
  }
}

}  // namespace

void learn(ErrorModel& model, const std::vector<OwnRun>& runs) {
  const std::size_t first = runs.size() > kMostOwnRuns ? runs.size() - kMostOwnRuns : 0;
  const std::vector<OwnRun> newest(runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end());
  model.learned = {};
  learn_more(model, newest, &LearnedFigure::runs);
  model.own_runs = static_cast<int>(newest.size());
}

void learn_given(ErrorModel& model, const std::vector<OwnRun>& figures) {
  learn_more(model, figures, &LearnedFigure::given);
}

}  // namespace gpuplan
