"""`bench loader` as a user meets it."""

import csv
import unittest

from program import ProgramTest

SMALL = ["bench", "loader", "--transform", "rrc16", "--image-size", "8", "--batch-size", "8", "--budget", "100ms"]


class Loader(ProgramTest):
    def test_every_number_of_workers_is_a_row_and_the_folder_is_complete(self):
        self.assert_exit(self.run_program(*SMALL, "--workers", "0,1,2", "--out", "run"), 0)
        rows = self.run_document()["rows"]
        self.assertEqual([row["settings"]["workers"] for row in rows], [0, 1, 2])
        for row in rows:
            self.assertEqual(row["outcome"], "measured")
            self.assertGreater(row["samples_per_s"], 0)
        with open(self.folder / "run" / "loader.csv", newline="") as file:
            table = list(csv.DictReader(file))
        self.assertEqual([line["scaling"] for line in table][:2], ["", "1"])
        self.assertIn("Images/s", (self.folder / "run" / "summary.md").read_text())
        self.assertTrue((self.folder / "run" / "report.html").exists())

    def test_a_dry_run_says_what_would_be_measured(self):
        result = self.run_program(*SMALL, "--workers", "0,1", "--dry-run")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines(), ["rrc16, batch 8, no workers", "rrc16, batch 8, 1 worker"])

    def test_bad_words_are_refused(self):
        self.assert_refused(self.run_program("bench", "loader", "--transform", "rcc224"), 2, "rrc224")
        self.assert_refused(self.run_program("bench", "loader", "--workers", "x"), 2, "--workers")
        self.assert_refused(self.run_program("bench", "loader", "--output", "words"), 2, "--output")
        self.assert_refused(self.run_program("bench", "loader", "--data", "absent"), 1, "absent")
        self.assert_refused(self.run_program("bench"), 2, "model")

    def test_a_batch_that_cannot_be_filled_is_refused_and_leaves_nothing(self):
        folder = self.folder / "images" / "cat"
        folder.mkdir(parents=True)
        for name in ("1.jpg", "2.jpg"):
            (folder / name).write_bytes(b"no image")
        result = self.run_program("bench", "loader", "--data", "images", "--batch-size", "4", "--out", "run")
        self.assert_exit(result, 2)
        self.assertIn("no batch of 4", result.stderr)
        self.assertFalse((self.folder / "run").exists())


if __name__ == "__main__":
    unittest.main()
