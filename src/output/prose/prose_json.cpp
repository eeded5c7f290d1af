#include "output/prose/prose_json.h"

#include "output/prose/prose_text.h"

namespace gpuplan {
namespace {

void write_tasks(JsonWriter& json, const std::vector<ManualTask>& tasks) {
  json.key("tasks").begin_array();
  for (const ManualTask& task : tasks) {
    json.begin_object().member("do", task.what).member("who", task.who);
    if (task.time) {
      json.key("hours").begin_object(true).member("p10", task.time->p10 / units::hour);
      json.member("p50", task.time->p50 / units::hour).member("p90", task.time->p90 / units::hour).end();
    } else {
      json.null_member("hours");
    }
    json.member("command", task.command).member("notes", task.notes).end();
  }
  json.end();
}

void write_phases(JsonWriter& json, const Job& job) {
  json.key("phases").begin_array();
  for (const Phase& phase : job.phases) {
    const PhaseProse& prose = phase.prose;
    if (!prose.any()) continue;
    json.begin_object().member("phase", phase.name).member("title", prose.title).member("purpose", prose.purpose);
    json.member("notes", prose.notes);
    write_tasks(json, prose.tasks);
    json.member("expect", prose.expect).key("quality").begin_object().member("good", prose.quality.good);
    json.member("bad", prose.quality.bad).member("do", prose.quality.remedy).end().end();
  }
  json.end();
}

void write_offers(JsonWriter& json, const MarketSpec& market) {
  json.key("offers").begin_array();
  const std::pair<const char*, const std::vector<Offer>*> kinds[] = {
      {"rented", &market.offers}, {"pool", &market.pools}, {"own", &market.own}};
  for (const auto& [kind, offers] : kinds)
    for (const Offer& offer : *offers) {
      if (offer.notes.empty()) continue;
      json.begin_object().member("kind", kind).member("label", offer.label).member("gpu", offer.gpu);
      json.member("gpus", offer.gpus).member("provider", offer.provider).member("region", offer.region);
      json.member("instance", offer.instance).member("notes", offer.notes).end();
    }
  json.end();
}

void write_options(JsonWriter& json, const Job& job) {
  json.key("options").begin_array();
  for (const OptionProse& option : job.options) {
    json.begin_object();
    if (option.gpu.empty()) json.null_member("gpu");
    else json.member("gpu", option.gpu);
    if (option.gpus == 0) json.null_member("gpus");
    else json.member("gpus", option.gpus);
    json.member("title", option.title).member("notes", option.notes).end();
  }
  json.end().key("variants").begin_array();
  for (const Variant& variant : job.variants) {
    if (variant.prose.title.empty() && variant.prose.notes.empty()) continue;
    json.begin_object().member("variant", variant.name).member("title", variant.prose.title);
    json.member("notes", variant.prose.notes).end();
  }
  json.end();
}

}  // namespace

void write_prose(JsonWriter& json, const Job& job) {
  if (prose_pieces(job).empty()) {
    json.null();
    return;
  }
  json.begin_object().member("title", job.prose.title).member("purpose", job.prose.purpose);
  json.member("notes", job.prose.notes);
  write_tasks(json, job.prose.tasks);
  write_phases(json, job);
  write_offers(json, job.market);
  write_options(json, job);
  json.end();
}

}  // namespace gpuplan
