#include "output/prices/history_report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <span>

#include "base/text.h"
#include "domain/market/price_date.h"
#include "output/text/chart.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

/// Days since 1970.
double day_of(const std::string& date) { return day_number(date).value_or(0); }

std::string date_of(double number) {
  const std::chrono::year_month_day day{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(std::lround(number))))};
  const auto two = [](unsigned value) { return (value < 10 ? "-0" : "-") + std::to_string(value); };
  return std::to_string(int{day.year()}) + two(unsigned{day.month()}) + two(unsigned{day.day()});
}

std::string dollars_text(double dollars) {
  return "$" + (dollars < 10 ? fixed_text(dollars, 2) : fixed_text(dollars, 1));
}

/// Without the first so many days.
Table history_table(const HistoryReport& report, std::size_t left_out = 0) {
  Table table({{.title = "DATE", .key = "date"},
               {.title = "LOWEST", .align = Align::kRight, .unit = "per GPU-hour", .key = "lowest_usd_per_gpu_hour"},
               {.title = "MEDIAN", .align = Align::kRight, .unit = "per GPU-hour", .key = "median_usd_per_gpu_hour"},
               {.title = "HIGHEST", .align = Align::kRight, .unit = "per GPU-hour", .key = "highest_usd_per_gpu_hour"},
               {.title = "OFFERS", .align = Align::kRight, .key = "offers"},
               {.title = "PROVIDERS", .narrowest = 12, .wrap = true, .key = "providers"}});
  const auto price = [](double dollars) { return Cell(dollars, dollars_text(dollars)); };
  for (const HistoryRow& row : std::span(report.rows).subspan(left_out))
    table.add({row.day, price(row.lowest), price(row.median), price(row.highest),
               Cell(static_cast<double>(row.offers), count_text(static_cast<double>(row.offers))),
               printable(join(row.providers, ", "), 200)});
  return table;
}

std::string history_title(const HistoryReport& report) {
  return printable(report.gpu, 60) + ", " + printable(report.what, 100);
}

/// By how much the median moved from the first day to the last, and in a month of that where they lie weeks apart and
/// others between them; nullopt: there is one day.
struct Slope {
  double whole = 0;  ///< as shares: -0.2 is 20% less
  std::optional<double> month{};
};
std::optional<Slope> slope_of(const HistoryReport& report) {
  if (report.rows.size() < 2 || report.rows.front().median <= 0) return std::nullopt;
  const double times = report.rows.back().median / report.rows.front().median;
  const double days = day_of(report.rows.back().day) - day_of(report.rows.front().day);
  if (days <= 0) return std::nullopt;
  Slope slope{times - 1, std::nullopt};
  // Of two days next to each other nobody knows what a month brings.
  constexpr std::size_t kLeastDays = 3;
  constexpr double kShortest = 21;
  if (report.rows.size() >= kLeastDays && days >= kShortest) slope.month = std::pow(times, kDaysOfMonth / days) - 1;
  return slope;
}

std::string signed_percent(double share) {
  const std::string digits = fixed_text(std::abs(share) * 100, std::abs(share) < 0.1 ? 1 : 0);
  return (share < 0 ? "-" : "+") + digits + "%";
}

std::string slope_words(const HistoryReport& report, const Slope& slope) {
  const HistoryRow &first = report.rows.front(), &last = report.rows.back();
  std::string text = "Median " + dollars_text(first.median) + " on " + first.day + ", " + dollars_text(last.median) +
                     " on " + last.day + ": " + signed_percent(slope.whole) +
                     (slope.month ? ", " + signed_percent(*slope.month) + " a month." : ".");
  if (first.providers != last.providers) text += " Other providers are in it: --provider compares one with itself.";
  return text;
}

}  // namespace

std::vector<HistoryRow> history_rows(const PriceHistory& history, const std::string& since) {
  std::vector<HistoryRow> rows;
  for (const std::string& day : history.days) {
    if (day < since) continue;
    std::vector<double> prices;
    std::set<std::string> providers;
    for (const PastPrice& one : history.prices) {
      if (one.from > day || (!one.to.empty() && one.to <= day)) continue;
      prices.push_back(one.price);
      providers.insert(one.provider);
    }
    if (prices.empty()) continue;
    std::ranges::sort(prices);
    const std::size_t half = prices.size() / 2;
    rows.push_back({day,
                    prices.front(),
                    prices.size() % 2 == 1 ? prices[half] : (prices[half - 1] + prices[half]) / 2,
                    prices.back(),
                    prices.size(),
                    {providers.begin(), providers.end()}});
  }
  return rows;
}

std::string history_text(const HistoryReport& report, const Screen& screen) {
  std::string text = heading(history_title(report), screen);
  if (const auto slope = slope_of(report)) text += paragraph(slope_words(report, *slope), screen) + '\n';
  constexpr std::size_t kDaysShown = 20;
  const std::size_t left = report.rows.size() > kDaysShown && !screen.markdown() ? report.rows.size() - kDaysShown : 0;
  text += history_table(report, left).text(screen);
  if (left > 0)
    text += '\n' + paragraph("The last " + std::to_string(kDaysShown) + " of " + std::to_string(report.rows.size()) +
                                 " days on which a list came; --csv has all.",
                             screen);
  if (report.rows.size() < 2) return text;
  std::vector<ChartPoint> points;
  for (const HistoryRow& row : report.rows) {
    const double x = day_of(row.day);
    points.push_back({x, row.highest, "+", 0, false, Paint::kDim, {}, {}});
    points.push_back({x, row.lowest, "-", 1, false, Paint::kGreen, {}, {}});
    points.push_back({x, row.median, "o", 2, false, Paint::kBold, {}, {}});
  }
  constexpr int kRows = 12;
  const ChartAxis days{"day", date_of}, dollars{"$ per GPU-hour", dollars_text};
  if (screen.markdown()) return text;
  text += '\n' + scatter_text(points, days, dollars, kRows, screen);
  return text + paragraph("o median, - lowest, + highest", screen);
}

std::string history_json(const HistoryReport& report) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/prices-history@1");
  json.member("gpu", report.gpu).member("what", report.what).key("days").begin_array();
  for (const HistoryRow& row : report.rows)
    json.begin_object(true)
        .member("date", row.day)
        .member("lowest_usd_per_gpu_hour", row.lowest)
        .member("median_usd_per_gpu_hour", row.median)
        .member("highest_usd_per_gpu_hour", row.highest)
        .member("offers", row.offers)
        .member("providers", row.providers)
        .end();
  json.end();
  const auto slope = slope_of(report);
  json.member("median_change", slope ? std::optional(slope->whole) : std::nullopt);
  json.member("median_change_per_month", slope ? slope->month : std::nullopt).end();
  return json.take();
}

std::string history_csv(const HistoryReport& report) { return history_table(report).csv(); }

std::string history_svg(const HistoryReport& report) {
  constexpr double kWidth = 760, kHeight = 400, kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;
  std::vector<double> days, prices;
  for (const HistoryRow& row : report.rows) {
    days.push_back(day_of(row.day));
    for (const double price : {row.lowest, row.median, row.highest}) prices.push_back(price);
  }
  const auto escaped = [](std::string_view words) {
    std::string safe;
    for (const char c : words) safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return safe;
  };
  const auto number = [](double value) { return fixed_text(value, 1); };
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) + " " + number(kHeight) +
      "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
      "height=\"100%\" fill=\"#fff\"/>\n<text x=\"" +
      number(kLeft) + "\" y=\"22\" font-size=\"15\">" + escaped(history_title(report)) + ", $ per GPU-hour</text>\n";
  if (days.empty()) return svg + "</svg>\n";
  const ChartScale across(days), up(prices);
  const auto x = [&](double day) { return kLeft + across.position(day) * (kWidth - kLeft - kRight); };
  const auto y = [&](double price) { return kHeight - kBottom - up.position(price) * (kHeight - kTop - kBottom); };
  const auto label = [&](double at, double height, std::string_view anchor, const std::string& words) {
    svg.append("<text x=\"").append(number(at)).append("\" y=\"").append(number(height));
    svg.append("\" text-anchor=\"").append(anchor).append("\" fill=\"#555\">").append(words).append("</text>\n");
  };
  for (const double tick : up.ticks(6)) {
    svg.append("<path d=\"M").append(number(kLeft)).append(" ").append(number(y(tick))).append("H");
    svg.append(number(kWidth - kRight)).append("\" stroke=\"#ddd\"/>\n");
    label(kLeft - 8, y(tick) + 4, "end", dollars_text(tick));
  }
  label(x(days.front()), kHeight - kBottom + 20, "start", report.rows.front().day);
  if (days.size() > 1) label(x(days.back()), kHeight - kBottom + 20, "end", report.rows.back().day);
  struct Line {
    double HistoryRow::* price;
    const char* name;
    const char* colour;
  };
  static constexpr std::array kLines = {Line{&HistoryRow::highest, "highest", "#bbb"},
                                        Line{&HistoryRow::lowest, "lowest", "#2a9d4a"},
                                        Line{&HistoryRow::median, "median", "#1f4e9c"}};
  double place = kLeft;
  for (const Line& line : kLines) {
    std::string way;
    for (std::size_t i = 0; i < days.size(); ++i) {
      way += way.empty() ? "M" : "L";
      way.append(number(x(days[i]))).append(" ").append(number(y(report.rows[i].*line.price)));
    }
    svg.append("<path d=\"").append(way).append("\" fill=\"none\" stroke-width=\"2\" stroke=\"");
    svg.append(line.colour).append("\"/>\n<text x=\"").append(number(place)).append("\" y=\"");
    svg.append(number(kHeight - 8)).append("\" fill=\"").append(line.colour).append("\">");
    svg.append(line.name).append("</text>\n");
    place += 80;
  }
  return svg + "</svg>\n";
}

}  // namespace gpuplan
