#include "input/question/job_draft.h"

#include <algorithm>

#include "base/text.h"
#include "input/job/codecs.h"

namespace gpuplan {

namespace {

/// The record in which an address goes on.
const ValueType* record_of(const ValueType& type) {
  if (type.kind == ValueType::Kind::kRecord) return &type;
  if (type.of != nullptr) return record_of(*type.of);
  for (std::size_t i = 0; i < type.option_count; ++i)
    if (const ValueType* record = record_of(*type.options[i])) return record;
  return nullptr;
}

const Key* declared(std::string_view address) {
  const ValueType* record = &Codec<Job>::type;
  const Key* key = nullptr;
  for (const std::string_view name : split(address, '.')) {
    key = record == nullptr ? nullptr : record->find(name);
    if (key == nullptr) return nullptr;
    record = record_of(*key->type);
  }
  return key;
}

std::string meaning(std::string_view address) {
  const Key* key = declared(address);
  return key == nullptr ? "" : std::string(key->help);
}

std::string spaces(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

}  // namespace

void JobDraft::note(std::string_view text) { lines_.push_back({"# " + std::string(text), "", {}}); }

void JobDraft::blank() { lines_.push_back({"", "", {}}); }

void JobDraft::open(int indent, std::string_view address, std::string_view key, bool off) {
  lines_.push_back({(off ? "# " : "") + spaces(indent) + std::string(key) + ":", meaning(address), {}});
}

void JobDraft::key(int indent, std::string_view address, std::string_view key, std::string_view value,
                   std::string_view flag, bool assumed) {
  lines_.push_back({spaces(indent) + std::string(key) + ": " + std::string(value),
                    (assumed ? "assumed; " : "") + meaning(address), flag});
}

void JobDraft::item(int indent, std::string_view address, std::string_view key, std::string_view value,
                    std::string_view flag) {
  lines_.push_back({spaces(indent) + "- " + std::string(key) + ": " + std::string(value), meaning(address), flag});
}

void JobDraft::option(int indent, std::string_view address, std::string_view key, std::string_view example,
                      bool outer) {
  const std::string pair = std::string(key) + ": " + std::string(example);
  std::string comment = meaning(address);
  if (const Key* found = declared(address); found != nullptr && !found->fallback.empty())
    comment += "; default " + std::string(found->fallback);
  lines_.push_back({outer ? "# " + spaces(indent) + pair : spaces(indent) + "# " + pair, comment, {}});
}

SketchedJob JobDraft::finish(std::vector<std::string> assumed) && {
  constexpr int kWidest = 40;  // longer lines push their comment away
  int column = 0;
  for (const Line& line : lines_)
    if (!line.comment.empty())
      if (const int width = display_width(line.text); width <= kWidest) column = std::max(column, width);
  SketchedJob job;
  for (const Line& line : lines_) {
    job.text += line.text;
    if (!line.comment.empty())
      job.text += spaces(std::max(column - display_width(line.text), 0) + 2) + "# " + line.comment;
    job.text += '\n';
    job.flags.push_back(line.flag);
  }
  job.assumed = std::move(assumed);
  return job;
}

}  // namespace gpuplan
