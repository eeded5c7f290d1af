// The fields of the rows of a catalogue, named once for writing and reading (input/image/archive.h). A field that is
// missing here comes back as its default, and tests/input/catalogue_image_test.cpp tells.
#pragma once

#include "domain/facts/catalogue.h"
#include "domain/facts/number_fields.h"
#include "input/image/archive.h"

namespace gpuplan {

void fields(auto& archive, Of<Gpu> auto& gpu) {
  archive(gpu.name, gpu.aliases, gpu.vendor, gpu.architecture, gpu.compute_capability, gpu.year, gpu.memory, gpu.usable,
          gpu.usable_observed, gpu.memory_type, gpu.bandwidth, gpu.fp32, gpu.tf32, gpu.bf16, gpu.fp16, gpu.fp16_acc16,
          gpu.fp8, gpu.fp4, gpu.int8, gpu.link, gpu.link_needs_bridge, gpu.link_kind, gpu.link_domain, gpu.pcie_gen,
          gpu.pcie_lanes, gpu.tdp_watts, gpu.sms, gpu.form_factor, gpu.training_publishers, gpu.serving_publishers,
          gpu.source, gpu.as_of, gpu.notes);
}

void fields(auto& archive, Of<Node> auto& node) {
  archive(node.provider, node.instance, node.gpu, node.gpus, node.link, node.link_kind, node.peer_access, node.network,
          node.gpu_network, node.front, node.vcpus, node.ram, node.disk, node.source, node.as_of);
}

void fields(auto& archive, Of<ModelShape> auto& model) {
  archive(model.name, model.kind, model.layers, model.hidden, model.heads, model.kv_heads, model.head_dim, model.ffn,
          model.gated, model.vocab, model.tied, model.positions, model.token_types, model.max_context,
          model.attention_bias, model.mlp_bias, model.norm, model.norms_per_layer, model.qk_norm, model.final_norm,
          model.experts, model.experts_per_token, model.expert_ffn, model.shared_ffn, model.dense_layers,
          model.expert_bias, model.q_lora_rank, model.kv_lora_rank, model.qk_nope_dim, model.qk_rope_dim, model.v_dim,
          model.window, model.window_layers, model.image, model.patch, model.channels, model.extra, model.uncounted,
          model.beside, model.published, model.active_published, model.native, model.heads_guessed, model.ffn_guessed,
          model.vocab_guessed);
}

void fields(auto& archive, Of<LimitRow> auto& row) { archive(row.limit, row.what, row.instead, row.source, row.as_of); }

void fields(auto& archive, Of<Framework> auto& framework) {
  archive(framework.name, framework.aliases, framework.trains, framework.generates, framework.vendors,
          framework.min_compute_capability, framework.zero, framework.tensor, framework.pipeline, framework.context,
          framework.expert, framework.interleave, framework.offload, framework.recompute_selective,
          framework.recompute_full, framework.compile, framework.cuda_graphs, framework.compiles, framework.full,
          framework.lora, framework.qlora, framework.frozen, framework.precisions, framework.optimizers,
          framework.master_fp32, framework.multi_gpu, framework.multi_node, framework.auto_rank, framework.fine_tune,
          framework.pretrain, framework.eased_by, framework.auto_full, framework.auto_adapters, framework.scripts,
          framework.saves_when_stopped, framework.fused_loss, framework.activation_offload, framework.limits,
          framework.source, framework.as_of, framework.notes);
}

void fields(auto& archive, Of<Billing> auto& billing) {
  archive(billing.minimum, billing.increment, billing.startup, billing.startup_billed, billing.term);
}

void fields(auto& archive, Of<PriceDoubt> auto& doubt) { archive(doubt.age, doubt.place); }

void fields(auto& archive, Of<Offer> auto& offer) {
  archive(offer.kind, offer.provider, offer.region, offer.instance, offer.zone, offer.gpu, offer.gpus, offer.price,
          offer.spot_price, offer.interruptions, offer.band, offer.availability, offer.stock, offer.price_doubt,
          offer.spot_doubt, offer.reliability, offer.billing, offer.disk_price, offer.egress_price, offer.label,
          offer.source, offer.as_of, offer.vcpus, offer.ram, offer.disk, offer.nodes, offer.max_nodes, offer.network,
          offer.max_time, offer.wait, offer.partition, offer.account, offer.qos, offer.queue, offer.preemptible,
          offer.leave_free, offer.watts, offer.usd_per_kwh);
}

void fields(auto& archive, Of<Efficiency> auto& row) {
  archive(row.architecture, row.memory_type, row.accumulation, row.source, row.as_of);
  for (const auto& number : kEfficiencyFields) archive(row.*number.field);
}

void fields(auto& archive, Of<TrainingSoftware> auto& software) {
  archive(software.name, software.fused, software.vendor_attention, software.paged_8bit, software.gathers_outside,
          software.sequence_parallel, software.adapts_all, software.loops_experts, software.adds_gradients,
          software.copies_shards, software.gathers_8bit, software.gathers_ahead, software.overlaps_tensor,
          software.copy_engines, software.keeps_format, software.planned_memory, software.keeps_quantised,
          software.loading, software.recompute, software.source, software.as_of);
  for (const auto& number : kSoftwareFields) archive(software.*number.field);
}

void fields(auto& archive, Of<OptimizerFacts> auto& row) {
  archive(row.optimizer, row.state_bytes, row.follows, row.paged, row.eight_bit, row.trainer, row.axolotl, row.torch,
          row.torchtitan, row.megatron, row.source, row.as_of);
}

void fields(auto& archive, Of<LinkEfficiency> auto& link) {
  archive(link.path, link.least, link.below, link.least_gpus, link.most_gpus, link.gather, link.reduce, link.exchange,
          link.own, link.latency_us, link.hop_us, link.fill_us, link.fill_half_us, link.source, link.as_of);
}

void fields(auto& archive, Of<KnownProblem> auto& problem) {
  archive(problem.id, problem.what, problem.kind, problem.frameworks, problem.hardware, problem.capability_from,
          problem.capability_below, problem.gpus_from, problem.features, problem.from, problem.fixed_in, problem.effect,
          problem.remedy, problem.source, problem.as_of, problem.confidence);
}

void fields(auto& archive, Of<ApiPrice> auto& price) {
  archive(price.model, price.provider, price.input, price.output, price.source, price.as_of);
}

void fields(auto& archive, Of<PriceSpread> auto& spread) {
  archive(spread.provider, spread.terms, spread.over, spread.deviation, spread.source, spread.as_of);
}

void fields(auto& archive, Of<EngineProfile> auto& engine) {
  archive(engine.name, engine.formats, engine.caches, engine.unfused, engine.attention, engine.own_kernels,
          engine.half_accumulate, engine.continuous, engine.prompts_first, engine.evicts, engine.pipelines,
          engine.copies_cache, engine.loops_experts, engine.emulates, engine.one_shot, engine.host_tables,
          engine.source, engine.as_of);
  for (const auto& number : kEngineFields) archive(engine.*number.field);
}

void fields(auto& archive, Of<TrainingConstants> auto& constants) {
  for (const auto& constant : kTrainingConstants) archive(constants.*constant.field);
}

void fields(auto& archive, Of<GenerationConstants> auto& constants) {
  for (const auto& constant : kGenerationConstants) archive(constants.*constant.field);
}

void fields(auto& archive, Of<PracticeConstants> auto& constants) {
  for (const auto& constant : kPracticeConstants) archive(constants.*constant.field);
}

void fields(auto& archive, Of<ErrorModel> auto& model) {  // what is learned is the user's, and no fact
  for (auto& figure : model.components)
    for (auto& component : figure) archive(component.deviation, component.unmeasured);
}

void fields(auto& archive, Of<AnswerConstants> auto& constants) {
  for (const auto& constant : kAnswerConstants) archive(constants.*constant.field);
}

void fields(auto& archive, Of<Assumption> auto& assumption) {
  archive(assumption.value, assumption.source, assumption.as_of);
}

void fields(auto& archive, Of<Assumptions> auto& assumptions) {
  for (const auto& known : kAssumptions) archive(assumptions.*known.field);
}

void fields(auto& archive, Of<NameIndex::Name> auto& name) { archive(name.squeezed, name.position); }

}  // namespace gpuplan
