#include "input/question/sketch.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "domain/facts/published_weights.h"
#include "input/models/usual_shape.h"
#include "input/question/job_draft.h"

namespace gpuplan {

namespace {

constexpr int kUsualSequence = 2048;  // most recipes and chats stay below

std::string name_list(std::span<const std::string> names) {
  Tree list;
  list.kind = Tree::Kind::kList;
  for (const std::string& name : names) list.children.push_back(scalar_tree(name));
  return flow_text(list);
}

std::string yaml(const std::string& text) { return flow_text(scalar_tree(text)); }

/// "models/Qwen2.5-7B/config.json" -> "qwen2.5-7b": part of a job's name.
std::string short_name(std::string_view model) {
  const auto last = [&] {
    const std::size_t slash = model.rfind('/');
    return slash == std::string_view::npos ? model : model.substr(slash + 1);
  };
  while (model.ends_with('/')) model.remove_suffix(1);
  if (last() == "config.json" && model.size() > 12) model.remove_suffix(12);
  // "ViT-L/16": the number of a name is no name.
  std::string base(last());
  if (std::ranges::none_of(base, is_letter) && base.size() < model.size()) {
    const std::string_view before = model.substr(0, model.size() - base.size() - 1);
    base = std::string(before.substr(before.rfind('/') + 1)) + "-" + base;
  }
  std::string name;
  for (const char c : to_lower(base)) {
    const bool kept = (c >= 'a' && c <= 'z') || is_digit(c) || c == '.' || c == '-' || c == '_';
    if (kept && name.size() < 50) name += c;
  }
  for (const std::string_view ending : {".safetensors", ".gguf", ".json"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name.empty() || name == "." || name == ".." ? "job" : name;
}

class Sketcher {
 public:
  Sketcher(const Sketch& sketch, const Wishes& wishes, const ModelResolver& models)
      : sketch_(sketch), wishes_(wishes), models_(models) {}

  Result<SketchedJob> make() {
    if (auto good = check_sketch(sketch_, wishes_); !good) return std::unexpected(std::move(good.error()));
    if (auto good = find_shape(); !good) return std::unexpected(std::move(good.error()));
    generates_ = generates(sketch_);
    if (!generates_) method_ = method_of(sketch_);

    draft_.note("Run: gpuplan plan FILE. Explain a key: gpuplan schema KEY.");
    draft_.note("Write units: 12 h, $50, $0.35/h, 5%/h, 80 GiB, 10M. Lines that start with # are optional keys.");
    draft_.blank();
    draft_.key(0, "job", "job", yaml(name()));
    draft_.blank();
    draft_.open(0, "phases", "phases");
    generates_ ? generation() : training();
    rest();
    return std::move(draft_).finish(assumptions());
  }

 private:
  using Flag = std::string_view;

  Result<void> find_shape() {
    if (!sketch_.model.empty()) {
      auto shape = models_.resolve(sketch_.model, "");
      if (!shape) return wrong_use("--model: " + shape.error().message);
      shape_ = *std::move(shape);
      return {};
    }
    if (!sketch_.layers.empty()) return {};
    const auto params = parse_amount(sketch_.params, AmountKind::kCount);
    if (!params) return wrong_use("--params: " + params.error().message);
    if (*params < 100'000 || *params > 1e13)
      return wrong_use("--params: expected from 100k to 10T, got '" + printable(sketch_.params, 80) + "'");
    usual_ = usual_shape(*params);
    if (!sketch_.vocab.empty()) usual_->vocab = 0;  // a line of its own
    return {};
  }

  std::string name() const {
    const std::string base = !sketch_.model.empty()    ? short_name(sketch_.model)
                             : !sketch_.params.empty() ? short_name(sketch_.params)
                                                       : short_name(sketch_.layers + "x" + sketch_.hidden);
    if (generates_) return base + "-generate";
    return base + "-" + (method_ && *method_ != Method::kFull ? std::string(name_of(*method_)) : "train");
  }

  /// A line of the phase that a flag decides; nothing when the flag is not there.
  bool stated(int indent, std::string_view address, const std::string Sketch::* text, Flag flag) {
    if ((sketch_.*text).empty()) return false;
    draft_.key(indent, address, last_of(address), yaml(sketch_.*text), flag);
    return true;
  }
  static std::string_view last_of(std::string_view address) { return address.substr(address.rfind('.') + 1); }

  void assume(std::string words) { assumed_.push_back(std::move(words)); }

  void model(const std::string& record) {
    if (stated(6, record + ".model", &Sketch::model, "--model")) return;
    const std::string at = record + ".model";
    draft_.open(6, at, "model");
    stated(8, at + ".params", &Sketch::params, "--params");
    if (usual_) {
      draft_.key(8, at + ".layers", "layers", std::to_string(usual_->layers), "", true);
      draft_.key(8, at + ".hidden", "hidden", std::to_string(usual_->hidden), "", true);
      std::string vocabulary;
      if (usual_->vocab > 0) {
        draft_.key(8, at + ".vocab", "vocab", std::to_string(usual_->vocab), "", true);
        vocabulary = " and a vocabulary of " + count_text(usual_->vocab) + " (--vocab)";
      }
      if (usual_->tied) draft_.key(8, at + ".tied", "tied", "true", "", true);
      shape_words_ = "a decoder of " + count_text(usual_->layers) + " layers (--layers), " +
                     count_text(usual_->hidden) + " wide (--hidden)" + vocabulary;
    } else {
      stated(8, at + ".layers", &Sketch::layers, "--layers");
      stated(8, at + ".hidden", &Sketch::hidden, "--hidden");
    }
    stated(8, at + ".vocab", &Sketch::vocab, "--vocab");
  }

  /// Sequences of a training that does not say how long they are.
  int usual_sequence() const {
    if (shape_ && shape_->image > 0 && shape_->patch > 0) {
      const int side = shape_->image / shape_->patch;
      return side * side + 1;
    }
    return shape_ && shape_->max_context > 0 ? std::min(kUsualSequence, shape_->max_context) : kUsualSequence;
  }

  void training() {
    const std::string at = "phases.train";
    draft_.item(2, "phases.name", "name", "train");
    draft_.open(4, at, "train");
    model(at);
    if (!sketch_.tokens.empty() || !sketch_.samples.empty()) {
      draft_.open(6, at + ".data", "data");
      stated(8, at + ".data.tokens", &Sketch::tokens, "--tokens");
      stated(8, at + ".data.samples", &Sketch::samples, "--samples");
      if (!stated(8, at + ".data.tokens_per_sample", &Sketch::tokens_per_sample, "--tokens-per-sample") &&
          sketch_.tokens.empty())
        draft_.option(8, at + ".data.tokens_per_sample", "tokens_per_sample", "{mean: 600, max: 2048}");
    }
    if (!stated(6, at + ".epochs", &Sketch::epochs, "--epochs") &&
        !stated(6, at + ".steps", &Sketch::steps, "--steps")) {
      draft_.key(6, at + ".epochs", "epochs", "1", "", true);
      assume("1 epoch (--epochs)");
    }
    lengths(at);
    batch(at);
    method(at);
    option_or_said(at, "micro", &Sketch::micro, "--micro", "4");
    draft_.option(6, at + ".accumulate", "accumulate", "8");
    option_or_said(at, "precision", &Sketch::precision, "--precision", "bf16");
    option_or_said(at, "optimizer", &Sketch::optimizer, "--optimizer", "adamw");
    draft_.option(6, at + ".recompute", "recompute", "full");
    draft_.option(6, at + ".parallel", "parallel", "fsdp");
    draft_.option(6, at + ".compile", "compile", "true");
    option_or_said(at, "framework", &Sketch::framework, "--framework", "hf-trainer");
  }

  void lengths(const std::string& at) {
    if (stated(6, at + ".sequence", &Sketch::sequence, "--sequence")) return;
    if (!sketch_.tokens_per_sample.empty()) {
      draft_.option(6, at + ".sequence", "sequence", std::to_string(usual_sequence()));
      return;
    }
    const int length = usual_sequence();
    draft_.key(6, at + ".sequence", "sequence", std::to_string(length), "", true);
    const bool image = shape_ && shape_->image > 0;
    if (image) return;  // the patches of the picture are no guess
    assume(count_text(length) + (sketch_.samples.empty() ? "-token sequences (--sequence)"
                                                         : "-token samples (--tokens-per-sample, --sequence)"));
  }

  void batch(const std::string& at) {
    if (sketch_.batch.empty()) {
      draft_.option(6, at + ".batch", "batch", "64");
      return;
    }
    const std::string_view text = trim(sketch_.batch);
    const bool tokens = to_lower(text).ends_with("tokens");
    draft_.key(6, at + ".batch", "batch", (tokens ? "{tokens: " : "") + yaml(std::string(text)) + (tokens ? "}" : ""),
               "--batch");
  }

  void method(const std::string& at) {
    if (sketch_.method.empty()) {
      draft_.key(6, at + ".method", "method", "full", "", true);
      if (!sketch_.model.empty()) assume("full fine-tuning (--method)");
    } else {
      stated(6, at + ".method", &Sketch::method, "--method");
    }
    stated(6, at + ".objective", &Sketch::objective, "--objective");
    stated(6, at + ".trainable", &Sketch::trainable, "--trainable");
    if (method_ != Method::kLora && method_ != Method::kQlora) return;
    draft_.open(6, at + ".lora", "lora");
    if (!stated(8, at + ".lora.rank", &Sketch::rank, "--rank")) {
      draft_.key(8, at + ".lora.rank", "rank", "16", "", true);
      assume("LoRA rank 16 (--rank)");
    } else {
      assume("LoRA on all linear layers");
    }
    draft_.key(8, at + ".lora.targets", "targets", "all", "", true);
  }

  void option_or_said(const std::string& at, std::string_view key, const std::string Sketch::* text, Flag flag,
                      std::string_view example) {
    const std::string address = at + "." + std::string(key);
    if (!stated(6, address, text, flag)) draft_.option(6, address, key, example);
  }

  void generation() {
    const std::string at = "phases.generate";
    draft_.item(2, "phases.name", "name", "generate");
    draft_.open(4, at, "generate");
    model(at);
    draft_.open(6, at + ".data", "data");
    draft_.item(8, at + ".data.samples", "samples", yaml(sketch_.samples), "--samples");
    stated(10, at + ".data.prompt_tokens", &Sketch::prompt, "--prompt");
    if (only_reads(sketch_))
      draft_.key(6, at + ".forward_only", "forward_only", "true", sketch_.forward_only ? "--forward-only" : "--new");
    else stated(10, at + ".data.new_tokens", &Sketch::new_tokens, "--new");
    const bool fixed = !sketch_.batch.empty() && sketch_.concurrency.empty();
    const std::string_view situation = !sketch_.situation.empty()     ? std::string_view(sketch_.situation)
                                       : !sketch_.concurrency.empty() ? "concurrency"
                                       : fixed                        ? "static"
                                                                      : "saturated";
    if (!stated(6, at + ".situation", &Sketch::situation, "--situation"))
      draft_.key(6, at + ".situation", "situation", std::string(situation), "", true);
    if (situation == "saturated" && sketch_.situation.empty())
      assume(
          sketch_.forward_only
              ? "as many texts in a pass as memory and the engine's default limit allow (--batch)"
              : "as many concurrent requests as memory and the engine's default limit allow (--concurrency, --batch)");
    option_or_said(at, "batch", &Sketch::batch, "--batch", "16");
    if (!sketch_.concurrency.empty()) stated(6, at + ".concurrency", &Sketch::concurrency, "--concurrency");
    option_or_said(at, "weights", &Sketch::weights, "--weights", "fp8");
    stated(6, at + ".weight_bits", &Sketch::weight_bits, "--weight-bits");
    option_or_said(at, "kv_cache", &Sketch::kv_cache, "--kv-cache", "fp8");
    option_or_said(at, "engine", &Sketch::engine, "--engine", "vllm");
    draft_.option(6, at + ".parallel", "parallel", "{tp: 2}");
    draft_.option(6, at + ".speculative", "speculative", "{tokens: 4, acceptance: 70%}");
    target(at);
  }

  void target(const std::string& at) {
    if (sketch_.tokens_per_second.empty() && sketch_.first_token.empty() && sketch_.per_token.empty()) {
      draft_.option(6, at + ".target", "target", "{time_per_output_token: 30 ms}");
      return;
    }
    draft_.open(6, at + ".target", "target");
    stated(8, at + ".target.tokens_per_second", &Sketch::tokens_per_second, "--tokens-per-second");
    stated(8, at + ".target.time_to_first_token", &Sketch::first_token, "--first-token");
    stated(8, at + ".target.time_per_output_token", &Sketch::per_token, "--per-token");
  }

  /// Before any work a rented machine boots, gets its software and fetches the weights. Without this, eight of the
  /// fastest GPUs for a minute would look best for every small job.
  void setup() {
    draft_.open(4, "phases.setup", "setup");
    if (stated(6, "phases.setup.time", &Sketch::setup, "--setup")) return;
    // Images and packages of some 10 GB: 5 minutes where they are near, 15 where not. Weights as they are published, or
    // asked for, at 2 Gbit/s to 0.5 Gbit/s, which is what marketplaces list for most hosts.
    constexpr double kFastest = 2e9 / 8, kSlowest = 0.5e9 / 8;
    const auto asked = from_name<Format>(sketch_.weights);
    // Without --engine it is the one that gpuplan thinks of first.
    const std::string_view engine = sketch_.engine.empty() ? std::string_view("vllm") : sketch_.engine;
    const double weights = shape_
                               ? count_parameters(*shape_).total() *
                                     bytes_of(published_format(shape_->native, asked.value_or(shape_->native), engine))
                               : 0;
    const double least = std::round(5 + weights / kFastest / 60), most = std::round(15 + weights / kSlowest / 60);
    const std::string from = fixed_text(least, 0), to = fixed_text(most, 0) + " min";
    draft_.key(6, "phases.setup.time", "time", from + "-" + to, "", true);
    assume(range_text(from, to) + " setup (--setup)");
  }

  /// What stands beside the phases: what is wished, and what else could be.
  void rest() {
    setup();
    draft_.option(4, "phases.overhead", "overhead", "{time: 10 min}");
    draft_.option(4, "phases.given", "given", "[{gpu: RTX 4090, tokens_per_second: 5000}]");
    struct Block {
      std::string_view name;
      std::vector<std::pair<std::string_view, std::string_view>> options;  ///< key, example
    };
    const std::vector<Block> blocks = {
        {"where",
         {{"gpus", "[RTX 4090, 8x H100 SXM]"},
          {"counts", "[1, 2, 4, 8]"},
          {"nodes", "[1, 2]"},
          {"providers", "[lambda, runpod]"},
          {"regions", "[us-east-1]"},
          {"spot", "allow"},
          {"max_price", "$20/h"},
          {"quota", "{aws: 8}"}}},
        {"limits", {{"deadline", "12 h"}, {"budget", "$50"}, {"confidence", "90%"}}},
        {"", {{"goal", "best_value"}, {"value_of_time", "$5/h"}}},
        {"spot", {{"interruptions", std::string_view(kAssumedInterruptions)}, {"restart", "5 min"}}},
        {"", {{"buffer", "10%"}, {"contingency", "$5"}, {"schedule", "best"}}},
        {"market", {{"own", "[{name: desk, gpu: RTX 4090, gpus: 2, watts: 900 W, usd_per_kwh: $0.30}]"}}},
    };
    for (const Block& block : blocks) {
      draft_.blank();
      const std::string prefix = block.name.empty() ? "" : std::string(block.name) + ".";
      bool active = block.name.empty();
      for (const auto& [key, example] : block.options)
        active = active || !wished(prefix + std::string(key)).first.empty();
      if (!block.name.empty()) draft_.open(0, block.name, block.name, !active);
      for (const auto& [key, example] : block.options) {
        const std::string address = prefix + std::string(key);
        const auto [value, flag] = wished(address);
        const int indent = block.name.empty() ? 0 : 2;
        if (!value.empty()) draft_.key(indent, address, key, value, flag, flag.empty());
        else draft_.option(indent, address, key, example, !active);
      }
    }
  }

  /// The value wished for at an address and the flag that said it; an empty flag: assumed.
  std::pair<std::string, Flag> wished(std::string_view address) {
    for (const WishFlag& flag : wish_flags()) {
      if (flag.address != address) continue;
      if (const auto said = said_by(wishes_, flag); !said.empty())
        return {flag.text != nullptr ? yaml(said.front()) : name_list(said), flag.name};
    }
    const bool spot = iequals(wishes_.spot, "allow") || iequals(wishes_.spot, "only");
    if (address == "spot.interruptions" && spot) {
      spot_assumed_ = true;
      return {std::string(kAssumedInterruptions), ""};
    }
    return {};
  }

  std::vector<std::string> assumptions() const {
    std::vector<std::string> lines;
    if (!shape_words_.empty()) lines.push_back(shape_words_ + ".");
    if (!assumed_.empty()) lines.push_back(join(assumed_, ", ") + ".");
    if (spot_assumed_)
      lines.push_back("spot interruption rate " + std::string(kAssumedInterruptions) + " (--interruptions).");
    return lines;
  }

  const Sketch& sketch_;
  const Wishes& wishes_;
  const ModelResolver& models_;
  bool generates_ = false;
  bool spot_assumed_ = false;
  std::optional<Method> method_;  ///< nullopt: not a name of one
  std::optional<ModelShape> shape_;
  std::optional<UsualShape> usual_;
  std::vector<std::string> assumed_;
  std::string shape_words_;
  JobDraft draft_;
};

}  // namespace

Result<SketchedJob> sketch_job(const Sketch& sketch, const Wishes& wishes, const ModelResolver& models) {
  return Sketcher(sketch, wishes, models).make();
}

}  // namespace gpuplan
