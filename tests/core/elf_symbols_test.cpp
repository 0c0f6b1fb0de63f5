#include "core/elf_symbols.h"

#include <string>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/process.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

// Nobody exports it, so the dynamic linker has no name for it.
[[gnu::noinline]] int hidden_from_others(int a) { return a * 3 + 1; }

TEST(ElfSymbolsTest, AFunctionThatIsNotExportedHasItsName) {
  const auto address = reinterpret_cast<std::uint64_t>(&hidden_from_others);
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(address), &info), 0);
  const ElfSymbols symbols(own_program());
  const std::uint64_t place =
      address - reinterpret_cast<std::uint64_t>(info.dli_fbase) + symbols.base();
  EXPECT_THAT(std::string(symbols.name_at(place)), HasSubstr("hidden_from_others"));
  EXPECT_EQ(symbols.name_at(0), "");
  EXPECT_EQ(symbols.name_at(~0ULL), "");
}

TEST(ElfSymbolsTest, WhatIsNoSuchFileHasNoNames) {
  const TemporaryFolder folder;
  EXPECT_EQ(ElfSymbols(folder.path() / "absent").name_at(1), "");
  for (const char* const text : {"",
                                 "\x7f"
                                 "ELF",
                                 "plain text, long enough for a header of an ELF file"}) {
    write_file_atomically(folder.path() / "file", text);
    EXPECT_EQ(ElfSymbols(folder.path() / "file").name_at(1), "");
  }
}

TEST(ElfSymbolsTest, ADamagedFileIsReadWithoutHarm) {
  const TemporaryFolder folder;
  const std::string whole = read_file(own_program(), {1e9});
  for (const std::size_t length : {64UL, 100UL, whole.size() / 2, whole.size() - 1}) {
    write_file_atomically(folder.path() / "cut", whole.substr(0, length));
    (void)ElfSymbols(folder.path() / "cut").name_at(0x1234);
  }
  std::string wild = whole.substr(0, 4096);
  for (std::size_t i = 24; i < wild.size(); ++i) wild[i] = '\xff';
  write_file_atomically(folder.path() / "wild", wild);
  EXPECT_EQ(ElfSymbols(folder.path() / "wild").name_at(0x1234), "");
}

}  // namespace
}  // namespace ridgeline
