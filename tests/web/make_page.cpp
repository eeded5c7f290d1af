// Writes a page from its parts: for tests, which give it reports that no job comes to.
//   gpuplan_make_page SHELL REPORT PLAN QUESTION ENGINE KNOBS > page.html
// Each is a file; "-" stands for none. KNOBS: a line each, group|address|title|now|hint|choice,choice.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.h"
#include "output/page/page.h"

namespace {

std::string file(const char* name) {
  if (std::string(name) == "-") return {};
  std::ifstream stream(name, std::ios::binary);
  if (!stream) std::cerr << name << ": cannot be read\n";
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int count, char** words) {
  if (count != 7) return 2;
  const std::string shell = file(words[1]), report = file(words[2]), plan = file(words[3]), question = file(words[4]),
                    engine = file(words[5]), lines = file(words[6]);
  std::vector<gpuplan::Knob> knobs;
  for (const std::string_view line : gpuplan::split(lines, '\n')) {
    const auto parts = gpuplan::split(line, '|');
    if (parts.size() < 6) continue;
    gpuplan::Knob knob{std::string(parts[0]), std::string(parts[1]), std::string(parts[2]), std::string(parts[3]),
                       std::string(parts[4])};
    for (const std::string_view choice : gpuplan::split(parts[5], ',')) knob.choices.emplace_back(choice);
    knobs.push_back(std::move(knob));
  }
  const auto page = gpuplan::page_of(
      {.shell = shell, .report = report, .plan = plan, .question = question, .engine = engine, .knobs = knobs});
  if (!page) {
    std::cerr << page.error().message << "\n";
    return 1;
  }
  std::fwrite(page->data(), 1, page->size(), stdout);
}
