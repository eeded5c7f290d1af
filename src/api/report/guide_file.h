// A guide as it lies on disk: with a line at its end that says what it was made from, and what users wrote into it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/report/report.h"
#include "base/result.h"
#include "output/report/guide.h"

namespace gpuplan::api {

/// The guide with its record, as one line of a comment.
std::string sealed_guide(const std::string& guide, const GuideRecord& record);

struct GuideFile {
  GuideRecord record;
  std::vector<OwnText> own{};  ///< what is not empty of it
  std::vector<int> edited{};   ///< lines, counted from 1, that are not as they were written, outside of own text
  int gone = 0;                ///< lines that were written and are not there any more

  bool by_hand() const { return !edited.empty() || gone > 0; }
};

/// Whether the text has such a record.
bool is_guide(std::string_view text);
/// Fails for what is no guide, and for marks of own text that do not end; the error has the line.
Result<GuideFile> read_guide(std::string_view text, const std::string& file);

/// "12, 40–44; 2 lines are gone".
std::string edit_words(const GuideFile& guide);

/// What is not as it was.
struct GuideChange {
  std::string what, before, now;  ///< an empty text: it was not there, or is not any more
};
std::vector<GuideChange> changes_since(const GuideRecord& before, const GuideRecord& now);

}  // namespace gpuplan::api
