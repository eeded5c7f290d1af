#include "input/job/job_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "input/declaration/reader.h"
#include "input/job/codecs.h"
#include "input/job/prose.h"
#include "input/job/settings.h"
#include "input/text/gpu_name.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {

namespace {

/// "examples/collection.yaml" -> "collection", "standard input" -> "job".
std::string stem(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const std::size_t dot = file.rfind('.');
  if (dot != std::string_view::npos && dot > 0) file = file.substr(0, dot);
  return file.empty() || file == "standard input" ? "job" : printable(file, 60);
}

/// Hands `visit` each machine that the job lists, the key of its list, and what it calls its GPU.
template <class Visit>
void for_each_machine(const Tree& job, const Visit& visit) {
  const Tree* market = job.find("market");
  if (market == nullptr) return;
  for (const char* key : {"offers", "pools", "own"}) {
    const Tree* list = market->find(key);
    if (list == nullptr || !list->is_list()) continue;
    for (const Tree& machine : list->children)
      if (const Tree* gpu = machine.find("gpu"); gpu != nullptr && gpu->is_scalar()) visit(key, machine, gpu->text);
  }
}

/// "A100 of market is A100 SXM 40GB; A100 SXM 80GB and ... have names of their own": names of machines that several
/// GPUs begin with.
void add_short_names(const Tree& job, const Catalogue& catalogue, std::vector<std::string>& lines) {
  std::vector<std::string_view> told;
  for_each_machine(job, [&](const std::string& key, const Tree&, const std::string& name) {
    const auto family = find_gpus(catalogue, name);
    if (!family || family->gpus.size() < 2) return;
    const auto one = find_gpu(catalogue, name);
    if (!one || std::ranges::find(told, one->gpu->name) != told.end()) return;
    told.push_back(one->gpu->name);
    std::vector<std::string> others;
    for (const Gpu* other : family->gpus)
      if (other != one->gpu) others.push_back(other->name);
    lines.push_back("'" + printable(name, 40) + "' in market." + key + " is " + one->gpu->name + "; " + listed(others) +
                    (others.size() == 1 ? " has a name of its own." : " have names of their own."));
  });
}

/// 2 and "an OAM package" of "1/2 of an OAM package", as gpus.csv writes the form of a die; 1 and nothing of others.
std::pair<int, std::string_view> package_of(const Gpu& gpu) {
  std::string_view form = gpu.form_factor;
  constexpr std::string_view kPart = "1/", kOf = " of ";
  int dies = 1;
  if (!form.starts_with(kPart)) return {1, {}};
  const char* end = form.data() + form.size();
  const auto [rest, failed] = std::from_chars(form.data() + kPart.size(), end, dies);
  form = std::string_view(rest, static_cast<std::size_t>(end - rest));
  if (failed != std::errc{} || dies < 2 || !form.starts_with(kOf)) return {1, {}};
  return {dies, form.substr(kOf.size())};
}

/// Chips that are sold several to a package and that programs see one by one: who names the package may have counted
/// packages.
void add_dies(const Tree& job, const Catalogue& catalogue, std::vector<std::string>& lines) {
  for_each_machine(job, [&](const std::string& key, const Tree& machine, const std::string& name) {
    const auto one = find_gpu(catalogue, name);
    if (!one || to_lower(name).find(to_lower(one->gpu->name)) != std::string::npos) return;
    const auto [dies, package] = package_of(*one->gpu);
    if (dies == 1) return;
    int count = std::max(one->count, 1);
    if (const Tree* stated = machine.find("gpus"); stated != nullptr)
      std::from_chars(stated->text.data(), stated->text.data() + stated->text.size(), count);
    std::string line = "'" + printable(name, 40) + "' in market." + key + " is " + one->gpu->name + ", one of " +
                       std::to_string(dies) + " dies of " + std::string(package) +
                       ", which programs see as a GPU: " + count_of(count, "GPU") + " here; for " +
                       count_of(count, "package") + " write gpus: " + std::to_string(static_cast<long>(count) * dies) +
                       ".";
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  });
}

/// Models of which only the part that reads and writes text is counted.
void add_uncounted(const Job& job, std::vector<std::string>& lines) {
  std::vector<std::string> told;
  for (const Phase& phase : job.phases) {
    const std::vector<ModelUse>* models = models_of(phase);
    if (models == nullptr) continue;
    for (const ModelUse& model : *models) {
      if (model.shape.uncounted.empty() || std::ranges::find(told, model.name) != told.end()) continue;
      told.push_back(model.name);
      const bool held = model.shape.beside > 0 && !std::holds_alternative<TrainPhase>(phase.work);
      lines.push_back(printable(model.name, 60) + (held ? " without the work of its " : " without its ") +
                      printable(model.shape.uncounted, 80) + (held ? ", whose weights are counted." : "."));
    }
  }
}

/// What the job does not say itself, from the command line and from gpuplan.toml.
void add_surroundings(Job& job, const JobSource& source, const Catalogue& catalogue) {
  job.assumed = source.assumed;
  job.from_config = source.from_config;
  add_short_names(source.tree, catalogue, job.assumed);
  add_dies(source.tree, catalogue, job.assumed);
  add_uncounted(job, job.assumed);
  for (std::string& words : task_contradictions(job)) job.assumed.push_back(std::move(words));
  const SpotRules& spot = job.spot;
  const bool known = spot.interruptions || spot.band || spot.bathtub || !spot.trace.empty();
  if (job.where.spot != SpotUse::kNever && !known) {
    job.spot.interruptions = exactly(PerSecond(parse_amount(kAssumedInterruptions, AmountKind::kRate).value()));
    job.spot.assumed = true;
  }
  if (job.market.only) return;
  for (const Offer& box : source.boxes)
    (box.kind == OfferKind::kOwn ? job.market.own : job.market.pools).push_back(box);
}

Result<Job> read_one(const JobSource& source, const Catalogue& catalogue, const ModelResolver& models) {
  Reader reader(catalogue, models, source.file);
  if (source.tree.is_null())
    return failure("the file is empty; expected a job with at least phases (docs/job-file.md)", {source.file});
  Job job;
  if (!Codec<Job>::read(reader, source.tree, job, {})) return reader.error();
  if (job.name.empty()) job.name = stem(source.file);
  add_surroundings(job, source, catalogue);
  return job;
}

/// Applies the settings that stand in the file, so that errors point at them.
Result<JobSource> apply(const JobSource& source, const Tree& variant) {
  JobSource changed = source;
  std::erase_if(changed.tree.children, [](const Tree& child) { return child.key == "variants"; });
  for (const Tree& setting : variant.children) {
    Tree value = setting;
    value.key.clear();
    if (auto set = set_tree(changed.tree, setting.key, value); !set)
      return failure(set.error().message, {source.file, setting.key_line, setting.key_column});
  }
  return changed;
}

}  // namespace

Result<JobSource> parse_job(std::string_view text, const std::string& file) {
  auto tree = parse_tree(text, file);
  if (!tree) return std::unexpected(std::move(tree.error()));
  return JobSource{.tree = std::move(*tree), .file = file};
}

Result<Job> read_job(const JobSource& source, const Catalogue& catalogue, const ModelResolver& models) {
  auto job = read_one(source, catalogue, models);
  if (!job) return job;
  const Tree* variants = source.tree.find("variants");
  if (variants == nullptr) return job;
  for (const Tree& variant : variants->children) {
    auto changed = apply(source, variant);
    auto read = changed ? read_one(*changed, catalogue, models) : Result<Job>(std::unexpected(changed.error()));
    if (read) continue;
    Error error = std::move(read.error());
    error.message = "variants." + printable(variant.key, 60) + ": " + error.message;
    return std::unexpected(std::move(error));
  }
  return job;
}

Result<JobSource> with_variant(const JobSource& source, const Variant& variant) {
  const Tree* variants = source.tree.find("variants");
  const Tree* settings = variants == nullptr ? nullptr : variants->find(variant.name);
  if (settings == nullptr) return failure("no variant '" + printable(variant.name, 60) + "'", {source.file});
  return apply(source, *settings);
}

}  // namespace gpuplan
