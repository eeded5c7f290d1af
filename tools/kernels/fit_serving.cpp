// Kernels of served models: products of few rows and of weights with few bits, attention over a cache, layers of
// experts. Constants of data/efficiency.csv, a row at a time; the times predicted are the program's own
// (model/generation/serving_kernels.h). Also prints how well GPUs and whole generations are predicted from the others.
#include <cstdio>
#include <set>

#include "facts/csv_text.h"
#include "kernels/fit.h"
#include "kernels/minimise.h"
#include "kernels/rounding.h"
#include "kernels/serving_tables.h"

namespace gpuplan::kernels {
namespace {

using E = Efficiency;

struct Free {
  const char* name;
  double E::* column;
  Bound bound;
  bool limit = false;  ///< a limit that some generations never reach; zero stands for none
};

/// Numbers that are fitted together, to rows of these formats and after those above them.
struct Stage {
  std::set<std::string> formats;
  std::vector<Free> free;
};

const std::vector<Stage>& stages(const ServedProduct* /*kind*/) {
  static const std::vector<Stage> all = {
      {{"bf16"}, {{"serve_bandwidth", &E::serve_bandwidth, {0.3, 1}}, {"serve_us", &E::serve_us, {0.5, 30}}}},
      {{"fp8", "fp8 block", "w8a8"}, {{"serve_us_fp8", &E::serve_us_fp8, {0.5, 40}}}},
      {{"nvfp4"}, {{"serve_us_fp4", &E::serve_us_fp4, {0.5, 40}}}}};
  return all;
}

const std::vector<Stage>& stages(const ServedAttention* /*kind*/) {
  static const std::vector<Stage> all = {{{"bf16"},
                                          {{"cache_bandwidth", &E::cache_bandwidth, {0.3, 1}},
                                           {"cache_us", &E::cache_us, {0.5, 40}},
                                           {"cache_wave_us", &E::cache_wave_us, {0, 20}}}},
                                         {{"fp8"}, {{"cache_expand", &E::cache_expand, {4, 40}, true}}}};
  return all;
}

const std::vector<Stage>& stages(const ServedExperts* /*kind*/) {
  // A layer with one token and small experts takes 13 to 28 us in all, wherever its weights are read from. mxfp4
  // follows from the others: Hopper expands it, Blackwell runs it with inputs of 8 bits.
  static const std::vector<Stage> all = {{{"bf16", "int4"},
                                          {{"experts_bandwidth", &E::experts_bandwidth, {0.3, 0.93}},
                                           {"experts_us", &E::experts_us, {0.5, 30}},
                                           {"experts", &E::experts, {0.1, 2}}}},
                                         {{"fp8"}, {{"experts_fp8", &E::experts_fp8, {0.1, 2}}}},
                                         {{"nvfp4"}, {{"experts_fp4", &E::experts_fp4, {0.1, 2}}}}};
  return all;
}

template <class Row>
using Rows = std::vector<const Row*>;

/// Rows of one generation with the constants that predict them.
template <class Row>
using Groups = std::map<std::string, std::pair<Rows<Row>, Efficiency>>;

template <class Row>
double log_error(const Row& row, const Efficiency& efficiency) {
  return std::log(table_time(row, efficiency) / row.time);
}

template <class Row>
Rows<Row> of_formats(const Rows<Row>& rows, const std::set<std::string>& formats) {
  Rows<Row> kept;
  for (const Row* row : rows)
    if (formats.contains(row->format)) kept.push_back(row);
  return kept;
}

template <class Row>
Efficiency fit(const Rows<Row>& all, Efficiency efficiency) {
  for (const Stage& stage : stages(static_cast<const Row*>(nullptr))) {
    const Rows<Row> rows = of_formats(all, stage.formats);
    if (rows.empty()) continue;
    std::vector<double> start;
    std::vector<Bound> bounds;
    for (const Free& f : stage.free) {
      start.push_back(std::clamp(efficiency.*f.column, f.bound.least, f.bound.most));
      bounds.push_back(f.bound);
    }
    const auto with = [&](const std::vector<double>& x) {
      Efficiency moved = efficiency;
      for (std::size_t i = 0; i < stage.free.size(); ++i) moved.*stage.free[i].column = x[i];
      return moved;
    };
    const auto loss = [&](const std::vector<double>& x) {
      const Efficiency moved = with(x);
      double sum = 0;
      for (const Row* row : rows) sum += robust(log_error(*row, moved));
      return sum / static_cast<double>(rows.size());
    };
    std::vector<double> best = minimise(loss, start, bounds);
    for (double& x : best) x = rounded(x);
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (!stage.free[i].limit) continue;
      std::vector<double> without = best;
      without[i] = 0;
      if (loss(without) < 1.01 * loss(best)) best = without;
    }
    efficiency = with(best);
  }
  return efficiency;
}

template <class Row>
void report(const std::string& title, const Groups<Row>& groups) {
  std::printf("\n%s\n%-30s %-9s %5s %7s %7s %7s\n", title.c_str(), "GPU", "format", "rows", "median", "p90", "bias");
  for (const auto& [name, group] : groups) {
    std::map<std::pair<std::string, std::string>, std::vector<double>> logs;
    for (const Row* row : group.first) logs[{row->gpu->name, row->format}].push_back(log_error(*row, group.second));
    for (const auto& [key, values] : logs) {
      const Errors e = errors_of(values);
      std::printf("%-30s %-9s %5zu %6.1f%% %6.1f%% %+6.1f%%\n", key.first.c_str(), key.second.c_str(), e.rows,
                  100 * e.median, 100 * e.p90, 100 * e.bias);
    }
  }
}

/// Each GPU with the constants of the others of its generation.
template <class Row>
Groups<Row> left_out(const Groups<Row>& groups) {
  Groups<Row> all;
  for (const auto& [name, group] : groups) {
    std::set<const Gpu*> gpus;
    for (const Row* row : group.first) gpus.insert(row->gpu);
    if (gpus.size() < 2) continue;
    for (const Gpu* gpu : gpus) {
      Rows<Row> rest, own;
      for (const Row* row : group.first) (row->gpu == gpu ? own : rest).push_back(row);
      all[gpu->name] = {own, fit(rest, group.second)};
    }
  }
  return all;
}

/// Each generation with the geometric mean of the others' constants, those with its kind of memory where there are any:
/// what a generation without tables gets.
template <class Row>
Groups<Row> from_relatives(const Groups<Row>& groups) {
  Groups<Row> all;
  for (const auto& [name, group] : groups) {
    Efficiency mean = group.second;
    Rows<Row> kept;
    for (const Stage& stage : stages(static_cast<const Row*>(nullptr))) {
      const auto relative = [&](const auto& other, bool any_memory) {
        const Efficiency& e = other.second.second;
        return !e.architecture.starts_with(mean.architecture) && !mean.architecture.starts_with(e.architecture) &&
               (any_memory || e.memory_type == mean.memory_type) &&
               !of_formats(other.second.first, stage.formats).empty();
      };
      const auto same = std::ranges::any_of(groups, [&](const auto& other) { return relative(other, false); });
      for (const Free& f : stage.free) {
        double sum = 0;
        int count = 0;
        for (const auto& other : groups) {
          if (!relative(other, !same)) continue;
          if (f.limit) continue;  // some have none
          sum += std::log(1e-2 + other.second.second.*f.column);
          ++count;
        }
        if (count > 0) mean.*f.column = std::exp(sum / count) - 1e-2;
        if (f.limit) mean.*f.column = 0;
      }
      for (const Row* row : of_formats(group.first, stage.formats)) kept.push_back(row);
    }
    all[name] = {kept, mean};
  }
  return all;
}

template <class Row>
void write(const std::string& path, const Groups<Row>& groups) {
  facts::CsvText table(path);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto group = groups.find(table.cell(row, "architecture") + " " + table.cell(row, "memory_type"));
    if (group == groups.end() || group->second.second.accumulation != table.cell(row, "accumulation")) continue;
    for (const Stage& stage : stages(static_cast<const Row*>(nullptr)))
      if (!of_formats(group->second.first, stage.formats).empty())
        for (const Free& f : stage.free) table.cell(row, f.name) = number_text(group->second.second.*f.column);
  }
  table.save();
}

template <class Row>
Groups<Row> by_generation(const std::vector<Row>& rows, const Catalogue& catalogue) {
  Groups<Row> groups;
  for (const Row& row : rows) {
    const Efficiency& efficiency = efficiency_of(catalogue, *row.gpu);
    auto& group = groups[family(efficiency)];
    group.second = efficiency;
    group.first.push_back(&row);
  }
  return groups;
}

template <class Row>
void fit_all(const std::string& title, const std::vector<Row>& rows, const std::string& data,
             const Catalogue& catalogue, bool dry) {
  Groups<Row> groups = by_generation(rows, catalogue);
  report(title + ": before", groups);
  for (auto& [name, group] : groups) group.second = fit(group.first, group.second);
  report(title + ": fitted", groups);
  report(title + ": each GPU predicted from the others of its generation", left_out(groups));
  report(title + ": each generation predicted from the others", from_relatives(groups));
  if (!dry) write(data + "/efficiency.csv", groups);
}

}  // namespace

void fit_serving(const std::string& data, const Catalogue& catalogue, bool dry) {
  fit_all("Products of served weights", read_served_products(data, catalogue), data, catalogue, dry);
  fit_all("Attention over a cache", read_served_attention(data, catalogue), data, catalogue, dry);
  // All that prompts add to training's attention holds for every generation.
  const std::vector<ServedPrompt> prompts = read_served_prompts(data, catalogue);
  report("Attention over prompts", by_generation(prompts, catalogue));
  fit_all("Experts", read_served_experts(data, catalogue), data, catalogue, dry);
}

}  // namespace gpuplan::kernels
