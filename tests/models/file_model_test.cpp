#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/make.h"
#include "models/model_check.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FileModelTest : public testing::Test {
 protected:
  FileModelTest() {
    std::string pattern = (fs::temp_directory_path() / "ridgeline_models_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~FileModelTest() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  std::string save(const std::string& source) const {
    torch::jit::Module module("M");
    module.register_parameter("weight", at::full({4, 3}, 2.0), false);
    module.register_buffer("offset", at::ones({4}));
    module.define(source);
    const std::string path = (folder_ / "model.pt").string();
    module.save(path);
    return path;
  }

  fs::path folder_;
};

FileSpec file(const std::string& path, std::vector<InputShape> inputs) {
  return {.label = "file", .path = path, .inputs = std::move(inputs)};
}

std::unique_ptr<Model> load(const FileSpec& spec) {
  return make_model(spec, {.ops = plain_ops()}, 1);
}

std::string complaint(const FileSpec& spec) {
  try {
    const auto model = load(spec);
    (void)model->forward(model->synthetic_batch(1).first);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

constexpr const char* kLinear = R"(
  def forward(self, x):
    return torch.matmul(x, torch.t(self.weight)) + self.offset
)";
const InputShape kRows{.sizes = {2, 3}, .dtype = "float32"};

TEST_F(FileModelTest, TorchScriptRunsForwardOnly) {
  const auto model = load(file(save(kLinear), {kRows}));
  const at::Tensor out = model->forward(at::ones({2, 3}));
  EXPECT_TRUE(at::equal(out, at::full({2, 4}, 7.0)));
  EXPECT_FALSE(model->loss(at::ones({2, 3}), {}).defined());
  EXPECT_FALSE(model->synthetic_batch(1).second.defined());
}

TEST_F(FileModelTest, ParametersAndBuffersAreTheModulesOwn) {
  const auto model = load(file(save(kLinear), {kRows}));
  EXPECT_THAT(names_in(model->parameters()), testing::ElementsAre("weight"));
  EXPECT_THAT(names_in(model->buffers()), testing::ElementsAre("offset"));
  model->parameters()[0].second.set_data(at::zeros({4, 3}));
  EXPECT_TRUE(at::equal(model->forward(at::ones({2, 3})), at::ones({2, 4})));
}

TEST_F(FileModelTest, SecondInputIsAConstantThatMovesWithTheModel) {
  const std::string path = save("def forward(self, x, y):\n  return x + y\n");
  const auto model = load(file(path, {kRows, kRows}));
  ASSERT_THAT(names_in(model->constants()), testing::ElementsAre("input.1"));
  model->constants()[0].second.set_data(at::full({2, 3}, 5.0));
  EXPECT_TRUE(at::equal(model->forward(at::ones({2, 3})), at::full({2, 3}, 6.0)));
}

TEST_F(FileModelTest, FirstTensorOfATupleIsTheOutput) {
  const std::string path = save("def forward(self, x):\n  return (x + 1, x)\n");
  EXPECT_TRUE(at::equal(load(file(path, {kRows}))->forward(at::zeros({2, 3})), at::ones({2, 3})));
}

TEST_F(FileModelTest, InputsHaveTheShapesAndTypesAskedFor) {
  const std::string path = save("def forward(self, x):\n  return x\n");
  for (const auto& [name, type] :
       {std::pair{"int64", at::kLong}, {"bfloat16", at::kBFloat16}, {"bool", at::kBool}}) {
    const auto input =
        load(file(path, {{.sizes = {5, 2}, .dtype = name}}))->synthetic_batch(1).first;
    EXPECT_EQ(input.scalar_type(), type);
    EXPECT_THAT(input.sizes(), testing::ElementsAre(5, 2));
  }
}

TEST_F(FileModelTest, WrongShapeIsOneLineThatSaysWhatWasFed) {
  const std::string message =
      complaint(file(save(kLinear), {{.sizes = {2, 5}, .dtype = "float32"}}));
  EXPECT_THAT(message, AllOf(HasSubstr("model.pt: cannot run on 2x5:float32"),
                             HasSubstr("mat1 and mat2"), Not(HasSubstr("\n"))));
}

TEST_F(FileModelTest, WrongDtypeIsOneLineThatSaysWhatWasFed) {
  const std::string message = complaint(file(save(kLinear), {{.sizes = {2, 3}, .dtype = "int64"}}));
  EXPECT_THAT(message, AllOf(HasSubstr("cannot run on 2x3:int64"), HasSubstr("dtype"),
                             Not(HasSubstr("\n"))));
}

TEST_F(FileModelTest, WrongNumberOfInputsNamesTheArguments) {
  const std::string path = save("def forward(self, x, mask):\n  return x + mask\n");
  EXPECT_THAT(complaint(file(path, {kRows})),
              HasSubstr("forward takes 2 input(s) (x, mask), 1 given"));
  EXPECT_THAT(complaint(file(path, {kRows, kRows, kRows})), HasSubstr("3 given"));
}

TEST_F(FileModelTest, ArgumentThatIsNoTensorIsRefused) {
  const std::string path = save("def forward(self, x: List[int]):\n  return torch.zeros(x)\n");
  EXPECT_THAT(complaint(file(path, {kRows})), HasSubstr("'x' is a List[int]; only tensors"));
}

TEST_F(FileModelTest, ModuleWithoutForwardIsRefused) {
  const std::string path = save("def other(self, x):\n  return x\n");
  EXPECT_THAT(complaint(file(path, {kRows})), HasSubstr("no forward method"));
}

TEST_F(FileModelTest, ResultWithoutATensorIsRefused) {
  const std::string path = save("def forward(self, x):\n  return 3\n");
  EXPECT_THAT(complaint(file(path, {kRows})), HasSubstr("returns no tensor"));
}

TEST_F(FileModelTest, AbsentFileAndFolderAreRefused) {
  EXPECT_THAT(complaint(file((folder_ / "none.pt").string(), {kRows})), HasSubstr("no such file"));
  EXPECT_THAT(complaint(file(folder_.string(), {kRows})), HasSubstr("no such file"));
}

TEST_F(FileModelTest, TextAndEmptyFilesAreNoModels) {
  EXPECT_THAT(complaint(file(write("a.pt", "hello there"), {kRows})),
              HasSubstr("a.pt: not a TorchScript"));
  EXPECT_THAT(complaint(file(write("b.pt", ""), {kRows})), HasSubstr("b.pt: not a TorchScript"));
}

TEST_F(FileModelTest, FileCutAnywhereIsReportedAsDamaged) {
  const std::string path = save(kLinear);
  std::ifstream stream(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t kept = 3; kept < whole.size(); kept += 97) {
    const std::string message = complaint(file(write("cut.pt", whole.substr(0, kept)), {kRows}));
    EXPECT_THAT(message, AllOf(HasSubstr("cut.pt: "), Not(HasSubstr("\n")))) << kept;
  }
}

TEST_F(FileModelTest, DamagedBytesNeverCrash) {
  const std::string path = save(kLinear);
  std::ifstream stream(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t at = 0; at < whole.size(); at += 53) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
    EXPECT_THAT(complaint(file(write("bad.pt", bytes), {kRows})), Not(HasSubstr("\n"))) << at;
  }
}

// Files that PyTorch itself wrote; they lie beside the repository, or where RIDGELINE_SHARED says.
std::optional<fs::path> shared_models() {
  const char* shared = std::getenv("RIDGELINE_SHARED");
  const fs::path folder =
      fs::path(shared != nullptr ? shared : "../shared") / "data/models/torchscript";
  if (!fs::is_directory(folder)) return std::nullopt;
  return folder;
}

TEST(SharedScriptFileTest, FilesWrittenByPyTorchRun) {
  const auto folder = shared_models();
  if (!folder) GTEST_SKIP() << "no folder of TorchScript files (set RIDGELINE_SHARED)";
  const auto model = load(file((*folder / "foo1.pt").string(), {kRows, kRows}));
  model->constants()[0].second.set_data(at::ones({2, 3}));
  EXPECT_TRUE(at::equal(model->forward(at::ones({2, 3})), at::full({2, 3}, 3.0)));
  EXPECT_THAT(complaint(file((*folder / "foo4.pt").string(), {kRows})),
              HasSubstr("only tensors can be fed"));
  EXPECT_THAT(complaint(file((*folder / "foo6.pt").string(), {kRows})),
              HasSubstr("returns no tensor"));
  EXPECT_THAT(complaint(file((*folder / "foo8.pt").string(), {kRows})),
              HasSubstr("no forward method"));
}

}  // namespace
}  // namespace ridgeline
