#include "input/prices/trace_file.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

std::string trace_refusal(std::string_view text) {
  const auto trace = read_trace(text, "t.json");
  if (trace) return "accepted";
  return trace.error().place.file + ":" + std::to_string(trace.error().place.line) + ": " + trace.error().message;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(TraceFile, JsonOfThePublicTraces) {
  const auto trace = read_trace(R"({"metadata": {"gap_seconds": 600}, "data": [0, 1, 1, 16]})", "t.json");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->gap, Seconds{600});
  EXPECT_EQ(trace->machines, (std::vector<std::int32_t>{0, 1, 1, 16}));
  EXPECT_EQ(trace->length(), Seconds{2400});
}

TEST(TraceFile, JsonInAnotherOrderAndWithMoreInIt) {
  const auto trace = read_trace(
      "\xef\xbb\xbf {\"data\": [1,\n 0],\n \"zone\": {\"data\": [\"x\"], \"gap_seconds\": 5}, \"metadata\": "
      "{\"gap_seconds\": "
      "30.5, \"zone\": \"a\", \"more\": {\"gap_seconds\": -1}}}",
      "t.json");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->gap, Seconds{30.5});
  EXPECT_EQ(trace->machines, (std::vector<std::int32_t>{1, 0}));
}

TEST(TraceFile, CsvWithTheGapOnce) {
  const auto trace = read_trace("gap_seconds,available\n600,1\n,0\n600,2\n", "t.csv");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->gap, Seconds{600});
  EXPECT_EQ(trace->machines, (std::vector<std::int32_t>{1, 0, 2}));
}

TEST(TraceFile, CsvWithTimes) {
  const auto trace = read_trace("time,zone,available\n100,a,1\n400,a,0\n700,a,2\n", "t.csv");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->gap, Seconds{300});
  EXPECT_EQ(trace->machines, (std::vector<std::int32_t>{1, 0, 2}));
}

TEST(TraceFile, RefusalsNameTheLine) {
  EXPECT_TRUE(has(trace_refusal(""), "t.json:0: is empty")) << trace_refusal("");
  EXPECT_TRUE(has(trace_refusal(" \n"), "is empty"));
  EXPECT_TRUE(has(trace_refusal("[1, 0]"), "t.json:1: is a list")) << trace_refusal("[1, 0]");
  const std::string torn = trace_refusal("{\"metadata\": {\"gap_seconds\": 600},\n \"data\": [0, 1, ");
  EXPECT_TRUE(has(torn, "t.json:2: not valid JSON; it may be cut off")) << torn;
  EXPECT_TRUE(has(trace_refusal(R"({"data": [1]})"), "no metadata.gap_seconds")) << trace_refusal(R"({"data": [1]})");
  EXPECT_TRUE(has(trace_refusal(R"({"metadata": {"gap_seconds": 60}})"), "no list 'data'"));
  EXPECT_TRUE(has(trace_refusal(R"({"metadata": {"gap_seconds": 60}, "data": 7})"), "no list 'data'"));
  EXPECT_TRUE(has(trace_refusal(R"({"metadata": {"gap_seconds": 60}, "data": []})"), "t.json:1: 'data' is empty"));
}

TEST(TraceFile, ValuesThatAreNoMachines) {
  const auto data = [](const std::string& values) {
    return trace_refusal("{\"metadata\": {\"gap_seconds\": 60},\n\"data\": [1,\n " + values + "]}");
  };
  for (const char* value : {"-1", "0.5", "1e9", "null", "true", "\"2\"", "[1]", "{\"a\": 1}"}) {
    const std::string words = data(value);
    EXPECT_TRUE(has(words, "t.json:3: data[1]: expected a whole number of machines")) << value << ": " << words;
  }
  EXPECT_TRUE(has(data("NaN"), "not valid JSON")) << data("NaN");
  EXPECT_TRUE(has(data("1e400"), "not valid JSON")) << "no number of a computer";
  EXPECT_TRUE(has(trace_refusal("{\"metadata\": {\"gap_seconds\": 60}, \"data\": [1, 2, -3]}"), "data[2]"));
}

TEST(TraceFile, GapsThatAreNone) {
  for (const char* gap : {"0", "-600", "1e9", "\"600\"", "null", "1e-400"}) {
    const std::string words =
        trace_refusal(std::string("{\"metadata\":\n {\"gap_seconds\": ") + gap + "}, \"data\": [1]}");
    EXPECT_TRUE(has(words, "t.json:2: metadata.gap_seconds: expected seconds above 0")) << gap << ": " << words;
  }
}

TEST(TraceFile, CsvRefusals) {
  EXPECT_TRUE(has(trace_refusal("available\n1\n"), "neither a column gap_seconds nor a column time"));
  EXPECT_TRUE(has(trace_refusal("gap_seconds,machines\n600,1\n"), "available"))
      << "the column that is missing is named";
  EXPECT_TRUE(has(trace_refusal("gap_seconds,available\n"), "no rows"));
  EXPECT_TRUE(has(trace_refusal("available,other\n"), "no rows"));
  EXPECT_TRUE(has(trace_refusal("gap_seconds,available\n600,1\n600,-1\n"), "t.json:3: column available"));
  EXPECT_TRUE(has(trace_refusal("gap_seconds,available\n600,1\n600,0.5\n"), "t.json:3: column available"));
  EXPECT_TRUE(has(trace_refusal("gap_seconds,available\n600,1\n600,12 k\n"), "t.json:3: column available"));
  EXPECT_TRUE(has(trace_refusal("gap_seconds,available\n,1\n"), "t.json:2: column gap_seconds"));
  EXPECT_TRUE(has(trace_refusal("gap_seconds,available\n600,1\n300,1\n"), "t.json:3: column gap_seconds: every tick"));
  EXPECT_TRUE(has(trace_refusal("time,available\n0,1\n"), "at least two times"));
  EXPECT_TRUE(has(trace_refusal("time,available\n0,1\n0,1\n"), "t.json:3: column time: expected a time after"));
  EXPECT_TRUE(has(trace_refusal("time,available\n0,1\n60,1\n180,0\n"), "t.json:4: column time: every tick is as long"));
  EXPECT_TRUE(has(trace_refusal("time,available\n0,1\nnan,1\n"), "t.json:3: column time"));
}

TEST(TraceFile, BytesThatAreNoText) {
  EXPECT_TRUE(has(trace_refusal(std::string("{\"data\": [1, \0 2]}", 18)), "t.json:1")) << "a zero byte";
  EXPECT_TRUE(has(trace_refusal("{\x1b[2J}"), "t.json:1"));
}

TEST(TraceFile, Starts) {
  const auto starts = read_starts(
      "zone_device,index,start_tick,end_tick,gap_seconds\nzone-a,0,684,1238,600\nzone-b,1,0,9,600\n", "s.csv");
  ASSERT_TRUE(starts) << starts.error().message;
  ASSERT_EQ(starts->size(), 2U);
  EXPECT_EQ(starts->front().trace, "zone-a");
  EXPECT_EQ(starts->front().tick, 684);
  EXPECT_EQ(starts->front().gap, Seconds{600});
  EXPECT_EQ(starts->back().line, 3);
  const auto every = read_starts("start_tick\n5\n", "s.csv");
  ASSERT_TRUE(every);
  EXPECT_EQ(every->front().trace, "");
  EXPECT_EQ(every->front().gap, Seconds{}) << "not said";
}

TEST(TraceFile, StartsThatAreNone) {
  const auto words = [](std::string_view text) {
    const auto starts = read_starts(text, "s.csv");
    return starts ? "accepted" : std::to_string(starts.error().place.line) + ": " + starts.error().message;
  };
  EXPECT_TRUE(has(words("start_tick\n"), "1: has no rows"));
  EXPECT_TRUE(has(words("tick\n1\n"), "start_tick"));
  EXPECT_TRUE(has(words("start_tick\n-1\n"), "2: column start_tick"));
  EXPECT_TRUE(has(words("start_tick\n1.5\n"), "2: column start_tick"));
  EXPECT_TRUE(has(words("trace,start_tick\n,1\n"), "2: "));
}

}  // namespace
}  // namespace gpuplan
