#include "input/logs/book/run_end_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "input/log_fixture.h"

namespace gpuplan {
namespace {

/// What the reader makes of one line of a log.
const LogEvent* event_of(const RunLog& log) { return log.events.empty() ? nullptr : &log.events.front(); }

TEST(RunEnds, EveryExampleIsOfItsRow) {
  std::set<std::string> ids;
  EXPECT_GT(run_ends().size(), 80U);
  for (const RunEnd& end : run_ends()) {
    EXPECT_TRUE(ids.insert(end.id).second) << end.id;
    const RunLog log = read_text(end.example + "\n");
    const LogEvent* event = event_of(log);
    if (end.role != RunEnd::Role::kEnd) {
      EXPECT_TRUE(is_of(end.role, end.example)) << end.id;
      continue;
    }
    ASSERT_NE(event, nullptr) << end.id;
    EXPECT_EQ(log.events.size(), 1U) << end.id << ": one line is one event";
    EXPECT_EQ(event->kind, end.kind) << end.id;
    EXPECT_EQ(event->stopped, end.stopped) << end.id;
  }
}

TEST(RunEnds, WhereTheWordsStand) {
  const auto is_end = [](std::string_view line) { return !read_text(std::string(line) + "\n").events.empty(); };
  EXPECT_TRUE(is_end("Killed"));
  EXPECT_TRUE(is_end("  Terminated "));
  EXPECT_FALSE(is_end("Terminated at step 3"));
  EXPECT_FALSE(is_end("not Killed"));
  EXPECT_TRUE(is_end("*** STEP 1.0 ON n1 CANCELLED AT now ***"));
  EXPECT_TRUE(is_end("slurmstepd: error: *** STEP 17.0 ON n1 CANCELLED ***"));
  EXPECT_TRUE(is_end("slurmd[n1]: *** JOB 17 CANCELLED AT 2026-01-02T03:04:05 ***"));
  EXPECT_FALSE(is_end("order CANCELLED AT noon"));
  EXPECT_FALSE(is_end("*** STEP 3 of 4 ***"));
  EXPECT_TRUE(is_end("x.sh: line 2:  77 Terminated              python train.py"));
  EXPECT_FALSE(is_end("x.sh: line 2:  77 Terminated              nvidia-smi dmon"));
  // A line that begins with the name of an exception is what a traceback ends with.
  EXPECT_TRUE(is_end("ValueError: weights contain nan"));
  EXPECT_TRUE(is_end("[rank2]: safetensors_rust.SafetensorError: Error while serializing"));
  EXPECT_TRUE(is_end("[rank2]: my.own.Exception: no"));
  EXPECT_FALSE(is_end("x.py:12: UserWarning: ValueError: this is handled"));
  EXPECT_FALSE(is_end("Retrying after ConnectionError: no route"));
  EXPECT_FALSE(is_end("ConnectionError: no route, retrying in 5 s"));
  EXPECT_FALSE(is_end("Error: 3 samples left out"));
  EXPECT_FALSE(is_end("Mean Squared Error: 0.25"));
}

TEST(RunEnds, TablesAreChecked) {
  const std::string heads = "id,words,where,also,unless,kind,by,example,source,as_of,confidence\n";
  EXPECT_TRUE(read_run_ends(heads + "a,wordy,anywhere,,,error,b,c,d,2026-11,low\n", "x.csv"));
  for (const std::string row :
       {"a,abc,anywhere,,,error,b,c,d,2026-11,low\n", "a,wordy,somewhere,,,error,b,c,d,2026-11,low\n",
        "a,wordy,whole,,,trouble,b,c,d,2026-11,low\n", "a,wordy,names,,,error,b,c,d,2026-11,low\n",
        "a,wordy,whole,,,error,b,c,,2026-11,low\n"}) {
    const auto read = read_run_ends(heads + row, "x.csv");
    ASSERT_FALSE(read) << row;
    EXPECT_EQ(read.error().place.line, 2) << row;
  }
}

}  // namespace
}  // namespace gpuplan
