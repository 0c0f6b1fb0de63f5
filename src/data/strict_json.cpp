#include "data/strict_json.h"

#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/malformed.h"

namespace ridgeline {
namespace {

using nlohmann::json;

// The names are those nlohmann's sax_parse calls.
class Walker final : public json::json_sax_t {
 public:
  Walker(std::string_view source, std::size_t deepest, JsonListener& listener)
      : source_(source), deepest_(deepest), listener_(listener) {}

  bool null() override { return heard(&JsonListener::other); }
  bool boolean(bool /*value*/) override { return heard(&JsonListener::other); }
  bool number_integer(std::int64_t /*value*/) override { return heard(&JsonListener::other); }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return heard(&JsonListener::other);
  }
  bool binary(json::binary_t& /*value*/) override { return heard(&JsonListener::other); }
  bool number_unsigned(std::uint64_t value) override {
    listener_.whole_number(keys_, value);
    return done();
  }
  bool string(std::string& value) override {
    listener_.text(keys_, value);
    return done();
  }
  bool start_object(std::size_t /*elements*/) override {
    listener_.object(keys_);
    enter(true);
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    listener_.array(keys_);
    enter(false);
    return true;
  }
  bool key(std::string& name) override {
    if (!levels_.back().names.insert(name).second) {
      throw malformed(source_, fmt::format("the JSON key {} stands twice", in_quotes(name)));
    }
    keys_.push_back(std::move(name));
    return true;
  }
  bool end_object() override {
    levels_.pop_back();
    listener_.end_object(keys_);
    return done();
  }
  bool end_array() override {
    levels_.pop_back();
    listener_.end_array(keys_);
    return done();
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    throw malformed(source_, position, "the JSON is broken or not UTF-8");
  }

 private:
  struct Level {
    bool is_object = false;
    std::unordered_set<std::string> names;
  };

  void enter(bool is_object) {
    if (levels_.size() == deepest_) {
      throw malformed(source_, fmt::format("the JSON is nested deeper than {} levels", deepest_));
    }
    levels_.push_back({is_object, {}});
  }

  bool heard(void (JsonListener::*what)(JsonListener::Keys)) {
    (listener_.*what)(keys_);
    return done();
  }

  // A value is over; in an object so is its key.
  bool done() {
    if (!levels_.empty() && levels_.back().is_object) keys_.pop_back();
    return true;
  }

  std::string_view source_;
  std::size_t deepest_;
  JsonListener& listener_;
  std::vector<std::string> keys_;
  std::vector<Level> levels_;
};

}  // namespace

void read_json_strictly(std::string_view text, std::string_view source, std::size_t deepest,
                        JsonListener& listener) {
  Walker walker(source, deepest, listener);
  if (!json::sax_parse(text.begin(), text.end(), &walker)) {
    throw malformed(source, "the JSON is broken");
  }
}

}  // namespace ridgeline
