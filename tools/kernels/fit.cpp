// Fits the constants of kernels and collectives in data/ to published times:
//
//     cmake --build --preset release --target gpuplan_fit_kernels && build/release/gpuplan_fit_kernels [--dry-run]
//
// Matrix products, fused attention and the kernels of serving in data/efficiency.csv, collectives in data/links.csv:
// for each row with measurements the mean of a pseudo-Huber loss of ln(predicted / measured). Errors are printed before
// and after.
#include <cstdio>
#include <cstring>
#include <exception>

#include "facts/data_folder.h"
#include "kernels/fit.h"
#include "kernels/tables.h"

int main(int count, char** arguments) {
  using namespace gpuplan::kernels;
  try {
    const bool dry = count > 1 && std::strcmp(arguments[1], "--dry-run") == 0;
    if (count > 2 || (count == 2 && !dry)) {
      std::fputs("usage: gpuplan_fit_kernels [--dry-run]\n", stderr);
      return 2;
    }
    const std::string data = GPUPLAN_DATA_DIR;
    const gpuplan::Catalogue catalogue = gpuplan::facts::read_catalogue(data);
    fit_products(data, catalogue, dry);
    fit_attention(data, catalogue, dry);
    fit_serving(data, catalogue, dry);
    fit_links(data, catalogue, dry);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 5;
  }
}
