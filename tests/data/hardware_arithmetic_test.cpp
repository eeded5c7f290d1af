// data/gpus.csv and data/nodes.csv: figures that follow from each other. A wrong digit in a peak, a clock, a bandwidth
// or a link breaks one of these relations. What a data sheet prints against its own arithmetic stands in the row's
// `exceptions`, and an exception that is none is refused as well.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

std::string decimal_text(const char* name) {
  std::ifstream file(std::string(GPUPLAN_DATA_DIR) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A table by names of columns.
class Rows {
 public:
  explicit Rows(const char* name) : text_(decimal_text(name)), table_(CsvTable::parse(text_, name)) {
    for (std::size_t i = 0; table_ && i < table_->columns(); ++i) {
      // The name of a network and its rate are both headed "network".
      const std::string title(table_->name(i));
      const std::string bare = title.substr(0, title.find('['));
      columns_.emplace(columns_.contains(bare) ? bare + " rate" : bare, i);
    }
  }
  std::size_t size() const { return table_ ? table_->rows() : 0; }
  std::string cell(std::size_t row, const std::string& column) const {
    const auto found = columns_.find(column);
    EXPECT_NE(found, columns_.end()) << column;
    return found == columns_.end() ? "" : std::string(table_->cell(row, found->second));
  }
  bool has(std::size_t row, const std::string& column) const { return !cell(row, column).empty(); }
  double number(std::size_t row, const std::string& column) const {
    const std::string text = cell(row, column);
    return text.empty() ? 0 : std::strtod(text.c_str(), nullptr);
  }
  /// Half a unit of the last digit that stands there.
  double rounding(std::size_t row, const std::string& column) const {
    const std::string text = cell(row, column);
    const std::size_t point = text.find('.');
    return 0.5 * std::pow(10.0, point == std::string::npos ? 0.0 : -static_cast<double>(text.size() - point - 1));
  }

 private:
  std::string text_;
  Result<CsvTable> table_;
  std::map<std::string, std::size_t> columns_;
};

const Rows& gpus() {
  static const Rows rows("gpus.csv");
  return rows;
}

/// A row of gpus.csv with the relations that it is excused from.
class Row {
 public:
  explicit Row(std::size_t row) : row_(row) {
    std::stringstream list(text("exceptions"));
    for (std::string name; std::getline(list, name, '|');) excused_.insert(name);
  }
  std::string text(const std::string& column) const { return gpus().cell(row_, column); }
  double operator[](const std::string& column) const { return gpus().number(row_, column); }
  bool has(const std::string& column) const { return gpus().has(row_, column); }
  bool vendor(std::initializer_list<std::string_view> names) const {
    return std::ranges::find(names, text("vendor")) != names.end();
  }

  bool excused(const std::string& column) const { return excused_.contains(column); }

  /// Whether the figure is what others make of it, to `share` beside what either was rounded by.
  void keeps(const std::string& column, double expected, double slack = 0, double share = 0.003) {
    const double figure = (*this)[column];
    const bool kept = std::abs(figure - expected) <= gpus().rounding(row_, column) + slack + share * expected;
    if (excused_.contains(column)) {
      if (!kept) needed_.insert(column);
      return;
    }
    EXPECT_TRUE(kept) << column << " is " << figure << ", others make it " << expected;
  }
  /// Says that an exception is checked elsewhere.
  void need(const std::string& column) { needed_.insert(column); }
  double rounding(const std::string& column) const { return gpus().rounding(row_, column); }

  void no_stale_exceptions() const {
    for (const std::string& name : excused_)
      EXPECT_TRUE(needed_.contains(name)) << "an exception that the row does not need: " << name;
  }

 private:
  std::size_t row_;
  std::set<std::string> excused_, needed_;
};

/// Peak of 16-bit products: multiprocessors x what one does in a clock x the clock that the vendor quotes.
void check_products(Row& row) {
  const double clock = row.has("tensor_clock") ? row["tensor_clock"] : row["boost"];
  const bool both = row.has("bf16") && row.has("fp16");
  // The first matrix cores of AMD multiply bf16 at half the rate.
  const bool by_fp16 = !row.has("bf16") || row.excused("bf16");
  if (row["tensor_rate"] > 0 && row["sms"] > 0 && clock > 0)
    row.keeps(by_fp16 ? "fp16" : "bf16", row["sms"] * row["tensor_rate"] * clock / 1e6);
  if (both && by_fp16) row.keeps("bf16", row["fp16"], -row.rounding("bf16"), 0);
  if (both && !by_fp16) row.keeps("fp16", row["bf16"], -row.rounding("fp16"), 0);
}

/// What vendors round beside the last digit that they print.
constexpr double kPrinted = 0.0007;

/// Ratios of the other formats to 16-bit products, by generation.
void check_formats(Row& row) {
  const std::string architecture = row.text("architecture");
  const double half = row.has("bf16") ? row["bf16"] : row["fp16"];
  const double slack = 2 * row.rounding(row.has("bf16") ? "bf16" : "fp16");
  const double best = row.has("fp16_acc16") ? 2 : 1;  // consumer cards halve what accumulates in 32 bits
  if (row.has("fp16_acc16")) row.keeps("fp16_acc16", 2 * half, slack, kPrinted);
  // AMD and Intel halve it too; accelerators that are no GPUs run it like 16 bits.
  if (row.vendor({"amd", "intel"}) && row.has("tf32")) row.keeps("tf32", half / 2, slack / 4, kPrinted);
  if (row.vendor({"aws", "habana"}) && row.has("tf32")) row.keeps("tf32", row["fp16"]);
  if (row.vendor({"nvidia"}) && row.has("tf32")) row.keeps("tf32", half / 2, slack / 4, kPrinted);
  if (row.has("fp8")) {
    // Accelerators of others than NVIDIA and AMD run 8-bit floats at the rate of 16 bit or at twice that.
    const bool same = !row.vendor({"nvidia", "amd"}) && row["fp8"] < 1.5 * half;
    row.keeps("fp8", (same ? 1 : 2) * half, slack, kPrinted);
  }
  if (row.has("fp4")) {
    const double times = architecture == "Blackwell Ultra" ? 6 : row.has("fp16_acc16") ? 8 : 4;
    row.keeps("fp4", times * half, 2 * slack, kPrinted);
  }
  if (!row.has("int8")) return;
  if (architecture == "Pascal") return row.keeps("int8", 4 * row["fp32"], 0.2);  // dp4a
  const bool once = architecture == "CDNA" || architecture == "CDNA2" || architecture == "RDNA3";
  row.keeps("int8", (once ? 1 : 2) * best * (row.has("fp16") ? std::max(row["fp16"], half) : half), slack, kPrinted);
}

/// Vector fp32: lanes of a multiprocessor (CUDA C programming guide, "arithmetic instructions"; AMD's and Intel's
/// architecture papers) x two x clock.
void check_vectors(Row& row) {
  const double boost = row["boost"], units = row["sms"];
  if (boost <= 0 || units <= 0 || !row.has("fp32")) return;
  const std::string architecture = row.text("architecture");
  const double capability = row["compute_capability"];
  double lanes = 128;
  if (row.vendor({"nvidia"}))
    lanes = capability < 5 ? 192 : capability == 6.0 || (capability >= 7 && capability < 8.6) ? 64 : 128;
  else if (row.vendor({"amd"}))
    lanes = architecture == "CDNA" || architecture == "CDNA2" || architecture == "GCN 5.1" ? 64 : 128;
  row.keeps("fp32", units * lanes * 2 * boost / 1e6, 0, 0.004);
  if (capability == 6.1 && row.has("fp16")) row.keeps("fp16", row["fp32"] / 64);
}

void check_memory(Row& row) {
  const double memory = row["memory"], usable = row["usable"];
  const std::string type = row.text("memory_type");
  if (row.has("bus")) {
    ASSERT_TRUE(row.has("data_rate"));
    row.keeps("bandwidth", row["bus"] * row["data_rate"] / 8, 0, 0.001);
    // Chips and stacks come in few sizes: GiB to a 32-bit channel, GiB to a stack of 1024 bits (141 of 144 enabled).
    const bool stacks = type.starts_with("HBM");
    const double each = memory / (row["bus"] / (stacks ? 1024 : 32));
    const std::set<double> sizes = stacks ? std::set<double>{4, 8, 16, 23.5, 24} : std::set<double>{1, 2, 4, 6, 8, 16};
    EXPECT_TRUE(sizes.contains(each)) << each << " GiB to a channel or stack";
  }
  // What error correction in the memory itself takes from GDDR of servers, a sixteenth, and what the driver keeps.
  const double kept = memory - usable;
  const bool nvidia = row.vendor({"nvidia"}), graphics = type.starts_with("GDDR");
  const double driver = 0.35 + 0.008 * memory;
  if (nvidia && graphics && usable < 0.94 * memory) {
    EXPECT_NEAR(kept, memory / 16 + (memory < 40 ? 0.4 : 0.6), 0.3);
  } else if (nvidia && graphics) {
    EXPECT_NEAR(kept, driver, 0.15);
  } else if (nvidia && memory < 140 && type.starts_with("HBM")) {
    EXPECT_NEAR(kept, driver, 0.5);
  } else {
    EXPECT_LE(kept, 0.075 * memory);
  }
  EXPECT_GT(kept, 0) << "a program never sees all of it";
}

/// Capability, year, PCIe and links of a generation.
struct Generation {
  std::set<double> capabilities;
  int first, last;
  std::set<double> pcie;
  double link;  ///< both directions of one link; 0: not known
};
const std::map<std::string, Generation>& generations() {
  static const std::map<std::string, Generation> all = {
      {"Blackwell Ultra", {{10.3}, 2025, 2025, {5, 6}, 100}},
      {"Blackwell", {{10.0, 12.0, 12.1}, 2024, 2025, {5}, 100}},
      {"Hopper", {{9.0}, 2022, 2024, {5}, 50}},
      {"Ada", {{8.9}, 2022, 2024, {4}, 0}},
      {"Ampere", {{8.0, 8.6, 8.7}, 2020, 2022, {4}, 12.5}},
      {"Turing", {{7.5}, 2018, 2021, {3}, 50}},
      {"Volta", {{7.0}, 2017, 2019, {3}, 50}},
      {"Pascal", {{6.0, 6.1}, 2016, 2017, {3}, 40}},
      {"Maxwell", {{5.2}, 2015, 2015, {3}, 0}},
      {"Kepler", {{3.7}, 2014, 2014, {3}, 0}},
      {"CDNA4", {{0}, 2025, 2025, {5}, 153.6}},
      {"CDNA3", {{0}, 2023, 2024, {5}, 128}},
      {"CDNA2", {{0}, 2021, 2022, {4}, 50}},
      {"CDNA", {{0}, 2020, 2020, {4}, 92}},
      {"GCN 5.1", {{0}, 2018, 2018, {4}, 0}},
      {"RDNA4", {{0}, 2025, 2025, {5}, 0}},
      {"RDNA3", {{0}, 2022, 2023, {4}, 0}},
      {"Battlemage", {{0}, 2024, 2025, {4, 5}, 0}},
      {"Alchemist", {{0}, 2022, 2022, {4}, 0}},
      {"Ponte Vecchio", {{0}, 2023, 2023, {5}, 0}},
      {"Gaudi3", {{0}, 2024, 2024, {5}, 50}},
      {"Gaudi2", {{0}, 2022, 2022, {4}, 25}},
      {"TPU", {{0}, 2017, 2025, {}, 0}},
      {"Trainium", {{0}, 2021, 2024, {5}, 0}},
      {"Inferentia", {{0}, 2022, 2022, {}, 0}},
  };
  return all;
}

/// What the largest chip of NVIDIA's generations has for links, both directions.
double full_link(double capability) { return capability >= 10 ? 1800 : capability >= 9 ? 900 : 600; }

TEST(HardwareArithmetic, EveryRowKeepsItsRelations) {
  int products = 0, bandwidths = 0;
  for (std::size_t i = 0; i < gpus().size(); ++i) {
    Row row(i);
    SCOPED_TRACE(row.text("name"));
    check_products(row);
    check_formats(row);
    check_vectors(row);
    check_memory(row);
    row.need("tdp");
    row.no_stale_exceptions();
    products += row["tensor_rate"] > 0;
    bandwidths += row.has("bus");
  }
  // Rows that nothing binds are few.
  EXPECT_GE(products, 110);
  EXPECT_GE(bandwidths, 100);
}

TEST(HardwareArithmetic, CardsOfAGenerationAreAlike) {
  for (std::size_t i = 0; i < gpus().size(); ++i) {
    Row row(i);
    SCOPED_TRACE(row.text("name"));
    const auto found = generations().find(row.text("architecture"));
    ASSERT_NE(found, generations().end());
    const Generation& generation = found->second;
    const double capability = row["compute_capability"];
    const bool nvidia = row.vendor({"nvidia"}), soc = row.text("form_factor") == "SoC";
    EXPECT_TRUE(generation.capabilities.contains(capability));
    EXPECT_GE(row["year"], generation.first);
    EXPECT_LE(row["year"], generation.last);
    if (row.has("pcie_gen")) {
      EXPECT_TRUE(generation.pcie.contains(row["pcie_gen"]));
    }
    if (row.has("pcie_lanes")) {
      EXPECT_TRUE(row["pcie_lanes"] == 16 || row["pcie_lanes"] == 8);
    }
    if (row.has("link") && generation.link > 0) {
      const double links = row["link"] / generation.link;
      EXPECT_NEAR(links, std::round(links), 0.005) << "whole links of this generation";
    }
    // A tensor core does a power of two in a clock; only the H20 is cut down otherwise.
    if (row.has("tensor_rate") && row.text("name") != "H20") {
      EXPECT_EQ(std::log2(row["tensor_rate"]), std::round(std::log2(row["tensor_rate"])));
    }
    if (!nvidia) continue;
    EXPECT_EQ(row.has("pcie_gen"), !soc);
    EXPECT_EQ(row.has("pcie_lanes"), !soc);
    EXPECT_EQ(row.has("link"), row.text("link_kind") != "none");
    EXPECT_LE(row["link"], full_link(capability));
    // Modules have all links of the chip; only export variants have fewer.
    if (row.text("link_kind") == "nvswitch" && row.text("name").find("800") == std::string::npos) {
      EXPECT_EQ(row["link"], full_link(capability));
    }
    // The chips of servers are those with memory in stacks, and have a minor number of their own.
    const double minor = std::round(10 * (capability - std::floor(capability)));
    const bool stacks = row.text("memory_type").starts_with("HBM");
    if (capability >= 6) {
      EXPECT_EQ(stacks, capability < 12 && minor <= (capability >= 10 ? 3 : 0));
    }
    EXPECT_EQ(soc, capability == 8.7 || capability == 12.1);
  }
}

/// Consumer cards of a generation make about the same of a watt.
TEST(HardwareArithmetic, ConsumerCardsOfAGenerationAreAboutAsEfficient) {
  std::map<std::string, std::vector<std::pair<double, std::string>>> groups;
  for (std::size_t i = 0; i < gpus().size(); ++i) {
    Row row(i);
    if (row.has("fp16_acc16"))
      groups[row.text("architecture")].emplace_back(row["fp32"] / row["tdp"], row.text("name"));
  }
  for (auto& [architecture, cards] : groups) {
    std::ranges::sort(cards);
    const double middle = cards[cards.size() / 2].first;
    for (const auto& [each, name] : cards) {
      EXPECT_LT(each / middle, 1.4) << name;
      EXPECT_GT(each / middle, 0.75) << name;
    }
  }
}

TEST(HardwareArithmetic, PowerAndSizeGrowTogether) {
  for (std::size_t i = 0; i < gpus().size(); ++i) {
    Row row(i);
    SCOPED_TRACE(row.text("name"));
    const double peak = std::max({row["fp32"], row["bf16"], row["fp16"]});
    if (row.has("tdp")) {
      // Vendors print watts in fives, but for a few.
      if (row.excused("tdp") == (std::fmod(row["tdp"], 5) == 0)) {
        ADD_FAILURE() << "tdp " << row["tdp"];
      }
      // The leanest and the hungriest card of 2014 to 2026, by their peak in 16 or 32 bits.
      EXPECT_LT(peak / row["tdp"], 2.6);
      EXPECT_GT(peak / row["tdp"], 0.02);
      EXPECT_LT(row["bandwidth"] / row["tdp"], 10.5);
      EXPECT_GT(row["bandwidth"] / row["tdp"], 1.1);
    }
    if (row.has("boost")) {
      EXPECT_GE(row["boost"], 800);
      EXPECT_LE(row["boost"], 3000);
    }
    if (row.has("tensor_clock") && row.has("boost") && row.vendor({"nvidia"})) {
      EXPECT_LE(row["tensor_clock"], 1.001 * row["boost"]);
      EXPECT_GE(row["tensor_clock"], 0.85 * row["boost"]);
    }
  }
}

const Rows& nodes() {
  static const Rows rows("nodes.csv");
  return rows;
}

/// The number in front of `word` in a name: ("gpu-h100-sxm_8gpu-128vcpu", "vcpu") is 128; -1 without.
double number_before(std::string_view name, std::string_view word) {
  const std::size_t end = name.find(word);
  if (end == std::string_view::npos || end == 0) return -1;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  return begin == end ? -1 : std::strtod(std::string(name.substr(begin, end - begin)).c_str(), nullptr);
}

/// The number behind `word`; -1 without.
double number_behind(std::string_view name, std::string_view word) {
  const std::size_t at = name.find(word);
  if (at == std::string_view::npos || at + word.size() >= name.size() || !is_digit(name[at + word.size()])) return -1;
  return std::strtod(std::string(name.substr(at + word.size())).c_str(), nullptr);
}

void expect_named(double named, double figure, const char* what) {
  if (named >= 0 && figure > 0) {
    EXPECT_EQ(named, figure) << what << " of the machine's name";
  }
}

TEST(HardwareArithmetic, MachinesAreWhatTheirNamesSay) {
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    const std::string provider = nodes().cell(i, "provider"), name = nodes().cell(i, "instance");
    SCOPED_TRACE(provider + " " + name);
    const double gpus = nodes().number(i, "gpus"), vcpus = nodes().number(i, "vcpus"), ram = nodes().number(i, "ram");
    if (provider == "any") {
      EXPECT_EQ(name, std::to_string(static_cast<int>(gpus)) + "x " + nodes().cell(i, "gpu"));
      EXPECT_EQ(nodes().number(i, "network rate"), nodes().cell(i, "network") == "Internet" ? 1 : 0);
    } else if (provider == "aws") {
      // An xlarge has four virtual CPUs; bare metal is named after nothing.
      const double times = number_before(name, "xlarge");
      if (name.find("metal") == std::string::npos) expect_named(4 * std::max(1.0, times), vcpus, "CPUs");
      // Sizes of a family have about the same memory to a CPU.
      EXPECT_GE(ram / vcpus, 2);
      EXPECT_LE(ram / vcpus, 25);
      EXPECT_EQ(std::fmod(vcpus, 4), 0);
      // Memory comes in powers of two and one and a half times those (p3: an eighth less; p4: nine eighths).
      const double memory = name.starts_with("p3.") ? ram / 61 : name.starts_with("p4") ? ram / 9 : ram;
      const double power = std::log2(memory), middle = std::log2(memory / 3);
      EXPECT_TRUE(power == std::round(power) || middle == std::round(middle)) << ram << " GiB";
    } else if (provider == "azure") {
      expect_named(number_behind(name, "Standard_N"), vcpus, "CPUs");
      for (const char* family : {"Standard_ND", "Standard_NC", "Standard_NV"})
        expect_named(number_behind(name, family), vcpus, "CPUs");
    } else if (provider == "gcp") {
      for (const char* family : {"gpu-", "tpu-v6e-"}) expect_named(number_behind(name, family), gpus, "GPUs");
      expect_named(number_behind(name, "-standard-"), vcpus, "CPUs");
    } else if (provider == "lambda") {
      expect_named(number_behind(name, "gpu_"), gpus, "GPUs");
    } else if (provider == "nebius") {
      expect_named(number_before(name, "gpu-"), gpus, "GPUs");
      expect_named(number_before(name, "vcpu"), vcpus, "CPUs");
      expect_named(number_before(name, "gb"), ram, "GiB");
    } else if (provider == "verda") {
      expect_named(std::strtod(name.c_str(), nullptr), gpus, "GPUs");
      expect_named(number_before(name, "V"), vcpus, "CPUs");
    }
  }
}

/// "8x400", "8x2x100": the product of what stands in a network's name; 0 without.
double product_of(std::string_view network) {
  const std::size_t blank = network.rfind(' ');
  const std::string_view last = network.substr(blank == std::string_view::npos ? 0 : blank + 1);
  if (last.find('x') == std::string_view::npos) return 0;
  double product = 1;
  std::stringstream factors{std::string(last)};
  for (std::string factor; std::getline(factors, factor, 'x');) product *= std::strtod(factor.c_str(), nullptr);
  return product;
}

TEST(HardwareArithmetic, NetworksAddUp) {
  int named = 0;
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    const std::string network = nodes().cell(i, "network");
    const double all = nodes().number(i, "network rate"), direct = nodes().number(i, "gpu_network"),
                 front = nodes().number(i, "front_network"), burst = nodes().number(i, "burst_network");
    SCOPED_TRACE(nodes().cell(i, "provider") + " " + nodes().cell(i, "instance"));
    if (const double product = product_of(network); product > 0 && all > 0) {
      EXPECT_EQ(product, direct);
      ++named;
    }
    EXPECT_LE(direct, all);
    EXPECT_LE(front, all);
    // What is no fabric is the way to storage as well; where a fabric lies beside it, both make the whole.
    if (network == "Ethernet" || network == "gVNIC") {
      EXPECT_TRUE(front == 0 || front == all || direct > 0);
    }
    if (network.starts_with("RoCE") && front > 0) {
      EXPECT_EQ(direct + front, all);
    }
    if (network.starts_with("GPUDirect")) {
      EXPECT_EQ(direct + front, all);
    }
    if (network.starts_with("IB") || network.starts_with("EFA")) {
      EXPECT_EQ(direct, all);
    }
    if (network.starts_with("IB") && front > 0) {
      EXPECT_LE(front, all / 10) << "the fabric of the GPUs taken for the way to storage";
    }
    if (burst > 0 && all > 0) {
      EXPECT_GT(burst, all);
      EXPECT_LE(burst, 10 * all);
    }
    const std::string note = nodes().cell(i, "notes");
    EXPECT_EQ(note.find("burst"), std::string::npos) << "has a column of its own";
  }
  EXPECT_GE(named, 20);
}

TEST(HardwareArithmetic, LinksOfMachinesAreThoseOfTheirGpus) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < gpus().size(); ++i) known[gpus().cell(i, "name")] = i;
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    SCOPED_TRACE(nodes().cell(i, "provider") + " " + nodes().cell(i, "instance"));
    const auto found = known.find(nodes().cell(i, "gpu"));
    ASSERT_NE(found, known.end());
    const Row gpu(found->second);
    const double count = nodes().number(i, "gpus"), link = nodes().number(i, "link");
    const std::string kind = nodes().cell(i, "link_kind");
    const std::set<double> counts = {1, 2, 4, 6, 8, 12, 16};
    EXPECT_TRUE(counts.contains(count) || nodes().cell(i, "provider") == "any") << count << " GPUs";
    if (count == 1) continue;
    if (kind == "pcie") {
      // Both ways over 16 lanes: 32 GB/s in the third generation, then twice that each; fewer lanes on full boards.
      const double full = 32 * std::pow(2.0, gpu["pcie_gen"] - 3);
      EXPECT_TRUE(link == full || (link == full / 2 && nodes().cell(i, "provider") == "any")) << link;
    } else if (kind != "nvlink-pairs") {
      EXPECT_EQ(link, gpu["link"]);
    } else {
      EXPECT_TRUE(link == gpu["link"] ||
                  nodes().cell(i, "notes").find(nodes().cell(i, "link") + " GB/s") != std::string::npos)
          << "a rate of its own needs a reason";
    }
  }
}

/// GCP and Azure cut machines of one kind into equal shares of a whole one; Verda nearly so.
TEST(HardwareArithmetic, SharesOfAMachineAreEqual) {
  std::map<std::string, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    const std::string provider = nodes().cell(i, "provider"), name = nodes().cell(i, "instance");
    if (provider == "gcp" && name.find("gpu-") != std::string::npos)
      kinds[name.substr(0, name.rfind('-'))].push_back(i);
    if (provider == "gcp" && name.find("-standard-") != std::string::npos) kinds[name.substr(0, 2)].push_back(i);
    if (provider == "azure" && name.starts_with("Standard_NC")) kinds["azure " + nodes().cell(i, "gpu")].push_back(i);
    if (provider == "verda") kinds["verda " + nodes().cell(i, "gpu")].push_back(i);
  }
  int compared = 0;
  for (const auto& [kind, members] : kinds)
    for (const std::size_t i : members) {
      const std::size_t first = members.front();
      SCOPED_TRACE(kind + ": " + nodes().cell(i, "instance"));
      if (i == first) continue;
      const bool verda = nodes().cell(i, "provider") == "verda", azure = kind.starts_with("azure"),
                 per_cpu = azure || kind.size() == 2;
      const std::string of = per_cpu ? "vcpus" : "gpus";
      const double share = nodes().number(i, of) / nodes().number(first, of);
      EXPECT_NEAR(nodes().number(i, "ram") / (nodes().number(first, "ram") * share), 1, verda || azure ? 0.025 : 0);
      ++compared;
      if (verda) continue;
      EXPECT_EQ(nodes().number(i, "disk"), nodes().number(first, "disk") * share);
      if (!per_cpu) {
        EXPECT_EQ(nodes().number(i, "vcpus"), nodes().number(first, "vcpus") * share);
      }
    }
  EXPECT_GE(compared, 20);
}

TEST(HardwareArithmetic, SizesOfAFamilyScale) {
  // What a machine has of CPUs, memory and disk to a GPU stays within what its family shows.
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    const std::string provider = nodes().cell(i, "provider"), name = nodes().cell(i, "instance");
    if (provider == "any") continue;
    const bool sizes = provider == "aws" || provider == "gcp";
    families[provider + " " + (sizes ? name.substr(0, name.find_first_of(".-", 3)) : nodes().cell(i, "gpu"))].push_back(
        i);
  }
  for (const auto& [family, members] : families)
    for (const std::size_t a : members)
      for (const std::size_t b : members) {
        SCOPED_TRACE(family + ": " + nodes().cell(a, "instance") + ", " + nodes().cell(b, "instance"));
        const double cpus_a = nodes().number(a, "vcpus"), cpus_b = nodes().number(b, "vcpus");
        if (cpus_a <= 0 || cpus_b <= 0 || cpus_a > cpus_b) continue;
        EXPECT_LE(nodes().number(a, "gpus"), nodes().number(b, "gpus") * 1.0 + (cpus_b / cpus_a < 2 ? 8 : 0));
        const double ram_a = nodes().number(a, "ram") / cpus_a, ram_b = nodes().number(b, "ram") / cpus_b;
        if (ram_a > 0 && ram_b > 0) {
          EXPECT_LE(std::max(ram_a, ram_b) / std::min(ram_a, ram_b), 2.2) << "GiB to a CPU";
        }
      }
}

}  // namespace
}  // namespace gpuplan
