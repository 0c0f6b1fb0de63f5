"""A Hub on this machine for the tests of `fetch`: well-behaved, or with one fault at a time."""

import hashlib
import http.server
import json
import threading
import time

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """Serves `files` as the model o/n. Faults are set by the test before the program runs."""

    def __init__(self, files):
        self.files = files
        self.requests = []  # (method path, headers) in order
        self.names = list(files)  # what the list claims
        self.sums = {}  # name -> sha256 that the list claims, where it should be wrong
        self.etag = '"v1"'
        self.with_ranges = True
        self.with_length = True
        self.drop_after = []  # bytes after which each of the next answers breaks off
        self.stall_after = None  # bytes after which an answer hangs
        self.statuses = []  # of the next answers for files
        self.list_statuses = []  # of the next lists
        self.redirect_to = None  # files lie at another origin
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                hub.requests.append((self.path, dict(self.headers)))
                hub.answer(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *arguments: None  # clients break off; that is what is tested
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.stop = threading.Event()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()

    def file_requests(self):
        return [(path, headers) for path, headers in self.requests if "/api/" not in path]

    def listing(self):
        siblings = []
        for name in self.names:
            content = self.files.get(name, b"")
            entry = {"rfilename": name, "size": len(content)}
            if name.endswith(".bin"):
                sum_ = self.sums.get(name, hashlib.sha256(content).hexdigest())
                entry["lfs"] = {"sha256": sum_, "size": len(content), "pointerSize": 130}
            siblings.append(entry)
        return json.dumps({"id": "o/n", "sha": COMMIT, "siblings": siblings}).encode()

    def answer(self, handler):
        path = handler.path.split("?")[0]
        if path.startswith("http://"):  # as a proxy gets it
            path = "/" + path.split("/", 3)[3]
        if path == "/api/models/o/n/revision/main":
            if self.list_statuses:
                return self.send(handler, self.list_statuses.pop(0), b"busy")
            return self.send(handler, 200, self.listing())
        name = path.rsplit(f"/o/n/resolve/{COMMIT}/", 1)[-1] if "/resolve/" in path else path.rsplit("/", 1)[-1]
        if name not in self.files:
            return self.send(handler, 404, b"Entry not found")
        if self.redirect_to:
            handler.send_response(302)
            handler.send_header("Location", f"{self.redirect_to}/cdn/{name}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return None
        if self.statuses:
            return self.send(handler, self.statuses.pop(0), b"busy", **{"Retry-After": "0"})
        return self.send_file(handler, self.files[name])

    def send_file(self, handler, content):
        wanted = handler.headers.get("Range")
        version = handler.headers.get("If-Range")
        extra = {"ETag": self.etag} if self.etag else {}
        if not wanted or not self.with_ranges or (version and version != self.etag):
            return self.send(handler, 200, content, **extra)
        start = int(wanted.removeprefix("bytes=").rstrip("-"))
        if start >= len(content):
            return self.send(handler, 416, b"", **{"Content-Range": f"bytes */{len(content)}"})
        extra["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        return self.send(handler, 206, content[start:], **extra)

    def send(self, handler, status, body, **headers):
        handler.send_response(status)
        if self.with_length or status != 200 or body[:1] == b"{":
            handler.send_header("Content-Length", str(len(body)))
        else:
            handler.send_header("Connection", "close")
            handler.close_connection = True
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        if status in (200, 206) and body[:1] != b"{":
            if self.drop_after:
                handler.wfile.write(body[:self.drop_after.pop(0)])
                handler.wfile.flush()
                handler.close_connection = True
                handler.connection.shutdown(2)
                return
            if self.stall_after is not None:
                handler.wfile.write(body[:self.stall_after])
                handler.wfile.flush()
                while not self.stop.is_set() and self.stall_after is not None:
                    time.sleep(0.02)
                handler.close_connection = True
                return
        handler.wfile.write(body)
