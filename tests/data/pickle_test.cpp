#include "data/pickle.h"

#include <cmath>

#include <gmock/gmock.h>

#include "core/fault_of.h"
#include "data/arrays.h"
#include "data/little_endian.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;
using namespace std::string_view_literals;

Value read(std::string_view pickle) {
  return read_pickle(bytes_of(pickle), {.source = "p", .owner = {}, .tensor = {}});
}

// A reader whose storages hold the numbers from 0 on.
Value read_with_tensors(std::string_view pickle) {
  return read_pickle(bytes_of(pickle),
                     {.source = "p", .owner = {}, .tensor = [](const StoredTensor& stored) {
                        std::string content(stored.storage_bytes, '\0');
                        for (std::size_t i = 0; i < content.size(); ++i) {
                          content[i] = static_cast<char>(i);
                        }
                        return gather(stored.dtype, stored.layout, bytes_of(content));
                      }});
}

std::string complaint(std::string_view pickle) {
  return message_of(Fault::BadInput, [&] { (void)read_with_tensors(pickle); });
}

template <class Held>
Held held(std::string_view pickle) {
  return std::get<Held>(read(pickle).held);
}

TEST(PickleTest, AnObjectOfAClassIsNamedWithTheLineThatKeepsItsWeights) {
  const std::string whole = complaint(
      "\x80\x02"
      "cnet\nNet\n)\x81}b.");
  EXPECT_THAT(whole, HasSubstr("an object of the class 'net.Net', which is code"));
  EXPECT_THAT(whole, HasSubstr("weights_only=False).state_dict(), FILE)"));
  const std::string part = complaint(
      "\x80\x02}U\x04"
      "argscargparse\nNamespace\n)\x81}bs.");
  EXPECT_THAT(part, HasSubstr("in it an object of the class 'argparse.Namespace'"));
  EXPECT_THAT(part, HasSubstr("weights_only=False)['model'], FILE)"));
  EXPECT_THAT(complaint("\x80\x04"
                        "cnet\nNet\n)}\x92."),
              HasSubstr("'net.Net'"));
  EXPECT_THAT(complaint("\x80\x02)\x81."), HasSubstr("(at byte 3)"));
}

TEST(PickleTest, NumbersOfEveryProtocol) {
  EXPECT_EQ(held<std::int64_t>("I-7\n."), -7);
  EXPECT_EQ(held<std::int64_t>("L123456789012L\n."), 123456789012);
  EXPECT_EQ(held<std::int64_t>("\x80\x02K\xff."), 255);
  EXPECT_EQ(held<std::int64_t>("\x80\x02M\xff\xff."), 65535);
  EXPECT_EQ(held<std::int64_t>("J\xfe\xff\xff\xff."), -2);
  EXPECT_EQ(held<std::int64_t>("\x8a\x02\x00\xff."s), -256);
  EXPECT_EQ(held<std::int64_t>("\x8a\x00."s), 0);
  EXPECT_EQ(held<std::int64_t>("\x8b\x01\0\0\0\x80."s), -128);
  EXPECT_EQ(held<std::int64_t>("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."), INT64_MAX);
  EXPECT_DOUBLE_EQ(held<double>("F1.5\n."), 1.5);
  EXPECT_DOUBLE_EQ(held<double>("G\x3f\xf8\0\0\0\0\0\0."s), 1.5);
  EXPECT_TRUE(std::isnan(held<double>("G\x7f\xf8\0\0\0\0\0\0."s)));
  EXPECT_TRUE(held<bool>("I01\n."));
  EXPECT_FALSE(held<bool>("\x89."));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read("N.").held));
}

TEST(PickleTest, TextOfEveryProtocol) {
  EXPECT_EQ(held<std::string>("S'a\\n\\x41\\\\'\n."), "a\nA\\");
  EXPECT_EQ(held<std::string>("Va\\u00e9\xe9\n."), "aéé");
  EXPECT_EQ(held<std::string>("U\x02hi."), "hi");
  EXPECT_EQ(held<std::string>("T\x02\0\0\0\xff\xfe."s), "\xff\xfe");
  EXPECT_EQ(held<std::string>("X\x02\0\0\0é."s), "é");
  EXPECT_EQ(held<std::string>("\x80\x04\x8c\x02hi\x94."), "hi");
  EXPECT_EQ(held<std::string>("\x80\x05\x96\x02\0\0\0\0\0\0\0hi."s), "hi");
  EXPECT_EQ(held<std::string>("\x80\x04\x95\x04\0\0\0\0\0\0\0C\x02hi."s), "hi");
}

TEST(PickleTest, ContainersNestAndTuplesBecomeLists) {
  // {'a': [1, (2, 3)], 5: None}, as protocol 2 writes it
  const Value value = read(
      "\x80\x02}q\x00(U\x01"
      "a]q\x01(K\x01K\x02K\x03\x86"
      "eK\x05Nu."s);
  const auto& list = std::get<List>(find(value, "a")->held);
  EXPECT_EQ(std::get<std::int64_t>(list[0].held), 1);
  EXPECT_EQ(std::get<List>(list[1].held).size(), 2U);
  EXPECT_NE(find(value, std::int64_t{5}), nullptr);
  // The same with protocol 0: (dp0 S'a' p1 (lp2 I1 a s .
  const Value old = read("(dp0\nS'a'\np1\n(lp2\nI1\nas.");
  EXPECT_EQ(std::get<List>(find(old, "a")->held).size(), 1U);
}

TEST(PickleTest, AnObjectThatIsFilledAfterItWasMentionedIsWhole) {
  // x = []; [x, x] where x gets its item last
  const auto list = held<List>(
      "]q\x00(]q\x01h\x01"
      "e0h\x01K\x07"
      "a0h\x00."s);
  EXPECT_EQ(std::get<List>(list.at(0).held).size(), 1U);
  EXPECT_EQ(std::get<List>(list.at(1).held).size(), 1U);
}

TEST(PickleTest, Python2sNumpyArrayOfACifarBatch) {
  const std::string pickle =
      "\x80\x02}q\x01(U\x04"
      "dataq\x02"
      "cnumpy.core.multiarray\n_reconstruct\nq\x03"
      "cnumpy\nndarray\nq\x04K\x00\x85U\x01"
      "b\x87Rq\x05(K\x01K\x02K\x03\x86"
      "cnumpy\ndtype\nq\x06"
      "U\x02u1K\x00K\x01\x87Rq\x07(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
      "\x89U\x06"
      "abcdeftbU\x06labels]q\x08(K\x06K\x09"
      "eu."s;
  const Value value = read(pickle);
  const auto& array = std::get<Array>(find(value, "data")->held);
  EXPECT_EQ(array.dtype, DType::U8);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(std::to_integer<char>(array.bytes[5]), 'f');
  EXPECT_EQ(std::get<List>(find(value, "labels")->held).size(), 2U);
}

constexpr std::string_view kDType = "cnumpy\ndtype\n(U\x02i2K\x00K\x01tR"sv;

TEST(PickleTest, NumpyArraysWithTheWrongNumberOfBytesAreRefused) {
  const std::string start =
      "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85tR(K\x01"s;
  EXPECT_THAT(complaint(start + "(K\x02t" + std::string(kDType) +
                        "\x89U\x03"
                        "abctb."),
              HasSubstr("an array of 3 bytes whose shape and type want 4"));
  EXPECT_THAT(complaint(start + "(J\xff\xff\xff\xfft" + std::string(kDType) + "\x89U\x00tb."s),
              HasSubstr("too many"));
  EXPECT_THAT(complaint(start + "(K\x01K\x01t" + std::string(kDType) +
                        "\x88U\x02"
                        "abtb."),
              HasSubstr("column-major"));
  EXPECT_THAT(complaint(start.substr(0, start.size() - 3) + "."), HasSubstr("without its data"));
}

TEST(PickleTest, Python3sBytesInProtocol2AreDecoded) {
  EXPECT_EQ(
      held<std::string>("c_codecs\nencode\n(X\x04\0\0\0\xc3\xbf\xc2\x80X\x06\0\0\0latin1tR."s),
      "\xff\x80");
  EXPECT_THAT(complaint("c_codecs\nencode\n(X\x02\0\0\0\xc4\x80tR."s), HasSubstr("above 255"));
}

constexpr std::string_view kStorage =
    "(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0"
    "0X\x03\0\0\0cpuK\x06tQ"sv;
std::string tensor(const std::string& arguments) {
  return "\x80\x02"
         "ctorch._utils\n_rebuild_tensor_v2\n(" +
         std::string(kStorage) + arguments +
         "\x89"
         "ccollections\nOrderedDict\n)RtR.";
}

TEST(PickleTest, TorchTensorsAreViewsOfTheirStorage) {
  const Value value = read_with_tensors(tensor("K\x01(K\x02K\x02tK\x02K\x01\x86"s));
  const auto& array = std::get<Array>(value.held);
  EXPECT_EQ(array.dtype, DType::F32);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(std::to_integer<int>(array.bytes[0]), 4);
}

TEST(PickleTest, TorchTensorsBeyondTheirStorageAreRefused) {
  for (const auto& arguments : {"K\x03(K\x02K\x02tK\x02K\x01\x86"s, "K\x00(K\x07tK\x01\x85"s,
                                "J\xff\xff\xff\xff(K\x01tK\x01\x85"s,
                                "K\x00(K\x02t\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85"s,
                                "K\x00(K\x02K\x01tK\x01\x85"s}) {
    EXPECT_THAT(complaint(tensor(arguments)), HasSubstr("beyond its storage"));
  }
}

TEST(PickleTest, AnOrderedDictKeepsItsItemsAndLosesItsMetadata) {
  const Value value = read(
      "ccollections\nOrderedDict\n)R(U\x01"
      "aK\x01U\x01"
      "bK\x02u}U\x09_metadataK\x01sb.");
  ASSERT_EQ(std::get<Dict>(value.held).size(), 2U);
  EXPECT_EQ(std::get<std::string>(std::get<Dict>(value.held)[0].first), "a");
}

TEST(PickleTest, DtypesAndDevicesBecomeText) {
  EXPECT_EQ(held<std::string>("ctorch\nbfloat16\n."), "torch.bfloat16");
  EXPECT_EQ(held<std::string>("ctorch\ndevice\n(U\x04"
                              "cudaK\x01tR."),
            "cuda:1");
}

TEST(PickleTest, NothingIsExecuted) {
  EXPECT_THAT(complaint("cos\nsystem\n(S'rm -rf'\ntR."), HasSubstr("'os.system'"));
  EXPECT_THAT(complaint("cos\nsystem\n(S'rm -rf'\ntR."), HasSubstr("at byte 23"));
  EXPECT_THAT(complaint("\x80\x04\x8c\x08"
                        "builtins\x8c\x04"
                        "eval\x93U\x01x\x85R."),
              HasSubstr("'builtins.eval'"));
  EXPECT_THAT(complaint("cos\nsystem\n."), HasSubstr("'os.system'"));
  EXPECT_THAT(complaint("(S'ls'\nios\nsystem\n."), HasSubstr("opcode 0x69"));
  EXPECT_THAT(complaint("(cos\nsystem\nS'ls'\no."), HasSubstr("opcode 0x6f"));
  EXPECT_THAT(complaint("cos\nsystem\n)\x81."), HasSubstr("'os.system'"));
  EXPECT_THAT(complaint("\x82\x01."), HasSubstr("opcode 0x82"));
  EXPECT_THAT(complaint("ctorch\nload\n(U\x01xtR."), HasSubstr("'torch.load'"));
  EXPECT_THAT(complaint("]K\x01"
                        "b."),
              HasSubstr("state to what has none"));
}

TEST(PickleTest, StructuresThatContainThemselvesAreRefused) {
  EXPECT_THAT(complaint("]q\x00h\x00"
                        "a."s),
              HasSubstr("contains itself"));
  EXPECT_THAT(complaint("}q\x00U\x01"
                        "ah\x00s."s),
              HasSubstr("contains itself"));
  EXPECT_THAT(complaint("]q\x00h\x00\x85q\x01"
                        "0h\x00h\x01"
                        "a."s),
              HasSubstr("contains itself"));
}

TEST(PickleTest, AShortPickleThatUnfoldsForEverIsRefused) {
  std::string pickle = "]q\x00"s;
  for (char i = 1; i < 30; ++i) {
    pickle += "](" + std::string("h") + static_cast<char>(i - 1) + "h" + static_cast<char>(i - 1) +
              "eq" + i;
  }
  EXPECT_THAT(complaint(pickle + "."), HasSubstr("more than 10"));
}

TEST(PickleTest, DeepNestingIsRefused) {
  std::string pickle(200, ']');
  pickle += std::string(199, 'a') + ".";
  EXPECT_THAT(complaint(pickle), HasSubstr("nested deeper"));
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

std::string pickled_text(std::string_view text) {
  std::string written = "X";
  append_number(written, static_cast<std::uint32_t>(text.size()));
  return written + std::string(text);
}

// Few bytes that ask for a copy of the same name again and again.
TEST(PickleTest, NamesThatAreCopiedForEverAreRefused) {
  const std::string name = pickled_text(std::string(1000, 'n'));
  EXPECT_THAT(complaint(name +
                        "q\x00"
                        "0ctorch\ndevice\nq\x01"
                        "0]"s +
                        repeated("h\x01h\x00\x85R0"sv, 3000) + "."),
              HasSubstr("copies too much"));
  EXPECT_THAT(complaint(name +
                        "q\x00"
                        "0]"s +
                        repeated("h\x00h\x00\x93"
                                 "0"sv,
                                 3000) +
                        "."),
              HasSubstr("copies too much"));
  EXPECT_THAT(complaint("ctorch\n" + std::string(1000, 'n') +
                        "\nq\x00"
                        "0]("s +
                        repeated("h\x00"sv, 3000) + "e."),
              HasSubstr("unfolds into too much"));
  const std::string storage = "(" + pickled_text("storage") + "ctorch\nFloatStorage\n" + name +
                              pickled_text("cpu") + "K\x06t";
  EXPECT_THAT(complaint(storage +
                        "q\x00"
                        "0]"s +
                        repeated("h\x00Q0"sv, 3000) + "."),
              HasSubstr("copies too much"));
  EXPECT_THAT(complaint(storage +
                        "Qq\x00"
                        "0ctorch._utils\n_rebuild_tensor\nq\x01"
                        "0]"s +
                        repeated("h\x01(h\x00K\x00))tR0"sv, 3000) + "."),
              HasSubstr("copies too much"));
}

TEST(PickleTest, NamesThatNoWriterMakesAreRefused) {
  const std::string name = pickled_text(std::string(1025, 'n'));
  EXPECT_THAT(complaint("ctorch\ndevice\n" + name + "\x85R."), HasSubstr("a name of 1025 bytes"));
  EXPECT_THAT(complaint("(" + pickled_text("storage") + "ctorch\nFloatStorage\n" + name +
                        pickled_text("cpu") + "K\x06tQ."),
              HasSubstr("a name of 1025 bytes"));
}

TEST(PickleTest, HugeSizesAreRefusedBeforeAnythingIsAllocated) {
  EXPECT_THAT(complaint("X\xff\xff\xff\xff."), HasSubstr("ends early"));
  EXPECT_THAT(complaint("\x8e\xff\xff\xff\xff\xff\xff\xff\xff."), HasSubstr("ends early"));
  EXPECT_THAT(complaint("\x8b\xff\xff\xff\x7f."), HasSubstr("ends early"));
  EXPECT_THAT(complaint("\x8a\x09\0\0\0\0\0\0\0\0\x01."s), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(complaint("L99999999999999999999L\n."), HasSubstr("beyond 64 bits"));
  EXPECT_THAT(complaint("]r\xff\xff\xff\xff"
                        "j\xff\xff\xff\xfe."),
              HasSubstr("no entry"));
}

TEST(PickleTest, BrokenPicklesAreRefused) {
  EXPECT_THAT(complaint(""), HasSubstr("ends early"));
  EXPECT_THAT(complaint("."), HasSubstr("more objects than it made"));
  EXPECT_THAT(complaint("K\x01K\x02"), HasSubstr("ends early"));
  EXPECT_THAT(complaint("(K\x01"
                        "0"
                        "0."),
              HasSubstr("more objects than it made"));
  EXPECT_THAT(complaint("e."), HasSubstr("lacks a mark"));
  EXPECT_THAT(complaint("K\x01K\x02"
                        "a."),
              HasSubstr("no list"));
  EXPECT_THAT(complaint(")K\x02"
                        "a."),
              HasSubstr("no list"));
  EXPECT_THAT(complaint("]K\x02K\x02s."), HasSubstr("no dictionary"));
  EXPECT_THAT(complaint("}(K\x02u."), HasSubstr("key without a value"));
  EXPECT_THAT(complaint("}(K\x02NK\x02Nu."), HasSubstr("stands twice"));
  EXPECT_THAT(complaint("}(NNu."), HasSubstr("neither text nor a whole number"));
  EXPECT_THAT(complaint("\x80\x06."), HasSubstr("protocol 6"));
  EXPECT_THAT(complaint("X\x01\0\0\0\xff."s), HasSubstr("not UTF-8"));
  EXPECT_THAT(complaint("S'a\n."), HasSubstr("broken escape"));
  EXPECT_THAT(complaint("S'\\q'\n."), HasSubstr("broken escape"));
  EXPECT_THAT(complaint("I1x\n."), HasSubstr("no number"));
  EXPECT_THAT(complaint("K\x01K\x02R."), HasSubstr("calls what is no global"));
}

TEST(PickleTest, StoragesNeedAnArchive) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)read(tensor("K\x00(K\x01tK\x01\x85"s)); }),
              HasSubstr("outside the pickle"));
}

}  // namespace
}  // namespace ridgeline
