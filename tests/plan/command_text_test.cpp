#include "plan/notes/command_text.h"

#include <gtest/gtest.h>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

struct Filling {
  Phase phase;
  PhaseEstimate estimate;

  explicit Filling(const std::string& command) {
    phase.name = "sft";
    phase.work = TrainPhase{};
    std::get<TrainPhase>(phase.work).sequence = 2048;
    phase.command = command;
    estimate.gpus = 16;
    estimate.nodes = 2;
    estimate.batch = 128;
    estimate.steps = 1000;
    estimate.checkpoints = 4;
    estimate.strategy.dp = 16;
    estimate.strategy.micro_batch = 4;
    estimate.strategy.grad_accum = 2;
    estimate.strategy.sharding = Sharding::kZero3;
  }
  FilledCommand filled() const { return fill_command(phase, estimate, "16x-h100-sxm-2-nodes"); }
};

std::string filled(const std::string& command) { return Filling(command).filled().text; }

TEST(CommandText, EveryVariableHasAValue) {
  EXPECT_EQ(filled("{gpus} {nodes} {world} {micro} {accumulate} {batch} {steps} {sequence} {precision} {sharding}"),
            "8 2 16 4 2 128 1000 2048 bf16 zero3");
  EXPECT_EQ(filled("{recompute} {dp} {tp} {pp} {cp} {ep} {profile} {phase} {checkpoint_steps}"),
            "none 16 1 1 1 1 16x-h100-sxm-2-nodes sft 250");
  for (const CommandVariable& variable : command_variables()) {
    const std::string written = "{" + std::string(variable.name) + "}";
    EXPECT_EQ(Filling(written).filled().unknown, std::vector<std::string>{}) << written;
    EXPECT_NE(filled("x" + written), "x" + written);
    EXPECT_NE(variable.help, "");
  }
}

TEST(CommandText, EveryVariableIsInTheDocuments) {
  std::string text;
  for (const char* page : {"launch.md", "launch-work.md"})
    text += file_text(std::string(GPUPLAN_SOURCE_DIR) + "/docs/" + page);
  for (const CommandVariable& variable : command_variables()) {
    const std::string row = "| `{" + std::string(variable.name) + "}` | " + std::string(variable.help) + " |";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST(CommandText, WhatIsNoVariableStays) {
  for (const char* text :
       {"${HOME} ${micro:-1} ${micro}", "awk '{ print $1 }'", "a{b,c}d {} {1..3} {micro", "}}{ {a b}"})
    EXPECT_EQ(filled(text), text);
  const FilledCommand unknown = Filling("run {mirco} {gpus} {mirco} {x}").filled();
  EXPECT_EQ(unknown.text, "run {mirco} 8 {mirco} {x}");
  EXPECT_EQ(unknown.unknown, (std::vector<std::string>{"mirco", "x"}));
}

TEST(CommandText, DoubleBracesBecomeSingleOnes) {
  EXPECT_EQ(filled("awk '{{print}}' {micro}"), "awk '{print}' 4");
  EXPECT_EQ(filled(R"(--json '{{"micro": {micro}, "x": {"y": {gpus}}}}')"), R"(--json '{"micro": 4, "x": {"y": 8}}')");
  EXPECT_EQ(filled("{{{micro}}}"), "{4}");
  EXPECT_EQ(filled("awk '{if(x){n++}}'"), "awk '{if(x){n++}}'") << "ends in two braces that belong to two pairs";
  EXPECT_EQ(filled("${A:-${B}}"), "${A:-${B}}");
  EXPECT_TRUE(Filling("{{other}}").filled().unknown.empty());
}

TEST(CommandText, FoldersAreOneWordInAllQuotes) {
  EXPECT_EQ(filled("--to {checkpoints}/a"), "--to \"${GPUPLAN_CHECKPOINTS}\"/a");
  EXPECT_EQ(filled("--to \"{checkpoints}/a\""), "--to \"${GPUPLAN_CHECKPOINTS}/a\"");
  EXPECT_EQ(filled("--to '{run}/a'"), "--to ''\"${GPUPLAN_RUN_DIR}\"'/a'");
  EXPECT_EQ(filled("echo \\\" {run}"), "echo \\\" \"${GPUPLAN_RUN_DIR}\"");
  EXPECT_EQ(filled("x # don't\n{run}"), "x # don't\n\"${GPUPLAN_RUN_DIR}\"") << "a quote in a comment opens nothing";
}

TEST(CommandText, ArgumentsThatTheCommandLacksComeBesides) {
  Filling filling("train.py --matrix_lr=0.1 --grad-clip 1 --lr-decay=2");
  filling.phase.args = {{"matrix_lr", "0.2"}, {"grad_clip", "3"}, {"lr", "$(id)"}, {"decay", "4"}};
  EXPECT_EQ(filling.filled().appended, (std::vector<std::string>{"--lr='$(id)'", "--decay=4"}))
      << "--lr-decay is another argument than lr and decay";
  filling.phase.command = "train.py {args} | tee log";
  filling.phase.args = {{"lr", "it's"}, {"x;y", "\n"}};
  EXPECT_EQ(filling.filled().text, "train.py --lr='it'\\''s' '--x;y'=$'\\x0a' | tee log");
  EXPECT_TRUE(filling.filled().appended.empty());
  filling.phase.command = "bash -c \"train.py {args}\"";
  filling.phase.args = {{"lr", "$(id)"}};
  EXPECT_EQ(filling.filled().text, "bash -c \"train.py \" --lr='$(id)' \"\"") << "quotes around give no way in";
}

TEST(CommandText, CheckpointsFollowTheJobOrTheEstimate) {
  Filling filling("");
  EXPECT_EQ(steps_between_checkpoints(filling.phase, filling.estimate), 250);
  filling.phase.checkpoint = CheckpointRule{};
  filling.phase.checkpoint->every_steps = 200;
  EXPECT_EQ(steps_between_checkpoints(filling.phase, filling.estimate), 200);
  filling.estimate.steps = 0;
  EXPECT_EQ(steps_between_checkpoints(filling.phase, filling.estimate), 0);
}

TEST(CommandText, EveryJobOfARowWritesCheckpoints) {
  Filling filling("{checkpoint_steps}");
  filling.estimate.checkpoints = 1;
  filling.estimate.work = {100 * units::hour, 100 * units::hour, 100 * units::hour};
  EXPECT_EQ(filling.filled().text, "1000") << "one job: at its end";
  filling.estimate.jobs = 5;
  EXPECT_EQ(filling.filled().text, "10") << "an hour of work";
  filling.estimate.jobs = 50;
  EXPECT_EQ(filling.filled().text, "5") << "a quarter of a job";
  filling.phase.checkpoint = CheckpointRule{};
  filling.phase.checkpoint->every_steps = 2;
  EXPECT_EQ(filling.filled().text, "2");
  filling.phase.checkpoint->every_steps = 500;
  EXPECT_EQ(filling.filled().text, "5") << "what the job says would save nothing in most of them";
}

}  // namespace
}  // namespace gpuplan
