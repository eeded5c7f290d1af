// Laws of the audit: what is right is never called wrong, in whatever units and signs, and a changed digit is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/questions/facts.h"
#include "base/random.h"
#include "base/text.h"
#include "domain/work/model_shape.h"
#include "evidence/audit/audit.h"
#include "input/claims/claims_file.h"

namespace gpuplan {
namespace {

const Catalogue& known_facts() {
  static const Catalogue catalogue = *api::read_facts();
  return catalogue;
}

std::vector<Finding> findings_of(const std::string& text, FindingKind kind, ClaimsForm form = ClaimsForm::kMarkdown) {
  const auto document = read_claims(text, form, "plan.md", known_facts());
  EXPECT_TRUE(document) << text;
  std::vector<Finding> found;
  if (document)
    for (Finding& finding : audit_claims(*document, known_facts()).findings)
      if (finding.kind == kind) found.push_back(std::move(finding));
  return found;
}

std::size_t wrong_in(const std::string& text, ClaimsForm form = ClaimsForm::kMarkdown) {
  return findings_of(text, FindingKind::kWrong, form).size();
}

/// Draws that are the same on every machine.
class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {}
  int whole(int low, int high) {
    return low + static_cast<int>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  double cents(int low, int high) { return whole(low * 100, high * 100) / 100.0; }
  template <class One>
  One of(const std::vector<One>& all) {
    return all[static_cast<std::size_t>(whole(0, static_cast<int>(all.size()) - 1))];
  }

 private:
  Random random_;
};

/// Four digits or more that count, and never fewer than money has.
std::string shown_text(double value, int decimals = -1) {
  if (decimals < 0) decimals = std::max(0, 3 - static_cast<int>(std::floor(std::log10(value))));
  return fixed_text(value, decimals);
}

/// A number with another first or second digit.
std::string other_digit(const std::string& number, Draws& draws) {
  std::string other = number;
  const std::size_t first = number.find_first_of("123456789");
  std::size_t at = first;
  if (draws.whole(0, 1) == 1)
    for (at = first + 1; at < number.size() && !is_digit(number[at]);) ++at;
  if (at >= number.size()) at = first;
  const int digit = number[at] - '0';
  int changed = digit;
  // Of the second digit two at least: the figures that a product is made of are rounded, too.
  while (changed == digit || (at == first && changed == 0) || (at != first && std::abs(changed - digit) < 2))
    changed = draws.whole(0, 9);
  other[at] = static_cast<char>('0' + changed);
  return other;
}

struct Sum {
  std::string left, before, number, behind;  ///< "8 × $2 × 10 h", "$", "160.00", ""

  std::string text(const std::string& said) const { return left + " = " + before + said + behind + "\n"; }
};

std::string money_text(double value) { return fixed_text(value, 2); }

Sum power_sum(Draws& draws) {
  const int watts = draws.whole(150, 1400), gpus = draws.of<int>({2, 4, 8, 16}), hours = draws.whole(3, 90);
  const std::string x = draws.of<std::string>({" x ", " \xC3\x97 ", " * "});
  const double kwh = watts / 1000.0 * gpus * hours;
  const std::string power = draws.whole(0, 1) == 1 ? std::to_string(watts) + " W" : number_text(watts / 1000.0) + " kW";
  if (draws.whole(0, 2) == 0)
    return {std::to_string(gpus) + x + std::to_string(watts) + " W", "", shown_text(watts * gpus / 1000.0), " kW"};
  return {power + x + std::to_string(gpus) + (draws.whole(0, 1) == 1 ? " GPUs" : "") + x + std::to_string(hours) + " h",
          "", shown_text(kwh), " kWh"};
}

Sum weights_sum(Draws& draws) {
  const int bits = draws.of<int>({4, 8, 16, 32});
  const double billions = draws.whole(101, 899) / 10.0;
  const std::string width = draws.whole(0, 1) == 1 ? std::to_string(bits) + " bit" : number_text(bits / 8.0) + " bytes";
  return {width + " \xC3\x97 " + shown_text(billions, 1) + "B", "", shown_text(billions * bits / 8), " GB"};
}

Sum rent_sum(Draws& draws) {
  const int gpus = draws.of<int>({2, 4, 8}), hours = draws.whole(2, 300);
  const double price = draws.cents(1, 9);
  const std::string per = draws.of<std::string>({"", "/h", "/GPU-h"});
  return {std::to_string(gpus) + " \xC3\x97 $" + money_text(price) + per + " \xC3\x97 " + std::to_string(hours) + " h",
          "$", money_text(price * gpus * hours), ""};
}

Sum speed_sum(Draws& draws) {
  const int millions = draws.whole(100, 900), rate = draws.whole(20, 200) * 1000;
  const double seconds = millions * 1e6 / rate;
  const std::string joint = draws.of<std::string>({" / ", " at "});
  return {std::to_string(millions) + "M tokens" + joint + std::to_string(rate) + " tokens/s", "",
          shown_text(seconds / 60), " min"};
}

Sum steps_sum(Draws& draws) {
  const int steps = draws.whole(1000, 9000);
  const double each = draws.whole(101, 990) / 100.0;
  return {std::to_string(steps) + " steps \xC3\x97 " + shown_text(each, 2) + " s", "", shown_text(steps * each / 3600),
          " h"};
}

Sum copy_sum(Draws& draws) {
  const int size = draws.whole(100, 900), rate = draws.whole(100, 900);
  return {std::to_string(size) + " GB / " + std::to_string(rate) + " MB/s", "", shown_text(size * 1e3 / rate / 60),
          " min"};
}

Sum percent_sum(Draws& draws) {
  const int percent = draws.whole(4, 60);
  const double base = draws.cents(100, 2000);
  const bool more = draws.whole(0, 1) == 1;
  const double right = base * (more ? 1 + percent / 100.0 : 1 - percent / 100.0);
  const std::string sign = more ? " + " : draws.of<std::string>({" - ", " \xE2\x88\x92 "});
  return {
      "$" + money_text(base) + sign + std::to_string(percent) + "%" + draws.of<std::string>({"", " VAT", " buffer"}),
      "$", money_text(right), ""};
}

Sum share_sum(Draws& draws) {
  const int percent = draws.whole(4, 60);
  const double base = draws.cents(100, 2000);
  const bool off = draws.whole(0, 1) == 1;
  return {std::to_string(percent) + "% " + (off ? "off" : "of") + " $" + money_text(base), "$",
          money_text(base * (off ? 1 - percent / 100.0 : percent / 100.0)), ""};
}

Sum hours_percent_sum(Draws& draws) {
  const int hours = draws.whole(20, 400), percent = draws.whole(5, 50);
  return {std::to_string(hours) + " h + " + std::to_string(percent) + "%", "",
          shown_text(hours * (1 + percent / 100.0)), " h"};
}

Sum percents_sum(Draws& draws) {
  const int a = draws.whole(5, 40), b = draws.whole(5, 40);
  const double base = draws.cents(100, 2000);
  return {"$" + money_text(base) + " + " + std::to_string(a) + "% - " + std::to_string(b) + "%", "$",
          money_text(base * (1 + a / 100.0) * (1 - b / 100.0)), ""};
}

Sum energy_price_sum(Draws& draws) {
  const double kilowatts = draws.whole(11, 99) / 10.0, price = draws.whole(101, 600) / 1000.0;
  const int hours = draws.whole(20, 200);
  return {shown_text(kilowatts, 1) + " kW \xC3\x97 " + std::to_string(hours) + " h \xC3\x97 $" + fixed_text(price, 3),
          "$", money_text(kilowatts * hours * price), ""};
}

Sum days_sum(Draws& draws) {
  const int days = draws.whole(11, 60);
  return {std::to_string(days) + " days", "", std::to_string(days * 24), " h"};
}

const std::vector<std::pair<const char*, std::function<Sum(Draws&)>>>& kinds_of_sums() {
  static const std::vector<std::pair<const char*, std::function<Sum(Draws&)>>> kinds{
      {"power", power_sum},       {"weights", weights_sum},     {"rent", rent_sum},
      {"speed", speed_sum},       {"steps", steps_sum},         {"copy", copy_sum},
      {"percent", percent_sum},   {"share", share_sum},         {"hours and percent", hours_percent_sum},
      {"percents", percents_sum}, {"energy", energy_price_sum}, {"days", days_sum},
  };
  return kinds;
}

constexpr int kOfEach = 60;

TEST(AuditLaws, RightSumsAreNeverAccused) {
  for (const auto& [name, kind] : kinds_of_sums()) {
    Draws draws(7);
    for (int i = 0; i < kOfEach; ++i) {
      const Sum sum = kind(draws);
      EXPECT_EQ(wrong_in(sum.text(sum.number)), 0U) << name << ": " << sum.text(sum.number);
    }
  }
}

TEST(AuditLaws, OneChangedDigitIsFound) {
  for (const auto& [name, kind] : kinds_of_sums()) {
    Draws draws(11);
    for (int i = 0; i < kOfEach; ++i) {
      const Sum sum = kind(draws);
      std::string other = other_digit(sum.number, draws);
      // A working day has eight hours.
      while (sum.left.ends_with(" days") && 3 * std::stoi(other) == std::stoi(sum.number))
        other = other_digit(sum.number, draws);
      EXPECT_EQ(wrong_in(sum.text(other)), 1U) << name << ": " << sum.text(other) << "right: " << sum.number;
    }
  }
}

// A unit that is not known, or a sum of which only a part can be read, is no reason to accuse anybody.
TEST(AuditLaws, WhatUnitIsNotKnownIsLeftAlone) {
  Draws draws(3);
  for (int i = 0; i < kOfEach; ++i) {
    const std::string a = std::to_string(draws.whole(2, 99)), b = std::to_string(draws.whole(2, 99)),
                      c = std::to_string(draws.whole(2, 9999));
    for (const std::string& text :
         {a + " PFLOP/s \xC3\x97 " + b + " h = " + c + " EFLOP", a + " months \xC3\x97 $" + b + " = $" + c,
          "$" + a + "/M tokens \xC3\x97 " + b + "M tokens = $" + c,
          "(" + a + " + 2) \xC3\x97 " + b + " \xC3\x97 3 h = " + c + " h",
          "N \xC3\x97 " + a + " \xC3\x97 " + b + " = " + c, a + " GHz \xC3\x97 " + b + " \xC3\x97 2 = " + c,
          a + " \xC3\x97 " + b + "e12 FLOPs \xC3\x97 2 = " + c + " s",
          a + " GB/day \xC3\x97 " + b + " h = " + c + " GB"})
      EXPECT_EQ(wrong_in(text + "\n"), 0U) << text;
  }
}

/// Rows of a table with prices of GPU-hours, whole hours and costs; one of the costs may be another.
struct Quote {
  struct Row {
    std::string gpu;
    int gpus = 0, hours = 0;
    double price = 0, cost = 0;
    std::string said;  ///< the cost as it is told
  };
  std::vector<Row> rows;

  explicit Quote(Draws& draws) {
    for (const char* gpu : {"H100 SXM", "A100 SXM 80GB", "L40S", "H200"}) {
      Row row{gpu, draws.of<int>({2, 4, 8}), draws.whole(3, 90), draws.cents(1, 6), 0, ""};
      row.cost = row.price * row.gpus * row.hours;
      row.said = money_text(row.cost);
      rows.push_back(row);
    }
  }
  std::string markdown(const std::string& head, const std::string& sign) const {
    std::string text = "| GPU | GPUs | " + head + " | Hours | Total |\n|---|---|---|---|---|\n";
    for (const Row& row : rows)
      text += "| " + row.gpu + " | " + std::to_string(row.gpus) + " | " + sign + money_text(row.price) + " | " +
              std::to_string(row.hours) + " | " + sign + row.said + " |\n";
    return text;
  }
  std::string csv(const std::string& head) const {
    std::string text = "gpu,gpus," + head + ",hours,total\n";
    for (const Row& row : rows)
      text += row.gpu + "," + std::to_string(row.gpus) + "," + money_text(row.price) + "," + std::to_string(row.hours) +
              "," + row.said + "\n";
    return text;
  }
};

TEST(AuditLaws, PricesOfGpuHoursInHeadsOfEveryKind) {
  Draws draws(5);
  for (const char* head : {"Price per GPU-hour", "Price per GPU hour", "$/GPU-h", "$/GPU/hr", "Cost per GPU-hour",
                           "price_per_gpu_hour", "Hourly price per GPU", "Rate ($/GPU-hour)"})
    for (const char* sign : {"$", "\xE2\x82\xAC"}) {
      Quote quote(draws);
      EXPECT_EQ(wrong_in(quote.markdown(head, sign)), 0U) << quote.markdown(head, sign);
      EXPECT_EQ(wrong_in(quote.csv(head), ClaimsForm::kCsv), 0U) << quote.csv(head);
      Quote::Row& row = quote.rows[static_cast<std::size_t>(draws.whole(0, 3))];
      row.said = other_digit(row.said, draws);
      const auto wrong = findings_of(quote.markdown(head, sign), FindingKind::kWrong);
      ASSERT_EQ(wrong.size(), 1U) << quote.markdown(head, sign);
      // In the currency of the document, with all digits.
      EXPECT_TRUE(wrong.front().right.starts_with(sign)) << wrong.front().right;
      EXPECT_EQ(wrong_in(quote.csv(head), ClaimsForm::kCsv), 1U) << quote.csv(head);
    }
}

TEST(AuditLaws, WrongTotalsDominateNothing) {
  Draws draws(9);
  for (int i = 0; i < kOfEach; ++i) {
    Quote quote(draws);
    Quote::Row& row = quote.rows[static_cast<std::size_t>(draws.whole(0, 3))];
    row.said = other_digit(row.said, draws);
    const std::string text = quote.markdown("$/GPU-h", "$");
    for (const Finding& finding : findings_of(text, FindingKind::kDominated)) {
      const Quote::Row& worse = quote.rows[static_cast<std::size_t>(finding.line - 3)];
      EXPECT_TRUE(std::ranges::any_of(quote.rows,
                                      [&](const Quote::Row& other) {
                                        return &other != &worse && other.cost <= worse.cost + 0.005 &&
                                               other.hours <= worse.hours;
                                      }))
          << finding.line << "\n"
          << text;
    }
  }
}

// Hours that are roundings have totals that the shown ones do not give.
TEST(AuditLaws, TotalsOfRoundedHoursAreRight) {
  Draws draws(13);
  for (int i = 0; i < kOfEach; ++i) {
    std::string text = "| GPU | GPUs | $/GPU-h | Hours | GPU-hours | Total |\n|---|---|---|---|---|---|\n";
    for (const char* gpu : {"H100 SXM", "A100 SXM 80GB", "L40S", "H200"}) {
      const int gpus = draws.of<int>({2, 4, 8});
      const double hours = draws.whole(3001, 90999) / 1000.0, price = draws.cents(1, 6);
      text += std::string("| ") + gpu + " | " + std::to_string(gpus) + " | $" + money_text(price) + " | " +
              fixed_text(hours, 0) + " | " + fixed_text(hours * gpus, 0) + " | $" + money_text(price * gpus * hours) +
              " |\n";
    }
    EXPECT_EQ(wrong_in(text), 0U) << text;
  }
}

TEST(AuditLaws, CardsHaveTheirMemoryAndBandwidth) {
  for (const Gpu& gpu : known_facts().gpus) {
    const std::string memory = number_text(std::round(gpu.memory / units::GiB)),
                      speed = number_text(std::round(gpu.bandwidth.value / 1e9));
    EXPECT_EQ(wrong_in("The " + gpu.name + " has " + memory + " GB.\n"), 0U) << gpu.name;
    EXPECT_EQ(wrong_in("- " + gpu.name + " (" + memory + " GB)\n"), 0U) << gpu.name;
    EXPECT_EQ(wrong_in("- " + gpu.name + " has " + speed + " GB/s of memory bandwidth\n"), 0U) << gpu.name;
  }
  for (const char* text : {"The RTX 4090 has 32 GB.", "RTX 4090 (16 GB)", "H100 (64 GB), for all phases",
                           "The A100 SXM 80GB has 1,555 GB/s.", "Bandwidth: H200 4.8 TB/s, H100 SXM 2.0 TB/s"})
    EXPECT_EQ(wrong_in(std::string(text) + "\n"), 1U) << text;
  for (const char* text : {"H100 (13 GB of weights)", "RTX 4090 (16 GB used)", "batch 8 fits an RTX 4090 (16 GB)",
                           "H100 has 900 GB/s of NVLink", "H100 has 64 GB free", "H100 reaches 2.0 TB/s"})
    EXPECT_EQ(wrong_in(std::string(text) + "\n"), 0U) << text;
}

TEST(AuditLaws, NamesAreToldWhole) {
  for (const auto& [text, name] :
       {std::pair{"RTX 4090 32GB", "RTX 4090"}, {"RTX 3090 Ti 48GB", "RTX 3090 Ti"}, {"H100 40GB", "H100"}}) {
    const auto wrong = findings_of(std::string(text) + " is used\n", FindingKind::kWrong);
    ASSERT_EQ(wrong.size(), 1U) << text;
    EXPECT_TRUE(wrong.front().how.starts_with("no " + std::string(name) + " with ")) << wrong.front().how;
  }
}

TEST(AuditLaws, CachesByModel) {
  int models = 0;
  for (const ModelShape& model : known_facts().models) {
    if (model.kind != ModelKind::kDecoder || model.mla() || model.window > 0 || model.heads_guessed ||
        model.name.size() < 5 || model.name.contains(' '))
      continue;
    ++models;
    const double kib = 2.0 * model.layers * model.kv_heads * model.head_dim * 2 / 1024;
    const std::string text = "KV cache of " + model.name + ": ";
    EXPECT_EQ(wrong_in(text + number_text(kib) + " KiB per token\n"), 0U) << text;
    EXPECT_EQ(wrong_in(text + number_text(kib / 2) + " KiB per token in fp8\n"), 0U) << text;
    EXPECT_EQ(wrong_in(text + number_text(kib * 2) + " KiB per token\n"), 1U) << text;
  }
  EXPECT_GT(models, 20);
}

TEST(AuditLaws, ComparisonsOfRowsByName) {
  Draws draws(17);
  for (int i = 0; i < kOfEach; ++i) {
    const int dear = draws.whole(300, 900), percent = draws.whole(5, 80);
    const double cheap = dear * (1 - percent / 100.0);
    const std::string table = "| Vendor | GPU | Hours | Total |\n|---|---|---|---|\n| lambda | 8x H100 SXM | 24 h | $" +
                              money_text(cheap) + " |\n| aws | 8x H100 SXM | 24 h | $" + std::to_string(dear) +
                              ".00 |\n\n";
    const auto says = [&](const std::string& a, int share, const std::string& b) {
      return wrong_in(table + a + " is " + std::to_string(share) + "% cheaper than " + b + ".\n");
    };
    EXPECT_EQ(says("Lambda", percent, "aws"), 0U) << table << percent;
    EXPECT_EQ(says("Lambda", percent + 7, "aws"), 1U) << table << percent;
    EXPECT_EQ(says("AWS", percent, "lambda"), 1U) << table << percent;
    EXPECT_EQ(says("Azure", percent, "lambda"), 0U) << table << percent;
  }
}

}  // namespace
}  // namespace gpuplan
