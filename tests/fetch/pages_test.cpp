#include "fetch/pages.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan::fetch {
namespace {

using Kind = PageRule::Kind;
const PageRule kLinked{Kind::kLink, "links.next", "", ""};
const PageRule kCounted{Kind::kCount, "total", "page", "size"};
const PageRule kCursor{Kind::kCursor, "meta.next", "at", ""};

std::string counted(int page, const std::string& total) {
  const auto next =
      next_page(kCounted, "https://a/l?page=" + std::to_string(page) + "&size=100", "{\"total\":" + total + "}");
  return !next ? "fails" : next->value_or("ends");
}

TEST(Pages, AreCountedUpToTheLast) {
  EXPECT_EQ(counted(1, "0"), "ends");
  EXPECT_EQ(counted(1, "100"), "ends");
  EXPECT_EQ(counted(1, "101"), "https://a/l?page=2&size=100");
  EXPECT_EQ(counted(2, "\"201\""), "https://a/l?page=3&size=100");
  EXPECT_EQ(counted(3, "201"), "ends");
}

TEST(Pages, CountingComesToAnEnd) {
  EXPECT_EQ(counted(kMostPages, "999999999"), "ends");
  for (const char* total : {"null", "-", "1.5", "[]", "99999999999999999999999", "\"many\""})
    EXPECT_EQ(counted(1, total), "fails");
  EXPECT_FALSE(next_page(kCounted, "https://a/l?page=1", R"({"total":5})"));
  EXPECT_FALSE(next_page(kCounted, "https://a/l?page=0&size=100", R"({"total":5})"));
}

TEST(Pages, LinksStayOnTheirServer) {
  const auto link = [](const std::string& to) {
    return next_page(kLinked, "https://a/l", R"({"links":{"next":)" + to + "}}");
  };
  EXPECT_EQ(**link(R"("https://a:443/l?$skip=100&f=b c")"), "https://a/l?$skip=100&f=b%20c");
  for (const char* none : {"null", "\"\""}) EXPECT_EQ(*link(none), std::nullopt);
  for (const char* other :
       {R"("https://b/l")", R"("http://a/l")", R"("https://a:444/l")", R"("https://a@b/l")", R"("/l")", R"("x")"})
    EXPECT_FALSE(link(other)) << other;
  EXPECT_EQ(*next_page(kLinked, "https://a/l", R"({"links":{}})"), std::nullopt);
}

TEST(Pages, CursorsAreEncoded) {
  EXPECT_EQ(**next_page(kCursor, "https://a/l?at=x&n=5", R"({"meta":{"next":"b&n=1#"}})"),
            "https://a/l?at=b%26n%3D1%23&n=5");
  EXPECT_EQ(*next_page(kCursor, "https://a/l", R"({"meta":{"next":""}})"), std::nullopt);
}

TEST(Pages, WhatIsNoPage) {
  for (const PageRule& rule : {kLinked, kCounted, kCursor})
    for (const char* text : {"", "[]", "<html>", "{\"links\":", "\"x\""})
      EXPECT_FALSE(next_page(rule, "https://a/l?page=1&size=1", text)) << text;
  EXPECT_EQ(*next_page({}, "https://a/l", "anything"), std::nullopt);
}

}  // namespace
}  // namespace gpuplan::fetch
