#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ridgeline {

// Each text once, with a number for it: a trace repeats a few thousand names a million times.
class TraceNames {
 public:
  [[nodiscard]] std::uint32_t number_of(std::string_view name) {
    // Most names were seen a moment ago: looked for by length and edges before all of it is hashed.
    std::uint32_t& recent = recent_[place_of(name)];
    if (recent < names_.size() && names_[recent] == name) return recent;
    return recent = number_by_hash(name);
  }
  [[nodiscard]] const std::string& operator[](std::uint32_t number) const { return names_[number]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  static constexpr std::size_t kRecent = 1024;

  static std::size_t place_of(std::string_view name) {
    std::uint64_t edges[2] = {name.size(), 0};
    if (name.size() >= 8) {
      std::memcpy(&edges[0], name.data(), 8);
      std::memcpy(&edges[1], name.data() + name.size() - 8, 8);
    } else if (!name.empty()) {
      std::memcpy(&edges[1], name.data(), name.size());
    }
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // spreads low bits over the high ones
    return static_cast<std::size_t>(((edges[0] * kOdd) ^ edges[1] ^ name.size()) * kOdd >> 54U);
  }

  [[nodiscard]] std::uint32_t number_by_hash(std::string_view name) {
    const auto found = numbers_.find(name);
    if (found != numbers_.end()) return found->second;
    const std::string& kept = names_.emplace_back(name);
    const auto number = static_cast<std::uint32_t>(names_.size() - 1);
    numbers_.emplace(kept, number);
    return number;
  }

  std::array<std::uint32_t, kRecent> recent_{};
  std::deque<std::string> names_;  // never moves its items: the map's keys point into them
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

}  // namespace ridgeline
