"""Penalised pruning: the least sum of the loss and a price for every node.

The regularised risk L(h) + R(h) of Shalev-Shwartz & Ben-David (2014), *Understanding Machine Learning*, ch.
13 and §18.2, with R proportional to the number of nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from treewright.data import Dataset
from treewright.parameter_types import Domain, number
from treewright.pruning.bottom_up import cheapest
from treewright.pruning.losses import RISK_DOMAIN, Risk, training_risk
from treewright.pruning.pruner import Pruned, Pruner
from treewright.tree import Tree
from treewright.tree.decision import loss_name


@dataclass(frozen=True)
class Penalised(Pruner):
    """The smallest pruning of least loss + alpha · nodes.

    With two branches everywhere this is cost-complexity pruning at twice the alpha, since a tree then has one
    node less than twice its leaves. With risk="impurity" and entropy it is description length in its simplest
    form.

    Parameters
    ----------
    alpha : float
        The price of a node, in loss per unit of the root's weight.
    risk : {"error", "cost", "squared_error", "impurity", "log_loss"} or None
        What a leaf costs on the training rows, see `CostComplexity`.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier, datasets
    >>> tree = DecisionTreeClassifier().fit(*datasets.load_iris()).tree_
    >>> [Penalised(alpha)(tree).n_leaves for alpha in (0, 0.005, 0.1, 1)]
    [9, 4, 3, 1]
    """

    domains: ClassVar[dict[str, Domain]] = {"alpha": number(0.0), "risk": RISK_DOMAIN}

    alpha: float
    risk: Risk | None = None

    def prune(self, tree: Tree, rows: Dataset | None = None) -> Pruned:
        """Give the pruned tree with a report, see `Pruner.prune`."""
        leaf = training_risk(tree, self.risk) / tree.weight[0] + self.alpha
        walk = cheapest(tree, leaf, self.alpha)
        measure = f"{self.risk or loss_name(tree)} per row + alpha · nodes"
        report = self.report(
            tree, measure, walk.decided, before=walk.subtree, after=leaf, collapse=walk.collapse
        )
        return Pruned(tree.collapse(walk.collapse), report)
