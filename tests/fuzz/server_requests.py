"""Requests to the local server, odd in every part: an answer with a status, never a traceback or a file."""

from __future__ import annotations

import contextlib
import io
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from helpers.serving import running
from treewright import DecisionTreeClassifier, datasets, edit
from treewright.explorer.server import ExplorerServer

METHODS = [
    b"GET",
    b"POST",
    b"POST",
    b"POST",
    b"PUT",
    b"HEAD",
    b"OPTIONS",
    b"",
    b"GE T",
    b"\xff",
    b"A" * 70_000,
]
PATHS = ["/", "/session", "/edit", "/edit", "/edit", "/save", "/content", "/../../etc/passwd", "//", "/%00"]
PATHS += ["/" + "a" * 70_000, "http://evil.example/", "*", "/edit?x=1", "\x00", "/é"]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    5,
    10**30,
    1.5,
    1e308,
    "",
    "undo",
    "x0",
    "\ud800",
    "a" * 9999,
    [],
    {},
]
VALUES += [[1, 2], {"node": 0}, [[[]]], "petal length", "setosa"]
KEYS = [
    "edit",
    "node",
    "feature",
    "threshold",
    "branch",
    "token",
    "path",
    "alpha",
    "pruner",
    "row",
    "X",
    "values",
]
EDITS = ["undo", "redo", "collapse", "split", "prune", "reset", "label", "grow", "raise", "note", "threshold"]
HEADERS = [b"Host: evil.example", b"Origin: http://evil.example", b"Content-Length: -1", b"Content-Length: 5"]
HEADERS += [
    b"Content-Length: 99999999999",
    b"Transfer-Encoding: chunked",
    b"Content-Type: text/plain",
    b":",
    b"x",
]
HEADERS += [
    b"Cookie: a=b",
    b"Cookie: \xff\xfe",
    b"Expect: 100-continue",
    b"X: " + b"y" * 70_000,
    b" folded: 1",
]
HEADERS += [b"Sec-Fetch-Site: cross-site", b"Content-Type: application/json; charset=utf-16", b"Host:"]


@dataclass(frozen=True)
class Request:
    """What is sent; `own` has the page's cookie and headers."""

    method: bytes
    path: str
    body: bytes
    headers: tuple[bytes, ...]
    own: bool

    def simpler(self) -> Iterator[Request]:
        """The request without a header or its body."""
        for at in range(len(self.headers)):
            yield replace(self, headers=self.headers[:at] + self.headers[at + 1 :])
        if self.body:
            yield replace(self, body=b"")
            yield replace(self, body=b"{}")

    def code(self) -> str:
        """Send it again."""
        return f"from fuzz.server_requests import *  # with tests/ on the path\nprint(check({self!r}))"


def random_request(seed: int) -> Request:
    """A request as the page sends them, or as nobody should."""
    random = np.random.default_rng(seed)

    def one(values: Any) -> Any:
        return values[int(random.integers(len(values)))]

    message = {str(one(KEYS)): one(VALUES) for _ in range(int(random.integers(0, 4)))}
    if random.random() < 0.7:
        message["edit"] = one(EDITS)
    body = json.dumps(message).encode()
    if random.random() < 0.15:
        body = one(
            [b"", b"{", b"[" * 5000, b"\xff", b"null", b"1e999", b'{"edit": NaN}', body + b"}", body[:-3]]
        )
    headers = tuple(one(HEADERS) for _ in range(int(random.choice([0, 0, 0, 1, 2]))))
    method = b"POST" if random.random() < 0.6 else one(METHODS)
    return Request(method, one(PATHS), body, headers, own=bool(random.random() < 0.8))


class _Server:
    """One server for all requests of a run."""

    def __init__(self) -> None:
        X, y = datasets.load_iris()
        editor = edit(DecisionTreeClassifier().fit(X, y), X, y)
        self.running = running(ExplorerServer(editor))
        self.server = self.running.__enter__()


@lru_cache(1)
def server() -> _Server:
    """Start the server."""
    return _Server()


def stop() -> None:
    """Stop the server, if it runs."""
    if server.cache_info().currsize:
        server().running.__exit__()
        server.cache_clear()


def _send(request: Request, at: Any) -> bytes:
    host = f"127.0.0.1:{at.server_port}".encode()
    lines = [request.method + b" " + request.path.encode("utf-8", "surrogatepass") + b" HTTP/1.1"]
    if request.own:
        lines += [b"Host: " + host, b"Origin: http://" + host, b"Sec-Fetch-Site: same-origin"]
        lines += [b"Content-Type: application/json", f"Cookie: {at.cookie}={at.session}".encode()]
    if not any(header.startswith((b"Content-Length", b"Transfer")) for header in request.headers):
        lines.append(b"Content-Length: %d" % len(request.body))
    lines += [*request.headers, b"Connection: close", b"", b""]
    answer = b""
    connection = socket.create_connection(("127.0.0.1", at.server_port), timeout=20)
    with connection, contextlib.suppress(ConnectionError):  # it may have hung up already
        connection.sendall(b"\r\n".join(lines) + request.body)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        while piece := connection.recv(65536):
            answer += piece
    return answer


def check(request: Request) -> str | None:
    """Say what an answer has that it must not, or what was printed."""
    at = server().server
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown), contextlib.redirect_stdout(shown):
        try:
            answer = _send(request, at)
        except TimeoutError:
            return "no answer"
    if shown.getvalue():
        return f"on the terminal: {shown.getvalue()[:500]}"
    status = answer.partition(b"Error code: ")[2][:3] if answer.startswith(b"<") else answer[9:12]
    if answer and (not status.isdigit() or (int(status) >= 500 and int(status) not in (501, 505))):
        return f"status {answer[:200]!r}"
    if not request.own and request.path not in ("/", "/session") and status == b"200":
        return "a stranger was answered"
    if b"Traceback" in answer or b"root:x:0" in answer:
        return "the answer tells too much"
    return None
