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
  for (const Offer& offer : known_before(*file, *system_, *catalogue_)) judge_.add(offer, true);
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
  Feed& counts = counts_[part.file];
  Feed looked;
  looked.offers = std::move(part.offers);
  looked.offer_rows = std::move(part.offer_rows);
  looked.kept = looked.offers.size();
  reject_future(looked, today_);
  for (const auto& [reason, rows] : looked.rejections) counts.rejections[reason] += rows;
  counts.notes.insert(counts.notes.end(), looked.notes.begin(), looked.notes.end());
  for (const Offer& offer : looked.offers) judge_.add(offer, false);
  if (auto staged = store_->stage(part.file, looked.offers, looked.offer_rows); !staged)
    error_ = std::move(staged.error());
}

void LongLists::add_counts(std::vector<Feed>& lists) const {
  for (const auto& [file, counts] : counts_) {
    Feed* list = list_of(lists, file);
    if (list == nullptr) continue;
    for (const auto& [reason, rows] : counts.rejections) {
      list->rejections[reason] += rows;
      list->kept -= rows;
    }
    list->corrected = std::min(list->corrected, list->kept);
    for (const FeedNote& note : counts.notes)
      if (list->notes.size() < Feed::kMostNotes) list->notes.push_back(note);
  }
}

OfferVerdict LongLists::look_at(std::string_view list, const Offer& offer, std::uint64_t row) {
  return look_at_odd(*list_of(*lists_, list), offer, row, judge_, options_->unlikely);
}

void LongLists::twice(std::string_view file, std::uint64_t rows) {
  Feed& list = *list_of(*lists_, file);
  list.kept -= rows;
  list.rejections["the same row again"] += rows;
  list.corrected = std::min(list.corrected, list.kept);
}

Result<ImportRecord> LongLists::import(std::vector<Feed>& lists, const ImportTerms& terms) {
  lists_ = &lists;
  return store_->import(lists, terms, this);
}

}  // namespace gpuplan::cli
