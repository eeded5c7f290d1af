// Lists of one's own: gpuplan's columns, and what spreadsheets of many countries write.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "feed_fixture.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/feeds/formats/own_columns.h"
#include "input/feeds/formats/own_dates.h"

namespace gpuplan {
namespace {

TEST(OwnList, ReadsGpuplansOwnColumns) {
  const Feed snapshot = read_feed(
      "provider,region,instance,gpu,gpus,price[USD/h],spot_price[USD/h],vcpus,ram[GiB],availability,billing_minimum[s],"
      "billing_increment[s],source,as_of\n"
      "aws,us-east-1,p5.48xlarge,H100 SXM,8,55.04,20.5,192,2048,often short,60,1,a page,2026-10\n",
      terms_of("offers.csv"));
  ASSERT_EQ(told(snapshot), Strings{"8x H100 SXM $55.04 spot $20.5"});
  const Offer& offer = snapshot.offers[0];
  EXPECT_EQ(offer.source, "a page");
  EXPECT_EQ(offer.as_of, "2026-10");
  EXPECT_EQ(offer.ram, 2048 * units::GiB);
  EXPECT_EQ(offer.billing.minimum, 60 * units::second);
  EXPECT_EQ(offer.availability, "often short");

  const Feed own = read_feed(
      "gpu,gpus,price_per_hour,spot,interruptions,billing_minimum_minutes,label,currency,as_of\n"
      "RTX 4090,4,2.40,no,,10,mine,EUR,2026-11-01\n8x H100 SXM,,20,yes,5%/h,,,,\nT4,1,20-45,,10-15%,,,,\n",
      terms_of("mine.csv"));
  EXPECT_EQ(told(own), (Strings{"4x RTX 4090 $2.64", "8x H100 SXM spot $20", "1x T4 $32.5"}));
  EXPECT_EQ(own.offers[0].billing.minimum, 600 * units::second);
  EXPECT_EQ(own.offers[0].label, "mine");
  EXPECT_EQ(own.offers[0].provider, "mine");  // nothing else is said
  EXPECT_TRUE(own.offers[1].interruptions);
  EXPECT_TRUE(own.offers[2].band);
  EXPECT_EQ(own.corrections.count("a range of prices, taken at its middle"), 1u);
}

/// The price of 4x RTX 4090 under a header of these two columns.
std::string priced(const std::string& gpu_column, const std::string& price_column, const std::string& cell) {
  const Feed feed = read_feed(gpu_column + ";Qty;" + price_column + "\nRTX 4090;4;" + cell + "\n", terms_of("l.csv"));
  if (feed.kept != 1) return feed.rejections.empty() ? "no row" : feed.rejections.begin()->first;
  return told(feed.offers[0]).substr(std::string("4x RTX 4090 ").size());
}

TEST(OwnList, CurrenciesAreThoseThatCellsName) {
  const auto said = [](const std::string& cell) { return priced("GPU", "Price", cell); };
  EXPECT_EQ(said("US$2.4"), "$2.4");
  EXPECT_EQ(said("2.4 USD"), "$2.4");
  for (const char* cell : {"A$2.4", "AU$2.4", "C$2.4", "S$2.4", "R$2.4", "NZ$ 2.4", "2.4 AUD", "$2.4 CAD"})
    EXPECT_EQ(said(cell).substr(0, 1), "a") << cell << ": no rate is known";
  EXPECT_EQ(said("$2.4 EUR"), "a price in two currencies");
  EXPECT_EQ(priced("GPU", "Price (A$)", "2.4").substr(0, 1), "a");
  EXPECT_EQ(said("$0.6/GPU-hour"), "$2.4");
  EXPECT_EQ(said("0.6 $ per GPU-h"), "$2.4");
}

TEST(OwnList, SaysWhatToWriteOfCurrenciesWithoutARate) {
  const auto said = [](const std::string& cell) { return priced("GPU", "Price", cell); };
  const std::string yen = "a price in JPY or CNY (--rate JPY=DOLLARS or --rate CNY=DOLLARS, whichever it is)";
  for (const char* cell : {"\xC2\xA5"
                           "400",
                           "400 \xC2\xA5",
                           "\xEF\xBF\xA5"
                           "400"})
    EXPECT_EQ(said(cell), yen) << cell;
  EXPECT_EQ(said("300 kr"),
            "a price in SEK, NOK or DKK (--rate SEK=DOLLARS or --rate NOK=DOLLARS or --rate DKK=DOLLARS, "
            "whichever it is)");
  for (const char* cell : {"500 \xE2\x82\xBD", "500 \xD1\x80\xD1\x83\xD0\xB1.", "500 RUB", "500 rub"})
    EXPECT_EQ(said(cell), "a price in RUB (--rate RUB=DOLLARS)") << cell;
  EXPECT_EQ(said("90 z\xC5\x82"), "a price in PLN (--rate PLN=DOLLARS)");
  EXPECT_EQ(said("30 RMB"), "a price in CNY (--rate CNY=DOLLARS)");
  EXPECT_EQ(said("CN\xC2\xA5"
                 "30"),
            "a price in CNY (--rate CNY=DOLLARS)");
  // One rate, or a column, says which.
  FeedTerms terms = terms_of("l.csv");
  terms.rates = {{"CNY", 0.14}};
  const std::string list =
      "gpu,gpus,price,currency\nRTX 4090,4,\xC2\xA5"
      "20,\n";
  EXPECT_EQ(told(read_feed(list, terms)), Strings{"4x RTX 4090 $2.8"});
  terms.rates.push_back({"JPY", 0.007});
  EXPECT_EQ(read_feed(list, terms).rejections,
            (Reasons{{"a price in JPY or CNY (one rate alone, --rate JPY=DOLLARS or --rate CNY=DOLLARS, or a column "
                      "currency)",
                      1}}));
  EXPECT_EQ(told(read_feed("gpu,gpus,price,currency\nRTX 4090,4,\xC2\xA5"
                           "20,CNY\n",
                           terms)),
            Strings{"4x RTX 4090 $2.8"});
  EXPECT_EQ(told(read_feed("gpu,gpus,price,currency\nRTX 4090,4,400,\xC2\xA5\n", terms_of("l.csv"))), Strings{});
}

TEST(OwnList, ReadsFrenchAndSpanishHeads) {
  const Feed french = read_feed(
      "Fournisseur;R\xC3\xA9gion;Carte graphique;Nombre de GPU;M\xC3\xA9moire GPU (Go);Prix HT par heure "
      "(\xE2\x82\xAC);Date\n"
      "moi;Gravelines;RTX 4090;4;24;2,40;25 novembre 2026\n",
      terms_of("l.csv"));
  ASSERT_EQ(told(french), Strings{"4x RTX 4090 $2.64"});
  EXPECT_EQ(french.offers[0].provider, "moi");
  EXPECT_EQ(french.offers[0].region, "Gravelines");
  EXPECT_EQ(french.offers[0].as_of, "2026-11-25");
  const Feed windows = read_feed(
      "R\xE9gion;Carte;Quantit\xE9;Prix HT par heure (\x80)\n\xCEle-de-France;RTX 4090;4;2,40\n", terms_of("moi.csv"));
  ASSERT_EQ(told(windows), Strings{"4x RTX 4090 $2.64"}) << "as Excel saves it";
  EXPECT_EQ(windows.offers[0].region, "\xC3\x8Ele-de-France");
  const Feed spanish = read_feed(
      "Proveedor;Ubicaci\xC3\xB3n;Tarjeta;Cantidad;Precio por hora;Moneda;Fecha\nyo;Madrid;RTX 4090;4;1.002,40;USD;25 "
      "de noviembre de "
      "2026\n",
      terms_of("l.csv"));
  ASSERT_EQ(told(spanish), Strings{"4x RTX 4090 $1002.4"});
  EXPECT_EQ(spanish.offers[0].provider, "yo");
  EXPECT_EQ(spanish.offers[0].region, "Madrid");
  EXPECT_EQ(spanish.offers[0].as_of, "2026-11-25");
  for (const char* head : {"Prix/heure", "Prix \xC3\xA0 l'heure", "Tarif horaire", "Precio/hora", "Preis je Stunde",
                           "Co\xC3\xBBt par heure"})
    EXPECT_EQ(priced("GPU", head, "2,4"), "$2.4") << head;
  for (const char* head : {"Prix par GPU et heure", "Prix/carte/h", "Precio por GPU por hora"})
    EXPECT_EQ(priced("GPU", head, "0.6"), "$2.4") << head;
  for (const char* head : {"Prix mensuel", "Precio mensual", "Preis monatlich", "Prix par mois"})
    EXPECT_EQ(priced("GPU", head, "1752"), "$2.4") << head;
  for (const char* head : {"Prix stockage", "Prix r\xC3\xA9serv\xC3\xA9", "Precio reservado", "Precio almacenamiento"})
    EXPECT_TRUE(own_column(head).field == OwnField::kNone || own_column(head).field == OwnField::kKind) << head;
}

TEST(OwnList, PricesWithTaxAreTakenWithoutIt) {
  constexpr std::string_view kNoRate = "a price with tax, whose rate is not said";
  for (const char* head : {"Price excl. VAT", "Price (ex VAT)", "Prix HT", "Preis netto", "Preis zzgl. MwSt.",
                           "Precio sin IVA", "Price before tax", "Price/h plus VAT", "Prix hors taxes", "priceExclTax"})
    EXPECT_EQ(priced("GPU", head, "2.4"), "$2.4") << head;
  for (const char* head : {"Price incl. VAT", "Prix TTC", "Preis brutto", "Preis inkl. MwSt.", "Precio con IVA",
                           "Gross price", "price_incl_tax", "Preis (inkl. MwSt.)", "Prix toutes taxes comprises"})
    EXPECT_EQ(priced("GPU", head, "2.4").substr(0, kNoRate.size()), kNoRate) << head;
  for (const char* head : {"Price incl. 20% VAT", "Prix TTC (TVA 20 %)", "Preis inkl. 20% MwSt."})
    EXPECT_EQ(priced("GPU", head, "2.88"), "$2.4") << head;
  for (const char* cell : {"$2.88 incl. 20% VAT", "2,88 $ TTC (20 %)", "$2.40 excl. VAT", "2.40 HT", "$2.4 + VAT plus"})
    EXPECT_EQ(priced("GPU", "Price", cell), "$2.4") << cell;
  EXPECT_EQ(priced("GPU", "Price", "$2.88 incl. VAT").substr(0, kNoRate.size()), kNoRate);
  EXPECT_EQ(own_column("VAT").field, OwnField::kTaxRate) << "the tax is no price";
  EXPECT_EQ(own_column("VAT amount").field, OwnField::kNone);

  const auto of = [](const std::string& text) {
    const Feed feed = read_feed(text, terms_of("l.csv"));
    return feed.kept == 1 ? told(feed.offers[0]) : feed.rejections.empty() ? "no row" : feed.rejections.begin()->first;
  };
  EXPECT_EQ(of("gpu,gpus,price,VAT included,VAT rate\nRTX 4090,4,2.88,yes,20\n"), "4x RTX 4090 $2.4");
  EXPECT_EQ(of("gpu,gpus,price,VAT included,VAT %\nRTX 4090,4,2.4,no,20\n"), "4x RTX 4090 $2.4");
  EXPECT_EQ(of("gpu,gpus,Price incl. VAT,VAT\nRTX 4090,4,2.88,20%\n"), "4x RTX 4090 $2.4");
  EXPECT_EQ(of("gpu,gpus,Price incl. VAT,VAT\nRTX 4090,4,2.88,0.48\n").substr(0, kNoRate.size()), kNoRate)
      << "in money";
  EXPECT_EQ(of("gpu;gpus;Netto;Brutto\nRTX 4090;4;2,40;2,88\n"), "4x RTX 4090 $2.4");
  EXPECT_EQ(of("gpu;gpus;Brutto;Netto\nRTX 4090;4;2,88;2,40\n"), "4x RTX 4090 $2.4");
  EXPECT_EQ(of("All prices incl. 20% VAT\ngpu,gpus,price\nRTX 4090,4,2.88\n"), "4x RTX 4090 $2.4");
  EXPECT_EQ(of("Alle Preise inkl. MwSt.\ngpu;gpus;price\nRTX 4090;4;2,88\n").substr(0, kNoRate.size()), kNoRate);
  const Feed told_as = read_feed("gpu,gpus,Price incl. 20% VAT\nRTX 4090,4,2.88\n", terms_of("l.csv"));
  EXPECT_EQ(told_as.corrections.count("a price with tax, taken without it"), 1U);
}

TEST(OwnList, TitlesSayOfWhichDayThePricesAre) {
  const auto date = [](const std::string& title) { return read_title_date(title).text; };
  for (const char* title :
       {"Valid from 1 Dec 2026", "Stand: 01.12.2026", "GPU prices as of 2026-12-01", "Prices valid from Dec 1, 2026",
        "G\xC3\xBCltig ab 1. Dezember 2026", "Preisliste, Stand 1.12.2026 (netto)", "2026-12-01",
        "Tarifs valables \xC3\xA0 partir du 1 d\xC3\xA9"
        "cembre 2026",
        "V\xC3\xA1lido desde el 1 de diciembre de 2026", "Valid from 1 Dec 2026 until 31 Jan 2027",
        "Stand 01.11.2026, aktualisiert 01.12.2026", "GPU price list 2026-12-01", "Updated 2026-12-01T10:00:00Z"})
    EXPECT_EQ(date(title), "2026-12-01") << title;
  EXPECT_EQ(date("GPU prices December 2026"), "2026-12");
  for (const char* title : {"Valid until 31.12.2026", "Offer ends 1 Dec 2026", "Founded 01.12.2020",
                            "Call 0800 2026 12", "Rack 12, hall 3", "up to 8 GPUs", "Order no. 20261201", ""})
    EXPECT_EQ(date(title), "") << title;
  EXPECT_FALSE(read_title_date("Valid from 3/4/2026").problem.empty());

  const auto dates = [](const std::string& text) {
    const Feed feed = read_feed(text, terms_of("l.csv"));
    Strings all;
    for (const Offer& offer : feed.offers) all.push_back(offer.as_of);
    for (const auto& [reason, rows] : feed.rejections) all.push_back(reason);
    return all;
  };
  EXPECT_EQ(dates("Stand: 01.12.2026;;\n\ngpu;gpus;price\nT4;1;0,5\n"), Strings{"2026-12-01"});
  EXPECT_EQ(dates("Stand:;01.12.2026;\ngpu;gpus;price\nT4;1;0,5\n"), Strings{"2026-12-01"});
  EXPECT_EQ(dates("Acme\nValid from Dec 1, 2026\ngpu,gpus,price\nT4,1,0.5\n"), Strings{"2026-12-01"});
  EXPECT_EQ(dates("Valid from 2026-12-01\ngpu,gpus,price,date\nT4,1,0.5,2026-11-20\nT4,2,1,\n"),
            (Strings{"2026-11-20", "2026-12-01"}));
  EXPECT_EQ(dates("Valid from 3/4/2026\ngpu,gpus,price\nT4,1,0.5\n"),
            Strings{"a date that reads in two ways (3/4/2026)"});
}

TEST(OwnList, YesAndNoInFourLanguages) {
  for (const char* yes : {"yes", "ja", "Ja", "oui", "Oui", "s\xC3\xAD", "S\xC3\x8D", "si", "true", "1"})
    for (const char* no : {"no", "nein", "Nein", "non", "false", "0"}) {
      const Feed feed = read_feed(std::string("gpu,gpus,price,spot,available\nRTX 4090,4,2.4,") + yes + "," + yes +
                                      "\nRTX 4090,2,1.2," + no + "," + no + "\n",
                                  terms_of("l.csv"));
      ASSERT_EQ(told(feed), (Strings{"4x RTX 4090 spot $2.4", "2x RTX 4090 $1.2"})) << yes << " " << no;
      EXPECT_EQ(feed.offers[0].stock, Stock::kUnsaid) << yes;
      EXPECT_EQ(feed.offers[1].stock, Stock::kSoldOut) << no;
    }
}

TEST(OwnList, APriceAgreesWithThatOfOneGpuBesideIt) {
  const auto of = [](const std::string& heads, const std::string& cells) {
    const Feed feed = read_feed("gpu,gpus," + heads + "\nRTX 4090,4," + cells + "\n", terms_of("l.csv"));
    std::string text = feed.kept == 1 ? told(feed.offers[0]).substr(12) : "";
    for (const auto& [reason, rows] : feed.rejections) text += "rejected: " + reason;
    for (const auto& [reason, rows] : feed.corrections) text += " (" + reason + ")";
    return text;
  };
  for (const bool swapped : {false, true}) {
    const auto both = [&](const char* machine, const char* gpu) {
      return swapped ? of("price_per_gpu,price_per_hour", std::string(gpu) + "," + machine)
                     : of("price_per_hour,price_per_gpu", std::string(machine) + "," + gpu);
    };
    EXPECT_EQ(both("2.40", "0.60"), "$2.4");
    EXPECT_EQ(both("2.39", "0.60"), "$2.39") << "rounded";
    EXPECT_EQ(both("2.40", "1.20"), "rejected: a price that is not that of one GPU beside it times their number");
    EXPECT_EQ(both("2.40", "0.70"),
              "$2.4 (a price that is not quite that of one GPU beside it times their number, taken as it is)");
  }
  EXPECT_EQ(of("price,price_per_gpu", "0.60,0.60"),
            "$2.4 (a price that is that of one GPU, as the column beside it says)");
  EXPECT_EQ(of("price_per_hour,price_per_month", "2.40,1400"), "$2.4") << "a month may be cheaper";
  EXPECT_EQ(of("price_per_hour,price_per_gpu_per_month", "2.40,300"), "$2.4");
  EXPECT_EQ(of("price_per_hour,average price_per_gpu", "2.40,2.0"), "$2.4") << "an average is another thing";
}

TEST(OwnList, CountsDaysAsSpreadsheetsDo) {
  EXPECT_EQ(read_own_date("45987").text, "2025-11-26");
  EXPECT_EQ(read_own_date("46351.5").text, "2026-11-25");
  for (const char* cell : {"39999", "55000", "459870", "4598", "45987x"})
    EXPECT_FALSE(read_own_date(cell).problem.empty()) << cell;
  const Feed feed = read_feed("gpu,gpus,price,Date\nT4,1,0.5,45987\n", terms_of("l.csv"));
  ASSERT_EQ(feed.kept, 1U);
  EXPECT_EQ(feed.offers[0].as_of, "2025-11-26");
}

TEST(OwnList, WhatTheReaderPaysCounts) {
  for (const char* head : {"list_price,your_price", "Retail price,Price"}) {
    const Feed feed = read_feed(std::string("gpu,gpus,") + head + "\nRTX 4090,4,3,2.4\n", terms_of("l.csv"));
    EXPECT_EQ(told(feed), Strings{"4x RTX 4090 $2.4"}) << head;
  }
}

TEST(OwnList, AProviderThatIsNotSaidIsNotTheFile) {
  const Feed feed = read_feed("provider,gpu,gpus,price\nme,T4,1,1\n,T4,1,2\n", terms_of("l.csv"));
  EXPECT_EQ(feed.kept, 1U);
  EXPECT_EQ(feed.rejections.count("no provider"), 1U);
}

TEST(OwnList, UnderstandsHowPricesAreHeaded) {
  for (const char* name :
       {"Price", "price_per_hour", "Price per hour", "$/hr", "$/h", "USD per hour", "Hourly", "Hourly Rate",
        "On-Demand Price", "On-demand ($/hr)", "pricePerHour", "Cost", "Total price", "Price (USD)"})
    EXPECT_EQ(priced("GPU Model", name, "2.4"), "$2.4") << name;
  for (const char* name : {"$/GPU/hr", "Price per GPU", "per GPU price", "$/GPU-hr", "price_per_gpu_hour",
                           "Per-GPU ($)", "GPU hourly cost"})
    EXPECT_EQ(priced("GPU Type", name, "0.6"), "$2.4") << name;
  for (const char* name : {"Spot", "Spot price", "spot_price[USD/h]", "Spot ($/h)", "Preemptible price"}) {
    const Feed feed = read_feed(std::string("gpu,gpus,price,") + name + "\nRTX 4090,4,2.4,1.2\n", terms_of("l.csv"));
    EXPECT_EQ(told(feed), Strings{"4x RTX 4090 $2.4 spot $1.2"}) << name;
  }
  for (const char* head : {"on-demand,3yr reserved,spot", "on-demand,reserved,preemptible"}) {
    const Feed feed = read_feed(std::string("gpu,gpus,") + head + "\nRTX 4090,4,2.4,0.8,1.2\n", terms_of("l.csv"));
    EXPECT_EQ(told(feed), Strings{"4x RTX 4090 $2.4 spot $1.2"}) << head;
  }
  EXPECT_EQ(priced("GPU", "Monthly price", "1752"), "$2.4");
  EXPECT_EQ(priced("Accelerator", "EUR/h", "2"), "$2.2");
  EXPECT_EQ(priced("GPU", "Price (\xE2\x82\xAC)", "2"), "$2.2");
  EXPECT_EQ(priced("GPU", "GBP/h", "2"), "a price in GBP (--rate GBP=DOLLARS)");
  for (const char* name : {"Storage price", "Egress cost", "Max price", "Reserved price per hour", "Tokens per hour"})
    EXPECT_EQ(own_column(name).field, OwnField::kNone) << name;
}

TEST(OwnList, UnderstandsHowPricesAreWritten) {
  for (const char* cell :
       {"2.40", "$2.40", "$2.40/h", "US$ 2.40", "2.40 USD/hr", "2,40", "2,4", "~ $2.4 per hour", "240 ct",
        "$ 2.40 / hour", "$0.60/GPU", "0.6 $/gpu/h", "$1,752.00/month", "1.752,00 $/month", "+2.4"})
    EXPECT_EQ(priced("GPU", "Price", cell), "$2.4") << cell;
  for (const char* cell : {"", "n/a", "-", "sold out", "Contact us", "TBD"})
    EXPECT_EQ(priced("GPU", "Price", cell), "no price");
  for (const char* cell : {"2.4x", "two", "2.4 2.5", "1.2.3", "--2", "2.4 apples", "1,23,4"})
    EXPECT_EQ(priced("GPU", "Price", cell), "a price that is no number") << cell;
  EXPECT_EQ(priced("GPU", "Price", "-2.4"), "a negative price");
  EXPECT_EQ(priced("GPU", "Price", "0"), "a price of 0");
  EXPECT_EQ(priced("GPU", "Price", "1,234"), "a price that reads in two ways (1,234)");
  EXPECT_EQ(priced("GPU", "Price", "\x80 2,00"), "$2.2");  // Windows' euro sign
}

TEST(OwnList, LearnsTheDecimalSignFromOtherRows) {
  const std::string header = "GPU;Qty;Price\n";
  const Feed commas = read_feed(header + "RTX 4090;4;2,50\nRTX 4090;4;2,490\nT4;1;1.000\n", terms_of("l.csv"));
  EXPECT_EQ(told(commas), (Strings{"4x RTX 4090 $2.5", "4x RTX 4090 $2.49", "1x T4 $1000"}));
  const Feed points = read_feed(header + "RTX 4090;4;2.50\nRTX 4090;4;2,490\n", terms_of("l.csv"));
  EXPECT_EQ(told(points), (Strings{"4x RTX 4090 $2.5", "4x RTX 4090 $2490"}));
}

TEST(OwnList, SeparatorsTitlesAndLineEnds) {
  const Strings wanted = {"8x H100 SXM $20", "4x RTX 4090 $2.4"};
  for (const std::string& text :
       {std::string("gpu,gpus,price\nH100 SXM,8,20\nRTX 4090,4,2.4\n"),
        std::string("gpu;gpus;price\r\nH100 SXM;8;20\r\nRTX 4090;4;2,4"),
        std::string("gpu\tgpus\tprice\rH100 SXM\t8\t20\rRTX 4090\t4\t2.4\r"),
        std::string("sep=;\ngpu;gpus;price\nH100 SXM;8;20\nRTX 4090;4;2.4\n"),
        std::string("Our prices\n\n,,\nas of today,,\ngpu,gpus,price\n,,\nH100 SXM,8,\"20\"\n\nRTX 4090,4, \"2.4\" \n"),
        std::string("gpu,gpus,price,,\nH100 SXM,8,20,,\nRTX 4090,4,2.4,,\n")})
    EXPECT_EQ(told(read_feed(text, terms_of("l.csv"))), wanted) << text;
}

TEST(OwnList, GpusWithCountsAndSizesInOneCell) {
  const auto gpu = [](const std::string& cell) {
    const Feed feed = read_feed("GPU,price\n" + cell + ",2.4\n", terms_of("l.csv"));
    return feed.kept == 1 ? std::to_string(feed.offers[0].gpus) + "x " + feed.offers[0].gpu
                          : feed.rejections.begin()->first;
  };
  EXPECT_EQ(gpu("8x H100 SXM"), "8x H100 SXM");
  EXPECT_EQ(gpu("8 x Nvidia H100"), "8x H100 SXM");
  EXPECT_EQ(gpu("RTX 4090 x4"), "4x RTX 4090");
  EXPECT_EQ(gpu("RTX 4090:4"), "4x RTX 4090");
  EXPECT_EQ(gpu("2x A100 PCIe (80 GB)"), "2x A100 PCIe 80GB");
  EXPECT_EQ(gpu("8x A100 (40GB)"), "8x A100 SXM 40GB");
  EXPECT_EQ(gpu("1x GH200 480GB"), "1x GH200 96GB");  // the size is that of the CPU's
  EXPECT_EQ(gpu("RTX 4090"), "no number of GPUs");
  EXPECT_EQ(gpu("8x Abacus"), "a GPU that gpuplan does not know: Abacus");
  const Feed two = read_feed("GPU Model,GPU,price\nRTX 4090,4,2.4\n8x T4,4,2.4\n", terms_of("l.csv"));
  EXPECT_EQ(told(two), Strings{"4x RTX 4090 $2.4"});
  EXPECT_EQ(two.rejections, (Reasons{{"a number of GPUs that contradicts their name", 1}}));
}

TEST(OwnList, DailyLedgersOfWhatOneGpuCosts) {
  const Feed feed = read_feed(
      "date,provider,gpu,price_usd_per_gpu_hour\n2026-11-01,Lambda Labs,H100 SXM,2.99\n2026-11-02T06:00:00Z,Lambda "
      "Labs,H100 SXM,2.99\n02.11.2026,lambda,H100 SXM,2.99\n2026-02-30,lambda,H100 SXM,2.99\n3/4/2026,lambda,T4,2.99\n",
      terms_of("ledger.csv"));
  EXPECT_EQ(told(feed), (Strings{"1x H100 SXM $2.99", "1x H100 SXM $2.99"}));
  EXPECT_EQ(feed.offers[1].as_of, "2026-11-02");
  EXPECT_EQ(feed.offers[1].provider, "lambda");
  EXPECT_EQ(feed.rejections, (Reasons{{"the same row again", 1},
                                      {"a date that is none", 1},
                                      {"a date that reads in two ways (3/4/2026)", 1}}));
}

TEST(OwnList, KindsOfPrice) {
  const Feed feed =
      read_feed("gpu,gpus,price,pricing\nT4,1,1,on-demand\nT4,1,0.5,spot\nT4,1,0.4,1yr reserved\nT4,1,0.3,whatever\n",
                terms_of("l.csv"));
  EXPECT_EQ(told(feed), (Strings{"1x T4 $1", "1x T4 spot $0.5"}));
  EXPECT_EQ(feed.rejections,
            (Reasons{{"a price under a commitment", 1}, {"a kind of price that gpuplan does not know", 1}}));
}

/// Rows of T4 with these words in a column of this name, each price lower than the one before.
Feed with_kinds(const std::string& column, const Strings& words) {
  std::string text = "gpu,gpus,price," + column + "\n";
  for (std::size_t i = 0; i < words.size(); ++i) text += "T4,1," + std::to_string(10 - i) + ",\"" + words[i] + "\"\n";
  return read_feed(text, terms_of("l.csv"));
}

TEST(OwnList, KindsOfPriceUnderAnyHead) {
  for (const char* column : {"term", "type", "Type", "commitment", "plan", "billing", "reserved", "availability",
                             "pricing_model", "purchase option", "whatever", "Vertrag"}) {
    const Feed feed =
        with_kinds(column, {"on-demand", "1-year reserved", "3yr commit", "spot", "preemptible", "reserved"});
    EXPECT_EQ(told(feed), (Strings{"1x T4 $10", "1x T4 spot $7", "1x T4 spot $6"})) << column;
    EXPECT_EQ(feed.rejections, (Reasons{{"a price under a commitment", 3}})) << column;
    EXPECT_EQ(feed.offers[0].instance + feed.offers[0].availability, "") << column;
  }
  for (const char* word : {"12 months", "1yr", "3 years", "36mo", "1y", "12", "yes", "annual", "Reserved (no upfront)"})
    EXPECT_EQ(with_kinds("commitment", {word}).kept, 0U) << word;
  for (const char* word : {"none", "no", "0", "no commitment", "hourly", "on demand", "pay-as-you-go", ""})
    EXPECT_EQ(told(with_kinds("commitment", {word})), Strings{"1x T4 $10"}) << word;
  for (const char* word : {"Spot", "spot instance", "Preemptible VM", "interruptible", "low priority"})
    EXPECT_EQ(told(with_kinds("price type", {word})), Strings{"1x T4 spot $10"}) << word;
  EXPECT_EQ(told(with_kinds("interruptible", {"yes", "no", "non-interruptible"})),
            (Strings{"1x T4 spot $10", "1x T4 $9", "1x T4 $8"}));
}

TEST(OwnList, AWordOfAColumnOfKindsThatIsNotKnown) {
  const Reasons unknown = {{"a kind of price that gpuplan does not know", 1}};
  EXPECT_EQ(with_kinds("type", {"flux", "spot", "on-demand"}).rejections, unknown);
  EXPECT_EQ(with_kinds("paint model", {"flux", "spot", "on-demand"}).kept, 3U) << "whatever it is of";
  EXPECT_EQ(with_kinds("pricing model", {"flux", "spot", "on-demand"}).rejections, unknown);
}

TEST(OwnList, NamesOfKindsAreReadByTheirWords) {
  for (const char* column :
       {"price_tier", "Price tier", "pricing_tier", "pricingTier", "price_class", "pricing category", "purchase_kind",
        "price model", "Preisart", "tipo de precio", "modèle de prix", "billing_class", "rate type", "payment plan"}) {
    const Feed feed = with_kinds(column, {"on_demand", "spot", "36mo", "1yr reserved", "serverless"});
    EXPECT_EQ(told(feed), (Strings{"1x T4 $10", "1x T4 spot $9"})) << column;
    EXPECT_EQ(feed.rejections,
              (Reasons{{"a price under a commitment", 2}, {"a serverless price, which rents no machine", 1}}))
        << column;
  }
  // A row without a number of GPUs is told what keeps it out in any case.
  const Feed bare =
      read_feed("provider,gpu,gpus,price_tier,price\na,T4,,12mo,0.2\na,T4,1,on_demand,0.4\n", terms_of("l.csv"));
  EXPECT_EQ(bare.rejections, (Reasons{{"a price under a commitment", 1}}));
  for (const char* column : {"price unit source", "tiers of storage", "instance class", "service level agreement"})
    EXPECT_EQ(with_kinds(column, {"a", "b", "c"}).kept, 3U) << column;
}

TEST(OwnList, ALedgerWithoutNumbersIsOfOneGpu) {
  const Feed feed = read_feed(
      "provider,gpu,min_gpus,usd_hr\na,H100 SXM,,2.5\na,H100 SXM,8,2.25\nb,a100-pcie-80,1,1.5\nb,a100_sxm_40,,1\n",
      terms_of("l.csv"));
  EXPECT_EQ(told(feed),
            (Strings{"1x H100 SXM $2.5", "8x H100 SXM $18", "1x A100 PCIe 80GB $1.5", "1x A100 SXM 40GB $1"}));
  EXPECT_EQ(
      feed.corrections,
      (Reasons{
          {"no number of GPUs in the whole list: prices of one, taken as one", 3},
          {"no number of GPUs in the whole list: prices of one, taken as the fewest that are rented together", 1}}));
  // Who counts GPUs elsewhere has left one out; a name of a machine may say how many it has; and so may its price.
  for (const char* text : {"provider,gpu,usd_hr\na,H100 SXM,2.5\na,8x H100 SXM,20\n",
                           "provider,gpu,gpus,usd_hr\na,H100 SXM,,2.5\na,H100 SXM,8,20\n",
                           "provider,gpu,sku,usd_hr\na,H100 SXM,big,2.5\na,H100 SXM,p5.48xlarge,2.5\n",
                           "provider,gpu,price per instance hour\na,H100 SXM,2.5\n"})
    EXPECT_EQ(read_feed(text, terms_of("l.csv")).rejections.count("no number of GPUs"), 1U) << text;
}

TEST(OwnList, FormFactorsInAColumnOfTheirOwn) {
  const auto of = [](const std::string& head, const std::string& gpu, const std::string& form, int gpus) {
    const Feed feed = read_feed(
        "gpu," + head + ",gpus,price\n" + gpu + "," + form + "," + std::to_string(gpus) + ",20\n", terms_of("l.csv"));
    return feed.kept == 1 ? feed.offers[0].gpu.str() + (feed.corrected > 0 ? ", corrected" : "")
                          : feed.rejections.begin()->first;
  };
  for (const char* head :
       {"interconnect", "form_factor", "Form Factor", "socket", "link", "gpu_interconnect", "variant"}) {
    EXPECT_EQ(of(head, "H100", "SXM5", 1), "H100 SXM") << head;
    EXPECT_EQ(of(head, "H100", "PCIe", 8), "H100 PCIe") << head;
    EXPECT_EQ(of(head, "H100", "NVL", 2), "H100 NVL") << head;
    EXPECT_EQ(of(head, "A100 80GB", "pcie", 8), "A100 PCIe 80GB") << head;
    EXPECT_EQ(of(head, "H100 PCIe", "SXM5", 8), "a form factor that contradicts the name of the GPU") << head;
    EXPECT_EQ(of(head, "H100 SXM", "PCIe", 8), "a form factor that contradicts the name of the GPU") << head;
  }
  EXPECT_EQ(of("variant", "A100", "SXM4-80GB", 8), "A100 SXM 80GB");
  // Cards may be linked, and an NVL is a pair of cards; other links say nothing, and neither do addresses.
  EXPECT_EQ(of("link", "H100 PCIe", "NVLink", 2), "H100 PCIe");
  EXPECT_EQ(of("link", "H100 NVL", "PCIe", 2), "H100 NVL");
  EXPECT_EQ(of("link", "H100 SXM", "NVLink 900GB/s", 8), "H100 SXM");
  EXPECT_EQ(of("interconnect", "RTX 4090", "NVLink", 4), "RTX 4090");
  EXPECT_EQ(of("interconnect", "H100 SXM", "InfiniBand 400G", 8), "H100 SXM");
  EXPECT_EQ(of("link", "H100", "https://acme/h100-pcie", 8), "H100 SXM, corrected");
}

TEST(OwnList, AMachineThatIsCalledByItsGpuHasThatOne) {
  const auto of = [](const std::string& gpu, const std::string& sku) {
    const Feed feed = read_feed("gpu,sku,gpus,price\n" + gpu + "," + sku + ",2,20\n", terms_of("l.csv"));
    return feed.kept == 1 ? feed.offers[0].gpu.str() + (feed.corrected > 0 ? ", corrected" : "")
                          : feed.rejections.begin()->first;
  };
  EXPECT_EQ(of("H100 SXM", "NVIDIA H100 PCIe"), "H100 PCIe, corrected");
  EXPECT_EQ(of("H100 SXM", "NVIDIA H100 NVL"), "H100 NVL, corrected");
  EXPECT_EQ(of("A100", "NVIDIA A100-SXM-80GB"), "A100 SXM 80GB");
  EXPECT_EQ(of("A100", "NVIDIA A100 80GB PCIe"), "A100 PCIe 80GB");
  EXPECT_EQ(of("H100 SXM", "pcie-box-2"), "a form factor that contradicts the name of the machine");
  EXPECT_EQ(of("H100 SXM", "gpu_2x_h100_sxm5"), "H100 SXM");
}

TEST(OwnList, WordsOfKindsInColumnsOfSomethingElse) {
  // Prices under a commitment beside those on demand, ages, stock, sizes.
  for (const auto& [column, words] : {std::pair<std::string, Strings>{"reserved", {"1.6", "1.5", "n/a"}},
                                      {"reserved", {"16", "14", ""}},
                                      {"seen", {"2 weeks ago", "3 months", ""}},
                                      {"age", {"3 years", "1 year", "2 years"}},
                                      {"availability", {"available", "reserved", "available"}},
                                      {"type", {"SXM", "PCIe", "standard"}},
                                      {"notes", {"spot is cheaper in summer", "", "EU"}}})
    EXPECT_EQ(with_kinds(column, words).kept, 3U) << column;
  // What tells it may come late.
  Strings words(400, "");
  words.back() = "reserved";
  std::string text = "gpu,gpus,price,region,note\n";
  for (std::size_t i = 0; i < words.size(); ++i) text += "T4,1,1,r" + std::to_string(i) + "," + words[i] + "\n";
  EXPECT_EQ(read_feed(text, terms_of("l.csv")).rejections, (Reasons{{"a price under a commitment", 1}}));
}

TEST(OwnList, AFigureWithoutASignIsInTheCurrencyOfItsRow) {
  const Feed feed = read_feed(
      "gpu,gpus,price,spot_price\nT4,1,$21.50,9.99\nT4,1,5.6 USD,2.4\nT4,1,5.7,$2.5\nT4,1,10 EUR,5\nT4,1,$3,2 EUR\n",
      terms_of("l.csv"));
  EXPECT_EQ(told(feed),
            (Strings{"1x T4 $21.5 spot $9.99", "1x T4 $5.6 spot $2.4", "1x T4 $5.7 spot $2.5", "1x T4 $11 spot $5.5"}));
  EXPECT_EQ(feed.rejections, (Reasons{{"prices in two currencies", 1}}));
}

/// What a machine of two L4 costs an hour where its price and the words beside it are these.
std::string with_unit(const std::string& heads, const std::string& cells) {
  const Feed feed = read_feed("gpu;gpus;" + heads + "\nL4;2;" + cells + "\n", terms_of("l.csv"));
  if (feed.kept != 1) return feed.rejections.empty() ? "no row" : feed.rejections.begin()->first;
  return told(feed.offers[0]).substr(std::string("2x L4 ").size());
}

TEST(OwnList, TheUnitOfAPriceMayStandBesideIt) {
  struct Case {
    const char *unit, *price;
  };
  for (const auto& [unit, price] : std::vector<Case>{{"$/GPU/h", "$1460"},
                                                     {"per GPU hour", "$1460"},
                                                     {"gpu_hour", "$1460"},
                                                     {"GPU-hr", "$1460"},
                                                     {"GPUh", "$1460"},
                                                     {"per GPU", "$1460"},
                                                     {"USD per card-hour", "$1460"},
                                                     {"EUR per GPU-hour", "$1606"},
                                                     {"\xE2\x82\xAC/GPU/h", "$1606"},
                                                     {"pro GPU-Stunde", "$1460"},
                                                     {"EUR", "$803"},
                                                     {"EUR/h", "$803"},
                                                     {"hour", "$730"},
                                                     {"1 Hour", "$730"},
                                                     {"per node", "$730"},
                                                     {"$/instance-hour", "$730"},
                                                     {"month", "$1"},
                                                     {"per 730 hours", "$1"},
                                                     {"monthly", "$1"},
                                                     {"$/GPU/month", "$2"},
                                                     {"per day", "$30.4167"},
                                                     {"cents per hour", "$7.3"},
                                                     {"ct/GPU/h", "$14.6"},
                                                     {"\xC2\xA2/h", "$7.3"},
                                                     {"", "$730"},
                                                     {"n/a", "$730"}}) {
    for (const char* head : {"unit", "Price unit", "price_unit", "Unit of measure", "per", "Einheit"})
      EXPECT_EQ(with_unit("price;" + std::string(head), "730;" + std::string(unit)), price) << head << ": " << unit;
    EXPECT_EQ(with_unit("price;currency", "730;" + std::string(unit)), price) << unit;
  }
  for (const char* unit : {"per GPU", "gpu_hour", "$/GPU/h"})
    EXPECT_EQ(with_unit("price;unit_price", "730;" + std::string(unit)), "$1460") << "heads prices as well: " << unit;
  EXPECT_EQ(with_unit("unit_price", "730"), "$730");
  // What says all of itself needs no head that does.
  for (const char* head : {"basis", "period", "whatever", "Notes"})
    EXPECT_EQ(with_unit("price;" + std::string(head), "730;EUR per GPU hour"), "$1606") << head;
  EXPECT_EQ(with_unit("price;basis", "730;per GPU"), "$1460");
  EXPECT_EQ(with_unit("price;notes", "730;per GPU"), "$730") << "of whatever";
  EXPECT_EQ(with_unit("price;storage unit", "730;USD/GB/month"), "$730");
  EXPECT_EQ(with_unit("price;billing granularity", "730;per second"), "$730");
}

TEST(OwnList, AUnitThatIsNotUnderstoodIsNoPrice) {
  for (const char* unit : {"fortnight", "per vCPU hour", "each", "per GB", "8 GPUs", "node per GPU", "1M tokens", "x"})
    EXPECT_EQ(with_unit("price;unit", "730;" + std::string(unit)),
              "a unit of prices that gpuplan does not know: " + std::string(unit));
  constexpr const char* kAgainst = "a unit that contradicts the price beside it";
  EXPECT_EQ(with_unit("price per hour;unit", "7;month"), kAgainst);
  EXPECT_EQ(with_unit("price;unit", "7/h;month"), kAgainst);
  EXPECT_EQ(with_unit("price per GPU;unit", "7;per node"), kAgainst);
  EXPECT_EQ(with_unit("price per instance;unit", "7;per GPU"), kAgainst);
  EXPECT_EQ(with_unit("price;unit", "$7;EUR/h"), "prices in two currencies");
  EXPECT_EQ(with_unit("price;unit;currency", "7;USD/h;EUR"), "prices in two currencies");
  EXPECT_EQ(with_unit("price_usd;currency", "7;EUR"), "prices in two currencies");
  // What agrees does no harm.
  EXPECT_EQ(with_unit("price per hour;unit", "7;per GPU hour"), "$14");
  EXPECT_EQ(with_unit("price_per_gpu_hour;unit", "7;gpu_hour"), "$14");
  // Of two prices it is that of the one whose head says nothing.
  EXPECT_EQ(with_unit("price;unit;price_per_hour", "7;gpu_hour;14"), "$14");
  EXPECT_EQ(with_unit("price;unit;spot_price", "7;gpu_hour;3"), "$14 spot $6");
}

TEST(OwnList, PricesUnderSeveralHeads) {
  EXPECT_EQ(with_unit("hourly;monthly", ";730"), "$1");
  EXPECT_EQ(with_unit("hourly;monthly", "n/a;730"), "$1");
  EXPECT_EQ(with_unit("monthly;hourly", "730;2"), "$2") << "what needs least undoing";
  EXPECT_EQ(with_unit("price;price_per_gpu_hour", "contact sales;2"), "$4");
  EXPECT_EQ(with_unit("avg price;price per hour", "1;2"), "$2");
  for (const char* head : {"price_cents_per_hour", "Cents per hour", "price (ct/h)", "pricecentsperhour"})
    EXPECT_EQ(with_unit(head, "239"), "$2.39") << head;
  for (const char* head : {"priceperhour", "Preis pro Stunde", "Preis/h", "Stundenpreis", "hourlyprice"})
    EXPECT_EQ(with_unit(head, "2"), "$2") << head;
  for (const char* head : {"pricepergpuhour", "Preis pro GPU-Stunde", "$/Karte/h"})
    EXPECT_EQ(with_unit(head, "2"), "$4") << head;
  EXPECT_EQ(with_unit("Monatspreis", "730"), "$1");
  // One that can not be read takes nothing from the other.
  EXPECT_EQ(with_unit("price;spot price", "contact sales;1.25"), "spot $1.25");
  EXPECT_EQ(with_unit("price;spot price", "see the page;1.25"), "spot $1.25");
  EXPECT_EQ(with_unit("price;spot price", "2;see the page"), "$2");
  EXPECT_EQ(with_unit("price;spot price", "see the page;"), "a price that is no number");
}

TEST(OwnList, WhatIsMadeOfARangeIsSaid) {
  const Feed feed =
      read_feed("gpu,gpus,price\nL4,1,1.50-4.50\nL4,1,from 0.9\nT4,1,ab 0.8\nT4,1,0.5\n", terms_of("l.csv"));
  EXPECT_EQ(told(feed), (Strings{"1x L4 $3", "1x L4 $0.9", "1x T4 $0.8", "1x T4 $0.5"}));
  EXPECT_EQ(feed.corrections, (Reasons{{"a range of prices, taken at its middle", 1},
                                       {"a price that only says where prices begin, taken as it is", 2}}));
}

TEST(OwnList, DatesUnderAnyHeadThatTellsATimeOfRecord) {
  const auto dated = [](const std::string& head, const std::string& cell) {
    const Feed feed = read_feed("gpu;gpus;price;" + head + "\nL4;1;1;" + cell + "\n", terms_of("l.csv"));
    return feed.kept == 1 ? feed.offers[0].as_of.str() : feed.rejections.begin()->first;
  };
  for (const char* head :
       {"ts",         "time",        "recorded_at", "created_at",   "updated",    "when",         "Effective date",
        "Valid from", "Snapshot",    "Collected",   "last updated", "lastSeen",   "observed_at",  "date",
        "scrapedAt",  "Price as of", "Datum",       "Stand",        "Erfasst am", "retrieved on", "datetime"})
    for (const char* cell : {"2026-11-05", "1793872800", "Nov 5, 2026", "2026-11-05T10:00:00Z"})
      EXPECT_EQ(dated(head, cell), "2026-11-05") << head << ' ' << cell;
  for (const char* head : {"valid until", "expires_at", "release date", "launch date", "available from", "end date"})
    EXPECT_EQ(dated(head, "2026-11-05"), "2026-11-25") << head;
  for (const char* head : {"time", "when", "Snapshot", "startup time"})
    EXPECT_EQ(dated(head, "90 s"), "2026-11-25") << head;
  EXPECT_EQ(dated("date", "soon"), "a date that is none");
  EXPECT_EQ(dated("date;updated_at", ";2026-11-05"), "2026-11-05") << "the next where one is empty";
  EXPECT_EQ(dated("created_at;as_of", "2026-01-05;2026-11-05"), "2026-11-05") << "the most telling";
  // One cell among many that is none is wrong, not what tells that the others are none.
  std::string text = "gpu,gpus,price,ts\n";
  for (int i = 1; i <= 20; ++i) text += "L4," + std::to_string(i) + ",1," + (i == 7 ? "soon" : "2026-11-05") + "\n";
  EXPECT_EQ(read_feed(text, terms_of("l.csv")).rejections, (Reasons{{"a date that is none", 1}}));
}

TEST(OwnList, MemoryOfAllGpusTogether) {
  const auto gpu = [](const std::string& row) {
    const Feed feed = read_feed("gpu,gpus,vram,price\n" + row + ",1\n", terms_of("l.csv"));
    return feed.kept == 1 ? feed.offers[0].gpu.str() : feed.rejections.begin()->first;
  };
  EXPECT_EQ(gpu("A100,8,40"), "A100 SXM 40GB");
  EXPECT_EQ(gpu("A100,8,320"), "A100 SXM 40GB");
  EXPECT_EQ(gpu("A100,8,640"), "A100 SXM 80GB");
  EXPECT_EQ(gpu("A100,8,640 GB"), "A100 SXM 80GB");
  EXPECT_EQ(gpu("RTX 4090,2,48"), "RTX 4090");
  EXPECT_EQ(gpu("RTX 4090,1,48"), "a memory that RTX 4090 never had");
  EXPECT_EQ(gpu("RTX 4090,4,48"), "a memory that RTX 4090 never had");
}

TEST(OwnList, ShortNamesGoByTheirMemory) {
  const auto gpu = [](const std::string& head, const std::string& row) {
    const Feed feed = read_feed("gpu,gpus," + head + ",price\n" + row + ",1\n", terms_of("l.csv"));
    return feed.kept == 1 ? feed.offers[0].gpu.str() : feed.rejections.begin()->first;
  };
  // "memory" is that of the GPUs where they have been made with it.
  for (const char* head : {"vram", "memory"}) {
    EXPECT_EQ(gpu(head, "RTX 6000,1,24"), "Quadro RTX 6000") << head;
    EXPECT_EQ(gpu(head, "RTX 6000,1,48"), "RTX 6000 Ada") << head;
    EXPECT_EQ(gpu(head, "RTX 6000,4,192"), "RTX 6000 Ada") << head;
    EXPECT_EQ(gpu(head, "H100,1,94"), "H100 NVL") << head;
    EXPECT_EQ(gpu(head, "A100,8,640"), "A100 SXM 80GB") << head;
  }
  EXPECT_EQ(gpu("vram", "RTX 6000,1,30"), "a memory that Quadro RTX 6000 never had");
  EXPECT_EQ(gpu("memory", "RTX 6000,1,128"), "Quadro RTX 6000") << "the machine's";
}

TEST(OwnList, TheSameRowInOtherCase) {
  const Feed feed = read_feed(
      "provider,region,gpu,gpus,price\nacme,us,H100 SXM,8,24\nACME,US,h100-sxm,8,24.0\nacme,eu,H100 SXM,8,24\n"
      "acme,Us,H100 SXM,8,25\n",
      terms_of("l.csv"));
  EXPECT_EQ(feed.kept, 3U);
  EXPECT_EQ(feed.rejections, (Reasons{{"the same row again", 1}}));
}

/// What a list of one row says beside its price: "reliability, dollars of a GB-month of disk, of a GB of traffic".
std::string extras(const std::string& head, const std::string& cell) {
  const Feed feed = read_feed("gpu;gpus;price;" + head + "\nL4;1;1;" + cell + "\n", terms_of("l.csv"));
  if (feed.kept != 1) return feed.rejections.begin()->first;
  const Offer& offer = feed.offers[0];
  const auto text = [](double value) { return significant_text(value, 3); };
  std::string said;
  if (offer.reliability > 0) said += "up " + text(offer.reliability);
  if (offer.disk_price) said += "disk " + text(*offer.disk_price * units::GB * units::month / units::dollar);
  if (offer.egress_price) said += "egress " + text(*offer.egress_price * units::GB / units::dollar);
  return said + (feed.corrected > 0 ? " corrected" : "");
}

TEST(OwnList, ReliabilityDisksAndTraffic) {
  for (const char* head : {"reliability", "Reliability (%)", "uptime", "Host reliability"}) {
    EXPECT_EQ(extras(head, "99.5"), "up 0.995") << head;
    EXPECT_EQ(extras(head, "99.5%"), "up 0.995") << head;
    EXPECT_EQ(extras(head, "0.97"), "up 0.97") << head;
    EXPECT_EQ(extras(head, ""), "") << head;
    EXPECT_EQ(extras(head, "140"), " corrected") << head;
    EXPECT_EQ(extras(head, "good"), " corrected") << head;
  }
  for (const char* head : {"disk_price_per_gb_month", "Storage ($/GB/month)", "storage_cost", "Storage cost per GB"})
    EXPECT_EQ(extras(head, "0.1"), "disk 0.1") << head;
  EXPECT_EQ(extras("Storage ($/TB/month)", "73"), "disk 0.073");
  EXPECT_EQ(extras("Storage ($/GB/hour)", "0.0001"), "disk 0.073");
  EXPECT_EQ(extras("Storage ($/GB/month)", "free"), "");
  EXPECT_EQ(extras("Storage ($/GB/month)", "-1"), " corrected");
  for (const char* head : {"egress_price_per_gb", "Traffic out ($/GB)", "Egress ($/GB)", "bandwidth price per GB"})
    EXPECT_EQ(extras(head, "$0.09"), "egress 0.09") << head;
  EXPECT_EQ(extras("Egress ($/TB)", "20"), "egress 0.02");
  // Sizes are no prices, nor are prices of other currencies than the row's.
  for (const char* head : {"Storage (GB)", "disk_gb", "Network (Gb/s)", "traffic included (TB)", "max egress cost"})
    EXPECT_EQ(extras(head, "100"), "") << head;
  EXPECT_EQ(extras("Egress (EUR/GB)", "0.02"), " corrected");
}

TEST(OwnList, GermanHeads) {
  for (const char* count : {"Anzahl", "Anzahl GPUs", "Anzahl der GPUs", "GPU-Anzahl"}) {
    const Feed feed = read_feed(
        "Anbieter;Grafikkarte;" + std::string(count) + ";Preis/h;Standort;Datum\nOVH;H100 SXM;8;22,40;GRA;1.11.26\n",
        terms_of("l.csv"));
    EXPECT_EQ(told(feed), Strings{"8x H100 SXM $22.4"}) << count;
    ASSERT_EQ(feed.kept, 1U) << count;
    EXPECT_EQ(feed.offers[0].as_of, "2026-11-01");
  }
}

TEST(OwnList, HostileCellsNeverReachAName) {
  const Feed feed = read_feed("provider,gpu,gpus,price,region\n\"a\x1b[31mb\",T4,1,1,\"x\x07y\"\n", terms_of("l.csv"));
  ASSERT_EQ(feed.kept, 1u);
  for (const std::string& name : {feed.offers[0].provider, feed.offers[0].region})
    for (const char c : name) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

TEST(OwnDates, AsPeopleAndProgramsWriteThem) {
  for (const char* cell : {"2026-11-05",
                           "2026/11/5",
                           "2026.11.05",
                           "20261105",
                           "05.11.2026",
                           "5.11.26",
                           "05. 11. 2026",
                           "Nov 5, 2026",
                           "5 Nov 2026",
                           "5. November 2026",
                           "November 5th, 2026",
                           "5-Nov-2026",
                           "2026 Nov 05",
                           "NOV 05 2026",
                           "Thu, 05 Nov 2026 10:00:00 GMT",
                           "Thu Nov  5 10:00:00 UTC 2026",
                           "2026-11-05T10:00:00Z",
                           "2026-11-05 10:00:00.123+01:00",
                           "2026/11/05 10:00",
                           "Nov 5, 2026 10:00 PM",
                           "1793872800",
                           "1793872800.5",
                           "1793872800000",
                           "1793872800000000",
                           " 2026-11-05 "})
    EXPECT_EQ(read_own_date(cell).text, "2026-11-05") << cell;
  EXPECT_EQ(read_own_date("25/11/2026").text, "2026-11-25");
  EXPECT_EQ(read_own_date("11/25/2026").text, "2026-11-25");
  EXPECT_EQ(read_own_date("3/3/2026").text, "2026-03-03");
  EXPECT_EQ(read_own_date("5. M\xC3\xA4rz 2026").text, "2026-03-05");
  EXPECT_EQ(read_own_date("31. Dez 2025").text, "2025-12-31");
  for (const char* cell : {"2026-11", "2026/11", "Nov 2026", "November 2026"})
    EXPECT_EQ(read_own_date(cell).text, "2026-11") << cell;
  for (const char* cell : {"", "-", "n/a"})
    EXPECT_EQ(read_own_date(cell).text + std::string(read_own_date(cell).problem), "") << cell;
  for (const char* cell : {"yesterday", "Q3 2026", "2026-02-30", "Feb 30, 2026", "12", "Nov", "Nov 5", "5/11/26",
                           "2026-11-05-01", "99999999999999999999", "Mayhem 5, 2026", "Nov 5 Dec 6 2026"})
    EXPECT_EQ(read_own_date(cell).problem, "a date that is none") << cell;
  EXPECT_EQ(read_own_date("3/4/2026").problem, "a date that reads in two ways (3/4/2026)");
}

}  // namespace
}  // namespace gpuplan
