#include "core/curl.h"

#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "core/library.h"

namespace ridgeline {
namespace {

Library open_library() {
  try {
    return Library::open("libcurl.so.4");
  } catch (const Error& error) {
    throw Error(Fault::Io,
                fmt::format("downloads need libcurl 4 (Debian: apt-get install libcurl4): {}",
                            error.what()));
  }
}

Curl load() {
  const Library library = open_library();
  const auto start = library.symbol<decltype(&::curl_global_init)>("curl_global_init");
  if (start(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw Error(Fault::Io, "libcurl does not start");
#define RIDGELINE_CURL(name) .name = library.symbol<decltype(&::curl_##name)>("curl_" #name)
  return {
      RIDGELINE_CURL(easy_init),    RIDGELINE_CURL(easy_cleanup),   RIDGELINE_CURL(easy_setopt),
      RIDGELINE_CURL(easy_getinfo), RIDGELINE_CURL(easy_perform),   RIDGELINE_CURL(easy_strerror),
      RIDGELINE_CURL(slist_append), RIDGELINE_CURL(slist_free_all), RIDGELINE_CURL(url),
      RIDGELINE_CURL(url_cleanup),  RIDGELINE_CURL(url_set),        RIDGELINE_CURL(url_get),
      RIDGELINE_CURL(free)};
#undef RIDGELINE_CURL
}

}  // namespace

const Curl& curl() {
  static const Curl loaded = load();
  return loaded;
}

std::optional<Origin> origin_of(const std::string& url) {
  const Curl& api = curl();
  const std::unique_ptr<CURLU, decltype(api.url_cleanup)> parsed(api.url(), api.url_cleanup);
  if (parsed == nullptr || api.url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
    return std::nullopt;
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    if (api.url_get(parsed.get(), which, &text, CURLU_DEFAULT_PORT) != CURLUE_OK)
      return std::string();
    std::string copy(text);
    api.free(text);
    for (char& letter : copy) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return copy;
  };
  return Origin{
      .scheme = part(CURLUPART_SCHEME), .host = part(CURLUPART_HOST), .port = part(CURLUPART_PORT)};
}

}  // namespace ridgeline
