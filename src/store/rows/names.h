// Texts of the store by their number, and details of offers by theirs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "domain/market/offer.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// Texts get a number when they are first asked for.
class StoredTexts {
 public:
  explicit StoredTexts(Database& database);
  std::int64_t number_of(const std::string& text);

 private:
  Statement find_, add_;
  std::unordered_map<std::string, std::int64_t> known_;
};

/// All texts, for reading.
class TextList {
 public:
  explicit TextList(Database& database);
  /// Empty for a number that there is not.
  const std::string& operator[](std::int64_t number) const;

 private:
  std::vector<std::string> texts_;
  std::string none_;
};

/// Two hashes of details, which tell them apart: hosts may have some of their own each.
using DetailHash = std::pair<std::uint64_t, std::uint64_t>;

/// Vcpus, memory, billing, ... of an offer: what few offers have of their own, and prices do not change.
class StoredDetails {
 public:
  StoredDetails(Database& database, StoredTexts& texts);
  std::int64_t number_of(const Offer& offer);

 private:
  StoredTexts& texts_;
  Statement add_;
  std::map<DetailHash, std::int64_t> known_;
};

/// The same for reading: fills those fields of the offer.
class DetailList {
 public:
  DetailList(Database& database, const TextList& texts);
  void fill(Offer& offer, std::int64_t number) const;

 private:
  std::unordered_map<std::int64_t, Offer> details_;
};

}  // namespace gpuplan
