// What holds for logs of any format: pieces, packing, ranks, restarts, errors and the job's own metrics.
#include "input/logs/reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "../fuzz/log_text.h"
#include "input/log_fixture.h"

namespace gpuplan {
namespace {

using Texts = std::vector<std::string>;
using Formats = std::vector<LogFormat>;

std::string step(int number, double loss = 2.5, double milliseconds = 1000) {
  return "step " + std::to_string(number) + "/1000 (1.00%) | loss: " + std::to_string(loss) +
         " | lrm: 1.00 | dt: " + std::to_string(milliseconds) + "ms | tok/sec: 1,000 | mfu: 40.00 |\n";
}

std::string steps(int first, int last, double milliseconds = 1000) {
  std::string text;
  for (int i = first; i <= last; ++i) text += step(i, 10.0 / (i + 1), milliseconds);
  return text;
}

std::uint64_t count(const RunLog& log, LogEvent::Kind kind) { return log.event_counts[static_cast<std::size_t>(kind)]; }

TEST(LogReader, SaysTheSameWhateverThePieces) {
  for (const std::string name :
       {"nanochat.log", "torchtitan-ranks.log", "megatron.log", "trainer-output.log", "trainer-oom.log",
        "trainer_state.json", "jsonl.log", "lightning.csv", "wandb.csv", "nvidia-smi.csv", "nanochat.log.gz",
        "trainer.tfevents", "torchtitan-cut.tfevents", "nanochat-restarted.log", "utf16.log"}) {
    const std::string bytes = log_bytes(name);
    const std::string whole = log_text(read_text(bytes));
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 64u, 1000u, 4096u})
      ASSERT_EQ(log_text(read_text(bytes, {}, piece)), whole) << name << " in pieces of " << piece;
  }
}

// Fewer bytes than tell what a file is may come first, and all of them be white.
TEST(LogReader, ReadsADocumentBehindWhiteSpaceWhateverThePieces) {
  for (const std::string& white : {std::string(40, '\n'), std::string(40, ' '), std::string("\r\n\t \r\n \n\n \n")}) {
    const std::string bytes = white + log_bytes("trainer_state.json");
    const std::string whole = log_text(read_text(bytes));
    for (const std::size_t piece : {1u, 7u, 30u, 4096u})
      ASSERT_EQ(log_text(read_text(bytes, {}, piece)), whole) << white.size() << " in pieces of " << piece;
  }
}

TEST(LogReader, ReadsGzipOfSeveralMembersAsItsText) {
  const RunLog plain = read_log("nanochat.log");
  const RunLog packed = read_log("nanochat.log.gz");
  EXPECT_EQ(packed.loss.count(), plain.loss.count());
  EXPECT_EQ(packed.loss.last().line, plain.loss.last().line);
  EXPECT_EQ(packed.bytes, log_bytes("nanochat.log.gz").size());
  EXPECT_FALSE(packed.cut_off);
}

TEST(LogReader, ReadsGzipUpToWhereItIsCutOff) {
  const RunLog log = read_log("nanochat-cut.log.gz");
  EXPECT_GT(log.loss.count(), 20u);
  EXPECT_LT(log.loss.count(), 32u);
  EXPECT_TRUE(log.cut_off);
}

TEST(LogReader, RefusesGzipThatCanNotBeUnpacked) {
  Result<LogReader> reader = LogReader::make({});
  reader->feed(log_bytes("damaged.log.gz"));
  const Result<RunLog> log = reader->finish();
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().message, "damaged gzip file: it cannot be unpacked; is it complete?");
  EXPECT_FALSE(log.error().usage);
}

TEST(LogReader, RecognisesNothingInWhatIsNoLog) {
  EXPECT_EQ(read_log("utf16.log").formats, Formats{});
  EXPECT_EQ(read_text("").formats, Formats{});
  EXPECT_EQ(read_text("#!/bin/sh\necho step 1\nstep one two | loss: much\n").formats, Formats{});
  EXPECT_EQ(read_text(std::string(5000, '\0')).formats, Formats{});
  EXPECT_EQ(read_text(R"({"hidden_size": 4096, "learning_rate": 0.1, "layers": [1, 2]})").formats, Formats{});
  EXPECT_EQ(read_text("gpu,price\nH100,2.5\n").formats, Formats{});
  EXPECT_EQ(read_text("\x1f").formats, Formats{});
  EXPECT_EQ(read_text("\x1f").bytes, 1u);
}

TEST(LogReader, CountsSeveralFilesTogether) {
  Result<LogReader> reader = LogReader::make({});
  reader->feed(log_bytes("nanochat.log"));
  reader->next_file();
  reader->feed(log_bytes("nvidia-smi.csv"));
  reader->next_file();
  reader->feed(log_bytes("trainer.tfevents"));
  const Result<RunLog> log = reader->finish();
  ASSERT_TRUE(log);
  EXPECT_EQ(log->formats, (Formats{LogFormat::kTensorBoard, LogFormat::kNvidiaSmi, LogFormat::kNanochat}));
  EXPECT_EQ(log->lines, 57u + 41u);
  EXPECT_EQ(log->gpus.size(), 4u);
  // The same quantity told twice is taken from the first that told it.
  EXPECT_EQ(log->loss.count(), 32u);
  EXPECT_EQ(log->last_step, 32);
  EXPECT_EQ(log->grad_norm.count(), 20u);  // only the events have it
  EXPECT_EQ(count(*log, LogEvent::Kind::kRestart), 0u);
}

TEST(LogReader, TakesASecondFileOfTheSameRunForARestart) {
  Result<LogReader> reader = LogReader::make({});
  reader->feed(steps(1, 50, 2000));
  reader->next_file();
  reader->feed(steps(41, 60, 1000));
  const Result<RunLog> log = reader->finish();
  ASSERT_TRUE(log);
  EXPECT_EQ(log->loss.count(), 60u);
  EXPECT_EQ(log->step_seconds.count(), 20u);
  EXPECT_EQ(log->step_seconds.most(), 1);
  EXPECT_EQ(event_texts(*log), (Texts{"restart 1: went on from step 41 after step 50"}));
  EXPECT_EQ(log->events[0].file, 1u);
}

TEST(LogReader, SaysWhatItReadSoFar) {
  Result<LogReader> reader = LogReader::make({});
  reader->feed(step(1) + step(2).substr(0, 30));
  EXPECT_EQ(reader->log().loss.count(), 1u);
  EXPECT_EQ(reader->log().formats, Formats{LogFormat::kNanochat});
  reader->feed(step(2).substr(30));
  EXPECT_EQ(reader->log().loss.count(), 2u);
  EXPECT_EQ(reader->log().lines, 2u);
}

TEST(LogReader, ReadsOnAsIfItHadNotBeenAskedInBetween) {
  const std::string state = R"({"global_step": 3, "log_history": [{"loss": 2.5, "step": 1}], "max_steps": 100})"
                            "\n";
  const std::string rest = "Resumed\n{'loss': 2.25, 'grad_norm': nan, 'learning_rate': 0.0002, 'epoch': 0.01}\n";
  Result<LogReader> asked = LogReader::make({});
  asked->feed(state);
  EXPECT_EQ(asked->log().last_step, 3);
  asked->feed(rest);
  const Result<RunLog> log = asked->finish();
  ASSERT_TRUE(log);
  ASSERT_EQ(log->events.size(), 1u);
  EXPECT_EQ(log_text(*log), log_text(read_text(state + rest)));
}

TEST(LogReader, LeavesOutANumberThatTheLogBreaksOffIn) {
  const RunLog log = read_log("nanochat-cut.log");
  EXPECT_EQ(log.loss.count(), 13u);
  EXPECT_EQ(log.loss.last().value, 5.363331);
  EXPECT_TRUE(log.cut_off);
  const RunLog speed = read_text("tokens per iteration will be: 100\niter 1: loss 2.5, time 1000.00ms, mfu 4");
  EXPECT_EQ(speed.loss.count(), 1u);
  EXPECT_TRUE(speed.model_flops.empty());
  EXPECT_TRUE(speed.cut_off);
  const RunLog loss = read_text(step(1) + "step 2/1000 (1.00%) | loss: 1.");
  EXPECT_EQ(loss.loss.count(), 1u);
  EXPECT_TRUE(loss.cut_off);
  EXPECT_EQ(loss.lines, 2u);
  const RunLog whole = read_text("iter 1: loss 2.5, time 1000.00ms, mfu 40.00%");
  EXPECT_DOUBLE_EQ(whole.model_flops.last().value, 0.4 * 312e12);
  EXPECT_FALSE(whole.cut_off);
}

TEST(LogReader, CutsLinesOfAMebibyteAndReadsOn) {
  const std::string text = step(1) + std::string(3'000'000, 'x') + "\n" + step(2);
  for (const std::size_t piece : {std::size_t{1} << 18U, std::size_t{9'000'000}}) {
    const RunLog log = read_text(text, {}, piece);
    EXPECT_EQ(log.long_lines, 1u);
    EXPECT_EQ(log.lines, 3u);
    EXPECT_EQ(log.loss.count(), 2u);
    EXPECT_EQ(log.loss.last().line, 3u);
  }
}

TEST(LogReader, EndsLinesAtCarriageReturnsAndCountsLineFeeds) {
  const RunLog log = read_text("first\r\n" + step(1).substr(0, step(1).size() - 1) + "\r\nx\ry\r" + step(2));
  EXPECT_EQ(log.loss.count(), 2u);
  EXPECT_EQ(log.loss.first().line, 2u);
  EXPECT_EQ(log.loss.last().line, 3u);
  EXPECT_EQ(log.lines, 3u);
}

TEST(LogReader, SeesThroughPrefixes) {
  for (const std::string prefix :
       {"", "[rank0]:", "[rank0]: ", "[default0]:[rank0]:", "0: ", "2026-07-21 15:57:42,774 - root - INFO - ",
        "2026-07-21T15:57:42.774Z ", "[2026-07-21 15:57:42] ", "(EngineCore pid=77) ", "(head, rank=0, pid=1234) ",
        "\x1b[1;32m", "\x1b]0;title\a", "2026-07-21T15:57:42.774123+02:00 [rank0]: "}) {
    // A timestamp of a container log has a space behind it.
    const RunLog log = read_text(prefix + step(1));
    EXPECT_EQ(log.loss.count(), 1u) << prefix;
  }
}

TEST(LogReader, TakesOneRankAndTheMemoryOfAll) {
  const RunLog log =
      read_text("1: " + step(1, 9) + "0: " + step(1, 2) + "1: " + step(2, 9) + "0: " + step(2, 2) + "0: " + step(3, 2));
  EXPECT_EQ(log.loss.count(), 3u);
  EXPECT_EQ(log.loss.last().value, 2);
}

TEST(LogReader, KeepsTheLastSegmentOfARunForItsSpeed) {
  const RunLog log = read_log("nanochat-restarted.log");
  EXPECT_EQ(log.last_step, 35);
  // Steps 20 to 29 were done twice: their first values are left out.
  ASSERT_EQ(log.loss.count(), 36u);
  for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(log.loss.points()[i].step, static_cast<double>(i));
  ASSERT_EQ(log.step_seconds.count(), 16u);
  EXPECT_EQ(log.step_seconds.most(), 1);
  ASSERT_EQ(count(log, LogEvent::Kind::kRestart), 1u);  // said by Slurm, seen in the steps: once
  EXPECT_EQ(log.events[1].step, 20);
  EXPECT_EQ(log.events[1].line, 50u);
}

TEST(LogReader, NoticesARestartByItsSteps) {
  const RunLog log = read_text(steps(1, 100, 2000) + steps(81, 120, 1000));
  EXPECT_EQ(event_texts(log), (Texts{"restart 101: went on from step 81 after step 100"}));
  EXPECT_EQ(log.step_seconds.count(), 40u);
  EXPECT_EQ(log.loss.count(), 120u);
  const RunLog anew = read_text(steps(1, 100) + steps(1, 5, 500));
  EXPECT_EQ(anew.loss.count(), 5u);
  EXPECT_EQ(anew.last_step, 5);
  // Two lines are too few while the log grows, but not at its end.
  const RunLog shortly = read_text(steps(1, 100) + step(1, 9) + step(2, 9));
  EXPECT_EQ(shortly.last_step, 2);
  EXPECT_EQ(count(shortly, LogEvent::Kind::kRestart), 1u);
}

TEST(LogReader, CountsLossesThatAreNotFinite) {
  const RunLog log = read_log("nanochat-nan.log");
  EXPECT_EQ(log.loss.count(), 20u);
  EXPECT_TRUE(std::isnan(log.loss.last().value));
  EXPECT_EQ(log.loss.least(), 5.451666);
  EXPECT_EQ(count(log, LogEvent::Kind::kNotFinite), 8u);
  EXPECT_EQ(log.events[0].line, 31u);
  EXPECT_EQ(log.events[0].step, 12);
  EXPECT_EQ(log.events[0].text, "loss is nan");
  EXPECT_EQ(count(read_text("iter 3: loss inf, time 10.00ms, mfu 1.00%\n"), LogEvent::Kind::kNotFinite), 1u);
}

TEST(LogReader, TellsARunThatDivergedUnderAFilterOfLosses) {
  const RunLog log = read_text(
      "{'loss': 3.1, 'grad_norm': 1.1, 'learning_rate': 1e-4, 'epoch': 0.1}\n"
      "{'loss': 2.9, 'grad_norm': inf, 'learning_rate': 1e-4, 'epoch': 0.2}\n"
      "{'loss': 0.0, 'grad_norm': 0.1, 'learning_rate': 1e-4, 'epoch': 0.3}\n"
      "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1e-4, 'epoch': 0.4}\n");
  EXPECT_EQ(event_texts(log), (Texts{"nan 2: gradient norm is inf", "nan 4: loss is nan"}));
  EXPECT_EQ(log.lost_norms, 1u);
  EXPECT_EQ(log.loss.least(), 0);  // a loss of 0 by itself is one
  EXPECT_TRUE(std::isnan(log.loss.last().value));
  const RunLog state = read_text(
      R"({"log_history": [{"loss": 3.1, "grad_norm": 1.1, "step": 10},
                          {"grad_norm": NaN, "loss": 0.0, "step": 20}], "max_steps": 20})");
  EXPECT_EQ(event_texts(state), Texts{"nan 2: loss is nan"});
}

TEST(LogReader, TellsWhatWentWrong) {
  const RunLog log = read_log("trainer-oom.log");
  ASSERT_EQ(log.events.size(), 6u);
  EXPECT_EQ(log.events[0].kind, LogEvent::Kind::kOutOfMemory);
  EXPECT_TRUE(
      log.events[0].text.starts_with("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB."));
  EXPECT_EQ(log.events[0].line, 18u);
  EXPECT_EQ(count(log, LogEvent::Kind::kOutOfMemory), 1u);
  EXPECT_TRUE(
      log.events[1].text.ends_with("failed (exitcode: 1) local_rank: 0 (pid: 4712) of binary: /venv/bin/python"));
  EXPECT_EQ(log.events[3].text, "exitcode  : 1 (pid: 4712)");
  EXPECT_EQ(log.events[5].text,
            "slurmstepd: error: *** JOB 4711 ON gpu-3 CANCELLED AT 2026-07-24T03:13:00 DUE TO TIME LIMIT ***");
  EXPECT_FALSE(log.finished);
}

TEST(LogReader, TellsATracebackByItsException) {
  const RunLog log = read_text(
      "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"train.py\", line 3, in <module>\n" + step(7) +
      "[rank1]:     raise ValueError\n[rank1]: ValueError: no \x1b[31mdata\x07\nTraceback (most recent call last):\n"
      "  File \"x.py\"\n");
  EXPECT_EQ(event_texts(log), (Texts{"error 5: ValueError: no data?", "error 6: Traceback that breaks off"}));
  EXPECT_EQ(log.loss.count(), 1u);
}

TEST(LogReader, KnowsTheSentencesOfTrouble) {
  for (const std::string_view text :
       {"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2251, unhandled system error",
        "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12) ran for 600029 milliseconds",
        "./run.sh: line 12:  4711 Killed                  python train.py",
        "RuntimeError: CUDA error: an illegal memory access was encountered", "Segmentation fault (core dumped)",
        "Bus error (core dumped)", "Fatal Python error: Aborted", "Killed",
        "terminate called after throwing an instance of 'c10::DistBackendError'", "KeyboardInterrupt",
        "RuntimeError: DataLoader worker (pid 77) is killed by signal: Bus error. ",
        "[2025-08-01 07:19:37] Signal 15 (SIGTERM) received by PID 77",
        "srun: error: gpu-3: task 0: Exited with exit code 1", "OSError: [Errno 28] No space left on device"})
    EXPECT_EQ(count(read_text(std::string(text) + "\n"), LogEvent::Kind::kError), 1u) << text;
  for (const std::string_view text :
       {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.",
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`"})
    EXPECT_EQ(count(read_text(std::string(text) + "\n"), LogEvent::Kind::kOutOfMemory), 1u) << text;
  for (const std::string_view text : {"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT T DUE TO JOB REQUEUE ***",
                                      "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT T DUE TO PREEMPTION ***"})
    EXPECT_EQ(count(read_text(std::string(text) + "\n"), LogEvent::Kind::kRestart), 1u) << text;
}

TEST(LogReader, KeepsAHundredEventsOfAKindAndCountsAll) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "NCCL error " + std::to_string(i) + "\n";
  const RunLog log = read_text(text + "saving checkpoint to out\n");
  EXPECT_EQ(count(log, LogEvent::Kind::kError), 1000u);
  ASSERT_EQ(log.events.size(), 101u);
  EXPECT_EQ(log.events[98].text, "NCCL error 98");
  EXPECT_EQ(log.events[99].text, "NCCL error 999");  // what it ended with
  EXPECT_EQ(log.events[100].kind, LogEvent::Kind::kCheckpoint);
  const RunLog later = read_text(text + "saving checkpoint to out\nsrun: error: n1: task 0: Exited with exit code 1\n");
  ASSERT_EQ(later.events.size(), 101u);
  EXPECT_EQ(later.events[100].text, "srun: error: n1: task 0: Exited with exit code 1");
}

TEST(LogReader, ReadsTheJobsOwnMetrics) {
  const std::vector<LogMetric> metrics = {{"step_0", "step_0: ([0-9.]+)"},
                                          {"step_3", "step_3: ([0-9.]+)"},
                                          {"loss", R"((?i)LOSS: (\S+))"},
                                          {"none", "(nothing)"}};
  const RunLog log = read_log("metrics.log", metrics);
  ASSERT_EQ(log.metrics.size(), 4u);
  EXPECT_EQ(log.metrics[0].first, "step_0");
  ASSERT_EQ(log.metrics[0].second.count(), 1u);
  EXPECT_EQ(log.metrics[0].second.last().value, 0.85);
  EXPECT_EQ(log.metrics[0].second.last().step, 4);
  EXPECT_EQ(log.metrics[0].second.last().line, 25u);
  EXPECT_EQ(log.metrics[1].second.last().value, 0.68);
  EXPECT_EQ(log.metrics[2].second.count(), 5u);
  EXPECT_EQ(log.metrics[2].second.last().step, 4);
  EXPECT_TRUE(log.metrics[3].second.empty());
}

TEST(LogReader, SaysWhatAMetricFoundInsteadOfANumber) {
  const std::vector<LogMetric> metrics = {{"score", "score: (\\S+)"}, {"other", "other: (\\S+)"}};
  const RunLog log = read_text("score: none\nscore: n/a\n", metrics);
  ASSERT_EQ(log.no_numbers.size(), 1u);
  EXPECT_EQ(log.no_numbers[0], std::pair(std::string("score"), std::string("none")));
}

TEST(LogReader, RefusesPatternsThatTakeHours) {
  for (const char* pattern : {"(.*){1000}", "(.{1000})", "loss(.{0,30}){30}"}) {
    const auto reader = LogReader::make({{"m", pattern}});
    ASSERT_FALSE(reader) << pattern;
    EXPECT_NE(reader.error().message.find("the pattern is too large"), std::string::npos) << reader.error().message;
  }
  EXPECT_TRUE(LogReader::make({{"m", "\\pL+ (?:.*\\|){5} ([0-9.]+)"}}));
}

TEST(LogReader, DropsWhatOtherRanksToldBeforeRankZero) {
  std::string text;
  for (int i = 1; i <= 50; i += 10)
    for (const int rank : {1, 2, 0, 3}) {
      const std::string prefix = "[rank" + std::to_string(rank) + "]:";
      text += prefix + "step: " + std::to_string(i) + "  loss: " + std::to_string(10 + rank) +
              "  memory: " + std::to_string(50 + rank) + ".00GiB(70.00%)  tps: 1,000  mfu: 40.00%\n" + prefix +
              "score " + std::to_string(rank) + "\n";
    }
  const RunLog log = read_text(text, {{"score", "score ([0-9]+)"}});
  EXPECT_EQ(log.loss.count(), 5u);
  EXPECT_EQ(log.loss.first().value, 10);
  EXPECT_EQ(log.loss.most(), 10);
  EXPECT_EQ(log.last_step, 41);
  EXPECT_EQ(count(log, LogEvent::Kind::kRestart), 0u);
  EXPECT_EQ(log.metrics[0].second.count(), 5u);
  EXPECT_EQ(log.metrics[0].second.most(), 0);
  EXPECT_EQ(peak(log, LoggedMemory::kReserved), 53 * units::GiB);
  // What another rank told before rank 0 said anything of those steps is all there is.
  const RunLog late = read_text("[rank1]:step: 1  loss: 9.0\n[rank1]:step: 2  loss: 8.0\n[rank0]:step: 3  loss: 7.0\n");
  EXPECT_EQ(late.loss.count(), 3u);
}

TEST(LogReader, TakesPercentAndSeparatorsInMetrics) {
  const RunLog log =
      read_text("refined 18.5% of 1,234 things\nrefined 20% of 7,000\n",
                {{"outside", "refined ([0-9.]+)%"}, {"inside", "refined ([0-9.]+%)"}, {"things", "of ([0-9,]+)"}});
  EXPECT_DOUBLE_EQ(log.metrics[0].second.first().value, 0.185);
  EXPECT_DOUBLE_EQ(log.metrics[1].second.last().value, 0.2);
  EXPECT_EQ(log.metrics[2].second.first().value, 1234);
  EXPECT_EQ(log.metrics[2].second.last().value, 7000);
}

TEST(LogReader, TakesANumberBeforeALineForARankOnlyWhereEveryLineHasOne) {
  const std::vector<LogMetric> metrics = {{"of_three", "^3: score ([0-9.]+)"}, {"score", "score ([0-9.]+)"}};
  const RunLog listed = read_text("Scores:\n1: score 0.5\n3: score 0.75\n", metrics);
  EXPECT_EQ(listed.metrics[0].second.last().value, 0.75);
  EXPECT_EQ(listed.metrics[1].second.count(), 2u);
  const RunLog ranks = read_text("1: score 0.5\n0: score 0.75\n1: score 0.5\n", metrics);
  EXPECT_EQ(ranks.metrics[1].second.count(), 1u);  // that of rank 0
  EXPECT_EQ(ranks.metrics[1].second.last().value, 0.75);
}

TEST(LogReader, RefusesMetricsThatAreNone) {
  const auto message = [](std::string_view pattern) {
    const auto reader = LogReader::make({{"x", std::string(pattern)}});
    return reader ? std::string("accepted") : reader.error().message;
  };
  EXPECT_EQ(message("loss: ["), "metric 'x': not a regular expression (RE2): missing ]: [");
  EXPECT_EQ(message("loss: [0-9]+"),
            "metric 'x': the pattern has no group; put parentheses around the number, as in 'loss: ([0-9.]+)'");
  EXPECT_EQ(message("(((a{100}){100}){100})"),
            "metric 'x': not a regular expression (RE2): invalid repetition size: {100}");
  EXPECT_EQ(message(std::string(5000, 'a')), "metric 'x': a pattern has at most 4,096 characters");
  EXPECT_EQ(message("(a)"), "accepted");
}

}  // namespace
}  // namespace gpuplan
