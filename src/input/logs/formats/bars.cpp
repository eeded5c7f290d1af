// Bars with words before them: Lightning ("Epoch 0: "), NeMo, torchtune ("1|30|Loss: 2.3: "), Composer, and loops that
// people write. What is no training has a bar too: loading, mapping, evaluating.
#include "input/logs/formats/bars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "input/logs/fields/fields.h"
#include "input/logs/fields/line_shape.h"
#include "input/logs/fields/step_line.h"
#include "input/logs/formats/columns.h"
#include "input/logs/formats/formats.h"
#include "input/logs/formats/keywords.h"

namespace gpuplan {
namespace {

using scan::take;
using scan::take_next;

/// "00:48" and "1:02:03"
bool take_duration(std::string_view& rest, double& seconds) {
  double part = 0;
  seconds = 0;
  do {
    if (rest.empty() || !is_digit(rest.front()) || !scan::take_number(rest, part)) return false;
    seconds = 60 * seconds + part;
  } while (take(rest, ":"));
  return true;
}

/// "1.5it/s", "2.00s/it" and other units; what is neither is left where it stands.
void take_rate(std::string_view& rest, ProgressBar& bar) {
  std::string_view peek = rest;
  double rate = 0;
  const bool known = take_next(peek, rate);
  if (!known && !take(peek, "?")) return;
  std::size_t end = 0;
  while (end < peek.size() && peek[end] != ',' && peek[end] != ']' && peek[end] != ' ') ++end;
  const std::string_view unit = peek.substr(0, end);
  const bool reciprocal = unit.starts_with("s/");
  if (!reciprocal && !unit.ends_with("/s")) return;
  bar.steps = unit == "it/s" || unit == "s/it";
  if (known && rate > 0) bar.step_seconds = reciprocal ? rate : 1 / rate;
  rest = peek.substr(unit.size());
}

constexpr bool holds(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && iequals(text.substr(0, word.size()), word);
}

}  // namespace

EpochLabel epoch_of(std::string_view label) {
  EpochLabel epoch;
  constexpr std::string_view kEpoch = "poch", kEpisode = "pisode";
  const bool episode = !label.contains(kEpoch);  // of learning by rewards (OpenRLHF)
  const std::string_view word = episode ? kEpisode : kEpoch;
  const std::size_t at = label.find(word);
  if (at == std::string_view::npos) return epoch;
  std::string_view rest = label.substr(at + word.size());
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':' || rest.front() == '=' || rest.front() == '[' ||
                           rest.front() == '#' || rest.front() == 's'))
    rest.remove_prefix(1);
  double value = 0;
  if (!scan::take_number(rest, value) || !(value >= 0)) return epoch;
  epoch.number = value;
  if (!take(rest, "/") && !take(rest, " / ") && !take(rest, " of ")) return epoch;
  if (take_next(rest, value) && value > 0) epoch.of = value;
  return epoch;
}

namespace {

/// torchtune's "1|30|Loss: 2.31": epoch, step, loss.
bool torchtune_label(std::string_view label, StepRecord& record) {
  double epoch = 0, step = 0, loss = 0;
  if (!scan::take_number(label, epoch) || !take(label, "|") || !scan::take_number(label, step) ||
      !take(label, "|Loss:") || !take_next(label, loss))
    return false;
  record.step = step;
  record.set(StepValue::kLoss, loss);
  return true;
}

/// A bar of training by its label; a loss behind it says so too.
bool names_training(std::string_view label) {
  constexpr std::array<std::string_view, 8> kOthers = {"alid", "eval", "Eval",   "anity",
                                                       "Test", "test", "redict", "oad"};
  for (const std::string_view other : kOthers)
    if (holds(label, other)) return false;
  for (const std::string_view word : {"train", "step", "iter", "progress", "update", "episode"})
    if (begins_with(label, word)) return true;
  return epoch_of(label).number.has_value();
}

/// What the words before a bar say; of one bar they are the same again and again.
struct BarLabel {
  std::array<char, 48> text{};
  std::size_t size = std::string_view::npos;  ///< nothing yet
  bool training = false, held_out = false, epochs = false, loss = false, steps = false;
  EpochLabel epoch;
};

const BarLabel& told_by_label(std::string_view label) {
  constinit thread_local BarLabel last;
  if (label.size() == last.size && std::string_view(last.text.data(), last.size) == label) return last;
  const std::size_t val = label.find("val");
  last.training = names_training(label);
  last.held_out = holds(label, "alid") || holds(label, "eval") ||
                  (val != std::string_view::npos && !label.substr(val).starts_with("value"));
  last.epochs = holds(label, "poch");
  last.loss = holds(label, "loss");
  last.steps = label.ends_with(" Steps");
  last.epoch = epoch_of(label);
  last.size = label.size() <= last.text.size() ? label.size() : std::string_view::npos;
  if (last.size == label.size()) std::ranges::copy(label, last.text.begin());
  return last;
}

}  // namespace

Match take_bar(std::string_view text, ProgressBar& bar) {
  const std::size_t sign = scan::find(text, "%|", '%');
  if (sign == std::string_view::npos) return Match::kNo;
  std::size_t digits = sign;
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  if (digits == sign) return Match::kNo;
  bar.label = trim(text.substr(0, digits));
  while (bar.label.ends_with(':')) bar.label = trim(bar.label.substr(0, bar.label.size() - 1));
  std::string_view rest = text.substr(sign + 2);
  if (!scan::take_until(rest, '|') || !take_next(rest, bar.done) || !take(rest, "/") || !take_next(rest, bar.total))
    return Match::kNo;
  double left = 0;
  if (!take(rest, " [") || !take_duration(rest, bar.elapsed) || !take(rest, "<")) return Match::kBroken;
  if (!take(rest, "?") && !take_duration(rest, left)) return Match::kBroken;
  if (!take(rest, ",")) return Match::kBroken;
  scan::skip_spaces(rest);
  if (rest.empty()) return Match::kBroken;
  take_rate(rest, bar);
  if (!(bar.total > 0)) return Match::kNo;
  const std::size_t end = rest.find(']');
  bar.postfix = rest.substr(0, end);
  if (end != std::string_view::npos) bar.behind = rest.substr(end + 1);
  return Match::kRecord;
}

void note_postfix(LogBook& book, StepRecord& record, std::string_view postfix) {
  if (postfix.empty()) return;
  std::string_view loss;
  LineShapes& shapes = line_shapes();
  if (shapes.find(postfix) == nullptr) shapes.learn(postfix, {});
  for (const LogField& field : shapes.fields(postfix)) {
    if (const NamedValue own = book.own_names != nullptr ? book.own_names->meaning(field.name) : NamedValue{};
        own.kind == NamedValue::Kind::kQuantity) {
      note_value(book, record, own, field.value);
      continue;
    }
    const NamedValue named = meaning_of(field);
    if (named.kind == NamedValue::Kind::kNothing && !book.log.rewards) book.log.rewards = tells_rewards(field.name);
    if (field.name == "train_step_timing in s") record.set(StepValue::kStepSeconds, field.value);  // NeMo
    if (named.kind != NamedValue::Kind::kQuantity) continue;
    if (named.quantity == StepValue::kLoss) {
      if (!takes_loss(loss, field.name)) continue;
      loss = field.name;
    }
    const bool mapped = book.own_names != nullptr && book.own_names->maps(named.quantity);
    if (mapped) continue;  // the user says which of them it is
    if (named.quantity == StepValue::kLoss || named.quantity == StepValue::kLearningRate ||
        named.quantity == StepValue::kGradNorm)
      note_value(book, record, named, field.value);
    // Lightning repeats the last one in every bar after it.
    if (named.quantity == StepValue::kValidation && field.value != book.facts.bar_validation)
      note_value(book, record, named, field.value);
  }
}

namespace {

/// At its end the loss is the mean of all.
Match held_out_bar(LogBook& book, const LogLine& line, const ProgressBar& bar, double loss) {
  if (bar.done < bar.total || !(book.step() > 0)) return Match::kRecord;
  StepRecord record;
  record.step = book.step();
  record.of_run = true;
  record.set(StepValue::kValidation, loss);
  book.record(LogFormat::kBars, record, line);
  return Match::kRecord;
}

/// What a bar with words before it says of the run. `whole`: it is of all steps, whatever epoch stands before it.
Match note_bar(LogBook& book, const LogLine& line, const ProgressBar& bar, const EpochLabel& epoch, bool whole) {
  StepRecord record;
  record.step = bar.done;
  note_postfix(book, record, bar.postfix);
  // "Training Epoch: 1/3, step 10/100 completed (loss: 1.23): "
  const BarLabel& label = told_by_label(bar.label);
  if (!record.has(StepValue::kLoss) && label.loss) note_postfix(book, record, bar.label);
  if (record.has(StepValue::kValidation)) book.facts.bar_validation = record[StepValue::kValidation];
  LogFacts& facts = book.facts;
  if (label.epochs && !epoch.number) {  // a bar over epochs
    facts.epoch_bar_total = bar.total;
    return Match::kNo;
  }
  if (!label.training && (label.held_out || !record.has(StepValue::kLoss))) return Match::kNo;
  if (!label.training && !std::isnan(bar.total)) {
    // Words tell neither: bars that are shorter than the first one are of held-out data.
    if (!(facts.loss_bar_total > 0)) facts.loss_bar_total = bar.total;
    if (bar.total < facts.loss_bar_total) return held_out_bar(book, line, bar, record[StepValue::kLoss]);
  }
  double planned = bar.total;
  if (!epoch.number && facts.epoch_bar_total > 1 && !std::isnan(bar.total)) {
    // Bars of steps that begin anew while one of epochs goes on (OneTrainer).
    if (bar.done < facts.bar_done) facts.steps_before += facts.bar_done;
    facts.bar_done = bar.done;
    record.step += facts.steps_before;
    planned = facts.steps_before > 0 ? facts.epoch_bar_total * bar.total : scan::kUnknown;
  }
  if (epoch.number && !whole) {
    // Lightning counts epochs from 0, people from 1. A bar of one epoch does not say how many there are.
    if (!facts.first_epoch) facts.first_epoch = *epoch.number > 0 ? 1 : 0;
    const double before = std::max(0.0, *epoch.number - *facts.first_epoch);
    if (!std::isnan(bar.total)) record.step += before * bar.total;
    const double epochs = facts.epoch_bar_total > 0 ? facts.epoch_bar_total : scan::kUnknown;  // of a bar over them
    planned = epoch.of.value_or(epochs) * bar.total;
    if (facts.bar_epoch && *facts.bar_epoch < *epoch.number) facts.bars_before += facts.bar_elapsed;
    facts.bar_epoch = epoch.number;
    book.epoch(before + (std::isnan(bar.total) ? 0 : bar.done / bar.total));
  }
  if (!epoch.number && !whole && !(facts.epoch_bar_total > 1) && facts.epoch >= 0 && !std::isnan(bar.total)) {
    // A line before it has told the epoch: whether it is of that epoch, shows when it begins again.
    record.epoch = facts.epoch;
    record.epochs = facts.epochs_told;
    record.of = bar.total;
  }
  facts.bar_elapsed = bar.elapsed;
  const auto owner = book.step_format();
  if (!owner || *owner == LogFormat::kBars || *owner == LogFormat::kVerl) {  // its own lines name no last step
    if (std::isnan(planned)) book.log.planned_steps.reset();
    else book.log.planned_steps = planned;
    book.elapsed(Seconds{facts.bars_before + bar.elapsed});
  }
  TimeSource source = TimeSource::kSaid;
  if (!record.has(StepValue::kStepSeconds)) {
    source = TimeSource::kBar;
    if (bar.step_seconds > 0) record.set(StepValue::kStepSeconds, bar.step_seconds);
  }
  if (record.known == 0) book.shows(LogFormat::kBars);
  else book.record(LogFormat::kBars, record, line, source);
  if (record.known != 0 && book.step_format() == LogFormat::kBars) book.log.every_step_counted = true;
  return Match::kRecord;
}

/// The bar of Rich, which Lightning can draw: "Epoch 0/2  ━━━━╺━━ 30/100 0:00:12 • 0:01:10 1.00it/s loss: 2.3". Its
/// epochs count from 0 to the last one.
Match rich_bar(LogBook& book, const LogLine& line) {
  constexpr std::string_view kDrawn = "━", kBetween = "•";
  const std::size_t begin = line.text.find(kDrawn);
  const std::size_t between = begin == std::string_view::npos ? begin : line.text.find(kBetween, begin);
  if (begin == std::string_view::npos || between == std::string_view::npos) return Match::kNo;
  ProgressBar bar;
  bar.label = trim(line.text.substr(0, begin));
  std::string_view rest = line.text.substr(begin, between - begin);
  const std::size_t numbers = rest.find(' ');
  if (numbers == std::string_view::npos) return Match::kNo;
  rest.remove_prefix(numbers);
  if (!take_next(rest, bar.done) || !take(rest, "/") || !take_next(rest, bar.total) || !(bar.total > 0))
    return Match::kNo;
  scan::skip_spaces(rest);
  if (!take_duration(rest, bar.elapsed)) return Match::kNo;
  rest = line.text.substr(between + kBetween.size());
  scan::skip_spaces(rest);
  rest.remove_prefix(std::min(rest.size(), rest.find(' ')));  // the time that is left, "-:--:--" too
  scan::skip_spaces(rest);
  take_rate(rest, bar);
  bar.postfix = rest;
  EpochLabel epoch = epoch_of(bar.label);
  if (epoch.of) *epoch.of += 1;
  return note_bar(book, line, bar, epoch, false);
}

/// A bar of a loop that does not know its length: "Epoch 0: | 30/? [01:00<?, 0.50it/s, loss=2.3]", and
/// "train: 30it [01:00,  2.00s/it, loss=2.3]".
Match open_bar(LogBook& book, const LogLine& line) {
  std::size_t end = scan::find(line.text, "/? [", '?');
  if (end == std::string_view::npos) end = scan::find(line.text, "it [", '[');
  if (end == std::string_view::npos || end == 0 || !is_digit(line.text[end - 1])) return Match::kNo;
  std::size_t begin = end;
  while (begin > 0 && is_digit(line.text[begin - 1])) --begin;
  ProgressBar bar;
  bar.label = trim(line.text.substr(0, begin));
  while (bar.label.ends_with('|') || bar.label.ends_with(':'))
    bar.label = trim(bar.label.substr(0, bar.label.size() - 1));
  std::string_view number = line.text.substr(begin), rest = line.text.substr(line.text.find('[', end) + 1);
  if (!scan::take_number(number, bar.done) || !take_duration(rest, bar.elapsed)) return Match::kNo;
  rest.remove_prefix(std::min(rest.size(), rest.find(',')));
  if (!take(rest, ",")) return Match::kNo;
  scan::skip_spaces(rest);
  take_rate(rest, bar);
  bar.postfix = rest.substr(0, rest.find(']'));
  bar.total = scan::kUnknown;
  StepRecord record;
  note_postfix(book, record, bar.postfix);
  if (!record.has(StepValue::kLoss)) return Match::kNo;
  const EpochLabel epoch = told_by_label(bar.label).epoch;
  // How long an epoch is, is known when the next one begins.
  LogFacts& facts = book.facts;
  if (epoch.number && facts.bar_epoch && *epoch.number > *facts.bar_epoch) facts.steps_before += facts.bar_done;
  facts.bar_done = bar.done;
  bar.done += facts.steps_before;
  return note_bar(book, line, bar, epoch, false);
}

/// "10.0k" of "10.0kit": how tqdm shortens counts.
bool take_shortened(std::string_view& text, double& value) {
  if (!scan::take_number(text, value)) return false;
  if (take(text, "k")) value *= 1e3;
  else if (take(text, "M")) value *= 1e6;
  return take(text, "it");
}

}  // namespace

/// "Progress on:train 1.23kit/10.0kit rate:1.7it/s remaining:1:32:02 elapsed:12:03 postfix:loss=3.2": tqdm-loggable's
/// bars (tqdm_loggable/tqdm_logging.py), as Levanter writes them.
void loggable_bar(LogBook& book, const LogLine& line, std::string_view rest) {
  constexpr std::string_view kRate = " rate:", kElapsed = " elapsed:", kPostfix = " postfix:";
  const std::size_t blank = rest.find(' '), rate = rest.find(kRate), elapsed = rest.find(kElapsed),
                    postfix = rest.find(kPostfix);
  if (blank == std::string_view::npos || rate == std::string_view::npos || elapsed == std::string_view::npos ||
      postfix == std::string_view::npos)
    return;
  ProgressBar bar;
  bar.label = rest.substr(0, blank);
  std::string_view counts = rest.substr(blank + 1), passed = rest.substr(elapsed + kElapsed.size()),
                   speed = rest.substr(rate + kRate.size());
  if (!take_shortened(counts, bar.done) || !take(counts, "/") || !take_shortened(counts, bar.total) || !(bar.total > 0))
    return;
  if (!take_duration(passed, bar.elapsed)) return;
  double value = 0;
  if (scan::take_number(speed, value) && value > 0) bar.step_seconds = speed.starts_with("it/s") ? 1 / value : value;
  bar.postfix = rest.substr(postfix + kPostfix.size());
  note_bar(book, line, bar, {}, true);
}

Match labelled_bar(LogBook& book, const LogLine& line) {
  // Nearly all lines have none: tqdm's has a bracket, Rich's has not.
  if (line.text.find('[') == std::string_view::npos) return rich_bar(book, line);
  ProgressBar bar;
  const Match match = take_bar(line.text, bar);
  if (match == Match::kNo) return open_bar(book, line) == Match::kRecord ? Match::kRecord : rich_bar(book, line);
  if (match != Match::kRecord || bar.label.empty()) return Match::kNo;
  StepRecord record;
  if (torchtune_label(bar.label, record)) {
    if (bar.step_seconds > 0) record.set(StepValue::kStepSeconds, bar.step_seconds);
    book.elapsed(Seconds{bar.elapsed});
    book.record(LogFormat::kTorchtune, record, line, TimeSource::kBar);
    return Match::kRecord;
  }
  // OpenRLHF's bars of supervised training count passes, of which a step has several (openrlhf/trainer/sft_trainer.py).
  if (const double passes = book.facts.accumulation.value_or(1); passes > 1 && bar.label.contains("Train step of ")) {
    bar.done = std::floor(bar.done / passes);
    bar.total = std::floor(bar.total / passes);
    bar.step_seconds *= passes;
  }
  // NeMo's one bar is of all steps, and so is "Epoch 1/10 Steps:" of programs for pictures.
  const BarLabel& label = told_by_label(bar.label);
  const bool whole = label.steps || holds(bar.postfix, "consumed_samples=");
  const Match noted = note_bar(book, line, bar, label.epoch, whole);
  // Sentences are often printed behind the bar, on the same line.
  if (noted == Match::kRecord && trim(bar.behind).size() > 1) {
    LogLine behind = line;
    behind.text = bar.behind;
    read_sentences(book, behind);
  }
  return noted;
}

}  // namespace gpuplan
