#include "input/feeds/rows/feed_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "base/whole.h"
#include "input/feeds/rows/gpu_namesakes.h"
#include "input/feeds/rows/gpu_words.h"
#include "input/feeds/rows/parted_lists.h"
#include "input/prices/price_bounds.h"
#include "input/text/csv.h"
#include "input/text/gpu_name.h"
#include "plan/answer/folded_hash.h"

namespace gpuplan {
namespace {

using namespace units;

constexpr double kHighestFeedPrice = 1e6;  // dollars an hour: thousands of times the dearest machine listed
constexpr int kMostGpusOfMachine = 1024;   // of one machine; a rack has 72, a slice of TPUs more
constexpr double kMostVcpus = 4096, kMostRam = 65'536;  // GiB: four times the largest machine rented
constexpr std::size_t kLongestName = 200;
constexpr int kBaseboard = 8;  // GPUs

/// What a name is without control characters and what is no UTF-8; true when something was there.
bool clean(std::string& text) {
  std::string shown = printable(trim(text), kLongestName);
  if (shown == text) return false;
  const bool only_blanks = shown == trim(text);
  text = std::move(shown);
  return !only_blanks;
}

bool counts(double price) { return price == price; }

/// Azure's sizes with a sixth, a third or half of an A10 (learn.microsoft.com, NVadsA10 v5 series), 2026-11.
bool is_part_of_gpu(std::string_view instance) {
  const std::string name = to_lower(instance);
  constexpr std::array<std::string_view, 3> kParts = {"nv6ads_a10_v5", "nv12ads_a10_v5", "nv18ads_a10_v5"};
  return std::ranges::any_of(kParts, [&](std::string_view part) { return name.ends_with(part); });
}

/// Names of providers and places are written in either case.
bool same_but_for_case(const Offer& a, Offer b) {
  for (const auto part : {&Offer::provider, &Offer::region, &Offer::zone, &Offer::instance}) {
    if (!iequals(a.*part, b.*part)) return false;
    b.*part = a.*part;
  }
  return a == b;
}

std::string machine_key(const std::string& provider, const std::string& instance) {
  return to_lower(provider + '\n' + instance);
}

std::optional<Interval<DollarsPerSecond>> hourly(double dollars) {
  if (!counts(dollars)) return std::nullopt;
  return exactly(dollars * dollar / hour);
}

/// What is wrong with an hour's price; empty: nothing.
std::string_view no_price(double dollars) {
  if (dollars < 0) return "a negative price";
  if (dollars == 0) return "a price of 0";
  if (dollars * dollar / hour < kLeastPrice) return "a price below $0.0001/h";
  if (!(dollars <= kHighestFeedPrice)) return "a price above $1,000,000/h";
  return "";
}

}  // namespace

std::string FeedRow::words() const {
  std::string text;
  for (const std::string* part : {&instance, &gpu, &region}) {
    if (part->empty()) continue;
    if (!text.empty()) text += ' ';
    text += printable(*part, 60);
  }
  return text;
}

FeedRows::FeedRows(FeedTerms terms, std::string format, const Catalogue& catalogue)
    : terms_(std::move(terms)), catalogue_(&catalogue) {
  if (terms_.parted == nullptr) parted_ = std::make_shared<PartedLists>();
  else parted_ = {std::shared_ptr<void>(), terms_.parted};  // not owned
  feed_.format = std::move(format);
  feed_.file = terms_.file;
  for (const Node& node : catalogue.nodes)
    if (const Gpu* gpu = catalogue.find_gpu(node.gpu); gpu != nullptr && !node.instance.empty()) {
      NamedMachine& machine = machines_.try_emplace(machine_key(node.provider, node.instance), gpu).first->second;
      machine.gpus.push_back(node.gpus);
    }
  for (const PriceSpread& spread : catalogue.price_spreads)
    if (spread.over == SpreadOver::kHosts) marketplaces_.push_back(spread.provider);
}

void FeedRows::stand_for(const std::string& file, const std::string& name) {
  feed_.file = file;
  feed_.name = name;
}

void FeedRows::reject(std::uint64_t row, std::string reason, std::string words) {
  ++feed_.rows;
  ++feed_.rejections[reason];
  if (feed_.notes.size() < Feed::kMostNotes) feed_.notes.push_back({row, true, std::move(reason), std::move(words)});
}

void FeedRows::skip(std::string_view reason) {
  ++feed_.rows;
  ++feed_.rejections[std::string(reason)];
}

const FeedRows::NamedMachine* FeedRows::machine_of(const FeedRow& row) const {
  const auto known = machines_.find(machine_key(row.provider, row.instance));
  return known == machines_.end() ? nullptr : &known->second;
}

/// What contradicts the machine of its name; what differs in form or memory alone is told as put right.
std::string FeedRows::machine_problem(FeedRow& row, const Gpu& gpu) const {
  if (iequals(row.provider, "azure") && is_part_of_gpu(row.instance)) return "a part of a GPU";
  const NamedMachine* known = machine_of(row);
  if (known == nullptr) return "";
  if (std::ranges::find(known->gpus, static_cast<int>(row.gpus)) == known->gpus.end())
    return "a number of GPUs that the machine of that name does not have";
  const auto named = find_gpu(*catalogue_, row.gpu);
  if (!named || named->gpu == nullptr || named->gpu == &gpu) return "";
  const std::string said = to_lower(stem_of(named->gpu->name)), has = to_lower(stem_of(gpu.name));
  // The A10 of AWS is an A10G.
  if (!said.starts_with(has) && !has.starts_with(said)) return "a GPU that the machine of that name does not have";
  const std::string form = form_factor_in(row.gpu), its_form = form_factor_in(gpu.name);
  const bool other_form = !form.empty() && !its_form.empty() && form != its_form;
  const std::string_view last = std::string_view(row.gpu).substr(row.gpu.find_last_of(" -_") + 1);
  const bool other_memory = to_lower(last).ends_with("gb") && named->gpu->memory != gpu.memory;
  if (said != has || other_form || other_memory)
    row.corrections.push_back("another GPU than the machine of that name has, taken as " + gpu.name);
  return "";
}

/// What a marketplace lists is one host's, which is taken or withdrawn within weeks.
void FeedRows::note_host(Offer& offer) const {
  const auto is_its = [&](const std::string& marketplace) { return iequals(marketplace, offer.provider); };
  if (is_single(offer) || std::ranges::none_of(marketplaces_, is_its)) return;
  const std::string said = offer.availability;
  offer.availability = said + (said.empty() ? "" : ", ") + "a single machine when listed";
}

/// Else the offer, which will stand at the end of those kept, is remembered. "ACME" in "US" is "acme" in "us".
bool FeedRows::seen_before(const Offer& offer) {
  const auto price_of = [](const auto& price) { return price ? price->p50.value : 0.0; };
  std::uint64_t hash = folded_hash(kHashSeed, offer.instance);
  for (const Word* text : {&offer.region, &offer.zone, &offer.provider, &offer.as_of})
    hash = folded_hash(hash, text->str());
  hash ^= std::bit_cast<std::uint64_t>(price_of(offer.price)) * 31;
  hash ^= std::bit_cast<std::uint64_t>(price_of(offer.spot_price)) * 37;
  const auto [first, last] = seen_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (same_but_for_case(feed_.offers[it->second], offer)) return true;
  seen_.emplace(hash, feed_.offers.size());
  return false;
}

/// All that share all but form factor and memory, of this memory; 0: of any.
std::vector<const Gpu*> FeedRows::kin_of(const std::string& stem, double gib) const {
  std::vector<const Gpu*> kin;
  for (const Gpu& one : catalogue_->gpus)
    if (stem_of(one.name) == stem && (gib <= 0 || has_memory(one, gib))) kin.push_back(&one);
  return kin;
}

bool FeedRows::had_memory(const FeedRow& row, double gib) const {
  const auto named = find_gpu(*catalogue_, row.gpu);
  if (!named || named->gpu == nullptr || gib <= 0) return false;
  const std::string stem = stem_of(named->gpu->name);
  const auto made = [&](double of_one) {
    return !kin_of(stem, of_one).empty() || !gpu_namesakes(*catalogue_, row.gpu, of_one).empty();
  };
  return made(gib) || (row.gpus > 1 && made(gib / row.gpus));
}

/// Reads the form factor that stands beside a GPU's name: in a column of its own, or in the name of the machine, which
/// may be that of the GPU in full. Returns how they contradict each other; empty: they do not.
std::string FeedRows::settle_form(FeedRow& row) const {
  if (row.gpu_memory_gib == 0 && !row.form.empty())
    if (const double gib = gigabytes_in(row.form); gib > 0 && had_memory(row, gib)) row.gpu_memory_gib = gib;
  const std::string own = named_form_factor(row.form), machine = named_form_factor(row.instance);
  if (own.empty() && machine.empty()) return "";
  const std::string said = named_form_factor(row.gpu);
  const auto named = find_gpu(*catalogue_, row.gpu);
  if (!named || named->gpu == nullptr) return "";
  const std::vector<const Gpu*> kin = kin_of(stem_of(named->gpu->name), 0);
  const auto made_as = [&](std::string_view form) {
    return std::ranges::any_of(kin, [&](const Gpu* one) { return form_factor_in(one->name) == form; });
  };
  if (forms_differ(said, own) && made_as(said) && made_as(own))
    return "a form factor that contradicts the name of the GPU";
  // The provider's own word for the machine counts: lists put several GPUs of a kind under one name.
  if (machine.empty()) return "";
  const GpuWords words = gpu_words(*catalogue_, row.instance);
  const auto whole = find_gpu(*catalogue_, words.gpu);
  if (whole && stem_of(whole->gpu->name) == stem_of(named->gpu->name)) {
    const bool other = !said.empty() && machine != said;
    if (other) row.corrections.push_back("another GPU than its machine is called by, taken as " + whole->gpu->name);
    if (words.gib > 0 || other) row.gpu_memory_gib = words.gib;
    row.gpu = whole->gpu->name;
    return "";
  }
  const std::string& first = said.empty() ? own : said;
  return forms_differ(first, machine) && made_as(first) && made_as(machine)
             ? "a form factor that contradicts the name of the machine"
             : "";
}

/// The GPU that a row means: what the provider's machine of that name has, else the name with the memory and the form
/// factor that stand beside it.
const Gpu* FeedRows::find(FeedRow& row, std::string& problem) {
  // Names of machines tell little and are many: where each has its own, they are no part of the key.
  if (const NamedMachine* machine = machine_of(row)) return machine->gpu;
  if (problem = settle_form(row); !problem.empty()) return nullptr;
  std::string form = form_factor_in(row.gpu);
  const bool form_said = !form.empty();
  if (!form_said) form = form_factor_in(row.form);
  if (form.empty()) form = form_factor_in(row.hints + ' ' + row.instance);
  // What they have together, or each of them: the number of them tells.
  const bool many = row.gpu_memory_gib > 0 && row.gpus > 1;
  std::string key = row.gpu + '\n' + form + '\n' + std::to_string(row.gpu_memory_gib) + '\n' +
                    (many || row.gpus == kBaseboard ? number_text(row.gpus) : "");
  if (const auto known = found_.find(key); known != found_.end()) {
    if (known->second.first == nullptr) problem = known->second.second;
    else if (!known->second.second.empty()) row.corrections.push_back(known->second.second);
    return known->second.first;
  }
  const auto remember = [&](const Gpu* gpu, std::string note) {
    if (gpu == nullptr) problem = note;
    else if (!note.empty()) row.corrections.push_back(note);
    found_.emplace(std::move(key), std::pair(gpu, std::move(note)));
    return gpu;
  };

  const auto named = find_gpu(*catalogue_, row.gpu);
  const Gpu* gpu = named ? named->gpu : nullptr;
  if (gpu == nullptr) return remember(nullptr, "a GPU that gpuplan does not know: " + printable(row.gpu, 60));

  // "H100" alone, or with a memory that tells which.
  const std::string stem = stem_of(gpu->name);
  std::vector<const Gpu*> kin = kin_of(stem, row.gpu_memory_gib);
  if (kin.empty() && many) kin = kin_of(stem, row.gpu_memory_gib / row.gpus);
  if (kin.empty()) {
    std::vector<const Gpu*> others = gpu_namesakes(*catalogue_, row.gpu, row.gpu_memory_gib);
    if (others.empty() && many) others = gpu_namesakes(*catalogue_, row.gpu, row.gpu_memory_gib / row.gpus);
    if (others.empty()) return remember(nullptr, "a memory that " + gpu->name + " never had");
    return remember(others.front(), "by its memory " + others.front()->name);
  }
  std::string note;
  if (form.empty() && kin.size() > 1 && !gpu->form_factor.empty() && !form_said) {
    // Eight of them share a baseboard; fewer may be cards, which are slower.
    form = row.gpus == kBaseboard ? "sxm" : "pcie";
    bool there = false, others = false;
    for (const Gpu* one : kin) {
      const bool same = form_factor_in(one->name) == form;
      there = there || same;
      others = others || !same;
    }
    if (there && others)
      note = "the form factor of " + stem + " is not said: taken as " + (form == "sxm" ? "SXM" : "PCIe");
    if (!there) form.clear();
  }
  const Gpu* best = nullptr;
  for (const Gpu* one : kin) {
    if (!form.empty() && form_factor_in(one->name) != form && !form_factor_in(one->name).empty()) continue;
    // Of several that fit all that is said, the one whose bare name the list wrote, or one of its memory: "V100" alone
    // has 16 GB also as a card.
    const bool nearer =
        one == gpu || (best != nullptr && best != gpu && best->memory != gpu->memory && one->memory == gpu->memory);
    if (best == nullptr || nearer) best = one;
  }
  if (best == nullptr) best = std::ranges::find(kin, gpu) != kin.end() ? gpu : kin.front();
  return remember(best, std::move(note));
}

Result<double> FeedRows::rate_of(const std::string& currency) const {
  std::vector<std::string> codes;
  std::optional<double> rate;
  bool several = false;
  for (const std::string_view code : split(currency, '|')) {
    codes.push_back(printable(code, 12));
    for (const CurrencyRate& one : terms_.rates) {
      if (!iequals(one.code, code)) continue;
      several = several || rate;
      rate = one.dollars;
    }
  }
  if (rate && !several) return *rate;
  std::vector<std::string> flags;
  for (const std::string& code : codes) flags.push_back("--rate " + code + "=DOLLARS");
  if (codes.size() == 1) return failure("a price in " + codes.front() + " (" + flags.front() + ")");
  return failure("a price in " + listed(codes, "or") + (rate ? " (one rate alone, " : " (") + join(flags, " or ") +
                 (rate ? ", or a column currency)" : ", whichever it is)"));
}

void FeedRows::take(FeedRow row) {
  if (row.provider.empty()) row.provider = terms_.provider;
  bool cleaned = false;
  for (std::string* text : {&row.provider, &row.region, &row.zone, &row.instance, &row.gpu, &row.availability,
                            &row.label, &row.as_of, &row.source})
    cleaned = clean(*text) || cleaned;
  const auto refuse = [&](std::string reason) { reject(row.row, std::move(reason), row.words()); };
  if (row.gpu.empty()) return skip("no GPU");
  if (row.gpus == 0) return refuse("no number of GPUs");
  if (row.gpus < 0 || row.gpus != std::floor(row.gpus)) return refuse("a part of a GPU");
  if (row.gpus > kMostGpusOfMachine) return refuse("more GPUs than a machine has");
  if (row.provider.empty()) return refuse("no provider");
  if (!row.as_of.empty() && !is_iso_date(row.as_of)) return refuse("a date that is none");

  if (!row.currency.empty() && !iequals(row.currency, "USD")) {
    const Result<double> rate = rate_of(row.currency);
    if (!rate) return refuse(rate.error().message);
    for (double* price : {&row.price, &row.spot, &row.disk_price, &row.egress_price}) *price *= *rate;
  }
  if (!counts(row.price) && !counts(row.spot)) return refuse("no price");
  if (counts(row.price))
    if (const auto wrong = no_price(row.price); !wrong.empty()) return refuse(std::string(wrong));
  if (counts(row.spot))
    if (const auto wrong = no_price(row.spot); !wrong.empty()) {
      if (!counts(row.price)) return refuse(std::string(wrong));
      row.spot = kNoPrice;
      row.corrections.push_back("spot: " + std::string(wrong) + ", left out");
    }
  if (counts(row.price) && counts(row.spot) && row.spot >= row.price) {
    row.corrections.emplace_back("a spot price not below the one on demand, left out");
    row.spot = kNoPrice;
  }

  std::string problem;
  const Gpu* gpu = find(row, problem);
  if (gpu == nullptr) return refuse(std::move(problem));
  if (std::string wrong = machine_problem(row, *gpu); !wrong.empty()) return refuse(std::move(wrong));

  if (row.vcpus < 0 || row.vcpus > kMostVcpus) {
    row.corrections.emplace_back("vCPUs that no machine has, left out");
    row.vcpus = 0;
  }
  if (row.ram_gib < 0 || row.ram_gib > kMostRam) {
    row.corrections.emplace_back("memory that no machine has, left out");
    row.ram_gib = 0;
  }
  if (cleaned) row.corrections.emplace_back("characters that no name has");

  const std::string words = row.words();
  Offer offer;
  offer.gpu = gpu->name;
  offer.gpus = static_cast<int>(row.gpus);
  offer.price = hourly(row.price);
  offer.spot_price = hourly(row.spot);
  offer.interruptions = row.interruptions;
  offer.band = row.band;
  offer.stock = row.stock;
  offer.reliability = row.reliability > 0 && row.reliability <= 1 ? row.reliability : 0;
  offer.billing.minimum = row.minimum_s * second;
  offer.billing.increment = std::max(row.increment_s, 1.0) * second;
  if (counts(row.disk_price) && row.disk_price > 0) offer.disk_price = row.disk_price * dollar / (GB * month);
  if (counts(row.egress_price) && row.egress_price > 0) offer.egress_price = row.egress_price * dollar / GB;
  offer.vcpus = whole<int>(std::floor(row.vcpus));
  offer.ram = row.ram_gib * GiB;
  const bool undated = row.as_of.empty();
  offer.source = row.source.empty() ? terms_.source : row.source;
  offer.as_of = row.as_of.empty() ? terms_.as_of : row.as_of;
  offer.provider = row.provider;
  offer.region = row.region;
  offer.zone = row.zone;
  offer.instance = row.instance;
  offer.availability = row.availability;
  offer.label = row.label;
  note_host(offer);
  parted_->give_band(offer);
  if (seen_before(offer)) return reject(row.row, "the same row again", words);
  ++feed_.rows;
  ++feed_.kept;
  if (undated) ++feed_.undated;
  feed_.offers.push_back(std::move(offer));
  feed_.offer_rows.push_back(feed_.correct(row.row, row.corrections));
  for (std::string& reason : row.corrections)
    if (feed_.notes.size() < Feed::kMostNotes) feed_.notes.push_back({row.row, false, std::move(reason), words});
  if (terms_.long_lists != nullptr && feed_.offers.size() >= Feed::kHeld) hand_over();
}

/// Rows that say the same again are found among those held only; whoever takes them finds the others.
void FeedRows::hand_over() {
  is_long_ = true;
  terms_.long_lists->take(feed_);
  feed_.offers.clear();
  feed_.offer_rows.clear();
  seen_.clear();
}

Feed FeedRows::finish() {
  if (is_long_) hand_over();
  sort_stably(feed_.notes, {}, &FeedNote::row);  // some rows wait for others
  return std::move(feed_);
}

}  // namespace gpuplan
