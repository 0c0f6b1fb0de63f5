"""The program as a user meets it: rows, devices, comparisons, and what is left after a bad end."""

import csv
import json
import pathlib
import signal
import subprocess
import time
import unittest

from program import QUICK, TINY, ProgramTest

WARMUP_HEADER = "warmup_steps,mean_time_ms,std_time_ms,cv_percent"
# Far beyond any machine's memory: must be refused by prediction, not tried.
HUGE = ["transformer", "--size", "2.7B", "--batch-size", "4096", "--context-length", "1024"]


def wait_until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Rows(ProgramTest):
    def test_exactly_the_steps_asked_for_are_measured(self):
        self.assert_exit(self.bench("--phase", "step"), 0)
        row, = self.run_document()["rows"]
        self.assertEqual(len(row["warmup_s"]), 1)
        self.assertEqual(row["stopped_by"], "count")
        self.assertEqual(set(row["phases"]), {"forward", "backward", "optimizer", "total"})
        for phase in row["phases"].values():
            self.assertEqual(len(phase["samples_s"]), 3)
        parts = zip(*(row["phases"][name]["samples_s"] for name in ("forward", "backward", "optimizer", "total")))
        for forward, backward, optimizer, total in parts:
            self.assertAlmostEqual(forward + backward + optimizer, total, places=9)
        self.assertGreater(row["tokens_per_s"], 0)
        self.assertGreater(row["memory"]["peak_bytes"], 0)
        # On a busy machine no peak is good enough, and that is said.
        self.assertGreater(row.get("mfu", 1), 0)
        self.assertEqual("mfu" in row, not any(warning.startswith("no MFU: ") for warning in row.get("warnings", [])))

    def test_every_built_in_model_steps(self):
        cases = [
            ["tiny-llama", "--num-layers", "1", "--hidden-dim", "32", "--num-heads", "4", "--num-kv-heads", "2",
             "--context-length", "8", "--batch-size", "1"],
            ["resnet20", "--batch-size", "2", "--image-size", "8"],
            ["resnet18", "--batch-size", "1", "--image-size", "32", "--stem", "cifar", "--num-classes", "10"],
        ]
        for number, arguments in enumerate(cases):
            with self.subTest(model=arguments[0]):
                self.assert_exit(self.run_program("bench", *arguments, *QUICK, "--quiet", "--out", f"run{number}"), 0)

    def test_attention_runs_forward_and_backward_and_skips_the_step(self):
        shape = ["attention", "--head-dim", "16,32", "--seq-len", "16-32*2", "--batch-size", "1"]
        self.assert_exit(self.run_program("bench", *shape, "--phase", "forward,backward", *QUICK, "--out", "run"), 0)
        self.assertEqual(len(self.run_document()["rows"]), 4)
        self.assert_exit(self.run_program("bench", *shape, "--phase", "step", *QUICK, "--out", "no"), 3)

    def test_settings_of_the_engine_reach_the_row(self):
        result = self.bench("--optimizer", "sgd", "--accumulate", "2", "--activation-checkpointing", "--seed", "9",
                            "--precision", "bf16,fp16,tf32")
        self.assert_exit(result, 0)
        rows = self.run_document()["rows"]
        self.assertEqual([row["settings"]["precision"] for row in rows], ["bf16", "fp16", "tf32"])
        for row in rows:
            self.assertEqual(row["outcome"], "measured", row.get("reason"))
            self.assertEqual(row["settings"]["optimizer"], "sgd")
            self.assertEqual(row["settings"]["accumulation"], 2)
            self.assertEqual(row["settings"]["seed"], 9)
        self.assertIn("no TF32", " ".join(rows[2]["warnings"]))

    def test_a_row_without_room_is_a_row_with_need_room_and_way_out(self):
        result = self.run_program("bench", *HUGE, *QUICK, "--out", "run", "--csv", "sweep.csv")
        self.assert_exit(result, 3)
        row, = self.run_document()["rows"]
        self.assertEqual((row["outcome"], row["fault"]), ("failed", "memory"))
        self.assertRegex(row["reason"], r"needs \S+ [KMGTP]iB .*, \S+ [KMGTP]iB available; ")
        record, = csv.DictReader((self.folder / "sweep.csv").read_text().splitlines())
        self.assertIn("available", record["error"])

    def test_the_next_row_runs_after_one_that_failed(self):
        result = self.bench("--context-length", "20000000000", "--phase", "forward")
        self.assert_exit(result, 0)
        self.assertEqual([row["outcome"] for row in self.run_document()["rows"]], ["measured", "failed"])
        strict = self.run_program("bench", *TINY, "--batch-size", "20000000000,2", *QUICK, "--strict", "--out", "strict")
        self.assert_exit(strict, 1)

    # That a fitted row is measured is not tried here: it would fill this machine's memory.
    def test_fit_leaves_alone_what_fits_and_gives_up_on_what_never_will(self):
        self.assert_exit(self.bench("--fit", "--phase", "forward"), 0)
        self.assertNotIn("adjusted", self.run_document()["rows"][0])
        giant = ["transformer", "--d-model", "65536", "--num-layers", "1000", "--num-heads", "64"]
        self.assert_exit(self.run_program("bench", *giant, *QUICK, "--fit", "--out", "giant"), 3)
        row, = self.run_document("giant")["rows"]
        self.assertIn("no batch would fit", row["reason"])


class Devices(ProgramTest):
    def test_doctor_is_ready_here_and_says_so_as_json(self):
        self.assert_exit(self.run_program("doctor"), 0)
        report = json.loads(self.run_program("doctor", "--json").stdout)
        states = {check["topic"]: check["state"] for check in report["checks"]}
        self.assertEqual(states["LibTorch"], "ok")
        for check in report["checks"]:
            self.assertEqual("remedy" in check, check["state"] != "ok", check)

    def test_without_libtorch_nothing_runs_and_that_is_said(self):
        nowhere = str(self.folder)
        result = self.run_program("doctor", RIDGELINE_LIBTORCH=nowhere)
        self.assert_exit(result, 1)
        self.assertIn("RIDGELINE_LIBTORCH", result.stdout)
        self.assert_refused(self.bench(RIDGELINE_LIBTORCH=nowhere), 1, "RIDGELINE_LIBTORCH")

    def test_graph_mode_on_a_cpu_is_a_skipped_row(self):
        result = self.bench("--mode", "graph")
        self.assert_exit(result, 3)
        row, = self.run_document()["rows"]
        self.assertEqual(row["outcome"], "skipped")
        self.assertIn("CUDA graphs", row["reason"])
        self.assert_exit(self.run_program("bench", *TINY, *QUICK, "--mode", "graph,eager", "--out", "both"), 0)

    def test_fused_kernels_on_a_cpu_are_a_skipped_row(self):
        self.assert_exit(self.bench("--kernels", "fused"), 3)
        self.assertIn("CUDA kernels", self.run_document()["rows"][0]["reason"])

    def test_a_gpu_that_is_not_there_is_one_line_and_no_folder(self):
        topics = json.loads(self.run_program("doctor", "--json").stdout)["checks"]
        if any(check["topic"] == "CUDA" and check["state"] == "ok" for check in topics):
            self.skipTest("this machine has a GPU")
        result = self.run_program("bench", *TINY, "--device", "cuda", "--out", "run")
        self.assert_refused(result, 1, "cuda:0")

    def test_a_file_that_is_no_model_is_one_line_and_no_folder(self):
        (self.folder / "model.pt").write_bytes(b"not a model")
        for more in (["--out", "run"], ["--out", "deep/run"], [], ["--isolate"], ["--json"]):
            with self.subTest(more=more):
                result = self.run_program("bench", "model.pt", "--input", "1x3:float32", *QUICK, *more)
                self.assert_refused(result, 2, "model.pt")
                self.assertEqual(result.stdout, "")
        arms = self.run_program("bench", "model.pt", "--input", "1x3:float32", *QUICK, "--ab", "", "--precision bf16")
        self.assert_refused(arms, 2, "model.pt")


class Isolation(ProgramTest):
    def test_an_isolated_row_has_the_shape_of_any_other(self):
        self.assert_exit(self.bench("--phase", "forward"), 0)
        plain, = self.run_document()["rows"]
        result = self.run_program("bench", *TINY, *QUICK, "--phase", "forward", "--isolate", "--out", "alone")
        self.assert_exit(result, 0)
        alone, = self.run_document("alone")["rows"]
        self.assertEqual(alone["outcome"], "measured")
        self.assertEqual(set(alone), set(plain))
        self.assertEqual(alone["settings"], plain["settings"])
        self.assertGreater(alone["startup"]["load_s"], 0)

    def test_a_killed_child_is_a_row(self):
        process = self.start_program(
            "bench", *TINY, "--device", "cpu", "--budget", "10m", "--target", "0.000001", "--isolate", "--out", "run")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        found = []

        def measuring_child():
            found[:] = [int(word) for word in children.read_text().split()]
            return any(b"measure-row" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() for pid in found)

        if not children.exists():
            self.skipTest("this kernel does not list children")
        self.assertTrue(wait_until(measuring_child))
        subprocess.run(["kill", "-KILL", str(found[0])], check=True)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, out + err)
        row, = self.run_document()["rows"]
        self.assertEqual((row["outcome"], row["fault"]), ("failed", "killed"))
        self.assertIn("SIGKILL", row["reason"])

    def test_the_hidden_command_refuses_what_is_no_row(self):
        for text in ("", "{", "{}", "[]"):
            result = subprocess.run([self.program, "measure-row"], input=text, env=self.environment(),
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 2, text)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)


class Comparison(ProgramTest):
    def compare(self, a, b, *more):
        return self.run_program("bench", *TINY, "--device", "cpu", "--threads", "1", "--phase", "forward", "--warmup-steps",
                                "1", "--rounds", "8", "--out", "run", *more, "--ab", a, b)

    def test_two_settings_are_interleaved_and_judged(self):
        result = self.compare("--batch-size 1", "--batch-size 64")
        self.assert_exit(result, 0)
        verdict, = self.run_document()["verdicts"]
        self.assertIn(verdict["verdict"], ("faster", "slower", "equivalent", "inconclusive"))
        self.assertIn(verdict["sentence"], result.stdout)
        self.assertEqual((verdict["a"], verdict["b"]), ("--batch-size 1", "--batch-size 64"))
        self.assertEqual(len(verdict["arm_b"]["epoch_medians"]["samples_s"]), 8)
        self.assertEqual(verdict["arm_a"]["row"]["settings"]["batch_size"], 1)
        self.assertEqual(verdict["arm_b"]["row"]["settings"]["batch_size"], 64)

    def test_an_arm_that_cannot_run_is_a_skipped_row(self):
        self.assert_exit(self.compare("--mode eager", "--mode graph"), 3)
        row, = self.run_document()["rows"]
        self.assertEqual(row["outcome"], "skipped")
        self.assertIn("CUDA graphs", row["reason"])

    def test_an_arm_without_room_is_refused_by_prediction(self):
        self.assert_exit(self.compare("--batch-size 1", "--batch-size 20000000000"), 3)
        self.assertEqual(self.run_document()["rows"][0]["fault"], "memory")


class Warmup(ProgramTest):
    def test_a_study_says_what_the_first_steps_cost(self):
        result = self.run_program("warmup", *TINY, "--phase", "forward", "--warmup-steps", "0,1", "--measure-steps", "3",
                                  "--device", "cpu", "--threads", "1", "--csv", "warmup.csv", "--out", "run")
        self.assert_exit(result, 0)
        study = self.run_document()["warmup_study"]
        self.assertEqual([point["warmup_steps"] for point in study["points"]], [0, 1])
        self.assertIn("The first step took", study["advice"])
        self.assertIn(study["advice"], result.stdout)
        self.assertGreater(study["first_step_s"], 0)
        lines = (self.folder / "warmup.csv").read_text().splitlines()
        self.assertEqual(lines[0], WARMUP_HEADER)
        self.assertEqual(len(lines), 3)


class Interruption(ProgramTest):
    LONG = ["--device", "cpu", "--threads", "1", "--phase", "forward", "--target", "0.000001", "--out", "run"]

    def rows(self):
        path = self.folder / "run/rows.jsonl"
        return path.read_text().splitlines() if path.exists() else []

    def test_ctrl_c_ends_cleanly_with_what_was_measured(self):
        process = self.start_program(
            "bench", *TINY, "--precision", "fp32,bf16", "--budget", "10m", *self.LONG)
        self.assertTrue(wait_until((self.folder / "run").exists))
        time.sleep(5)  # into the first row; it would last ten minutes
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, out + err)
        row, = self.run_document()["rows"]
        if row["outcome"] == "measured":
            self.assertEqual(row["stopped_by"], "interrupt")
        else:
            self.assertIn("interrupted", row["reason"])
        self.assertEqual(len(self.rows()), 1)

    def test_report_mends_a_run_that_was_killed(self):
        process = self.start_program(
            "bench", *TINY, "--precision", "fp32,bf16", "--budget", "2s", *self.LONG)
        self.assertTrue(wait_until(lambda: len(self.rows()) >= 1))
        process.kill()
        process.wait()
        rows = self.folder / "run/rows.jsonl"
        with rows.open("a") as file:
            file.write('{"model":"transformer","cut of')  # as a kill in the middle of a write would leave it
        self.assertFalse((self.folder / "run/run.json").exists())
        result = self.run_program("report", "run")
        self.assert_exit(result, 0)
        self.assertGreaterEqual(len(self.run_document()["rows"]), 1)
        self.assertTrue((self.folder / "run/report.html").is_file())


if __name__ == "__main__":
    unittest.main()
