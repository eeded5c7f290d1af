#include "input/job/prose.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "input/job/codecs.h"

namespace gpuplan {

namespace {

/// "U+202E" of a valid character.
std::string code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  std::uint32_t value = character.size() == 1   ? first
                        : character.size() == 2 ? first & 0x1FU
                        : character.size() == 3 ? first & 0x0FU
                                                : first & 0x07U;
  for (const char c : character.substr(1)) value = (value << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (; value > 0 || digits.size() < 4; value >>= 4U) digits.insert(digits.begin(), kDigits[value & 0xFU]);
  return "U+" + digits;
}

/// Joins people and things in emoji and letters of some scripts; it can not turn or forge what stands around it.
bool is_joiner(std::string_view character) {
  return character == "\xE2\x80\x8D" || character == "\xE2\x80\x8C" || character == "\xEF\xB8\x8F";
}

std::string without_edges(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == '\t')) text.pop_back();
  // Blank lines go, what indents the first line stays: it may be code.
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size() && (text[at] == '\n' || text[at] == ' ' || text[at] == '\t'); ++at)
    if (text[at] == '\n') start = at + 1;
  return text.substr(start);
}

/// The text with line ends of one kind, or why it is none that may be shown to anybody.
bool read_prose(Reader& reader, const Tree& tree, const ValueType& type, std::string& out) {
  if (!tree.is_scalar()) return mismatch(reader, tree, type);
  out.clear();
  std::size_t characters = 0;
  const std::string_view text = tree.text;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("\r\n")) ++at;
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    const std::string_view character = text.substr(at, length);
    const bool plain =
        character == "\n" || character == "\t" || is_joiner(character) || printable(character) == character;
    if (!plain)
      return reader.fail(tree, "has the character " + code_point(character) +
                                   ", which is not seen or turns the text around; remove it");
    out += character;
    at += length;
    ++characters;
  }
  out = without_edges(std::move(out));
  if (characters > type.longest)
    return reader.fail(tree, "expected " + bounds_text(type, {}) + ", got " +
                                 count_text(static_cast<double>(characters)) +
                                 "; a longer text belongs into a file of its own");
  return true;
}

std::string joined(std::string first, std::string_view then) {
  if (!first.empty() && !then.empty()) first += "\n\n";
  return first.append(then);
}

/// A line as Markdown shows it in bold.
std::string bold(std::string_view line) {
  std::string text = "**";
  for (const char c : line) {
    if (std::string_view("\\`*_[]<>#|~&").contains(c)) text += '\\';
    text += c;
  }
  return text + "**";
}

struct ManualTaskRecord {
  using Object = ManualTask;
  static constexpr std::string_view title = "task";
  static constexpr std::string_view scalar_key = "do";
  static constexpr std::array keys = {
      key_as<ProseLineCodec, &ManualTask::what>("do", "required", "manual step to do"),
      key_as<ProseLineCodec, &ManualTask::who>("who", "", "who does it"),
      key<&ManualTask::time>("time", "", "how long it takes (shown only: hours of a phase are its own)", kPositive),
      key_as<ProseCodec, &ManualTask::command>("command", "", "command that helps with it (shown only)"),
      key_as<ProsePurposeCodec, &ManualTask::notes>("purpose", "", "what it is done for"),
      key_as<ProseNotesCodec, &ManualTask::notes>("notes", "", "what else is to be said"),
  };
};

constexpr std::array<const ValueType*, 2> kTaskForms = {&ProseLineCodec::type, &Record<ManualTaskRecord>::type};

struct QualityRecord {
  using Object = Quality;
  static constexpr std::string_view title = "quality";
  static constexpr std::array keys = {
      key_as<ProseCodec, &Quality::good>("good", "", "how the output looks when it is good"),
      key_as<ProseCodec, &Quality::bad>("bad", "", "how it looks when it is not"),
      key_as<ProseCodec, &Quality::remedy>("do", "", "what to do then"),
  };
};

struct OptionRecord {
  using Object = OptionProse;
  static constexpr std::string_view title = "option";
  static constexpr std::array keys = {
      gpu_key<OptionProse>("any", "plans on this GPU, with an optional count: 4x RTX 4090"),
      key<&OptionProse::gpus>("gpus", "any", "plans on so many GPUs in all", between(1, 100'000)),
      key_as<ProseLineCodec, &OptionProse::title>("title", "", "what this way to run the job is called"),
      key_as<ProsePurposeCodec, &OptionProse::notes>("purpose", "", "what this way is for"),
      key_as<ProseNotesCodec, &OptionProse::notes>("notes", "",
                                                   "what speaks for it and against it, and when to take it"),
  };
  static bool check(Reader& reader, const Tree& tree, const OptionProse& out) {
    if (out.gpu.empty() && out.gpus == 0)
      return reader.fail(tree, "names no machines; expected gpu, gpus or both, such as gpu: 4x RTX 4090");
    return check_gpu_count(reader, tree);
  }
};

/// The time that a phase states for itself; nullptr when the hardware decides.
const Interval<Seconds>* own_time(const Phase& phase) {
  if (const auto* fixed = std::get_if<FixedPhase>(&phase.work)) return &fixed->time.range;
  if (const auto* cpu = std::get_if<CpuPhase>(&phase.work)) return &cpu->time.range;
  return nullptr;
}

}  // namespace

bool ProseLineCodec::read(Reader& reader, const Tree& tree, std::string& out, const Bounds&) {
  if (!read_prose(reader, tree, type, out)) return false;
  out = trim(out);
  if (out.find('\n') != std::string::npos) return reader.fail(tree, "expected one line, got several");
  std::ranges::replace(out, '\t', ' ');
  return true;
}

bool ProseCodec::read(Reader& reader, const Tree& tree, std::string& out, const Bounds&) {
  return read_prose(reader, tree, type, out);
}

bool ProseTitleCodec::read(Reader& reader, const Tree& tree, std::string& words, const Bounds& bounds) {
  std::string title;
  if (!ProseLineCodec::read(reader, tree, title, bounds)) return false;
  words = joined(title.empty() ? "" : bold(title), words);
  return true;
}

bool ProsePurposeCodec::read(Reader& reader, const Tree& tree, std::string& words, const Bounds& bounds) {
  std::string purpose;
  if (!ProseCodec::read(reader, tree, purpose, bounds)) return false;
  // Behind a title that was read before; options keep theirs elsewhere.
  const Tree* title = reader.map == nullptr ? nullptr : reader.map->find("title");
  const std::string head = title != nullptr && title->is_scalar() ? bold(trim(title->text)) : std::string();
  const std::size_t end = !head.empty() && words.starts_with(head) ? head.size() : 0;
  const std::string_view rest = std::string_view(words).substr(end);
  words = joined(joined(words.substr(0, end), purpose), rest.starts_with("\n\n") ? rest.substr(2) : rest);
  return true;
}

bool ProseNotesCodec::read(Reader& reader, const Tree& tree, std::string& words, const Bounds& bounds) {
  std::string notes;
  if (!ProseCodec::read(reader, tree, notes, bounds)) return false;
  words = joined(std::move(words), notes);
  return true;
}

constinit const ValueType Codec<ManualTask>::type = {
    .kind = ValueType::Kind::kOneOf, .options = kTaskForms.data(), .option_count = kTaskForms.size()};
bool Codec<ManualTask>::read(Reader& reader, const Tree& tree, ManualTask& out, const Bounds& bounds) {
  if (tree.is_scalar()) {  // "do this" stands for {do: do this}
    const Reader::Scope scope(reader, "do");
    return ProseLineCodec::read(reader, tree, out.what, bounds);
  }
  return Record<ManualTaskRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType Codec<Quality>::type = Record<QualityRecord>::type;
bool Codec<Quality>::read(Reader& reader, const Tree& tree, Quality& out, const Bounds& bounds) {
  return Record<QualityRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType Codec<OptionProse>::type = Record<OptionRecord>::type;
bool Codec<OptionProse>::read(Reader& reader, const Tree& tree, OptionProse& out, const Bounds& bounds) {
  return Record<OptionRecord>::read(reader, tree, out, bounds);
}

bool check_options(Reader& reader, const Tree& job, const std::vector<OptionProse>& options) {
  const Tree* list = job.find("options");
  for (std::size_t i = 0; i < options.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (options[i].gpu != options[k].gpu || options[i].gpus != options[k].gpus) continue;
      const Reader::Scope scope(reader, "options");
      const Reader::Scope item(reader, i);
      return reader.fail(list->is_list() ? list->children[i] : *list,
                         "options[" + number_text(static_cast<double>(k)) + "] is about the same GPUs; join them");
    }
  return true;
}

std::vector<std::string> task_contradictions(const Job& job) {
  std::vector<std::string> told;
  for (const Phase& phase : job.phases) {
    const Interval<Seconds>* time = own_time(phase);
    if (time == nullptr) continue;
    // One after the other what one person does; several people work at once.
    std::map<std::string, Seconds> least;
    for (const ManualTask& task : phase.prose.tasks)
      if (task.time) least[to_lower(task.who)] += task.time->p10;
    Seconds busiest{};
    for (const auto& [who, sum] : least) busiest = std::max(busiest, sum);
    if (busiest > time->p90)
      told.push_back("phase " + phase.name + " takes " + to_text(time->p50) +
                     " as it says, although its tasks take one person " + to_text(busiest) + ".");
  }
  return told;
}

}  // namespace gpuplan
