#include "output/charts/svg/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/sign_run.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr SignSet kPlainInXml = SignSet::printable_ascii("&<>\"", "\n\t");

/// Width of every byte over the size of the text, that of the widest of the usual system fonts.
constexpr std::array<double, 256> kWidths = [] {
  std::array<double, 256> widths{};
  widths.fill(0.64);
  const auto set = [&](std::string_view signs, double width) {
    for (const char sign : signs) widths[static_cast<unsigned char>(sign)] = width;
  };
  for (std::size_t capital = 'A'; capital <= 'Z'; ++capital) widths[capital] = 0.74;
  set("mwMW%@&", 0.99);
  set("frt-\"/\\", 0.43);
  set("iljI.,:;'|!()[] ", 0.40);
  return widths;
}();

}  // namespace

bool is_bold(std::string_view look) {
  const std::string_view first = look.substr(0, look.find(' '));
  return first == "b" || first == "pt";
}

double text_width(std::string_view text, bool bold, double size) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = std::max<std::size_t>(utf8_length(text, at), 1);
    if (bytes == 1) width += kWidths[static_cast<unsigned char>(text[at])];
    else width += std::max(display_width(text.substr(at, bytes)), 1) * (bytes == 2 ? 0.74 : 1.0);
    at += bytes;
  }
  return width * size * (bold ? 1.1 : 1.0);
}

std::string fitted(std::string_view text, double room, bool bold) {
  if (text_width(text, bold) <= room) return std::string(text);
  const double rest = room - text_width("…", bold);
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = std::max<std::size_t>(utf8_length(text, at), 1);
    std::string longer = kept + std::string(text.substr(at, bytes));
    if (text_width(longer, bold) > rest) break;
    kept = std::move(longer);
    at += bytes;
  }
  while (kept.ends_with(' ')) kept.pop_back();
  return kept.empty() ? "" : kept + "…";
}

Box text_box(double x, double y, std::string_view text, Anchor anchor, bool bold) {
  const double width = text_width(text, bold);
  const double from = anchor == Anchor::kStart ? x : anchor == Anchor::kEnd ? x - width : x - width / 2;
  constexpr double kAbove = 10, kBelow = 3;
  return {from, y - kAbove, from + width, y + kBelow};
}

std::string xml_text(std::string_view text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = kPlainInXml.run(text, at);
    safe += text.substr(at, plain);
    at += plain;
    if (at == text.size()) break;
    const std::size_t bytes = utf8_length(text, at);
    const auto c = static_cast<unsigned char>(text[at]);
    if (bytes == 0 || c == 0x7F || (c < 0x20 && c != '\t' && c != '\n')) {
      safe += '?';
      ++at;
      continue;
    }
    const std::string_view one = text.substr(at, bytes);
    at += bytes;
    if (one == "&") safe += "&amp;";
    else if (one == "<") safe += "&lt;";
    else if (one == ">") safe += "&gt;";
    else if (one == "\"") safe += "&quot;";
    else if (one == "\xEF\xBF\xBE" || one == "\xEF\xBF\xBF") safe += '?';  // no characters of XML
    else safe += one;
  }
  return safe;
}

std::string coordinate(double value) {
  const double rounded = std::floor(value * 10 + 0.5) / 10;
  return number_text(rounded == 0 ? 0.0 : rounded);
}

void Canvas::rect(const Box& box, std::string_view look) {
  body_ += "<rect x=\"" + coordinate(box.x0) + "\" y=\"" + coordinate(box.y0) + "\" width=\"" +
           coordinate(std::max(box.x1 - box.x0, 0.0)) + "\" height=\"" + coordinate(std::max(box.y1 - box.y0, 0.0)) +
           "\" " + std::string(look) + "/>";
}

void Canvas::line(double x0, double y0, double x1, double y1, std::string_view look) {
  body_ += "<path d=\"M" + coordinate(x0) + " " + coordinate(y0);
  if (coordinate(y0) == coordinate(y1)) body_ += "H" + coordinate(x1);
  else if (coordinate(x0) == coordinate(x1)) body_ += "V" + coordinate(y1);
  else body_ += "L" + coordinate(x1) + " " + coordinate(y1);
  body_ += "\" class=\"" + std::string(look) + "\"/>";
}

void Canvas::path(const std::vector<std::pair<double, double>>& points, std::string_view look, bool closed) {
  std::string way;
  for (const auto& [x, y] : points) way += (way.empty() ? "M" : "L") + coordinate(x) + " " + coordinate(y);
  body_ += "<path d=\"" + way + (closed ? "Z" : "") + "\" class=\"" + std::string(look) + "\"/>";
}

void Canvas::circle(double x, double y, double radius, std::string_view look) {
  body_ += "<circle cx=\"" + coordinate(x) + "\" cy=\"" + coordinate(y) + "\" r=\"" + coordinate(radius) +
           "\" class=\"" + std::string(look) + "\"/>";
}

void Canvas::text(double x, double y, std::string_view what, std::string_view look, Anchor anchor) {
  if (what.empty()) return;
  texts_.push_back({std::string(what), text_box(x, y, what, anchor, is_bold(look))});
  body_ += "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" class=\"" + std::string(look) + "\"";
  if (anchor != Anchor::kStart) body_ += anchor == Anchor::kEnd ? " text-anchor=\"end\"" : " text-anchor=\"middle\"";
  body_ += ">" + xml_text(what) + "</text>\n";
}

void Canvas::begin(const std::vector<std::string>& tip) {
  body_ += "<g>";
  if (tip.empty()) return;
  body_ += "<title>" + xml_text(join(tip, "\n")) + "</title>";
}

void Canvas::end() { body_ += "</g>\n"; }

bool Canvas::free(const Box& box) const {
  return std::ranges::none_of(texts_, [&](const PlacedText& text) { return text.box.meets(box); });
}

}  // namespace gpuplan
