#include "data/torch_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"
#include "data/arrays.h"
#include "data/little_endian.h"
#include "data/zip_writer.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

Value written_and_read(const Value& value) {
  const TemporaryFolder folder;
  write_torch_file(folder.path() / "f.pt", value);
  return read_torch_file(folder.path() / "f.pt");
}

void expect_same(const Value& a, const Value& b);
void expect_same_held(const Array& a, const Array& b) { EXPECT_TRUE(same(a, b)); }
void expect_same_held(const List& a, const List& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}
void expect_same_held(const Dict& a, const Dict& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    expect_same(a[i].second, b[i].second);
  }
}
template <class Held>
void expect_same_held(const Held& a, const Held& b) {
  EXPECT_EQ(a, b);
}
void expect_same(const Value& a, const Value& b) {
  ASSERT_EQ(a.held.index(), b.held.index());
  std::visit(
      [&](const auto& held) {
        expect_same_held(held, std::get<std::decay_t<decltype(held)>>(b.held));
      },
      a.held);
}

TEST(TorchFileTest, EverythingAValueHoldsComesBack) {
  const Value value{Dict{
      {"none"s, Value{}},
      {"yes"s, Value{true}},
      {"small"s, Value{std::int64_t{-5}}},
      {"large"s, Value{INT64_MIN}},
      {"pi"s, Value{3.14159}},
      {"text"s, Value{"ünï"s}},
      {"list"s, Value{List{Value{std::int64_t{1}}, Value{List{}}, Value{Dict{}}}}},
      {std::int64_t{7}, Value{patterned(DType::F32, {2, 3})}},
  }};
  expect_same(written_and_read(value), value);
}

TEST(TorchFileTest, EveryTypeAndShapeComesBack) {
  Dict dict;
  for (int i = 0; i < kTorchDTypeCount; ++i) {
    dict.emplace_back(fmt::format("t{}", i), Value{patterned(static_cast<DType>(i), {2, 3})});
  }
  dict.emplace_back("scalar", Value{patterned(DType::F64, {})});
  dict.emplace_back("empty", Value{patterned(DType::F32, {0, 3})});
  const Value value{std::move(dict)};
  expect_same(written_and_read(value), value);
}

TEST(TorchFileTest, TensorsOverTheSameBytesShareAStorage) {
  const TemporaryFolder folder;
  const Array array = patterned(DType::F32, {1000});
  write_torch_file(folder.path() / "f.pt", Value{Dict{{"a"s, Value{array}}, {"b"s, Value{array}}}});
  EXPECT_LT(std::filesystem::file_size(folder.path() / "f.pt"), 6000U);
  const Value value = read_torch_file(folder.path() / "f.pt");
  EXPECT_EQ(std::get<Array>(find(value, "a")->held).bytes.data(),
            std::get<Array>(find(value, "b")->held).bytes.data());
}

TEST(TorchFileTest, TensorsPointIntoTheFileAndOutliveTheValue) {
  const TemporaryFolder folder;
  write_torch_file(folder.path() / "f.pt", Value{Dict{{"a"s, Value{patterned(DType::F32, {9})}}}});
  Array array;
  {
    const Value value = read_torch_file(folder.path() / "f.pt");
    array = std::get<Array>(find(value, "a")->held);
  }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.bytes.data()) % 64, 0U);
  EXPECT_TRUE(same(array, patterned(DType::F32, {9})));
}

// An archive with this pickle and one storage of six floats.
std::string complaint(const std::string& pickle, const std::string& order = "little",
                      std::size_t storage = 24) {
  const TemporaryFolder folder;
  ZipWriter zip(folder.path() / "f.pt");
  zip.add("m/data.pkl", pickle);
  zip.add("m/byteorder", order);
  zip.add("m/data/0", std::string(storage, '\x01'));
  zip.finish();
  return message_of(Fault::BadInput, [&] { (void)read_torch_file(folder.path() / "f.pt"); });
}

std::string tensor(const std::string& key, const std::string& shape_and_strides) {
  return "\x80\x02"
         "ctorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\nFloatStorage\nU\x01" +
         key +
         "U\x03"
         "cpuK\x06tQK\x00"s +
         shape_and_strides +
         "\x89"
         "ccollections\nOrderedDict\n)RtR.";
}

TEST(TorchFileTest, RecordsThatAreMissingOrOfAnotherSizeAreRefused) {
  EXPECT_THAT(complaint(tensor("1", "K\x06\x85K\x01\x85")), HasSubstr("'m/data/1' is missing"));
  EXPECT_THAT(complaint(tensor("0", "K\x06\x85K\x01\x85"), "little", 23),
              HasSubstr("has 23 bytes, the pickle says 24"));
}

TEST(TorchFileTest, ATurnedBitInATensorIsFoundByItsChecksum) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f.pt";
  write_torch_file(path, {Dict{{std::string("a"), Value{patterned(DType::F32, {5000})}}}});
  std::string content = read_file(path, Bytes{1e6});
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  folder.put("f.pt", content);
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)read_torch_file(path); }),
              HasSubstr("is damaged: its checksum differs"));
}

TEST(TorchFileTest, ATensorThatRepeatsOneNumberForEverIsRefused) {
  EXPECT_THAT(complaint(tensor("0", "J\xff\xff\xff\x7f\x85K\x00\x85"s)),
              HasSubstr("repeat it too often"));
}

// An archive with a list of so many tensors, each the whole of one storage.
std::string tensors_over_one_storage(int tensors) {
  constexpr std::int32_t kFloats = 1 << 20;
  std::string pickle =
      "\x80\x02(U\x07storagectorch\nFloatStorage\nU\x01"
      "0U\x03"
      "cpuJ";
  append_number(pickle, kFloats);
  pickle +=
      "tQq\x00"
      "0("s;
  for (int i = 0; i < tensors; ++i) {
    pickle += "ctorch._utils\n_rebuild_tensor_v2\n(h\x00K\x00J"s;
    append_number(pickle, kFloats);
    pickle += "\x85K\x01\x85\x89NtR";
  }
  const TemporaryFolder folder;
  ZipWriter zip(folder.path() / "f.pt");
  zip.add("m/data.pkl", pickle + "l.");
  zip.add("m/data/0", std::string(kFloats * sizeof(float), '\x01'));
  zip.finish();
  return read_file(folder.path() / "f.pt", {1e9});
}

TEST(TorchFileTest, CopiesOfAStorageThatIsNotAlignedAreCounted) {
  const auto read = [](const std::string& file, std::size_t shift) {
    const std::string shifted = std::string(shift, ' ') + file;
    return std::get<List>(parse_torch_file(bytes_of(shifted).subspan(shift), "f.pt", {}).held)
        .size();
  };
  const std::string file = tensors_over_one_storage(40);
  EXPECT_EQ(read(file, 0), 40U);
  EXPECT_EQ(read(tensors_over_one_storage(4), 1), 4U);
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)read(file, 1); }),
              HasSubstr("repeat it too often"));
}

TEST(TorchFileTest, BigEndianFilesAreRefused) {
  EXPECT_THAT(complaint("N.", "big"), HasSubstr("big-endian"));
}

TEST(TorchFileTest, CodeInThePickleIsNamedNotRun) {
  const std::string line = complaint("cos\nsystem\n(S'x'\ntR.");
  EXPECT_THAT(line, HasSubstr("'os.system'"));
  EXPECT_THAT(line, HasSubstr("f.pt: m/data.pkl"));
}

TEST(TorchFileTest, OtherFormatsAreNamed) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& content) {
    write_file_atomically(folder.path() / "f.pt", content);
    return message_of(Fault::BadInput, [&] { (void)read_torch_file(folder.path() / "f.pt"); });
  };
  EXPECT_THAT(refused("\x80\x02\x8a\nl\xfc\x9c"
                      "F\xf9 j\xa8P\x19."),
              HasSubstr("torch.save(torch.load("));
  EXPECT_THAT(refused(""), HasSubstr("not the zip format"));
  ZipWriter zip(folder.path() / "z");
  zip.add("m/other", "x");
  zip.finish();
  EXPECT_THAT(refused(read_file(folder.path() / "z", {1e6})), HasSubstr("without data.pkl"));
  ZipWriter script(folder.path() / "s");
  script.add("m/constants.pkl", "x");
  script.add("m/data.pkl", "N.");
  script.finish();
  EXPECT_THAT(refused(read_file(folder.path() / "s", {1e6})), HasSubstr("TorchScript"));
  ZipWriter code(folder.path() / "c");
  code.add("m/code/__torch__.py", "x");
  code.finish();
  std::string packed = read_file(folder.path() / "c", {1e6});
  packed[packed.find("PK\x01\x02") + 10] = 8;  // the method of its only entry
  EXPECT_THAT(refused(packed), HasSubstr("torch.save(torch.jit.load(FILE).state_dict(), FILE)"));
}

TEST(TorchFileTest, AFullDiskLeavesTheOldCheckpoint) {
  const TemporaryFolder folder;
  const Value old{Dict{{"epoch"s, Value{std::int64_t{1}}}}};
  write_torch_file(folder.path() / "f.pt", old);
  {
    const FileSizeLimit limit(8192);
    (void)message_of(Fault::Io, [&] {
      write_torch_file(folder.path() / "f.pt",
                       Value{Dict{{"a"s, Value{patterned(DType::F32, {9000})}}}});
    });
  }
  expect_same(read_torch_file(folder.path() / "f.pt"), old);
}

TEST(TorchFileTest, WhatCannotBeSavedIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      message_of(Fault::BadInput, [&] { write_torch_file(folder.path() / "f", Value{"\xff"s}); }),
      HasSubstr("UTF-8"));
  Value deep;
  for (int i = 0; i < 150; ++i) deep = Value{List{deep}};
  EXPECT_THAT(message_of(Fault::BadInput, [&] { write_torch_file(folder.path() / "f", deep); }),
              HasSubstr("nested deeper"));
}

}  // namespace
}  // namespace ridgeline
