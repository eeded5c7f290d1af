#include "evidence/audit/figures/records.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "evidence/claims/words.h"

namespace gpuplan {
namespace {

ClaimRole money_role(std::string_view lower) {
  if (lower.contains("saved")) return ClaimRole::kSaved;
  if (has_any(lower, {"/h", "per hour", "hourly", "rate", "an hour", "pro stunde"})) return ClaimRole::kPrice;
  if (has_any(lower, {"cost", "total", "kosten", "co\xC3\xBBt", "coste", "amount", "sum", "gesamt", "betrag", "montant",
                      "importe", "importo"}))
    return ClaimRole::kCost;
  // A column of money alone, or before taxes; what is after them is more than price times hours.
  for (const std::string_view net : {"$", "usd", "eur", "chf", "gbp", "\xE2\x82\xAC", "\xC2\xA3", "net", "netto",
                                     "net amount", "nettobetrag", "net cost", "net total"})
    if (trim(lower) == net) return ClaimRole::kCost;
  if (has_word_of(lower, {"bill", "spend", "charge", "charges", "expense", "invoice"}) &&
      !has_any(lower, {"price", "per ", "/"}))
    return ClaimRole::kCost;
  if (has_word(lower, "rent") && !has_any(lower, {"price", "per ", "/"})) return ClaimRole::kCost;
  // "Price per 1M tokens", "price / run": of no hour.
  if (lower.contains("price") && has_any(lower, {"per ", "/"})) return ClaimRole::kNone;
  if (has_any(lower, {"spot price", "price", "on-demand", "on demand"})) return ClaimRole::kPrice;
  return ClaimRole::kNone;
}

bool is_spot(std::string_view text) { return has_any(to_lower(text), {"spot", "preemptible", "interruptible"}); }

void note_gpu(ClaimRecord& record, const ClaimText& text) {
  if (text.gpus.empty()) return;
  // "a100-40", then "A100 40GB".
  if (record.gpu == text.gpus.front().key) {
    if (record.gigabytes == 0) record.gigabytes = text.gpus.front().gigabytes;
    if (record.count == 0) record.count = text.gpus.front().count;
  }
  if (!record.gpu.empty()) return;
  const GpuMention& mention = text.gpus.front();
  record.gpu = mention.key;
  // "8x H100 + 8x H100 spot" is neither of them.
  if (text.gpus.size() > 1 && text.gpus[1].from > mention.to &&
      std::string_view(text.text).substr(mention.to, text.gpus[1].from - mention.to).contains(" + "))
    record.gpu += "+" + text.gpus[1].key;
  record.gigabytes = mention.gigabytes;
  if (record.count == 0) record.count = mention.count;
  record.spot = record.spot || is_spot(text.text);
}

/// "GPUs per node"
bool of_a_node(std::string_view lower) {
  return has_any(lower, {"per node", "/node", "per machine", "/machine", "per instance", "per server", "per worker",
                         "per replica", "per model"});
}

constexpr std::ptrdiff_t kFewWords = 3;
std::ptrdiff_t words_in(std::string_view text) {
  return std::ranges::count_if(split(text, ' '), [](std::string_view word) { return !word.empty(); });
}

/// The first amount of a cell is what its head names; others are told beside it.
bool is_beside(const ClaimText& cell, const ClaimAmount& amount) {
  if (&amount != &cell.quantities.front()) return true;
  // "Best where an hour is worth $5/h": no price of the row.
  if (amount.dimension == ClaimDimension::kPrice && words_in(cell.text.substr(0, amount.from)) > kFewWords) return true;
  // "6.4 used of 8": a part of what its head names.
  if (cell.quantities.size() < 2 || cell.quantities[1].from <= amount.to) return false;
  const std::string_view between =
      trim(std::string_view(cell.text).substr(amount.to, cell.quantities[1].from - amount.to));
  return between == "of" || between == "used of" || between == "out of";
}

void add_cell(ClaimRecord& record, const std::string& name, const ClaimText& cell, int line, int column) {
  for (const ClaimAmount& quantity : cell.quantities) {
    ClaimFact stated{role_of(name, quantity), &quantity, name, line, column};
    if (is_beside(cell, quantity)) stated.role = ClaimRole::kNone;
    record.facts.push_back(std::move(stated));
  }
}

/// "Nodes" times "GPUs per node"; 0: not both are said.
int gpus_of_nodes(const ClaimRecord& record) {
  double nodes = 0, each = 0;
  for (const ClaimFact& one : record.facts) {
    const std::string name = to_lower(one.name);
    if (one.value->range() || !one.value->whole) continue;
    if (name.contains("gpu") && of_a_node(name)) each = one.value->low;
    else if (name == "nodes" || name == "# nodes" || name == "machines" || name == "instances" || name == "servers")
      nodes = one.value->low;
  }
  constexpr double kMost = 1e6;
  return static_cast<int>(std::min(nodes * each, kMost));
}

/// How many GPUs a record is of, where its name does not tell.
void count_gpus(ClaimRecord& record) {
  if (const ClaimFact* gpus = record.find(ClaimRole::kGpus); gpus != nullptr && record.count == 0)
    record.count = static_cast<int>(std::min(gpus->value->high, 1e6));
  if (record.count == 0) record.count = gpus_of_nodes(record);
}

ClaimRecord row_record(const ClaimTable& table, std::size_t position, int number) {
  const ClaimRow& row = table.rows[position];
  ClaimRecord record;
  record.line = row.line;
  record.section = table.section;
  record.table = number;
  record.row = static_cast<int>(position);
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const ClaimText& cell = row.cells[i];
    if (record.label.empty() && !cell.text.empty() && (cell.quantities.empty() || !cell.gpus.empty() || i == 0))
      record.label = cell.text;
    if (i < 3 || table.headless) note_gpu(record, cell);
    // A column of its own: "spot", "preemptible".
    constexpr std::size_t kOneWord = 16;
    if (cell.text.size() <= kOneWord && cell.quantities.empty()) record.spot = record.spot || is_spot(cell.text);
    const std::string name = table.headless ? "" : table.heads[i].text;
    add_cell(record, name, cell, row.line, static_cast<int>(i));
    const std::string lower = to_lower(cell.text);
    record.total = record.total || is_total_word(lower) || lower.starts_with("buffer") ||
                   lower.starts_with("conting") || lower.starts_with("overhead (");
  }
  count_gpus(record);
  return record;
}

/// A column of a table whose options are columns. A single one is a list of its own.
ClaimRecord column_record(const ClaimTable& table, std::size_t column, int number) {
  ClaimRecord record;
  record.line = table.line;
  record.section = table.section;
  record.table = number;
  if (table.heads.size() > 2) {
    record.row = static_cast<int>(column);
    record.label = table.heads[column].text;
    record.total = is_total_word(record.label);
    note_gpu(record, table.heads[column]);
  }
  for (const ClaimRow& row : table.rows) {
    note_gpu(record, row.cells[column]);
    add_cell(record, row.cells[0].text, row.cells[column], row.line, static_cast<int>(column));
  }
  count_gpus(record);
  return record;
}

/// "GPUs: 2 nodes \xC3\x97 8", "GPUs: 4 x 8": the number alone is not what the label says.
bool goes_on_as_product(std::string_view text, const ClaimAmount& amount) {
  if (amount.dimension != ClaimDimension::kBare) return false;
  const std::string behind = to_lower(trim(text.substr(amount.to)));
  return starts_with_any(behind, {"\xC3\x97", "x ", "*", "node", "machine", "server", "instance", "host"});
}

}  // namespace

const ClaimFact* ClaimRecord::find(ClaimRole role) const {
  const auto found = std::ranges::find(facts, role, &ClaimFact::role);
  return found == facts.end() ? nullptr : &*found;
}

std::vector<const ClaimFact*> ClaimRecord::all(ClaimRole role) const {
  std::vector<const ClaimFact*> found;
  for (const ClaimFact& one : facts)
    if (one.role == role) found.push_back(&one);
  return found;
}

const ClaimFact* ClaimRecord::time() const {
  if (const ClaimFact* in_all = find(ClaimRole::kTotalTime); in_all != nullptr) return in_all;
  const auto spans = all(ClaimRole::kTime);
  return spans.size() == 1 ? spans.front() : nullptr;
}

const ClaimFact* ClaimRecord::cost() const {
  const auto costs = all(ClaimRole::kCost);
  return costs.size() == 1 ? costs.front() : nullptr;
}

std::string ClaimRecord::key() const {
  if (gpu.empty()) return "";
  std::string key = std::to_string(std::max(count, 1)) + "x" + gpu;
  if (gigabytes > 0) key += "-" + number_text(gigabytes);
  if (spot) key += "-spot";
  return key;
}

bool is_total_word(std::string_view text) {
  const std::string lower = to_lower(trim(text));
  // Of a bill in whose other lines they are words like any other.
  for (const std::string_view word :
       {"net", "netto", "brutto", "gross", "net amount", "gross amount", "nettobetrag", "bruttobetrag", "amount due",
        "balance due", "in all", "to pay", "amount to pay", "zu zahlen", "zahlbetrag"})
    if (lower == word) return true;
  for (const std::string_view word :
       {"total", "subtotal", "sub-total", "grand total", "net total", "sum", "gesamt", "gesamtbetrag", "gesamtsumme",
        "endbetrag", "endsumme", "rechnungsbetrag", "summe", "zwischensumme", "totale", "suma"})
    if (lower == word || (lower.starts_with(word) && !is_letter(lower[word.size()]))) return true;
  return false;
}

bool names_providers(const ClaimTable& table) {
  return std::ranges::any_of(table.heads, [](const ClaimText& head) {
    return has_any(to_lower(head.text), {"provider", "vendor", "cloud", "seller", "anbieter"});
  });
}

ClaimRole role_of(std::string_view name, const ClaimAmount& quantity) {
  const std::string lower = to_lower(name);
  switch (quantity.dimension) {
    case ClaimDimension::kTime:
      if (has_any(lower, {"per step", "/step", "step time", "a step", "each step"})) return ClaimRole::kStepTime;
      if (squeeze(name).starts_with("setup") || has_any(lower, {"overhead", "setup", "set up", "startup", "buffer"}) ||
          quantity.added)
        return ClaimRole::kOverhead;
      if (has_any(lower, {"per-", "per ", "/epoch", "/"}) && !lower.contains("per-model") &&
          lower != "hours per year" && !has_any(lower, {"(h", "(min", "time (", "/gpu"}))
        return ClaimRole::kNone;
      if (has_any(lower, {"total", "gesamt"})) return ClaimRole::kTotalTime;
      if (lower.empty() ||
          has_any(lower, {"time", "duration", "hours", "zeit", "dauer", "stunden", "heures", "horas", "minutes", "wall",
                          "runtime", "training", "dur\u00e9e", "laufzeit", "tiempo", "duraci", "durata", "temps"}))
        return ClaimRole::kTime;
      return ClaimRole::kNone;
    case ClaimDimension::kPrice:
      return lower.contains("saved") ? ClaimRole::kSaved : ClaimRole::kPrice;
    case ClaimDimension::kMoney:
      if (lower.empty()) return ClaimRole::kCost;
      return money_role(lower);
    case ClaimDimension::kBytes:
      return has_any(lower, {"memory", "vram", "ram", "footprint", "speicher"}) ? ClaimRole::kMemory : ClaimRole::kNone;
    case ClaimDimension::kTimes:
      return has_any(lower, {"relative", "speed", "faster", "ratio", "vs", "factor"}) ? ClaimRole::kRatio
                                                                                      : ClaimRole::kNone;
    case ClaimDimension::kGpuTime:
      return ClaimRole::kGpuTime;
    case ClaimDimension::kTokenRate:
      return ClaimRole::kTokenRate;
    case ClaimDimension::kSampleRate:
      return ClaimRole::kSampleRate;
    case ClaimDimension::kStepTime:
      return ClaimRole::kStepTime;
    case ClaimDimension::kTokens:
      return lower.contains("sequence") || lower.contains("context") || lower.contains("per ") ? ClaimRole::kNone
                                                                                               : ClaimRole::kTokens;
    case ClaimDimension::kSamples:
      return lower.contains("per ") || lower.contains("batch") ? ClaimRole::kNone : ClaimRole::kSamples;
    case ClaimDimension::kSteps:
      return lower.contains("per ") ? ClaimRole::kNone : ClaimRole::kSteps;
    case ClaimDimension::kEpochs:
      return ClaimRole::kEpochs;
    case ClaimDimension::kGpus:
      return of_a_node(lower) ? ClaimRole::kNone : ClaimRole::kGpus;
    case ClaimDimension::kBare:
      break;
    default:
      return ClaimRole::kNone;
  }
  if (lower == "batch" || lower.contains("batch size") || lower.contains("batch"))
    return lower.contains("config") ? ClaimRole::kNone : ClaimRole::kBatch;
  if (of_a_node(lower)) return ClaimRole::kNone;
  if (lower == "gpus" || lower == "# gpus" || lower.starts_with("gpus ") || lower.contains("gpu count") ||
      lower.contains("number of gpus") || lower == "num gpus" || lower == "n gpus")
    return ClaimRole::kGpus;
  if (has_any(lower, {"iterations", "steps"}) && !has_any(lower, {"per ", "/"})) return ClaimRole::kSteps;
  if (has_any(lower, {"tps", "tokens/s", "tok/s", "tokens per second"})) return ClaimRole::kTokenRate;
  if (has_any(lower, {"samples/s"})) return ClaimRole::kSampleRate;
  if (has_any(lower, {"epochs"}) && !lower.contains("per")) return ClaimRole::kEpochs;
  if (has_any(lower, {"gpu-hours", "gpu hours"})) return ClaimRole::kGpuTime;
  if (lower == "samples" || lower == "training samples" || lower == "examples") return ClaimRole::kSamples;
  if (lower == "total tokens" || lower == "tokens") return ClaimRole::kTokens;
  return ClaimRole::kNone;
}

std::vector<const ClaimText*> cells_of(const ClaimDocument& document, const ClaimRecord& record) {
  std::vector<const ClaimText*> cells;
  if (record.table < 0 || record.row < 0) return cells;
  const ClaimTable& table = document.tables[static_cast<std::size_t>(record.table)];
  const auto place = static_cast<std::size_t>(record.row);
  if (table.across) {
    cells.push_back(&table.heads[place]);
    for (const ClaimRow& row : table.rows) cells.push_back(&row.cells[place]);
  } else {
    for (const ClaimText& cell : table.rows[place].cells) cells.push_back(&cell);
  }
  return cells;
}

std::vector<ClaimRecord> records_of(const ClaimDocument& document) {
  std::vector<ClaimRecord> records;
  int number = 0;
  for (const ClaimTable& table : document.tables) {
    if (table.across) {
      for (std::size_t column = 1; column < table.heads.size(); ++column)
        records.push_back(column_record(table, column, number));
    } else {
      for (std::size_t row = 0; row < table.rows.size(); ++row) records.push_back(row_record(table, row, number));
    }
    ++number;
  }
  std::map<int, ClaimRecord> lists;
  for (const ClaimLine& line : document.lines) {
    if (line.code || line.label.empty() || line.said.text.find('=') != std::string::npos) continue;
    ClaimRecord& record = lists[line.section];
    if (record.line == 0) record.line = line.line;
    record.section = line.section;
    // What stands before the colon is part of the name.
    ClaimText after;
    for (const ClaimAmount& quantity : line.said.quantities) {
      if (quantity.from < line.label.size()) continue;
      ClaimFact stated{role_of(line.label, quantity), &quantity, line.label, line.line_of(quantity), -1};
      if (!after.quantities.empty() || goes_on_as_product(line.said.text, quantity) ||
          (stated.role == ClaimRole::kPrice && is_value_of_time(line.said.text, quantity)))
        stated.role = ClaimRole::kNone;
      after.quantities.push_back(quantity);
      record.facts.push_back(std::move(stated));
    }
    note_gpu(record, line.said);
  }
  for (auto& [section, record] : lists) {
    const ClaimSection& under = document.sections[static_cast<std::size_t>(section)];
    record.label = under.title.text;
    note_gpu(record, under.title);
    // The same role said with several values: nobody knows which of them goes with which.
    std::map<ClaimRole, std::pair<const ClaimAmount*, bool>> seen;
    for (const ClaimFact& one : record.facts) {
      auto& [first, several] = seen[one.role];
      if (first == nullptr) first = one.value;
      else if (first->low != one.value->low || first->high != one.value->high) several = true;
    }
    for (ClaimFact& one : record.facts)
      if (seen[one.role].second) one.role = ClaimRole::kNone;
    if (const ClaimFact* gpus = record.find(ClaimRole::kGpus); gpus == nullptr || !gpus->value->range())
      count_gpus(record);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace gpuplan
