#include "launch/work/arguments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "base/whole.h"
#include "launch/parts/interfaces.h"
#include "launch/work/trl.h"

namespace gpuplan {
namespace {

enum class Kind { kPositive, kNotNegative, kWhole, kCount, kShare, kTruth, kWord, kPlainWord };

/// Arguments that generated programs understand, under the names that people know them by.
struct Argument {
  std::string_view name;
  std::string_view names;  ///< squeezed, a blank before and after each
  Kind kind;
  bool adapters = false;  ///< of adapters alone
};
constexpr std::array<Argument, 13> kArguments = {{
    {"learning_rate", " learningrate lr ", Kind::kPositive},
    {"weight_decay", " weightdecay ", Kind::kNotNegative},
    {"warmup_steps", " warmupsteps lrwarmupiters warmupiters ", Kind::kWhole},
    {"warmup_ratio", " warmupratio lrwarmupfraction ", Kind::kShare},
    {"grad_clip", " gradclip clip clipgrad maxgradnorm maxnorm ", Kind::kNotNegative},
    {"seed", " seed ", Kind::kWhole},
    {"lora_alpha", " loraalpha ", Kind::kCount, true},
    {"lora_dropout", " loradropout ", Kind::kShare, true},
    {"use_rslora", " userslora peftuserslora ", Kind::kTruth, true},
    {"use_dora", " usedora peftusedora ", Kind::kTruth, true},
    {kProgramArgument, " program ", Kind::kWord},
    {kTemplateArgument, " template ", Kind::kPlainWord},
    {"temperature", " temperature ", Kind::kNotNegative},
}};

/// Names, squeezed, of what the plan decides, and what in the job decides it.
struct Planned {
  std::string_view names, key;
};
constexpr std::array<Planned, 18> kPlanned = {{
    {" maxsteps steps trainsteps trainiters trainsamples maxiters numiterations ", "train.steps"},
    {" numtrainepochs numepochs epochs ", "train.epochs"},
    {" perdevicetrainbatchsize pergputrainbatchsize microbatchsize microbatch devicebatchsize localbatchsize "
     "pipelineparallelmicrobatchsize autofindbatchsize ",
     "train.micro"},
    {" globalbatchsize trainbatchsize totalbatchsize batchsize ", "train.batch"},
    {" gradientaccumulationsteps gradientaccumulation gradaccum accumulate accumulation ", "train.accumulate"},
    {" sequence maxlength maxseqlength maxseqlen sequencelen sequencelength seqlength seqlen cutofflen blocksize ",
     "train.sequence"},
    {" bf16 fp16 tf32 fp8 fp8format fp8recipe fp4format precision mixedprecision mixedprecisionparam dtype torchdtype ",
     "train.precision"},
    {" optim optimizer optimizername adafactor ", "train.optimizer"},
    {" numgenerations generationbatchsize stepspergeneration maxcompletionlength rewardfuncs rewardmodelnameorpath "
     "usevllm "
     "vllmmode vllmgpumemoryutilization vllmtensorparallelsize vllmmaxmodellength vllmenablesleepmode "
     "vllmimportancesamplingcorrection ",
     "train.rollouts"},
    {" gradientcheckpointing disablegradientcheckpointing activationcheckpointing activationcheckpointmode "
     "recomputegranularity recomputemethod recomputenumlayers ",
     "train.recompute"},
    {" torchcompile compile compileenable ", "train.compile"},
    {" packing samplepacking neatpacking ", "train.data.packing"},
    {" attnimplementation flashattn attention ", "train.attention"},
    {" method usepeft adapter finetuningtype loadin4bit loadin8bit quantizationbit ", "train.method"},
    {" r rank lorar lorarank loratarget loratargetmodules loratargetlinear targetmodules ", "train.lora"},
    {" modelnameorpath basemodel numlayers hiddensize numattentionheads depth nlayer nhead nembd ", "train.model"},
    {" fsdp fsdpconfig deepspeed tensormodelparallelsize pipelinemodelparallelsize contextparallelsize "
     "expertmodelparallelsize tensorparallelsize tensorparalleldegree pipelineparalleldegree contextparalleldegree "
     "expertparalleldegree dataparallelsharddegree dataparallelreplicatedegree usedistributedoptimizer dpshardsize "
     "dpreplicatesize ",
     "train.parallel"},
    {" optimizercpuoffload enablecpuoffload cpuoffload activationoffloading ", "train.offload"},
}};
/// The same of keys beside `train`, and what no key decides.
constexpr std::array<Planned, 3> kBeside = {{
    {" savesteps savestrategy savetotallimit saveinterval saveevery checkpointinterval checkpointkeeplatestk ",
     "checkpoint: {every: ..., keep: ...} in the job"},
    {" evalsteps evalstrategy evaluationstrategy evalinterval evalevery evaliters ",
     "evaluate: {every: ...} in the job"},
    {" outputdir overwriteoutputdir loggingdir save load resumefromcheckpoint dumpfolder jobdumpfolder "
     "checkpointfolder modeltag outdir ",
     "GPUPLAN_RUNS, the folder of runs, where you start it"},
}};

/// The same of phases that generate.
constexpr std::array<Planned, 5> kServed = {{
    {" tensorparallelsize pipelineparallelsize dataparallelsize ", "generate.parallel in the job"},
    {" maxnumseqs ", "generate.batch in the job"},
    {" dtype quantization loadformat ", "generate.weights in the job"},
    {" kvcachedtype ", "generate.kv_cache in the job"},
    {" model tokenizermode speculativeconfig ", "generate.model or generate.speculative in the job"},
}};

/// What each program understands of kArguments, and the tables of data/interfaces, with a section each, that have what
/// else it takes.
struct Program {
  std::string_view name, understands;
  std::array<std::pair<std::string_view, std::string_view>, 3> tables{};
};
constexpr std::string_view kRates = " learning_rate weight_decay warmup_steps warmup_ratio grad_clip seed ";
constexpr std::string_view kAdapters =
    " learning_rate weight_decay warmup_steps warmup_ratio grad_clip seed lora_alpha lora_dropout use_rslora use_dora ";
constexpr std::string_view kTrainer =
    " learning_rate weight_decay warmup_steps warmup_ratio grad_clip seed lora_alpha lora_dropout use_rslora use_dora "
    "program ";
constexpr std::string_view kLlamaFactory =
    " learning_rate weight_decay warmup_steps warmup_ratio grad_clip seed lora_alpha lora_dropout use_rslora use_dora "
    "template ";
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTrainerTables = {
    {{"transformers", "TrainingArguments"}}};
constexpr std::array<Program, 17> kPrograms = {{
    {"torch", kRates},
    {"trl sft", kTrainer, {{{"trl", "sft"}, {"trl", "model"}, {"transformers", "TrainingArguments"}}}},
    {"trl dpo", kTrainer, {{{"trl", "dpo"}, {"trl", "model"}, {"transformers", "TrainingArguments"}}}},
    {"trl grpo", kTrainer, {{{"trl", "grpo"}, {"trl", "model"}, {"transformers", "TrainingArguments"}}}},
    {"hf-trainer", kTrainer, kTrainerTables},
    {"accelerate", kTrainer, kTrainerTables},
    {"deepspeed", kTrainer, kTrainerTables},
    {"unsloth",
     " learning_rate weight_decay warmup_steps warmup_ratio grad_clip seed lora_alpha lora_dropout use_rslora program ",
     kTrainerTables},
    {"megatron", " learning_rate weight_decay warmup_steps warmup_ratio grad_clip ", {{{"megatron", ""}}}},
    {"torchtitan", " learning_rate weight_decay warmup_steps warmup_ratio grad_clip ", {{{"torchtitan", "JobConfig"}}}},
    {"nanochat", " learning_rate warmup_steps warmup_ratio ", {{{"nanochat", "base_train"}}}},
    {"nanogpt", " learning_rate weight_decay warmup_steps warmup_ratio grad_clip "},
    {"axolotl", kAdapters},
    {"llama-factory", kLlamaFactory},
    {"vllm", " temperature ", {{{"vllm", "LLM"}}}},
    {"hf", " temperature "},
    {"hf-compiled", " temperature "},
}};

bool trains(const WorkPlace& place) { return std::holds_alternative<TrainPhase>(place.phase().work); }
bool adapts(const WorkPlace& place) { return trains(place) && trains_adapters(place.train()); }

bool among(std::string_view names, std::string_view name) {
  return !name.empty() && names.contains(" " + std::string(name) + " ");
}

const Argument* argument_of(std::string_view name) {
  const std::string plain = squeeze(name);
  const auto found = std::ranges::find_if(kArguments, [&](const Argument& known) { return among(known.names, plain); });
  return found == kArguments.end() ? nullptr : &*found;
}

const Program* program_of(const WorkPlace& place) {
  std::string_view name = place.estimate().framework != nullptr ? place.estimate().framework->name : std::string_view();
  if (name == "hf-trainer")
    if (const auto chosen = trainer_program(place); chosen && chosen->trl)
      name = place.train().rollouts ? "trl grpo" : place.train().objective == Objective::kDpo ? "trl dpo" : "trl sft";
  const auto found = std::ranges::find(kPrograms, name, &Program::name);
  return found == kPrograms.end() ? nullptr : &*found;
}

bool understands(const Program& program, const Argument* known) {
  return known != nullptr && among(program.understands, known->name);
}

/// The program's own row of that name; null: it has none, or tables tell nothing of it.
const InterfaceRow* row_of(const Program& program, std::string_view name) {
  for (const auto& [table, section] : program.tables)
    if (!table.empty())
      if (const InterfaceRow* row = interface_row(table, section, name)) return row;
  return nullptr;
}

std::optional<bool> truth(std::string_view text) {
  if (iequals(trim(text), "true")) return true;
  if (iequals(trim(text), "false")) return false;
  return std::nullopt;
}

bool countable(double value) { return value == std::floor(value) && std::abs(value) < 4294967296.0; }

/// What was expected instead; "" where the value is of that kind.
std::string_view not_of_kind(std::string_view value, Kind kind) {
  const auto number = argument_number(value);
  switch (kind) {
    case Kind::kPositive:
      return number && *number > 0 ? "" : "a number above 0, as in 2e-5";
    case Kind::kNotNegative:
      return number && *number >= 0 ? "" : "a number of 0 or more, as in 0.1";
    case Kind::kWhole:
      return number && *number >= 0 && countable(*number) ? "" : "a whole number of 0 or more, as in 100";
    case Kind::kCount:
      return number && *number > 0 && countable(*number) ? "" : "a whole number above 0, as in 16";
    case Kind::kShare:
      return number && *number >= 0 && *number < 1 ? "" : "a number from 0 to below 1, as in 0.05";
    case Kind::kTruth:
      return truth(value) ? "" : "true or false";
    case Kind::kWord:
      return "";
    case Kind::kPlainWord:
      return !value.empty() &&
                     std::ranges::all_of(
                         value, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; })
                 ? ""
                 : "one word, as in llama3";
  }
  return "";
}

/// The same of what the program itself says of its rows.
std::string not_of_row(std::string_view value, const InterfaceRow& row) {
  const auto has = [&](std::string_view kind) {
    return ("|" + row.type + "|").contains("|" + std::string(kind) + "|");
  };
  const auto number = argument_number(value);
  if (has("flag")) return truth(value) ? "" : "true or false";
  std::string expected;
  for (const auto& [kind, words, good] : {std::tuple{"bool", "true or false", truth(value).has_value()},
                                          std::tuple{"int", "a whole number", number && *number == std::floor(*number)},
                                          std::tuple{"float", "a number", number.has_value()}})
    if (has(kind)) {
      if (good) return "";
      if (std::string_view(kind) == "int" && has("float")) continue;
      expected += (expected.empty() ? "" : " or ") + std::string(words);
    }
  const bool choice = !row.choices.empty() && !has("list") && !has("any") && !has("dict");
  if (choice && !("|" + row.choices + "|").contains("|" + std::string(trim(value)) + "|")) {
    const auto choices = split(row.choices, '|');
    return "one of " + join(std::vector<std::string>(choices.begin(), choices.end()), ", ");
  }
  const bool other = has("str") || has("any") || has("list") || has("dict");
  return other || choice ? "" : expected;
}

std::unexpected<Error> refused(const WorkPlace& place, const std::string& name, const std::string& what) {
  return failure("phases." + printable(place.phase().name, 64) + ".args." + printable(name, 60) + ": " + what);
}

/// What decides it instead; "" where the plan does not. Flags of torchtitan have the section before the name.
std::string decided_by(const WorkPlace& place, std::string_view name) {
  const std::string plain = squeeze(name);
  if (!trains(place)) {
    for (const Planned& planned : kServed)
      if (among(planned.names, plain)) return std::string(planned.key);
    return "";
  }
  if (place.train().rollouts && plain == "beta") return "train.rollouts in the job";
  const std::string last = squeeze(name.substr(name.rfind('.') + 1));
  for (const Planned& planned : kPlanned)
    if (among(planned.names, plain) || among(planned.names, last)) return std::string(planned.key) + " in the job";
  for (const Planned& planned : kBeside)
    if (among(planned.names, plain)) return std::string(planned.key);
  return "";
}

std::vector<std::string> names_understood(const WorkPlace& place, const Program& program) {
  std::vector<std::string> names;
  for (const Argument& known : kArguments)
    if (understands(program, &known) && (!known.adapters || adapts(place))) names.emplace_back(known.name);
  return names;
}

/// ". Did you mean 'max_model_len'?", of what the program itself has; "" where nothing is near.
std::string meant(const Program& program, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& [table, section] : program.tables)
    for (const InterfaceRow* row : interface_rows(table, section))
      if (row->until.empty()) names.emplace_back(row->name);
  return did_you_mean(name, names);
}

/// Fails where vLLM would refuse the longest of the job's requests.
Result<void> check_length(const WorkPlace& place, const std::string& name, const std::string& value) {
  if (trains(place) || squeeze(name) != "maxmodellen") return {};
  const auto tokens = argument_number(value);
  const double longest = longest_request(place.generate());
  if (!tokens || *tokens >= longest) return {};
  return refused(place, name,
                 "the job's longest request has " + count_text(longest) + " tokens, prompt and answer; write " +
                     std::to_string(clamped<long long>(longest)) + " or more, or leave it out");
}

Result<void> check_argument(const WorkPlace& place, const Program& program, const std::string& name,
                            const std::string& value) {
  const std::string shown = place.estimate().framework->name;
  const Argument* known = argument_of(name);
  if (understands(program, known)) {
    if (known->adapters && !adapts(place))
      return refused(place, name,
                     "there are no adapters with method: " + std::string(name_of(place.train().method)) +
                         "; remove it, or set train.method: lora");
    if (const std::string_view expected = not_of_kind(value, known->kind); !expected.empty())
      return refused(place, name, "'" + printable(value, 40) + "' is not " + std::string(expected));
    return {};
  }
  if (const std::string instead = decided_by(place, name); !instead.empty())
    return refused(place, name, "the plan decides that; set " + instead);
  if (const InterfaceRow* row = row_of(program, name)) {
    if (const std::string expected = not_of_row(value, *row); !expected.empty())
      return refused(place, name, "'" + printable(value, 40) + "' is not " + expected);
    return check_length(place, name, value);
  }
  const bool settings = shown == "axolotl" || shown == "llama-factory";
  return refused(place, name,
                 "the generated " + std::string(settings ? "settings" : "script") + " for " + shown +
                     " does not support it (supported: " + listed(names_understood(place, program)) +
                     (program.tables.front().first.empty()
                          ? ""
                          : ", and what " + std::string(program.tables.front().first) + " itself has") +
                     "); set command: in the job file" + meant(program, name));
}

}  // namespace

Result<void> check_arguments(const WorkPlace& place) {
  const Program* program = program_of(place);
  if (program == nullptr) return {};
  std::vector<const Argument*> met;
  for (const auto& [name, value] : place.phase().args) {
    if (auto good = check_argument(place, *program, name, value); !good) return good;
    const Argument* known = argument_of(name);
    if (known == nullptr) continue;
    const auto same = [&](const Argument* other) {
      return other == known || (other->name.starts_with("warmup") && known->name.starts_with("warmup"));
    };
    if (const auto other = std::ranges::find_if(met, same); other != met.end())
      return refused(place, name, "args has " + std::string((*other)->name) + " as well; use one of them");
    met.push_back(known);
  }
  return {};
}

std::optional<double> argument_number(std::string_view text) {
  const std::string plain(trim(text));
  if (plain.empty() || plain.find_first_not_of("0123456789.eE+-") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(plain.c_str(), &end);
  return end == plain.c_str() + plain.size() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> argument(const WorkPlace& place, std::string_view name) {
  for (const auto& [written, value] : place.phase().args)
    if (const Argument* known = argument_of(written); known != nullptr && known->name == name)
      return argument_number(value);
  return std::nullopt;
}

std::string word_argument(const WorkPlace& place, std::string_view name) {
  for (const auto& [written, value] : place.phase().args)
    if (const Argument* known = argument_of(written); known != nullptr && known->name == name)
      return std::string(trim(value));
  return "";
}

double number_argument(const WorkPlace& place, std::string_view name, double otherwise) {
  return argument(place, name).value_or(otherwise);
}

bool argument_says(const WorkPlace& place, std::string_view name) {
  return std::ranges::any_of(place.phase().args, [&](const auto& written) {
    const Argument* known = argument_of(written.first);
    return known != nullptr && known->name == name && truth(written.second).value_or(false);
  });
}

int warm_up_steps(const WorkPlace& place, int otherwise) {
  if (const auto ratio = argument(place, "warmup_ratio")) return clamped<int>(std::ceil(*ratio * steps_of(place)));
  return clamped<int>(number_argument(place, "warmup_steps", otherwise));
}

AdapterNumbers adapter_numbers(const WorkPlace& place) {
  return {clamped<int>(number_argument(place, "lora_alpha", 2.0 * place.train().lora.rank)),
          number_argument(place, "lora_dropout", 0), argument_says(place, "use_rslora"),
          argument_says(place, "use_dora")};
}

std::vector<PassedOn> passed_on(const WorkPlace& place) {
  std::vector<PassedOn> passed;
  const Program* program = program_of(place);
  if (program == nullptr) return passed;
  for (const auto& [name, value] : place.phase().args) {
    if (understands(*program, argument_of(name))) continue;
    const InterfaceRow* row = row_of(*program, name);
    if (row != nullptr) passed.push_back({row->name, value});
  }
  return passed;
}

std::vector<std::string> flag_words(const WorkPlace& place) {
  std::vector<std::string> words;
  const Program* program = program_of(place);
  for (const auto& [name, value] : passed_on(place)) {
    const std::string flag = name.starts_with("--") ? name : "--" + name;
    const InterfaceRow* row = row_of(*program, name);
    const bool dotted = name.find('.') != std::string::npos;  // torchtitan, whose parser is tyro
    if (row->type == "flag" || (dotted && row->type == "bool")) {
      if (truth(value).value_or(false)) words.push_back(bash_word(flag));
      else if (dotted) words.push_back(bash_word(std::string(flag).insert(flag.rfind('.') + 1, "no-")));
    } else {
      words.push_back(bash_word(flag) + "=" + bash_word(value));
    }
  }
  return words;
}

void write_arguments(JsonWriter& json, const std::vector<PassedOn>& passed) {
  for (const auto& [name, value] : passed) {
    json.key(name);
    if (const auto number = argument_number(value)) {
      // 8 stays a whole number: Python tells them apart.
      if (std::abs(*number) < 1e15 && *number == std::floor(*number)) json.value(static_cast<long long>(*number));
      else json.value(*number);
    } else if (const auto said = truth(value)) {
      json.value(*said);
    } else {
      json.value(value);
    }
  }
}

}  // namespace gpuplan
