// Constants of matrix products, a row of efficiency.csv at a time: 16-bit products first, then 8-bit, then 4-bit ones.
// The times predicted are the program's own (model/compute.h). Also prints how well GPUs and whole generations are
// predicted from the others; the conditions of the tables go to data/measured/kernels/conditions.csv.
#include <cstdio>
#include <set>

#include "facts/csv_text.h"
#include "kernels/fit.h"
#include "kernels/minimise.h"
#include "kernels/rounding.h"
#include "kernels/tables.h"

namespace gpuplan::kernels {
namespace {

/// A number that the fit may change: a column of efficiency.csv or a condition of the tables.
struct Free {
  const char* name;
  double Efficiency::* column;
  double Conditions::* condition;
  Bound bound;
};

constexpr auto kNone = static_cast<double Conditions::*>(nullptr);
constexpr auto kNoColumn = static_cast<double Efficiency::*>(nullptr);

std::vector<Free> free_numbers(Precision precision) {
  using E = Efficiency;
  using C = Conditions;
  if (precision == Precision::kBf16)
    return {{"matmul", &E::matmul, kNone, {0.2, 1.2}},
            {"k_half", &E::k_half, kNone, {0, 1000}},
            {"k_split", &E::k_split, kNone, {0, 5000}},
            {"wave", &E::wave, kNone, {0, 1}},
            {"matmul_bandwidth", &E::matmul_bandwidth, kNone, {0.3, 1.0}},
            {"kernel_us", &E::kernel_us, kNone, {0.5, 30}},
            {"cached", kNoColumn, &C::cached, {0.1, 1}}};
  if (precision == Precision::kFp8)
    return {{"matmul_fp8", &E::matmul_fp8, kNone, {0.2, 1.2}},  {"k_half_fp8", &E::k_half_fp8, kNone, {0, 1000}},
            {"wave_fp8", &E::wave_fp8, kNone, {0, 1}},          {"kernel_us_fp8", &E::kernel_us_fp8, kNone, {0.5, 30}},
            {"cast_bytes", kNoColumn, &C::cast_bytes, {0, 20}}, {"cached_cast", kNoColumn, &C::cached_cast, {0.05, 1}}};
  return {{"matmul_fp4", &E::matmul_fp4, kNone, {0.1, 1.2}},  {"k_half_fp4", &E::k_half_fp4, kNone, {0, 1500}},
          {"wave_fp4", &E::wave_fp4, kNone, {0, 1}},          {"kernel_us_fp4", &E::kernel_us_fp4, kNone, {0.5, 30}},
          {"cast_bytes", kNoColumn, &C::cast_bytes, {0, 20}}, {"cached_cast", kNoColumn, &C::cached_cast, {0.05, 1}}};
}

constexpr Precision kFormats[] = {Precision::kBf16, Precision::kFp8, Precision::kNvfp4};

/// Everything that one row of efficiency.csv knows of products.
struct Constants {
  Efficiency efficiency;
  std::map<Precision, Conditions> conditions;
};

using Products = std::vector<const MeasuredProduct*>;

double log_error(const MeasuredProduct& p, const Constants& c) {
  const auto conditions = c.conditions.find(p.precision);
  static const Conditions kPlain{};
  const Seconds time = table_time(p, c.efficiency, conditions == c.conditions.end() ? kPlain : conditions->second);
  return std::log(time / p.time);
}

bool any_in(const Products& products, Precision precision) {
  return std::ranges::any_of(products, [&](const MeasuredProduct* p) { return p->precision == precision; });
}

double loss(const Products& products, const Constants& c) {
  double sum = 0;
  for (const MeasuredProduct* p : products) sum += robust(log_error(*p, c));
  return sum / static_cast<double>(products.size());
}

Constants fit(const Products& all, Constants c) {
  for (const Precision precision : kFormats) {
    Products products;
    for (const MeasuredProduct* p : all)
      if (p->precision == precision) products.push_back(p);
    if (products.empty()) continue;
    // Operands found in the cache are as fast in every format.
    if (precision != Precision::kBf16) c.conditions[precision].cached = c.conditions[Precision::kBf16].cached;
    const std::vector<Free> free = free_numbers(precision);
    const auto with = [&](const std::vector<double>& x) {
      Constants moved = c;
      for (std::size_t i = 0; i < free.size(); ++i) {
        if (free[i].column != nullptr) moved.efficiency.*free[i].column = x[i];
        else moved.conditions[precision].*free[i].condition = x[i];
      }
      return moved;
    };
    std::vector<double> start;
    std::vector<Bound> bounds;
    for (const Free& f : free) {
      const double now = f.column != nullptr ? c.efficiency.*f.column : c.conditions[precision].*f.condition;
      start.push_back(std::clamp(now, f.bound.least, f.bound.most));
      bounds.push_back(f.bound);
    }
    std::vector<double> best =
        minimise([&](const std::vector<double>& x) { return loss(products, with(x)); }, start, bounds);
    for (double& x : best) x = rounded(x);
    c = with(best);
  }
  return c;
}

void report(const char* title, const std::map<std::string, std::pair<Products, Constants>>& groups) {
  std::printf("\n%s\n%-30s %-6s %5s %7s %7s %7s\n", title, "GPU", "format", "rows", "median", "p90", "bias");
  for (const auto& [name, group] : groups) {
    std::map<std::pair<std::string, Precision>, std::vector<double>> logs;
    for (const MeasuredProduct* p : group.first)
      logs[{p->gpu->name, p->precision}].push_back(log_error(*p, group.second));
    for (const auto& [key, values] : logs) {
      const Errors e = errors_of(values);
      std::printf("%-30s %-6s %5zu %6.1f%% %6.1f%% %+6.1f%%\n", key.first.c_str(),
                  std::string(name_of(key.second)).c_str(), e.rows, 100 * e.median, 100 * e.p90, 100 * e.bias);
    }
  }
}

/// Geometric mean of the constants of rows with the same kind of memory: what a generation without kernels gets. With
/// the products of the formats that relatives have.
std::pair<Products, Constants> from_relatives(const std::string& name,
                                              const std::map<std::string, std::pair<Products, Constants>>& groups) {
  Products kept;
  const Constants& own = groups.at(name).second;
  Constants mean = own;
  for (const Precision precision : kFormats) {
    bool known = false;
    for (const Free& f : free_numbers(precision)) {
      double sum = 0;
      int count = 0;
      for (const auto& [other, group] : groups) {
        const Constants& c = group.second;
        // Two rows of one architecture are too close relatives to test anything.
        if (other == name || group.first.front()->gpu->vendor != groups.at(name).first.front()->gpu->vendor) continue;
        if (c.efficiency.memory_type != own.efficiency.memory_type) continue;
        if (c.efficiency.architecture.starts_with(own.efficiency.architecture) ||
            own.efficiency.architecture.starts_with(c.efficiency.architecture))
          continue;
        if (!any_in(group.first, precision)) continue;
        const auto conditions = c.conditions.find(precision);
        sum += std::log(1e-2 + (f.column != nullptr ? c.efficiency.*f.column : conditions->second.*f.condition));
        ++count;
      }
      if (count == 0) continue;
      known = true;
      const double value = std::exp(sum / count) - 1e-2;
      if (f.column != nullptr) mean.efficiency.*f.column = value;
      // How the table of this GPU was taken is its own affair.
    }
    for (const MeasuredProduct* p : groups.at(name).first)
      if (known && p->precision == precision) kept.push_back(p);
  }
  return {kept, mean};
}

void write_constants(const std::string& path, const std::map<std::string, std::pair<Products, Constants>>& groups) {
  facts::CsvText table(path);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto group = groups.find(table.cell(row, "architecture") + " " + table.cell(row, "memory_type"));
    if (group == groups.end()) continue;
    const auto& [products, constants] = group->second;
    if (constants.efficiency.accumulation != table.cell(row, "accumulation")) continue;
    for (const Precision precision : kFormats) {
      if (!any_in(products, precision)) continue;
      for (const Free& f : free_numbers(precision))
        if (f.column != nullptr) table.cell(row, f.name) = number_text(constants.efficiency.*f.column);
    }
  }
  table.save();
}

void write_conditions(const std::string& path, const std::map<std::string, std::pair<Products, Constants>>& groups) {
  std::string out = "family,format,cached,cast_bytes,cached_cast,source,as_of\n";
  for (const auto& [name, group] : groups) {
    for (const auto& [precision, c] : group.second.conditions) {
      if (!any_in(group.first, precision)) continue;
      char text[160];
      std::snprintf(text, sizeof text, "%s,%s,%.3g,%.3g,%.3g,own fit (tools/kernels),2026-11\n", name.c_str(),
                    std::string(name_of(precision)).c_str(), c.cached, c.cast_bytes, c.cached_cast);
      out += text;
    }
  }
  std::ofstream(path, std::ios::binary) << out;
}

}  // namespace

void fit_products(const std::string& data, const Catalogue& catalogue, bool dry) {
  const std::vector<MeasuredProduct> products = read_products(data, catalogue);
  const AllConditions conditions = read_conditions(data);
  std::map<std::string, std::pair<Products, Constants>> groups;
  for (const MeasuredProduct& p : products) {
    const Efficiency& efficiency = efficiency_of(catalogue, *p.gpu);
    auto& group = groups[family(efficiency)];
    group.second.efficiency = efficiency;
    group.first.push_back(&p);
  }
  for (const auto& [key, value] : conditions)
    if (groups.contains(key.first)) groups[key.first].second.conditions[key.second] = value;
  report("Before", groups);

  for (auto& [name, group] : groups) group.second = fit(group.first, group.second);
  report("Fitted", groups);

  std::map<std::string, std::pair<Products, Constants>> left_out;
  for (const auto& [name, group] : groups) {
    std::set<const Gpu*> gpus;
    for (const MeasuredProduct* p : group.first) gpus.insert(p->gpu);
    if (gpus.size() < 2) continue;
    for (const Gpu* gpu : gpus) {
      Products rest, own;
      for (const MeasuredProduct* p : group.first) (p->gpu == gpu ? own : rest).push_back(p);
      left_out[gpu->name] = {own, fit(rest, group.second)};
    }
  }
  report("Each GPU predicted from the others of its generation", left_out);

  std::map<std::string, std::pair<Products, Constants>> relatives;
  for (const auto& [name, group] : groups) relatives[name] = from_relatives(name, groups);
  report("Each generation predicted from the others with its kind of memory", relatives);

  if (!dry) {
    write_constants(data + "/efficiency.csv", groups);
    write_conditions(data + "/measured/kernels/conditions.csv", groups);
  }
}

}  // namespace gpuplan::kernels
