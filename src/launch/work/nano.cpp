// nanochat and nanoGPT: their own training programs, started from a clone of the repository.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/work/arguments.h"

namespace gpuplan {
namespace {

std::string flag(std::string_view name, int value) { return " --" + std::string(name) + "=" + std::to_string(value); }

/// GPT-2 by the names that nanoGPT's from_pretrained() has: gpt2, gpt2-medium, gpt2-large, gpt2-xl; "" for others.
std::string init_from(const ModelUse& model) {
  const std::string source = source_of(model);
  std::string name = to_lower(source.substr(source.rfind('/') + 1));
  for (const std::string_view known : {"gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"})
    if (name == known) return name;
  return "";
}

}  // namespace

// Flags as karpathy/nanochat's scripts/base_train.py and runs/speedrun.sh have them.
Result<Work> nanochat_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const ModelShape& shape = train.models.front().shape;
  const Strategy& s = place.strategy();
  // limits.h keeps all other shapes away.
  const bool own_mlp = !shape.gated && shape.ffn == 4 * shape.hidden;
  Work work;
  const int sequence = place.estimate().sequence;
  work.required.emplace_back("NANOCHAT: folder with a clone of github.com/karpathy/nanochat");
  const double tokens = static_cast<double>(steps_of(place)) * batch_of(place) * sequence;
  // Its README: a shard holds 250M characters, a token some 4.8 of them. Of what it reads nanochat/dataloader.py crops
  // some 35 % away, and the last shard is for validation.
  const double shards = std::clamp(std::ceil(tokens * 4.8 / 250e6 / 0.65) + 1, 8.0, 100000.0);
  // A shard of its data is some 100 MB (dev/repackage_data_reference.py).
  work.data = {.fetches = true, .fetched = shards * 100 * units::MB, .place = "nanochat"};
  work.prepare = {
      "cd \"$NANOCHAT\" || exit 78",
      check_version(place, work, "nanochat", "nanochat of",
                    "\"$(git -C \"$NANOCHAT\" log -1 --format=%cd --date=format:%Y.%m.%d)\""),
      "command -v uv >/dev/null || python3 -m pip install --quiet uv", "uv sync --extra gpu", ". .venv/bin/activate",
      "python -m nanochat.dataset -n " + number_text(shards),
      "[ -d \"${NANOCHAT_BASE_DIR:-$HOME/.cache/nanochat}/tokenizer\" ] || python -m scripts.tok_train --vocab-size=" +
          std::to_string(shape.vocab),
      // One that was left there by something else would be taken without a word, and the model be another one.
      "size=$(python -c 'from nanochat.tokenizer import get_tokenizer; print(get_tokenizer().get_vocab_size())')",
      "[ \"$size\" = " + std::to_string(shape.vocab) +
          " ] || { echo \"the tokenizer in ${NANOCHAT_BASE_DIR:-$HOME/.cache/nanochat} has $size tokens, and the "
          "plan's " +
          std::to_string(shape.vocab) +
          ": set NANOCHAT_BASE_DIR to a folder of its own, or vocab of the job's model\" >&2; exit 78; }"};
  const std::string tag = place.launch.slug + "-" + place.laid.slug;
  std::string line = "exec " + torchrun(place) + " -m scripts.base_train --";
  line += flag("depth", shape.layers) + flag("aspect-ratio", shape.hidden / shape.layers);
  line += flag("head-dim", shape.head_dim) + flag("max-seq-len", sequence);
  // Its default is SSSL: three layers in four with a window.
  line += " --window-pattern=L";
  if (const auto rate = argument(place, "learning_rate")) line += " --matrix-lr=" + number_text(*rate);
  if (argument(place, "warmup_steps") || argument(place, "warmup_ratio"))
    line += flag("warmup-steps", warm_up_steps(place, 0));
  line += flag("device-batch-size", s.micro_batch) +
          " --total-batch-size=" + number_text(static_cast<double>(batch_of(place)) * sequence);
  line += flag("num-iterations", steps_of(place));
  line += flag("save-every", std::max(checkpoint_steps(place.launch, place.laid), 1));
  const double every = place.phase().evaluate ? place.phase().evaluate->every_steps : 0;
  line += every >= 1 ? " --eval-every=" + number_text(std::round(every)) : " --eval-every=-1";
  line += " --core-metric-every=-1 --sample-every=-1 --run=dummy --model-tag=" + tag;
  if (is_eight_bit(s.precision)) line += " --fp8";
  for (const std::string& word : flag_words(place)) line += " " + word;
  work.files.push_back(program(place, "nanochat_newest.py", "newest.py"));
  work.command = {
      "cd \"$NANOCHAT\" || exit 78", ". .venv/bin/activate", "# Its checkpoint folder is the run's.",
      "mkdir -p \"${NANOCHAT_BASE_DIR:-$HOME/.cache/nanochat}/base_checkpoints\"",
      "ln -sfn \"$GPUPLAN_CHECKPOINTS\" \"${NANOCHAT_BASE_DIR:-$HOME/.cache/nanochat}/base_checkpoints/" + tag + "\"",
      // By itself it goes by the GPU (nanochat/common.py).
      std::string("export NANOCHAT_DTYPE=") + (s.precision == Precision::kFp32 ? "float32" : "bfloat16"),
      "newest=$(python " + file_word("newest.py") + ")"};
  const int keep = pruned_to(place);
  if (keep > 0) {
    work.command.emplace_back("me=$BASHPID");
    work.command.push_back("python " + file_word("newest.py") + " " + std::to_string(keep) + " \"$me\" &");
  }
  work.command.push_back(line + " ${newest:+--resume-from-step=\"$newest\"}");
  if (!own_mlp)
    work.notes.emplace_back(
        "nanochat's MLP has two matrices of four times the width: as many weights as the plan's (gated_mlp: false in "
        "the job says so).");
  // Of every second layer, of as many tokens and as wide as keys (nanochat/gpt.py, has_ve).
  const int every_second = (shape.layers + 1) / 2;
  const double tables = 1.0 * every_second * shape.vocab * shape.hidden;
  work.notes.push_back("nanochat since January 2026 has tables of value embeddings, " +
                       count_text(std::round(tables / 1e6)) + "M weights beside the plan's " +
                       count_text(std::round(count_parameters(shape).total() / 1e6)) +
                       "M: more memory, larger checkpoints and a slower step of the optimizer than planned.");
  work.notes.emplace_back("nanochat writes no checkpoint when stopped; it resumes from the newest one that is whole.");
  if (keep > 0) work.notes.push_back(pruned_note("nanochat", keep));
  work.resumes = true;
  return work;
}

// Names as karpathy/nanoGPT's train.py has them; accumulation there counts the passes of all ranks.
Result<Work> nanogpt_work(const WorkPlace& place) {
  const TrainPhase& train = place.train();
  const ModelShape& shape = train.models.front().shape;
  const Strategy& s = place.strategy();
  Work work;
  const bool scratch = place.from_scratch();
  if (!scratch && init_from(train.models.front()).empty())
    return placeholder(place,
                       "nanoGPT starts from the weights of GPT-2 only (gpt2, gpt2-medium, gpt2-large, gpt2-xl).");
  // It knows the weights of GPT-2 by their names, and no folder: what an earlier phase learnt would be lost.
  const auto left = trained_by(place, train.models.front());
  const std::string own = own_form(place, train.models.front());
  if (!scratch && (!left.empty() || !own.empty()))
    return placeholder(place, "nanoGPT starts from published GPT-2 weights, not from " +
                                  (own.empty() ? "runs/" + left.front().path() : own) + ".");
  JsonWriter json;
  json.begin_object().member("batch_size", s.micro_batch).member("gradient_accumulation_steps", s.grad_accum * s.dp);
  json.member("block_size", place.estimate().sequence).member("n_layer", shape.layers).member("n_head", shape.heads);
  json.member("n_embd", shape.hidden).member("dropout", 0.0).member("bias", shape.attention_bias != BiasKind::kNone);
  json.member("init_from", scratch ? "scratch" : init_from(train.models.front()));
  const int steps = steps_of(place);
  const double rate = number_argument(place, "learning_rate", scratch ? 6e-4 : 3e-5);
  const int every = std::max(checkpoint_steps(place.launch, place.laid), 1);
  json.member("learning_rate", rate).member("min_lr", tenth_of(rate)).member("max_iters", steps);
  json.member("lr_decay_iters", steps).member("warmup_iters", warm_up_steps(place, std::max(steps / 50, 1)));
  json.member("weight_decay", number_argument(place, "weight_decay", 0.1));
  json.member("beta1", 0.9).member("beta2", 0.95).member("grad_clip", number_argument(place, "grad_clip", 1.0));
  json.member("eval_interval", every).member("eval_iters", 20).member("log_interval", log_steps(place));
  json.member("always_save_checkpoint", true).member("compile", s.compile);
  json.member("dtype", s.precision == Precision::kBf16   ? "bfloat16"
                       : s.precision == Precision::kFp16 ? "float16"
                                                         : "float32");
  json.end();
  work.files.push_back(program(place, "nanogpt_config.py", "config.py"));
  work.files.push_back({place.path("settings.json"), json.take(), false});
  work.required = {"NANOGPT: folder with a clone of github.com/karpathy/nanoGPT",
                   "DATASET: name of a folder in its data/ with train.bin and val.bin from its prepare.py"};
  work.prepare = {check_version(place, work, "nanogpt", "nanoGPT of",
                                "\"$(git -C \"$NANOGPT\" log -1 --format=%cd --date=format:%Y.%m.%d)\""),
                  pip_install({"torch>=2.1", "numpy", "transformers", "datasets", "tiktoken", "tqdm"})};
  work.command = {"cd \"$NANOGPT\" || exit 78", "exec " + torchrun(place) + " train.py " + file_word("config.py")};
  if (steps % every != 0)
    work.notes.emplace_back(
        "nanoGPT saves at equal distances only: config.py makes them, and the steps in all, a little more than "
        "planned, so that the last step is saved.");
  work.notes.emplace_back(
      "nanoGPT writes a checkpoint when it evaluates, none when stopped; one that is cut off leaves the one before.");
  work.resumes = true;
  return work;
}

}  // namespace gpuplan
