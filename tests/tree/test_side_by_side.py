"""Trees side by side: what is worked out of all nodes at once is what each tree gives by itself."""

import numpy as np
import pytest

import treewright as tw
from treewright.pruning.cost_complexity import leaf_alphas
from treewright.pruning.nested import losses_of_each
from treewright.tree.routing import Parts, place
from treewright.tree.shrinkage import shrunk_by_each
from treewright.tree.side_by_side import side_by_side


def _trees(task, missing="direction"):
    """Trees of several sizes, a single leaf in the middle, each with rows that it has not seen."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 4)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.isnan(X[:, 0]), 0, X[:, 0]) + rng.normal(size=120)
    y = np.digitize(y, [-0.5, 0.5]) if task == "classification" else y
    dataset = tw.Dataset.from_table(X, y, task=task).weighted(rng.random(120) + 0.5)
    criterion = "gini" if task == "classification" else "squared_error"
    recipe = tw.Recipe(criterion, missing=missing, min_samples_leaf=2)
    found = []
    for size in (90, 60, 2, 30):
        rows = rng.permutation(120)
        found.append((tw.grow(dataset.take(rows[:size]), recipe, warn_of_odd=False), dataset.take(rows[90:])))
    return found


@pytest.mark.parametrize("missing", ["direction", "fractional"])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_trees_side_by_side_are_judged_as_each_is_by_itself(task, missing):
    found = _trees(task, missing)
    trees = [tree for tree, _ in found]
    assert len({len(tree) for tree in trees}) > 2
    strengths, loss = [1.0, 10.0], "brier" if task == "classification" else None
    steps = [np.linspace(0.0, 0.2, 7), np.linspace(0.0, 0.3, 5)]
    joined = shrunk_by_each(side_by_side(trees), strengths)
    by_itself = [shrunk_by_each(tree, strengths) for tree in trees]
    for at, together in enumerate(joined):
        for name in ("node_value", "risk", "class_probabilities"):
            each = np.concatenate([getattr(smooth[at], name) for smooth in by_itself])
            np.testing.assert_allclose(getattr(together, name), each, rtol=1e-13)
        alphas = np.concatenate([leaf_alphas(smooth[at]) for smooth in by_itself])
        np.testing.assert_allclose(leaf_alphas(together), alphas, rtol=1e-12)

    first_node = np.cumsum([0, *map(len, trees)])
    parts = [place(tree, rows) for tree, rows in found]
    moved = [(part.row + 30 * at, part.node + first_node[at], part.weight) for at, part in enumerate(parts)]
    all_parts = Parts(*map(np.concatenate, zip(*moved, strict=True)))
    rows = found[0][1]
    all_rows = tw.Dataset(
        rows.schema,
        *(
            np.concatenate([getattr(held_out, name) for _, held_out in found])
            for name in ("numbers", "codes", "target", "weight")
        ),
    )
    alphas = [leaf_alphas(each) for each in joined]
    together = losses_of_each(joined, all_rows, alphas, steps, loss, parts=all_parts)
    for at in range(2):
        each = [
            losses_of_each([smooth[at]], held_out, [leaf_alphas(smooth[at])], [steps[at]], loss)[0]
            for smooth, (_, held_out) in zip(by_itself, found, strict=True)
        ]
        total = sum(each[1:], each[0])
        np.testing.assert_allclose(together[at].loss, total.loss, rtol=1e-12)
        np.testing.assert_allclose(together[at].squares, total.squares, rtol=1e-12)
        assert together[at].weight == pytest.approx(total.weight)


def test_folds_judged_together_choose_the_tree_that_folds_one_by_one_choose(monkeypatch):
    X, y = tw.datasets.load_votes()
    together = tw.TreeClassifier().fit(X, y)
    monkeypatch.setattr("treewright.model_selection.smoothed_pruning.JUDGED_AT_ONCE", 1)
    one_by_one = tw.TreeClassifier().fit(X, y)
    assert together.tree_ == one_by_one.tree_
    np.testing.assert_allclose(together.path_.held_out, one_by_one.path_.held_out, rtol=1e-12)
