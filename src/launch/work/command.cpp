// The job's own command: variables filled in, started in as many processes as the plan has GPUs.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/shell/shell_words.h"
#include "base/text.h"
#include "launch/command/rewards.h"
#include "launch/command/starters.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/parts.h"
#include "plan/advice/profiles.h"
#include "plan/notes/command_text.h"

namespace gpuplan {
namespace {

/// Whether a program that is none of Python's is given Python to start: `sudo python3 train.py`, `bash -c "python
/// ..."`.
bool hides_python(const std::vector<CommandWord>& words) {
  constexpr std::array<std::string_view, 13> kReaders = {"which", "echo", "type",   "printf",  "export", "alias", "pip",
                                                         "apt",   "hash", "source", "apt-get", ".",      "ln"};
  const std::size_t at = program_word(words);
  if (at >= words.size() || is_python(words[at].text)) return false;
  if (std::ranges::find(kReaders, program_name(words[at].text)) != kReaders.end()) return false;
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    std::string_view text = words[i].text;
    while (!text.empty() && (text.front() == '\'' || text.front() == '"')) text.remove_prefix(1);
    const bool program = i + 1 < words.size() || text.find(' ') != std::string_view::npos;
    if (program && is_python(text.substr(0, text.find(' ')))) return true;
  }
  return false;
}

/// GPUs that CUDA_VISIBLE_DEVICES leaves in sight, where it is written as a list.
std::optional<int> visible_gpus(const std::vector<CommandWord>& words) {
  constexpr std::string_view kName = "CUDA_VISIBLE_DEVICES=";
  for (const CommandWord& word : words) {
    if (!word.text.starts_with(kName)) continue;
    std::string list(word.text.substr(kName.size()));
    std::erase_if(list, [](char c) { return c == '"' || c == '\''; });
    if (list.empty() || list.find_first_not_of("0123456789,") != std::string::npos) continue;
    return static_cast<int>(std::ranges::count(list, ',')) + 1;
  }
  return std::nullopt;
}

/// A line that starts Python with a program or module: what torchrun would take in its place.
struct PythonLine {
  std::size_t begin = 0, end = 0;  ///< of the words "python -u" in the text
};

std::optional<PythonLine> python_line(const std::vector<CommandWord>& words) {
  const std::size_t at = program_word(words);
  if (at >= words.size() || !is_python(words[at].text)) return std::nullopt;
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

std::optional<Contradiction> contradiction(const std::vector<CommandWord>& words, const LaunchPhase& laid) {
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
    bool launched = false, hidden = false, ray = false;
    int pythons = 0;
    // From the end, since adding options moves what follows.
    for (auto command = commands.rbegin(); command != commands.rend(); ++command) {
      const std::vector<CommandWord> words = words_of(text_, *command);
      const bool exported = !words.empty() && words.front().text == "export";
      if (starts_processes(words)) {
        launched = true;
        if (auto good = see(visible_gpus(words)); !good) return good;
        if (auto good = check(words); !good) return good;
        continue;
      }
      if (exported && !visible) visible = visible_gpus(words);
      ray = ray || is_ray_program(words);
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
    if (ray && place_.laid.nodes > 1)
      return place_.wrong("its command is one Ray program for all GPUs, and would be started on each of the plan's " +
                          std::to_string(place_.laid.nodes) +
                          " machines; start Ray in the command (ray start --head where GPUPLAN_NODE_RANK is 0, ray "
                          "start --address=$GPUPLAN_MASTER_ADDR:6379 --block elsewhere) and the program on machine 0");
    if (ray || names_gpus()) {
      tell("The command is started as it is, once" + std::string(place_.laid.nodes > 1 ? " on each machine" : "") +
           ": it " +
           (ray ? "starts its processes through Ray." : "names {gpus}, so it starts a process for each GPU itself."));
      return {};
    }
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
    tell(note + " A command that names {gpus} is left as it is.");
    return {};
  }

 private:
  /// Also beside what to type: it changes what the user wrote.
  void tell(std::string note) {
    work_.starts = note;
    work_.notes.push_back(std::move(note));
  }
  /// Whether the line that starts Python, or a variable that is set for it, names {gpus}: who counts GPUs himself
  /// starts the processes himself.
  bool names_gpus() const {
    const std::string& text = place_.phase().command;
    const std::vector<ShellSpan> commands = shell_commands(text);
    bool started = false;
    for (auto command = commands.rbegin(); command != commands.rend(); ++command) {
      const std::vector<CommandWord> words = words_of(text, *command);
      const bool sets = program_word(words) >= words.size() || words.front().text == "export";
      const bool starts = !started && (python_line(words) || hides_python(words));
      started = started || starts;
      if (starts && is_torchrun_program(words)) return false;
      if ((sets || starts) && command->of(text).contains("{gpus}")) return true;
    }
    return false;
  }
  std::string count() const { return std::to_string(place_.laid.nodes * place_.laid.gpus) + " GPUs"; }

  /// Refuses a list of fewer GPUs than the plan has in a machine.
  Result<void> see(std::optional<int> visible) const {
    if (!visible || *visible >= place_.laid.gpus) return {};
    return place_.wrong("its command sets CUDA_VISIBLE_DEVICES to " + std::to_string(*visible) +
                        " GPUs, but the plan has " + std::to_string(place_.laid.gpus) + "; remove it");
  }

  Result<void> check(const std::vector<CommandWord>& words) {
    const LaunchPhase& laid = place_.laid;
    if (const auto wrong = contradiction(words, laid))
      return place_.wrong("its command has --" + std::string(wrong->option) + " " + std::to_string(wrong->given) +
                          ", but the plan has " + std::to_string(wrong->planned) + "; write " +
                          std::string(wrong->variable) + " instead");
    if (std::holds_alternative<TrainPhase>(place_.phase().work))
      if (const std::string wrong = started_wrongly(words, text_, laid.nodes, laid.gpus); !wrong.empty())
        return place_.wrong("its command " + wrong);
    if (learns_by_rewards(words)) {
      const std::string wrong = rewarded_wrongly(words, text_, std::max(laid.nodes * laid.gpus, 1));
      if (!wrong.empty()) return place_.wrong("its command " + wrong);
      const Strategy& s = place_.strategy();
      if (s.sharding != Sharding::kNone && !option(words, "accelerate-config") && !option(words, "config"))
        return place_.wrong(
            "its command starts trl grpo, which puts a whole copy on each GPU by itself, but the plan has " +
            std::string(name_of(s.sharding)) +
            "; give it --accelerate_config (zero1, zero2, zero3, fsdp1 and fsdp2 come with TRL) and "
            "--num_processes {world}, or set train.parallel: {sharding: none}");
      const auto* train = std::get_if<TrainPhase>(&place_.phase().work);
      if (train == nullptr || !train->rollouts) work_.notes.push_back(uncounted_of_rewards(words));
    }
    const bool torch = program_name(words[program_word(words)].text) == "torchrun";
    if (laid.nodes > 1 && option(words, "standalone"))
      return place_.wrong("its command has --standalone, but the plan has " + std::to_string(laid.nodes) +
                          " nodes; remove it, gpuplan adds the rendezvous options");
    const bool machines = torch && laid.nodes > 1 && !option(words, "nnodes") && !option(words, "rdzv-endpoint") &&
                          !option(words, "master-addr");
    std::string missing = machines ? std::string(kMachines) : "";
    if (torch && !option(words, "nproc-per-node")) missing += (machines ? " " : "") + std::string(kProcesses);
    const std::string more = laid.nodes > 1 ? missing_of_accelerate(words) : "";
    // The words are views of the text: nothing may read them once it has changed.
    const std::size_t program = program_word(words);
    if (!missing.empty()) add(words[program].end, "torchrun", missing);
    else if (!more.empty()) add(words[program + 1].end, std::string(program_name(words[program].text)), more);
    return {};
  }

  void add(std::size_t behind, const std::string& program, const std::string& options) {
    text_.insert(behind, " " + options);
    work_.notes.push_back(program + " options added for the plan: " + options + ".");
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
  if (std::holds_alternative<GeneratePhase>(phase.work))
    if (auto good = check_servers(place, text, work); !good) return std::unexpected(good.error());
  // Of other work nobody knows whether it can go on: it is started anew.
  work.resumes = std::holds_alternative<TrainPhase>(phase.work)
                     ? command_resumes(phase)
                     : text.contains("GPUPLAN_CHECKPOINTS") || text.contains("resume");
  work.never_resumes = !work.resumes && text.contains("trl ");
  if (!command_resumes(phase))
    work.notes.emplace_back(std::string(text.contains("trl ") ? "The scripts of TRL go on from no checkpoint"
                                                              : "The command does not use {checkpoints}") +
                            ": after a restart it starts from scratch, unless the program finds its own.");
  work.command.push_back(std::move(text));
  return work;
}

}  // namespace gpuplan
