"""Records of a trace: nodes, candidate splits and their branches."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from treewright.trace.trace import Trace


class Record(NamedTuple):
    """A row that comes to a node.

    Attributes
    ----------
    row : object
        Its label in the index of the table, or its place in it, from 0 on.
    values : tuple of str
        What its features are, in words.
    target : str
    weight : float
    """

    row: Any
    values: tuple[str, ...]
    target: str
    weight: float


@dataclass(frozen=True)
class Branch:
    """One branch of a candidate.

    Its figures are those that a lecture puts in the row of a table.

    Attributes
    ----------
    condition : str
        What holds on it.
    counts : tuple of float
        Weight of each class; for regression the weight of its rows.
    weight, value, impurity : float
        Weight, the number it would predict (None for classes), and impurity of its rows.
    share : float
        Share of the rows that the split answers for.
    expected : tuple of float
        Weight of each class that it would have if branch and class were independent; none for regression.
    """

    condition: str
    counts: tuple[float, ...]
    weight: float
    value: float | None
    impurity: float
    share: float = 0.0
    expected: tuple[float, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A candidate at a node: the best split on one feature.

    Attributes
    ----------
    feature : str
        The feature, or the condition of a split on several.
    branches : tuple of Branch
        What each branch would hold; by the policy "fractional_counts" with its share of the rows that the
        split leaves unanswered.
    missing : float
        Weight of the rows that the split leaves unanswered.
    impurity : float
        Mean impurity of the branches, by weight.
    gain : float
        By how much that is less than the node's, both on the rows that the split answers for, and times their
        share where the others take no part; where these are shared over the branches by counts, on all rows.
    split_information : float
        Entropy of the branches' weights, in bits.
    gain_ratio : float
        The decrease of entropy over the split information; 0 for regression.
    merit : float
        What the learner compared.
    chosen : bool
        Whether it was taken.
    cuts : tuple of (str, float)
        Of a numeric feature every cut that could be the best, and the decrease of impurity by it: those where
        the class changes (Fayyad & Irani, 1992); for regression all.
    """

    feature: str
    branches: tuple[Branch, ...]
    missing: float
    impurity: float
    gain: float
    split_information: float
    gain_ratio: float
    merit: float
    chosen: bool
    cuts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class NodeTrace:
    """What happened at a node; `print` it to have it as it stands on the board, with its rows.

    Attributes
    ----------
    node, depth : int
        Its id, and how many splits lie above it.
    path : tuple of str
        The conditions on the way to it.
    counts, weight, value, impurity
        Its rows, as in `Branch`.
    candidates : tuple of Candidate
        The best split on each feature, in the order of the features.
    without : tuple of str
        Features that had no split to offer.
    decision, reason : str
        What was done, and why.
    trace : Trace
        What it is a part of.
    """

    node: int
    depth: int
    path: tuple[str, ...]
    counts: tuple[float, ...]
    weight: float
    value: float | None
    impurity: float
    candidates: tuple[Candidate, ...]
    without: tuple[str, ...]
    decision: str
    reason: str
    trace: Trace = field(repr=False, compare=False)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The training rows that come here, in their order."""
        return self.trace.records_of(self.node)

    def __str__(self) -> str:
        from treewright.trace.text import node_to_text

        return node_to_text(self)

    def _repr_html_(self) -> str:
        from treewright.trace.html import node_to_html

        return node_to_html(self)


CandidateAccount, NodeAccount = Candidate, NodeTrace
"""What version 0.1 called them in pickles."""
