// `gpuplan model`: shape, parameters, bytes and cache of one network, as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "output/text/style.h"

namespace gpuplan {

struct ModelReport {
  ModelShape shape;
  ParameterCount count;
  std::string like{};    ///< the model of the catalogue with the same layers, or the nearest; empty: none is near
  bool same = false;     ///< `like` has the very same layers, or the model is one of the catalogue
  std::string source{};  ///< where the shape comes from: "catalogue", or a file
  std::vector<std::string> notes{};  ///< what was assumed or does not agree
};

/// `called`: the name it was asked for by, where that is not the shape's: models of one shape are one row of the
/// tables.
ModelReport describe_model(const ModelShape& shape, const Catalogue& catalogue, std::string_view called = {});

std::string model_text(const ModelReport& report, const Screen& screen);

/// One row: shape, parameters by part, bytes by format, cache.
std::string model_csv(const ModelReport& report);

/// Schema gpuplan/model@1. What a shape does not have (experts, windows, published counts) is null.
std::string model_json(const ModelReport& report);

/// One more token of a short sequence in 16 bits, when every layer still keeps it.
Bytes cache_bytes_per_token(const ModelShape& shape);

/// Weights as files and engines store them: 8 and 4 bits are for the matrices of the layers, while tables of tokens,
/// head and norms stay in 16 bits (as in AWQ, GPTQ and FP8 checkpoints).
Bytes weight_bytes(const ParameterCount& count, Format format);

}  // namespace gpuplan
