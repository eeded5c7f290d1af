// Where no zlib is, as in WebAssembly: what begins as gzip does is told as damaged, and read unpacked.
#include "input/text/gunzip.h"

namespace gpuplan {

struct Gunzip::Stream {};

Gunzip::Gunzip() = default;
Gunzip::Gunzip(Gunzip&&) noexcept = default;
Gunzip& Gunzip::operator=(Gunzip&&) noexcept = default;
Gunzip::~Gunzip() = default;

std::string_view Gunzip::next(std::string_view& bytes) {
  bytes = {};
  state_ = State::kDamaged;
  return {};
}

}  // namespace gpuplan
