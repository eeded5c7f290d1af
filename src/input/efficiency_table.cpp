#include "input/efficiency_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "input/csv.h"

namespace gpuplan {
namespace {

/// A column of numbers, the field it fills and the range that makes sense for it.
template <class Row>
struct NumberField {
  std::string_view name;
  double Row::* field;
  double low, high;
};

constexpr double kShare = 1.2;  // a share of a data-sheet figure; clocks above the quoted boost may pass 1

using E = Efficiency;
constexpr std::array kEfficiencyFields = {
    NumberField<E>{"matmul", &E::matmul, 0.01, kShare},
    NumberField<E>{"matmul_fp8", &E::matmul_fp8, 0.01, kShare},
    NumberField<E>{"matmul_fp4", &E::matmul_fp4, 0.01, kShare},
    NumberField<E>{"k_half", &E::k_half, 0, 100'000},
    NumberField<E>{"k_half_fp8", &E::k_half_fp8, 0, 100'000},
    NumberField<E>{"k_half_fp4", &E::k_half_fp4, 0, 100'000},
    NumberField<E>{"wave", &E::wave, 0, 1},
    NumberField<E>{"wave_fp8", &E::wave_fp8, 0, 1},
    NumberField<E>{"matmul_bandwidth", &E::matmul_bandwidth, 0.01, kShare},
    NumberField<E>{"bandwidth", &E::bandwidth, 0.01, kShare},
    NumberField<E>{"attention", &E::attention, 0.01, kShare},
    NumberField<E>{"attention_common", &E::attention_common, 0.01, kShare},
    NumberField<E>{"attention_old", &E::attention_old, 0.01, kShare},
    NumberField<E>{"decode_bandwidth", &E::decode_bandwidth, 0.01, kShare},
    NumberField<E>{"kernel_us", &E::kernel_us, 0.01, 10'000},
    NumberField<E>{"kernel_us_fp8", &E::kernel_us_fp8, 0.01, 10'000},
    NumberField<E>{"training", &E::training, 0.5, 10},
    NumberField<E>{"serve_matmul", &E::serve_matmul, 0.01, kShare},
    NumberField<E>{"serve_fp8", &E::serve_fp8, 0.01, kShare},
    NumberField<E>{"serve_fp4", &E::serve_fp4, 0.01, kShare},
    NumberField<E>{"tflops_per_watt", &E::tflops_per_watt, 0, 1000},
    NumberField<E>{"fp32_per_sm_clock", &E::fp32_per_sm_clock, 0, 100'000},
};

using S = TrainingSoftware;
constexpr std::array kSoftwareFields = {
    NumberField<S>{"time", &S::time, 0.1, 100},
    NumberField<S>{"host_eager_ms", &S::host_eager_ms, 0, 10'000},
    NumberField<S>{"host_compiled_ms", &S::host_compiled_ms, 0, 10'000},
    NumberField<S>{"step_ms", &S::step_ms, 0, 100'000},
    NumberField<S>{"step_layer_ms", &S::step_layer_ms, 0, 10'000},
    NumberField<S>{"weight_bytes", &S::weight_bytes, 0, 64},
    NumberField<S>{"gradient_bytes", &S::gradient_bytes, 0, 64},
    NumberField<S>{"logit_bytes", &S::logit_bytes, 0, 256},
    NumberField<S>{"logit_bytes_compiled", &S::logit_bytes_compiled, 0, 256},
};

/// The columns of a list of number fields, and their reading row by row.
template <class Row, std::size_t count>
class NumberColumns {
 public:
  NumberColumns(CsvReader& cells, const std::array<NumberField<Row>, count>& fields)
      : cells_(&cells), fields_(&fields) {
    for (std::size_t i = 0; i < count; ++i) columns_[i] = cells.column(fields[i].name);
  }
  void read(std::size_t row, Row& into) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto& field = (*fields_)[i];
      cells_->required(row, columns_[i]);
      into.*field.field = cells_->number(row, columns_[i], field.low, field.high);
    }
  }

 private:
  CsvReader* cells_;
  const std::array<NumberField<Row>, count>* fields_;
  std::array<CsvReader::Column, count> columns_;
};

}  // namespace

Result<void> read_efficiencies(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto architecture = cells.column("architecture"), memory_type = cells.column("memory_type"),
             accumulation = cells.column("accumulation"), measured = cells.column("measured"),
             source = cells.column("source"), as_of = cells.column("as_of");
  const NumberColumns numbers(cells, kEfficiencyFields);

  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Efficiency efficiency;
    efficiency.architecture = cells.required(row, architecture);
    if (efficiency.architecture != "*" &&
        std::none_of(catalogue.gpus.begin(), catalogue.gpus.end(),
                     [&](const Gpu& gpu) { return gpu.architecture == efficiency.architecture; }))
      cells.fail_cell(row, architecture, "the architecture of any GPU");
    efficiency.memory_type = cells.required(row, memory_type);
    efficiency.accumulation = cells.required(row, accumulation);
    if (efficiency.accumulation != "*" && efficiency.accumulation != "half" && efficiency.accumulation != "full")
      cells.fail_cell(row, accumulation, "half, full or *");
    numbers.read(row, efficiency);
    efficiency.measured = cells.yes_no(row, measured);
    efficiency.source = cells.required(row, source);
    efficiency.as_of = cells.date(row, as_of);
    catalogue.efficiencies.push_back(std::move(efficiency));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

Result<void> read_training_software(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), fused = cells.column("fused"),
             vendor_attention = cells.column("vendor_attention"), source = cells.column("source"),
             as_of = cells.column("as_of");
  const NumberColumns numbers(cells, kSoftwareFields);

  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    TrainingSoftware software;
    software.name = cells.required(row, name);
    if (software.name != "*") {
      if (const Framework* framework = catalogue.find_framework(software.name)) software.name = framework->name;
      else cells.fail_cell(row, name, "a framework of frameworks.csv");
    }
    numbers.read(row, software);
    software.fused = cells.yes_no(row, fused);
    software.vendor_attention = cells.yes_no(row, vendor_attention);
    software.source = cells.required(row, source);
    software.as_of = cells.date(row, as_of);
    catalogue.training_software.push_back(std::move(software));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
