"""Training that something ends early: a broken file, a loss that is no number, a signal, a kill."""

import json
import shutil
import signal
import time
import unittest

from e2e_train_test import LLAMA, SMALL, SMALL_DATA
from program import ProgramTest, png


class TrainingFaults(ProgramTest):
    def train(self, *arguments, out="run", **options):
        return self.run_program("train", *arguments, "--out", out, **options)

    def make_images(self, part, count=8):
        for name in ("cats", "dogs"):
            folder = self.folder / "images" / part / name
            folder.mkdir(parents=True)
            for number in range(count):
                (folder / f"{number}.png").write_bytes(png(32, 20 * number))

    def image_flags(self, *more):
        return ["resnet20", "--data", "images", "--batch-size", "4", "--device", "cpu", "--threads", "1", "--no-shuffle",
                "--report-every", "1", "--workers", "0", *more]

    def assert_published(self, folder="run"):
        """What was measured is there as of any run, and says that it failed."""
        summary = self.run_document(folder)["training"]["summary"]
        self.assertEqual(summary["end"], "failed")
        self.assert_exit(self.run_program("report", folder), 0)
        names = {path.name for path in (self.folder / folder).iterdir()}
        self.assertLessEqual({"metrics.csv", "report.html", "performance_summary.json"}, names)
        if shutil.which("gnuplot"):
            self.assertIn("training_curves.png", names)
        return summary

    def test_a_broken_test_image_does_not_cost_the_epoch(self):
        self.make_images("train")
        self.make_images("val", 2)
        (self.folder / "images/val/dogs/1.png").write_bytes(b"\x89PNG no more")
        result = self.train(*self.image_flags("--epochs", "2"))
        self.assert_exit(result, 2)
        self.assertIn("val/dogs/1.png", result.stderr)
        self.assertIn("val/dogs/1.png", self.assert_published()["error"])
        (self.folder / "images/val/dogs/1.png").write_bytes(png(32, 1))
        again = self.train(*self.image_flags("--epochs", "2", "--resume", "run/resnet20_last.pt"), out="again")
        self.assert_exit(again, 0)
        self.assertIn("at epoch 1, step 4", again.stdout)

    def test_a_broken_training_image_loses_no_step_before_it(self):
        self.make_images("train")
        self.make_images("val", 2)
        (self.folder / "images/train/dogs/6.png").write_bytes(b"\x89PNG no more")
        result = self.train(*self.image_flags("--epochs", "2"))
        self.assert_exit(result, 2)
        self.assertIn("train/dogs/6.png", result.stderr)
        self.assert_published()
        (self.folder / "images/train/dogs/6.png").write_bytes(png(32, 1))
        again = self.train(*self.image_flags("--epochs", "1", "--resume", "run/resnet20_last.pt"), out="again")
        self.assert_exit(again, 0)
        self.assertIn("at epoch 0, step 3", again.stdout)

    def test_a_profiled_step_that_fails_is_not_the_first(self):
        self.make_images("train")
        self.make_images("val", 2)
        (self.folder / "images/train/dogs/0.png").write_bytes(b"\x89PNG no more")
        result = self.train(*self.image_flags("--profile-one-step", "--warmup-iters", "2"))
        self.assert_exit(result, 2)
        self.assertIn("train/dogs/0.png", result.stderr)
        self.assertEqual(self.assert_published()["steps"], 2)

    def test_an_output_that_cannot_be_written_costs_no_other(self):
        (self.folder / "p/performance_summary.json").mkdir(parents=True)
        flags = [*LLAMA, "--num-steps", "12", "--enable-pytorch-profiler", "--profile-dir", "p"]
        result = self.train(*flags)
        self.assert_exit(result, 1)
        self.assertIn("performance_summary.json", result.stderr)
        self.assertEqual(self.run_document()["training"]["summary"]["end"], "finished")
        self.assertTrue((self.folder / "p/profile.json").is_file())
        result = self.train(*flags, "--optimizer", "sgd", "--lr", "1e20", out="failed")
        self.assert_exit(result, 1)
        self.assertIn("is not finite", result.stderr)
        self.assertEqual(self.run_document("failed")["training"]["summary"]["end"], "failed")

    def test_a_file_of_the_profile_that_cannot_be_written_costs_itself_alone(self):
        (self.folder / "p/ops.csv").mkdir(parents=True)
        result = self.train(*LLAMA, "--num-steps", "12", "--enable-pytorch-profiler", "--profile-dir", "p")
        self.assert_exit(result, 1)
        self.assertIn("ops.csv", result.stderr)
        self.assertIn("- Top 3 operations", result.stdout)
        names = {path.name for path in (self.folder / "p").iterdir() if path.is_file()}
        self.assertLessEqual({"modules.csv", "findings.txt", "profile.json", "profile.html"}, names)

    def test_a_log_that_cannot_be_written_ends_no_training(self):
        (self.folder / "run/metrics.csv").mkdir(parents=True)
        result = self.train(*LLAMA, "--num-steps", "12", "--report-every", "1")
        self.assert_exit(result, 1)
        self.assertEqual(result.stderr.count("metrics.csv': Is a directory; the training goes on"), 1, result.stderr)
        self.assertIn("Training finished after 12 steps", result.stdout)
        self.assertEqual(self.run_document()["training"]["summary"]["end"], "finished")
        names = {path.name for path in (self.folder / "run").iterdir()}
        self.assertLessEqual({"summary.md", "report.html", "performance_summary.json"}, names)
        self.assertTrue(list((self.folder / "run").glob("*_final_weights.pt")))

    def test_a_kill_leaves_the_rows_that_were_reported(self):
        flags = [*LLAMA, "--num-steps", "1000000", "--report-every", "1", "--no-tensorboard"]
        process = self.start_program("train", *flags, "--out", "run")
        for line in process.stdout:
            if line.startswith("step 8/"):
                break
        process.kill()
        process.wait()
        lines = (self.folder / "run/metrics.csv").read_text().split("\n")
        self.assertEqual(lines[-1], "")
        rows = [line.split(",") for line in lines[1:-1]]
        self.assertEqual([int(row[0]) for row in rows], list(range(1, len(rows) + 1)))
        self.assertGreaterEqual(len(rows), 7)

    def test_a_run_that_never_began_leaves_nothing(self):
        (self.folder / "bad.pt").write_text("no weights")
        for flag in ("--weights", "--resume"):
            result = self.train(*SMALL, "--epochs", "1", flag, "bad.pt")
            self.assert_refused(result, 2, "bad.pt")

    def test_a_loss_that_is_not_finite_names_its_step_and_leaves_what_was_measured(self):
        result = self.train(*SMALL_DATA, "--epochs", "3", "--lr", "1e30", "--warmup", "0")
        self.assert_exit(result, 1)
        self.assertRegex(result.stderr, r"the loss of step \d+ is not finite")
        self.assert_published()
        # Statistics that are no numbers are nothing to go on from.
        self.assertFalse((self.folder / "run/resnet20_last.pt").exists())

    def test_a_batch_of_one_image_does_not_poison_a_good_checkpoint(self):
        flags = ["resnet18", "--data", "synthetic", "--synthetic-images", "33", "--epochs", "2", "--device", "cpu",
                 "--warmup", "2", "--lr", "0.01"]
        self.assert_exit(self.train(*flags, "--batch-size", "32", "--stop-after", "1"), 0)
        before = (self.folder / "run/resnet18_last.pt").read_bytes()
        result = self.train(*flags, "--batch-size", "32", "--resume", "run/resnet18_last.pt", "--no-drop-last", out="again")
        self.assert_exit(result, 2)
        self.assertIn("the last of 33 images is a batch of its own", result.stderr)
        self.assertEqual((self.folder / "run/resnet18_last.pt").read_bytes(), before)
        shutil.rmtree(self.folder / "run")
        result = self.train(*flags, "--batch-size", "1", out="again")
        self.assert_refused(result, 2, "--batch-size 1")

    def test_of_skipped_steps_no_loss_is_made_up(self):
        result = self.train(*SMALL_DATA, "--epochs", "2", "--lr", "1e30", "--warmup", "0", "--skip-nan")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"step 8/8  loss not finite  lr .*\(4 steps skipped")
        self.assertIn("final loss          not finite", result.stdout)
        self.assertNotIn("(best)", result.stdout)
        self.assertFalse((self.folder / "run/resnet20_best.pt").exists())
        training = self.run_document()["training"]
        self.assertNotIn("loss", training["steps"][-1])
        self.assertNotIn("final_loss", training["summary"])

    def test_an_interrupt_leaves_curves_and_no_false_reason(self):
        process = self.start_program("train", *SMALL, "--epochs", "200", "--report-every", "1", "--out", "run")
        for line in process.stdout:
            if line.startswith("step 6/"):
                break
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        self.assertEqual(process.wait(timeout=120), 130)
        self.assertNotIn("gnuplot failed", rest)
        if shutil.which("gnuplot"):
            self.assertTrue((self.folder / "run/training_curves.svg").exists())
        self.assertTrue((self.folder / "run/resnet20_last.pt").exists())

    def test_a_reader_that_goes_away_ends_it_with_a_checkpoint(self):
        flags = [*LLAMA, "--num-steps", "1000000", "--report-every", "1", "--no-tensorboard"]
        process = self.start_program("train", *flags, "--out", "run")
        for line in process.stdout:
            if line.startswith("step 3/"):
                break
        process.stdout.close()
        self.assertEqual(process.wait(timeout=120), 130)
        self.assertEqual(process.stderr.read(), "")
        self.assertEqual(self.run_document()["training"]["summary"]["end"], "interrupted")
        self.assertTrue(list((self.folder / "run").glob("*_last.pt")))

    def test_a_kill_inside_a_long_epoch_loses_at_most_the_pause_between_saves(self):
        flags = [*LLAMA, "--num-steps", "1000000", "--save-seconds", "1", "--report-every", "100"]
        process = self.start_program("train", *flags, "--out", "run", "--no-tensorboard")
        checkpoints, deadline = [], time.monotonic() + 120
        while not checkpoints and time.monotonic() < deadline:
            checkpoints = list((self.folder / "run").glob("*_last.pt"))
            time.sleep(0.05)
        process.kill()
        process.wait()
        self.assertEqual(len(checkpoints), 1)
        result = self.run_program("train", *flags, "--resume", checkpoints[0], "--stop-after", "1", "--out", "more")
        self.assert_exit(result, 0)
        self.assertIn("resumed from", result.stdout)


if __name__ == "__main__":
    unittest.main()
