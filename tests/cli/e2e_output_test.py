"""The program as a user meets it: what it refuses, and what it writes where."""

import csv
import json
import subprocess
import unittest

from program import QUICK, TINY, ProgramTest

SEPARATE_HEADER = (
    "model_size,num_params,context_length,batch_size,warmup_steps,measure_steps,forward_mean_ms,forward_std_ms,"
    "forward_cv_percent,backward_mean_ms,backward_std_ms,backward_cv_percent,total_mean_ms,backward_forward_ratio,error")


class Usage(ProgramTest):
    def test_help_and_version_answer_without_libtorch(self):
        nowhere = str(self.folder)
        for arguments in (["--help"], ["--version"], ["bench", "--help"], ["doctor", "--help"]):
            self.assert_exit(self.run_program(*arguments, RIDGELINE_LIBTORCH=nowhere), 0)

    def test_every_command_has_an_example(self):
        for command in ("analyze", "bench", "warmup", "run", "report", "train", "eval", "fetch", "doctor", "completions"):
            self.assertIn(f"ridgeline {command}", self.run_program(command, "--help").stdout)

    def test_bad_usage_is_one_line_and_exit_code_2(self):
        cases = [
            (["bench", "resnet81"], "did you mean 'resnet18'"),
            (["bench", "transformer", "--size", "smal"], "did you mean 'small'"),
            (["bench", "transformer", "--batch-size", "0"], "--batch-size"),
            (["bench", "transformer", "--batch-size", "-4"], "--batch-size"),
            (["bench", "transformer", "--batch-size", "four"], "--batch-size"),
            (["bench", "transformer", "--context-length", "512-128"], "--context-length"),
            (["bench", "transformer", "--num-heads", "7"], "heads"),
            (["bench", "transformer", "--measure-steps", "0"], "--measure-steps: '0' is not a whole number from 1"),
            (["bench", "transformer", "--measure-steps", "1.5"], "--measure-steps"),
            (["bench", "transformer", "--target", "inf"], "--target: 'inf' is not a number above 0 and up to 100"),
            (["bench", "transformer", "--target", "nan"], "--target"),
            (["bench", "transformer", "--target", "0"], "--target"),
            (["bench", "transformer", "--seed", "-1"], "--seed: '-1' is not a whole number from 0"),
            (["bench", "transformer", "--threads", "99999999999"], "from 0 to 4096"),
            (["bench", "transformer", "--accumulate", "0"], "--accumulate"),
            (["bench", "transformer", "--rounds", "0", "--ab", "", "--tied"], "--rounds"),
            (["bench", "transformer", "--threshold", "nan", "--ab", "", "--tied"], "--threshold"),
            (["bench", "transformer", "--d-model", "4611686018427387904"], "--d-model: '4611686018427387904' is not"),
            (["bench", "transformer", "--d-model", "99999999999999999999"], "--d-model"),
            (["bench", "transformer", "--d-model", "9000000", "--num-heads", "9"], "feed-forward width 36000000 is above"),
            (["bench", "transformer", "--num-layers", "9999999999"], "--num-layers"),
            (["bench", "transformer", "--num-heads", "0"], "--num-heads: '0' is not a whole number from 1"),
            (["bench", "transformer", "--batch-sise", "4"], "did you mean '--batch-size'"),
            (["bench", "transformer", "--json", "--markdown", "-"], "both want standard output"),
            (["train", "resnet18", "--json", "--csv", "-"], "both want standard output"),
            (["bench", "loader", "--json", "--csv", "-"], "both want standard output"),
            (["warmup", "transformer", "--json", "--markdown", "-", "--dry-run"], "both want standard output"),
            (["warmup", "transformer", "--warmup-steps", "0,9999999"], "--warmup-steps: 9999999 is above"),
            (["bnech", "resnet18"], "unknown command 'bnech' (did you mean 'bench'?); one of: run, bench"),
            (["measure"], "unknown command 'measure'; one of: run"),
            (["completions", "tcsh"], "unknown shell 'tcsh'"),
            (["bench", "transformer", "--warmup-steps", "-1"], "--warmup-steps"),
            (["bench", "transformer", "--precision", "fp31"], "fp32"),
            (["bench", "transformer", "--device", "gpu"], "device"),
            (["bench", "transformer", "--device", "cuda:x"], "cuda:x"),
            (["bench", "transformer", "--budget", "never"], "--budget"),
            (["bench", "resnet18", "--context-length", "128"], "means nothing"),
            (["bench", "resnet18", "--ab"], "--ab"),
            (["bench", "resnet18", "--ab", "--mode eager", "--mode warp"], "warp"),
            (["bench", "resnet18", "--ab", "--mode eager", "--batch-size 1,2"], "one setting"),
            (["bench", "model.pt", "--input", "1x3:float32"], "no such file"),
            (["warmup", "resnet18", "--batch-size", "1,2"], "one setting"),
            (["warmup", "resnet18", "--warmup-steps", "0,x"], "--warmup-steps"),
            (["run", "quikstart"], "did you mean 'quickstart'"),
            (["bench"], "model is required"),
            ([], "subcommand"),
        ]
        for arguments, word in cases:
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_program(*arguments), 2, word)

    def test_a_dry_run_lists_the_rows_and_leaves_nothing(self):
        result = self.run_program("bench", *TINY, *QUICK, "--precision", "fp32,bf16", "--dry-run")
        self.assert_exit(result, 0)
        self.assertEqual(len(result.stdout.splitlines()), 2)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_dry_run_of_a_comparison_lists_both_arms(self):
        result = self.run_program("bench", *TINY, *QUICK, "--rounds", "8", "--dry-run", "--ab", "--precision fp32",
                                  "--precision bf16")
        self.assert_exit(result, 0)
        a, b, rest = result.stdout.splitlines()
        self.assertTrue(a.startswith("A, --precision fp32: 32x1 cpu fp32"), a)
        self.assertTrue(b.startswith("B, --precision bf16: 32x1 cpu bf16"), b)
        self.assertIn("8 rounds", rest)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_dry_run_of_a_study_says_what_it_would_measure(self):
        result = self.run_program("warmup", *TINY, "--device", "cpu", "--warmup-steps", "0,3", "--dry-run")
        self.assert_exit(result, 0)
        self.assertIn("10 samples after 0, 3 warm-up steps", result.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_dry_run_of_a_preset_tries_every_step(self):
        result = self.run_program("run", "quickstart", "--dry-run")
        self.assert_exit(result, 0)
        for words in ("[1/7]", "[7/7]", "would look at this machine", "A, --memory-format contiguous: resnet18",
                      "warm-up steps each"):
            self.assertIn(words, result.stdout)
        chosen = self.run_program("run", "cifar-roofline", "--data", "synthetic", "--dry-run")
        self.assert_exit(chosen, 0)
        self.assertIn("train resnet18 --data synthetic", chosen.stdout)
        self.assertIn("--lr 0.01", chosen.stdout)  # the default of 0.1 diverges in a few steps
        self.assert_refused(self.run_program("run", "quickstart", "--data", "synthetic"), 2, "--data")
        (self.folder / "mine.yaml").write_text(
            "title: t\nsteps:\n  - {title: a, run: bench resnet81}\n  - {title: b, run: warmup resnet18 --target inf}\n")
        result = self.run_program("run", "mine.yaml", "--dry-run")
        self.assert_exit(result, 2)
        self.assertIn("did you mean 'resnet18'", result.stderr)
        self.assertIn("--target", result.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine.yaml"])

    def complete(self, *words):
        """What bash offers for the last word, with the program's own script sourced."""
        script = self.run_program("completions", "bash")
        self.assert_exit(script, 0)
        (self.folder / "script.bash").write_text(script.stdout)
        line = " ".join(f"'{word}'" for word in ("ridgeline", *words))
        result = subprocess.run(
            ["bash", "--norc", "-c", f"set -eu; source script.bash; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
             "_ridgeline || true; printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p ridgeline >&2"],
            cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("-F _ridgeline", result.stderr)
        return result.stdout.split()

    def test_bash_completes_commands_flags_models_and_presets(self):
        self.assertEqual(self.complete("be"), ["bench"])
        self.assertNotIn("measure-row", self.complete(""))
        self.assertEqual(self.complete("bench", "resnet5"), ["resnet50", "resnet56"])
        self.assertEqual(self.complete("bench", "resnet18", "--measure-s"), ["--measure-steps"])
        self.assertIn("--isolate", self.complete("bench", "resnet18", "--"))
        self.assertNotIn("--isolate", self.complete("warmup", "resnet18", "--"))
        self.assertEqual(self.complete("run", "quick"), ["quickstart"])
        self.assertEqual(self.complete("completions", "f"), ["fish"])
        self.assertEqual(self.complete("nonsense", "x"), [])

    def test_a_preset_with_a_mistake_names_the_place(self):
        (self.folder / "mine.yaml").write_text("title: t\nsteps:\n  - title: a\n    runs: doctor\n")
        self.assert_refused(self.run_program("run", "mine.yaml"), 2, "mine.yaml:4:5")

    def test_a_preset_runs_its_steps_and_links_them(self):
        step = " ".join(["bench", *TINY, *QUICK, "--phase", "forward"])
        (self.folder / "mine.yaml").write_text(f"title: Mine\nsteps:\n  - title: Tiny\n    run: {step}\n")
        self.assert_exit(self.run_program("run", "mine.yaml", "--out", "all"), 0)
        self.assertIn("1-bench/report.html", (self.folder / "all/index.html").read_text())
        self.assertFalse((self.folder / "all/rows.jsonl").exists())
        self.assertEqual(self.run_document("all/1-bench")["rows"][0]["outcome"], "measured")


class Output(ProgramTest):
    def test_the_csv_header_is_that_of_the_founding_workflow(self):
        self.assert_exit(self.bench("--phase", "forward,backward", "--csv", "deep/separate.csv"), 0)
        text = (self.folder / "deep/separate.csv").read_text()
        self.assertEqual(text.splitlines()[0], SEPARATE_HEADER)
        row, = csv.DictReader(text.splitlines())
        self.assertEqual(row["measure_steps"], "3")
        self.assertEqual(row["context_length"], "16")
        self.assertEqual(row["error"], "")
        self.assertGreater(float(row["backward_mean_ms"]), 0)
        self.assertAlmostEqual(
            float(row["backward_forward_ratio"]), float(row["backward_mean_ms"]) / float(row["forward_mean_ms"]), places=3)

    def test_a_csv_without_a_name_gets_that_of_the_workflow(self):
        self.assert_exit(self.bench("--phase", "forward,backward", "--csv"), 0)
        self.assertTrue((self.folder / "results/profiling_benchmarking_separate.csv").is_file())

    def test_combined_phases_have_their_own_default_name(self):
        self.assert_exit(self.bench("--pass-type", "forward+backward", "--csv"), 0)
        self.assertTrue((self.folder / "results/profiling_benchmarking_direct.csv").is_file())

    def test_markdown_on_standard_output_is_a_table(self):
        result = self.bench("--quiet", "--markdown", "-")
        self.assert_exit(result, 0)
        lines = result.stdout.splitlines()
        self.assertTrue(all(line.startswith("|") for line in lines if line), result.stdout)
        self.assertGreaterEqual(len(lines), 3)

    def test_csv_on_standard_output_is_the_table_and_nothing_else(self):
        result = self.bench("--phase", "forward", "--csv", "-")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, (self.folder / "run/profiling_benchmarking_separate.csv").read_text())

    def test_json_on_standard_output_is_the_run_and_nothing_else(self):
        result = self.bench("--json")
        self.assert_exit(result, 0)
        self.assertEqual(json.loads(result.stdout), self.run_document())

    def test_quiet_prints_nothing(self):
        result = self.bench("--quiet")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr, "")

    def test_the_run_folder_holds_rows_run_table_summary_and_page(self):
        self.assert_exit(self.bench("--phase", "forward"), 0)
        names = {path.name for path in (self.folder / "run").iterdir()}
        self.assertLessEqual(
            {"rows.jsonl", "run.json", "summary.md", "report.html", "profiling_benchmarking_separate.csv"}, names)
        self.assertFalse([name for name in names if "tmp" in name])
        run = self.run_document()
        self.assertEqual(run["schema_version"], 1)
        self.assertEqual(run["command"], "bench")
        self.assertEqual(run["command_line"][:3], ["ridgeline", "bench", "transformer"])
        self.assertIn("torch", run["environment"])
        self.assertEqual(json.loads((self.folder / "run/rows.jsonl").read_text()), run["rows"][0])

    def test_without_out_the_folder_is_named_after_time_and_command(self):
        self.assert_exit(self.run_program("bench", *TINY, *QUICK, "--phase", "forward"), 0)
        run, = (self.folder / "runs").iterdir()
        self.assertRegex(run.name, r"^\d{8}-\d{6}-bench$")

    def test_a_folder_with_an_earlier_run_is_not_overwritten(self):
        self.assert_exit(self.bench("--phase", "forward"), 0)
        before = (self.folder / "run/run.json").read_text()
        self.assertIn(self.bench("--phase", "forward").returncode, (1, 2))
        self.assertEqual((self.folder / "run/run.json").read_text(), before)

    def test_an_unwritable_file_is_refused_before_measuring(self):
        (self.folder / "file").write_text("x")
        for flag in ("--csv", "--markdown"):
            self.assert_refused(self.bench(flag, "file/below.txt"), 1, "file/below.txt")
        self.assert_refused(self.run_program("bench", *TINY, *QUICK, "--out", "file/run"), 1, "file")

    def test_a_full_disk_is_an_error(self):
        result = self.bench("--csv", "/dev/full")
        self.assert_exit(result, 1)
        self.assertIn("No space left", result.stderr)

    def test_full_standard_output_is_an_error(self):
        with open("/dev/full", "w") as full:
            result = self.bench("--markdown", "-", stdout=full)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("No space left", result.stderr)

    def test_report_makes_everything_again_from_the_run(self):
        self.assert_exit(self.bench("--phase", "forward"), 0)
        run = self.folder / "run"
        page = (run / "report.html").read_text()
        for path in run.iterdir():
            if path.name != "run.json":
                path.unlink()
        self.assert_exit(self.run_program("report", "run"), 0)
        self.assertEqual((run / "report.html").read_text(), page)

    def test_report_on_what_is_no_run_is_one_line(self):
        self.assert_refused(self.run_program("report", "nowhere"), 1, "nowhere")


if __name__ == "__main__":
    unittest.main()
