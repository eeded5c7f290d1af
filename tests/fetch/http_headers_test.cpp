#include "fetch/http/http_headers.h"

#include <gtest/gtest.h>

#include <string>

#include "fetch/fetch_list.h"

namespace gpuplan::fetch {
namespace {

TEST(HttpHeaders, AreThoseOfTheLastAnswer) {
  HttpHeaders headers;
  for (const char* line :
       {"HTTP/1.1 100 Continue\r\n", "ETag: \"old\"\r\n", "\r\n", "HTTP/2 206\r\n", "eTaG:  \"new\" \r\n",
        "content-length: 12\r\n", "Content-Range: bytes 5-16/17\r\n", "CONTENT-ENCODING: GZip\r\n"})
    EXPECT_TRUE(headers.take(line));
  EXPECT_EQ(headers.status, 206);
  EXPECT_EQ(headers.etag, "\"new\"");
  EXPECT_TRUE(headers.strong_etag());
  EXPECT_EQ(headers.encoding, "gzip");
  EXPECT_EQ(headers.length, 12U);
  ASSERT_TRUE(headers.range);
  EXPECT_EQ(headers.range->first, 5U);
  EXPECT_EQ(headers.range->whole, 17U);
}

TEST(HttpHeaders, HoldNothingThatCouldEndALine) {
  for (const std::string& value : {std::string("\"a\rb\""), std::string("\"a\x1b[1m\""), std::string("\"\xff\""),
                                   std::string("\"a\0b\"", 5), "\"" + std::string(1000, 'x') + "\""}) {
    HttpHeaders headers;
    EXPECT_TRUE(headers.take("ETag: " + value + "\r\n"));
    EXPECT_EQ(headers.etag, "");
    EXPECT_FALSE(headers.strong_etag());
  }
  HttpHeaders headers;
  headers.take("ETag: W/\"weak\"\r\n");
  EXPECT_FALSE(headers.strong_etag());
  headers.take("Content-Length: -1\r\n");
  EXPECT_FALSE(headers.length);
  headers.take("Content-Length: 99999999999999999999999\r\n");
  EXPECT_FALSE(headers.length);
}

TEST(HttpHeaders, AreBounded) {
  HttpHeaders headers;
  const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
  int taken = 0;
  while (headers.take(line) && taken < 1000) ++taken;
  EXPECT_LT(taken, 100);
  EXPECT_FALSE(headers.take("HTTP/1.1 200 OK\r\n"));  // the next answer does not begin anew
}

TEST(HttpHeaders, RangesThatAreNone) {
  EXPECT_EQ(read_content_range("bytes 0-9/*")->whole, std::nullopt);
  for (const char* text :
       {"", "bytes", "bytes 5-4/9", "bytes a-b/c", "bytes */9", "items 0-9/10", "bytes 0-9", "bytes /1-2"})
    EXPECT_FALSE(read_content_range(text)) << text;
}

TEST(HttpHeaders, DatesOfFiles) {
  EXPECT_EQ(date_of_header("Fri, 20 Nov 2026 07:28:00 GMT"), "2026-11-20");
  EXPECT_EQ(date_of_header("Sun, 01 Feb 2026 00:00:00 GMT"), "2026-02-01");
  for (const char* text :
       {"", "Fri", "Fri, 20 Nov 2026", "Fri, 99 Nov 2026 07:28:00 GMT", "Fri, 20 Foo 2026 07:28:00 GMT", "2026-11-20",
        "Fri, 30 Feb 2026 07:28:00 GMT", "Fri, 2x Nov 2026 07:28:00 GMT"})
    EXPECT_EQ(date_of_header(text), "") << text;
}

}  // namespace
}  // namespace gpuplan::fetch
