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
  std::string heading;  ///< over the words; empty: that of what they are about
};

/// Where a piece goes. Nothing for what stands in the head.
std::optional<Placed> place_of(const ProsePiece& piece, const std::string& name) {
  if (piece.about == "job") {
    if (piece.key == "title" || piece.key == "purpose") return std::nullopt;
    return Placed{"work", piece.key == "tasks" ? "By hand" : ""};
  }
  if (piece.about.starts_with("phase ")) {
    if (piece.key == "expect") return Placed{"run", "What " + name + " should give"};
    if (piece.key == "quality.good") return Placed{"run", name + " went well when"};
    if (piece.key == "quality.bad") return Placed{"trouble", name + " went wrong when"};
    if (piece.key == "quality.do") return Placed{"trouble", "Then do this for " + name};
    return Placed{"work", piece.key == "tasks" ? "By hand in " + name : ""};
  }
  const bool way = piece.about.starts_with("option ") || piece.about.starts_with("variant ");
  return Placed{way ? "choice" : "machines", ""};
}

/// "validate" of "phase validate", "Offer 8x B200".
std::string name_of(const ProsePiece& piece) {
  constexpr std::string_view kPhase = "phase ";
  const std::string about = printable(piece.about, 100);
  return about.starts_with(kPhase) ? about.substr(kPhase.size()) : upper_first(about);
}

}  // namespace

std::vector<ReportBlock> prose_blocks(const Job& job, std::string_view section) {
  std::vector<ReportBlock> blocks;
  std::string under;  // what the last heading is about
  for (const ProsePiece& piece : prose_pieces(job)) {
    const std::string name = name_of(piece);
    const std::optional<Placed> place = place_of(piece, name);
    if (!place || place->section != section) continue;
    if (!place->heading.empty()) {
      blocks.push_back(TextBlock{place->heading, true});
      under.clear();
    } else if (piece.key == "title") {
      blocks.push_back(TextBlock{name + ": " + printable(piece.text, 200), true});
      under = piece.about;
      continue;
    } else if (piece.about != "job" && piece.about != under) {
      blocks.push_back(TextBlock{name, true});
      under = piece.about;
    }
    blocks.push_back(ProseBlock{piece.text});
  }
  return blocks;
}

}  // namespace gpuplan
