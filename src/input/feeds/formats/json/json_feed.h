// What readers of price lists in JSON have in common: the records of a list, one after another.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "input/feeds/rows/feed_reader.h"
#include "input/feeds/rows/json_records.h"

namespace gpuplan {

/// A record of a list.
struct JsonItem {
  std::uint64_t row;                  ///< its number, from 1
  std::size_t path;                   ///< which of the format's paths
  std::span<const std::string> keys;  ///< on the way to it
  const Tree& tree;
};

class JsonFeed : public FeedReader, private JsonRecordSink {
 public:
  /// `paths` and `rows` outlive this.
  JsonFeed(FeedRows& rows, std::span<const JsonPath> paths);
  Result<void> take(std::string_view piece) override { return records_.take(piece); }
  Result<void> finish() override;

 protected:
  FeedRows& rows() { return *rows_; }
  /// False: not worth being read as a tree; the format has said what became of it.
  virtual bool wanted(const JsonRecord& record);
  virtual void item(const JsonItem& item) = 0;
  /// After the last one.
  virtual void end() {}

 private:
  Result<void> record(const JsonRecord& record) override;

  FeedRows* rows_;
  JsonRecords records_;
};

/// A format whose records stand each for itself. One that is no map is rejected.
std::unique_ptr<FeedReader> json_reader(FeedRows& rows, std::span<const JsonPath> paths,
                                        void (*item)(const JsonItem& item, FeedRows& rows));

/// Whether a text begins with all paths of one of these sets.
bool json_begins_with_any(std::string_view head, std::initializer_list<std::initializer_list<JsonPath>> sets);

}  // namespace gpuplan
