// Bills, invoices and quotes: right ones are accused of nothing, and of wrong ones the wrong number is told.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/questions/facts.h"
#include "evidence/audit/audit.h"
#include "input/claims/claims_file.h"

namespace gpuplan {
namespace {

std::vector<Finding> findings(const std::string& text, ClaimsForm form) {
  static const Catalogue catalogue = *api::read_facts();
  const auto document = read_claims(text, form, "bill", catalogue);
  EXPECT_TRUE(document) << text;
  return document ? audit_claims(*document, catalogue).findings : std::vector<Finding>{};
}

/// A document that is right, and what follows in it from its other numbers.
struct Right {
  std::string text;
  std::vector<std::string> follow;  ///< each once in the text
  ClaimsForm form = ClaimsForm::kMarkdown;
};

/// The number with another first digit, as a slip makes it.
std::string slipped(const std::string& number, int by) {
  std::string other = number;
  const std::size_t at = other.find_first_of("123456789");
  other[at] = static_cast<char>('1' + (other[at] - '1' + by) % 9);
  return other;
}

/// Every right document has no finding at all, and each slip one that tells it: in its line, or where it is added up.
void expect_told(const Right& right) {
  for (const Finding& one : findings(right.text, right.form))
    ADD_FAILURE() << one.line << ": " << one.said << " -> " << one.right << " (" << one.how << ")\n" << right.text;
  for (const std::string& number : right.follow) {
    const std::size_t at = right.text.find(number);
    ASSERT_NE(at, std::string::npos) << number << "\n" << right.text;
    for (const int by : {1, 3}) {
      std::string wrong = right.text;
      wrong.replace(at, number.size(), slipped(number, by));
      bool told = false;
      for (const Finding& one : findings(wrong, right.form)) told = told || one.kind == FindingKind::kWrong;
      EXPECT_TRUE(told) << number << " -> " << slipped(number, by) << "\n" << wrong;
    }
  }
}

const std::string kInvoice =
    "# Invoice 114\n\n"
    "| Item | Qty | Unit price | Amount |\n|---|---:|---:|---:|\n"
    "| GPU-hours H100 | 100 | $2.50 | $250.00 |\n| Storage, TB-months | 2 | $20.00 | $40.00 |\n"
    "| Support | 3 | $15.00 | $45.00 |\n| Subtotal | | | $335.00 |\n";

TEST(AuditBills, DiscountsBeforeTaxes) {
  const std::string end = "| VAT 20% | | | $60.30 |\n| Total due | | | $361.80 |\n";
  // Told with its sign, by its name alone, in brackets, or with what it leaves.
  for (const char* discount : {"| Discount 10% | | | -$33.50 |\n", "| Discount 10% | | | \xE2\x88\x92$33.50 |\n",
                               "| Discount (10%) | | | $33.50 |\n", "| Discount | | | ($33.50) |\n",
                               "| Discount 10% | | | -$33.50 |\n| After discount | | | $301.50 |\n",
                               "| Discount 10% | | | -$33.50 |\n| Net | | | $301.50 |\n"})
    expect_told({kInvoice + discount + end, {"$250.00", "$45.00", "$335.00", "$60.30", "$361.80"}});
}

TEST(AuditBills, OfOtherLanguages) {
  expect_told(
      {"Position;Beschreibung;Menge;Einheit;Einzelpreis;Gesamt\n"
       "1;8x H100 SXM Knoten;120;h;22,50 \xE2\x82\xAC;2.700,00 \xE2\x82\xAC\n"
       "2;Speicher 10 TB;1;Monat;210,00 \xE2\x82\xAC;210,00 \xE2\x82\xAC\n"
       "3;Einrichtung;4;h;95,00 \xE2\x82\xAC;380,00 \xE2\x82\xAC\n"
       ";Zwischensumme;;;;3.290,00 \xE2\x82\xAC\n"
       ";Rabatt 5 %;;;;-164,50 \xE2\x82\xAC\n"
       ";Netto;;;;3.125,50 \xE2\x82\xAC\n"
       ";MwSt. 19 %;;;;593,85 \xE2\x82\xAC\n"
       ";Gesamtbetrag;;;;3.719,35 \xE2\x82\xAC\n",
       {"2.700,00", "3.290,00", "3.125,50", "593,85", "3.719,35"},
       ClaimsForm::kCsv});
  // In the currency of the document.
  const auto wrong = findings(
      "Item;Amount\nH100;100,00 \xE2\x82\xAC\nL4;50,00 \xE2\x82\xAC\nTotal;170,00 \xE2\x82\xAC\n", ClaimsForm::kCsv);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_TRUE(wrong.front().right.starts_with("\xE2\x82\xAC")) << wrong.front().right;
}

TEST(AuditBills, TaxesLineByLine) {
  expect_told(
      {"sku,description,gpus,hours,price_per_gpu_hour,currency,amount,tax_rate,tax,total\n"
       "A1,H100 SXM on demand,8,100,2.50,USD,2000.00,0.2,400.00,2400.00\n"
       "A2,L40S on demand,4,50,1.10,USD,220.00,0.2,44.00,264.00\n"
       "A3,Egress 2 TB,,,,USD,100.00,0.2,20.00,120.00\n",
       {"2000.00", "220.00", "400.00", "44.00", "264.00", "2400.00"},
       ClaimsForm::kCsv});
  expect_told(
      {"| Item | Net | VAT 20% | Gross |\n|---|---|---|---|\n| Compute | $1,000.00 | $200.00 | $1,200.00 |\n"
       "| Storage | $55.00 | $11.00 | $66.00 |\n| Network | $12.50 | $2.50 | $15.00 |\n"
       "| Total | $1,067.50 | $213.50 | $1,281.00 |\n",
       {"$11.00", "$200.00", "$2.50", "$66.00", "$1,200.00", "$15.00", "$1,281.00"}});
  expect_told(
      {"| Item | Amount | VAT % | Total |\n|---|---|---|---|\n| Compute | $1,000.00 | 20 | $1,200.00 |\n"
       "| Books | $55.00 | 10 | $60.50 |\n| Network | $12.50 | 20 | $15.00 |\n",
       {"$60.50", "$1,200.00", "$15.00"}});
}

TEST(AuditBills, DiscountsLineByLine) {
  for (const char* head : {"Unit price", "Unit price / month", "Price per unit", "Price"})
    expect_told({"| Line | Qty | " + std::string(head) +
                     " | Discount | Line total |\n|---|---:|---:|---:|---:|\n"
                     "| RTX 6000 Ada server | 3 | $1,200.00 | 10% | $3,240.00 |\n"
                     "| Storage 5 TB | 5 | $20.00 | 0% | $100.00 |\n"
                     "| Support | 1 | $250.00 | 0% | $250.00 |\n| Subtotal | | | | $3,590.00 |\n"
                     "| VAT 21% | | | | $753.90 |\n| Total due | | | | $4,343.90 |\n",
                 {"$3,240.00", "$100.00", "$3,590.00", "$753.90", "$4,343.90"}});
  expect_told(
      {"item,qty,unit_price,discount_pct,net,vat_rate,vat,gross\n"
       "A100 hours,300,1.80,10,486.00,20,97.20,583.20\nL4 hours,120,0.70,0,84.00,20,16.80,100.80\n"
       "Support,1,150.00,0,150.00,20,30.00,180.00\n",
       {"486.00", "84.00", "97.20", "583.20"},
       ClaimsForm::kCsv});
  expect_told(
      {"| Item | Qty | Unit price | Rebate | Total |\n|---|---|---|---|---|\n| H100 h | 100 | $2.50 | $20.00 | $230.00 "
       "|\n"
       "| L4 h | 50 | $0.80 | $0.00 | $40.00 |\n| L40S h | 10 | $1.20 | $2.00 | $10.00 |\n\nInvoice.\n",
       {"$230.00", "$40.00", "$10.00"}});
  // A discount beside hours: the cost is after it, or before it.
  expect_told(
      {"Set-up and buffer are in.\n\n| Task | GPUs | Hours | $/GPU-h | Discount | Cost |\n|---|---|---|---|---|---|\n"
       "| train | 8 | 100 | $2.50 | 10% | $1,800.00 |\n| eval | 4 | 50 | $1.10 | 0% | $220.00 |\n",
       {"$1,800.00", "$220.00"}});
}

TEST(AuditBills, WhatIsSpentSoFar) {
  for (const char* head : {"Cumulative", "Cumulative cost", "Running total", "Spent so far"})
    expect_told({"Set-up and buffer are in.\n\n| Month | GPU-hours | Rate | Cost | " + std::string(head) +
                     " |\n|---|---:|---:|---:|---:|\n| January | 1,200 | $2.49 | $2,988.00 | $2,988.00 |\n"
                     "| February | 900 | $2.49 | $2,241.00 | $5,229.00 |\n"
                     "| March | 1,500 | $2.29 | $3,435.00 | $8,664.00 |\n| Total | 3,600 | | $8,664.00 | |\n",
                 {"$5,229.00", "$2,241.00"}});
}

TEST(AuditBills, Nodes) {
  for (const char* head : {"$/node-h", "Price per node-hour", "$ per node hour", "Rate ($/node/h)"})
    for (const char* gpus : {"| ", "| GPUs | "}) {
      const bool counted = std::string_view(gpus).size() > 2;
      const auto cell = [&](const char* text) { return counted ? std::string(text) + " | " : std::string(); };
      expect_told({"Set-up and buffer are in.\n\n| Item | Nodes " + std::string(gpus) + "Hours | " + head +
                       " | Cost |\n|---|---|" + (counted ? "---|" : "") + "---|---|---|\n| Smoke test | 1 | " +
                       cell("8") + "2 | 24.00 | $48.00 |\n| Main run | 4 | " + cell("32") +
                       "36 h | 24.00 | $3,456.00 |\n| Eval | 1 | " + cell("8") + "5 | 24.00 | $120.00 |\n",
                   {"$48.00", "$3,456.00", "$120.00"}});
    }
  expect_told(
      {"Set-up and buffer are in.\n\n| Phase | Nodes | GPUs/node | Hours | $/GPU-h | Cost "
       "|\n|---|---|---|---|---|---|\n"
       "| Pretrain | 4 | 8 | 100 | $2.00 | $6,400 |\n| SFT | 1 | 8 | 10 | $2.00 | $160 |\n",
       {"$6,400", "$160"}});
  // How many nodes these GPUs are is said elsewhere, or nowhere.
  expect_told(
      {"One node has 8 GPUs. Set-up and buffer are in.\n\n| Item | GPUs | Hours | $/node-h | Cost "
       "|\n|---|---|---|---|---|\n"
       "| Main run | 32 | 36 | 24.00 | $3,456.00 |\n| Eval | 8 | 5 | 24.00 | $120.00 |\n",
       {}});
}

TEST(AuditBills, PricesOfMonths) {
  for (const char* price : {"$1,200.00", "1,200 USD", "$1200"})
    for (const char* head : {"Price per month", "Unit price / month", "$/month", "Monthly rate", "Price/month"})
      expect_told({"| Server | " + std::string(head) + " |\n|---|---|\n| 1x RTX 6000 Ada | " + price + " |\n", {}});
  for (const char* line : {"H100 price: $1,500 per month", "1x H100: $1,500 a month", "Price of an H100: $1,500/month",
                           "H100 SXM price: $14,000 per year"})
    expect_told({std::string("- ") + line + "\n", {}});
  expect_told(
      {"| GPU | Unit price | Qty | Total |\n|---|---|---|---|\n| H100 PCIe | $28,000 | 4 | $112,000 |\n"
       "| L40S | $8,000 | 8 | $64,000 |\n",
       {"$112,000", "$64,000"}});
  // What is far from it is told as before, as the month's price.
  const auto far =
      findings("| Server | Price per month |\n|---|---|\n| 1x RTX 6000 Ada | $9,900 |\n", ClaimsForm::kMarkdown);
  ASSERT_EQ(far.size(), 1U);
  EXPECT_EQ(far.front().kind, FindingKind::kUnlikely);
}

TEST(AuditBills, ListsWithSumsOnTheWay) {
  expect_told(
      {"- List: 16 GPUs x 730 h x $2.10 = $24,528.00\n- Three months: 3 x $24,528.00 = $73,584.00\n"
       "- Grand total: $73,584.00\n",
       {}});
  expect_told(
      {"- Month of 730 h: 16 GPUs x 730 h x $2.10 = $24,528.00\n"
       "- 12% discount for 3 months: $24,528.00 - 12% = $21,584.64\n"
       "- Three months: 3 x $21,584.64 = $64,753.92\n- VAT 20%: $12,950.78\n- Grand total: $77,704.70\n",
       {"$77,704.70", "$64,753.92"}});
  expect_told({"- Per node: 24 h x $20.00 = $480.00\n- 4 nodes: $1,920.00\n- Storage: $80.00\n- Total: $2,000.00\n",
               {"$2,000.00"}});
  expect_told(
      {"- Compute: $1,000.00\n- Storage: $100.00\n- Subtotal: $1,100.00\n- Discount (10%): -$110.00\n"
       "- VAT 20%: $198.00\n- Total: $1,188.00\n",
       {"$1,188.00", "$1,100.00"}});
  // What was added up is told as it is written.
  const auto wrong = findings("- Train: 5 h\n- Setup: +2 h\n- Total: 9 h\n", ClaimsForm::kMarkdown);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong.front().how, "5 h + 2 h");
}

// What was rented is billed: neither set-up nor a buffer is missing. Plans without them are told so as before.
TEST(AuditBills, BillsNeedNoBuffer) {
  const std::string rows = "| train | 8 | 100 | $2.50 | $2,000.00 |\n| eval | 8 | 10 | $2.50 | $200.00 |\n";
  const std::string table = "| Task | GPUs | Hours | $/GPU-h | Cost |\n|---|---|---|---|---|\n" + rows;
  EXPECT_EQ(findings("# Plan\n\n" + table, ClaimsForm::kMarkdown).size(), 2U);
  for (const char* head : {"# Invoice\n\n", "# Rechnung Nr. 7\n\n", "# Usage\n\n- Amount due: $2,200.00\n\n",
                           "# June\n\n- Billing period: June\n\n"})
    EXPECT_EQ(findings(head + table, ClaimsForm::kMarkdown).size(), 0U) << head;
  EXPECT_EQ(findings(table + "| VAT 20% | | | | $440.00 |\n", ClaimsForm::kMarkdown).size(), 0U);
  // A table without a word beside it is no plan.
  EXPECT_EQ(findings(table, ClaimsForm::kMarkdown).size(), 0U);
  // Prose may speak of an invoice to come.
  EXPECT_EQ(findings("We pay by invoice.\n\n" + table, ClaimsForm::kMarkdown).size(), 2U);
}

}  // namespace
}  // namespace gpuplan
