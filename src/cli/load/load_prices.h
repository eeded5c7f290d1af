// Price lists of the user: `--prices FILE.csv` and `--rate EUR=1.08`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/question/user_config.h"

namespace gpuplan::cli {

/// Offers of all files, in order. The error names file and line, or the rate that can not be read.
Result<std::vector<Offer>> load_prices(const std::vector<std::string>& files, const std::vector<std::string>& rates,
                                       const Catalogue& catalogue);

/// The offers known beside a job's own: price lists of the command line, else those of gpuplan.toml, else the snapshot,
/// which no rate is about: with `rates` it is a usage error.
Result<std::vector<Offer>> known_offers(const std::vector<std::string>& files, const std::vector<std::string>& rates,
                                        const UserConfig& config, const Catalogue& catalogue);

}  // namespace gpuplan::cli
