#include "trace/chrome_trace.h"

#include <utility>

#include <fmt/format.h>

#include "core/malformed.h"
#include "trace/chrome_collector.h"
#include "trace/chrome_header.h"
#include "trace/json_skipper.h"
#include "trace/text_window.h"

namespace ridgeline {
namespace {

// Real traces pack 10 to 40 times; the format allows a thousand.
constexpr std::uint64_t kMostPackedGrowth = 200;

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& source,
         const ChromeTraceOptions& options)
      : window_(Inflater(bytes, source), source,
                bytes.size() * kMostPackedGrowth + options.least_text_limit),
        collector_(trace_) {
    trace_.source = source;
  }

  Trace read() {
    skip_byte_order_mark();
    const char first = next();
    if (first == '[') {
      read_events(Bare::Yes);
    } else if (first == '{') {
      read_object();
    } else {
      if (window_.damage()) throw *window_.damage();
      throw malformed(trace_.source, window_.consumed(),
                      "not a trace: it starts with neither { nor [");
    }
    collector_.finish();
    trace_.notes.text_bytes = window_.consumed();
    (void)window_.grow();  // the end of a gzip part may lie behind the last of its text
    if (window_.damage()) trace_.notes.stopped = window_.damage()->what();
    if (const std::size_t foreign = window_.foreign_bytes(); foreign > 0 && !trace_.notes.stopped)
      trace_.notes.stopped = fmt::format("{} byte{} after the gzip data {} no gzip", foreign,
                                         foreign == 1 ? "" : "s", foreign == 1 ? "is" : "are");
    // A bare array may stay open, unless something stopped the reading of it.
    trace_.notes.cut_off = trace_.notes.stopped && !closed_;
    if (!found_events_) {
      if (window_.damage()) throw *window_.damage();
      throw malformed(trace_.source,
                      trace_.notes.stopped.value_or("not a trace: no traceEvents in it"));
    }
    return std::move(trace_);
  }

 private:
  enum class Bare { No, Yes };  // an array that is the whole file may end without its bracket

  void skip_byte_order_mark() {
    (void)window_.grow();
    if (window_.text().starts_with("\xef\xbb\xbf")) window_.consume(3);
  }

  // The next character that is no blank, 0 at the end of the text; consumes the blanks.
  char next() {
    do {
      JsonCursor cursor(window_.text());
      const char found = cursor.next();
      consume_to(cursor);
      if (!cursor.starved()) return found;
    } while (window_.grow());
    return '\0';
  }

  void consume_to(const JsonCursor& cursor) {
    window_.consume(static_cast<std::size_t>(cursor.place() - window_.text().data()));
  }

  void stop(std::string_view what) {
    trace_.notes.stopped = fmt::format("{} at byte {} of the text", what, window_.consumed());
  }

  // `take` reads one thing with a cursor; tried again with more text for as long as that helps.
  template <class Take>
  bool retry(Take&& take) {
    do {
      JsonCursor cursor(window_.text());
      if (take(cursor)) {
        consume_to(cursor);
        return true;
      }
      if (!cursor.starved()) return false;
    } while (window_.grow());
    return false;
  }

  // Over one value of any length, in pieces. False when the text ends inside it.
  bool skip_value() {
    JsonSkipper skipper;
    if (window_.text().empty() && !window_.grow()) return false;
    while (true) {
      window_.consume(skipper.feed(window_.text()));
      if (skipper.done()) return true;
      if (!window_.grow()) return false;
    }
  }

  void read_object() {
    window_.consume(1);
    for (bool first = true;; first = false) {
      char place = next();
      if (place == '}') return;
      if (!first) {
        if (place != ',')
          return stop(place == '\0' ? "the text ends early" : "the text is damaged");
        window_.consume(1);
        place = next();
      }
      std::string key;
      const bool named = retry([&](JsonCursor& cursor) {
        RawString text;
        if (!cursor.string(text) || !cursor.take(':')) return false;
        key = text.text;
        return true;
      });
      if (!named) return stop(next() == '\0' ? "the text ends early" : "the text is damaged");
      if (!read_member(key)) return;
    }
  }

  bool read_member(const std::string& key) {
    if (key == "traceEvents" && next() == '[') return read_events(Bare::No);
    if (is_header_key(key)) {
      const bool taken =
          retry([&](JsonCursor& cursor) { return read_header(cursor, key, trace_); });
      if (taken) return true;
    }
    if (next() != '\0' && skip_value()) return true;
    stop("the text ends early");
    return false;
  }

  // All elements up to the closing bracket. False when reading must stop.
  bool read_events(Bare bare) {
    found_events_ = true;
    closed_ = false;
    window_.consume(1);
    while (true) {
      switch (take_events()) {
        case Taken::Closed:
          closed_ = true;
          return true;
        case Taken::Damaged:
          ++trace_.notes.malformed;
          if (!skip_value()) return end_early();
          break;
        case Taken::Starved:
          if (window_.grow()) break;
          if (window_.is_full()) {
            ++trace_.notes.too_long;
            if (!skip_value()) return end_early();
            break;
          }
          if (bare == Bare::Yes && next() == '\0') return true;
          return end_early();
      }
    }
  }

  bool end_early() {
    stop("the text ends early, or an event never does,");
    return false;
  }

  enum class Taken { Closed, Damaged, Starved };

  // As many events as the window holds whole; consumes them.
  Taken take_events() {
    JsonCursor cursor(window_.text());
    while (true) {
      const char first = cursor.next();
      const char* const start = cursor.place();
      if (first == ',' || first == ']') {
        cursor.move_to(start + 1);
        if (first == ',') continue;
        consume_to(cursor);
        return Taken::Closed;
      }
      ChromeEvent event;
      if (!cursor.starved() && first == '{' && read_chrome_event(cursor, event)) {
        collector_.add(event);
        if (event.phase == 'M') [[unlikely]]
          name_line(event, start);
        continue;
      }
      const bool starved = cursor.starved();
      cursor.move_to(start);
      consume_to(cursor);
      return starved ? Taken::Starved : Taken::Damaged;
    }
  }

  // Metadata is rare, so its own reading may take a second look at it.
  [[gnu::noinline]] void name_line(const ChromeEvent& event, const char* start) {
    JsonCursor cursor(window_.text());
    cursor.move_to(start);
    RawString name;
    if (read_line_name(cursor, name)) collector_.add_name(event, name);
  }

  Trace trace_;
  TextWindow window_;
  ChromeCollector collector_;
  bool found_events_ = false;
  bool closed_ = false;  // they ended with their bracket
};

}  // namespace

Trace parse_chrome_trace(std::span<const std::byte> bytes, const std::string& source,
                         const ChromeTraceOptions& options) {
  return Reader(bytes, source, options).read();
}

}  // namespace ridgeline
