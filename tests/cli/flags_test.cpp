// Every flag of every command, given empty, without its value, twice, or where there is none.
#include <gtest/gtest.h>

#include "cli/commands/commands.h"
#include "cli/fake_system.h"
#include "cli/io/exit_code.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;

const Words kQuestion = {"--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"};
const std::string kFlagsJob = "examples/collection.yaml";

/// What makes the command complete but for the flag.
Words subject_of(const std::string& command) {
  if (command == "import") return {"prices.csv"};
  if (command == "history") return {"L4"};
  if (command == "plan" || command == "profiles" || command == "simulate") return {kFlagsJob};
  if (command == "whatif") return {kFlagsJob, "--set", "samples=x2"};
  if (command == "launch") return {kFlagsJob, "--to", "bash"};
  if (command == "model" || command == "fit") return {"gpt2"};
  if (command == "check") return {"run.log"};
  if (command == "audit") return {"plan.md"};
  if (command == "completion") return {"bash"};
  if (command == "config") return {"show"};
  return {};
}

struct Flags : testing::Test {
  Flags() { system.lay(kFlagsJob); }
  void refused(Words words, const std::string& part = "") {
    EXPECT_EQ(system.run(words), kUsage) << testing::PrintToString(words) << system.err;
    EXPECT_TRUE(is_one_line(system)) << testing::PrintToString(words) << system.out << system.err;
    EXPECT_TRUE(has(system.err, part)) << part << ": " << system.err;
  }
  /// What no option of a command takes is refused; how many of them take a value.
  int refused_options(const CommandSpec& command) {
    Words words = command.of.empty() ? Words{command.name} : Words{command.of, command.name};
    const Words start = joined(std::move(words), subject_of(command.name));
    int values = 0;
    refused(joined(start, {"--nosuch"}), "--nosuch");
    std::string last;
    for (const OptionSpec& option : command.options)
      for (const std::string& flag : names_of(option)) {
        if (!takes_value(option)) {
          refused(joined(start, {flag, flag}), "repeated");
          continue;
        }
        refused(joined(start, {flag}), flag + " needs a value");
        refused(joined(start, {flag, ""}), names_of(option).back());
        ++values;
        last = names_of(option).back();
      }
    if (last.empty()) return values;
    refused(joined(start, {last, " "}), last);
    refused(joined(start, {last + "="}), last);
    return values;
  }
  static Words joined(Words first, const Words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }
  FakeSystem system;
};

TEST_F(Flags, EmptyUnknownAndRepeated) {
  int values = 0, commands = 0;
  for (const CommandSpec& command : all_commands()) {
    ++commands;
    for (const CommandSpec* doer : doers(command)) values += refused_options(*doer);
  }
  EXPECT_EQ(commands, 20);
  EXPECT_GT(values, 200);
  EXPECT_TRUE(system.written.empty());
}

TEST_F(Flags, EmptySubjects) {
  for (const Words& words : std::vector<Words>{{"plan", ""},
                                               {"model", ""},
                                               {"fit", ""},
                                               {"launch", "", "--to", "bash"},
                                               {"check", ""},
                                               {"gpus", ""},
                                               {"schema", ""},
                                               {""}})
    refused(words);
  refused({"check", "", "--job", kFlagsJob}, "empty");
}

TEST_F(Flags, Twice) {
  const std::string more = "repeated";
  refused({"plan", "--model", "gpt2", "--model", "gpt2"}, more);
  for (const Words& words : std::vector<Words>{{"--deadline", "2 h", "--deadline", "3 h"},
                                               {"-o", "a.json", "-o", "b.json"},
                                               {"--seed", "1", "--seed", "2"}})
    refused(joined(joined({"plan"}, kQuestion), words), more);
}

TEST_F(Flags, Contradictions) {
  for (const Words& words : std::vector<Words>{{"--json=false"},
                                               {"--json=x"},
                                               {"--nodes", "1,,2"},
                                               {"--nodes=,1"},
                                               {"--gpu", ","},
                                               {"--gpu=L4,"},
                                               {"--spot", "never", "--interruptions", "5%/h"},
                                               {"--json", "--csv"},
                                               {"--csv", "--markdown"},
                                               {"--top", "3", "--json"},
                                               {"--top", "3", "--show", "phases"},
                                               {"--show", "phases,memory", "--csv"},
                                               {"--explain", "--csv"}})
    refused(joined({"plan", kFlagsJob}, words));
  refused(joined({"plan", kFlagsJob}, kQuestion));
  refused(joined({"plan", "--params", "25M"}, kQuestion));
}

TEST_F(Flags, TimesSayTheirUnit) {
  for (const Words& words :
       std::vector<Words>{{"--deadline", "12"}, {"--setup", "12-20"}, {"--set", "limits.deadline=12"}})
    refused(joined(joined({"plan"}, kQuestion), words), "12 h, 12 min or 12 s?");
  EXPECT_EQ(system.run(joined(joined({"plan"}, kQuestion), {"--deadline", "12 h"})), kDone) << system.err;
  EXPECT_EQ(system.run(joined(joined({"plan"}, kQuestion), {"--setup", "0"})), kDone) << system.err;
  system.files["/here/job.yaml"] =
      "phases: {name: a, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k}}\n"
      "limits: {deadline: 12}\n";
  EXPECT_EQ(system.run({"plan", "job.yaml"}), kBadInput);
  EXPECT_TRUE(system.err.starts_with("job.yaml:2: limits.deadline: ")) << system.err;
  EXPECT_TRUE(has(system.err, "12 h, 12 min or 12 s?")) << system.err;
}

TEST_F(Flags, HelpOfEveryCommandNamesEveryFlag) {
  for (const CommandSpec& command : all_commands()) {
    EXPECT_EQ(system.run({command.name, "--help"}), kDone);
    for (const CommandSpec* doer : doers(command)) {
      if (doer != &command) {
        EXPECT_TRUE(has(system.run({command.name, "--help"}) == kDone ? system.out : "", "  " + doer->name));
        system.run({command.name, doer->name, "--help"});
      }
      for (const OptionSpec& option : doer->options)
        for (const std::string& flag : names_of(option))
          EXPECT_TRUE(has(system.out, flag)) << full_name(*doer) << " " << flag;
    }
    system.run({"--help"});
    EXPECT_TRUE(has(system.out, "  " + command.name + " ")) << command.name;
  }
}

TEST_F(Flags, HelpComesBeforeEverythingElse) {
  EXPECT_EQ(system.run({"plan", "nosuch.yaml", "--help"}), kDone);
  EXPECT_TRUE(has(system.out, "Usage: gpuplan plan"));
  EXPECT_EQ(system.run({"help"}), kDone);
  const std::string help = system.out;
  system.run({});
  EXPECT_EQ(system.out, help);
}

}  // namespace
}  // namespace gpuplan::cli
