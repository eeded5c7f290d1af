#include "input/embedded_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gpuplan {
namespace {

TEST(EmbeddedData, HoldsEveryFileOfTheDataFolderByteForByte) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GPUPLAN_DATA_DIR)) {
    if (entry.path().extension() != ".csv") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(embedded_data(entry.path().filename().string()), text) << entry.path();
    ++files;
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
