#include "core/elf_symbols.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include <elf.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using Bytes8 = std::span<const std::byte>;

// A structure or a part of the file at an offset; absent where the file ends before.
template <class Structure>
std::optional<Structure> structure_at(Bytes8 bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Structure)) return std::nullopt;
  Structure structure;
  std::memcpy(&structure, bytes.data() + offset, sizeof structure);
  return structure;
}

Bytes8 part_of(Bytes8 bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.subspan(offset, size);
}

std::string_view text_at(Bytes8 texts, std::uint64_t offset) {
  if (offset >= texts.size()) return {};
  const char* const begin = reinterpret_cast<const char*>(texts.data()) + offset;
  const void* const end = std::memchr(begin, 0, texts.size() - offset);
  if (end == nullptr) return {};
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

std::optional<Elf64_Ehdr> header_of(Bytes8 bytes) {
  const auto header = structure_at<Elf64_Ehdr>(bytes, 0);
  const bool known =
      header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
      header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
      header->e_shentsize == sizeof(Elf64_Shdr) && header->e_phentsize == sizeof(Elf64_Phdr);
  return known ? header : std::nullopt;
}

std::optional<Elf64_Shdr> section(Bytes8 bytes, const Elf64_Ehdr& header, std::uint64_t number) {
  if (number >= header.e_shnum || header.e_shoff > bytes.size()) return std::nullopt;
  return structure_at<Elf64_Shdr>(bytes, header.e_shoff + number * sizeof(Elf64_Shdr));
}

// All symbols where the file kept them, else those it exports.
std::optional<Elf64_Shdr> symbol_table(Bytes8 bytes, const Elf64_Ehdr& header) {
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
      const auto found = section(bytes, header, i);
      if (found && found->sh_type == type) return found;
    }
  }
  return std::nullopt;
}

std::uint64_t lowest_address(Bytes8 bytes, const Elf64_Ehdr& header) {
  std::optional<std::uint64_t> lowest;
  for (std::uint64_t i = 0; i < header.e_phnum && header.e_phoff <= bytes.size(); ++i) {
    const auto part = structure_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (part && part->p_type == PT_LOAD)
      lowest = std::min(lowest.value_or(part->p_vaddr), part->p_vaddr);
  }
  constexpr std::uint64_t kPage = 4096;
  return lowest.value_or(0) / kPage * kPage;
}

}  // namespace

ElfSymbols::ElfSymbols(const std::filesystem::path& file) {
  try {
    file_ = MappedFile::open(file);
  } catch (const Error&) {
    return;  // what has no file (the kernel's own code) has no names
  }
  read();
}

void ElfSymbols::read() {
  const Bytes8 bytes = file_->bytes();
  const auto header = header_of(bytes);
  if (!header) return;
  base_ = lowest_address(bytes, *header);
  const auto table = symbol_table(bytes, *header);
  if (!table) return;
  const auto texts_section = section(bytes, *header, table->sh_link);
  if (!texts_section) return;
  const Bytes8 texts = part_of(bytes, texts_section->sh_offset, texts_section->sh_size);
  const Bytes8 symbols = part_of(bytes, table->sh_offset, table->sh_size);
  for (std::uint64_t at = 0; symbols.size() - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
    const auto symbol = *structure_at<Elf64_Sym>(symbols, at);
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_size == 0) continue;
    if (symbol.st_value + symbol.st_size < symbol.st_value) continue;
    functions_.push_back({.begin = symbol.st_value,
                          .end = symbol.st_value + symbol.st_size,
                          .name = text_at(texts, symbol.st_name)});
  }
  std::ranges::stable_sort(functions_, {}, &Function::begin);
}

std::string_view ElfSymbols::name_at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
  if (after == functions_.begin()) return {};
  const Function& function = *std::prev(after);
  return address < function.end ? function.name : std::string_view();
}

}  // namespace ridgeline
