#pragma once

#include <filesystem>
#include <string>

namespace ridgeline {

struct LibraryOptions {
  bool global = false;  // its symbols serve libraries loaded later
};

// A library loaded at run time. Never unloaded: torch registers operators, thread-local state and
// exit handlers that point into its code, and would crash at exit.
class Library {
 public:
  // Error(Io) with the loader's own words.
  [[nodiscard]] static Library open(const std::filesystem::path& path,
                                    const LibraryOptions& options = {});

  // F is a pointer type: symbol<int (*)(int)>("name"). Error(Io) when it is missing.
  template <class F>
  [[nodiscard]] F symbol(const char* name) const {
    return reinterpret_cast<F>(address(name));
  }

  // The same, null when it is missing.
  template <class F>
  [[nodiscard]] F find_symbol(const char* name) const {
    return reinterpret_cast<F>(find_address(name));
  }

 private:
  Library(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  [[nodiscard]] void* address(const char* name) const;
  [[nodiscard]] void* find_address(const char* name) const;

  void* handle_;
  std::string name_;
};

}  // namespace ridgeline
