"""The local app: who is let in, what is refused, and that edits in the browser are edits of the tree."""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
from http.client import HTTPConnection

import pytest

from treewright import DecisionTreeClassifier, ID3Classifier, datasets, edit, load
from treewright.explorer.server import ExplorerServer, run

CHROMIUM = (
    os.environ.get("TREEWRIGHT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)


@pytest.fixture(name="server")
def _server(tmp_path):
    X, y = datasets.load_iris()
    editor = edit(DecisionTreeClassifier().fit(X[::2], y[::2]), X[::2], y[::2], validation=(X[1::2], y[1::2]))
    with running(
        ExplorerServer(editor, save_to=tmp_path / "edited.tw", log_to=tmp_path / "log.jsonl")
    ) as server:
        yield server


@pytest.fixture(name="irises", scope="module")
def _irises():
    X, y = datasets.load_iris()
    return edit(DecisionTreeClassifier().fit(X, y), X, y)


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
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
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


# ---- who is let in ---------------------------------------------------------------------------------------


def test_it_listens_to_this_machine_only(server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    for family, address in ((socket.AF_INET, "127.0.0.2"),):
        with socket.socket(family) as other, pytest.raises(OSError, match="refused"):
            other.connect((address, server.server_port))


def test_the_token_opens_once_and_the_cookie_is_out_of_reach(server) -> None:
    token = server.address.partition("#token=")[2]
    status, text, _ = ask(server, own=False)
    assert status == 200
    assert "petal" not in text  # the door shows nothing of the tree
    assert ask(server, "/session", {"token": "guess"}, own=False)[0] == 403
    status, _, headers = ask(server, "/session", {"token": token}, own=False)
    assert status == 200
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert ask(server, "/session", {"token": token}, own=False)[0] == 403
    status, text, _ = ask(server, own=False, headers={"Cookie": cookie.partition(";")[0]})
    assert "petal length" in text


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example:{port}", "127.0.0.1", "0.0.0.0:{port}", "127.0.0.1:1", "", None],
)
def test_another_host_is_refused(server, host) -> None:
    name = host if host is None else host.format(port=server.server_port)
    assert ask(server, headers={"Host": name})[0] == 403
    assert ask(server, "/edit", {"edit": "undo"}, {"Host": name})[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": None},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Cookie": None},
        {"Cookie": "treewright_1=guess"},
        {"Cookie": '"; bad=\x7f'},
    ],
    ids=str,
)
def test_messages_of_other_pages_are_refused(server, headers) -> None:
    given = {name: value and value.format(port=server.server_port) for name, value in headers.items()}
    assert ask(server, "/edit", {"edit": "prune", "node": 0}, given)[0] == 403
    assert len(server.editor.log) == 0


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"headers": {"Content-Type": "text/plain"}}, 415),
        ({"headers": {"Content-Type": "application/x-www-form-urlencoded"}}, 415),
        ({"headers": {"Content-Length": "99999999999"}}, 413),
        ({"headers": {"Content-Length": "-1"}}, 413),
        ({"body": b"{"}, 400),
        ({"body": b"[]"}, 400),
        ({"body": b"[" * 100_000}, 400),
        ({"body": b"\xff\xfe"}, 400),
    ],
    ids=str,
)
def test_bad_messages_are_refused(server, change, status) -> None:
    settings = {"message": {"edit": "undo"}} | change
    assert ask(server, "/edit", **settings)[0] == status


def test_answers_carry_the_policy_and_no_leave_for_others(server) -> None:
    _, _, headers = ask(server)
    policy = headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not [name for name in headers if name.lower().startswith("access-control")]


def test_the_tree_is_for_who_was_let_in(server) -> None:
    status, text, headers = ask(server, "/tree")
    assert status == 200
    assert headers["Content-Type"].startswith("application/json")
    assert len(json.loads(text)["tree"]["parent"]) == len(server.editor.tree)
    assert ask(server, "/tree", own=False)[0] == 403
    assert ask(server, "/tree", headers={"Host": "evil.example"})[0] == 403


def test_an_edit_of_a_tree_that_is_no_more_is_refused(server) -> None:
    assert ask(server, "/edit", {"edit": "prune", "node": 2, "after": 0})[0] == 200
    assert ask(server, "/edit", {"edit": "prune", "node": 0, "after": 0})[0] == 409
    assert ask(server, "/edit", {"edit": "prune", "node": 0, "after": 1})[0] == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.7", "example.org"])
def test_other_machines_are_let_in_only_if_both_words_are_said(irises, host) -> None:
    with pytest.raises(ValueError, match="host="):
        ExplorerServer(irises, host=host)


def test_every_address_at_once_is_refused_in_any_case(irises) -> None:
    with pytest.raises(ValueError, match="one address of this machine"):
        ExplorerServer(irises, host="0.0.0.0", allow_remote=True)


def test_another_address_answers_to_its_own_name_alone(irises) -> None:
    with running(ExplorerServer(irises, host="127.0.0.2", allow_remote=True)) as server:
        assert server.address.startswith(f"http://127.0.0.2:{server.server_port}/#token=")
        connection = HTTPConnection("127.0.0.2", server.server_port, timeout=10)
        for name, status in (
            (f"127.0.0.2:{server.server_port}", 200),
            ("127.0.0.1", 403),
            ("evil.example", 403),
        ):
            connection.request("GET", "/", headers={"Host": name})
            answer = connection.getresponse()
            assert (name, answer.status) == (name, status)
            answer.read()


def test_it_ends_when_nobody_asks_for_anything(irises, capsys) -> None:
    with ExplorerServer(irises, idle_minutes=0.001) as server:
        run(server, open_browser=False)
    assert "has ended" in capsys.readouterr().out


def test_a_machine_without_a_browser_says_so(irises, capsys, monkeypatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    with ExplorerServer(irises, idle_minutes=0.001) as server:
        run(server, open_browser=True)
    assert "open the address in one" in capsys.readouterr().out


def test_a_visitor_who_says_less_than_announced_holds_nobody_up(server) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port)) as slow:
        slow.sendall(b"POST /edit HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.server_port)
        assert ask(server)[0] == 200


@pytest.mark.parametrize("path", ["/model.tw", "/../../etc/passwd", "/?x=1", "//evil.example/"])
def test_there_is_only_one_page(server, path) -> None:
    assert ask(server, path)[0] == 404
    assert ask(server, path, {"edit": "undo"})[0] == 404


# ---- edits -----------------------------------------------------------------------------------------------


def test_edits_change_the_tree_and_are_written_down(server, tmp_path) -> None:
    start = server.editor
    status, text, _ = ask(server, "/edit", {"edit": "prune", "node": 2})
    assert status == 200
    assert json.loads(text)["leaves"] == 2
    assert (
        ask(server, "/edit", {"edit": "split", "node": 2, "feature": "petal width", "threshold": 1.6})[0]
        == 200
    )
    assert ask(server, "/edit", {"edit": "undo"})[0] == 200
    assert server.editor.tree == start.prune(2).tree
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert start.replay(log).tree == server.editor.tree
    assert json.loads(ask(server, "/save", {})[1]) == {"path": str(tmp_path / "edited.tw")}
    assert load(tmp_path / "edited.tw").tree_ == server.editor.tree


@pytest.mark.parametrize(
    "message",
    [
        {"edit": "prune", "node": 999},
        {"edit": "prune", "node": "0"},
        {"edit": "prune", "node": 1.5},
        {"edit": "prune", "node": 0, "more": 1},
        {"edit": "replay", "log": []},
        {"edit": "__class__"},
        {"edit": "split", "node": 0, "feature": {}, "threshold": 1},
        {"edit": "split", "node": 0, "feature": 0, "threshold": "x"},
        {"edit": "split", "node": 0, "feature": 0, "groups": 3},
        {"edit": "grow", "node": 0, "max_depth": "deep"},
        {"edit": ["prune"]},
        {},
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_in_a_sentence(server, message) -> None:
    status, text, _ = ask(server, "/edit", message)
    assert status == 400
    assert len(json.loads(text)["error"]) > 10
    assert len(server.editor.log) == 0


def test_nothing_is_saved_where_no_file_was_named() -> None:
    X, y = datasets.load_iris()
    with running(ExplorerServer(edit(DecisionTreeClassifier().fit(X, y), X, y))) as server:
        assert ask(server, "/save", {"path": "/tmp/x"})[0] == 400


# ---- in a browser ----------------------------------------------------------------------------------------


@pytest.fixture(name="browser", scope="module")
def _browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(name="visit")
def _visit(browser):
    troubles: list[str] = []
    contexts = []

    def visit(server, **settings):
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(server.address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield visit
    for context in contexts:
        context.close()
    refused = ("400 (Bad Request)", "409 (Conflict)")
    assert [trouble for trouble in troubles if not any(words in trouble for words in refused)] == []


def press(page, name: str) -> None:
    """Press a button of the editor and wait for what it did."""
    with page.expect_response(lambda response: response.url.endswith("/tree")):
        page.locator(".side").get_by_role("button", name=name, exact=True).click()
    page.wait_for_selector("#edit:not([aria-busy])")


def test_a_tree_is_edited_in_the_browser(server, visit, tmp_path) -> None:
    page = visit(server)
    assert "token" not in page.url
    page.locator("#outline [data-node='2'] > .line").click()
    press(page, "Prune here")
    assert page.locator("#outline [role=treeitem]").count() == 3
    page.locator("#edit-forms select").first.select_option("petal width")
    page.locator("#edit-forms").get_by_label("up to").fill("1.6")
    press(page, "Force")
    assert server.editor.tree[2].split.threshold == 1.6
    press(page, "Undo")
    press(page, "Redo")
    assert [entry["edit"] for entry in server.editor.log] == ["prune", "split", "undo", "redo"]
    assert "Log (4)" in page.locator("#edit-forms summary").inner_text()
    page.locator("#edit-forms").get_by_label("up to").fill("99")
    page.locator("#edit-forms").get_by_role("button", name="Force").click()
    page.get_by_text("leaves branch 1 of node 2 without rows").wait_for()
    page.locator("#edit").get_by_role("button", name="Save as a model").click()
    page.get_by_text("saved as").wait_for()
    assert load(tmp_path / "edited.tw").tree_ == server.editor.tree


def test_an_edit_leaves_the_page_as_the_reader_has_it(server, visit) -> None:
    page = visit(server)
    page.evaluate("window.kept = true")
    page.locator("#outline [data-node='2'] > .line").click()
    page.locator("#slider").press("ArrowLeft")
    before = page.locator("#slider").get_attribute("aria-valuetext")
    page.locator("#canvas").press("+")
    press(page, "Prune here")
    assert page.evaluate("window.kept")  # the page was not loaded again
    assert page.locator("#card h2").inner_text() == "Leaf 2"
    words = page.locator("#edit-done").inner_text()
    assert words.startswith("prune 2: 6 leaves → 2; training risk 0\xa0% → 33\xa0%, worse; validation risk ")
    assert page.locator("#edit-done").get_attribute("role") == "status"  # and so is read out
    press(page, "Undo")
    assert page.locator("#slider").get_attribute("aria-valuetext") == before
    assert page.locator("#card h2").inner_text() == "Node 2"
    assert "better" in page.locator("#edit-done").inner_text()
    page.locator("#canvas").press("Control+Shift+z")
    page.get_by_text("redo: 6 leaves → 2").first.wait_for()
    page.locator("#edit-forms").get_by_label("predict").select_option("setosa")
    press(page, "Relabel")
    assert "predicts setosa" in page.locator("#card").inner_text()
    assert server.editor.log[-1]["label"] == "setosa"


@pytest.mark.slow
def test_editing_is_accessible(server, visit) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = visit(server, bypass_csp=True)
    press(page, "Prune here")
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["target"]) for one in found] == []


def test_a_page_that_has_missed_an_edit_catches_up_before_it_edits(server, visit) -> None:
    page = visit(server)
    other = page.context.new_page()
    other.goto(f"http://127.0.0.1:{server.server_port}/")
    other.wait_for_selector("body[data-ready]")
    other.locator("#outline [data-node='2'] > .line").click()
    press(other, "Prune here")
    press(page, "Prune here")  # all of the tree, as this page still has it
    assert "the tree was edited elsewhere" in page.locator("#edit-trouble").inner_text()
    assert page.locator("#outline [role=treeitem]").count() == 3
    assert [entry["edit"] for entry in server.editor.log] == ["prune"]
    press(page, "Prune here")
    assert len(server.editor.tree) == 1


def test_categories_are_merged_in_the_browser(visit) -> None:
    X, y = datasets.load_tennis()
    with running(ExplorerServer(edit(ID3Classifier().fit(X, y), X, y))) as server:
        page = visit(server)
        page.locator("#edit-forms").get_by_label("Sunny", exact=True).check()
        page.locator("#edit-forms").get_by_label("Rain", exact=True).check()
        press(page, "Merge")
        assert server.editor.tree[0].split.groups == ((0, 2), (1,))
