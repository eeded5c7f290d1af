// What commands read: jobs from files and standard input, price lists, folders of data; and what cannot be read.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "input/text/csv.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;

const std::string kInputJob = "examples/collection.yaml";

struct Inputs : testing::Test {
  Inputs() { job = system.lay(kInputJob); }
  std::string refused(const Words& words) {
    EXPECT_EQ(system.run(words), kBadInput) << testing::PrintToString(words) << system.err;
    EXPECT_TRUE(is_one_line(system)) << system.out << system.err;
    return system.err;
  }
  FakeSystem system;
  std::string job;
};

TEST_F(Inputs, WhyAFileCanNotBeRead) {
  const auto words = [&](std::errc code) {
    system.unreadable["/here/x"] = std::make_error_code(code);
    const auto text = read_file(system, "x", 10);
    return text ? "" : text.error().place.file + ": " + text.error().message;
  };
  EXPECT_EQ(words(std::errc::no_such_file_or_directory), "x: no such file");
  EXPECT_EQ(words(std::errc::permission_denied), "x: permission denied");
  EXPECT_EQ(words(std::errc::is_a_directory), "x: is a folder, not a file");
  EXPECT_EQ(words(std::errc::io_error), "x: cannot be read (Input/output error)");
  EXPECT_EQ(words(std::errc::file_too_large), "x: is too large (limit 10 bytes)");
  system.input = "0123456789x";
  EXPECT_EQ(read_file(system, "-", 10).error().place.file, "standard input");
  EXPECT_EQ(read_file(system, "-", 11), system.input);
}

TEST_F(Inputs, AJobOnStandardInputIsTheJob) {
  system.run({"plan", kInputJob, "--json"});
  const std::string from_file = system.out;
  system.input = job;
  EXPECT_EQ(system.run({"plan", "-", "--json"}), kDone) << system.err;
  const auto without_command = [](const std::string& text) { return nlohmann::json::parse(text)["plans"]; };
  EXPECT_EQ(without_command(system.out), without_command(from_file));
  for (const Words& words : std::vector<Words>{
           {"fit", "-"}, {"profiles", "-"}, {"whatif", "-", "--set", "samples=x2"}, {"launch", "-", "--to", "bash"}})
    EXPECT_EQ(system.run(words), kDone) << words.front() << system.err;
}

TEST_F(Inputs, BadBytesOnStandardInputAreOneLine) {
  for (const std::string& text : {std::string(), std::string("\x00\xff\xfe", 3), std::string(100'000, '['),
                                  std::string("a: &a [x]\nb: *c\n"), std::string("phases: 3\n")}) {
    system.input = text;
    EXPECT_TRUE(refused({"plan", "-"}).starts_with("standard input:")) << system.err;
  }
}

TEST_F(Inputs, MissingUnreadableAndFolders) {
  EXPECT_EQ(refused({"plan", "nosuch.yaml"}), "nosuch.yaml: no such file\n");
  EXPECT_EQ(refused({"plan", "examples"}), "examples: is a folder, not a file\n");
  system.files["/here/locked.yaml"] = job;
  system.unreadable["/here/locked.yaml"] = std::make_error_code(std::errc::permission_denied);
  for (const Words& words :
       std::vector<Words>{{"plan", "locked.yaml"},
                          {"fit", "locked.yaml"},
                          {"profiles", "locked.yaml"},
                          {"simulate", "locked.yaml"},
                          {"whatif", "locked.yaml", "--set", "samples=x2"},
                          {"launch", "locked.yaml", "--to", "bash"},
                          {"check", "-", "--job", "locked.yaml"},
                          {"plan", kInputJob, "--prices", "locked.yaml"},
                          {"offers", "--prices", "locked.yaml"},
                          {"validate", "locked.yaml"},
                          {"simulate", "--work", "4h", "--spot-price", "1", "--trace", "locked.yaml"},
                          {"check", "locked.yaml", "--job", kInputJob},
                          {"check", "-", "--plan", "./locked.yaml"}})
    EXPECT_TRUE(refused(words).ends_with("locked.yaml: permission denied\n")) << words.front();
}

TEST_F(Inputs, AModelOrAJobByItsText) {
  system.files["/here/job.json"] = R"({"phases": {"name": "a", "train": {"model": "gpt2", "data": {"tokens": "1M"},
      "sequence": 1024}}})";
  EXPECT_EQ(system.run({"fit", "job.json"}), kDone) << system.err;
  system.files["/here/other.json"] = R"({"phase": 1})";
  refused({"fit", "other.json"});
}

TEST_F(Inputs, PriceLists) {
  system.lay("examples/llama-8b-qlora.yaml");
  for (const char* name : {"prices.csv", "prices-eur.csv"}) system.lay("tests/golden/inputs/" + std::string(name));
  const auto offers = [&](const Words& more) {
    Words words = {"plan", "examples/llama-8b-qlora.yaml", "--set", "where.counts=", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(system.run(words), kDone) << system.err;
    return nlohmann::json::parse(system.out)["market"]["offers"].get<int>();
  };
  const std::string dollars = "tests/golden/inputs/prices.csv", euros = "tests/golden/inputs/prices-eur.csv";
  EXPECT_EQ(offers({"--prices", dollars}), 3);
  EXPECT_EQ(offers({"--prices", dollars, "--prices", euros, "--rate", "EUR=1.08"}), 5);
  system.input = system.files.at("/here/" + dollars);
  EXPECT_EQ(offers({"--prices", "-"}), 3);
}

TEST_F(Inputs, AFolderOfData) {
  const std::string rows = system.lay("data/known_problems.csv");
  system.run({"gpus", "--json"});
  const std::string built_in = system.out;
  EXPECT_EQ(system.run({"gpus", "--json", "--data", "data"}), kDone) << system.err;
  EXPECT_EQ(system.out, built_in);
  EXPECT_EQ(system.err, "") << "the same rows";
  const std::size_t end = rows.rfind('\n', rows.size() - 2);
  system.files["/here/data/known_problems.csv"] = rows.substr(0, end + 1);
  EXPECT_EQ(system.run({"gpus", "--json", "--data", "data"}), kDone);
  EXPECT_TRUE(has(system.err, "gpuplan: data/known_problems.csv has 1 of the ")) << system.err;
  system.files["/here/data/known_problems.csv"] = rows + "no,row\n";
  EXPECT_TRUE(refused({"gpus", "--data", "data"}).starts_with("data/known_problems.csv:"));
  system.unreadable["/here/data/known_problems.csv"] = std::make_error_code(std::errc::permission_denied);
  EXPECT_EQ(refused({"gpus", "--data", "data"}), "data/known_problems.csv: permission denied\n");
  EXPECT_EQ(refused({"gpus", "--data", "examples"}),
            "examples: the folder (--data) has none of gpus.csv, offers.csv, models.csv, ...\n");
  for (const char* folder : {"nosuch", "examples/collection.yaml"}) {
    EXPECT_EQ(system.run({"gpus", "--data", folder}), kUsage);
    EXPECT_TRUE(has(system.err, "is not a folder; expected one with gpus.csv")) << system.err;
  }
}

TEST_F(Inputs, MoreThanIsReadIsRefused) {
  system.files["/here/large.csv"] = std::string(CsvTable::kMaxBytes + 1, ' ');
  EXPECT_TRUE(has(refused({"offers", "--prices", "large.csv"}), "large.csv: is too large (limit ")) << system.err;
}

TEST_F(Inputs, TracesLieBesideTheJob) {
  system.files["/here/jobs/spot.yaml"] =
      "phases: {name: a, train: {model: gpt2, data: {tokens: 100M}, sequence: 1k}}\n"
      "market: {use: only, offers: [{gpu: L4, gpus: 1, price: $1/h, spot_price: $0.4/h}]}\n"
      "spot: {interruptions: {trace: zone.json}}\nwhere: {spot: allow}\n";
  EXPECT_EQ(refused({"simulate", "jobs/spot.yaml", "--trials", "10"}), "jobs/zone.json: no such file\n");
  std::string ticks;
  for (int i = 0; i < 500; ++i) ticks += i == 0 ? "1" : ", 1";
  system.files["/here/jobs/zone.json"] = R"({"metadata": {"gap_seconds": 600}, "data": [)" + ticks + "]}";
  EXPECT_EQ(system.run({"simulate", "jobs/spot.yaml", "--trials", "10"}), kDone) << system.err;
}

}  // namespace
}  // namespace gpuplan::cli
