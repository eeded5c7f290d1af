#include "input/question/sketch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "input/job_fixture.h"
#include "input/models/usual_shape.h"
#include "input/question/flag_settings.h"

namespace gpuplan {
namespace {

Result<SketchedJob> sketched(const Sketch& sketch, const Wishes& wishes = {}) {
  return sketch_job(sketch, wishes, ModelFinder(known()));
}

Result<Job> sketched_job(const Sketch& sketch, const Wishes& wishes = {}) {
  const auto made = sketched(sketch, wishes);
  if (!made) return std::unexpected(made.error());
  const auto source = read_sketch(*made);
  if (!source) return std::unexpected(source.error());
  return read_job(*source, known(), ModelFinder(known()));
}

std::string sketch_error(const Sketch& sketch, const Wishes& wishes = {}) {
  const auto job = sketched_job(sketch, wishes);
  if (job) return "";
  EXPECT_TRUE(job.error().usage) << job.error().message;
  EXPECT_TRUE(job.error().place.file.empty()) << job.error().place.file;
  return job.error().message;
}

Sketch lora() { return {.model = "Qwen2.5-7B", .tokens = "10M", .method = "lora"}; }
Sketch answers() {
  return {.generate = true, .model = "Llama-3.3-70B", .samples = "10k", .prompt = "500", .new_tokens = "300"};
}

const TrainPhase& training(const Job& job) { return std::get<TrainPhase>(job.phases.front().work); }
const GeneratePhase& generation(const Job& job) { return std::get<GeneratePhase>(job.phases.front().work); }

TEST(Sketch, EveryFlagHasItsPlaceInAJob) {
  for (const SketchFlag& flag : sketch_flags()) EXPECT_FALSE(address_in_phase(flag.name).empty()) << flag.name;
}

TEST(Sketch, TrainingFlagsLandAtTheirKeys) {
  const Sketch sketch{.model = "Qwen2.5-7B",
                      .samples = "50k",
                      .batch = "64",
                      .tokens_per_sample = "600",
                      .epochs = "3",
                      .sequence = "1k",
                      .micro = "4",
                      .method = "QLoRA",
                      .rank = "32",
                      .precision = "bf16",
                      .optimizer = "adam8bit",
                      .framework = "axolotl"};
  const auto job = sketched_job(sketch);
  ASSERT_TRUE(job) << job.error().message;
  const TrainPhase& train = training(*job);
  EXPECT_EQ(job->name, "qwen2.5-7b-qlora");
  EXPECT_EQ(train.models.front().shape.name, "Qwen2.5-7B");
  EXPECT_EQ(train.data.samples, 50'000);
  EXPECT_EQ(train.data.tokens_per_sample->mean, 600);
  EXPECT_EQ(train.epochs, 3);
  EXPECT_EQ(train.sequence, 1000);
  EXPECT_EQ(train.batch->sequences, 64);
  EXPECT_EQ(train.micro.value, 4);
  EXPECT_EQ(train.method, Method::kQlora);
  EXPECT_EQ(train.lora.rank, 32);
  EXPECT_EQ(train.precision.value, Precision::kBf16);
  EXPECT_EQ(train.optimizer.rest, Optimizer::kAdam8bit);
  EXPECT_EQ(train.framework, "axolotl");
}

TEST(Sketch, StepsTokensOfABatchAndTrainableParameters) {
  const auto steps = sketched_job({.model = "gpt2", .batch = "0.5M tokens", .steps = "1000"});
  ASSERT_TRUE(steps) << steps.error().message;
  EXPECT_EQ(training(*steps).steps, 1000);
  EXPECT_EQ(training(*steps).batch->tokens->value, 500'000);
  EXPECT_FALSE(training(*steps).epochs);
  const auto frozen = sketched_job({.model = "gpt2", .tokens = "1M", .method = "frozen", .trainable = "2.3M"});
  ASSERT_TRUE(frozen) << frozen.error().message;
  EXPECT_EQ(training(*frozen).trainable, 2.3e6);
}

TEST(Sketch, GenerationFlagsLandAtTheirKeys) {
  Sketch sketch = answers();
  sketch.weights = "fp8";
  sketch.engine = "vllm";
  sketch.concurrency = "32";
  const auto job = sketched_job(sketch);
  ASSERT_TRUE(job) << job.error().message;
  const GeneratePhase& generate = generation(*job);
  EXPECT_EQ(generate.data.front().samples, 10'000);
  EXPECT_EQ(generate.data.front().prompt_tokens.mean, 500);
  EXPECT_EQ(generate.data.front().new_tokens.mean, 300);
  EXPECT_EQ(generate.situation, Situation::kConcurrency);
  EXPECT_EQ(generate.concurrency, 32);
  EXPECT_EQ(generate.weights, Format::kFp8);
  EXPECT_EQ(generate.engine, "vllm");

  sketch = answers();
  sketch.generate = false;  // --prompt says it too
  sketch.batch = "8";
  const auto fixed = sketched_job(sketch);
  ASSERT_TRUE(fixed) << fixed.error().message;
  EXPECT_EQ(generation(*fixed).situation, Situation::kStatic);
  EXPECT_EQ(generation(*fixed).batch.value, 8);
}

TEST(Sketch, WishesLandAtTheirKeysInAQuestionAndInAFile) {
  const Wishes wishes{.gpus = {"8x H100 SXM", "L4"},
                      .counts = {"1", "8"},
                      .nodes = {"1", "2"},
                      .providers = {"lambda"},
                      .regions = {"us-east-1"},
                      .spot = "only",
                      .interruptions = "3%/h",
                      .max_price = "$20/h",
                      .deadline = "12 h",
                      .budget = "$50",
                      .goal = "fastest",
                      .value_of_time = "$7/h"};
  auto source = parse_job("phases: {name: a, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k}}", "a.yaml");
  ASSERT_TRUE(apply_wishes(*source, wishes));
  for (const auto& job : {sketched_job(lora(), wishes), read_job(*source, known(), ModelFinder(known()))}) {
    ASSERT_TRUE(job) << job.error().message;
    ASSERT_EQ(job->where.gpus.size(), 2U);
    EXPECT_EQ(job->where.gpus[0].gpu, "H100 SXM");
    EXPECT_EQ(job->where.gpus[0].count, 8);
    EXPECT_EQ(job->where.counts, (std::vector<int>{1, 8}));
    EXPECT_EQ(job->where.nodes, (std::vector<int>{1, 2}));
    EXPECT_EQ(job->where.providers, std::vector<std::string>{"lambda"});
    EXPECT_EQ(job->where.regions, std::vector<std::string>{"us-east-1"});
    EXPECT_EQ(job->where.spot, SpotUse::kOnly);
    EXPECT_NEAR(job->spot.interruptions->p50 * units::hour, -std::log1p(-0.03), 1e-12);
    EXPECT_NEAR(*job->where.max_price * units::hour / units::dollar, 20, 1e-9);
    EXPECT_EQ(*job->limits.deadline / units::hour, 12);
    EXPECT_EQ(job->limits.budget->value, 50);
    EXPECT_EQ(job->goal, Goal::kFastest);
    EXPECT_TRUE(job->value_of_time_given);
  }
}

TEST(Sketch, EveryErrorNamesItsFlag) {
  const auto with = [](std::string Sketch::* text, const char* value, bool generate = false) {
    Sketch sketch = generate ? answers() : lora();
    sketch.*text = value;
    return sketch_error(sketch);
  };
  for (const SketchFlag& flag : sketch_flags()) {
    if (flag.part == SketchFlag::Part::kModel && flag.name != "--model") continue;  // below
    const bool generate = flag.part == SketchFlag::Part::kGeneration;
    Sketch sketch = generate ? answers() : lora();
    if (flag.name == "--samples" || flag.name == "--tokens-per-sample") {
      sketch.tokens.clear();
      sketch.samples = "5";
    }
    if (flag.name == "--steps") sketch.batch = "4";
    if (flag.name == "--trainable") sketch.method = "frozen";
    sketch.*flag.text = "<>";
    const std::string message = sketch_error(sketch);
    EXPECT_TRUE(message.starts_with(std::string(flag.name) + ": ")) << flag.name << " -> " << message;
  }
  for (const WishFlag& flag : wish_flags()) {
    if (flag.name == "--provider" || flag.name == "--region") continue;  // any text
    Wishes wishes;
    if (flag.list != nullptr) wishes.*flag.list = {"<>"};
    else wishes.*flag.text = "<>";
    EXPECT_TRUE(sketch_error(lora(), wishes).starts_with(std::string(flag.name) + ": ")) << flag.name;
    auto source = parse_job("phases: {name: a, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k}}", "a.yaml");
    ASSERT_TRUE(apply_wishes(*source, wishes));
    const auto job = read_job(*source, known(), ModelFinder(known()));
    ASSERT_FALSE(job) << flag.name;
    EXPECT_TRUE(job.error().message.starts_with(std::string(flag.name) + ": ")) << job.error().message;
    EXPECT_TRUE(job.error().usage);
  }
  EXPECT_EQ(with(&Sketch::tokens, "10Q"),
            "--tokens: expected a number of tokens such as 11.2B tokens or 300M, got '10Q' (unknown unit 'Q')");
  EXPECT_TRUE(sketch_error({.params = "many", .tokens = "1M"}).starts_with("--params: "));
  EXPECT_TRUE(sketch_error({.layers = "x", .hidden = "768", .tokens = "1M"}).starts_with("--layers: "));
  EXPECT_TRUE(sketch_error({.layers = "12", .hidden = "x", .tokens = "1M"}).starts_with("--hidden: "));
  EXPECT_TRUE(sketch_error({.params = "25M", .vocab = "x", .tokens = "1M"}).starts_with("--vocab: "));
  EXPECT_TRUE(with(&Sketch::model, "a\nb").starts_with("--model: expected a plain text"));
}

TEST(Sketch, MissingPiecesAreNamedWithAnExample) {
  EXPECT_TRUE(sketch_error({.tokens = "1M"}).starts_with("no model. Add --model NAME or --params N, such as"));
  EXPECT_TRUE(sketch_error({.model = "gpt2"}).starts_with("missing data size: add --tokens 10M, --samples 50k"));
  EXPECT_EQ(sketch_error({.generate = true, .model = "gpt2", .samples = "5"}),
            "missing --prompt (input tokens per request) and --new (output tokens per request), such as --generate "
            "--samples 10k --prompt 500 --new 300");
  EXPECT_TRUE(sketch_error({.model = "gpt2", .steps = "5"}).starts_with("--steps also needs --batch"));
  EXPECT_TRUE(sketch_error({.model = "gpt2", .tokens = "1M", .rank = "8"}).starts_with("--rank needs --method lora"));
  EXPECT_TRUE(
      sketch_error({.model = "gpt2", .tokens = "1M", .method = "frozen"}).starts_with("--method frozen also needs"));
  EXPECT_TRUE(sketch_error({.layers = "4", .tokens = "1M"}).starts_with("--layers also needs --hidden"));
  EXPECT_TRUE(sketch_error({.model = "gpt2", .params = "1M", .tokens = "1M"}).starts_with("--model and --params both"));
  EXPECT_TRUE(sketch_error({.model = "gpt2", .samples = "5", .tokens = "1M"})
                  .starts_with("use --tokens or --samples, not both"));
  EXPECT_EQ(sketch_error({.model = "gpt2", .method = "lora", .prompt = "5"}),
            "--method is for training, --prompt for generation; use one of them");
}

TEST(Sketch, AssumptionsAreTold) {
  const auto all = [](const Sketch& sketch, const Wishes& wishes = {}) {
    return join(sketched_job(sketch, wishes)->assumed, " ");
  };
  EXPECT_EQ(all(lora()),
            "1 epoch (--epochs), 2,048-token sequences (--sequence), LoRA rank 16 (--rank), 6–19 min setup (--setup).");
  // No longer than the model's context.
  EXPECT_NE(all({.model = "gpt2", .samples = "5"}).find("1,024-token samples"), std::string::npos);
  EXPECT_EQ(training(*sketched_job({.model = "gpt2", .samples = "5"})).sequence, 1024);
  EXPECT_EQ(all({.model = "gpt2",
                 .samples = "5",
                 .batch = "8",
                 .setup = "5 min",
                 .tokens_per_sample = "300",
                 .epochs = "2",
                 .method = "full"}),
            "");
  // Weights of 124 MB in 16 bit are no reason to wait.
  EXPECT_NE(all({.model = "gpt2", .samples = "5"}).find("5–15 min setup (--setup)."), std::string::npos);
  EXPECT_EQ(all({.params = "25M", .samples = "2.5M"}).find("a decoder of 7 layers (--layers), 384 wide (--hidden)"),
            0U);
  EXPECT_EQ(all(answers()),
            "as many concurrent requests as memory and the engine's default limit allow (--concurrency, --batch), "
            "14–53 min setup "
            "(--setup).");
  EXPECT_NE(all(lora(), {.spot = "only"}).find("interruption rate 5%/h"), std::string::npos);
  EXPECT_EQ(all(lora(), {.spot = "never"}).find("interruption rate"), std::string::npos);
  EXPECT_EQ(all(lora(), {.spot = "only", .interruptions = "1%/h"}).find("interruption rate"), std::string::npos);
}

TEST(Sketch, SpotOfAFileIsAssumedOnlyWhereNobodySaysHowOften) {
  const auto rate = [](const std::string& more, const std::string& spot) {
    auto source =
        parse_job("phases: {name: a, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k}}\n" + more, "a.yaml");
    EXPECT_TRUE(apply_wishes(*source, {.spot = spot}));
    const auto job = read_job(*source, known(), ModelFinder(known()));
    return job->spot.interruptions ? -std::expm1(-(job->spot.interruptions->p50 * units::hour)) : 0.0;
  };
  EXPECT_NEAR(rate("", "only"), 0.05, 1e-12);
  EXPECT_NEAR(rate("spot: {interruptions: 2%/h}", "only"), 0.02, 1e-12);
  EXPECT_EQ(rate("spot: {interruptions: 5-10%}", "allow"), 0);  // a band says it
  EXPECT_EQ(rate("", "never"), 0);
  EXPECT_EQ(rate("", ""), 0);
}

/// "  # batch: 64" -> "  batch: 64" in one line of the text.
std::string uncommented(std::vector<std::string> lines, std::size_t at) {
  lines[at].erase(lines[at].find("# "), 2);
  // A block that is commented out needs its head.
  for (std::size_t i = at; lines[at].starts_with("  ") && i-- > 0;) {
    if (lines[i].starts_with("# ") && !lines[i].starts_with("#   ")) {
      lines[i].erase(0, 2);
      break;
    }
    if (!lines[i].starts_with("#")) break;
  }
  return join(lines, "\n");
}

TEST(Sketch, EveryOptionalLineIsAJobWhenItsMarkIsTakenAway) {
  for (const Sketch& sketch : {lora(), answers(), Sketch{.params = "25M", .samples = "1k"}}) {
    const std::string text = sketched(sketch)->text;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      lines.push_back(text.substr(at, text.find('\n', at) - at));
    int options = 0;
    for (std::size_t i = 2; i < lines.size(); ++i) {  // after the two lines on top
      const std::string start(trim(lines[i]));
      if (!start.starts_with("# ")) continue;
      const bool head = start.substr(0, start.find(" #", 2)).find_last_not_of(' ') == start.find(':');
      if (head) continue;
      ++options;
      EXPECT_EQ(gpuplan::error_of(uncommented(lines, i)), "") << lines[i];
    }
    EXPECT_GT(options, 20);
  }
}

TEST(Sketch, TheTextIsTheJob) {
  const Wishes wishes{.gpus = {"RTX 4090"}, .spot = "allow", .budget = "$5"};
  const auto made = sketched(lora(), wishes);
  const auto direct = sketched_job(lora(), wishes);
  const auto read = read_text_as_job(made->text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, direct->name);
  EXPECT_EQ(read->where.gpus.front().gpu, direct->where.gpus.front().gpu);
  EXPECT_EQ(read->spot.interruptions, direct->spot.interruptions);
  EXPECT_EQ(read->limits.budget, direct->limits.budget);
  EXPECT_EQ(training(*read).sequence, training(*direct).sequence);
  EXPECT_TRUE(read->assumed.empty());  // the file says it all
}

TEST(UsualShape, IsNearPublishedOnes) {
  struct Published {
    double params;
    int layers, hidden;
  };
  // GPT-2, GPT-2 medium, Llama-3.2-3B, Llama-2-7B, Llama-2-70B.
  for (const Published& model :
       {Published{124e6, 12, 768}, {355e6, 24, 1024}, {3.2e9, 28, 3072}, {6.7e9, 32, 4096}, {69e9, 80, 8192}}) {
    const UsualShape shape = usual_shape(model.params);
    EXPECT_NEAR(shape.layers, model.layers, 0.34 * model.layers) << model.params;
    EXPECT_NEAR(shape.hidden, model.hidden, 0.25 * model.hidden) << model.params;
  }
  // Heads of 64 up to 2048 wide and of 128 beyond: cuts of two, four and eight divide them.
  for (const double params : {350e6, 760e6, 1e9, 1.3e9, 3e9, 7e9, 13e9, 30e9, 34e9, 65e9, 70e9, 175e9}) {
    const int hidden = usual_shape(params).hidden;
    EXPECT_EQ(hidden / (hidden <= 2048 ? 64 : 128) % (hidden < 4096 ? 2 : 8), 0) << params << ": " << hidden;
  }
  for (double params = 100'000; params < 1e13; params *= 1.7) {
    const UsualShape shape = usual_shape(params);
    EXPECT_GE(shape.layers, 1) << params;
    EXPECT_GE(shape.vocab, 1) << params;
    const auto job = sketched_job({.params = number_text(std::round(params)), .tokens = "1M"});
    ASSERT_TRUE(job) << params << ": " << job.error().message;
    EXPECT_NEAR(training(*job).models.front().params(), params, 0.01 * params);
  }
}

}  // namespace
}  // namespace gpuplan
