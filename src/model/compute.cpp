#include "model/compute.h"

#include <string_view>

namespace gpuplan {

namespace {

/// Higher is better, below zero means that the row is for other hardware.
int match(const Efficiency& row, const Gpu& gpu) {
  int score = 0;
  if (row.architecture == gpu.architecture) {
    score += 4;
  } else if (row.architecture != "*") {
    return -1;
  }
  if (row.memory_type != "*") {
    if (!std::string_view(gpu.memory_type).starts_with(row.memory_type)) return -1;
    score += 2;
  }
  if (row.accumulation != "*") {
    const bool half = gpu.fp16_acc16.value > 1.5 * gpu.fp16.value;
    if (half != (row.accumulation == "half")) return -1;
    score += 1;
  }
  return score;
}

}  // namespace

const Efficiency& efficiency_of(const Catalogue& catalogue, const Gpu& gpu) {
  static const Efficiency kNone{};  // of a catalogue that is not complete
  const Efficiency* best = nullptr;
  int best_score = -1;
  for (const Efficiency& row : catalogue.efficiencies) {
    const int score = match(row, gpu);
    if (score > best_score) {
      best = &row;
      best_score = score;
    }
  }
  return best != nullptr ? *best : kNone;
}

FlopsPerSecond product_peak(const Gpu& gpu, Precision precision) {
  const FlopsPerSecond top = peak(gpu, precision);
  const bool no_tensor_cores = gpu.vendor == "nvidia" && gpu.compute_capability > 0 && gpu.compute_capability < 7;
  return no_tensor_cores ? std::min(top, gpu.fp32) : top;
}

MatmulRate matmul_rate(const Gpu& gpu, const Efficiency& efficiency, Precision precision) {
  MatmulRate rate;
  const bool fp8 = is_eight_bit(precision);
  const bool fp4 = precision == Precision::kNvfp4;
  const FlopsPerSecond top = product_peak(gpu, precision);
  const bool fp32 = precision == Precision::kFp32;
  const double reached = fp32  ? efficiency.matmul_fp32
                         : fp4 ? efficiency.matmul_fp4
                         : fp8 ? efficiency.matmul_fp8
                               : efficiency.matmul;
  if (top.value > 0 && reached > 0) rate.flop = Flops{1} / (top * reached);
  rate.k_half = fp4 ? efficiency.k_half_fp4 : fp8 ? efficiency.k_half_fp8 : efficiency.k_half;
  rate.k_split = efficiency.k_split;
  rate.wave = fp4 ? efficiency.wave_fp4 : fp8 ? efficiency.wave_fp8 : efficiency.wave;
  // Accelerators that do not publish a count of multiprocessors have few large matrix units: no waves to speak of.
  rate.sms = gpu.sms > 0 ? gpu.sms : 8;
  if (gpu.sms == 0) rate.wave = 0;
  rate.floor = (fp4   ? efficiency.kernel_us_fp4
                : fp8 ? efficiency.kernel_us_fp8
                      : efficiency.kernel_us) *
               units::microsecond;
  rate.byte = Bytes{1} / (gpu.bandwidth * efficiency.matmul_bandwidth);
  rate.operand_bytes = fp4 ? 0.5625 : fp8 ? 1 : precision == Precision::kFp32 || precision == Precision::kTf32 ? 4 : 2;
  return rate;
}

}  // namespace gpuplan
