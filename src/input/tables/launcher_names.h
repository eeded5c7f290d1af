// launcher_names.csv: what programs that rent and schedule machines call a GPU; launcher_images.csv: container images.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/hardware/hardware.h"

namespace gpuplan {

/// Names of one GPU; empty: the launcher has none, or nobody knows it.
struct LauncherNames {
  std::string gpu;       ///< name in the catalogue
  std::string skypilot;  ///< "H100|runpod:H100-SXM|verda/8:...": the usual name, and those of a provider or of a number
                         ///< of its GPUs; "{instance}": the accelerator is the instance
  std::string dstack;    ///< with the memory where one name has several: "A100:80GB"
  std::string vast;      ///< as in queries: '_' for blanks
  std::string runpod;    ///< the id, which is the driver's name
  std::string slurm;     ///< the usual Type in gres.conf
};

/// A container image with PyTorch.
struct LauncherImage {
  std::string launcher;   ///< "*": any; "kubernetes|vast": these, the others bring an image of their own
  std::string framework;  ///< of training, by its catalogue name; "*": any
  std::string vendor;
  std::vector<std::string> gpus;  ///< names in the catalogue; empty: all of the vendor
  double least_capability = 0;    ///< CUDA compute capability that it is built for
  std::string image;
};

/// Errors name the row: a GPU given twice or not at all.
Result<std::vector<LauncherNames>> read_launcher_names(std::string_view text, std::string_view file);
Result<std::vector<LauncherImage>> read_launcher_images(std::string_view text, std::string_view file);

/// The row that was compiled in; null: there is none.
const LauncherNames* launcher_names(std::string_view gpu);

/// SkyPilot's name of a GPU; empty: it has none. `instance` is the offer's.
std::string skypilot_name(const LauncherNames& names, std::string_view provider, std::string_view instance, int gpus);

/// The first image for this GPU that was compiled in; empty: there is none. `framework`: catalogue name; empty: none.
std::string_view launcher_image(std::string_view launcher, const Gpu& gpu, std::string_view framework = {});

}  // namespace gpuplan
