"""The local app: who is let in, what is refused, and that edits in the browser are edits of the tree."""

from __future__ import annotations

import json
import socket
import webbrowser
from http.client import HTTPConnection

import pytest

from helpers.serving import ask, running
from treewright import DecisionTreeClassifier, RandomForestClassifier, datasets, edit, load
from treewright.errors import AddressError, DataError
from treewright.explorer.server import ExplorerServer, ForestServer, run, serve


@pytest.fixture(name="editor", scope="module")
def _editor():
    X, y = datasets.load_iris()
    return edit(DecisionTreeClassifier().fit(X, y), X, y)


# ---- who is let in ---------------------------------------------------------------------------------------


def test_a_log_that_is_there_is_gone_on_with(editor, tmp_path) -> None:
    log = tmp_path / "edits.jsonl"
    with running(ExplorerServer(editor, log_to=log)) as first:
        first.edit({"edit": "prune", "node": 2})
        first.edit({"edit": "undo"})
        first.edit({"edit": "relabel", "node": 1, "label": "virginica"})
    with running(ExplorerServer(editor, log_to=log)) as second:
        assert second.editor.tree == first.editor.tree
        assert second.start["leaves"] == editor.tree.n_leaves
        second.edit({"edit": "undo"})
    assert len(log.read_text().splitlines()) == 4
    with running(ExplorerServer(editor, log_to=log)) as third:
        assert third.editor.tree == editor.tree


@pytest.mark.parametrize("text", ['{"edit": "prune", "node": 900, "leaves": 2}', "no log", "[1]", '{"a": 1}'])
def test_a_log_of_something_else_is_refused_and_left_alone(editor, tmp_path, text) -> None:
    log = tmp_path / "edits.jsonl"
    log.write_text(text)
    with pytest.raises(DataError, match=r"holds edits that do not fit this tree .*: name another file"):
        ExplorerServer(editor, log_to=log)
    assert log.read_text() == text


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
def test_other_machines_are_let_in_only_if_both_words_are_said(editor, host) -> None:
    with pytest.raises(ValueError, match="host="):
        ExplorerServer(editor, host=host)


def test_every_address_at_once_is_refused_in_any_case(editor) -> None:
    with pytest.raises(ValueError, match="one address of this machine"):
        ExplorerServer(editor, host="0.0.0.0", allow_remote=True)


def test_another_address_answers_to_its_own_name_alone(editor) -> None:
    with running(ExplorerServer(editor, host="127.0.0.2", allow_remote=True)) as server:
        assert server.address.startswith(f"http://127.0.0.2:{server.server_port}/#token=")
        connection = HTTPConnection("127.0.0.2", server.server_port, timeout=300)
        for name, status in (
            (f"127.0.0.2:{server.server_port}", 200),
            ("127.0.0.1", 403),
            ("evil.example", 403),
        ):
            connection.request("GET", "/", headers={"Host": name})
            answer = connection.getresponse()
            assert (name, answer.status) == (name, status)
            answer.read()


def test_it_ends_when_nobody_asks_for_anything(editor, capsys) -> None:
    with ExplorerServer(editor, idle_minutes=0.001) as server:
        run(server, open_browser=False)
    assert "has ended" in capsys.readouterr().out


def test_a_machine_without_a_browser_says_so(editor, capsys, monkeypatch) -> None:
    def broken(address):
        raise webbrowser.Error("could not locate runnable browser")

    for opens in (lambda address: False, broken):
        monkeypatch.setattr("webbrowser.open", opens)
        with ExplorerServer(editor, idle_minutes=0.001) as server:
            run(server, open_browser=True)
        assert "No browser could be opened: open the address in one." in capsys.readouterr().out


def test_a_visitor_who_says_less_than_announced_holds_nobody_up(server) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port)) as slow:
        slow.sendall(b"POST /edit HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.server_port)
        assert ask(server)[0] == 200


@pytest.mark.parametrize("path", ["/model.tw", "/../../etc/passwd", "/?x=1", "//evil.example/"])
def test_there_is_only_one_page(server, path) -> None:
    assert ask(server, path)[0] == 404
    assert ask(server, path, {"edit": "undo"})[0] == 404


def test_a_taken_port_is_said_in_one_sentence(editor) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(AddressError) as raised:
            ExplorerServer(editor, port=port)
        words = f"cannot listen at 127.0.0.1, port {port}: another program does; port 0 takes a free one."
        assert str(raised.value) == words
        X, y = datasets.load_iris()
        with pytest.raises(AddressError, match="another program does"):
            serve(editor.model, X, y, port=port, open_browser=False)


@pytest.mark.parametrize("port", [-1, 65536, 1.5, "80", True])
def test_a_port_is_a_number_of_a_port(editor, port) -> None:
    with pytest.raises(ValueError, match=r"port=.* must be an int from 0 to 65535"):
        ExplorerServer(editor, port=port)


# ---- forests ---------------------------------------------------------------------------------------------


@pytest.fixture(name="forest", scope="module")
def _forest():
    X, y = datasets.load_iris()
    return RandomForestClassifier(n_estimators=4, random_state=0).fit(X, y), X, y


def test_a_forest_is_looked_at_and_not_edited(forest) -> None:
    with running(ForestServer(*forest)) as server:
        status, text, headers = ask(server)
        assert status == 200
        assert "petal length" in text
        assert "connect-src 'self'" in headers["Content-Security-Policy"]  # for its further trees
        assert "petal" not in ask(server, own=False)[1]
        for path in ("/edit", "/save"):
            status, text, _ = ask(server, path, {"edit": "prune", "node": 0})
            assert (status, json.loads(text)) == (400, {"error": "a forest is looked at and not edited"})
        for tree in range(4):
            sent = json.loads(ask(server, f"/tree/{tree}")[1])["tree"]
            assert len(sent["parent"]) == len(forest[0].estimators_[tree].tree_)
        assert ask(server, "/tree/3", own=False)[0] == 403
        for path in ("/tree", "/tree/4", "/tree/-1", "/tree/01", "/tree/1/", "/tree/99999999999"):
            assert ask(server, path)[0] == 404


def test_a_forest_is_served_until_nobody_asks(forest, capsys) -> None:
    assert serve(*forest, idle_minutes=0.001, open_browser=False) is None
    assert "Exploring at http://127.0.0.1:" in capsys.readouterr().out
    with pytest.raises(ValueError, match="a forest is looked at and not edited"):
        serve(*forest, save_to="edited.tw")


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


@pytest.mark.parametrize("length", ["²", "٣", "9" * 5000, "1e3", "+2", "0x2", "2, 2", ""])
def test_a_length_that_is_no_number_is_refused_without_a_word_on_the_terminal(server, length, capfd) -> None:
    assert ask(server, "/edit", {"edit": "undo"}, {"Content-Length": length.encode()})[0] == 413
    assert capfd.readouterr() == ("", "")


def test_a_token_that_is_no_text_is_wrong(server, capfd) -> None:
    assert ask(server, "/session", body=b'{"token": "\\ud800"}', own=False)[0] == 403
    assert capfd.readouterr() == ("", "")
