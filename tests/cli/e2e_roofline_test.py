"""`ridgeline roofline` as a user meets it: `parse` and `plot` on files made here."""

import csv
import io
import json
import pathlib
import shutil
import unittest

from program import ProgramTest

REAL = pathlib.Path(__file__).resolve().parents[3] / "shared/data/ncu/resnet18_bs64_l4.csv"
OPS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
HEADER = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
          "Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]


def kernel(number, name, us, ffma, read_mb, **changes):
    """One kernel's rows; `changes` replace the value of a metric, or with None its rows."""
    metrics = {
        "gpu__time_duration.sum": ("usecond", us),
        OPS.format("fadd"): ("inst", "0"),
        OPS.format("fmul"): ("inst", "0"),
        OPS.format("ffma"): ("inst", ffma),
        "dram__bytes_read.sum": ("Mbyte", read_mb),
        "dram__bytes_write.sum": ("byte", "0"),
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "40.5"),
        "dram__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "60.25"),
    }
    rows = []
    for metric, (unit, value) in metrics.items():
        value = changes.get(metric.split(".")[0].replace("smsp__sass_thread_inst_executed_op_", ""), value)
        if value is not None:
            rows.append([str(number), "7", "python3", "127.0.0.1", name, "1", "7", "(128, 1, 1)", "(64, 1, 1)", "0",
                         "8.9", "Command line profiler metrics", metric, unit, str(value)])
    return rows


def table(*kernels):
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(HEADER)
    for rows in kernels:
        writer.writerows(rows)
    return out.getvalue()


# 2 × 50 million fused ones in 100 µs: 1000 GFLOP/s; 20 MB in that time: 200 GB/s; 5 FLOP/byte.
GEMM = kernel(0, "gemm", "100", "50,000,000", "20")
RELU = kernel(1, "vectorized_elementwise_kernel", "100", "1,000,000", "10")


class Roofline(ProgramTest):
    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def roofline(self, *arguments, **options):
        return self.run_program("roofline", *arguments, **options)

    def parse(self, text, *arguments):
        return self.roofline("parse", self.write("report.csv", text), *arguments)

    def test_parse_writes_the_summary_and_says_what_it_says(self):
        result = self.parse(table(GEMM), "--label", "one gemm", "--out", "out/summary.txt")
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, "")
        for words in ("Wrote summary to out/summary.txt", "GFLOP/s:       1000.000", "AI (FLOP/B):   5.000000",
                      "SM%:           40.500", "DRAM%:         60.250", "--gpu L4"):
            self.assertIn(words, result.stdout)
        summary = (self.folder / "out/summary.txt").read_text()
        for line in ("Label: one gemm", "Input CSV: report.csv", "Total ffma instructions : 5.000e+07",
                     "Total FLOPs             : 1.000e+08", "Total DRAM bytes total  : 2.000e+07",
                     "Step time (seconds)     : 1.000000e-04", "Achieved GFLOP/s        : 1000.000",
                     "Achieved GB/s           : 200.000", "Arithmetic intensity    : 5.000000 FLOP/byte",
                     "SM% pct_of_peak_sustained_elapsed   : 40.500"):
            self.assertIn(line + "\n", summary)

    def test_a_card_brings_bounds_and_what_there_is_to_win(self):
        result = self.parse(table(GEMM, RELU), "--gpu", "L4", "--per", "kind")
        self.assert_exit(result, 0)
        self.assertIn("67 % of DRAM", result.stdout)
        self.assertIn("This took 200.0 µs and could take 100.0 µs at best on L4 (NVIDIA L4 datasheet)", result.stdout)

    def test_what_stands_under_no_ceiling_or_above_one_is_told(self):
        row = [*GEMM[0][:-3], "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", "900,000,000"]
        result = self.parse(table([*GEMM, row]), "--gpu", "T4")
        self.assert_exit(result, 0)
        self.assertIn("No bf16 tensor peak is known (T4: NVIDIA T4 datasheet): 0.9 GFLOP (90 %)", result.stdout)
        self.assertIn("Above a ceiling: 1 point, most of all gemm at 200 % of DRAM",
                      self.parse(table(GEMM), "--peak-bw", "100").stdout)

    def test_launches_that_are_shown_are_the_longest(self):
        short = kernel(2, "short", "1", "5", "20")
        result = self.parse(table(short, GEMM), "--per", "launch", "--top", "1")
        self.assertIn("gemm", result.stdout)
        self.assertNotIn("short", result.stdout)

    def test_the_models_flops_give_its_utilisation(self):
        # 1e8 FLOPs in 100 µs are 1 TFLOP/s of the L4's 30.3.
        self.write("m.csv", table(GEMM))
        result = self.roofline("parse", "m.csv", "--gpu", "L4", "--model-flops", "1e8", "--out", "s.txt")
        self.assert_exit(result, 0)
        self.assertIn("MFU (the model's FLOPs of the fp32 peak): 3.3 %", result.stdout)
        self.assertNotIn("MFU", self.roofline("parse", "m.csv", "--gpu", "L4", "--out", "s.txt").stdout)

    def test_json_csv_and_markdown_hold_the_points(self):
        result = self.parse(table(GEMM, RELU, GEMM[:0]), "--gpu", "L4", "--json", "-", "--csv", "t.csv",
                            "--markdown", "t.md")
        self.assert_exit(result, 0)
        document = json.loads(result.stdout)
        self.assertEqual([point["label"] for point in document["points"]], ["gemm", "vectorized_elementwise_kernel"])
        self.assertAlmostEqual(document["points"][0]["flop"]["fp32"], 1e8)
        self.assertEqual(document["ceilings"]["bandwidth_bytes_per_s"]["DRAM"], 300e9)
        rows = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text())))
        self.assertEqual(rows[0]["bound"], "DRAM")
        self.assertAlmostEqual(float(rows[0]["gflop_per_s"]), 1000)
        self.assertIn("| gemm", (self.folder / "t.md").read_text())

    def test_what_overflowed_or_was_dropped_is_told_and_left_out(self):
        bad = kernel(2, "bad", "100", "18,446,744,073,709,551,615", "20")
        dropped = kernel(3, "dropped", "100", "5", "n/a")
        result = self.parse("==PROF== Connected\nhello\n" + table(GEMM, bad, dropped))
        self.assert_exit(result, 0)
        self.assertIn("Left out of every sum: 2 of 3 kernels", result.stdout)
        self.assertIn("overflowed", result.stdout)
        self.assertIn("GFLOP/s:       1000.000", result.stdout)

    def test_a_number_longer_than_any_is_no_crash(self):
        digits = kernel(1, "relu", "100", "7" * 45 + "e12345", "20")
        result = self.parse(table(GEMM, digits))
        self.assert_exit(result, 0)
        self.assertIn("Left out of every sum: 1 of 2 kernels", result.stdout)

    def test_reports_joined_in_one_file_are_all_read(self):
        marked = "\ufeff" + table(GEMM)
        result = self.parse(marked + marked, "--json", "-")
        self.assert_exit(result, 0)
        self.assertEqual(len(json.loads(result.stdout)["points"]), 2)
        again = kernel(0, "gemm", "300", "50,000,000", "20")
        self.assertIn("that their kernel had already", self.parse(table(GEMM, again)).stdout)

    def test_a_counter_that_the_chip_has_not_is_no_hindrance(self):
        part = [*GEMM[0][:-3], "sm__ops_path_tensor_src_fp16_dst_fp32.sum", "", "n/a"]
        self.assert_exit(self.parse(table([*GEMM, part])), 0)
        named = kernel(0, "nvjet_tst_128x256_64x4_hgmma", "100", "5", "20")
        hopper = [[*row[:10], "9.0", *row[11:]] for row in named]
        result = self.parse(table(hopper))
        self.assertIn("sm__ops_path_tensor_src_fp16.sum", result.stdout)
        self.assertNotIn("fp16_dst", result.stdout)

    def test_groupings_keep_their_names(self):
        self.assertIn("matrix products", self.parse(table(GEMM), "--per", "kind").stdout)
        self.assertIn("no range", self.parse(table(GEMM), "--per", "phase").stdout)

    def test_what_goes_to_standard_output_leaves_no_summary(self):
        self.write("summary.txt", "mine")
        self.write("r.csv", table(GEMM))
        self.assert_exit(self.roofline("parse", "r.csv", "--csv", "-"), 0)
        self.assertEqual((self.folder / "summary.txt").read_text(), "mine")

    def test_no_output_overwrites_the_input_or_another_output(self):
        text = table(GEMM)
        for flag in ("--out", "--json", "--csv", "--markdown"):
            self.assert_refused(self.parse(text, flag, "./report.csv"), 2, flag, "would overwrite the input")
        self.assertEqual((self.folder / "report.csv").read_text(), text)
        self.assert_refused(self.parse(text, "--out", "x", "--json", "x"), 2, "--out and --json name one file")
        self.assert_refused(self.parse(text, "--json", "summary.txt"), 2, "--out and --json name one file")
        self.assertFalse((self.folder / "x").exists())

    def test_the_summary_may_go_to_standard_output(self):
        result = self.parse(table(GEMM), "--out", "-")
        self.assert_exit(result, 0)
        self.assertIn("Achieved GFLOP/s        : 1000.000", result.stdout)
        self.assertNotIn("Wrote summary", result.stdout)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["report.csv"])
        self.assert_refused(self.parse(table(GEMM), "--out", "-", "--json", "-"), 2, "--out")

    def test_a_full_disk_is_no_internal_error(self):
        self.write("many.csv", table(*(kernel(i, "gemm", "100", "5", "20") for i in range(200))))
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = self.roofline("parse", "many.csv", "--json", "-", stdout=full)
        self.assert_refused(result, 1, "standard output: No space left on device")

    def test_a_report_is_read_through_ncu(self):
        self.write("out.csv", table(GEMM))
        self.write("r.ncu-rep", "NVR")
        self.assert_refused(self.roofline("parse", "r.ncu-rep", PATH="/nowhere"), 1, "ncu --import r.ncu-rep")
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "ncu").write_text("#!/bin/sh\ncat out.csv\n")
        (tools / "ncu").chmod(0o755)
        self.assert_exit(self.roofline("parse", "r.ncu-rep", PATH=f"{tools}:/usr/bin:/bin"), 0)

    def test_refusals_of_files_are_one_line(self):
        self.assert_refused(self.parse(""), 2, "report.csv", "empty")
        self.assert_refused(self.parse("hello\n"), 2, "no table of ncu")
        self.assert_refused(self.parse("==ERROR== ERR_NVGPUCTRPERM - no permission\n"), 2, "ERR_NVGPUCTRPERM",
                            "RestrictProfiling")
        self.assert_refused(self.parse(table()), 2, "only the header")
        self.assert_refused(self.parse(table(kernel(0, "k", None, "1", "1", gpu__time_duration=None))), 2,
                            "gpu__time_duration.sum", "ncu --metrics")
        self.assert_refused(self.parse(table(kernel(0, "k", "0", "1", "1"))), 2, "its time is zero")
        self.assert_refused(self.parse(table(kernel(0, "k", "1", "1", "0"))), 2, "no DRAM bytes")
        self.assert_refused(self.roofline("parse", "missing.csv"), 1, "missing.csv")
        self.assert_refused(self.parse(table(GEMM), "--gpu", "H20O"), 2, "did you mean 'H200'")
        self.assert_refused(self.parse(table(GEMM), "--peak-bw", "-3"), 2, "--peak-bw")
        self.assert_refused(self.parse(table(GEMM), "--per", "kernle"), 2, "did you mean 'kernel'")
        self.assert_refused(self.parse(table(GEMM), "--lable", "x"), 2, "--label")
        self.assert_refused(self.parse(table(GEMM), "--model-flops", "1e8"), 2, "--peak-compute")
        self.assertFalse((self.folder / "summary.txt").exists())

    @unittest.skipUnless(REAL.exists(), f"{REAL} is not here")
    def test_a_real_file(self):
        result = self.roofline("parse", str(REAL), "--label", "resnet18_bs64_L4", "--gpu", "L4")
        self.assert_exit(result, 0)
        for words in ("Step time (s): 7.376250e-03", "GFLOP/s:       668.144", "GB/s:          96.248",
                      "AI (FLOP/B):   6.941900", "SM%:           13.705", "DRAM%:         32.140"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("is it this card", result.stdout)
        wrong = self.roofline("parse", str(REAL), "--gpu", "H200")
        self.assertIn("imply a bandwidth of", wrong.stdout)


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class RooflinePictures(ProgramTest):
    ONE = ["--ai", "15.624057", "--gflops", "1466.556", "--peak-compute", "30.0", "--peak-bw", "300.0"]

    def plot(self, *arguments, **options):
        return self.run_program("roofline", "plot", *arguments, **options)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def test_a_point_from_flags_becomes_a_png(self):
        result = self.plot(*self.ONE, "--label", "resnet18_bs128_L4", "--out", "p.png")
        self.assert_exit(result, 0)
        self.assertIn("Saved roofline plot to p.png", result.stdout)
        self.assertIn("Point: AI=15.624 FLOP/byte, Y=1466.6 GFLOP/s, knee AI=100.000", result.stdout)
        self.assertTrue((self.folder / "p.png").read_bytes().startswith(b"\x89PNG"))

    def test_a_summary_that_parse_wrote_is_plotted(self):
        self.write("r.csv", table(GEMM))
        self.assert_exit(self.run_program("roofline", "parse", "r.csv", "--label", "step"), 0)
        result = self.plot("summary.txt", "--gpu", "L4", "--out", "s.svg")
        self.assert_exit(result, 0)
        self.assertIn("AI=5.000 FLOP/byte, Y=1000.0 GFLOP/s, knee AI=101.000", result.stdout)
        picture = (self.folder / "s.svg").read_text()
        for words in ("step", "DRAM 300 GB/s", "fp32 30.3 TFLOP/s", "knee 101 FLOP/byte"):
            self.assertIn(words, picture)

    def test_kernels_of_two_files_are_compared_on_a_page(self):
        before = self.write("before.csv", table(GEMM, RELU))
        after = self.write("after.csv", table(kernel(0, "gemm", "50", "50,000,000", "10"), RELU))
        result = self.plot(before, "--compare", after, "--gpu", "L4", "--out", "c.html")
        self.assert_exit(result, 0)
        page = (self.folder / "c.html").read_text()
        for words in ("Points of before", "Points of after", '"showarrow":true', "could take"):
            self.assertIn(words, page)

    def test_levels_have_lines_of_their_own(self):
        self.assert_exit(self.plot(*self.ONE, "--peak-l2", "1500", "--out", "l.svg"), 0)
        self.assertIn("L2 1.5 TB/s", (self.folder / "l.svg").read_text())

    def test_what_a_file_leaves_out_is_told_by_its_picture_too(self):
        dropped = kernel(1, "dropped", "100", "5", "n/a")
        self.write("r.csv", table(GEMM, dropped)[:-20])
        for name in ("r.svg", "r.html"):
            result = self.plot("r.csv", "--gpu", "L4", "--out", name)
            self.assert_exit(result, 0)
            for text in (result.stdout, (self.folder / name).read_text()):
                self.assertIn("Left out of every sum: 1 of 2 kernels", text)
                self.assertIn("cut off in its last row", text)
        self.assertIn("imply a bandwidth of 332 GB/s", self.plot("r.csv", "--gpu", "H200").stdout)

    def test_a_format_without_a_peak_has_its_memorys_roof(self):
        result = self.plot("--ai", "10", "--gflops", "100", "--gpu", "T4", "--dtype", "bf16", "--out", "t.svg")
        self.assert_exit(result, 0)
        self.assertIn("No bf16 tensor peak is known", result.stdout)
        self.assertIn("DRAM 320 GB/s", (self.folder / "t.svg").read_text())

    def test_refusals_of_flags_are_one_line(self):
        self.write("s.txt", "Achieved GFLOP/s : 0\nArithmetic intensity : 1\n")
        self.write("r.csv", table(GEMM))
        self.assert_refused(self.plot(), 2, "nothing to plot")
        self.assert_refused(self.plot("--ai", "1"), 2, "--gflops")
        self.assert_refused(self.plot("r.csv", "--gpu", "L4", "--sm-pct", "5"), 2, "--ai")
        self.assert_refused(self.plot("r.csv", "--gpu", "L4", "--dtype", "bf16"), 2, "--dtype")
        self.write("huge.txt", "Achieved GFLOP/s : 1e308\nArithmetic intensity : 1\n")
        self.assert_refused(self.plot("huge.txt", "--gpu", "L4"), 2, "huge.txt", "1e+308")
        (self.folder / "huge.txt").unlink()
        self.assert_refused(self.plot("--ai", "1e-6", "--gflops", "1e-9", "--gpu", "L4"), 2, "nothing to draw")
        self.assert_refused(self.plot(*self.ONE, "--out", "p.jpg"), 2, ".png, .svg or .html")
        self.assert_refused(self.plot("--ai", "1", "--gflops", "1"), 2, "--gpu")
        self.assert_refused(self.plot(*self.ONE[:4], "--peak-compute", "-1", "--peak-bw", "1"), 2, "--peak-compute")
        self.assert_refused(self.plot("s.txt", "--gpu", "L4"), 2, "s.txt", "Achieved GFLOP/s")
        self.assert_refused(self.plot("r.csv", "--gpu", "L4", "--level", "l2"), 2, "L2 bytes", "lts__t_bytes.sum")
        self.assert_refused(self.plot("r.csv", "--gpu", "L4", "--level", "l8"), 2, "unknown level")
        self.assert_refused(self.plot(*self.ONE, "--sm-pct", "300"), 2, "--sm-pct", "up to 100")
        self.assert_refused(self.plot(*self.ONE[:4], "--peak-bw", "1e-300"), 2, "--peak-bw")
        self.assert_refused(self.plot(*self.ONE, "--dtype", "fp31"), 2, "dtype")
        self.assert_refused(self.plot(*self.ONE, "--compare", "r.csv", "s.txt"), 2, "--compare")
        self.assert_refused(self.plot(*self.ONE, PATH="/nowhere"), 1, "gnuplot")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["r.csv", "s.txt"])


if __name__ == "__main__":
    unittest.main()
