#include "cli/load/price_store.h"

#include <utility>

#include "cli/deliver/deliver.h"
#include "cli/io/read_file.h"
#include "cli/load/user_folder.h"
#include "store/price_store.h"

namespace gpuplan::cli {
namespace {

class StoreOnDisk final : public api::StoredOffers {
 public:
  StoreOnDisk(System& system, std::string file, bool named) : system_(system), file_(std::move(file)), named_(named) {}

  Result<ThinnedOffers> offers(const std::string& as_of, const Places* wanted_at) const override {
    auto found = stored_offers(file_, as_of, wanted_at);
    if (found || named_) return found;
    complain(system_, found.error());
    say(system_, "gpuplan: stored prices are not used (--no-store)");
    return ThinnedOffers();
  }

 private:
  System& system_;
  std::string file_;
  bool named_;
};

}  // namespace

void add_store_options(CommandSpec& command, StoreOptions& options, bool needed) {
  command.options.push_back({.names = "--store",
                             .target = &options.file,
                             .help = "stored prices (default: GPUPLAN_STORE, else gpuplan/prices.db in the XDG data "
                                     "folder)",
                             .value = "FILE",
                             .completes = Completes::kFiles});
  if (!needed)
    command.options.push_back(
        {.names = "--no-store", .target = &options.none, .help = "do not use the prices you stored"});
}

std::string store_file(System& system, const StoreOptions& options) {
  return options.file.empty() ? data_file(system, "GPUPLAN_STORE", "prices.db") : options.file;
}

std::shared_ptr<const api::StoredOffers> stored_prices(System& system, const StoreOptions& options) {
  if (options.none) return nullptr;
  std::string file = store_file(system, options);
  const bool named = !options.file.empty();
  if (file.empty()) return nullptr;
  if (!named && !system.facts_of(file).is_file()) {
    // Nothing is stored yet, unless somebody says where it is.
    if (const auto set = system.environment("GPUPLAN_STORE"); set && !set->empty())
      say(system, "gpuplan: " + shown_name(file) + " (GPUPLAN_STORE): no such file; no stored prices are used");
    return nullptr;
  }
  return std::make_shared<StoreOnDisk>(system, std::move(file), named);
}

}  // namespace gpuplan::cli
