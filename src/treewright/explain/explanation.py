"""Explanation of one prediction: an object with path, contributions and counterfactual that prints itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data import Dataset
from treewright.data.columns import plain
from treewright.explain import rendering
from treewright.explain.counterfactual import Change, nearest_change
from treewright.explain.counterfactual_goal import goal_of
from treewright.explain.path import Path, contributions, follow, term_contributions
from treewright.explain.row import Row
from treewright.figures import wilson_interval
from treewright.formatting.text import printable
from treewright.tree import Tree
from treewright.tree.tree import deciding

if TYPE_CHECKING:
    from treewright.data import Schema

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a model says what it says of one row; `print` it, or read its parts.

    Parameters
    ----------
    row : Row
        The row.
    paths : tuple of Path
        The way of the row through the tree, or through each tree of a forest.
    values : tuple of float arrays
        What every node of each tree says: class probabilities, or a number.
    policies : tuple of str or None
        What becomes of missing values, by feature, where it is known.
    confidence : float
        That of the intervals.
    are_means : bool
        Whether numbers are means, and risks their sums of squares.
    change : Change or None
        The nearest change of the row that would have another answer, if one was looked for and found.
    looked_for : str
        What answer was looked for, in words; empty if none was.
    timed_out : bool
        Whether the search was stopped before any change was found.
    hard : bool
        Whether each tree gives its whole vote to one class, also where it shares the row.
    """

    row: Row
    paths: tuple[Path, ...]
    values: tuple[Array, ...]
    policies: tuple[str, ...] | None = None
    confidence: float = 0.95
    are_means: bool = False
    change: Change | None = None
    looked_for: str = ""
    timed_out: bool = False
    hard: bool = False

    @property
    def schema(self) -> Schema:
        """What the features and classes are."""
        return self.row.schema

    @cached_property
    def says(self) -> Array:
        """Class shares of the row, or the number predicted for it."""
        return self._mean(self.values)

    def _mean(self, values: Sequence[Array]) -> Array:
        every = [path.answer(value, self.hard) for path, value in zip(self.paths, values, strict=True)]
        return np.asarray(np.mean(every, axis=0))

    @cached_property
    def root(self) -> Array:
        """What the root says: the class probabilities of all rows, or the number for all of them.

        With linear leaves it is what the root's equation says of a row without any value.
        """
        equations = self.paths[0].tree.equations
        if equations is not None:
            return equations.at_fill()[:1]
        return np.asarray(np.mean([value[0] for value in self.values], axis=0))

    @cached_property
    def label(self) -> int:
        """Code of the class predicted; 0 for a number."""
        trees = [path.tree for path in self.paths]
        if not trees[0].is_classifier:
            return 0
        return int(trees[0].decide(self._mean(deciding(trees, self.values))))

    @property
    def prediction(self) -> Any:
        """The class or number predicted."""
        classes = self.schema.classes
        return float(self.says[0]) if classes is None else plain(classes[self.label])

    @cached_property
    def contributions(self) -> Array:
        """How far each feature (rows) moved the probability of each class, or the number (columns)."""
        if self.paths[0].tree.equations is not None:
            return term_contributions(self.paths[0], self.row, self.says)
        return contributions(self.paths, self.values, self.hard)

    @cached_property
    def intervals(self) -> Array | None:
        """Confidence intervals of probabilities (2 × classes), or of the mean (2 × 1); None for forests.

        Probabilities have Wilson's interval for the rows at the row's leaf, means Student's; other numbers
        have none. A row that is shared has the mean of its leaves', by share. The leaf was chosen to fit its
        rows, so that the truth may well lie farther out.
        """
        if len(self.paths) > 1 or (self.schema.classes is None and not self.are_means):
            return None
        return np.asarray(sum(share * self._interval(node) for node, share in self.paths[0].ends))

    @cached_property
    def prediction_interval(self) -> Array | None:
        """Where a further row of the leaf is expected (2,), the number predicted being a mean; else None.

        Student's: mean ± t · s · √(1 + 1/n), with s² = Σ (y − mean)² / (n − 1) of the leaf's n rows.
        """
        if self.intervals is None or self.schema.classes is not None:
            return None
        return np.asarray(
            sum(share * self._interval(node, further=True) for node, share in self.paths[0].ends)
        )[:, 0]

    def _interval(self, node: int, further: bool = False) -> Array:
        tree, value = self.paths[0].tree, self.values[0][node]
        n_rows = _rows_at(tree, node)
        if self.schema.classes is not None:
            return np.stack(wilson_interval(value, n_rows, self.confidence))
        if n_rows < 2:
            return np.array([[-np.inf], [np.inf]])
        from scipy.special import stdtrit

        equations = tree.equations
        if equations is not None:  # as many numbers less are free as were estimated
            n_rows = max(2.0, n_rows - len(equations.terms(node)))
        variance = tree.risk[node] / tree.weight[node] / (n_rows - 1)  # of the mean
        spread = np.sqrt(variance * (n_rows + 1) if further else variance)
        room = stdtrit(n_rows - 1, (1 + self.confidence) / 2) * spread
        return np.stack([value - room, value + room])

    @property
    def missing(self) -> list[str]:
        """What each missing and each unseen value did, in sentences."""
        return rendering.missing_sentences(self)

    def __repr__(self) -> str:
        return f"Explanation(prediction={self.prediction!r})"

    def __str__(self) -> str:
        return rendering.text(self)

    def _repr_html_(self) -> str:
        return rendering.html(self)

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as plain values."""
        return rendering.dictionary(self)


class Explanations(Mapping[str, Explanation]):
    """Why a model says what it says of one row, for each of several targets by name; `print` it."""

    def __init__(self, each: dict[str, Explanation]) -> None:
        self._each = each

    def __getitem__(self, target: str) -> Explanation:
        return self._each[target]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={one.prediction!r}" for name, one in self._each.items())
        return f"Explanations({said})"

    def __str__(self) -> str:
        return "\n\n".join(f"Target {printable(name)}\n\n{one}" for name, one in self._each.items())

    def _repr_html_(self) -> str:
        parts = (f"<h3>{escape(printable(name))}</h3>{one._repr_html_()}" for name, one in self._each.items())
        return "".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as plain values."""
        return {name: one.to_dict() for name, one in self._each.items()}


def _rows_at(tree: Tree, node: int) -> float:
    """Count the rows that speak at a node; weights that are unequal make them speak for fewer, never more."""
    scale = tree.count[0] / tree.weight[0] if tree.weight[0] > 0 else 0.0
    return float(min(tree.count[node], tree.weight[node] * scale))


def explain_row(
    trees: Sequence[Tree],
    row: Row,
    values: Sequence[Array],
    *,
    wanted: Any = None,
    policies: tuple[str, ...] | None = None,
    confidence: float = 0.95,
    are_means: bool = False,
    hard: bool = False,
    **limits: Any,
) -> Explanation:
    """Explain what one tree, or several whose answers are averaged, say of a row.

    Parameters
    ----------
    trees : sequence of Tree
        One tree, or the trees of a forest.
    row : Row
        The row, as `read_row` gives it.
    values : sequence of float arrays
        What every node of each tree says, see `Explanation`.
    wanted : class label, number, pair of numbers, "higher", "lower" or None
        The answer to look for in the nearest change, see `goal_of`.
    policies, confidence, are_means, hard
        As for `Explanation`.
    **limits
        `fixed`, `directions`, `scales` and `time_limit` of `nearest_change`.
    """
    equations = trees[0].equations
    if equations is not None:
        if wanted is not None:
            raise ValueError(
                "wanted= looks for changes in trees of constant leaves, and this tree's are linear."
            )
        node = np.arange(len(trees[0]))
        one = Dataset(row.schema, row.numbers[None], row.codes[None])
        values = [equations.say(one, np.zeros_like(node), node)[:, None]]
    paths = tuple(follow(tree, row) for tree in trees)
    explained = Explanation(row, paths, tuple(values), policies, confidence, are_means, hard=hard)
    goal = goal_of(wanted, trees[0], explained.says, explained.label)
    if goal is None:
        return explained
    try:
        change = nearest_change(trees, deciding(trees, values), row, goal, hard=hard, **limits)
    except TimeoutError:
        return replace(explained, looked_for=goal.words, timed_out=True)
    return replace(explained, change=change, looked_for=goal.words)
