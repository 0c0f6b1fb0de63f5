"""`ridgeline analyze` as a user meets it, on traces made here."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import time
import unittest

from program import ProgramTest


def slice_of(kind, name, start, length, thread=1, **args):
    process = 0 if kind in ("kernel", "gpu_memcpy") else 99
    return {"ph": "X", "cat": kind, "name": name, "pid": process, "tid": thread, "ts": start, "dur": length, "args": args}


def trace_of(kernel_us=10, rank=None, extra=()):
    events = [
        slice_of("user_annotation", "ProfilerStep#1", 0, 100),
        slice_of("cpu_op", "aten::mm", 10, 30, **{"External id": 5}),
        slice_of("cuda_runtime", "cudaLaunchKernel", 15, 5, correlation=7),
        slice_of("kernel", "gemm<float>", 50, kernel_us, thread=7, device=0, stream=7, correlation=7),
        slice_of("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 80, 5, thread=7, device=0, stream=7, bytes=5000),
        *extra,
    ]
    trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Made GPU"}], "traceEvents": events}
    if rank is not None:
        trace["distributedInfo"] = {"rank": rank, "world_size": 2}
    return json.dumps(trace)


class Analysis(ProgramTest):
    def write(self, name, text):
        data = text.encode()
        (self.folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    def analyze(self, *arguments):
        return self.run_program("analyze", *arguments)

    def test_the_terminal_shows_every_part(self):
        result = self.analyze(self.write("a.json.gz", trace_of()))
        self.assert_exit(result, 0)
        for words in ("Made GPU, 5 events", "whole trace", "ProfilerStep#1", "gemm<float>", "aten::mm", "HtoD",
                      "1.00 GB/s", "Why streams were idle", "Longest gaps"):
            self.assertIn(words, result.stdout)
        self.assertEqual(result.stderr, "")

    def test_a_trace_of_which_nothing_can_be_said_has_no_heading_for_it(self):
        result = self.analyze(self.write("none.json", '{"traceEvents":['), "--html", "none.html")
        self.assert_exit(result, 0)
        self.assertIn("0 events", result.stdout)
        self.assertNotIn("Findings", result.stdout)
        self.assertNotIn("Findings", (self.folder / "none.html").read_text())

    def test_json_holds_exact_numbers_and_nothing_else_is_printed(self):
        result = self.analyze(self.write("a.json", trace_of(kernel_us=12.345)), "--json", "-")
        self.assert_exit(result, 0)
        trace = json.loads(result.stdout)["traces"][0]
        kernel = next(row for row in trace["kernels"] if row["name"] == "gemm<float>")
        self.assertEqual(kernel["total_ns"], 12345)
        op = next(row for row in trace["ops"] if row["name"] == "aten::mm")
        self.assertEqual((op["host_ns"], op["self_host_ns"], op["self_device_ns"]), (30000, 25000, 12345))
        self.assertEqual(trace["breakdown"][0]["span_ns"], 35000)

    def test_csv_and_html_are_written(self):
        name = self.write("a.json", trace_of(extra=[slice_of("kernel", "<script>alert(1)</script>", 60, 1, 7, stream=7)]))
        result = self.analyze(name, "--csv", "out/a.csv", "--html", "a.html")
        self.assert_exit(result, 0)
        rows = list(csv.DictReader(io.StringIO((self.folder / "out/a.csv").read_text())))
        self.assertEqual({row["table"] for row in rows}, {"kernel", "op", "copy", "breakdown", "gap", "idle", "queue", "launch",
                                                        "finding", "target"})
        page = (self.folder / "a.html").read_text()
        self.assertIn("gemm&lt;float&gt;", page)
        self.assertNotIn("<script>alert", page)

    def test_two_traces_are_compared(self):
        before = self.write("before.json", trace_of())
        after = self.write("after.json", trace_of(20, extra=[slice_of("kernel", "new", 70, 1, 7, device=0, stream=7)]))
        result = self.analyze(before, after, "--json", "c.json")
        self.assert_exit(result, 0)
        self.assertIn("2.00×", result.stdout)
        changes = {row["name"]: row["change"]
                   for row in json.loads((self.folder / "c.json").read_text())["comparison"]["kernels"]}
        self.assertEqual(changes["gemm<float>"], "slower")
        self.assertEqual(changes["new"], "appeared")
        for words in ("The step", "device works", "verdict", "device time they asked for"):
            self.assertIn(words, result.stdout)

    def test_ranks_of_one_job_stand_side_by_side(self):
        files = [self.write(f"rank{rank}.json", trace_of(rank=rank)) for rank in (0, 1)]
        result = self.analyze(*files)
        self.assert_exit(result, 0)
        self.assertIn("Side by side", result.stdout)
        self.assertIn("1 of 2", result.stdout)
        self.assertNotIn("appeared", result.stdout)

    def test_all_traces_of_a_folder_are_ranks_and_what_is_none_is_told(self):
        (self.folder / "job").mkdir()
        for name, rank in (("a", 1), ("b", 0)):
            self.write(f"job/{name}.json.gz", trace_of(rank=rank))
        self.write("job/run.json", '{"schema": 1}')
        self.write("job/notes.txt", "hello")
        result = self.analyze("job", "--json", "j.json")
        self.assert_exit(result, 0)
        self.assertIn("Side by side", result.stdout)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn("left out: ", result.stderr)
        self.assertIn("run.json", result.stderr)
        answer = json.loads((self.folder / "j.json").read_text())
        self.assertEqual([trace["rank"] for trace in answer["traces"]], [0, 1])
        self.assertNotIn("comparison", answer)
        (self.folder / "empty").mkdir()
        empty = self.analyze("empty")
        with gzip.open(self.folder / "job/b.json.gz") as file:
            (self.folder / "job/b_again.json").write_bytes(file.read())
        again = self.analyze("job", "--json", "-")
        self.assertEqual(len(json.loads(again.stdout)["traces"]), 2)
        self.assertIn("b_again.json: the same events as job/b.json.gz", again.stderr)
        # What was allocated tells two traces apart.
        with gzip.open(self.folder / "job/b.json.gz", "rt", encoding="utf-8") as file:
            other = json.load(file)
        other["traceEvents"].append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1,
                                     "args": {"Device Type": 0, "Device Id": -1, "Addr": 8, "Bytes": 64, "Total Allocated": 64}})
        (self.folder / "job/b_again.json").write_text(json.dumps(other))
        self.assertEqual(len(json.loads(self.analyze("job", "--json", "-").stdout)["traces"]), 3)
        self.assert_exit(empty, 2)
        self.assertIn("no trace in 'empty'", empty.stderr)

    def test_what_was_tolerated_is_told(self):
        whole = trace_of(extra=[{"ph": "X", "name": "no time"}] + [slice_of("cpu_op", "x", 1, 1)] * 500)
        (self.folder / "cut.json").write_text(whole[:-2000])
        result = self.analyze("cut.json")
        self.assert_exit(result, 0)
        self.assertIn("Not read to the end", result.stdout)
        self.assertIn("Left out: 1 events without a usable time", result.stdout)

    def test_a_trace_without_a_device_is_a_trace(self):
        result = self.analyze(self.write("cpu.json", json.dumps([slice_of("cpu_op", "aten::add", 0, 5)])))
        self.assert_exit(result, 0)
        self.assertIn("host side only", result.stdout)
        self.assertIn("aten::add", result.stdout)

    def test_a_trace_comes_through_a_pipe_too(self):
        data = gzip.compress(trace_of().encode())
        (self.folder / "a.json.gz").write_bytes(data)
        with (self.folder / "a.json.gz").open("rb") as file:
            from_input = self.run_program("analyze", "-", stdin=file)
        self.assert_exit(from_input, 0)
        self.assertIn("standard input\nMade GPU, 5 events", from_input.stdout)
        os.mkfifo(self.folder / "pipe")
        process = self.start_program("analyze", "pipe", "--json", "-")
        (self.folder / "pipe").write_bytes(data)
        answer, _ = process.communicate(timeout=60)
        self.assertEqual(json.loads(answer)["traces"][0]["events"], 5)

    def test_the_first_interrupt_ends_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_program("analyze", "-", stdin=subprocess.PIPE)
            process.stdin.write(trace_of()[:100])
            process.stdin.flush()
            time.sleep(0.3)  # to be past its start; too early is 130 as well
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), 130)
            process.stdin.close()

    def test_a_million_slices_inside_each_other_end_in_an_answer(self):
        slices = (f'{{"ph":"X","name":"s","pid":1,"tid":1,"ts":{i},"dur":{3000000 - 2 * i}}}' for i in range(1_000_000))
        with gzip.open(self.folder / "deep.json.gz", "wt", compresslevel=1) as file:
            file.write("[" + ",".join(slices) + "]")
        result = self.run_program("analyze", "deep.json.gz", "--json", "-", timeout=200)
        self.assert_exit(result, 0)
        op, = json.loads(result.stdout)["traces"][0]["ops"]
        self.assertEqual((op["calls"], op["host_ns"], op["self_host_ns"]), (1_000_000, 3 * 10**9, 3 * 10**9))

    def test_no_output_overwrites_a_trace_or_another_output(self):
        text = trace_of()
        self.write("a.json", text)
        (self.folder / "link.json").symlink_to("a.json")
        for output in ("a.json", "./a.json", "link.json"):
            self.assert_refused(self.analyze("a.json", "--json", output), 2, "--json", "would overwrite the input")
        self.assert_refused(self.analyze("a.json", "--csv", "x.out", "--html", "x.out"), 2, "--csv and --html")
        self.assertEqual((self.folder / "a.json").read_text(), text)
        (self.folder / "job").mkdir()
        for name in ("job/0.json", "job/1.json"):
            self.write(name, text)
        into = self.analyze("job", "--html", "job/1.json")
        self.assert_exit(into, 2)
        self.assertIn("would overwrite the input", into.stderr)
        self.assertEqual((self.folder / "job/1.json").read_text(), text)
        for _ in range(2):  # what it wrote itself it may write again
            self.assert_exit(self.analyze("job", "--json", "job/all.json"), 0)

    def test_refusals_are_one_line(self):
        good = self.write("good.json", trace_of())
        self.write("text.json", "hello")
        self.write("other.json", '{"a": 1}')
        self.assert_refused(self.analyze("text.json"), 2, "text.json", "not a trace")
        self.assert_refused(self.analyze("other.json"), 2, "no traceEvents")
        self.assert_refused(self.analyze("missing.json"), 1, "missing.json")
        self.assert_refused(self.analyze(good, "--sort-by", "slef"), 2, "did you mean 'self'")
        self.assert_refused(self.analyze(good, "--top", "0"), 2, "--top")
        self.assert_refused(self.analyze(good, "--json", "-", "--csv", "-"), 2, "standard output")


if __name__ == "__main__":
    unittest.main()
