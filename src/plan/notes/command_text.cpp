#include "plan/notes/command_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/math.h"
#include "base/shell/shell_text.h"
#include "base/shell/shell_words.h"
#include "base/text.h"
#include "base/whole.h"
#include "plan/strategy/checkpoints.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {
namespace {

constexpr std::array<CommandVariable, 22> kVariables = {{
    {"gpus", "GPUs of one machine"},
    {"nodes", "machines"},
    {"world", "GPUs of all machines"},
    {"micro", "micro-batch per GPU, or concurrent requests per replica"},
    {"accumulate", "gradient accumulation steps"},
    {"batch", "global batch in sequences, or concurrent requests over all replicas"},
    {"steps", "optimizer steps"},
    {"sequence", "sequence length in tokens"},
    {"precision", "bf16, fp16, fp8, ...: of training, or of the weights when generating"},
    {"sharding", "none, zero1, zero2, zero3 or hsdp"},
    {"recompute", "none, selective or full"},
    {"dp", "data-parallel degree, or replicas"},
    {"tp", "tensor-parallel degree"},
    {"pp", "pipeline stages"},
    {"cp", "context-parallel degree"},
    {"ep", "expert-parallel degree"},
    {"profile", "the machine in one word, as `gpuplan profiles` lists it, or its value in `profiles` of the phase"},
    {"phase", "name of the phase"},
    {"checkpoint_steps", "optimizer steps between checkpoints"},
    {"checkpoints", "folder for checkpoints"},
    {"run", "folder of the phase's run"},
    {"args", "the phase's `args` that the command does not use, as --name=value"},
}};

constexpr bool in_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
constexpr bool starts_word(char c) { return in_word(c) && !is_digit(c); }

/// A reference to a variable of the shell as one word, whatever quotes it stands in.
std::string reference(std::string_view variable, ShellQuote quote) {
  std::string name = "${" + std::string(variable) + "}";
  if (quote == ShellQuote::kSingle) return "'\"" + name + "\"'";
  if (quote == ShellQuote::kNone) return "\"" + name + "\"";
  return name;
}

/// For each '{' the position of the '}' that closes it, else the end of the text.
std::vector<std::size_t> closings(std::string_view text) {
  std::vector<std::size_t> result(text.size(), text.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') open.push_back(i);
    if (text[i] != '}' || open.empty()) continue;
    result[open.back()] = i;
    open.pop_back();
  }
  return result;
}

/// Whether the command sets this argument itself: "--batch_size" or "--batch-size", or "batch_size=" without dashes.
bool names(std::string_view command, std::string_view argument) {
  const auto plain = [](std::string_view text) {
    std::string result(text);
    std::ranges::replace(result, '_', '-');
    return result;
  };
  const std::string text = plain(command);
  const std::string word = plain(argument);
  if (word.empty()) return true;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const char after = end < text.size() ? text[end] : ' ';
    const bool whole = !in_word(after) && after != '-' && after != '.';
    const bool dashes = at >= 2 && text[at - 1] == '-' && text[at - 2] == '-';
    const bool assigned = after == '=' && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n');
    if (whole && (dashes || assigned)) return true;
  }
  return false;
}

/// What the command's program calls the machine: by the name of the profile, else by that of its GPU.
std::string program_profile(const Phase& phase, const PhaseEstimate& estimate, const std::string& profile) {
  const auto by_name = std::ranges::find(phase.profiles, profile, [](const auto& entry) { return entry.first; });
  if (by_name != phase.profiles.end()) return by_name->second;
  if (!estimate.node || estimate.node->gpu == nullptr) return profile;
  const auto by_gpu =
      std::ranges::find(phase.profiles, estimate.node->gpu->name, [](const auto& entry) { return entry.first; });
  return by_gpu != phase.profiles.end() ? by_gpu->second : profile;
}

class Filler {
 public:
  Filler(const Phase& phase, const PhaseEstimate& estimate, const std::string& profile)
      : phase_(phase), estimate_(estimate), profile_(profile) {}

  FilledCommand fill() {
    const std::string_view text = phase_.command;
    for (const auto& [name, value] : phase_.args)
      if (!names(text, name)) result_.appended.push_back(argument(name, value));
    const std::vector<std::size_t> closing = closings(text);
    std::vector<bool> dropped(text.size(), false);
    std::vector<bool> literal(text.size(), false);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (dropped[i]) continue;
      if (text[i] == '{' && !literal[i]) {
        const bool shell = i > 0 && text[i - 1] == '$';
        const bool twice =
            i + 1 < text.size() && text[i + 1] == '{' && closing[i] < text.size() && closing[i + 1] + 1 == closing[i];
        if (!shell && twice) {
          literal[i + 1] = true;
          dropped[closing[i]] = true;
          continue;
        }
        if (!shell && variable(text, i)) {
          shell_.pass();
          i = text.find('}', i);
          continue;
        }
      }
      shell_.read(text[i]);
      result_.text += text[i];
    }
    if (args_used_) result_.appended.clear();
    return std::move(result_);
  }

 private:
  static std::string argument(std::string_view name, std::string_view value) {
    return bash_word("--" + std::string(name)) + "=" + bash_word(value);
  }

  /// Writes the value of the variable whose '{' is at `at`; false when there is none.
  bool variable(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end == at + 1 || end == text.size() || text[end] != '}' || !starts_word(text[at + 1])) return false;
    const std::string_view name = text.substr(at + 1, end - at - 1);
    const ShellQuote quote = shell_.comment() ? ShellQuote::kDouble : shell_.quote();
    if (std::ranges::find(kVariables, name, &CommandVariable::name) == kVariables.end()) {
      if (std::ranges::find(result_.unknown, name) == result_.unknown.end()) result_.unknown.emplace_back(name);
      return false;
    }
    if (name == "checkpoints") result_.text += reference("GPUPLAN_CHECKPOINTS", quote);
    else if (name == "run") result_.text += reference("GPUPLAN_RUN_DIR", quote);
    else if (name == "args") arguments(quote);
    else result_.text += value(name);
    return true;
  }

  /// Each is a word with quotes of its own, so quotes that stand around them end before and begin again after.
  void arguments(ShellQuote around) {
    args_used_ = true;
    const std::string words = join(result_.appended, " ");
    if (shell_.comment()) result_.text += printable(words);
    else if (around == ShellQuote::kNone) result_.text += words;
    else result_.text += (around == ShellQuote::kSingle ? "' " + words + " '" : "\" " + words + " \"");
  }

  std::string value(std::string_view name) const {
    const Strategy& s = estimate_.strategy;
    const int nodes = std::max(estimate_.nodes, 1);
    const auto* train = std::get_if<TrainPhase>(&phase_.work);
    if (name == "gpus") return std::to_string(std::max(estimate_.gpus / nodes, 1));
    if (name == "nodes") return std::to_string(nodes);
    if (name == "world") return std::to_string(std::max(estimate_.gpus, 1));
    if (name == "micro") return std::to_string(s.micro_batch);
    if (name == "accumulate") return std::to_string(s.grad_accum);
    if (name == "batch") return whole(estimate_.batch);
    if (name == "steps") return whole(estimate_.steps);
    if (name == "sequence") return std::to_string(train != nullptr ? train->sequence.value_or(estimate_.sequence) : 0);
    if (name == "precision") return std::string(train != nullptr ? name_of(s.precision) : name_of(s.weights));
    if (name == "sharding") return std::string(name_of(s.sharding));
    if (name == "recompute") return std::string(name_of(s.recompute));
    if (name == "dp") return std::to_string(s.dp);
    if (name == "tp") return std::to_string(s.tp);
    if (name == "pp") return std::to_string(s.pp);
    if (name == "cp") return std::to_string(s.cp);
    if (name == "ep") return std::to_string(s.ep);
    if (name == "profile") return bash_word(program_profile(phase_, estimate_, profile_));
    if (name == "phase") return slug_or(phase_.name);
    return std::to_string(steps_between_checkpoints(phase_, estimate_));
  }

  static std::string whole(double count) { return number_text(std::ceil(count - 1e-6)); }

  /// Names of phases are words (the reader sees to it); one that is not becomes one: it may stand inside of quotes.
  static std::string slug_or(const std::string& name) {
    const bool word = std::ranges::all_of(name, [](char c) { return in_word(c) || c == '-'; });
    return word && !name.empty() ? name : slug_of(name, 64, "phase");
  }

  const Phase& phase_;
  const PhaseEstimate& estimate_;
  const std::string& profile_;
  FilledCommand result_;
  ShellReader shell_;
  bool args_used_ = false;
};

}  // namespace

std::span<const CommandVariable> command_variables() { return kVariables; }

int steps_between_checkpoints(const Phase& phase, const PhaseEstimate& estimate) {
  if (estimate.steps < 1) return 0;
  const double said = phase.checkpoint ? phase.checkpoint->every_steps.value_or(0) : 0;
  const double counted = estimate.checkpoints > 1 ? estimate.steps / estimate.checkpoints : estimate.steps;
  double steps = std::ceil(said > 0 ? said : counted);
  if (estimate.jobs > 1 && estimate.work.p50 > Seconds{}) {
    const Seconds apart = longest_apart(estimate, estimate.jobs);
    steps = std::min(steps, std::floor(apart / (estimate.work.p50 / estimate.steps)));
  }
  return whole<int>(std::clamp(steps, 1.0, 1e9));
}

bool command_resumes(const Phase& phase) {
  if (!std::holds_alternative<TrainPhase>(phase.work) || phase.command.empty()) return true;
  // The scripts of TRL call train() without a checkpoint, whatever folder they write to (huggingface/trl trl/scripts).
  for (const char* program : {"trl sft", "trl dpo", "trl grpo", "trl kto", "trl reward", "trl rloo"})
    if (phase.command.contains(program)) return false;
  return names_checkpoints(phase.command) || std::ranges::any_of(phase.args, [](const auto& argument) {
           return names_checkpoints(argument.first) || names_checkpoints(argument.second);
         });
}

FilledCommand fill_command(const Phase& phase, const PhaseEstimate& estimate, const std::string& profile) {
  return Filler(phase, estimate, profile).fill();
}

}  // namespace gpuplan
