#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ridgeline {

// Each text once, with a number for it: a trace repeats a few thousand names a million times.
class TraceNames {
 public:
  [[nodiscard]] std::uint32_t number_of(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    const std::string& kept = names_.emplace_back(name);
    const auto number = static_cast<std::uint32_t>(names_.size() - 1);
    numbers_.emplace(kept, number);
    return number;
  }
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return names_[number]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  // never moves its items: the map's keys point into them
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace ridgeline
