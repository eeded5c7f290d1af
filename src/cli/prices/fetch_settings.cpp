#include "cli/prices/fetch_settings.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "cli/io/read_file.h"
#include "cli/load/user_folder.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan::cli {
namespace {

constexpr const char* kSourcesFile = "price_sources.csv";
constexpr const char* kLimitsVariable = "GPUPLAN_FETCH";

bool environment_has_all(System& system, const PriceSource& source) {
  const auto set = [&](const std::string& name) { return !system.environment(name.c_str()).value_or("").empty(); };
  std::size_t count = 0;
  for (const std::string& name : source.keys) count += set(name) ? 1U : 0U;
  return source.use == KeyUse::kClient ? count == source.keys.size() : count > 0;
}

Result<void> set_limit(fetch::HttpLimits& limits, std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const std::string_view digits = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool number = !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
  constexpr double kMost = 86'400;
  if (number && value > 0 && value <= kMost) {
    if (name == "connect") return limits.connect_s = value, Result<void>();
    if (name == "stall") return limits.stall_s = value, Result<void>();
    if (name == "total") return limits.total_s = value, Result<void>();
    if (name == "wait") return limits.retry.first_s = value, Result<void>();
    if (name == "tries") return limits.retry.tries = static_cast<int>(std::ceil(value)), Result<void>();
  }
  return wrong_use(std::string(kLimitsVariable) +
                   ": expected seconds such as connect=15,stall=30,total=900,wait=1 and tries=4");
}

}  // namespace

Result<std::vector<PriceSource>> load_price_sources(System& system, const std::string& data_folder,
                                                    std::span<const std::string> addresses) {
  std::string own;
  const std::string path = data_folder + '/' + kSourcesFile;
  const bool replaced = !data_folder.empty() && system.facts_of(path).is_file();
  if (replaced) {
    auto text = read_file(system, path, CsvTable::kMaxBytes);
    if (!text) return std::unexpected(std::move(text.error()));
    own = *std::move(text);
  }
  auto sources = read_price_sources(replaced ? std::string_view(own) : embedded_data(kSourcesFile),
                                    replaced ? std::string_view(path) : kSourcesFile);
  if (!sources) return sources;
  if (auto set = fetch::set_addresses(*sources, addresses); !set) return std::unexpected(std::move(set.error()));
  return sources;
}

std::string key_file(System& system) {
  const std::string folder = xdg_folder(system, "XDG_CONFIG_HOME", "/.config");
  return folder.empty() ? "" : folder + "/gpuplan/keys.toml";
}

Result<fetch::Keys> load_keys(System& system, std::span<const fetch::ListChoice> lists) {
  fetch::Keys keys;
  bool complete = true;
  for (const fetch::ListChoice& list : lists) {
    complete = complete && (list.source->keys.empty() || environment_has_all(system, *list.source));
    for (const std::string& name : list.source->keys) {
      const auto value = system.environment(name.c_str());
      if (!value || value->empty()) continue;
      auto key = fetch::checked_key(*value, name);
      if (!key) return std::unexpected(std::move(key.error()));
      if (!key->empty()) keys.emplace(name, *std::move(key));
    }
  }
  const std::string file = key_file(system);
  if (complete || file.empty()) return keys;
  auto more = fetch::read_key_file(file);
  if (!more) return more;
  keys.merge(*more);  // the environment goes before
  return keys;
}

Result<fetch::HttpLimits> fetch_limits(System& system) {
  fetch::HttpLimits limits;
  for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"})
    if (limits.certificates.empty()) limits.certificates = system.environment(name).value_or("");
  for (const std::string_view setting : split(system.environment(kLimitsVariable).value_or(""), ','))
    if (auto set = set_limit(limits, setting); !set) return std::unexpected(std::move(set.error()));
  return limits;
}

std::vector<std::string> fetch_folders(System& system) {
  return {std::string(system.environment("TMPDIR").value_or("")), "/var/tmp", "/tmp"};
}

double SystemHost::now() {
  constexpr double kNano = 1e9;
  return static_cast<double>(system_->now()) / kNano;
}

double SystemHost::chance() {
  constexpr std::uint64_t kSteps = 4096;
  return static_cast<double>(hash_of(std::to_string(system_->now())) % kSteps) / kSteps;
}

}  // namespace gpuplan::cli
