// Price lists of the user, as texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "plan/answer/plan.h"

namespace gpuplan::api {

/// A text with the name that messages call it by: a file, "standard input".
struct NamedText {
  std::string name, text;
  std::string changed{};  ///< day on which the file was changed last; empty: not known
};

/// Offers of all lists, in order. `rates` are such as EUR=1.08; the first of a currency wins. The error names file and
/// line, or the rate that can not be read.
Result<std::vector<Offer>> read_price_lists(const std::vector<NamedText>& lists, const std::vector<std::string>& rates,
                                            const Catalogue& catalogue);

/// What to tell of prices that are far from what others ask, those of the plan that is recommended before the others;
/// empty: none is. Null: none is recommended yet.
std::string odd_prices_told(const std::vector<Offer>& offers, const Catalogue& catalogue, const Plan* pick = nullptr);
/// Whether a sentence is one of those.
bool tells_odd_prices(std::string_view sentence);

/// The same of lists whose offers have no date, and whose files were changed long ago; of several lists only where none
/// has dates.
std::string old_files_told(const std::vector<NamedText>& lists, const std::vector<Offer>& offers,
                           const std::string& today, const AnswerConstants& constants);

}  // namespace gpuplan::api
