#include "data/torch_file.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/malformed.h"
#include "core/mapped_file.h"
#include "data/array_view.h"
#include "data/pickle.h"
#include "data/zip_store.h"

namespace ridgeline {
namespace {

constexpr std::string_view kPickle = "data.pkl";

// The folder inside the archive, with its slash: torch names it after the file.
std::string find_folder(const ZipStore& zip) {
  for (const ZipEntry& entry : zip.entries()) {
    const auto slash = entry.name.find('/');
    if (slash != std::string::npos && std::string_view(entry.name).substr(slash + 1) == kPickle) {
      return entry.name.substr(0, slash + 1);
    }
  }
  throw malformed(zip.source(), "a zip file without data.pkl: not written by torch.save");
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_kind(const ZipStore& zip, const std::string& folder) {
  if (zip.find(folder + "constants.pkl") != nullptr) {
    throw malformed(zip.source(), kIsTorchScript);
  }
  const ZipEntry* const order = zip.find(folder + "byteorder");
  if (order != nullptr && text_of(zip.checked_bytes(*order)) != "little") {
    throw malformed(zip.source(), "written on a big-endian machine; convert it there");
  }
}

// Finds the bytes of tensors in the archive.
class Storages {
 public:
  Storages(const ZipStore& zip, std::string folder, std::shared_ptr<const void> owner,
           std::size_t file_size)
      : zip_(zip),
        folder_(std::move(folder)),
        owner_(std::move(owner)),
        // Every storage may be copied a few times; a tensor that repeats one number for ever may
        // not.
        copies_left_(2 * file_size + (std::size_t{64} << 20U)) {}

  Array tensor(const StoredTensor& stored) {
    const std::string name = folder_ + "data/" + stored.storage;
    const ZipEntry* const entry = zip_.find(name);
    if (entry == nullptr) {
      throw malformed(zip_.source(), fmt::format("the record {} is missing", in_quotes(name)));
    }
    if (entry->size != stored.storage_bytes) {
      throw malformed(zip_.source(), entry->begin,
                      fmt::format("the record {} has {} bytes, the pickle says {}", in_quotes(name),
                                  entry->size, stored.storage_bytes));
    }
    const auto storage = verified(*entry);
    const Layout& layout = stored.layout;
    const auto size = byte_count(stored.dtype, layout.shape);
    const auto end = end_of(layout);
    RIDGELINE_CHECK(size && end && static_cast<std::uint64_t>(*end) <= storage.size());
    if (*size == 0) return own_copy(stored.dtype, layout.shape, {});
    const auto start = static_cast<std::size_t>(layout.offset) * size_of(stored.dtype);
    const bool row_major = is_row_major(layout);
    if (!row_major || !is_aligned(storage.subspan(start, *size), stored.dtype)) {
      charge_copy(stored, *size);
    }
    return row_major
               ? view_or_copy(stored.dtype, layout.shape, storage.subspan(start, *size), owner_)
               : gather(stored.dtype, layout, storage);
  }

 private:
  // A bit that the disk turned would be trained on. Tensors share storages: once each.
  std::span<const std::byte> verified(const ZipEntry& entry) {
    return verified_.insert(&entry).second ? zip_.checked_bytes(entry) : zip_.bytes(entry);
  }

  void charge_copy(const StoredTensor& stored, std::size_t size) {
    if (size > copies_left_) {
      throw malformed(zip_.source(),
                      fmt::format("tensors over the storage {} repeat it too often to be unfolded",
                                  in_quotes(stored.storage)));
    }
    copies_left_ -= size;
  }

  const ZipStore& zip_;
  std::string folder_;
  std::shared_ptr<const void> owner_;
  std::size_t copies_left_;
  std::set<const ZipEntry*> verified_;
};

}  // namespace

Value parse_torch_file(std::span<const std::byte> bytes, const std::string& source,
                       const std::shared_ptr<const void>& owner) {
  if (!looks_like_zip(bytes)) {
    throw malformed(source,
                    "not the zip format of torch.save since 1.6; convert an older file in Python: "
                    "torch.save(torch.load(FILE, weights_only=True), FILE)");
  }
  const ZipStore zip(bytes, source);
  const std::string folder = find_folder(zip);
  check_kind(zip, folder);
  Storages storages(zip, folder, owner, bytes.size());
  const std::string part = source + ": " + folder + std::string(kPickle);
  const ZipEntry* const pickle = zip.find(folder + std::string(kPickle));
  RIDGELINE_CHECK(pickle != nullptr);
  return read_pickle(zip.checked_bytes(*pickle),
                     {.source = part, .owner = owner, .tensor = [&](const StoredTensor& stored) {
                        return storages.tensor(stored);
                      }});
}

Value read_torch_file(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  return parse_torch_file(file->bytes(), path.string(), file);
}

}  // namespace ridgeline
