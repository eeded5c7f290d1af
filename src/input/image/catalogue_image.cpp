#include "input/image/catalogue_image.h"

#include <utility>
#include <vector>

#include "input/image/archive.h"
#include "input/image/rows.h"

namespace gpuplan {
namespace {

void each_table(auto& archive, Of<Catalogue> auto& all) {
  archive(all.gpus, all.nodes, all.models, all.frameworks, all.offers, all.efficiencies, all.training_software,
          all.optimizers, all.links, all.problems, all.api_prices, all.price_spreads, all.engines,
          all.training_constants, all.generation_constants, all.practice_constants, all.errors, all.answer_constants,
          all.assumptions);
}

}  // namespace

std::string pack_catalogue(const Catalogue& catalogue) {
  Packer archive;
  each_table(archive, catalogue);
  for (const NameIndex* names : {&catalogue.gpu_names, &catalogue.model_names, &catalogue.framework_names})
    archive(names->names());
  return std::move(archive).bytes();
}

Catalogue unpack_catalogue(std::string_view image) {
  Catalogue catalogue;
  Unpacker archive(image);
  each_table(archive, catalogue);
  for (NameIndex* index : {&catalogue.gpu_names, &catalogue.model_names, &catalogue.framework_names}) {
    std::vector<NameIndex::Name> names;
    archive(names);
    *index = NameIndex(std::move(names));
  }
  return catalogue;
}

}  // namespace gpuplan
