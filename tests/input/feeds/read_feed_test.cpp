// Files of price lists: packed or not, in whatever encoding.
#include "input/feeds/read_feed.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "feed_fixture.h"
#include "input/feeds/feed_formats.h"
#include "input/feeds/feed_names.h"
#include "zip_fixture.h"

namespace gpuplan {
namespace {

constexpr const char* kList = "provider,gpu,gpus,price_per_hour\nacme,T4,1,0.5\nacme,RTX 4090,2,0.8\n";
const Strings kOffers = {"1x T4 $0.5", "2x RTX 4090 $0.8"};

std::string utf16(std::string_view text, bool little) {
  std::string out = little ? "\xFF\xFE" : "\xFE\xFF";
  for (const char c : text) {
    const std::string pair = little ? std::string{c, '\0'} : std::string{'\0', c};
    out += pair;
  }
  return out;
}

TEST(FeedSource, EncodingsAndGzip) {
  const std::string list = kList;
  for (const std::string& bytes : {list, "\xEF\xBB\xBF" + list, utf16(list, true), utf16(list, false), gzip(list),
                                   gzip(utf16(list, true)), gzip(list.substr(0, 40)) + gzip(list.substr(40))})
    EXPECT_EQ(told(read_feed(bytes, terms_of("list"))), kOffers);
}

TEST(FeedSource, GzipThatBreaksOffIsNoShorterList) {
  const std::string packed = gzip(kList);
  for (std::size_t size = 3; size < packed.size(); size += 5)
    EXPECT_FALSE(read_feeds(std::string_view(packed).substr(0, size), terms_of("list.gz"))) << size;
}

TEST(FeedSource, AZipGivesOneListAFile) {
  const std::string gpuhunt =
      "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size\n"
      "x,r,1.5,8,64,1,L4,24,False,\n";
  const std::string bytes = zip_of({{"lambdalabs.csv", gpuhunt, true},
                                    {"deep/../../newcloud.csv", gpuhunt, false},
                                    {"own.csv.gz", gzip(kList), true},
                                    {"__MACOSX/._aws.csv", "junk", true},
                                    {"README.md", "Prices, gathered with care.", true},
                                    {"empty/", "", false}});
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, bytes.size()}) {
    const auto feeds = read_feeds(bytes, terms_of("catalog.zip"), "", piece);
    ASSERT_TRUE(feeds) << feeds.error().message;
    ASSERT_EQ(feeds->size(), 3u);
    EXPECT_EQ((*feeds)[0].file, "catalog.zip/lambdalabs.csv");
    EXPECT_EQ((*feeds)[0].offers.at(0).provider, "lambda");
    EXPECT_EQ((*feeds)[1].offers.at(0).provider, "newcloud");
    EXPECT_EQ(told((*feeds)[2]), kOffers);
  }
}

TEST(FeedSource, UnknownTextSaysWhatIsRead) {
  for (const char* text : {"", " \r\n\n"}) {
    const auto feeds = read_feeds(text, terms_of("x.bin"));
    ASSERT_FALSE(feeds);
    EXPECT_EQ(feeds.error().message, "is empty; expected a price list");
  }
  for (const std::string& text : {std::string("a,b\n1,2\n"), std::string("PK"), std::string(100'000, 'x'),
                                  zip_of({{"a.txt", "hello", true}}), zip_of({})}) {
    const auto feeds = read_feeds(text, terms_of("x.bin"));
    ASSERT_FALSE(feeds);
    EXPECT_TRUE(
        feeds.error().message.starts_with("no price list that gpuplan knows by its text; own lists need columns "
                                          "gpu, gpus, price_per_hour; "))
        << feeds.error().message;
    EXPECT_EQ(feeds.error().place.file, "x.bin");
  }
}

TEST(FeedSource, AForcedFormatIsTaken) {
  const auto wrong = read_feeds(kList, terms_of("x"), "skypilt");
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().usage);
  EXPECT_NE(wrong.error().message.find("skypilot"), std::string::npos);
  const auto other = read_feeds(kList, terms_of("x"), "skypilot");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "no header row; expected one with the columns InstanceType, AcceleratorName, Price");
  EXPECT_EQ(told(read_feed(kList, terms_of("x"), "OWN")), kOffers);
}

TEST(FeedSource, ListsThatUnpackToTooMuchAreRefused) {
  const std::string endless = std::string(kList) + std::string(std::size_t{40} << 20U, '\n');
  for (const std::string& bytes : {gzip(endless), zip_of({{"a.csv", endless, true}})}) {
    const auto feeds = read_feeds(bytes, terms_of("bomb"));
    ASSERT_FALSE(feeds);
    EXPECT_NE(feeds.error().message.find("unpacks to more than any list of prices has"), std::string::npos);
  }
}

TEST(FeedSource, AfterAnErrorNothingElseIsSaid) {
  FeedSource source(terms_of("x"), "", feed_catalogue());
  const auto first = source.take(std::string(70'000, 'x'));
  ASSERT_FALSE(first);
  EXPECT_EQ(source.take(kList).error().message, first.error().message);
  EXPECT_EQ(source.finish().error().message, first.error().message);
}

TEST(FeedFormats, NamesAreUniqueAndFound) {
  for (const FeedFormat& format : feed_formats()) EXPECT_EQ(find_feed_format(format.name), &format) << format.name;
}

TEST(FeedNames, ProvidersByPath) {
  const std::vector<std::pair<const char*, const char*>> known = {
      {"v8/aws/vms.csv", "aws"},
      {"/home/me/.sky/catalogs/v7/primeintellect/vms.csv", "primeintellect"},
      {"v5_aws_vms.csv", "aws"},
      {"aws.csv", "aws"},
      {"do.csv", "digitalocean"},
      {"v8\\gcp\\vms.csv", "gcp"},
      {"lambdalabs.csv.gz", "lambda"},
      {"gpuhunt_v2_verda.csv", "verda"},
      {"datacrunch.csv", "verda"},
      {"https://host/v3/runpod/20261101/catalog.zip", "runpod"},
      {"prime-intellect-offers.json", "primeintellect"},
      {"prices.csv", ""},
      {"/home/vast/prices.csv", ""},
      {"what_to_do.csv", ""},
      {"vms.csv", ""},
      {"", ""},
      {"/", ""},
      {".csv", ""}};
  for (const auto& [path, provider] : known) EXPECT_EQ(provider_of_path(path), provider) << path;
}

}  // namespace
}  // namespace gpuplan
