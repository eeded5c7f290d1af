// What most rows of a table bear out, in any language, and sums in sentences of several languages.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

constexpr int kTables = 60;

int drawn(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

/// Rows of four numbers under heads that no program knows: the third is the product of the first two, the last that by
/// twelve.
struct Unknown {
  std::vector<std::array<double, 4>> rows;

  explicit Unknown(Random& random) {
    const int count = drawn(random, 5, 9);
    for (int i = 0; i < count; ++i) {
      const double a = drawn(random, 2, 97), b = drawn(random, 101, 9899) / 100.0;
      rows.push_back({a, b, std::round(a * b * 100) / 100, std::round(a * b * 1200) / 100});
    }
  }

  std::string text(bool csv) const {
    std::string all = csv ? "Plan fuer das Vorhaben;;;;\nZeile;Anz.;Satz;Ergebnis;Ganzes\n"
                          : "| Zeile | Anz. | Satz | Ergebnis | Ganzes |\n|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string sign = csv ? ";" : " | ";
      all += (csv ? "" : "| ") + std::string("Posten ") + static_cast<char>('A' + i);
      all += sign + fixed_text(rows[i][0], 0);
      for (std::size_t column = 1; column < rows[i].size(); ++column) all += sign + fixed_text(rows[i][column], 2);
      all += csv ? "\n" : " |\n";
    }
    return all;
  }
};

TEST(AuditRelations, RightTablesAreNotAccused) {
  Random random(11);
  for (int i = 0; i < kTables; ++i) {
    const Unknown table(random);
    for (const bool csv : {false, true})
      EXPECT_EQ(said_of(table.text(csv), csv ? ClaimsForm::kCsv : ClaimsForm::kMarkdown), "") << table.text(csv);
  }
}

TEST(AuditRelations, ACellThatBreaksThemIsTheOneThatIsTold) {
  Random random(12);
  for (int i = 0; i < kTables; ++i) {
    Unknown table(random);
    auto& row = table.rows[random.below(table.rows.size())];
    const std::size_t column = 2 + random.below(2);
    const double right = row[column];
    row[column] = std::round(right * (drawn(random, 0, 1) == 0 ? 85 : 127)) / 100;
    for (const bool csv : {false, true})
      EXPECT_EQ(said_of(table.text(csv), csv ? ClaimsForm::kCsv : ClaimsForm::kMarkdown),
                fixed_text(row[column], 2) + " -> " + fixed_text(right, 2) + "; ")
          << table.text(csv);
  }
}

TEST(AuditRelations, ColumnsWithoutARelationAreNotAccused) {
  Random random(13);
  for (int i = 0; i < 4 * kTables; ++i) {
    std::string text = "| Zeile | P | Q | R | S |\n|---|---|---|---|---|\n";
    const int rows = drawn(random, 4, 12);
    for (int row = 0; row < rows; ++row) {
      text += "| Posten " + std::string(1, static_cast<char>('A' + row));
      for (int column = 0; column < 4; ++column)
        text +=
            " | " + (column < 2 ? std::to_string(drawn(random, 1, 64)) : fixed_text(drawn(random, 1, 999) / 10.0, 1));
      text += " |\n";
    }
    EXPECT_EQ(said_of(text), "") << text;
  }
}

/// What a row says beside its numbers may be why it breaks them.
TEST(AuditRelations, ExceptionsThatAreToldAreNone) {
  const std::string heads = "| Posten | Anz. | Satz | Ergebnis | Bemerkung |\n|---|---|---|---|---|\n";
  const std::string good =
      "| A | 3 | 21.50 | 64.50 | |\n| B | 7 | 11.90 | 83.30 | |\n| C | 13 | 9.10 | 118.30 | |\n"
      "| D | 4 | 17.70 | 70.80 | |\n";
  EXPECT_EQ(said_of(heads + good + "| E | 5 | 13.30 | 53.20 | 20% Rabatt |\n"), "");
  EXPECT_EQ(said_of(heads + good + "| E | 5 | 13.30 | 0.00 | free |\n"), "");
  EXPECT_EQ(said_of(heads + good + "| E | 5 | 13.30 | 65.60 | |\n"), "65.60 -> 66.50; ");
}

TEST(AuditRelations, TwoWrongRowsAreBothFound) {
  const std::string text =
      "| Posten | Anz. | Satz | Ergebnis | mal 12 |\n|---|---|---|---|---|\n| A | 3 | 21.50 | 64.50 | 774.00 |\n"
      "| B | 7 | 11.90 | 83.30 | 999.60 |\n| C | 13 | 9.10 | 181.30 | 1419.60 |\n| D | 4 | 17.70 | 70.80 | 849.60 |\n"
      "| E | 6 | 15.20 | 91.20 | 1049.40 |\n| F | 9 | 14.40 | 129.60 | 1555.20 |\n| G | 11 | 8.70 | 95.70 | 1148.40 "
      "|\n";
  EXPECT_EQ(said_of(text), "181.30 -> 118.30; 1049.40 -> 1094.40; ");
}

TEST(AuditSentencesOfLanguages, RightOnesAreNotAccused) {
  for (const char* text :
       {"Das sind 3.182 GPU-Stunden, bei 1,85 \xE2\x82\xAC je GPU-Stunde also 5.887 \xE2\x82\xAC.",
        "Der Lauf (57,7 h) ben\xC3\xB6tigt bei 6,4 kW rund 369 kWh.",
        "60 Mrd. Token bei 152.000 Token/s dauern 109,6 h.",
        "La sortie est de 1,2 million \xC3\x97 4 Ko = 4,8 Go par jour.",
        "9 milliards de jetons \xC3\xA0 20 000 jetons/s prennent 125 h.", "1e21 FLOPs / 25 PFLOPS = 40,000 s",
        "989 TFLOPS \xC3\x97 40% = 396 TFLOPS",
        "The sweep costs $39.78. With a 25% buffer for restarts we ask for $49.73.",
        "At spot it would be $11,739, but we lose about 12% to restarts, so $13,148.",
        "That is 3,763 kWh; with cooling (PUE 1.25) 4,704 kWh.",
        "The grant covers $25,000 of $27,327, so $2,327 are missing.",
        "The waiting costs $2,667 and the move $1,883, a saving of $784 or 29%.",
        "20 to 40 h and 3 mo are no bytes, 5 go out.",
        "2,000 prompts of 400 tokens each are 800,000 tokens; at 2,500 tokens/s that takes 5.3 minutes."})
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
}

TEST(AuditSentencesOfLanguages, WrongOnesAreFound) {
  for (const auto& [text, said] : std::array<std::array<const char*, 2>, 9>{{
           {"Das sind 3.182 GPU-Stunden, bei 1,85 \xE2\x82\xAC je GPU-Stunde also 6.887 \xE2\x82\xAC.",
            "6.887 \xE2\x82\xAC -> \xE2\x82\xAC"
            "5,887; "},
           {"Der Lauf (57,7 h) ben\xC3\xB6tigt bei 6,4 kW rund 469 kWh.", "469 kWh -> 369.3 kWh; "},
           {"La sortie est de 1,2 million \xC3\x97 4 Ko = 48 Go par jour.",
            "1,2 million \xC3\x97 4 Ko = 48 Go -> 4.8 GB; "},
           {"989 TFLOPS \xC3\x97 40% = 496 TFLOPS", "989 TFLOPS \xC3\x97 40% = 496 TFLOPS -> 396 TFLOP/s; "},
           {"The sweep costs $39.78. With a 25% buffer for restarts we ask for $52.10.", "$52.10 -> $49.73; "},
           {"At spot it would be $11,739, but we lose about 12% to restarts, so $13,748.", "$13,748 -> $13,148; "},
           {"That is 3,763 kWh; with cooling (PUE 1.25) 5,270 kWh.", "5,270 kWh -> 4704 kWh; "},
           {"The grant covers $25,000 of $27,327, so $3,327 are missing.", "$3,327 -> $2,327; "},
           {"2,000 prompts of 400 tokens each are 800,000 tokens; at 2,500 tokens/s that takes 9 minutes.",
            "9 minutes -> 5.33 min; "},
       }})
    EXPECT_EQ(said_of(std::string(text) + "\n"), said) << text;
}

TEST(AuditMultiples, RightOnesAreNotAccused) {
  for (const char* text :
       {"One epoch costs $9.10. Two epochs: $18.20. Five seeds: $91.00.",
        "An iteration takes 119 minutes; for 30 iterations that is 59.5 hours.",
        "Das Modell braucht 12 GB, der Cache 7,9 GB, zusammen 19,9 GB.",
        "The weights are 16 GB, the optimizer 64 GB and the gradients 16 GB, together 96 GB.",
        "F\xC3\xBCr die Ausgabe braucht es 480.000 s oder 133 Stunden.", "It takes 6 h or 90 min with four of them.",
        "$100 a month or $1,000 a year", "Es kostet 249 \xE2\x82\xAC im Monat, 2.988 \xE2\x82\xAC im Jahr.",
        "A node at $20 and one at $30: for 10 hours that is $500.",
        "Two volumes of 100 GB and one of 50 GB, in all 250 GB.",
        "On demand is $31.92/h. Compared to that the reserved box ($21.60/h) is 32% cheaper."})
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
}

TEST(AuditMultiples, WrongOnesAreFound) {
  for (const auto& [text, said] : std::array<std::array<const char*, 2>, 5>{{
           {"One epoch costs $9.10. Two epochs: $18.20. Five seeds: $72.80.", "$72.80 -> $91.00; "},
           {"An iteration takes 119 minutes; for 30 iterations that is 71 hours.", "71 hours -> 59.5 h; "},
           {"Das Modell braucht 12 GB, der Cache 7,9 GB, zusammen 24 GB.", "24 GB -> 19.9 GB; "},
           {"The output takes 480,000 s or 233 hours.", "480,000 s = 233 hours -> 133 h; "},
           {"It costs $249 a month, $3,388 a year.", "$3,388 a year -> $2,988; "},
       }})
    EXPECT_EQ(said_of(std::string(text) + "\n"), said) << text;
}

TEST(AuditNamed, RowsAndItemsAreComparedByTheirNames) {
  const std::string table =
      "| | machine | s/step | hours | cost |\n|---|---|---|---|---|\n| A | 4x A100 | 2.9 | 0.91 h | $6.49 |\n"
      "| D | 8x RTX 4090 | 5.2 | 1.63 h | $4.42 |\n\n";
  EXPECT_EQ(said_of(table + "D needs 79% longer than A and is 32% cheaper than A.\n"), "");
  EXPECT_EQ(said_of(table + "D needs 45% longer than A.\n"), "45% longer -> 79.1%; ");
  const std::string list = "- H100: 13 286 \xE2\x82\xAC\n- L40S: 18 031 \xE2\x82\xAC\n\n";
  EXPECT_EQ(said_of(list + "La H100 revient 26 % moins cher que la L40S.\n"), "");
  EXPECT_EQ(said_of(list + "La H100 revient 36 % moins cher que la L40S.\n"), "36 % moins cher -> 26.3%; ");
}

TEST(AuditCards, AColumnThatTellsTheSizesOfMostCardsTellsThoseOfAll) {
  const auto table = [](const std::string& size) {
    return "| Carte | M\xC3\xA9moire |\n|---|---|\n| L40S | 48 Go |\n| A100 80GB | 80 Go |\n| H200 | 141 Go |\n| B200 "
           "| " +
           size + " |\n";
  };
  EXPECT_EQ(said_of(table("192 Go")), "");
  EXPECT_EQ(said_of(table("129 Go")), "129 Go -> 180 GB; ");
  // What each uses is another matter.
  EXPECT_EQ(said_of("| Karte | Bedarf |\n|---|---|\n| L40S | 31 GB |\n| H100 | 33 GB |\n| H200 | 39 GB |\n"), "");
}

}  // namespace
}  // namespace gpuplan
