// Collectives inside a machine: data/links.csv from published NCCL times.
#include <cstdio>

#include "facts/csv_text.h"
#include "kernels/fit.h"
#include "kernels/minimise.h"
#include "kernels/rounding.h"
#include "kernels/tables.h"
#include "model/communication.h"

namespace gpuplan::kernels {
namespace {

struct Free {
  const char* name;
  double LinkEfficiency::* field;
  Bound bound;
  bool direct_only;  ///< what a handful of PCIe measurements cannot tell apart
};

std::vector<Free> free_numbers(LinkPath path) {
  using L = LinkEfficiency;
  const std::vector<Free> all = {
      {"gather", &L::gather, {0.01, 1}, false},     {"reduce", &L::reduce, {0.01, 1.2}, false},
      {"exchange", &L::exchange, {0.01, 1}, false}, {"own", &L::own, {0, 2}, true},
      {"latency", &L::latency_us, {1, 100}, false}, {"hop", &L::hop_us, {0, 10}, false},
      {"fill", &L::fill_us, {0, 300}, true},        {"fill_half", &L::fill_half_us, {1, 300}, true}};
  std::vector<Free> kept;
  for (const Free& f : all)
    if (path == LinkPath::kDirect || !f.direct_only) kept.push_back(f);
  return kept;
}

/// The row of links.csv that such a machine reads.
std::size_t row_of(const Catalogue& catalogue, const MeasuredCollective& c) {
  Catalogue marked;
  marked.links = catalogue.links;
  for (std::size_t i = 0; i < marked.links.size(); ++i) marked.links[i].latency_us = static_cast<double>(i);
  return static_cast<std::size_t>(std::lround(intra_rate(marked, machine_of(c)).latency.value * 1e6));
}

using Groups = std::map<std::size_t, std::vector<const MeasuredCollective*>>;

void report(const char* title, const Catalogue& catalogue, const Groups& groups) {
  std::printf("\n%s\n%-30s %-15s %5s %7s %7s %7s %14s\n", title, "GPU", "collective", "rows", "median", "p90", "bias",
              "large: median");
  for (const auto& [row, members] : groups) {
    std::map<std::pair<std::string, std::string>, std::pair<std::vector<double>, std::vector<double>>> logs;
    for (const MeasuredCollective* c : members) {
      const double log = std::log(table_time(*c, catalogue) / c->time);
      auto& [all, large] = logs[{c->gpu->name, c->operation}];
      all.push_back(log);
      if (c->size.value >= 8e6) large.push_back(log);
    }
    for (const auto& [key, values] : logs) {
      const Errors e = errors_of(values.first);
      std::printf("%-30s %-15s %5zu %6.1f%% %6.1f%% %+6.1f%% %13.1f%%\n", key.first.c_str(), key.second.c_str(), e.rows,
                  100 * e.median, 100 * e.p90, 100 * e.bias, 100 * errors_of(values.second).median);
    }
  }
}

}  // namespace

void fit_links(const std::string& data, const Catalogue& original, bool dry) {
  const std::vector<MeasuredCollective> rows = read_collectives(data, original);
  Catalogue catalogue;  // what predictions read: links; GPUs are held by the rows
  catalogue.links = original.links;
  Groups groups;
  for (const MeasuredCollective& c : rows) groups[row_of(original, c)].push_back(&c);
  report("Collectives before", catalogue, groups);
  for (const auto& [row, members] : groups) {
    LinkEfficiency& link = catalogue.links[row];
    const std::vector<Free> free = free_numbers(link.path);
    std::vector<double> start;
    std::vector<Bound> bounds;
    for (const Free& f : free) {
      start.push_back(std::clamp(link.*f.field, f.bound.least, f.bound.most));
      bounds.push_back(f.bound);
    }
    const auto set = [&](const std::vector<double>& x) {
      for (std::size_t i = 0; i < free.size(); ++i) link.*free[i].field = x[i];
    };
    std::vector<double> best = minimise(
        [&](const std::vector<double>& x) {
          set(x);
          double sum = 0, weights = 0;
          for (const MeasuredCollective* c : members) {
            const double weight = c->size.value >= 8e6 ? 3 : 1;  // what training sends
            sum += weight * robust(std::log(table_time(*c, catalogue) / c->time));
            weights += weight;
          }
          return sum / weights;
        },
        start, bounds);
    for (double& x : best) x = rounded(x);
    set(best);
  }
  report("Collectives fitted", catalogue, groups);
  if (dry) return;
  facts::CsvText table(data + "/links.csv");
  for (const auto& [row, members] : groups)
    for (const Free& f : free_numbers(catalogue.links[row].path))
      table.cell(row, f.name) = number_text(catalogue.links[row].*f.field);
  table.save();
}

}  // namespace gpuplan::kernels
