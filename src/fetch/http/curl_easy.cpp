#include "fetch/http/curl_easy.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <type_traits>
#include <utility>

namespace gpuplan::fetch {
namespace {

struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

Result<CurlLibrary> load_functions() {
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);  // never unloaded: it is used until the program ends
    if (library != nullptr) break;
  }
  if (library == nullptr)
    return failure("fetching needs libcurl, which is not installed here; on Debian and Ubuntu: apt install libcurl4");
  CurlLibrary curl;
  bool all = true;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    all = all && function != nullptr;
  };
  find(curl.global_init, "curl_global_init");
  find(curl.easy_init, "curl_easy_init");
  find(curl.easy_reset, "curl_easy_reset");
  find(curl.easy_setopt, "curl_easy_setopt");
  find(curl.easy_perform, "curl_easy_perform");
  find(curl.easy_getinfo, "curl_easy_getinfo");
  find(curl.easy_cleanup, "curl_easy_cleanup");
  find(curl.slist_append, "curl_slist_append");
  find(curl.slist_free_all, "curl_slist_free_all");
  if (!all || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return failure("the libcurl that is installed here cannot be used; install another: apt install libcurl4");
  return curl;
}

/// Loaded once.
const Result<CurlLibrary>& curl_library() {
  static const Result<CurlLibrary> loaded = load_functions();
  return loaded;
}

}  // namespace

Result<CurlEasy> CurlEasy::open() {
  const auto& curl = curl_library();
  if (!curl) return std::unexpected(curl.error());
  CurlEasy easy;
  easy.handle_ = curl->easy_init();
  if (easy.handle_ == nullptr) return failure("the libcurl that is installed here does not start");
  return easy;
}

CurlEasy::CurlEasy(CurlEasy&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      lines_(std::exchange(other.lines_, nullptr)),
      all_set_(other.all_set_) {}

CurlEasy::~CurlEasy() {
  if (handle_ == nullptr) return;
  curl_library()->slist_free_all(static_cast<curl_slist*>(lines_));
  curl_library()->easy_cleanup(handle_);
}

void CurlEasy::reset() {
  curl_library()->easy_reset(handle_);
  curl_library()->slist_free_all(static_cast<curl_slist*>(lines_));
  lines_ = nullptr;
  all_set_ = true;
}

void CurlEasy::note(int code) { all_set_ = all_set_ && code == CURLE_OK; }
void CurlEasy::set(int option, long value) {
  note(curl_library()->easy_setopt(handle_, static_cast<CURLoption>(option), value));
}
void CurlEasy::set_size(int option, std::int64_t value) {
  note(curl_library()->easy_setopt(handle_, static_cast<CURLoption>(option), static_cast<curl_off_t>(value)));
}
void CurlEasy::set_text(int option, const char* text) {
  note(curl_library()->easy_setopt(handle_, static_cast<CURLoption>(option), text));
}
void CurlEasy::set_pointer(int option, void* pointer) {
  note(curl_library()->easy_setopt(handle_, static_cast<CURLoption>(option), pointer));
}
void CurlEasy::set_callback(int option, Callback callback) {
  note(curl_library()->easy_setopt(handle_, static_cast<CURLoption>(option), callback));
}

void CurlEasy::set_progress(int option, Progress callback) {
  note(curl_library()->easy_setopt(handle_, static_cast<CURLoption>(option), callback));
}

void CurlEasy::add_line(const std::string& line) {
  if (void* longer = curl_library()->slist_append(static_cast<curl_slist*>(lines_), line.c_str())) {
    lines_ = longer;
  } else {
    note(CURLE_OUT_OF_MEMORY);
  }
}

int CurlEasy::perform() {
  set_pointer(CURLOPT_HTTPHEADER, lines_);
  return curl_library()->easy_perform(handle_);
}

std::int64_t CurlEasy::number(int question) const {
  curl_off_t value = 0;
  return curl_library()->easy_getinfo(handle_, static_cast<CURLINFO>(question), &value) == CURLE_OK ? value : 0;
}

std::string CurlEasy::text(int question) const {
  const char* value = nullptr;
  const bool told = curl_library()->easy_getinfo(handle_, static_cast<CURLINFO>(question), &value) == CURLE_OK;
  return told && value != nullptr ? value : "";
}

}  // namespace gpuplan::fetch
