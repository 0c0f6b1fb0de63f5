#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ridgeline {

// Hears what a JSON text holds, without the text becoming objects in memory: a hostile one of 100
// MB would become gigabytes. `keys` lead from the top to the value; an array's values share its
// keys. A handler that does not want what it hears throws Error.
class JsonListener {
 public:
  virtual ~JsonListener() = default;
  using Keys = std::span<const std::string>;
  virtual void object(Keys keys) = 0;
  virtual void array(Keys keys) = 0;
  virtual void text(Keys keys, std::string& value) = 0;
  virtual void whole_number(Keys keys, std::uint64_t value) = 0;
  // Everything else: fractions, negative numbers, true, false, null.
  virtual void other(Keys keys) = 0;
  virtual void end_object(Keys /*keys*/) {}
  virtual void end_array(Keys /*keys*/) {}
};

// Throws Error(BadInput) naming `source` for what is no JSON, no UTF-8, nested deeper than
// `deepest` or holds a key twice in one object.
void read_json_strictly(std::string_view text, std::string_view source, std::size_t deepest,
                        JsonListener& listener);

}  // namespace ridgeline
