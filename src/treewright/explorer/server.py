"""`serve`: the explorer with live editing of a tree, or of a forest to look at, on this machine."""

from __future__ import annotations

import json
import re
import threading
import webbrowser
from dataclasses import replace
from functools import cached_property
from http import HTTPStatus
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TextIO

from treewright.errors import DataError
from treewright.explorer.editor import EDITS, Editor, edit
from treewright.explorer.forest_page_data import ForestExploration, is_forest
from treewright.explorer.local_server import (
    Answer,
    IdleError,
    LocalServer,
    Message,
    RefusedError,
    refuse_taken,
)
from treewright.explorer.page import policy, write_page
from treewright.explorer.page_data import TREE_PARTS, content_of, tree_content
from treewright.tree import Tree


class CancelledError(Exception):
    """The reader does not want the edit any more that is being made."""


MOST_WRITTEN = 12
"""So many trees that were shown last are kept as they were written."""


class ExplorerServer(LocalServer):
    """Serves the explorer of one tree, which its reader may edit.

    Parameters
    ----------
    editor : Editor
        The tree and its rows.
    save_to, log_to : path or None
        Where the model is saved when the reader asks for it, and where every edit is written down; the edits
        that stand there already are done again first.
    cv, max_rows, title
        As for `treewright.explore`.
    **listening
        See `LocalServer`.
    """

    is_editing = False
    is_unwanted = False

    def __init__(
        self,
        editor: Editor,
        *,
        save_to: str | PathLike[str] | None = None,
        log_to: str | PathLike[str] | None = None,
        cv: int | None = None,
        max_rows: int = 1000,
        title: str | None = None,
        **listening: Any,
    ) -> None:
        resumed = resume(editor, log_to)
        super().__init__(**listening)
        self.editor = replace(resumed, progress=self._go_on)
        self.start = {"leaves": editor.tree.n_leaves, "risk": editor.risk}
        self.save_to, self.log_to = save_to, log_to
        self.cv, self.max_rows, self.title = cv, max_rows, title
        self.written: list[tuple[Tree, str]] = []
        self.lock = threading.Lock()  # one edit at a time
        self.does = {"/edit": self.edit, "/cancel": self.cancel, "/save": self.save}

    def page(self) -> tuple[str, str, str]:
        """Write the page of the tree as it is now."""
        editor = self.editor
        content = content_of(editor.explored, cv=self.cv, max_rows=self.max_rows, title=self.title)
        self._keep(editor.tree, {name: content[name] for name in TREE_PARTS})
        return write_page(content | self._live(editor), "live"), "text/html", policy("live")

    def read(self, path: str) -> str | None:
        """Write the tree as it is now, for a page that has the rest."""
        if path != "/tree":
            return None
        editor = self.editor
        return f"{self._written(editor)[:-1]}, {json.dumps(self._live(editor))[1:]}"

    def _written(self, editor: Editor) -> str:
        """Write a tree, or take what was written of it: edits are often taken back."""
        for tree, text in self.written:
            if tree is editor.tree:
                return text
        return self._keep(editor.tree, tree_content(editor.explored, self.cv))

    def _keep(self, tree: Tree, content: dict[str, Any]) -> str:
        text = json.dumps(content)
        self.written = [*self.written, (tree, text)][-MOST_WRITTEN:]
        return text

    def _live(self, editor: Editor) -> dict[str, Any]:
        state = {
            "log": editor.log,
            "start": self.start,
            "undo": bool(editor.past),
            "redo": bool(editor.future),
            "saves": self.save_to is not None,
        }
        return {"live": state}

    def edit(self, message: Message) -> Answer:
        """Change the tree, and write down what was done; or leave it, if that is cancelled on the way.

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
            self.is_unwanted, self.is_editing = False, True
            try:
                edited = self.editor.replay([given])
                self._go_on(1.0)
            except CancelledError:
                return {"cancelled": True}
            except (ValueError, TypeError) as error:
                raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error
            finally:
                self.is_editing = False
            self.editor, entry = edited, edited.log[-1]
            if self.log_to is not None:
                with Path(self.log_to).open("a", encoding="utf-8") as log:
                    log.write(json.dumps(entry) + "\n")
        return dict(entry)

    def cancel(self, message: Message | None = None) -> Answer:
        """Stop the edit that is being made, if there is one; the tree stays what it was."""
        self.is_unwanted = self.is_editing
        return {"cancelled": self.is_unwanted}

    def _go_on(self, share: float) -> None:
        if self.is_unwanted:
            raise CancelledError

    def save(self, message: Message) -> Answer:
        """Save the edited model where whoever started the server said."""
        if self.save_to is None or not hasattr(self.editor.model, "save"):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "no file was named to save the model to")
        with self.lock:
            self.editor.fitted().save(self.save_to)
        return {"path": fspath(self.save_to)}

    def server_close(self) -> None:
        """Stop listening, and growing."""
        super().server_close()
        self.cancel()


class ForestServer(LocalServer):
    """Serves the explorer of a forest, to look at tree by tree.

    Parameters
    ----------
    model : fitted forest
    X, y : table and target
        The rows of the fit.
    validation, max_rows, title
        As for `treewright.explore`.
    **listening
        See `LocalServer`.
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Any,
        *,
        validation: tuple[Any, Any] | None = None,
        max_rows: int = 1000,
        title: str | None = None,
        **listening: Any,
    ) -> None:
        self.explored = ForestExploration.of(model, X, y, validation)
        self.content = self.explored.content(max_rows, title)
        super().__init__(**listening)
        self.does = {"/edit": self.refuse, "/save": self.refuse}

    @cached_property
    def written(self) -> str:
        """The page, which stays as it is."""
        return write_page(self.content, "served")

    def page(self) -> tuple[str, str, str]:
        """Give the page."""
        return self.written, "text/html", policy("served")

    def read(self, path: str) -> str | None:
        """Write one of the trees: the page holds the first of them."""
        found = re.fullmatch(r"/tree/(0|[1-9]\d{0,8})", path)
        if found is None or int(found[1]) >= len(self.content["forest"]["leaves"]):
            return None
        return json.dumps(tree_content(self.explored.view(int(found[1])), None))

    def refuse(self, message: Message) -> Answer:
        """Leave the forest as it is."""
        raise RefusedError(HTTPStatus.BAD_REQUEST, "a forest is looked at and not edited")


def resume(editor: Editor, log_to: str | PathLike[str] | None) -> Editor:
    """Do again what a log says was done to a tree, if there is such a file.

    Raises
    ------
    DataError
        If the file is no log, or that of another tree.
    """
    path = None if log_to is None else Path(log_to)
    if path is None or not path.exists():
        return editor
    try:
        entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        resumed = editor.replay(entries)
        if [entry["leaves"] for entry in resumed.log] != [entry["leaves"] for entry in entries]:
            raise ValueError("its edits come to other leaves")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        reason = str(error).rstrip(".")
        raise DataError(
            f"log_to={fspath(path)!r} holds edits that do not fit this tree ({reason}): name another file."
        ) from error
    return resumed


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
) -> Editor | None:
    """Explore and edit a tree in the browser, served from this machine to this machine; Ctrl-C ends it.

    A forest is looked at, tree by tree, and not edited.

    Parameters
    ----------
    model : fitted estimator or Tree
        The tree to start from, or the forest to look at; it stays as it is.
    X, y : table and target
        The rows that it was grown on.
    validation : pair of a table and a target, optional
        Rows that it was not grown on, by which edits are judged.
    save_to : path, optional
        Where the edited model is saved when the reader asks for it.
    log_to : path, optional
        A file to which every edit is added, a line of JSON each. Edits that stand there already are done
        again first; those of another tree are refused.
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
    Editor or None
        The tree as it was left, with the log of all edits; of a forest nothing.

    Raises
    ------
    AddressError
        If the address cannot be listened at: another program does, or it is none of this machine's.
    """
    listening: dict[str, Any] = {
        "port": port,
        "host": host,
        "allow_remote": allow_remote,
        "idle_minutes": idle_minutes,
    }
    refuse_taken(host, port, allow_remote)
    server: ExplorerServer | ForestServer
    if is_forest(model):
        if save_to is not None or log_to is not None:
            raise ValueError("a forest is looked at and not edited: save_to and log_to must be None.")
        shown: dict[str, Any] = {"validation": validation, "max_rows": max_rows, "title": title}
        server = ForestServer(model, X, y, **shown, **listening)
    else:
        editor = edit(model, X, y, validation=validation).within_reach()
        kept: dict[str, Any] = {"save_to": save_to, "log_to": log_to}
        server = ExplorerServer(editor, **kept, cv=cv, max_rows=max_rows, title=title, **listening)
    with server:
        run(server, open_browser=open_browser)
    return server.editor if isinstance(server, ExplorerServer) else None


def run(server: LocalServer, *, open_browser: bool, answers: TextIO | None = None) -> None:
    """Print the address, on `answers` if given, open it if asked to, and answer requests until Ctrl-C."""
    print(f"Exploring at {server.address}\nCtrl-C ends it.", flush=True, file=answers)
    if open_browser and not _opened(server.address):
        print("No browser could be opened: open the address in one.", flush=True, file=answers)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    except IdleError:
        print("Nobody asked for anything: the explorer has ended.", flush=True, file=answers)


def _opened(address: str) -> bool:
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
