#include "output/prose/prose_text.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"

namespace gpuplan {
namespace {

/// "- Read the curves (Ana, 20 min)", with notes and command below it.
std::string task_text(const ManualTask& task) {
  std::vector<std::string> facts;
  if (!task.who.empty()) facts.push_back(task.who);
  if (const auto& time = task.time)
    facts.push_back(time->exact() ? to_text(time->p50) : to_text(time->p10) + " to " + to_text(time->p90));
  std::string text = "- " + task.what + (facts.empty() ? "" : " (" + join(facts, ", ") + ")") + "\n";
  const auto below = [&](std::string_view lines, std::string_view indent) {
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      if (end > at) text.append(indent).append(lines.substr(at, end - at));
      text += '\n';
      at = end + 1;
    }
  };
  if (!task.notes.empty()) {
    text += '\n';
    below(task.notes, "  ");
  }
  if (!task.command.empty()) {
    text += '\n';
    below(task.command, "      ");  // code in an entry of a list
  }
  return text;
}

class Pieces {
 public:
  std::vector<ProsePiece> all;

  void about(std::string what) { about_ = std::move(what); }
  void add(std::string_view key, const std::string& text) {
    if (!text.empty()) all.push_back({about_, key, text});
  }
  void tasks(const std::vector<ManualTask>& tasks) {
    std::string text;
    for (const ManualTask& task : tasks) text += task_text(task);
    if (!text.empty()) text.pop_back();
    add("tasks", text);
  }

 private:
  std::string about_;
};

std::string machine_name(const Offer& offer) {
  return !offer.label.empty() ? offer.label.str()
         : offer.gpus == 1    ? offer.gpu.str()
                              : count_text(offer.gpus) + "x " + offer.gpu;
}

std::string option_name(const OptionProse& option) {
  const std::string gpus = count_text(option.gpus);
  if (option.gpu.empty()) return gpus + (option.gpus == 1 ? " GPU" : " GPUs");
  return option.gpus == 0 ? option.gpu : gpus + "x " + option.gpu;
}

}  // namespace

std::string terminal_prose(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    const std::string_view character = text.substr(at, length);
    if (character == "\n") out += '\n';
    else if (character == "\t") out += "    ";
    else out += printable(character);
    at += length;
  }
  return out;
}

std::vector<ProsePiece> prose_pieces(const Job& job) {
  Pieces pieces;
  pieces.about("job");
  pieces.add("title", job.prose.title);
  pieces.add("purpose", job.prose.purpose);
  pieces.add("notes", job.prose.notes);
  pieces.tasks(job.prose.tasks);
  for (const Phase& phase : job.phases) {
    const PhaseProse& prose = phase.prose;
    pieces.about("phase " + phase.name);
    pieces.add("title", prose.title);
    pieces.add("purpose", prose.purpose);
    pieces.add("notes", prose.notes);
    pieces.tasks(prose.tasks);
    pieces.add("expect", prose.expect);
    pieces.add("quality.good", prose.quality.good);
    pieces.add("quality.bad", prose.quality.bad);
    pieces.add("quality.do", prose.quality.remedy);
  }
  const std::pair<std::string_view, const std::vector<Offer>*> machines[] = {
      {"offer ", &job.market.offers}, {"pool ", &job.market.pools}, {"own ", &job.market.own}};
  for (const auto& [kind, offers] : machines)
    for (const Offer& offer : *offers) {
      pieces.about(std::string(kind) + machine_name(offer));
      pieces.add("notes", offer.notes);
    }
  for (const OptionProse& option : job.options) {
    pieces.about("option " + option_name(option));
    pieces.add("title", option.title);
    pieces.add("notes", option.notes);
  }
  for (const Variant& variant : job.variants) {
    pieces.about("variant " + variant.name);
    pieces.add("title", variant.prose.title);
    pieces.add("notes", variant.prose.notes);
  }
  return std::move(pieces.all);
}

}  // namespace gpuplan
