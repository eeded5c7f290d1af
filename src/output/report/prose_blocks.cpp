// The user's own words, each in the section that it is about.
#include <algorithm>
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

/// One paragraph that is nothing but text: it may stand behind a name in a list.
bool is_line(std::string_view markdown) {
  constexpr std::size_t kLongest = 240;
  const std::string_view text = trim(markdown);
  if (text.empty() || text.size() > kLongest) return false;
  // A line that begins with one of these may be a heading, a fence, a table or a list; "1." and "2)" number one, and
  // "141 GB" is text.
  bool begins = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (begins && c != ' ' && std::string_view("-*+#>|`~=\n").contains(c)) return false;
    if (begins && is_digit(c)) {
      std::size_t end = at;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (end < text.size() && (text[end] == '.' || text[end] == ')') &&
          (end + 1 == text.size() || text[end + 1] == ' ' || text[end + 1] == '\n'))
        return false;
    }
    begins = c == '\n' || (begins && c == ' ');
  }
  return true;
}

/// "- RTX 5090: Brand new.\n"
std::string item_of(const std::string& name, std::string_view markdown) {
  std::string item = "- " + name + ": ";
  for (const char c : trim(markdown)) item += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return item + '\n';
}

}  // namespace

std::vector<ReportBlock> prose_blocks(const Job& job, std::string_view section) {
  std::vector<ReportBlock> blocks;
  std::string under;  // what the last heading is about
  std::string items;  // short notes on machines, gathered into one list
  const std::vector<ProsePiece> pieces = prose_pieces(job);
  const auto end_list = [&] {
    if (!items.empty()) blocks.push_back(ProseBlock{items});
    items.clear();
  };
  for (const ProsePiece& piece : pieces) {
    const std::string name = name_of(piece);
    const std::optional<Placed> place = place_of(piece, name);
    if (!place || place->section != section) continue;
    const bool alone = std::ranges::count(pieces, piece.about, &ProsePiece::about) == 1;
    if (place->section == "machines" && alone && is_line(piece.text)) {
      constexpr std::string_view kOffer = "Offer ";
      items += item_of(name.starts_with(kOffer) ? name.substr(kOffer.size()) : name, piece.text);
      continue;
    }
    end_list();
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
  end_list();
  return blocks;
}

}  // namespace gpuplan
