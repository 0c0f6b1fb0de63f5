"""`ridgeline roofline run` as a user meets it, on a tiny model."""

import csv
import io
import json
import shutil
import unittest

from program import TINY, ProgramTest


class RooflineRun(ProgramTest):
    STEPS = ["--device", "cpu", "--threads", "1", "--steps", "2"]

    def run_model(self, *arguments, **options):
        return self.run_program("roofline", "run", *TINY, *self.STEPS, *arguments, **options)

    def test_a_model_stands_under_the_roofs_of_this_machine(self):
        result = self.run_model("--out", "roof")
        self.assert_exit(result, 0)
        for words in ("could take", "MFU", "HFU", "on the clock", "shapes ask for at least", "mm", "fp32"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("No cost model", result.stdout)
        files = {path.name for path in (self.folder / "roof").iterdir()}
        self.assertLessEqual({"run.json", "points.json", "points.csv", "summary.txt", "report.md", "report.html"}, files)
        points = json.loads((self.folder / "roof/points.json").read_text())
        self.assertTrue(all(point["counted_by"] == "shapes" for point in points["points"]))
        self.assertGreater(points["ceilings"]["compute_flop_per_s"]["fp32"], 1e6)
        self.assertGreater(points["ceilings"]["bandwidth_bytes_per_s"]["DRAM"], 1e6)
        # 2 sequences of 16 tokens: three products forward and backward of every weight but the embedding, and attention.
        weights = 4 * 32 * 32 + 3 * 32 * 64 + 32 * 64
        products = sum(sum(point["flop"].values()) for point in points["points"]
                       if point["kind"] in ("matrix products", "attention"))
        self.assertAlmostEqual(products / (6 * 32 * weights + 3.5 * 4 * 2 * 16 * 17 / 2 * 32), 1, delta=0.01)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_its_points_are_drawn_and_drawn_again(self):
        self.assert_exit(self.run_model("--out", "roof", "--levels", "dram,l2"), 0)
        for name in ("roofline.png", "roofline.svg", "roofline-l2.png"):
            self.assertTrue((self.folder / "roof" / name).stat().st_size > 1000, name)
        again = self.run_program("roofline", "plot", "roof/points.json", "--out", "again.png")
        self.assert_exit(again, 0)
        self.assertIn("Saved", again.stdout)

    def test_two_precisions_are_laid_over_each_other(self):
        result = self.run_model("--precision", "fp32,bf16", "--out", "roof")
        self.assert_exit(result, 0)
        folder = self.folder / "roof"
        self.assertEqual(len(list(folder.glob("points-*.json"))), 2)
        self.assertEqual(len(list(folder.glob("summary-*.txt"))), 2)
        page = (folder / "report.html").read_text()
        for words in ('"showarrow":true', "bf16 tensor", "fp32"):
            self.assertIn(words, page)

    def test_what_is_handed_out_can_be_read_by_programs(self):
        result = self.run_model("--precision", "fp32,bf16", "--json", "--csv", "t.csv", "--markdown", "t.md", "--out", "two")
        self.assert_exit(result, 0)
        documents = json.loads(result.stdout)
        self.assertEqual([document["step"]["setting"] for document in documents], [1, 2])
        for document in documents:
            step = document["step"]
            self.assertGreater(step["clock_s"], 0)
            self.assertLessEqual(step["best_s"], step["points_s"])
            self.assertEqual(step["levels"], ["DRAM"])
        rows = list(csv.DictReader(io.StringIO((self.folder / "t.csv").read_text())))
        self.assertEqual({row["run"] for row in rows}, {document["label"] for document in documents})
        self.assertIn("# Roofline", (self.folder / "t.md").read_text())
        (self.folder / "two.json").write_text(result.stdout)
        drawn = self.run_program("roofline", "plot", "two.json", "--out", "two.html")
        self.assert_exit(drawn, 0)
        self.assertEqual(len(list((self.folder).glob("two.html"))), 1)
        one = self.run_model("--csv", "-", "--out", "one")
        self.assert_exit(one, 0)
        self.assertIn("mm", {row["name"].split("::")[-1] for row in csv.DictReader(io.StringIO(one.stdout))})
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name == "-"], [])
        self.assert_refused_flags(self.run_model("--json", "--csv", "-"), "standard output")

    def assert_refused_flags(self, result, *words):
        self.assert_exit(result, 2)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_a_report_makes_page_and_pictures_again(self):
        self.assert_exit(self.run_model("--levels", "dram,l2", "--out", "roof"), 0)
        folder = self.folder / "roof"
        page = (folder / "report.html").read_text()
        (folder / "report.html").write_text("")
        for picture in folder.glob("roofline*"):
            picture.unlink()
        self.assert_exit(self.run_program("report", "roof"), 0)
        self.assertEqual((folder / "report.html").read_text(), page)
        if shutil.which("gnuplot"):
            self.assertLessEqual({"roofline.png", "roofline-l2.svg"}, {path.name for path in folder.iterdir()})

    def test_modules_and_phases_are_points_too(self):
        result = self.run_model("--per", "phase", "--out", "phases")
        self.assert_exit(result, 0)
        for phase in ("forward", "backward", "optimizer"):
            self.assertIn(phase, result.stdout)
        self.assert_exit(self.run_model("--per", "module", "--out", "modules"), 0)
        table = io.StringIO((self.folder / "modules/points.csv").read_text())
        rows = {row["name"]: row for row in csv.DictReader(table)}
        self.assertEqual(rows["(no module)"]["counted_by"], "shapes")
        self.assertIn("attention", {row["kind"] for name, row in rows.items() if name.startswith("layers.0")})

    def test_what_cannot_be_kept_is_shown_all_the_same(self):
        (self.folder / "roof/points.json").mkdir(parents=True)
        result = self.run_model("--out", "roof")
        self.assert_exit(result, 1)
        self.assertIn("points.json", result.stderr)
        self.assertIn("could take", result.stdout)

    def test_another_level_than_dram_has_its_own_columns(self):
        result = self.run_model("--levels", "l2", "--out", "l2")
        self.assert_exit(result, 0)
        self.assertIn("Least L2", result.stdout)
        self.assertNotIn("Least DRAM", result.stdout)
        self.assertIn("no summary.txt", result.stderr)
        rows = list(csv.DictReader(io.StringIO((self.folder / "l2/points.csv").read_text())))
        self.assertTrue(any(row["flop_per_l2_byte"] not in ("", "0") for row in rows))

    def test_help_offers_nothing_that_is_refused(self):
        shown = self.run_program("roofline", "run", "--help").stdout
        for flag in ("--cold-cache", "--budget", "--target"):
            self.assertNotIn(flag, shown)

    def test_refusals_are_one_line(self):
        self.assert_refused(self.run_model("--phase", "optimizer"), 2, "--phase optimizer", "ask for step")
        self.assert_refused(self.run_model("--levels", "l1", "--peak-bw", "20"), 2, "--peak-bw", "DRAM")
        self.assert_refused(self.run_model("--counters", "on"), 2, "--counters on", "CPU")
        self.assert_refused(self.run_model("--counters", "maybe"), 2, "--counters")
        self.assert_refused(self.run_model("--cache-control", "cold"), 2, "--cache-control", "all")
        self.assert_refused(self.run_model("--cache-control", "all"), 2, "CPU")
        self.assert_refused(self.run_model("--cold-cache"), 2, "--cold-cache")
        self.assert_refused(self.run_model("--budget", "1s"), 2, "--budget means nothing")
        self.assert_refused(self.run_model("--target", "1"), 2, "--target means nothing")
        self.assert_refused(self.run_model("--per", "kernel"), 2, "--per op")
        self.assert_refused(self.run_model("--per", "ops"), 2, "op")
        self.assert_refused(self.run_model("--levels", "l8"), 2, "unknown level")
        self.assert_refused(self.run_model("--batch-size", "1,2,3,4,5,6,7,8,9"), 2, "8 settings")
        self.assert_refused(self.run_program("roofline", "run", "resnet19"), 2, "resnet18")

    def test_a_dry_run_says_what_it_would_do(self):
        result = self.run_model("--dry-run", "--precision", "fp32,bf16")
        self.assert_exit(result, 0)
        self.assertEqual(len(result.stdout.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
