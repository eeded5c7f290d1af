// What a hand-made plan or quote says, as read: amounts with the digits they show, tables, lists, lines. Nothing here
// judges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpuplan {

/// What an amount is of. Base units: seconds, dollars, dollars an hour, bytes, bytes a second, one.
enum class ClaimDimension : std::uint8_t {
  kBare,  ///< a number without a unit that is known
  kTime,
  kMoney,
  kPrice,  ///< money for an hour
  kBytes,
  kByteRate,
  kShare,  ///< 5% is 0.05
  kTimes,  ///< 3.2x
  kGpuTime,
  kNodeTime,
  kTokenRate,   ///< a second
  kSampleRate,  ///< a second
  kStepTime,    ///< seconds a step
  kTokens,
  kSamples,
  kSteps,
  kEpochs,
  kGpus,
  kParameters,
  kWidth,          ///< bytes of one number: "16 bit" is 2
  kPower,          ///< watts
  kEnergy,         ///< joules
  kOperations,     ///< floating-point operations
  kOperationRate,  ///< of them a second
};

/// An amount as written: "~$10-15/hour". `low` and `high` are its ends (equal but for ranges).
struct ClaimAmount {
  ClaimDimension dimension = ClaimDimension::kBare;
  double low = 0, high = 0;            ///< base units
  double low_step = 0, high_step = 0;  ///< one in the last digit shown, base units
  double unit = 1;                     ///< base units in one of the unit written
  bool whole = false;                  ///< no digits after the point
  bool approximate = false;            ///< "~20", "about 20"
  bool at_most = false, at_least = false;
  bool added = false;     ///< "+2 h"
  bool taken = false;     ///< "-$20", and a cell that is "($20)"
  bool per_gpu = false;   ///< "$2/GPU-h", "tokens/s/GPU"
  bool per_node = false;  ///< "$24/node-h"
  bool foreign = false;   ///< money that is not in dollars
  bool odd = false;       ///< a unit stands with it that is not known: "TFLOP/s", "months"
  std::string currency;   ///< of money, as written: "$", "EUR"; empty where only its column says that it is money
  int id = 0;             ///< its place among all of the document; -1: a term of a head, which claims nothing
  std::size_t from = 0, to = 0;  ///< bytes of its text
  std::string text;

  bool range() const { return low != high; }
};

/// A GPU by name, with how many of them and the memory said with it: "8x H100 40GB".
struct GpuMention {
  int count = 0;         ///< 0: not said
  std::string key;       ///< squeezed name without memory: "h100", "a100pcie"
  double gigabytes = 0;  ///< 0: not said
  std::size_t from = 0, to = 0;
  std::string text;
};

/// Words between two separators with all that is measured in them.
struct ClaimText {
  std::string text;  ///< without Markdown's own signs
  std::vector<ClaimAmount> quantities;
  std::vector<GpuMention> gpus;
  std::vector<std::size_t> wraps{};  ///< bytes at which the lines after the first begin, where it is of several

  /// How many lines of the file below its first one a byte of it stands.
  int lines_to(std::size_t byte) const {
    return static_cast<int>(std::ranges::upper_bound(wraps, byte) - wraps.begin());
  }
};

struct ClaimSection {
  int line = 0;
  int level = 0;    ///< 0: the document itself
  int parent = -1;  ///< its place among the sections; -1: none
  ClaimText title;
};

/// A line outside of tables, or the lines of a paragraph that is wrapped over several. "Cost: $50/hour" has a label.
struct ClaimLine {
  int line = 0;
  int section = 0;
  int indent = 0;
  int block = 0;      ///< lines of one code block, list or paragraph share it
  bool item = false;  ///< of a list
  bool code = false;
  std::string label;  ///< before the colon; empty: none
  ClaimText said;     ///< the whole line

  /// The line of the file in which an amount or GPU of `said` stands.
  int line_of(const auto& one) const { return line + said.lines_to(one.from); }
};

struct ClaimRow {
  int line = 0;
  std::vector<ClaimText> cells;  ///< as many as the table has columns
};

struct ClaimTable {
  int line = 0;
  int section = 0;
  bool headless = false;
  bool across = false;  ///< options are columns: the first cell of a row says what its amounts are
  std::vector<ClaimText> heads;
  std::vector<ClaimRow> rows;
};

/// A part that could not be read, and why.
struct UnreadPart {
  int line = 0;
  std::string why;
};

struct ClaimDocument {
  std::vector<ClaimSection> sections;  ///< the first is the document itself
  std::vector<ClaimLine> lines;
  std::vector<ClaimTable> tables;
  std::vector<UnreadPart> unread;
  int quantities = 0;
};

}  // namespace gpuplan
