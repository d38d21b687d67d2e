"""Decision trees that are grown exactly, read easily and kept safely.

The public names stand here. Estimators need scikit-learn, which is slow to import, so they are loaded when
they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from treewright import criteria, datasets, errors, pruning
from treewright.compare import compare_pruners
from treewright.data import Dataset
from treewright.export import export_text
from treewright.grow import grow
from treewright.overfitting import overfitting_curve
from treewright.recipe import Recipe
from treewright.selection import prune, simplify
from treewright.tree import Tree

if TYPE_CHECKING:
    from treewright.estimators import DecisionTreeClassifier, DecisionTreeRegressor
    from treewright.forest import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from treewright.models import load
    from treewright.presets import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier

__version__ = "0.1.0"

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "Dataset",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ID3Classifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Recipe",
    "Tree",
    "__version__",
    "compare_pruners",
    "criteria",
    "datasets",
    "errors",
    "export_text",
    "grow",
    "load",
    "overfitting_curve",
    "prune",
    "pruning",
    "simplify",
]

_LOADED_WHEN_ASKED_FOR = {
    "DecisionTreeClassifier": "treewright.estimators",
    "DecisionTreeRegressor": "treewright.estimators",
    "C45Classifier": "treewright.presets",
    "CARTClassifier": "treewright.presets",
    "CARTRegressor": "treewright.presets",
    "ExtraTreesClassifier": "treewright.forest",
    "ExtraTreesRegressor": "treewright.forest",
    "ID3Classifier": "treewright.presets",
    "RandomForestClassifier": "treewright.forest",
    "RandomForestRegressor": "treewright.forest",
    "load": "treewright.models",
}


def __getattr__(name: str) -> object:
    if name not in _LOADED_WHEN_ASKED_FOR:
        raise AttributeError(f"module 'treewright' has no attribute {name!r}")
    return getattr(import_module(_LOADED_WHEN_ASKED_FOR[name]), name)


def __dir__() -> list[str]:
    return __all__
