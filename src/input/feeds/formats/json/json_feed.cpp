#include "input/feeds/formats/json/json_feed.h"

#include "input/feeds/rows/parted_lists.h"

namespace gpuplan {
namespace {

class PlainJsonFeed final : public JsonFeed {
 public:
  using Item = void (*)(const JsonItem&, FeedRows&);
  PlainJsonFeed(FeedRows& rows, std::span<const JsonPath> paths, Item item) : JsonFeed(rows, paths), item_(item) {}

 private:
  void item(const JsonItem& item) override {
    if (item.tree.is_map()) item_(item, rows());
    else rows().reject(item.row, "an entry that is no object in braces");
  }

  Item item_;
};

}  // namespace

JsonFeed::JsonFeed(FeedRows& rows, std::span<const JsonPath> paths)
    : rows_(&rows), records_(paths, rows.terms().file, *this) {}

bool JsonFeed::wanted(const JsonRecord& record) { return !record.text.empty(); }

Result<void> JsonFeed::record(const JsonRecord& record) {
  if (!wanted(record)) return {};
  const Result<Tree> tree = record.tree();
  if (!tree) return std::unexpected(tree.error());
  item({record.number, record.path, record.keys, *tree});
  return {};
}

Result<void> JsonFeed::finish() {
  if (const Result<void> read = records_.finish(); !read) return read;
  end();
  // A list that is alone waits for no other.
  if (rows_->terms().parted != nullptr) return {};
  if (auto missing = rows_->parted().missing()) return std::unexpected(*std::move(missing));
  return {};
}

std::unique_ptr<FeedReader> json_reader(FeedRows& rows, std::span<const JsonPath> paths,
                                        void (*item)(const JsonItem& item, FeedRows& rows)) {
  return std::make_unique<PlainJsonFeed>(rows, paths, item);
}

bool json_begins_with_any(std::string_view head, std::initializer_list<std::initializer_list<JsonPath>> sets) {
  // Tables and scripts are no JSON: a look at the first sign spares the rest.
  const std::size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return false;
  for (const auto& paths : sets)
    if (json_begins_with(head, {paths.begin(), paths.size()})) return true;
  return false;
}

}  // namespace gpuplan
