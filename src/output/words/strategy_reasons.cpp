#include "output/words/strategy_reasons.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr double kSameTime = 1.005;  // above it times differ

std::string sharding_words(const Strategy& s) {
  if (s.sharding != Sharding::kNone) return sharded_words(s.sharding);
  return s.tp * s.pp * s.cp == 1 ? "plain data parallel (DDP)" : "data parallel without sharding";
}

std::string over(const char* what, int degree) {
  return degree > 1 ? std::string(what) + " " + std::to_string(degree) : std::string("no ") + what;
}

/// "1.3x slower", "no faster", "3% faster".
std::string speed_words(const Alternative& other) {
  if (other.time > kSameTime) return times_words(other.time) + " slower";
  if (other.time > 1 / kSameTime) return "no faster";
  if (other.time < 0.5) return times_words(1 / other.time) + " as fast";
  return percent(1 / other.time - 1) + " faster";
}

/// Faster by more than the setup asks for, and nothing that people do unasked: layers cut in fine-tuning, say.
bool only_named(const Alternative& other) {
  return other.why == WhyNot::kNotWorthIt && other.weighed() < 1 / kSameTime;
}

const char* short_reason(const Alternative& other) {
  switch (other.why) {
    case WhyNot::kMemory:
      return "does not fit";
    case WhyNot::kTight:
      return "OOM risk";
    case WhyNot::kHostMemory:
      return "CPU memory too small";
    case WhyNot::kSlower:
      return other.time > kSameTime ? "slower" : "no faster";
    case WhyNot::kNotWorthIt:
      if (other.aspect == Aspect::kCompile || other.aspect == Aspect::kOptimizer || only_named(other))
        return "only if asked for";
      return other.time > 1 / kSameTime ? "no faster" : "gain too small";
    case WhyNot::kImpossible:
      return "does not divide";
  }
  return "";
}

/// "pipeline 1.2 x zero1 1.04", as the rows of the table are called; with the bounds that hold.
std::string factor_words(const std::vector<CareFactor>& factors, const PracticeConstants& practice) {
  std::string text;
  double product = 1;
  for (const CareFactor& factor : factors) {
    text += (text.empty() ? "" : " x ") + std::string(factor.name) + " " + significant_text(factor.value, 3);
    product *= factor.value;
  }
  if (product > practice.most) text += ", at most " + number_text(practice.most);
  return text;
}

/// A sentence has room for one reason of each kind, the nearest, and for a few in all.
std::vector<const Alternative*> told(const std::vector<Alternative>& others) {
  constexpr std::size_t kMost = 3;
  std::vector<const Alternative*> result;
  for (const Alternative& other : others) {
    const bool seen = std::ranges::any_of(result, [&](const Alternative* one) { return one->aspect == other.aspect; });
    if (!seen && result.size() < kMost) result.push_back(&other);
  }
  return result;
}

}  // namespace

std::string way_words(const Alternative& other) {
  const Strategy& s = other.strategy;
  switch (other.aspect) {
    case Aspect::kSharding:
      return sharding_words(s);
    case Aspect::kRecompute:
      return (s.recompute == Recompute::kNone ? "no" : std::string(name_of(s.recompute))) + " activation checkpointing";
    case Aspect::kMicroBatch:
      return "micro-batch " + std::to_string(s.micro_batch);
    case Aspect::kTensor:
      return over("tensor parallelism", s.tp);
    case Aspect::kPipeline:
      return over("pipeline parallelism", s.pp);
    case Aspect::kContext:
      return over("context parallelism", s.cp);
    case Aspect::kExpert:
      return over("expert parallelism", s.ep);
    case Aspect::kCompile:
      return "compiling";
    case Aspect::kFramework:
      return other.framework != nullptr ? other.framework->name : "another framework";
    case Aspect::kOptimizer:
      return "pure bf16 weights and 8-bit AdamW";
    case Aspect::kOffload:
      return s.offload == Offload::kNone ? "no CPU offload" : "CPU offload of " + offloaded_words(s.offload);
  }
  return "";
}

namespace {

std::string way_and_framework(const Alternative& other, const PhaseEstimate& chosen) {
  std::string way = way_words(other);
  if (other.aspect != Aspect::kFramework && other.framework != nullptr && chosen.framework != nullptr &&
      other.framework->name != chosen.framework->name)
    way += " (" + other.framework->name + ")";
  return way;
}

}  // namespace

std::string reason_words(const Alternative& other, const PhaseEstimate& chosen) {
  const std::string way = way_and_framework(other, chosen);
  const std::string usable = gib_text(chosen.node->gpu->usable);
  switch (other.why) {
    case WhyNot::kMemory:
      return way + ": does not fit (" + gib_text(other.memory.p50) + " of " + usable + " GiB per GPU)";
    case WhyNot::kTight:
      return way + ": OOM risk (" + gib_text(other.memory.p50) + " GiB typical, " + gib_text(other.memory.p90) +
             " at P90, " + usable + " usable)";
    case WhyNot::kHostMemory:
      return way + ": not enough CPU memory";
    case WhyNot::kSlower:
    case WhyNot::kNotWorthIt: {
      const bool faster = other.time <= 1 / kSameTime;
      if (other.aspect == Aspect::kOptimizer)
        return way + ": " + speed_words(other) + ", less precise: taken only if asked for (optimizer, master_weights)";
      if (other.aspect == Aspect::kCompile && faster)
        return way + ": " + speed_words(other) + ", taken only if asked for (compile: true)";
      if (faster && only_named(other)) return way + ": " + speed_words(other) + ", taken only if asked for";
      return way + ": " + speed_words(other) + (faster ? ", not worth the extra setup" : "");
    }
    case WhyNot::kImpossible:
      return way + ": does not divide";
  }
  return "";
}

std::string why_words(const std::vector<Alternative>& others, const PhaseEstimate& chosen, const Phase& phase) {
  std::vector<std::string> reasons;
  for (const Alternative* other : told(others)) reasons.push_back(reason_words(*other, chosen));
  if (reasons.empty()) return "";
  std::string text = upper_first(join(reasons, "; ")) + ".";
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  const bool full = chosen.memory_total.p50 > 0.5 * chosen.node->gpu->usable;
  if (train != nullptr && !train->recompute.given() && chosen.strategy.recompute == Recompute::kNone && full)
    text += " Activation checkpointing is not needed.";
  return text;
}

std::string complexity_words(const std::vector<Alternative>& others, const PhaseEstimate& chosen,
                             const PracticeConstants& practice) {
  std::string text;
  for (const Alternative& other : others) {
    if (other.why != WhyNot::kNotWorthIt || other.time > 1 / kSameTime || other.complexity_penalty <= 1) continue;
    text += text.empty() ? "" : " ";
    text += upper_first(way_and_framework(other, chosen)) + " would have to be " +
            significant_text(other.complexity_penalty, 3) + "x as fast: " + factor_words(other.factors, practice);
    if (!other.factors_chosen.empty()) text += " against " + factor_words(other.factors_chosen, practice);
    text += ".";
  }
  return text.empty() ? text : text + " The factors are rows of data/practice_constants.csv.";
}

Table alternatives_table() {
  return Table({{.title = "TRIED", .narrowest = 18, .wrap = true, .key = "way"},
                {.title = "TIME", .align = Align::kRight, .unit = "vs chosen", .key = "time_ratio"},
                {.title = "MEMORY", .align = Align::kRight, .unit = "GiB per GPU", .key = "memory_gib"},
                {.title = "P90", .align = Align::kRight, .drop = 2, .key = "memory_gib_p90"},
                {.title = "WHY NOT", .narrowest = 16, .wrap = true, .key = "why_not"},
                {.title = "HOW", .drop = 1, .narrowest = 24, .wrap = true, .key = "how"}});
}

void add_alternatives(const std::vector<Alternative>& others, const PhaseEstimate& chosen, const Phase& phase,
                      Table& table) {
  const auto gib = [](Bytes size) { return Cell(size / units::GiB, gib_text(size)); };
  table.add({{"chosen", Paint::kGreen},
             Cell(1.0, "1"),
             gib(chosen.memory_total.p50),
             gib(chosen.memory_total.p90),
             {},
             {strategy_words(chosen, phase), Paint::kDim}});
  for (const Alternative& other : others) {
    table.add({{way_words(other)},
               other.time > 0 ? Cell(other.time, times_words(other.time)) : Cell(),
               gib(other.memory.p50),
               other.memory.exact() ? Cell() : gib(other.memory.p90),
               {short_reason(other)},
               {strategy_words(other.in_place_of(chosen), phase), Paint::kDim}});
  }
}

void write_alternatives(JsonWriter& json, const std::vector<Alternative>& others, const PhaseEstimate& chosen,
                        const Phase& phase) {
  write_text_or_null(json, "why", why_words(others, chosen, phase));
  json.key("alternatives").begin_array();
  for (const Alternative& other : others) {
    const Strategy& s = other.strategy;
    json.begin_object().member("aspect", name_of(other.aspect)).member("name", way_words(other));
    json.key("strategy").begin_object(true);
    write_text_or_null(json, "framework", other.framework != nullptr ? other.framework->name : std::string());
    json.member("dp", s.dp).member("tp", s.tp).member("pp", s.pp).member("cp", s.cp).member("ep", s.ep);
    json.member("vpp", s.interleave).member("micro_batch", s.micro_batch).member("grad_accum", s.grad_accum);
    json.member("sharding", name_of(s.sharding)).member("recompute", name_of(s.recompute));
    json.member("offload", name_of(s.offload)).end();
    if (other.time > 0) json.member("time_ratio", other.time);
    else json.null_member("time_ratio");
    write_interval(json, "memory_gib", other.memory, units::GiB);
    json.member("rejected_because", name_of(other.why)).member("words", reason_words(other, chosen)).end();
  }
  json.end();
}

}  // namespace gpuplan
