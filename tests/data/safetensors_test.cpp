#include "data/safetensors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"
#include "data/arrays.h"
#include "data/little_endian.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

std::string file_of(std::string_view header, std::size_t data_bytes) {
  std::string file;
  append_number<std::uint64_t>(file, header.size());
  return file + std::string(header) + std::string(data_bytes, '\x01');
}

std::string complaint(const std::string& file) {
  return message_of(Fault::BadInput,
                    [&] { (void)parse_safetensors(bytes_of(file), "x.safetensors", nullptr); });
}

std::string complaint(std::string_view header, std::size_t data_bytes) {
  return complaint(file_of(header, data_bytes));
}

TEST(SafetensorsTest, EveryTypeComesBack) {
  const TemporaryFolder folder;
  NamedArrays arrays;
  for (int i = 0; i < kDTypeCount; ++i) {
    arrays.emplace_back(fmt::format("t{}", i), patterned(static_cast<DType>(i), {4, 6}));
  }
  arrays.emplace_back("scalar", patterned(DType::F32, {}));
  arrays.emplace_back("empty", patterned(DType::F32, {0, 4}));
  arrays.emplace_back("ünï\n\"x", patterned(DType::U8, {3}));
  write_safetensors(folder.path() / "f", arrays, {{"format", "pt"}});
  const NamedArrays found = read_safetensors(folder.path() / "f");
  ASSERT_EQ(found.size(), arrays.size());
  for (const auto& [name, array] : arrays) {
    const auto entry = std::ranges::find(found, name, &NamedArrays::value_type::first);
    ASSERT_NE(entry, found.end()) << name;
    EXPECT_TRUE(same(entry->second, array)) << name;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(entry->second.bytes.data()) % size_of(array.dtype),
              0U);
  }
}

TEST(SafetensorsTest, TheDataBeginsAlignedAndMetadataComesBack) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "f", {{"a", patterned(DType::F64, {2})}}, {{"k", "v"}});
  const std::string file = read_file(folder.path() / "f", {1e6});
  EXPECT_EQ(load_number<std::uint64_t>(bytes_of(file), 0) % 8, 0U);
  const Safetensors parsed = parse_safetensors(bytes_of(file), "f", nullptr);
  EXPECT_EQ(parsed.metadata, (Metadata{{"k", "v"}}));
}

TEST(SafetensorsTest, AFileWithoutTensorsIsEmpty) {
  EXPECT_TRUE(parse_safetensors(bytes_of(file_of("{}", 0)), "x", nullptr).arrays.empty());
  EXPECT_TRUE(parse_safetensors(bytes_of(file_of("{}      ", 0)), "x", nullptr).arrays.empty());
}

TEST(SafetensorsTest, ATensorThatIsNotAlignedIsCopiedNotRefused) {
  const std::string file = file_of(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
      5);
  const Safetensors parsed = parse_safetensors(bytes_of(file), "x", nullptr);
  EXPECT_EQ(parsed.arrays[1].second.bytes.size(), 4U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parsed.arrays[1].second.bytes.data()) % 4, 0U);
}

TEST(SafetensorsTest, FilesThatAreTooShortAreRefused) {
  EXPECT_THAT(complaint(std::string()), HasSubstr("only 0 bytes"));
  EXPECT_THAT(complaint(std::string(7, '\0')), HasSubstr("only 7 bytes"));
  EXPECT_THAT(complaint(std::string("\x10\0\0\0\0\0\0\0{}", 10)),
              HasSubstr("a header of 16 bytes in a file of 10"));
}

TEST(SafetensorsTest, AHeaderBeyondTheLimitIsRefusedBeforeItIsRead) {
  EXPECT_THAT(complaint(std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10)), HasSubstr("100000001"));
  EXPECT_THAT(complaint(std::string(16, '\xff')), HasSubstr("18446744073709551615"));
}

TEST(SafetensorsTest, BrokenJsonAndBadUtf8AreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint("{", 0), HasSubstr("byte"));
  EXPECT_THAT(complaint("", 0), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(complaint(" {}", 0), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(complaint("{} x", 0), HasSubstr("broken"));
  EXPECT_THAT(complaint("{\"\xff\":{}}", 0), HasSubstr("UTF-8"));
  EXPECT_THAT(complaint(R"({"a":[[[[[]]]]]})", 0), HasSubstr("'a' in the header is an array"));
}

TEST(SafetensorsTest, KeysThatStandTwiceAreRefused) {
  constexpr auto kTensor = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_THAT(complaint(fmt::format(R"({{"a":{0},"a":{0}}})", kTensor), 1),
              HasSubstr("'a' stands twice"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1),
              HasSubstr("'dtype' stands twice"));
}

TEST(SafetensorsTest, OverlapsAndGapsAreRefused) {
  constexpr auto kTwo =
      R"({{"a":{{"dtype":"U8","shape":[4],"data_offsets":[0,4]}},"b":{{"dtype":"U8","shape":[4],"data_offsets":[{},{}]}}}})";
  EXPECT_THAT(complaint(fmt::format(kTwo, 3, 7), 7), HasSubstr("overlaps"));
  EXPECT_THAT(complaint(fmt::format(kTwo, 5, 9), 9), HasSubstr("gap"));
  EXPECT_THAT(complaint(fmt::format(kTwo, 4, 8), 9), HasSubstr("1 bytes follow"));
  EXPECT_THAT(complaint(fmt::format(kTwo, 4, 8), 7), HasSubstr("beyond the 7 bytes"));
  EXPECT_THAT(complaint(fmt::format(kTwo, 8, 4), 8), HasSubstr("ends before it begins"));
}

TEST(SafetensorsTest, ShapesThatDoNotFitTheirBytesAreRefused) {
  constexpr auto kOne = R"({{"a":{{"dtype":"{}","shape":[{}],"data_offsets":[0,8]}}}})";
  EXPECT_THAT(complaint(fmt::format(kOne, "F32", "3"), 8), HasSubstr("needs 12 bytes"));
  EXPECT_THAT(complaint(fmt::format(kOne, "U8", "4294967296,4294967296,8"), 8),
              HasSubstr("overflows"));
  EXPECT_THAT(complaint(fmt::format(kOne, "U8", "9223372036854775808"), 8), HasSubstr("2^63"));
  EXPECT_THAT(complaint(fmt::format(kOne, "U8", "-8"), 8), HasSubstr("'shape' of 'a'"));
  EXPECT_THAT(complaint(fmt::format(kOne, "U8", "8.0"), 8), HasSubstr("'shape' of 'a'"));
  EXPECT_THAT(complaint(fmt::format(kOne, "C128", "1"), 8), HasSubstr("unknown type 'C128'"));
}

TEST(SafetensorsTest, AnythingElseInTheHeaderIsRefused) {
  EXPECT_THAT(complaint(R"({"a":1})", 0), HasSubstr("'a' in the header is a number"));
  EXPECT_THAT(complaint(R"({"a":{}})", 0), HasSubstr("lacks"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"U8","shape":[0]}})", 0), HasSubstr("lacks"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}})", 0),
              HasSubstr("two numbers"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":"U8","shape":0,"data_offsets":[0,0]}})", 0),
              HasSubstr("'shape' of 'a'"));
  EXPECT_THAT(complaint(R"({"a":{"more":[1]}})", 0), HasSubstr("'more' of 'a'"));
  EXPECT_THAT(complaint(R"({"__metadata__":{"k":1}})", 0), HasSubstr("'k' of '__metadata__'"));
  EXPECT_THAT(complaint(R"({"a":{"dtype":null,"shape":[0],"data_offsets":[0,0]}})", 0),
              HasSubstr("'dtype' of 'a'"));
}

TEST(SafetensorsWriterTest, NamesThatCannotBeAreRefused) {
  const TemporaryFolder folder;
  const Array array = patterned(DType::U8, {1});
  const auto refused = [&](const NamedArrays& arrays) {
    return message_of(Fault::BadInput, [&] { write_safetensors(folder.path() / "f", arrays); });
  };
  EXPECT_THAT(refused({{"a", array}, {"a", array}}), HasSubstr("two tensors named 'a'"));
  EXPECT_THAT(refused({{"__metadata__", array}}), HasSubstr("__metadata__"));
  EXPECT_THAT(refused({{"\xff", array}}), HasSubstr("UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "f"));
}

TEST(SafetensorsWriterTest, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  folder.put("f", "old");
  {
    const FileSizeLimit limit(4096);
    (void)message_of(Fault::Io, [&] {
      write_safetensors(folder.path() / "f", {{"a", patterned(DType::U8, {100000})}});
    });
  }
  EXPECT_EQ(read_file(folder.path() / "f", {1e6}), "old");
}

TEST(SafetensorsIndexTest, TensorsComeFromTheirFiles) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "1.safetensors", {{"a", patterned(DType::F32, {2}, 1)}});
  write_safetensors(folder.path() / "2.safetensors", {{"b", patterned(DType::F32, {3}, 2)},
                                                      {"unlisted", patterned(DType::U8, {1})}});
  folder.put(
      "i.json",
      R"({"metadata":{"total_size":20,"x":[1.5,null]},"weight_map":{"b":"2.safetensors","a":"1.safetensors"}})");
  const NamedArrays found = read_safetensors_index(folder.path() / "i.json");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].first, "a");
  EXPECT_TRUE(same(found[1].second, patterned(DType::F32, {3}, 2)));
}

TEST(SafetensorsIndexTest, HostileIndexesAreRefused) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "1.safetensors", {{"a", patterned(DType::F32, {2})}});
  const auto refused = [&](std::string_view index) {
    folder.put("i.json", index);
    return message_of(Fault::BadInput,
                      [&] { (void)read_safetensors_index(folder.path() / "i.json"); });
  };
  EXPECT_THAT(refused(R"({"weight_map":{"a":"../1.safetensors"}})"), HasSubstr("outside"));
  EXPECT_THAT(refused(R"({"weight_map":{"a":"/1.safetensors"}})"), HasSubstr("outside"));
  EXPECT_THAT(refused(R"({"weight_map":{"a":""}})"), HasSubstr("outside"));
  EXPECT_THAT(refused(R"({"weight_map":{"b":"1.safetensors"}})"), HasSubstr("'b' is not in"));
  EXPECT_THAT(refused(R"({"weight_map":{"a":1}})"), HasSubstr("'a' is not given as text"));
  EXPECT_THAT(refused(R"({"weight_map":[]})"), HasSubstr("weight_map"));
  EXPECT_THAT(refused(R"({})"), HasSubstr("no 'weight_map'"));
  EXPECT_THAT(refused("[]"), HasSubstr("no 'weight_map'"));
  EXPECT_THAT(refused(std::string(1000, '[')), HasSubstr("nested"));
  EXPECT_THAT(refused(R"({"weight_map":{"a":"1.safetensors","a":"1.safetensors"}})"),
              HasSubstr("stands twice"));
}

}  // namespace
}  // namespace ridgeline
