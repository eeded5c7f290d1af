#include "input/claims/claim_units.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>

#include "base/text.h"
#include "evidence/claims/words.h"

namespace gpuplan {
namespace {

constexpr double kClaimHour = 3600, kClaimGB = 1e9, kGiB = 1073741824.0;

/// Lower case; longer names of the same beginning are found first.
constexpr ClaimUnit kClaimUnits[] = {
    {"tokens/s/gpu", ClaimDimension::kTokenRate, 1, true},
    {"tok/s/gpu", ClaimDimension::kTokenRate, 1, true},
    {"tps/gpu", ClaimDimension::kTokenRate, 1, true},
    {"tokens/second", ClaimDimension::kTokenRate, 1},
    {"tokens per second", ClaimDimension::kTokenRate, 1},
    {"tokens/sec", ClaimDimension::kTokenRate, 1},
    {"tokens/s", ClaimDimension::kTokenRate, 1},
    {"toks/s", ClaimDimension::kTokenRate, 1},
    {"tok/sec", ClaimDimension::kTokenRate, 1},
    {"tok/s", ClaimDimension::kTokenRate, 1},
    {"tps", ClaimDimension::kTokenRate, 1},
    {"token/s", ClaimDimension::kTokenRate, 1},
    {"tokens pro sekunde", ClaimDimension::kTokenRate, 1},
    {"token pro sekunde", ClaimDimension::kTokenRate, 1},
    {"tokens je sekunde", ClaimDimension::kTokenRate, 1},
    {"token je sekunde", ClaimDimension::kTokenRate, 1},
    {"tokens/seconde", ClaimDimension::kTokenRate, 1},
    {"tokens par seconde", ClaimDimension::kTokenRate, 1},
    {"jetons/s", ClaimDimension::kTokenRate, 1},
    {"jetons/seconde", ClaimDimension::kTokenRate, 1},
    {"jetons par seconde", ClaimDimension::kTokenRate, 1},
    {"samples/second", ClaimDimension::kSampleRate, 1},
    {"samples per second", ClaimDimension::kSampleRate, 1},
    {"samples/sec", ClaimDimension::kSampleRate, 1},
    {"samples/s", ClaimDimension::kSampleRate, 1},
    {"examples/s", ClaimDimension::kSampleRate, 1},
    {"images/s", ClaimDimension::kSampleRate, 1},
    {"img/s", ClaimDimension::kSampleRate, 1},
    {"requests per second", ClaimDimension::kSampleRate, 1},
    {"requests/s", ClaimDimension::kSampleRate, 1},
    {"documents per second", ClaimDimension::kSampleRate, 1},
    {"documents/s", ClaimDimension::kSampleRate, 1},
    {"sequences/s", ClaimDimension::kSampleRate, 1},
    {"beispiele/s", ClaimDimension::kSampleRate, 1},
    {"bilder/s", ClaimDimension::kSampleRate, 1},
    {"exemples/s", ClaimDimension::kSampleRate, 1},
    {"seconds per step", ClaimDimension::kStepTime, 1},
    {"seconds/step", ClaimDimension::kStepTime, 1},
    {"sec per step", ClaimDimension::kStepTime, 1},
    {"sec/step", ClaimDimension::kStepTime, 1},
    {"s per step", ClaimDimension::kStepTime, 1},
    {"s/step", ClaimDimension::kStepTime, 1},
    {"sec/iter", ClaimDimension::kStepTime, 1},
    {"s/iter", ClaimDimension::kStepTime, 1},
    {"seconds per iteration", ClaimDimension::kStepTime, 1},
    {"s per iteration", ClaimDimension::kStepTime, 1},
    {"seconds a step", ClaimDimension::kStepTime, 1},
    {"sec a step", ClaimDimension::kStepTime, 1},
    {"s a step", ClaimDimension::kStepTime, 1},
    {"min per step", ClaimDimension::kStepTime, 60},
    {"min/step", ClaimDimension::kStepTime, 60},
    {"ms per step", ClaimDimension::kStepTime, 1e-3},
    {"ms a step", ClaimDimension::kStepTime, 1e-3},
    {"sec/it", ClaimDimension::kStepTime, 1},
    {"s/it", ClaimDimension::kStepTime, 1},
    {"ms/step", ClaimDimension::kStepTime, 1e-3},
    {"ms/it", ClaimDimension::kStepTime, 1e-3},
    {"s/schritt", ClaimDimension::kStepTime, 1},
    {"s je schritt", ClaimDimension::kStepTime, 1},
    {"s pro schritt", ClaimDimension::kStepTime, 1},
    {"s par pas", ClaimDimension::kStepTime, 1},
    {"s par \xC3\xA9tape", ClaimDimension::kStepTime, 1},
    {"gpu-hours", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu hours", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu-hour", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu hour", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu-hrs", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu-h", ClaimDimension::kGpuTime, kClaimHour},
    {"gpuh", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu-stunden", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu-stunde", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu-std", ClaimDimension::kGpuTime, kClaimHour},
    {"gpu-heures", ClaimDimension::kGpuTime, kClaimHour},
    {"heures-gpu", ClaimDimension::kGpuTime, kClaimHour},
    {"heures gpu", ClaimDimension::kGpuTime, kClaimHour},
    {"h-gpu", ClaimDimension::kGpuTime, kClaimHour},
    {"horas-gpu", ClaimDimension::kGpuTime, kClaimHour},
    {"knotenstunden", ClaimDimension::kNodeTime, kClaimHour},
    {"node-hours", ClaimDimension::kNodeTime, kClaimHour},
    {"node hours", ClaimDimension::kNodeTime, kClaimHour},
    {"node-hour", ClaimDimension::kNodeTime, kClaimHour},
    {"milliseconds", ClaimDimension::kTime, 1e-3},
    {"ms", ClaimDimension::kTime, 1e-3},
    {"seconds", ClaimDimension::kTime, 1},
    {"second", ClaimDimension::kTime, 1},
    {"secs", ClaimDimension::kTime, 1},
    {"sec", ClaimDimension::kTime, 1},
    {"s", ClaimDimension::kTime, 1},
    {"minutes", ClaimDimension::kTime, 60},
    {"minute", ClaimDimension::kTime, 60},
    {"minuten", ClaimDimension::kTime, 60},
    {"minutos", ClaimDimension::kTime, 60},
    {"sekunden", ClaimDimension::kTime, 1},
    {"secondes", ClaimDimension::kTime, 1},
    {"segundos", ClaimDimension::kTime, 1},
    {"mins", ClaimDimension::kTime, 60},
    {"min", ClaimDimension::kTime, 60},
    {"hours", ClaimDimension::kTime, kClaimHour},
    {"hour", ClaimDimension::kTime, kClaimHour},
    {"stunden", ClaimDimension::kTime, kClaimHour},
    {"stunde", ClaimDimension::kTime, kClaimHour},
    {"heures", ClaimDimension::kTime, kClaimHour},
    {"horas", ClaimDimension::kTime, kClaimHour},
    {"std", ClaimDimension::kTime, kClaimHour},
    {"hrs", ClaimDimension::kTime, kClaimHour},
    {"hr", ClaimDimension::kTime, kClaimHour},
    {"h", ClaimDimension::kTime, kClaimHour},
    {"days", ClaimDimension::kTime, 24 * kClaimHour},
    {"day", ClaimDimension::kTime, 24 * kClaimHour},
    {"tage", ClaimDimension::kTime, 24 * kClaimHour},
    {"tagen", ClaimDimension::kTime, 24 * kClaimHour},
    {"tag", ClaimDimension::kTime, 24 * kClaimHour},
    {"jours", ClaimDimension::kTime, 24 * kClaimHour},
    {"jour", ClaimDimension::kTime, 24 * kClaimHour},
    {"wochen", ClaimDimension::kTime, 168 * kClaimHour},
    {"woche", ClaimDimension::kTime, 168 * kClaimHour},
    {"semaines", ClaimDimension::kTime, 168 * kClaimHour},
    {"heure", ClaimDimension::kTime, kClaimHour},
    {"d", ClaimDimension::kTime, 24 * kClaimHour},
    {"weeks", ClaimDimension::kTime, 168 * kClaimHour},
    {"week", ClaimDimension::kTime, 168 * kClaimHour},
    {"gib/s", ClaimDimension::kByteRate, kGiB},
    {"gb/s", ClaimDimension::kByteRate, kClaimGB},
    {"tb/s", ClaimDimension::kByteRate, 1e12},
    {"mb/s", ClaimDimension::kByteRate, 1e6},
    {"gbit/s", ClaimDimension::kByteRate, 1.25e8},
    {"gbps", ClaimDimension::kByteRate, 1.25e8},
    {"mbit/s", ClaimDimension::kByteRate, 1.25e5},
    {"gib", ClaimDimension::kBytes, kGiB},
    {"gb", ClaimDimension::kBytes, kClaimGB},
    {"mib", ClaimDimension::kBytes, 1048576},
    {"mb", ClaimDimension::kBytes, 1e6},
    {"tib", ClaimDimension::kBytes, 1099511627776.0},
    {"tb", ClaimDimension::kBytes, 1e12},
    {"kb", ClaimDimension::kBytes, 1e3},
    {"kib", ClaimDimension::kBytes, 1024},
    {"pb", ClaimDimension::kBytes, 1e15},
    {"go", ClaimDimension::kBytes, kClaimGB},
    {"mo", ClaimDimension::kBytes, 1e6},
    {"ko", ClaimDimension::kBytes, 1e3},
    {"to", ClaimDimension::kBytes, 1e12},
    {"octets", ClaimDimension::kWidth, 1},
    {"bytes", ClaimDimension::kWidth, 1},
    {"byte", ClaimDimension::kWidth, 1},
    {"bits", ClaimDimension::kWidth, 0.125},
    {"bit", ClaimDimension::kWidth, 0.125},
    {"mwh", ClaimDimension::kEnergy, 3.6e9},
    {"kwh", ClaimDimension::kEnergy, 3.6e6},
    {"wh", ClaimDimension::kEnergy, 3600},
    {"kw", ClaimDimension::kPower, 1e3},
    {"watts", ClaimDimension::kPower, 1},
    {"watt", ClaimDimension::kPower, 1},
    {"w", ClaimDimension::kPower, 1},
    {"flops/s", ClaimDimension::kOperationRate, 1},
    {"flop/s", ClaimDimension::kOperationRate, 1},
    {"gflop/s", ClaimDimension::kOperationRate, 1e9},
    {"gflops", ClaimDimension::kOperationRate, 1e9},
    {"tflop/s", ClaimDimension::kOperationRate, 1e12},
    {"tflops/s", ClaimDimension::kOperationRate, 1e12},
    {"tflops", ClaimDimension::kOperationRate, 1e12},
    {"pflop/s", ClaimDimension::kOperationRate, 1e15},
    {"pflops/s", ClaimDimension::kOperationRate, 1e15},
    {"pflops", ClaimDimension::kOperationRate, 1e15},
    {"flops", ClaimDimension::kOperations, 1},
    {"flop", ClaimDimension::kOperations, 1},
    {"%", ClaimDimension::kShare, 0.01},
    {"percent", ClaimDimension::kShare, 0.01},
    {"prozent", ClaimDimension::kShare, 0.01},
    {"tokens", ClaimDimension::kTokens, 1},
    {"token", ClaimDimension::kTokens, 1},
    {"samples", ClaimDimension::kSamples, 1},
    {"sample", ClaimDimension::kSamples, 1},
    {"jetons", ClaimDimension::kTokens, 1},
    {"training examples", ClaimDimension::kSamples, 1},
    {"exemples", ClaimDimension::kSamples, 1},
    {"beispiele", ClaimDimension::kSamples, 1},
    {"ejemplos", ClaimDimension::kSamples, 1},
    {"examples", ClaimDimension::kSamples, 1},
    {"images", ClaimDimension::kSamples, 1},
    {"steps", ClaimDimension::kSteps, 1},
    {"step", ClaimDimension::kSteps, 1},
    {"schritte", ClaimDimension::kSteps, 1},
    {"schritten", ClaimDimension::kSteps, 1},
    {"pasos", ClaimDimension::kSteps, 1},
    {"iterations", ClaimDimension::kSteps, 1},
    {"iters", ClaimDimension::kSteps, 1},
    {"epochen", ClaimDimension::kEpochs, 1},
    {"epoche", ClaimDimension::kEpochs, 1},
    {"\xC3\xA9poques", ClaimDimension::kEpochs, 1},
    {"epochs", ClaimDimension::kEpochs, 1},
    {"epoch", ClaimDimension::kEpochs, 1},
    {"gpus", ClaimDimension::kGpus, 1},
    {"gpu", ClaimDimension::kGpus, 1},
    {"parameters", ClaimDimension::kParameters, 1},
    {"parameter", ClaimDimension::kParameters, 1},
    {"params", ClaimDimension::kParameters, 1},
    {"parametern", ClaimDimension::kParameters, 1},
    {"param\xC3\xA8tres", ClaimDimension::kParameters, 1},
};

/// "400 Gb/s": bits, where only the small letter tells.
constexpr ClaimUnit kBitRates[] = {
    {"tb/s", ClaimDimension::kByteRate, 1.25e11},
    {"gb/s", ClaimDimension::kByteRate, 1.25e8},
    {"mb/s", ClaimDimension::kByteRate, 1.25e5},
};

constexpr double kMonth = 730, kYear = 8760;  // hours

constexpr PricePer kPer[] = {
    {"/gpu-hour", 1, true},
    {"/gpu hour", 1, true},
    {"/gpu-hr", 1, true},
    {"/gpu/hour", 1, true},
    {"/gpu/hr", 1, true},
    {"/gpu/h", 1, true},
    {"/gpu-h", 1, true},
    {"/gpuh", 1, true},
    {"/hour/gpu", 1, true},
    {"/hr/gpu", 1, true},
    {"/h/gpu", 1, true},
    {" per gpu-hour", 1, true},
    {" per gpu hour", 1, true},
    {" per gpu-h", 1, true},
    {"/gpu-stunde", 1, true},
    {" je gpu-stunde", 1, true},
    {" pro gpu-stunde", 1, true},
    {" par gpu-heure", 1, true},
    {" par heure-gpu", 1, true},
    {" par heure gpu", 1, true},
    {"/h et gpu", 1, true},
    {"/h par gpu", 1, true},
    {"/h je gpu", 1, true},
    {"/h pro gpu", 1, true},
    {"/node-hour", 1, false, true},
    {"/node-hr", 1, false, true},
    {"/node-h", 1, false, true},
    {"/node/h", 1, false, true},
    {"/node/hour", 1, false, true},
    {" per node-hour", 1, false, true},
    {" per node hour", 1, false, true},
    {" per node-h", 1, false, true},
    {"/hour", 1, false},
    {"/hr", 1, false},
    {"/std", 1, false},
    {"/h", 1, false},
    {" per hour", 1, false},
    {" an hour", 1, false},
    {" pro stunde", 1, false},
    {" je stunde", 1, false},
    {" par heure", 1, false},
    {" por hora", 1, false},
    {" l'heure", 1, false},
    {"/jour", 24, false},
    {" par jour", 24, false},
    {"/tag", 24, false},
    {" pro tag", 24, false},
    {" par mois", kMonth, false},
    {"/mois", kMonth, false},
    {"/monat", kMonth, false},
    {" je monat", kMonth, false},
    {" par an", kYear, false},
    {"/an", kYear, false},
    {" pro jahr", kYear, false},
    {" je jahr", kYear, false},
    {" im monat", kMonth, false},
    {" im jahr", kYear, false},
    {" par ann\xC3\xA9"
     "e",
     kYear, false},
    {"/day", 24, false},
    {" per day", 24, false},
    {"/week", 168, false},
    {" per week", 168, false},
    {"/month", kMonth, false},
    {"/mo", kMonth, false},
    {" per month", kMonth, false},
    {" a month", kMonth, false},
    {" pro monat", kMonth, false},
    {"/year", kYear, false},
    {"/yr", kYear, false},
    {" per year", kYear, false},
    {" a year", kYear, false},
    {"/min", 1.0 / 60, false},
};

/// Name at the beginning of a text, not followed by more of a word.
template <class Entry, std::size_t kSize>
const Entry* named_at(const Entry (&entries)[kSize], std::string_view lower) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (!lower.starts_with(entry.name) || (best != nullptr && best->name.size() >= entry.name.size())) continue;
    if (lower.size() > entry.name.size() && in_name(lower[entry.name.size()]) && is_letter(entry.name.back())) continue;
    best = &entry;
  }
  return best;
}

bool says_money(std::string_view lower) {
  return has_any(lower,
                 {"$", "usd", "eur", "chf", "gbp", "\xE2\x82\xAC", "\xC2\xA3", "price", "cost", "rate", "preis"});
}

/// "Price per GPU-hour", "$/GPU-h": of a GPU; "$/node-h": of a node; "price per hour", "hourly rate": of neither.
/// Empty: no price of an hour.
std::optional<UnitHint> price_head(const std::string& lower) {
  const auto has = [&](std::string_view word) { return lower.contains(word); };
  if (has("saved")) return std::nullopt;
  const UnitHint of_gpu{ClaimDimension::kPrice, 1, true}, of_node{ClaimDimension::kPrice, 1, false, true};
  if (says_money(lower) &&
      has_any(lower,
              {"/gpu-h",         "/gpu/h",        "/gpuh",         "/gpu h",        "/h/gpu",         "/hr/gpu",
               "/hour/gpu",      "per gpu-h",     "per gpu h",     "per gpu per h", "per gpu/h",      "gpu-hour price",
               "gpu hour price", "gpu-hour rate", "gpu hour rate", "gpu-hour cost", "pro gpu-stunde", "pro gpu-h",
               "je gpu-stunde",  "je gpu-h",      "par gpu-heure", "par heure-gpu", "por gpu-hora",   "por hora-gpu",
               "/h par gpu",     "/h pro gpu",    "/h je gpu",     "/h et gpu",     "/std/gpu",       "par heure gpu"}))
    return of_gpu;
  for (const std::string_view name : {"node", "machine", "instance", "server", "host", "knoten"})
    for (const std::string_view joint : {"-h", " h", "/h", " per h", "-stunde"})
      for (const std::string_view per : {"/", "per ", "pro ", "je "}) {
        const std::string words = std::string(per) + std::string(name) + std::string(joint);
        if (says_money(lower) && has(words)) return of_node;
      }
  if (has_any(
          lower,
          {"$/h",          "usd/h",          "$ per hour", "price per hour",   "hourly",  "per hour",       "/hr",
           "pro stunde",   "je stunde",      "$/std",      "price/h",          "preis/h", "preis/std",      "prix/h",
           "prix horaire", "prix par heure", "precio/h",   "precio por hora",  "eur/h",   "\xE2\x82\xAC/h", "chf/h",
           "gbp/h",        "\xC2\xA3/h",     "eur/std",    "\xE2\x82\xAC/std", "chf/std"}))
    return has_any(lower, {"/gpu", "per gpu", "per-gpu"}) ? of_gpu : UnitHint{ClaimDimension::kPrice, 1};
  return std::nullopt;
}

struct RentPeriod {
  double hours;
  std::array<std::string_view, 6> words;
};
constexpr RentPeriod kRentPeriods[] = {
    {24, {"/day", "per day", "daily", "a day", "pro tag", "/tag"}},
    {168, {"/week", "per week", "weekly", "a week", "pro woche", "/woche"}},
    {kMonth, {"/month", "per month", "monthly", "a month", "pro monat", "/mo"}},
    {kYear, {"/year", "per year", "yearly", "annual", "pro jahr", "/yr"}},
};

/// "Unit price / month", "$/month", "monthly rate": a price, in hours of it. What a month costs in all is none.
std::optional<UnitHint> longer_price_head(const std::string& lower) {
  std::string close;  // without blanks around the stroke
  for (const std::string_view part : split(lower, '/')) close += (close.empty() ? "" : "/") + std::string(part);
  const auto is_in = [&](std::string_view word) { return has_word(close, word); };
  const bool price =
      has_any(close, {"price", "preis", "$/", "usd/", "eur/", "\xE2\x82\xAC/", "\xC2\xA3/"}) ||
      std::ranges::any_of(std::initializer_list<std::string_view>{"rate", "fee", "tariff", "rent"}, is_in);
  if (!price || has_any(close, {"total", "saved", "token"})) return std::nullopt;
  for (const RentPeriod& period : kRentPeriods)
    if (std::ranges::any_of(period.words, is_in))
      return UnitHint{ClaimDimension::kPrice, 1 / period.hours, has_any(close, {"/gpu", "per gpu", "per-gpu"})};
  return std::nullopt;
}

UnitHint hint_of(std::string_view head) {
  const std::string lower = to_lower(trim(head));
  const auto has = [&](std::string_view word) { return lower.contains(word); };
  const bool per_gpu = has("/gpu") || has("per gpu") || has("per-gpu");
  if (const auto price = price_head(lower)) return *price;
  if (const auto price = longer_price_head(lower)) return *price;
  if (has("per hour") || has("/hr")) return {};  // "$ per hour saved"
  // "(h)", "[GB]", "in min", "tokens/s"
  const std::size_t open = lower.find_first_of("([");
  const std::size_t close = lower.find_first_of(")]", open == std::string::npos ? 0 : open);
  std::string inside;
  if (open != std::string::npos && close != std::string::npos)
    inside = std::string(trim(std::string_view(lower).substr(open + 1, close - open - 1)));
  if (inside.starts_with("in ")) inside = inside.substr(3);
  const auto is_currency = [](std::string_view text) {
    return text == "$" || text == "usd" || text == "eur" || text == "chf" || text == "gbp" || text == "\xE2\x82\xAC" ||
           text == "\xC2\xA3";
  };
  if (is_currency(inside) || is_currency(lower)) return {ClaimDimension::kMoney, 1, per_gpu};
  for (const std::string& text : {inside, lower}) {
    const ClaimUnit* unit = text.empty() ? nullptr : named_at(kClaimUnits, text);
    if (unit != nullptr && unit->name.size() == text.size())
      return {unit->dimension, unit->factor, unit->per_gpu || per_gpu};
  }
  if (has_any(lower,
              {"gpu-hours", "gpu hours", "gpu-h", "gpu-stunden", "gpu-std", "heures-gpu", "heures gpu", "horas-gpu"}))
    return {ClaimDimension::kGpuTime, kClaimHour, false};
  if (has_any(lower, {"tokens/s", "token/s", "tok/s", "tps", "jetons/s"}))
    return {ClaimDimension::kTokenRate, 1, per_gpu};
  if (has("samples/s")) return {ClaimDimension::kSampleRate, 1, per_gpu};
  if (has("s/step") || has("sec/step") || has("s/it")) return {ClaimDimension::kStepTime, has("ms/") ? 1e-3 : 1, false};
  // "Hours for 10B tokens"
  if (lower.starts_with("hours for ")) return {ClaimDimension::kTime, kClaimHour, false};
  if (lower.starts_with("minutes for ")) return {ClaimDimension::kTime, kClaimHour / 60, false};
  if (lower.starts_with("days for ")) return {ClaimDimension::kTime, kClaimHour * 24, false};
  if (lower == "hours a year" || lower == "hours per year") return {ClaimDimension::kTime, kClaimHour, false};
  if (lower.ends_with(" h") || lower.ends_with(" hours")) return {ClaimDimension::kTime, kClaimHour, false};
  if (lower == "# gpus" || has("gpu count") || has("gpus used") || has("num gpus") || has("number of gpus"))
    return {ClaimDimension::kGpus, 1, false};
  if (lower == "total tokens") return {ClaimDimension::kTokens, 1, false};
  return {};
}

}  // namespace

const ClaimUnit* unit_at(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  const std::string lower = to_lower(text.substr(0, kLongest));
  const ClaimUnit* unit = named_at(kClaimUnits, lower);
  // "8 w/ 80 GB": with. "Go" and "To" of French are bytes, "20 to 40" and "3 mo" are none.
  if (unit != nullptr && unit->name == "w" && text[0] != 'W') return nullptr;
  if (unit != nullptr && unit->dimension == ClaimDimension::kBytes && unit->name.ends_with('o') && text[0] >= 'a')
    return nullptr;
  // "1e21 FLOPs" are operations, "1e15 FLOPS" are operations a second.
  if (unit != nullptr && unit->name == "flops" && text.substr(0, unit->name.size()).ends_with('S'))
    return named_at(kClaimUnits, "flop/s");
  if (unit != nullptr && unit->dimension == ClaimDimension::kByteRate && text[0] < 'a' && text[1] == 'b')
    if (const ClaimUnit* bits = named_at(kBitRates, lower); bits != nullptr) return bits;
  return unit;
}

const PricePer* price_per_at(std::string_view text) {
  constexpr std::size_t kLongest = 16;
  return named_at(kPer, to_lower(text.substr(0, kLongest)));
}

bool odd_unit_at(std::string_view text, bool behind_unit) {
  constexpr std::size_t kLongest = 24;
  const std::string lower = to_lower(text.substr(0, kLongest));
  const auto begins = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) {
      return lower.starts_with(word) && (lower.size() == word.size() || !in_name(lower[word.size()]));
    });
  };
  if (begins({"/s",        "/sec",      "/second",      "/min",         "/minute",      "/h",
              "/hr",       "/hour",     "/day",         "/d",           "/week",        "/month",
              "/year",     " per s",    " per second",  " a second",    " a minute",    " per minute",
              " per hour", " an hour",  " per day",     " a day",       " per week",    " per month",
              " a month",  " per year", " per million", " per billion", " per thousand"}))
    return true;
  // "$2/M tokens", "$2 per 1M tokens"
  if (lower.starts_with("/1") || lower.starts_with(" per 1") || begins({"/m", "/k", "/mtok", "/kwh", " per kwh"}))
    return true;
  if (behind_unit) return false;
  // "400e12", "6ND": letters at the number itself.
  if (!text.empty() && in_name(text[0]) && text[0] != 'x' && text[0] != 'X') return true;
  const std::size_t from = text.starts_with('-') ? 1 : std::min(text.find_first_not_of(' '), text.size());
  std::size_t to = from;
  while (to < text.size() && in_name(text[to])) ++to;
  const std::string_view word = text.substr(from, to - from);
  if (word.empty() || is_digit(word[0]) || iequals(word, "x")) return false;
  if (to < text.size() && text[to] == '/' && to + 1 < text.size() && is_letter(text[to + 1])) return true;
  for (const std::string_view unit :
       {"month", "months", "year", "years",   "monat", "monate", "jahre", "cent",   "cents", "ct",
        "flop",  "flops",  "hz",   "credits", "tflop", "tflops", "pflop", "pflops", "joule", "joules"})
    if (iequals(word, unit)) return true;
  if (std::ranges::any_of(word.substr(1), [](char c) { return c >= 'A' && c <= 'Z'; })) return true;
  if (word.size() > 2) return false;
  for (const std::string_view small :
       {"of", "or", "to", "in", "by", "at", "is", "as", "on", "vs", "so", "if", "a", "an"})
    if (word == small) return false;
  return true;
}

std::vector<UnitHint> hints_of(std::span<const std::string> heads) {
  std::vector<UnitHint> hints;
  bool price = false;
  for (const std::string& head : heads) {
    hints.push_back(hint_of(head));
    price = price || hints.back().dimension == ClaimDimension::kPrice;
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::string lower = to_lower(trim(heads[i]));
    const auto is = [&](std::initializer_list<std::string_view> names) {
      return std::ranges::find(names, lower) != names.end();
    };
    const bool cost = lower.ends_with(" usd") || lower.ends_with(" eur") ||
                      is({"cost", "costs", "total cost", "cost total", "total price", "kosten", "gesamtkosten",
                          "co\xC3\xBBt", "co\xC3\xBBt total", "coste", "coste total"});
    // What is spent so far, beside a column that is called by its currency.
    const bool beside = is({"cumulative", "cumulated", "running total", "so far", "kumuliert"}) &&
                        std::ranges::find(hints, ClaimDimension::kMoney, &UnitHint::dimension) != hints.end();
    if (hints[i].dimension == ClaimDimension::kBare &&
        (beside || cost ||
         (price && is({"total", "sum", "amount", "gesamt", "summe", "betrag", "net", "netto", "net amount",
                       "nettobetrag", "gross", "brutto", "gross amount", "bruttobetrag"}))))
      hints[i].dimension = ClaimDimension::kMoney;
  }
  return hints;
}

}  // namespace gpuplan
