// Reading assumptions.csv: what is taken, and what is refused in one clear line.
#include "input/tables/assumptions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "input/job_fixture.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

constexpr const char* kHeader = "name,low,value,high,unit,meaning,replaced_by,source,as_of\n";

std::string refusal(const std::string& rows, Assumptions* read = nullptr) {
  Catalogue catalogue;
  const auto done = read_assumptions(kHeader + rows, "a.csv", catalogue);
  if (read != nullptr) *read = catalogue.assumptions;
  return line_of(done);
}

/// A row for every figure but these.
std::string others(std::set<std::string_view> without) {
  std::string rows;
  for (const AssumptionField& field : kAssumptions)
    if (!without.contains(field.name))
      rows += std::string(field.name) + ",1,2,3," + std::string(field.unit) + ",what,key,me,2026-11\n";
  return rows;
}

TEST(AssumptionTable, ReadsRangesInTheirUnits) {
  Assumptions read;
  ASSERT_EQ(
      refusal(others({"disk_rate", "compile"}) + "disk_rate,100,200,400,MB/s,disks,storage.disk_rate,why,2026-11\n"
                                                 "compile,30,40,50,s,first step,setup.time,seen,2026-01\n",
              &read),
      "");
  EXPECT_EQ(read.disk.value, (Interval<double>{1e8, 2e8, 4e8}));
  EXPECT_EQ(read.disk.source, "why");
  EXPECT_EQ(read.compile.value, (Interval<double>{30, 40, 50}));
  EXPECT_EQ(read.upload.value, (Interval<double>{1e6, 2e6, 3e6}));
}

TEST(AssumptionTable, EveryFigureNeedsARow) {
  ASSERT_EQ(refusal(others({})), "");
  for (const AssumptionField& field : kAssumptions) {
    EXPECT_NE(refusal(others({field.name})).find("no row for '" + std::string(field.name) + "'"), std::string::npos)
        << field.name;
    EXPECT_TRUE(std::isnan((Assumptions{}.*field.field).value.p50)) << field.name << ": a number in the code";
  }
}

TEST(AssumptionTable, RefusesWhatItCanNotBe) {
  const std::string rest = ",MB/s,disks,storage.disk_rate,why,2026-11\n";
  EXPECT_NE(refusal("speed_of_light,1,2,3" + rest), "");
  EXPECT_NE(refusal("disk_rate,0,2,3" + rest), "") << "nothing is divided by zero";
  EXPECT_NE(refusal("disk_rate,3,2,4" + rest), "") << "the range rises";
  EXPECT_NE(refusal("disk_rate,1,5,4" + rest), "");
  EXPECT_NE(refusal("disk_rate,1,,4" + rest), "");
  EXPECT_NE(refusal("disk_rate,1,2,3" + rest + "disk_rate,1,2,3" + rest), "") << "given once";
  EXPECT_NE(refusal("disk_rate,1,2,3,GB/s,disks,storage.disk_rate,why,2026-11\n"), "") << "another unit";
  EXPECT_NE(refusal("disk_rate,1,2,3,MB/s,disks,,why,2026-11\n"), "") << "a key of the job file replaces it";
  EXPECT_NE(refusal("disk_rate,1,2,3,MB/s,disks,storage.disk_rate,,2026-11\n"), "") << "no figure without a source";
}

}  // namespace
}  // namespace gpuplan
