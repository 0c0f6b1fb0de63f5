#include "core/code_names.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "core/process.h"

namespace ridgeline {
namespace {

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : symbol;
}

std::string as_frame(std::string name) {
  for (char& c : name) {
    if (c == ';' || c == '\n') c = ':';
  }
  return name;
}

}  // namespace

const std::string& CodeNames::of(void* return_address) {
  const auto [entry, fresh] = known_.try_emplace(return_address);
  if (fresh) entry->second = as_frame(name_of(return_address));
  return entry->second;
}

std::string CodeNames::name_of(void* return_address) {
  // It may lie just behind its function.
  char* const address = static_cast<char*>(return_address) - 1;
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "[generated code]";
  if (info.dli_sname != nullptr) return demangled(info.dli_sname);
  // The program itself may have been started under a name that is no path.
  const bool has_path = std::string_view(info.dli_fname).find('/') != std::string_view::npos;
  const std::filesystem::path file = has_path ? info.dli_fname : own_program();
  const ElfSymbols& symbols = files_.try_emplace(file.string(), file).first->second;
  const std::uint64_t offset =
      reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(info.dli_fbase);
  const std::string_view symbol = symbols.name_at(offset + symbols.base());
  return symbol.empty() ? fmt::format("[{}]", file.filename().string())
                        : demangled(std::string(symbol));
}

}  // namespace ridgeline
