// What the numbers of a line of steps are, by their names, units and places.
#include "input/logs/fields/step_line.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace gpuplan {

namespace {

/// "[val] step 5 | loss 2.1", "val: step 5": the word alone.
bool has_val(std::string_view words) {
  constexpr std::string_view kWord = "val";
  const auto letter = [words](std::size_t at) {
    return at < words.size() && (is_letter(words[at]) || words[at] == '_');
  };
  for (std::size_t at = words.find(kWord); at != std::string_view::npos; at = words.find(kWord, at + 1))
    if ((at == 0 || !letter(at - 1)) && !letter(at + kWord.size())) return true;
  return false;
}

}  // namespace

bool speaks_of_validation(std::string_view words) {
  for (const std::string_view sign : {"alid", "eval", "Eval", "EVAL", "VAL", "[V]", "DEV ", " CV "})
    if (words.find(sign) != std::string_view::npos) return true;
  // "Test: [ 10/196]  Loss 5.25", "DEV : loss 1.125"
  return words.starts_with("Test") || words.starts_with("CV ") || has_val(words);
}

bool takes_loss(std::string_view had, std::string_view name) {
  if (had.empty()) return true;
  if (name.ends_with("policy_loss") || iequals(had, "loss")) return false;
  return had.ends_with("policy_loss") || iequals(name, "loss");
}

/// All of the line to the end of the name, or what stands in its own part of it: "step 5 | eval loss".
std::string_view words_before(std::string_view text, std::string_view name, bool own_part) {
  if (name.empty()) return {};
  const std::string_view before = text.substr(0, static_cast<std::size_t>(name.data() - text.data()) + name.size());
  const std::size_t part = own_part ? before.find_last_of("|,;") : std::string_view::npos;
  return part == std::string_view::npos ? before : before.substr(part + 1);
}

namespace {

/// "global_step", "Global Step", "GLOBAL_STEP"
bool ends_in_global_step(std::string_view name) {
  constexpr std::size_t kStep = std::string_view("step").size(), kGlobal = std::string_view("global").size();
  return name.size() > kGlobal + kStep && iequals(name.substr(name.size() - kStep), "step") &&
         iequals(name.substr(name.size() - kStep - kGlobal - 1, kGlobal), "global");
}

/// Seconds of "time: 0.98", "Time 0.98s" and of a duration alone, "| 1m 9s |".
double some_time(const LogField& field) {
  const bool seconds = field.measure && field.measure->unit == FieldUnit::kTime && field.measure->scale >= 1;
  const bool bare = field.unit.empty() && field.fraction;
  const std::size_t blank = field.name.rfind(' ');
  const std::string_view last = blank == std::string_view::npos ? field.name : field.name.substr(blank + 1);
  const bool time = iequals(last, "time") || iequals(last, "elapsed");
  if (field.name.empty() ? !seconds : !time || !(seconds || bare)) return scan::kUnknown;
  return field.value * (seconds ? field.measure->scale : 1);
}

/// Whether such times are those of steps: what all steps have taken never becomes less, and steps differ.
bool times_are_of_steps(LogFacts& facts, double time) {
  constexpr int kOften = 8;
  ++facts.times_told;
  if (time <= facts.time_told) ++facts.times_less;
  facts.time_told = time;
  return facts.times_less >= 2 && facts.times_less * kOften > facts.times_told;
}

/// Whether such times are those of all steps so far: they grow as the steps do.
bool times_are_of_run(LogFacts& facts, double time, double step) {
  constexpr double kLeast = 0.3, kMost = 3;  // the first steps may be slow
  constexpr int kFew = 2;
  const double before = std::exchange(facts.clocked_step, step);
  if (before > 0 && step > before && facts.clock_fits >= 0) {
    const double grown = time - facts.time_told, share = time * (step - before) / step;
    facts.clock_fits = grown > kLeast * share && grown < kMost * share ? facts.clock_fits + 1 : -1;
  }
  return facts.clock_fits >= kFew;
}

/// Nothing but blanks and a colon stand between this number, which has no name, and the one before it.
bool follows_number(std::string_view no_name) { return is_digit(no_name.data()[-1]); }

bool is_batch(std::string_view name) {
  const std::string_view last = name.substr(name.rfind(' ') + 1);
  return iequals(last, "batch") || iequals(last, "batch_idx") || name == "B";
}

bool names_held_out_data(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"val", "valid", "validation", "test", "eval"};
  return std::ranges::any_of(kNames, [name](std::string_view one) { return iequals(name, one); });
}

/// "Ran 100 train steps in 45.00 secs" (Trax): the time of so many steps.
bool steps_in_seconds(StepLine& it, const LogField& field, double before) {
  if (!field.name.ends_with("steps in") || !field.measure || field.measure->unit != FieldUnit::kTime || !(before > 0))
    return false;
  it.record.set(StepValue::kStepSeconds, field.value * field.measure->scale / before);
  it.fraction = true;
  return true;
}

}  // namespace

void note_field(LogBook& book, StepLine& it, const LogField& field) {
  if (steps_in_seconds(it, field, std::exchange(it.before, field.value))) return;
  // "[epoch 2][100/1000]"
  const bool behind_epoch = std::exchange(it.after_epoch, false);
  if (behind_epoch && field.name.empty() && std::isnan(it.record.step) && !field.fraction && field.value >= 0 &&
      field.total >= field.value) {
    it.record.step = field.value;
    it.record.of = field.total;
    it.record.of_epoch = true;
    return;
  }
  if (!it.time_name.empty() && field.name == it.time_name && (field.unit.empty() || field.unit == "s")) {
    it.record.set(StepValue::kStepSeconds, field.value);
    return;
  }
  const NamedValue named = meaning_of(field);
  if (std::isnan(it.batch) && !field.fraction && is_batch(field.name)) {
    it.batch = field.value;
    it.batches = field.total;
  }
  if (field.bracketed && !field.fraction && field.value >= 0 && field.total >= field.value &&
      named.kind == NamedValue::Kind::kNothing) {
    // "[0/300][10/1251]"
    if (it.bracket >= 0 && std::isnan(it.record.epoch)) {
      it.record.epoch = it.bracket;
      it.record.epochs = it.brackets;
    }
    it.bracket = field.value;
    it.brackets = field.total;
  }
  if (named.kind == NamedValue::Kind::kNothing && std::isnan(it.some_time)) {
    it.some_time = some_time(field);
    it.unnamed_time = field.name.empty();
  }
  if (field.name == "E" && field.bare_count()) it.record.epoch = field.value;  // Sockeye: "E=0 B=50"
  if (named.kind == NamedValue::Kind::kAllocated) {
    if (it.gpu_memory && iequals(field.name, "mem")) return;
    it.gpu_memory = it.gpu_memory || field.name.contains("gpu") || field.name.contains("GPU");
  }
  // prime-rl's "Peak Mem. 58.1 GiB" is what the allocator reserves (src/prime_rl/trainer/sft/train.py).
  if (named.kind == NamedValue::Kind::kAllocated && field.name.ends_with("Peak Mem") &&
      field.name.data()[field.name.size()] == '.') {
    book.memory(LoggedMemory::kReserved, Bytes{field.value * named.scale});
    return;
  }
  if (named.kind == NamedValue::Kind::kQuantity && named.quantity == StepValue::kLoss) {
    if (!takes_loss(it.loss_name, field.name)) return;
    it.loss_name = field.name;
  }
  // "Step tok/sec: 7238, Avg tok/sec: 7001"
  if (named.kind == NamedValue::Kind::kQuantity && it.record.has(named.quantity) &&
      named.quantity == StepValue::kTokens && (field.name.starts_with("Avg") || field.name.starts_with("avg")))
    return;
  const bool some_loss = named.kind == NamedValue::Kind::kQuantity &&
                         (named.quantity == StepValue::kLoss || named.quantity == StepValue::kValidation);
  if (some_loss) {
    it.whole_loss = !field.fraction && field.unit.empty() ? std::optional(named.quantity) : std::nullopt;
  } else if (it.whole_loss && field.name.empty() && field.fraction && field.unit.empty() &&
             follows_number(field.name)) {
    // "Train loss 100 5.12 Grad Norm 1.25": the step and its loss
    it.loss_step = it.record[*it.whole_loss];
    it.record.set(*std::exchange(it.whole_loss, std::nullopt), field.value);
    it.fraction = true;
    return;
  }
  switch (named.kind) {
    case NamedValue::Kind::kStep:
      if (field.fraction || !(field.value >= 0)) return;
      // "STEP: 24/100 -- GLOBAL_STEP: 1025": the step of the run counts.
      if (it.step_is_iter && iequals(field.name, "step") && std::isnan(field.total) && field.value <= it.record.step) {
        it.passes = field.value > 0 ? it.record.step / field.value : scan::kUnknown;
      } else if (!std::isnan(it.record.step) && (it.record.of_run || !ends_in_global_step(field.name))) {
        return;
      }
      it.step_is_iter = iequals(field.name, "iter");
      it.record.step = field.value;
      it.record.of = field.total;
      it.record.of_run = ends_in_global_step(field.name);
      return;
    case NamedValue::Kind::kMeanTime:
      it.mean_time = field.value * named.scale;
      it.fraction = true;
      return;
    case NamedValue::Kind::kQuantity:
    case NamedValue::Kind::kStepRate:
      if (named.quantity == StepValue::kStepSeconds)
        it.steps_timed = it.steps_timed || field.name.contains("step") || field.name.contains("iter");
      it.fraction = it.fraction || field.fraction || !field.unit.empty();
      break;
    case NamedValue::Kind::kNothing:
      if (field.fraction && field.unit.empty()) {
        if (iequals(field.name, "train")) it.train = field.value;
        if (names_held_out_data(field.name)) it.held_out = field.value;
      }
      if (!book.log.rewards && field.fraction) it.rewards = it.rewards || tells_rewards(field.name);
      break;
    case NamedValue::Kind::kAllocated:
    case NamedValue::Kind::kReserved:
      break;
    case NamedValue::Kind::kEpoch:
      it.record.epoch = field.value;
      it.record.epochs = field.total;
      it.after_epoch = !field.fraction;
      return;
  }
  note_value(book, it.record, named, field.value);
}

double seconds_of_run(LogFacts& facts, const StepLine& it) {
  return times_are_of_run(facts, it.some_time, it.record.step) ? it.some_time : scan::kUnknown;
}

double seconds_of_step(LogFacts& facts, const StepLine& it, const LogLine& line, double last_step) {
  const double steps = it.record.step - last_step, passed = line.time - facts.line_time;
  facts.line_time = line.time;
  constexpr double kNear = 0.1, kSecond = 1;
  // What passed from one step to the next, again and again, is the time of a step.
  if (steps == 1 && passed > 0 && std::abs(it.some_time - passed) <= kNear * passed + kSecond) ++facts.times_less;
  const bool of_steps = times_are_of_steps(facts, it.some_time);
  if (steps > 1 && passed > 0 && std::abs(it.some_time - passed) <= kNear * passed + kSecond)
    return it.some_time / steps;
  if (steps > 0 && 2 * passed + kSecond < steps * it.some_time) return scan::kUnknown;  // the clock knows better
  // A duration without a name may be a step's only where each step has a line.
  return of_steps && !(it.unnamed_time && steps > 1) ? it.some_time : scan::kUnknown;
}

}  // namespace gpuplan
