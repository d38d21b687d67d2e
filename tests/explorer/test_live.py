"""The local app in a real browser: edits in the page are edits of the tree."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.browsing import violations
from helpers.serving import ask, running
from treewright import DecisionTreeClassifier, ID3Classifier, RandomForestClassifier, datasets, edit, load
from treewright.explorer.server import ExplorerServer, ForestServer


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


def test_a_cut_of_dates_is_a_date(visit) -> None:
    X = pd.DataFrame({"day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(60), "D")})
    y = np.where(X["day"] < "2024-02-01", "winter", "spring")
    server = ExplorerServer(edit(DecisionTreeClassifier().fit(X, y), X, y))
    with running(server):
        page = visit(server)
        cut = page.locator("#edit-forms").get_by_label("up to")
        assert cut.input_value() == "2024-01-31T12:00"  # as Python writes it
        cut.fill("2024-02-10")
        press(page, "Force")
        assert "day ≤\xa02024-02-10" in page.locator("#outline").inner_text()


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
    assert words.startswith(
        "prune 2: 6 leaves → 2; training error 0\xa0% → 33.3\xa0%, worse; validation error "
    )
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
    page = visit(server, bypass_csp=True)
    press(page, "Prune here")
    assert violations(page) == []


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


def test_every_tree_of_a_served_forest_is_shown(visit, monkeypatch) -> None:
    monkeypatch.setattr("treewright.explorer.forest_page_data.MOST_NODES", 30)  # the first ones only
    X, y = datasets.load_iris()
    model = RandomForestClassifier(n_estimators=9, random_state=0).fit(X, y)
    with running(ForestServer(model, X, y)) as server:
        page = visit(server)
        assert page.locator("#edit").is_hidden()
        assert "of 9" in page.locator("#forest").inner_text()
        number = page.locator("#forest input")
        for tree in (9, 3, 9):
            number.fill(str(tree))
            number.press("Enter")
            leaves = model.estimators_[tree - 1].get_n_leaves()
            page.get_by_text(f"{leaves} leaves of {leaves}").wait_for()
        page.get_by_role("button", name="the tree before").click()
        leaves = model.estimators_[7].get_n_leaves()
        page.get_by_text(f"{leaves} leaves of {leaves}").wait_for()
        page.click("#tab-rows")
        said = page.locator("#panel-rows tbody tr td:nth-child(4)").all_inner_texts()
        assert said == model.estimators_[7].predict(X).tolist()


# ---- long work -------------------------------------------------------------------------------------------


@pytest.fixture(name="slow", scope="module")
def _slow():
    """A stump of so many rows that to grow it on takes seconds."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300_000, 10))
    y = X[:, 0] * X[:, 1] + random.normal(size=len(X)) > 0
    return edit(DecisionTreeClassifier(max_depth=1).fit(X, y), X, y)


GROW = {"edit": "grow", "node": 0, "max_depth": 60}


def test_a_growth_is_stopped_and_the_tree_is_what_it_was(slow, tmp_path) -> None:
    with running(ExplorerServer(slow, log_to=tmp_path / "log.jsonl", max_rows=10)) as server:
        assert json.loads(ask(server, "/cancel", {})[1]) == {"cancelled": False}  # nothing to stop
        answers = []
        growing = threading.Thread(target=lambda: answers.append(ask(server, "/edit", GROW)))
        growing.start()
        while not server.is_editing:
            time.sleep(0.01)
        assert ask(server, "/tree")[0] == 200  # who only looks does not wait
        assert json.loads(ask(server, "/cancel", {})[1]) == {"cancelled": True}
        growing.join()
        status, text, _ = answers[0]
        assert (status, json.loads(text)) == (200, {"cancelled": True})
        assert server.editor.tree == slow.tree
        assert server.editor.log == ()
        assert not (tmp_path / "log.jsonl").exists()
        assert ask(server, "/edit", {"edit": "prune", "node": 0})[0] == 200
        assert server.editor.tree == slow.prune(0).tree


def test_cancelling_needs_the_cookie(slow) -> None:
    with running(ExplorerServer(slow)) as server:
        assert ask(server, "/cancel", {}, own=False)[0] == 403
        assert ask(server, "/cancel", {}, {"Origin": "http://evil.example"})[0] == 403


@pytest.mark.parametrize("way", ["button", "Escape"])
def test_a_growth_is_stopped_from_the_page(slow, visit, way) -> None:
    with running(ExplorerServer(replace(slow, model=slow.tree), max_rows=10)) as server:
        page = visit(server)
        assert not page.locator("#edit-busy").is_visible()
        page.locator("#edit").get_by_role("button", name="Grow anew").click()
        page.locator("#edit-busy").wait_for()
        if way == "button":
            page.locator("#edit-busy").get_by_role("button", name="Cancel").click()
        else:
            page.locator("#canvas").press("Escape")
        page.get_by_text("grow was cancelled: the tree is as it was").wait_for()
        assert not page.locator("#edit-busy").is_visible()
        assert server.editor.tree == slow.tree
        press(page, "Prune here")
        assert len(server.editor.tree) == 1
