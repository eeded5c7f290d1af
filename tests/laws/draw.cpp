#include "laws/draw.h"

#include "base/text.h"

namespace gpuplan::laws {
namespace {

Tree drawn_model(Random& random, bool trains) {
  if (chance(random, 0.25)) {
    Tree shape = map_tree();
    put(shape, "layers", one_of(random, {"6", "12", "24"}));
    put(shape, "hidden", one_of(random, {"384", "768", "1024", "2048"}));
    if (chance(random, 0.3)) put(shape, "vocab", one_of(random, {"8192", "50257"}));
    if (chance(random, 0.15)) put(shape, "experts", "8");
    if (chance(random, 0.1)) put(shape, "loops", "3");
    return shape;
  }
  if (trains && chance(random, 0.1)) {
    Tree custom = map_tree();
    put(custom, "params", number_tree(between(random, 1e5, 1e8)));
    put(custom, "flops_per_sample", number_tree(between(random, 1e7, 1e12)));
    put(custom, "activation_bytes_per_sample", number_tree(between(random, 1e4, 1e8)));
    put(custom, "kernels_per_step", number_tree(between(random, 50, 2000)));
    Tree model = map_tree();
    put(model, "custom", std::move(custom));
    return model;
  }
  if (trains && chance(random, 0.2)) return scalar_tree(one_of(random, {"GPT-2", "TinyLlama-1.1B", "Llama-2-13B"}));
  return scalar_tree(
      one_of(random, {"Qwen2.5-0.5B", "Qwen2.5-7B", "Llama-3.1-8B", "Qwen3-1.7B", "Qwen2.5-32B", "Qwen1.5-MoE-A2.7B"}));
}

/// "2.1 h", or a range.
std::string drawn_time(Random& random, double low_minutes, double high_minutes) {
  const double minutes = between(random, low_minutes, high_minutes);
  if (chance(random, 0.2)) return number_text(minutes) + "-" + number_text(minutes * 1.5) + " min";
  return number_text(minutes) + " min";
}

Tree drawn_length(Random& random, double mean) {
  if (!chance(random, 0.3)) return number_tree(mean);
  Tree length = map_tree();
  put(length, "mean", number_tree(mean));
  put(length, "max", number_tree(mean * static_cast<double>(2 + random.below(3))));
  return length;
}

Tree drawn_training(Random& random) {
  Tree train = map_tree();
  Tree model = drawn_model(random, true);
  const bool custom = model.find("custom") != nullptr;
  put(train, "model", std::move(model));
  Tree& data = put(train, "data", map_tree());
  if (custom || chance(random, 0.4)) {
    put(data, "samples", number_tree(between(random, 100, 1e6)));
    if (!custom) put(data, "tokens_per_sample", drawn_length(random, between(random, 64, 2000)));
    if (!custom && chance(random, 0.2)) put(data, "packing", "true");
  } else {
    put(data, "tokens", number_tree(between(random, 1e6, 3e9)));
  }
  const bool by_steps = chance(random, 0.25);
  if (by_steps) put(train, "steps", number_tree(between(random, 50, 20000)));
  else if (chance(random, 0.3)) put(train, "epochs", one_of(random, {"2", "3", "0.5"}));
  if (!custom) put(train, "sequence", one_of(random, {"256", "512", "1024", "2048", "4096", "8192"}));
  if (by_steps || chance(random, 0.5)) {
    Tree& batch = put(train, "batch", map_tree());
    if (custom || chance(random, 0.7)) put(batch, "sequences", one_of(random, {"8", "32", "64", "256", "100"}));
    else put(batch, "tokens", number_tree(between(random, 16384, 1e6)));
  }
  if (custom) return train;
  const std::string_view method = one_of(random, {"full", "full", "lora", "qlora"});
  put(train, "method", method);
  if (method != "full" && chance(random, 0.5)) put(put(train, "lora", map_tree()), "rank", one_of(random, {"8", "64"}));
  if (chance(random, 0.2)) put(train, "precision", one_of(random, {"bf16", "fp16", "fp8"}));
  if (chance(random, 0.2)) put(train, "optimizer", one_of(random, {"adamw", "adam8bit", "muon", "sgd"}));
  if (chance(random, 0.1)) put(train, "recompute", one_of(random, {"none", "full", "selective"}));
  if (chance(random, 0.1)) put(train, "offload", one_of(random, {"none", "optimizer"}));
  if (chance(random, 0.1)) put(train, "micro", one_of(random, {"1", "4"}));
  if (chance(random, 0.1)) put(train, "parallel", one_of(random, {"zero1", "zero3", "none"}));
  return train;
}

Tree drawn_prompts(Random& random, bool answers) {
  Tree list = list_tree();
  const std::size_t sets = 1 + random.below(2);
  for (std::size_t i = 0; i < sets; ++i) {
    Tree& set = list.children.emplace_back(map_tree());
    put(set, "name", "set" + number_text(static_cast<double>(i)));
    put(set, "samples", number_tree(between(random, 10, 1e5)));
    put(set, "prompt_tokens", drawn_length(random, between(random, 16, 3000)));
    if (answers) put(set, "new_tokens", drawn_length(random, between(random, 1, 1000)));
  }
  return list;
}

Tree drawn_generation(Random& random, bool collects) {
  Tree work = map_tree();
  if (chance(random, 0.15)) {
    Tree& models = put(work, "models", list_tree());
    for (std::size_t i = 0; i < 2 + random.below(2); ++i) models.children.push_back(drawn_model(random, false));
  } else {
    put(work, "model", drawn_model(random, false));
  }
  const bool forward = collects && chance(random, 0.4);
  put(work, "data", drawn_prompts(random, !forward));
  if (forward) put(work, "forward_only", "true");
  if (!forward && chance(random, 0.4)) {
    const std::string_view situation = one_of(random, {"single", "static", "concurrency", "saturated"});
    put(work, "situation", situation);
    if (situation == "concurrency") put(work, "concurrency", one_of(random, {"1", "3", "32", "200"}));
  }
  if (chance(random, 0.2)) put(work, "weights", one_of(random, {"bf16", "fp8", "int4", "q4_k_m"}));
  if (chance(random, 0.15)) put(work, "engine", one_of(random, {"vllm", "hf"}));
  if (!forward && chance(random, 0.1))
    put(put(work, "target", map_tree()), "tokens_per_second", number_tree(between(random, 10, 3000)));
  if (!collects) return work;
  Tree& store = put(work, "store", map_tree());
  put(store, "layers", one_of(random, {"1", "16"}));
  put(store, "width", one_of(random, {"384", "4096"}));
  if (chance(random, 0.3)) put(store, "dtype", one_of(random, {"fp16", "fp32"}));
  if (chance(random, 0.2)) put(store, "to", "memory");
  return work;
}

Tree drawn_stages(Random& random) {
  Tree work = map_tree();
  put(work, "items", number_tree(between(random, 10, 1e4)));
  Tree& each = put(work, "each", map_tree());
  put(each, "compile", number_text(between(random, 0.1, 20)) + " s");
  if (chance(random, 0.5)) put(each, "run", "1-3 s");
  if (chance(random, 0.5)) put(work, "workers", one_of(random, {"2", "8"}));
  put(work, "gpus", one_of(random, {"0", "1", "2"}));
  return work;
}

void add_common(Random& random, Tree& phase, std::string_view kind) {
  const auto timed = [&](std::string_view key, double low, double high) {
    put(put(phase, key, map_tree()), "time", drawn_time(random, low, high));
  };
  if (chance(random, 0.3)) timed("setup", 1, 20);
  if (chance(random, 0.08)) timed("before", 10, 300);
  if (chance(random, 0.15)) {
    timed("overhead", 1, 30);
    if (chance(random, 0.5)) put(*phase.find("overhead"), "share", one_of(random, {"10%", "35%"}));
  }
  if (kind == "train") {
    if (chance(random, 0.15)) {
      timed("evaluate", 0.5, 5);
      put(*phase.find("evaluate"), "every", one_of(random, {"200 steps", "30 min"}));
    }
    if (chance(random, 0.2)) {
      Tree& rule = put(phase, "checkpoint", map_tree());
      put(rule, "every", one_of(random, {"auto", "100 steps", "15 min"}));
      if (chance(random, 0.5)) put(rule, "keep", one_of(random, {"all", "2"}));
    }
  }
  if ((kind == "train" || kind == "generate" || kind == "collect") && chance(random, 0.12)) {
    Tree& given = put(phase, "given", list_tree()).children.emplace_back(map_tree());
    if (chance(random, 0.5)) put(given, "gpu", one_of(random, {"H100 SXM", "RTX 4090", "A100 SXM 80GB"}));
    if (chance(random, 0.7)) put(given, "tokens_per_second", number_tree(between(random, 50, 50000)));
    else put(given, "time", drawn_time(random, 10, 3000));
  }
  if (chance(random, 0.08)) put(phase, "chance_to_pass", one_of(random, {"80%", "50%"}));
}

Tree drawn_phase(Random& random, std::size_t number, const std::vector<Tree>& before) {
  Tree phase = map_tree();
  put(phase, "name", std::string(1, static_cast<char>('a' + number)));
  const std::string_view kind =
      one_of(random, {"train", "train", "train", "generate", "generate", "collect", "work", "fixed", "cpu"});
  if (kind == "train") put(phase, kind, drawn_training(random));
  else if (kind == "generate" || kind == "collect") put(phase, kind, drawn_generation(random, kind == "collect"));
  else if (kind == "work") put(phase, kind, drawn_stages(random));
  else {
    Tree& work = put(phase, kind, map_tree());
    if (kind == "fixed") put(work, "gpus", one_of(random, {"1", "2", "4"}));
    put(work, "time", drawn_time(random, 5, 600));
    if (kind == "fixed" && chance(random, 0.3)) put(work, "human", "true");
    if (chance(random, 0.15)) put(work, "exact", "true");
  }
  if (!before.empty() && chance(random, 0.6)) {
    Tree& needs = put(phase, "needs", list_tree());
    for (const Tree& other : before)
      if (chance(random, 0.5)) needs.children.push_back(scalar_tree(phase_name(other)));
    if (needs.children.empty()) drop(phase, "needs");
    else if (kind == "cpu" && chance(random, 0.3)) put(phase, "on", needs.children.back().text);
  }
  add_common(random, phase, kind);
  return phase;
}

void add_wishes(Random& random, Tree& job) {
  if (chance(random, 0.35)) {
    Tree& limits = put(job, "limits", map_tree());
    const bool deadline = chance(random, 0.7);
    if (deadline) put(limits, "deadline", number_text(between(random, 0.5, 200)) + " h");
    if (!deadline || chance(random, 0.5)) put(limits, "budget", "$" + number_text(between(random, 1, 3000)));
    if (chance(random, 0.3)) put(limits, "confidence", one_of(random, {"50%", "99%"}));
  }
  if (chance(random, 0.6)) put(job, "goal", one_of(random, {"best_value", "cheapest", "fastest", "fewest_gpus"}));
  if (chance(random, 0.4)) put(job, "value_of_time", "$" + number_text(between(random, 0.1, 300)) + "/h");
  if (chance(random, 0.2)) put(job, "buffer", one_of(random, {"10%", "30%"}));
  if (chance(random, 0.1)) put(job, "contingency", "$0.5");
  if (chance(random, 0.25)) put(job, "schedule", one_of(random, {"keep", "stop_when_idle", "each_phase"}));
  if (chance(random, 0.35)) {
    Tree& spot = put(job, "spot", map_tree());
    if (chance(random, 0.7)) put(spot, "interruptions", one_of(random, {"5%/h", "10-30%/h", "0%/h", "0.1%/h"}));
    if (chance(random, 0.3)) put(spot, "notice", "2 min");
    if (chance(random, 0.3)) put(spot, "restart", "8 min");
    if (chance(random, 0.2)) put(spot, "wait", "20 min");
  }
  if (chance(random, 0.15)) put(put(job, "checkpoint", map_tree()), "every", one_of(random, {"auto", "20 min"}));
  if (chance(random, 0.25)) {
    Tree& storage = put(job, "storage", map_tree());
    if (chance(random, 0.5)) put(storage, "download_rate", "200 MB/s");
    if (chance(random, 0.5)) put(storage, "disk_rate", "1 GB/s");
    if (chance(random, 0.5)) put(storage, "results", "s3://results");
    if (storage.children.empty()) drop(job, "storage");
  }
  if (chance(random, 0.3)) {
    Tree& where = put(job, "where", map_tree());
    if (chance(random, 0.4)) {
      Tree& nodes = put(where, "nodes", list_tree());
      for (const std::string_view count : {"1", "2"}) nodes.children.push_back(scalar_tree(count));
    }
    if (chance(random, 0.3)) put(where, "spot", one_of(random, {"allow", "only", "never"}));
    if (chance(random, 0.2)) put(where, "max_price", "$12/h");
    if (where.children.empty()) drop(job, "where");
  }
}

}  // namespace

Tree drawn_job(Random& random) {
  Tree job = map_tree();
  put(job, "job", "drawn");
  constexpr std::size_t kPhases[] = {1, 1, 1, 1, 2, 2, 3, 3, 4};
  const std::size_t count = kPhases[random.below(std::size(kPhases))];
  put(job, "phases", list_tree());
  for (std::size_t i = 0; i < count; ++i) {
    Tree phase = drawn_phase(random, i, phases_of(job));
    phases_of(job).push_back(std::move(phase));
  }
  add_wishes(random, job);
  return job;
}

Case drawn_case(std::uint64_t seed, std::uint64_t number) {
  Random random(seed, number);
  Case one;
  one.job = drawn_job(random);
  draw_market(random, one);
  one.salt = random.next();
  return one;
}

}  // namespace gpuplan::laws
