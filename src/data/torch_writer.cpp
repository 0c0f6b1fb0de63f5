#include <bit>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "data/array_view.h"
#include "data/little_endian.h"
#include "data/pickle_opcode.h"
#include "data/pickle_text.h"
#include "data/torch_file.h"
#include "data/torch_names.h"
#include "data/zip_writer.h"

namespace ridgeline {
namespace {

constexpr int kDeepest = 100;  // what our own reader takes

// Writes protocol 2, as torch.save does. Nothing is memoised: a tree has no sharing, except that
// arrays over the same bytes share a storage.
class PickleWriter {
 public:
  std::string write(const Value& value) {
    op(Opcode::Proto);
    out_ += '\x02';
    put(value);
    op(Opcode::Stop);
    return std::move(out_);
  }
  // One a storage; its number is its name.
  [[nodiscard]] const std::vector<std::span<const std::byte>>& storages() const {
    return storages_;
  }

 private:
  void op(Opcode opcode) { out_ += static_cast<char>(opcode); }

  void put(const Value& value) {
    std::visit([this](const auto& held) { put_held(held); }, value.held);
  }

  void put_held(std::monostate /*nothing*/) { op(Opcode::None); }
  void put_held(bool held) { op(held ? Opcode::NewTrue : Opcode::NewFalse); }
  void put_held(std::int64_t held) {
    if (std::in_range<std::int32_t>(held)) {
      op(Opcode::BinInt);
      append_number(out_, static_cast<std::int32_t>(held));
    } else {
      op(Opcode::Long1);
      out_ += '\x08';
      append_number(out_, held);
    }
  }
  void put_held(double held) {
    op(Opcode::BinFloat);
    append_number(out_, __builtin_bswap64(std::bit_cast<std::uint64_t>(held)));
  }
  void put_held(const std::string& held) { put_text(held); }

  void put_text(std::string_view text) {
    if (!is_utf8(text) || text.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw bad_input("cannot save text that is not UTF-8");
    }
    op(Opcode::BinUnicode);
    append_number(out_, static_cast<std::uint32_t>(text.size()));
    out_ += text;
  }

  void put_held(const List& held) {
    enter();
    op(Opcode::EmptyList);
    op(Opcode::Mark);
    for (const Value& item : held) put(item);
    op(Opcode::Appends);
    --depth_;
  }

  void put_held(const Dict& held) {
    enter();
    op(Opcode::EmptyDict);
    op(Opcode::Mark);
    for (const auto& [key, item] : held) {
      std::visit([this](const auto& name) { put_held(name); }, key);
      put(item);
    }
    op(Opcode::SetItems);
    --depth_;
  }

  void enter() {
    if (++depth_ > kDeepest) {
      throw bad_input(fmt::format("cannot save a value nested deeper than {} levels", kDeepest));
    }
  }

  void put_global(std::string_view name) {
    const auto dot = name.rfind('.');
    op(Opcode::Global);
    out_ += fmt::format("{}\n{}\n", name.substr(0, dot), name.substr(dot + 1));
  }

  void put_sizes(const std::vector<std::int64_t>& sizes) {
    op(Opcode::Mark);
    for (const std::int64_t size : sizes) put_held(size);
    op(Opcode::Tuple);
  }

  // _rebuild_tensor_v2(storage, 0, size, strides, False, OrderedDict()), or _v3 with the dtype.
  void put_held(const Array& held) {
    RIDGELINE_CHECK(byte_count(held.dtype, held.shape) == held.bytes.size());
    const bool typed = !torch_storage_of(held.dtype).empty();
    put_global(typed ? "torch._utils._rebuild_tensor_v2" : "torch._utils._rebuild_tensor_v3");
    op(Opcode::Mark);
    put_storage(held, typed);
    put_held(std::int64_t{0});
    put_sizes(held.shape);
    put_sizes(strides_of(held.shape));
    op(Opcode::NewFalse);
    put_global("collections.OrderedDict");
    op(Opcode::EmptyTuple);
    op(Opcode::Reduce);
    if (!typed) put_global(torch_dtype_of(held.dtype));
    op(Opcode::Tuple);
    op(Opcode::Reduce);
  }

  // The persistent id ('storage', type, number, 'cpu', count).
  void put_storage(const Array& held, bool typed) {
    op(Opcode::Mark);
    put_text("storage");
    put_global(typed ? torch_storage_of(held.dtype) : kUntypedStorage);
    put_text(storage_of(held));
    put_text("cpu");
    put_held(static_cast<std::int64_t>(typed ? held.bytes.size() / size_of(held.dtype)
                                             : held.bytes.size()));
    op(Opcode::Tuple);
    op(Opcode::BinPersId);
  }

  std::string storage_of(const Array& held) {
    if (held.bytes.empty()) return new_storage(held);
    // Tied weights stay tied. Of one type only: torch reads a storage as what it met first.
    const auto [known, is_new] =
        known_.try_emplace({held.bytes.data(), held.bytes.size(), held.dtype}, std::string());
    if (is_new) known->second = new_storage(held);
    return known->second;
  }

  std::string new_storage(const Array& held) {
    storages_.push_back(held.bytes);
    return fmt::to_string(storages_.size() - 1);
  }

  static std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
    }
    return strides;
  }

  std::string out_;
  std::vector<std::span<const std::byte>> storages_;
  std::map<std::tuple<const std::byte*, std::size_t, DType>, std::string> known_;
  int depth_ = 0;
};

}  // namespace

void write_torch_file(const std::filesystem::path& path, const Value& value) {
  PickleWriter pickle;
  const std::string text = pickle.write(value);
  ZipWriter zip(path);
  zip.add("archive/data.pkl", text);
  zip.add("archive/byteorder", "little");
  for (std::size_t i = 0; i < pickle.storages().size(); ++i) {
    zip.add(fmt::format("archive/data/{}", i), pickle.storages()[i]);
  }
  zip.add("archive/version", "3\n");
  zip.finish();
}

}  // namespace ridgeline
