// `gpuplan offers --group-by FIELD`: one row for each value of a field, with the prices of its offers.
#pragma once

#include <string>

#include "output/facts/offers_report.h"
#include "output/text/style.h"

namespace gpuplan {

/// The table: groups by their lowest price of a GPU-hour, the first twenty or `all`. REQUIRES: the report has a
/// group_by.
std::string offer_groups_text(const OffersReport& report, const Screen& screen, bool all);
std::string offer_groups_csv(const OffersReport& report);
/// Schema gpuplan/offer-groups@1, every group.
std::string offer_groups_json(const OffersReport& report);

}  // namespace gpuplan
