#include "model/training/adapters.h"

#include <bit>
#include <string>
#include <string_view>

#include "base/text.h"

namespace gpuplan {

namespace {

enum Part : unsigned {
  kQuery = 1,
  kKey = 2,
  kValue = 4,
  kOutput = 8,
  kGate = 16,
  kUp = 32,
  kDown = 64,
  kExperts = 128,
  kAttention = kQuery | kKey | kValue | kOutput,
  kMlp = kGate | kUp | kDown,
};

struct TargetName {
  std::string_view name;
  unsigned parts;
};

/// Module names as transformers, GPT-2, GPT-NeoX, Falcon, Phi, torchtune and litgpt use them.
constexpr TargetName kTargets[] = {
    {"all", kAttention | kMlp},
    {"all-linear", kAttention | kMlp},
    {"attention", kAttention},
    {"mlp", kMlp},
    {"q_proj", kQuery},
    {"k_proj", kKey},
    {"v_proj", kValue},
    {"o_proj", kOutput},
    {"q", kQuery},
    {"k", kKey},
    {"v", kValue},
    {"o", kOutput},
    {"query", kQuery},
    {"key", kKey},
    {"value", kValue},
    {"projection", kOutput},
    {"wq", kQuery},
    {"wk", kKey},
    {"wv", kValue},
    {"wo", kOutput},
    {"out_proj", kOutput},
    {"output_proj", kOutput},
    {"dense", kOutput},
    {"qkv_proj", kQuery | kKey | kValue},
    {"c_attn", kQuery | kKey | kValue},
    {"query_key_value", kQuery | kKey | kValue},
    {"wqkv", kQuery | kKey | kValue},
    {"gate_proj", kGate},
    {"up_proj", kUp},
    {"down_proj", kDown},
    {"w1", kGate},
    {"w3", kUp},
    {"w2", kDown},
    {"gate_up_proj", kGate | kUp},
    {"fc1", kUp},
    {"fc2", kDown},
    {"c_fc", kUp},
    {"c_proj", kOutput | kDown},
    {"dense_h_to_4h", kUp},
    {"dense_4h_to_h", kDown},
    {"experts", kExperts},
};

}  // namespace

Result<AdapterSize> adapter_size(const ModelShape& s, const Lora& lora) {
  unsigned parts = lora.targets.empty() ? kAttention | kMlp : 0U;
  for (const std::string& target : lora.targets) {
    bool known = false;
    for (const TargetName& name : kTargets) {
      if (!iequals(name.name, target)) continue;
      parts |= name.parts;
      known = true;
    }
    if (!known) {
      return failure("lora target '" + printable(target) +
                     "' is not known; use names such as q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, "
                     "experts or all-linear");
    }
  }
  AdapterSize size;
  const unsigned all = kAttention | (s.gated ? kMlp : kUp | kDown);
  size.share = static_cast<double>(std::popcount(parts & all)) / std::popcount(all);
  size.attention_inputs = (parts & (kQuery | kKey | kValue)) != 0;
  size.mlp_inputs = (parts & (kGate | kUp | kExperts)) != 0;
  size.down_inputs = (parts & (kDown | kExperts)) != 0;
  const double rank = lora.rank;
  const auto add = [&](unsigned part, double in, double out, double count, double runs_per_token = 1) {
    if ((parts & part) == 0 || in <= 0 || out <= 0 || count <= 0) return;
    size.parameters += count * rank * (in + out);
    // Input read, product of rank width written and read, output added to that of the frozen layer.
    size.stream += count * runs_per_token * (in + 2 * out + 2 * rank);
  };
  const double h = s.hidden;
  if (s.mla()) {
    const double qk = s.qk_nope_dim + s.qk_rope_dim;
    if (s.q_lora_rank > 0) {
      add(kQuery, h, s.q_lora_rank, s.attention_layers());
      add(kQuery, s.q_lora_rank, s.heads * qk, s.attention_layers());
    } else {
      add(kQuery, h, s.heads * qk, s.attention_layers());
    }
    add(kKey | kValue, h, s.kv_lora_rank + s.qk_rope_dim, s.attention_layers());
    add(kKey | kValue, s.kv_lora_rank, s.heads * (s.qk_nope_dim + s.v_dim), s.attention_layers());
    add(kOutput, static_cast<double>(s.heads) * s.v_dim, h, s.attention_layers());
  } else {
    add(kQuery, h, s.q_width(), s.attention_layers());
    add(kKey, h, s.kv_width(), s.attention_layers());
    add(kValue, h, s.kv_width(), s.attention_layers());
    add(kOutput, s.q_width(), h, s.attention_layers());
  }
  // Mamba layers call them in_proj and out_proj.
  add(kQuery | kKey | kValue, h, s.states.projected, s.states.layers);
  add(kOutput, s.states.inner, h, s.states.layers);
  const double dense = s.mlp_layers();
  if (s.gated) add(kGate, h, s.ffn, dense);
  add(kUp, h, s.ffn, dense);
  add(kDown, s.ffn, h, dense);
  if (s.moe()) {
    const double sparse = s.moe_layers();
    if (s.gated) add(kGate, h, s.shared_ffn, sparse);
    add(kUp, h, s.shared_ffn, sparse);
    add(kDown, s.shared_ffn, h, sparse);
    const double share = s.experts > 0 ? static_cast<double>(s.experts_per_token) / s.experts : 0;
    add(kExperts, h, s.expert_ffn, (s.gated ? 2.0 : 1.0) * sparse * s.experts, share);
    add(kExperts, s.expert_ffn, h, sparse * s.experts, share);
  }
  if (!(size.parameters > 0)) {
    return failure(
        "the lora targets name no layer of this model that takes adapters (routed experts take none); use attention or "
        "all");
  }
  return size;
}

}  // namespace gpuplan
