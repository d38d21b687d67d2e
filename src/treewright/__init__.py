"""Decision trees: exact growing, pruning, explanation, drawing, and model files.

The public names stand here. They are loaded when they are first asked for: NumPy, scikit-learn and what is
made of them are slow to import.
"""

from typing import TYPE_CHECKING

from treewright import errors
from treewright._module_names import find_old_modules, loaded_when_asked_for

if TYPE_CHECKING:
    from treewright import bounds, criteria, datasets, pruning
    from treewright.data import Dataset
    from treewright.distributed import OpenTable, open_table
    from treewright.draw.bars import plot_confusion, plot_importances
    from treewright.draw.curves import (
        plot_impurities,
        plot_merits,
        plot_out_of_bag,
        plot_overfitting,
        plot_pruning_path,
        plot_split,
    )
    from treewright.draw.evaluation_plots import (
        plot_calibration,
        plot_partial_dependence,
        plot_roc,
        plot_shap,
    )
    from treewright.draw.regions import plot_regions
    from treewright.draw.tree_plot import plot_tree
    from treewright.estimators.forest import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from treewright.estimators.from_sklearn import from_sklearn
    from treewright.estimators.loading import load
    from treewright.estimators.optimal import OptimalTreeClassifier, OptimalTreeRegressor
    from treewright.estimators.presets import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
    from treewright.estimators.readable_tree import TreeClassifier, TreeRegressor
    from treewright.estimators.rules import RuleClassifier
    from treewright.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from treewright.estimators.wrapped_models import explain_prediction, to_html
    from treewright.explorer import edit, explore
    from treewright.export import export_text
    from treewright.export.certify import certify
    from treewright.figures import Evaluation
    from treewright.fitting.fit import FitResult, fit
    from treewright.growing.grow_tree import grow
    from treewright.growing.recipe import Recipe
    from treewright.model_selection.comparison import compare_pruners
    from treewright.model_selection.overfitting import overfitting_curve
    from treewright.model_selection.validated_pruning import prune, simplify
    from treewright.rules import RuleSet
    from treewright.tree import Tree
    from treewright.tree.monotone import is_monotone

__version__ = "0.2.0"

__all__ = [
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "Dataset",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Evaluation",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "FitResult",
    "ID3Classifier",
    "OpenTable",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Recipe",
    "RuleClassifier",
    "RuleSet",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "bounds",
    "certify",
    "compare_pruners",
    "criteria",
    "datasets",
    "edit",
    "errors",
    "explain_prediction",
    "explore",
    "export_text",
    "fit",
    "from_sklearn",
    "grow",
    "is_monotone",
    "load",
    "open_table",
    "overfitting_curve",
    "plot_calibration",
    "plot_confusion",
    "plot_importances",
    "plot_impurities",
    "plot_merits",
    "plot_out_of_bag",
    "plot_overfitting",
    "plot_partial_dependence",
    "plot_pruning_path",
    "plot_regions",
    "plot_roc",
    "plot_shap",
    "plot_split",
    "plot_tree",
    "prune",
    "pruning",
    "simplify",
    "to_html",
]

find_old_modules()

_MODULES_OF_NAMES = {
    "bounds": "",
    "criteria": "",
    "data": "",
    "datasets": "",
    "pruning": "",
    "tree": "",
    "Dataset": "treewright.data",
    "Tree": "treewright.tree",
    "DecisionTreeClassifier": "treewright.estimators.tree",
    "DecisionTreeRegressor": "treewright.estimators.tree",
    "C45Classifier": "treewright.estimators.presets",
    "CARTClassifier": "treewright.estimators.presets",
    "CARTRegressor": "treewright.estimators.presets",
    "ExtraTreesClassifier": "treewright.estimators.forest",
    "ExtraTreesRegressor": "treewright.estimators.forest",
    "ID3Classifier": "treewright.estimators.presets",
    "OptimalTreeClassifier": "treewright.estimators.optimal",
    "OptimalTreeRegressor": "treewright.estimators.optimal",
    "RuleClassifier": "treewright.estimators.rules",
    "RuleSet": "treewright.rules",
    "TreeClassifier": "treewright.estimators.readable_tree",
    "TreeRegressor": "treewright.estimators.readable_tree",
    "RandomForestClassifier": "treewright.estimators.forest",
    "RandomForestRegressor": "treewright.estimators.forest",
    "FitResult": "treewright.fitting.fit",
    "Recipe": "treewright.growing.recipe",
    "grow": "treewright.growing.grow_tree",
    "fit": "treewright.fitting.fit",
    "from_sklearn": "treewright.estimators.from_sklearn",
    "load": "treewright.estimators.loading",
    "is_monotone": "treewright.tree.monotone",
    "export_text": "treewright.export",
    "prune": "treewright.model_selection.validated_pruning",
    "simplify": "treewright.model_selection.validated_pruning",
    "certify": "treewright.export.certify",
    "compare_pruners": "treewright.model_selection.comparison",
    "overfitting_curve": "treewright.model_selection.overfitting",
    "edit": "treewright.explorer",
    "explain_prediction": "treewright.estimators.wrapped_models",
    "explore": "treewright.explorer",
    "Evaluation": "treewright.figures",
    "OpenTable": "treewright.distributed",
    "open_table": "treewright.distributed",
    "plot_calibration": "treewright.draw.evaluation_plots",
    "plot_partial_dependence": "treewright.draw.evaluation_plots",
    "plot_roc": "treewright.draw.evaluation_plots",
    "plot_shap": "treewright.draw.evaluation_plots",
    "plot_confusion": "treewright.draw.bars",
    "plot_importances": "treewright.draw.bars",
    "plot_impurities": "treewright.draw.curves",
    "plot_merits": "treewright.draw.curves",
    "plot_out_of_bag": "treewright.draw.curves",
    "plot_overfitting": "treewright.draw.curves",
    "plot_pruning_path": "treewright.draw.curves",
    "plot_regions": "treewright.draw.regions",
    "plot_split": "treewright.draw.curves",
    "plot_tree": "treewright.draw.tree_plot",
    "to_html": "treewright.estimators.wrapped_models",
}


__getattr__ = loaded_when_asked_for(__name__, _MODULES_OF_NAMES)


def __dir__() -> list[str]:
    return __all__
