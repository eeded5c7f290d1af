// Finds the shape of a network by name in the catalogue or in files of the user's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/models/model_resolver.h"

namespace gpuplan {

/// Whether a name may be that of a file of this machine: questions from elsewhere must not open any.
enum class ModelFiles { kRead, kRefuse };

struct FoundModel {
  ModelShape shape;
  std::string source;              ///< "catalogue", or the file it was read from
  std::vector<std::string> notes;  ///< what was assumed or does not agree, a sentence each
};

/// `name_or_path`: a name of the catalogue, or a config.json, a folder that holds one, a safetensors or GGUF file.
/// Names come first; "./name" is always a path. Relative paths start at `base_folder` ("" for the working directory),
/// "~/" at the home folder. Errors have the place of the file that is wrong.
Result<FoundModel> find_model(const Catalogue& catalogue, std::string_view name_or_path, const std::string& base_folder,
                              ModelFiles files = ModelFiles::kRead);

/// The same for readers of jobs; the error's place becomes part of its message.
class ModelFinder : public ModelResolver {
 public:
  explicit ModelFinder(const Catalogue& catalogue, ModelFiles files = ModelFiles::kRead)
      : catalogue_(catalogue), files_(files) {}
  Result<ModelShape> resolve(std::string_view name_or_path, std::string_view base_folder) const override;

 private:
  const Catalogue& catalogue_;
  ModelFiles files_;
};

/// A known one by the name it was asked for, without its organisation, or as the tables spell that: models of one shape
/// share a row there. Others as their files are called.
std::string called(const Catalogue& catalogue, std::string_view asked, const ModelShape& shape);

}  // namespace gpuplan
