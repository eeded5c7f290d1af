// The numbers of efficiency.csv, training_software.csv and engines.csv, and some of gpus.csv, by the names of their
// columns, for reading and for fitting.
#pragma once

#include <array>
#include <string_view>

#include "domain/facts/catalogue.h"

namespace gpuplan {

/// A column of numbers, the field it fills and the range that makes sense for it.
template <class Row>
struct NumberField {
  std::string_view name;
  double Row::* field;
  double low, high;
};

/// Of a share of a data-sheet figure; clocks above the quoted boost may pass 1.
inline constexpr double kMostShare = 1.2;
inline constexpr double kMostPublishers = 10'000;

inline constexpr std::array kEfficiencyFields = {
    NumberField<Efficiency>{"matmul", &Efficiency::matmul, 0.01, kMostShare},
    NumberField<Efficiency>{"matmul_fp32", &Efficiency::matmul_fp32, 0.01, kMostShare},
    NumberField<Efficiency>{"matmul_fp8", &Efficiency::matmul_fp8, 0.01, kMostShare},
    NumberField<Efficiency>{"matmul_fp4", &Efficiency::matmul_fp4, 0.01, kMostShare},
    NumberField<Efficiency>{"k_half", &Efficiency::k_half, 0, 100'000},
    NumberField<Efficiency>{"k_half_fp8", &Efficiency::k_half_fp8, 0, 100'000},
    NumberField<Efficiency>{"k_half_fp4", &Efficiency::k_half_fp4, 0, 100'000},
    NumberField<Efficiency>{"k_split", &Efficiency::k_split, 0, 100'000},
    NumberField<Efficiency>{"wave", &Efficiency::wave, 0, 1},
    NumberField<Efficiency>{"wave_fp8", &Efficiency::wave_fp8, 0, 1},
    NumberField<Efficiency>{"wave_fp4", &Efficiency::wave_fp4, 0, 1},
    NumberField<Efficiency>{"matmul_bandwidth", &Efficiency::matmul_bandwidth, 0.01, kMostShare},
    NumberField<Efficiency>{"bandwidth", &Efficiency::bandwidth, 0.01, kMostShare},
    NumberField<Efficiency>{"attention", &Efficiency::attention, 0.01, kMostShare},
    NumberField<Efficiency>{"attention_common", &Efficiency::attention_common, 0.01, kMostShare},
    NumberField<Efficiency>{"attention_old", &Efficiency::attention_old, 0.01, kMostShare},
    NumberField<Efficiency>{"attention_short", &Efficiency::attention_short, 0, 100'000},
    NumberField<Efficiency>{"attention_softmax", &Efficiency::attention_softmax, 0, 100},
    NumberField<Efficiency>{"kernel_us", &Efficiency::kernel_us, 0.01, 10'000},
    NumberField<Efficiency>{"kernel_us_fp8", &Efficiency::kernel_us_fp8, 0.01, 10'000},
    NumberField<Efficiency>{"kernel_us_fp4", &Efficiency::kernel_us_fp4, 0.01, 10'000},
    NumberField<Efficiency>{"training", &Efficiency::training, 0.5, 10},
    NumberField<Efficiency>{"tflops_per_watt", &Efficiency::tflops_per_watt, 0, 1000},
    NumberField<Efficiency>{"serve_bandwidth", &Efficiency::serve_bandwidth, 0.01, kMostShare},
    NumberField<Efficiency>{"serve_us", &Efficiency::serve_us, 0.01, 10'000},
    NumberField<Efficiency>{"serve_us_fp8", &Efficiency::serve_us_fp8, 0.01, 10'000},
    NumberField<Efficiency>{"serve_us_fp4", &Efficiency::serve_us_fp4, 0.01, 10'000},
    NumberField<Efficiency>{"cache_bandwidth", &Efficiency::cache_bandwidth, 0.01, kMostShare},
    NumberField<Efficiency>{"cache_us", &Efficiency::cache_us, 0.01, 10'000},
    NumberField<Efficiency>{"cache_wave_us", &Efficiency::cache_wave_us, 0, 10'000},
    NumberField<Efficiency>{"cache_expand", &Efficiency::cache_expand, 0, 1000},
    NumberField<Efficiency>{"experts", &Efficiency::experts, 0.01, 2},
    NumberField<Efficiency>{"experts_fp8", &Efficiency::experts_fp8, 0.01, 2},
    NumberField<Efficiency>{"experts_fp4", &Efficiency::experts_fp4, 0.01, 2},
    NumberField<Efficiency>{"experts_bandwidth", &Efficiency::experts_bandwidth, 0.01, kMostShare},
    NumberField<Efficiency>{"experts_us", &Efficiency::experts_us, 0.01, 10'000},
    NumberField<Efficiency>{"fp32_per_sm_clock", &Efficiency::fp32_per_sm_clock, 0, 100'000},
    NumberField<Efficiency>{"training_publishers", &Efficiency::training_publishers, 0, kMostPublishers},
    NumberField<Efficiency>{"serving_publishers", &Efficiency::serving_publishers, 0, kMostPublishers},
};

inline constexpr std::array kSoftwareFields = {
    NumberField<TrainingSoftware>{"time", &TrainingSoftware::time, 0.1, 100},
    NumberField<TrainingSoftware>{"host_eager_ms", &TrainingSoftware::host_eager_ms, 0, 10'000},
    NumberField<TrainingSoftware>{"host_compiled_ms", &TrainingSoftware::host_compiled_ms, 0, 10'000},
    NumberField<TrainingSoftware>{"step_ms", &TrainingSoftware::step_ms, 0, 100'000},
    NumberField<TrainingSoftware>{"step_layer_ms", &TrainingSoftware::step_layer_ms, 0, 10'000},
    NumberField<TrainingSoftware>{"weight_bytes", &TrainingSoftware::weight_bytes, 0, 64},
    NumberField<TrainingSoftware>{"gradient_bytes", &TrainingSoftware::gradient_bytes, 0, 64},
    NumberField<TrainingSoftware>{"logit_bytes", &TrainingSoftware::logit_bytes, 0, 256},
    NumberField<TrainingSoftware>{"logit_bytes_compiled", &TrainingSoftware::logit_bytes_compiled, 0, 256},
    NumberField<TrainingSoftware>{"four_bit_bytes", &TrainingSoftware::four_bit_bytes, 0.5, 1},
    NumberField<TrainingSoftware>{"eight_bit_copies", &TrainingSoftware::eight_bit_copies, 0, 8},
    NumberField<TrainingSoftware>{"reduce_bytes", &TrainingSoftware::reduce_bytes, 1, 4},
    NumberField<TrainingSoftware>{"scatter_bytes", &TrainingSoftware::scatter_bytes, 1, 4},
    NumberField<TrainingSoftware>{"cast_bytes", &TrainingSoftware::cast_bytes, 0, 64},
    NumberField<TrainingSoftware>{"flat_step", &TrainingSoftware::flat_step, 0, 1000},
    NumberField<TrainingSoftware>{"publishers", &TrainingSoftware::publishers, 0, kMostPublishers},
};

inline constexpr std::array kEngineFields = {
    NumberField<EngineProfile>{"slots", &EngineProfile::slots, 0, 100'000},
    NumberField<EngineProfile>{"most_measured", &EngineProfile::most_measured, 0, 1'000'000},
    NumberField<EngineProfile>{"time", &EngineProfile::time, 0.2, 10},
    NumberField<EngineProfile>{"prompts", &EngineProfile::prompts, 0.2, 10},
    NumberField<EngineProfile>{"host_layer_us", &EngineProfile::host_layer_us, 0, 100'000},
    NumberField<EngineProfile>{"host_step_us", &EngineProfile::host_step_us, 0, 1'000'000},
    NumberField<EngineProfile>{"host_sequence_us", &EngineProfile::host_sequence_us, 0, 100'000},
    NumberField<EngineProfile>{"launch", &EngineProfile::launch, 0.1, 10},
    NumberField<EngineProfile>{"expand", &EngineProfile::expand, 0.05, 10},
    NumberField<EngineProfile>{"eight_bit", &EngineProfile::eight_bit, 0.05, 10},
    NumberField<EngineProfile>{"product", &EngineProfile::product, 0.05, 10},
    NumberField<EngineProfile>{"experts", &EngineProfile::experts, 0.05, 10},
    NumberField<EngineProfile>{"cache_expand", &EngineProfile::cache_expand, 0.05, 100},
    NumberField<EngineProfile>{"cache_start", &EngineProfile::cache_start, 0.01, 10},
    NumberField<EngineProfile>{"casts", &EngineProfile::casts, 0, 10},
    NumberField<EngineProfile>{"memory_share", &EngineProfile::memory_share, 0.1, 1},
    NumberField<EngineProfile>{"most_share", &EngineProfile::most_share, 0.1, 1},
    NumberField<EngineProfile>{"free_share", &EngineProfile::free_share, 0.1, 1},
    NumberField<EngineProfile>{"reserve_gib", &EngineProfile::reserve_gib, 0, 64},
    NumberField<EngineProfile>{"prompt_chunk", &EngineProfile::prompt_chunk, 0, 1'000'000},
    NumberField<EngineProfile>{"publishers", &EngineProfile::publishers, 0, kMostPublishers},
};

inline constexpr std::array kGpuFields = {
    NumberField<Gpu>{"training_publishers", &Gpu::training_publishers, 0, kMostPublishers},
    NumberField<Gpu>{"serving_publishers", &Gpu::serving_publishers, 0, kMostPublishers},
};

}  // namespace gpuplan
