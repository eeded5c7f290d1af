#include "api/door_question.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "api/flags.h"
#include "base/digits/decimal.h"
#include "base/text.h"
#include "input/claims/claims_file.h"
#include "input/text/json_text.h"
#include "spot/policies.h"

namespace gpuplan::api {
namespace {

constexpr const char* kName = "question";
constexpr JsonLimits kLimits{.bytes = 80'000'000, .values = 4'000'000};
constexpr int kMostThreads = 1024;

Result<std::string> text_of(const Tree& tree) {
  if (!tree.is_scalar() || !tree.quoted) return failure(tree.key + ": expected text, got " + got_text(tree), {kName});
  return tree.text;
}

Result<bool> flag_of(const Tree& tree) {
  if (tree.is_scalar() && !tree.quoted && (tree.text == "true" || tree.text == "false")) return tree.text == "true";
  return failure(tree.key + ": expected true or false, got " + got_text(tree), {kName});
}

Result<double> number_of(const Tree& tree, double least, double most) {
  double number = 0;
  if (tree.is_scalar() && !tree.quoted) {
    const char* const last = tree.text.data() + tree.text.size();
    const auto end = read_number(tree.text.data(), last, number);
    if (end.ec == std::errc{} && end.ptr == last && number >= least && number <= most) return number;
  }
  return failure(tree.key + ": expected a number from " + number_text(least) + " to " + number_text(most) + ", got " +
                     got_text(tree),
                 {kName});
}

Result<std::vector<std::string>> texts_of(const Tree& tree) {
  if (!tree.is_list()) return failure(tree.key + ": expected a list of strings, got " + got_text(tree), {kName});
  std::vector<std::string> texts;
  for (const Tree& child : tree.children) {
    if (!child.is_scalar() || !child.quoted)
      return failure(tree.key + ": expected strings in the list, got " + got_text(child), {kName});
    texts.push_back(child.text);
  }
  return texts;
}

/// A text, or a list of them.
Result<std::vector<std::string>> text_or_texts_of(const Tree& tree) {
  if (!tree.is_scalar()) return texts_of(tree);
  auto text = text_of(tree);
  if (!text) return std::unexpected(std::move(text.error()));
  return std::vector{*std::move(text)};
}

Result<std::vector<NamedText>> files_of(const Tree& tree) {
  if (!tree.is_map()) return failure(tree.key + ": expected names with their texts, got " + got_text(tree), {kName});
  std::vector<NamedText> files;
  for (const Tree& child : tree.children) {
    auto text = text_of(child);
    if (!text) return std::unexpected(std::move(text.error()));
    files.push_back({child.key, *std::move(text)});
  }
  return files;
}

/// A text that is called as its key, or names with their texts.
Result<std::vector<NamedText>> file_or_files_of(const Tree& tree) {
  if (!tree.is_scalar()) return files_of(tree);
  auto text = text_of(tree);
  if (!text) return std::unexpected(std::move(text.error()));
  return std::vector{NamedText{tree.key, *std::move(text)}};
}

/// Of all values of an enum.
template <class Enum>
std::vector<std::string> names_of() {
  const auto names = all_names<Enum>();
  return {names.begin(), names.end()};
}

/// Reads one key after the other; the first mistake stays.
class DoorReader {
 public:
  explicit DoorReader(const Tree& tree) : tree_(tree) {}

  Result<DoorQuestion> read() {
    if (!tree_.is_map())
      return failure("expected an object such as {\"ask\": \"plan\", \"job\": ...}, got " + got_text(tree_), {kName});
    const Tree* ask = tree_.find("ask");
    const auto what = ask != nullptr && ask->is_scalar() ? from_name<Ask>(ask->text) : std::nullopt;
    if (!what) {
      return failure("ask: expected " + listed(names_of<Ask>(), "or") + ", got " +
                         (ask == nullptr ? std::string("nothing") : got_text(*ask)),
                     {kName});
    }
    question_.ask = *what;
    question_.request.model_files = ModelFiles::kRefuse;
    std::string name = "job";
    if (const Tree* named = tree_.find("name")) take(name, text_of(*named));
    for (const Tree& child : tree_.children) {
      if (error_) break;
      if (child.key != "ask" && child.key != "name") read_key(child, name);
    }
    if (error_) return std::unexpected(*std::move(error_));
    return std::move(question_);
  }

 private:
  struct Key {
    std::string_view name;
    std::string_view asks;  ///< the questions that take it
    void (DoorReader::*read)(const Tree&);
  };
  static constexpr std::string_view kFlags = "plan whatif sensitivity fit profiles simulate launch report";
  static constexpr std::string_view kJob = "plan whatif sensitivity fit profiles simulate launch report check audit";
  static constexpr std::string_view kSearch = "plan whatif sensitivity profiles simulate launch report check";
  static constexpr std::string_view kMarket = "plan whatif sensitivity profiles simulate launch report check offers";
  static const std::array<Key, 47> kKeys;

  template <class Target, class Value>
  void take(Target& target, Result<Value>&& value) {
    if (value) target = static_cast<Target>(*std::move(value));
    else if (!error_) error_ = std::move(value.error());
  }

  /// A text that is called as its key.
  void take_file(std::optional<NamedText>& target, const Tree& tree) {
    std::string text;
    take(text, text_of(tree));
    target = NamedText{tree.key, std::move(text)};
  }

  void expect_known(const std::string& key, const std::vector<std::string>& names,
                    const std::vector<std::string>& known) {
    for (const std::string& name : names)
      if (!error_ && std::ranges::find(known, name) == known.end())
        error_ = Error{key + ": expected " + listed(known, "or") + ", got '" + printable(name, 40) + "'", {kName}};
  }

  void read_key(const Tree& child, const std::string& name) {
    const std::string_view asked = name_of(question_.ask);
    std::vector<std::string> known{"ask", "name"};
    for (const Key& key : kKeys) {
      const std::vector<std::string_view> asks = split(key.asks, ' ');
      const bool takes = key.asks.empty() || std::ranges::find(asks, asked) != asks.end();
      if (takes) known.emplace_back(key.name);
      if (key.name != child.key || !takes) continue;
      (this->*key.read)(child);
      if (child.key == "job" && question_.request.job) question_.request.job->name = name;
      return;
    }
    error_ = Error{printable(child.key, 40) + ": unknown key for the question " + std::string(asked) + "; expected " +
                       listed(known, "or"),
                   {kName}};
  }

  void read_job(const Tree& tree) {
    if (tree.is_map()) question_.request.job = NamedText{"", flow_text(tree)};
    else if (tree.is_scalar() && tree.quoted) question_.request.job = NamedText{"", tree.text};
    else error_ = Error{"job: expected the text of a job or an object, got " + got_text(tree), {kName}};
  }
  void read_flags(const Tree& tree) {
    if (!tree.is_map()) {
      error_ = Error{"flags: expected names with their values, got " + got_text(tree), {kName}};
      return;
    }
    for (const Tree& child : tree.children) {
      if (question_.ask == Ask::kSimulate && read_spot_flag(child)) continue;
      const std::vector<Tree> values = child.is_list() ? child.children : std::vector<Tree>{child};
      for (const Tree& value : values) {
        if (!value.is_scalar()) error_ = Error{child.key + ": expected text, got " + got_text(value), {kName}};
        else if (auto set = set_flag(child.key, value.text, question_.request.sketch, question_.request.wishes); !set)
          error_ = std::move(set.error());
        if (error_) return;
      }
    }
  }
  /// False: it is none.
  bool read_spot_flag(const Tree& tree) {
    for (const SpotFlag& flag : spot_flags()) {
      if (flag.name.substr(2) != tree.key) continue;
      if (tree.is_scalar()) question_.simulate.*flag.text = tree.text;
      else if (!error_) error_ = Error{tree.key + ": expected text, got " + got_text(tree), {kName}};
      return true;
    }
    return false;
  }
  void read_set(const Tree& tree) { take(question_.request.set, texts_of(tree)); }
  void read_vary(const Tree& tree) { take(question_.vary, texts_of(tree)); }
  void read_by(const Tree& tree) { take(question_.by, number_of(tree, 0.001, 0.999)); }
  void read_prices(const Tree& tree) { take(question_.request.prices, files_of(tree)); }
  void read_rates(const Tree& tree) { take(question_.request.rates, texts_of(tree)); }
  void read_as_of(const Tree& tree) { take(question_.request.as_of, text_of(tree)); }
  void read_today(const Tree& tree) { take(question_.request.today, text_of(tree)); }
  void read_ignore(const Tree& tree) {
    std::string what;
    take(what, text_of(tree));
    if (!error_ && what != "given")
      error_ = Error{"ignore: expected given, got '" + printable(what, 40) + "'", {kName}};
    question_.request.how.ignore_given = true;
  }
  void read_threads(const Tree& tree) { take(question_.request.how.threads, number_of(tree, 1, kMostThreads)); }
  void read_seed(const Tree& tree) { take(question_.request.how.seed, number_of(tree, 0, 1e15)); }
  void read_all(const Tree& tree) { take(question_.all, flag_of(tree)); }
  void read_explain(const Tree& tree) { take(question_.explain, flag_of(tree)); }
  void read_show(const Tree& tree) { take(question_.show, texts_of(tree)); }
  void read_filter(const Tree& tree) { take(question_.filter, texts_of(tree)); }
  void read_model(const Tree& tree) { take(question_.model, text_of(tree)); }
  void read_phase(const Tree& tree) { take(question_.phase, text_of(tree)); }
  void read_plan(const Tree& tree) {
    take(question_.plans, text_or_texts_of(tree));
    if (!error_ && question_.ask != Ask::kLaunch && question_.plans.size() > 1)
      error_ = Error{"plan: expected one plan, got " + std::to_string(question_.plans.size()), {kName}};
  }
  void read_policies(const Tree& tree) {
    take(question_.simulate.policies, texts_of(tree));
    std::vector<std::string> known = names_of<SpotPolicy>();
    known.emplace_back("all");
    expect_known(tree.key, question_.simulate.policies, known);
  }
  void read_traces(const Tree& tree) { take(question_.traces, files_of(tree)); }
  void read_starts(const Tree& tree) { take_file(question_.starts, tree); }
  void read_machines(const Tree& tree) { take(question_.simulate.machines, number_of(tree, 1, 100'000)); }
  void read_trials(const Tree& tree) { take(question_.simulate.trials, number_of(tree, 1, 1'000'000)); }
  void read_slices(const Tree& tree) { take(question_.simulate.slices, number_of(tree, 1, 1000)); }
  void read_log(const Tree& tree) { take(question_.logs, file_or_files_of(tree)); }
  void read_text(const Tree& tree) { take_file(question_.text, tree); }
  void read_form(const Tree& tree) {
    take(question_.form, text_of(tree));
    expect_known(tree.key, {question_.form}, names_of<ClaimsForm>());
  }
  void read_to(const Tree& tree) { take(question_.to, text_of(tree)); }
  void read_folder(const Tree& tree) { take(question_.folder, text_of(tree)); }
  void read_allow_tight(const Tree& tree) { take(question_.allow_tight, flag_of(tree)); }
  void read_smoke(const Tree& tree) { take(question_.smoke, flag_of(tree)); }
  void read_arguments(const Tree& tree) { take(question_.arguments, text_of(tree)); }
  void read_sensitivity(const Tree& tree) { take(question_.sensitivity, flag_of(tree)); }
  void read_own_runs(const Tree& tree) { take_file(question_.own_runs, tree); }
  void read_runs(const Tree& tree) { take_file(question_.runs, tree); }
  void read_kind(const Tree& tree) {
    take(question_.kind, text_of(tree));
    expect_known(tree.key, {question_.kind}, {"training", "generation"});
  }
  void read_metric(const Tree& tree) {
    take(question_.validate.metric, text_of(tree));
    expect_known(tree.key, {question_.validate.metric}, names_of<Judged>());
  }
  void read_group(const Tree& tree) {
    take(question_.validate.by, texts_of(tree));
    expect_known(tree.key, question_.validate.by, names_of<Grouping>());
  }
  void read_sources(const Tree& tree) { take(question_.validate.sources, texts_of(tree)); }
  void read_run(const Tree& tree) { take(question_.validate.run, text_of(tree)); }
  void read_worst(const Tree& tree) { take(question_.validate.worst, number_of(tree, 0, 100'000)); }
  void read_left_out(const Tree& tree) { take(question_.validate.left_out, flag_of(tree)); }
  void read_pairs(const Tree& tree) { take(question_.validate.pairs, flag_of(tree)); }
  void read_calibrate(const Tree& tree) { take(question_.validate.own, number_of(tree, 1, 16)); }
  void read_first_contact(const Tree& tree) { take(question_.validate.first_contact, flag_of(tree)); }
  void read_data(const Tree& tree) { take(question_.data, files_of(tree)); }

  const Tree& tree_;
  DoorQuestion question_{};
  std::optional<Error> error_{};
};

constexpr std::array<DoorReader::Key, 47> DoorReader::kKeys = {{
    {"job", kJob, &DoorReader::read_job},
    {"flags", kFlags, &DoorReader::read_flags},
    {"set", kJob, &DoorReader::read_set},
    {"vary", "whatif", &DoorReader::read_vary},
    {"by", "sensitivity", &DoorReader::read_by},
    {"prices", kMarket, &DoorReader::read_prices},
    {"rates", kMarket, &DoorReader::read_rates},
    {"as_of", kSearch, &DoorReader::read_as_of},
    {"today", kMarket, &DoorReader::read_today},
    {"ignore", kSearch, &DoorReader::read_ignore},
    {"threads", kSearch, &DoorReader::read_threads},
    {"seed", kSearch, &DoorReader::read_seed},
    {"all", "plan fit profiles offers validate", &DoorReader::read_all},
    {"explain", "plan fit", &DoorReader::read_explain},
    {"show", "plan", &DoorReader::read_show},
    {"phase", "profiles check", &DoorReader::read_phase},
    {"plan", "simulate launch check", &DoorReader::read_plan},
    {"policies", "simulate", &DoorReader::read_policies},
    {"traces", "simulate", &DoorReader::read_traces},
    {"starts", "simulate", &DoorReader::read_starts},
    {"machines", "simulate", &DoorReader::read_machines},
    {"trials", "simulate", &DoorReader::read_trials},
    {"slices", "simulate", &DoorReader::read_slices},
    {"to", "launch", &DoorReader::read_to},
    {"folder", "launch", &DoorReader::read_folder},
    {"allow_tight", "launch", &DoorReader::read_allow_tight},
    {"smoke", "launch", &DoorReader::read_smoke},
    {"log", "check", &DoorReader::read_log},
    {"text", "audit", &DoorReader::read_text},
    {"form", "audit", &DoorReader::read_form},
    {"arguments", "report", &DoorReader::read_arguments},
    {"sensitivity", "report", &DoorReader::read_sensitivity},
    {"own_runs", kJob, &DoorReader::read_own_runs},
    {"runs", "validate", &DoorReader::read_runs},
    {"kind", "validate", &DoorReader::read_kind},
    {"metric", "validate", &DoorReader::read_metric},
    {"group", "validate", &DoorReader::read_group},
    {"sources", "validate", &DoorReader::read_sources},
    {"run", "validate", &DoorReader::read_run},
    {"worst", "validate", &DoorReader::read_worst},
    {"left_out", "validate", &DoorReader::read_left_out},
    {"pairs", "validate", &DoorReader::read_pairs},
    {"calibrate", "validate", &DoorReader::read_calibrate},
    {"first_contact", "validate", &DoorReader::read_first_contact},
    {"filter", "gpus offers", &DoorReader::read_filter},
    {"model", "model", &DoorReader::read_model},
    {"data", "", &DoorReader::read_data},
}};

}  // namespace

Result<DoorQuestion> read_door_question(std::string_view json) {
  const auto tree = parse_json(json, kName, kLimits);
  if (!tree) return std::unexpected(tree.error());
  return DoorReader(*tree).read();
}

}  // namespace gpuplan::api
