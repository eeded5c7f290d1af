#include "base/shell/shell_words.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

using Texts = std::vector<std::string>;

Texts commands(std::string_view text) {
  Texts found;
  for (const ShellSpan& command : shell_commands(text)) found.emplace_back(command.of(text));
  return found;
}

Texts words(std::string_view text) {
  Texts found;
  for (const ShellSpan& word : shell_words(text, {0, text.size()})) found.emplace_back(word.of(text));
  return found;
}

TEST(ShellWords, CommandsEndAtLinesAndOperators) {
  EXPECT_EQ(commands("a b\nc; d && e || f | g & h"), (Texts{"a b", "c", " d ", " e ", " f ", " g ", " h"}));
  EXPECT_EQ(commands("( cd x ; make )"), (Texts{" cd x ", " make "}));
  EXPECT_EQ(commands("a 2>&1 &>log <&3 >| x"), (Texts{"a 2>&1 &>log <&3 >| x"})) << "redirections cut nothing";
  EXPECT_EQ(commands("a \\\n b"), (Texts{"a \\\n b"}));
  EXPECT_EQ(commands(" \n;;\n"), Texts{});
}

TEST(ShellWords, QuotesAndSubstitutionsHideOperators) {
  EXPECT_EQ(commands("a 'b;c' \"d|e\" `f;g` $(h; i) \\; j"), (Texts{"a 'b;c' \"d|e\" `f;g` $(h; i) \\; j"}));
  EXPECT_EQ(commands("a $(echo ')'; b) ; c"), (Texts{"a $(echo ')'; b) ", " c"}));
  EXPECT_EQ(commands("a $'it\\'s;' ; b"), (Texts{"a $'it\\'s;' ", " b"}));
  EXPECT_EQ(commands("a 'it\\' ; b"), (Texts{"a 'it\\' ", " b"})) << "single quotes know no escape";
  EXPECT_EQ(commands("a \"$(b"), (Texts{"a \"$(b"}));
}

TEST(ShellWords, CommentsAndHereDocumentsAreNoCommands) {
  EXPECT_EQ(commands("a # b; c\nd#e"), (Texts{"a ", "d#e"}));
  EXPECT_EQ(commands("a;# it's\nb"), (Texts{"a", "b"}));
  EXPECT_EQ(commands("a ${#b} $# \\# c"), (Texts{"a ${#b} $# \\# c"}));
  EXPECT_EQ(commands("cat <<'EOF' > x\npython no; \"\nEOF\npython yes"), (Texts{"cat <<'EOF' > x", "python yes"}));
  EXPECT_EQ(commands("cat <<< x\npython yes"), (Texts{"cat <<< x", "python yes"}));
  EXPECT_EQ(commands("a $((1<<2))\nb"), (Texts{"a $((1<<2))", "b"}));
}

TEST(ShellWords, WordsKeepTheirQuotes) {
  EXPECT_EQ(words("  env A='b c' python  -m \"x y\"z \\\n  --n=$(nproc --all) d\\ e"),
            (Texts{"env", "A='b c'", "python", "-m", "\"x y\"z", "--n=$(nproc --all)", "d\\ e"}));
  EXPECT_EQ(words("`which python` -u"), (Texts{"`which python`", "-u"}));
  EXPECT_EQ(words(""), Texts{});
  EXPECT_EQ(words("a\\"), (Texts{"a\\"}));
}

TEST(ShellWords, MoreWordsFollowAnOpenEnd) {
  EXPECT_TRUE(takes_more_words("python train.py --a 'b | c'"));
  EXPECT_TRUE(takes_more_words("x | y\npython train.py \\\n --a\n"));
  EXPECT_TRUE(takes_more_words("python train.py --workers $(nproc)"));
  for (const char* closed :
       {"", "a | b", "a > log", "a &", "a; ", "a # b", "a 'b", "a \"b", "a `b", "a $(b", "(a)", "a \\"})
    EXPECT_FALSE(takes_more_words(closed)) << closed;
}

TEST(ShellWords, ReaderTellsQuotesAndComments) {
  ShellReader reader;
  for (const char c : std::string("a \"b 'c")) reader.read(c);
  EXPECT_EQ(reader.quote(), ShellQuote::kDouble);
  for (const char c : std::string("\" '")) reader.read(c);
  EXPECT_EQ(reader.quote(), ShellQuote::kSingle);
  reader.read('\'');
  reader.read(' ');
  reader.pass();
  reader.read('#');
  EXPECT_FALSE(reader.comment()) << "what was passed over is a word";
  reader.read(' ');
  reader.read('#');
  EXPECT_TRUE(reader.comment());
  reader.read('\n');
  EXPECT_FALSE(reader.comment());
}

}  // namespace
}  // namespace gpuplan
