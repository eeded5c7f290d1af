#include "output/prices/status_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace gpuplan {
namespace {

const Screen kScreen{.columns = 120};
const PriceAges kAges{"2026-11-29", 60};

StoreStatus status_of(int providers, int sources) {
  StoreStatus status;
  status.file = "prices.db";
  for (int p = 0; p < providers; ++p)
    for (int s = 0; s < sources; ++s)
      status.lists.push_back(
          {"p" + std::to_string(p), "list " + std::to_string(s), 2, {{"2026-11-0" + std::to_string(1 + s), 2}}});
  return status;
}

TEST(StatusReport, OfManySourcesEachProviderHasOneRow) {
  const StoreStatus status = status_of(5, 6);
  const std::string text = store_text(status, kAges, kScreen, false);
  const auto rows_of = [](const std::string& all, const std::string& provider) {
    std::size_t rows = 0;
    for (std::size_t at = all.find("\n  " + provider + ' '); at != std::string::npos;
         at = all.find("\n  " + provider + ' ', at + 1))
      ++rows;
    return rows;
  };
  for (int p = 0; p < 5; ++p) EXPECT_EQ(rows_of(text, "p" + std::to_string(p)), 1U);
  EXPECT_NE(text.find("6 sources"), std::string::npos) << text;
  EXPECT_NE(text.find(" 12 "), std::string::npos) << "the offers of all six";
  EXPECT_NE(text.find("2026-11-06"), std::string::npos) << "the newest";
  const std::string all = store_text(status, kAges, kScreen, true);
  for (int p = 0; p < 5; ++p) EXPECT_EQ(rows_of(all, "p" + std::to_string(p)), 6U);
  const std::string csv = store_csv(status, kAges);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 31) << "data is always whole";
}

TEST(StatusReport, FewSourcesAreAllThere) {
  EXPECT_EQ(store_text(status_of(3, 4), kAges, kScreen, false), store_text(status_of(3, 4), kAges, kScreen, true));
}

}  // namespace
}  // namespace gpuplan
