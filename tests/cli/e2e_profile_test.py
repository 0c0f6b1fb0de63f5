"""`ridgeline profile` end to end, on the CPU: what is printed, what is written, what is refused."""

import collections
import csv
import gzip
import json
import re
import shutil
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from program import TINY, ProgramTest

FAST = ["--device", "cpu", "--threads", "1"]


class Profile(ProgramTest):
    def profile(self, *arguments, **options):
        return self.run_program("profile", *TINY, *FAST, "--out", "prof", *arguments, **options)

    def read_trace(self):
        with gzip.open(self.folder / "prof" / "trace.json.gz", "rt", encoding="utf-8") as file:
            return json.load(file)

    def profile_json(self):
        return json.loads((self.folder / "prof" / "profile.json").read_text())

    def table(self, name):
        with open(self.folder / "prof" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_tables_trace_and_cost_of_a_tiny_transformer(self):
        result = self.profile("--steps", "2", "--cost-rounds", "8")
        self.assert_exit(result, 0)
        for word in ["aten::mm", "layers.0", "forward/step", "Profiling cost", "8 pairs", "Run folder: prof"]:
            self.assertIn(word, result.stdout)
        for name in ["trace.json.gz", "ops.csv", "modules.csv", "profile.json", "stacks.txt", "speedscope.json", "run.json",
                     "findings.txt", "report.html", "flamegraph.svg"]:
            self.assertTrue((self.folder / "prof" / name).is_file(), name)
        cost = self.profile_json()["cost"]
        self.assertEqual(cost["pairs"], 8)
        self.assertLess(cost["ratio_low"], cost["ratio_high"])

    def test_it_ends_in_findings_and_flame_graphs(self):
        result = self.profile("--steps", "2", "--cost-rounds", "0", "--host-stacks")
        self.assert_exit(result, 0)
        for word in ["Top 3 operations by host time", "optimization target"]:
            self.assertIn(word, result.stdout)
        # On a busy machine no peak is good enough, and that is said.
        self.assertRegex(result.stdout, "MFU is|MFU, limits .* are left out|measured while the machine was slower")
        self.assertIn((self.folder / "prof" / "findings.txt").read_text(), result.stdout)
        if (self.folder / "prof" / "host_stacks.txt").read_text() == "":
            self.assertIn("no sample was taken", result.stderr)
        for name in ["flamegraph.svg", "host_flamegraph.svg"]:
            root = xml.etree.ElementTree.parse(self.folder / "prof" / name).getroot()
            self.assertTrue(root.tag.endswith("svg"), name)
        for line in (self.folder / "prof" / "host_stacks.txt").read_text().splitlines():
            self.assertRegex(line, r" \d+$")

    def test_a_training_is_profiled_with_its_loader(self):
        result = self.run_program(
            "profile", "resnet20", "--data", "synthetic", "--synthetic-images", "64", "--image-size", "32", "--batch-size",
            "16", "--steps", "3", "--cost-rounds", "6", *FAST, "--out", "baseline")
        self.assert_exit(result, 0)
        self.assertIn("Waiting for data takes", result.stdout)
        trace = json.loads((self.folder / "baseline" / "baseline_trace.json").read_text())
        self.assertTrue(any(event["name"] == "aten::convolution" for event in trace["traceEvents"]))
        ranges = [event for event in trace["traceEvents"] if event.get("cat") == "user_annotation"]
        counts = collections.Counter(event["name"].split("#")[0] for event in ranges)
        self.assertEqual(
            counts, {"baseline_training": 1, "ProfilerStep": 3, "forward": 3, "backward": 3, "optimizer_step": 3})
        waits = [event for event in trace["traceEvents"] if event["name"].startswith("enumerate(DataLoader)#")]
        self.assertEqual([event["cat"] for event in waits], 3 * ["cpu_op"])
        # Of the recorded steps: the first, which starts the loader, is none of them.
        said = next(finding["text"] for finding in json.loads((self.folder / "baseline/profile.json").read_text())["findings"]
                    if finding["id"] == "data")
        number, unit = re.search(r"% of a step \(([\d.]+) (\S+)\)", said).groups()
        microseconds = float(number) * {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}[unit]
        self.assertAlmostEqual(microseconds, sum(event["dur"] for event in waits) / 3, delta=0.01 * microseconds + 0.06)
        training = next(event for event in ranges if event["name"] == "baseline_training")
        for event in ranges:
            self.assertGreaterEqual(event["ts"], training["ts"])
            self.assertLessEqual(event["ts"] + event["dur"], training["ts"] + training["dur"] + 0.001)

    def test_self_times_of_ops_and_the_rest_add_up_to_the_steps(self):
        self.assert_exit(self.profile("--steps", "3", "--cost-rounds", "0"), 0)
        profile = self.profile_json()
        steps = sum(step["total_s"] for step in profile["steps"])
        self.assertEqual([step["number"] for step in profile["steps"]], [2, 3, 4])
        rest = profile["outside_ops_s"] - profile["other_threads_s"]
        self.assertAlmostEqual(sum(op["self_s"] for op in profile["ops"]) + rest, steps, places=8)
        outermost = [module for module in profile["modules"] if module["depth"] == 0]
        self.assertAlmostEqual(sum(module["total_s"] for module in outermost), steps, places=8)
        self.assertAlmostEqual(sum(float(row["self_s"]) for row in self.table("ops.csv")) + rest, steps, places=6)
        layer = next(module for module in profile["modules"] if module["name"] == "layers.0")
        self.assertGreater(layer["forward_s"], 0)
        self.assertGreater(layer["backward_s"], 0)

    def test_the_trace_has_the_recorded_steps_and_flows(self):
        self.assert_exit(self.profile("--wait", "0", "--warmup", "0", "--active", "1", "--repeat", "2", "--shapes", "--memory", "--cost-rounds", "0"), 0)
        trace = self.read_trace()
        events = trace["traceEvents"]
        steps = [event["name"] for event in events if event["name"].startswith("ProfilerStep#")]
        self.assertEqual(steps, ["ProfilerStep#0", "ProfilerStep#1"])
        ops = [event for event in events if event.get("cat") == "cpu_op"]
        self.assertTrue(any("Input Dims" in event["args"] for event in ops))
        self.assertTrue(any(event["name"] == "[memory]" for event in events))
        starts = {event["id"] for event in events if event.get("cat") == "fwdbwd" and event["ph"] == "s"}
        ends = {event["id"] for event in events if event.get("cat") == "fwdbwd" and event["ph"] == "f"}
        self.assertTrue(starts)
        self.assertEqual(starts, ends)
        self.assertIn("memory", self.profile_json())

    def test_memory_is_told_apart_by_what_it_is_for_and_drawn(self):
        result = self.profile("--steps", "2", "--memory", "--cost-rounds", "0")
        self.assert_exit(result, 0)
        for word in ["Peak memory on the CPU", "at the peak", "parameters", "optimizer state", "gradients", "activations",
                     "Peak memory allocated is", "What the process holds besides"]:
            self.assertIn(word, result.stdout)
        memory = json.loads((self.folder / "prof" / "memory.json").read_text())
        place = memory["places"][0]
        curve = place["curve"]
        for i, total in enumerate(curve["total_bytes"]):
            self.assertEqual(sum(column[i] for column in curve["bytes"].values()), total)
        self.assertEqual(max(curve["total_bytes"]), place["peak_bytes"])
        self.assertLessEqual(len(curve["time_s"]), 1500)
        kinds = {name: kind["highest_bytes"] for name, kind in place["kinds"].items()}
        self.assertEqual(kinds["gradients"], kinds["parameters"])
        self.assertEqual(kinds["optimizer_state"], 2 * kinds["parameters"] + 8)
        self.assertEqual(kinds["other"], 0)
        self.assertEqual(self.profile_json()["memory"]["peak_bytes"], place["peak_bytes"])
        page = (self.folder / "prof" / "report.html").read_text()
        self.assertIn('id="memory"', page)
        if shutil.which("gnuplot"):
            self.assertTrue((self.folder / "prof" / "memory.png").read_bytes().startswith(b"\x89PNG"))
            root = xml.etree.ElementTree.parse(self.folder / "prof" / "memory.svg").getroot()
            self.assertTrue(root.tag.endswith("svg"))
        else:
            self.assertIn("memory.png: skipped", result.stderr)

    def test_with_shapes_and_memory_the_tables_say_what_was_computed_and_allocated(self):
        result = self.run_program(
            "profile", "resnet18", "--batch-size", "8", "--image-size", "32", "--memory", "--shapes", "--top", "10", "--sort-by",
            "total", "--cost-rounds", "0", "--steps", "2", *FAST, "--out", "prof")
        self.assert_exit(result, 0)
        for word in ["FLOP/step", "FLOP/s", "alloc/step", "net/step", "parameters", "forward FLOP", "backward FLOP"]:
            self.assertIn(word, result.stdout)
        self.assertNotIn("FLOPs need shapes", result.stdout)
        tables = [line for line in result.stdout.splitlines() if line.startswith("-----")]
        self.assertLessEqual(max(map(len, tables)), 125)
        profile = self.profile_json()
        totals = [op["total_s"] for op in profile["ops"]]
        self.assertEqual(totals, sorted(totals, reverse=True))
        outermost = [module for module in profile["modules"] if module["depth"] == 0]
        self.assertEqual(sum(module["parameters"] for module in outermost), 11_689_512)
        flop = sum(op.get("flop", 0) for op in profile["ops"])
        phases = ["forward_flop", "backward_flop", "optimizer_flop", "other_flop"]
        self.assertAlmostEqual(sum(module.get(key, 0) for module in outermost for key in phases) / flop, 1, places=9)
        convolution = next(op for op in profile["ops"] if op["name"] == "aten::convolution_backward")
        self.assertGreater(convolution["flop_per_s"], 0)
        self.assertGreater(convolution["allocated_bytes"], 0)
        rows = self.table("ops.csv")
        self.assertAlmostEqual(sum(float(row["flop"] or 0) for row in rows) / flop, 1, places=6)
        for key in ["allocated_bytes", "net_bytes", "self_allocated_bytes", "self_net_bytes"]:
            self.assertEqual([int(row[key]) for row in rows], [op[key] for op in profile["ops"]])
        self.assertEqual(int(self.table("modules.csv")[0]["parameters"]), outermost[0]["parameters"])
        self.assertIn("FLOP/step", (self.folder / "prof" / "report.html").read_text())

    def test_the_flops_are_those_of_the_roofline(self):
        self.assert_exit(self.profile("--steps", "1", "--shapes", "--cost-rounds", "0"), 0)
        result = self.run_program("roofline", "run", *TINY, *FAST, "--per", "op", "--json", "--out", "roof")
        self.assert_exit(result, 0)
        points = json.loads(result.stdout)["points"]
        roofline = sum(sum(point["flop"].values()) for point in points)
        self.assertAlmostEqual(sum(op.get("flop", 0) for op in self.profile_json()["ops"]) / roofline, 1, places=6)

    def test_without_shapes_there_are_no_flops_and_a_line_says_what_brings_them(self):
        result = self.profile("--steps", "1", "--cost-rounds", "0")
        self.assert_exit(result, 0)
        self.assertIn("FLOPs need shapes: --shapes.", result.stdout)
        self.assertNotIn("FLOP/step", result.stdout)
        self.assertNotIn("flop", self.table("ops.csv")[0])
        self.assertFalse(any("flop" in op or "allocated_bytes" in op for op in self.profile_json()["ops"]))

    def test_without_memory_there_are_no_files_of_it(self):
        self.assert_exit(self.profile("--steps", "1", "--cost-rounds", "0"), 0)
        self.assertEqual(list((self.folder / "prof").glob("memory*")), [])
        self.assertNotIn("memory", self.profile_json())

    def test_a_snapshot_of_the_cuda_allocator_needs_a_gpu(self):
        self.assert_refused(self.profile("--memory-snapshot"), 2, "--memory-snapshot")
        self.assertFalse((self.folder / "prof").exists())

    def test_beyond_the_limit_only_totals_are_kept_and_it_is_said(self):
        result = self.profile("--steps", "20", "--trace-limit", "100kB", "--cost-rounds", "0")
        self.assert_exit(result, 0)
        self.assertIn("beyond --trace-limit", result.stdout)
        ops = [event for event in self.read_trace()["traceEvents"] if event.get("cat") == "cpu_op"]
        calls = sum(op["calls"] for op in self.profile_json()["ops"])
        self.assertLess(len(ops), calls)
        self.assertLess((self.folder / "prof" / "trace.json.gz").stat().st_size, 100_000)

    def test_beyond_the_limit_no_peak_of_memory_is_told(self):
        result = self.profile("--steps", "20", "--trace-limit", "100kB", "--memory", "--cost-rounds", "0")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"Memory on the CPU is known for the first .* alone: \d+ allocations and releases")
        for words in ("Peak memory", "Memory spikes", "at the peak"):
            self.assertNotIn(words, result.stdout)
        memory = json.loads((self.folder / "prof/memory.json").read_text())
        self.assertGreater(memory["lost"]["records"], 0)
        self.assertNotIn("peak_bytes", memory["places"][0])

    def test_an_interrupt_leaves_a_complete_trace_of_what_was_recorded(self):
        process = self.start_program("profile", *TINY, *FAST, "--out", "prof", "--wait", "0", "--warmup", "0", "--steps", "500000", "--trace-limit", "5MB", "--memory")
        # The folder is made just before the first step.
        deadline = time.monotonic() + 60
        while not (self.folder / "prof").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertTrue(self.profile_json()["interrupted"])
        self.assertRegex(process.stdout.read(), r"Interrupted: only \d+ of 500000 steps were recorded")
        if shutil.which("gnuplot"):
            self.assertTrue((self.folder / "prof" / "memory.png").is_file(), "drawn after the interrupt")
        self.assertTrue(self.read_trace()["traceEvents"])

    def test_an_interrupt_before_the_first_recorded_step_is_no_other_reason(self):
        process = self.start_program("profile", *TINY, *FAST, "--out", "prof", "--wait", "500000", "--memory", "--host-stacks")
        deadline = time.monotonic() + 60
        while not (self.folder / "prof").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertIn("No step was recorded", process.stdout.read())
        said = process.stderr.read()
        self.assertNotIn("too short", said)
        self.assertNotIn("allocated anything", said)

    def test_a_full_disk_costs_what_does_not_fit_and_no_more(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest(f"a small disk cannot be mounted here: {mounted.stderr.decode().strip()}")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        result = self.run_program("profile", *TINY, *FAST, "--steps", "2", "--cost-rounds", "0", "--out", "disk/prof")
        self.assert_exit(result, 1)
        for word in ["aten::mm", "Top 3 operations", "Run folder: disk/prof"]:
            self.assertIn(word, result.stdout)
        for name in ["run.json", "findings.txt", "ops.csv", "modules.csv", "profile.json"]:
            self.assertTrue((disk / "prof" / name).is_file(), name)
        self.assertRegex(result.stderr, "cannot write 'disk/prof/.*No space left on device")

    def test_grouping_and_sorting_follow_the_flags(self):
        result = self.profile("--steps", "1", "--shapes", "--group-by", "shape", "--sort-by", "calls", "--top", "3", "--csv", "mine.csv", "--cost-rounds", "0")
        self.assert_exit(result, 0)
        self.assertIn("input shapes", result.stdout)
        calls = [int(row["calls"]) for row in self.table("ops.csv")]
        self.assertEqual((self.folder / "mine.csv").read_text(), (self.folder / "prof/ops.csv").read_text())
        self.assertEqual(calls, sorted(calls, reverse=True))

    def test_the_table_can_go_to_standard_output_alone(self):
        result = self.profile("--steps", "1", "--csv", "-", "--cost-rounds", "0")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, (self.folder / "prof/ops.csv").read_text())
        self.assertFalse((self.folder / "-").exists())

    def test_findings_and_targets_are_in_the_json(self):
        self.assert_exit(self.profile("--steps", "1", "--cost-rounds", "0"), 0)
        profile = self.profile_json()
        lines = (self.folder / "prof/findings.txt").read_text().splitlines()
        self.assertEqual([f"- {finding['text']}" for finding in profile["findings"]],
                         [line for line in lines if line.startswith("- ")])
        for target in profile["targets"]:
            self.assertLessEqual(target.get("time_gain", 0), 1)

    def test_flags_that_would_be_left_aside_are_refused(self):
        for flags, words in (
                (["--workers", "2"], "--workers means nothing to profile without --data"),
                (["--mirror", "http://x/"], "--mirror means nothing"),
                (["--no-pin-memory"], "without --data"),
                (["--graph-detail", "whole"], "--graph-detail means nothing without --mode graph"),
                (["--record", "apart", "--host-only"], "--record means nothing"),
                (["--strict"], "--strict means nothing to profile")):
            self.assert_refused(self.profile(*flags), 2, words)

    def test_bad_flags_are_one_line_and_leave_nothing(self):
        self.assert_refused(self.profile("--group-by", "shape"), 2, "--shapes")
        self.assert_refused(self.profile("--group-by", "modul"), 2, "module")
        self.assert_refused(self.profile("--active", "2", "--steps", "3"), 2, "--active")
        self.assert_refused(self.profile("--trace-limit", "many"), 2, "--trace-limit")
        self.assert_refused(self.profile("--batch-size", "1,2"), 2, "one setting")
        self.assert_refused(self.profile("--mode", "graph"), 2, "graph")
        self.assert_refused(self.profile("--markdown", "-"), 2, "--markdown")
        self.assert_refused(self.profile("--phase", "optimizer"), 2, "--phase optimizer", "step")
        self.assert_refused(self.profile("--phase", "backward"), 2, "forward+backward")
        self.assert_refused(self.profile("--csv", "-", "--json"), 2, "--csv -")
        self.assert_refused(self.profile("--target", "5"), 2, "--target", "--steps")
        self.assert_refused(self.profile("--record", "both"), 2, "--record", "together")
        self.assert_refused(self.profile("--record", "apart"), 2, "--record apart", "GPU")

    def test_blocks_that_are_recomputed_count_as_their_layers_backward(self):
        self.assert_exit(self.profile("--steps", "1", "--activation-checkpointing", "--cost-rounds", "0"), 0)
        layer = next(module for module in self.profile_json()["modules"] if module["name"] == "layers.0")
        self.assertGreater(layer["backward_s"], layer["forward_s"])

    def test_inference_and_attention_have_a_forward_alone(self):
        self.assert_exit(self.profile("--steps", "1", "--inference", "--cost-rounds", "0"), 0)
        for module in self.profile_json()["modules"]:
            self.assertEqual(module["backward_s"], 0)
        result = self.run_program("profile", "attention", "--seq-len", "16", *FAST, "--steps", "1", "--out", "other", "--cost-rounds", "0")
        self.assert_exit(result, 0)
        self.assertIn("attention", result.stdout)

    def test_a_folder_that_holds_a_run_is_left_alone(self):
        self.assert_exit(self.profile("--steps", "1", "--cost-rounds", "0"), 0)
        before = (self.folder / "prof" / "profile.json").read_text()
        self.assert_exit(self.profile("--steps", "1", "--cost-rounds", "0"), 2)
        self.assertEqual((self.folder / "prof" / "profile.json").read_text(), before)


if __name__ == "__main__":
    unittest.main()
