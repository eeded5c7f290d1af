// Spreadsheets (.xlsx, .ods) as tables of text: each sheet as CSV.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/text/untidy/zip.h"

namespace gpuplan {

struct SheetText {
  std::string name;  ///< as the spreadsheet calls it
  std::string csv;   ///< a line for each row, so that lines are its numbers
};

/// Whether an archive is one.
bool is_spreadsheet(const ZipFile& archive);

/// What its cells hold: texts, figures with the currency that their format shows (a price in euros is stored as a bare
/// number), days as dates or as spreadsheets count them. Formulas have the value that was worked out last. Errors:
/// those of the archive, a part that is larger than any price list, damaged XML.
Result<std::vector<SheetText>> read_spreadsheet(ZipFile& archive, const std::string& file);

}  // namespace gpuplan
