#include "fit/spread.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "base/interval.h"
#include "evidence/validation/run_prediction.h"
#include "fit/solve.h"

namespace gpuplan::fit {
namespace {

double spread_of(const Spread& spread, Judged kind) {
  switch (kind) {
    case Judged::kMemory:
    case Judged::kServingMemory:
      return spread.memory;
    case Judged::kFirstToken:
      return spread.first_token;
    case Judged::kPerToken:
      return spread.next_token;
    default:
      return spread.time;
  }
}

/// Half widths of the 80 % intervals of ln, as the catalogue has them, for each error.
std::vector<double> widths(const Catalogue& catalogue, const Evidence& evidence, const std::vector<Residual>& errors) {
  std::vector<Spread> spreads(evidence.sources.size());
  for (std::size_t i = 0; i < spreads.size(); ++i) spreads[i] = evidence.predict(catalogue, i).spread;
  std::vector<double> all;
  all.reserve(errors.size());
  for (const Residual& one : errors) all.push_back(kZ90 * spread_of(spreads[one.run], one.kind));
  return all;
}

double score(const std::vector<double>& half, const std::vector<Residual>& errors,
             const std::vector<Parameter>& parameters, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    // A run above its p90 of memory does not fit where it was said to: that counts double.
    const bool burst = is_memory(errors[i].kind) && errors[i].error < 0;
    const double outside = std::max(0.0, std::abs(errors[i].error) - half[i]) * (burst ? 2 : 1);
    sum += errors[i].weight * (half[i] + 5 * outside);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double away = std::log(values[i] / parameters[i].prior) / parameters[i].deviation;
    sum += 0.05 * away * away;
  }
  return sum;
}

}  // namespace

std::vector<double> fit_spread(const Catalogue& catalogue, const Evidence& evidence,
                               const std::vector<Residual>& errors, const std::vector<Parameter>& parameters) {
  std::vector<double> values;
  for (const Parameter& parameter : parameters) values.push_back(parameter.prior);
  const auto at = [&](const std::vector<double>& tried) {
    return score(widths(with_values(catalogue, parameters, tried), evidence, errors), errors, parameters, tried);
  };
  double best = at(values);
  for (double step = 0.4; step > 0.03; step *= 0.6) {
    for (int round = 0; round < 3; ++round) {
      bool moved = false;
      for (std::size_t i = 0; i < values.size(); ++i) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          std::vector<double> tried = values;
          tried[i] = std::clamp(tried[i] * factor, parameters[i].least, parameters[i].most);
          const double cost = at(tried);
          if (cost >= best - 1e-9) continue;
          best = cost;
          values = std::move(tried);
          moved = true;
        }
      }
      if (!moved) break;
    }
  }
  return values;
}

void print_coverage(const Catalogue& catalogue, const Evidence& evidence, const std::vector<Residual>& errors) {
  const std::vector<double> half = widths(catalogue, evidence, errors);
  struct Count {
    double inside = 0, all = 0, above = 0;
  };
  std::map<std::string, Count> by;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const std::string kind(name_of(errors[i].kind));
    const std::string source = evidence.sources[errors[i].run];
    for (const std::string& name : {kind, kind + " " + source}) {
      Count& count = by[name];
      count.all += 1;
      count.inside += std::abs(errors[i].error) <= half[i] ? 1 : 0;
      count.above += -errors[i].error > half[i] ? 1 : 0;
    }
  }
  for (const auto& [name, count] : by)
    std::printf("    %-30s %4.0f  inside %5.1f %%  above p90 %5.1f %%\n", name.c_str(), count.all,
                100 * count.inside / count.all, 100 * count.above / count.all);
}

}  // namespace gpuplan::fit
