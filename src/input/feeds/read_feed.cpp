#include "input/feeds/read_feed.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "input/feeds/feed_formats.h"
#include "input/feeds/feed_names.h"
#include "input/feeds/rows/parted_lists.h"
#include "input/text/gunzip.h"
#include "input/text/untidy/jsonp.h"
#include "input/text/untidy/spreadsheet.h"
#include "input/text/untidy/unpack_limits.h"
#include "input/text/untidy/utf8_text.h"
#include "input/text/untidy/zip.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLargestZip = std::size_t{256} << 20U;  // it is held whole: its directory is at its end
constexpr std::size_t kSignSize = 4;                          // bytes that tell a zip or gzip

std::unexpected<Error> unknown_list(const std::string& file) {
  return failure(
      "no price list that gpuplan knows by its text; own lists need columns gpu, gpus, price_per_hour; "
      "docs/prices.md has all formats",
      {file, 0, 0});
}

/// One list as text, of which the first bytes tell the format.
class FeedText {
 public:
  FeedText(FeedTerms terms, const FeedFormat* forced, const Catalogue& catalogue)
      : terms_(std::move(terms)), format_(forced), catalogue_(&catalogue) {}

  Result<void> take(std::string_view bytes) {
    Result<void> done;
    utf8_.feed(bytes, [&](std::string_view text) { done = text_comes(text); });
    return done;
  }

  Result<Feed> finish() {
    Result<void> done;
    utf8_.end([&](std::string_view text) { done = text_comes(text); });
    if (done && !reader_ && trim(head_).empty()) {
      unknown_ = true;
      return failure("is empty; expected a price list", {terms_.file, 0, 0});
    }
    if (done && !reader_) done = begin();
    if (done) done = reader_->finish();
    if (!done) return std::unexpected(std::move(done.error()));
    return rows_->finish();
  }
  /// Its format is told by no sign: it may be something else than a price list.
  bool unknown() const { return unknown_; }

 private:
  Result<void> text_comes(std::string_view text) {
    if (reader_) return read(text);
    head_ += text;
    return head_.size() < kFeedHead ? Result<void>() : begin();
  }

  Result<void> read(std::string_view text) {
    if (!call_.found()) return reader_->take(text);
    Result<void> done;
    call_.feed(text, [&](std::string_view piece) {
      if (done) done = reader_->take(piece);
    });
    return done;
  }

  Result<void> begin() {
    call_.begin(head_);
    if (format_ == nullptr) format_ = recognise_feed(std::string_view(head_).substr(0, kFeedHead));
    if (format_ == nullptr) {
      unknown_ = true;
      return unknown_list(terms_.file);
    }
    if (!format_->provider.empty()) terms_.provider = format_->provider;
    rows_.emplace(std::move(terms_), std::string(format_->title), *catalogue_);
    reader_ = format_->reader(*rows_);
    const std::string head = std::exchange(head_, {});
    return read(head);
  }

  FeedTerms terms_;
  const FeedFormat* format_;
  const Catalogue* catalogue_;
  ToUtf8 utf8_{true};
  std::string head_;
  WithoutJsonp call_;
  bool unknown_ = false;
  std::optional<FeedRows> rows_;
  std::unique_ptr<FeedReader> reader_;  // reads into rows_
};

/// A list that may be packed by gzip.
class PackedText {
 public:
  PackedText(FeedTerms terms, const FeedFormat* forced, const Catalogue& catalogue)
      : file_(terms.file), text_(std::move(terms), forced, catalogue) {}

  Result<void> take(std::string_view bytes) {
    packed_ += bytes.size();
    Result<void> done;
    gzip_.feed(bytes, [&](std::string_view piece) {
      if (!done) return;
      unpacked_ += piece.size();
      if (gzip_.gzip() && UnpackLimits{}.exceeded(packed_, unpacked_))
        done = failure("it unpacks to more than any list of prices has", {file_, 0, 0});
      else done = text_.take(piece);
    });
    return done;
  }

  Result<Feed> finish() {
    Result<void> done;
    gzip_.end([&](std::string_view piece) { done = text_.take(piece); });
    if (!done) return std::unexpected(std::move(done.error()));
    if (gzip_.unfinished()) return failure("the gzip data are damaged or cut off", {file_, 0, 0});
    return text_.finish();
  }
  bool unknown() const { return text_.unknown(); }

 private:
  std::string file_;
  MaybeGzip gzip_;
  std::uint64_t packed_ = 0, unpacked_ = 0;
  FeedText text_;
};

/// What archives hold beside what was put in.
bool is_by_product(std::string_view name) {
  const std::string_view base = name.substr(name.find_last_of("/\\") + 1);
  return name.starts_with("__MACOSX/") || base.empty() || base.starts_with('.');
}

}  // namespace

struct FeedSource::State {
  FeedTerms terms;
  const FeedFormat* forced = nullptr;
  const Catalogue* catalogue;
  std::optional<Error> error{};
  std::string held{};  ///< the first bytes, or all of a zip
  bool zip = false;
  std::optional<PackedText> text{};
  PartedLists parted{};  ///< where the caller has none

  Result<void> take(std::string_view bytes);
  Result<void> begin();
  Result<std::vector<Feed>> finish();
  Result<std::vector<Feed>> finish_zip();
  Result<std::vector<Feed>> finish_sheets(ZipFile& archive);
};

Result<void> FeedSource::State::take(std::string_view bytes) {
  if (text) return text->take(bytes);
  held += bytes;
  if (zip && held.size() > kLargestZip)
    return failure("a zip archive larger than 256 MiB; unpack it first", {terms.file, 0, 0});
  return zip || held.size() < kSignSize ? Result<void>() : begin();
}

Result<void> FeedSource::State::begin() {
  zip = ZipFile::begins(held);
  if (zip) return {};
  text.emplace(terms, forced, *catalogue);
  const std::string first = std::exchange(held, {});
  return text->take(first);
}

Result<std::vector<Feed>> FeedSource::State::finish() {
  if (zip) return finish_zip();
  if (!text)
    if (auto begun = begin(); !begun) return std::unexpected(std::move(begun.error()));
  auto feed = text->finish();
  if (!feed) return std::unexpected(std::move(feed.error()));
  std::vector<Feed> feeds;
  if (!feed->waits) feeds.push_back(*std::move(feed));
  return feeds;
}

Result<std::vector<Feed>> FeedSource::State::finish_zip() {
  auto archive = ZipFile::open(held, terms.file);
  if (!archive) return std::unexpected(std::move(archive.error()));
  if (is_spreadsheet(*archive)) return finish_sheets(*archive);
  std::vector<Feed> feeds;
  bool known = false;
  for (const ZipEntry& entry : archive->entries()) {
    if (is_by_product(entry.name)) continue;
    FeedTerms own = terms;
    const std::string name = printable(entry.name);
    own.file = terms.file + '/' + name;
    if (const std::string provider = provider_of_path(name); !provider.empty()) own.provider = provider;
    PackedText list(std::move(own), forced, *catalogue);
    const auto read = archive->read(entry, [&](std::string_view piece) { return list.take(piece); });
    if (!read) {
      if (list.unknown()) continue;
      return std::unexpected(read.error());
    }
    auto feed = list.finish();
    known = known || feed || !list.unknown();
    if (feed && !feed->waits) feeds.push_back(*std::move(feed));
    else if (!feed && !list.unknown()) return std::unexpected(std::move(feed.error()));
  }
  if (!known) return unknown_list(terms.file);
  return feeds;
}

/// Sheets beside the price list, with notes or sums, are passed over.
Result<std::vector<Feed>> FeedSource::State::finish_sheets(ZipFile& archive) {
  const auto sheets = read_spreadsheet(archive, terms.file);
  if (!sheets) return std::unexpected(sheets.error());
  std::vector<Feed> feeds;
  bool known = false;
  for (const SheetText& sheet : *sheets) {
    FeedTerms own = terms;
    // The first list is the file's, so that its name alone tells what it is.
    const std::size_t dot = std::min(terms.file.rfind('.'), terms.file.size());
    if (known) own.file.insert(dot, " " + printable(sheet.name, 40));
    FeedText list(std::move(own), forced, *catalogue);
    const auto read = list.take(sheet.csv);
    auto feed = read ? list.finish() : Result<Feed>(std::unexpected(read.error()));
    if (!feed && list.unknown()) continue;
    if (!feed) return std::unexpected(std::move(feed.error()));
    known = true;
    if (!feed->waits) feeds.push_back(*std::move(feed));
  }
  if (!known) return unknown_list(terms.file);
  return feeds;
}

FeedSource::FeedSource(FeedTerms terms, std::string_view forced_format, const Catalogue& catalogue)
    : state_(std::make_unique<State>(State{std::move(terms), nullptr, &catalogue})) {
  if (state_->terms.parted == nullptr) state_->terms.parted = &state_->parted;
  if (forced_format.empty()) return;
  state_->forced = find_feed_format(forced_format);
  if (state_->forced != nullptr) return;
  std::vector<std::string_view> names;
  for (const FeedFormat& format : feed_formats()) names.push_back(format.name);
  std::string known;
  for (const std::string_view name : names) known.append(known.empty() ? "" : ", ").append(name);
  state_->error = wrong_use("--from: there is no format '" + printable(forced_format, 60) + "'; known: " + known +
                            did_you_mean(forced_format, names))
                      .error();
}
FeedSource::FeedSource(FeedSource&&) noexcept = default;
FeedSource& FeedSource::operator=(FeedSource&&) noexcept = default;
FeedSource::~FeedSource() = default;

Result<void> FeedSource::take(std::string_view bytes) {
  if (state_->error) return std::unexpected(*state_->error);
  auto taken = state_->take(bytes);
  if (!taken) state_->error = taken.error();
  return taken;
}

Result<std::vector<Feed>> FeedSource::finish() {
  if (state_->error) return std::unexpected(*state_->error);
  auto feeds = state_->finish();
  if (feeds) state_->parted.give_bands(*feeds);
  if (const auto missing = state_->parted.missing(); feeds && missing) return std::unexpected(*missing);
  return feeds;
}

}  // namespace gpuplan
