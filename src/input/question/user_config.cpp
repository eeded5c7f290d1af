#include "input/question/user_config.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "input/job/codecs.h"
#include "input/text/gpu_name.h"

namespace gpuplan {

namespace {

/// Keys of a job that a person or team may always mean the same by.
constexpr std::array<std::string_view, 7> kJobKeys = {"value_of_time", "goal",        "where",  "spot",
                                                      "checkpoint",    "commitments", "credits"};
/// Of these, what a job whose market is closed takes none of.
constexpr std::array<std::string_view, 4> kOfMarket = {"where", "spot", "commitments", "credits"};

struct Written {
  Job job;  ///< receives the keys of jobs
  std::vector<Offer> own, pools;
  std::vector<std::string> prices;
  std::vector<std::pair<std::string, double>> rates;
  std::vector<std::pair<std::string, double>> discounts;
};

/// "[rates]" with lines such as "EUR = 1.08".
struct RatesCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kNamed,
                                  .title =
                                      "currencies and what one of each costs in dollars, such as EUR = 1.08 below "
                                      "[rates]",
                                  .of = &Codec<double>::type};
  static bool read(Reader& reader, const Tree& tree, std::vector<std::pair<std::string, double>>& out,
                   const Bounds& bounds) {
    if (!tree.is_map() || tree.children.empty()) return mismatch(reader, tree, type);
    return NamedCodec<Codec<double>>::read(reader, tree, out, bounds);
  }
};

constexpr std::array kOwnKeys = {
    key_as<OwnBoxesCodec, &Written::own>("own", "none", "machines you own"),
    key_as<PoolsCodec, &Written::pools>("pools", "none", "cluster pools you may use"),
    key<&Written::prices>("prices", "the built-in prices", "price lists (CSV) instead of the built-in prices"),
    key_as<RatesCodec, &Written::rates>("rates", "none", "exchange rates to dollars for the price lists", kPositive),
    key_as<NamedCodec<ShareCodec>, &Written::discounts>(
        "discounts", "none", "off listed prices on demand, by provider or \"provider: GPU\"", between(0, 0.99)),
};

const Key* job_key(std::string_view name) {
  return std::ranges::find(kJobKeys, name) == kJobKeys.end() ? nullptr : Codec<Job>::type.find(name);
}

const Key* own_key(std::string_view name) {
  const auto found = std::ranges::find(kOwnKeys, name, &Key::name);
  return found == kOwnKeys.end() ? nullptr : &*found;
}

bool unknown_key(Reader& reader, const Tree& child) {
  std::vector<std::string_view> names(kJobKeys.begin(), kJobKeys.end());
  for (const Key& key : kOwnKeys) names.push_back(key.name);
  const std::string shown = "unknown key '" + printable(child.key, 60) + "'";
  if (Codec<Job>::type.find(child.key) != nullptr && job_key(child.key) == nullptr)
    return reader.fail_at_key(child, shown + "; it belongs in a job file, not in gpuplan.toml");
  const std::string guess = did_you_mean(child.key, names);
  const std::vector<std::string> known(names.begin(), names.end());
  return reader.fail_at_key(child, shown + (guess.empty() ? "; known keys are " + join(known, ", ") : guess));
}

/// No model is named in gpuplan.toml.
class NoModels final : public ModelResolver {
 public:
  Result<ModelShape> resolve(std::string_view, std::string_view) const override { return failure("unknown model"); }
};

Result<Written> read_layer(const ConfigLayer& layer, const Catalogue& catalogue) {
  const NoModels models;
  Reader reader(catalogue, models, layer.file);
  Written written;
  for (const Tree& child : layer.tree.children) {
    const Key* of_job = job_key(child.key);
    const Key* own = own_key(child.key);
    if (of_job == nullptr && own == nullptr) {
      unknown_key(reader, child);
      return reader.error();
    }
    const Reader::Scope scope(reader, child.key);
    const bool good = of_job != nullptr ? of_job->read(reader, child, &written.job, of_job->bounds)
                                        : own->read(reader, child, &written, own->bounds);
    if (!good) return reader.error();
  }
  for (auto* list : {&written.own, &written.pools}) {
    for (Offer& box : *list) {
      const auto twins = std::ranges::count(*list, box.label, &Offer::label);
      if (twins > 1)
        return failure((list == &written.own ? "own: two machines are named " : "pools: two pools are named ") +
                           printable(box.label, 60),
                       {layer.file, layer.tree.find(list == &written.own ? "own" : "pools")->key_line, 0});
      box.source = layer.file;
    }
  }
  return written;
}

std::string below(const std::string& address, std::string_view key) {
  return address.empty() ? std::string(key) : address + "." + std::string(key);
}

/// Whether the values of a map are values of their own rather than parts of one.
bool has_keys(const Tree& tree) { return tree.is_map() && !tree.children.empty(); }

void note_values(const Tree& tree, const std::string& address, const std::string& file,
                 std::vector<ConfigValue>& values) {
  if (!has_keys(tree)) {
    values.push_back({address, tree.is_scalar() ? tree.text : flow_text(tree), file, tree.line});
    return;
  }
  for (const Tree& child : tree.children) note_values(child, below(address, child.key), file, values);
}

/// Adds what `into` lacks.
void add_missing(Tree& into, const Tree& from, const std::string& address, const std::string& file,
                 std::vector<ConfigValue>& values) {
  into.kind = Tree::Kind::kMap;
  for (const Tree& child : from.children) {
    const std::string inside = below(address, child.key);
    Tree* there = into.find(child.key);
    if (there == nullptr) {
      note_values(child, inside, file, values);
      into.children.push_back(child);
    } else if (has_keys(*there) && has_keys(child)) {
      add_missing(*there, child, inside, file, values);
    }
  }
}

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::string box_text(const Offer& box) {
  return (box.nodes > 1 ? std::to_string(box.nodes) + " machines of " : "") + std::to_string(box.gpus) + "x " +
         box.gpu + (box.kind == OfferKind::kPool ? " (pool)" : "");
}

void join_boxes(UserConfig& config, const std::vector<Offer>& boxes, const ConfigLayer& layer, std::string_view key) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Offer& box = boxes[i];
    const bool nearer = std::ranges::any_of(
        config.boxes, [&](const Offer& other) { return other.kind == box.kind && other.label == box.label; });
    if (nearer) continue;
    config.boxes.push_back(box);
    const Tree& list = *layer.tree.find(key);
    const int line = list.is_list() ? list.children[i].line : list.line;
    config.values.push_back({std::string(key) + "." + box.label, box_text(box), layer.file, line});
  }
}

void list_defaults(const Key& key, const std::string& address, std::vector<ConfigValue>& values) {
  if (key.type->kind == ValueType::Kind::kRecord) {
    for (const Key& inside : *key.type)
      if (inside.name != "exact") list_defaults(inside, below(address, inside.name), values);
    return;
  }
  values.push_back({address, key.fallback.empty() ? "none" : std::string(key.fallback), "", 0});
}

bool closed(const Tree& job) {
  const Tree* market = job.find("market");
  const Tree* use = market == nullptr ? nullptr : market->find("use");
  return use != nullptr && use->is_scalar() && iequals(trim(use->text), "only");
}

/// Adds what a job's part lacks; the texts of values are those of the configuration.
void fill(Tree& into, const Tree& from, const std::string& address, std::vector<std::string>& added) {
  for (const Tree& child : from.children) {
    const std::string inside = below(address, child.key);
    Tree* there = into.find(child.key);
    if (there == nullptr) {
      into.children.push_back(child);
      added.push_back(inside);
    } else if (has_keys(*there) && has_keys(child)) {
      fill(*there, child, inside, added);
    }
  }
}

Result<Discount> read_discount(std::string_view name, double share, const Catalogue& catalogue) {
  const std::size_t colon = name.find(':');
  Discount discount{std::string(trim(name.substr(0, colon))), "", share};
  if (colon == std::string_view::npos) return discount;
  const auto gpu = find_gpu(catalogue, trim(name.substr(colon + 1)));
  if (!gpu) return std::unexpected(gpu.error());
  discount.gpu = gpu->gpu->name;
  return discount;
}

}  // namespace

Result<UserConfig> read_config(const std::vector<ConfigLayer>& layers, const Catalogue& catalogue) {
  UserConfig config;
  config.defaults.kind = Tree::Kind::kMap;
  for (const ConfigLayer& layer : layers) {
    auto written = read_layer(layer, catalogue);
    if (!written) return std::unexpected(std::move(written.error()));
    Tree keys = layer.tree;
    std::erase_if(keys.children, [](const Tree& child) { return job_key(child.key) == nullptr; });
    add_missing(config.defaults, keys, "", layer.file, config.values);
    if (config.commitments.empty()) config.commitments = std::move(written->job.commitments);
    join_boxes(config, written->own, layer, "own");
    join_boxes(config, written->pools, layer, "pools");
    if (config.prices.empty() && !written->prices.empty()) {
      for (const std::string& name : written->prices)
        config.prices.push_back(name.starts_with('/') ? name : folder_of(layer.file) + name);
      config.values.push_back({"prices", join(written->prices, ", "), layer.file, layer.tree.find("prices")->line});
    }
    for (const auto& [code, dollars] : written->rates) {
      const std::string start = code + "=";
      if (std::ranges::any_of(config.rates, [&](const std::string& rate) { return rate.starts_with(start); })) continue;
      config.rates.push_back(start + number_text(dollars));
      config.values.push_back({"rates." + code, number_text(dollars), layer.file, layer.tree.find("rates")->line});
    }
    for (const auto& [name, share] : written->discounts) {
      const Tree* place = layer.tree.find("discounts");
      if (const Tree* own = place->find(name)) place = own;
      auto discount = read_discount(name, share, catalogue);
      if (!discount) {
        discount.error().place = {layer.file, place->line, 0};
        return std::unexpected(std::move(discount.error()));
      }
      discount->file = layer.file;
      discount->line = place->line;
      config.discounts.push_back(*std::move(discount));
      config.values.push_back({"discounts." + name, percent_text(share) + " off", layer.file, place->line});
    }
    // "aws: H100" before "aws", whichever comes first in a file.
    sort_stably(config.discounts, {}, [](const Discount& one) { return one.gpu.empty(); });
  }
  return config;
}

const Discount* discount_for(const Offer& offer, const std::vector<Discount>& discounts) {
  if (offer.kind != OfferKind::kRented || !offer.price) return nullptr;
  const auto found = std::ranges::find_if(discounts, [&](const Discount& discount) {
    return iequals(discount.provider, offer.provider) && (discount.gpu.empty() || discount.gpu == offer.gpu);
  });
  return found == discounts.end() ? nullptr : &*found;
}

std::vector<std::string> unknown_providers(const std::vector<Offer>& offers, const std::vector<Discount>& discounts) {
  std::vector<std::string> sentences;
  for (const Discount& discount : discounts) {
    const auto is_its = [&](const Offer& offer) { return iequals(discount.provider, offer.provider); };
    if (std::ranges::any_of(offers, is_its)) continue;
    std::set<std::string_view> providers;
    for (const Offer& offer : offers) providers.insert(offer.provider);
    const std::vector<std::string_view> names(providers.begin(), providers.end());
    sentences.push_back("unknown provider '" + printable(discount.provider, 60) + "' of discounts in " + discount.file +
                        ":" + std::to_string(discount.line) + "; no offer has it" +
                        did_you_mean(discount.provider, names));
  }
  return sentences;
}

void apply_discounts(std::vector<Offer>& offers, const std::vector<Discount>& discounts) {
  if (discounts.empty()) return;
  for (Offer& offer : offers)
    if (const Discount* found = discount_for(offer, discounts)) offer.price = *offer.price * (1 - found->share);
}

void apply_config(JobSource& job, const UserConfig& config, bool keep_boxes) {
  if (config.empty() || !job.tree.is_map()) return;
  const bool own_market = closed(job.tree);
  std::vector<std::string> added;
  if (!own_market && keep_boxes) {
    job.boxes = config.boxes;
    for (const Offer& box : config.boxes)
      added.push_back((box.kind == OfferKind::kOwn ? "own." : "pools.") + box.label);
  }
  // A job with a spot section means that spot machines count, although no key says so.
  const bool wants_spot = job.tree.find("spot") != nullptr;
  Tree defaults = config.defaults;
  if (own_market)
    std::erase_if(defaults.children,
                  [](const Tree& child) { return std::ranges::find(kOfMarket, child.key) != kOfMarket.end(); });
  if (Tree* where = defaults.find("where"); where != nullptr && wants_spot)
    std::erase_if(where->children, [](const Tree& child) { return child.key == "spot"; });
  std::erase_if(defaults.children, [](const Tree& child) { return child.is_map() && child.children.empty(); });
  fill(job.tree, defaults, "", added);

  std::vector<ConfigValue> used;
  for (const ConfigValue& value : config.values) {
    const bool taken = std::ranges::any_of(added, [&](const std::string& address) {
      return value.address == address || value.address.starts_with(address + ".");
    });
    // Prices are taken where no --prices is given, like boxes.
    const bool price = value.address == "prices" || value.address.starts_with("rates.");
    const bool discount = value.address.starts_with("discounts.");
    if (discount ? !own_market && keep_boxes && config.prices.empty()
        : price  ? !own_market && keep_boxes && !config.prices.empty()
                 : taken)
      used.push_back(value);
  }
  job.from_config = config_words(used);
}

std::vector<std::string> config_words(const std::vector<ConfigValue>& values) {
  std::vector<std::string> files;
  for (const ConfigValue& value : values)
    if (std::ranges::find(files, value.file) == files.end()) files.push_back(value.file);
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    std::vector<std::string> parts;
    for (const ConfigValue& value : values) {
      if (value.file != file) continue;
      const std::string shown = printable(value.value, 60);
      if (value.address.starts_with("own.")) parts.push_back("your machine " + printable(value.address.substr(4), 60));
      else if (value.address.starts_with("pools.")) parts.push_back("pool " + printable(value.address.substr(6), 60));
      else parts.push_back(printable(value.address, 60) + " " + shown);
    }
    lines.push_back("From " + printable(file) + ": " + join(parts, ", ") + ".");
  }
  return lines;
}

std::vector<ConfigValue> config_defaults() {
  std::vector<ConfigValue> values;
  for (const std::string_view name : kJobKeys) list_defaults(*Codec<Job>::type.find(name), std::string(name), values);
  for (const Key& key : kOwnKeys) list_defaults(key, std::string(key.name), values);
  return values;
}

}  // namespace gpuplan
