// Number formats: what matrix products run in, and what weights and caches are stored in.
#pragma once

#include "base/names.h"

namespace gpuplan {

/// Arithmetic of the matrix products of a model's blocks.
enum class Precision { kFp32, kTf32, kFp16, kBf16, kFp8, kMxfp8, kNvfp4 };

template <>
struct Names<Precision> {
  static constexpr std::array entries = {
      Named<Precision>{Precision::kFp32, "fp32"},     Named<Precision>{Precision::kTf32, "tf32"},
      Named<Precision>{Precision::kFp16, "fp16"},     Named<Precision>{Precision::kBf16, "bf16"},
      Named<Precision>{Precision::kFp8, "fp8"},       Named<Precision>{Precision::kMxfp8, "mxfp8"},
      Named<Precision>{Precision::kNvfp4, "nvfp4"},   Named<Precision>{Precision::kFp32, "float32"},
      Named<Precision>{Precision::kFp16, "float16"},  Named<Precision>{Precision::kFp16, "half"},
      Named<Precision>{Precision::kBf16, "bfloat16"},
  };
};

constexpr bool is_eight_bit(Precision precision) {
  return precision == Precision::kFp8 || precision == Precision::kMxfp8;
}

/// How stored numbers (weights, KV cache, kept activations) are encoded.
enum class Format {
  kFp32,
  kFp16,
  kBf16,
  kFp8,
  kInt8,
  kInt4,
  kNf4,
  kMxfp4,
  kNvfp4,
  kQ8_0,
  kQ6K,
  kQ5K,
  kQ4K,
  kQ4_0,
  kQ3K,
  kQ2K,
  kIq4Xs,
  kExl2,  ///< of any size: whoever says exl2 says how many bits, too
  kW8A8,
  kW4A8
};

template <>
struct Names<Format> {
  static constexpr std::array entries = {
      Named<Format>{Format::kFp32, "fp32"},     Named<Format>{Format::kFp16, "fp16"},
      Named<Format>{Format::kBf16, "bf16"},     Named<Format>{Format::kFp8, "fp8"},
      Named<Format>{Format::kInt8, "int8"},     Named<Format>{Format::kInt4, "int4"},
      Named<Format>{Format::kNf4, "nf4"},       Named<Format>{Format::kMxfp4, "mxfp4"},
      Named<Format>{Format::kNvfp4, "nvfp4"},   Named<Format>{Format::kQ8_0, "q8_0"},
      Named<Format>{Format::kQ6K, "q6_k"},      Named<Format>{Format::kQ5K, "q5_k_m"},
      Named<Format>{Format::kQ4K, "q4_k_m"},    Named<Format>{Format::kQ4_0, "q4_0"},
      Named<Format>{Format::kQ3K, "q3_k_m"},    Named<Format>{Format::kQ2K, "q2_k"},
      Named<Format>{Format::kIq4Xs, "iq4_xs"},  Named<Format>{Format::kExl2, "exl2"},
      Named<Format>{Format::kW8A8, "w8a8"},     Named<Format>{Format::kW4A8, "w4a8"},
      Named<Format>{Format::kFp32, "float32"},  Named<Format>{Format::kFp16, "float16"},
      Named<Format>{Format::kBf16, "bfloat16"}, Named<Format>{Format::kInt4, "awq"},
      Named<Format>{Format::kInt4, "gptq"},     Named<Format>{Format::kInt4, "w4a16"},
      Named<Format>{Format::kInt8, "w8a16"},    Named<Format>{Format::kW8A8, "smoothquant"},
      Named<Format>{Format::kQ4K, "q4_k"},      Named<Format>{Format::kQ5K, "q5_k"},
      Named<Format>{Format::kQ3K, "q3_k"},
  };
};

/// Bits a stored number takes, scales included. Sources: int4 as AWQ and GPTQ store it with one 16-bit scale and
/// 4-bit zero point a group of 128; nf4 as bitsandbytes without double quantisation (one fp32 scale a block of 64);
/// mxfp4 one 8-bit scale a block of 32 and nvfp4 one 8-bit scale a block of 16 (OCP MX 1.0, NVIDIA); q* and iq* are
/// ggml block sizes; w4a8 with groups of 128 as QServe; exl2 is the size that most files have when nothing else is
/// said.
constexpr double bits_of(Format format) {
  switch (format) {
    case Format::kFp32:
      return 32;
    case Format::kFp16:
    case Format::kBf16:
      return 16;
    case Format::kFp8:
    case Format::kInt8:
    case Format::kW8A8:
      return 8;
    case Format::kInt4:
    case Format::kW4A8:
      return 4.0 + 20.0 / 128;
    case Format::kNf4:
      return 4.5;
    case Format::kMxfp4:
      return 4.25;
    case Format::kNvfp4:
      return 4.5;
    case Format::kExl2:
      return 4;
    case Format::kIq4Xs:
      return 4.25;
    case Format::kQ8_0:
      return 8.5;
    case Format::kQ6K:
      return 6.5625;
    case Format::kQ5K:
      return 5.69;
    case Format::kQ4K:
      return 4.85;
    case Format::kQ4_0:
      return 4.5;
    case Format::kQ3K:
      return 3.91;
    case Format::kQ2K:
      return 2.96;
  }
  return 16;
}

constexpr double bytes_of(Format format) { return bits_of(format) / 8; }

/// Activations are rounded to 8-bit integers as well, and products run on them.
constexpr bool int8_products(Format format) { return format == Format::kW8A8 || format == Format::kW4A8; }

/// Weight-only formats: products run in 16 bit after the weights are expanded on the fly.
constexpr bool weight_only(Format format) {
  return format != Format::kFp32 && format != Format::kFp16 && format != Format::kBf16 && format != Format::kFp8 &&
         format != Format::kNvfp4 && !int8_products(format);
}

/// Formats of GGUF files only.
constexpr bool is_gguf(Format format) {
  switch (format) {
    case Format::kQ8_0:
    case Format::kQ6K:
    case Format::kQ5K:
    case Format::kQ4K:
    case Format::kQ4_0:
    case Format::kQ3K:
    case Format::kQ2K:
    case Format::kIq4Xs:
      return true;
    default:
      return false;
  }
}

/// Formats that some engine keeps keys and values in; the others are of weights only.
constexpr bool stores_cache(Format format) {
  switch (format) {
    case Format::kFp32:
    case Format::kFp16:
    case Format::kBf16:
    case Format::kFp8:
    case Format::kInt8:
    case Format::kInt4:
    case Format::kNvfp4:
    case Format::kQ8_0:
    case Format::kQ4_0:
      return true;
    default:
      return false;
  }
}

}  // namespace gpuplan
