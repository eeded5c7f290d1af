// What charts are drawn on: shapes with classes, and texts that know how much room they take.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuplan {

struct Box {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool meets(const Box& other) const { return x0 < other.x1 && x1 > other.x0 && y0 < other.y1 && y1 > other.y0; }
  bool within(const Box& other) const { return x0 >= other.x0 && x1 <= other.x1 && y0 >= other.y0 && y1 <= other.y1; }
};

enum class Anchor { kStart, kMiddle, kEnd };

struct PlacedText {
  std::string text;
  Box box;
};

inline constexpr double kTextSize = 12;

/// How wide a text is at most, in the system fonts that pages use. `bold` letters are wider.
double text_width(std::string_view text, bool bold = false, double size = kTextSize);
/// Cut with an ellipsis to so much room; empty where not even a letter has any.
std::string fitted(std::string_view text, double room, bool bold = false);
/// Where a text lies whose baseline starts, ends or is centred at (x, y).
Box text_box(double x, double y, std::string_view text, Anchor anchor, bool bold = false);

/// Text as XML holds it.
std::string xml_text(std::string_view text);
/// A coordinate, to a tenth: "12.3", "-4", "7".
std::string coordinate(double value);

class Canvas {
 public:
  void rect(const Box& box, std::string_view look);
  void line(double x0, double y0, double x1, double y1, std::string_view look);
  void path(const std::vector<std::pair<double, double>>& points, std::string_view look, bool closed = false);
  void circle(double x, double y, double radius, std::string_view look);
  /// `look`: "b" and "pt" are bold.
  void text(double x, double y, std::string_view what, std::string_view look, Anchor anchor = Anchor::kStart);

  /// What is drawn until end() is one mark, which says this when the reader points at it.
  void begin(const std::vector<std::string>& tip);
  void end();

  /// No text lies there yet.
  bool free(const Box& box) const;
  const std::vector<PlacedText>& texts() const { return texts_; }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
  std::vector<PlacedText> texts_;
};

bool is_bold(std::string_view look);

}  // namespace gpuplan
