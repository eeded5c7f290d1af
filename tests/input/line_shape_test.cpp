// Lines that are read by the shape of one before them say what they say by themselves.
#include "input/logs/fields/line_shape.h"

#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/random.h"
#include "input/log_fixture.h"
#include "input/logs/formats/keywords.h"

namespace gpuplan {
namespace {

std::vector<LogField> fields_alone(std::string_view text) {
  std::vector<LogField> fields;
  LogFields all(text);
  for (LogField field; all.next(field);) fields.push_back(field);
  return fields;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const std::vector<LogField>& by_shape, const std::vector<LogField>& alone, std::string_view text) {
  ASSERT_EQ(by_shape.size(), alone.size()) << text;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const LogField &a = by_shape[i], &b = alone[i];
    EXPECT_TRUE(a.name.data() == b.name.data() && a.name.size() == b.name.size()) << text << ": " << b.name;
    EXPECT_TRUE(same(a.value, b.value) && same(a.total, b.total)) << text << ": " << a.value << " for " << b.value;
    EXPECT_TRUE(a.unit == b.unit && a.fraction == b.fraction && a.mebi == b.mebi && a.gibi == b.gibi &&
                a.bracketed == b.bracketed && a.measure.has_value() == b.measure.has_value())
        << text << ": " << b.name;
    const NamedValue known = meaning_of(a), asked = meaning_of(b);
    EXPECT_TRUE(known.kind == asked.kind && known.quantity == asked.quantity && known.scale == asked.scale)
        << text << ": " << b.name;
  }
}

std::vector<LineShapes::Finding> found_alone(std::string_view text) {
  std::vector<LineShapes::Finding> found;
  find_sentences(text, found);
  return found;
}

/// Other digits, here and there more of them, fewer blanks, another sign.
std::string varied(std::string_view line, Random& random) {
  std::string text;
  for (const char c : line) {
    const double chance = random.uniform01();
    if (is_digit(c) && chance < 0.5) text += static_cast<char>('0' + static_cast<int>(random.uniform01() * 10));
    else if (c == ' ' && chance < 0.04) text += "  ";
    else if (c == ' ' && chance < 0.06) continue;
    else if (c == '.' && chance < 0.05) text += '7';
    else if (is_digit(c) && chance > 0.97) text += '-';
    else text += c;
    if (is_digit(c) && chance > 0.95) text += c;
  }
  return text;
}

void expect_read_alike(LineShapes& shapes, std::string_view text, std::size_t& by_shape) {
  const LineShape* const shape = shapes.find(text);
  const auto alone = found_alone(text);
  if (shape == nullptr) shapes.learn(text, alone);
  expect_same(shapes.fields(text), fields_alone(text), text);
  if (shape == nullptr) return;
  ++by_shape;
  ASSERT_EQ(shape->found().size(), alone.size()) << text;
  for (std::size_t i = 0; i < alone.size(); ++i)
    EXPECT_TRUE(shape->found()[i].what == alone[i].what && shape->place(shape->found()[i]) == alone[i].at) << text;
}

TEST(LineShape, SaysWhatTheLineSays) {
  Random random(18);
  LineShapes shapes;
  std::size_t by_shape = 0;
  for (const auto& file : std::filesystem::directory_iterator(GPUPLAN_SOURCE_DIR "/tests/logs")) {
    if (file.path().extension() != ".log") continue;
    std::istringstream in(log_bytes(file.path().filename().string()));
    for (std::string line; std::getline(in, line);) {
      if (line.size() > 400) continue;
      expect_read_alike(shapes, line, by_shape);
      for (int i = 0; i < 20; ++i) expect_read_alike(shapes, varied(line, random), by_shape);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(by_shape, 1000u);
}

TEST(LineShape, IsOfTheLineThatWasAskedForLast) {
  LineShapes shapes;
  std::string line = "step 10 | loss 3.25";
  ASSERT_EQ(shapes.find(line), nullptr);
  shapes.learn(line, {});
  EXPECT_EQ(shapes.fields(line).back().value, 3.25);
  line = "step 11 | loss 3.75";  // at the same place
  ASSERT_NE(shapes.find(line), nullptr);
  EXPECT_EQ(shapes.fields(line).back().value, 3.75);
  EXPECT_EQ(shapes.find("step 12 | loss nan"), nullptr);
  EXPECT_EQ(shapes.find("step 12 | loss 3"), nullptr);
  EXPECT_EQ(shapes.find("step 12 | loss 3.5 "), nullptr);
  EXPECT_EQ(shapes.find("step 12 | loss-3.5"), nullptr);
}

/// What follows from a line does not depend on what was read before it.
TEST(LineShape, LeavesLogsAsTheyAre) {
  const std::string lines =
      "step 1/90 | train loss: 3.5 | 250ms/step\nstep 2/90 | train loss: 3.25 | 250ms/step\n"
      "step 3/90 | train loss: 3.0 | 250ms/step\n";
  const RunLog first = read_text(lines);
  read_text("step 1/90 | train loss: 7.5 | 950ms/step\ncompleted step: 4, seconds: 2.5, loss: 9.5\n");
  const RunLog again = read_text(lines, {}, 7);
  for (const RunLog* log : {&first, &again}) {
    EXPECT_EQ(log->last_step, 3);
    EXPECT_EQ(log->loss.last().value, 3.0);
    EXPECT_EQ(log->step_seconds.count(), 3u);
  }
}

}  // namespace
}  // namespace gpuplan
