#include "input/prices/offer_table.h"

#include <optional>
#include <utility>

#include "base/units.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

using namespace units;

constexpr double kHighestPrice = 1e6;  // dollars an hour: thousands of times the dearest machine listed

}  // namespace

Result<void> read_offers(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto provider = cells.column("provider"), region = cells.column("region"), instance = cells.column("instance"),
             gpu = cells.column("gpu"), gpus = cells.column("gpus"), price = cells.column("price", "USD/h"),
             spot_price = cells.column("spot_price", "USD/h"), vcpus = cells.column("vcpus"),
             ram = cells.column("ram", "GiB"), availability = cells.column("availability"),
             minimum = cells.column("billing_minimum", "s"), increment = cells.column("billing_increment", "s"),
             source = cells.column("source"), as_of = cells.column("as_of");

  const auto money = [&](std::size_t row, CsvReader::Column column) -> std::optional<Interval<DollarsPerSecond>> {
    const double amount = cells.number(row, column, 0, kHighestPrice);
    if (cells.text(row, column).empty() || !cells.ok()) return std::nullopt;
    if (amount <= 0) cells.fail_cell(row, column, "a positive price; leave the cell empty if there is no offer");
    return exactly(amount * dollar / hour);
  };

  catalogue.offers.reserve(catalogue.offers.size() + table->rows());
  std::string_view last_name;
  const Gpu* last_gpu = nullptr;  // rows of one GPU stand together
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Offer& offer = catalogue.offers.emplace_back();
    offer.provider = cells.required(row, provider);
    offer.region = cells.text(row, region);
    offer.instance = cells.text(row, instance);
    if (const std::string_view wanted = cells.required(row, gpu); wanted != last_name || last_gpu == nullptr) {
      last_name = wanted;
      last_gpu = catalogue.find_gpu(wanted);
    }
    if (last_gpu != nullptr) offer.gpu = last_gpu->name;
    else cells.fail_cell(row, gpu, "a GPU name");
    cells.required(row, gpus);
    offer.gpus = cells.whole(row, gpus, 1, 1024, 1);
    offer.price = money(row, price);
    offer.spot_price = money(row, spot_price);
    if (!offer.price && !offer.spot_price) cells.fail(row, "neither a price nor a spot price");
    if (offer.price && offer.spot_price && offer.spot_price->p50 >= offer.price->p50)
      cells.fail_cell(row, spot_price, "below the on-demand price; leave it empty if spot has no discount");
    offer.vcpus = cells.whole(row, vcpus, 0, 100'000);
    offer.ram = cells.number(row, ram, 0, 1'000'000) * GiB;
    offer.availability = cells.text(row, availability);
    offer.billing.minimum = cells.number(row, minimum, 0, 31'536'000) * second;
    offer.billing.increment = cells.number(row, increment, 1, 31'536'000, 1) * second;
    offer.source = cells.required(row, source);
    offer.as_of = cells.date(row, as_of);
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
