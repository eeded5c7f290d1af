// libcurl, loaded when something is fetched: no other command pays for it, and none fails where it is not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace gpuplan::fetch {

/// A handle of libcurl. Options and questions are those of <curl/curl.h>, as numbers, since that header stays in .cpp
/// files. Connections are used again for as long as it lives.
class CurlEasy {
 public:
  using Callback = std::size_t (*)(char* data, std::size_t size, std::size_t count, void* user);
  /// Of bytes to come, that came, to be sent and that were sent; other than 0 ends the transfer.
  using Progress = int (*)(void* user, std::int64_t, std::int64_t, std::int64_t, std::int64_t);

  /// Fails with the line that installs libcurl.
  static Result<CurlEasy> open();
  CurlEasy(CurlEasy&& other) noexcept;
  CurlEasy& operator=(CurlEasy&&) = delete;
  ~CurlEasy();

  /// Forgets options, header lines and whether one could not be set.
  void reset();
  void set(int option, long value);
  void set_size(int option, std::int64_t value);
  /// Copied by libcurl, except where its manual says otherwise (POSTFIELDS).
  void set_text(int option, const char* text);
  void set_pointer(int option, void* pointer);
  void set_callback(int option, Callback callback);
  void set_progress(int option, Progress callback);
  /// False: this libcurl does not know one of the options.
  bool all_set() const { return all_set_; }
  /// A line of the request's header.
  void add_line(const std::string& line);

  /// What libcurl calls CURLcode.
  int perform();
  std::int64_t number(int question) const;
  std::string text(int question) const;

 private:
  CurlEasy() = default;
  void note(int code);

  void* handle_ = nullptr;
  void* lines_ = nullptr;  ///< a curl_slist
  bool all_set_ = true;
};

}  // namespace gpuplan::fetch
