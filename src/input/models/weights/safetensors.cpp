#include "input/models/weights/safetensors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "base/sorting.h"
#include "base/text.h"
#include "input/models/weights/tensor_names.h"
#include "input/text/json_text.h"

namespace gpuplan {
namespace {

struct Type {
  std::string_view name;
  int bits;
  bool weights;  ///< one element is one weight
  Format format;
};

constexpr auto kTypes = std::to_array<Type>({
    {"BOOL", 8, false, Format::kInt8},      {"U8", 8, false, Format::kInt4},        {"I8", 8, true, Format::kInt8},
    {"F8_E5M2", 8, true, Format::kFp8},     {"F8_E4M3", 8, true, Format::kFp8},     {"F8_E8M0", 8, false, Format::kFp8},
    {"F8_E4M3FNUZ", 8, true, Format::kFp8}, {"F8_E5M2FNUZ", 8, true, Format::kFp8}, {"I16", 16, false, Format::kInt4},
    {"U16", 16, false, Format::kInt4},      {"F16", 16, true, Format::kFp16},       {"BF16", 16, true, Format::kBf16},
    {"I32", 32, false, Format::kInt4},      {"U32", 32, false, Format::kInt4},      {"F32", 32, true, Format::kFp32},
    {"C64", 64, true, Format::kFp32},       {"F64", 64, true, Format::kFp32},       {"I64", 64, false, Format::kInt8},
    {"U64", 64, false, Format::kInt8},      {"F4", 4, true, Format::kNvfp4},        {"F6_E2M3", 6, true, Format::kFp8},
    {"F6_E3M2", 6, true, Format::kFp8},
});

const Type* type_named(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &Type::name);
  return found == kTypes.end() ? nullptr : found;
}

/// Largest number of bytes and elements taken seriously: thousand times the largest model.
constexpr double kLargestNumber = 1e16;

class TensorEvents : public JsonEvents {
 public:
  explicit TensorEvents(SafetensorsHeader& header) : header_(header) {}

  bool begin_map() override {
    ++depth_;
    if (depth_ == 2) tensor_ = {};
    return depth_ <= 2 || in_metadata() || fail("is no list of numbers");
  }
  bool begin_list() override {
    ++depth_;
    return (depth_ == 3 && !in_metadata()) || in_metadata() || fail("expected {dtype, shape, data_offsets}");
  }
  bool end() override {
    --depth_;
    return depth_ != 1 || in_metadata() || finish();
  }
  bool key(std::string&& name) override {
    if (depth_ == 1) name_ = std::move(name);
    else if (depth_ == 2) field_ = std::move(name);
    return true;
  }
  bool string(std::string&& text) override {
    if (in_metadata()) return true;
    if (depth_ != 2 || field_ != "dtype") return fail("expected {dtype, shape, data_offsets}");
    tensor_.type = type_named(text);
    return tensor_.type != nullptr || fail("dtype '" + printable(text, 20) + "' is not known");
  }
  bool word(std::string&& text) override {
    if (in_metadata()) return true;
    if (depth_ != 3) return fail("expected {dtype, shape, data_offsets}");
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = problem == std::errc() && end == text.data() + text.size() && number >= 0 &&
                       number <= kLargestNumber && number == static_cast<double>(static_cast<std::int64_t>(number));
    if (!whole) return fail("expected whole numbers in shape and data_offsets");
    std::vector<double>& list = field_ == "shape" ? tensor_.dims : tensor_.offsets;
    list.push_back(number);
    return list.size() <= 16 || fail("has more than 16 dimensions");
  }

  const std::string& problem() const { return problem_; }
  TensorNames& names() { return names_; }

  /// The tensors must fill the buffer without holes or overlap.
  bool filled() {
    std::ranges::sort(spans_);
    double at = 0;
    for (const auto& [begin, end] : spans_) {
      if (begin != at) return false;
      at = end;
    }
    return true;
  }

 private:
  struct Tensor {
    const Type* type = nullptr;
    std::vector<double> dims, offsets;
  };

  bool in_metadata() const { return name_ == "__metadata__" && depth_ >= 1; }
  bool fail(std::string_view message) {
    problem_ = "tensor '" + printable(name_, 80) + "': " + std::string(message);
    return false;
  }
  bool finish() {
    if (tensor_.type == nullptr) return fail("dtype is missing");
    if (tensor_.offsets.size() != 2) return fail("data_offsets are missing; expected [begin, end]");
    double elements = 1;
    for (const double dim : tensor_.dims) elements *= dim;
    if (!(elements <= kLargestNumber)) return fail("is larger than any tensor");
    const double bytes = elements * tensor_.type->bits / 8;
    if (tensor_.offsets[1] - tensor_.offsets[0] != bytes)
      return fail("shape and dtype need " + count_text(bytes) + " bytes, data_offsets span " +
                  count_text(tensor_.offsets[1] - tensor_.offsets[0]));
    if (bytes > 0) spans_.emplace_back(tensor_.offsets[0], tensor_.offsets[1]);
    ++header_.tensors;
    header_.elements += elements;
    header_.bytes += Bytes{bytes};
    const auto same = std::ranges::find(header_.by_type, tensor_.type->name, &std::pair<std::string, double>::first);
    if (same != header_.by_type.end()) same->second += elements;
    else header_.by_type.emplace_back(tensor_.type->name, elements);
    names_.add(name_, tensor_.dims);
    return true;
  }

  SafetensorsHeader& header_;
  TensorNames names_;
  std::vector<std::pair<double, double>> spans_;
  Tensor tensor_;
  std::string name_, field_, problem_;
  int depth_ = 0;
};

class IndexEvents : public JsonEvents {
 public:
  explicit IndexEvents(SafetensorsIndex& index) : index_(index) {}
  bool begin_map() override { return ++depth_ > 0; }
  bool begin_list() override { return ++depth_ > 0; }
  bool end() override { return --depth_ >= 0; }
  bool key(std::string&& name) override {
    if (depth_ == 1) section_ = std::move(name);
    else if (depth_ == 2) key_ = std::move(name);
    return true;
  }
  bool string(std::string&&) override {
    if (depth_ == 2 && section_ == "weight_map") ++index_.tensors;
    return true;
  }
  bool word(std::string&& text) override {
    if (depth_ != 2 || section_ != "metadata") return true;
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || !(number >= 0 && number <= kLargestNumber))
      return true;
    if (key_ == "total_size") index_.total = Bytes{number};
    if (key_ == "total_parameters") index_.parameters = number;
    return true;
  }

 private:
  SafetensorsIndex& index_;
  std::string section_, key_;
  int depth_ = 0;
};

constexpr JsonLimits kHeaderLimits{.bytes = kMaxSafetensorsHeader, .values = 20'000'000, .depth = 8};

}  // namespace

bool SafetensorsHeader::plain() const {
  return std::ranges::all_of(by_type, [](const auto& part) {
    const Type* type = type_named(part.first);
    return type != nullptr && type->weights;
  });
}

Format SafetensorsHeader::format() const {
  const Type* type = by_type.empty() ? nullptr : type_named(by_type.front().first);
  return type != nullptr ? type->format : Format::kBf16;
}

Result<std::size_t> safetensors_header_bytes(std::string_view start, const std::string& file) {
  if (start.size() < 8) return failure("too short for a safetensors file", {file});
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(start[static_cast<std::size_t>(i)]);
  if (length < 2 || length > kMaxSafetensorsHeader)
    return failure("no safetensors file: its first 8 bytes announce a header of " + std::to_string(length) +
                       " bytes; expected at most " + count_text(kMaxSafetensorsHeader),
                   {file});
  return static_cast<std::size_t>(length) + 8;
}

Result<SafetensorsHeader> read_safetensors(std::string_view start, const std::string& file) {
  const Result<std::size_t> length = safetensors_header_bytes(start, file);
  if (!length) return std::unexpected(length.error());
  if (start.size() < *length)
    return failure("cut off inside its header: " + count_text(static_cast<double>(start.size())) + " of " +
                       count_text(static_cast<double>(*length)) + " bytes are there",
                   {file});
  const std::string_view json = start.substr(8, *length - 8);
  if (json.front() != '{') return failure("no safetensors file: its header is no JSON map", {file});

  SafetensorsHeader header;
  TensorEvents events(header);
  const Result<bool> read = read_json(json, file, kHeaderLimits, events);
  if (!read) return failure("header of the tensors: " + read.error().message, {file});
  if (!events.problem().empty()) return failure(events.problem(), {file});
  if (!events.filled()) return failure("tensors overlap or leave holes in the file", {file});
  if (header.tensors == 0) return failure("holds no tensors", {file});
  sort_stably(header.by_type, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  header.shape = events.names().shape(header.elements);
  if (header.shape) {
    header.shape->native = header.format();
    if (!header.plain()) header.shape->published = 0;
  }
  return header;
}

Result<SafetensorsIndex> read_safetensors_index(std::string_view json, const std::string& file) {
  SafetensorsIndex index;
  IndexEvents events(index);
  const Result<bool> read = read_json(json, file, kHeaderLimits, events);
  if (!read) return std::unexpected(read.error());
  if (index.tensors == 0 && index.total == Bytes{})
    return failure("expected an index of safetensors files: {metadata: {total_size}, weight_map}", {file});
  return index;
}

}  // namespace gpuplan
