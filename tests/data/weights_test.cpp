#include "data/weights.h"

#include <gmock/gmock.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"
#include "data/arrays.h"
#include "data/safetensors.h"
#include "data/torch_file.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

std::vector<std::string> names_in(const NamedArrays& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(name);
  return names;
}

Value state_dict(const std::string& prefix = "") {
  return Value{Dict{{prefix + "fc.weight", Value{patterned(DType::F32, {2, 3})}},
                    {prefix + "fc.bias", Value{patterned(DType::F32, {2})}}}};
}

std::vector<std::string> names_after(const Value& checkpoint) {
  const TemporaryFolder folder;
  write_torch_file(folder.path() / "odd name", checkpoint);
  return names_in(read_weights(folder.path() / "odd name"));
}

TEST(WeightsTest, AStateDictOrACheckpointAroundItIsTaken) {
  EXPECT_THAT(names_after(state_dict()), ElementsAre("fc.weight", "fc.bias"));
  for (const char* const entry : {"model", "state_dict", "model_state_dict"}) {
    EXPECT_THAT(names_after(Value{
                    Dict{{"epoch"s, Value{std::int64_t{3}}}, {std::string(entry), state_dict()}}}),
                ElementsAre("fc.weight", "fc.bias"));
  }
}

TEST(WeightsTest, ATensorBesideTheModelIsNoWeight) {
  EXPECT_THAT(names_after(Value{
                  Dict{{"rng"s, Value{patterned(DType::U8, {9})}}, {"model"s, state_dict()}}}),
              ElementsAre("fc.weight", "fc.bias"));
}

TEST(WeightsTest, PrefixesOfWrappersAreTakenOffWhenAllHaveThem) {
  EXPECT_THAT(names_after(state_dict("module.")), ElementsAre("fc.weight", "fc.bias"));
  EXPECT_THAT(names_after(state_dict("_orig_mod.module.")), ElementsAre("fc.weight", "fc.bias"));
  Value mixed = state_dict("module.");
  std::get<Dict>(mixed.held).emplace_back("x"s, Value{patterned(DType::F32, {1})});
  EXPECT_THAT(names_after(mixed), ElementsAre("module.fc.weight", "module.fc.bias", "x"));
}

TEST(WeightsTest, SafetensorsAndTheirIndexAreKnownByContent) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "a.pt", {{"module.w", patterned(DType::F32, {2})}});
  folder.put("b.pt", "\n {\"weight_map\":{\"module.w\":\"a.pt\"}}");
  EXPECT_THAT(names_in(read_weights(folder.path() / "a.pt")), ElementsAre("w"));
  EXPECT_THAT(names_in(read_weights(folder.path() / "b.pt")), ElementsAre("w"));
}

TEST(WeightsTest, FilesWithoutWeightsAreRefused) {
  const TemporaryFolder folder;
  write_torch_file(folder.path() / "f", Value{Dict{{"epoch"s, Value{1.0}}}});
  folder.put("empty", "");
  folder.put("text", "hello");
  const auto complaint = [&](const char* name) {
    return message_of(Fault::BadInput, [&] { (void)read_weights(folder.path() / name); });
  };
  EXPECT_THAT(complaint("f"), HasSubstr("no tensors by name"));
  EXPECT_THAT(complaint("empty"), HasSubstr("empty"));
  EXPECT_THAT(complaint("text"), HasSubstr("not the zip format"));
}

}  // namespace
}  // namespace ridgeline
