// What a terminal changes: width, colour, the pager, the line that tells how far long work is.
#include "cli/io/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"
#include "cli/io/progress.h"

namespace gpuplan::cli {
namespace {

using Variables = std::map<std::string, std::string>;

const std::string kScreenJob = "examples/collection.yaml";

struct Terminal : testing::Test {
  Terminal() {
    system.lay(kScreenJob);
    system.variables["TERM"] = "xterm";
  }
  void on_terminal(int columns = 100, int lines = 500) { system.out_terminal = TerminalSize{columns, lines}; }
  void with(const Variables& more) {
    for (const auto& [name, value] : more) system.variables[name] = value;
  }
  std::string plan(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"plan", kScreenJob};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(system.run(words), kDone) << system.err;
    return system.out;
  }
  FakeSystem system;
};

TEST_F(Terminal, ColumnsOfTheTerminalUnlessTheVariableSaysOthers) {
  const auto columns = [&] { return screen(system, false).columns; };
  EXPECT_EQ(columns(), 120);
  on_terminal(80);
  EXPECT_EQ(columns(), 80);
  on_terminal(0);
  EXPECT_EQ(columns(), 120) << "a terminal that does not say";
  on_terminal(20);
  EXPECT_EQ(columns(), 40);
  on_terminal(5000);
  EXPECT_EQ(columns(), 1000);
  for (const auto& [text, expected] : std::vector<std::pair<std::string, int>>{
           {"90", 90}, {"7", 40}, {"100000", 1000}, {"", 1000}, {"x", 1000}, {"0", 1000}, {"-5", 1000}}) {
    system.variables["COLUMNS"] = text;
    EXPECT_EQ(columns(), expected) << text;
  }
}

TEST_F(Terminal, AnswersAreAsWideAsTheTerminal) {
  on_terminal(80);
  with({{"NO_COLOR", "1"}});
  const std::string narrow = plan();
  system.out_terminal.reset();
  EXPECT_NE(plan(), narrow);
  system.variables["COLUMNS"] = "80";
  EXPECT_EQ(plan(), narrow);
}

TEST_F(Terminal, Colour) {
  struct Case {
    bool terminal;
    Variables variables;
    bool expected;
  };
  for (const Case& one : std::vector<Case>{{true, {}, true},
                                           {true, {{"NO_COLOR", ""}}, true},
                                           {true, {{"TERM", "dumb"}, {"FORCE_COLOR", "1"}}, true},
                                           {true, {{"CLICOLOR", "1"}}, true},
                                           {true, {{"NO_COLOR", "1"}}, false},
                                           {true, {{"TERM", "dumb"}}, false},
                                           {true, {{"FORCE_COLOR", "0"}}, false},
                                           {true, {{"CLICOLOR", "0"}}, false},
                                           {true, {{"NO_COLOR", "1"}, {"FORCE_COLOR", "1"}}, false},
                                           {true, {{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}}, false},
                                           {false, {}, false},
                                           {false, {{"CLICOLOR", "1"}}, false},
                                           {false, {{"FORCE_COLOR", "1"}}, true},
                                           {false, {{"CLICOLOR_FORCE", "1"}}, true},
                                           {false, {{"FORCE_COLOR", "true"}, {"TERM", "dumb"}}, true},
                                           {false, {{"FORCE_COLOR", "0"}}, false},
                                           {false, {{"FORCE_COLOR", "0"}, {"CLICOLOR_FORCE", "1"}}, false},
                                           {false, {{"FORCE_COLOR", "false"}}, false},
                                           {false, {{"CLICOLOR_FORCE", "0"}}, false},
                                           {false, {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}, false}}) {
    system.variables = {{"GPUPLAN_CONFIG", ""}, {"TERM", "xterm"}};
    with(one.variables);
    system.out_terminal = one.terminal ? std::optional(TerminalSize{100, 500}) : std::nullopt;
    EXPECT_EQ(screen(system, false).colour, one.expected) << one.terminal << testing::PrintToString(one.variables);
    EXPECT_FALSE(screen(system, true).colour);
  }
}

TEST_F(Terminal, ColourChangesNothingElse) {
  on_terminal();
  const std::string coloured = plan();
  EXPECT_TRUE(has(coloured, "\x1b[32m"));
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i)
    if (coloured[i] == '\x1b') i = coloured.find('m', i);
    else stripped += coloured[i];
  EXPECT_EQ(plan({"--no-color"}), stripped);
  for (const char* form : {"--json", "--csv", "--markdown"}) EXPECT_FALSE(has(plan({form}), "\x1b")) << form;
}

TEST_F(Terminal, LongResultsGoThroughThePager) {
  on_terminal(100, 20);
  EXPECT_EQ(plan(), "");
  EXPECT_EQ(system.paged_by, "less -FIRX");
  on_terminal(100, 500);
  const std::string plain = plan();
  EXPECT_EQ(system.paged_by, "");
  const int lines = static_cast<int>(std::ranges::count(plain, '\n'));
  on_terminal(100, lines + 1);
  EXPECT_EQ(plan(), plain);
  on_terminal(100, lines);
  EXPECT_EQ(plan(), "") << "the prompt needs a line";
  EXPECT_EQ(system.paged, plain);
  on_terminal(100, 500);
  system.variables["LINES"] = "10";
  EXPECT_EQ(plan(), "");
  system.variables["LINES"] = "x";
  EXPECT_EQ(plan(), plain);
  on_terminal(100, 0);
  EXPECT_EQ(plan({"--details"}), "") << "24 lines where a terminal does not say";
}

TEST_F(Terminal, WhichPager) {
  on_terminal(100, 20);
  with({{"PAGER", "theirs"}});
  plan();
  EXPECT_EQ(system.paged_by, "theirs");
  with({{"GPUPLAN_PAGER", "ours -x"}});
  plan();
  EXPECT_EQ(system.paged_by, "ours -x");
}

TEST_F(Terminal, ThePagerCanBeTurnedOff) {
  on_terminal(100, 20);
  const Variables start = system.variables;
  for (const Variables& more : std::vector<Variables>{{{"GPUPLAN_PAGER", ""}, {"PAGER", "theirs"}},
                                                      {{"GPUPLAN_PAGER", " \t"}},
                                                      {{"PAGER", ""}},
                                                      {{"PAGER", "cat"}},
                                                      {{"PAGER", "theirs"}, {"TERM", "dumb"}},
                                                      {{"PAGER", "theirs"}, {"TERM", ""}}}) {
    system.variables = start;
    with(more);
    EXPECT_NE(plan(), "") << testing::PrintToString(more);
    EXPECT_EQ(system.paged_by, "");
  }
  system.variables = start;
  EXPECT_NE(plan({"--no-pager"}), "");
}

TEST_F(Terminal, NoPagerOffATerminalOrForAFile) {
  with({{"PAGER", "theirs"}, {"LINES", "5"}});
  EXPECT_NE(plan(), "");
  on_terminal(100, 20);
  EXPECT_EQ(plan({"-o", "plan.txt"}), "");
  EXPECT_EQ(system.paged_by, "");
  EXPECT_TRUE(has(system.files.at("/here/plan.txt"), "Recommended"));
}

TEST_F(Terminal, APagerThatDoesNotStartIsNoFailure) {
  on_terminal(100, 20);
  system.pager_starts = false;
  EXPECT_NE(plan(), "");
  EXPECT_EQ(system.err, "");
}

TEST_F(Terminal, ThePagerKeepsTheExitCode) {
  on_terminal(100, 20);
  EXPECT_EQ(system.run({"plan", kScreenJob, "--deadline", "1 min"}), kMissesLimits);
  EXPECT_NE(system.paged, "");
}

TEST_F(Terminal, HelpIsPagedAndWhatIsForFilesIsNot) {
  on_terminal(100, 5);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--help"}, {"plan", "--help"}, {"man"}, {"man", "plan"}}) {
    EXPECT_EQ(system.run(words), kDone);
    EXPECT_NE(system.paged, "") << testing::PrintToString(words);
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"init", "--params", "25M", "--samples", "2.5M"}, {"completion", "bash"}, {"schema"}}) {
    EXPECT_EQ(system.run(words), kDone);
    EXPECT_EQ(system.paged, "") << testing::PrintToString(words);
  }
}

struct ProgressLine : Terminal {
  static constexpr std::int64_t kHalfASecond = 500'000'000;
  /// Ten steps with so much time before each.
  std::string ten_steps(std::int64_t nanoseconds) {
    system.err.clear();
    {
      Progress progress(system, "searching variants", 10);
      for (int i = 0; i < 10; ++i) {
        system.clock += nanoseconds;
        progress.step();
      }
    }
    return system.err;
  }
};

TEST_F(ProgressLine, ShownOnATerminalAndErased) {
  EXPECT_EQ(ten_steps(kHalfASecond), "") << "no terminal";
  system.err_terminal = TerminalSize{100, 50};
  std::string expected;
  for (int i = 1; i <= 10; ++i) expected += "\r\x1b[Ksearching variants: " + std::to_string(i) + " of 10";
  EXPECT_EQ(ten_steps(kHalfASecond), expected + "\r\x1b[K");
  system.variables["TERM"] = "dumb";
  EXPECT_EQ(ten_steps(kHalfASecond), "");
}

TEST_F(ProgressLine, ShortWorkSaysNothingAndLongWorkNotTooOften) {
  system.err_terminal = TerminalSize{100, 50};
  EXPECT_EQ(ten_steps(kHalfASecond / 11), "");
  const std::string often = ten_steps(kHalfASecond / 5 - 1);
  EXPECT_FALSE(has(often, ": 5 of"));
  EXPECT_TRUE(has(often, ": 6 of"));
  system.err.clear();
  {
    Progress progress(system, "work", 1000);
    system.clock += kHalfASecond;
    for (int i = 0; i < 1000; ++i) {
      system.clock += 1'000'000;
      progress.step();
    }
  }
  EXPECT_LE(std::ranges::count(system.err, '\r'), 1000 / 50 + 2);
  EXPECT_GE(std::ranges::count(system.err, '\r'), 1000 / 50);
}

TEST_F(ProgressLine, OfVariantsIsGoneBeforeTheAnswer) {
  system.err_terminal = TerminalSize{100, 50};
  system.tick = kHalfASecond;
  EXPECT_EQ(system.run({"plan", kScreenJob}), kDone);
  EXPECT_EQ(system.err, "") << "a job without variants has one step";
  system.files["/here/many.yaml"] = system.files.at("/here/" + kScreenJob) +
                                    "\nvariants:\n  a: {limits.budget: $5}\n  b: "
                                    "{limits.budget: $6}\n  c: {limits.budget: $7}\n";
  EXPECT_EQ(system.run({"plan", "many.yaml", "--jobs", "1"}), kDone) << system.err;
  EXPECT_TRUE(has(system.err, "searching variants: ")) << system.err;
  EXPECT_TRUE(system.err.ends_with("\r\x1b[K"));
  EXPECT_FALSE(has(system.err, "\n"));
}

}  // namespace
}  // namespace gpuplan::cli
