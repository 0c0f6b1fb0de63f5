"""Training that goes on: exact resume, what is refused, kills, and disks that take nothing more."""

import csv
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from e2e_train_test import SMALL, SMALL_DATA, weights_of
from program import ProgramTest


class Resume(ProgramTest):
    def test_a_stopped_run_goes_on_to_the_same_bits(self):
        recipe = [*SMALL, "--epochs", "4", "--ema", "0.9", "--clip-norm", "1", "--label-smoothing", "0.1"]
        self.assert_exit(self.run_program("train", *recipe, "--out", "whole"), 0)
        self.assert_exit(self.run_program("train", *recipe, "--stop-after", "2", "--out", "half"), 0)
        self.assert_exit(
            self.run_program("train", *recipe, "--resume", "half/resnet20_last.pt", "--workers", "2", "--out", "rest"), 0)
        whole = weights_of(self.folder / "whole/resnet20_final_weights.pt")
        rest = weights_of(self.folder / "half/resnet20_final_weights.pt")
        self.assertEqual(whole, rest)

    def test_an_interrupt_inside_an_epoch_loses_no_step(self):
        recipe = [*SMALL, "--epochs", "200", "--report-every", "1"]
        process = self.start_program("train", *recipe, "--out", "cut")
        for line in process.stdout:
            if line.startswith("step 6/"):
                break
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        self.assertEqual(process.returncode, 130)
        result = self.run_program("train", *recipe, "--resume", "cut/resnet20_last.pt", "--stop-after", "1", "--out", "more")
        self.assert_exit(result, 0)
        self.assertIn("resumed from", result.stdout)
        self.assertRegex(result.stdout, r"step ([6-9]|[1-9]\d+)$|step ([6-9]|[1-9]\d+)\n")

    def cut_in_the_test_of(self, step, *recipe, out):
        """Interrupts a run as soon as it says that the last step before a test is done."""
        process = self.start_program("train", *recipe, "--out", out)
        for line in process.stdout:
            if line.startswith(f"step {step}/"):
                break
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        self.assertEqual(process.returncode, 130)

    def test_a_run_that_is_cut_in_a_test_takes_it_when_it_goes_on(self):
        # Long tests after two steps each, so that the interrupt falls into one.
        recipe = ["resnet20", "--data", "synthetic", "--synthetic-images", "1600", "--hold-out", "1500", "--batch-size",
                  "50", "--warmup", "1", "--lr", "0.01", "--device", "cpu", "--threads", "1", "--epochs", "2"]
        self.assert_exit(self.run_program("train", *recipe, "--out", "whole"), 0)
        losses = ["train_loss", "held_out_loss", "held_out_accuracy_percent"]

        def rows(out):
            with open(self.folder / out / "metrics.csv", newline="") as table:
                return [[row[name] for name in losses] for row in csv.DictReader(table)]

        for step, epochs in ((2, [1, 2]), (4, [2])):
            cut, rest = f"cut{step}", f"rest{step}"
            self.cut_in_the_test_of(step, *recipe, out=cut)
            self.assertFalse((self.folder / cut / "resnet20_final_weights.pt").exists())
            result = self.run_program("train", *recipe, "--resume", f"{cut}/resnet20_last.pt", "--out", rest)
            self.assert_exit(result, 0)
            self.assertIn("the test that it was broken off in comes first", result.stdout)
            self.assertRegex(result.stdout, rf"epoch {step // 2}/2  train loss [\d.]+ .* \(best\)  \S+ \S+ held-out\n")
            self.assertEqual(rows(rest), [rows("whole")[epoch - 1] for epoch in epochs])
            for name in ("best", "last", "final_weights"):
                self.assertEqual(weights_of(self.folder / f"whole/resnet20_{name}.pt"),
                                 weights_of(self.folder / f"{cut}/resnet20_{name}.pt"), name)

    def test_a_finished_run_is_only_taken_up_for_weights_that_it_lacks(self):
        self.assert_exit(self.run_program("train", *SMALL, "--epochs", "1", "--out", "run"), 0)
        resume = ["train", *SMALL, "--epochs", "1", "--resume", "run/resnet20_last.pt"]
        result = self.run_program(*resume, "--out", "again")
        self.assert_exit(result, 2)
        self.assertIn("raise --epochs", result.stderr)
        before = (self.folder / "run/resnet20_final_weights.pt").read_bytes()
        (self.folder / "run/resnet20_final_weights.pt").unlink()
        result = self.run_program(*resume, "--out", "again")
        self.assert_exit(result, 0)
        self.assertIn("only its final weights were missing", result.stdout)
        self.assertNotIn("not finite", result.stdout)
        self.assertEqual((self.folder / "run/resnet20_final_weights.pt").read_bytes(), before)

    def test_another_model_is_refused(self):
        self.assert_exit(self.run_program("train", *SMALL, "--epochs", "1", "--out", "run"), 0)
        other = self.run_program("train", "resnet32", *SMALL[1:], "--epochs", "2", "--resume", "run/resnet20_last.pt")
        self.assertEqual(other.returncode, 2)
        self.assertIn("of resnet20, not of resnet32", other.stderr)

    def test_a_model_of_the_same_shapes_that_computes_something_else_is_refused(self):
        (self.folder / "text.txt").write_text("the cat sat on the mat. " * 100)
        flags = ["transformer", "--d-model", "32", "--num-layers", "1", "--seq-len", "32", "--batch-size", "8", "--text",
                 "text.txt", "--device", "cpu", "--threads", "1", "--steps", "6"]
        self.assert_exit(self.run_program("train", *flags, "--num-heads", "4", "--stop-after", "4", "--out", "run"), 0)
        resume = ["--resume", "run/transformer-32x1_last.pt", "--out", "again"]
        for other, words in ((["--num-heads", "8", "--rope", "half"],
                              ("num_heads was 4, is 8", "rope was interleaved, is half")),
                             (["--num-heads", "4", "--tied"], ("tied was false, is true",))):
            result = self.run_program("train", *flags, *other, *resume)
            self.assert_exit(result, 2)
            for word in ("of another transformer-32x1: ", *words):
                self.assertIn(word, result.stderr)
        self.assert_exit(self.run_program("train", *flags, "--num-heads", "4", *resume), 0)

    def test_other_images_are_said_and_another_text_inside_an_epoch_is_refused(self):
        self.assert_exit(self.run_program("train", *SMALL, "--epochs", "2", "--stop-after", "1", "--out", "run"), 0)
        other = ["79" if word == "64" else word for word in SMALL] + ["--epochs", "2"]  # epochs of four steps, too
        result = self.run_program("train", *other, "--resume", "run/resnet20_last.pt", "--out", "again")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"the data was synthetic stripes, 64 \+ 12 images, sum \w{16}; is synthetic stripes, 79 ")
        (self.folder / "text.txt").write_text("the cat sat on the mat. " * 100)
        flags = ["transformer", "--d-model", "32", "--num-layers", "1", "--num-heads", "4", "--seq-len", "32",
                 "--batch-size", "8", "--text", "text.txt", "--device", "cpu", "--threads", "1", "--steps", "6"]
        self.assert_exit(self.run_program("train", *flags, "--stop-after", "4", "--out", "text"), 0)
        resume = ["--resume", "text/transformer-32x1_last.pt", "--out", "more"]
        (self.folder / "text.txt").write_text("the dog sat on the mat. " * 100)
        result = self.run_program("train", *flags, *resume)
        self.assert_exit(result, 2)
        self.assertIn("inside an epoch of other data: the data was a text of 2400 bytes, sum ", result.stderr)
        (self.folder / "text.txt").write_text("the cat sat on the mat. " * 100)
        result = self.run_program("train", *flags, *resume)
        self.assert_exit(result, 0)
        self.assertNotIn("the data was", result.stdout)

    def test_half_a_checkpoint_is_refused(self):
        self.assert_exit(self.run_program("train", *SMALL, "--epochs", "1", "--out", "run"), 0)
        whole = (self.folder / "run/resnet20_last.pt").read_bytes()
        (self.folder / "half.pt").write_bytes(whole[:len(whole) // 2])
        result = self.run_program("train", *SMALL, "--epochs", "2", "--resume", "half.pt")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("half.pt"), 1)

    def test_a_turned_bit_in_a_tensor_is_found(self):
        self.assert_exit(self.run_program("train", *SMALL, "--epochs", "1", "--out", "run"), 0)
        path = self.folder / "run/resnet20_last.pt"
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        for flag in ("--resume", "--weights"):
            result = self.run_program("train", *SMALL, "--epochs", "2", flag, "run/resnet20_last.pt", "--out", "again")
            self.assert_exit(result, 2)
            self.assertIn("its checksum differs", result.stderr)

    def test_weights_alone_are_nothing_to_go_on_from(self):
        (self.folder / "weights.safetensors").write_bytes(b"")
        result = self.run_program("train", *SMALL, "--epochs", "2", "--resume", "weights.safetensors")
        self.assert_refused(result, 2, "--weights")

    def test_plain_sgd_trains_and_goes_on(self):
        recipe = [*SMALL, "--epochs", "2", "--momentum", "0"]
        self.assert_exit(self.run_program("train", *recipe, "--out", "whole"), 0)
        self.assert_exit(self.run_program("train", *recipe, "--stop-after", "1", "--out", "half"), 0)
        self.assert_exit(self.run_program("train", *recipe, "--resume", "half/resnet20_last.pt", "--out", "rest"), 0)
        self.assertEqual(weights_of(self.folder / "whole/resnet20_last.pt"),
                         weights_of(self.folder / "half/resnet20_last.pt"))

    def test_a_new_run_names_what_it_will_replace_and_a_resumed_one_replaces_its_own(self):
        recipe = [*SMALL, "--epochs", "2", "--out-dir", "kept"]
        first = self.run_program("train", *recipe, "--stop-after", "1", "--out", "one")
        self.assert_exit(first, 0)
        self.assertNotIn("replaced", first.stdout)
        resumed = self.run_program("train", *recipe, "--resume", "kept/resnet20_last.pt", "--out", "two")
        self.assert_exit(resumed, 0)
        self.assertNotIn("replaced", resumed.stdout)
        again = self.run_program("train", *recipe, "--stop-after", "1", "--out", "three")
        self.assert_exit(again, 0)
        self.assertIn("will be replaced: kept/resnet20_best.pt, kept/resnet20_last.pt, kept/resnet20_final_weights.pt",
                      again.stdout)

    def test_two_runs_at_once_do_not_share_their_checkpoints(self):
        recipe = [*SMALL, "--epochs", "1000", "--report-every", "1", "--out-dir", "kept"]
        process = self.start_program("train", *recipe, "--out", "one")
        for line in process.stdout:
            if line.startswith("step 1/"):
                break
        second = self.run_program("train", *recipe, "--out", "two")
        self.assert_exit(second, 2)
        self.assertIn("another run of resnet20 is writing its checkpoints into 'kept'", second.stderr)
        self.assertFalse((self.folder / "two").exists())
        process.kill()
        process.wait()
        third = self.run_program("train", *recipe, "--stop-after", "1", "--out", "three")
        self.assert_exit(third, 0)
        self.assertEqual([path.name for path in (self.folder / "kept").iterdir() if path.suffix == ".lock"], [])

    def test_another_recipe_is_said(self):
        recipe = [*SMALL_DATA, "--warmup", "2", "--epochs", "2"]
        self.assert_exit(self.run_program("train", *recipe, "--ema", "0.9", "--stop-after", "1", "--out", "run"), 0)
        result = self.run_program("train", *recipe, "--ema", "0.9", "--lr", "0.01", "--momentum", "0.8", "--resume",
                                  "run/resnet20_last.pt", "--stop-after", "1", "--out", "again")
        self.assert_exit(result, 0)
        for words in ("optimizer.learning_rate was 0.1, is 0.01", "optimizer.momentum was 0.9, is 0.8"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("mirror_test", result.stdout)
        self.assertNotIn("training.", result.stdout)

    def test_another_way_of_testing_is_said(self):
        recipe = [*SMALL, "--epochs", "2"]
        self.assert_exit(self.run_program("train", *recipe, "--stop-after", "1", "--out", "run"), 0)
        result = self.run_program("train", *recipe, "--mirror-test", "--resume", "run/resnet20_last.pt", "--out", "again")
        self.assert_exit(result, 0)
        self.assertIn("run.mirror_test was not set, is true", result.stdout)

    def test_the_whole_recipe_stands_in_the_run(self):
        self.assert_exit(self.run_program("train", *SMALL, "--epochs", "1", "--out", "run"), 0)
        settings = self.run_document()["settings"]
        self.assertEqual(settings["optimizer"], {"kind": "sgd", "learning_rate": 0.05, "weight_decay": 5e-4,
                                                 "momentum": 0.9, "nesterov": True})
        self.assertEqual(settings["schedule"], {"kind": "cosine", "warmup_steps": 2})
        self.assertEqual(settings["training"]["batch_size"], 16)
        self.assertEqual(settings["data"]["transform"], "crop32")
        self.assertEqual(settings["length"], {"epochs": 1, "steps": 4, "steps_per_epoch": 4})
        self.assertIn("optimizer.momentum", (self.folder / "run/report.html").read_text())

    def test_kills_at_random_moments_leave_a_checkpoint_that_goes_on(self):
        kills = int(os.environ.get("RIDGELINE_KILLS", "50"))
        chance = random.Random(5)
        checkpoint = self.folder / "kept/resnet20_last.pt"
        recipe = [*SMALL, "--epochs", "10000", "--out-dir", "kept", "--no-tensorboard"]
        for number in range(kills):
            resume = ["--resume", "kept/resnet20_last.pt"] if checkpoint.exists() else []
            before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
            process = self.start_program("train", *recipe, *resume, "--out", f"run{number}")
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and process.poll() is None:
                if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                    break
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 1))  # an epoch and its save take about as long
            self.assertIsNone(process.poll(), process.stderr.read() if process.poll() is not None else "")
            process.kill()
            process.wait()
        result = self.run_program("train", *recipe, "--resume", "kept/resnet20_last.pt", "--stop-after", "1", "--out", "last")
        self.assert_exit(result, 0)


class FullDisk(ProgramTest):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", self.disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest(f"a small disk cannot be mounted here: {mounted.stderr.decode().strip()}")
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)

    def test_the_old_checkpoint_survives_and_goes_on(self):
        first = self.run_program("train", *SMALL, "--epochs", "2", "--stop-after", "1", "--out", "run", "--out-dir", "disk")
        self.assert_exit(first, 0)
        before = (self.disk / "resnet20_last.pt").read_bytes()
        rest = shutil.disk_usage(self.disk).free
        (self.disk / "ballast").write_bytes(bytes(max(0, rest - len(before) // 2)))
        second = self.run_program(
            "train", *SMALL, "--epochs", "2", "--resume", "disk/resnet20_last.pt", "--out", "run2")
        self.assert_exit(second, 1)
        self.assertRegex(second.stderr, r"resnet20_\w+\.pt.*No space left on device")
        self.assertEqual((self.disk / "resnet20_last.pt").read_bytes(), before)
        self.assertEqual([path.name for path in self.disk.iterdir() if ".pt" in path.name and path.suffix != ".pt"], [])
        (self.disk / "ballast").unlink()
        third = self.run_program("train", *SMALL, "--epochs", "2", "--resume", "disk/resnet20_last.pt", "--out", "run3")
        self.assert_exit(third, 0)


class ReadOnlyDisk(ProgramTest):
    def test_a_resumed_checkpoints_folder_is_tried_before_training(self):
        recipe = [*SMALL, "--epochs", "2"]
        self.assert_exit(self.run_program("train", *recipe, "--stop-after", "1", "--out", "run", "--out-dir", "disk"), 0)
        disk = self.folder / "disk"
        for options in (["--bind", disk, disk], ["-o", "remount,bind,ro", disk]):
            mounted = subprocess.run(["mount", *options], capture_output=True)
            if mounted.returncode != 0:
                self.skipTest(f"nothing can be mounted read-only here: {mounted.stderr.decode().strip()}")
            if options[0] == "--bind":
                self.addCleanup(subprocess.run, ["umount", disk], check=True)
        result = self.run_program("train", *recipe, "--resume", "disk/resnet20_last.pt", "--out", "rest")
        self.assert_exit(result, 1)
        self.assertIn("is not writable", result.stderr)
        self.assertNotIn("step 5", result.stdout)
        elsewhere = self.run_program("train", *recipe, "--resume", "disk/resnet20_last.pt", "--out", "rest", "--out-dir", "new")
        self.assert_exit(elsewhere, 0)


if __name__ == "__main__":
    unittest.main()
