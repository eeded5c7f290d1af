// Servers that tell how long each answer took, a line for every request (TGI's router).
#pragma once

#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

void served_tokens(LogBook& book, const LogLine& line, std::string_view rest);

class RequestTimes {
 public:
  /// "... inference_time="2.24s" time_per_token="11.2ms" ...": the mean over all requests goes into the book. False for
  /// other lines.
  bool line(LogBook& book, const LogLine& line);

 private:
  double requests_ = 0;
};

}  // namespace gpuplan
