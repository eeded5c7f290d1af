// Fused attention forward. How rates fall with short sequences and narrow heads goes into efficiency.csv
// (attention_short, attention_softmax). The shares of peak are printed only: in training they also hold what the kernel
// of the framework does worse than the one measured, and are fitted to training runs.
#include <cstdio>

#include "facts/csv_text.h"
#include "kernels/fit.h"
#include "kernels/minimise.h"
#include "kernels/rounding.h"
#include "kernels/tables.h"

namespace gpuplan::kernels {
namespace {

struct Law {
  double share = 0.5;  ///< of peak, long sequences, heads of 128
  Efficiency efficiency;
  double floor_us = 10;  ///< of one call in the engine that was measured

  Seconds time(const MeasuredAttention& a) const {
    return table_time(a, efficiency, share, floor_us * units::microsecond);
  }
};

struct Group {
  std::vector<const MeasuredAttention*> rows;
  Law law;
  bool narrow = false;  ///< heads below 128 among the rows
};

void report(const char* title, const std::map<std::string, Group>& groups) {
  std::printf("\n%s\n%-30s %-22s %5s %7s %7s %7s   %s\n", title, "GPU", "kernel", "rows", "median", "p90", "bias",
              "share, half length, softmax, floor");
  for (const auto& [name, group] : groups) {
    std::map<std::pair<std::string, std::string>, std::vector<double>> logs;
    for (const MeasuredAttention* a : group.rows)
      logs[{a->gpu->name, a->kernel}].push_back(std::log(group.law.time(*a) / a->time));
    for (const auto& [key, values] : logs) {
      const Errors e = errors_of(values);
      std::printf("%-30s %-22s %5zu %6.1f%% %6.1f%% %+6.1f%%   %.3g, %.4g, %.3g, %.3g us\n", key.first.c_str(),
                  key.second.c_str(), e.rows, 100 * e.median, 100 * e.p90, 100 * e.bias, group.law.share,
                  group.law.efficiency.attention_short, group.law.efficiency.attention_softmax, group.law.floor_us);
    }
  }
}

}  // namespace

void fit_attention(const std::string& data, const Catalogue& catalogue, bool dry) {
  const std::vector<MeasuredAttention> rows = read_attention(data, catalogue);
  std::map<std::string, Group> groups;
  for (const MeasuredAttention& a : rows) {
    if (!like_training(a)) continue;
    const Efficiency& efficiency = efficiency_of(catalogue, *a.gpu);
    Group& group = groups[family(efficiency)];
    group.law.efficiency = efficiency;
    group.law.share = a.kernel.ends_with("fa3") || a.kernel.find("trtllm") != std::string::npos
                          ? efficiency.attention
                          : efficiency.attention_common;
    group.narrow = group.narrow || a.head_width < 128;
    group.rows.push_back(&a);
  }
  report("Attention before", groups);
  for (auto& [name, group] : groups) {
    const auto with = [&group = group](const std::vector<double>& x) {
      Law law = group.law;
      law.share = x[0];
      law.efficiency.attention_short = x[1];
      law.floor_us = x[2];
      if (group.narrow) law.efficiency.attention_softmax = x[3];
      return law;
    };
    const auto loss = [&](const std::vector<double>& x) {
      const Law law = with(x);
      double sum = 0;
      for (const MeasuredAttention* a : group.rows) sum += robust(std::log(law.time(*a) / a->time));
      return sum / static_cast<double>(group.rows.size());
    };
    std::vector<double> start = {group.law.share, group.law.efficiency.attention_short, group.law.floor_us};
    std::vector<Bound> bounds = {{0.1, 1}, {0, 3000}, {1, 40}};
    if (group.narrow) {
      start.push_back(group.law.efficiency.attention_softmax);
      bounds.push_back({0, 5});
    }
    std::vector<double> best = minimise(loss, start, bounds);
    for (double& x : best) x = rounded(x);
    group.law = with(best);
  }
  report("Attention fitted", groups);
  if (dry) return;
  facts::CsvText table(data + "/efficiency.csv");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto group = groups.find(table.cell(row, "architecture") + " " + table.cell(row, "memory_type"));
    if (group == groups.end()) continue;
    const Efficiency& e = group->second.law.efficiency;
    table.cell(row, "attention_short") = number_text(e.attention_short);
    if (group->second.narrow) table.cell(row, "attention_softmax") = number_text(e.attention_softmax);
  }
  table.save();
}

}  // namespace gpuplan::kernels
