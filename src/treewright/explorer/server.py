"""Server: the explorer with live editing, for whoever sits at this machine and nobody else.

It listens on the loopback address, unless it is told twice to listen elsewhere. A random token, valid once,
stands in the fragment of the address that is opened, which browsers do not send; the page hands it in for a
cookie. Every request must name this host, and every message must come from this page as JSON: other pages in
the same browser can send requests to this machine, and make their own name point at it (DNS rebinding, as in
GHSA-9h52-p55h-vw2f).
"""

from __future__ import annotations

import json
import secrets
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Mapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TextIO

from treewright.explorer.content import content_of, tree_content
from treewright.explorer.editor import EDITS, Editor, edit
from treewright.explorer.page import asset, content_hash, filled, policy, write_page

LARGEST_MESSAGE = 10_000_000
SECONDS_TO_SPEAK = 30
JSON = "application/json"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("", "0.0.0.0", "::")


class RefusedError(Exception):
    """A request that is not answered, with the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class IdleError(Exception):
    """Nobody has asked for anything for as long as was agreed."""


class ExplorerServer(ThreadingHTTPServer):
    """Serves the explorer of one tree on the loopback address, at a free port.

    Parameters
    ----------
    editor : Editor
        The tree and its rows.
    save_to, log_to : path or None
        Where the model is saved when the reader asks for it, and where every edit is written down.
    cv, max_rows, title
        As for `treewright.explore`.
    port : int
        0 takes a free one.
    host : str
        The address to listen at, and the only name that requests may ask for.
    allow_remote : bool
        Another address than this machine's own to itself needs this word, too.
    idle_minutes : float or None
        End when nobody has asked for anything for so long; None never does.
    """

    daemon_threads = True

    def __init__(
        self,
        editor: Editor,
        *,
        save_to: str | PathLike[str] | None = None,
        log_to: str | PathLike[str] | None = None,
        cv: int | None = None,
        max_rows: int = 1000,
        title: str | None = None,
        port: int = 0,
        host: str = "127.0.0.1",
        allow_remote: bool = False,
        idle_minutes: float | None = None,
    ) -> None:
        _check_address(host, allow_remote)
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Handler)
        self.host, self.idle_minutes, self.last_asked = host, idle_minutes, time.monotonic()
        self.editor, self.start = editor, {"leaves": editor.tree.n_leaves, "risk": editor.risk}
        self.save_to, self.log_to = save_to, log_to
        self.cv, self.max_rows, self.title = cv, max_rows, title
        self.token: str | None = secrets.token_urlsafe(32)
        self.session = secrets.token_urlsafe(32)
        self.lock = threading.Lock()  # one edit at a time

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

    def page(self) -> str:
        """Write the page of the tree as it is now."""
        with self.lock:
            editor = self.editor
        content = content_of(editor.explored, cv=self.cv, max_rows=self.max_rows, title=self.title)
        return write_page(content | self._live(editor), live=True)

    def tree(self) -> str:
        """Write the tree as it is now, for a page that has the rest."""
        with self.lock:
            editor = self.editor
        return json.dumps(tree_content(editor.explored, self.cv) | self._live(editor))

    def _live(self, editor: Editor) -> dict[str, Any]:
        state = {
            "log": editor.log,
            "start": self.start,
            "undo": bool(editor.past),
            "redo": bool(editor.future),
            "saves": self.save_to is not None,
        }
        return {"live": state}

    def admit(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Let in who has the token, once."""
        with self.lock:
            given = message.get("token")
            if self.token is None or not isinstance(given, str) or not _same(given, self.token):
                raise RefusedError(HTTPStatus.FORBIDDEN, "the token is wrong, or was used before")
            self.token = None
        return {}

    def edit(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Change the tree, and write down what was done.

        A message that says after how many edits it was written is refused if there were others since: the
        nodes of another page's tree have other numbers.
        """
        if message.get("edit") not in EDITS:
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"edit must be one of {', '.join(EDITS)}")
        given = {name: value for name, value in message.items() if name != "after"}
        with self.lock:
            if message.get("after", len(self.editor.log)) != len(self.editor.log):
                raise RefusedError(
                    HTTPStatus.CONFLICT, "the tree was edited elsewhere: here it is as it is now"
                )
            try:
                self.editor = self.editor.replay([given])
            except (ValueError, TypeError) as error:
                raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error
            entry = self.editor.log[-1]
            if self.log_to is not None:
                with Path(self.log_to).open("a", encoding="utf-8") as log:
                    log.write(json.dumps(entry) + "\n")
        return dict(entry)

    def save(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Save the edited model where whoever started the server said."""
        if self.save_to is None or not hasattr(self.editor.model, "save"):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "no file was named to save the model to")
        with self.lock:
            self.editor.fitted().save(self.save_to)
        return {"path": fspath(self.save_to)}


class _Handler(BaseHTTPRequestHandler):
    """Answers one request, after looking at who asks."""

    server: ExplorerServer
    timeout = SECONDS_TO_SPEAK
    server_version, sys_version = "treewright", ""

    def do_GET(self) -> None:  # the name that http.server calls
        """Give the page to who was let in, and the door to others."""
        try:
            self._check_host()
            if self.path not in ("/", "/tree"):
                raise RefusedError(HTTPStatus.NOT_FOUND, "there is only one page")
            if self.path == "/tree":
                self._check_known()
                self._answer(HTTPStatus.OK, self.server.tree(), JSON)
            elif self._is_known():
                self._answer(HTTPStatus.OK, self.server.page(), "text/html", policy(live=True))
            else:
                self._answer(HTTPStatus.OK, *_door())
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
            does = {"/edit": self.server.edit, "/save": self.server.save}.get(self.path)
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
        if not length.isdigit() or int(length) > LARGEST_MESSAGE:
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


def _door() -> tuple[str, str, str]:
    """Give the page for who is not known yet, its kind and its policy."""
    script = asset("door.js")
    policy = f"default-src 'none'; script-src {content_hash(script)}; img-src data:; connect-src 'self'"
    return filled(asset("door.html"), {"script": script}), "text/html", policy


def _check_address(host: str, allow_remote: bool) -> None:
    if host in LOOPBACK:
        return
    if host in EVERYWHERE:
        raise ValueError(f"host={host!r} must be one address of this machine, such as 192.168.1.5.")
    if not allow_remote:
        raise ValueError(f"host={host!r} lets other machines in: allow_remote=True says that this is meant.")


def _same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def serve(
    model: Any,
    X: Any,
    y: Any,
    *,
    validation: tuple[Any, Any] | None = None,
    save_to: str | PathLike[str] | None = None,
    log_to: str | PathLike[str] | None = None,
    cv: int | None = None,
    max_rows: int = 1000,
    title: str | None = None,
    port: int = 0,
    host: str = "127.0.0.1",
    allow_remote: bool = False,
    idle_minutes: float | None = None,
    open_browser: bool = True,
) -> Editor:
    """Explore and edit a tree in the browser, served from this machine to this machine; Ctrl-C ends it.

    Parameters
    ----------
    model : fitted estimator or Tree
        The tree to start from; it stays as it is.
    X, y : table and target
        The rows that it was grown on.
    validation : pair of a table and a target, optional
        Rows that it was not grown on, by which edits are judged.
    save_to : path, optional
        Where the edited model is saved when the reader asks for it.
    log_to : path, optional
        A file to which every edit is added, a line of JSON each; `Editor.replay` does them again.
    cv, max_rows, title
        As for `treewright.explore`.
    port : int, default=0
        The port to listen at; 0 takes a free one.
    host : str, default="127.0.0.1"
        The address to listen at. What is sent to another machine is not encrypted.
    allow_remote : bool, default=False
        Must be True for any address but this machine's own to itself.
    idle_minutes : float, optional
        End when nobody has asked for anything for so long.
    open_browser : bool, default=True
        Whether to open the page; its address is printed in any case.

    Returns
    -------
    Editor
        The tree as it was left, with the log of all edits.
    """
    editor = edit(model, X, y, validation=validation).within_reach()
    listening: dict[str, Any] = {"host": host, "allow_remote": allow_remote, "idle_minutes": idle_minutes}
    settings: dict[str, Any] = {"cv": cv, "max_rows": max_rows, "title": title, "port": port}
    with ExplorerServer(editor, save_to=save_to, log_to=log_to, **settings, **listening) as server:
        run(server, open_browser=open_browser)
        return server.editor


def run(server: ExplorerServer, *, open_browser: bool, answers: TextIO | None = None) -> None:
    """Print the address, on `answers` if given, open it if asked to, and answer requests until Ctrl-C."""
    print(f"Exploring at {server.address}\nCtrl-C ends it.", flush=True, file=answers)
    if open_browser and not webbrowser.open(server.address):
        print("No browser could be opened: open the address in one.", flush=True, file=answers)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    except IdleError:
        print("Nobody asked for anything: the explorer has ended.", flush=True, file=answers)
