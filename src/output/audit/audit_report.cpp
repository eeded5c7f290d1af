#include "output/audit/audit_report.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

constexpr std::size_t kShownOfPlan = 160;  // bytes of what a plan says

std::string plan_place(const AuditReport& report, int line) {
  return printable(report.file, 80) + ":" + std::to_string(line);
}

/// "3 wrong, 1 dominated"
std::string counts_words(const Audit& audit) {
  std::vector<std::string> words;
  for (const auto& [kind, name] : Names<FindingKind>::entries) {
    const auto count = std::ranges::count(audit.findings, kind, &Finding::kind);
    if (count > 0) words.push_back(std::to_string(count) + " " + std::string(name));
  }
  return listed(words);
}

/// "$0.29, not $0.31": what is said and what is right.
std::string finding_words(const Finding& finding) {
  std::string words = printable(finding.about, kShownOfPlan);
  if (!words.empty() && !finding.said.empty() && finding.said != finding.about) words += ": ";
  if (finding.said != finding.about) words += "says " + printable(finding.said, kShownOfPlan);
  const std::string right = printable(finding.right, kShownOfPlan);
  if (!right.empty()) {
    switch (finding.kind) {
      case FindingKind::kDominated:
        words += "; better: " + right;
        break;
      case FindingKind::kUnlikely:
        words += "; known: " + right;
        break;
      case FindingKind::kInconsistent:
        words += "; elsewhere or by the rest: " + right;
        break;
      default:
        words += "; right: " + right;
    }
  }
  return words;
}

Paint paint_of(FindingKind kind) {
  if (kind == FindingKind::kWrong || kind == FindingKind::kInconsistent) return Paint::kRed;
  return kind == FindingKind::kMissing ? Paint::kDim : Paint::kYellow;
}

std::string audit_read_words(const AuditReport& report) {
  const Audit& audit = report.audit;
  std::string words = "Read: " + count_of(audit.tables, "table") + ", " + count_of(audit.claims, "number") +
                      ", of which " + count_text(audit.checked) + " were checked and " +
                      count_text(std::max(audit.claims - audit.checked, 0)) + " could not be";
  if (!audit.unread.empty())
    words += "; " + count_of(static_cast<double>(audit.unread.size()), "part") + " could not be read";
  return words + ".";
}

}  // namespace

std::string audit_text(const AuditReport& report, const Screen& screen, bool details) {
  const Audit& audit = report.audit;
  std::string text;
  if (audit.findings.empty() && audit.checked == 0 && audit.claims > 0)
    text = paragraph("Nothing of it could be checked: " + count_of(audit.claims, "number") +
                         (audit.claims == 1 ? " was" : " were") +
                         " read, and none follows from the others or from what is known.",
                     screen, 0, 0, Paint::kYellow);
  else if (audit.findings.empty() && audit.claims == 0)
    text = paragraph("Nothing of it could be checked.", screen, 0, 0, Paint::kYellow);
  else if (audit.findings.empty()) text = paragraph("Nothing wrong was found.", screen, 0, 0, Paint::kGreen);
  else
    text = paragraph(count_of(static_cast<double>(audit.findings.size()), "finding") + ": " + counts_words(audit) + ".",
                     screen, 0, 0, Paint::kBold);
  text += paragraph(audit_read_words(report), screen, 0, 0);
  if (audit.claims == 0 && audit.findings.empty())
    text +=
        paragraph("No number was found. Expected: tables between bars, lists, sums such as 3 h \xC3\x97 $2.49 = $7.47.",
                  screen, 0, 0);
  text += "\n";
  for (const Finding& finding : audit.findings) {
    const std::string kind(name_of(finding.kind));
    std::string words = (screen.markdown() ? "- " : "") + plan_place(report, finding.line) + ": " + kind;
    const std::string said = finding_words(finding);
    if (!said.empty()) words += ": " + said;
    if (details || finding.right.empty())
      words += (said.empty() ? ": " : " (") + printable(finding.how, 400) + (said.empty() ? "" : ")");
    text += paragraph(words, screen, 0, 4, paint_of(finding.kind));
  }
  if (details && !audit.unread.empty()) {
    text += "\n";
    constexpr std::size_t kMost = 50;
    for (std::size_t i = 0; i < audit.unread.size() && i < kMost; ++i)
      text += paragraph((screen.markdown() ? "- " : "") + plan_place(report, audit.unread[i].line) +
                            ": not read: " + printable(audit.unread[i].why, 200),
                        screen, 0, 4, Paint::kDim);
    if (audit.unread.size() > kMost)
      text += paragraph(std::to_string(audit.unread.size() - kMost) + " more parts could not be read.", screen, 0, 0);
  }
  if (!details && !audit.findings.empty() && !screen.markdown())
    text += "\n" + paragraph("--details shows how each was computed.", screen, 0, 0, Paint::kDim);
  return text;
}

std::string audit_csv(const AuditReport& report) {
  Table table({{.title = "FILE", .key = "file"},
               {.title = "LINE", .key = "line"},
               {.title = "KIND", .key = "kind"},
               {.title = "ABOUT", .key = "about"},
               {.title = "SAID", .key = "said"},
               {.title = "RIGHT", .key = "right"},
               {.title = "HOW", .key = "how"}});
  for (const Finding& finding : report.audit.findings)
    table.add({report.file, Cell(finding.line, std::to_string(finding.line)), std::string(name_of(finding.kind)),
               finding.about, finding.said, finding.right, finding.how});
  return table.csv();
}

std::string audit_json(const AuditReport& report) {
  const Audit& audit = report.audit;
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/audit@1").member("file", report.file);
  if (report.job.empty()) json.null_member("job");
  else json.member("job", report.job);
  json.member("tables", audit.tables).member("claims", audit.claims).member("checked", audit.checked);
  json.member("unchecked", std::max(audit.claims - audit.checked, 0));
  json.key("findings").begin_array();
  for (const Finding& finding : audit.findings)
    json.begin_object()
        .member("line", finding.line)
        .member("kind", name_of(finding.kind))
        .member("about", finding.about)
        .member("said", finding.said)
        .member("right", finding.right)
        .member("how", finding.how)
        .end();
  json.end().key("unread").begin_array();
  for (const UnreadPart& part : audit.unread)
    json.begin_object(true).member("line", part.line).member("why", part.why).end();
  return json.end().end().take();
}

}  // namespace gpuplan
