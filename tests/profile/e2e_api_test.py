"""ridgeline/profile.h and what is preloaded, in programs of their own: the example, built against an installed package, and a
program that knows nothing of Ridgeline."""

import csv
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["RIDGELINE_BUILD"])
CMAKE = os.environ["RIDGELINE_CMAKE"]
FILES = ["trace.json.gz", "ops.csv", "modules.csv", "stacks.txt", "flamegraph.svg", "speedscope.json", "profile.json", "findings.txt",
         "report.html", "run.json"]
# What reads memory that was freed is not to get away with it.
FREED_IS_OVERWRITTEN = {"MALLOC_PERTURB_": "165"}


def run(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, **options)


class Story(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ridgeline-api-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, program, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if name != "RIDGELINE_PROFILE"}
        result = run(program, *arguments, cwd=self.folder, env={**environment, **variables})
        return result

    def assert_unharmed(self, result, output):
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(output, result.stdout)

    def assert_one_line(self, result, *words):
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("ridgeline: "), result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def events(self, folder="prof"):
        with gzip.open(self.folder / folder / "trace.json.gz", "rt", encoding="utf-8") as file:
            return json.load(file)["traceEvents"]

    def document(self, name, folder="prof"):
        return json.loads((self.folder / folder / name).read_text())

    def assert_self_times_add_up(self):
        profile = self.document("profile.json")
        steps = sum(step["total_s"] for step in profile["steps"])
        rest = profile["outside_ops_s"] - profile["other_threads_s"]
        with open(self.folder / "prof" / "ops.csv", newline="", encoding="utf-8") as file:
            self.assertAlmostEqual(sum(float(row["self_s"]) for row in csv.DictReader(file)) + rest, steps, places=6)


class InstalledExample(Story):
    """Built once, in a package that was moved after it was installed."""

    @classmethod
    def setUpClass(cls):
        work = pathlib.Path(tempfile.mkdtemp(prefix="ridgeline-package-"))
        cls.addClassCleanup(shutil.rmtree, work, ignore_errors=True)
        cls.must(CMAKE, "--install", BUILD, "--prefix", work / "first")
        cls.prefix = (work / "first").rename(work / "moved")
        cls.must(CMAKE, "-S", os.environ["RIDGELINE_EXAMPLE"], "-B", work / "build", "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={cls.prefix}", f"-DLIBTORCH={os.environ['RIDGELINE_LIBTORCH']}",
                 f"-DCMAKE_CXX_COMPILER={os.environ['RIDGELINE_COMPILER']}", *cls.launcher())
        cls.must(CMAKE, "--build", work / "build")
        cls.program = work / "build" / "train"

    @staticmethod
    def launcher():
        return ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []

    @staticmethod
    def must(*command):
        result = run(*command)
        if result.returncode != 0:
            raise RuntimeError(f"{command}: {result.stdout}{result.stderr}")

    def test_without_the_variable_it_runs_as_ever(self):
        result = self.start(self.program)
        self.assert_unharmed(result, "loss")
        self.assertEqual(result.stderr, "")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_variable_profiles_its_steps(self):
        result = self.start(self.program, RIDGELINE_PROFILE="out=prof,steps=4,shapes=1,memory=1")
        self.assert_unharmed(result, "loss")
        for word in ["4 steps recorded", "aten::mm", "Profiling cost", "12 pairs", "Peak memory on the CPU", "Run folder: prof"]:
            self.assertIn(word, result.stderr)
        for name in FILES:
            self.assertTrue((self.folder / "prof" / name).is_file(), name)
        events = self.events()
        names = [event["name"] for event in events]
        self.assertEqual([name for name in names if name.startswith("ProfilerStep#")], [f"ProfilerStep#{n}" for n in (2, 3, 4, 5)])
        for name in ["data", "update"]:
            self.assertEqual([event["cat"] for event in events if event["name"] == name], ["user_annotation"] * 4)
        self.assertIn("MmBackward0", names)
        self.assertTrue(any("Input Dims" in event.get("args", {}) for event in events))
        self.assertIn("[memory]", names)
        self.assert_self_times_add_up()
        self.assertEqual(len(self.document("profile.json")["cost"]["with_s"]), 12)
        self.assertTrue(self.document("run.json")["command_line"][0].endswith("train"))

    def test_a_program_that_ends_too_soon_keeps_its_whole_steps_alone(self):
        # Forty calls of step() delimit 39 steps; of 2 + 100 asked for, 37 can be recorded.
        result = self.start(self.program, RIDGELINE_PROFILE="out=prof,steps=100")
        self.assert_unharmed(result, "loss")
        self.assertIn("37 steps recorded", result.stderr)
        self.assertIn("The cost of profiling was not measured", result.stderr)
        updates = [event for event in self.events() if event["name"] == "update"]
        self.assertEqual(len(updates), 37)
        self.assert_self_times_add_up()

    def test_quiet_prints_nothing_and_off_does_nothing(self):
        self.assertEqual(self.start(self.program, RIDGELINE_PROFILE="out=prof,quiet=1").stderr, "")
        self.assertTrue((self.folder / "prof" / "run.json").is_file())
        shutil.rmtree(self.folder / "prof")
        self.assertEqual(self.start(self.program, RIDGELINE_PROFILE="off").stderr, "")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_is_wrong_is_one_line_and_the_program_goes_on(self):
        for value, words in {"shape=1": ["RIDGELINE_PROFILE", "did you mean 'shapes'", "unprofiled"], "steps=many": ["steps=many"],
                             "steps=3,wait=50": ["nothing was profiled", "step 52"], "out=/dev/null": ["/dev/null", "unprofiled"],
                             "out=/proc/none": ["/proc/none", "unprofiled"]}.items():
            result = self.start(self.program, RIDGELINE_PROFILE=value)
            self.assert_unharmed(result, "loss")
            self.assert_one_line(result, *words)

    def test_a_file_that_cannot_be_written_is_one_line(self):
        (self.folder / "prof").mkdir()
        (self.folder / "prof" / "findings.txt").mkdir()
        result = self.start(self.program, RIDGELINE_PROFILE="out=prof,quiet=1")
        self.assert_unharmed(result, "loss")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("findings.txt", result.stderr)
        self.assertTrue((self.folder / "prof" / "trace.json.gz").is_file())

    def test_its_own_steps_come_before_a_whole_run(self):
        preload = self.prefix / "lib" / "libridgeline_profile_preload.so"
        result = self.start(self.program, LD_PRELOAD=str(preload), RIDGELINE_PROFILE="out=prof,steps=2")
        self.assert_unharmed(result, "loss")
        self.assertIn("2 steps recorded", result.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["prof"])

    def test_nothing_but_the_interface_is_exported(self):
        result = run("nm", "-D", "--defined-only", "-C", self.prefix / "lib" / "libridgeline_profile.so")
        names = [line.split(maxsplit=2)[2] for line in result.stdout.splitlines()]
        self.assertIn("ridgeline::Profile::step()", names)
        for name in names:
            self.assertRegex(name, r"^(ridgeline::(Profile|ProfileStep|Range)::|ridgeline_profile_whole_run$)")


class Preloaded(Story):
    PRELOAD = str(BUILD / "libridgeline_profile_preload.so")
    PROGRAM = os.environ["RIDGELINE_PLAIN_PROGRAM"]

    def preloaded(self, *command, setting="out=prof,memory=1"):
        return self.start(*command, LD_PRELOAD=self.PRELOAD, RIDGELINE_PROFILE=setting, **FREED_IS_OVERWRITTEN)

    def test_the_whole_run_of_an_unmodified_program_is_profiled(self):
        result = self.preloaded(self.PROGRAM)
        self.assert_unharmed(result, "sum 10240")
        for word in ["from start to exit", "1 step recorded", "aten::mm", "on other threads", "What other threads ran", "Peak memory on the CPU", "Run folder: prof"]:
            self.assertIn(word, result.stderr)
        for name in FILES:
            self.assertTrue((self.folder / "prof" / name).is_file(), name)
        names = [event["name"] for event in self.events()]
        self.assertEqual(names.count("SumBackward0"), 10)
        self.assertEqual(self.document("run.json")["settings"]["extent"], "whole run")
        self.assert_self_times_add_up()

    def test_a_process_of_a_job_says_which_it_is(self):
        self.start(self.PROGRAM, LD_PRELOAD=self.PRELOAD, RIDGELINE_PROFILE="out=prof", RANK="3", WORLD_SIZE="8")
        with gzip.open(self.folder / "prof/trace.json.gz", "rt", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["distributedInfo"], {"rank": 3, "world_size": 8})

    def test_settings_of_steps_are_said_to_mean_nothing_there(self):
        result = self.preloaded(self.PROGRAM, setting="out=prof,memory=1,steps=5")
        self.assert_unharmed(result, "sum 10240")
        self.assertIn("its whole run is one", result.stderr)

    def test_the_exit_code_is_the_programs(self):
        self.assertEqual(self.preloaded(self.PROGRAM, "3", setting="quiet=1,out=prof,memory=1").returncode, 3)
        self.assertTrue((self.folder / "prof" / "run.json").is_file())

    def test_a_malformed_value_is_one_line(self):
        result = self.preloaded(self.PROGRAM, setting="steps")
        self.assert_unharmed(result, "sum 10240")
        self.assert_one_line(result, "RIDGELINE_PROFILE", "'steps'", "unprofiled")

    def test_without_the_variable_nothing_happens(self):
        result = self.start(self.PROGRAM, LD_PRELOAD=self.PRELOAD)
        self.assert_unharmed(result, "sum 10240")
        self.assertEqual((result.stderr, list(self.folder.iterdir())), ("", []))

    def test_programs_without_torch_on_the_way_are_left_alone(self):
        result = self.preloaded("/bin/sh", "-c", f"echo shell && {self.PROGRAM}")
        self.assert_unharmed(result, "shell\nsum 10240")
        self.assertIn("Run folder: prof", result.stderr)
        result = self.preloaded("/bin/echo", "word", setting="nonsense")
        self.assertEqual((result.stdout, result.stderr), ("word\n", ""))


class StaticProfile(Story):
    def test_a_profile_that_ends_after_main_leaves_torchs_state_of_the_thread_alone(self):
        result = self.start(os.environ["RIDGELINE_STATIC_PROGRAM"], RIDGELINE_PROFILE="out=prof,memory=1", **FREED_IS_OVERWRITTEN)
        self.assert_unharmed(result, "sum 40960")
        for word in ["steps recorded", "aten::mm", "Peak memory on the CPU", "Run folder: prof"]:
            self.assertIn(word, result.stderr)


if __name__ == "__main__":
    unittest.main()
