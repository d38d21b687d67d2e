"""A program as a table of states, each one comparison: what targets hold that are data rather than code.

At a state a row's quantity is compared with one threshold and goes on to `low` (at most), `high` (above) or
`missing` (NaN). Several cuts and lookups of codes become a search by halves, surrogates the states behind
`missing`, rules a chain. A target of ~e, which is negative, is end e of the body.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from treewright.export.comparisons import UNSEEN, Cut, Lookup, Test
from treewright.export.program import SHARE, STAY, Body, Clause, Node, Program, RuleBody

SHARED = -1
"""The quantity of a state that shares rows over all its branches."""


@dataclass(eq=False)
class States:
    """The states of all bodies of a program, as columns.

    Parameters
    ----------
    quantity, threshold, low, high, missing : list
        By state. Where a row is shared (`quantity` is `SHARED`), `low` and `high` tell the range of
        `share_to` and `share_weight` that has its parts, and `threshold` is the sum of the weights.
    share_to, share_weight : list
        Where parts of rows go, and their weights.
    roots : list
        The state, or ~end, that each body begins with.
    first_end : list
        Where the ends of each body begin among those of all: targets count on through all bodies.
    known : list of range
        The codes that each input may have.
    """

    quantity: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    share_to: list[int] = field(default_factory=list)
    share_weight: list[float] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    first_end: list[int] = field(default_factory=list)
    known: list[range] = field(default_factory=list)

    @classmethod
    def of(cls, program: Program) -> States:
        """Write the states of a program, bottom up: what a state leads to is there before it."""
        states = cls()
        lowest = UNSEEN if program.unseen_is_code else 0
        states.known = [range(lowest, len(one.column.categories)) for one in program.inputs]
        end = 0
        for body in program.bodies:
            states.first_end.append(end)
            states.roots.append(states._body(body, end))
            end += len(body.answers.proba)
        return states

    def __len__(self) -> int:
        return len(self.quantity)

    @property
    def shares(self) -> bool:
        """Whether some state shares rows."""
        return SHARED in self.quantity

    def _append(self, quantity: int, threshold: float, low: int, high: int, missing: int) -> int:
        self.quantity.append(quantity)
        self.threshold.append(threshold)
        self.low.append(low)
        self.high.append(high)
        self.missing.append(missing)
        return len(self.quantity) - 1

    def _body(self, body: Body, first_end: int) -> int:
        if isinstance(body, RuleBody):
            return self._rules(body, first_end)
        target = [0] * len(body.nodes)
        for node in reversed(body.nodes):  # children come after their parent
            end = ~(first_end + body.end_of[node.id]) if node.id in body.end_of else 0
            target[node.id] = self._node(node, target, end) if node.tests else end
        return target[0]

    def _node(self, node: Node, target: Sequence[int], end: int) -> int:
        if node.default == STAY:
            goes = end
        elif node.default == SHARE:
            goes = self._share(node, target)
        else:
            goes = target[node.children[node.default]]
        children = [target[child] for child in node.children]
        for test in reversed(node.tests):
            goes = self._test(test, children, goes)
        return goes

    def _share(self, node: Node, target: Sequence[int]) -> int:
        begin = len(self.share_to)
        for child, weight in node.shared:
            self.share_to.append(target[child])
            self.share_weight.append(weight)
        return self._append(SHARED, node.total, begin, len(self.share_to), 0)

    def _test(self, test: Test, branches: Sequence[int], missing: int, unlisted: int | None = None) -> int:
        """Write a test; codes that it does not list are as good as missing, unless `unlisted` is given."""
        known = self.known[test.quantity] if isinstance(test, Lookup) else range(0)
        cuts, targets = _steps(test, branches, missing if unlisted is None else unlisted, known)
        return self._search(test.quantity, cuts, targets, missing)

    def _search(self, quantity: int, cuts: Sequence[float], targets: Sequence[int], missing: int) -> int:
        """Search for the place of a quantity among ascending cuts by halves; gives the first state."""
        # Ranges of targets that still have to be joined, as spans of cuts; the smaller ones are made first.
        spans = [(0, len(cuts))]
        for begin, end in spans:
            middle = (begin + end) // 2
            spans += [(a, b) for a, b in ((begin, middle), (middle + 1, end)) if a < b]
        state: dict[tuple[int, int], int] = {}
        for begin, end in reversed(spans):
            middle = (begin + end) // 2
            low = state[begin, middle] if begin < middle else targets[middle]
            high = state[middle + 1, end] if middle + 1 < end else targets[middle + 1]
            state[begin, end] = self._append(quantity, cuts[middle], low, high, missing)
        return state[0, len(cuts)]

    def _rules(self, body: RuleBody, first_end: int) -> int:
        goes = ~(first_end + len(body.rules))
        for place in reversed(range(len(body.rules))):
            otherwise, then = goes, ~(first_end + place)
            for clause in reversed(body.rules[place]):
                then = self._clause(clause, then, otherwise)
            goes = then
        return goes

    def _clause(self, clause: Clause, then: int, otherwise: int) -> int:
        test = clause.test
        n_branches = test.n_branches if isinstance(test, Cut) else max(test.branches.values(), default=0) + 1
        branches = [then if branch == clause.branch else otherwise for branch in range(n_branches)]
        # A code that is not listed does not hold, whatever becomes of missing ones.
        return self._test(test, branches, then if clause.missing else otherwise, otherwise)


def _steps(test: Test, branches: Sequence[int], unlisted: int, known: range) -> tuple[list[float], list[int]]:
    """Give a test as ascending cuts and what is between them; codes are the whole numbers of `known`."""
    if isinstance(test, Cut):
        return list(test.cuts), [branches[branch] for branch in range(test.n_branches)]
    cuts: list[float] = []
    targets: list[int] = []

    def run(code: int, target: int) -> None:
        """Begin a run of codes that lead to the same place, unless it goes on."""
        if targets and targets[-1] != target:
            cuts.append(code - 0.5)
        if not targets or targets[-1] != target:
            targets.append(target)

    following = known.start
    for code, branch in sorted(test.branches.items()):
        if code > following:
            run(following, unlisted)
        run(code, branches[branch])
        following = code + 1
    if following < known.stop:
        run(following, unlisted)
    # Where every code leads to the same place, whatever is known does.
    return (cuts, targets) if cuts else ([math.inf], [*targets, *targets][:2] or [unlisted, unlisted])
