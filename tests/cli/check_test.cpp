// gpuplan check: logs from files and standard input, logs that grow while it watches, and logs it can not read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

const std::string kCheckedJob = "examples/trm-nanochat.yaml";

std::string head() {
  return "GPU: NVIDIA B200 | Peak FLOPS (BF16): 2.25e+15\nTotal batch size 524,288 => gradient accumulation steps: 1\n";
}
std::string tail() { return "Peak memory usage: 97000.00MiB\nTotal training time: 10.00m\n"; }

/// Steps as nanochat logs them, and the losses of the four steps of supervision, of the 1,000 that are planned.
std::string lines(int first, int until, double refinement = 0.2) {
  std::string text;
  for (int step = first; step < until; step += 5) {
    const double loss = 3 + 8 * std::exp(-step / 200.0);
    const double gain = refinement * std::min(1.0, step / 900.0);
    char line[200];
    std::snprintf(
        line, sizeof line,
        "step %05d/01000 (%.2f%%) | loss: %.6f | grad norm: 0.9 | lrm: 1.00 | dt: 600.00ms | tok/sec: 873,813 "
        "| mfu: 38.10 | total time: %.2fm\n",
        step, step / 10.0, loss, step * 0.01);
    text += line;
    for (int part = 0; part < 4; ++part) {
      std::snprintf(line, sizeof line, "%sstep_%d: %.4f", part == 0 ? "" : " ", part,
                    (loss + 0.5) * (1 - gain * part / 3));
      text += line;
    }
    text += '\n';
  }
  return text;
}

struct Checking : testing::Test {
  Checking() { system.lay(kCheckedJob); }
  std::string& log() { return system.files["/here/run.log"]; }
  json ask(int code, const Words& more = {}, const std::string& name = "run.log") {
    Words words = {"check", name, "--job", kCheckedJob, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(system.run(words), code) << system.err;
    return json::parse(system.out, nullptr, false);
  }
  void refused(int code, const std::string& part, const Words& words) {
    EXPECT_EQ(system.run(words), code) << testing::PrintToString(words) << system.err;
    EXPECT_TRUE(is_one_line(system)) << system.out << system.err;
    EXPECT_TRUE(has(system.err, part)) << system.err;
  }
  FakeSystem system;
};

TEST_F(Checking, ThePromisedGate) {
  log() = head() + lines(0, 1000) + tail();
  EXPECT_EQ(ask(kDone)["verdict"], "passed");
  log() = head() + lines(0, 1000, 0.08) + tail();
  EXPECT_EQ(ask(kCheckFailed)["verdict"], "not passed");
  log() = head() + lines(0, 500);
  EXPECT_EQ(ask(kCheckFailed)["verdict"], "still running");
}

TEST_F(Checking, StandardInputIsTheSameLog) {
  log() = head() + lines(0, 1000) + tail();
  const json figures = ask(kDone)["figures"];
  system.input = log();
  const json piped = ask(kDone, {}, "-");
  EXPECT_EQ(piped["figures"], figures);
  EXPECT_EQ(piped["log"]["files"], json({"standard input"}));
}

TEST_F(Checking, OneLineEach) {
  log() = head() + lines(0, 1000) + tail();
  system.files["/here/empty.log"] = "";
  system.files["/here/prose.log"] = "no log\nat all\n";
  std::string& wide = system.files["/here/utf16.log"] = "\xff\xfe";
  for (const char c : log()) (wide += c) += '\0';
  EXPECT_EQ(ask(kDone, {}, "utf16.log")["verdict"], "passed");
  system.files["/here/fit.json"] = R"({"schema": "gpuplan/fit@1"})";
  refused(kBadInput, "prose.log: is not in a log format that gpuplan knows (nanochat, nanoGPT, torchtitan",
          {"check", "prose.log", "--job", kCheckedJob});
  refused(kBadInput, "empty.log: is empty", {"check", "empty.log", "--job", kCheckedJob});
  refused(kBadInput, "nowhere.log: no such file", {"check", "nowhere.log", "--job", kCheckedJob});
  refused(kBadInput, "examples: is a folder", {"check", "examples", "--job", kCheckedJob});
  refused(kBadInput, "is not a saved plan; create one with gpuplan plan JOB -o plan.json",
          {"check", "run.log", "--plan", "fit.json"});
  refused(kBadInput, "no such file", {"check", "run.log", "--plan", "nowhere/plan.json"});
  refused(kUsage, "missing --job FILE", {"check", "run.log", "--phase", "validate"});
  refused(kUsage, "leave --job and --plan out", {"check", "run.log", "--format", "--job", kCheckedJob});
  refused(kUsage, "--map: 'speed=dt': expected QUANTITY=NAME", {"check", "run.log", "--map", "speed=dt"});
  refused(kUsage, "Did you mean 'validate'?", {"check", "run.log", "--job", kCheckedJob, "--phase", "valdate"});
  refused(kUsage, "unknown plan id 'zzzzzz'", {"check", "run.log", "--job", kCheckedJob, "--plan", "zzzzzz"});
  refused(kUsage, "'-' (standard input) can be used only once", {"check", "-", "--job", "-"});
  refused(kUsage, "'-' (standard input) can be used only once", {"check", "-", "--job", kCheckedJob, "--plan", "-"});
  refused(kUsage, "name of the log is empty", {"check", "", "--job", kCheckedJob});
  refused(kUsage, "LOG... is missing", {"check", "--job", kCheckedJob});
}

/// The machine's time is that of the test: a sleep lets the next thing happen, and no test waits.
struct Following : Checking {
  void grow(const std::string& text) {
    system.meanwhile.emplace_back([this, text] { log() += text; });
  }
  void wait(int sleeps) {
    for (int i = 0; i < sleeps; ++i) system.meanwhile.emplace_back([] {});
  }
  Words said() const {
    Words all;
    std::string line;
    for (const char c : system.err)
      if (c == '\n') all.push_back(std::exchange(line, ""));
      else line += c;
    return all;
  }
};

TEST_F(Following, ALogThatGrowsUntilItSaysThatItIsDone) {
  const std::string text = head() + lines(0, 1000) + tail();
  wait(2);
  const std::size_t third = text.size() / 3 + 1;
  for (std::size_t at = 0; at < text.size(); at += third) {
    grow(text.substr(at, third));  // wherever that cuts a line
    wait(1);
  }
  const json result = ask(kDone, {"--follow"});
  EXPECT_EQ(result["verdict"], "passed");
  EXPECT_EQ(result["log"]["lines"], std::ranges::count(text, '\n'));
  ASSERT_GE(said().size(), 2U);
  EXPECT_EQ(said()[0], "gpuplan: waiting for run.log") << "once";
  EXPECT_TRUE(said()[1].starts_with("step ")) << said()[1];
  EXPECT_TRUE(has(said()[1], " of 1,000 · loss ")) << said()[1];
  EXPECT_LE(said().size(), 5U);
}

TEST_F(Following, ARunThatBreaksIsWaitedForTenSeconds) {
  log() = head() + lines(0, 500) + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n";
  EXPECT_EQ(ask(kCheckFailed, {"--follow"})["verdict"], "not passed");
  EXPECT_GT(system.clock, 10'000'000'000);
  EXPECT_LT(system.clock, 11'000'000'000);
}

TEST_F(Following, ALogThatIsCutOffBeginsAnew) {
  log() = head() + lines(0, 300);
  wait(1);
  system.meanwhile.emplace_back([this] { log() = head(); });
  grow(lines(0, 1000) + tail());
  const json result = ask(kDone, {"--follow"});
  EXPECT_EQ(result["verdict"], "passed");
  EXPECT_TRUE(has(system.err, "run.log was truncated or replaced")) << system.err;
}

TEST_F(Following, ASecondFileThatNeverComesHoldsUpNothing) {
  log() = head() + lines(0, 500);
  grow(lines(500, 1000) + tail());
  EXPECT_EQ(ask(kDone, {"gpus.csv", "--follow"})["verdict"], "passed");
  EXPECT_EQ(said().front(), "gpuplan: waiting for gpus.csv");
  EXPECT_EQ(std::ranges::count_if(said(), [](const std::string& line) { return has(line, "waiting for"); }), 1);
  EXPECT_EQ(said().back(), "gpuplan: gpus.csv never appeared");
}

TEST_F(Following, SeveralFilesAreReadTogether) {
  log() = head() + lines(0, 500);
  system.files["/here/gpus.csv"] = "index, utilization.gpu [%], memory.used [MiB]\n0, 97 %, 104000 MiB\n";
  grow(lines(500, 1000) + tail());
  const json result = ask(kDone, {"gpus.csv", "--follow"});
  EXPECT_EQ(result["verdict"], "passed");
  EXPECT_TRUE(std::ranges::any_of(result["figures"], [](const json& one) { return one["name"] == "device_gib"; }));
}

TEST_F(Following, APipeEndsWithItsWriter) {
  system.input = head() + lines(0, 500);
  system.input_ends = false;
  wait(3);
  system.meanwhile.emplace_back([this] {
    system.input += lines(500, 1000) + tail();
    system.input_ends = true;
  });
  EXPECT_EQ(ask(kDone, {"--follow"}, "-")["steps"], 995);
  EXPECT_TRUE(system.meanwhile.empty()) << "it waited for the writer";
}

TEST_F(Following, AnInterruptTellsWhatIsKnown) {
  log() = head() + lines(0, 500);
  wait(2);
  system.meanwhile.emplace_back([] { std::raise(SIGINT); });
  EXPECT_EQ(ask(kInterrupted, {"--follow"})["verdict"], "still running");
  system.meanwhile.emplace_back([] { std::raise(SIGTERM); });
  EXPECT_EQ(system.run({"check", "never.log", "--job", kCheckedJob, "--follow"}), kInterrupted);
  EXPECT_EQ(system.out, "") << "nothing is known";
}

TEST_F(Following, WhatMayNotBeReadIsNotWaitedFor) {
  log() = head();
  system.unreadable["/here/run.log"] = std::make_error_code(std::errc::permission_denied);
  EXPECT_EQ(system.run({"check", "run.log", "--job", kCheckedJob, "--follow"}), kBadInput);
  EXPECT_EQ(system.err, "run.log: permission denied\n");
  EXPECT_EQ(system.clock, 0);
}

}  // namespace
}  // namespace gpuplan::cli
