// Where results go: standard output, the file of -o, and what happens when neither takes them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;

const std::string kJob = "examples/collection.yaml";
const Words kDelivered = {"init", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"};

/// Every command that takes -o, with words that make it write something.
const std::vector<Words> kIntoFiles = {
    {"plan", kJob},
    {"plan", kJob, "--json"},
    {"plan", kJob, "--csv"},
    {"plan", kJob, "--markdown"},
    {"gpus"},
    {"offers"},
    {"model", "Llama-3.1-8B"},
    {"fit", "Llama-3.1-8B", "--gpu", "RTX 4090"},
    {"fit", "Llama-3.1-8B", "--gpu", "RTX 4090", "--batches", "1,2"},
    {"fit", "Llama-3.1-8B", "--gpu", "RTX 4090", "--placements"},
    {"profiles", kJob},
    {"whatif", kJob, "--set", "samples=x2"},
    {"whatif", kJob, "--sensitivity"},
    {"simulate", "--work", "4h", "--spot-price", "1", "--interruptions", "5%/h", "--trials", "20"},
    {"config", "show"},
    {"config", "path"},
    {"validate"},
    {"validate", "--report"},
    {"check", "tests/seeds/trm-validate.log", "--job", "examples/trm-nanochat.yaml", "--phase", "validate"},
    kDelivered};
const std::vector<Words> kOnlyToOutput = {{"schema"},    {"schema", "limits"}, {"completion", "zsh"}, {"man"},
                                          {"--version"}, {"--help"},           {"plan", "--help"}};

struct Deliver : testing::Test {
  Deliver() {
    for (const char* name : {"examples/collection.yaml", "examples/trm-nanochat.yaml", "examples/llama-8b-full.yaml",
                             "tests/seeds/trm-validate.log"})
      system.lay(name);
  }
  static Words to(Words words, const std::string& file) {
    words.insert(words.end(), {"-o", file});
    return words;
  }
  FakeSystem system;
};

TEST_F(Deliver, AFileHoldsWhatStandardOutputWould) {
  for (const Words& words : kIntoFiles) {
    SCOPED_TRACE(testing::PrintToString(words));
    const int code = system.run(words);
    const std::string printed = system.out;
    system.variables["FORCE_COLOR"] = "1";
    system.written.clear();
    EXPECT_EQ(system.run(to(words, "out")), code);
    system.variables.erase("FORCE_COLOR");
    EXPECT_EQ(system.out, "");
    EXPECT_EQ(system.files.at("/here/out"), printed) << "and no colour";
    EXPECT_EQ(system.written, Words{"out"});
    system.files.erase("/here/out");
  }
}

TEST_F(Deliver, OneMinusIsStandardOutput) {
  system.run({"gpus"});
  const std::string printed = system.out;
  EXPECT_EQ(system.run({"gpus", "-o", "-"}), kDone);
  EXPECT_EQ(system.out, printed);
  EXPECT_TRUE(system.written.empty());
}

TEST_F(Deliver, AFullDiskIsOneLineAndNothingIsLost) {
  system.full = true;
  for (const Words& words : kIntoFiles) {
    SCOPED_TRACE(testing::PrintToString(words));
    system.files["/here/out"] = "old";
    Words forced = to(words, "out");
    if (words.front() == "init") forced.emplace_back("--force");
    EXPECT_EQ(system.run(forced), kInternal);
    EXPECT_EQ(system.err, "gpuplan: cannot write out: No space left on device\n");
    EXPECT_EQ(system.out, "");
    EXPECT_EQ(system.files.at("/here/out"), "old");
  }
  EXPECT_TRUE(system.written.empty());
}

TEST_F(Deliver, AFullStandardOutputIsAFailure) {
  system.out_fails = std::make_error_code(std::errc::no_space_on_device);
  std::vector<Words> all = kIntoFiles;
  all.insert(all.end(), kOnlyToOutput.begin(), kOnlyToOutput.end());
  for (const Words& words : all) {
    EXPECT_EQ(system.run(words), kInternal) << testing::PrintToString(words);
    EXPECT_EQ(system.err, "gpuplan: cannot write to standard output: No space left on device\n");
  }
}

TEST_F(Deliver, AReaderThatLeavesIsNoFailure) {
  system.out_fails = std::make_error_code(std::errc::broken_pipe);
  for (const Words& words : std::vector<Words>{{"gpus"}, {"plan", kJob}, {"--help"}, {"schema"}}) {
    EXPECT_EQ(system.run(words), kDone) << testing::PrintToString(words);
    EXPECT_EQ(system.err, "");
  }
  EXPECT_EQ(system.run({"plan", kJob, "--deadline", "1 min"}), kMissesLimits);
}

TEST_F(Deliver, NoPlaceToWrite) {
  system.folders.insert("/here/folder");
  EXPECT_EQ(system.run({"gpus", "-o", "missing/out"}), kInternal);
  EXPECT_EQ(system.err, "gpuplan: cannot write missing/out: No such file or directory\n");
  EXPECT_EQ(system.run({"gpus", "-o", "folder"}), kInternal);
  EXPECT_EQ(system.err, "gpuplan: cannot write folder: Is a directory\n");
  EXPECT_TRUE(system.written.empty());
}

TEST_F(Deliver, TheExitCodeIsKept) {
  EXPECT_EQ(system.run({"plan", "examples/llama-8b-full.yaml", "-o", "out.json", "--set", "where.gpus=[RTX 3060]"}),
            kNothingFits);
  EXPECT_TRUE(nlohmann::json::parse(system.files.at("/here/out.json"))["plans"].empty());
  EXPECT_EQ(system.run({"plan", "examples/llama-8b-full.yaml", "-o", "out.json", "--set", "limits.deadline=1 min"}),
            kMissesLimits);
  EXPECT_TRUE(nlohmann::json::parse(system.files.at("/here/out.json"))["recommendations"]["limits_missed"].get<bool>());
}

TEST_F(Deliver, TheEndOfTheNameSaysTheForm) {
  for (const Words& words : std::vector<Words>{{"plan", kJob}, {"gpus"}})
    for (const auto& [file, flag] : {std::pair<std::string, std::string>{"a.json", "--json"},
                                     {"a.JSON", "--json"},
                                     {"a.csv", "--csv"},
                                     {"a.md", "--markdown"},
                                     {"a.markdown", "--markdown"},
                                     {"a.txt", ""},
                                     {"a", ""},
                                     {".json", "--json"},
                                     {"run.7", ""}}) {
      Words asked = words;
      if (!flag.empty()) asked.push_back(flag);
      system.run(asked);
      const std::string printed = system.out;
      EXPECT_EQ(system.run(to(words, file)), kDone) << file;
      EXPECT_EQ(system.files.at("/here/" + file), printed) << words.front() << " " << file;
    }
}

TEST_F(Deliver, AFlagWinsOverTheName) {
  EXPECT_EQ(system.run({"gpus", "--json", "-o", "a.csv"}), kDone);
  EXPECT_TRUE(nlohmann::json::accept(system.files.at("/here/a.csv")));
}

TEST_F(Deliver, NoOtherFormIsPromised) {
  for (const char* name : {"report.html", "plan.pdf", "a.xlsx", "a.jsonl"}) {
    EXPECT_EQ(system.run({"plan", "nosuch.yaml", "-o", name}), kUsage) << "before any file is read";
    EXPECT_TRUE(is_one_line(system)) << system.err;
    EXPECT_TRUE(has(system.err, "-o " + std::string(name) + ": ")) << system.err;
    EXPECT_EQ(system.run({"gpus", "--json", "-o", name}), kDone) << "a flag says the form";
  }
  EXPECT_EQ(system.run({"init", "--params", "25M", "--samples", "2.5M", "-o", "job.conf"}), kDone) << "it has one form";
}

TEST_F(Deliver, FormsOfEveryCommand) {
  system.variables.erase("GPUPLAN_CONFIG");  // so that there are places to list
  for (const Words& words : kIntoFiles) {
    const bool one_form = words.front() == "init" || words.back() == "--report";
    const bool has_flag = words.back() == "--json" || words.back() == "--csv" || words.back() == "--markdown";
    if (one_form || has_flag) continue;
    SCOPED_TRACE(testing::PrintToString(words));
    Words json = words, csv = words, markdown = words;
    json.emplace_back("--json");
    csv.emplace_back("--csv");
    markdown.emplace_back("--markdown");
    const int code = system.run(words);
    const std::string text = system.out;
    EXPECT_EQ(system.run(json), code);
    const auto document = nlohmann::json::parse(system.out, nullptr, false);
    ASSERT_FALSE(document.is_discarded());
    EXPECT_TRUE(document["schema"].get<std::string>().starts_with("gpuplan/" + words.front() + "@"));
    EXPECT_EQ(system.run(csv), code);
    EXPECT_TRUE(has(system.out.substr(0, system.out.find('\n')), ",")) << system.out;
    EXPECT_NE(system.out, text);
    EXPECT_EQ(system.run(markdown), code);
    EXPECT_TRUE(has(system.out, "| :-") || has(system.out, "| --")) << system.out;
  }
}

TEST_F(Deliver, InitLosesNoFile) {
  system.files["/here/job.yaml"] = "mine\n";
  EXPECT_EQ(system.run(to(kDelivered, "job.yaml")), kUsage);
  EXPECT_TRUE(is_one_line(system));
  EXPECT_TRUE(has(system.err, "--force")) << system.err;
  EXPECT_EQ(system.files.at("/here/job.yaml"), "mine\n");
  Words forced = to(kDelivered, "job.yaml");
  forced.emplace_back("--force");
  EXPECT_EQ(system.run(forced), kDone);
  EXPECT_TRUE(has(system.files.at("/here/job.yaml"), "Qwen2.5-7B"));
  EXPECT_EQ(system.err, "gpuplan: wrote job.yaml; next: gpuplan plan job.yaml\n");
  EXPECT_EQ(system.run(to(kDelivered, "it's a job.yaml")), kDone);
  EXPECT_TRUE(has(system.err, "next: gpuplan plan 'it'\\''s a job.yaml'")) << system.err;
}

TEST_F(Deliver, InitWritesNothingOfAWrongQuestion) {
  for (const Words& more : std::vector<Words>{{"--deadline", "soon"}, {"--gpu", "H400"}, {"--spot", "maybe"}}) {
    Words words = to(kDelivered, "job.yaml");
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(system.run(words), kUsage) << system.err;
    EXPECT_TRUE(is_one_line(system));
  }
  EXPECT_EQ(system.run({"init", "-o", "job.yaml"}), kUsage);
  EXPECT_EQ(system.run({"init", "--model", "Qwen2.5-7B", "-o", "job.yaml"}), kUsage);
  EXPECT_FALSE(system.files.contains("/here/job.yaml"));
}

}  // namespace
}  // namespace gpuplan::cli
