#include "fit/solve.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace gpuplan::fit {
namespace {

/// Errors beyond this (in the logarithm) count about linearly: a part of the runs differs in what no column says.
double scale_of(Judged kind) { return kind == Judged::kTime || is_memory(kind) ? 0.12 : 0.15; }

/// Standard deviation of what a source of training runs has of its own. Without it whatever only one source measured
/// takes the source's error for the hardware's: of sources left out, time is 14.9 % off then, and 13.8 % with it (0.2:
/// 13.6 %, memory 8.5 instead of 8.0 %). Rates and latencies of servers, of few sources, are predicted no better by it.
constexpr double kSite = 0.1;
constexpr bool has_site(Judged kind) { return kind == Judged::kTime || kind == Judged::kMemory; }

/// sqrt(1 + x^2) - 1.
double pseudo_huber(double x) { return std::sqrt(1 + x * x) - 1; }

/// What all runs of a source have in common, for each kind of figure: its machines and software, which no constant may
/// take for those of its hardware.
class Offsets {
 public:
  Offsets(const Evidence& evidence, const std::vector<Residual>& errors) {
    std::map<std::pair<std::string, Judged>, Eigen::Index> known;
    for (const Residual& r : errors)
      of_.push_back(has_site(r.kind) ? known.try_emplace({evidence.sources[r.run], r.kind}, size(known)).first->second
                                     : -1);
    values = Eigen::VectorXd::Zero(size(known));
  }
  /// Of a row; -1: it has none.
  Eigen::Index of(std::size_t row) const { return of_[row]; }
  double value(std::size_t row) const { return of(row) < 0 ? 0 : values(of(row)); }

  Eigen::VectorXd values;

 private:
  static Eigen::Index size(const auto& known) { return static_cast<Eigen::Index>(known.size()); }

  std::vector<Eigen::Index> of_;
};

double cost_of(const std::vector<Residual>& errors, const std::vector<Parameter>& parameters,
               const std::vector<double>& values, const Offsets& offsets) {
  double cost = 0.5 * offsets.values.squaredNorm() / (kSite * kSite);
  for (std::size_t i = 0; i < errors.size(); ++i)
    cost += errors[i].weight * pseudo_huber((errors[i].error + offsets.value(i)) / scale_of(errors[i].kind));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double away = std::log(values[i] / parameters[i].prior) / parameters[i].deviation;
    cost += 0.5 * away * away;
  }
  return cost;
}

}  // namespace

Catalogue with_values(const Catalogue& catalogue, const std::vector<Parameter>& parameters,
                      const std::vector<double>& values) {
  Catalogue changed = catalogue;
  for (std::size_t i = 0; i < parameters.size(); ++i) *fitted_value(changed, parameters[i].address) = values[i];
  return changed;
}

Solution solve(const Catalogue& catalogue, const Evidence& evidence, const std::vector<Parameter>& parameters,
               const std::vector<double>& start, const std::string& left_out, int most_steps) {
  constexpr double kStep = 0.01;
  constexpr double kEnough = 2e-5;  // of the cost, that a step has to gain
  Solution best{start, 0};
  for (std::size_t i = 0; i < parameters.size(); ++i)
    best.values[i] = std::clamp(best.values[i], parameters[i].least, parameters[i].most);
  Catalogue at = with_values(catalogue, parameters, best.values);
  std::vector<double*> slots;
  slots.reserve(parameters.size());
  for (const Parameter& parameter : parameters) slots.push_back(fitted_value(at, parameter.address));
  std::vector<Residual> errors = residuals(at, evidence, left_out);
  Offsets offsets(evidence, errors);
  best.cost = cost_of(errors, parameters, best.values, offsets);
  const auto n = static_cast<Eigen::Index>(parameters.size()), all = n + offsets.values.size();
  double damping = 1e-2;
  for (int step = 0; step < most_steps; ++step) {
    const auto rows = static_cast<Eigen::Index>(errors.size());
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(rows, all);
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (offsets.of(i) >= 0) jacobian(static_cast<Eigen::Index>(i), n + offsets.of(i)) = 1;
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto index = static_cast<std::size_t>(j);
      *slots[index] = best.values[index] * std::exp(kStep);
      const std::vector<Residual> moved = residuals(at, evidence, left_out);
      *slots[index] = best.values[index];
      for (Eigen::Index i = 0; i < rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        jacobian(i, j) = (moved[row].error - errors[row].error) / kStep;
      }
    }
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(all, all);
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(all);
    Eigen::VectorXd weights(rows), pulls(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const Residual& r = errors[static_cast<std::size_t>(i)];
      const double error = r.error + offsets.value(static_cast<std::size_t>(i));
      const double scale = scale_of(r.kind), x = error / scale;
      weights(i) = r.weight / (scale * scale * std::sqrt(1 + x * x));
      pulls(i) = weights(i) * error;
    }
    normal = jacobian.transpose() * weights.asDiagonal() * jacobian;
    gradient = jacobian.transpose() * pulls;
    for (Eigen::Index j = 0; j < n; ++j) {
      const Parameter& p = parameters[static_cast<std::size_t>(j)];
      const double precision = 1 / (p.deviation * p.deviation);
      normal(j, j) += precision;
      gradient(j) += precision * std::log(best.values[static_cast<std::size_t>(j)] / p.prior);
    }
    for (Eigen::Index j = n; j < all; ++j) {
      normal(j, j) += 1 / (kSite * kSite);
      gradient(j) += offsets.values(j - n) / (kSite * kSite);
    }
    bool better = false;
    double gain = 0;
    for (int attempt = 0; attempt < 6 && !better; ++attempt) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal() *= 1 + damping;
      const Eigen::VectorXd move = damped.ldlt().solve(-gradient);
      std::vector<double> values = best.values;
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto index = static_cast<std::size_t>(j);
        values[index] = std::clamp(values[index] * std::exp(std::clamp(move(j), -0.5, 0.5)), parameters[index].least,
                                   parameters[index].most);
        *slots[index] = values[index];
      }
      Offsets shifted = offsets;
      shifted.values += move.tail(offsets.values.size());
      std::vector<Residual> tried = residuals(at, evidence, left_out);
      const double cost = cost_of(tried, parameters, values, shifted);
      if (cost < best.cost) {
        gain = best.cost - cost;
        better = true;
        best = {std::move(values), cost};
        errors = std::move(tried);
        offsets = std::move(shifted);
        damping = std::max(1e-4, damping * 0.3);
      } else {
        damping *= 8;
      }
    }
    for (std::size_t j = 0; j < slots.size(); ++j) *slots[j] = best.values[j];
    if (!better || gain < kEnough * best.cost) break;
  }
  return best;
}

}  // namespace gpuplan::fit
