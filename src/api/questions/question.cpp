#include "api/questions/question.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/question/flag_settings.h"
#include "input/question/plan_file.h"
#include "input/text/csv.h"
#include "input/text/yaml_tree.h"
#include "plan/advice/unfit.h"
#include "plan/answer/folded_hash.h"
#include "plan/answer/market.h"
#include "plan/answer/newest_offers.h"
#include "plan/notes/own_terms.h"

namespace gpuplan::api {
namespace {

/// The names of the lists, as messages have them.
std::string names_of(const std::vector<NamedText>& lists) {
  std::vector<std::string> names;
  for (const NamedText& list : lists) names.push_back(list.name);
  return join(names, ", ");
}

/// The job of a kept plan, or the text itself.
Result<JobSource> source_in(const NamedText& job) {
  if (!is_kept_plan(job.text)) return parse_job(job.text, job.name);
  auto kept = read_plan_file(job.text, job.name);
  if (!kept) return std::unexpected(std::move(kept.error()));
  return std::move(kept->source);
}

/// The question in flags as a job.
Result<JobSource> sketched_source(const Request& request, const Catalogue& catalogue) {
  const ModelFinder models(catalogue, request.model_files);
  const auto sketched = sketch_job(request.sketch, request.wishes, models);
  if (!sketched) return std::unexpected(sketched.error());
  return read_sketch(*sketched);
}

/// The job as written, in its file or in flags, with the flags that go with either.
Result<JobSource> written_source(const Request& request, const Catalogue& catalogue) {
  const std::string_view flag = first_flag(request.sketch);
  if (request.job && !flag.empty())
    return std::unexpected(flag_beside_job(request.sketch, *request.job, catalogue, request.model_files));
  if (!request.job && flag.empty()) return std::unexpected(no_question());
  if (!request.job) return sketched_source(request, catalogue);
  auto source = source_in(*request.job);
  if (!source) return source;
  if (const auto good = apply_wishes(*source, request.wishes); !good) return std::unexpected(good.error());
  return source;
}

/// The snapshot with what is stored. GPUs that the catalogue no longer knows go.
KnownOffers with_stored(const Catalogue& catalogue, ThinnedOffers found, const std::string& as_of) {
  std::vector<Offer>& stored = found.offers;
  Word gpu;  // of the offers before, which stand together
  const auto unknown = [&](const Offer& offer) {
    if (offer.gpu == gpu) return false;
    if (catalogue.find_gpu(offer.gpu) == nullptr) return true;
    gpu = offer.gpu;
    return false;
  };
  if (std::erase_if(stored, unknown) > 0) found.places.clear();
  if (stored.empty()) return {catalogue.offers, std::move(found.left_out), std::move(found.scatter), 0};
  const std::size_t kept = stored.size();
  return {joined_newest(std::move(stored), catalogue.offers, as_of, found.places), std::move(found.left_out),
          std::move(found.scatter), kept};
}

constexpr std::string_view kAndStored = " and your stored prices";

/// Whether any of the market comes from a store: it is none of the job's, of the settings' or of the built-in list.
bool any_stored(std::span<const Offer> market, const Catalogue& catalogue) {
  const auto key = [](const Offer& offer) {
    return folded_hash(folded_hash(place_hash(offer), offer.as_of), offer.source);
  };
  std::unordered_set<std::uint64_t> built_in;
  for (const Offer& offer : catalogue.offers) built_in.insert(key(offer));
  return std::ranges::any_of(market, [&](const Offer& offer) {
    return offer.kind == OfferKind::kRented && offer.source != kJobSource && !built_in.contains(key(offer));
  });
}

/// Nothing in the job picks offers by what those that differ in place and price alone differ in, or makes few of them.
bool takes_any(const LoadedJob& loaded) {
  Where where = loaded.job.where;
  where.nodes.clear();
  where.spot = Where{}.spot;
  where.spot_given = Where{}.spot_given;
  return loaded.variants.empty() && where == Where{} && !terms_by_region(loaded.job);
}

/// Where each entry of a list of the job's own terms stands: in the job itself, or in the user's settings.
std::vector<std::string> places_in(const Question& question, const Request& request, std::string_view list) {
  const Tree* tree = question.written.tree.find(list);
  std::string file = tree != nullptr ? question.written.file : std::string();
  if (tree == nullptr) {
    tree = request.config.defaults.find(list);
    for (const ConfigValue& value : request.config.values)
      if (value.address == list) file = value.file;
  }
  std::vector<std::string> places;
  if (tree == nullptr || file.empty()) return places;
  const auto add = [&](const Tree& entry) { places.push_back(file + ":" + std::to_string(entry.line)); };
  if (!tree->is_list()) add(*tree);
  for (const Tree& entry : tree->children)
    if (tree->is_list()) add(entry);
  return places;
}

/// Prices of a day to come count as of today: their age would be none.
void note_future_prices(const Request& request, Question& question) {
  const std::string& as_of = question.loaded.job.market.as_of;
  if (as_of.empty() || request.today.empty() || as_of <= request.today.substr(0, as_of.size())) return;
  question.loaded.job.from_config.push_back("Settings: market.as_of " + printable(as_of, 20) +
                                            " lies in the future (today is " + request.today +
                                            "); give the date of these prices");
}

/// Tells of own terms that count for nothing.
void note_idle_terms(const Request& request, Question& question) {
  Job& job = question.loaded.job;
  const std::string& today = request.as_of.empty() ? request.today : request.as_of;
  for (const std::string_view list : {"commitments", "credits"})
    for (const std::string& words : idle_terms(job, question.known, today, list, places_in(question, request, list)))
      job.from_config.push_back("Settings: " + words);
}

struct ChangedSource {
  JobSource source;
  std::vector<std::vector<Change>> changes{};
};

/// Settings change what is written, flags included; the user's settings add what still is not said then.
Result<ChangedSource> changed_source(const JobSource& written, const std::vector<std::string>& settings,
                                     const UserConfig& config, bool only_lists) {
  ChangedSource changed{written};
  for (const std::string& setting : settings) {
    auto set = set_value(changed.source.tree, setting);
    if (!set) return std::unexpected(std::move(set.error()));
    changed.changes.push_back(*std::move(set));
  }
  apply_config(changed.source, config, !only_lists);
  return changed;
}

}  // namespace

Error flag_beside_job(const Sketch& sketch, const NamedText& job, const Catalogue& catalogue, ModelFiles files) {
  std::vector<std::string> flags, settings;
  if (const auto source = source_in(job); source) {
    for (FlagSetting& one : flag_settings(sketch, source->tree)) {
      flags.emplace_back(one.flag);
      if (!one.setting.empty()) settings.push_back(std::move(one.setting));
    }
  }
  if (flags.empty()) flags.emplace_back(first_flag(sketch));
  // A model that the job names has no layers to set, and a job has epochs or steps.
  const auto set = open_source(job, settings);
  const bool good = !settings.empty() && set && read_source(*set, catalogue, files);
  std::string words;
  for (const std::string& setting : settings) words += " --set " + shell_word(printable(setting, 100));
  return {listed(flags) + " cannot be used with a job file; " +
              (good ? "use" + words : "what the work is stands in the job"),
          {},
          true};
}

Error no_question() {
  return {"no job. Give a file, or describe it: --model Qwen2.5-7B --tokens 10M --method lora", {}, true};
}

Result<void> check_date(const std::string& as_of) {
  if (!as_of.empty() && !is_iso_date(as_of))
    return wrong_use("--as-of: expected a date such as 2026-01 or 2026-01-31, got '" + printable(as_of) + "'");
  return {};
}

Result<void> check_past(const std::string& as_of, const std::string& today) {
  if (as_of.empty() || today.empty() || as_of <= today.substr(0, as_of.size())) return {};
  return wrong_use("--as-of: " + printable(as_of, 20) +
                   " lies in the future, and no prices are known of it (today is " + today +
                   "); give today's date or an earlier one");
}

Result<void> check_today(const std::string& today, const std::string& name) {
  constexpr std::size_t kWithDay = 10;
  if (!today.empty() && (today.size() != kWithDay || !is_iso_date(today)))
    return wrong_use(name + ": expected a date such as 2026-01-31, got '" + printable(today) + "'");
  return {};
}

Result<LoadedJob> read_source(const JobSource& source, const Catalogue& catalogue, ModelFiles files) {
  const ModelFinder models(catalogue, files);
  auto job = read_job(source, catalogue, models);
  if (!job) return std::unexpected(job.error());
  LoadedJob loaded{*std::move(job), source, {}};
  for (const Variant& variant : loaded.job.variants) {
    const auto changed = with_variant(source, variant);
    auto read = changed ? read_job(*changed, catalogue, models) : std::unexpected(changed.error());
    if (!read) return std::unexpected(read.error());
    loaded.variants.push_back(*std::move(read));
  }
  return loaded;
}

Result<JobSource> open_source(const NamedText& job, const std::vector<std::string>& settings) {
  auto source = source_in(job);
  if (!source) return source;
  for (const std::string& setting : settings)
    if (const auto set = set_value(source->tree, setting); !set) return std::unexpected(set.error());
  return source;
}

Result<KnownOffers> known_offers(const Request& request, const Catalogue& catalogue, const std::string& as_of,
                                 bool all) {
  std::vector<std::string> rates = request.rates;  // the first of a currency wins
  rates.insert(rates.end(), request.config.rates.begin(), request.config.rates.end());
  if (const auto& lists = request.prices.empty() ? request.known : request.prices; !lists.empty()) {
    auto offers = read_price_lists(lists, rates, catalogue);
    if (!offers) return std::unexpected(std::move(offers.error()));
    KnownOffers known{*std::move(offers)};
    for (std::string told : {odd_prices_told(known.offers, catalogue),
                             old_files_told(lists, known.offers, request.today, catalogue.answer_constants)})
      if (!told.empty()) known.warnings.push_back(std::move(told));
    return known;
  }
  if (!request.rates.empty()) return wrong_use("--rate also needs --prices FILE.csv");
  KnownOffers known{catalogue.offers};
  if (request.store != nullptr) {
    const Places places = all ? Places() : places_of(catalogue.offers);
    auto stored = request.store->offers(as_of, all ? nullptr : &places);
    if (!stored) return std::unexpected(std::move(stored.error()));
    known = with_stored(catalogue, *std::move(stored), as_of);
  }
  apply_discounts(known.offers, request.config.discounts);
  known.discounted = true;
  known.warnings = unknown_providers(known.offers, request.config.discounts);
  return known;
}

Result<Question> read_question(const Request& request, const Catalogue& catalogue, bool all) {
  if (const auto good = check_date(request.as_of); !good) return std::unexpected(good.error());
  if (const auto good = check_today(request.today, "today"); !good) return std::unexpected(good.error());
  if (const auto good = check_past(request.as_of, request.today); !good) return std::unexpected(good.error());
  auto written = written_source(request, catalogue);
  if (!written) return std::unexpected(written.error());
  const bool only_lists = !request.prices.empty();
  const auto changed = changed_source(*written, request.set, request.config, only_lists);
  if (!changed) return std::unexpected(changed.error());
  auto loaded = read_source(changed->source, catalogue, request.model_files);
  if (!loaded) return std::unexpected(loaded.error());
  Question question{*std::move(loaded), *std::move(written), request.config, {}};
  const MarketSpec& market = question.loaded.job.market;
  const std::string& as_of = request.as_of.empty() ? market.as_of : request.as_of;
  auto known = known_offers(request, catalogue, as_of, all || !takes_any(question.loaded));
  if (!known) return std::unexpected(known.error());
  question.known = std::move(known->offers);
  // Beside what is said of the settings.
  for (const std::string& warning : known->warnings)
    question.loaded.job.from_config.push_back((request.prices.empty() && request.known.empty() ? "Settings: " : "") +
                                              warning);
  note_idle_terms(request, question);
  note_future_prices(request, question);
  if (only_lists) question.market = names_of(request.prices);
  else question.known_name = names_of(request.known);
  if (known->stored > 0) question.known_name = std::string(PlanReport::kSnapshot) + std::string(kAndStored);
  question.discounted = known->discounted;
  question.terms = {only_lists,
                    request.as_of,
                    request.today,
                    request.job ? request.job->name : "",
                    request.model_files,
                    request.how,
                    std::move(known->left_out),
                    std::move(known->scatter)};
  question.today = request.today;
  return question;
}

Result<ChangedJob> changed_job(const Question& question, const std::vector<std::string>& settings,
                               const Catalogue& catalogue) {
  JobSource alone = question.written;
  std::erase_if(alone.tree.children, [](const Tree& child) { return child.key == "variants"; });
  auto changed = changed_source(alone, settings, question.config, question.terms.only_lists);
  if (!changed) return std::unexpected(std::move(changed.error()));
  auto job = read_job(changed->source, catalogue, ModelFinder(catalogue, question.terms.model_files));
  if (!job) return std::unexpected(std::move(job.error()));
  return ChangedJob{*std::move(job), std::move(changed->changes)};
}

Result<Searched> search_market(Job job, std::vector<Offer> market, const Catalogue& catalogue,
                               const SearchOptions& how) {
  Searched searched(std::move(job), std::move(market));
  auto found = search(searched.job, catalogue, searched.market, how);
  if (!found) return std::unexpected(std::move(found.error()));
  searched.found = *std::move(found);
  return searched;
}

Result<Searched> search_job(Job job, const std::vector<Offer>& known, const Catalogue& catalogue,
                            const SearchTerms& terms) {
  if (terms.only_lists) {
    MarketSpec none;
    none.price_level = job.market.price_level;
    job.market = std::move(none);
  }
  if (!terms.as_of.empty() && !job.market.only) job.market.as_of = terms.as_of;
  job.market.today = terms.as_of.empty() ? terms.today : terms.as_of;
  job.market.scatter = terms.scatter;
  MarketFilter filter;
  std::vector<Offer> market = market_for(job, catalogue, known, filter, terms_by_region(job), terms.left_out);
  SearchOptions how = terms.how;
  how.common = &filter.providers;
  auto searched = search_market(std::move(job), std::move(market), catalogue, how);
  if (!searched) {
    Error error = std::move(searched.error());
    if (error.place.file.empty()) error.place.file = terms.job_file;
    return std::unexpected(std::move(error));
  }
  filter.spot_without_rate = searched->found.market.spot_without_rate;
  filter.spot_refused = searched->found.market.spot_refused;
  filter.preemptible = searched->found.market.preemptible;
  searched->found.market = filter;
  // Before the search nobody knew whose price is paid.
  if (const auto pick = searched->found.recommendations.pick)
    for (std::string& told : searched->job.from_config)
      if (tells_odd_prices(told))
        told = odd_prices_told(known, catalogue, &searched->found.plans[static_cast<std::size_t>(*pick)]);
  return searched;
}

Verdict verdict_of(const SearchResult& found) {
  if (found.plans.empty()) return Verdict::kNothingFits;
  return found.recommendations.limits_missed ? Verdict::kMissesLimits : Verdict::kFound;
}

namespace {

/// Those of the names that an offer has in that part.
void add_known(const std::vector<Offer>& known, Word Offer::* part, const std::vector<std::string>& names,
               std::vector<std::string>& found) {
  for (const std::string& name : names)
    if (std::ranges::any_of(known, [&](const Offer& offer) { return iequals(offer.*part, name); }))
      found.push_back(name);
}

}  // namespace

void name_market(const Question& question, PlanReport& report) {
  const Where& where = report.job.where;
  std::vector<std::string> limited;
  for (const auto& quota : where.quota) limited.push_back(quota.first);
  add_known(question.known, &Offer::provider, where.providers, report.places_known);
  add_known(question.known, &Offer::provider, limited, report.places_known);
  add_known(question.known, &Offer::region, where.regions, report.places_known);
  report.market = question.market;
  report.today = question.today;
  if (!question.known_name.empty()) report.known = question.known_name;
  const std::string_view known = report.known;
  if (known.ends_with(kAndStored) && !report.offers.empty() && !any_stored(report.offers, report.catalogue))
    report.known = known.substr(0, known.size() - kAndStored.size());
  report.undated = (!question.market.empty() || !question.config.prices.empty()) && !report.offers.empty() &&
                   std::ranges::all_of(report.offers, [](const Offer& offer) { return offer.as_of.empty(); });
  if (!question.discounted) return;
  for (const Discount& one : question.config.discounts) {
    const auto falls_under = [&](const Offer& offer) {
      return offer.source != kJobSource && discount_for(offer, question.config.discounts) == &one;
    };
    if (std::ranges::any_of(report.offers, falls_under)) report.taken_off.push_back({one.provider, one.gpu, one.share});
  }
}

std::vector<LimitRemedy> tried_remedies(const Searched& searched, const std::vector<Offer>& known,
                                        const Catalogue& catalogue, const SearchTerms& terms) {
  SearchOptions how = terms.how;
  how.common = &searched.found.market.providers;
  return limit_remedies(searched.job, catalogue, known, searched.market, searched.found, how);
}

void blame_phases(const Searched& searched, const Catalogue& catalogue, const SearchTerms& terms, PlanReport& report) {
  if (searched.found.plans.empty() && searched.found.market.used > 0)
    report.unfit = unfit_phases(searched.job, catalogue, searched.market, terms.how);
}

}  // namespace gpuplan::api
