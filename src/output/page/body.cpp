#include "output/page/body.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/text.h"
#include "output/page/html_text.h"
#include "output/page/prose.h"

namespace gpuplan {
namespace page {
namespace {

using Json = nlohmann::ordered_json;

const Json kNothing;

const Json& member_of(const Json& json, const char* name) {
  if (!json.is_object()) return kNothing;
  const auto found = json.find(name);
  return found == json.end() ? kNothing : *found;
}

std::string text_of(const Json& json) { return json.is_string() ? json.get<std::string>() : std::string(); }
std::string text_of(const Json& json, const char* name) { return text_of(member_of(json, name)); }
bool flag_of(const Json& json, const char* name) {
  return member_of(json, name).is_boolean() && member_of(json, name).get<bool>();
}
std::string shown(const Json& json, const char* name) { return html_text(text_of(json, name)); }

/// A key as part of an id or a class: letters, digits and hyphens.
std::string key_of(std::string_view text) {
  std::string key;
  for (const char c : text) key += is_letter(c) || is_digit(c) ? c : '-';
  return key;
}

/// "each_plan" as "Each plan".
std::string short_name(std::string key) {
  std::ranges::replace(key, '_', ' ');
  std::ranges::replace(key, '-', ' ');
  if (!key.empty() && key[0] >= 'a' && key[0] <= 'z') key[0] = static_cast<char>(key[0] - 'a' + 'A');
  return key;
}

/// Lines of a text, a line each.
std::string lines_html(std::string_view text) {
  std::string html = html_text(text);
  for (std::size_t place = html.find('\n'); place != std::string::npos; place = html.find('\n', place + 5))
    html.replace(place, 1, "<br>");
  return html;
}

/// The unit that the figures of a column are in, by its key; "" where they have none.
std::string_view unit_of(std::string_view key) {
  if (key.ends_with("_range")) key.remove_suffix(std::string_view("_range").size());
  const auto is = [&](std::string_view end) { return key == end || key.ends_with("_" + std::string(end)); };
  if (key.contains("usd_per_hour") || key.contains("usd_per_gpu_hour")) return "$/h";
  if (is("usd")) return "$";
  if (is("hours") || is("hour")) return "h";
  if (key.ends_with("_per_second") || key.ends_with("_a_gpu")) return "1/s";
  if (is("seconds") || key.starts_with("seconds_per")) return "s";
  if (is("gib")) return "GiB";
  if (key.ends_with("_p90") && key.contains("gib")) return "GiB";
  return is("share") || key.starts_with("chance") || key == "utilisation" ? "of 1" : "";
}

std::string unit_attribute(std::string_view key) {
  const std::string_view unit = unit_of(key);
  return unit.empty() ? std::string() : " data-unit=\"" + html_text(unit) + "\"";
}

struct Column {
  std::size_t place;  ///< in the cells of a row
  std::string key, title;
  bool right;
};

std::string cell_of(const Json& row, std::size_t place) {
  const Json& cells = member_of(row, "cells");
  return cells.is_array() && place < cells.size() ? text_of(cells[place]) : std::string();
}

/// Those that say something in a row at least.
std::vector<Column> columns_of(const Json& table) {
  std::vector<Column> columns;
  std::size_t place = 0;
  for (const Json& column : member_of(table, "columns")) {
    const bool speaks =
        std::ranges::any_of(member_of(table, "rows"), [&](const Json& row) { return !cell_of(row, place).empty(); });
    if (speaks) columns.push_back({place, text_of(column, "key"), text_of(column, "title"), flag_of(column, "right")});
    ++place;
  }
  return columns;
}

/// What a row is, for those who see no colour; empty: nothing of note.
/// "9%" and "> 99%" in percent; 0: none.
double percent_in(std::string_view text) {
  double percent = 0;
  for (const char c : text)
    if (is_digit(c)) percent = percent * 10 + (c - '0');
  return text.starts_with('<') ? 0 : percent;
}

const char* word_of_mark(const std::string& mark) {
  if (mark == "pick") return "recommended";
  if (mark == "best") return "best trade-off";
  return mark == "beaten" ? "beaten" : "";
}

class Body {
 public:
  explicit Body(std::span<const DrawnChart> charts) : charts_(charts) {}

  void head(const Json& head) {
    const auto part = [&](const char* before, const char* name) {
      const std::string text = shown(head, name);
      return text.empty() ? text : "<span>" + (before + text) + "</span>";
    };
    html_ += "<header class=\"head\"><p class=\"made\">" + part("Made ", "made") + part("Prices: ", "prices") +
             "</p><h1>" + html_text(title_of(head)) + "</h1>";
    if (const std::string goal = text_of(head, "goal"); !goal.empty())
      html_ += "<div class=\"goal prose\">" + prose_html(goal) + "</div>";
    html_ += "</header>";
  }

  void section(const Json& section, bool answer) {
    const Json& blocks = member_of(section, "blocks");
    const std::string finding = shown(section, "finding");
    if (finding.empty() && (!blocks.is_array() || blocks.empty())) return;
    const std::string heading =
        "<h2><span class=\"question\">" + shown(section, "title") + "</span>" +
        (finding.empty()
             ? ""
             : " <span class=\"finding" +
                   std::string(finding.size() - (answer ? figures_in(finding).size() : 0) > kLongFinding ? " long"
                                                                                                         : "") +
                   "\">" + (answer ? without_figures(finding) : finding) + "</span>") +
        "</h2>";
    const std::string key = key_of(text_of(section, "key"));
    contents_ += "<li><a href=\"#s-" + key + "\">" + html_text(short_name(text_of(section, "key"))) + "</a></li>";
    html_ += "<section id=\"s-" + key + "\"" +
             (answer ? " class=\"answer\">" + answer_blocks(heading, blocks) : ">" + heading + blocks_html(blocks, 0)) +
             "</section>";
  }

  void foot(const Json& head) {
    const std::string command = shown(head, "command");
    html_ += "<footer class=\"foot\"><p>gpuplan " + shown(head, "version");
    if (const std::string made = shown(head, "made"); !made.empty()) html_ += ", " + made;
    if (!command.empty()) html_ += ". Made again by <code>" + command + "</code>";
    html_ += "</p></footer>";
  }

  static std::string title_of(const Json& head) {
    std::string title = text_of(head, "title");
    if (title.empty()) title = "Plan";
    return title;
  }

  std::string take() { return std::move(html_); }
  std::string take_contents() { return std::move(contents_); }

 private:
  /// Time and cost stand large under the answer: who sees them there need not read them in its sentence (answer_words()
  /// of the report).
  static constexpr std::string_view kPlanFor = ". Plan for ";
  static std::string without_figures(const std::string& finding) {
    const std::string_view figures = figures_in(finding);
    if (figures.empty()) return finding;
    const auto from = static_cast<std::size_t>(figures.data() - finding.data());
    return finding.substr(0, from) + "<span class=\"unseen\">" + std::string(figures) + "</span>" +
           finding.substr(from + figures.size());
  }
  static std::string_view figures_in(std::string_view finding) {
    const std::size_t from = finding.find(kPlanFor);
    if (from == std::string_view::npos) return {};
    const std::size_t end = std::min({finding.find("; ", from), finding.find(". ", from + 1), finding.size() - 1});
    return finding.substr(from, end - from);
  }

  /// The pick's figures large, the first reasons beside them, and then the rest.
  std::string answer_blocks(const std::string& heading, const Json& blocks) {
    constexpr std::size_t kBeside = 4;
    std::string texts, aside, rest, more;
    bool had_table = false;
    for (const Json& block : blocks) {
      const std::string kind = text_of(block, "kind");
      if (kind == "table" && !had_table) {
        had_table = true;
        texts.insert(0, figures(block));
        rest += block_html(block, 0);
      } else if (kind == "text" && !had_table) {
        texts += block_html(block, 0);
      } else if (kind == "list" && aside.empty() && !flag_of(block, "ordered")) {
        Json first = Json::array(), others = Json::array();
        for (const Json& item : member_of(block, "items")) (first.size() < kBeside ? first : others).push_back(item);
        aside = list(first, false);
        if (!others.empty())
          more = "<details class=\"fold\"><summary>More about this plan</summary>" + list(others, false) + "</details>";
      } else {
        rest += block_html(block, 0);
      }
    }
    std::string top = "<div class=\"top\"><div>" + heading + texts + "</div>";
    if (!aside.empty()) top += "<div class=\"aside\"><h3>In short</h3>" + aside + "</div>";
    return top + "</div>" + rest + more;
  }

  /// Figures of the row of the pick; a range goes under the figure before it.
  static std::string figures(const Json& table) {
    const Json& rows = member_of(table, "rows");
    const auto pick = std::ranges::find_if(rows, [](const Json& row) { return text_of(row, "mark") == "pick"; });
    if (!rows.is_array() || pick == rows.end()) return {};
    struct Figure {
      std::string title, text, range;
    };
    std::vector<Figure> figures;
    for (const Column& column : columns_of(table)) {
      const std::string text = cell_of(*pick, column.place);
      if (!column.right || text.empty()) continue;
      // Where the recommended plan is hardly apart from others the share of cases says nothing of it.
      if (column.key == "chance_best" && std::ranges::any_of(rows, [&](const Json& row) {
            return percent_in(cell_of(row, column.place)) > percent_in(text);
          }))
        continue;
      const bool range = text.find(kRangeDash) != std::string::npos;
      if (range && !figures.empty() && figures.back().range.empty()) figures.back().range = column.title + ": " + text;
      else if (!range) figures.push_back({column.title, text, {}});
    }
    constexpr std::size_t kMost = 4;
    if (figures.size() > kMost) figures.resize(kMost);
    if (figures.empty()) return {};
    std::string html = "<dl class=\"figures\">";
    for (const Figure& figure : figures)
      html += "<div><dt>" + html_text(figure.title) + "</dt><dd><b>" + html_text(figure.text) + "</b>" +
              (figure.range.empty() ? "" : "<small>" + html_text(figure.range) + "</small>") + "</dd></div>";
    return html + "</dl>";
  }

  // NOLINTNEXTLINE(misc-no-recursion): folds in folds, as deep as the report was written
  std::string blocks_html(const Json& blocks, int depth) {
    std::string html;
    for (const Json& block : blocks) html += block_html(block, depth);
    return html;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  std::string block_html(const Json& block, int depth) {
    const std::string kind = text_of(block, "kind");
    if (kind == "table") return table(block);
    if (kind == "chart") return chart(member_of(block, "chart"));
    if (kind == "text") {
      const std::string text = lines_html(text_of(block, "text"));
      if (text.empty()) return {};
      return flag_of(block, "strong") ? "<p><strong>" + text + "</strong></p>" : "<p>" + text + "</p>";
    }
    if (kind == "note") return "<p class=\"note\">" + lines_html(text_of(block, "text")) + "</p>";
    if (kind == "list") return list(member_of(block, "items"), flag_of(block, "ordered"));
    if (kind == "checks") return checks(member_of(block, "items"));
    if (kind == "code")
      return "<div class=\"code\"><pre tabindex=\"0\"><code>" + shown(block, "text") + "</code></pre></div>";
    if (kind == "prose") return "<div class=\"prose\">" + prose_html(text_of(block, "markdown")) + "</div>";
    if (kind == "links") return links(block);
    if (kind != "fold") return {};
    const std::string inside = depth < kDeepest ? blocks_html(member_of(block, "blocks"), depth + 1) : "";
    if (inside.empty()) return {};
    return "<details class=\"fold\"><summary>" + shown(block, "title") + "</summary>" + inside + "</details>";
  }

  static std::string list(const Json& items, bool ordered) {
    if (!items.is_array() || items.empty()) return {};
    std::string html = ordered ? "<ol>" : "<ul>";
    for (const Json& item : items) html += "<li>" + lines_html(text_of(item)) + "</li>";
    return html + (ordered ? "</ol>" : "</ul>");
  }

  /// Files beside the page. Only what lies below its folder.
  static std::string links(const Json& block) {
    std::string html;
    for (const Json& link : member_of(block, "links")) {
      const std::string path = text_of(link, "path");
      if (path.starts_with('/') || path.contains("..") || path.contains(':')) continue;
      html +=
          std::string(html.empty() ? "" : ", ") + "<a href=\"" + html_text(path) + "\">" + shown(link, "name") + "</a>";
    }
    return html.empty() ? html : "<p>" + shown(block, "text") + ": " + html + "</p>";
  }

  static std::string checks(const Json& items) {
    if (!items.is_array() || items.empty()) return {};
    std::string html = "<ul class=\"checks\">";
    for (const Json& item : items)
      html += "<li><label><input type=\"checkbox\"> <span>" + lines_html(text_of(item)) + "</span></label></li>";
    return html + "</ul>";
  }

  static std::string table(const Json& table) {
    const Json& rows = member_of(table, "rows");
    const std::vector<Column> columns = columns_of(table);
    if (!rows.is_array() || rows.empty() || columns.empty()) return {};
    std::string html = "<div class=\"table\" data-key=\"" + key_of(text_of(table, "key")) + "\"><table>";
    if (const std::string caption = shown(table, "caption"); !caption.empty())
      html += "<caption>" + caption + "</caption>";
    html += "<thead><tr>";
    for (const Column& column : columns)
      html += std::string("<th scope=\"col\"") + (column.right ? " class=\"r\"" : "") + " data-key=\"" +
              html_text(column.key) + "\"" + unit_attribute(column.key) + ">" + html_text(column.title) + "</th>";
    html += "</tr></thead><tbody>";
    const auto named = std::ranges::find_if(columns, [](const Column& column) { return !column.right; });
    const std::size_t name = named == columns.end() ? 0 : static_cast<std::size_t>(named - columns.begin());
    for (const Json& row : rows) {
      const std::string mark = text_of(row, "mark");
      const std::string classes =
          mark + (flag_of(row, "strong") ? std::string(mark.empty() ? "strong" : " strong") : std::string());
      html += classes.empty() ? "<tr>" : "<tr class=\"" + html_text(classes) + "\">";
      for (std::size_t i = 0; i < columns.size(); ++i)
        html += cell(row, columns[i], i == name, i == name ? word_of_mark(mark) : "");
      html += "</tr>";
    }
    return html + "</tbody></table></div>";
  }

  /// Names without blanks may break where they would push other columns out of sight.
  static std::string breakable_html(std::string_view text) {
    constexpr std::size_t kLongest = 28;  // bytes of a word
    std::string html;
    std::size_t from = 0, word = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      word = text[at] == ' ' || text[at] == '\n' ? 0 : word + 1;
      const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
      if (word <= kLongest || !begins) continue;
      html += lines_html(std::string(text.substr(from, at - from))) + "<wbr>";
      from = at;
      word = 1;
    }
    return html + lines_html(std::string(text.substr(from)));
  }

  static std::string cell(const Json& row, const Column& column, bool name, std::string_view word) {
    const char* element = name ? "th" : "td";
    const std::string text = cell_of(row, column.place);
    std::string html = std::string("<") + element + (name ? " scope=\"row\"" : "");
    if (column.right) html += " class=\"r\"";
    if (text.empty()) html += " data-empty";
    html += " data-label=\"" + html_text(column.title) + "\"";
    const Json& values = member_of(row, "values");
    if (values.is_array() && column.place < values.size() && values[column.place].is_number())
      html += " data-value=\"" + number_text(values[column.place].get<double>()) + "\"";
    const Json& ends = member_of(row, "ends");
    if (ends.is_array() && column.place < ends.size() && ends[column.place].is_number())
      html += " data-end=\"" + number_text(ends[column.place].get<double>()) + "\"";
    html += ">" + breakable_html(text);
    if (!word.empty()) html += "<span class=\"unseen\"> (" + std::string(word) + ")</span>";
    return html + "</" + element + ">";
  }

  std::string chart(const Json& chart) const {
    if (!chart.is_object()) return {};
    const std::string key = text_of(chart, "key");
    const auto drawn = std::ranges::find(charts_, key, &DrawnChart::key);
    const bool shown_now = drawn != charts_.end() && !drawn->svg.empty();
    std::string html =
        "<figure class=\"chart\" data-chart=\"" + html_text(key) + "\" data-kind=\"" + shown(chart, "kind") + "\">";
    const std::string title = shown(chart, "title"), finding = shown(chart, "finding");
    if (!title.empty()) html += "<h3>" + title + (finding.empty() ? "" : " <span>" + finding + "</span>") + "</h3>";
    html += "<div class=\"plot\">" + (shown_now ? picture_html(drawn->svg) : std::string()) + "</div>";
    if (const std::string caption = shown(chart, "caption"); !caption.empty())
      html += "<figcaption>" + caption + "</figcaption>";
    return html + numbers(chart, !shown_now) + "</figure>";
  }

  /// Each mark that has something to say, in a row.
  static std::string numbers(const Json& chart, bool open) {
    std::vector<std::pair<std::string, std::string>> rows;
    bool more = false;
    for (const Json& mark : member_of(chart, "marks")) {
      const std::string label = text_of(mark, "label");
      std::vector<std::string> lines;
      for (const Json& line : member_of(mark, "tip")) lines.push_back(text_of(line));
      if (label.empty() && lines.empty()) continue;
      const std::string name = lines.empty() ? label : lines.front();
      if (!lines.empty()) lines.erase(lines.begin());
      else if (const std::string note = text_of(mark, "note"); !note.empty()) lines.push_back(note);
      more = more || !lines.empty();
      std::pair row{html_text(name), html_text(join(lines, "; "))};
      if (std::ranges::find(rows, row) == rows.end()) rows.push_back(std::move(row));
    }
    if (rows.empty()) return {};
    std::string html = std::string("<details class=\"numbers\"") + (open ? " open" : "") +
                       "><summary>These numbers as a table</summary><div class=\"table\"><table><thead><tr><th "
                       "scope=\"col\">What</th>" +
                       (more ? "<th scope=\"col\">Figures</th>" : "") + "</tr></thead><tbody>";
    for (const auto& [name, figures] : rows)
      html += "<tr><th scope=\"row\" data-label=\"What\">" + name + "</th>" +
              (more ? "<td data-label=\"Figures\">" + figures + "</td>" : "") + "</tr>";
    return html + "</tbody></table></div></details>";
  }

  static constexpr int kDeepest = 8;
  static constexpr std::size_t kLongFinding = 90;  // bytes: set smaller

  std::span<const DrawnChart> charts_;
  std::string html_{}, contents_{};
};

}  // namespace
}  // namespace page

Result<PageBody> page_body(std::string_view report, std::span<const DrawnChart> charts) {
  const page::Json document = page::Json::parse(report, nullptr, false);
  if (!page::member_of(document, "report").is_number() || !page::member_of(document, "sections").is_array())
    return failure("is no report; expected what gpuplan report makes");
  const page::Json& head = page::member_of(document, "head");
  page::Body body(charts);
  body.head(head);
  bool first = true;
  for (const page::Json& section : page::member_of(document, "sections"))
    body.section(section, std::exchange(first, false));
  body.foot(head);
  return PageBody{page::Body::title_of(head), body.take_contents(), body.take()};
}

}  // namespace gpuplan
