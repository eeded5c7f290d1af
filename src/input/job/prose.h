// Keys that say something in words (domain/work/prose.h).
#pragma once

#include "domain/work/job.h"
#include "input/declaration/record.h"

namespace gpuplan {

/// A line of its own: a title, a name, what is to be done.
struct ProseLineCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kText, .title = "a line of text", .longest = 200};
  static bool read(Reader&, const Tree&, std::string&, const Bounds&);
};
/// Markdown of any number of lines.
struct ProseCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kText, .title = "Markdown", .longest = 20'000};
  static bool read(Reader&, const Tree&, std::string&, const Bounds&);
};
/// What has one place for words only: its title, in bold, and what it is for stand in front of its notes, whatever
/// order the job has them in.
struct ProseTitleCodec {
  static constexpr const ValueType& type = ProseLineCodec::type;
  static bool read(Reader&, const Tree&, std::string& words, const Bounds&);
};
struct ProsePurposeCodec {
  static constexpr const ValueType& type = ProseCodec::type;
  static bool read(Reader&, const Tree&, std::string& words, const Bounds&);
};
struct ProseNotesCodec {
  static constexpr const ValueType& type = ProseCodec::type;
  static bool read(Reader&, const Tree&, std::string& words, const Bounds&);
};
template <>
struct Codec<ManualTask> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, ManualTask&, const Bounds&);
};
template <>
struct Codec<Quality> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, Quality&, const Bounds&);
};
template <>
struct Codec<OptionProse> {
  static const ValueType type;
  static bool read(Reader&, const Tree&, OptionProse&, const Bounds&);
};

/// A key that is told and never counted.
template <class C, auto First, auto... Rest>
constexpr Key prose_key(std::string_view name, std::string_view help) {
  Key key = key_as<C, First, Rest...>(name, "", help);
  key.prose = true;
  return key;
}

/// Two sets of words about the same GPUs are an error.
bool check_options(Reader&, const Tree& job, const std::vector<OptionProse>&);

/// Where the times of tasks and the time of their phase can not both be right: a sentence each.
std::vector<std::string> task_contradictions(const Job&);

}  // namespace gpuplan
