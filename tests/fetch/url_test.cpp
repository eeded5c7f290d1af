#include "fetch/http/url.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan::fetch {
namespace {

TEST(Url, IsReadInParts) {
  const auto url = parse_url(" https://API.Example.com:8443/v2/plans?per_page=500#top ");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "api.example.com");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/v2/plans?per_page=500");
  EXPECT_EQ(url->text(), "https://api.example.com:8443/v2/plans?per_page=500");
  EXPECT_EQ(url->shown(), "https://api.example.com:8443/v2/plans");
  EXPECT_EQ(parse_url("https://a?x=1")->text(), "https://a/?x=1");
  EXPECT_EQ(parse_url("http://[::1]:80/x")->text(), "http://[::1]/x");
}

// What is read is read the same when it is written again: nobody else can understand another host by it.
TEST(Url, IsTheSameWhenReadAgain) {
  for (const std::string text :
       {"https://a.b/c", "https://a.b:443", "http://127.0.0.1:9/", "https://[fe80::1]:4/x?y#z"}) {
    const auto once = parse_url(text);
    ASSERT_TRUE(once) << text;
    const auto twice = parse_url(once->text());
    ASSERT_TRUE(twice);
    EXPECT_EQ(once->text(), twice->text());
    EXPECT_TRUE(same_origin(*once, *twice));
  }
}

TEST(Url, RefusesWhatCouldBeUnderstoodDifferently) {
  for (const std::string text : {"",
                                 "example.com",
                                 "ftp://a/",
                                 "https://",
                                 "https:///x",
                                 "https://a b/",
                                 "https://a\\@b/",
                                 "https://u@h/",
                                 "https://u:secret@h/",
                                 "https://a:0/",
                                 "https://a:65536/",
                                 "https://a:8x/",
                                 "https://a:/",
                                 "https://a/\nb",
                                 "https://[::1/",
                                 "https://a%2eb/",
                                 "https://-a/",
                                 "https://.a/",
                                 "file:///etc/passwd",
                                 "//a/b"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
  }
  EXPECT_FALSE(parse_url(std::string("https://a/\0b", 12)));
  EXPECT_FALSE(parse_url("https://a/" + std::string(10'000, 'x')));
}

TEST(Url, OnlyThisMachineIsAskedWithoutEncryption) {
  for (const char* text :
       {"http://localhost/", "http://127.0.0.1:8000/", "http://127.1.2.3/", "http://[::1]/", "https://a/"})
    EXPECT_TRUE(may_ask(*parse_url(text))) << text;
  for (const char* text : {"http://a/", "http://127.0.0.1.evil.com/", "http://127.evil.com/",
                           "http://localhost.evil.com/", "http://10.0.0.1/", "http://[::2]/", "http://0127.0.0.1/"})
    EXPECT_FALSE(may_ask(*parse_url(text))) << text;
  EXPECT_FALSE(may_follow(*parse_url("https://a/"), *parse_url("http://127.0.0.1/")));
  EXPECT_TRUE(may_follow(*parse_url("http://127.0.0.1/"), *parse_url("https://a/")));
}

TEST(Url, OriginsDifferByEachOfTheirParts) {
  const Url here = *parse_url("https://a.b/x");
  EXPECT_TRUE(same_origin(here, *parse_url("https://A.B:443/y?z")));
  for (const char* other : {"http://a.b:443/x", "https://a.b:444/x", "https://b.a.b/x", "https://a.b./x"})
    EXPECT_FALSE(same_origin(here, *parse_url(other))) << other;
}

TEST(Url, ParametersAreReplacedOrAdded) {
  EXPECT_EQ(with_parameter("https://a/l?page=1&size=9", "page", "2"), "https://a/l?page=2&size=9");
  EXPECT_EQ(with_parameter("https://a/l?xpage=1", "page", "2"), "https://a/l?xpage=1&page=2");
  EXPECT_EQ(with_parameter("https://a/l", "c", "a&b=c d"), "https://a/l?c=a%26b%3Dc%20d");
  EXPECT_EQ(parameter_of("https://a/l?xpage=3&page=1&size=9", "page"), "1");
  EXPECT_EQ(parameter_of("https://a/page=1", "page"), "");
}

}  // namespace
}  // namespace gpuplan::fetch
