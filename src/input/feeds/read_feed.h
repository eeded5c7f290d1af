// A file of price lists as it comes, whatever its format: plain text, gzip, or a zip of several lists.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/feeds/rows/feed.h"

namespace gpuplan {

/// One file, taken in pieces of any size. Its format shows in its text, unless the caller says it.
class FeedSource {
 public:
  /// `terms.provider` is what the file's path tells (provider_of_path), `forced_format` one of feed_formats() or empty.
  /// The catalogue outlives the source.
  FeedSource(FeedTerms terms, std::string_view forced_format, const Catalogue& catalogue);
  FeedSource(FeedSource&&) noexcept;
  FeedSource& operator=(FeedSource&&) noexcept;
  ~FeedSource();

  /// Fails where the bytes can not be a price list, are damaged, or unpack to more than any list has; what comes after
  /// an error is passed over and finish() tells the same error.
  Result<void> take(std::string_view bytes);
  /// After the last piece: one list; a zip gives one for each list in it. None where its rows come with a list that is
  /// still to be read (FeedTerms::parted).
  Result<std::vector<Feed>> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuplan
