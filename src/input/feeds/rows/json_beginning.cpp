#include <vector>

#include "input/feeds/rows/json_records.h"

namespace gpuplan {
namespace {

/// Notes which paths had a value, and stops when all have.
class SeenPaths : public JsonRecordSink {
 public:
  explicit SeenPaths(std::size_t paths) : missing_(paths), seen_(paths) {}
  Result<void> record(const JsonRecord& record) override {
    if (!seen_[record.path]) --missing_;
    seen_[record.path] = true;
    if (missing_ == 0) return failure("seen");
    return {};
  }
  bool all() const { return missing_ == 0; }

 private:
  std::size_t missing_;
  std::vector<bool> seen_;
};

}  // namespace

bool json_begins_with(std::string_view head, std::span<const JsonPath> paths) {
  SeenPaths seen(paths.size());
  JsonRecords records(paths, "", seen);
  // Whatever breaks off or is wrong behind it, what was seen counts.
  [[maybe_unused]] const Result<void> read = records.take(head);
  return seen.all();
}

}  // namespace gpuplan
