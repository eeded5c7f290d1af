// Runs that were ended from outside never pass `gpuplan check`, however complete their logs look: every row of
// data/run_ends.csv, and Slurm's own last lines, behind complete logs of several programs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "cli/fake_system.h"
#include "cli/io/exit_code.h"
#include "input/text/csv.h"

namespace gpuplan::cli {
namespace {

constexpr const char* kEndedJob =
    "job: ends\n"
    "market: {use: only, own: [{name: box, gpu: H100 SXM, gpus: 1}]}\n"
    "phases:\n"
    "  - name: train\n"
    "    train: {model: {layers: 12, hidden: 768, heads: 12, vocab: 50304}, data: {samples: 6400, tokens_per_sample: "
    "1024},\n"
    "            sequence: 1024, batch: {sequences: 64}, steps: 100}\n"
    "    succeed_when: [loss < 9]\n";
constexpr int kSteps = 100;
using namespace std::string_literals;

double loss_of(int step) { return 8 * std::pow(0.98, step) + 2; }

template <class... Values>
std::string line_of(const char* format, Values... values) {
  char line[300];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

std::string nanogpt() {
  std::string text = "tokens per iteration will be: 65,536\n";
  for (int step = 0; step <= kSteps; ++step)
    text += line_of("iter %d: loss %.4f, time 300.00ms, mfu 30.00%%\n", step, loss_of(step));
  return text;
}

std::string torchtitan() {
  std::string text;
  for (int step = 1; step <= kSteps; ++step)
    text += line_of(
        "[titan] 2026-02-24 19:%02d:%02d,508 - root - INFO - step: %2d  loss: %8.5f  grad_norm:  2.6250  memory: "
        "26.91GiB(37.51%%)  tps: 210,050  tflops: 314.71  mfu: 33.99%%\n",
        step / 60, step % 60, step, loss_of(step));
  return text + "[titan] 2026-02-24 19:50:40,000 - root - INFO - Training completed\n";
}

std::string megatron() {
  std::string text;
  for (int step = 1; step <= kSteps; ++step)
    text += line_of(
        " [2026-02-24 19:%02d:%02d] iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): "
        "300.0 "
        "| learning rate: 1.0E-04 | global batch size:    64 | lm loss: %.6E | loss scale: 1.0 | grad norm: 1.000 |\n",
        step / 60, step % 60, step, kSteps, 64 * step, loss_of(step));
  return text + "[after training is done] datetime: 2026-02-24 20:20:20 \n";
}

std::string trainer() {
  std::string text = "***** Running training *****\n  Total optimization steps = 100\n";
  for (int step = 1; step <= kSteps; ++step)
    text += line_of("{'loss': %.4f, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': %.2f}\n", loss_of(step),
                    step / 100.0);
  return text +
         "{'train_runtime': 30.0, 'train_samples_per_second': 213.0, 'train_steps_per_second': 3.3, 'train_loss': 3.3, "
         "'epoch': 1.0}\n";
}

std::vector<std::string> complete_logs() { return {nanogpt(), torchtitan(), megatron(), trainer()}; }

/// What Slurm writes last (src/slurmd/slurmstepd/req.c, src/srun, src/salloc).
std::vector<std::string> slurms_lines() {
  std::vector<std::string> lines = {
      "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
      "srun: Force Terminated StepId=17.0",
      "srun: forcing job termination",
      "srun: First task exited 60s ago",
      "srun: error: Node failure on n1",
      "srun: error: n1: task 0: Killed",
      "srun: error: n1: tasks 0-7: Terminated",
      "srun: error: n1: task 3: Out Of Memory",
      "srun: error: n1: task 0: Exited with exit code 1",
      "salloc: Job allocation 17 has been revoked.",
      "slurmstepd: error: *** JOB 17 STEPD TERMINATED ON n1 AT 2026-01-02T03:04:05 DUE TO JOB NOT ENDING WITH SIGNALS "
      "***",
      "slurmstepd: error: Detected 1 oom_kill event in StepId=17.0. Some of the step tasks have been OOM Killed.",
      "slurmstepd: error: Detected 3 oom_kill events in StepId=17.batch. Some of the step tasks have been OOM Killed."};
  for (const char* entity : {"STEP 17.0", "JOB 17", "STEP 17.batch", "STEP 17.interactive", "STEP 17_3.0"})
    for (const char* why :
         {"", " DUE TO TIME LIMIT", " DUE TO PREEMPTION", " DUE TO JOB REQUEUE", " DUE TO TASK FAILURE",
          " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS", " DUE to SIGNAL Terminated"})
      lines.push_back("slurmstepd: error: *** " + std::string(entity) + " ON n1 CANCELLED AT 2026-01-02T03:04:05" +
                      why + " ***");
  return lines;
}

struct EndedRuns : testing::Test {
  EndedRuns() { system.files["/here/job.yaml"] = kEndedJob; }
  /// The exit code for these files together.
  int check(const std::string& text, const std::string& more = "") {
    system.files["/here/run.log"] = text;
    system.files["/here/more.log"] = more;
    std::vector<std::string> words = {"check", "run.log", "--job", "job.yaml"};
    if (!more.empty()) words.insert(words.begin() + 2, "more.log");
    return system.run(words);
  }
  FakeSystem system;
};

TEST_F(EndedRuns, TheLogsPassWithoutSuchAnEnd) {
  for (const std::string& log : complete_logs()) {
    EXPECT_EQ(check(log), kDone) << system.out << system.err;
    EXPECT_EQ(check(log, "srun: job 17 queued and waiting for resources\nslurmstepd: info: epilog\n"), kDone)
        << system.out;
  }
}

TEST_F(EndedRuns, SlurmsLastLines) {
  for (const std::string& log : complete_logs())
    for (const std::string& line : slurms_lines()) {
      EXPECT_EQ(check(log + line + "\n"), kCheckFailed) << line << system.out << system.err;
      const std::size_t said = std::min(
          {system.out.find("it ended"), system.out.find("it ran out of memory"), system.out.find("it was stopped")});
      ASSERT_NE(said, std::string::npos) << line << system.out;
      EXPECT_NE(system.out.find(" line", said), std::string::npos) << line << system.out;
    }
}

TEST_F(EndedRuns, CutOffOrInAFileOfItsOwn) {
  for (const std::string& line : slurms_lines()) {
    EXPECT_EQ(check(nanogpt() + line), kCheckFailed) << line;
    EXPECT_EQ(check(nanogpt(), line + "\n"), kCheckFailed) << line;
  }
}

/// How a line comes to look in a log.
TEST_F(EndedRuns, Prefixes) {
  for (const char* prefix :
       {"", "0: ", "[rank0]: ", "[2026-01-02 03:04:05] ", "2026-01-02 03:04:05,123 - root - ERROR - ", "\x1b[31m"})
    for (const char* line :
         {"srun: forcing job termination", "srun: error: n1: task 0: Killed",
          "slurmstepd: error: *** STEP 17.0 ON n1 CANCELLED AT 2026-01-02T03:04:05 ***",
          "slurmstepd: error: *** JOB 17 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT ***"})
      EXPECT_EQ(check(torchtitan() + prefix + line + "\n"), kCheckFailed) << prefix << line;
}

TEST_F(EndedRuns, EveryRow) {
  const std::string text = system.lay("data/run_ends.csv");
  const auto table = CsvTable::parse(text, "run_ends.csv");
  ASSERT_TRUE(table);
  ASSERT_GT(table->rows(), 80U);
  const auto example_at = table->find("example"), kind_at = table->find("kind");
  ASSERT_TRUE(example_at && kind_at);
  for (std::size_t row = 0; row < table->rows(); ++row) {
    const std::string example(table->cell(row, *example_at));
    const std::string_view kind = table->cell(row, *kind_at);
    if (kind == "ignored" || kind == "thread" || kind == "closing" || kind == "frame") continue;  // Tracebacks
    EXPECT_EQ(check(megatron() + example + "\n"), kCheckFailed) << example << system.out << system.err;
    if (table->cell(row, *kind_at) == "out of memory") continue;  // is told in other words
    const std::string last = std::string(trim(example));
    EXPECT_TRUE(has(system.out, last.substr(last.rfind(' ') + 1, 20))) << example << system.out;
  }
}

constexpr const char* kFrames = "Traceback (most recent call last):\n  File \"/x/a.py\", line 3, in f\n    g()\n";

/// Python goes on after an exception at its shutdown, whatever it is; a thread of its own may end as it likes then.
TEST_F(EndedRuns, TracebacksAfterWhichPythonGoesOn) {
  const std::string frames = kFrames;
  for (const std::string& log : complete_logs())
    for (const std::string& noise :
         {"Exception ignored in: <function _ConnectionBase.__del__ at 0x7f3a>\n" + frames +
              "OSError: [Errno 9] Bad file descriptor\n",
          "Exception ignored in: <function DeepSpeedEngine.__del__ at 0x7f3a>\n" + frames +
              "AttributeError: 'NoneType' object has no attribute 'destroy'\n",
          "Exception ignored in atexit callback: <function shutdown at 0x7f3a>\n" + frames + "RuntimeError: no\n",
          "Exception ignored while calling deallocator <function f at 0x7f3a>:\n" + frames + "ValueError: no\n",
          std::string("Exception ignored in: <generator object f at 0x7f3a>\nRuntimeError: generator ignored "
                      "GeneratorExit\n"),
          "Error in atexit._run_exitfuncs:\n" + frames + "OSError: no\n",
          "--- Logging error ---\n" + frames + "ValueError: I/O operation on closed file.\nCall stack:\n  File \"x\"\n",
          "Exception ignored in: <f>\n" + frames +
              "KeyError: 1\n\nDuring handling of the above exception, another "
              "exception occurred:\n\n" +
              frames + "ValueError: 2\n",
          "Exception ignored in: <f>\nException ignored in: <f>\n" + frames + "KeyError: 1\n" + frames +
              "KeyError: 1\n",
          "100%|##########| 100/100 [00:30<00:00,  3.33it/s]Exception ignored in: <f>\n" + frames + "KeyError: 1\n",
          "Exception in thread QueueFeederThread:\n" + frames + "BrokenPipeError: [Errno 32] Broken pipe\n",
          "Exception in thread Thread-3 (run):\n" + frames +
              "RuntimeError: cannot schedule new futures after interpreter shutdown\n",
          std::string("Exception in thread NetStatThr:\nTraceback (most recent call last):\n  File "
                      "\"/lib/site-packages/wandb/sdk/wandb_run.py\", line 3, in f\nAssertionError: no\n"),
          "Task exception was never retrieved\nfuture: <Task finished name='Task-1'>\n" + frames +
              "RuntimeError: Event loop is closed\n",
          std::string("Traceback (most recent call last):\n  File \"/lib/multiprocessing/resource_tracker.py\", line "
                      "239, in main\n    cache[rtype].remove(name)\nKeyError: '/mp-x'\n"),
          std::string("Traceback (most recent call last):\n  File \"/lib/multiprocessing/util.py\", line 303, in "
                      "_run_finalizers\n    finalizer()\nOSError: [Errno 39] Directory not empty: 'pymp-x'\n")}) {
      EXPECT_EQ(check(log + noise), kDone) << noise << system.out << system.err;
      // A true error behind it, or before it, is found.
      EXPECT_EQ(check(log + noise + frames + "ValueError: weights contain nan\n"), kCheckFailed) << noise << system.out;
      EXPECT_TRUE(has(system.out, "weights contain nan")) << noise << system.out;
      if (has(noise, "%|")) continue;  // a bar is work: the run went on
      EXPECT_EQ(check(log + frames + "ValueError: weights contain nan\n" + noise), kCheckFailed) << noise << system.out;
    }
}

TEST_F(EndedRuns, TracebacksThatEndIt) {
  const std::string frames = kFrames;
  for (const std::string& log : complete_logs())
    for (const std::string& end :
         {frames + "BrokenPipeError: [Errno 32] Broken pipe\n",
          "Exception in thread Thread-7 (save):\n" + frames + "OSError: [Errno 28] No space left on device\n",
          "Exception in thread Thread-7 (save):\n" + frames + "RuntimeError: CUDA error: an illegal memory access\n",
          "100%|##########| 100/100 [00:30<00:00,  3.33it/s]" + frames + "ValueError: weights contain nan\n",
          "\u256d\u2500\u2500 Traceback (most recent call last) \u2500\u2500\u256e\n\u2502 x.py:3 in f \u2502\n"
          "\u2570\u2500\u2500\u256f\nValueError: weights contain nan\n"s,
          "[rank2]: ValueError: weights contain nan\n"s, "AssertionError\n"s, frames})
      EXPECT_EQ(check(log + end), kCheckFailed) << end << system.out << system.err;
}

TEST_F(EndedRuns, ARunThatWentOnHasGotOverIt) {
  for (const std::string& log : {torchtitan(), nanogpt(), megatron()}) {
    std::size_t middle = 0;
    for (int line = 0; line < 40; ++line) middle = log.find('\n', middle) + 1;
    for (const std::string& line : slurms_lines()) {
      if (!has(line, "STEP 17.0 ") && !has(line, "JOB 17 ON")) continue;
      EXPECT_EQ(check(log.substr(0, middle) + line + "\n" + log.substr(middle)), kDone) << line << system.out;
    }
  }
}

TEST_F(EndedRuns, WhatOnlyLooksLikeIt) {
  for (const char* line :
       {"The job was not cancelled.",
        "loss spikes were terminated early by clipping",
        "Killed two birds",
        "./run.sh: line 9:  4712 Terminated              nvidia-smi dmon -s u",
        "./run.sh: line 9:  4712 Terminated              sleep infinity",
        "srun: job 17 has been allocated resources",
        "CANCELLED orders: 3",
        "node failure rate: 0",
        "x.py:3: UserWarning: the next call may raise an OSError: it is caught",
        "n1:77:78 [0] NCCL WARN Call to ibv_create_qp failed with error Cannot allocate memory",
        "[rank0]:[W1126 10:00:00.1 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT "
        "been destroyed before we destruct ProcessGroupNCCL.",
        "[rank1]:[W1126 10:00:00.1 TCPStore.cpp:122] [c10d] recvValue failed on SocketImpl(fd=77): "
        "failed to recv, got 0 bytes",
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (0x7f in libc10.so)",
        "[rank1]:[W1126 10:00:00.1 ProcessGroupNCCL.cpp:1662] [PG ID 0 Rank 1] Failed to check the "
        "\"should dump\" flag on TCPStore, (maybe TCPStore server has shut down too early), with "
        "error: Broken pipe",
        "[W CudaIPCTypes.cpp:15] Producer process has been terminated before all shared CUDA tensors "
        "released.",
        "wandb: WARNING A graphql request initiated by the public wandb API timed out (timeout=19 sec).",
        "wandb: Network error (ConnectionError), entering retry loop.",
        "wandb: ERROR Failed to sync 1 file; it stays in ./wandb",
        "make: *** [Makefile:9: clean] Error 1 (ignored)",
        "make: 'train' is up to date.",
        "[2026-01-02 03:04:05,123] [INFO] [launch.py:351:main] Process 4711 exits successfully.",
        "train-1 exited with code 0",
        "srun: task 0: Exited with exit code 0",
        "srun: error: ioctl(TIOCGWINSZ): Inappropriate ioctl for device",
        "/usr/lib/python3.11/multiprocessing/resource_tracker.py:224: UserWarning: resource_tracker: "
        "There appear to be 1 leaked semaphore objects to clean up at shutdown",
        "E0000 00:00:1 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register",
        "huggingface/tokenizers: The current process just got forked, after parallelism has already",
        "dynamic_rendezvous.py:1255] The node 'n1_77_0' has failed to shutdown the rendezvous 'x' due "
        "to an error of type RendezvousConnectionError.",
        "Some weights were not initialized: ['ValueError']",
        "python : x.py:3: UserWarning: y",
        "    + FullyQualifiedErrorId : NativeCommandError",
        "Job 'raysubmit_8hzKjTgZ' succeeded",
        "##[group]Process completed with exit code 0."})
    EXPECT_EQ(check(megatron() + line + "\n"), kDone) << line << system.out;
}

}  // namespace
}  // namespace gpuplan::cli
