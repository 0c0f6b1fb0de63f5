"""What training refuses before it begins, and what a dry run foresees."""

import unittest

from program import ProgramTest, png


class TrainingRefusals(ProgramTest):
    def test_bad_flags_are_one_line(self):
        for arguments, word in (
                (["resnet99"], "resnet"),
                (["resnet18", "--lr", "0"], "--lr"),
                (["resnet18", "--schedule", "cosin"], "cosine"),
                (["resnet18", "--text", "x"], "--text"),
                (["tiny-llama", "--epochs", "2"], "--epochs"),
                (["resnet18", "--augment", "gpu", "--device", "cpu"], "--augment"),
                (["resnet18", "--cutout", "40"], "32 pixels"),
                (["tiny-llama", "--cutout", "4"], "--cutout"),
                (["resnet18", "--padding-mode", "reflct"], "reflect"),
                (["resnet18", "--transform", "none", "--padding", "2"], "--padding"),
                (["resnet18", "--std", "0", "1", "1"], "--std"),
                (["resnet18", "--schedule", "one-cycle", "--warmup", "5"], "--warmup"),
                (["resnet18", "--resume", "absent.pt"], "absent.pt"),
                (["resnet18", "--weights", "absent.pt"], "absent.pt"),
                (["attention"], "cannot be trained"),
                (["resnet20", "--model", "resnet32"], "resnet20"),
                (["resnet18", "--momentum", "1"], "--momentum"),
                (["resnet18", "--weight-decay", "nan"], "--weight-decay"),
                (["resnet18", "--optimizer", "muon", "--muon-momentum", "nan"], "--muon-momentum"),
                (["resnet18", "--optimizer", "muon", "--muon-decay", "nan"], "--muon-decay"),
                (["tiny-llama", "--workers", "2"], "--workers"),
                (["resnet18", "--lr-drop-factor", "0.5"], "--schedule step"),
                (["resnet18", "--optimizer", "adam", "--momentum", "0.5"], "are of sgd, this is adam"),
                (["resnet18", "--warmup-iters", "5"], "--profile-one-step"),
                (["resnet18", "--stop-after", "9223372036854775807"], "from 1 to 100000000"),
                (["resnet18", "--lr-drop-every", "9223372036854775807"], "from 1 to 100000000"),
                (["resnet18", "--profile-one-step", "--warmup-iters", "9223372036854775807"], "from 0 to 1000000"),
                (["resnet18", "--warmup", "-1"], "'-1' is not a whole number from 0 to 100000000"),
                (["resnet18", "--epochs", "100000", "--batch-size", "2", "--synthetic-images", "4000", "--device", "cpu"],
                 "--epochs 100000: of 2000 steps each"),
                (["resnet18", "--lr", "1e39"], "at most 3.4e+38"),
                (["resnet18", "--profile-one-step", "--enable-pytorch-profiler"], "--profile-one-step"),
                (["resnet18", "--sort-by", "nonsense"], "--sort-by"),
                (["resnet18", "--sort-by", "nonsense", "--enable-pytorch-profiler"], "--sort-by"),
                (["resnet18", "--mode", "graph", "--profile-one-step", "--warmup-iters", "3"], "4 or more"),
        ):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_program("train", *arguments), 2, word)

    def test_a_dry_run_shows_the_model_that_would_be_trained(self):
        (self.folder / "text.txt").write_text("some text")
        result = self.run_program("train", "transformer", "--text", "text.txt", "--dry-run")
        self.assertIn("vocabulary 256", result.stdout)
        self.assertIn("10 classes", self.run_program("train", "resnet18", "--dry-run").stdout)
        for number in range(3):
            (self.folder / f"images/class{number}").mkdir(parents=True)
            for image in range(2):
                (self.folder / f"images/class{number}/{image}.png").write_text("not looked at")
        result = self.run_program("train", "resnet18", "--data", "images", "--batch-size", "3", "--dry-run")
        self.assertIn("3 classes", result.stdout)

    def test_a_dry_run_refuses_what_the_number_of_images_forbids(self):
        small = ["resnet20", "--synthetic-images", "100", "--device", "cpu"]
        for more, words in (([], "100 training images are fewer than one step of 128 x 1"),
                            (["--batch-size", "64", "--hold-out", "40"], "60 training images are fewer"),
                            (["--batch-size", "64", "--accumulate", "2"], "one step of 64 x 2"),
                            (["--hold-out", "100"], "--hold-out 100: must be 1 to 99")):
            for dry in ([], ["--dry-run"]):
                self.assert_refused(self.run_program("train", *small, *more, *dry), 2, words)
        self.assert_exit(self.run_program("train", *small, "--batch-size", "100", "--dry-run"), 0)

    def test_a_warm_up_as_long_as_the_run_is_not_longer(self):
        flags = ["resnet20", "--synthetic-images", "64", "--batch-size", "16", "--epochs", "1", "--device", "cpu"]
        for steps, said in (("4", False), ("5", True)):
            result = self.run_program("train", *flags, "--warmup", steps, "--out", steps)
            self.assertEqual("is longer than the run" in result.stdout, said)

    def test_photographs_are_not_judged_by_a_piece_of_them(self):
        for part in ("train", "val"):
            for name in ("cats", "dogs"):
                folder = self.folder / "photos" / part / name
                folder.mkdir(parents=True)
                for number in range(4):
                    (folder / f"{number}.png").write_bytes(png(48, 60 * number))
        flags = ["resnet20", "--data", "photos", "--device", "cpu", "--threads", "1", "--workers", "0"]
        self.assert_exit(self.run_program("train", *flags, "--batch-size", "4", "--epochs", "1", "--transform", "resize32",
                                          "--out", "run"), 0)
        judged = self.run_program("eval", *flags, "--weights", "run/resnet20_last.pt")
        self.assert_exit(judged, 2)
        self.assertIn("this one has 48x48", judged.stderr)

    def test_a_photograph_among_small_images_is_named(self):
        for name in ("cats", "dogs"):
            folder = self.folder / "mixed" / "train" / name
            folder.mkdir(parents=True)
            for number in range(4):
                (folder / f"{number}.png").write_bytes(png(32, 60 * number))
        (self.folder / "mixed/val/cats").mkdir(parents=True)
        (self.folder / "mixed/val/cats/0.png").write_bytes(png(32, 1))
        (self.folder / "mixed/train/dogs/2.png").write_bytes(png(48, 1))
        result = self.run_program("train", "resnet20", "--data", "mixed", "--device", "cpu", "--threads", "1", "--workers",
                                  "0", "--batch-size", "4", "--epochs", "1", "--out", "run")
        self.assert_exit(result, 2)
        self.assertIn("train/dogs/2.png: --transform crop32 cuts pieces", result.stderr)
        self.assertIn("this one has 48x48", result.stderr)

    def test_no_word_becomes_a_folder_to_download_into(self):
        for data, words in (("", "names no folder"), ("synthetc", "did you mean 'synthetic'"), ("hf:datasets/x/y", "ridgeline fetch"),
                            ("https://host/cifar.tar.gz", "ridgeline fetch"), ("X.tar", "no such folder"),
                            ("cifar.tgz", "no such folder")):
            result = self.run_program("train", "resnet20", "--data", data, "--mirror", "http://127.0.0.1:9/", "--device",
                                      "cpu")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, result.stderr)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_path_that_cannot_be_looked_at_is_one_line(self):
        (self.folder / "loop").symlink_to("loop")
        result = self.run_program("train", "resnet20", "--device", "cpu", RIDGELINE_LIBTORCH=str(self.folder / "loop"))
        self.assert_exit(result, 1)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn("cannot look at", result.stderr)

    def test_missing_data_is_one_line(self):
        result = self.run_program("train", "resnet20", "--data", "nowhere", "--offline", "--device", "cpu")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("nowhere", result.stderr)


if __name__ == "__main__":
    unittest.main()
