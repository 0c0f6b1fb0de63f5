"""Training as a user meets it: commands, checkpoints, what is judged, what is fetched."""

import csv
import json
import unittest

from fetch_server import Hub
from program import ProgramTest, png

# An epoch of a second: four steps of a small CIFAR ResNet on synthetic images.
SMALL_DATA = ["resnet20", "--data", "synthetic", "--synthetic-images", "64", "--batch-size", "16",
         "--device", "cpu", "--threads", "1"]
SMALL = [*SMALL_DATA, "--warmup", "2", "--lr", "0.05"]
LLAMA = ["tiny-llama", "--num-layers", "1", "--hidden-dim", "32", "--num-heads", "4", "--num-kv-heads", "2",
         "--vocab-size", "50", "--seq-len", "16", "--batch-size", "4", "--device", "cpu", "--threads", "1"]


def weights_of(path):
    """The bytes of every record of a checkpoint's tensors, without reading Python out of it."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist() if "/data/" in name}


class Training(ProgramTest):
    def train(self, *arguments, out="run", **options):
        return self.run_program("train", *arguments, "--out", out, **options)

    def test_an_epoch_writes_everything_it_names(self):
        result = self.train(*SMALL, "--epochs", "1")
        self.assert_exit(result, 0)
        for word in ("model      resnet20", "parameters", "epoch 1/1", "test loss", "final loss", "data wait", "wrote"):
            self.assertIn(word, result.stdout)
        names = {path.name for path in (self.folder / "run").iterdir()}
        for name in ("resnet20_last.pt", "resnet20_best.pt", "resnet20_final_weights.pt", "metrics.csv", "run.json",
                     "report.html", "performance_summary.json"):
            self.assertIn(name, names)
        self.assertTrue(any(name.startswith("events.out.tfevents.") for name in names))
        named = {line.split("run/", 1)[1] for line in result.stdout.splitlines() if line.startswith("wrote ")}
        self.assertEqual(named, names)
        with open(self.folder / "run/metrics.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual(len(rows), 1)
        self.assertGreater(float(rows[0]["test_loss"]), 0)

    def test_held_out_images_stand_for_the_test_set(self):
        result = self.train(*SMALL, "--epochs", "1", "--hold-out", "16")
        self.assert_exit(result, 0)
        for words in ("48 training and 16 held-out images", "held-out loss", "best held-out acc.", "step 3"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("test loss", result.stdout)
        self.assertNotIn("test accuracy", result.stdout)
        training = json.loads((self.folder / "run/run.json").read_text())["training"]
        self.assertEqual(training["held_out_images"], 16)
        self.assertIn("held out", training["summary"]["accuracy_of"])
        with open(self.folder / "run/metrics.csv", newline="") as table:
            self.assertIn("held_out_accuracy_percent", next(csv.reader(table)))
        result = self.train(*SMALL, "--epochs", "2", "--resume", "run/resnet20_last.pt", out="again")
        self.assert_exit(result, 2)
        self.assertIn("--hold-out must be the same", result.stderr)

    def test_some_images_must_be_left_to_train_on(self):
        for count in ("64", "1000000"):
            result = self.train(*SMALL, "--epochs", "1", "--hold-out", count)
            self.assert_refused(result, 2, f"--hold-out {count}: must be 1 to 63")

    def test_a_run_with_muon_resumes_exactly_and_refuses_other_optimizers(self):
        muon = [*SMALL, "--optimizer", "muon"]
        self.assert_exit(self.train(*muon, "--epochs", "2", out="whole"), 0)
        self.assert_exit(self.train(*muon, "--epochs", "2", "--stop-after", "1", out="part"), 0)
        result = self.train(*muon, "--epochs", "2", "--resume", "part/resnet20_last.pt", out="rest")
        self.assert_exit(result, 0)
        self.assertIn("muon (hidden matrices), rate 0.02", result.stdout)
        self.assertEqual(weights_of(self.folder / "whole/resnet20_last.pt"),
                         weights_of(self.folder / "part/resnet20_last.pt"))
        result = self.train(*SMALL, "--epochs", "3", "--resume", "part/resnet20_last.pt", out="other")
        self.assert_exit(result, 2)
        self.assertIn("--optimizer must be the same", result.stderr)

    def test_tiny_llama_writes_the_workshops_summary(self):
        result = self.train(*LLAMA, "--num-steps", "20")
        self.assert_exit(result, 0)
        self.assertIn("step 10/20", result.stdout)
        self.assertIn("tokens/s", result.stdout)
        summary = json.loads((self.folder / "run/performance_summary.json").read_text())
        for key in ("version", "timestamp", "config", "profiler_config", "performance_summary", "training_params",
                    "system_info"):
            self.assertIn(key, summary)
        numbers = summary["performance_summary"]
        self.assertEqual(numbers["total_samples"], 80)
        parts = numbers["avg_forward_time"] + numbers["avg_backward_time"] + numbers["avg_optimizer_time"]
        self.assertLess(parts, numbers["avg_batch_time"] * 1.001)

    def test_its_own_steps_can_be_profiled(self):
        result = self.train(*LLAMA, "--num-steps", "12", "--enable-all-profiling", "--profile-dir", "p", "--sort-by", "calls")
        self.assert_exit(result, 0)
        for word in ("aten::mm", "blocks.0", "Top 3 operations", "wrote               p/trace_step_9.json"):
            self.assertIn(word, result.stdout)
        trace = json.loads((self.folder / "p/trace_step_9.json").read_text())
        steps = [event["name"] for event in trace["traceEvents"] if event["name"].startswith("ProfilerStep#")]
        self.assertEqual(steps, [f"ProfilerStep#{number}" for number in range(4, 9)])
        names = {path.name for path in (self.folder / "p").iterdir()}
        self.assertTrue(any(name.endswith(".pt.trace.json.gz") for name in names), names)
        self.assertLessEqual({"ops.csv", "modules.csv", "findings.txt", "performance_summary.json", "memory.json",
                              "profile.json", "profile.html", "stacks.txt", "flamegraph.svg", "speedscope.json"}, names)
        for word in ("Waiting for data takes", "Profiling cost", "for its records"):
            self.assertIn(word, result.stdout)
        profile = json.loads((self.folder / "p/profile.json").read_text())
        self.assertEqual(profile["cost"]["pairs"], 1, "of the three steps that are left")
        self.assertIn("data", [finding["id"] for finding in profile["findings"]])
        waits = [event for event in trace["traceEvents"] if event["name"].startswith("enumerate(DataLoader)#")]
        self.assertEqual(len(waits), 5)
        self.assertIn("Peak memory on the CPU", result.stdout)
        kinds = json.loads((self.folder / "p/memory.json").read_text())["places"][0]["kinds"]
        self.assertEqual(kinds["gradients"]["highest_bytes"], kinds["parameters"]["highest_bytes"])
        with open(self.folder / "p/modules.csv", newline="") as table:
            modules = {row["module"]: row for row in csv.DictReader(table)}
        self.assertGreater(float(modules["blocks.0"]["forward_s"]), 0)
        self.assertGreater(float(modules["blocks.0"]["backward_s"]), 0)

    def test_a_second_profile_in_a_folder_leaves_nothing_of_the_first(self):
        for steps, flag in (("12", "--enable-memory-profiling"), ("10", "--enable-pytorch-profiler")):
            self.assert_exit(self.train(*LLAMA, "--num-steps", steps, flag, "--profile-steps", str(int(steps) - 7),
                                        "--profile-dir", "p", out="run" + steps), 0)
        names = {path.name for path in (self.folder / "p").iterdir()}
        self.assertTrue({"profile.json", "ops.csv", "trace_step_7.json"} <= names, names)
        self.assertFalse({"memory.json", "memory.png", "memory.svg", "trace_step_9.json"} & names, names)
        self.assertEqual(len([name for name in names if name.endswith(".pt.trace.json.gz")]), 2)

    def test_a_training_that_fails_leaves_its_profile(self):
        result = self.train(*LLAMA, "--num-steps", "40", "--optimizer", "sgd", "--lr", "1e20", "--enable-pytorch-profiler",
                            "--profile-dir", "p")
        self.assert_exit(result, 1)
        self.assertIn("what was profiled until the training failed is in p", result.stderr)
        self.assertEqual(json.loads((self.folder / "p/profile.json").read_text())["failure"]["fault"], "device")
        self.assertTrue((self.folder / "p/trace_step_9.json").is_file())

    def test_without_allocations_the_peak_is_the_trainings(self):
        result = self.train(*LLAMA, "--num-steps", "10", "--enable-pytorch-profiler", "--profile-dir", "p")
        self.assert_exit(result, 0)
        self.assertIn("Peak memory of the process is", result.stdout)
        self.assertFalse((self.folder / "p/memory.json").exists())

    def test_a_training_too_short_to_profile_says_so(self):
        result = self.train(*LLAMA, "--num-steps", "3", "--enable-pytorch-profiler")
        self.assert_exit(result, 0)
        self.assertIn("Nothing was profiled", result.stdout)

    def test_text_is_learned(self):
        (self.folder / "text.txt").write_text("the cat sat on the mat. " * 400)
        result = self.train("transformer", "--d-model", "32", "--num-layers", "1", "--num-heads", "2", "--seq-len",
                            "32", "--batch-size", "8", "--text", "text.txt", "--num-steps", "60", "--lr", "0.01",
                            "--device", "cpu")
        self.assert_exit(result, 0)
        steps = self.run_document()["training"]["steps"]
        self.assertLess(steps[-1]["loss"], steps[0]["loss"] / 2)

    def test_a_language_model_is_judged_by_text_it_never_saw(self):
        (self.folder / "text.txt").write_text("the cat sat on the mat. " * 100)
        flags = ["transformer", "--d-model", "32", "--num-layers", "1", "--num-heads", "2", "--seq-len", "32",
                 "--batch-size", "8", "--text", "text.txt", "--lr", "0.01", "--device", "cpu"]
        result = self.train(*flags, "--num-steps", "20", "--hold-out", "600")
        self.assert_exit(result, 0)
        for words in ("judged by the last 600 tokens", "held-out loss", "best held-out loss"):
            self.assertIn(words, result.stdout)
        training = self.run_document()["training"]
        self.assertEqual(training["held_out_tokens"], 600)
        self.assertLess(training["epochs"][-1]["test_loss"], training["epochs"][0]["test_loss"])
        self.assertNotIn("test_accuracy_percent", training["epochs"][-1])
        with open(self.folder / "run/metrics.csv", newline="") as table:
            losses = {int(row["step"]): row["held_out_loss"] for row in csv.DictReader(table)}
        for epoch in training["epochs"]:
            self.assertAlmostEqual(float(losses[epoch["step"]]), epoch["test_loss"], places=6)
        self.assertEqual(losses[10] == "", 10 not in [epoch["step"] for epoch in training["epochs"]])
        self.assertTrue(list((self.folder / "run").glob("transformer-*_best.pt")))
        result = self.train(*flags, "--num-steps", "2", "--hold-out", "200", out="few")
        self.assert_exit(result, 2)
        self.assertIn("too few tokens for one batch", result.stderr)

    def test_synthetic_images_are_learned(self):
        result = self.train("resnet20", "--data", "synthetic", "--synthetic-images", "2000", "--epochs", "2",
                            "--batch-size", "64", "--warmup", "10", "--lr", "0.1", "--device", "cpu")
        self.assert_exit(result, 0)
        self.assertGreater(self.run_document()["training"]["summary"]["best_accuracy_percent"], 40)

    def test_one_step_can_be_profiled(self):
        result = self.train(*SMALL, "--profile-one-step", "--warmup-iters", "2")
        self.assert_exit(result, 0)
        self.assertIn("Training stopped as asked after 3 steps", result.stdout)
        self.assertNotIn("epochs", result.stdout)
        self.assertFalse((self.folder / "run/resnet20_last.pt").exists())


class Evaluation(ProgramTest):
    DATA = ["--data", "synthetic", "--synthetic-images", "320", "--device", "cpu", "--threads", "1"]

    def trained(self, *more):
        self.assert_exit(self.run_program("train", "resnet20", *self.DATA, "--epochs", "1", "--batch-size", "32",
                                          "--warmup", "2", *more, "--out", "run"), 0)
        return self.run_document()["training"]["epochs"][-1]

    def accuracy(self, weights):
        result = self.run_program("eval", "resnet20", *self.DATA, "--weights", weights, "--json")
        self.assert_exit(result, 0)
        return json.loads(result.stdout)

    def test_it_gives_the_accuracy_that_training_saw(self):
        epoch = self.trained()
        for name in ("resnet20_final_weights.pt", "resnet20_best.pt"):
            found = self.accuracy(f"run/{name}")
            self.assertEqual(found["accuracy_percent"], epoch["test_accuracy_percent"])
            self.assertAlmostEqual(found["loss"], epoch["test_loss"], places=4)

    def test_an_average_is_what_is_tested(self):
        epoch = self.trained("--ema", "0.8")
        self.assertEqual(self.accuracy("run/resnet20_best.pt")["accuracy_percent"], epoch["test_accuracy_percent"])

    def test_a_checkpoint_says_how_its_images_were_normalised(self):
        other = ["--mean", "0.1", "0.9", "0.5", "--std", "0.1", "0.1", "0.1"]
        epoch = self.trained(*other)
        judge = ["eval", "resnet20", *self.DATA, "--weights"]
        result = self.run_program(*judge, "run/resnet20_best.pt")
        self.assert_exit(result, 0)
        self.assertIn("normalised as in training: mean 0.1 0.9 0.5, deviation 0.1 0.1 0.1", result.stdout)
        self.assertIn("64 test images, 10 classes", result.stdout)
        self.assertEqual(self.accuracy("run/resnet20_best.pt")["accuracy_percent"], epoch["test_accuracy_percent"])
        given = self.run_program(*judge, "run/resnet20_best.pt", *other)
        self.assertNotIn("normalised as in training", given.stdout)
        plain = self.run_program(*judge, "run/resnet20_final_weights.pt")
        self.assertNotIn("normalised as in training", plain.stdout)
        tuned = ["train", "resnet20", *self.DATA, "--steps", "1", "--weights", "run/resnet20_best.pt"]
        self.assertIn("the weights were trained with mean 0.1", self.run_program(*tuned, "--out", "a").stdout)
        self.assertNotIn("were trained with", self.run_program(*tuned, *other, "--out", "b").stdout)

    def test_a_folder_of_classes_is_judged_whole(self):
        self.trained()
        for number in range(10):
            for image in range(3):
                path = self.folder / f"images/class{number}/{image}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(png(32, 20 * number + image))
        (self.folder / "images/class3/4.webp").write_text("of a format that is not read")
        flags = ["--data", "images", "--device", "cpu", "--threads", "1", "--workers", "0"]
        result = self.run_program("eval", "resnet20", *flags, "--weights", "run/resnet20_best.pt")
        self.assert_exit(result, 0)
        self.assertIn("of 30 images", result.stdout)
        self.assertIn("data       image folder, 10 classes, 30 images", result.stdout)
        note = "note       1 image is left out, for only JPEG and PNG are read: images/class3/4.webp"
        self.assertIn(note, result.stdout)
        trained = self.run_program("train", "resnet20", *flags, "--batch-size", "4", "--steps", "1", "--out", "again")
        self.assert_exit(trained, 0)
        self.assertIn(note, trained.stdout)

    def test_logits_are_written(self):
        self.trained()
        self.assert_exit(self.run_program("eval", "resnet20", *self.DATA, "--weights", "run/resnet20_best.pt",
                                          "--logits", "logits.csv", "--first", "5"), 0)
        with open(self.folder / "logits.csv", newline="") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual(len(rows), 5)
        self.assertIn("logit_9", rows[0])

    def test_logits_that_cannot_be_written_are_known_before_and_cost_no_accuracy_after(self):
        self.trained()
        judge = ["eval", "resnet20", *self.DATA, "--weights", "run/resnet20_best.pt"]
        early = self.run_program(*judge, "--logits", "run")
        self.assert_exit(early, 1)
        self.assertEqual(early.stdout, "")
        late = self.run_program(*judge, "--logits", "/dev/full")
        self.assert_exit(late, 1)
        self.assertIn("resnet20: accuracy", late.stdout)

    def test_logits_can_go_to_standard_output_alone(self):
        self.trained()
        judge = ["eval", "resnet20", *self.DATA, "--weights", "run/resnet20_best.pt", "--logits", "-"]
        result = self.run_program(*judge, "--first", "3")
        self.assert_exit(result, 0)
        self.assertEqual(len(list(csv.DictReader(result.stdout.splitlines()))), 3)
        self.assertIn("resnet20: accuracy", result.stderr)
        self.assertFalse((self.folder / "-").exists())
        self.assertIn("--logits -", self.run_program(*judge, "--json").stderr)

    def test_flags_of_a_run_are_unknown_to_it(self):
        for flag in ("--csv", "--markdown", "--out", "--num-classes", "--cutout", "--padding", "--alternate-flip"):
            result = self.run_program("eval", "resnet20", *self.DATA, "--weights", "w.pt", flag, "x")
            self.assert_refused(result, 2, flag)

    def test_weights_that_are_none_are_one_line(self):
        (self.folder / "bad.pt").write_text("no weights")
        self.assert_refused(self.run_program("eval", "resnet20", *self.DATA, "--weights", "bad.pt"), 2, "bad.pt")


class FetchingForTraining(ProgramTest):
    def setUp(self):
        super().setUp()
        self.hub = Hub({"cifar-10-python.tar.gz": b"not the archive", "resnet18-f37072fd.pth": b"not the weights"})
        self.addCleanup(self.hub.close)
        self.mirror = ["--mirror", self.hub.url + "/", "--epochs", "1", "--device", "cpu", "--out", "run"]

    def environment(self, **extra):
        return super().environment(**{"no_proxy": "127.0.0.1", **extra})

    def test_an_empty_folder_is_filled_and_a_wrong_archive_is_no_data(self):
        result = self.run_program("train", "resnet20", "--data", "new", *self.mirror)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("cifar-10-python.tar.gz", result.stderr)
        self.assertIn("new is empty: fetching CIFAR-10 into it", result.stdout)
        self.assertIn("/cifar-10-python.tar.gz", [path for path, _ in self.hub.requests])
        self.assertFalse((self.folder / "new/cifar-10-python.tar.gz").exists())
        self.assertFalse((self.folder / "run").exists())

    def test_weights_of_another_sum_are_no_weights(self):
        small = ["--data", "synthetic", "--synthetic-images", "64", "--weights", "imagenet"]
        result = self.run_program("train", "resnet18", *small, *self.mirror)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("resnet18-f37072fd.pth", result.stderr)
        self.assertFalse((self.folder / "run").exists())

    def test_offline_nothing_is_asked_for(self):
        result = self.run_program("train", "resnet18", "--weights", "imagenet", "--offline", *self.mirror)
        self.assert_refused(result, 2, "--offline")
        result = self.run_program("train", "resnet18", "--data", "new", "--offline", *self.mirror)
        self.assert_refused(result, 1, "new: no such folder")
        self.assertEqual(self.hub.requests, [])

    def test_only_torchvisions_models_have_such_weights(self):
        result = self.run_program("train", "resnet20", "--weights", "imagenet", *self.mirror)
        self.assert_refused(result, 2, "torchvision has none for resnet20")


if __name__ == "__main__":
    unittest.main()
