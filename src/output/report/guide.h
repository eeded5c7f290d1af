// A report as a guide in GitHub's Markdown, which reads well as it is, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/report/document.h"

namespace gpuplan {

/// What the user wrote between the marks of a guide.
struct OwnText {
  std::string name;  ///< of its mark: the key of a section, or a name of the user's
  std::string text;  ///< whole lines, each with its line feed
};

/// The lines that stand around own text.
std::string own_text_begin(std::string_view name);
inline constexpr std::string_view kOwnTextEnd = "<!-- end of own text -->";

/// The guide, with a place for own text at the end of every section. Own text goes where its mark was; that of a
/// section which is gone, to the end. Ends in a line feed.
std::string guide_markdown(const ReportDocument& document, const std::vector<OwnText>& own = {});

/// Plain text that Markdown shows as it is, wherever in a line it stands: one line, nothing of it a heading, an entry
/// of a list, a link, HTML or the end of a table's cell.
std::string guide_text(std::string_view text);

}  // namespace gpuplan
