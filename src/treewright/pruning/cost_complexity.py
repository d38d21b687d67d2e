"""Cost-complexity pruning: the nested trees that minimise loss + alpha · leaves, for every alpha.

Breiman, Friedman, Olshen & Stone (1984), *Classification and Regression Trees*, ch. 3, cut the weakest link
again and again: the node whose leaves buy the least decrease of loss each. Doing so literally looks at every
node in every step. Here each node's alpha is found once, from below. As a function of alpha the least cost of
a subtree is concave and piecewise linear; it bends at the alphas of the nodes that collapse inside it. A node
collapses where the line *its loss as a leaf + alpha* meets the sum of its children's functions, and the bends
beyond that point are gone for good. So a heap of bends that children hand to their parent gives all alphas in
O(n log n), or O(n log² n) when large heaps must be merged again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.data import Dataset
from treewright.parameter_types import Domain, is_whole, number, whole
from treewright.pruning.losses import RISK_DOMAIN, Risk, training_risk
from treewright.pruning.nested import nested_losses
from treewright.pruning.path import NestedPrunings, PruningPath
from treewright.pruning.pruner import Needs, Pruned, Pruner
from treewright.pruning.report import Report
from treewright.tree import Tree
from treewright.tree.decision import loss_name

Array = NDArray[np.float64]
Bends = list[tuple[float, int]]  # a heap of (−alpha, node), the largest alpha on top

SAME_ALPHA = 1e-10
"""Alphas that differ by less than this share of the largest are one: they are rounded."""


class Links(NamedTuple):
    """The links in the order in which they break, the tree itself first.

    Attributes
    ----------
    tree : Tree
        The tree that they belong to.
    node : int array
        The node collapsed in each step, −1 in the first entry.
    alpha : float array
        From this alpha on the step is worth taking; 0 in the first entry.
    risk, leaves : arrays
        Risk per unit of weight, and leaves, of the tree after each step.
    """

    tree: Tree
    node: NDArray[np.int64]
    alpha: Array
    risk: Array
    leaves: NDArray[np.int64]

    def path(self) -> PruningPath:
        """Give the nested sequence of trees, those of equal alphas together."""
        last = np.append(self._differs(), True)  # of its group of equals
        first = np.append(0, np.flatnonzero(last)[:-1] + 1)
        alpha = np.maximum(self.alpha[first], 0.0)
        prunings = NestedPrunings(self.tree, self.steps())
        return PruningPath(self.leaves[last], self.risk[last], alpha, prunings=prunings)

    def steps(self) -> Array:
        """Give the first tree of the path in which each node is a leaf; infinite as for `leaf_alphas`."""
        of_node = np.full(self.tree.parent.shape, inf)
        of_node[self.node[1:]] = np.cumsum(self._differs())
        return of_node

    def _differs(self) -> NDArray[np.bool_]:
        """Whether each alpha but the first is larger than the one before by more than rounding."""
        alpha = np.maximum(self.alpha, 0.0)
        return np.asarray(np.diff(alpha) > SAME_ALPHA * alpha[-1])


def _is_cv(value: Any) -> bool:
    if value is None or isinstance(value, tuple):
        return value is None or (len(set(value)) > 1 and all(map(is_whole, value)))
    return is_whole(value) and value >= 2


@dataclass(frozen=True)
class CostComplexity(Pruner):
    """The smallest pruning of least loss + alpha · leaves, alpha given or chosen (Breiman et al., 1984).

    One of `alpha`, `cv` and `holdout` says how alpha is found; by default it is `cv=10`. Cross-validation
    grows a tree on all folds but one and predicts the rows of that one, for every alpha of the path at once:
    tree k of the path is judged at √(alpha_k · alpha_k+1), the losses of all folds are pooled. It grows
    trees, so `treewright.prune` and an estimator's `pruner=` do it, not the call on a bare tree.

    Parameters
    ----------
    alpha : float or None
        The price of a leaf, in loss per unit of the root's weight.
    cv : int, array-like of fold numbers, or None
        Choose alpha by cross-validation with so many folds, stratified by class, or with the fold of every
        row.
    holdout : bool
        Choose alpha by held-out rows.
    se : float
        Choose the smallest tree within so many standard errors of the best: 1 is the rule of the book.
    risk : {"error", "cost", "squared_error", "impurity", "log_loss"} or None
        What a leaf costs on the training rows: misclassified weight, its cost, squares about the mean, the
        impurity of the criterion, as scikit-learn's `ccp_alpha` has it, or −log₂ of the probability of each
        row's class; None is what the tree was grown for. Other rows are judged by what the tree was grown for
        too, or by the log loss, where a class that a leaf has never seen has the probability 2⁻⁵².
    repeats : int
        How many times to cross-validate, each with other folds; the means are averaged.
    random_state : int
        Seed of the folds.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, prune
    >>> X, y = datasets.load_iris()
    >>> model = DecisionTreeClassifier().fit(X, y)
    >>> CostComplexity(alpha=0.02)(model.tree_).n_leaves
    3
    >>> pruned = prune(model, CostComplexity(cv=10, se=1), X, y)
    >>> print(pruned.path_)
       alpha  leaves  training  held_out       se
           0       9         0   0.05333  0.01835
    0.003333       7  0.006667      0.06  0.01939
    0.006667       4   0.02667   0.06667  0.02037
     0.01333       3      0.04   0.06667  0.02037  ←
      0.2933       2    0.3333    0.3333  0.03849
      0.3333       1    0.6667    0.6667  0.03849
    """

    domains: ClassVar[dict[str, Domain]] = {
        "alpha": number(0.0, none=True),
        "cv": Domain(
            _is_cv, "an int from 2 on, at least two different fold numbers, one for each row, or None"
        ),
        "holdout": Domain(lambda value: isinstance(value, bool), "a bool"),
        "se": number(0.0),
        "risk": RISK_DOMAIN,
        "repeats": whole(1),
        "random_state": whole(0),
    }

    alpha: float | None = None
    cv: int | Sequence[int] | None = None
    holdout: bool = False
    se: float = 0.0
    risk: Risk | None = None
    repeats: int = 1
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.alpha is None and self.cv is None and self.holdout is False:
            object.__setattr__(self, "cv", 10)
        elif self.cv is not None and not is_whole(self.cv):
            object.__setattr__(self, "cv", _fold_numbers(self.cv))
        super().__post_init__()
        if (self.alpha is not None) + (self.cv is not None) + self.holdout > 1:
            raise ValueError(f"Give one of 'alpha', 'cv' and 'holdout' to CostComplexity. Got {self}.")

    @property
    def needs(self) -> Needs:
        """Nothing for a given alpha, held-out rows, or the training rows for cross-validation."""
        return "nothing" if self.alpha is not None else "holdout" if self.holdout else "training"

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report and the path, see `Pruner.prune`."""
        if self.cv is not None:
            raise ValueError(
                f"{self} grows trees to cross-validate: use treewright.prune(model, pruner, X, y), or give "
                "it to an estimator as pruner=."
            )
        links = weakest_links(tree, self.risk)
        path = links.path()
        if self.holdout:
            rows = self.require_rows(rows)
            sums = nested_losses(tree, rows, links.steps(), np.arange(float(len(path))), self.risk)
            return self.choose(links, sums.mean, sums.se)
        return self._at(links, path, float(self.alpha or 0.0))

    def choose(self, links: Links, held_out: Array, se: Array, slack: float = 0.0) -> Pruned:
        """Take the tree that is best on other rows, or the smallest within `se` standard errors of it.

        See `PruningPath.choose` for `slack`.
        """
        path = links.path().choose(held_out, self.se, measure="held_out", se=se, slack=slack)
        return self._at(links, path, float(alphas_of(path)[path.chosen]))

    def _at(self, links: Links, path: PruningPath, alpha: float) -> Pruned:
        broken = links.alpha[1:] <= alpha + SAME_ALPHA * links.alpha[-1]
        report = Report(
            str(self),
            links.tree,
            f"{self.risk or loss_name(links.tree)} per row that each leaf below a node saves, against alpha",
            ("saved per leaf", "alpha"),
            links.node[1:],
            links.alpha[1:],
            np.full(len(broken), alpha),
            broken.astype(np.int8),
        )
        return Pruned(links.tree.collapse(links.node[1:][broken]), report, path)


def alphas_of(path: PruningPath) -> Array:
    """Give the alphas of a path that has them."""
    assert path.alpha is not None
    return path.alpha


def between(alpha: Array) -> Array:
    """Geometric means of neighbouring alphas, at which cross-validation judges; infinite beyond the last.

    Examples
    --------
    >>> between(np.array([0.0, 1.0, 4.0])).tolist()
    [0.0, 2.0, inf]
    """
    return np.append(np.sqrt(alpha[:-1] * alpha[1:]), inf)


def weakest_links(tree: Tree, risk: Risk | None = None) -> Links:
    """Every link of a tree with the alpha at which it breaks, weakest first.

    Parameters
    ----------
    tree : Tree
        The tree to prune; it stays as it is.
    risk : str or None
        What a leaf costs, see `CostComplexity`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> links = weakest_links(DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "a"]).tree_)
    >>> links.alpha.round(3).tolist(), links.leaves.tolist()
    ([0.0, 0.167], [3, 1])
    """
    risks, scales = _scaled_risk(tree, risk)
    scale = float(scales[0])
    alphas, saved_leaves = _collapse_alphas(tree, risks)
    nodes = np.flatnonzero(np.isfinite(alphas))
    nodes = nodes[np.argsort(alphas[nodes], kind="stable")]
    is_leaf = tree.n_children == 0
    # Collapsing at its alpha changes a node's risk by alpha for every leaf it saves.
    rises = alphas[nodes] * saved_leaves[nodes]
    return Links(
        tree=tree,
        node=np.concatenate([[-1], nodes]),
        alpha=np.concatenate([[0.0], alphas[nodes] / scale]),
        risk=(risks[is_leaf].sum() + np.concatenate([[0.0], np.cumsum(rises)])) / scale,
        leaves=np.count_nonzero(is_leaf) - np.concatenate([[0], np.cumsum(saved_leaves[nodes])]),
    )


def leaf_alphas(tree: Tree, risk: Risk | None = None) -> Array:
    """Give the alpha from which each node is a leaf; infinite where a node above collapses before.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "a"]).tree_
    >>> leaf_alphas(tree).round(3).tolist()
    [0.167, inf, inf, inf, inf]
    """
    risks, scale = _scaled_risk(tree, risk)
    return np.asarray(_collapse_alphas(tree, risks)[0] / scale)


def _fold_numbers(cv: ArrayLike) -> Any:
    """Fold numbers as a tuple; whatever else is left for the domain to refuse."""
    try:
        return tuple(np.asarray(cv).tolist())
    except (TypeError, ValueError):
        return cv


def _scaled_risk(tree: Tree, risk: Risk | None) -> tuple[Array, Array]:
    """Risk of each node, and what to divide it by to have it per unit of weight of the node's root.

    Totals of errors are whole numbers, and quotients of whole numbers that should be equal are.
    """
    roots = np.flatnonzero(tree.parent < 0)  # one, or those of trees side by side
    weight = np.repeat(tree.weight[roots], np.diff(roots, append=len(tree)))
    if risk in ("impurity", "log_loss"):
        return training_risk(tree, risk) / weight, np.ones(len(tree))
    return training_risk(tree, risk), weight


def _collapse_alphas(tree: Tree, risks: Array) -> tuple[Array, NDArray[np.int64]]:
    """Alpha at which each node collapses by itself, and how many leaves that saves.

    Alpha is infinite at leaves and at nodes that a collapsing ancestor takes with it.
    """
    n_nodes = len(risks)
    # For large alpha all children are leaves; each node goes down from there to where it is one too.
    with np.errstate(invalid="ignore"):  # squares of the largest numbers are infinite
        below = tree.parent >= 0
        saved_risk = (risks - np.bincount(tree.parent[below], risks[below], minlength=n_nodes)).tolist()
    saved_leaves = (tree.n_children - 1).tolist()
    alpha, parent = [inf] * n_nodes, tree.parent.tolist()
    bends: list[Bends | None] = [None] * n_nodes  # of each node's subtree
    for node in np.flatnonzero(tree.n_children)[::-1].tolist():  # children come after their parent
        inside = bends[node]
        gain, leaves = saved_risk[node], saved_leaves[node]
        own = gain / leaves
        if inside is None:
            inside = [(-own, node)]
        else:
            bends[node] = None
            while inside and -inside[0][0] >= own:
                swallowed = heappop(inside)[1]
                alpha[swallowed] = inf
                gain += saved_risk[swallowed]
                leaves += saved_leaves[swallowed]
                own = gain / leaves
            saved_risk[node], saved_leaves[node] = gain, leaves
            heappush(inside, (-own, node))
        alpha[node] = own
        above = parent[node]
        if above < 0:
            continue
        beside = bends[above]
        if beside is None:
            bends[above] = inside
            continue
        fewer, more = (beside, inside) if len(beside) < len(inside) else (inside, beside)
        for bend in fewer:  # the smaller heap goes into the larger
            heappush(more, bend)
        bends[above] = more
    return np.array(alpha), np.array(saved_leaves, dtype=np.int64)
