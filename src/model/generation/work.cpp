// Level 1 of the generation model: what a phase asks for, before any hardware is known.
#include "base/text.h"
#include "model/generation/collection.h"
#include "model/generation/generation.h"

namespace gpuplan {
namespace {

/// The matrices that every token meets, layer by layer.
void list_matrices(const ModelShape& shape, NetworkWork& network) {
  std::size_t used = 0;
  const auto add = [&](double columns, double inner, double layers, bool split_columns) {
    if (columns > 0 && inner > 0 && layers > 0) network.matrices[used++] = {columns, inner, layers, split_columns};
  };
  const double hidden = shape.hidden, heads = shape.heads, layers = shape.attention_layers();
  if (shape.mla()) {
    const double query = heads * (shape.qk_nope_dim + shape.qk_rope_dim);
    const double latent = shape.kv_lora_rank + shape.qk_rope_dim;
    // The projections down are one product, and every tensor rank has all of them.
    if (shape.q_lora_rank > 0) add(query, shape.q_lora_rank, layers, true);
    else add(query, hidden, layers, true);
    add(shape.q_lora_rank + latent, hidden, layers, false);
    add(heads * (shape.qk_nope_dim + shape.v_dim), shape.kv_lora_rank, layers, true);
    add(hidden, heads * shape.v_dim, layers, false);
  } else {
    add(shape.q_width() + 2.0 * shape.kv_width(), hidden, layers, true);
    add(hidden, shape.q_width(), layers, false);
  }
  add(shape.states.projected, hidden, shape.states.layers, true);
  add(hidden, shape.states.inner, shape.states.layers, false);
  const double gate = shape.gated ? 2 : 1;
  const double dense_layers = shape.mlp_layers();
  add(gate * shape.ffn, hidden, dense_layers, true);
  add(hidden, shape.ffn, dense_layers, false);
  if (shape.moe()) {
    add(gate * shape.shared_ffn, hidden, shape.moe_layers(), true);
    add(hidden, shape.shared_ffn, shape.moe_layers(), false);
  }
  double listed = 0;
  for (const WeightMatrix& matrix : network.matrices) listed += matrix.columns * matrix.inner * matrix.layers;
  network.vectors = network.dense > listed ? network.dense - listed : 0;
  // A shape whose parameters were given rather than computed has matrices as large as these say.
  if (listed > network.dense && listed > 0)
    for (WeightMatrix& matrix : network.matrices) matrix.layers *= network.dense / listed;
}

NetworkWork network_work(const ModelUse& use, const ParameterCount& params) {
  const ModelShape& shape = use.shape;
  NetworkWork network;
  network.layers = shape.layers;
  network.loops = use.runs();
  const bool decoder = shape.kind == ModelKind::kDecoder;
  network.hidden = shape.hidden;
  network.heads = shape.heads;
  network.kv_heads = shape.mla() ? 1 : shape.kv_heads;
  network.vocab = shape.labels > 0 ? shape.labels : shape.scores_tokens() || !decoder ? shape.vocab : 0;
  network.dense = params.attention + params.mlp + params.shared + params.norms + params.extra;
  network.experts = params.experts;
  network.expert_count = shape.experts;
  network.experts_per_token = shape.experts_per_token;
  network.expert_width = shape.expert_ffn;
  network.expert_layers = shape.moe_layers();
  network.gated = shape.gated;
  network.beside = shape.beside;
  const double table =
      static_cast<double>(shape.vocab) * (shape.embedding_width > 0 ? shape.embedding_width : shape.hidden);
  const bool scores = shape.scores_tokens();
  network.head = scores ? (shape.tied ? table : params.head) : decoder ? params.head : 0;
  network.embedding = params.embedding - (scores && shape.tied ? table : 0);
  if (!decoder) network.dense += params.head;
  if (network.embedding < 0) network.embedding = 0;
  const double per_layer = kv_elements_per_token_layer(shape);
  const double windowed = shape.window > 0 ? shape.window_layers : 0;
  network.kv_full = per_layer * (shape.attention_layers() - windowed);
  network.kv_window = per_layer * windowed;
  network.window = shape.window;
  network.window_share = shape.layers > 0 ? windowed / shape.layers : 0;
  network.state = state_elements(shape);
  network.attention_share = shape.layers > 0 ? static_cast<double>(shape.attention_layers()) / shape.layers : 1;
  network.state_share = shape.layers > 0 ? static_cast<double>(shape.states.layers) / shape.layers : 0;
  network.attention_width = shape.mla() ? shape.heads * (shape.qk_nope_dim + shape.qk_rope_dim + shape.v_dim) / 2.0
                                        : static_cast<double>(shape.heads) * shape.head_dim;
  network.latent_width = shape.mla() ? shape.kv_lora_rank + shape.qk_rope_dim : 0;
  const double routed = static_cast<double>(shape.experts_per_token) * shape.expert_ffn + shape.shared_ffn;
  network.mlp_width = shape.moe() ? routed : shape.ffn;
  network.causal = decoder;
  network.mixed_16_bit = shape.moe();
  list_matrices(shape, network);
  return network;
}

Error wrong(std::string message) { return Error{std::move(message), {}, false}; }

}  // namespace

Result<GenerationWork> generation_work(const GeneratePhase& phase) {
  if (phase.models.empty()) return std::unexpected(wrong("no model; set `model: NAME`"));
  if (phase.data.empty())
    return std::unexpected(wrong("no data: expected `data: [{samples, prompt_tokens, new_tokens}]`"));

  GenerationWork work;
  work.phase = &phase;
  work.models = static_cast<int>(phase.models.size());
  double prompts = 0, news = 0;
  for (const Prompts& part : phase.data) {
    if (!(part.samples > 0)) return std::unexpected(wrong("data: `samples` must be above zero"));
    const double fresh = phase.forward_only ? 0 : part.new_tokens.mean;
    const double most = phase.forward_only ? 0 : part.new_tokens.max;
    work.samples += part.samples;
    prompts += part.samples * part.prompt_tokens.mean;
    news += part.samples * fresh;
    const double longest =
        (part.prompt_tokens.max > part.prompt_tokens.mean ? part.prompt_tokens.max : part.prompt_tokens.mean) +
        (most > fresh ? most : fresh);
    if (longest > work.longest) work.longest = longest;
    if (most > work.longest_new) work.longest_new = most;
    if (fresh > work.longest_new) work.longest_new = fresh;
  }
  work.prompt_tokens = prompts / work.samples;
  work.new_tokens = news / work.samples;
  if (phase.forward_only && !(work.prompt_tokens > 0))
    return std::unexpected(wrong("data: a forward pass needs `prompt_tokens`"));
  if (!phase.forward_only && !(work.new_tokens > 0))
    return std::unexpected(
        wrong("data: nothing to generate; set `new_tokens`, or `forward_only: true` to only read the text"));
  if (phase.situation == Situation::kConcurrency && !(phase.concurrency.value_or(0) > 0))
    return std::unexpected(wrong("situation concurrency also needs `concurrency`, the number of concurrent requests"));

  for (const ModelUse& use : phase.models) {
    const std::string name = printable(use.name.empty() ? use.shape.name : use.name);
    if (use.custom)
      return std::unexpected(wrong(
          "model " + name + " is custom, so its generation work is unknown; give its shape, or use a `fixed` phase"));
    if (use.shape.layers <= 0 || use.shape.hidden <= 0)
      return std::unexpected(wrong("model " + name + " has no layers or no hidden size"));
    if (use.shape.kind == ModelKind::kDecoder && !use.shape.scores_tokens() && !phase.forward_only)
      return std::unexpected(wrong("model " + name +
                                   " ends without a language head and cannot generate; set "
                                   "`forward_only: true`"));
    if (use.shape.kind != ModelKind::kDecoder && !phase.forward_only)
      return std::unexpected(
          wrong("model " + name + " is not a decoder and cannot generate; set `forward_only: true`"));
    if (use.shape.max_context > 0 && work.longest > use.shape.max_context)
      return std::unexpected(wrong("data: the longest sample has " + count_text(work.longest) + " tokens, but " + name +
                                   " reads at most " + count_text(use.shape.max_context)));
    work.params.push_back(count_parameters(use.shape));
    NetworkWork network = network_work(use, work.params.back());
    const int position = static_cast<int>(work.networks.size());
    network.same_as = position;
    for (int i = 0; i < position; ++i) {
      NetworkWork other = work.networks[static_cast<std::size_t>(i)];
      const int first = other.same_as;
      other.same_as = position;
      if (other == network) {
        network.same_as = first;
        break;
      }
    }
    work.networks.push_back(network);
  }

  if (phase.speculation && !phase.forward_only) {
    const Speculation& speculation = *phase.speculation;
    work.guesses = speculation.tokens;
    // With guesses that each hold with chance a if those before did, a pass yields 1 + a + ... + a^k tokens: those that
    // hold, and the one that the model itself adds (Leviathan, Kalman and Matias 2023, arXiv:2211.17192).
    double chance = 1;
    for (int i = 0; i < speculation.tokens; ++i) work.tokens_a_pass += chance *= speculation.acceptance;
    if (speculation.draft) work.draft = network_work(*speculation.draft, count_parameters(speculation.draft->shape));
  }
  if (phase.store) {
    work.stored_per_sample = kept_activations(work).sample;
    work.stored_on_disk = phase.store->to != "memory";
  }
  return work;
}

}  // namespace gpuplan
