// The kernels of serving against published times: fails when the error of a GPU and format grows.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernels/serving_tables.h"
#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using namespace gpuplan::kernels;
using gpuplan::training_fixture::catalogue;

struct ServingBound {
  const char* gpu;
  const char* format;
  double median, p90;
};

/// Every GPU and format of the table has a bound, and stays within it.
template <class Row, std::size_t count>
void expect_within(const std::vector<Row>& rows, const ServingBound (&bounds)[count]) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> logs;
  for (const Row& row : rows)
    logs[{row.gpu->name, row.format}].push_back(
        std::log(table_time(row, efficiency_of(catalogue(), *row.gpu)) / row.time));
  EXPECT_EQ(logs.size(), count);
  for (const ServingBound& bound : bounds) {
    const Errors e = errors_of(logs[{bound.gpu, bound.format}]);
    EXPECT_GE(e.rows, 90U) << bound.gpu << " " << bound.format;
    EXPECT_LE(e.median, bound.median) << bound.gpu << " " << bound.format;
    EXPECT_LE(e.p90, bound.p90) << bound.gpu << " " << bound.format;
    // A bound that has become wide says nothing: it follows the fit.
    EXPECT_GT(e.median, 0.8 * bound.median - 0.01) << bound.gpu << " " << bound.format << ": tighten the bound";
    EXPECT_GT(e.p90, 0.8 * bound.p90 - 0.02) << bound.gpu << " " << bound.format << ": tighten the bound";
  }
}

/// What a data sheet alone says of a product: operations at peak or bytes at full bandwidth, whichever takes longer.
double data_sheet_time(const ServedProduct& p) {
  const double weight = p.format == "bf16" ? 2 : 1;
  const double bytes = p.inner * p.columns * weight + 2.0 * p.rows * (p.inner + p.columns);
  const double flops = 2.0 * p.rows * p.inner * p.columns;
  const double peak = p.format == "bf16" ? p.gpu->bf16.value : p.gpu->fp8.value;
  return std::max(bytes / p.gpu->bandwidth.value, flops / peak);
}

// What tools/kernels reached, and a little room.

constexpr ServingBound kProducts[] = {
    {"L40S", "bf16", 0.105, 0.365},
    {"L40S", "fp8", 0.13, 0.405},
    {"L40S", "fp8 block", 0.155, 0.96},
    {"A100 SXM 80GB", "bf16", 0.065, 0.36},
    {"A100 SXM 80GB", "int4", 0.15, 0.68},
    {"A100 SXM 80GB", "int8", 0.12, 0.465},
    {"A100 SXM 80GB", "w8a8", 0.13, 0.49},
    {"Arc Pro B60", "bf16", 0.105, 0.395},
    {"Arc Pro B60", "fp8", 0.21, 0.87},
    {"RTX PRO 6000 Blackwell Server", "bf16", 0.06, 0.27},
    {"RTX PRO 6000 Blackwell Server", "fp8", 0.08, 0.39},
    {"RTX PRO 6000 Blackwell Server", "fp8 block", 0.125, 0.415},
    {"RTX PRO 6000 Blackwell Server", "nvfp4", 0.08, 0.28},
    {"B200", "bf16", 0.08, 0.325},
    {"B200", "fp8", 0.12, 0.525},
    {"B200", "fp8 block", 0.095, 0.395},
    {"B200", "nvfp4", 0.11, 0.345},
    {"GB200", "bf16", 0.08, 0.365},
    {"GB200", "fp8", 0.125, 0.425},
    {"GB200", "fp8 block", 0.115, 0.35},
    {"GB200", "nvfp4", 0.105, 0.4},
    {"B300", "bf16", 0.075, 0.345},
    {"B300", "fp8", 0.105, 0.44},
    {"B300", "fp8 block", 0.11, 0.35},
    {"B300", "nvfp4", 0.13, 0.34},
    {"GB300", "bf16", 0.07, 0.33},
    {"GB300", "fp8", 0.105, 0.43},
    {"GB300", "fp8 block", 0.1, 0.355},
    {"GB300", "nvfp4", 0.095, 0.385},
    {"H100 SXM", "bf16", 0.055, 0.21},
    {"H100 SXM", "fp8", 0.09, 0.255},
    {"H100 SXM", "fp8 block", 0.145, 0.515},
    {"H200 SXM", "bf16", 0.06, 0.33},
    {"H200 SXM", "fp8", 0.095, 0.32},
    {"H200 SXM", "fp8 block", 0.17, 0.59},
};

constexpr ServingBound kCaches[] = {
    {"L40S", "bf16", 0.085, 0.365},
    {"L40S", "fp8", 0.09, 0.585},
    {"A100 SXM 80GB", "bf16", 0.07, 0.235},
    {"RTX PRO 6000 Blackwell Server", "bf16", 0.045, 0.335},
    {"RTX PRO 6000 Blackwell Server", "fp8", 0.05, 0.415},
    {"B200", "bf16", 0.062, 0.195},
    {"B200", "fp8", 0.065, 0.19},
    {"H100 SXM", "bf16", 0.07, 0.23},
    {"H100 SXM", "fp8", 0.225, 0.5},
    {"H200 SXM", "bf16", 0.06, 0.32},
    {"H200 SXM", "fp8", 0.23, 0.545},
};

constexpr ServingBound kPrompts[] = {
    {"L40S", "bf16", 0.265, 0.675},
    {"L40S", "fp8", 0.25, 0.76},
    {"A100 SXM 80GB", "bf16", 0.1, 0.695},
    {"RTX PRO 6000 Blackwell Server", "bf16", 0.19, 0.55},
    {"RTX PRO 6000 Blackwell Server", "fp8", 0.195, 0.605},
    {"B200", "bf16", 0.195, 0.8},
    {"B200", "fp8", 0.26, 0.565},
    {"H100 SXM", "bf16", 0.14, 0.565},
    {"H100 SXM", "fp8", 0.2, 0.56},
    {"H200 SXM", "bf16", 0.14, 0.425},
    {"H200 SXM", "fp8", 0.19, 0.505},
};

constexpr ServingBound kExperts[] = {
    {"L40S", "bf16", 0.09, 0.45},
    {"L40S", "fp8", 0.125, 0.585},
    {"L40S", "int4", 0.165, 0.43},
    {"L40S", "mxfp4", 0.065, 0.185},
    {"A100 SXM 80GB", "bf16", 0.245, 0.62},
    {"RTX PRO 6000 Blackwell Server", "bf16", 0.145, 0.96},
    {"RTX PRO 6000 Blackwell Server", "fp8", 0.12, 0.385},
    {"RTX PRO 6000 Blackwell Server", "int4", 0.165, 0.395},
    {"RTX PRO 6000 Blackwell Server", "mxfp4", 0.055, 0.21},
    {"RTX PRO 6000 Blackwell Server", "nvfp4", 0.11, 0.265},
    {"B200", "bf16", 0.225, 0.945},
    {"B200", "fp8", 0.16, 0.68},
    {"B200", "int4", 0.17, 0.565},
    {"B200", "mxfp4", 0.35, 1.34},
    {"B200", "nvfp4", 0.13, 0.675},
    {"H100 SXM", "bf16", 0.115, 0.59},
    {"H100 SXM", "fp8", 0.095, 0.305},
    {"H100 SXM", "int4", 0.135, 0.5},
    {"H100 SXM", "mxfp4", 0.27, 1.02},
    {"H200 SXM", "bf16", 0.135, 0.605},
    {"H200 SXM", "fp8", 0.14, 0.355},
    {"H200 SXM", "int4", 0.135, 0.475},
    {"H200 SXM", "mxfp4", 0.255, 1.06},
};

TEST(ServingKernelTimes, ProductsStayWithinTheirBounds) {
  expect_within(read_served_products(GPUPLAN_DATA_DIR, catalogue()), kProducts);
}

TEST(ServingKernelTimes, ConstantsTellMoreThanTheDataSheet) {
  // No number here is fitted: the same constants with which the bounds above were reached must leave at most half of
  // the error that peak and bandwidth leave, on each GPU.
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> logs;
  for (const ServedProduct& p : read_served_products(GPUPLAN_DATA_DIR, catalogue())) {
    if ((p.format != "bf16" && p.format != "fp8") || (p.format == "fp8" && p.gpu->fp8.value <= 0)) continue;
    auto& [model, sheet] = logs[p.gpu->name];
    model.push_back(std::log(table_time(p, efficiency_of(catalogue(), *p.gpu)) / p.time));
    sheet.push_back(std::log(data_sheet_time(p) / p.time.value));
  }
  EXPECT_GE(logs.size(), 9U);
  for (const auto& [gpu, errors] : logs)
    EXPECT_LT(errors_of(errors.first).median, 0.5 * errors_of(errors.second).median) << gpu;
}

TEST(ServingKernelTimes, CachesStayWithinTheirBounds) {
  expect_within(read_served_attention(GPUPLAN_DATA_DIR, catalogue()), kCaches);
}

TEST(ServingKernelTimes, ExpertsStayWithinTheirBounds) {
  expect_within(read_served_experts(GPUPLAN_DATA_DIR, catalogue()), kExperts);
}

TEST(ServingKernelTimes, PromptsStayWithinTheirBounds) {
  expect_within(read_served_prompts(GPUPLAN_DATA_DIR, catalogue()), kPrompts);
}

TEST(ServingKernelTimes, FewRowsAreAsGoodAsMany) {
  // Decoding: 16-bit and 8-bit weights of realistic size, 1 to 64 rows, all GPUs with their own tables together.
  std::vector<double> logs;
  for (const ServedProduct& p : read_served_products(GPUPLAN_DATA_DIR, catalogue())) {
    if (p.rows > 64 || std::min(p.columns, p.inner) < 2048 || (p.format != "bf16" && p.format != "fp8")) continue;
    if (p.gpu->vendor != "nvidia") continue;
    logs.push_back(std::log(table_time(p, efficiency_of(catalogue(), *p.gpu)) / p.time));
  }
  const Errors e = errors_of(logs);
  EXPECT_GT(e.rows, 500U);
  EXPECT_LE(e.median, 0.08);
  EXPECT_LE(e.p90, 0.25);
  EXPECT_NEAR(e.bias, 0, 0.03);
}

}  // namespace
}  // namespace gpuplan
