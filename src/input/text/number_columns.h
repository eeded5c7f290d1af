// Columns of numbers that a list of fields declares (domain/facts/number_fields.h).
#pragma once

#include <array>
#include <cstddef>

#include "domain/facts/number_fields.h"
#include "input/text/csv.h"

namespace gpuplan {

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

}  // namespace gpuplan
