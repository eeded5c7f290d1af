#include "base/names.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

enum class Fruit { kApple, kPear, kUnnamed };

}  // namespace

template <>
struct Names<Fruit> {
  static constexpr std::array entries = {Named<Fruit>{Fruit::kApple, "apple"}, Named<Fruit>{Fruit::kPear, "pear"},
                                         Named<Fruit>{Fruit::kApple, "pomme"}};
};

namespace {

static_assert(name_of(Fruit::kApple) == "apple", "the first name is the one printed");
static_assert(name_of(Fruit::kUnnamed) == "?");
static_assert(from_name<Fruit>("pomme") == Fruit::kApple);
static_assert(from_name<Fruit>("PEAR") == Fruit::kPear);
static_assert(!from_name<Fruit>("pea").has_value());
static_assert(!from_name<Fruit>("").has_value());
static_assert(HasNames<Fruit> && !HasNames<int>);

TEST(Names, EveryNameReadsBack) {
  for (const auto& entry : Names<Fruit>::entries) EXPECT_EQ(from_name<Fruit>(entry.name), entry.value) << entry.name;
}

TEST(Names, AreListedInOrder) {
  EXPECT_EQ(all_names<Fruit>(), (std::vector<std::string_view>{"apple", "pear", "pomme"}));
}

}  // namespace
}  // namespace gpuplan
