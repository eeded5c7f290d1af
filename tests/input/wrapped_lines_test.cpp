// Logs inside the lines of what keeps them: what a program wrote is what is read, however its lines are wrapped.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "input/log_fixture.h"

namespace gpuplan {
namespace {

/// What counts of a log, but for its size and the lines that the wrapping adds.
std::string summary(const RunLog& log) {
  std::string text;
  for (const Series* series : {&log.loss, &log.grad_norm, &log.validation, &log.tokens_per_second}) {
    for (const Series::Point& point : series->points())
      text += std::to_string(point.step) + '=' + std::to_string(point.value) + ' ';
    text += '\n';
  }
  for (const LogFormat format : log.formats) text += std::string(name_of(format)) + ' ';
  for (const std::uint64_t events : log.event_counts) text += std::to_string(events) + ' ';
  return text + std::to_string(log.last_step.value_or(-1)) + (log.finished ? " finished" : "");
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (c == '\x1b') out += "\\u001b";
    else if (c == '"' || c == '\\') (out += '\\') += c;
    else out += c;
  }
  return out + '"';
}

constexpr const char* kTime = "2026-05-01T12:00:00.700000000Z";

using Wrap = std::function<std::string(const std::string& line)>;

std::vector<Wrap> wraps() {
  const std::string time = json_string(kTime);
  return {[=](const std::string& l) {
            return R"({"log":)" + json_string(l + "\n") + R"(,"stream":"stderr","time":)" + time + "}\n";
          },
          [=](const std::string& l) {  // fluent-bit: without the end of the line
            return R"({"log": )" + json_string(l) + R"(, "stream": "stdout", "time": )" + time + "}\n";
          },
          [=](const std::string& l) {
            return R"({"textPayload": )" + json_string(l) + R"(, "timestamp": )" + time + R"(, "severity": "ERROR"})" +
                   "\n";
          },
          [=](const std::string& l) {
            return R"({"insertId": "a", "resource": {"labels": {"step": "x", "loss": 3}}, "textPayload": )" +
                   json_string(l) + R"(, "timestamp": )" + time + "}\n";
          },
          [=](const std::string& l) {
            return R"({"jsonPayload": {"message": )" + json_string(l) + R"(, "levelname": "INFO"}, "timestamp": )" +
                   time + "}\n";
          },
          [=](const std::string& l) {
            return R"({"timestamp": 1777636800700, "message": )" + json_string(l) +
                   R"(, "ingestionTime": 1777636800701})" + "\n";
          },
          [=](const std::string& l) {
            return R"({"labels":{"app":"train"},"line":)" + json_string(l) + R"(,"timestamp":)" + time + "}\n";
          },
          [=](const std::string& l) {
            return R"({"__REALTIME_TIMESTAMP":"1777636800700","MESSAGE":)" + json_string(l) + "}\n";
          },
          [=](const std::string& l) {  // gcloud logging read --format json
            return "  {\n    \"insertId\": \"a\",\n    \"textPayload\": " + json_string(l) +
                   ",\n    \"timestamp\": " + time + "\n  },\n";
          },
          [](const std::string& l) { return std::string(kTime) + " stdout F " + l + "\n"; },
          [](const std::string& l) { return "2026-05-01T12:00:00.7+02:00 stderr F:tag " + l + "\n"; }};
}

constexpr const char* kLogs[] = {"nanochat.log",       "nanogpt.log",     "torchtitan-unprefixed.log",
                                 "trainer-output.log", "megatron.log",    "trainer-oom.log",
                                 "litgpt.log",         "nanochat-nan.log"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', at));
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(WrappedLines, AreReadAsTheLinesInThem) {
  for (const std::string name : kLogs) {
    const std::string bytes = log_bytes(name);
    const std::string want = summary(read_text(bytes));
    int number = 0;
    for (const Wrap& wrap : wraps()) {
      std::string text;
      for (const std::string& line : lines_of(bytes)) text += wrap(line);
      EXPECT_EQ(summary(read_text(text)), want) << name << " in form " << number;
      EXPECT_EQ(summary(read_text("[\n" + text + "]\n")), want) << name << " in a list, form " << number;
      EXPECT_EQ(summary(read_text(text, {}, 7)), want) << name << " in pieces, form " << number;
      ++number;
    }
  }
}

/// Containers' runtimes cut lines where they like; the other stream's stand between the parts.
TEST(WrappedLines, PartsAreJoined) {
  std::mt19937 draw(7);
  for (const std::string name : kLogs) {
    const std::string bytes = log_bytes(name);
    const std::string want = summary(read_text(bytes));
    for (int round = 0; round < 5; ++round) {
      std::string text;
      for (const std::string& line : lines_of(bytes)) {
        std::size_t at = 0;
        while (line.size() - at > 2 && draw() % 3 != 0) {
          const std::size_t size = 1 + draw() % (line.size() - at - 1);
          text += std::string(kTime) + " stderr P " + line.substr(at, size) + "\n";
          if (draw() % 2 == 0) text += std::string(kTime) + " stdout F   other words\n";
          at += size;
        }
        text += std::string(kTime) + " stderr F " + line.substr(at) + "\n";
      }
      EXPECT_EQ(summary(read_text(text)), want) << name;
      EXPECT_EQ(summary(read_text(text, {}, 11)), want) << name;
    }
  }
}

TEST(WrappedLines, DockersLongLinesAreJoined) {
  const std::string bar(20000, ' ');
  std::string text;
  for (int step = 1; step <= 20; ++step) {
    const std::string line = bar + "\r{'loss': " + std::to_string(9.0 / step) + ", 'epoch': 1.0}";
    for (const std::string& part : {line.substr(0, 16384), line.substr(16384) + "\n"})
      text += R"({"log":)" + json_string(part) + R"(,"stream":"stderr","time":"2026-05-01T12:00:00Z"})" + "\n";
  }
  EXPECT_EQ(read_text(text).loss.count(), 20U);
}

/// Records of numbers that have words beside them are no wrapped lines.
TEST(WrappedLines, RecordsOfNumbersStayRecords) {
  std::string first, last;
  for (int step = 1; step <= 20; ++step) {
    const std::string numbers = R"("step": )" + std::to_string(step) + R"(, "loss": )" + std::to_string(9.0 / step);
    first += R"({"message": "train", "timestamp": "2026-05-01T12:00:00Z", )" + numbers + "}\n";
    last += "{" + numbers + R"(, "time": "2026-05-01T12:00:00Z", "message": "step 3 loss 4"})" + "\n";
  }
  for (const std::string& text : {first, last}) {
    EXPECT_EQ(read_text(text).loss.count(), 20U) << text.substr(0, 80);
    EXPECT_EQ(read_text("words\n" + text).loss.count(), 20U) << text.substr(0, 80);
  }
}

std::string wide(std::string_view utf8, bool little, bool mark) {
  std::u16string units = mark ? u"\ufeff" : u"";
  for (std::size_t at = 0; at < utf8.size();) {  // of the logs here: up to three bytes a letter
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(utf8[at + i])); };
    unsigned code = byte(0);
    std::size_t size = 1;
    if (code >= 0xE0) code = (code & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU), size = 3;
    else if (code >= 0xC0) code = (code & 0x1FU) << 6U | (byte(1) & 0x3FU), size = 2;
    units += static_cast<char16_t>(code);
    at += size;
  }
  std::string bytes;
  for (const char16_t unit : units) {
    const char low = static_cast<char>(unit & 0xFFU), high = static_cast<char>(unit >> 8U);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

/// PowerShell's `>` writes UTF-16.
TEST(WideLogs, AreReadAsTheirText) {
  for (const std::string name : {"nanochat.log", "trainer-output.log", "trainer_state.json", "jsonl.log", "wandb.csv",
                                 "bars-lightning.log", "megatron.log", "docker.log"}) {
    const std::string text = log_bytes(name);
    const std::string want = summary(read_text(text));
    for (const bool little : {true, false})
      for (const bool mark : {true, false})
        for (const std::size_t piece : {std::string_view::npos, std::size_t{1}, std::size_t{7}})
          EXPECT_EQ(summary(read_text(wide(text, little, mark), {}, piece)), want) << name << little << mark << piece;
  }
}

}  // namespace
}  // namespace gpuplan
