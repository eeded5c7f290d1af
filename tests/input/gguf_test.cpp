#include "input/models/weights/gguf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace gpuplan {
namespace {

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

std::string text(const std::string& value) { return raw<std::uint64_t>(value.size()) + value; }

class File {
 public:
  File& u32(const std::string& key, std::uint32_t value) { return add(text(key) + raw<std::uint32_t>(4) + raw(value)); }
  File& word(const std::string& key, const std::string& value) {
    return add(text(key) + raw<std::uint32_t>(8) + text(value));
  }
  File& words(const std::string& key, int count) {
    std::string body = text(key) + raw<std::uint32_t>(9) + raw<std::uint32_t>(8) +
                       raw<std::uint64_t>(static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i) body += text("t" + std::to_string(i));
    return add(body);
  }
  File& numbers(const std::string& key, const std::vector<std::int32_t>& values) {
    std::string body = text(key) + raw<std::uint32_t>(9) + raw<std::uint32_t>(5) + raw<std::uint64_t>(values.size());
    for (const std::int32_t value : values) body += raw(value);
    return add(body);
  }
  File& tensor(const std::string& name, const std::vector<std::uint64_t>& dims, std::uint32_t type) {
    tensors_ += text(name) + raw(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims) tensors_ += raw(dim);
    tensors_ += raw(type) + raw<std::uint64_t>(0);
    ++tensor_count_;
    return *this;
  }
  std::string bytes(std::uint32_t version = 3) const {
    return "GGUF" + raw(version) + raw(tensor_count_) + raw(count_) + values_ + tensors_;
  }

 private:
  File& add(const std::string& value) {
    values_ += value;
    ++count_;
    return *this;
  }
  std::string values_, tensors_;
  std::uint64_t count_ = 0, tensor_count_ = 0;
};

constexpr std::uint32_t kF32 = 0, kQ4K = 12, kQ6K = 14;

File small_llama() {
  File file;
  file.word("general.architecture", "llama").u32("llama.block_count", 2).u32("llama.embedding_length", 512);
  file.u32("llama.feed_forward_length", 1024)
      .u32("llama.attention.head_count", 8)
      .u32("llama.attention.head_count_kv", 2);
  file.u32("llama.context_length", 8192).words("tokenizer.ggml.tokens", 300);
  file.tensor("token_embd.weight", {512, 300}, kQ4K)
      .tensor("output.weight", {512, 300}, kQ6K)
      .tensor("output_norm.weight", {512}, kF32);
  for (const char* layer : {"blk.0.", "blk.1."}) {
    const std::string l = layer;
    file.tensor(l + "attn_norm.weight", {512}, kF32).tensor(l + "ffn_norm.weight", {512}, kF32);
    file.tensor(l + "attn_q.weight", {512, 512}, kQ4K).tensor(l + "attn_k.weight", {512, 128}, kQ4K);
    file.tensor(l + "attn_v.weight", {512, 128}, kQ4K).tensor(l + "attn_output.weight", {512, 512}, kQ4K);
    file.tensor(l + "ffn_gate.weight", {512, 1024}, kQ4K).tensor(l + "ffn_up.weight", {512, 1024}, kQ4K);
    file.tensor(l + "ffn_down.weight", {1024, 512}, kQ4K);
  }
  return file;
}

std::string gguf_error(const std::string& bytes) {
  const auto model = read_gguf(bytes, "m.gguf");
  EXPECT_FALSE(model.has_value());
  return model ? "" : model.error().message;
}

TEST(Gguf, ShapeAndBitsOfALlama) {
  for (const std::uint32_t version : {2U, 3U}) {
    const auto model = read_gguf(small_llama().bytes(version), "m.gguf");
    ASSERT_TRUE(model.has_value()) << model.error().message;
    const ModelShape& shape = model->shape;
    EXPECT_EQ(model->architecture, "llama");
    EXPECT_EQ(shape.layers, 2);
    EXPECT_EQ(shape.hidden, 512);
    EXPECT_EQ(shape.heads, 8);
    EXPECT_EQ(shape.kv_heads, 2);
    EXPECT_EQ(shape.head_dim, 64);
    EXPECT_EQ(shape.ffn, 1024);
    EXPECT_EQ(shape.vocab, 300);
    EXPECT_EQ(shape.max_context, 8192);
    EXPECT_FALSE(shape.tied);
    EXPECT_TRUE(shape.gated);
    EXPECT_EQ(shape.norms_per_layer, 2);
    EXPECT_EQ(shape.norm, NormKind::kRms);
    // 2 x 300 x 512 + 2 x (2 x 512^2 + 2 x 512 x 128 + 3 x 512 x 1024 + 2 x 512) + 512
    EXPECT_EQ(model->parameters, 307'200 + 2 * (524'288 + 131'072 + 1'572'864 + 1'024) + 512);
    EXPECT_EQ(count_parameters(shape).total(), model->parameters);
    EXPECT_EQ(shape.extra, 0);
    // Nearly all in blocks of 256 weights and 144 bytes: 4.5 bits, the output at 6.5625.
    EXPECT_NEAR(model->bits_per_weight, 4.6, 0.1);
    EXPECT_EQ(model->tensors, 21U);
    EXPECT_TRUE(model->notes.empty());
  }
}

TEST(Gguf, MixtureAndLatentAttention) {
  File file;
  file.word("general.architecture", "deepseek2").u32("deepseek2.block_count", 2).u32("deepseek2.embedding_length", 256);
  file.u32("deepseek2.feed_forward_length", 512).u32("deepseek2.attention.head_count", 4);
  file.u32("deepseek2.attention.head_count_kv", 1).u32("deepseek2.attention.kv_lora_rank", 64);
  file.u32("deepseek2.attention.key_length", 80).u32("deepseek2.attention.key_length_mla", 48);
  file.u32("deepseek2.attention.value_length_mla", 32).u32("deepseek2.rope.dimension_count", 16);
  file.u32("deepseek2.expert_count", 8)
      .u32("deepseek2.expert_used_count", 2)
      .u32("deepseek2.expert_feed_forward_length", 64);
  file.u32("deepseek2.expert_shared_count", 1)
      .u32("deepseek2.leading_dense_block_count", 1)
      .u32("deepseek2.vocab_size", 1000);
  const auto model = read_gguf(file.bytes(), "m.gguf");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_EQ(model->shape.qk_nope_dim, 32);
  EXPECT_EQ(model->shape.qk_rope_dim, 16);
  EXPECT_EQ(model->shape.v_dim, 32);
  EXPECT_EQ(kv_elements_per_token_layer(model->shape), 64 + 16);
  EXPECT_EQ(model->shape.experts, 8);
  EXPECT_EQ(model->shape.experts_per_token, 2);
  EXPECT_EQ(model->shape.shared_ffn, 64);
  EXPECT_EQ(model->shape.dense_layers, 1);
}

TEST(Gguf, ValuesForEachLayer) {
  File file;
  file.word("general.architecture", "llama").u32("llama.block_count", 3).u32("llama.embedding_length", 256);
  file.u32("llama.attention.head_count", 8)
      .numbers("llama.attention.head_count_kv", {2, 4, 2})
      .u32("llama.vocab_size", 100);
  const auto model = read_gguf(file.bytes(), "m.gguf");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_EQ(model->shape.kv_heads, 4);
  ASSERT_EQ(model->notes.size(), 1U);
  EXPECT_NE(model->notes[0].find("differs from layer to layer"), std::string::npos);
}

TEST(Gguf, OneOfSeveralFiles) {
  File file = small_llama();
  file.u32("split.count", 3);
  const auto model = read_gguf(file.bytes(), "m.gguf");
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->parts, 3);
  EXPECT_EQ(model->shape.published, 0);
}

TEST(Gguf, EveryCutIsAnErrorNotACrash) {
  const std::string whole = small_llama().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length)
    ASSERT_FALSE(read_gguf(whole.substr(0, length), "m.gguf").has_value()) << length;
}

TEST(Gguf, BrokenFilesAreOneClearLine) {
  EXPECT_EQ(gguf_error(""), "no GGUF file: it does not begin with 'GGUF'");
  EXPECT_EQ(gguf_error("not this"), "no GGUF file: it does not begin with 'GGUF'");
  EXPECT_EQ(gguf_error("GGUF"), "not a readable GGUF file: at byte 4: the file is cut off");
  EXPECT_EQ(gguf_error(File().bytes(1)),
            "not a readable GGUF file: at byte 8: version 1 (expected 2 or 3, little endian)");
  EXPECT_EQ(gguf_error(File().bytes()), "general.architecture is missing");
  EXPECT_EQ(gguf_error(File().word("general.architecture", "llama").bytes()), "llama.block_count is missing");
  EXPECT_EQ(gguf_error(File()
                           .word("general.architecture", "llama")
                           .u32("llama.block_count", 2)
                           .u32("llama.embedding_length", 671'089'152)
                           .bytes()),
            "llama.embedding_length: expected at most 10,000,000, got 671,089,152");
  EXPECT_EQ(gguf_error(File().word("general.architecture", "\x1b[31m").bytes()), "?[31m.block_count is missing");
  const auto tensor_error = [](std::vector<std::uint64_t> dims, std::uint32_t type) {
    const std::string text = gguf_error(small_llama().tensor("x", std::move(dims), type).bytes());
    const std::string start = "not a readable GGUF file: at byte ";
    EXPECT_EQ(text.substr(0, start.size()), start);
    return text.substr(std::min(text.size(), text.find(": ", start.size())));
  };
  EXPECT_EQ(tensor_error({1ULL << 62, 1ULL << 62}, kF32), ": a tensor larger than any model");
  EXPECT_EQ(tensor_error({8}, 999), ": tensor type 999 is not known");
  EXPECT_EQ(tensor_error({1, 1, 1, 1, 1}, kF32), ": a tensor of 5 dimensions");
  const std::string many = "GGUF" + raw<std::uint32_t>(3) + raw<std::uint64_t>(1ULL << 60) + raw<std::uint64_t>(1);
  EXPECT_EQ(gguf_error(many),
            "not a readable GGUF file: at byte 24: 1152921504606846976 tensors and 1 values are more "
            "than any model has");
  const std::string long_array = "GGUF" + raw<std::uint32_t>(3) + raw<std::uint64_t>(0) + raw<std::uint64_t>(1) +
                                 text("a") + raw<std::uint32_t>(9) + raw<std::uint32_t>(4) +
                                 raw<std::uint64_t>(1ULL << 60) + raw<std::uint32_t>(1);
  EXPECT_EQ(gguf_error(long_array), "not a readable GGUF file: at byte 53: the file is cut off");
}

}  // namespace
}  // namespace gpuplan
