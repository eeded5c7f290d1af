// gpuplan.toml: where it is looked for, which one wins, and what is wrong with one.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"
#include "cli/load/find_config.h"

namespace gpuplan::cli {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

constexpr const char* kNear =
    "value_of_time = \"$40/h\"\n[where]\nquota = {aws = 8}\n[[own]]\nname = \"desk\"\ngpu = \"2x RTX 4090\"\n";
constexpr const char* kFar =
    "value_of_time = \"$10/h\"\ngoal = \"cheapest\"\n[where]\nquota = {runpod = 4, aws = 2}\n[[own]]\nname = \"desk\"\n"
    "gpu = \"L4\"\n[[pools]]\nname = \"cluster\"\ngpu = \"A100 SXM 80GB\"\ngpus = 8\n";

struct ConfigFiles : testing::Test {
  ConfigFiles() {
    system.here = "/home/me/team/project";
    system.folders.insert(system.here);
    system.variables = {{"HOME", "/home/me"}};
  }
  std::string& near() { return system.files["/home/me/team/gpuplan.toml"]; }
  std::string& far() { return system.files["/home/me/.config/gpuplan/gpuplan.toml"]; }
  /// Value, file and line of every key.
  std::map<std::string, std::string> values() {
    EXPECT_EQ(system.run({"config", "show", "--json"}), kDone) << system.err;
    std::map<std::string, std::string> rows;
    const json shown = json::parse(system.out);
    for (const json& row : shown["values"])
      rows[row["key"]] = row["value"].get<std::string>() +
                         (row["file"].is_null() ? "" : " " + row["file"].get<std::string>()) +
                         (row["line"].is_null() ? "" : ":" + row["line"].dump());
    return rows;
  }
  double worth(Words more = {}) {
    more.insert(more.begin(), {"plan", "--params", "25M", "--samples", "2.5M", "--gpu", "L4", "--json"});
    const int code = system.run(more);
    EXPECT_TRUE(code == kDone || code == kNothingFits) << system.err;
    return json::parse(system.out)["limits"]["value_of_time_usd_per_hour"];
  }
  std::vector<std::string> looked_at() {
    std::vector<std::string> names;
    for (const ConfigPlace& place : config_places(system)) names.push_back(place.file + (place.there ? " there" : ""));
    return names;
  }
  FakeSystem system;
};

TEST_F(ConfigFiles, WhereTheyAreLookedFor) {
  const Words upwards = {"./gpuplan.toml", "/home/me/team/gpuplan.toml", "/home/me/gpuplan.toml", "/home/gpuplan.toml",
                         "/gpuplan.toml"};
  Words all = upwards;
  for (const char* name : {"/gpuplan/gpuplan.toml", "/gpuplan/config.toml", "/gpuplan.toml"})
    all.push_back("/home/me/.config" + std::string(name));
  EXPECT_EQ(looked_at(), all);
  near() = kNear;
  far() = kFar;
  EXPECT_EQ(looked_at(), (Words{"./gpuplan.toml", "/home/me/team/gpuplan.toml there",
                                "/home/me/.config/gpuplan/gpuplan.toml there"}));
  system.variables["XDG_CONFIG_HOME"] = "/etc/me";
  system.files["/etc/me/gpuplan/config.toml"] = "";
  EXPECT_EQ(looked_at().back(), "/etc/me/gpuplan/config.toml there");
  system.variables["XDG_CONFIG_HOME"] = "relative";
  EXPECT_EQ(looked_at().back(), "/home/me/.config/gpuplan/gpuplan.toml there") << "the specification ignores it";
  system.variables.erase("HOME");
  EXPECT_EQ(looked_at().size(), 2U);
  system.variables["GPUPLAN_CONFIG"] = "";
  EXPECT_TRUE(looked_at().empty());
  system.variables["GPUPLAN_CONFIG"] = "/only.toml";
  EXPECT_EQ(looked_at(), Words{"/only.toml"});
}

TEST_F(ConfigFiles, FoldersOfTheNameAreNoFiles) {
  system.folders.insert("/home/me/team/gpuplan.toml");
  EXPECT_EQ(looked_at().size(), 8U);
  EXPECT_EQ(worth(), 5);
}

TEST_F(ConfigFiles, NothingThere) {
  for (const auto& [key, value] : values()) EXPECT_FALSE(has(value, ".toml")) << key << " " << value;
  EXPECT_EQ(values().at("value_of_time"), "$5/h");
  EXPECT_EQ(worth(), 5);
}

TEST_F(ConfigFiles, JoinedKeyByKeyAndTheNearestWins) {
  near() = kNear;
  far() = kFar;
  const auto rows = values();
  const std::string near_file = " /home/me/team/gpuplan.toml", far_file = " /home/me/.config/gpuplan/gpuplan.toml";
  EXPECT_EQ(rows.at("value_of_time"), "$40/h" + near_file + ":1");
  EXPECT_EQ(rows.at("goal"), "cheapest" + far_file + ":2");
  EXPECT_EQ(rows.at("where.quota.aws"), "8" + near_file + ":3");
  EXPECT_EQ(rows.at("where.quota.runpod"), "4" + far_file + ":4");
  EXPECT_EQ(rows.at("own.desk"), "2x RTX 4090" + near_file + ":4");
  EXPECT_EQ(rows.at("pools.cluster"), "8x A100 SXM 80GB (pool)" + far_file + ":8");
  EXPECT_EQ(rows.at("where.regions"), "all");
  EXPECT_EQ(system.run({"config", "show", "--origin"}), kDone);
  EXPECT_TRUE(has(system.out, near_file + ":1\n")) << system.out;
  EXPECT_EQ(system.run({"config", "show"}), kDone);
  EXPECT_FALSE(has(system.out, "gpuplan.toml"));
}

TEST_F(ConfigFiles, TheWorkingFolderHidesThoseAbove) {
  system.files[system.here + "/gpuplan.toml"] = "value_of_time = 5\n";
  near() = kNear;
  const auto rows = values();
  EXPECT_EQ(rows.at("value_of_time"), "5 ./gpuplan.toml:1");
  EXPECT_FALSE(rows.contains("own.desk"));
}

TEST_F(ConfigFiles, OwnTermsAreInTheCostOfEveryPlan) {
  const Words plan = {"plan", "--model", "Qwen3-8B", "--tokens", "10M", "--method", "lora", "--json"};
  ASSERT_EQ(system.run(plan), kDone) << system.err;
  const json without = json::parse(system.out);
  near() =
      "[[credits]]\nprovider = \"vultr\"\namount = \"$1,000\"\nuntil = \"2099-12-31\"\n"
      "[[credits]]\nprovider = \"vultrr\"\namount = 5\n"
      "[[commitments]]\nprovider = \"lambda\"\ngpu = \"4x H100 SXM\"\n"
      "[[commitments]]\nprovider = \"gcp\"\nuntil = \"2020-01-01\"\n";
  ASSERT_EQ(system.run(plan), kDone) << system.err;
  const json with = json::parse(system.out);
  int credited = 0, covered = 0;
  for (const json& one : with["plans"]) {
    const double cost = one["cost_usd"]["p50"];
    if (one["provider"] == "vultr") {
      EXPECT_EQ(cost, 0);
      EXPECT_GT(one["credits_usd"].get<double>(), 0);
      ++credited;
    } else {
      EXPECT_EQ(one["credits_usd"], 0);
    }
    if (one["leases"][0]["covered_gpus"] == 0) {
      EXPECT_TRUE(one["leases"][0]["own_usd_per_hour"].is_null());
    } else {
      EXPECT_EQ(one["provider"], "lambda");
      EXPECT_EQ(one["leases"][0]["covered_gpus"], std::min(4, one["gpus"].get<int>()));
      ++covered;
    }
    for (const json& before : without["plans"])
      if (before["id"] == one["id"]) {
        EXPECT_LE(cost, before["cost_usd"]["p50"].get<double>());
      }
  }
  EXPECT_GT(credited, 0);
  EXPECT_GT(covered, 0);
  EXPECT_FALSE(without["plans"][0].contains("credits_usd"));
  const std::string warnings = with["warnings"].dump();
  EXPECT_TRUE(has(warnings,
                  "unknown provider 'vultrr' of credits in /home/me/team/gpuplan.toml:5; no offer has it. Did "
                  "you mean 'vultr'?"))
      << warnings;
  EXPECT_TRUE(has(warnings, "commitments in /home/me/team/gpuplan.toml:11: those at gcp ended on 2020-01-01"))
      << warnings;

  near() = "[[credits]]\nprovider = \"gcp\"\namount = \"5 h\"\n";
  EXPECT_EQ(system.run(plan), kBadInput);
  EXPECT_TRUE(has(system.err, "/home/me/team/gpuplan.toml:3: credits[0].amount: expected an amount of money"))
      << system.err;
}

TEST_F(ConfigFiles, OneFileUnderTwoNamesCountsOnce) {
  near() = "[[own]]\nname = \"desk\"\ngpu = \"2x RTX 4090\"\n";
  system.links["/home/me/.config/gpuplan/gpuplan.toml"] = "/home/me/team/gpuplan.toml";
  EXPECT_EQ(system.run({"offers", "--json"}), kDone) << system.err;
  int desks = 0;
  const json answer = json::parse(system.out);
  for (const json& offer : answer["offers"]) desks += offer["instance"] == "desk";
  EXPECT_EQ(desks, 1);
}

TEST_F(ConfigFiles, FlagsAndVariablesWin) {
  near() = kNear;
  EXPECT_EQ(worth(), 40);
  EXPECT_EQ(worth({"--no-config"}), 5);
  EXPECT_EQ(worth({"--set", "value_of_time=3"}), 3);
  system.variables["GPUPLAN_VALUE_OF_TIME"] = "$30/h";
  EXPECT_EQ(worth(), 30);
  EXPECT_EQ(worth({"--no-config"}), 30) << "a variable is no file";
  EXPECT_EQ(worth({"--value-of-time", "$20/h"}), 20);
  EXPECT_EQ(values().at("value_of_time"), "$30/h GPUPLAN_VALUE_OF_TIME");
  system.variables["GPUPLAN_VALUE_OF_TIME"] = "";
  EXPECT_EQ(worth(), 40);
  system.variables["GPUPLAN_CONFIG"] = "";
  EXPECT_EQ(worth(), 5);
  far() = kFar;
  system.variables["GPUPLAN_CONFIG"] = "/home/me/.config/gpuplan/gpuplan.toml";
  EXPECT_EQ(worth(), 10);
}

TEST_F(ConfigFiles, ErrorsNameFileAndLine) {
  struct Case {
    const char *text, *place, *words;
  };
  for (const Case& one :
       {Case{"value_of_tim = 3\n", ":1: ", "Did you mean 'value_of_time'?"},
        Case{"\n[where]\nregion = 'a'\n", ":3: ", "Did you mean 'regions'?"},
        Case{"value_of_time = '12 h'\n", ":1: ", "value_of_time: expected"}, Case{"a = [\n", ":1: ", "not TOML"},
        Case{"limits = {budget = 5}\n", ":1: ", "belongs in a job file"}}) {
    near() = one.text;
    for (const Words& words : std::vector<Words>{
             {"plan", "--params", "25M", "--samples", "2.5M"}, {"config", "show"}, {"offers"}, {"fit", "gpt2"}}) {
      EXPECT_EQ(system.run(words), kBadInput) << words.front();
      EXPECT_TRUE(is_one_line(system)) << system.err;
      EXPECT_TRUE(system.err.starts_with("/home/me/team/gpuplan.toml" + std::string(one.place))) << system.err;
      EXPECT_TRUE(has(system.err, one.words)) << system.err;
    }
    EXPECT_EQ(system.run({"fit", "gpt2", "--no-config"}), kDone);
  }
}

TEST_F(ConfigFiles, WhatIsNamedMustBeThere) {
  system.variables["GPUPLAN_CONFIG"] = "/nonexistent.toml";
  EXPECT_EQ(system.run({"config", "show"}), kBadInput);
  EXPECT_EQ(system.err, "/nonexistent.toml: no such file\n");
  system.variables["GPUPLAN_CONFIG"] = "/locked.toml";
  system.files["/locked.toml"] = "goal = 'cheapest'\n";
  system.unreadable["/locked.toml"] = std::make_error_code(std::errc::permission_denied);
  EXPECT_EQ(system.run({"config", "show"}), kBadInput);
  EXPECT_EQ(system.err, "/locked.toml: permission denied\n");
  system.variables = {{"GPUPLAN_CONFIG", ""}, {"GPUPLAN_VALUE_OF_TIME", "much"}};
  EXPECT_EQ(system.run({"config", "show"}), kBadInput);
  EXPECT_TRUE(system.err.starts_with("GPUPLAN_VALUE_OF_TIME: ")) << system.err;
}

TEST_F(ConfigFiles, Paths) {
  near() = kNear;
  EXPECT_EQ(system.run({"config", "path", "--csv"}), kDone);
  EXPECT_TRUE(has(system.out, "./gpuplan.toml,")) << system.out;
  EXPECT_TRUE(has(system.out, "/home/me/team/gpuplan.toml,")) << system.out;
  EXPECT_TRUE(has(system.out, "this folder or a parent"));
  EXPECT_TRUE(has(system.out, "XDG config folder"));
  near() = "no TOML [";
  EXPECT_EQ(system.run({"config", "path"}), kDone) << "who looks for a broken file must find it";
}

TEST_F(ConfigFiles, PriceListsLieBesideTheFile) {
  near() = "prices = \"eur.csv\"\nrates = {EUR = 2}\n";
  system.files["/home/me/team/eur.csv"] = "gpu,gpus,price_per_hour,currency\nRTX 4090,1,0.5,EUR\n";
  const auto price = [&](const Words& more) {
    Words words = {"offers", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(system.run(words), kDone) << system.err;
    return json::parse(system.out)["offers"].at(0)["price_usd_per_hour"].get<double>();
  };
  EXPECT_EQ(price({}), 1);
  EXPECT_EQ(price({"--rate", "EUR=3"}), 1.5);
  system.files["/home/me/team/project/own.csv"] = "gpu,gpus,price_per_hour\nL4,1,0.25\n";
  EXPECT_EQ(price({"--prices", "own.csv"}), 0.25);
  EXPECT_EQ(system.run({"offers", "--rate", "EUR=3", "--no-config"}), kUsage);
  EXPECT_EQ(system.err, "gpuplan: --rate also needs --prices FILE.csv\n");
  system.files.erase("/home/me/team/eur.csv");
  EXPECT_EQ(system.run({"offers"}), kBadInput);
  EXPECT_EQ(system.err, "/home/me/team/eur.csv: no such file\n");
}

}  // namespace
}  // namespace gpuplan::cli
