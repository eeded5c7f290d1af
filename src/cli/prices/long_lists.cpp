#include "cli/prices/long_lists.h"

#include <algorithm>
#include <utility>

#include "cli/prices/unlikely_offers.h"

namespace gpuplan::cli {
namespace {

Feed* list_of(std::vector<Feed>& lists, std::string_view file) {
  const auto found = std::ranges::find(lists, file, &Feed::file);
  return found == lists.end() ? nullptr : &*found;
}

}  // namespace

Result<void> LongLists::begin() {
  const auto today = today_of(*system_);
  if (!today) return std::unexpected(today.error());
  today_ = *today;
  const auto file = store_to_write(*system_, *options_);
  if (!file) return std::unexpected(file.error());
  // Once the store is being written, nobody reads it.
  add_known(judge_, *file, *system_, *catalogue_);
  auto store = options_->dry_run ? PriceStore::scratch() : PriceStore::open(*file, PriceStore::Use::kWrite);
  if (!store) return std::unexpected(std::move(store.error()));
  store_.emplace(*std::move(store));
  return {};
}

void LongLists::take(Feed& part) {
  if (error_) return;
  if (!store_)
    if (auto begun = begin(); !begun) {
      error_ = std::move(begun.error());
      return;
    }
  name_source(part);
  reject_future(part, today_);
  for (const Offer& offer : part.offers) judge_.add(offer, PriceStanding::kNew);
  if (auto staged = store_->stage(part.file, part.offers, part.offer_rows); !staged) error_ = std::move(staged.error());
}

OfferVerdict LongLists::look_at(std::string_view list, const Offer& offer, const OfferRow& row) {
  return look_at_odd(*list_of(*lists_, list), offer, row, judge_, options_->unlikely);
}

void LongLists::twice(std::string_view file, const OfferRow& row) {
  list_of(*lists_, file)->reject(row, "the same row again");
}

Result<ImportRecord> LongLists::import(std::vector<Feed>& lists, const ImportTerms& terms) {
  lists_ = &lists;
  return store_->import(lists, terms, this);
}

}  // namespace gpuplan::cli
