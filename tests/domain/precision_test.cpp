// Number formats: names, sizes, and what they may be used for.
#include "domain/hardware/precision.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

TEST(Formats, NamesOfQuantisationsPeopleType) {
  EXPECT_EQ(from_name<Format>("W8A8"), Format::kW8A8);
  EXPECT_EQ(from_name<Format>("smoothquant"), Format::kW8A8);
  EXPECT_EQ(from_name<Format>("w4a8"), Format::kW4A8);
  EXPECT_EQ(from_name<Format>("w4a16"), Format::kInt4);
  EXPECT_EQ(from_name<Format>("IQ4_XS"), Format::kIq4Xs);
  EXPECT_EQ(from_name<Format>("exl2"), Format::kExl2);
  EXPECT_EQ(name_of(Format::kInt4), "int4");
}

TEST(Formats, EveryOneHasASizeAndFewerBitsThanFp32) {
  for (const auto& entry : Names<Format>::entries) {
    EXPECT_GT(bits_of(entry.value), 2) << entry.name;
    EXPECT_LE(bits_of(entry.value), 32) << entry.name;
  }
  EXPECT_DOUBLE_EQ(bits_of(Format::kIq4Xs), 136.0 * 8 / 256) << "a block of 256 takes 136 bytes";
  EXPECT_DOUBLE_EQ(bits_of(Format::kW4A8), bits_of(Format::kInt4));
}

TEST(Formats, IntegerActivationsAreNotWeightOnly) {
  EXPECT_TRUE(int8_products(Format::kW8A8));
  EXPECT_FALSE(int8_products(Format::kInt8));
  EXPECT_FALSE(weight_only(Format::kW4A8));
  EXPECT_TRUE(weight_only(Format::kInt8));
  EXPECT_TRUE(weight_only(Format::kExl2));
}

TEST(Formats, CachesAreKeptInSomeOfThem) {
  EXPECT_TRUE(stores_cache(Format::kFp8));
  EXPECT_TRUE(stores_cache(Format::kQ8_0));
  EXPECT_FALSE(stores_cache(Format::kQ4K));
  EXPECT_FALSE(stores_cache(Format::kW8A8));
  EXPECT_TRUE(is_gguf(Format::kQ8_0));
  EXPECT_FALSE(is_gguf(Format::kInt8));
}

}  // namespace
}  // namespace gpuplan
