#include "output/answer/parts/remedy_table.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

TEST(RemedyTable, SaysWhatEachChangeWouldNeed) {
  Gpu gpu;
  gpu.name = "RTX 4090";
  const NearMiss miss{.phase = 0, .gpu = &gpu, .gpus = 2, .needed = 30 * units::GiB, .usable = 23.9 * units::GiB};
  const std::vector<Remedy> remedies = {{"4 GPUs with full sharding (zero3)", 16.9 * units::GiB, true},
                                        {"method: lora", 19.6 * units::GiB, false},
                                        {"sequence: 1,024", 28.2 * units::GiB, false}};
  EXPECT_EQ(remedy_table(remedies, miss, {.columns = 100}),
            "  Any one of these makes it fit on RTX 4090:\n"
            "    CHANGE                                    NEEDS  THEN\n"
            "                                        GiB per GPU\n"
            "    4 GPUs with full sharding (zero3)  16.9 of 23.9  fits\n"
            "    method: lora                       19.6 of 23.9  OOM risk\n"
            "  Not enough: sequence: 1,024 (28.2)\n");
  EXPECT_EQ(remedy_table({}, miss, {}), "");
}

}  // namespace
}  // namespace gpuplan
