#include "input/models/weights/gguf_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace gpuplan {
namespace {

enum GgufType : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };

constexpr std::uint64_t kMostValues = 100'000;
constexpr std::uint64_t kMostTensors = 1'000'000;
constexpr std::uint64_t kMostKeyBytes = 65'535;  // the format's own limit
constexpr std::uint32_t kMostDimensions = 4;
constexpr int kMostNesting = 4;
constexpr double kMostElements = 1e15;

/// ggml_type and how many elements lie in a block of so many bytes (ggml/src/ggml-common.h).
struct Block {
  std::uint32_t type;
  int elements;
  int bytes;
  Format format;
};

constexpr auto kBlocks = std::to_array<Block>({
    {0, 1, 4, Format::kFp32},        // F32
    {1, 1, 2, Format::kFp16},        // F16
    {2, 32, 18, Format::kQ4_0},      // Q4_0
    {3, 32, 20, Format::kQ4K},       // Q4_1
    {6, 32, 22, Format::kQ5K},       // Q5_0
    {7, 32, 24, Format::kQ5K},       // Q5_1
    {8, 32, 34, Format::kQ8_0},      // Q8_0
    {9, 32, 36, Format::kQ8_0},      // Q8_1
    {10, 256, 84, Format::kQ2K},     // Q2_K
    {11, 256, 110, Format::kQ3K},    // Q3_K
    {12, 256, 144, Format::kQ4K},    // Q4_K
    {13, 256, 176, Format::kQ5K},    // Q5_K
    {14, 256, 210, Format::kQ6K},    // Q6_K
    {15, 256, 292, Format::kQ8_0},   // Q8_K
    {16, 256, 66, Format::kQ2K},     // IQ2_XXS
    {17, 256, 74, Format::kQ2K},     // IQ2_XS
    {18, 256, 98, Format::kQ3K},     // IQ3_XXS
    {19, 256, 50, Format::kQ2K},     // IQ1_S
    {20, 32, 18, Format::kQ4_0},     // IQ4_NL
    {21, 256, 110, Format::kQ3K},    // IQ3_S
    {22, 256, 82, Format::kQ2K},     // IQ2_S
    {23, 256, 136, Format::kIq4Xs},  // IQ4_XS
    {24, 1, 1, Format::kInt8},       // I8
    {25, 1, 2, Format::kFp16},       // I16
    {26, 1, 4, Format::kFp32},       // I32
    {27, 1, 8, Format::kFp32},       // I64
    {28, 1, 8, Format::kFp32},       // F64
    {29, 256, 56, Format::kQ2K},     // IQ1_M
    {30, 1, 2, Format::kBf16},       // BF16
    {34, 256, 54, Format::kQ2K},     // TQ1_0
    {35, 256, 66, Format::kQ2K},     // TQ2_0
    {39, 32, 17, Format::kMxfp4},    // MXFP4
});

static_assert(std::endian::native == std::endian::little, "GGUF is little endian");

class Cursor {
 public:
  Cursor(std::string_view data, const std::string& file) : data_(data), file_(file) {}

  template <class T>
  T read() {
    T value{};
    if (data_.size() - at_ < sizeof(T)) return fail("the file is cut off"), value;
    std::memcpy(&value, data_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::string_view text(std::uint64_t most) {
    const auto length = read<std::uint64_t>();
    if (!ok()) return {};
    if (length > most) return fail("a name of " + std::to_string(length) + " bytes"), std::string_view();
    if (length > data_.size() - at_) return fail("the file is cut off"), std::string_view();
    const std::string_view value = data_.substr(at_, length);
    at_ += length;
    return value;
  }

  void skip(std::uint64_t bytes) {
    if (bytes > data_.size() - at_) fail("the file is cut off");
    else at_ += bytes;
  }

  void fail(std::string what) {
    if (problem_.empty()) problem_ = "at byte " + count_text(static_cast<double>(at_)) + ": " + std::move(what);
  }
  bool ok() const { return problem_.empty(); }
  std::unexpected<Error> error() const { return failure("not a readable GGUF file: " + problem_, {file_}); }

 private:
  std::string_view data_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::string problem_;
};

double read_scalar(Cursor& in, std::uint32_t type) {
  switch (type) {
    case kU8:
      return in.read<std::uint8_t>();
    case kI8:
      return in.read<std::int8_t>();
    case kU16:
      return in.read<std::uint16_t>();
    case kI16:
      return in.read<std::int16_t>();
    case kU32:
      return in.read<std::uint32_t>();
    case kI32:
      return in.read<std::int32_t>();
    case kF32:
      return static_cast<double>(in.read<float>());
    case kBool:
      return in.read<std::uint8_t>() != 0;
    case kU64:
      return static_cast<double>(in.read<std::uint64_t>());
    case kI64:
      return static_cast<double>(in.read<std::int64_t>());
    case kF64:
      return in.read<double>();
    default:
      in.fail("value type " + std::to_string(type) + " is not known");
      return 0;
  }
}

void read_array(Cursor& in, GgufValue& value, int nesting) {
  const auto type = in.read<std::uint32_t>();
  const auto length = in.read<std::uint64_t>();
  if (nesting > kMostNesting) return in.fail("arrays nested too deep");
  if (nesting == 1) value.length = length, value.is_array = true;
  // Every element takes at least a byte, so a false length ends at the end of the file.
  for (std::uint64_t i = 0; i < length && in.ok(); ++i) {
    if (type == kString) {
      in.text(UINT64_MAX);
    } else if (type == kArray) {
      read_array(in, value, nesting + 1);
    } else {
      const double number = read_scalar(in, type);
      value.least = i == 0 ? number : std::min(value.least, number);
      value.number = i == 0 ? number : std::max(value.number, number);
    }
  }
}

GgufValue read_value(Cursor& in) {
  GgufValue value;
  value.key = in.text(kMostKeyBytes);
  const auto type = in.read<std::uint32_t>();
  if (!in.ok()) return value;
  if (type == kString) {
    value.text = in.text(UINT64_MAX);
    value.is_text = true;
  } else if (type == kArray) {
    read_array(in, value, 1);
  } else {
    value.number = value.least = read_scalar(in, type);
  }
  return value;
}

GgufTensor read_tensor(Cursor& in) {
  GgufTensor tensor;
  tensor.name = in.text(kMostKeyBytes);
  const auto dimensions = in.read<std::uint32_t>();
  if (in.ok() && (dimensions == 0 || dimensions > kMostDimensions))
    in.fail("a tensor of " + std::to_string(dimensions) + " dimensions");
  tensor.elements = 1;
  for (std::uint32_t i = 0; i < dimensions && in.ok(); ++i) {
    tensor.dims.push_back(static_cast<double>(in.read<std::uint64_t>()));
    tensor.elements *= tensor.dims.back();
  }
  const auto type = in.read<std::uint32_t>();
  in.read<std::uint64_t>();  // offset
  if (!in.ok()) return tensor;
  if (!(tensor.elements <= kMostElements)) return in.fail("a tensor larger than any model"), tensor;
  const auto* block = std::ranges::find(kBlocks, type, &Block::type);
  if (block == kBlocks.end()) return in.fail("tensor type " + std::to_string(type) + " is not known"), tensor;
  tensor.bytes = std::ceil(tensor.elements / block->elements) * block->bytes;
  tensor.format = block->format;
  return tensor;
}

}  // namespace

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = std::ranges::find(values, key, &GgufValue::key);
  return found == values.end() ? nullptr : &*found;
}

Result<GgufFile> read_gguf_file(std::string_view start, const std::string& file) {
  if (!start.starts_with("GGUF")) return failure("no GGUF file: it does not begin with 'GGUF'", {file});
  Cursor in(start, file);
  in.skip(4);
  const auto version = in.read<std::uint32_t>();
  if (in.ok() && (version < 2 || version > 3))
    in.fail("version " + std::to_string(version) + " (expected 2 or 3, little endian)");
  const auto tensors = in.read<std::uint64_t>();
  const auto values = in.read<std::uint64_t>();
  if (in.ok() && (tensors > kMostTensors || values > kMostValues))
    in.fail(std::to_string(tensors) + " tensors and " + std::to_string(values) + " values are more than any model has");
  GgufFile result;
  for (std::uint64_t i = 0; i < values && in.ok(); ++i) result.values.push_back(read_value(in));
  for (std::uint64_t i = 0; i < tensors && in.ok(); ++i) result.tensors.push_back(read_tensor(in));
  if (!in.ok()) return in.error();
  return result;
}

}  // namespace gpuplan
