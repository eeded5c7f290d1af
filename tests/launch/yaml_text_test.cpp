#include "launch/parts/yaml_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <yaml-cpp/yaml.h>

#include <string>

namespace gpuplan {
namespace {

TEST(YamlText, PrintsMapsListsAndScalars) {
  Yaml list = Yaml::list();
  list.add(Yaml::map().set("name", "a").set("count", Yaml::whole(2)));
  list.add(Yaml::map().set("name", "b", "the second"));
  Yaml all = Yaml::map();
  all.set("kind", "Job");
  all.set("price", Yaml::number(2.5), "dollars per hour");
  all.set("spot", Yaml::yes_no(false));
  all.set("token", Yaml::null());
  all.set("items", std::move(list));
  all.set("words", Yaml::list({"one", "two words"}));
  all.set("none", Yaml::list());
  all.set("run", Yaml::lines({"if true; then", "  echo \"a: b\"", "", "fi"}));
  EXPECT_EQ(all.print(),
            "kind: Job\n"
            "# dollars per hour\n"
            "price: 2.5\n"
            "spot: false\n"
            "token: null\n"
            "items:\n"
            "  - name: a\n"
            "    count: 2\n"
            "  -\n"
            "    # the second\n"
            "    name: b\n"
            "words:\n"
            "  - one\n"
            "  - \"two words\"\n"
            "none: []\n"
            "run: |\n"
            "  if true; then\n"
            "    echo \"a: b\"\n"
            "\n"
            "  fi\n");
  const YAML::Node read = YAML::Load(all.print());
  EXPECT_EQ(read["run"].as<std::string>(), "if true; then\n  echo \"a: b\"\n\nfi\n");
  EXPECT_EQ(read["items"][1]["name"].as<std::string>(), "b");
}

TEST(YamlText, WordsThatMeanSomethingElseAreQuoted) {
  for (const char* const word :
       {"yes",      "No",  "on",  "OFF",  "true", "null", "y",     "~",  "",   "12",         "1e3",  "0x1f",
        "12:30:45", "-",   "a b", "a: b", "a #b", "a.",   "a:",    "*a", "&a", "!a",         "@a",   "`a",
        "%a",       "[a]", "{a}", "|",    ">",    "'a'",  "\"a\"", "=",  "<<", "2026-11-22", ".inf", "nan."}) {
    const std::string text = Yaml::map().set("k", word).print();
    EXPECT_EQ(text.substr(0, 4), "k: \"") << text;
    EXPECT_EQ(YAML::Load(text)["k"].as<std::string>(), word);
  }
  EXPECT_EQ(Yaml::map().set("k", "nebius/eu-north1").print(), "k: nebius/eu-north1\n");
  EXPECT_EQ(Yaml::map().set("k", "A100:80GB").print(), "k: A100:80GB\n");
  EXPECT_EQ(Yaml::map().set("no", "v").print(), "\"no\": v\n");
}

TEST(YamlText, CommentsStayOnTheirLine) {
  const std::string text = Yaml::map().set("k", "v", "a\nk: w\r\nx\xe2\x80\xa8y").print();
  const YAML::Node read = YAML::Load(text);
  EXPECT_EQ(read.size(), 1U);
  EXPECT_EQ(read["k"].as<std::string>(), "v");
}

TEST(YamlText, LinesWithOddSignsAreOneString) {
  const std::vector<std::string> odd = {"echo \x1b[2J", "\xc2\x85", "tab\there"};
  const std::string text = Yaml::map().set("run", Yaml::lines(odd)).print();
  EXPECT_EQ(text.substr(0, 6), "run: \"");
  EXPECT_EQ(YAML::Load(text)["run"].as<std::string>(), "echo \x1b[2J\n\xc2\x85\ntab\there\n");
  // A block can not begin with a blank or an empty line.
  EXPECT_EQ(YAML::Load(Yaml::map().set("r", Yaml::lines({" a", "b"})).print())["r"].as<std::string>(), " a\nb\n");
  EXPECT_EQ(YAML::Load(Yaml::map().set("r", Yaml::lines({"", "b"})).print())["r"].as<std::string>(), "\nb\n");
  EXPECT_EQ(YAML::Load(Yaml::map().set("r", Yaml::lines({"b", ""})).print())["r"].as<std::string>(), "b\n\n");
  EXPECT_EQ(
      YAML::Load(Yaml::map().set("r", Yaml::lines({"# a", "- b", "--- c", "..."})).print())["r"].as<std::string>(),
      "# a\n- b\n--- c\n...\n");
}

RC_GTEST_PROP(YamlText, AnyStringComesBack, ()) {
  // Letters and the signs that mean something in YAML, some control characters, and characters of two bytes.
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("abyn019 :#-?*&!|>'\"%@`{}[],=.~<\n\t\r\x01\x1b\x7f\\/")));
  const auto key =
      *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab n:#-*&'\"\n=0"))));
  Yaml inner = Yaml::map();
  inner.set(key, text, text);
  Yaml list = Yaml::list();
  list.add(std::move(inner)).add(Yaml::text(text)).add(Yaml::lines({text, text}));
  const YAML::Node read = YAML::Load(Yaml::map().set("all", std::move(list)).print());
  RC_ASSERT(read["all"].size() == 3U);
  RC_ASSERT(read["all"][0].size() == 1U);
  RC_ASSERT(read["all"][0].begin()->first.as<std::string>() == key);
  RC_ASSERT(read["all"][0].begin()->second.as<std::string>() == text);
  RC_ASSERT(read["all"][1].as<std::string>() == text);
  RC_ASSERT(read["all"][2].as<std::string>() == text + "\n" + text + "\n");
}

}  // namespace
}  // namespace gpuplan
