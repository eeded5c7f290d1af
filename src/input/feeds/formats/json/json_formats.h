// Price lists in JSON: what each begins as, and its reader. Which list is whose stands in feed_formats.cpp; what each
// has in it, and what is made of that, in the file of its name.
#pragma once

#include <memory>
#include <string_view>

#include "input/feeds/rows/feed_reader.h"

namespace gpuplan {

bool begins_vast(std::string_view head);
std::unique_ptr<FeedReader> read_vast(FeedRows& rows);
bool begins_runpod(std::string_view head);
std::unique_ptr<FeedReader> read_runpod(FeedRows& rows);
bool begins_runpod_v2(std::string_view head);
std::unique_ptr<FeedReader> read_runpod_v2(FeedRows& rows);
bool begins_lambda(std::string_view head);
std::unique_ptr<FeedReader> read_lambda(FeedRows& rows);
bool begins_prime_intellect(std::string_view head);
std::unique_ptr<FeedReader> read_prime_intellect(FeedRows& rows);
bool begins_prime_summary(std::string_view head);
std::unique_ptr<FeedReader> read_prime_summary(FeedRows& rows);
bool begins_shadeform(std::string_view head);
std::unique_ptr<FeedReader> read_shadeform(FeedRows& rows);
bool begins_azure(std::string_view head);
std::unique_ptr<FeedReader> read_azure(FeedRows& rows);
bool begins_aws_price_list(std::string_view head);
std::unique_ptr<FeedReader> read_aws_price_list(FeedRows& rows);
bool begins_aws_page(std::string_view head);
std::unique_ptr<FeedReader> read_aws_page(FeedRows& rows);
bool begins_aws_spot(std::string_view head);
std::unique_ptr<FeedReader> read_aws_spot(FeedRows& rows);
bool begins_aws_spot_history(std::string_view head);
std::unique_ptr<FeedReader> read_aws_spot_history(FeedRows& rows);
bool begins_aws_advisor(std::string_view head);
std::unique_ptr<FeedReader> read_aws_advisor(FeedRows& rows);
bool begins_oci(std::string_view head);
std::unique_ptr<FeedReader> read_oci(FeedRows& rows);
bool begins_verda(std::string_view head);
std::unique_ptr<FeedReader> read_verda(FeedRows& rows);
bool begins_vultr(std::string_view head);
std::unique_ptr<FeedReader> read_vultr(FeedRows& rows);
bool begins_vultr_metal(std::string_view head);
std::unique_ptr<FeedReader> read_vultr_metal(FeedRows& rows);
bool begins_digitalocean(std::string_view head);
std::unique_ptr<FeedReader> read_digitalocean(FeedRows& rows);
bool begins_hyperstack(std::string_view head);
std::unique_ptr<FeedReader> read_hyperstack(FeedRows& rows);
bool begins_jarvislabs(std::string_view head);
std::unique_ptr<FeedReader> read_jarvislabs(FeedRows& rows);
bool begins_seeweb(std::string_view head);
std::unique_ptr<FeedReader> read_seeweb(FeedRows& rows);
bool begins_gcp_billing(std::string_view head);
std::unique_ptr<FeedReader> read_gcp_billing(FeedRows& rows);
bool begins_dstack(std::string_view head);
std::unique_ptr<FeedReader> read_dstack(FeedRows& rows);
bool begins_no_prices(std::string_view head);
std::unique_ptr<FeedReader> read_no_prices(FeedRows& rows);
bool begins_own_json(std::string_view head);
std::unique_ptr<FeedReader> read_own_json(FeedRows& rows);
bool begins_own_json_lines(std::string_view head);
std::unique_ptr<FeedReader> read_own_json_lines(FeedRows& rows);

}  // namespace gpuplan
