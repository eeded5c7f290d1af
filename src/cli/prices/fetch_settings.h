// What fetching needs of the machine: sources, keys, bounds, and where to put what comes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io/system.h"
#include "fetch/choose_lists.h"
#include "fetch/http/http_client.h"
#include "fetch/keys.h"
#include "fetch/price_sources.h"

namespace gpuplan::cli {

/// Those compiled in, or price_sources.csv of the folder where it has one. `addresses`: set_addresses.
Result<std::vector<PriceSource>> load_price_sources(System& system, const std::string& data_folder,
                                                    std::span<const std::string> addresses);

/// The keys of these lists: from the environment, and where it has not all from keys.toml in the XDG config folder.
Result<fetch::Keys> load_keys(System& system, std::span<const fetch::ListChoice> lists);
/// Where that file lies; empty: there is no HOME.
std::string key_file(System& system);

/// The usual bounds; GPUPLAN_FETCH="connect=1,stall=1,total=5,wait=0.1,tries=2" (seconds) sets others, for tests and
/// slow lines. Certificates are those of SSL_CERT_FILE or CURL_CA_BUNDLE, else the system's.
Result<fetch::HttpLimits> fetch_limits(System& system);

/// Folders for what is fetched until it is read.
std::vector<std::string> fetch_folders(System& system);

/// The clock and sleep of the system.
class SystemHost final : public fetch::HttpHost {
 public:
  explicit SystemHost(System& system) : system_(&system) {}
  void sleep(int milliseconds) override { system_->sleep(milliseconds); }
  double now() override;
  double chance() override;
  void came(std::uint64_t /*bytes*/) override {}

 private:
  System* system_;
};

}  // namespace gpuplan::cli
