#include "evidence/validation/fitted_value.h"

#include <algorithm>

#include "domain/facts/number_fields.h"

namespace gpuplan {
namespace {

template <class Row, std::size_t count>
double* field_of(Row& row, const std::array<NumberField<Row>, count>& fields, const std::string& column) {
  const auto field = std::ranges::find(fields, column, &NumberField<Row>::name);
  return field != fields.end() ? &(row.*field->field) : nullptr;
}

template <class Constants, class Constant, std::size_t count>
double* constant_of(Constants& constants, const std::array<Constant, count>& known, const FittedAddress& address) {
  const auto constant = std::ranges::find(known, address.row, &Constant::name);
  if (constant == known.end() || address.column != "value") return nullptr;
  return &(constants.*constant->field);
}

}  // namespace

double* fitted_value(Catalogue& catalogue, const FittedAddress& address) {
  if (address.table == "training_constants")
    return constant_of(catalogue.training_constants, kTrainingConstants, address);
  if (address.table == "generation_constants")
    return constant_of(catalogue.generation_constants, kGenerationConstants, address);
  if (address.table == "efficiency") {
    for (Efficiency& row : catalogue.efficiencies)
      if (row.architecture + "/" + row.memory_type + "/" + row.accumulation == address.row)
        return field_of(row, kEfficiencyFields, address.column);
  } else if (address.table == "training_software") {
    for (TrainingSoftware& row : catalogue.training_software)
      if (row.name == address.row) return field_of(row, kSoftwareFields, address.column);
  } else if (address.table == "engines") {
    for (EngineProfile& row : catalogue.engines)
      if (row.name == address.row) return field_of(row, kEngineFields, address.column);
  } else if (address.table == "gpus") {
    for (Gpu& row : catalogue.gpus)
      if (row.name == address.row) return field_of(row, kGpuFields, address.column);
  }
  return nullptr;
}

}  // namespace gpuplan
