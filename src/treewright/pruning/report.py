"""Report of a pruner: what it compared and did at each node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from treewright.formatting.html_table import html_table
from treewright.formatting.text import counted, printable
from treewright.formatting.text_table import aligned
from treewright.tree import Tree

ACTIONS = ("keep", "collapse", "raise")
"""What may be decided about a node, by number."""

LONGEST = 60
"""How many decisions are printed at most."""


class Decision(NamedTuple):
    """One decision: the node, the two numbers that were compared, and what was done.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets, prune, pruning
    >>> model = DecisionTreeClassifier().fit(*datasets.load_iris())
    >>> report = prune(model, pruning.Pessimistic()).report_
    >>> report[0].node, report[0].action
    (0, 'keep')
    """

    node: int
    before: float
    after: float
    action: str


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """The decisions of a pruner, in the order in which they were taken.

    Parameters
    ----------
    pruner : str
        The method, with its settings.
    tree : Tree
        The tree as it was before; nodes are numbered as in this tree.
    measure : str
        What was compared, in words.
    columns : pair of str
        What the two numbers are called.
    node, before, after : arrays
        The node of each decision; what it cost before, and what it would cost afterwards.
    action : int8 array
        What was done, as a position in `ACTIONS`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, pruning
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["a", "a", "b", "a", "b", "b"]
    >>> tree = DecisionTreeClassifier().fit(X, y).tree_
    >>> print(pruning.Penalised(0.06).prune(tree).report)
    Penalised(alpha=0.06): error per row + alpha · nodes
    node  split     subtree    leaf  decision
       3  x0 ≤ 3.5     0.18  0.2267  keep
       2  x0 ≤ 4.5      0.3  0.2267  collapse
       0  x0 ≤ 2.5   0.3467    0.56  keep
    """

    pruner: str
    tree: Tree
    measure: str
    columns: tuple[str, str]
    node: NDArray[np.int64]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    action: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.node)

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> Report: ...

    def __getitem__(self, index: int | slice) -> Decision | Report:
        if isinstance(index, slice):
            return replace(
                self,
                node=self.node[index],
                before=self.before[index],
                after=self.after[index],
                action=self.action[index],
            )
        action = ACTIONS[self.action[index]]
        return Decision(int(self.node[index]), float(self.before[index]), float(self.after[index]), action)

    def __iter__(self) -> Iterator[Decision]:
        return (self[index] for index in range(len(self)))

    @property
    def collapsed(self) -> NDArray[np.int64]:
        """The nodes that were made leaves, in order.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets, prune, pruning
        >>> model = DecisionTreeClassifier().fit(*datasets.load_iris())
        >>> report = prune(model, pruning.Pessimistic()).report_
        >>> report.collapsed.tolist()
        [4, 7, 12]
        """
        return np.asarray(self.node[self.action == ACTIONS.index("collapse")])

    def __repr__(self) -> str:
        return f"Report({self.pruner}, {counted(len(self), 'decision')}, {len(self.collapsed)} collapsed)"

    def __str__(self) -> str:
        return self.text(LONGEST)

    def _repr_html_(self) -> str:
        rows = [self._line(index) for index in range(min(len(self), LONGEST))]
        more = len(self) - len(rows)
        caption = f"{self.pruner}: {self.measure}" + (f" ({counted(more, 'decision')} more)" if more else "")
        return html_table(caption, ["node", "split", *self.columns, "decision"], rows, (0, 2, 3))

    def text(self, longest: int | None = None) -> str:
        """Write the decisions as a table.

        Parameters
        ----------
        longest : int or None
            Leave out the middle of a report that has more decisions.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets, prune, pruning
        >>> model = DecisionTreeClassifier().fit(*datasets.load_iris())
        >>> report = prune(model, pruning.Pessimistic()).report_
        >>> print(report.text(longest=2))
        Pessimistic(): errors + 0.5 · leaves, and 1 standard error for the subtree
        node  split                subtree   leaf  decision
           0  petal length ≤ 2.45    6.589  100.5  keep
        … 4 decisions more …
          12  petal length ≤ 4.85    2.705    1.5  collapse
        """
        shown: list[int | None] = list(range(len(self)))
        if longest is not None and len(self) > longest:
            shown[longest // 2 : len(self) - longest // 2] = [None]
        lines = [self._line(index) for index in shown if index is not None]
        table = aligned(["node", "split", *self.columns, "decision"], lines, right=(0, 2, 3))
        if None in shown:
            table.insert(1 + shown.index(None), f"… {counted(len(self) - len(lines), 'decision')} more …")
        return "\n".join([f"{self.pruner}: {self.measure}", *table])

    def _line(self, index: int) -> list[str]:
        node, before, after, action = self[index]
        return [str(node), split_words(self.tree, node), _number(before), _number(after), action]


def split_words(tree: Tree, node: int) -> str:
    """Say in a few words what a node asks: the condition of its first branch, or the feature alone.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> split_words(DecisionTreeClassifier().fit([[1], [2]], ["a", "b"]).tree_, 0)
    'x0 ≤ 1.5'
    """
    split = tree[node].split
    if split is None:
        return "leaf"
    if len(tree.children(node)) > 2:
        return printable(tree.schema.names[getattr(split, "feature", 0)])
    return split.condition(tree.schema, 0, decimals=None, max_categories=4)


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.4g}"
