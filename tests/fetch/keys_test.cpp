#include "fetch/keys.h"

#include <gtest/gtest.h>

#include <string>

#include "fetch/http/secret.h"

namespace gpuplan::fetch {
namespace {

TEST(Keys, AreReadByTheNamesOfVariables) {
  const auto keys = parse_keys("# mine\nA_KEY = \"abc\"\nB_KEY = ' def '\nEMPTY = \"\"\n", "keys.toml");
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->size(), 2U);
  EXPECT_EQ(keys->at("A_KEY").reveal(), "abc");
  EXPECT_EQ(keys->at("B_KEY").reveal(), "def");
}

TEST(Keys, MessagesNameTheLineAndNotTheKey) {
  for (const std::string line :
       {"K = sesame-open", "K = \"sesame-open", "K = [\"sesame-open\"]", "[sesame-open]", "K = \"sesame-open two\"",
        "K = \"sesame-open\\n\"", "sesame-open", "K = \"s\" sesame-open"}) {
    const auto keys = parse_keys("A = \"b\"\n" + line + "\n", "keys.toml");
    ASSERT_FALSE(keys) << line;
    EXPECT_EQ(keys.error().place.line, 2) << line;
    EXPECT_EQ(keys.error().message.find("sesame"), std::string::npos) << keys.error().message;
  }
}

TEST(Keys, HoldNothingThatCouldEndAHeader) {
  for (const char* text : {"a\nb", "a\rb", "a b", "a\tb", "a\x7f", "caf\xc3\xa9"}) {
    const auto key = checked_key(text, "A_KEY");
    ASSERT_FALSE(key) << text;
    EXPECT_NE(key.error().message.find("A_KEY"), std::string::npos);
  }
  EXPECT_EQ(checked_key(" abc\n", "A_KEY")->reveal(), "abc");
}

TEST(Keys, AreTakenOutOfMessages) {
  const Secret key("sk-123456");
  EXPECT_EQ(key.hidden_in("no sk-123456, none: sk-123456sk-123456."), "no ***, none: ******.");
  EXPECT_EQ(key.hidden_in("sk-12345"), "sk-12345");
  EXPECT_EQ(Secret("a").hidden_in("a banana"), "a banana");
  EXPECT_EQ(Secret().hidden_in("text"), "text");
}

TEST(Keys, AFileThatIsNotThereHasNone) {
  const auto keys = read_key_file("/nonexistent/keys.toml");
  ASSERT_TRUE(keys);
  EXPECT_TRUE(keys->empty());
  EXPECT_FALSE(read_key_file("/"));
}

}  // namespace
}  // namespace gpuplan::fetch
