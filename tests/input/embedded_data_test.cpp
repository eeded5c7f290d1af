#include "input/text/embedded_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gpuplan {
namespace {

TEST(EmbeddedData, HoldsEveryFileOfTheDataFoldersByteForByte) {
  int files = 0;
  for (const std::string folder : {"", "measured/"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(GPUPLAN_DATA_DIR) + "/" + folder)) {
      if (entry.path().extension() != ".csv") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_EQ(embedded_data(folder + entry.path().filename().string()), text) << entry.path();
      ++files;
    }
  }
  EXPECT_GE(files, 4);
}

TEST(EmbeddedData, IsEmptyForUnknownNames) {
  EXPECT_TRUE(embedded_data("").empty());
  EXPECT_TRUE(embedded_data("gpus").empty());
  EXPECT_TRUE(embedded_data("gpus.csv ").empty());
}

}  // namespace
}  // namespace gpuplan
