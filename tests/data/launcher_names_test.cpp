// What launchers call GPUs: every row is of a GPU that there is, and every GPU that a provider rents has a name there.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "input/tables/launcher_names.h"
#include "model/training_fixture.h"

namespace gpuplan {
namespace {

using training_fixture::catalogue;
using training_fixture::text_of;

std::vector<LauncherNames> rows() {
  auto read = read_launcher_names(text_of("launcher_names.csv"), "launcher_names.csv");
  EXPECT_TRUE(read) << read.error().message;
  return read ? *read : std::vector<LauncherNames>{};
}

TEST(DataLauncherNames, EveryRowIsOfAGpuThatThereIs) {
  const auto all = rows();
  EXPECT_GT(all.size(), 50U);
  for (const LauncherNames& row : all) {
    const Gpu* gpu = catalogue().find_gpu(row.gpu);
    ASSERT_NE(gpu, nullptr) << row.gpu;
    EXPECT_EQ(gpu->name, row.gpu) << "not an alias";
    EXPECT_FALSE(row.skypilot.empty() && row.dstack.empty() && row.vast.empty() && row.runpod.empty() &&
                 row.slurm.empty())
        << row.gpu;
  }
}

TEST(DataLauncherNames, NamesAreOfTheLettersTheirLaunchersUse) {
  const auto only = [](std::string_view text, std::string_view more) {
    return text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" +
                                  std::string(more)) == std::string_view::npos;
  };
  for (const LauncherNames& row : rows()) {
    EXPECT_TRUE(only(row.skypilot, "-|:/{}")) << row.gpu;
    EXPECT_TRUE(only(row.dstack, ":{}")) << row.gpu;
    EXPECT_TRUE(only(row.vast, "_")) << row.gpu;
    EXPECT_TRUE(only(row.runpod, " -")) << row.gpu;
    EXPECT_TRUE(only(row.slurm, "_")) << row.gpu;
  }
}

TEST(DataLauncherNames, EveryGpuOfAnOfferHasTheNameOfItsProvider) {
  const std::set<std::string> clouds = {"aws",   "azure", "gcp", "lambda", "runpod",    "vast",
                                        "verda", "cudo",  "oci", "nebius", "paperspace"};
  // Newer than the tables of names at hand: launch says that it knows no name.
  const std::set<std::string> unnamed = {"GB200",
                                         "GB300",
                                         "MI350X",
                                         "MI355X",
                                         "RTX 5080",
                                         "RTX 3090 Ti",
                                         "H200 NVL",
                                         "RTX PRO 4500 Blackwell",
                                         "RTX PRO 6000 Blackwell Max-Q"};
  std::set<std::string> seen;
  for (const Offer& offer : catalogue().offers) {
    if (unnamed.contains(offer.gpu) || (offer.provider == "runpod" && offer.gpu == "A100 SXM 40GB")) continue;
    const LauncherNames* row = launcher_names(offer.gpu);
    if (offer.provider == "vast") {
      EXPECT_FALSE(row == nullptr || row->vast.empty()) << offer.gpu.str();
    }
    if (offer.provider == "runpod") {
      EXPECT_FALSE(row == nullptr || row->runpod.empty()) << offer.gpu.str();
    }
    if (clouds.contains(offer.provider)) {
      EXPECT_FALSE(row == nullptr || skypilot_name(*row, offer.provider, offer.instance, offer.gpus).empty())
          << offer.provider.str() << " " << offer.gpu.str();
      seen.insert(offer.provider);
    }
  }
  EXPECT_EQ(seen, clouds);
}

TEST(DataLauncherNames, ProvidersHaveNamesOfTheirOwnInSkyPilot) {
  const LauncherNames* row = launcher_names("A100 SXM 80GB");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(skypilot_name(*row, "aws", "p4de.24xlarge", 8), "A100-80GB");
  EXPECT_EQ(skypilot_name(*row, "runpod", "", 2), "A100-80GB-SXM");
  EXPECT_EQ(skypilot_name(*row, "verda", "8A100.176V", 8), "A100-80GB");
  EXPECT_EQ(skypilot_name(*row, "verda", "1A100.22V", 1), "A100-80GB");
  EXPECT_EQ(skypilot_name(*launcher_names("TPU v6e"), "gcp", "tpu-v6e-8", 8), "tpu-v6e-8");
  EXPECT_EQ(launcher_names("no such card"), nullptr);
}

TEST(DataLauncherImages, FollowTheHardware) {
  const auto read = read_launcher_images(text_of("launcher_images.csv"), "launcher_images.csv");
  ASSERT_TRUE(read) << read.error().message;
  const auto image = [](const char* launcher, const char* gpu) {
    return std::string(launcher_image(launcher, *catalogue().find_gpu(gpu)));
  };
  EXPECT_EQ(image("runpod", "H100 SXM").substr(0, 15), "runpod/pytorch:");
  EXPECT_EQ(image("vast", "H100 SXM").substr(0, 16), "pytorch/pytorch:");
  const Gpu& h100 = *catalogue().find_gpu("H100 SXM");
  EXPECT_EQ(launcher_image("vast", h100, "megatron").substr(0, 23), "nvcr.io/nvidia/pytorch:");
  EXPECT_EQ(launcher_image("vast", h100, "torchtitan"), image("vast", "H100 SXM"));
  // These bring images of their own, for NVIDIA's usual cards and without Transformer Engine.
  for (const char* launcher : {"skypilot", "dstack"}) {
    EXPECT_EQ(image(launcher, "H100 SXM"), "");
    EXPECT_EQ(launcher_image(launcher, h100, "megatron"), launcher_image("vast", h100, "megatron"));
    for (const char* gpu : {"GB200", "GH200 96GB", "B300", "MI300X"})
      EXPECT_EQ(image(launcher, gpu), image("vast", gpu));
  }
  // The scripts reach a pod by the ssh server of this image.
  EXPECT_EQ(launcher_image("runpod", h100, "megatron"), image("runpod", "H100 SXM"));
  EXPECT_NE(image("vast", "H100 SXM"), image("vast", "P100 SXM2"));
  EXPECT_EQ(image("kubernetes", "MI300X").substr(0, 5), "rocm/");
  EXPECT_EQ(image("kubernetes", "TPU v6e"), "");
}

/// A PyTorch of CUDA 12.8 has kernels from Volta on, and compiles none for sm_103 and sm_121; one of CUDA 12.6 ends
/// before Blackwell; images of Docker Hub's pytorch have no build for Arm hosts.
TEST(DataLauncherImages, HaveKernelsForTheCardAndABuildForItsHost) {
  const std::set<std::string> arm = {"GH200 96GB", "GH200 144GB", "GB200", "GB300", "DGX Spark GB10", "T4G"};
  for (const Gpu& gpu : catalogue().gpus) {
    if (gpu.vendor != "nvidia") continue;
    for (const char* framework : {"", "megatron", "torchtitan"}) {
      const std::string image(launcher_image("vast", gpu, framework));
      SCOPED_TRACE(gpu.name + " " + image);
      if (gpu.compute_capability >= 5) {
        EXPECT_FALSE(image.empty());
      }
      if (image.find("cuda12.8") != std::string::npos) {
        EXPECT_GE(gpu.compute_capability, 7.0);
        EXPECT_NE(gpu.compute_capability, 10.3);
        EXPECT_NE(gpu.compute_capability, 12.1);
      }
      if (image.find("cuda12.6") != std::string::npos) {
        EXPECT_LT(gpu.compute_capability, 7.0);
      }
      if (arm.contains(gpu.name)) {
        EXPECT_EQ(image.substr(0, 8), "nvcr.io/") << "has builds for both";
      }
    }
  }
  // Names of cards in the table are names of the catalogue.
  const auto read = read_launcher_images(text_of("launcher_images.csv"), "launcher_images.csv");
  ASSERT_TRUE(read);
  for (const LauncherImage& row : *read)
    for (const std::string& name : row.gpus) {
      const Gpu* gpu = catalogue().find_gpu(name);
      ASSERT_NE(gpu, nullptr) << name;
      EXPECT_EQ(gpu->name, name);
    }
}

TEST(LauncherNameTable, WrongRowsAreOneLine) {
  const std::string head = "gpu,skypilot,dstack,vast,runpod,slurm,source,as_of\n";
  const auto twice = read_launcher_names(head + "A40,A40,,,,,x,2026-04\nA40,A40,,,,,x,2026-04\n", "names.csv");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "column gpu: 'A40' is not given once");
  EXPECT_EQ(twice.error().place.line, 3);
  EXPECT_FALSE(read_launcher_names(head + ",A40,,,,,x,2026-04\n", "names.csv"));
  EXPECT_FALSE(read_launcher_names("gpu,skypilot\nA40,A40\n", "names.csv"));
  EXPECT_FALSE(read_launcher_names(head + "A40,A40,,,,,x,soon\n", "names.csv"));
}

}  // namespace
}  // namespace gpuplan
