// Lists of one's own: gpuplan's columns, and spreadsheets as people export them.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/amount.h"
#include "base/names.h"
#include "base/text.h"
#include "input/feeds/formats/list_gpu.h"
#include "input/feeds/formats/own_amounts.h"
#include "input/feeds/formats/own_columns.h"
#include "input/feeds/formats/own_dates.h"
#include "input/feeds/formats/own_extras.h"
#include "input/feeds/formats/own_notes.h"
#include "input/feeds/formats/own_prices.h"
#include "input/feeds/formats/skypilot_clouds.h"
#include "input/feeds/formats/table_formats.h"
#include "input/feeds/rows/feed_table.h"
#include "input/feeds/rows/price_notes.h"
#include "input/feeds/rows/provider_names.h"
#include "input/feeds/rows/stock_words.h"
#include "input/prices/price_kind.h"
#include "input/text/untidy/yes_no.h"

namespace gpuplan {
namespace {

bool is_own_header(FeedHeader names) { return OwnColumns::of(names).has_value(); }

/// A column that may tell kinds of prices.
struct MayTellKinds {
  std::size_t column = 0;
  KindColumn cells;
  bool tells = false;
};

/// A column that may tell when its rows were recorded.
struct MayTellTime {
  std::size_t column = 0;
  std::size_t dates = 0, others = 0;

  bool tells() const {
    constexpr std::size_t kNearlyAll = 9;
    return dates > kNearlyAll * others;
  }
};

/// A row that waits until it is known what the columns are.
struct HeldRow {
  std::uint64_t line = 0;
  std::vector<std::string> cells;
};

class OwnListReader final : public FeedTable {
 public:
  using FeedTable::FeedTable;

 private:
  bool header(FeedHeader names) override {
    const auto columns = OwnColumns::of(names);
    if (!columns) {
      read_title(names);
      return false;
    }
    columns_ = *columns;
    heads_.clear();
    notes_.clear();
    for (const std::string_view name : names) heads_.push_back(own_column(name));
    constexpr std::array kOfWords = {OwnField::kKind, OwnField::kInstance, OwnField::kAvailability, OwnField::kLabel,
                                     OwnField::kForm};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const OwnField field = heads_[i].field;
      if (is_note_name(names[i])) notes_.push_back(i);
      const bool another = field == OwnField::kAsOf && columns_.at(field) != FeedColumn(i);
      if (another || (field == OwnField::kNone && tells_time_of_record(names[i]))) times_.push_back({i});
      if (field == OwnField::kNone || std::ranges::find(kOfWords, field) != kOfWords.end())
        kinds_.push_back({i, KindColumn(kind_asked(names[i]))});
    }
    return true;
  }
  std::string_view needed() const override { return "gpu, gpus, price_per_hour"; }
  void row(const FeedCells& cells) override;
  void end() override { decide(); }
  void read_title(FeedHeader cells);
  void note(const FeedCells& cells);
  void note_memory(const FeedCells& cells);
  void note_count(const FeedCells& cells);
  void decide();
  void read(const FeedCells& cells);
  PriceKind kind_of(const FeedCells& cells) const;

  std::string_view text(const FeedCells& cells, OwnField field) const { return cells.text(columns_.at(field)); }
  std::string read_words(const FeedCells& cells, FeedRow& row);
  std::string read_figures(const FeedCells& cells, FeedRow& row);
  std::string read_prices(const FeedCells& cells, FeedRow& row);
  OwnDate date_of(const FeedCells& cells) const;

  OwnColumns columns_;
  std::vector<OwnColumn> heads_;
  std::vector<MayTellKinds> kinds_;
  std::vector<MayTellTime> times_;
  std::vector<std::size_t> notes_;  ///< columns of free words
  std::vector<HeldRow> held_;       ///< the first rows of the list
  std::size_t gpu_memories_ = 0, other_memories_ = 0;
  bool counts_ = false;  ///< a row or a column has numbers of GPUs
  bool decided_ = false;
  OwnTax tax_;          ///< that titles above the header say
  OwnDate title_date_;  ///< the same of the day of the prices
  LooseNumbers numbers_;
};

/// "All prices incl. 19% VAT", "Valid from 1 Dec 2026".
void OwnListReader::read_title(FeedHeader cells) {
  std::string title;
  for (const std::string_view cell : cells) {
    if (const OwnTax tax = read_own_tax(cell); tax.said != OwnTax::Said::kNothing) tax_ = tax;
    // "Dec 1, 2026" is two cells where nobody put marks around it.
    if (!trim(cell).empty()) title.append(title.empty() ? "" : ", ").append(trim(cell));
  }
  OwnDate date = read_title_date(title);
  if (!date.text.empty() || !date.problem.empty()) title_date_ = std::move(date);
}

/// Each of these returns what is wrong with the row; empty: nothing.
std::string OwnListReader::read_words(const FeedCells& cells, FeedRow& row) {
  row.provider = usual_provider(text(cells, OwnField::kProvider));
  // A list that has a column for it says where it does not know.
  if (row.provider.empty() && rows().terms().provider.empty() && !columns_.at(OwnField::kProvider))
    row.provider = stem_of_file(rows().terms().file);
  row.region = text(cells, OwnField::kRegion);
  row.zone = text(cells, OwnField::kZone);
  row.instance = text(cells, OwnField::kInstance);
  row.availability = text(cells, OwnField::kAvailability);
  row.stock = stock_said(row.availability);
  if (read_yes_no(row.availability)) row.availability.clear();  // it is said in `stock`
  row.label = text(cells, OwnField::kLabel);
  row.source = text(cells, OwnField::kSource);
  read_list_gpu(text(cells, OwnField::kGpu), rows().catalogue(), row);
  row.hints.append(" ").append(form_factor_of(row.provider, row.gpu));
  row.form = form_said(text(cells, OwnField::kForm));
  const OwnDate date = date_of(cells);
  if (!date.problem.empty()) return std::string(date.problem);
  row.as_of = date.text;
  const std::string_view rate = text(cells, OwnField::kInterruptions);
  if (rate.empty()) return "";
  row.band = from_name<SpotBand>(rate);
  if (row.band) return "";
  constexpr double kMostAnHour = 60;
  const auto value = parse_interval(rate, AmountKind::kRate);
  if (!value || value->p10 < 0 || value->p90 > kMostAnHour / 3600) return "interruptions that are no rate such as 5%/h";
  row.interruptions = {PerSecond{value->p10}, PerSecond{value->p50}, PerSecond{value->p90}};
  return "";
}

std::string OwnListReader::read_figures(const FeedCells& cells, FeedRow& row) {
  double gpus = 0, minimum = 0, increment = 0;
  struct Figure {
    OwnField field;
    double* into;
    const char* name;
    bool left_out = false;  ///< nobody plans by it: what is no number is left out
  };
  for (const Figure& figure : {Figure{OwnField::kGpus, &gpus, "a number of GPUs"},
                               Figure{OwnField::kGpuMemory, &row.gpu_memory_gib, "a memory of GPUs"},
                               Figure{OwnField::kVcpus, &row.vcpus, "a number of vCPUs", true},
                               Figure{OwnField::kRam, &row.ram_gib, "a memory", true},
                               Figure{OwnField::kMinimum, &minimum, "a billing minimum"},
                               Figure{OwnField::kIncrement, &increment, "a billing increment"}}) {
    bool known = true;
    const double value = read_own_number(text(cells, figure.field), numbers_, figure.left_out, known);
    if (!known && figure.left_out) row.corrections.push_back(std::string(figure.name) + " that is no number, left out");
    else if (!known) return std::string(figure.name) + " that is no number";
    if (!std::isnan(value)) *figure.into = value * columns_.meaning(figure.field).unit;
  }
  constexpr double kLongest = 366.0 * 24 * 3600;
  if (minimum < 0 || minimum > kLongest || increment < 0 || increment > kLongest) return "a billing time that none has";
  row.minimum_s = minimum;
  if (increment > 0) row.increment_s = increment;
  bool known = true;
  if (read_own_number(text(cells, OwnField::kNodes), numbers_, true, known) > 1) return "several machines as one";
  if (gpus != 0 && row.gpus != 0 && gpus != row.gpus) return "a number of GPUs that contradicts their name";
  if (gpus != 0) row.gpus = gpus;
  return "";
}

/// What stands first in the columns of dates, the most telling head first; without one that of the title.
OwnDate OwnListReader::date_of(const FeedCells& cells) const {
  OwnDate date = read_own_date(text(cells, OwnField::kAsOf));
  for (const MayTellTime& time : times_)
    if (date.text.empty() && date.problem.empty() && time.tells()) date = read_own_date(cells.text(time.column));
  return date.text.empty() && date.problem.empty() ? title_date_ : date;
}

/// Of all columns that tell it: what keeps the row out before what says of which price it is.
PriceKind OwnListReader::kind_of(const FeedCells& cells) const {
  PriceKind all = PriceKind::kUnsaid;
  for (const MayTellKinds& kinds : kinds_)
    if (kinds.tells) all = std::max(all, kinds.cells.kind(cells.text(kinds.column)));
  return all;
}

std::string OwnListReader::read_prices(const FeedCells& cells, FeedRow& row) {
  OwnPrices prices(numbers_);
  prices.say_tax(tax_);
  prices.say_of_one(!counts_ && columns_.at(OwnField::kProvider));
  bool known = true;
  if (const double least = read_own_number(text(cells, OwnField::kLeastGpus), numbers_, true, known); least > 0)
    prices.say_least(least);
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (says_other_system(heads_[i], cells.text(i))) return "not with Linux";
    prices.add(heads_[i], cells.text(i));
  }
  if (std::string wrong = prices.read(row); !wrong.empty()) return wrong;
  for (std::size_t i = 0; i < heads_.size(); ++i) read_own_extra(heads_[i], cells.text(i), numbers_, row);
  switch (kind_of(cells)) {
    case PriceKind::kUnsaid:
    case PriceKind::kOnDemand:
      return "";
    case PriceKind::kCommitted:
      return "a price under a commitment";
    case PriceKind::kServerless:
      return std::string(kServerlessPrice);
    case PriceKind::kSpot:
      if (std::isnan(row.spot)) row.spot = std::exchange(row.price, kNoPrice);
      return "";
    case PriceKind::kOther:
      break;
  }
  // "Spot" may head prices.
  const auto head = std::ranges::find_if(heads_, &OwnColumn::of_spot);
  const std::string_view cell =
      head == heads_.end() ? std::string_view() : cells.text(static_cast<std::size_t>(head - heads_.begin()));
  const OwnPrice spot = read_own_price(cell, numbers_);
  if (columns_.at(OwnField::kSpotPrice) || !spot.problem.empty() || std::isnan(spot.value))
    return "a kind of price that gpuplan does not know";
  return prices.read_spot(cell, row);
}

void OwnListReader::read(const FeedCells& cells) {
  FeedRow row;
  row.row = cells.line();
  for (const auto read : {&OwnListReader::read_words, &OwnListReader::read_figures, &OwnListReader::read_prices})
    if (std::string wrong = (this->*read)(cells, row); !wrong.empty())
      return rows().reject(row.row, std::move(wrong), row.words());
  heed_availability(kind_of(cells), row);
  for (const std::size_t note : notes_)
    if (std::string wrong = heed_note(cells.text(note), kind_of(cells), row); !wrong.empty())
      return rows().reject(row.row, std::move(wrong), row.words());
  rows().take(std::move(row));
}

void OwnListReader::note(const FeedCells& cells) {
  for (MayTellKinds& kinds : kinds_)
    if (!kinds.tells && !kinds.cells.is_of_something_else()) kinds.cells.note(cells.text(kinds.column));
  note_memory(cells);
  note_count(cells);
  for (MayTellTime& time : times_) {
    const OwnDate date = read_own_date(cells.text(time.column));
    if (!date.text.empty()) ++time.dates;
    if (!date.problem.empty()) ++time.others;
  }
}

void OwnListReader::note_count(const FeedCells& cells) {
  if (counts_) return;
  FeedRow row;
  read_list_gpu(text(cells, OwnField::kGpu), rows().catalogue(), row);
  counts_ = columns_.at(OwnField::kGpus).has_value() || row.gpus > 0;
}

/// Whether a column headed "memory" holds one that the GPU of its row has been made with.
void OwnListReader::note_memory(const FeedCells& cells) {
  const std::string_view cell = text(cells, OwnField::kMemory);
  if (cell.empty()) return;
  FeedRow row;
  read_list_gpu(text(cells, OwnField::kGpu), rows().catalogue(), row);
  bool known = true;
  const double gpus = read_own_number(text(cells, OwnField::kGpus), numbers_, true, known);
  if (!std::isnan(gpus) && gpus > 0) row.gpus = gpus;
  const double value = read_own_number(cell, numbers_, true, known) * columns_.meaning(OwnField::kMemory).unit;
  if (!std::isnan(value)) ++(rows().had_memory(row, value) ? gpu_memories_ : other_memories_);
}

/// What stands in the first rows tells which columns are of kinds of prices.
void OwnListReader::decide() {
  if (!decided_) {
    decided_ = true;
    for (MayTellKinds& kinds : kinds_) kinds.tells = kinds.cells.is_of_kinds();
    constexpr std::size_t kMost = 2;  // one that the GPU never had among three is an error of its row
    const bool of_gpus = gpu_memories_ > 0 && gpu_memories_ >= kMost * other_memories_;
    columns_.settle_memory(of_gpus);
    for (const OwnField field : {OwnField::kInstance, OwnField::kAvailability, OwnField::kLabel})
      if (std::ranges::any_of(kinds_, [&](const MayTellKinds& kinds) {
            return kinds.tells && columns_.at(field) == FeedColumn(kinds.column);
          }))
        columns_.drop(field);
  }
  std::vector<std::string_view> views;
  for (const HeldRow& held : std::exchange(held_, {})) {
    views.assign(held.cells.begin(), held.cells.end());
    const CsvRows::Row row{held.line, views};
    read(FeedCells(row));
  }
}

void OwnListReader::row(const FeedCells& cells) {
  constexpr std::size_t kFirstRows = 256;
  if (decided_) {
    // A column that was empty so far.
    for (MayTellKinds& kinds : kinds_)
      if (!kinds.tells && !kinds.cells.is_of_something_else()) {
        kinds.cells.note(cells.text(kinds.column));
        kinds.tells = kinds.cells.is_of_kinds();
      }
    return read(cells);
  }
  note(cells);
  held_.push_back({cells.line(), {cells.all().begin(), cells.all().end()}});
  if (held_.size() == kFirstRows) decide();
}

}  // namespace

bool begins_own_list(std::string_view head) { return table_begins(head, is_own_header); }

std::unique_ptr<FeedReader> read_own_list(FeedRows& rows) { return std::make_unique<OwnListReader>(rows); }

}  // namespace gpuplan
