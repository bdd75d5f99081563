"""A reverse proxy that strips a prefix, as many put in front of a service."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP_BY_HOP = ("connection", "keep-alive", "transfer-encoding")


@contextmanager
def proxied(url: str, prefix: str) -> Iterator[str]:
    """The address of the service at `url`, under a prefix on another port; all else there is a 404 without a word."""
    host = urlsplit(url).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _forward(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length", 0)))
            if not self.path.startswith(f"{prefix}/"):
                self.send_response(404)
                self.send_header("content-length", "0")
                self.end_headers()
                return
            upstream = HTTPConnection(host, timeout=30)
            upstream.request(self.command, self.path.removeprefix(prefix), content, dict(self.headers.items()))
            answer = upstream.getresponse()
            body = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name not in HOP_BY_HOP:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            upstream.close()

        do_GET = do_HEAD = do_POST = _forward  # noqa: N815 what http.server looks for

        def log_message(self, *_: object) -> None:
            """Nothing: its words would stand among those of the tests."""

    with served(Handler) as address:
        yield f"{address}{prefix}"


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a little server on a free port of the loopback interface."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
