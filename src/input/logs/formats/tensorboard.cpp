#include "input/logs/formats/tensorboard.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "input/logs/book/names.h"

namespace gpuplan {
namespace {

constexpr std::size_t kTail = 4;                                   // the checksum behind the message
constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 20U;  // of a record that is read; images are skipped
constexpr std::uint64_t kAbsurd = std::uint64_t{1} << 40U;

/// CRC-32C (Castagnoli), reflected; eight bytes a step.
constexpr auto kCrc = [] {
  constexpr std::uint32_t kPolynomial = 0x82F63B78U;
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
    tables[0][i] = crc;
  }
  for (std::size_t t = 1; t < 8; ++t)
    for (std::size_t i = 0; i < 256; ++i) tables[t][i] = (tables[t - 1][i] >> 8U) ^ tables[0][tables[t - 1][i] & 0xFFU];
  return tables;
}();

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// The fields of a protobuf message.
class WireFields {
 public:
  explicit WireFields(std::string_view message) : rest_(message) {}

  bool next() {
    std::uint64_t key = 0;
    if (rest_.empty() || !varint(key)) return false;
    number = key >> 3U;
    switch (key & 7U) {
      case 0:
        return varint(value);
      case 1:
        return fixed(8);
      case 2: {
        std::uint64_t size = 0;
        if (!varint(size) || size > rest_.size()) return false;
        bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
      }
      case 5:
        return fixed(4);
      default:
        return false;
    }
  }
  std::uint64_t number = 0, value = 0;
  std::string_view bytes;

 private:
  bool varint(std::uint64_t& out) {
    out = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      out |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool fixed(std::size_t size) {
    if (rest_.size() < size) return false;
    bytes = rest_.substr(0, size);
    value = little_endian(bytes);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
};

double float_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// TensorProto: 1 dtype (1 float, 2 double), 4 tensor_content, 5 float_val, 6 double_val; the first element.
std::optional<double> tensor_value(std::string_view message) {
  std::uint64_t type = 0;
  std::string_view content;
  for (WireFields f(message); f.next();) {
    if (f.number == 1) type = f.value;
    else if (f.number == 4) content = f.bytes;
    else if (f.number == 5 && f.bytes.size() >= 4) return float_of(little_endian(f.bytes.substr(0, 4)));
    else if (f.number == 6 && f.bytes.size() >= 8) return std::bit_cast<double>(little_endian(f.bytes.substr(0, 8)));
  }
  if (type == 1 && content.size() >= 4) return float_of(little_endian(content.substr(0, 4)));
  if (type == 2 && content.size() >= 8) return std::bit_cast<double>(little_endian(content.substr(0, 8)));
  return std::nullopt;
}

}  // namespace

std::uint32_t LogTensorBoard::masked_crc(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint64_t block = little_endian(bytes.substr(0, 8)) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kCrc[7 - i][block >> (8 * i) & 0xFFU];
  }
  for (const char c : bytes) crc = kCrc[0][(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (crc >> 8U);
  crc = ~crc;
  constexpr std::uint32_t kMask = 0xA282EAD8U;
  return (crc >> 15U | crc << 17U) + kMask;
}

bool LogTensorBoard::begins(std::string_view head) {
  return head.size() >= kHead && masked_crc(head.substr(0, 8)) == little_endian(head.substr(8, 4)) &&
         little_endian(head.substr(0, 8)) < kAbsurd;
}

/// Event: 1 wall_time, 2 step, 5 summary; Summary: 1 value {1 tag, 2 simple_value, 8 tensor}.
void LogTensorBoard::record(LogBook& book, std::string_view message) {
  LogLine line;
  line.number = ++records_;
  StepRecord record;
  record.step = 0;
  std::string_view summary;
  for (WireFields f(message); f.next();) {
    if (f.number == 1 && f.bytes.size() == 8) line.time = std::bit_cast<double>(f.value);
    else if (f.number == 2) record.step = static_cast<double>(static_cast<std::int64_t>(f.value));
    else if (f.number == 5) summary = f.bytes;
  }
  for (WireFields f(summary); f.next();) {
    if (f.number != 1) continue;
    std::string_view tag;
    std::optional<double> value;
    for (WireFields v(f.bytes); v.next();) {
      if (v.number == 1) tag = v.bytes;
      else if (v.number == 2 && v.bytes.size() == 4) value = float_of(v.value);
      else if (v.number == 8) value = tensor_value(v.bytes);
    }
    // A step is the event's; a tag of that name is a value like others.
    const NamedValue named = named_value(tag);
    if (value && named.kind != NamedValue::Kind::kStep) note_value(book, record, named, *value);
  }
  if (line.time > 0 && line.time < 1e11) book.clock(line.time);
  else line.time = scan::kUnknown;
  if (record.known != 0) book.record(LogFormat::kTensorBoard, record, line);
  else book.shows(LogFormat::kTensorBoard);
}

void LogTensorBoard::feed(LogBook& book, std::string_view bytes) {
  while (!bytes.empty() && !damaged_) {
    if (skip_ > 0) {
      const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, bytes.size()));
      skip_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    // As a rule the whole record lies in these bytes; then nothing is copied.
    const bool copied = !have_.empty();
    const auto fill = [&](std::size_t size) {
      if (!copied && bytes.size() >= size) return true;
      const std::size_t more = std::min(bytes.size(), size - std::min(size, have_.size()));
      have_ += bytes.substr(0, more);
      bytes.remove_prefix(more);
      return have_.size() >= size;
    };
    if (!fill(kHead)) return;
    const std::string_view head = (copied ? std::string_view(have_) : bytes).substr(0, kHead);
    if (!begins(head)) {
      damaged_ = true;
      return;
    }
    const std::uint64_t size = little_endian(head.substr(0, 8));
    if (size > kLargestRecord) {
      ++records_;
      skip_ = size + kTail;
      if (copied) have_.clear();
      else bytes.remove_prefix(kHead);
      continue;
    }
    const std::size_t whole = kHead + static_cast<std::size_t>(size) + kTail;
    if (!fill(whole)) return;
    const std::string_view all = (copied ? std::string_view(have_) : bytes).substr(0, whole);
    const std::string_view message = all.substr(kHead, static_cast<std::size_t>(size));
    if (masked_crc(message) == little_endian(all.substr(whole - kTail))) record(book, message);
    else damaged_ = true;
    if (copied) have_.clear();
    else bytes.remove_prefix(whole);
  }
}

}  // namespace gpuplan
