#pragma once

#include <optional>
#include <string>

#include <curl/curl.h>

namespace ridgeline {

// The functions of libcurl that we call, from the library as this machine has it.
struct Curl {
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_url) url;
  decltype(&::curl_url_cleanup) url_cleanup;
  decltype(&::curl_url_set) url_set;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_free) free;
};

// Loaded at the first call. Error(Io) that says what to install where there is none.
[[nodiscard]] const Curl& curl();

// Whom a request goes to, as curl itself reads the URL: two readers could be made to differ.
struct Origin {
  std::string scheme{};
  std::string host{};
  std::string port{};
  bool operator==(const Origin&) const = default;
};
[[nodiscard]] std::optional<Origin> origin_of(const std::string& url);

}  // namespace ridgeline
