"""Local web server: one page on this machine, protected by a token, and the requests it may make.

It listens on the loopback address, unless it is told twice to listen elsewhere. A random token, valid once,
stands in the fragment of the address that is opened, which browsers do not send; the page hands it in for a
cookie. Every request must name this host, and every message must come from this page as JSON: other pages in
the same browser can send requests to this machine, and make their own name point at it (DNS rebinding, as in
GHSA-9h52-p55h-vw2f).
"""

from __future__ import annotations

import errno
import json
import re
import secrets
import socket
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from treewright.errors import AddressError
from treewright.explorer.bundle import asset
from treewright.explorer.page import content_hash, filled
from treewright.parameter_types import is_whole

LARGEST_MESSAGE = 10_000_000
SECONDS_TO_SPEAK = 30
JSON = "application/json"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("", "0.0.0.0", "::")

Message = Mapping[str, Any]
Answer = dict[str, Any]


class RefusedError(Exception):
    """A request that is not answered, with the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class IdleError(Exception):
    """Nobody has asked for anything for as long as was agreed."""


class LocalServer(ThreadingHTTPServer, ABC):
    """Serves one page on the loopback address.

    Parameters
    ----------
    port : int
        0 takes a free one.
    host : str
        The address to listen at, and the only name that requests may ask for.
    allow_remote : bool
        Another address than this machine's own to itself needs this word, too.
    idle_minutes : float or None
        End when nobody has asked for anything for so long; None never does.

    Attributes
    ----------
    does : dict of paths to functions
        What the page may ask to be done.
    """

    daemon_threads = True

    def __init__(
        self,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        allow_remote: bool = False,
        idle_minutes: float | None = None,
    ) -> None:
        _check_address(host, port, allow_remote)
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), _Handler)
        except OSError as problem:
            raise AddressError(_why(problem, host, port)) from None
        self.host, self.idle_minutes, self.last_asked = host, idle_minutes, time.monotonic()
        self.token: str | None = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)
        self.admitting = threading.Lock()
        self.does: dict[str, Callable[[Message], Answer]] = {}

    @abstractmethod
    def page(self) -> tuple[str, str, str]:
        """Give the page as it is now, its kind and its policy."""

    @abstractmethod
    def read(self, path: str) -> str | None:
        """Give what the page may ask for besides itself, as JSON; None if there is nothing."""

    @property
    def address(self) -> str:
        """What to open: with the token, which is good for one visitor."""
        return f"http://{self.hosts[0]}/#token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which a browser may know the server, with the port."""
        names = (self.host, *LOOPBACK) if self.host in LOOPBACK else (self.host,)
        bracketed = (f"[{name}]" if ":" in name else name for name in dict.fromkeys(names))
        return tuple(f"{name}:{self.server_port}" for name in bracketed)

    @property
    def cookie(self) -> str:
        """The name of the cookie: several explorers may run side by side."""
        return f"treewright_{self.server_port}"

    def service_actions(self) -> None:
        """End when nobody has asked for long; called between requests."""
        if self.idle_minutes is not None and time.monotonic() - self.last_asked > 60 * self.idle_minutes:
            raise IdleError

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of visitors who leave before they have their answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def admit(self, message: Message) -> None:
        """Let in who has the token, once."""
        with self.admitting:
            given = message.get("token")
            if self.token is None or not isinstance(given, str) or not _same(given, self.token):
                raise RefusedError(HTTPStatus.FORBIDDEN, "the token is wrong, or was used before")
            self.token = None


class _Handler(BaseHTTPRequestHandler):
    """Answers one request, after looking at who asks."""

    server: LocalServer
    timeout = SECONDS_TO_SPEAK
    server_version, sys_version = "treewright", ""

    def do_GET(self) -> None:  # the name that http.server calls
        """Give the page to who was let in, and the one to sign in with to others."""
        try:
            self._check_host()
            if self.path == "/":
                self._answer(HTTPStatus.OK, *(self.server.page() if self._is_known() else _sign_in()))
                return
            self._check_known()
            content = self.server.read(self.path)
            if content is None:
                raise RefusedError(HTTPStatus.NOT_FOUND, "there is only one page")
            self._answer(HTTPStatus.OK, content, JSON)
        except RefusedError as refused:
            self._refuse(refused)

    def do_POST(self) -> None:
        """Do what a message of the page asks for."""
        try:
            self._check_host()
            self._check_origin()
            message = self._message()
            if self.path == "/session":
                self.server.admit(message)
                cookie = f"{self.server.cookie}={self.server.session}; HttpOnly; SameSite=Strict; Path=/"
                self._answer(HTTPStatus.OK, "{}", JSON, cookie=cookie)
                return
            self._check_known()
            does = self.server.does.get(self.path)
            if does is None:
                raise RefusedError(HTTPStatus.NOT_FOUND, "nothing listens there")
            self._answer(HTTPStatus.OK, json.dumps(does(message)), JSON)
        except RefusedError as refused:
            self._refuse(refused)

    # ---- who asks

    def _check_host(self) -> None:
        self.server.last_asked = time.monotonic()
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            raise RefusedError(HTTPStatus.FORBIDDEN, "the request was meant for another host")

    def _check_origin(self) -> None:
        origin, site = self.headers.get("Origin"), self.headers.get("Sec-Fetch-Site")
        own = {f"http://{host}" for host in self.server.hosts}
        if origin not in own or site not in (None, "same-origin"):
            raise RefusedError(HTTPStatus.FORBIDDEN, "the message comes from another page")

    def _check_known(self) -> None:
        if not self._is_known():
            raise RefusedError(HTTPStatus.FORBIDDEN, "this explorer was started by somebody else")

    def _is_known(self) -> bool:
        try:
            given = SimpleCookie(self.headers.get("Cookie", "")).get(self.server.cookie)
        except CookieError:
            return False
        return given is not None and _same(given.value, self.server.session)

    def _message(self) -> dict[str, Any]:
        if self.headers.get_content_type() != JSON:
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "messages are JSON")
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > LARGEST_MESSAGE:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the message is too long, or does not say how long"
            )
        try:
            message = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the message is no JSON") from error
        if not isinstance(message, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the message is no JSON object")
        return message

    # ---- answers

    def _answer(
        self,
        status: HTTPStatus,
        body: str,
        kind: str,
        own_policy: str = "default-src 'none'",
        cookie: str = "",
    ) -> None:
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", f"{own_policy}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, refused: RefusedError) -> None:
        self.close_connection = True
        self._answer(refused.status, json.dumps({"error": str(refused)}), JSON)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: the log of edits is what matters."""


def _sign_in() -> tuple[str, str, str]:
    """Give the page for who is not known yet, its kind and its policy."""
    script = asset("sign_in.js")
    policy = f"default-src 'none'; script-src {content_hash(script)}; img-src data:; connect-src 'self'"
    return filled(asset("sign_in.html"), {"script": script}), "text/html", policy


def refuse_taken(host: str, port: int, allow_remote: bool) -> None:
    """Say at once, and not after long work, that an address cannot be listened at."""
    _check_address(host, port, allow_remote)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family):
            pass
    except OSError as problem:
        raise AddressError(_why(problem, host, port)) from None


def _why(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return f"cannot listen at {host}, port {port}: another program does; port 0 takes a free one."
    return f"cannot listen at {host}, port {port}: {(problem.strerror or str(problem)).lower()}."


def _check_address(host: str, port: int, allow_remote: bool) -> None:
    if not is_whole(port) or not 0 <= port <= 65535:
        raise ValueError(f"port={port!r} must be an int from 0 to 65535.")
    if host in LOOPBACK:
        return
    if host in EVERYWHERE:
        raise ValueError(f"host={host!r} must be one address of this machine, such as 192.168.1.5.")
    if not allow_remote:
        raise ValueError(f"host={host!r} lets other machines in: allow_remote=True says that this is meant.")


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(errors="surrogatepass"), secret.encode())
