#include "output/text/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace gpuplan {
namespace {

TEST(JsonWriter, Indented) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "gpuplan/x@1").member("count", 3).member("share", 0.1).member("ok", true);
  json.member("none", std::optional<double>{}).member("some", std::optional<double>{2}).null_member("null");
  json.key("hours").begin_object(true).member("p10", 1.0).member("p50", 2.5).end();
  json.member("names", std::vector<std::string>{"a", "b"});
  json.key("empty").begin_array().end();
  json.key("nothing").begin_object().end();
  json.key("list").begin_array().value(1).begin_object().member("a", 1).end().end();
  json.end();
  EXPECT_EQ(json.take(), R"({
 "schema": "gpuplan/x@1",
 "count": 3,
 "share": 0.1,
 "ok": true,
 "none": null,
 "some": 2,
 "null": null,
 "hours": {"p10": 1, "p50": 2.5},
 "names": ["a", "b"],
 "empty": [],
 "nothing": {},
 "list": [
  1,
  {
   "a": 1
  }
 ]
}
)");
}

TEST(JsonWriter, Compact) {
  JsonWriter json(JsonWriter::Layout::kCompact);
  json.begin_object().member("a", 1).key("b").begin_array().value(1.5).value("x").end().end();
  EXPECT_EQ(json.take(), "{\"a\":1,\"b\":[1.5,\"x\"]}\n");
}

TEST(JsonWriter, NumbersReadBackAndNonFiniteOnesAreNull) {
  JsonWriter json(JsonWriter::Layout::kCompact);
  const double infinity = std::numeric_limits<double>::infinity();
  json.begin_array().value(infinity).value(-infinity).value(std::numeric_limits<double>::quiet_NaN());
  json.value(0.1 + 0.2).value(1e300).value(-0.0).value(std::uint64_t{18446744073709551615U}).end();
  const std::string text = json.take();
  EXPECT_EQ(text, "[null,null,null,0.30000000000000004,1e+300,0,18446744073709551615]\n");
  EXPECT_EQ(nlohmann::json::parse(text)[3].get<double>(), 0.1 + 0.2);
}

TEST(JsonWriter, StringsMayHoldAnything) {
  JsonWriter json(JsonWriter::Layout::kCompact);
  json.begin_object();
  json.member("a\"\\", std::string_view("tab\t line\n \x1b[31m nul\0 del\x7f", 26));
  json.member("Grüße 表 \xF0\x9F\x98\x80", "\xff|\xc3|\xed\xa0\x80|\xc0\xaf|\xf4\x90\x80\x80");
  json.end();
  const std::string text = json.take();
  EXPECT_EQ(text,
            "{\"a\\\"\\\\\":\"tab\\t line\\n \\u001b[31m nul\\u0000 del\\u007f\","
            "\"Grüße 表 \xF0\x9F\x98\x80\":\"\\ufffd|\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd|"
            "\\ufffd\\ufffd\\ufffd\\ufffd\"}\n");
  EXPECT_NO_THROW({ const auto parsed = nlohmann::json::parse(text); });
}

}  // namespace
}  // namespace gpuplan
