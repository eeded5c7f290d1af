#include "evidence/check/run_check.h"

#include <gtest/gtest.h>

#include "evidence/checked_run.h"

namespace gpuplan {
namespace {

RunCheck checked(const RunFixture& fixture) {
  const PhaseConditions conditions = fixture.conditions();
  CheckedRun run{fixture.expected, fixture.phase, conditions, fixture.log};
  run.gpu = fixture.gpu;
  run.slow_steps_every = fixture.slow_steps_every;
  run.exact_steps = true;
  return check_run(run);
}

TEST(RunCheck, ARunAsPlannedPasses) {
  RunFixture fixture;
  fixture.phase.succeed_when = {"loss < 3.5", "loss decreases smoothly"};
  fixture.log.peak_memory[static_cast<std::size_t>(LoggedMemory::kAllocated)] = 47 * units::GiB;
  const RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kPassed);
  EXPECT_TRUE(check.done);
  EXPECT_TRUE(check.contradictions.empty());
  EXPECT_TRUE(check.reasons.empty());
  EXPECT_FALSE(check.projection);
  const RunFigure* rate = check.figure(Measured::kThroughput);
  ASSERT_NE(rate, nullptr);
  EXPECT_EQ(rate->value, 500'000);
  EXPECT_EQ(rate->agreement(), Agreement::kInside);
  EXPECT_DOUBLE_EQ(rate->ratio().value(), 1);
  EXPECT_EQ(check.figure(Measured::kStepTime)->value, 1);
  // 48 of 60 GiB are allocated, as uncertain as the whole: 40 ... 57.6.
  const RunFigure* memory = check.figure(Measured::kAllocated);
  ASSERT_NE(memory, nullptr);
  EXPECT_DOUBLE_EQ(memory->expected->p10, (40 * units::GiB).value);
  EXPECT_DOUBLE_EQ(memory->expected->p90, (57.6 * units::GiB).value);
  EXPECT_EQ(memory->agreement(), Agreement::kInside);
  EXPECT_EQ(check.figure(Measured::kDevice), nullptr);
}

TEST(RunCheck, AConditionThatDoesNotHoldFailsIt) {
  RunFixture fixture;
  fixture.phase.succeed_when = {"loss < 3.5", "loss < 3.1"};
  EXPECT_EQ(checked(fixture).verdict, Verdict::kNotPassed);
  fixture.phase.succeed_when = {"loss < 3.5", "val_bpb < 9"};  // the log has none
  const RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kNotPassed);
  EXPECT_EQ(check.conditions[1].holds, Holds::kUndecided);
}

TEST(RunCheck, SpeedDecidesNothingByItself) {
  RunFixture fixture;
  fixture.set_pace(2);
  RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kPassed);
  EXPECT_EQ(check.figure(Measured::kThroughput)->agreement(), Agreement::kBelow);
  EXPECT_EQ(check.figure(Measured::kStepTime)->agreement(), Agreement::kAbove);
  fixture.phase.succeed_when = {"throughput > 400k tokens/s"};
  EXPECT_EQ(checked(fixture).verdict, Verdict::kNotPassed);
}

TEST(RunCheck, WarmUpAndStepsWithEvaluationsAreLeftOut) {
  RunFixture fixture;
  Series seconds;
  for (int i = 0; i < 100; ++i)
    seconds.add(i, i < 10 ? 30 : i % 3 == 0 ? 9 : i % 2 == 0 ? 1 : 1.5, static_cast<std::uint32_t>(i + 1));
  fixture.log.step_seconds = seconds;
  // Of steps 10 ... 99 those that 3 divides are no plain ones: half of the rest take 1 s, half 1.5 s.
  fixture.slow_steps_every = {3};
  EXPECT_DOUBLE_EQ(checked(fixture).figure(Measured::kStepTime)->value, 1.25);
  // Where every step would go, all stay.
  fixture.slow_steps_every = {2, 3};
  EXPECT_DOUBLE_EQ(checked(fixture).figure(Measured::kStepTime)->value, 1.5);
}

TEST(RunCheck, ARunThatGoesOnIsProjected) {
  RunFixture fixture;
  fixture.run_to(401);
  fixture.set_pace(2);
  const RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kRunning);
  EXPECT_FALSE(check.done);
  ASSERT_TRUE(check.projection);
  EXPECT_EQ(check.projection->steps_left, 600);
  EXPECT_DOUBLE_EQ(check.projection->left.p50.value, 1200);
  // 600 s beside the steps as planned, 400 steps of 2 s done, 600 to go.
  EXPECT_DOUBLE_EQ(check.projection->hours.p50.value, 600 + 800 + 1200);
  // 1,000 s more than planned, at a cent a second.
  EXPECT_DOUBLE_EQ(check.projection->cost.p50.value, 14 + 10);
  fixture.log.elapsed = Seconds{3000};  // it has taken longer than its steps
  EXPECT_DOUBLE_EQ(checked(fixture).projection->hours.p50.value, 4200);
}

/// 400 steps of 2 s, an evaluation of 60 s inside every 100th, a line every `interval` steps.
Projection evaluated(int interval, bool stated) {
  RunFixture fixture;
  fixture.run_to(401);
  fixture.log.formats = {interval > 1 ? LogFormat::kNanogpt : LogFormat::kNanochat};
  fixture.log.loss = fixture.log.step_seconds = {};
  for (int i = 0; i <= 400; i += interval) {
    const auto line = static_cast<std::uint32_t>(i + 3);
    fixture.log.loss.add(i, 3, line);
    fixture.log.step_seconds.add(i, i % 100 == 0 ? 62 : 2, line);
    if (i % 100 == 0) fixture.log.validation.add(i, 3, line);
  }
  if (stated) {
    fixture.phase.evaluate = Evaluate{.every_steps = 100, .every_time = {}, .time = {}};
    fixture.phase.evaluate->time.range = {Seconds{50}, Seconds{60}, Seconds{70}};
  }
  return checked(fixture).projection.value();
}

TEST(RunCheck, EvaluationsInsideOfStepsAreCountedOnce) {
  for (const int interval : {1, 10}) {
    // 600 steps of 2 s and 6 evaluations are left; 400 steps and 4 evaluations are done.
    const Projection told = evaluated(interval, false);
    EXPECT_DOUBLE_EQ(told.left.p50.value, 1200 + 360) << interval;
    EXPECT_DOUBLE_EQ(told.hours.p50.value, 600 + 800 + 240 + 1560) << "600 s beside the steps as planned";
    const Projection stated = evaluated(interval, true);
    EXPECT_DOUBLE_EQ(stated.left.p50.value, 1200 + 360) << interval;
    EXPECT_DOUBLE_EQ(stated.hours.p50.value, 800 + 240 + 1560) << "the 600 s are ten evaluations";
  }
}

TEST(RunCheck, TheLastLineOfEveryFewStepsIsTheEnd) {
  RunFixture fixture;
  fixture.run_to(1000);
  EXPECT_TRUE(checked(fixture).done) << "step 999 of a count from 0";
  fixture.log.last_step = 997;
  EXPECT_FALSE(checked(fixture).done);
  Series sparse;
  for (int i = 0; i <= 98; ++i) sparse.add(i * 10, 3, static_cast<std::uint32_t>(i + 1));
  fixture.log.loss = sparse;
  fixture.log.step_seconds = {};
  fixture.log.last_step = 980;
  EXPECT_FALSE(checked(fixture).done);
  fixture.log.last_step = 990;
  EXPECT_TRUE(checked(fixture).done) << "a line every ten steps: 990 is the last of 1,000";
}

/// A loss every `interval` steps, the last one at `last`.
RunCheck sparse(double first, double interval, double last, bool counted, LogFormat format) {
  RunFixture fixture;
  fixture.run_to(1000);
  fixture.log.formats = {format};
  fixture.log.loss = fixture.log.step_seconds = {};
  std::uint32_t line = 1;
  for (double step = first; step <= last; step += interval) fixture.log.loss.add(step, 3, line++);
  fixture.log.last_step = last;
  fixture.log.every_step_counted = counted;
  return checked(fixture);
}

TEST(RunCheck, NineTenthsAreNotTheEnd) {
  // A bar that stands at 902 of 1,000, and a loss every 100 steps.
  EXPECT_EQ(sparse(100, 100, 902, true, LogFormat::kTrainerOutput).verdict, Verdict::kRunning);
  EXPECT_EQ(sparse(100, 100, 1000, true, LogFormat::kTrainerOutput).verdict, Verdict::kPassed);
  // The next line is due at step 1,000.
  EXPECT_EQ(sparse(100, 100, 900, false, LogFormat::kTrainerOutput).verdict, Verdict::kRunning);
  EXPECT_EQ(sparse(10, 10, 990, false, LogFormat::kNanogpt).verdict, Verdict::kRunning);
  EXPECT_EQ(sparse(30, 30, 990, false, LogFormat::kTorchtune).verdict, Verdict::kPassed);
  // The end may come without another line, and it may not have come yet.
  const RunCheck nearly = sparse(0, 10, 990, false, LogFormat::kNanochat);
  EXPECT_TRUE(nearly.done);
  EXPECT_FALSE(nearly.surely_done);
  EXPECT_TRUE(sparse(0, 1, 999, false, LogFormat::kNanochat).surely_done);
}

TEST(RunCheck, ALogThatPlansMoreStepsEndsLater) {
  RunFixture fixture;
  const PhaseConditions conditions = fixture.conditions();
  fixture.run_to(1000);
  fixture.log.planned_steps = 1150;
  CheckedRun run{fixture.expected, fixture.phase, conditions, fixture.log};
  EXPECT_EQ(check_run(run).verdict, Verdict::kRunning) << "steps follow from lengths of samples";
  fixture.log.planned_steps = 950;
  EXPECT_EQ(check_run(run).verdict, Verdict::kPassed);
}

TEST(RunCheck, ALogOfSomethingElseIsSaidInOneLine) {
  const auto line = [](auto&& change) {
    RunFixture fixture;
    change(fixture);
    const RunCheck check = checked(fixture);
    EXPECT_EQ(check.verdict, check.contradictions.empty() ? Verdict::kPassed : Verdict::kNotPassed);
    return check.contradictions.empty() ? "" : check.contradictions.front();
  };
  EXPECT_EQ(line([](RunFixture&) {}), "");
  EXPECT_EQ(line([](RunFixture& f) { f.log.planned_steps = 5000; }), "the log plans 5,000 steps, the phase has 1,000");
  EXPECT_EQ(line([](RunFixture& f) { f.log.planned_steps = 1001; }), "");
  EXPECT_EQ(line([](RunFixture& f) { f.log.planned_steps.reset(); }), "");
  EXPECT_EQ(line([](RunFixture& f) {
              f.log.planned_steps.reset();
              f.log.last_step = 5000;
            }),
            "the log reaches step 5,000, the phase has 1,000");
  EXPECT_EQ(line([](RunFixture& f) { f.log.tokens_per_step = 250'000; }),
            "a step in the log has 250,000 tokens, a step of the phase 500,000");
  EXPECT_EQ(line([](RunFixture& f) { f.log.sequences_per_step = 64; }),
            "a step in the log has 64 sequences, a step of the phase 250");
  EXPECT_EQ(line([](RunFixture& f) { f.log.processes = 1; }), "the log is from 1 GPU, the plan has 8");
  EXPECT_EQ(line([](RunFixture& f) { f.gpu = "A100 SXM 80GB"; }),
            "the log is from A100 SXM 80GB, the plan is for H100 SXM");
  EXPECT_EQ(line([](RunFixture& f) { f.gpu = ""; }), "");
}

TEST(RunCheck, ANetworkOfAnotherShape) {
  RunFixture fixture;
  TrainPhase train;
  train.models.emplace_back();
  ModelShape& shape = train.models.front().shape;
  shape.layers = 12;
  shape.hidden = 768;
  train.sequence = 2000;  // 500,000 tokens in 250 sequences
  fixture.phase.work = train;
  const PhaseConditions conditions = fixture.conditions();
  const CheckedRun run{fixture.expected, fixture.phase, conditions, fixture.log};
  EXPECT_TRUE(contradictions(run).empty());
  fixture.log.setup.layers = 12;
  fixture.log.setup.hidden = 768;
  fixture.log.sequence_length = 2000;
  EXPECT_TRUE(contradictions(run).empty());
  fixture.log.setup.layers = 48;
  EXPECT_EQ(contradictions(run),
            (std::vector<std::string>{"the model in the log has 48 layers, the model of the phase 12"}));
  fixture.log.setup.layers = 12;
  fixture.log.setup.hidden = 1600;
  EXPECT_EQ(contradictions(run).size(), 1U);
  fixture.log.setup.hidden = 768;
  fixture.log.sequence_length = 4096;
  EXPECT_EQ(contradictions(run),
            (std::vector<std::string>{"sequences in the log have 4,096 tokens, those of the phase 2,000"}));
  std::get<TrainPhase>(fixture.phase.work).sequence = 4096;  // samples of 2,000 tokens in the mean, padded
  EXPECT_TRUE(contradictions(run).empty());
}

TEST(RunCheck, ParametersAreCountedWithAndWithoutEmbeddings) {
  RunFixture fixture;
  const PhaseConditions conditions = fixture.conditions();
  CheckedRun run{fixture.expected, fixture.phase, conditions, fixture.log};
  run.parameters = 124e6;
  run.fewest_parameters = 86e6;
  run.most_parameters = 163e6;
  for (const double same : {85e6, 123.6e6, 124.3e6, 163e6}) {
    fixture.log.parameters = same;
    EXPECT_TRUE(contradictions(run).empty()) << same;
  }
  for (const double other : {30e6, 200e6, 354e6, 774e6}) {
    fixture.log.parameters = other;
    EXPECT_EQ(contradictions(run).size(), 1U) << other;
  }
}

TEST(RunCheck, TheCostOfARunIsBilledAsThePlans) {
  RunFixture fixture;
  fixture.run_to(401);
  fixture.set_pace(2);
  fixture.expected.billing = Billing{.increment = 1 * units::hour};
  fixture.expected.cost = {Dollars{36}, Dollars{36}, Dollars{36}, Dollars{36}};  // an hour, at a cent a second
  EXPECT_DOUBLE_EQ(checked(fixture).projection->cost.p50.value, 36) << "43 minutes are an hour, too";
  fixture.set_pace(6);
  EXPECT_DOUBLE_EQ(checked(fixture).projection->cost.p50.value, 72);
}

TEST(RunCheck, ParametersThatAreNotThoseOfTheModel) {
  RunFixture fixture;
  const PhaseConditions conditions = fixture.conditions();
  CheckedRun run{fixture.expected, fixture.phase, conditions, fixture.log};
  run.parameters = 7e9;
  fixture.log.parameters = 1.5e9;
  ASSERT_EQ(contradictions(run).size(), 1U);
  EXPECT_EQ(contradictions(run)[0], "the model in the log has 1.5B parameters, the model of the phase 7B");
  fixture.log.parameters = 6.2e9;  // counted without embeddings
  EXPECT_TRUE(contradictions(run).empty());
  EXPECT_GT(agreements(run), 3);
  run.parameters = 185e6;
  fixture.log.parameters = 486e6;  // of a small one most are embeddings
  EXPECT_TRUE(contradictions(run).empty());
  fixture.log.parameters = 1.5e9;
  EXPECT_EQ(contradictions(run).size(), 1U);
}

TEST(RunCheck, HowARunEnded) {
  const auto reason = [](auto&& change) {
    RunFixture fixture;
    fixture.run_to(500);
    change(fixture);
    const RunCheck check = checked(fixture);
    EXPECT_EQ(check.verdict, check.reasons.empty() ? Verdict::kRunning : Verdict::kNotPassed);
    return check.reasons.empty() ? "" : check.reasons.front();
  };
  EXPECT_EQ(reason([](RunFixture&) {}), "");
  EXPECT_EQ(reason([](RunFixture& f) { f.event(LogEvent::Kind::kError, 700, "RuntimeError: boom"); }),
            "it ended with an error in line 700: RuntimeError: boom");
  EXPECT_EQ(reason([](RunFixture& f) { f.event(LogEvent::Kind::kOutOfMemory, 700); }),
            "it ran out of memory in line 700");
  EXPECT_EQ(reason([](RunFixture& f) { f.event(LogEvent::Kind::kError, 100, "caught, and went on"); }), "");
  EXPECT_EQ(reason([](RunFixture& f) { f.log.loss.add(500, std::nan(""), 503); }),
            "the loss is not a number at the end");
  EXPECT_EQ(reason([](RunFixture& f) { f.log.grad_norm.add(500, std::nan(""), 503); }),
            "the gradient norm is not a number at the end");
}

TEST(RunCheck, TrainingThatEndsEarlyIsNotPassed) {
  RunFixture fixture;
  fixture.run_to(300);
  fixture.log.finished = true;
  fixture.log.planned_steps.reset();
  const RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kNotPassed);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "training ended at step 299 of 1,000");
}

TEST(RunCheck, AnErrorAfterTheEndOfTrainingCounts) {
  RunFixture fixture;
  fixture.event(LogEvent::Kind::kError, 1001, "caught before the end");
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed);
  fixture.event(LogEvent::Kind::kError, 5000, "No space left on device");
  fixture.event(LogEvent::Kind::kError, 5001, "srun: error: Exited with exit code 1");
  RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kNotPassed);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "it ended with an error in line 5,001: srun: error: Exited with exit code 1");
  fixture.event(LogEvent::Kind::kOutOfMemory, 4999);
  check = checked(fixture);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "it ran out of memory in line 4,999");
}

TEST(RunCheck, LinesOfTwoFilesAreInNoOrder) {
  RunFixture fixture;
  fixture.event(LogEvent::Kind::kOutOfMemory, 2);
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed) << "steps came after it";
  fixture.log.events.back().file = 1;
  RunCheck check = checked(fixture);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "it ran out of memory in line 2 of file 2");
  fixture.event(LogEvent::Kind::kRestart, 3);
  fixture.log.events.back().file = 1;
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed) << "the same file tells of a new start";
  // The log of a first job, and that of the job after it.
  fixture.log.events = {};
  fixture.event(LogEvent::Kind::kError, 5000, "boom");
  fixture.log.work.push_back({1, 700});
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed);
}

TEST(RunCheck, BeingStoppedIsAnEndUnlessItWentOn) {
  RunFixture fixture;
  fixture.event(LogEvent::Kind::kRestart, 5000, "CANCELLED DUE TO PREEMPTION");
  fixture.log.events.back().stopped = true;
  RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kNotPassed);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "it was stopped and not restarted, in line 5,000: CANCELLED DUE TO PREEMPTION");
  fixture.log.events.back().line = 2;
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed) << "steps came after it";
  fixture.log.events.back().file = 1;
  EXPECT_EQ(checked(fixture).verdict, Verdict::kNotPassed) << "in a file without steps";
  fixture.event(LogEvent::Kind::kRestart, 300, "steps from 200 on are done again");
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed) << "another file tells of a new start";
}

TEST(RunCheck, AnEndThatIsMostlyNoNumber) {
  RunFixture fixture;
  for (int i = 900; i < 1000; ++i)
    fixture.log.loss.add(i, i == 999 ? 3.02 : std::nan(""), static_cast<std::uint32_t>(i + 3));
  const RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kNotPassed);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "the loss is not a number at the end");
}

/// 10,000 prompts on eight GPUs, and a log of vLLM without an end.
RunFixture generation() {
  RunFixture fixture;
  GeneratePhase generate;
  generate.models.resize(1);
  generate.data = {{"d", 10'000, {}, {}}};
  fixture.phase.work = generate;
  fixture.expected.steps = fixture.expected.tokens_per_step = 0;
  fixture.expected.seconds_per_step.reset();
  fixture.log = {};
  fixture.log.formats = {LogFormat::kVllm};
  fixture.log.output_tokens_per_second.add(1, 450'000, 1);
  fixture.phase.succeed_when = {"throughput > 400k tokens/s"};
  return fixture;
}

TEST(RunCheck, GenerationHasToSayThatItEnded) {
  RunFixture fixture = generation();
  RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kNotPassed);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "the log does not show that it finished");
  fixture.log.prompts = 10'000;
  fixture.log.prompts_done = 4000;
  check = checked(fixture);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "the log does not show that it finished (4,000 of 10,000 prompts are done)");
  fixture.log.prompts_done = 10'000;
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed);
  fixture.log.prompts = fixture.log.prompts_done = 1250;  // of one of eight replicas
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed);
  fixture.log.prompts = fixture.log.prompts_done = 700;
  EXPECT_EQ(checked(fixture).contradictions.at(0), "the log has 700 prompts, the phase has 10,000");
  fixture.log.benchmark = true;  // a sample of them
  EXPECT_EQ(checked(fixture).contradictions, std::vector<std::string>{});
  fixture.log.benchmark = false;
  fixture.log.prompts = fixture.log.prompts_done = std::nullopt;
  fixture.log.generated = true;
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed);
  // A program that only the job's metrics know.
  fixture.log.generated = false;
  fixture.log.formats = {};
  fixture.log.metrics = {{"throughput", fixture.log.output_tokens_per_second}};
  EXPECT_EQ(checked(fixture).verdict, Verdict::kPassed);
}

TEST(RunCheck, LogsOfOtherWork) {
  RunFixture trained;
  RunFixture generated = generation();
  std::swap(trained.log, generated.log);
  generated.phase.succeed_when = {};
  EXPECT_EQ(checked(generated).contradictions.at(0), "the log is a training log, but the phase generates");
  EXPECT_EQ(checked(trained).contradictions.at(0), "the log is from vLLM, but the phase trains");
}

TEST(RunCheck, ALogWithoutStepsIsNoEvidence) {
  RunFixture fixture;
  fixture.log = {};
  fixture.log.formats = {LogFormat::kNvidiaSmi};
  const RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kNotPassed);
  ASSERT_EQ(check.reasons.size(), 1U);
  EXPECT_EQ(check.reasons[0], "the log has no training steps");
}

TEST(RunCheck, PhasesThatDoNotTrainHaveNoSteps) {
  RunFixture fixture;
  fixture.expected.steps = fixture.expected.tokens_per_step = 0;
  fixture.expected.seconds_per_step.reset();
  fixture.log = {};
  for (int i = 0; i < 30; ++i) fixture.log.output_tokens_per_second.add(i, 450'000, static_cast<std::uint32_t>(i + 1));
  fixture.phase.succeed_when = {"throughput > 400k tokens/s"};
  const RunCheck check = checked(fixture);
  EXPECT_EQ(check.verdict, Verdict::kPassed);
  EXPECT_EQ(check.figure(Measured::kThroughput)->agreement(), Agreement::kInside);
}

}  // namespace
}  // namespace gpuplan
