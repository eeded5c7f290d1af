#include "input/models/weights/safetensors.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace gpuplan {
namespace {

/// A file of tensors as they are written down, one behind the other.
class File {
 public:
  File& add(const std::string& name, std::initializer_list<int> dims, const std::string& type = "BF16", int bits = 16) {
    std::uint64_t elements = 1;
    std::string shape;
    for (const int dim : dims) {
      elements *= static_cast<std::uint64_t>(dim);
      shape += (shape.empty() ? "" : ",") + std::to_string(dim);
    }
    const std::uint64_t end = at_ + elements * static_cast<std::uint64_t>(bits) / 8;
    json_ += (json_.empty() ? "" : ",") + ('"' + name) + R"(":{"dtype":")" + type + R"(","shape":[)" + shape +
             R"(],"data_offsets":[)" + std::to_string(at_) + ',' + std::to_string(end) + "]}";
    at_ = end;
    return *this;
  }
  std::string text() const { return with_length("{" + json_ + "}"); }

  static std::string with_length(const std::string& header) {
    std::string text;
    for (int i = 0; i < 8; ++i) text += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return text + header;
  }

 private:
  std::string json_;
  std::uint64_t at_ = 0;
};

std::string safetensors_error(const std::string& text) {
  const auto header = read_safetensors(text, "model.safetensors");
  EXPECT_FALSE(header.has_value());
  return header ? "" : header.error().message;
}

TEST(Safetensors, CountsTensorsOfSeveralTypes) {
  File file;
  file.add("a", {10, 20})
      .add("b", {7}, "F32", 32)
      .add("scalar", {}, "F32", 32)
      .add("empty", {0, 5})
      .add("c", {64}, "F8_E4M3", 8);
  const auto header = read_safetensors(file.text(), "model.safetensors");
  ASSERT_TRUE(header.has_value()) << header.error().message;
  EXPECT_EQ(header->tensors, 5U);
  EXPECT_EQ(header->elements, 200 + 7 + 1 + 64);
  EXPECT_EQ(header->bytes, Bytes{400 + 28 + 4 + 64});
  ASSERT_EQ(header->by_type.size(), 3U);
  EXPECT_EQ(header->by_type[0].first, "BF16");
  EXPECT_EQ(header->by_type[0].second, 200);
  EXPECT_EQ(header->format(), Format::kBf16);
  EXPECT_TRUE(header->plain());
  EXPECT_FALSE(header->shape.has_value());
}

TEST(Safetensors, MetadataAndPaddingAndMissingWeights) {
  const std::string text = File::with_length(
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]}}   )");
  const auto header = read_safetensors(text, "model.safetensors");
  ASSERT_TRUE(header.has_value()) << header.error().message;
  EXPECT_EQ(header->elements, 6);
}

TEST(Safetensors, PackedTensorsAreNotPlain) {
  const auto header = read_safetensors(File().add("q", {32, 4}, "I32", 32).add("s", {4}, "F16", 16).text(), "m");
  ASSERT_TRUE(header.has_value());
  EXPECT_FALSE(header->plain());
}

TEST(Safetensors, ShapeFromNamesOfALlama) {
  File file;
  file.add("model.embed_tokens.weight", {1000, 256});
  for (int i = 0; i < 3; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + '.';
    file.add(layer + "self_attn.q_proj.weight", {256, 256}).add(layer + "self_attn.k_proj.weight", {64, 256});
    file.add(layer + "self_attn.v_proj.weight", {64, 256}).add(layer + "self_attn.o_proj.weight", {256, 256});
    file.add(layer + "mlp.gate_proj.weight", {700, 256}).add(layer + "mlp.up_proj.weight", {700, 256});
    file.add(layer + "mlp.down_proj.weight", {256, 700});
    file.add(layer + "input_layernorm.weight", {256}).add(layer + "post_attention_layernorm.weight", {256});
  }
  file.add("model.norm.weight", {256}).add("lm_head.weight", {1000, 256});
  const auto header = read_safetensors(file.text(), "model.safetensors");
  ASSERT_TRUE(header.has_value()) << header.error().message;
  ASSERT_TRUE(header->shape.has_value());
  const ModelShape& shape = *header->shape;
  EXPECT_EQ(shape.layers, 3);
  EXPECT_EQ(shape.hidden, 256);
  EXPECT_EQ(shape.heads, 4);
  EXPECT_EQ(shape.kv_heads, 1);
  EXPECT_EQ(shape.ffn, 700);
  EXPECT_EQ(shape.vocab, 1000);
  EXPECT_FALSE(shape.tied);
  EXPECT_EQ(shape.norms_per_layer, 2);
  EXPECT_EQ(shape.extra, 0);
  EXPECT_EQ(count_parameters(shape).total(), header->elements);
}

TEST(Safetensors, ShapeFromNamesOfAGpt2) {
  File file;
  file.add("wte.weight", {500, 128}, "F32", 32).add("wpe.weight", {64, 128}, "F32", 32);
  for (const char* layer : {"h.0.", "h.1."}) {
    const std::string l = layer;
    file.add(l + "ln_1.weight", {128}, "F32", 32).add(l + "ln_1.bias", {128}, "F32", 32);
    file.add(l + "attn.c_attn.weight", {128, 384}, "F32", 32).add(l + "attn.c_attn.bias", {384}, "F32", 32);
    file.add(l + "attn.c_proj.weight", {128, 128}, "F32", 32).add(l + "attn.c_proj.bias", {128}, "F32", 32);
    file.add(l + "ln_2.weight", {128}, "F32", 32).add(l + "ln_2.bias", {128}, "F32", 32);
    file.add(l + "mlp.c_fc.weight", {128, 512}, "F32", 32).add(l + "mlp.c_fc.bias", {512}, "F32", 32);
    file.add(l + "mlp.c_proj.weight", {512, 128}, "F32", 32).add(l + "mlp.c_proj.bias", {128}, "F32", 32);
  }
  file.add("ln_f.weight", {128}, "F32", 32).add("ln_f.bias", {128}, "F32", 32);
  const auto header = read_safetensors(file.text(), "model.safetensors");
  ASSERT_TRUE(header.has_value()) << header.error().message;
  ASSERT_TRUE(header->shape.has_value());
  EXPECT_TRUE(header->shape->tied);
  EXPECT_EQ(header->shape->positions, 64);
  EXPECT_FALSE(header->shape->gated);
  EXPECT_EQ(header->shape->norm, NormKind::kLayer);
  EXPECT_EQ(header->shape->attention_bias, BiasKind::kAll);
  EXPECT_EQ(header->shape->native, Format::kFp32);
  EXPECT_EQ(header->shape->extra, 0);
  EXPECT_EQ(count_parameters(*header->shape).total(), header->elements);
}

TEST(Safetensors, ShapeOfAMixture) {
  File file;
  file.add("model.embed_tokens.weight", {100, 128}).add("model.norm.weight", {128});
  const std::string layer = "model.layers.0.";
  file.add(layer + "self_attn.q_proj.weight", {256, 128}).add(layer + "self_attn.k_proj.weight", {64, 128});
  file.add(layer + "self_attn.v_proj.weight", {64, 128}).add(layer + "self_attn.o_proj.weight", {128, 256});
  file.add(layer + "self_attn.q_norm.weight", {32}).add(layer + "self_attn.k_norm.weight", {32});
  file.add(layer + "input_layernorm.weight", {128}).add(layer + "post_attention_layernorm.weight", {128});
  file.add(layer + "mlp.gate.weight", {4, 128});
  for (int e = 0; e < 4; ++e)
    for (const char* name : {"gate_proj", "up_proj", "down_proj"})
      file.add(layer + "mlp.experts." + std::to_string(e) + '.' + name + ".weight", {96, 128});
  const auto header = read_safetensors(file.text(), "m");
  ASSERT_TRUE(header.has_value() && header->shape.has_value());
  EXPECT_EQ(header->shape->experts, 4);
  EXPECT_EQ(header->shape->expert_ffn, 96);
  EXPECT_EQ(header->shape->head_dim, 32);
  EXPECT_EQ(header->shape->heads, 8);
  EXPECT_EQ(header->shape->qk_norm, QkNorm::kHead);
  EXPECT_EQ(header->shape->extra, 0);
  EXPECT_EQ(count_parameters(*header->shape).total(), header->elements);
}

TEST(Safetensors, BrokenFilesAreOneClearLine) {
  EXPECT_EQ(safetensors_error("abc"), "too short for a safetensors file");
  EXPECT_EQ(safetensors_error("\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f{}"),
            "no safetensors file: its first 8 bytes announce a header of 9187201950435737471 bytes; expected at most "
            "100,000,000");
  const std::string good = File().add("a", {10, 20}).text();
  const std::string whole = std::to_string(good.size());
  EXPECT_EQ(safetensors_error(good.substr(0, good.size() - 5)),
            "cut off inside its header: " + std::to_string(good.size() - 5) + " of " + whole + " bytes are there");
  EXPECT_EQ(safetensors_error(File::with_length("[1]")), "no safetensors file: its header is no JSON map");
  EXPECT_EQ(safetensors_error(File::with_length("{\"a\":")), "header of the tensors: not valid JSON");
  EXPECT_EQ(safetensors_error(File::with_length("{\"a\": {}}")), "tensor 'a': dtype is missing");
  EXPECT_EQ(safetensors_error(File::with_length("{}")), "holds no tensors");
  const auto tensor = [](const std::string& body) {
    return safetensors_error(File::with_length("{\"w\":" + body + "}"));
  };
  EXPECT_EQ(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"),
            "tensor 'w': shape and dtype need 8 bytes, data_offsets span 4");
  EXPECT_EQ(tensor(R"({"dtype":"F33","shape":[2],"data_offsets":[0,8]})"), "tensor 'w': dtype 'F33' is not known");
  EXPECT_EQ(tensor(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"),
            "tensor 'w': expected whole numbers in shape and data_offsets");
  EXPECT_EQ(tensor(R"({"dtype":"F32","shape":[1e15,1e15],"data_offsets":[0,8]})"),
            "tensor 'w': is larger than any tensor");
  EXPECT_EQ(tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[4,12]})"),
            "tensors overlap or leave holes in the file");
  EXPECT_EQ(tensor("7"), "tensor 'w': expected {dtype, shape, data_offsets}");
  EXPECT_EQ(tensor(R"({"dtype":"F32","shape":[[2]],"data_offsets":[0,8]})"),
            "tensor 'w': expected {dtype, shape, data_offsets}");
  EXPECT_EQ(safetensors_error(File::with_length("{\"\\u001b[31m\":{\"dtype\":\"X\"}}")),
            "tensor '?[31m': dtype 'X' is not known");
}

TEST(Safetensors, IndexOfSeveralFiles) {
  const auto index = read_safetensors_index(R"({"metadata": {"total_size": 16060522496, "total_parameters": 8030261248},
    "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})",
                                            "index.json");
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(index->total, Bytes{16'060'522'496});
  EXPECT_EQ(index->parameters, 8'030'261'248);
  EXPECT_EQ(index->tensors, 2U);
  EXPECT_EQ(read_safetensors_index("{}", "index.json").error().message,
            "expected an index of safetensors files: {metadata: {total_size}, weight_map}");
  EXPECT_EQ(read_safetensors_index("{", "index.json").error().message, "not valid JSON");
}

}  // namespace
}  // namespace gpuplan
