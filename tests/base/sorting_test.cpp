#include "base/sorting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"

namespace gpuplan {
namespace {

TEST(Sorting, IsTheStableSortOfTheStandardLibrary) {
  Random random(7);
  for (std::size_t size = 0; size < 200; ++size)
    for (const double kinds : {1.0, 3.0, 1000.0}) {
      std::vector<std::pair<int, std::string>> list;
      for (std::size_t i = 0; i < size; ++i)
        list.emplace_back(static_cast<int>(random.uniform01() * kinds), std::to_string(i));
      auto expected = list;
      std::ranges::stable_sort(expected, std::greater<>{}, &std::pair<int, std::string>::first);
      sort_stably(list, std::greater<>{}, &std::pair<int, std::string>::first);
      EXPECT_EQ(list, expected) << size;
    }
}

TEST(Sorting, ElementsNeedOnlyBeMoved) {
  std::vector<std::unique_ptr<int>> list;
  for (const int value : {3, 1, 2}) list.push_back(std::make_unique<int>(value));
  sort_stably(list, {}, [](const auto& one) { return *one; });
  EXPECT_EQ(std::vector({*list[0], *list[1], *list[2]}), std::vector({1, 2, 3}));
}

TEST(Sorting, ComparesNeighboursOnceWhereAllIsInOrder) {
  std::vector<int> list(1000);
  for (int i = 0; i < 1000; ++i) list[static_cast<std::size_t>(i)] = i / 3;
  int compared = 0;
  sort_stably(list, [&](int a, int b) { return ++compared, a < b; });
  EXPECT_EQ(compared, 999);
}

TEST(Sorting, PartOfAListAndAComparisonThatIsNoOrder) {
  std::vector<int> list{9, 3, 2, 1, 0};
  sort_stably(std::span(list).subspan(1, 3));
  EXPECT_EQ(list, (std::vector{9, 1, 2, 3, 0}));
  sort_stably(list, [](int, int) { return true; });
  std::ranges::sort(list);
  EXPECT_EQ(list, (std::vector{0, 1, 2, 3, 9}));
}

}  // namespace
}  // namespace gpuplan
