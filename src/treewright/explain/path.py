"""Decision path of one row: which branch at each node and why; contributions of features along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.arithmetic import matmul
from treewright.data import Dataset
from treewright.explain.row import Row
from treewright.tree import Tree
from treewright.tree.decision import decide
from treewright.tree.routing import SHARE, STAY, Descent
from treewright.tree.splits import UNANSWERED, UNSEEN, Split, features_of

Array = NDArray[np.float64]

How: TypeAlias = Literal["split", "surrogate", "default", "shared", "stayed", "unseen"]
"""What decided at a node: its split, a surrogate, what is kept for unanswered rows, or the largest branch."""

_HOW: dict[int, How] = {0: "split", UNANSWERED: "default", UNSEEN: "unseen"}


@dataclass(frozen=True)
class Step:
    """What became of a row, or of a part of it, at one inner node.

    Parameters
    ----------
    node : int
    share : float
        How much of the row came here.
    how : str
        What decided, see `How`.
    split : int
        Which of the node's splits answered: 0 is the split, others are surrogates; 0 if none did.
    branches : tuple of (branch, share)
        The branches taken, with the part of the row that each gets; none if the row stays.
    """

    node: int
    share: float
    how: How
    split: int
    branches: tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Path:
    """The steps of a row through a tree, and where it ends.

    Parameters
    ----------
    tree : Tree
    steps : tuple of Step
        Depth first; one way down unless the tree shares rows.
    ends : tuple of (node, share)
        The nodes that the row ends in, with the part of it that does.
    """

    tree: Tree
    steps: tuple[Step, ...]
    ends: tuple[tuple[int, float], ...]

    def asked(self, step: Step) -> Split:
        """Give the split of a step's node."""
        return self._split(step.node, 0)

    def split(self, step: Step) -> Split:
        """Give the split that answered at a step, or was left unanswered."""
        return self._split(step.node, step.split)

    def _split(self, node: int, place: int) -> Split:
        tree = self.tree
        return tree.splits.split(int(tree.split_begin[node]) + place, int(tree.n_children[node]))

    def agreement(self, step: Step) -> float:
        """Give the share of the training rows on which the surrogate of a step agrees with the split."""
        return float(self.tree.splits.score[self.tree.split_begin[step.node] + step.split])

    def says(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum what the nodes at the ends say, by the share of the row that ends there."""
        if len(self.ends) == 1:
            node, share = self.ends[0]
            return np.asarray(share * value[node])
        nodes, shares = np.array([node for node, _ in self.ends]), np.array([share for _, share in self.ends])
        return matmul(shares, value[nodes])

    def answer(self, value: Array, hard: bool = False) -> Array:
        """Give what the tree answers: with `hard` its whole vote, also where it shares the row."""
        if not hard or len(self.ends) == 1:
            return self.says(value)
        return vote_for(self.says(self.tree.class_probabilities))


def vote_for(probabilities: Array) -> Array:
    """Give a whole vote to the class that probabilities (…, classes) lead to."""
    return np.asarray(np.eye(probabilities.shape[-1])[decide(probabilities)])


def follow(tree: Tree, row: Row) -> Path:
    """Follow a row through a tree.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> from treewright.explain.row import read_row
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).tree_
    >>> follow(tree, read_row([5.0], tree.schema)).ends
    ((2, 1.0),)
    """
    descent = Descent(tree, Dataset(tree.schema, row.numbers[None], row.codes[None]))
    steps: list[Step] = []
    ends: list[tuple[int, float]] = []
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        if tree.is_leaf(node):
            ends.append((node, share))
            continue
        step = _step(descent, node, share)
        steps.append(step)
        children = tree.children(node)
        waiting.extend((children[branch], part) for branch, part in reversed(step.branches))
        if step.how == "stayed":
            ends.append((node, share))
    return Path(tree, tuple(steps), tuple(ends))


def _step(descent: Descent, node: int, share: float) -> Step:
    tree = descent.tree
    branch, by = (int(found[0]) for found in descent.answer(np.zeros(1, np.int64), np.array([node])))
    if branch == STAY:
        return Step(node, share, "stayed", 0, ())
    if branch == SHARE:
        weight = tree.weight[tree.children(node)]
        parts = share * weight / weight.sum()
        shared = tuple((taken, part) for taken, part in enumerate(parts.tolist()) if part > 0)
        return Step(node, share, "shared", 0, shared)
    return Step(node, share, _HOW.get(by, "surrogate"), max(by, 0), ((branch, share),))


def contributions(paths: Sequence[Path], values: Sequence[Array], hard: bool = False) -> Array:
    """Share the way of a prediction from the root's among the features that were asked on it.

    Each step changes what the row's node says; the change is the feature's that chose the branch: that of the
    split, of the surrogate that stood in, or the one whose value was missing. A split on several features
    shares its change equally among them. The contributions and what the root says add up to the prediction;
    those of several trees are averaged.

    Palczewska, Palczewski, Marchese Robinson & Neagu (2014), *Interpreting random forest classification
    models using a feature contribution method*; Saabas (2014) for regression.

    Parameters
    ----------
    paths : sequence of Path
        The way of the row through each tree.
    values : sequence of float arrays of nodes × classes, or nodes × 1
        What each node of each tree says.
    hard : bool
        Whether a tree gives its whole vote to one class. That of a row that is shared changes where the
        probabilities, averaged over the nodes it has come to, lead to another class.

    Returns
    -------
    float array of features × classes, or features × 1

    Examples
    --------
    >>> from treewright import DecisionTreeRegressor
    >>> from treewright.explain import follow, read_row
    >>> tree = DecisionTreeRegressor().fit([[1, 0], [1, 1], [2, 0], [2, 1]], [0.0, 0.0, 6.0, 10.0]).tree_
    >>> path = follow(tree, read_row([2, 1], tree.schema))
    >>> contributions([path], [tree.node_value]).ravel().tolist(), tree.node_value[0].tolist()
    ([4.0, 2.0], [4.0])
    """
    total = np.zeros((len(paths[0].tree.schema.columns), values[0].shape[1]))
    for path, value in zip(paths, values, strict=True):
        jointly = hard and len(path.ends) > 1
        changes = _changes(path, path.tree.class_probabilities if jointly else value)
        if jointly:
            reached = path.tree.class_probabilities[0] + np.cumsum(changes, axis=0)
            changes = list(np.diff([value[0], *vote_for(reached[:-1]), path.answer(value, hard)], axis=0))
        for step, change in zip(path.steps, changes, strict=True):
            features = features_of(path.split(step))
            total[list(features)] += change / len(features)
    return total / len(paths)


def _changes(path: Path, value: Array) -> list[Array]:
    """Give how each step changes what the nodes say that the row has come to."""
    changes = []
    for step in path.steps:
        children = path.tree.children(step.node)
        taken = (share * (value[children[branch]] - value[step.node]) for branch, share in step.branches)
        changes.append(sum(taken, np.zeros(value.shape[1])))
    return changes


def term_contributions(path: Path, row: Row, says: Array) -> Array:
    """Share the prediction of a tree with linear leaves among splits and terms.

    A row without any value is where they start: what the root's equation says of it. Each step changes what
    is said of such a row, which is the split's; at the end each term adds what the row's own value makes of
    it. Where the prediction is held to the range of the target, all are shortened alike.

    Parameters
    ----------
    path : Path
        The way of the row through the tree.
    row : Row
    says : float array of 1
        The prediction.

    Returns
    -------
    float array of features × 1
    """
    equations = path.tree.equations
    assert equations is not None
    start = equations.at_fill()[:, None]
    total = contributions([path], [start])
    known = np.array([row[feature] for feature in range(len(total))], dtype=np.float64)
    known[list(row.unseen)] = np.nan
    for node, share in path.ends:
        total[:, 0] += share * equations.by_feature(node, known)
    reached = float(total.sum())
    wanted = float(says[0] - start[0, 0])
    return total * (wanted / reached) if reached and abs(wanted - reached) > 1e-9 * abs(reached) else total
