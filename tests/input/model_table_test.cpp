#include "input/tables/models.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

constexpr const char* kHeader =
    "name,aliases,kind,published[params],active_published[params],layers,hidden,heads,kv_heads,head_dim,ffn,gated,"
    "vocab,tied,"
    "positions,token_types,max_context,attention_bias,mlp_bias,norm,norms_per_layer,qk_norm,final_norm,experts,"
    "experts_per_token,expert_ffn,shared_ffn,dense_layers,expert_bias,q_lora_rank,kv_lora_rank,qk_nope_dim,qk_rope_dim,"
    "v_dim,"
    "window,window_layers,image,patch,channels,extra[params],uncounted,beside[params],native_dtype,source,as_of\n";

std::string row(const std::string& name, const std::string& aliases = "", const std::string& kv_heads = "8") {
  return name + ',' + aliases + ",decoder,8030261248,,32,4096,32," + kv_heads +
         ",128,14336,yes,128256,no,,,131072,none,no,rms,2,none,yes,,,,,,no,,,,,,,,,,,,,,bf16,a paper,2024-07\n";
}

std::string table_error(const std::string& rows) {
  Catalogue catalogue;
  const auto read = read_models(kHeader + rows, "models.csv", catalogue);
  EXPECT_FALSE(read.has_value());
  return read ? "" : std::to_string(read.error().place.line) + ": " + read.error().message;
}

TEST(ModelTable, ReadsARow) {
  Catalogue catalogue;
  const auto read = read_models(kHeader + row("Llama-3.1-8B", "org/Other-Name|third"), "models.csv", catalogue);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  ASSERT_EQ(catalogue.models.size(), 1U);
  EXPECT_EQ(count_parameters(catalogue.models[0]).total(), 8'030'261'248);
  EXPECT_EQ(catalogue.models[0].published, 8'030'261'248);
  EXPECT_EQ(catalogue.models[0].uncounted, "");
  for (const char* name : {"Llama-3.1-8B", "llama 3.1 8b", "meta/llama_3.1_8B", "llama-31-8b", "other-name", "x/third"})
    EXPECT_NE(catalogue.find_model(name), nullptr) << name;
  EXPECT_EQ(catalogue.find_model("llama-3.2-8b"), nullptr);
}

TEST(ModelTable, PointsTellModelsApart) {
  Catalogue catalogue;
  ASSERT_TRUE(read_models(kHeader + row("OPT-1.3B") + row("OPT-13B"), "models.csv", catalogue).has_value());
  EXPECT_EQ(catalogue.find_model("opt-1.3b")->name, "OPT-1.3B");
  EXPECT_EQ(catalogue.find_model("opt-13b")->name, "OPT-13B");
}

TEST(ModelTable, ErrorsNameTheRow) {
  EXPECT_EQ(table_error(row("A") + row("a")), "3: the name 'a' already stands for another model");
  EXPECT_EQ(table_error(row("A", "x|y") + row("B", "org/X")), "3: the name 'org/X' already stands for another model");
  EXPECT_EQ(table_error(row("A", "", "7")), "2: expected heads (32) to be a multiple of kv_heads (7)");
  EXPECT_EQ(table_error(row("A", "", "0")).substr(0, 3), "2: ");
  EXPECT_EQ(table_error(row("")).substr(0, 3), "2: ");
}

}  // namespace
}  // namespace gpuplan
