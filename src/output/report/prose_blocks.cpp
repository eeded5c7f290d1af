// The user's own words, each in the section that it is about.
#include <optional>

#include "base/text.h"
#include "output/prose/prose_text.h"
#include "output/report/report_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

struct Placed {
  std::string_view section;
  std::string heading;  ///< over the words; empty: none
};

/// Where a piece goes. Nothing for what stands in the head.
std::optional<Placed> place_of(const ProsePiece& piece) {
  const std::string about = printable(piece.about, 100);
  if (piece.about == "job") {
    if (piece.key == "title" || piece.key == "purpose") return std::nullopt;
    return Placed{"work", piece.key == "tasks" ? "By hand" : ""};
  }
  if (piece.about.starts_with("phase ")) {
    const std::string name = about.substr(std::string_view("phase ").size());
    if (piece.key == "expect") return Placed{"run", "What " + name + " should give"};
    if (piece.key == "quality.good") return Placed{"run", name + " went well when"};
    if (piece.key == "quality.bad") return Placed{"trouble", name + " went wrong when"};
    if (piece.key == "quality.do") return Placed{"trouble", "Then do this for " + name};
    if (piece.key == "tasks") return Placed{"work", "By hand in " + name};
    if (piece.key == "notes") return Placed{"work", "Notes on " + name};
    return Placed{"work", name};
  }
  if (piece.about.starts_with("option ") || piece.about.starts_with("variant "))
    return Placed{"choice", upper_first(about)};
  return Placed{"machines", upper_first(about)};
}

}  // namespace

std::vector<ReportBlock> prose_blocks(const Job& job, std::string_view section) {
  std::vector<ReportBlock> blocks;
  for (const ProsePiece& piece : prose_pieces(job)) {
    const std::optional<Placed> place = place_of(piece);
    if (!place || place->section != section) continue;
    if (!place->heading.empty()) blocks.push_back(TextBlock{place->heading, true});
    blocks.push_back(ProseBlock{piece.text});
  }
  return blocks;
}

}  // namespace gpuplan
