// The job's own command: variables filled in, started in as many processes as the plan has GPUs.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "base/shell/shell_words.h"
#include "base/text.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/parts.h"
#include "plan/advice/profiles.h"
#include "plan/notes/command_text.h"

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 15> kLaunchers = {
    "torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec",          "srun",       "horovodrun", "composer",
    "tune",     "axolotl",    "litgpt",    "ray",    "llamafactory-cli", "colossalai", "fabric"};

struct Word {
  std::size_t begin = 0, end = 0;  ///< in the text
  std::string_view text;
};

std::vector<Word> words_of(std::string_view text, ShellSpan command) {
  std::vector<Word> words;
  for (const ShellSpan& word : shell_words(text, command)) words.push_back({word.begin, word.end, word.of(text)});
  return words;
}

bool assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

std::string_view base_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

bool python(std::string_view word) {
  std::string_view name = base_name(word);
  if (!name.starts_with("python")) return false;
  name.remove_prefix(6);
  return std::ranges::all_of(name, [](char c) { return is_digit(c) || c == '.'; });
}

/// A program that starts another one: `options` are those with a value in a word of its own, and so many words stand
/// between them and the other program.
struct Prefix {
  std::string_view name, options;
  int words = 0;
};
constexpr std::array<Prefix, 15> kPrefixes = {{
    {"env", " -u --unset -C --chdir "},
    {"exec", " -a "},
    {"time", " "},
    {"nohup", " "},
    {"command", " "},
    {"then", " "},
    {"do", " "},
    {"else", " "},
    {"if", " "},
    {"{", " "},
    {"!", " "},
    {"timeout", " -k -s --kill-after --signal ", 1},
    {"nice", " -n --adjustment "},
    {"stdbuf", " -i -o -e "},
    {"numactl", " -N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred "},
}};

/// The word that names the program: after assignments, `env`, `exec`, `timeout 5h`, and `uv run` and its like.
std::size_t program_word(const std::vector<Word>& words) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string_view text = words[at].text;
    const auto prefix = std::ranges::find(kPrefixes, base_name(text), &Prefix::name);
    if (assignment(text)) {
      ++at;
    } else if (prefix != kPrefixes.end()) {
      for (++at; at < words.size() && words[at].text.starts_with('-'); ++at) {
        std::string option = " ";
        option += words[at].text;
        option += ' ';
        if (prefix->options.contains(option)) ++at;
      }
      at += static_cast<std::size_t>(prefix->words);
    } else if ((text == "uv" || text == "poetry" || text == "pixi") && at + 1 < words.size() &&
               words[at + 1].text == "run") {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

/// Whether a program that is none of Python's is given Python to start: `sudo python3 train.py`, `bash -c "python
/// ..."`.
bool hides_python(const std::vector<Word>& words) {
  constexpr std::array<std::string_view, 13> kReaders = {"which", "echo", "type",   "printf",  "export", "alias", "pip",
                                                         "apt",   "hash", "source", "apt-get", ".",      "ln"};
  const std::size_t at = program_word(words);
  if (at >= words.size() || python(words[at].text)) return false;
  if (std::ranges::find(kReaders, base_name(words[at].text)) != kReaders.end()) return false;
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    std::string_view text = words[i].text;
    while (!text.empty() && (text.front() == '\'' || text.front() == '"')) text.remove_prefix(1);
    const bool program = i + 1 < words.size() || text.find(' ') != std::string_view::npos;
    if (program && python(text.substr(0, text.find(' ')))) return true;
  }
  return false;
}

/// GPUs that CUDA_VISIBLE_DEVICES leaves in sight, where it is written as a list.
std::optional<int> visible_gpus(const std::vector<Word>& words) {
  constexpr std::string_view kName = "CUDA_VISIBLE_DEVICES=";
  for (const Word& word : words) {
    if (!word.text.starts_with(kName)) continue;
    std::string list(word.text.substr(kName.size()));
    std::erase_if(list, [](char c) { return c == '"' || c == '\''; });
    if (list.empty() || list.find_first_not_of("0123456789,") != std::string::npos) continue;
    return static_cast<int>(std::ranges::count(list, ',')) + 1;
  }
  return std::nullopt;
}

/// Whether a line starts processes for the GPUs itself.
bool launches(const std::vector<Word>& words) {
  const std::size_t at = program_word(words);
  if (at >= words.size()) return false;
  if (std::ranges::find(kLaunchers, base_name(words[at].text)) != kLaunchers.end()) return true;
  if (!python(words[at].text) || at + 2 >= words.size() || words[at + 1].text != "-m") return false;
  const std::string_view module = words[at + 2].text;
  return module.starts_with("torch.distributed.") || module.starts_with("accelerate.") ||
         module.starts_with("deepspeed");
}

/// A line that starts Python with a program or module: what torchrun would take in its place.
struct PythonLine {
  std::size_t begin = 0, end = 0;  ///< of the words "python -u" in the text
};

std::optional<PythonLine> python_line(const std::vector<Word>& words) {
  const std::size_t at = program_word(words);
  if (at >= words.size() || !python(words[at].text)) return std::nullopt;
  std::size_t next = at + 1;
  while (next < words.size() && (words[next].text == "-u" || words[next].text == "-O")) ++next;
  if (next >= words.size()) return std::nullopt;
  const std::string_view program = words[next].text;
  if (program != "-m" && program.starts_with("-")) return std::nullopt;  // -c "...", - or an option that torchrun lacks
  if (program == "-m" && next + 1 < words.size() &&
      (words[next + 1].text == "pip" || words[next + 1].text == "venv" || words[next + 1].text == "ensurepip"))
    return std::nullopt;
  return PythonLine{words[at].begin, words[next - 1].end};
}

/// The value of "--name=value" or "--name value" in any spelling of the dashes inside; nullopt: not there.
std::optional<std::string_view> option(const std::vector<Word>& words, std::string_view name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i].text;
    if (!word.starts_with("-")) continue;
    while (word.starts_with("-")) word.remove_prefix(1);
    const std::size_t equals = word.find('=');
    std::string given(word.substr(0, equals));
    std::ranges::replace(given, '_', '-');
    if (given != name) continue;
    if (equals != std::string_view::npos) return word.substr(equals + 1);
    return i + 1 < words.size() ? words[i + 1].text : std::string_view();
  }
  return std::nullopt;
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A number of processes or machines that contradicts the plan.
struct Contradiction {
  std::string_view option;
  int given = 0, planned = 0;
  std::string_view variable;
};

std::optional<Contradiction> contradiction(const std::vector<Word>& words, const LaunchPhase& laid) {
  const int world = std::max(laid.nodes * laid.gpus, 1);
  const std::array<Contradiction, 5> numbers = {{
      {"nproc-per-node", 0, std::max(laid.gpus, 1), "{gpus}"},
      {"nnodes", 0, laid.nodes, "{nodes}"},
      {"num-processes", 0, world, "{world}"},
      {"num-machines", 0, laid.nodes, "{nodes}"},
      {"num-gpus", 0, std::max(laid.gpus, 1), "{gpus}"},
  }};
  for (Contradiction number : numbers) {
    const auto text = option(words, number.option);
    const auto value = text ? whole_number(*text) : std::nullopt;
    if (!value || *value == number.planned) continue;
    number.given = *value;
    return number;
  }
  return std::nullopt;
}

constexpr std::string_view kProcesses = "--nproc-per-node=\"$GPUPLAN_GPUS\"";
constexpr std::string_view kMachines =
    "--nnodes=\"$GPUPLAN_NODES\" --node-rank=\"$GPUPLAN_NODE_RANK\" --master-addr=\"$GPUPLAN_MASTER_ADDR\" "
    "--master-port=\"$GPUPLAN_MASTER_PORT\"";

/// Makes the command start in as many processes as the plan has GPUs, or says what of it contradicts the plan.
class Processes {
 public:
  Processes(const WorkPlace& place, Work& work, std::string& text) : place_(place), work_(work), text_(text) {}

  Result<void> start() {
    const std::vector<ShellSpan> commands = shell_commands(text_);
    std::optional<PythonLine> last;
    std::optional<int> visible;
    bool launched = false, hidden = false;
    int pythons = 0;
    // From the end, since adding options moves what follows.
    for (auto command = commands.rbegin(); command != commands.rend(); ++command) {
      const std::vector<Word> words = words_of(text_, *command);
      const bool exported = !words.empty() && words.front().text == "export";
      if (launches(words)) {
        launched = true;
        if (auto good = see(visible_gpus(words)); !good) return good;
        if (auto good = check(words); !good) return good;
        continue;
      }
      if (exported && !visible) visible = visible_gpus(words);
      hidden = hidden || (!last && hides_python(words));  // after the one that would be taken
      if (const auto found = python_line(words)) {
        if (!last) {
          last = found;
          if (const auto own = visible_gpus(words)) visible = own;
        }
        ++pythons;
      }
    }
    const bool train = std::holds_alternative<TrainPhase>(place_.phase().work);
    if (!place_.laid.distributed() || !train) return {};
    if (auto good = see(visible); !good) return good;
    if (launched) return {};
    if (hidden)
      return place_.wrong("the plan uses " + count() +
                          ", one process per GPU, and its command starts python in a way that gpuplan cannot convert; "
                          "write torchrun --nproc-per-node={gpus} instead of python");
    if (!last) {
      work_.notes.push_back("The plan uses " + count() + ": the command must start one process per GPU itself.");
      return {};
    }
    text_.replace(last->begin, last->end - last->begin, torchrun(place_));
    std::string note = "python was replaced by torchrun: the plan uses " + count() + ", one process per GPU.";
    if (pythons > 1)
      note += " The last of " + std::to_string(pythons) + " python commands is assumed to be the training.";
    work_.notes.push_back(note);
    return {};
  }

 private:
  std::string count() const { return std::to_string(place_.laid.nodes * place_.laid.gpus) + " GPUs"; }

  /// Refuses a list of fewer GPUs than the plan has in a machine.
  Result<void> see(std::optional<int> visible) const {
    if (!visible || *visible >= place_.laid.gpus) return {};
    return place_.wrong("its command sets CUDA_VISIBLE_DEVICES to " + std::to_string(*visible) +
                        " GPUs, but the plan has " + std::to_string(place_.laid.gpus) + "; remove it");
  }

  Result<void> check(const std::vector<Word>& words) {
    const LaunchPhase& laid = place_.laid;
    if (const auto wrong = contradiction(words, laid))
      return place_.wrong("its command has --" + std::string(wrong->option) + " " + std::to_string(wrong->given) +
                          ", but the plan has " + std::to_string(wrong->planned) + "; write " +
                          std::string(wrong->variable) + " instead");
    const bool torch = base_name(words[program_word(words)].text) == "torchrun";
    if (laid.nodes > 1 && option(words, "standalone"))
      return place_.wrong("its command has --standalone, but the plan has " + std::to_string(laid.nodes) +
                          " nodes; remove it, gpuplan adds the rendezvous options");
    const bool machines = torch && laid.nodes > 1 && !option(words, "nnodes") && !option(words, "rdzv-endpoint") &&
                          !option(words, "master-addr");
    std::string missing = machines ? std::string(kMachines) : "";
    if (torch && !option(words, "nproc-per-node")) missing += (machines ? " " : "") + std::string(kProcesses);
    if (!missing.empty()) add(words, missing);
    return {};
  }

  void add(const std::vector<Word>& words, const std::string& options) {
    const Word& word = words[program_word(words)];
    text_.insert(word.end, " " + options);
    work_.notes.push_back("torchrun options added for the plan: " + options + ".");
  }

  const WorkPlace& place_;
  Work& work_;
  std::string& text_;
};

std::string unknown_variable(const std::string& name) {
  std::vector<std::string_view> names;
  std::vector<std::string> shown;
  for (const CommandVariable& variable : command_variables()) {
    names.push_back(variable.name);
    shown.push_back("{" + std::string(variable.name) + "}");
  }
  return "its command names {" + printable(name, 40) + "}, which is not a variable" + did_you_mean(name, names) +
         "; variables: " + listed(shown) + "; for literal braces write {{" + printable(name, 40) + "}}";
}

/// Where the plan cuts the model and the command never hears of it, its processes each take other sequences: more than
/// a batch. "" where it is well.
std::string unheard_degrees(const WorkPlace& place) {
  const auto* train = std::get_if<TrainPhase>(&place.phase().work);
  if (train == nullptr) return "";
  const std::string_view command = place.phase().command;
  if (!command.contains("{micro}") && !command.contains("{accumulate}")) return "";
  const Strategy& s = place.strategy();
  const int processes = std::max(place.laid.gpus * place.laid.nodes, 1);
  if (s.dp == processes) return "";
  struct Degree {
    std::string_view name;
    int planned = 1;
    std::optional<int> said;
  };
  const Parallel& said = train->parallel;
  const std::array<Degree, 4> degrees = {
      {{"tp", s.tp, said.tp}, {"pp", s.pp, said.pp}, {"cp", s.cp, said.cp}, {"ep", s.ep, said.ep}}};
  std::vector<std::string> planned, ones, variables;
  for (const Degree& degree : degrees) {
    const std::string name(degree.name);
    if (command.contains("{" + name + "}")) return "";
    if (degree.planned <= 1) continue;
    if (degree.said) return "";
    planned.push_back(name + " " + std::to_string(degree.planned));
    ones.push_back(name + ": 1");
    variables.push_back("{" + name + "}");
  }
  if (planned.empty()) return "";
  return "the plan has " + listed(planned) + ", but its command does not use it: " + std::to_string(s.micro_batch) +
         " x " + std::to_string(s.grad_accum) + " sequences in " + std::to_string(processes) +
         " processes do not make a batch of " + std::to_string(batch_of(place)) + "; set train.parallel: {" +
         join(ones, ", ") + "}, or use " + listed(variables) + " in the command";
}

}  // namespace

Result<Work> command_work(const WorkPlace& place) {
  const PhaseEstimate& estimate = place.estimate();
  Phase phase = place.phase();
  if (const auto* cpu = std::get_if<CpuPhase>(&phase.work); cpu != nullptr && phase.command.empty())
    phase.command = cpu->command;
  if (const std::string wrong = unheard_degrees(place); !wrong.empty()) return place.wrong(wrong);
  Work work;
  work.user_command = true;
  const std::string profile =
      estimate.node ? profile_name(estimate.node->gpu->name, estimate.gpus, place.laid.nodes) : kCpuProfile;
  FilledCommand filled = fill_command(phase, with_due_checkpoints(place.launch, place.laid), profile);
  if (!filled.unknown.empty()) return place.wrong(unknown_variable(filled.unknown.front()));
  std::string text(trim(filled.text));
  if (!filled.appended.empty()) {
    if (!takes_more_words(text))
      return place.wrong("its args (" + printable(join(filled.appended, " "), 100) +
                         ") cannot follow the end of its command; write {args} where they belong");
    text += " " + join(filled.appended, " ");
  }
  Processes processes(place, work, text);
  if (auto good = processes.start(); !good) return std::unexpected(good.error());
  // Of other work nobody knows whether it can go on: it is started anew.
  work.resumes = std::holds_alternative<TrainPhase>(phase.work)
                     ? command_resumes(phase)
                     : text.contains("GPUPLAN_CHECKPOINTS") || text.contains("resume");
  if (!command_resumes(phase))
    work.notes.emplace_back(
        "The command does not use {checkpoints}: after a restart it starts from scratch, unless the program finds its "
        "own.");
  work.command.push_back(std::move(text));
  return work;
}

}  // namespace gpuplan
