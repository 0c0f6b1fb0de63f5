"""`ridgeline roofline peaks` as a user meets it, on this CPU."""

import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from program import QUICK, TINY, ProgramTest

ONE = ["--device", "cpu", "--threads", "1"]


class Peaks(ProgramTest):
    """One measurement for all tests of the class: the cache keeps it."""

    def peaks(self, *arguments, **options):
        return self.run_program("roofline", "peaks", *arguments, **options)

    def cached(self):
        path = pathlib.Path(self.cache) / "peaks.json"
        return json.loads(path.read_text()) if path.exists() else {}

    @staticmethod
    def key(peaks, name, threads):
        return f"{peaks['machine']} | {name} | {threads} threads of {peaks['usable_cores']} cores | torch {peaks['torch']}"

    def remember(self, peaks):
        """As if nothing else had run beside them: what was disturbed would be measured in every test."""
        cache = self.cached()
        for peak in peaks["peaks"]:
            rate = peak.get("flop_per_s", peak.get("bytes_per_s"))
            still = {key: value for key, value in peak.items() if key != "shared_cores"}
            still |= {"low_per_s": 0.99 * rate, "high_per_s": 1.01 * rate}
            cache[self.key(peaks, peak["name"], peak["threads"])] = still
        (pathlib.Path(self.cache) / "peaks.json").write_text(json.dumps(cache))

    def test_every_ceiling_of_the_cpu_is_measured(self):
        result = self.peaks(*ONE, "--json", "--out", "run")
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, "")
        document = json.loads(result.stdout)
        self.assertEqual(document["command"], "roofline peaks")
        peaks = document["peaks"]["peaks"]
        names = {(peak["name"], peak["threads"]) for peak in peaks}
        self.assertEqual(len(names), len(peaks))
        for name in ("fp32", "DRAM read", "copy"):
            self.assertIn((name, 1), names)
        for peak in peaks:
            rate = peak.get("flop_per_s", peak.get("bytes_per_s"))
            self.assertGreater(rate, 1e7, peak)
            self.assertLess(rate, 1e15, peak)
            self.assertLessEqual(peak["low_per_s"], rate, peak)
            self.assertGreaterEqual(peak["high_per_s"], rate, peak)
            self.assertEqual("flop_per_s" in peak, "path" in peak, peak)
            self.assertGreater(peak["threads"], 0, peak)
        self.assertEqual(json.loads((self.folder / "run/run.json").read_text()), document)
        rows = list(csv.DictReader(io.StringIO((self.folder / "run/peaks.csv").read_text())))
        self.assertEqual(len(rows), len(peaks))
        self.assertIn("| DRAM read", (self.folder / "run/summary.md").read_text())
        self.assertIn("DRAM read", (self.folder / "run/report.html").read_text())
        if shutil.which("gnuplot"):
            self.assertTrue((self.folder / "run/roofline.png").read_bytes().startswith(b"\x89PNG"))
            self.assertIn("DRAM", (self.folder / "run/roofline.svg").read_text())
        # A peak that was disturbed is told, and is not in the cache.
        for peak in peaks:
            rate = peak.get("flop_per_s", peak.get("bytes_per_s"))
            wide = peak.get("shared_cores", peak.get("too_low", False)) or (peak["high_per_s"] - peak["low_per_s"]) / rate > 0.10
            kept = self.key(document["peaks"], peak["name"], peak["threads"]) in self.cached()
            self.assertEqual(kept, not wide, peak)
            if wide:
                self.assertIn("the machine was busy", " ".join(document["peaks"]["notes"]))
        self.remember(document["peaks"])

    def test_what_is_known_is_not_measured_again_and_bench_uses_it(self):
        name = "fp32"
        machine = json.loads(self.peaks(*ONE, "--json", "--out", "first").stdout)["peaks"]
        key = self.key(machine, name, 1)
        cache = self.cached()
        cache[key] = {"name": name, "flop_per_s": 123e12, "low_per_s": 122e12, "high_per_s": 124e12, "samples": 11,
                      "threads": 1, "reached_with": "a test", "path": "fp32"}
        (pathlib.Path(self.cache) / "peaks.json").write_text(json.dumps(cache))
        again = json.loads(self.peaks(*ONE, "--json", "--out", "second").stdout)["peaks"]
        known, = [peak for peak in again["peaks"] if peak["name"] == name]
        self.assertEqual(known["flop_per_s"], 123e12)
        self.assertLess(again["measured_now"], len(again["peaks"]))
        result = self.run_program("bench", *TINY, *QUICK, "--out", "bench")
        self.assert_exit(result, 0)
        row, = self.run_document("bench")["rows"]
        self.assertEqual(row["peak"]["flop_per_s"], 123e12)

    def test_the_table_says_what_was_reached_with_what(self):
        result = self.peaks(*ONE, "--out", "run")
        self.assert_exit(result, 0)
        for words in ("Ceiling", "Median", "Interval", "Reached with", "1 thread", "Run folder: run"):
            self.assertIn(words, result.stdout)
        quiet = self.peaks(*ONE, "--quiet", "--out", "quiet")
        self.assert_exit(quiet, 0)
        self.assertEqual(quiet.stdout + quiet.stderr, "")

    def test_without_a_number_the_threads_are_those_of_the_library(self):
        document = json.loads(self.peaks("--device", "cpu", "--json", "--out", "run", OMP_NUM_THREADS="1").stdout)["peaks"]
        product, = [peak for peak in document["peaks"] if peak["name"] == "fp32"]
        self.assertEqual((document["threads"], product["threads"]), (1, 1))

    @unittest.skipUnless(shutil.which("taskset"), "taskset is not installed")
    def test_peaks_of_fewer_cores_are_others(self):
        core = min(os.sched_getaffinity(0))
        result = subprocess.run(["taskset", "-c", str(core), self.program, "roofline", "peaks", *ONE, "--json", "--out",
                                 "run"], cwd=self.folder, env=self.environment(), capture_output=True, text=True)
        self.assert_exit(result, 0)
        self.assertEqual(json.loads(result.stdout)["peaks"]["usable_cores"], 1)

    def test_ctrl_c_leaves_nothing(self):
        before = self.cached()
        process = self.start_program("roofline", "peaks", *ONE, "--refresh", "--out", "run")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertEqual(self.cached(), before)
        self.assertFalse((self.folder / "run/run.json").exists())

    def test_refusals_are_one_line(self):
        topics = json.loads(self.run_program("doctor", "--json").stdout)["checks"]
        if not any(check["topic"] == "CUDA" and check["state"] == "ok" for check in topics):
            self.assert_refused(self.peaks("--device", "cuda"), 1, "cuda:0")
        self.assert_refused(self.peaks("--device", "gpu"), 2, "gpu")
        self.assert_refused(self.peaks("--refesh"), 2, "--refresh")
        self.assert_refused(self.peaks("--json", "--markdown", "-"), 2, "standard output")


if __name__ == "__main__":
    unittest.main()
