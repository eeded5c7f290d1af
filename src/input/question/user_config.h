// gpuplan.toml: what a person or team always means. Its keys are those of the job file, read by the same declarations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/job/job_reader.h"
#include "input/text/tree.h"

namespace gpuplan {

/// One gpuplan.toml as written, or a variable of the environment.
struct ConfigLayer {
  std::string file;  ///< as messages call it; relative names in it start at its folder
  Tree tree;
};

/// A value in effect: "where.quota.aws", "8". Of own boxes and pools "own.NAME", "pools.NAME".
struct ConfigValue {
  std::string address, value;
  std::string file;  ///< empty: the default
  int line = 0;
};

/// What somebody's contract takes off a provider's listed prices on demand.
struct Discount {
  std::string provider;
  std::string gpu;   ///< name in the catalogue; empty: all of the provider's
  double share = 0;  ///< 0 to 1
  std::string file{};
  int line = 0;
  bool operator==(const Discount&) const = default;
};

struct UserConfig {
  std::vector<Offer> boxes;             ///< own boxes and pools; `source` is the file
  std::vector<std::string> prices;      ///< price lists in place of the built-in snapshot
  std::vector<std::string> rates;       ///< "EUR=1.08"
  std::vector<Discount> discounts;      ///< nearest first: of an offer the first that fits counts
  std::vector<Commitment> commitments;  ///< of the nearest file that has any; jobs take them from `defaults`
  Tree defaults;                        ///< keys of jobs, where they do not say it themselves
  std::vector<ConfigValue> values;      ///< what is said, nearest first

  bool empty() const { return values.empty(); }
};

/// Reads the layers, nearest first, and joins them key by key: the nearest wins; boxes and pools are joined by name.
/// Errors name file and line.
Result<UserConfig> read_config(const std::vector<ConfigLayer>& layers, const Catalogue& catalogue);

/// The one that counts for an offer with a listed price on demand; null: none does.
const Discount* discount_for(const Offer& offer, const std::vector<Discount>& discounts);

/// A sentence for each discount of a provider that none of the offers has.
std::vector<std::string> unknown_providers(const std::vector<Offer>& offers, const std::vector<Discount>& discounts);

/// Takes the discounts off listed prices on demand.
void apply_discounts(std::vector<Offer>& offers, const std::vector<Discount>& discounts);

/// Adds to a job as written what it does not say itself, and a sentence for each file on what that was. A job whose
/// market is closed (`use: only`) gets no boxes, pools, `where`, `spot`, commitments or credits; with `keep_boxes`
/// false none gets boxes.
void apply_config(JobSource& job, const UserConfig& config, bool keep_boxes = true);

/// "From ./gpuplan.toml: own box desk, value_of_time $40/h." for each file behind the values.
std::vector<std::string> config_words(const std::vector<ConfigValue>& values);

/// Every key that gpuplan.toml may have, with its default; maps of the declaration are followed to their ends.
std::vector<ConfigValue> config_defaults();

}  // namespace gpuplan
