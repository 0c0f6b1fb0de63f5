"""Runs the built program for the end-to-end tests: each call in a folder of its own."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

# A model that steps in a millisecond.
TINY = [
    "transformer", "--d-model", "32", "--d-ff", "64", "--num-layers", "1", "--num-heads", "2",
    "--vocab-size", "64", "--context-length", "16", "--batch-size", "2",
]
QUICK = ["--warmup-steps", "1", "--measure-steps", "3", "--device", "cpu", "--threads", "1"]


def png(side, grey):
    """A grey image as a PNG file."""
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    rows = b"".join(b"\0" + bytes([grey]) * (3 * side) for _ in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class ProgramTest(unittest.TestCase):
    """A folder for every test; a cache of peaks for every class, so that one is measured once."""

    @classmethod
    def setUpClass(cls):
        cls.program = os.environ["RIDGELINE_PROGRAM"]
        cls.cache = tempfile.mkdtemp(prefix="ridgeline-cache-")
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ridgeline-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def environment(self, **extra):
        return {**os.environ, "RIDGELINE_CACHE": self.cache, **extra}

    def run_program(self, *arguments, timeout=300, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **environment):
        return subprocess.run(
            [self.program, *arguments], cwd=self.folder, env=self.environment(**environment), timeout=timeout,
            stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True)

    def start_program(self, *arguments, stdin=subprocess.DEVNULL):
        process = subprocess.Popen(
            [self.program, *arguments], cwd=self.folder, env=self.environment(),
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()

    def bench(self, *arguments, **options):
        return self.run_program("bench", *TINY, *QUICK, "--out", "run", *arguments, **options)

    def run_document(self, folder="run"):
        return json.loads((self.folder / folder / "run.json").read_text())

    def assert_exit(self, result, code):
        self.assertEqual(result.returncode, code, f"stdout: {result.stdout}\nstderr: {result.stderr}")

    def assert_refused(self, result, code, *words):
        """One clear line, the exit code, and nothing left behind."""
        self.assert_exit(result, code)
        lines = [line for line in result.stderr.splitlines() if not line.startswith("See 'ridgeline")]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("ridgeline: "), lines[0])
        for word in words:
            self.assertIn(word, lines[0])
        self.assertEqual([path.name for path in self.folder.iterdir() if path.is_dir()], [])
