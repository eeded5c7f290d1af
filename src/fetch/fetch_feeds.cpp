#include "fetch/fetch_feeds.h"

#include <iterator>
#include <utility>

#include "base/text.h"
#include "input/feeds/feed_formats.h"
#include "input/feeds/read_feed.h"

namespace gpuplan::fetch {
namespace {

class FeedTaker final : public DocumentTaker {
 public:
  explicit FeedTaker(FeedSource& source) : source_(&source) {}
  Result<void> take(std::string_view piece) override {
    if (first_ && trim(piece.substr(0, kLook)).starts_with('<'))
      return failure("sends a web page instead of a list; the address may have moved");
    first_ = false;
    return source_->take(piece);
  }

 private:
  static constexpr std::size_t kLook = 200;
  FeedSource* source_;
  bool first_ = true;
};

/// The place is the address, which whoever tells the message names too.
std::unexpected<Error> without_place(Error error) {
  if (error.place.line > 0) error.message += " (line " + std::to_string(error.place.line) + ")";
  return failure(std::move(error.message));
}

}  // namespace

Result<std::vector<Feed>> read_fetched(const FetchedList& list, const FeedTerms& terms, std::string_view format,
                                       std::uint64_t most_bytes, const Catalogue& catalogue) {
  if (find_feed_format(format) == nullptr) format = {};
  std::vector<Feed> feeds;
  std::uint64_t rows = 0, kept = 0;
  for (const Document& document : list.documents) {
    FeedSource source(terms, format, catalogue);
    FeedTaker taker(source);
    if (auto read = read_document(list.file, document, most_unpacked(most_bytes), taker); !read)
      return without_place(std::move(read.error()));
    auto found = source.finish();
    if (!found) return without_place(std::move(found.error()));
    for (const Feed& feed : *found) {
      rows += feed.rows;
      kept += feed.kept;
    }
    feeds.insert(feeds.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
  }
  if (kept == 0)
    return failure(rows == 0 ? "sends a list without rows"
                             : "sends no offer that can be used (" + count_of(static_cast<double>(rows), "row") + ")");
  return feeds;
}

}  // namespace gpuplan::fetch
