#include "input/feeds/feed_formats.h"

#include <array>

#include "base/text.h"
#include "input/feeds/formats/json/json_formats.h"
#include "input/feeds/formats/table_formats.h"

namespace gpuplan {
namespace {

/// Those that one sign tells for certain come first, lists of one's own last.
constexpr std::array kFormats = {
    // Tables.
    FeedFormat{"gpuplan", "gpuplan's own export", "", begins_exported, read_exported},
    FeedFormat{"skypilot", "SkyPilot catalogue", "", begins_skypilot, read_skypilot},
    FeedFormat{"gpuhunt", "gpuhunt catalogue", "", begins_gpuhunt, read_gpuhunt},
    FeedFormat{"cloud-gpus", "cloud-gpus table", "", begins_cloud_gpus, read_cloud_gpus},
    FeedFormat{"own", "own list", "", begins_own_list, read_own_list},
    // JSON.
    FeedFormat{"vast", "vast.ai offers", "vast", begins_vast, read_vast},
    FeedFormat{"runpod", "RunPod gpuTypes", "runpod", begins_runpod, read_runpod},
    FeedFormat{"runpod-v2", "RunPod catalogue v2", "runpod", begins_runpod_v2, read_runpod_v2},
    FeedFormat{"lambda", "Lambda instance types", "lambda", begins_lambda, read_lambda},
    FeedFormat{"primeintellect", "Prime Intellect availability", "primeintellect", begins_prime_intellect,
               read_prime_intellect},
    FeedFormat{"primeintellect-summary", "Prime Intellect summary", "primeintellect", begins_prime_summary,
               read_prime_summary},
    FeedFormat{"shadeform", "Shadeform instance types", "shadeform", begins_shadeform, read_shadeform},
    FeedFormat{"azure", "Azure retail prices", "azure", begins_azure, read_azure},
    FeedFormat{"aws", "AWS price list", "aws", begins_aws_price_list, read_aws_price_list},
    FeedFormat{"aws-page", "AWS pricing page", "aws", begins_aws_page, read_aws_page},
    FeedFormat{"aws-spot", "AWS spot page", "aws", begins_aws_spot, read_aws_spot},
    FeedFormat{"aws-spot-history", "AWS spot price history", "aws", begins_aws_spot_history, read_aws_spot_history},
    FeedFormat{"aws-advisor", "AWS Spot Advisor", "aws", begins_aws_advisor, read_aws_advisor},
    FeedFormat{"oci", "Oracle Cloud price estimator", "oci", begins_oci, read_oci},
    FeedFormat{"verda", "Verda instance types", "verda", begins_verda, read_verda},
    FeedFormat{"vultr", "Vultr plans", "vultr", begins_vultr, read_vultr},
    FeedFormat{"vultr-metal", "Vultr bare metal plans", "vultr", begins_vultr_metal, read_vultr_metal},
    FeedFormat{"digitalocean", "DigitalOcean sizes", "digitalocean", begins_digitalocean, read_digitalocean},
    FeedFormat{"hyperstack", "Hyperstack flavors", "hyperstack", begins_hyperstack, read_hyperstack},
    FeedFormat{"jarvislabs", "JarvisLabs servers", "jarvislabs", begins_jarvislabs, read_jarvislabs},
    FeedFormat{"seeweb", "Seeweb plans", "seeweb", begins_seeweb, read_seeweb},
    FeedFormat{"gcp-billing", "Google Cloud billing catalogue", "gcp", begins_gcp_billing, read_gcp_billing},
    FeedFormat{"dstack", "dstack offers", "", begins_dstack, read_dstack},
    FeedFormat{"no-prices", "list without prices", "", begins_no_prices, read_no_prices},
    FeedFormat{"json", "own JSON", "", begins_own_json, read_own_json},
    FeedFormat{"jsonl", "own JSON, a record a line", "", begins_own_json_lines, read_own_json_lines},
};

}  // namespace

std::span<const FeedFormat> feed_formats() { return kFormats; }

const FeedFormat* find_feed_format(std::string_view name) {
  for (const FeedFormat& format : kFormats)
    if (iequals(format.name, name)) return &format;
  return nullptr;
}

const FeedFormat* recognise_feed(std::string_view head) {
  for (const FeedFormat& format : kFormats)
    if (format.begins(head)) return &format;
  return nullptr;
}

}  // namespace gpuplan
