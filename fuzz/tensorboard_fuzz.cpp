// Any bytes as the messages of an event file whose lengths and checksums are right, and as what stands around them.
// seeds: tests/logs/*.tfevents
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input/logs/formats/tensorboard.h"
#include "read_pieces.h"

namespace {

void put(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
}

std::string record(std::string_view message) {
  std::string head, tail;
  put(head, message.size(), 8);
  put(tail, gpuplan::LogTensorBoard::masked_crc(head), 4);
  head += tail;
  head += message;
  put(head, gpuplan::LogTensorBoard::masked_crc(message), 4);
  return head;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::uint64_t seed = gpuplan::hash_of(text);
  read_pieces(text, seed);
  const std::size_t half = text.size() / 2;
  read_pieces(record(text.substr(0, half)) + record(text.substr(half)) + record(text), seed);
  read_pieces(record("") + std::string(text), seed);
  return 0;
}
