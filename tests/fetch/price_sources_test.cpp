#include "fetch/price_sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fetch/choose_lists.h"
#include "fetch/fetch_memory.h"
#include "fetch/http/url.h"
#include "input/text/embedded_data.h"

namespace gpuplan::fetch {
namespace {

std::vector<PriceSource> built_in() {
  auto sources = read_price_sources(embedded_data("price_sources.csv"), "price_sources.csv");
  EXPECT_TRUE(sources) << sources.error().message;
  return sources ? *std::move(sources) : std::vector<PriceSource>{};
}

TEST(PriceSources, EveryAddressCanBeAsked) {
  for (PriceSource& source : built_in()) {
    source.urls.push_back(source.version_url);
    source.urls.push_back(source.token_url);
    for (std::string url : source.urls) {
      if (url.empty()) continue;
      for (const std::string_view word : {"{part}", "{version}"})
        if (const std::size_t at = url.find(word); at != std::string::npos) url.replace(at, word.size(), "x");
      const auto parsed = parse_url(url);
      ASSERT_TRUE(parsed) << source.name << ": " << parsed.error().message;
      EXPECT_EQ(parsed->scheme, "https") << source.name;
    }
    if (source.pages.kind == PageRule::Kind::kCount) {
      EXPECT_NE(parameter_of(source.urls.front(), source.pages.parameter), "") << source.name;
      EXPECT_NE(parameter_of(source.urls.front(), source.pages.size), "") << source.name;
    }
  }
}

TEST(PriceSources, ARowThatContradictsItselfIsRefused) {
  const std::string head =
      "name,title,provider,format,parts,url,version_url,body,key,key_as,keys,pages,most[MB],asked,date,notes,source,as_"
      "of\n";
  const std::string good = "a,A,aws,,,https://a/,,,none,,,,1,,today,,s,2026-11\n";
  ASSERT_TRUE(read_price_sources(head + good, "f"));
  for (const char* row :
       {"a,A,aws,,,https://a/,,,none,,,,1,,today,,s,2026-11\na,A,aws,,,https://a/,,,none,,,,1,,today,,s,2026-11",
        "a,A,aws,,,http://a/,,,none,,,,1,,today,,s,2026-11", "a,A,aws,,,,,,none,,,,1,,today,,s,2026-11",
        "a,A,aws,,x|y,https://a/,,,none,,,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/{part},,,none,,,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/{version},,,none,,,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,needed,bearer,,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,none,,KEY,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,needed,cookie,KEY,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,needed,header X:Y,KEY,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,needed,client https://t,KEY,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,none,,,scroll down,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,none,,,,0,,today,,s,2026-11", "a,A,aws,,,https://a/,,,none,,,,1,never,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,none,,,,1,,tomorrow,,s,2026-11", "a/b,A,aws,,,https://a/,,,none,,,,1,,today,,s,2026-11",
        "a,A,aws,,,https://a/,,,none,,,,1,,today,,,2026-11"})
    EXPECT_FALSE(read_price_sources(head + row + "\n", "f")) << row;
}

std::set<std::string> chosen(const std::vector<PriceSource>& sources, const std::vector<std::string>& words) {
  const auto lists = choose_lists(sources, words);
  std::set<std::string> names;
  if (!lists) return {"refused"};
  for (const ListChoice& list : *lists) EXPECT_TRUE(names.insert(list.name()).second) << list.name();
  return names;
}

TEST(PriceSources, AreChosenByListPartOrProvider) {
  std::vector<PriceSource> sources(3);
  sources[0].name = "cat", sources[0].provider = "{part}", sources[0].parts = {"aws", "lambdalabs"};
  sources[1].name = "big", sources[1].provider = "aws", sources[1].by_name_only = true;
  sources[2].name = "lambda", sources[2].provider = "lambda";
  const std::set<std::string> usual = {"cat/aws", "cat/lambdalabs", "lambda"};
  EXPECT_EQ(chosen(sources, {}), usual);
  EXPECT_EQ(chosen(sources, {"cat"}), (std::set<std::string>{"cat/aws", "cat/lambdalabs"}));
  EXPECT_EQ(chosen(sources, {"cat/aws", "CAT/AWS"}), (std::set<std::string>{"cat/aws"}));
  EXPECT_EQ(chosen(sources, {"aws"}), (std::set<std::string>{"cat/aws"}));
  EXPECT_EQ(chosen(sources, {"big"}), (std::set<std::string>{"big"}));
  EXPECT_EQ(chosen(sources, {"lambda"}), (std::set<std::string>{"lambda"}));  // the list of that name goes before
  EXPECT_EQ(chosen(sources, {"aws", "nobody"}), (std::set<std::string>{"refused"}));
  sources[0].parts = {"lambdalabs"};
  EXPECT_EQ(chosen(sources, {"aws"}), (std::set<std::string>{"big"}));  // where it has no others
}

TEST(FetchMemory, ComesBackAsItWasOrIsForgotten) {
  FetchMemory memory;
  memory["a/b"] = {{"\"tag\"", "Fri, 20 Nov 2026 07:28:00 GMT"}, "https://a/b", "2026-11-20", 7};
  memory["c"] = {{"", ""}, "https://c/", "", 0};
  const FetchMemory again = read_fetch_memory(fetch_memory_text(memory));
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again.at("a/b").validators.etag, "\"tag\"");
  EXPECT_EQ(again.at("a/b").url, "https://a/b");
  EXPECT_EQ(again.at("a/b").import, 7);
  EXPECT_EQ(fetch_memory_text(again), fetch_memory_text(memory));
  for (const char* text : {"", "[]", "{\"lists\":[]}", "{\"lists\":{\"a\":1}}", "{", "\x01"}) {
    const FetchMemory none = read_fetch_memory(text);
    for (const auto& [name, last] : none) EXPECT_EQ(last.url + last.validators.etag, "") << text;
  }
  // What somebody wrote in must not end a line of a header.
  const FetchMemory evil = read_fetch_memory(R"({"lists":{"a":{"etag":"x\r\nX-More: 1","date":"soon","import":"x"}}})");
  EXPECT_EQ(evil.at("a").validators.etag + evil.at("a").date, "");
}

}  // namespace
}  // namespace gpuplan::fetch
