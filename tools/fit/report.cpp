#include "fit/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "evidence/validation/validation.h"

namespace gpuplan::fit {
namespace {

double quantile_of(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return quantile(values, share);
}

double share_of(double log_error) { return std::abs(std::expm1(log_error)); }

void print_kind(Judged kind, const Evidence& evidence, const std::vector<Residual>& errors) {
  std::map<std::string, std::vector<double>> by_source;
  std::vector<double> all, absolute;
  for (const Residual& one : errors) {
    if (one.kind != kind) continue;
    by_source[evidence.sources[one.run]].push_back(one.error);
    all.push_back(one.error);
    absolute.push_back(share_of(one.error));
  }
  if (all.empty()) return;
  std::vector<double> medians, calibrated;
  for (const auto& [source, values] : by_source) {
    std::vector<double> shares, centred;
    const double middle = quantile_of(values, 0.5);
    for (const double value : values) {
      shares.push_back(share_of(value));
      centred.push_back(share_of(value - middle));
    }
    medians.push_back(quantile_of(shares, 0.5));
    if (values.size() > 1) calibrated.push_back(quantile_of(centred, 0.5));
    std::printf("    %-22s %4zu rows  median %5.1f %%  p90 %5.1f %%  bias %+6.1f %%\n", source.c_str(), values.size(),
                100 * quantile_of(shares, 0.5), 100 * quantile_of(shares, 0.9), 100 * std::expm1(middle));
  }
  double mean = 0;
  for (const double value : all) mean += value / static_cast<double>(all.size());
  std::printf(
      "  %s: median of sources %.1f %%, pooled median %.1f %%, p90 %.1f %%, bias median %+.1f %% mean %+.1f %%, "
      "each source centred %.1f %%, %zu rows\n",
      std::string(name_of(kind)).c_str(), 100 * quantile_of(medians, 0.5), 100 * quantile_of(absolute, 0.5),
      100 * quantile_of(absolute, 0.9), 100 * std::expm1(quantile_of(all, 0.5)), 100 * std::expm1(mean),
      calibrated.empty() ? 0 : 100 * quantile_of(calibrated, 0.5), all.size());
}

}  // namespace

void print_errors(const std::string& title, const Evidence& evidence, const std::vector<Residual>& errors) {
  std::printf("%s\n", title.c_str());
  for (const auto& entry : Names<Judged>::entries) print_kind(entry.value, evidence, errors);
}

void print_parameters(const std::vector<Parameter>& parameters, const std::vector<double>& before,
                      const std::vector<double>& after) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    std::printf("  %-20s %-24s %-22s %9.4g -> %9.4g  %+5.1f deviations\n", p.address.table.c_str(),
                p.address.row.c_str(), p.address.column.c_str(), before[i], after[i],
                std::log(after[i] / p.prior) / p.deviation);
  }
}

}  // namespace gpuplan::fit
