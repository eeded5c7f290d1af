// Values handed out of a JSON text that comes in pieces: the same whatever the pieces, and bounded whatever the text.
#include "input/feeds/rows/json_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gpuplan {
namespace {

/// "path|keys|line|text" of each record.
class Written : public JsonRecordSink {
 public:
  Result<void> record(const JsonRecord& record) override {
    std::string line = std::to_string(record.path) + "|";
    for (const std::string& key : record.keys) line += key + ",";
    line += "|" + std::to_string(record.line) + "|";
    line += record.text;
    all.push_back(std::move(line));
    EXPECT_EQ(record.number, all.size());
    return {};
  }
  std::vector<std::string> all;
};

struct RecordsOutcome {
  std::vector<std::string> records;
  std::string error;

  bool operator==(const RecordsOutcome&) const = default;
};

RecordsOutcome split_json(std::string_view text, std::vector<JsonPath> paths, std::size_t piece = 1 << 20,
                          JsonRecordLimits limits = {}) {
  Written written;
  JsonRecords records(paths, "x.json", written, limits);
  Result<void> read;
  for (std::size_t at = 0; read && at < text.size(); at += piece) {
    // A copy, so that reading beyond a piece is seen.
    const std::string part(text.substr(at, piece));
    read = records.take(part);
  }
  if (read) read = records.finish();
  RecordsOutcome outcome{std::move(written.all), ""};
  if (!read)
    outcome.error = std::to_string(read.error().place.line) + ":" + std::to_string(read.error().place.column) + ": " +
                    read.error().message;
  return outcome;
}

using Lines = std::vector<std::string>;

TEST(JsonRecords, HandsOutTheValuesOfEachPath) {
  const std::string_view text = R"({"skip": {"offers": [1]}, "offers": [{"a": 1}, 2, "x"],
 "data": {"k\u0041": {"b": []}, "l": null}})";
  EXPECT_EQ(split_json(text, {"offers[]", "data.*"}).records,
            (Lines{R"(0|offers,,|1|{"a": 1})", "0|offers,,|1|2", R"(0|offers,,|1|"x")", R"(1|data,kA,|2|{"b": []})",
                   "1|data,l,|2|null"}));
  EXPECT_EQ(split_json("[[1,2],[3]]", {"[][]"}).records, (Lines{"0|,,|1|1", "0|,,|1|2", "0|,,|1|3"}));
  EXPECT_EQ(split_json(R"({"a.b":1,"*":2})", {"*"}).records, (Lines{"0|a.b,|1|1", "0|*,|1|2"}));
}

TEST(JsonRecords, TellsAMapFromAListWhereBothMayStand) {
  const std::vector<JsonPath> paths = {"offers[]", "offers{}"};
  EXPECT_EQ(split_json(R"({"offers":[{"a":1}]})", paths).records, (Lines{R"(0|offers,,|1|{"a":1})"}));
  EXPECT_EQ(split_json(R"({"offers":{"a":1}})", paths).records, (Lines{R"(1|offers,|1|{"a":1})"}));
  EXPECT_TRUE(split_json(R"({"offers":7})", paths).records.empty());
}

TEST(JsonRecords, TakesValuesOneAfterAnother) {
  EXPECT_EQ(split_json("{\"a\":1}\n{\"a\":2}\n", {"a"}).records, (Lines{"0|a,|1|1", "0|a,|2|2"}));
  EXPECT_EQ(split_json("\xef\xbb\xbf[1] [2]3", {"{}", "[]", ""}).records, (Lines{"2||1|[1]", "2||1|[2]", "2||1|3"}));
}

TEST(JsonRecords, PiecesOfAnySizeGiveTheSame) {
  const std::vector<JsonPath> paths = {"a[]", "b.*.c", "d", "[]", "e{}"};
  for (const std::string_view text :
       {R"({"a":[1,-2.5e+3,"q\"\\\u00e9",{"x":[{}]}], "b":{"\u0062":{"c":{"a":[1]}},"z":{"c":true}},
"d":null,"e":{"f":1}})",
        "\xef\xbb\xbf[1,\r\n22,\t333]", "{\"a\":[1,2", "[1 2]", "{\"a\":[tru]}", "[\"a\nb\"]", "{\"a\" 1}", "{,}", "]",
        "", " ", "[01]", "[1.]", "{\"d\":\"ends", "[1,]", "{\"d\":1,}", "\xef\xbb", "[nul\x01]", "[\"\\\n\"]"}) {
    const RecordsOutcome whole = split_json(text, paths);
    for (const std::size_t size : {1u, 2u, 3u, 7u}) EXPECT_EQ(split_json(text, paths, size), whole) << text << size;
  }
}

TEST(JsonRecords, SaysWhereATextIsNoJson) {
  EXPECT_EQ(split_json("{\"a\":1,\n  b}", {"a"}).error, "2:3: not valid JSON: expected a name in quotes");
  EXPECT_EQ(split_json("[1 2]", {"a"}).error, "1:4: not valid JSON: expected a comma or ]");
  EXPECT_EQ(split_json("[1}", {"a"}).error, "1:3: not valid JSON: expected a comma or ]");
  EXPECT_EQ(split_json("[tru]", {"a"}).error, "1:5: not valid JSON: tru is no value");
  EXPECT_EQ(split_json("<html>", {"a"}).error, "1:1: not valid JSON: expected a value");
  EXPECT_EQ(split_json("[\n[1,", {"a"}).error,
            "2:0: ends in the middle, after 5 bytes: the file was cut short; get it again");
  EXPECT_EQ(split_json("", {"a"}).error, "0:0: is empty; expected JSON");
  EXPECT_EQ(split_json("[" + std::string(998, ' ') + "}", {"a"}).error,
            "1:1000: not valid JSON: expected a value or ], at byte 1,000 of the line");
  for (const std::string_view cut : {"{", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1", "[1,", "[tr", "[\"\\"})
    EXPECT_NE(split_json(cut, {"a"}).error.find("ends in the middle"), std::string::npos) << cut;
}

TEST(JsonRecords, HoldsNoMoreThanOneRecord) {
  const JsonRecordLimits limits{100, 8};
  const std::string large = "[\n\"" + std::string(200, 'x') + "\"]";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
    EXPECT_EQ(split_json(large, {"[]"}, piece, limits).error, "2:0: record 1 has more than 100 bytes");
    EXPECT_EQ(split_json(large, {"a"}, piece, limits).error, "") << "nothing wants it";
    EXPECT_EQ(split_json("{\"" + std::string(200, 'k') + "\":1}", {"*"}, piece, limits).error,
              "1:0: a name of more than 100 bytes");
    EXPECT_EQ(split_json("{\"a\":{\"" + std::string(200, 'k') + "\":1}}", {"b"}, piece, limits).error, "");
    EXPECT_EQ(split_json(std::string(9, '['), {"a"}, piece, limits).error, "1:9: nested deeper than 8 levels");
    EXPECT_EQ(split_json(std::string(8, '[') + std::string(8, ']'), {"a"}, piece, limits).error, "");
    EXPECT_NE(split_json("[" + std::string(5000, '1') + "]", {"a"}, piece, limits).error, "");
  }
}

TEST(JsonRecords, PassesAFailureOfItsSinkOn) {
  class Refusing : public JsonRecordSink {
   public:
    Result<void> record(const JsonRecord&) override { return failure("enough", {"x.json", 3}); }
  };
  Refusing sink;
  const std::vector<JsonPath> paths = {"[]"};
  JsonRecords records(paths, "x.json", sink);
  const Result<void> read = records.take("[1,2]");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "enough");
  EXPECT_EQ(records.records(), 1U);
}

TEST(JsonRecords, ReadsARecordAsATreeWithLinesOfTheFile) {
  class Reading : public JsonRecordSink {
   public:
    Result<void> record(const JsonRecord& record) override {
      const Result<Tree> tree = record.tree();
      if (!tree) return std::unexpected(tree.error());
      names.push_back(tree->find("n")->text);
      return {};
    }
    std::vector<std::string> names;
  };
  Reading sink;
  const std::vector<JsonPath> paths = {"[]"};
  JsonRecords records(paths, "x.json", sink);
  ASSERT_TRUE(records.take("[{\"n\":\"a\"},\n"));
  // What stands in strings only shows when it is read.
  const Result<void> read = records.take("{\"n\":\n\"\\q\"}]");
  EXPECT_EQ(sink.names, Lines{"a"});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().place.line, 3);
}

TEST(JsonRecords, TakesWhatPythonWritesForNoNumberAsNull) {
  struct Sink final : JsonRecordSink {
    Result<void> record(const JsonRecord& record) override {
      const auto tree = record.tree();
      if (!tree) return std::unexpected(tree.error());
      text += flow_text(*tree);
      return {};
    }
    std::string text;
  } sink;
  const std::vector<JsonPath> paths = {"[]"};
  JsonRecords records(paths, "x.json", sink);
  ASSERT_TRUE(records.take(R"([{"a": NaN, "b": [-Infinity, "NaN \" NaN"], "c": 1}, Infinity])"));
  ASSERT_TRUE(records.finish());
  EXPECT_NE(sink.text.find("NaN"), std::string::npos) << sink.text;
  EXPECT_EQ(sink.text.find("Infinity"), std::string::npos) << sink.text;
  JsonRecords wrong(paths, "x.json", sink);
  EXPECT_FALSE(wrong.take("[NaNa, 1]"));
}

TEST(JsonRecords, KnowsABeginningByItsPaths) {
  const auto begins = [](std::string_view head, std::vector<JsonPath> paths) { return json_begins_with(head, paths); };
  const std::string_view head = R"({"offers":[{"id":1,"price":{"usd":2)";
  EXPECT_TRUE(begins(head, {"offers[].id"}));
  EXPECT_TRUE(begins(R"({"a":1,"b":[{"c":0)", {"a"}));
  EXPECT_FALSE(begins(head, {"offers[].id", "offers[].price"})) << "not all of it is there";
  EXPECT_FALSE(begins(head, {"id"}));
  EXPECT_FALSE(begins("id,price\n1,2\n", {"id"}));
  EXPECT_FALSE(begins("", {"id"}));
}

}  // namespace
}  // namespace gpuplan
