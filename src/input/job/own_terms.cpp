// Keys of `commitments:` and `credits:`.
#include <array>

#include "base/text.h"
#include "input/job/codecs.h"

namespace gpuplan {

namespace {

/// A whole day: that of a month would leave open whether its end counts.
struct DayCodec {
  static constexpr const ValueType& type = DateCodec::type;
  static bool read(Reader& reader, const Tree& tree, std::string& out, const Bounds& bounds) {
    constexpr std::size_t kWithDay = 10;
    if (!DateCodec::read(reader, tree, out, bounds)) return false;
    return out.size() == kWithDay || reader.fail(tree, "expected a day such as 2027-01-31, got '" + out + "'");
  }
};

bool check_provider(Reader& reader, const Tree& tree, std::string& provider) {
  provider = trim(provider);
  return !provider.empty() || reader.fail(tree, "'provider' is empty; expected one such as aws");
}

struct CommitmentRecord {
  using Object = Commitment;
  static constexpr std::string_view title = "commitment";
  static constexpr std::array keys = {
      key<&Commitment::provider>("provider", "required", "provider of the machines"),
      gpu_key<Commitment>("all", "GPU type, with an optional count: 16x H100 SXM"),
      key<&Commitment::gpus>("gpus", "all",
                             "GPUs that it covers at one time; what a plan takes beyond costs the list's",
                             between(1, 100'000)),
      key<&Commitment::region>("region", "all", "region of the machines, as the provider names it"),
      key<&Commitment::price>("price", "$0/h", "what an hour of one GPU costs on top of what you pay in any case"),
      key_as<OptionalCodec<ShareCodec>, &Commitment::discount>(
          "discount", "none", "instead of a price: off what would be paid without it", between(0, 1)),
      key_as<DayCodec, &Commitment::until>("until", "no end", "last day on which it counts"),
  };
  static bool check(Reader& reader, const Tree& tree, Commitment& commitment) {
    if (commitment.price && commitment.discount) {
      const Reader::Scope scope(reader, "discount");
      return reader.fail(*tree.find("discount"), "'price' says what is paid already; give one of them");
    }
    if (!commitment.discount && !commitment.price) commitment.price = DollarsPerSecond{};
    return check_provider(reader, tree, commitment.provider) && check_gpu_count(reader, tree);
  }
};

struct CreditRecord {
  using Object = Credit;
  static constexpr std::string_view title = "credit";
  static constexpr std::array keys = {
      key<&Credit::provider>("provider", "required", "provider that the credits are of"),
      key<&Credit::amount>("amount", "required", "what is left of them"),
      key_as<DayCodec, &Credit::until>("until", "no end", "last day on which they pay"),
  };
  static bool check(Reader& reader, const Tree& tree, Credit& credit) {
    return check_provider(reader, tree, credit.provider);
  }
};

}  // namespace

constinit const ValueType Codec<Commitment>::type = Record<CommitmentRecord>::type;
bool Codec<Commitment>::read(Reader& reader, const Tree& tree, Commitment& out, const Bounds& bounds) {
  return Record<CommitmentRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType Codec<Credit>::type = Record<CreditRecord>::type;
bool Codec<Credit>::read(Reader& reader, const Tree& tree, Credit& out, const Bounds& bounds) {
  return Record<CreditRecord>::read(reader, tree, out, bounds);
}

}  // namespace gpuplan
