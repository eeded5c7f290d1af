#include "fetch/fetch_feeds.h"

#include <iterator>
#include <utility>

#include "base/text.h"
#include "input/feeds/feed_formats.h"
#include "input/feeds/read_feed.h"
#include "input/feeds/rows/parted_lists.h"

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
  PartedLists parted;  // of this list alone, where nobody has read others
  FeedTerms shared = terms;
  const bool alone = terms.parted == nullptr;
  if (alone) shared.parted = &parted;
  for (std::size_t at = 0; at < list.documents.size();) {
    const std::size_t address = list.documents[at].address;
    // Each is another list, and what becomes of its rows is told by its name.
    shared.file = terms.file + (address > 0 ? "/" + std::to_string(address + 1) : "");
    FeedSource source(shared, format, catalogue);
    for (; at < list.documents.size() && list.documents[at].address == address; ++at) {
      FeedTaker taker(source);
      if (auto read = read_document(list.file, list.documents[at], most_unpacked(most_bytes), taker); !read)
        return without_place(std::move(read.error()));
    }
    auto found = source.finish();
    if (!found) return without_place(std::move(found.error()));
    for (const Feed& feed : *found) {
      rows += feed.rows;
      kept += feed.kept;
    }
    feeds.insert(feeds.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
  }
  parted.give_bands(feeds);
  if (const auto missing = parted.missing()) return failure(missing->message);
  if (!alone && feeds.empty()) return feeds;
  if (kept == 0)
    return failure(rows == 0 ? "sends a list without rows"
                             : "sends no offer that can be used (" + count_of(static_cast<double>(rows), "row") + ")");
  return feeds;
}

}  // namespace gpuplan::fetch
