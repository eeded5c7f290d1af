// How far prices moved that the store has of one GPU at one provider.
#pragma once

#include <string_view>
#include <vector>

#include "domain/market/offer.h"
#include "domain/market/own_scatter.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// By provider, GPU and terms: the moves of the year before a date ("2026-11", "2026-11-25"; empty: of all that is
/// known), from week to week, so that what comes and goes within days counts little; and how far `offers`, which are
/// those of that date, lie apart. Of single machines no moves: on two days they are other hosts. Failures are the
/// database's.
OwnScatters own_scatter(Database& database, std::string_view as_of, const std::vector<Offer>& offers);

}  // namespace gpuplan
