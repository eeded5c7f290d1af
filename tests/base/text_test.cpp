#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <limits>
#include <set>

namespace gpuplan {
namespace {

using Views = std::vector<std::string_view>;
using Strings = std::vector<std::string>;

TEST(Text, TrimsSplitsAndJoins) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
  EXPECT_EQ(split("a, b ,,c", ','), (Views{"a", "b", "", "c"}));
  EXPECT_EQ(split("a", ','), (Views{"a"}));
  EXPECT_EQ(split("a,", ','), (Views{"a", ""}));
  EXPECT_TRUE(split("", ',').empty());
  EXPECT_EQ(join(Strings{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(Strings{}, ", "), "");
  EXPECT_EQ(to_lower("RTX Ä"), "rtx Ä");
  EXPECT_TRUE(iequals("H100 SXM", "h100 sxm"));
  EXPECT_FALSE(iequals("H100", "H1000"));
}

TEST(Text, SqueezesNames) {
  EXPECT_EQ(squeeze("RTX-4090 "), "rtx4090");
  EXPECT_EQ(squeeze("rtx 4090"), "rtx4090");
  EXPECT_EQ(squeeze("Command R+"), "commandrplus");
  EXPECT_EQ(squeeze("Qwen2.5_7B"), "qwen2.57b");
  EXPECT_NE(squeeze("opt-1.3b"), squeeze("opt-13b"));
  EXPECT_EQ(squeeze("St. v1."), "stv1") << "a point elsewhere says nothing";
  EXPECT_EQ(squeeze("–"), "");
}

TEST(Text, UserTextCanNotForgeOutput) {
  EXPECT_EQ(printable("plain text, Grüße, 表"), "plain text, Grüße, 表");
  EXPECT_EQ(printable("a\x1b[31mred\x1b[0m"), "a?[31mred?[0m");
  EXPECT_EQ(printable("line\nline\tx\r"), "line?line?x?");
  EXPECT_EQ(printable(std::string_view("nul\0!", 5)), "nul?!");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m")
      << "the escape of eight bits (CSI)";
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "txt.exe"),
            "?txt.exe")
      << "right to left override";
  EXPECT_EQ(printable("\xff\xfe\xc3"), "???");
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "?????") << "overlong and surrogate";
}

TEST(Text, LongUserTextIsCutBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef…");
  EXPECT_EQ(printable("aaä", 3), "aa…") << "no half of a character";
  EXPECT_EQ(printable(std::string(100000, 'x')).size(), 200 + 3);
}

TEST(Text, DisplayWidth) {
  EXPECT_EQ(display_width("4x RTX 4090"), 11);
  EXPECT_EQ(display_width("2.8 … 4.1 ✔ –"), 13);
  EXPECT_EQ(display_width("\x1b[1;32mgreen\x1b[0m"), 5);
  EXPECT_EQ(display_width("表示"), 4);
  EXPECT_EQ(display_width("e\xcc\x81"), 1) << "a combining accent takes no column";
  EXPECT_EQ(display_width("\x1b["), 0);
  EXPECT_EQ(display_width(""), 0);
}

TEST(Text, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("hundert", "hunedrt"), 1) << "neighbours swapped";
  EXPECT_EQ(edit_distance("ca", "abc"), 3) << "optimal string alignment, not the unrestricted distance of 2";
}

TEST(Text, EditDistanceIsSymmetricAndBounded) {
  const std::array<std::string_view, 5> words = {"deadline", "deadlnie", "budget", "", "deadlines"};
  for (const auto a : words)
    for (const auto b : words) {
      EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
      EXPECT_EQ(edit_distance(a, b) == 0, a == b);
      EXPECT_LE(edit_distance(a, b), static_cast<int>(std::max(a.size(), b.size())));
    }
}

TEST(Text, SuggestsWhatIsNear) {
  const std::array<std::string_view, 6> keys = {"deadline", "budget",    "confidence",
                                                "H100 SXM", "H100 PCIe", "Olmo-3-7B"};
  EXPECT_EQ(nearest("deadlin", keys), (Strings{"deadline"}));
  EXPECT_EQ(nearest("Budgte", keys), (Strings{"budget"}));
  EXPECT_EQ(nearest("h100-sxn", keys), (Strings{"H100 SXM"}));
  EXPECT_EQ(nearest("H100", keys), (Strings{"H100 SXM", "H100 PCIe"})) << "abbreviations";
  EXPECT_TRUE(nearest("volume", keys).empty());
  EXPECT_TRUE(nearest("", keys).empty());
  EXPECT_TRUE(nearest(std::string(100000, 'd'), keys).empty());
  EXPECT_EQ(nearest("H100", keys, 1), (Strings{"H100 SXM"}));
  EXPECT_EQ(did_you_mean("H100", keys), ". Did you mean 'H100 SXM' or 'H100 PCIe'?");
  EXPECT_EQ(did_you_mean("deadlin", keys), ". Did you mean 'deadline'?");
  EXPECT_EQ(did_you_mean("volume", keys), "");
}

TEST(Text, NearestComesFirst) {
  const std::array<std::string_view, 3> keys = {"epoch", "epochs", "epoxys"};
  EXPECT_EQ(nearest("epochs", keys), (Strings{"epochs", "epoch", "epoxys"}));
}

TEST(Text, HashIsFnv1a) {
  // Known answers of the 64-bit FNV-1a (Fowler, Noll, Vo; IETF draft-eastlake-fnv).
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325ULL);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cULL);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8ULL);
  EXPECT_EQ(hash_of("bar", hash_of("foo")), hash_of("foobar"));
}

TEST(Text, ShortIdsAreNamesAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) {
    const std::string id = short_id(hash_of(number_text(i)));
    ASSERT_EQ(id.size(), 6U);
    ASSERT_TRUE(id[0] >= 'a' && id[0] <= 'z') << id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 2000U);
  EXPECT_EQ(short_id(1), short_id(1));
}

TEST(Text, NumbersReadBack) {
  for (const double value : {0.35, 1.0, -2.5, 1e15, 1e-7, 123456789.125, 1.7976931348623157e308, 5e-324, 0.1 + 0.2}) {
    const std::string text = number_text(value);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(back, value) << text;
  }
  EXPECT_EQ(number_text(0.35), "0.35");
  EXPECT_EQ(number_text(100000), "100000");
  EXPECT_EQ(number_text(-0.0), "0");
  EXPECT_EQ(number_text(1e22), "1e+22");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Text, FixedAndSignificant) {
  EXPECT_EQ(fixed_text(4.745, 2), "4.75") << "4.745 is a little more than that in binary";
  EXPECT_EQ(fixed_text(3, 1), "3.0");
  EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
  EXPECT_EQ(fixed_text(1e20, 0), "100000000000000000000");
  EXPECT_EQ(significant_text(16.3456, 3), "16.3");
  EXPECT_EQ(significant_text(1234.5, 3), "1230");
  EXPECT_EQ(significant_text(0.00123456, 2), "0.0012");
  EXPECT_EQ(significant_text(80, 3), "80");
  EXPECT_EQ(significant_text(999.7, 3), "1000");
  EXPECT_EQ(significant_text(-2.345, 2), "-2.3");
  EXPECT_EQ(significant_text(0, 3), "0");
  EXPECT_EQ(count_text(12345), "12,345");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(-1234567.4), "-1,234,567");
  EXPECT_EQ(count_text(999999.5), "1,000,000");
}

TEST(Text, ABeginningIsLikelierThanTwoSlips) {
  constexpr std::array<std::string_view, 3> kModels = {"Llama-7B", "Llama-3-8B", "Lama-3"};
  EXPECT_EQ(nearest("Llama3", kModels), (std::vector<std::string>{"Lama-3", "Llama-3-8B", "Llama-7B"}));
}

TEST(Text, ListsInWords) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(listed(Parts{}), "");
  EXPECT_EQ(listed(Parts{"a"}), "a");
  EXPECT_EQ(listed(Parts{"a", "b"}), "a and b");
  EXPECT_EQ(listed(Parts{"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Text, DigitsAndLettersAreThoseOfAscii) {
  int digits = 0, letters = 0;
  for (int c = -128; c < 128; ++c) {
    digits += is_digit(static_cast<char>(c)) ? 1 : 0;
    letters += is_letter(static_cast<char>(c)) ? 1 : 0;
  }
  EXPECT_EQ(digits, 10);
  EXPECT_EQ(letters, 52);
  EXPECT_TRUE(is_digit('0') && is_digit('9') && is_letter('a') && is_letter('Z'));
}

TEST(RangeText, WritesAUnitOfBothEndsOnce) {
  EXPECT_EQ(range_text("1.5", "1.7"), "1.5–1.7");
  EXPECT_EQ(range_text("195 ms", "277 ms"), "195–277 ms");
  EXPECT_EQ(range_text("$10.00/h", "$15.00/h"), "$10.00–$15.00/h");
  EXPECT_EQ(range_text("900 ms", "1.2 s"), "900 ms–1.2 s");
}

TEST(RangeText, OfOneFigureIsThatFigure) { EXPECT_EQ(range_text("4 h", "4 h"), "4 h"); }

TEST(PercentText, HasNoBlankAndHidesNoDifference) {
  EXPECT_EQ(percent_text(0.27), "27%");
  EXPECT_EQ(percent_text(0.003), "0.3%");
  EXPECT_EQ(percent_text(0.997), "99.7%");
  EXPECT_EQ(percent_text(0.9999), "> 99.9%");
  EXPECT_EQ(percent_text(1), "100%");
  EXPECT_EQ(percent_text(0), "0%");
}

}  // namespace
}  // namespace gpuplan
