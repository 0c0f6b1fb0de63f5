#include "core/http.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "core/build_info.h"
#include "core/curl.h"
#include "core/display.h"
#include "core/error.h"
#include "core/interrupt.h"

namespace ridgeline {
namespace {

constexpr int kMostRedirects = 10;

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "bytes 100-199/1000": the first number.
std::optional<std::uint64_t> parse_range_start(std::string_view text) {
  if (!text.starts_with("bytes ")) return std::nullopt;
  text.remove_prefix(6);
  return parse_count(text.substr(0, text.find('-')));
}

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& letter : low) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return low;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

void note_header(HttpHead& head, std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "etag") head.etag = value;
  if (name == "last-modified") head.last_modified = value;
  if (name == "content-length") head.length = parse_count(value);
  if (name == "content-range") head.range_start = parse_range_start(value);
  if (name == "retry-after") {
    if (const auto seconds = parse_count(value))
      head.retry_after = Seconds{static_cast<double>(*seconds)};
  }
}

// What curl's callbacks see of one exchange.
struct Exchange {
  CURL* handle = nullptr;
  HttpHead head;
  const HttpEvents* events = nullptr;
  std::exception_ptr thrown;  // nothing may be thrown through curl's C frames
};

long status_of(const Exchange& exchange) {
  long status = 0;
  curl().easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

std::size_t on_header(char* line, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view text(line, size * count);
  if (text.starts_with("HTTP/")) exchange.head = {};  // after "100 Continue" comes another head
  note_header(exchange.head, text);
  return text.size();
}

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  exchange.head.status = status_of(exchange);
  const std::string_view text(bytes, size * count);
  if (exchange.head.status < 200 || exchange.head.status > 299) return text.size();
  try {
    return exchange.events->on_body(exchange.head, text) ? text.size() : 0;
  } catch (...) {
    exchange.thrown = std::current_exception();
    return 0;
  }
}

int on_progress(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return interrupted() ? 1 : 0;
}

// libcurl reads the proxies from the environment, but not where the certificates are; a machine
// behind a proxy that signs by itself says so in one of these.
const char* certificate_file() {
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const char* path = std::getenv(name);
    if (path != nullptr && *path != '\0') return path;
  }
  return nullptr;
}

struct FreeList {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

HeaderList header_list(const std::vector<std::string>& lines) {
  HeaderList list;
  for (const std::string& line : lines) {
    // A line break would start a header of its own, as a token with one at its end does.
    if (line.find_first_of("\r\n") != std::string::npos)
      throw bad_input("a token or header with a line break in it cannot be sent");
    curl_slist* longer = curl().slist_append(list.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    (void)list.release();
    list.reset(longer);
  }
  return list;
}

void prepare(Exchange& exchange, const HttpRequest& request, const std::string& url,
             const curl_slist* headers, char* words) {
  const auto set = [&](CURLoption option, auto value) {
    curl().easy_setopt(exchange.handle, option, value);
  };
  const std::string agent = fmt::format("ridgeline/{}", build_info().version);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_USERAGENT, agent.c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_ERRORBUFFER, words);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count() * 1000));
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, std::max(1L, static_cast<long>(request.stall_timeout.count())));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, on_progress);
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
  if (const char* file = certificate_file()) set(CURLOPT_CAINFO, file);
}

HttpResult::End end_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return HttpResult::End::Whole;
    case CURLE_WRITE_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:
      return HttpResult::End::Stopped;
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return HttpResult::End::Dropped;
    default:
      return HttpResult::End::Refused;
  }
}

std::string problem_of(CURLcode code, const char* words) {
  // curl counts bytes in its own words; ours says the same for both kinds of drop.
  if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR) return "the connection was dropped";
  const std::string said = words[0] != '\0' ? words : curl().easy_strerror(code);
  const bool tls = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CONNECT_ERROR ||
                   code == CURLE_SSL_CACERT_BADFILE;
  return printable(tls ? "TLS: " + said : said);
}

struct Answer {
  HttpResult result;
  std::string redirect;  // where to go on; empty at the end
};

Answer exchange_once(const HttpRequest& request, const std::string& url, const HttpEvents& events,
                     const std::vector<std::string>& lines) {
  std::array<char, CURL_ERROR_SIZE> words{};  // outlives the handle, which may write to it
  const std::unique_ptr<CURL, decltype(curl().easy_cleanup)> handle(curl().easy_init(),
                                                                    curl().easy_cleanup);
  if (handle == nullptr) throw Error(Fault::Io, "libcurl gives no handle");
  Exchange exchange{.handle = handle.get(), .head = {}, .events = &events, .thrown = {}};
  const HeaderList headers = header_list(lines);
  prepare(exchange, request, url, headers.get(), words.data());
  const CURLcode code = curl().easy_perform(handle.get());
  if (exchange.thrown) std::rethrow_exception(exchange.thrown);
  Answer answer;
  answer.result.end = end_of(code);
  answer.result.head = exchange.head;
  answer.result.head.status = status_of(exchange);
  const bool fine =
      answer.result.end == HttpResult::End::Whole || answer.result.end == HttpResult::End::Stopped;
  if (!fine) answer.result.problem = problem_of(code, words.data());
  char* next = nullptr;
  curl().easy_getinfo(handle.get(), CURLINFO_REDIRECT_URL, &next);
  if (next != nullptr) answer.redirect = next;
  return answer;
}

// Why we do not go there; empty when we do.
std::string objection(const std::optional<Origin>& from, const std::optional<Origin>& to) {
  if (!to || (to->scheme != "http" && to->scheme != "https"))
    return "only http and https are followed";
  if (from->scheme == "https" && to->scheme == "http") return "it leads from https to plain http";
  return {};
}

}  // namespace

HttpResult http_get(const HttpRequest& request, const HttpEvents& events) {
  const auto first = origin_of(request.url);
  if (!first || (first->scheme != "http" && first->scheme != "https"))
    throw bad_input(fmt::format("'{}' is no http or https URL", printable(request.url)));
  std::string url = request.url;
  auto origin = first;
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    auto lines = request.headers;
    if (!request.bearer_token.empty() && origin == first)
      lines.push_back("Authorization: Bearer " + request.bearer_token);
    Answer answer = exchange_once(request, url, events, lines);
    if (answer.result.end != HttpResult::End::Whole || answer.redirect.empty())
      return answer.result;
    const auto next = origin_of(answer.redirect);
    if (const std::string why = objection(origin, next); !why.empty()) {
      answer.result.end = HttpResult::End::Refused;
      answer.result.problem =
          fmt::format("redirected to '{}': {}", printable(answer.redirect), why);
      return answer.result;
    }
    url = answer.redirect;
    origin = next;
  }
  return {.end = HttpResult::End::Refused,
          .head = {},
          .problem = fmt::format("more than {} redirects", kMostRedirects)};
}

std::string words_of_status(long status) {
  switch (status) {
    case 401:
      return "401 Unauthorized (a token is needed, or the one sent is wrong)";
    case 403:
      return "403 Forbidden";
    case 404:
      return "404 Not Found";
    case 410:
      return "410 Gone";
    case 429:
      return "429 Too Many Requests";
    case 500:
      return "500 Internal Server Error";
    case 503:
      return "503 Service Unavailable";
    default:
      return fmt::format("the server answered {}", status);
  }
}

}  // namespace ridgeline
