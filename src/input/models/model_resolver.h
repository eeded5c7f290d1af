// Where reading a job gets shapes of networks from, so that it touches no files itself.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/work/model_shape.h"

namespace gpuplan {

class ModelResolver {
 public:
  virtual ~ModelResolver() = default;
  /// The shape that a name or path stands for; relative paths start at the folder. The error says what was looked for
  /// and has no place.
  virtual Result<ModelShape> resolve(std::string_view name_or_path, std::string_view base_folder) const = 0;
};

}  // namespace gpuplan
