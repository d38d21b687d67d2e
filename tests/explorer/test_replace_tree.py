"""Another tree in the place of the one that is shown: what the reader has chosen stays; in Node.js."""

from __future__ import annotations

import numpy as np
import pytest

from treewright import DecisionTreeClassifier, edit
from treewright.explorer.editor import Editor
from treewright.explorer.page_data import content_of, tree_content

PROGRAM = """
const { Model } = await import("./model/model.js");
const { State } = await import("./model/state.js");
const { replaceTree, keepPrice } = await import("./model/replace_tree.js");
const model = new Model(given.before);
const state = new State({ node: 0, step: 0, alpha: null, folded: new Set(), row: null, values: null });
keepPrice(model, state);
state.set({ step: given.step, node: given.node });
const shown = model.leaves(state.get("step")).length;
replaceTree(model, state, given.after);
answer([shown, model.leaves(state.get("step")).length, state.get("step"), model.lastStep]);
"""


def noisy_editor() -> Editor:
    """A tree with branches that are free to prune: both sides of them say the same."""
    random = np.random.default_rng(5)
    X = random.integers(0, 30, (150, 3)).astype(float)
    y = np.where(random.random(150) < 0.35, random.integers(0, 2, 150), X[:, 0] > 14)
    return edit(DecisionTreeClassifier(criterion="entropy", ties="first", min_samples_leaf=3).fit(X, y), X, y)


def shown(run_in_node, before: Editor, after: Editor, step: int, node: int) -> list[int]:
    """Count the leaves that are shown before and after an edit, at which step, of how many."""
    whole = content_of(before.explored, cv=None, max_rows=0, title=None)
    given = {"before": whole, "after": tree_content(after.explored, None), "step": step, "node": node}
    return run_in_node(PROGRAM, given)


def test_an_edit_of_the_whole_tree_shows_the_whole_tree(run_in_node) -> None:
    editor = noisy_editor()
    alphas = tree_content(editor.explored, None)["path"]["alpha"]
    assert alphas[:2] == [0, 0]  # some branches are free to prune
    leaf = int(np.flatnonzero(editor.tree.n_children == 0)[-1])
    edited = editor.relabel(leaf, bool(editor.tree.label[leaf]))
    before, after, step, _ = shown(run_in_node, editor, edited, step=0, node=0)
    assert (before, after, step) == (editor.tree.n_leaves, edited.tree.n_leaves, 0)


@pytest.mark.parametrize("step", range(1, 6))
def test_an_edit_never_prunes_what_is_shown(run_in_node, step: int) -> None:
    editor = noisy_editor()
    for leaf in np.flatnonzero(editor.tree.n_children == 0).tolist()[::5]:
        edited = editor.relabel(leaf, not editor.tree.label[leaf])  # other errors, other prices
        before, after, *_ = shown(run_in_node, editor, edited, step=step, node=0)
        assert after >= before
