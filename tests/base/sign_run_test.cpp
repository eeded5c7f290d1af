#include "base/sign_run.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

constexpr SignSet kSigns = SignSet::printable_ascii("<&", "\n");

static_assert(kSigns.run("a b\nc", 0) == 5);
static_assert(kSigns.run("a<b", 0) == 1);
static_assert(kSigns.run("a<b", 1) == 0);
static_assert(kSigns.run("a<b", 2) == 1);
static_assert(kSigns.run("a", 1) == 0);
static_assert(kSigns.run("tab\t", 0) == 3);

TEST(SignRun, HoldsEveryByteThatItIsToldOf) {
  constexpr SignSet all = SignSet::all_but("x");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(all.run(text, 0), byte == 'x' ? 0U : 1U) << byte;
    EXPECT_EQ(kSigns.run(text, 0), (byte >= ' ' && byte <= '~' && byte != '<' && byte != '&') || byte == '\n') << byte;
  }
}

}  // namespace
}  // namespace gpuplan
