#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/options_answers.h"
#include "cli/options_help.h"

namespace gpuplan::cli {
namespace {

/// The command line as CLI11 knows it, and the structs that it fills.
class CommandLine {
 public:
  CommandLine();
  std::expected<Request, Answer> read(std::vector<std::string> words);

 private:
  CLI::App* command(Verb verb, const char* name, const char* description, const std::string& examples);
  void plan();
  void fit();
  void gpus();
  void offers();
  void model();
  void schema();

  const CLI::App* chosen() const;

  CLI::App app_{
      "gpuplan predicts memory, time and cost of training and generation on GPUs that can be rented or are at\n"
      "hand, keeps the plans that nothing else beats, recommends one and says why. It works offline.",
      "gpuplan"};
  Request request_;
  std::vector<std::pair<CLI::App*, Verb>> verbs_;
};

void output_options(CLI::App* app, Common& common) {
  app->add_flag("--json", common.json, "JSON in place of a table");
  app->add_option("-o,--output", common.output, "write the result to a file (complete, or not at all)")
      ->option_text("FILE");
  app->add_flag("--no-color", common.no_color, "no colour; NO_COLOR in the environment does the same");
}

void data_option(CLI::App* app, Common& common) {
  app->add_option("--data", common.data_folder,
                  "folder whose gpus.csv, offers.csv, ... take the place of the built-in ones")
      ->option_text("DIR");
}

void all_flag(CLI::App* app, Common& common, const char* help) { app->add_flag("--all", common.all, help); }

void price_options(CLI::App* app, std::vector<std::string>& files, std::vector<std::string>& rates) {
  app->add_option("--prices", files,
                  "price list that takes the place of the market; columns gpu, gpus, price_per_hour and more; may be "
                  "given again")
      ->option_text("FILE.csv")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--rate", rates, "dollars for one unit of another currency of a price list, such as EUR=1.08")
      ->option_text("CODE=RATE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// CLI11 reads -1 as a large unsigned number.
std::string whole_number(const std::string& text) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits && text.size() < 20 ? "" : "expected a whole number from 0, got '" + printable(text, 40) + "'";
}

void set_option(CLI::App* app, std::vector<std::string>& settings) {
  app->add_option(
         "--set", settings,
         "change a value of the job, such as phases.train.train.epochs=3 or limits.deadline=\"12 h\"; may be given "
         "again")
      ->option_text("ADDRESS=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

constexpr const char* kHowToReadPlans =
    "How to read the table:\n"
    "  HOURS, COST    medians from the first start to the last result; P10 … P90 holds 8 of 10 outcomes\n"
    "  $/HOUR SAVED   what an hour less costs, against the plan above\n"
    "  IN TIME        chance to keep the deadline\n"
    "  MEMORY A GPU   needed of usable, on the fullest GPU; tight: only the median fits\n"
    "  EVIDENCE       given: the job's own figures; model: gpuplan's prediction; !: they are far apart\n"
    "  ✔              the pick, for the job's goal and within its limits\n"
    "  dominated      another plan is as fast and cheaper, or as cheap and faster\n";

CommandLine::CommandLine() {
  app_.formatter(help_formatter());
  app_.set_help_flag("-h,--help", "this text");
  app_.set_version_flag("--version", "gpuplan " GPUPLAN_VERSION, "print the version");
  app_.require_subcommand(1);
  app_.footer(
      "  gpuplan plan examples/collection.yaml       which GPUs to rent for a job, and why\n"
      "  gpuplan plan job.yaml --set limits.deadline=\"12 h\" --explain\n"
      "  gpuplan fit Llama-3.1-8B                    which GPUs hold a model, for training and generation\n"
      "  gpuplan gpus \"memory>=80\"                   hardware; gpuplan offers H100 lists prices\n"
      "  gpuplan model Qwen2.5-7B                    shape, parameters, bytes\n");
  plan();
  fit();
  gpus();
  offers();
  model();
  schema();
}

CLI::App* CommandLine::command(Verb verb, const char* name, const char* description, const std::string& examples) {
  CLI::App* app = app_.add_subcommand(name, description);
  app->footer(examples);
  verbs_.emplace_back(app, verb);
  return app;
}

void CommandLine::plan() {
  PlanOptions& options = request_.plan;
  CLI::App* app = command(Verb::kPlan, "plan", "which GPUs to rent for a job: plans, what beats what, a pick and why",
                          "  gpuplan plan examples/collection.yaml\n"
                          "  gpuplan plan job.yaml --prices offers.csv --json | jq .recommendations\n"
                          "  gpuplan plan job.yaml --set limits.budget='$50' --set where.spot=allow\n"
                          "  generate-job | gpuplan plan -\n" +
                              with_notes(kHowToReadPlans));
  app->add_option("job", options.job, "job file (YAML or JSON), or - for standard input")
      ->option_text("JOB")
      ->required();
  set_option(app, options.set);
  price_options(app, options.prices, options.rates);
  all_flag(app, options.common, "every plan, the dominated ones too");
  app->add_flag("--explain", options.common.explain,
                "every term of time, memory and money, with its formula and source");
  app->add_option("--ignore", options.ignore, "given: let the model answer where the job brings figures of its own")
      ->option_text("given")
      ->check(CLI::IsMember({"given"}));
  app->add_option("--as-of", options.as_of, "use the market as it was known then")->option_text("YYYY-MM[-DD]");
  app->add_option("--jobs", options.common.jobs, "threads; as many as there are cores unless given")
      ->option_text("N")
      ->check(CLI::Range(1, 1024));
  app->add_option("--seed", options.common.seed, "of the random numbers; the same seed gives the same plans")
      ->option_text("N")
      ->check(whole_number);
  output_options(app, options.common);
  data_option(app, options.common);
}

void CommandLine::fit() {
  FitOptions& options = request_.fit;
  CLI::App* app = command(Verb::kFit, "fit", "memory a GPU, largest batch, which GPUs hold a model or a job",
                          "  gpuplan fit Llama-3.1-8B\n"
                          "  gpuplan fit Qwen2.5-32B --gpu \"RTX 4090\" --counts 1,2,4,8\n"
                          "  gpuplan fit job.yaml --json\n");
  app->add_option("subject", options.subject, "model name, path of a model, or job file")
      ->option_text("MODEL|JOB")
      ->required();
  app->add_option("--gpu", options.gpu, "this GPU only")->option_text("NAME");
  app->add_option("--counts", options.counts, "GPUs in one machine, such as 1,2,4,8")
      ->option_text("N,N")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::Range(1, 1024));
  set_option(app, options.set);
  all_flag(app, options.common, "every GPU of the catalogue, those that hold nothing too");
  app->add_flag("--explain", options.common.explain, "every term of the memory, with its formula and source");
  output_options(app, options.common);
  data_option(app, options.common);
}

void CommandLine::gpus() {
  FilterOptions& options = request_.filter;
  CLI::App* app = command(Verb::kGpus, "gpus", "hardware: memory, bandwidth, speed, links",
                          "  gpuplan gpus\n"
                          "  gpuplan gpus \"memory>=40\" \"vendor=amd\"\n"
                          "  gpuplan gpus H100 --json\n");
  app->add_option("filter", options.filter, "words of the name, or conditions such as memory>=40")
      ->option_text("FILTER...");
  all_flag(app, options.common, "every row");
  output_options(app, options.common);
  data_option(app, options.common);
}

void CommandLine::offers() {
  FilterOptions& options = request_.filter;
  CLI::App* app = command(Verb::kOffers, "offers", "market: what can be rented, for how much, as of when",
                          "  gpuplan offers\n"
                          "  gpuplan offers H100 \"gpus=8\"\n"
                          "  gpuplan offers --prices offers.csv --rate EUR=1.08\n");
  app->add_option("filter", options.filter, "words, or conditions such as gpus=8")->option_text("FILTER...");
  price_options(app, options.prices, options.rates);
  all_flag(app, options.common, "every row");
  output_options(app, options.common);
  data_option(app, options.common);
}

void CommandLine::model() {
  ModelOptions& options = request_.model;
  CLI::App* app = command(Verb::kModel, "model", "shape, parameters, bytes, cache bytes a token",
                          "  gpuplan model Llama-3.1-8B\n"
                          "  gpuplan model ./my-model/config.json\n"
                          "  gpuplan model weights.gguf --json\n");
  app->add_option("model", options.model, "model name, config.json, folder, .safetensors or .gguf")
      ->option_text("NAME|PATH")
      ->required();
  output_options(app, options.common);
  data_option(app, options.common);
}

void CommandLine::schema() {
  SchemaOptions& options = request_.schema;
  CLI::App* app = command(Verb::kSchema, "schema", "every key of the job file: JSON Schema, or one key explained",
                          "  gpuplan schema > job.schema.json\n"
                          "  gpuplan schema limits.deadline\n"
                          "  gpuplan schema --markdown\n");
  app->add_option("key", options.key, "address of a key, such as limits.deadline")->option_text("KEY");
  app->add_flag("--markdown", options.markdown, "the documentation of all keys");
}

/// The command whose words are being read; the program itself before any.
const CLI::App* CommandLine::chosen() const {
  for (const auto& [app, verb] : verbs_)
    if (app->parsed()) return app;
  return &app_;
}

std::expected<Request, Answer> CommandLine::read(std::vector<std::string> words) {
  if (words.empty()) return std::unexpected(Answer{kDone, app_.help()});
  if (words.front() == "help") {  // "gpuplan help plan" is what some programs understand
    words.erase(words.begin());
    words.resize(std::min<std::size_t>(words.size(), 1));
    words.emplace_back("--help");
  }
  if (!words.front().starts_with('-')) {
    std::vector<std::string> names;
    for (const auto& [app, verb] : verbs_) names.push_back(app->get_name());
    if (std::ranges::find(names, words.front()) == names.end())
      return std::unexpected(Answer{kUsage, unknown_command(words.front(), names)});
  }
  try {
    std::ranges::reverse(words);  // CLI11 takes them from the back
    app_.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return std::unexpected(answer_to(error, app_, *chosen()));
  }
  for (const auto& [app, verb] : verbs_)
    if (app->parsed()) request_.verb = verb;
  return request_;
}

}  // namespace

std::expected<Request, Answer> read_options(int argc, const char* const* argv) {
  CommandLine line;
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  return line.read(argc > 1 ? std::vector<std::string>{words.begin() + 1, words.end()} : std::vector<std::string>{});
}

}  // namespace gpuplan::cli
