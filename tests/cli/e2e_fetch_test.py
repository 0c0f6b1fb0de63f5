"""`ridgeline fetch` against servers on this machine: whole, resumed, and every way it can fail."""

import json
import random
import resource
import signal
import subprocess
import time
import unittest

from fetch_server import COMMIT, Hub
from program import ProgramTest

WEIGHTS = random.Random(1).randbytes(700_000)
FILES = {"config.json": b"[1, 2]", "weights.bin": WEIGHTS, "deep/notes.txt": b"text", "empty.txt": b""}


class FetchTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.hub = self.new_hub()

    def new_hub(self):
        hub = Hub(dict(FILES))
        self.addCleanup(hub.close)
        return hub

    def environment(self, **extra):
        ours = {key: value for key, value in super().environment().items()
                if key not in ("HF_TOKEN", "HF_HUB_OFFLINE") and not key.lower().endswith("_proxy")}
        return {**ours, "HF_ENDPOINT": self.hub.url, **extra}

    def fetch(self, *arguments, **options):
        return self.run_program("fetch", "hf:o/n", "--to", "to", *arguments, **options)

    def fetch_weights(self, *arguments, **options):
        return self.fetch("--include", "*.bin", *arguments, **options)

    @property
    def to(self):
        return self.folder / "to"

    def there(self):
        return sorted(str(path.relative_to(self.to)) for path in self.to.rglob("*") if path.is_file())

    def assert_weights(self):
        self.assertEqual((self.to / "weights.bin").read_bytes(), WEIGHTS)
        self.assertEqual(self.there(), [".ridgeline-fetch.json", "weights.bin"])

    def assert_failed(self, result, *words):
        self.assert_exit(result, 1)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def put_part(self, content, etag='"v1"', url=None):
        self.to.mkdir()
        (self.to / "weights.bin.part").write_bytes(content)
        url = url or f"{self.hub.url}/o/n/resolve/{COMMIT}/weights.bin"
        if etag is not None:
            (self.to / "weights.bin.part.from").write_text(json.dumps({"url": url, "validator": etag}))

    def ranges(self):
        return [headers.get("Range") for _, headers in self.hub.file_requests()]


class Fetching(FetchTest):
    def test_every_file_comes_whole_and_once(self):
        self.assert_exit(self.fetch(), 0)
        for name, content in FILES.items():
            self.assertEqual((self.to / name).read_bytes(), content)
        self.assertEqual(len(self.there()), len(FILES) + 1)
        asked = len(self.hub.file_requests())
        result = self.fetch()
        self.assert_exit(result, 0)
        self.assertIn("there, sha256 right", result.stdout)
        self.assertEqual(len(self.hub.file_requests()), asked)

    def test_a_file_that_changed_here_is_fetched_again(self):
        self.assert_exit(self.fetch_weights(), 0)
        (self.to / "weights.bin").write_bytes(WEIGHTS[:-1] + b"?")
        self.assert_exit(self.fetch_weights(), 0)
        self.assert_weights()

    def test_globs_choose(self):
        self.assert_exit(self.fetch("--include", "*.json", "--include", "*.bin", "--exclude", "w*"), 0)
        self.assertEqual(self.there(), [".ridgeline-fetch.json", "config.json"])

    def test_json_lists_the_files(self):
        result = self.fetch_weights("--json")
        self.assert_exit(result, 0)
        document = json.loads(result.stdout)
        self.assertEqual(document["files"], [{
            "name": "weights.bin", "bytes": len(WEIGHTS), "state": "fetched",
            "url": f"{self.hub.url}/o/n/resolve/{COMMIT}/weights.bin"}])

    def test_dry_run_and_list_fetch_nothing(self):
        result = self.fetch("--dry-run")
        self.assert_exit(result, 0)
        self.assertEqual(self.hub.requests, [])
        result = self.fetch("--list")
        self.assert_exit(result, 0)
        self.assertIn("weights.bin", result.stdout)
        self.assertEqual(self.hub.file_requests(), [])
        self.assertFalse(self.to.exists())
        result = self.run_program("fetch", "cifar10", "--to", "to", "--dry-run")
        self.assertIn("cifar-10-python.tar.gz", result.stdout)

    def test_offline_says_what_is_there(self):
        self.assert_failed(self.fetch("--offline"), "fetch it once online")
        self.assert_exit(self.fetch(), 0)
        asked = len(self.hub.requests)
        self.assert_exit(self.fetch("--offline"), 0)
        (self.to / "config.json").unlink()
        result = self.fetch(HF_HUB_OFFLINE="1")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"config\.json +\S+ \S+ +missing")
        self.assertEqual(len(self.hub.requests), asked)

    def test_a_proxy_of_the_environment_is_used(self):
        result = self.fetch_weights(HF_ENDPOINT="http://hub.invalid", http_proxy=self.hub.url)
        self.assert_exit(result, 0)
        self.assertTrue(self.hub.requests[0][0].startswith("http://hub.invalid/api/"))
        self.assert_weights()


class Resuming(FetchTest):
    def test_a_part_is_gone_on_with(self):
        self.put_part(WEIGHTS[:300_000])
        result = self.fetch_weights()
        self.assert_exit(result, 0)
        self.assertIn("resumed at", result.stdout)
        self.assertEqual(self.ranges(), ["bytes=300000-"])
        self.assertEqual(self.hub.file_requests()[0][1]["If-Range"], '"v1"')
        self.assert_weights()

    def test_a_part_of_another_version_is_dropped(self):
        self.put_part(b"x" * 300_000, etag='"v0"')
        self.assert_exit(self.fetch_weights(), 0)
        self.assert_weights()

    def test_a_part_of_another_url_is_dropped(self):
        self.put_part(b"x" * 300_000, url="http://elsewhere/weights.bin")
        self.assert_exit(self.fetch_weights(), 0)
        self.assertEqual(self.ranges(), [None])
        self.assert_weights()

    def test_a_part_without_notes_is_dropped(self):
        self.put_part(b"x" * 300_000, etag=None)
        self.assert_exit(self.fetch_weights(), 0)
        self.assert_weights()

    def test_a_wrong_part_that_the_server_goes_on_with_costs_one_more_try(self):
        self.put_part(b"x" * 300_000)
        self.assert_exit(self.fetch_weights(), 0)
        self.assertEqual(self.ranges(), ["bytes=300000-", None])
        self.assert_weights()

    def test_a_complete_part_needs_no_bytes(self):
        self.put_part(WEIGHTS)
        self.assert_exit(self.fetch_weights(), 0)
        self.assertEqual(self.ranges(), [])
        self.assert_weights()

    def test_a_part_that_is_too_long_is_dropped(self):
        self.put_part(WEIGHTS + b"more")
        self.assert_exit(self.fetch_weights(), 0)
        self.assert_weights()

    def test_a_server_without_ranges_starts_again(self):
        self.hub.with_ranges = False
        self.put_part(WEIGHTS[:300_000])
        self.assert_exit(self.fetch_weights(), 0)
        self.assert_weights()

    def test_dropped_connections_are_taken_up(self):
        self.hub.drop_after = [200_000, 100_000, 0]
        self.assert_exit(self.fetch_weights(), 0)
        self.assertEqual(self.ranges(), [None, "bytes=200000-", "bytes=300000-", "bytes=300000-"])
        self.assert_weights()

    def test_dropped_without_ranges_starts_again(self):
        self.hub.with_ranges = False
        self.hub.drop_after = [200_000]
        self.assert_exit(self.fetch_weights(), 0)
        self.assert_weights()

    def test_a_server_that_always_drops_at_the_same_place_is_given_up(self):
        self.hub.with_ranges = False
        self.hub.drop_after = [200_000] * 20
        result = self.fetch_weights("--retries", "1")
        self.assert_failed(result, "dropped", "(2 attempts", "are kept in")
        self.assertEqual(len(self.ranges()), 3)

    def test_a_busy_server_is_asked_again(self):
        self.hub.list_statuses = [503]
        self.hub.statuses = [503, 429]
        self.assert_exit(self.fetch_weights(), 0)
        self.assert_weights()

    def start_stalled(self):
        self.hub.stall_after = 200_000
        process = self.start_program("fetch", "hf:o/n", "--to", "to", "--include", "*.bin")
        part = self.to / "weights.bin.part"
        end = time.monotonic() + 60
        while not part.exists() or part.stat().st_size < 200_000:
            self.assertLess(time.monotonic(), end, "the download does not start")
            time.sleep(0.02)
        return process

    def assert_goes_on(self):
        self.assertFalse((self.to / "weights.bin").exists())
        self.hub.stall_after = None
        self.assert_exit(self.fetch_weights(), 0)
        self.assertEqual(self.ranges(), [None, "bytes=200000-"])
        self.assert_weights()

    def test_an_interrupt_keeps_the_part(self):
        process = self.start_stalled()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, error)
        self.assertIn("the same command goes on", error)
        self.assert_goes_on()

    def test_a_kill_keeps_the_part(self):
        process = self.start_stalled()
        second = self.fetch_weights()
        self.assert_failed(second, "another process")
        self.hub.requests.clear()
        self.hub.requests.append((f"/o/n/resolve/{COMMIT}/weights.bin", {}))
        process.kill()
        process.wait()
        self.assert_goes_on()


class Failing(FetchTest):
    def test_a_wrong_sum_is_shown_beside_the_right_one_and_the_file_removed(self):
        self.hub.sums["weights.bin"] = "ab" * 32
        self.assert_failed(self.fetch_weights(), "its sha256 is ", "expected " + "ab" * 32, "weights.bin")
        self.assertEqual(self.there(), [".ridgeline-fetch.json"])

    def test_a_download_that_brought_nothing_leaves_nothing(self):
        result = self.run_program("fetch", "resnet18-weights", "--to", "to", "--url", "http://127.0.0.1:9/", "--retries", "0")
        self.assert_failed(result, "resnet18-f37072fd.pth")
        self.assertEqual(self.there(), [])

    def test_no_folder_is_no_folder(self):
        result = self.run_program("fetch", "cifar10", "--to", "")
        self.assert_refused(result, 2, "--to", "names no folder")

    def test_a_mirror_of_something_else_is_noticed(self):
        self.hub.files["cifar-10-python.tar.gz"] = b"<html>"
        result = self.run_program("fetch", "cifar10", "--to", "to", "--url", self.hub.url + "/")
        self.assert_failed(result, "6 bytes came, 170498071 expected")
        self.hub.files["resnet18-f37072fd.pth"] = b"<html>"
        result = self.run_program("fetch", "resnet18-weights", "--to", "to", "--url", self.hub.url + "/")
        self.assert_failed(result, "sha256", "expected f37072fd")
        self.assertEqual(self.there(), [])

    def test_404_names_the_url(self):
        url = self.hub.url + "/gone.pth"
        result = self.run_program("fetch", "resnet18-weights", "--to", "to", "--url", url)
        self.assert_failed(result, url, "404 Not Found")
        self.assert_failed(self.run_program("fetch", "hf:o/none", "--to", "to"), "/api/models/o/none/", "404")
        self.assertEqual(len(self.hub.requests), 2)

    def test_a_larger_file_than_listed_is_stopped(self):
        self.hub.with_length = False
        listed = self.hub.listing()
        self.hub.listing = lambda: listed
        self.hub.files["weights.bin"] = WEIGHTS + b"x" * 100_000
        self.assert_failed(self.fetch_weights(), "larger than the 700000 bytes")

    def test_names_that_climb_out_are_refused(self):
        for name in ("../escaped.txt", "/etc/escaped", "deep/../../escaped.txt"):
            self.hub.names = ["config.json", name]
            self.assert_failed(self.fetch(), "leaves the folder", name)
        self.assertEqual([path.name for path in self.folder.rglob("*")], [])

    def test_a_list_that_is_none_is_refused(self):
        self.hub.listing = lambda: b'{"siblings": 3}'
        self.assert_failed(self.fetch(), "list of files")

    def test_a_full_disk_is_said_and_the_part_goes_on_later(self):
        self.hub.with_length = False  # so that only writing can tell
        process = subprocess.run(
            [self.program, "fetch", "hf:o/n", "--to", "to", "--include", "*.bin"], cwd=self.folder,
            env=self.environment(), capture_output=True, text=True, timeout=300, restore_signals=False,
            preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))))
        self.assert_failed(process, "cannot write", "weights.bin.part")
        self.assertFalse((self.to / "weights.bin").exists())
        self.assert_exit(self.fetch_weights(), 0)
        self.assertEqual(self.ranges()[-1], "bytes=400000-")
        self.assert_weights()

    def test_too_small_a_disk_is_said_before_the_bytes_come(self):
        self.to.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(self.to)], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no right to mount a small disk")
        self.addCleanup(subprocess.run, ["umount", str(self.to)], check=True)
        self.assert_failed(self.fetch_weights(), "no space", "KiB free")

    def test_plain_http_where_tls_is_expected(self):
        self.assert_failed(self.fetch(HF_ENDPOINT=self.hub.url.replace("http:", "https:")), "TLS: ")

    def test_no_such_host(self):
        self.assert_failed(self.fetch(HF_ENDPOINT="http://nowhere.invalid"), "http://nowhere.invalid/", "resolve")

    def test_bad_usage(self):
        for arguments in (["fetch", "cifar11", "--to", "x"], ["fetch", "cifar10"], ["fetch", "hf:a/b/c", "--to", "x"],
                          ["fetch", "cifar10", "--to", "x", "--url", "file:///etc/passwd"],
                          ["fetch", "cifar10", "--to", "x", "--layout", "zip"]):
            self.assert_exit(self.run_program(*arguments), 2)


class Trusting(FetchTest):
    def authorisations(self, hub):
        return [headers.get("Authorization") for _, headers in hub.requests]

    def test_the_token_goes_to_the_endpoint_and_not_where_it_redirects(self):
        other = self.new_hub()
        self.hub.redirect_to = other.url
        self.assert_exit(self.fetch_weights(HF_TOKEN="secret"), 0)
        self.assert_weights()
        self.assertEqual(self.authorisations(self.hub), ["Bearer secret", "Bearer secret"])
        self.assertEqual(self.authorisations(other), [None])

    def test_the_token_stays_with_its_origin_alone(self):
        # Another name for the same machine is another host.
        self.hub.redirect_to = self.hub.url.replace("127.0.0.1", "localhost")
        self.assert_failed(self.fetch_weights(HF_TOKEN="secret"), "redirects")
        self.assertEqual(self.authorisations(self.hub)[2:], [None] * 10)

    def test_the_token_is_for_the_hub_alone(self):
        self.hub.files["resnet18-f37072fd.pth"] = b"x"
        self.run_program("fetch", "resnet18-weights", "--to", "to", "--url", self.hub.url + "/", HF_TOKEN="secret")
        self.assertEqual(self.authorisations(self.hub), [None])

    def test_only_http_is_followed(self):
        self.hub.redirect_to = "file://"
        self.assert_failed(self.fetch_weights(), "only http and https")


if __name__ == "__main__":
    unittest.main()
