// Price lists in JSON read as one, held against what every format owes.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include <string>
#include <string_view>

#include "base/text.h"
#include "input/feeds/feed_formats.h"
#include "model/training_fixture.h"

namespace gpuplan::feed_test {

using training_fixture::catalogue;

struct Read {
  Feed feed;
  std::string error;  ///< "line: message"; empty: none

  std::uint64_t rejections(std::string_view reason) const {
    const auto found = feed.rejections.find(std::string(reason));
    return found == feed.rejections.end() ? 0 : found->second;
  }
};

inline Read read_as(std::string_view name, std::string_view text, std::size_t piece = 1 << 20) {
  const FeedFormat* format = find_feed_format(name);
  if (format == nullptr) return {{}, "no such format"};
  FeedTerms terms;
  terms.file = "list.json";
  terms.provider = format->provider;
  terms.as_of = "2026-11-25";
  terms.rates = {{"EUR", 1.25}};
  FeedRows rows(terms, std::string(format->title), catalogue());
  const auto reader = format->reader(rows);
  Result<void> read;
  for (std::size_t at = 0; read && at < text.size(); at += piece)
    read = reader->take(std::string(text.substr(at, piece)));
  if (read) read = reader->finish();
  Read outcome{rows.finish(), ""};
  if (!read) outcome.error = std::to_string(read.error().place.line) + ": " + read.error().message;
  return outcome;
}

/// The list read by the format that its text shows, which must be this one, whatever the pieces. Of each row there is
/// an offer or a reason.
inline Feed read_list(std::string_view name, std::string_view text) {
  const FeedFormat* shown = recognise_feed(text.substr(0, kFeedHead));
  EXPECT_EQ(shown == nullptr ? "none" : shown->name, name);
  Read whole = read_as(name, text);
  EXPECT_EQ(whole.error, "");
  EXPECT_EQ(whole.feed.offers.size(), whole.feed.kept);
  std::uint64_t rejected = 0;
  for (const auto& [reason, count] : whole.feed.rejections) rejected += count;
  EXPECT_EQ(whole.feed.rows, whole.feed.kept + rejected);
  for (const Offer& offer : whole.feed.offers) {
    EXPECT_NE(catalogue().find_gpu(offer.gpu), nullptr) << offer.gpu.str();
    EXPECT_TRUE(offer.price || offer.spot_price) << offer.instance.str();
  }
  for (const std::size_t piece : {1U, 7U}) EXPECT_EQ(read_as(name, text, piece).feed.offers, whole.feed.offers);
  // Cut short it is an error, never a shorter list.
  const std::string_view cut = text.substr(0, text.find_last_of("}]"));
  EXPECT_NE(read_as(name, cut).error.find("cut short"), std::string::npos) << name;
  return std::move(whole.feed);
}

inline double hourly(const std::optional<Interval<DollarsPerSecond>>& price) {
  return price ? std::round(price->p50.value * 3600 * 1e6) / 1e6 : -1;
}

/// "8x H100 SXM 23.92 spot 7.5 in us-east-1"; "sold out" behind it.
inline std::string said(const Offer& offer) {
  std::string text = std::to_string(offer.gpus) + "x " + offer.gpu;
  if (offer.price) text += " " + number_text(hourly(offer.price));
  if (offer.spot_price) text += " spot " + number_text(hourly(offer.spot_price));
  if (!offer.region.empty()) text += " in " + offer.region;
  if (offer.stock != Stock::kUnsaid) text += ", " + std::string(name_of(offer.stock));
  return text;
}

inline std::vector<std::string> said(const Feed& feed) {
  std::vector<std::string> lines;
  for (const Offer& offer : feed.offers) lines.push_back(said(offer));
  return lines;
}

using Lines = std::vector<std::string>;

inline std::map<std::string, std::uint64_t> counts(
    std::initializer_list<std::pair<const std::string, std::uint64_t>> all) {
  return all;
}

}  // namespace gpuplan::feed_test
