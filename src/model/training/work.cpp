// What a training phase has to do, before any hardware is known.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/math.h"
#include "domain/work/image_tokens.h"
#include "model/training/adapters.h"
#include "model/training/rollouts.h"
#include "model/training/training.h"

namespace gpuplan {

namespace {

/// The linear layers of one transformer, with their true shapes.
void add_products(const ModelShape& s, double loops, ModelWork& model) {
  const double h = s.hidden;
  const double runs = s.attention_layers() * loops;
  const auto add = [&](double columns, double inner, double count, bool split_columns, bool split_inner) {
    if (columns > 0 && inner > 0 && count > 0)
      model.products.push_back({columns, inner, count, split_columns, split_inner});
  };
  if (s.mla()) {
    // Multi-head latent attention (DeepSeek-AI 2024, arXiv:2405.04434): the projections down are not cut.
    const double qk = s.qk_nope_dim + s.qk_rope_dim;
    if (s.q_lora_rank > 0) add(s.q_lora_rank, h, runs, false, false);
    add(s.heads * qk, s.q_lora_rank > 0 ? s.q_lora_rank : h, runs, true, false);
    add(s.kv_lora_rank + s.qk_rope_dim, h, runs, false, false);
    add(s.heads * (s.qk_nope_dim + s.v_dim), s.kv_lora_rank, runs, true, false);
    add(h, static_cast<double>(s.heads) * s.v_dim, runs, false, true);
  } else {
    add(s.q_width() + 2.0 * s.kv_width(), h, runs, true, false);
    add(h, s.q_width(), runs, false, true);
  }
  add(s.states.projected, h, s.states.layers * loops, true, false);
  add(h, s.states.inner, s.states.layers * loops, false, true);
  const double up = s.gated ? 2 : 1;
  const double dense = s.mlp_layers() * loops;
  add(up * s.ffn, h, dense, true, false);
  add(h, s.ffn, dense, false, true);
  const double moe = s.moe_layers() * loops;
  add(s.experts, h, moe, false, false);  // router
  add(up * s.shared_ffn, h, moe, true, false);
  add(h, s.shared_ffn, moe, false, true);
  if (moe > 0) {
    model.expert_products.push_back({up * s.expert_ffn, h, moe, true, false});
    model.expert_products.push_back({h, static_cast<double>(s.expert_ffn), moe, false, true});
  }
}

/// Which inputs of linear layers the backward pass needs: those whose weights, or adapters beside them, learn.
struct Needed {
  bool attention = false, mlp = false, down = false;
};

/// Of the layers' mixers, attention and states, the mean over all layers of a figure that each has.
double mean_mixer(const ModelShape& s, double attention, double states) {
  if (s.attention_free == 0 && s.states.layers == 0) return attention;
  return (s.attention_layers() * attention + s.states.layers * states) / s.layers;
}

/// What a recurrence keeps of a token for its backward pass: its inputs and what the gate and the second product read.
/// States at the ends of chunks are few beside it (Dao and Gu 2024, arXiv:2405.21060, section 6).
double kept_states(const ModelShape& s) { return s.states.projected + 2.0 * s.states.inner; }

/// Of the elements below, those that tensor ranks share out only with sequence parallelism.
double kept_norms(const ModelShape& s, Needed needed) {
  // Inputs of the norms, and outputs that products read: one for attention and MLP side by side, else two.
  const double read = s.norms_per_layer == 1 ? (needed.attention || needed.mlp ? 1 : 0)
                                             : (needed.attention ? 1 : 0) + (needed.mlp ? 1 : 0);
  return (s.norms_per_layer + read) * s.hidden;
}

/// Elements a token of one layer, by the width of its MLP: Korthikanti et al. 2022 (arXiv:2205.05198), section 4.1,
/// sorted by tensor, without the dropout masks and scores that fused kernels do not keep.
double kept_elements(const ModelShape& s, double mlp, Needed needed) {
  const double q = s.mla() ? s.heads * (s.qk_nope_dim + s.qk_rope_dim) : s.q_width();
  const double out = s.mla() ? s.heads * s.v_dim : s.q_width();
  const double kv = s.mla() ? s.heads * (s.qk_nope_dim + s.qk_rope_dim + s.v_dim) + s.kv_lora_rank + s.q_lora_rank
                            : 2.0 * s.kv_width();
  const double nonlinear = (s.gated ? 3 : 1) + (needed.down ? 1 : 0);
  const double normed = s.qk_norm == QkNorm::kNone ? 0 : s.q_width() + s.kv_width();
  return kept_norms(s, needed) + mean_mixer(s, q + out + kv + normed, kept_states(s)) + nonlinear * mlp;
}

void add_sums(const ModelShape& s, double loops, Needed needed, ModelWork& model) {
  const double h = s.hidden;
  const double gates = s.gated ? 3 : 2;
  const double dense_layers = s.mlp_layers() * loops, bare_layers = s.mlp_free * loops;
  const double moe_layers = s.moe_layers() * loops;
  const double runs = s.layers * loops;
  const double attention_runs = s.attention_layers() * loops;
  const double q = mean_mixer(s, s.mla() ? s.heads * (s.qk_nope_dim + s.qk_rope_dim) : s.q_width(), s.states.inner);
  const double kv = mean_mixer(s, s.mla() ? s.heads * (s.qk_nope_dim + s.qk_rope_dim + s.v_dim) : 2.0 * s.kv_width(),
                               s.states.projected - s.states.inner);
  const double qk_dim = s.mla() ? s.qk_nope_dim + s.qk_rope_dim : s.head_dim;
  const double v_dim = s.mla() ? s.v_dim : s.head_dim;
  const double routed = static_cast<double>(s.experts_per_token) * s.expert_ffn + s.shared_ffn;

  model.layer_runs = runs;
  model.experts = s.experts;
  model.experts_per_token = s.experts_per_token;
  model.causal = s.kind == ModelKind::kDecoder;
  model.attention_flops = 2 * (qk_dim + v_dim) * s.heads * attention_runs;
  model.attention_narrow = std::max(1.0, 128 / qk_dim);
  model.eager_scale = std::sqrt(qk_dim / 128);
  model.score_heads = s.heads * attention_runs;
  model.window = s.window;
  model.window_share =
      s.window > 0 && s.attention_layers() > 0 ? static_cast<double>(s.window_layers) / s.attention_layers() : 0;
  model.stream = runs * (12 * h + 2 * (q + kv)) + dense_layers * gates * s.ffn +
                 moe_layers * (gates * routed + 4 * h * s.experts_per_token);
  model.stream_whole = runs * 12 * h;
  // Root-mean-square norms and rotary embeddings are several operations each where nothing fuses them; layer norms are
  // one kernel everywhere. Networks with such norms and no table of positions rotate.
  const bool rms = s.norm == NormKind::kRms;
  model.unfused_norms = rms ? runs * s.norms_per_layer * h : 0;
  model.unfused_rotary = rms && s.positions == 0 ? attention_runs * (q + kv / 2) : 0;
  model.cast_stream = runs * (2 * h + q) + dense_layers * s.ffn + moe_layers * routed;
  const double dense = kept_elements(s, s.ffn, needed);
  const double sparse = kept_elements(s, routed, needed) + (needed.mlp ? 2 * h * s.experts_per_token : 0);
  model.kept = dense_layers * dense + moe_layers * sparse + bare_layers * kept_elements(s, 0, needed);
  model.kept_whole = runs * kept_norms(s, needed);
  // PyTorch's norm of means and deviations is one kernel; the usual one of root mean squares is not.
  model.norm_inputs = s.norm == NormKind::kRms ? runs * s.norms_per_layer * h : 0;
  model.kept_gates = s.gated ? dense_layers * s.ffn + moe_layers * routed : 0;
  model.expert_gates = s.gated ? moe_layers * s.experts_per_token * s.expert_ffn : 0;
  model.kept_experts = moe_layers * ((s.gated ? 3 : 1) + (needed.down ? 1 : 0)) * s.experts_per_token * s.expert_ffn +
                       (needed.mlp ? moe_layers * 2 * h * s.experts_per_token : 0);
  model.kept_products = needed.attention ? model.cast_stream : 0;
  const double up = s.gated ? 2 : 1;
  model.kept_attention = runs * (h + mean_mixer(s, s.mla() ? s.heads * s.v_dim : s.q_width(), s.states.inner));
  model.kept_outputs = runs * (q + kv + h) + dense_layers * (up * s.ffn + h) + moe_layers * (up * routed + h);
  model.kept_widest = std::max(dense_layers > 0 ? dense : 0, moe_layers > 0 ? sparse : 0);
  model.boundary = h;
  model.key_values = runs * kv;
  model.vocab = s.labels > 0 ? s.labels : s.headless ? 0 : s.vocab;
  // Rewards and classes are read off the last token.
  if (s.labels > 0) model.head_share = 0;
  model.masked = s.kind == ModelKind::kEncoder;
  if (s.kind == ModelKind::kVit) {  // classifies: scores one token
    model.tokens = image_tokens(s);
    model.head_share = model.tokens > 0 ? 1 / model.tokens : 1;
  }
}

bool learns(const TrainPhase& phase, const ModelUse& use) {
  switch (phase.method) {
    case Method::kFull:
      return !use.frozen;
    case Method::kFrozen:
      return !use.frozen && !phase.trainable;
    case Method::kLora:
    case Method::kQlora:
      return false;
  }
  return false;
}

Result<ModelWork> model_work(const TrainPhase& phase, const ModelUse& use) {
  ModelWork model;
  model.use = &use;
  model.passes = use.supervision_steps > 1 ? use.supervision_steps : 1;
  const bool adapted = (phase.method == Method::kLora || phase.method == Method::kQlora) && !use.frozen && !use.custom;
  model.adapters = adapted;
  model.backward_weights = learns(phase, use);
  model.backward_inputs = model.backward_weights || adapted || use.gradient_through;
  if (use.custom) {
    model.params.extra = model.params.active = use.custom->params;
    model.trainable = model.backward_weights ? use.custom->params : 0;
    model.tokens = 1;
    return model;
  }
  model.params = count_parameters(use.shape);
  const double loops = use.runs();
  add_products(use.shape, loops, model);
  Needed needed{model.backward_weights, model.backward_weights, model.backward_weights};
  if (model.backward_weights) model.trainable = model.params.total();
  if (adapted) {
    const Result<AdapterSize> size = adapter_size(use.shape, phase.lora);
    if (!size) return std::unexpected(size.error());
    model.trainable = size->parameters;
    model.adapter_stream = size->stream * loops;
    model.adapted = size->share;
    // 4-bit layers keep their inputs in any case (bitsandbytes; fitted on published runs, 2026).
    const bool every = phase.method == Method::kQlora;
    needed = {every || size->attention_inputs, every || size->mlp_inputs, every || size->down_inputs};
  }
  add_sums(use.shape, loops, needed, model);
  return model;
}

/// The network as it was before, which scores every pair too (Rafailov et al. 2023, arXiv:2305.18290, equation 7), or
/// every answer.
Result<ModelWork> reference_work(const TrainPhase& phase, const ModelUse& use) {
  ModelUse before = use;
  before.frozen = true;
  before.gradient_through = false;
  Result<ModelWork> model = model_work(phase, before);
  if (model) model->use = &use;
  return model;
}

void place(const ModelWork& model, TrainingWork& work) {
  PlacedParameters& all = model.backward_weights ? work.learn : work.base;
  const ParameterCount& p = model.params;
  if (model.use->custom) {
    all.whole += p.total();
  } else {
    all.layers += p.attention + p.mlp + p.shared + p.norms;
    all.experts += p.experts;
    all.embedding += p.embedding;
    all.head += p.head;
    all.whole += p.extra;
    if (model.use->shape.tied) all.tied += p.embedding;
  }
  if (model.adapters) work.learn.whole += model.trainable;
}

/// How long sequences are padded to in micro-batches of variable samples.
void pad(TrainingWork& work, bool packed) {
  double n = work.rows;
  for (double& tokens : work.padded) {
    tokens = packed ? work.mean_tokens : longest_of(work.mean_tokens, work.sequence, n);
    n *= 2;
  }
}

/// What learning from answers has beside: those who give them, scores by the network that gave them, which the loss
/// holds against the engine's (trl/trainer/grpo_trainer.py: vllm_importance_sampling_correction), and, unless beta is
/// 0, by the network as it was before. Only answers are scored, not their prompts.
Result<void> add_rollouts(const TrainPhase& phase, TrainingWork& work) {
  auto rollouts = rollout_work(phase);
  if (!rollouts) return std::unexpected(std::move(rollouts.error()));
  work.rollouts = *std::move(rollouts);
  const bool apart = !work.adapters;
  const auto again = [&](bool placed) -> Result<void> {
    Result<ModelWork> before = reference_work(phase, phase.models.front());
    if (!before) return std::unexpected(std::move(before.error()));
    if (placed) place(*before, work);
    else ++work.forward_only;
    work.models.push_back(std::move(*before));
    return {};
  };
  if (auto made = again(false); !made) return made;
  if (phase.rollouts->beta > 0)
    if (auto made = again(apart); !made) return made;
  const Rollouts& asked = *phase.rollouts;
  for (ModelWork& model : work.models)
    model.head_share = asked.new_tokens.max / (asked.prompt_tokens.max + asked.new_tokens.max);
  return {};
}

/// Sequence length, mean and the amount of work. False message: what the phase leaves open.
Result<void> set_amount(const TrainPhase& phase, TrainingWork& work) {
  const auto& length = phase.data.tokens_per_sample;
  const bool packed = phase.data.packing;
  bool transformer = false;
  double own = 0;
  double longest_context = 0;
  for (const ModelWork& model : work.models) {
    if (model.use->custom) continue;
    if (model.tokens > 0) {
      own = std::max(own, model.tokens);
    } else {
      transformer = true;
      longest_context = std::max(longest_context, static_cast<double>(model.use->shape.max_context));
    }
  }
  work.sequence = phase.row_tokens();
  if (!transformer) work.sequence = std::max(own, 1.0);
  if (!(work.sequence > 0)) {
    return failure("train needs a sequence length; set `sequence` (tokens) or `data.tokens_per_sample`");
  }
  work.mean_tokens = work.sequence;
  if (transformer && !packed && length && length->mean > 0) work.mean_tokens = std::min(length->mean, work.sequence);
  work.rows = phase.rows();
  work.sequence *= work.rows;
  work.mean_tokens *= work.rows;

  if (phase.batch) {
    if (phase.batch->sequences) work.batch = *phase.batch->sequences;
    if (phase.batch->tokens) work.batch = std::max(1.0, std::floor(phase.batch->tokens->value / work.sequence + 0.5));
  }
  const double epochs = phase.epochs.value_or(1);
  // Packing joins samples to full sequences, so the count of sequences follows from the tokens.
  const double per_sequence = packed && length && length->mean > 0 ? work.sequence / length->mean / work.rows : 1;
  const double answers = phase.rollouts ? phase.rollouts->generations : 1;  // to a prompt
  if (phase.steps) {
    const double batch = phase.steps_at_batch ? *phase.steps_at_batch : work.batch;
    if (!(batch > 0)) {
      return failure("`steps` also needs a batch; set `batch`, or `steps_at_batch`");
    }
    work.sequences_total = *phase.steps * batch;
  } else if (phase.data.samples) {
    work.sequences_total = *phase.data.samples * epochs * answers / per_sequence;
  } else if (phase.data.tokens) {
    work.sequences_total = phase.data.tokens->value * epochs / work.mean_tokens;
  } else {
    return failure("train has no amount of work; set `steps`, or `data` with `samples` or `tokens`");
  }
  work.samples_total = work.sequences_total * per_sequence;
  return {};
}

}  // namespace

Result<TrainingWork> training_work(const TrainPhase& phase) {
  if (phase.models.empty()) return failure("train needs a `model`");
  TrainingWork work;
  work.phase = &phase;
  work.quantised_base = phase.method == Method::kQlora;
  double matrices = 0;
  for (const ModelUse& use : phase.models) {
    Result<ModelWork> model = model_work(phase, use);
    if (!model) return std::unexpected(model.error());
    work.params += model->params.total();
    work.trainable += model->trainable;
    work.adapters = work.adapters || model->adapters;
    work.moe = work.moe || model->experts > 0;
    work.hidden = std::max(work.hidden, static_cast<double>(use.custom ? 0 : use.shape.hidden));
    work.layers = std::max(work.layers, use.custom ? 1.0 : static_cast<double>(use.shape.layers));
    work.custom = work.custom || use.custom.has_value();
    if (model->backward_weights && !use.custom) {
      const ParameterCount& p = model->params;
      matrices += p.attention + p.mlp + p.experts + p.shared;
    }
    if (model->adapters) matrices += model->trainable;
    place(*model, work);
    const bool apart = !model->adapters;
    work.models.push_back(std::move(*model));
    if (phase.objective != Objective::kDpo) continue;
    // Beside adapters it is the base without them; else its weights are there a second time.
    Result<ModelWork> before = reference_work(phase, use);
    if (!before) return std::unexpected(before.error());
    if (apart) place(*before, work);
    work.models.push_back(std::move(*before));
  }
  if (phase.method != Method::kFull && phase.trainable) {
    work.trainable += *phase.trainable;
    work.params += *phase.trainable;
    work.learn.whole += *phase.trainable;
    matrices += *phase.trainable;
  }
  if (!(work.trainable > 0)) {
    return failure("nothing is trained; set `trainable` (parameters) next to the frozen models, or another `method`");
  }
  work.matrices = std::min(1.0, matrices / work.trainable);
  if (phase.rollouts)
    if (auto made = add_rollouts(phase, work); !made) return std::unexpected(std::move(made.error()));
  if (const Result<void> amount = set_amount(phase, work); !amount) return std::unexpected(amount.error());
  if (!(work.sequences_total > 0)) return failure("train has no work: samples, tokens or steps are zero");
  pad(work, phase.data.packing);
  if (phase.rollouts) pad_answers(work, phase.rollouts->generations);
  return work;
}

}  // namespace gpuplan
