#include "input/job/network_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/amount.h"
#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

constexpr double kGbit = 1e9 / 8;
constexpr double kLeastGbit = 0.01, kMostGbit = 100'000;

/// A family without a rate of its own ("InfiniBand") has 0.
struct NetworkName {
  std::string squeezed;
  double gbit = 0;
};

std::vector<NetworkName> read_names() {
  std::vector<NetworkName> names;
  const auto table = CsvTable::parse(embedded_data("networks.csv"), "networks.csv");
  if (!table) return names;  // tests/data would tell
  CsvReader cells(*table);
  const auto name = cells.column("name"), aliases = cells.column("aliases"), rate = cells.column("rate", "Gbit/s");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const double gbit = cells.number(row, rate, 0, kMostGbit);
    names.push_back({squeeze(cells.required(row, name)), gbit});
    for (const std::string& alias : cells.list(row, aliases, '|')) names.push_back({squeeze(alias), gbit});
  }
  return names;
}

const NetworkName* find_name(std::string_view text) {
  static const std::vector<NetworkName> names = read_names();
  const std::string wanted = squeeze(text);
  const auto found = std::ranges::find(names, wanted, &NetworkName::squeezed);
  return found == names.end() ? nullptr : &*found;
}

/// REQUIRES: up to four digits.
double number_of(std::string_view digits) {
  double number = 0;
  for (const char c : digits) number = 10 * number + (c - '0');
  return number;
}

/// "8x400" -> "8", "400"; false where no number stands before the sign.
bool split_count(std::string_view word, std::string_view& count, std::string_view& rest) {
  std::size_t digits = 0;
  while (digits < word.size() && is_digit(word[digits])) ++digits;
  if (digits == 0 || digits > 4) return false;
  for (const std::string_view sign : {"x", "X", "×"})
    if (word.substr(digits).starts_with(sign)) {
      count = word.substr(0, digits);
      rest = word.substr(digits + sign.size());
      return true;
    }
  return false;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

std::unexpected<Error> not_understood(std::string_view text) {
  return failure("expected what joins the machines, such as 8x 400 Gbit/s InfiniBand, 8x NDR or 100 Gbit/s, got '" +
                 printable(text, 60) + "'");
}

/// The words of a network, read one after another.
class NetworkReader {
 public:
  bool take(const std::vector<std::string_view>& words) {
    for (std::size_t i = 0; i < words.size();) {
      // "8 x" is "8x".
      const bool apart = i + 1 < words.size() && (words[i + 1] == "x" || words[i + 1] == "×");
      const std::string joined = apart ? std::string(words[i]) + "x" : std::string();
      std::string_view word = apart ? std::string_view(joined) : words[i], count, rest;
      if (apart && !split_count(word, count, rest)) return false;
      if (apart) ++i;
      bool counted = false;
      if (split_count(word, count, rest)) {
        if (adapters_ > 0) return false;
        adapters_ = number_of(count);
        counted = true;
        word = rest;
      }
      if (word.empty()) {
        ++i;
        continue;
      }
      const std::size_t taken = take_rate(word, i + 1 < words.size() ? words[i + 1] : "", counted);
      if (taken == 0) return false;
      i += taken;
    }
    return true;
  }

  bool has_rate() const { return gbit_ > 0; }
  double gbit() const { return gbit_ * (adapters_ > 0 ? adapters_ : 1); }

 private:
  /// How many words are read; 0: they mean nothing.
  std::size_t take_rate(std::string_view word, std::string_view next, bool counted) {
    if (!next.empty())
      if (const NetworkName* name = find_name(std::string(word) + " " + std::string(next)); name && name->gbit > 0)
        return set_name(name->gbit) ? 2 : 0;
    if (const NetworkName* name = find_name(word)) return name->gbit == 0 || set_name(name->gbit) ? 1 : 0;
    if (!next.empty() && find_name(next) == nullptr)
      if (const auto rate = parse_amount(std::string(word) + " " + std::string(next), AmountKind::kBytesPerSecond))
        return set(*rate / kGbit) ? 2 : 0;
    const bool unit = word.find_first_not_of("0123456789.") != std::string_view::npos;
    // "8x400", as providers name their networks, counts Gbit/s.
    if (const auto rate = parse_amount(word, AmountKind::kBytesPerSecond); rate && (unit || counted))
      return set(unit ? *rate / kGbit : *rate) ? 1 : 0;
    return 0;
  }
  /// A rate that is written out counts before that of a name beside it.
  bool set(double gbit) {
    if (written_) return false;
    written_ = true;
    gbit_ = gbit;
    return true;
  }
  bool set_name(double gbit) {
    if (!written_) gbit_ = gbit;
    return true;
  }

  double adapters_ = 0, gbit_ = 0;
  bool written_ = false;
};

}  // namespace

Result<BytesPerSecond> parse_network(std::string_view text) {
  NetworkReader reader;
  const std::vector<std::string_view> words = words_of(text);
  if (words.empty() || !reader.take(words)) return not_understood(text);
  if (!reader.has_rate())
    return failure("'" + printable(text, 60) + "' says no rate; write it as 8x 400 Gbit/s " + printable(text, 60));
  if (reader.gbit() < kLeastGbit || reader.gbit() > kMostGbit)
    return failure("expected from 10 Mbit/s to 100,000 Gbit/s for one machine, got '" + printable(text, 60) + "'");
  return BytesPerSecond{reader.gbit() * kGbit};
}

}  // namespace gpuplan
