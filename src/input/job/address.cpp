#include "input/job/address.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "input/declaration/other_words.h"
#include "input/job/codecs.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {

namespace {

using Kind = ValueType::Kind;

bool is_phase_kind(std::string_view name) { return std::ranges::find(kPhaseKinds, name) != kPhaseKinds.end(); }

/// Names that would not survive being a step of an address.
bool plain_step(std::string_view name) {
  return !name.empty() && name.find_first_of(".[]=") == std::string_view::npos && trim(name) == name &&
         printable(name, name.size()) == name;
}

const Tree* named_item(const Tree& list, std::string_view name) {
  const auto is_it = [&](const Tree& item) {
    const Tree* own = item.find("name");
    return own != nullptr && own->is_scalar() && own->text == name;
  };
  if (!list.is_list()) return is_it(list) ? &list : nullptr;
  const auto found = std::ranges::find_if(list.children, is_it);
  return found == list.children.end() ? nullptr : &*found;
}

/// One step further. A map may stand for a list of one, but no item of a list does: `may_be_list` says that `tree` may
/// be a list by its place.
const Tree* step_into(const Tree& tree, const AddressStep& step, bool may_be_list) {
  if (step.index) {
    if (!tree.is_list()) return *step.index == 0 && !tree.is_null() ? &tree : nullptr;
    return *step.index < tree.children.size() ? &tree.children[*step.index] : nullptr;
  }
  if (const Tree* child = tree.find(step.name)) return child;
  return may_be_list ? named_item(tree, step.name) : nullptr;
}

/// The kind of work of a phase; null when it states none.
const Tree* kind_of(const Tree& phase) {
  for (const Tree& child : phase.children)
    if (phase.is_map() && is_phase_kind(child.key)) return &child;
  return nullptr;
}

/// Walks declaration and values together.
class Walker {
 public:
  std::vector<JobPlace> found;

  void walk(const std::string& address, const ValueType& type, const Tree* tree, int depth = 0) {
    if (depth > kMaxDepth) return;
    if (!address.empty()) found.push_back({address, &type, tree});
    inside(address, type, tree, depth);
  }

 private:
  static std::string joined(const std::string& address, std::string_view name) {
    return address.empty() ? std::string(name) : address + "." + std::string(name);
  }

  void inside(const std::string& address, const ValueType& type, const Tree* tree, int depth) {
    switch (type.kind) {
      case Kind::kRecord:
        record(address, type, tree, depth);
        break;
      case Kind::kOneOf:
        for (std::size_t i = 0; i < type.option_count; ++i) inside(address, *type.options[i], tree, depth);
        break;
      case Kind::kList:
        list(address, type, tree, depth);
        break;
      case Kind::kNamed:
        named(address, *type.of, tree, depth);
        break;
      case Kind::kByGpu:
        if (tree != nullptr) named(address + ".by_gpu", *type.of, tree->find("by_gpu"), depth);
        break;
      default:
        break;
    }
  }

  void record(const std::string& address, const ValueType& type, const Tree* tree, int depth) {
    // A list or {by_gpu: ...} is another way to write the value.
    if (tree != nullptr && (tree->is_list() || tree->find("by_gpu") != nullptr)) return;
    for (const Key& key : type) {
      const Tree* child = tree != nullptr ? tree->find(key.name) : nullptr;
      const bool other_kind = &type == &Codec<Phase>::type && child == nullptr && is_phase_kind(key.name);
      const bool variants = depth == 0 && key.name == "variants";
      if (!other_kind && !variants && !key.prose) walk(joined(address, key.name), *key.type, child, depth + 1);
    }
  }

  void list(const std::string& address, const ValueType& type, const Tree* tree, int depth) {
    if (tree == nullptr || tree->is_null()) return;
    const std::size_t size = tree->is_list() ? tree->children.size() : 1;
    for (std::size_t i = 0; i < size; ++i) {
      const Tree& item = tree->is_list() ? tree->children[i] : *tree;
      const Tree* name = type.of == &Codec<Phase>::type ? item.find("name") : nullptr;
      const bool called = name != nullptr && plain_step(name->text) && named_item(*tree, name->text) == &item;
      walk(called ? joined(address, name->text) : address + "[" + number_text(static_cast<double>(i)) + "]", *type.of,
           &item, depth + 1);
    }
  }

  void named(const std::string& address, const ValueType& type, const Tree* tree, int depth) {
    if (tree == nullptr || !tree->is_map()) return;
    for (const Tree& child : tree->children)
      if (plain_step(child.key)) walk(joined(address, child.key), type, &child, depth + 1);
  }
};

/// "phases.train.epochs" for "phases.train.train.epochs"; empty for what is not inside a phase's kind.
std::string without_kind(std::string_view address) {
  if (!address.starts_with("phases")) return "";
  const auto steps = address_steps(address);
  if (!steps || steps->size() < 4) return "";
  const AddressStep& kind = (*steps)[2];
  if (kind.index || !is_phase_kind(kind.name)) return "";
  const auto at = static_cast<std::size_t>(kind.name.data() - address.data());
  return std::string(address.substr(0, at)) + std::string(address.substr(at + kind.name.size() + 1));
}

bool ends_in(std::string_view address, std::string_view end) {
  return address.size() > end.size() && address.ends_with(end) && address[address.size() - end.size() - 1] == '.';
}

/// Whether the address, or the address without the kind of its phase, ends so.
bool is_end_of(std::string_view end, std::string_view address) {
  if (ends_in(address, end)) return true;
  const std::size_t dot = end.rfind('.');
  return dot != std::string_view::npos && address.ends_with(end.substr(dot)) && ends_in(without_kind(address), end);
}

/// Whether the steps of `part` are among those of the address, in order, with the same last one:
/// "generate.samples" in "phases.generate.generate.data[0].samples".
bool is_inside(const std::vector<AddressStep>& part, std::string_view address) {
  if (!address.ends_with(part.back().name) || part.back().index) return false;
  const auto steps = address_steps(address);
  if (!steps || steps->back().name != part.back().name) return false;
  std::size_t found = 0;
  for (const AddressStep& step : *steps)
    if (found < part.size() && step.name == part[found].name && step.index == part[found].index) ++found;
  return found == part.size();
}

/// "market.offers[*].price" or "phases[*].train.steps" when the addresses differ in one item only; else empty.
std::string all_items(const std::vector<std::string>& addresses) {
  std::string common;
  for (const std::string& address : addresses) {
    constexpr std::string_view kPhases = "phases.";
    std::size_t open = address.find('['), close = address.find(']');
    if (address.starts_with(kPhases)) {
      open = kPhases.size() - 1;
      close = std::min(address.find('.', kPhases.size()), address.size()) - 1;
    }
    if (open == std::string::npos || close == std::string::npos) return "";
    const std::string starred = address.substr(0, open) + "[*]" + address.substr(close + 1);
    if (!common.empty() && starred != common) return "";
    common = starred;
  }
  return common;
}

std::unexpected<Error> several(std::string_view end, std::vector<std::string> matches) {
  const std::string each = all_items(matches);
  constexpr std::size_t kShown = 6;
  const std::size_t more = matches.size() - std::min(matches.size(), kShown);
  matches.resize(matches.size() - more);
  if (more > 0) matches.push_back(count_text(static_cast<double>(more)) + " more");
  return wrong_use("'" + printable(end, 60) + "' matches several keys: " + listed(matches, "or") +
                   ". Write the full one." + (each.empty() ? "" : " All of them: " + each));
}

/// The one place that is meant by an end of its address, or else by some of its steps; among those the job states, or
/// else those it could. Empty when there is none.
Result<std::string> only_place(const std::vector<JobPlace>& all, std::string_view end) {
  const auto steps = address_steps(end);
  if (!steps) return std::string();
  for (const bool whole : {true, false}) {
    if (!whole && steps->size() < 2) break;
    for (const bool stated : {true, false}) {
      std::vector<std::string> matches;
      for (const JobPlace& place : all) {
        if ((place.tree != nullptr) != stated) continue;
        if (whole ? is_end_of(end, place.address) : is_inside(*steps, place.address)) matches.push_back(place.address);
      }
      if (matches.size() == 1) return std::move(matches.front());
      if (!matches.empty()) return several(end, std::move(matches));
    }
  }
  return std::string();
}

/// "phases.train.epochs" with the kind of the phase put in where it is left out.
Result<std::string> with_kind(const Tree& job, std::string_view address, const std::vector<AddressStep>& steps) {
  std::string as_written(address);
  if (steps.size() < 3 || steps[0].name != "phases" || steps[2].index) return as_written;
  const std::string_view key = steps[2].name;
  const Tree* phases = job.find("phases");
  const Tree* phase = phases != nullptr ? step_into(*phases, steps[1], true) : nullptr;
  const Tree* kind = phase != nullptr ? kind_of(*phase) : nullptr;
  const ValueType& common = Codec<Phase>::type;
  if (kind == nullptr || common.find(key) != nullptr) return as_written;
  const ValueType& own = *common.find(kind->key)->type;
  const auto at = static_cast<std::size_t>(key.data() - address.data());
  if (own.find(key) != nullptr) return std::string(address.substr(0, at)) + kind->key + "." + as_written.substr(at);
  std::vector<std::string_view> names;
  for (const ValueType* type : {&own, &common})
    for (const Key& each : *type) names.push_back(each.name);
  const std::string_view advice = advice_on("key", key);
  const std::string guess = advice.empty() ? did_you_mean(key, names) : "; " + std::string(advice);
  if (guess.empty()) return as_written;
  return wrong_use("unknown key '" + printable(key, 60) + "' in " + printable(address.substr(0, at - 1), 80) + guess);
}

Result<std::string> full_address(const Tree& job, std::string_view address) {
  const auto steps = address_steps(address);
  if (!steps) return std::unexpected(steps.error());
  address = trim(address);
  if (Codec<Job>::type.find(steps->front().name) != nullptr) return with_kind(job, address, *steps);
  Walker walker;
  walker.walk("", Codec<Job>::type, &job);
  auto found = only_place(walker.found, address);
  if (!found || !found->empty()) return found;
  // One word alone may be a slip of any key; a longer address is judged step by step by whoever uses it, from where its
  // first word leads.
  const std::string_view first = steps->front().name;
  if (steps->size() > 1) {
    const JobPlace* record = nullptr;  // of several the innermost that the job states: `train` of a phase named train
    for (const JobPlace& place : walker.found) {
      if (place.type == nullptr || place.type->kind != ValueType::Kind::kRecord || !is_end_of(first, place.address))
        continue;
      if (record == nullptr || place.tree != nullptr || record->tree == nullptr) record = &place;
    }
    return (record != nullptr ? record->address : std::string(first)) + std::string(address.substr(first.size()));
  }
  if (const std::string_view advice = advice_on("key", first); !advice.empty())
    return wrong_use("unknown key '" + printable(address, 60) + "'; " + std::string(advice));
  std::vector<std::string_view> names;
  for (const JobPlace& place : walker.found) {
    const std::size_t dot = place.address.rfind('.');
    const std::string_view last = std::string_view(place.address).substr(dot == std::string::npos ? 0 : dot + 1);
    if (std::ranges::find(names, last) == names.end()) names.push_back(last);
  }
  const std::string guess = did_you_mean(address, names);
  if (guess.empty()) return std::string(address);
  return wrong_use("unknown key '" + printable(address, 60) + "'" + guess);
}

}  // namespace

Result<std::vector<AddressStep>> address_steps(std::string_view address) {
  std::vector<AddressStep> steps;
  const auto malformed = [&] {
    return wrong_use("'" + printable(address, 80) +
                     "' is not a key of a job; expected one such as limits.deadline, phases.train.train.epochs or "
                     "market.offers[2].price");
  };
  std::string_view rest = trim(address);
  if (printable(rest, rest.size()) != rest) return malformed();  // its names become keys of the job
  while (!rest.empty()) {
    if (rest.front() == '[') {
      const std::size_t end = rest.find(']');
      if (end == std::string_view::npos || steps.empty()) return malformed();
      std::size_t index = 0;
      const char* last = rest.data() + end;
      const auto parsed = std::from_chars(rest.data() + 1, last, index);
      if (parsed.ec != std::errc() || parsed.ptr != last || index > kMaxNodes) return malformed();
      steps.push_back({{}, index});
      rest.remove_prefix(end + 1);
      if (rest.empty()) break;
      if (rest.front() == '[') continue;
      if (rest.front() != '.') return malformed();
      rest.remove_prefix(1);
      if (rest.empty()) return malformed();
      continue;
    }
    const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
    if (end == 0) return malformed();
    steps.push_back({rest.substr(0, end), {}});
    rest.remove_prefix(end);
    if (!rest.empty() && rest.front() == '.') {
      rest.remove_prefix(1);
      if (rest.empty()) return malformed();
    }
    if (steps.size() > static_cast<std::size_t>(kMaxDepth)) return malformed();
  }
  if (steps.empty()) return malformed();
  return steps;
}

std::vector<JobPlace> places(const Tree& job) {
  Walker walker;
  walker.walk("", Codec<Job>::type, &job);
  return std::move(walker.found);
}

Result<std::vector<std::string>> full_addresses(const Tree& job, std::string_view address) {
  constexpr std::string_view kEach = "[*]";
  constexpr int kMostLists = 3;  // a phase's prompts, say
  int lists = 0;
  for (std::size_t at = address.find(kEach); at != std::string_view::npos; at = address.find(kEach, at + 1)) ++lists;
  if (lists > kMostLists) return wrong_use("'" + printable(address, 80) + "' has too many [*]");
  const std::size_t star = address.find(kEach);
  if (star == std::string_view::npos) {
    auto full = full_address(job, address);
    if (!full) return std::unexpected(std::move(full.error()));
    return std::vector{*std::move(full)};
  }
  const auto list = full_address(job, address.substr(0, star));
  if (!list) return std::unexpected(list.error());
  const Tree* tree = value_at(job, *list);
  if (tree == nullptr || tree->is_null())
    return wrong_use("'" + printable(address, 80) + "' needs items in " + printable(*list, 80) +
                     ", and the job has none");
  std::vector<std::string> all;
  const std::size_t size = tree->is_list() ? tree->children.size() : 1;
  for (std::size_t i = 0; i < size; ++i) {
    const auto inner = full_addresses(job, *list + "[" + number_text(static_cast<double>(i)) + "]" +
                                               std::string(address.substr(star + kEach.size())));
    if (!inner) return std::unexpected(inner.error());
    all.insert(all.end(), inner->begin(), inner->end());
    if (all.size() > static_cast<std::size_t>(kMaxNodes))
      return wrong_use("'" + printable(address, 80) + "' matches too many keys");
  }
  return all;
}

std::string short_address(const std::vector<JobPlace>& all, const std::string& address) {
  const auto steps = address_steps(address);
  if (!steps) return address;
  for (std::size_t i = steps->size(); i-- > 1;) {
    const AddressStep& first = (*steps)[i];
    if (first.index || Codec<Job>::type.find(first.name) != nullptr) continue;
    const std::string_view end =
        std::string_view(address).substr(static_cast<std::size_t>(first.name.data() - address.data()));
    if (const auto found = only_place(all, end); found && *found == address) return std::string(end);
  }
  return address;
}

const Tree* value_at(const Tree& job, std::string_view address) {
  const auto steps = address_steps(address);
  const Tree* tree = steps ? &job : nullptr;
  bool may_be_list = false;
  for (std::size_t i = 0; tree != nullptr && i < steps->size(); ++i) {
    const AddressStep& step = (*steps)[i];
    const Tree* next = step_into(*tree, step, may_be_list);
    may_be_list = !step.index && next != nullptr && next == tree->find(step.name);
    tree = next;
  }
  return tree;
}

}  // namespace gpuplan
