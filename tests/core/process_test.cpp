#include "core/process.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/interrupt.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

ChildResult shell(const std::string& script, const ChildOptions& options = {}) {
  return run_child({"sh", "-c", script}, options);
}

TEST(RunChildTest, ExitCodeAndBothOutputsComeBack) {
  const ChildResult result = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_TRUE(shell("true").succeeded());
}

TEST(RunChildTest, BigOutputOnBothPipesDoesNotBlock) {
  const ChildResult result =
      shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; head -c 10 /dev/zero");
  EXPECT_EQ(result.out.size(), 3000010U);
  EXPECT_EQ(result.err.size(), 3000000U);
}

TEST(RunChildTest, BigInputGoesThroughACopyingChild) {
  const std::string input(2000000, 'x');
  EXPECT_EQ(run_child({"cat"}, {.input = input}).out, input);
}

TEST(RunChildTest, AChildThatIgnoresItsInputIsFine) {
  const ChildResult result =
      shell("exec <&-; sleep 0.05; exit 3", {.input = std::string(5000000, 'x')});
  EXPECT_EQ(result.exit_code, 3);
}

TEST(RunChildTest, DeathByASignalIsToldFromAnExitCode) {
  const ChildResult result = shell("kill -SEGV $$");
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_FALSE(result.succeeded());
}

TEST(RunChildTest, TheEnvironmentIsOursPlusWhatIsAdded) {
  ::setenv("RIDGELINE_TEST_KEPT", "kept", 1);
  ::setenv("RIDGELINE_TEST_CHANGED", "old", 1);
  const ChildResult result = shell("echo $RIDGELINE_TEST_KEPT $RIDGELINE_TEST_CHANGED",
                                   {.environment = {{"RIDGELINE_TEST_CHANGED", "new"}}});
  EXPECT_EQ(result.out, "kept new\n");
}

TEST(RunChildTest, ATimeoutEndsTheChildAndKeepsItsOutput) {
  const ChildResult result = shell("echo begun; sleep 100", {.timeout = Seconds{0.3}});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(result.out, "begun\n");
}

TEST(RunChildTest, AChildThatIgnoresTheRequestIsKilled) {
  const ChildResult result = shell("trap '' TERM; echo begun; while :; do sleep 0.05; done",
                                   {.timeout = Seconds{0.3}, .grace = Seconds{0.2}});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(RunChildTest, AGrandchildThatKeepsThePipeDoesNotHoldUsUp) {
  const ChildResult result = shell("sleep 8 & echo done", {.timeout = Seconds{4}});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.out, "done\n");
}

TEST(RunChildTest, WhatFinishesTheFilesOutlivesAnInterrupt) {
  watch_interrupts();
  ASSERT_EQ(std::raise(SIGINT), 0);
  const ChildResult result = shell("sleep 0.3; echo drawn", {.outlives_interrupt = true});
  forget_interrupt();
  EXPECT_EQ(result.out, "drawn\n");
}

TEST(RunChildTest, AnInterruptEndsTheChild) {
  watch_interrupts();
  ASSERT_EQ(std::raise(SIGINT), 0);
  const ChildResult result = shell("sleep 100");
  forget_interrupt();
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_FALSE(result.timed_out);
}

TEST(RunChildTest, AProgramThatIsNotThereIsAnError) {
  EXPECT_THAT(message_of(Fault::Io, [] { (void)run_child({"no-such-program-here"}, {}); }),
              HasSubstr("no-such-program-here"));
}

TEST(RunChildTest, AFileThatIsNoProgramIsAnError) {
  const TemporaryFolder folder;
  folder.put("broken",
             "\x7f"
             "ELF nothing");
  std::filesystem::permissions(folder.path() / "broken", std::filesystem::perms::owner_all);
  EXPECT_THAT(
      message_of(Fault::Io, [&] { (void)run_child({(folder.path() / "broken").string()}, {}); }),
      HasSubstr("Exec format error"));
}

TEST(RunChildTest, StandardErrorCanPassThrough) {
  testing::internal::CaptureStderr();
  const ChildResult result = shell("echo err >&2", {.pass_stderr_through = true});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "err\n");
  EXPECT_EQ(result.err, "");
}

bool is_gone(const std::string& pid) {
  try {
    const std::string stat = read_file("/proc/" + pid + "/stat", {1e6});
    return stat.find(") Z ") != std::string::npos;
  } catch (const Error&) {
    return true;
  }
}

template <class Condition>
bool soon(Condition condition) {
  for (int i = 0; i < 2000 && !condition(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

TEST(RunChildTest, TheChildDiesWithItsParent) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "pid").string();
  const pid_t parent = ::fork();
  if (parent == 0) {
    (void)shell("echo $$ > " + file + ".part; mv " + file + ".part " + file + "; exec sleep 300");
    ::_exit(0);
  }
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(file); }));
  std::string pid = read_file(file, {100});
  pid.pop_back();
  EXPECT_FALSE(is_gone(pid));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(soon([&] { return is_gone(pid); }));
}

TEST(ProgramPathTest, OwnProgramIsThisTest) { EXPECT_EQ(own_program().filename(), "core_test"); }

TEST(ProgramPathTest, ProgramsAreFoundInThePath) {
  ASSERT_TRUE(find_program("sh"));
  EXPECT_TRUE(find_program("sh")->is_absolute());
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program-here"), std::nullopt);
  EXPECT_EQ(find_program("/dev/null"), std::nullopt);
  EXPECT_EQ(find_program(""), std::nullopt);
}

}  // namespace
}  // namespace ridgeline
