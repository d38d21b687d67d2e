"""The local app while tests talk to it."""

from __future__ import annotations

import json
import threading
from http.client import HTTPConnection

import pytest

from treewright import DecisionTreeClassifier, datasets, edit
from treewright.explorer.server import ExplorerServer


class running:  # noqa: N801  # reads as what it does
    """A server that answers while one is inside."""

    def __init__(self, server: ExplorerServer) -> None:
        self.server = server

    def __enter__(self) -> ExplorerServer:
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()
        return self.server

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def ask(server, path="/", message=None, headers=(), *, own=True, body=None):
    """Send a request as the page would, with some headers changed; None leaves one out."""
    host = f"127.0.0.1:{server.server_port}"
    sent: dict[str, str | None] = {"Host": host}
    if message is not None or body is not None:
        sent |= {
            "Origin": f"http://{host}",
            "Content-Type": "application/json",
            "Sec-Fetch-Site": "same-origin",
        }
    if own:
        sent["Cookie"] = f"{server.cookie}={server.session}"
    sent |= dict(headers)
    content = body if body is not None else None if message is None else json.dumps(message).encode()
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=300)
    connection.putrequest("GET" if content is None else "POST", path, skip_host=True)
    if content is not None:
        sent.setdefault("Content-Length", str(len(content)))
    for name, value in sent.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(content)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, answer.headers


@pytest.fixture(name="server")
def server_of_irises(tmp_path):
    X, y = datasets.load_iris()
    editor = edit(DecisionTreeClassifier().fit(X[::2], y[::2]), X[::2], y[::2], validation=(X[1::2], y[1::2]))
    with running(
        ExplorerServer(editor, save_to=tmp_path / "edited.tw", log_to=tmp_path / "log.jsonl")
    ) as server:
        yield server
