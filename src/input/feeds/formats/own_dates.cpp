#include "input/feeds/formats/own_dates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/feeds/formats/own_columns.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

constexpr std::string_view kNoDate = "a date that is none", kTwoDates = "a date that reads in two ways (3/4/2026)";

/// Months in order without accents, as they are written in full in English, German, French and Spanish; three letters
/// are enough, but for "jui", which may be two of the French.
constexpr std::array<std::string_view, 12> kMonthNames = {"january|januar|janner|janvier|enero",
                                                          "february|februar|fevrier|febrero|fevr",
                                                          "march|marz|maerz|mrz|mars|marzo",
                                                          "april|avril|abril",
                                                          "may|mai|mayo",
                                                          "june|juni|juin|junio",
                                                          "july|juli|juillet|julio|juil",
                                                          "august|aout|agosto",
                                                          "september|sept|septembre|septiembre",
                                                          "october|oktober|okt|octobre|octubre",
                                                          "november|novembre|noviembre",
                                                          "december|dezember|dez|decembre|diciembre"};

/// 11 of "Nov", "nov." and "November"; 0: it is no month.
int month_of(std::string_view word) {
  constexpr std::size_t kShortest = 3;
  if (word.size() < kShortest || word == "jui") return 0;
  for (std::size_t i = 0; i < kMonthNames.size(); ++i)
    for (const std::string_view name : split(kMonthNames[i], '|'))
      if (name == word || (word.size() == kShortest && name.starts_with(word))) return static_cast<int>(i) + 1;
  return 0;
}

/// Words that stand beside a date and are no part of it.
bool says_nothing(std::string_view word) {
  constexpr std::string_view kIdle =
      "mon|monday|tue|tues|tuesday|wed|wednesday|thu|thur|thurs|thursday|fri|friday|sat|saturday|sun|sunday|mo|di|mi|"
      "do|fr|sa|so|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|am|pm|utc|gmt|z|cet|cest|uhr|of|the|de|"
      "del|du|le|el|st|"
      "nd|"
      "rd|th|est|edt|pst|pdt";
  const auto words = split(kIdle, '|');
  return std::ranges::find(words, word) != words.end();
}

std::string dated_text(int year, int month, int day) {
  const auto two = [](int value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  return std::to_string(year) + '-' + two(month) + (day > 0 ? '-' + two(day) : "");
}

OwnDate real_date(std::string text) {
  if (is_iso_date(text)) return {std::move(text), {}};
  return {"", kNoDate};
}

/// Seconds since 1970, or thousandths, millionths or billionths of them, between 2001 and 2096.
std::optional<std::string> day_of_epoch(std::string_view cell) {
  double value = 0;
  const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end.ec != std::errc() || end.ptr != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  constexpr double kFrom = 1e9, kTo = 4e9;
  for (const double parts : {1.0, 1e3, 1e6, 1e9}) {
    if (value < kFrom * parts || value >= kTo * parts) continue;
    const std::chrono::sys_seconds at{std::chrono::seconds(static_cast<std::int64_t>(value / parts))};
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(at));
    return dated_text(int{day.year()}, static_cast<int>(unsigned{day.month()}), static_cast<int>(unsigned{day.day()}));
  }
  return std::nullopt;
}

/// Days since 1899-12-30, as spreadsheets count them, between 2009 and 2050; the time may stand behind a point.
std::optional<std::string> day_of_spreadsheet(std::string_view cell) {
  double value = 0;
  const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  constexpr double kFrom = 40'000, kTo = 55'000;
  if (end.ec != std::errc() || end.ptr != cell.data() + cell.size() || !(value >= kFrom && value < kTo))
    return std::nullopt;
  using namespace std::chrono;
  const year_month_day day(sys_days(year(1899) / December / 30) + days(static_cast<int>(value)));
  return dated_text(int{day.year()}, static_cast<int>(unsigned{day.month()}), static_cast<int>(unsigned{day.day()}));
}

/// A figure of a date, or the name of a month.
struct DatePart {
  int value = 0;
  std::size_t width = 0;  ///< digits
  bool month = false;
  char before = 0;  ///< the sign in front of it
};

/// False: something else than a date stands there.
bool date_parts(std::string_view text, std::vector<DatePart>& parts) {
  char before = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (is_digit(text[at])) {
      // 10:00:00, 10:00+01:00
      std::size_t end = at;
      while (end < text.size() && (is_digit(text[end]) || text[end] == ':')) ++end;
      if (const std::string_view figure = text.substr(at, end - at); figure.find(':') != std::string_view::npos) {
        while (end < text.size() && std::string_view(".+:0123456789").find(text[end]) != std::string_view::npos) ++end;
        at = end;
        continue;
      }
      DatePart part{0, end - at, false, before};
      if (std::from_chars(text.data() + at, text.data() + end, part.value).ec != std::errc()) return false;
      parts.push_back(part);
      before = 0;
      at = end;
    } else if (is_letter(text[at]) || static_cast<unsigned char>(text[at]) >= 0x80) {
      std::size_t end = at;
      while (end < text.size() && (is_letter(text[end]) || static_cast<unsigned char>(text[end]) >= 0x80)) ++end;
      const std::string word = to_lower(without_accents(text.substr(at, end - at)));
      if (const int month = month_of(word); month > 0) parts.push_back({month, 0, true, before});
      else if (!says_nothing(word)) return false;
      at = end;
    } else {
      const char sign = text[at++];
      if (std::string_view(" .,/-'_").find(sign) == std::string_view::npos) return false;
      if (before == 0 || before == ' ') before = sign;
    }
  }
  return true;
}

/// Which of three parts without a named month is what, by their widths, signs and values.
OwnDate by_figures(const std::vector<DatePart>& parts) {
  const DatePart &a = parts[0], &b = parts[1], &c = parts[2];
  if (b.before != c.before) return {"", kNoDate};
  constexpr int kMonthsAYear = 12, kCentury = 2000;
  if (a.width == 4) return real_date(dated_text(a.value, b.value, c.value));
  // "1.11.26" is written nowhere but where days stand first.
  const bool dots = b.before == '.';
  const bool short_year = dots && c.width == 2 && b.width <= 2;
  if (c.width != 4 && !short_year) return {"", kNoDate};
  const int year = short_year ? kCentury + c.value : c.value;
  if (dots || a.value > kMonthsAYear || a.value == b.value) return real_date(dated_text(year, b.value, a.value));
  if (b.value > kMonthsAYear) return real_date(dated_text(year, a.value, b.value));
  return {"", a.value > 0 && b.value > 0 ? kTwoDates : kNoDate};
}

}  // namespace

OwnDate read_own_date(std::string_view cell) {
  cell = trim(cell);
  if (says_none(to_lower(cell))) return {};
  if (is_iso_date(cell)) return {std::string(cell), {}};
  constexpr std::size_t kDay = 10, kLongest = 64;  // "2026-11-25"
  if (cell.size() > kLongest) return {"", kNoDate};
  if (cell.size() > kDay && cell[4] == '-' && (cell[kDay] == 'T' || cell[kDay] == ' ') && is_digit(cell[0]))
    return real_date(std::string(cell.substr(0, kDay)));
  if (auto day = day_of_epoch(cell)) return {*std::move(day), {}};
  if (auto day = day_of_spreadsheet(cell)) return {*std::move(day), {}};
  std::vector<DatePart> parts;
  if (!date_parts(cell, parts)) return {"", kNoDate};
  const auto named = std::ranges::find_if(parts, &DatePart::month);
  if (named == parts.end()) {
    if (parts.size() == 1 && parts[0].width == 8) {
      const int value = parts[0].value;
      return real_date(dated_text(value / 10'000, value / 100 % 100, value % 100));
    }
    if (parts.size() == 2 && parts[0].width == 4 && parts[1].width <= 2)
      return real_date(dated_text(parts[0].value, parts[1].value, 0));
    return parts.size() == 3 ? by_figures(parts) : OwnDate{"", kNoDate};
  }
  const int month = named->value;
  parts.erase(named);
  const auto year = std::ranges::find(parts, std::size_t{4}, &DatePart::width);
  if (year == parts.end() || parts.size() > 2) return {"", kNoDate};
  const int of_year = year->value;
  parts.erase(year);
  if (parts.empty()) return real_date(dated_text(of_year, month, 0));
  return parts[0].month || parts[0].width > 2 ? OwnDate{"", kNoDate}
                                              : real_date(dated_text(of_year, month, parts[0].value));
}

namespace {

bool any_of(const std::vector<std::string>& words, std::string_view wanted) {
  const auto list = split(wanted, '|');
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return std::ranges::find(list, word) != list.end(); });
}

bool tell_time_of_record(const std::vector<std::string>& words) {
  if (any_of(words,
             "until|till|to|end|ends|ending|expires|expiry|expiration|expire|release|released|launch|launched|launches|"
             "available|availability|next|due|start|starts|startup|delivery|eta|run|running|uptime|boot|age|up|bis|ab|"
             "birth|reserved|reservation|contract|commitment|deleted|deprecated"))
    return false;
  return any_of(
      words,
      "date|day|time|datetime|timestamp|ts|epoch|when|as|asof|at|on|updated|update|created|recorded|observed|"
      "fetched|collected|captured|scraped|snapshot|retrieved|real_date|seen|read|modified|changed|effective|valid|"
      "since|from|last|logged|crawled|polled|sampled|quoted|published|generated|imported|ingested|datum|stand|"
      "zeit|zeitpunkt|zeitstempel|erfasst|tag|gultig|seit|abgerufen|aktualisiert|fecha|actualizado|maj|releve");
}

/// Whether what a title says before a date is that its prices are of that day: "Valid from", "Preise ab", "GPU prices".
bool leads_to_date(std::string_view before) {
  std::vector<std::string> words = head_words(before);
  std::erase(words, "ab");  // of an offer it says when it begins, of prices since when they count
  if (tell_time_of_record(words)) return true;
  return std::ranges::all_of(words, [](const std::string& word) {
    return any_of({word},
                  "price|prices|pricing|pricelist|list|rates|rate|tariff|tariffs|gpu|gpus|cloud|our|current|new|preise|"
                  "preisliste|preis|tarif|tarife|tarifs|prix|liste|precios|lista|tarifas|unsere|aktuelle|nos|de|des|"
                  "del|the|per|a|au|du|le|el|partir|valable|valables|vigente|vigentes|valido|validos|desde|effet");
  });
}

}  // namespace

OwnDate read_title_date(std::string_view title) {
  constexpr std::size_t kLongest = 200, kLongestDate = 40;
  title = title.substr(0, kLongest);
  const auto is_part = [](char c) { return is_digit(c) || is_letter(c) || static_cast<unsigned char>(c) >= 0x80; };
  OwnDate latest;
  for (std::size_t at = 0; at < title.size(); ++at) {
    if (!is_part(title[at]) || (at > 0 && is_part(title[at - 1]))) continue;
    // The longest text from here that is a date; a figure alone may be anything.
    for (std::size_t end = std::min(title.size(), at + kLongestDate); end > at + 1; --end) {
      if (end < title.size() && is_part(title[end])) continue;
      const std::string_view text = trim(title.substr(at, end - at));
      if (!is_digit(text.back()) || std::ranges::all_of(text, is_digit)) continue;
      OwnDate date = read_own_date(text);
      if (date.text.empty() && date.problem != kTwoDates) continue;
      const std::string_view before = title.substr(0, at);
      if (leads_to_date(before)) {
        if (!date.problem.empty()) return date;
        if (date.text > latest.text) latest = std::move(date);
      }
      at = end - 1;
      break;
    }
  }
  return latest;
}

bool tells_time_of_record(std::string_view name) { return tell_time_of_record(head_words(name)); }

}  // namespace gpuplan
