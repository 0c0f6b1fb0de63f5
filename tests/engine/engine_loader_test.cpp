#include <cstdlib>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"
#include "engine/engine.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

// Sets a variable for one test and puts the old value back.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (old_) {
      ::setenv(name_, old_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

constexpr const char* kVariable = "RIDGELINE_LIBTORCH";

TEST(FindLibTorchTest, TheVariableNamesTheFolder) {
  const TemporaryFolder folder;
  folder.put("torch/lib/libtorch_cpu.so", "");
  const ScopedVariable variable(kVariable, (folder.path() / "torch").string());
  EXPECT_EQ(find_libtorch(), folder.path() / "torch");
}

TEST(FindLibTorchTest, AVariableThatNamesNoLibTorchIsNotPassedOver) {
  const TemporaryFolder folder;
  const ScopedVariable variable(kVariable, folder.path().string());
  const std::string message = message_of(Fault::Device, [] { (void)find_libtorch(); });
  EXPECT_THAT(message, HasSubstr(kVariable));
  EXPECT_THAT(message, HasSubstr(folder.path().string()));
}

TEST(TorchVersionTest, TheVersionIsReadFromItsFile) {
  const TemporaryFolder folder;
  folder.put(
      "version.py",
      "from typing import Optional\n__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\n");
  EXPECT_EQ(read_torch_version(folder.path()), "2.11.0+cu130");
}

TEST(TorchVersionTest, AFileWithoutAVersionIsUnknown) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_torch_version(folder.path()), "unknown");
  folder.put("version.py", "__version__ = broken\n");
  EXPECT_EQ(read_torch_version(folder.path()), "unknown");
}

TEST(EngineLoadTest, AnotherVersionIsRefusedBeforeItIsLoaded) {
  const TemporaryFolder folder;
  folder.put("lib/libtorch_cpu.so", "not a library");
  folder.put("version.py", "__version__ = '2.10.1'\n");
  const ScopedVariable variable(kVariable, folder.path().string());
  const std::string message =
      message_of(Fault::Device, [] { (void)Engine::load(/*want_cuda=*/false); });
  EXPECT_THAT(message, HasSubstr("holds torch 2.10.1"));
  EXPECT_THAT(message, HasSubstr(kSupportedTorch));
}

TEST(EngineLoadTest, ALibraryThatIsNoneIsAClearError) {
  const TemporaryFolder folder;
  folder.put("lib/libtorch_cpu.so", "not a library");
  folder.put("version.py", "__version__ = '2.11.0'\n");
  const ScopedVariable variable(kVariable, folder.path().string());
  EXPECT_THAT(message_of(Fault::Device, [] { (void)Engine::load(/*want_cuda=*/false); }),
              HasSubstr("libtorch_cpu.so"));
}

}  // namespace
}  // namespace ridgeline
