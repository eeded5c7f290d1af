#include "input/feeds/rows/provider_names.h"

#include <array>

#include "base/text.h"

namespace gpuplan {
namespace {

/// Usual name, and how else lists and files call it, in squeezed spelling.
struct KnownProvider {
  std::string_view usual;
  std::string_view others;  ///< between bars
};

constexpr std::array kProviders = {
    KnownProvider{"aws", "amazon|amazonwebservices|amazonec2"},
    KnownProvider{"azure", "microsoftazure"},
    KnownProvider{"gcp", "google|googlecloud|googlecloudplatform"},
    KnownProvider{"lambda", "lambdalabs|lambdacloud"},
    KnownProvider{"runpod", "runpodio"},
    KnownProvider{"vast", "vastai"},
    KnownProvider{"verda", "datacrunch"},
    KnownProvider{"oci", "oracle|oraclecloud"},
    KnownProvider{"digitalocean", "do"},
    KnownProvider{"ovh", "ovhcloud"},
    KnownProvider{"nebius", "nebiusai"},
    KnownProvider{"cudo", "cudocompute"},
    KnownProvider{"jarvislabs", "jarvislabsai"},
    KnownProvider{"primeintellect", "prime"},
    KnownProvider{"hyperstack", "nexgencloud"},
    KnownProvider{"crusoe", "crusoecloud"},
    KnownProvider{"latitude", "latitudesh"},
    KnownProvider{"oblivus", "obliviouscloud|oblivuscloud"},
    KnownProvider{"together", "togetherai"},
    KnownProvider{"gmicloud", "gmi"},
    KnownProvider{"yotta", "yottalabs"},
    KnownProvider{"massedcompute", "massed"},
    KnownProvider{"thundercompute", "thunder"},
    KnownProvider{"paperspace", ""},
    KnownProvider{"shadeform", ""},
    KnownProvider{"seeweb", ""},
    KnownProvider{"hyperbolic", ""},
    KnownProvider{"fluidstack", ""},
    KnownProvider{"vultr", ""},
    KnownProvider{"scaleway", ""},
    KnownProvider{"coreweave", ""},
    KnownProvider{"tensordock", ""},
    KnownProvider{"exoscale", ""},
    KnownProvider{"novonimbus", ""},
    KnownProvider{"mithril", ""},
    KnownProvider{"hotaisle", ""},
    KnownProvider{"cloudrift", ""},
    KnownProvider{"salad", ""},
    KnownProvider{"akash", ""},
    KnownProvider{"spheron", ""},
    KnownProvider{"lium", ""},
    KnownProvider{"ibm", ""},
};

/// Null: not known.
const KnownProvider* find_provider(std::string_view name) {
  const std::string wanted = squeeze(name);
  if (wanted.empty()) return nullptr;
  for (const KnownProvider& provider : kProviders) {
    if (provider.usual == wanted) return &provider;
    for (const std::string_view other : split(provider.others, '|'))
      if (other == wanted) return &provider;
  }
  return nullptr;
}

}  // namespace

std::string_view known_provider(std::string_view name) {
  const KnownProvider* known = find_provider(name);
  return known != nullptr ? known->usual : std::string_view();
}

std::string usual_provider(std::string_view name) {
  const std::string_view known = known_provider(name);
  return std::string(known.empty() ? name : known);
}

std::string stem_of_file(std::string_view file) {
  const std::size_t cut = file.find_last_of("/\\");
  if (cut != std::string_view::npos) file.remove_prefix(cut + 1);
  return to_lower(file.substr(0, file.find('.', 1)));
}

}  // namespace gpuplan
