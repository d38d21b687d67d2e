"""Virtual subclasses: scikit-learn's functions that ask for its own classes take ours.

`sklearn.tree.plot_tree`, `export_text` and partial dependence by recursion test by `isinstance`. Registering
is enough, since its trees and forests are abstract base classes; importing them only for that would make
every import of this library slower. So it is done when a model is first asked for its class after they were
loaded.
"""

from __future__ import annotations

import sys
from typing import Any

from treewright.estimators import forest, tree

CLASSES: dict[str, tuple[type, ...]] = {
    "sklearn.tree": (tree.DecisionTreeClassifier, tree.DecisionTreeRegressor),
    "sklearn.ensemble": (
        forest.RandomForestClassifier,
        forest.RandomForestRegressor,
        forest.ExtraTreesClassifier,
        forest.ExtraTreesRegressor,
    ),
}


def register() -> bool:
    """Register what can be, and tell whether that is all."""
    for module in [name for name in CLASSES if name in sys.modules]:
        theirs: list[Any] = [getattr(sys.modules[module], ours.__name__, None) for ours in CLASSES[module]]
        if None in theirs:  # it is being imported
            continue
        for ours, their in zip(CLASSES.pop(module), theirs, strict=True):
            their.register(ours)
    return not CLASSES
