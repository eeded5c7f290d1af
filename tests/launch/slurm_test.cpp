#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "launch/launched.h"
#include "launch/script/phase_script.h"
#include "launch/to/launchers.h"
#include "launch/to/slurm_resources.h"

namespace gpuplan {
namespace {

const LaunchFile* file(const LaunchSet& set, std::string_view path) {
  const auto found = std::ranges::find(set.files, path, &LaunchFile::path);
  return found == set.files.end() ? nullptr : &*found;
}

std::string text(const Launched& launched, std::string_view path) {
  const auto set = slurm_launcher(*launched.launch);
  if (!set) return "error: " + set.error().message;
  const LaunchFile* found = file(*set, path);
  return found == nullptr ? "" : found->text;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

/// A job of one phase on a pool of four GPUs; `pool` and `more` are further keys.
std::string pool_job(const std::string& pool, const std::string& more = "") {
  return "job: of a pool\nmarket: {use: only, pools: [{name: lab, gpu: H100 SXM, gpus: 4" + pool +
         "}]}\n"
         "where: {counts: [2]}\n"
         "phases:\n"
         "  - name: train\n"
         "    train: {model: Qwen/Qwen2.5-7B, data: {samples: 2000}, sequence: 1024, batch: {sequences: 8}, "
         "parallel: {dp: 2}}\n" +
         more;
}

TEST(Slurm, TimesAreDaysHoursMinutes) {
  EXPECT_EQ(slurm_time(11 * units::minute), "00:11:00");
  EXPECT_EQ(slurm_time(445 * units::minute), "07:25:00");
  EXPECT_EQ(slurm_time(24 * units::hour), "1-00:00:00");
  EXPECT_EQ(slurm_time(36 * units::hour + units::minute), "1-12:01:00");
}

TEST(Slurm, APoolIsAskedForWhatThePhaseNeeds) {
  const Launched launched(job_of(pool_job(", partition: gpu, account: a-1, qos: high, max_time: 2 d")));
  const std::string job = text(launched, "slurm/01-train.sbatch");
  EXPECT_TRUE(job.starts_with("#!/bin/bash\n")) << job;
  for (const char* line :
       {"#SBATCH --job-name=of-a-pool-01-train", "#SBATCH --partition=gpu", "#SBATCH --account=a-1",
        "#SBATCH --qos=high", "#SBATCH --nodes=1", "#SBATCH --ntasks-per-node=1", "#SBATCH --gpus-per-node=h100:2",
        "#SBATCH --cpus-per-task=24", "#SBATCH --requeue", "#SBATCH --open-mode=append", "#SBATCH --output=%x-%j.out",
        "slug='01-train'", "nodes=1", "gpus=2"})
    EXPECT_TRUE(has_line(job, line)) << line << "\n" << job;
  // Others use the machine too, so no more than is needed, and one of the two forms for GPUs.
  EXPECT_EQ(job.find("--exclusive"), std::string::npos);
  EXPECT_EQ(job.find("--gres"), std::string::npos);
}

TEST(Slurm, MemoryIsWhatTheModelSaysAndAQuarter) {
  const Launched launched(job_of(pool_job("")));
  const LaunchPhase& phase = launched.launch->phases.at(0);
  const auto ask = slurm_resources(*launched.launch, phase);
  ASSERT_TRUE(ask) << ask.error().message;
  const Bytes need = phase.part->estimate->host_memory;
  ASSERT_GT(need, Bytes{});
  ASSERT_TRUE(ask->memory);
  EXPECT_GE(*ask->memory, need * 1.25);
  EXPECT_LT(*ask->memory, std::max(need * 1.25, 32 * units::GiB) + units::GiB);
}

TEST(Slurm, EachProcessGetsRoomForItsLibrariesWithinItsShareOfTheMachine) {
  const double each = known().practice_constants.process_memory;
  for (const double ram : {0.0, 48.0, 64.0, 256.0, 1024.0}) {
    const std::string said = ram > 0 ? ", ram: " + std::to_string(ram) + " GiB" : "";
    const Launched launched(job_of(pool_job(said)));
    const LaunchPhase& phase = launched.launch->phases.at(0);
    const auto ask = slurm_resources(*launched.launch, phase);
    ASSERT_TRUE(ask) << ask.error().message;
    const int all = ask->offer->gpus;
    const double share = ram > 0 ? ram * phase.gpus / all : 1e9;
    const double need = phase.part->estimate->host_memory * 1.25 / units::GiB;
    EXPECT_GE(*ask->memory / units::GiB, std::min(each * phase.gpus, share) - 1e-6) << ram;
    EXPECT_LT(*ask->memory / units::GiB, std::max(need, std::min(each * phase.gpus, share)) + 1) << ram;
    EXPECT_EQ(ask->memory_least, need < std::min(each * phase.gpus, share)) << ram;
  }
}

TEST(Slurm, TheSignalComesBeforeTheEndByAStepACheckpointAndAMinuteAndAHalf) {
  const Launched launched(job_of(pool_job("")));
  const LaunchPhase& phase = launched.launch->phases.at(0);
  const auto ask = slurm_resources(*launched.launch, phase);
  ASSERT_TRUE(ask);
  const Seconds writing = phase.part->estimate->checkpoint_bytes / phase.part->estimate->checkpoint_rate;
  EXPECT_GT(writing, Seconds{});
  const Seconds step = phase.part->seconds_per_step.p90;
  EXPECT_GT(step, Seconds{});
  EXPECT_GE(ask->lead, (writing + step + 90 * units::second).value);
  EXPECT_LT(ask->lead, (writing + step + 101 * units::second).value);
  EXPECT_GE(ask->time, 5 * (writing + step + 90 * units::second));
  EXPECT_GE(ask->time, phase.limit);
  EXPECT_EQ(ask->runs, 1);
}

TEST(Slurm, ALimitOfThePoolCutsThePhaseIntoJobs) {
  Job job = job_of(pool_job(", max_time: 90 min", "    given: [{time: 3 h}]\n"));
  const Launched launched(std::move(job));
  const auto ask = slurm_resources(*launched.launch, launched.launch->phases.at(0));
  ASSERT_TRUE(ask) << ask.error().message;
  EXPECT_EQ(ask->time, 90 * units::minute);
  EXPECT_GE(ask->runs, 3);
  const auto set = slurm_launcher(*launched.launch);
  ASSERT_TRUE(set);
  EXPECT_TRUE(has_line(file(*set, "slurm/01-train.sbatch")->text, "#SBATCH --time=01:30:00"));
  EXPECT_TRUE(std::ranges::any_of(
      set->notes, [](const std::string& note) { return note.find("jobs of 1.5 h in a row") != std::string::npos; }));
}

TEST(Slurm, ALimitWithoutRoomForACheckpointIsRefused) {
  Launched launched(job_of(pool_job("")));
  // Shorter than five times what a checkpoint takes with the signal before it.
  launched.searched.market.at(0).max_time = 5 * units::minute;
  const auto ask = slurm_resources(*launched.launch, launched.launch->phases.at(0));
  ASSERT_FALSE(ask);
  EXPECT_TRUE(ask.error().message.starts_with("phases.train: lab stops a job after 5 min, and writing a checkpoint"))
      << ask.error().message;
  EXPECT_NE(ask.error().message.find("expected max_time of at least"), std::string::npos);
}

TEST(Slurm, NamesThatSlurmWouldReadAsOptionsAreRefused) {
  for (const char* name :
       {"gpu --wrap=id", "gpu\\n#SBATCH --wrap=id", "-x", "a\\\"b", "$(id)", "a b", "a;b", "\\u00e9"}) {
    const Launched launched(job_of(pool_job(std::string(", partition: \"") + name + "\"")));
    const auto set = slurm_launcher(*launched.launch);
    ASSERT_FALSE(set) << name;
    EXPECT_TRUE(set.error().message.starts_with("market.pools: the partition \"")) << set.error().message;
    EXPECT_EQ(set.error().message.find('\n'), std::string::npos);
  }
}

TEST(Slurm, RentedMachinesAreTakenWhole) {
  const Launched launched(example_job("pretrain-7b-2-nodes"));
  const std::string job = text(launched, "slurm/01-pretrain.sbatch");
  for (const char* line : {"#SBATCH --nodes=2", "#SBATCH --gpus-per-node=h100:8", "#SBATCH --exclusive",
                           "#SBATCH --mem=0", "nodes=2", "gpus=8"})
    EXPECT_TRUE(has_line(job, line)) << line << "\n" << job;
  EXPECT_EQ(job.find("--partition"), std::string::npos);
}

TEST(Slurm, PhasesAreHandedInWithWhatTheyWaitFor) {
  // 01-data and 07-documentation are on one's own machine, and nobody says what runs there.
  const std::string submit = text(Launched(example_job("sft-node")), "slurm/submit.sh");
  for (const char* line :
       {"job '02-sft' '02-sft starts after you run 01-data'", "job '04-verify-generate' '' '02-sft' '03-extensions'",
        "job '05-verify-run' '' '04-verify-generate'", "later '01-data'", "later '07-documentation' '06-metrics'"})
    EXPECT_TRUE(has_line(submit, line)) << line;
  // Here a command does: it runs before anything is handed in.
  const std::string commands = text(Launched(example_job("neurlang")), "slurm/submit.sh");
  EXPECT_TRUE(has_line(commands, "here '01-datagen'\njob '02-train' ''\nlater '03-export' '02-train'\nfinish"))
      << commands.substr(commands.size() - 300);
}

TEST(Slurm, AStepByHandHoldsTheJobAndStaysText) {
  const Launched launched(
      job_of(pool_job("", "    before: {note: \"it's $(touch x); `id` \\n scancel\", time: 5 min}\n")));
  const std::string submit = text(launched, "slurm/submit.sh");
  EXPECT_TRUE(has_line(submit, "job '01-train' 'it'\\''s $(touch x); `id` ? scancel: touch runs/01-train/prepared'"))
      << submit.substr(submit.size() - 300);
}

TEST(Slurm, OnePhaseIsOneScript) {
  const auto slurm = std::ranges::find(launchers(), "slurm", &Launcher::name);
  Launched launched(example_job("pretrain-7b-2-nodes"));
  Launch& launch = *launched.launch;
  EXPECT_EQ(one_script_name(*slurm, launch), "pretrain_2x8xH100_SXM.sh");
  EXPECT_EQ(one_script_name(launchers().front(), launch), "") << "bash starts one machine";
  launch.one_script = one_script_name(*slurm, launch);
  const auto set = slurm_launcher(launch);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_TRUE(set->files.empty());
  const auto files = phase_files(launch, launch.phases.front(), set->frame);
  ASSERT_TRUE(files) << files.error().message;
  const std::string& script = files->front().text;
  EXPECT_EQ(files->front().path, launch.one_script);
  // sbatch reads no option below the first command.
  const std::size_t command = script.find("\nset -uo pipefail");
  ASSERT_NE(command, std::string::npos);
  EXPECT_LT(script.rfind("\n#SBATCH "), command);
  std::size_t at = 0;
  for (const char* part : {"#SBATCH --nodes=2", "# time ", "# memory ", "# Expected, ", "# ---- setup", "# ---- run",
                           "# ---- check", "# ---- next"}) {
    const std::size_t found = script.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " is not there, or not in its place";
    at = found;
  }
  EXPECT_TRUE(std::ranges::count(set->next, "sbatch pretrain_2x8xH100_SXM.sh  # hand it in") == 1);
  const Launched several(example_job("sft-node"));
  EXPECT_EQ(one_script_name(*slurm, *several.launch), "");
}

TEST(Slurm, EveryExampleHasAJobForEachPhaseOnMachines) {
  for (const char* name : kExamples) {
    const Launched launched(example_job(name));
    const auto set = slurm_launcher(*launched.launch);
    ASSERT_TRUE(set) << name << ": " << set.error().message;
    for (const LaunchPhase& phase : launched.launch->phases)
      EXPECT_EQ(file(*set, "slurm/" + phase.slug + ".sbatch") != nullptr, phase.group >= 0) << name << phase.slug;
    for (const char* path : {"slurm/submit.sh", "slurm/job.sh", "slurm/machine.sh"})
      ASSERT_NE(file(*set, path), nullptr) << name;
    EXPECT_FALSE(file(*set, "slurm/job.sh")->text.empty());
  }
}

}  // namespace
}  // namespace gpuplan
