"""`grow`: a dataset and a recipe to a tree, by the core; threads, progress, class weights."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import ceil, sqrt
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.criteria import CLASSIFICATION, REGRESSION
from treewright.data import Dataset, Schema
from treewright.data.sparse_dataset import SparseDataset
from treewright.errors import warn
from treewright.formatting.suggestions import unknown_name
from treewright.growing.feature_order import grow_in_order
from treewright.growing.missing_policy import SHARED, settle_policies
from treewright.growing.parameters import SPLITS, parameters_of
from treewright.growing.recipe import CATEGORY_SPLITS, AnyRecipe, Recipe
from treewright.growing.several_targets import check_several, core_target, with_class_weight
from treewright.growing.user_criteria import MeritFunction, shared_memory
from treewright.parameter_types import is_whole
from treewright.tree import Tree

Array = NDArray[np.float64]
Codes = NDArray[np.int32]
Progress = Callable[[float], None]


def grow(
    dataset: Dataset,
    recipe: AnyRecipe,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    warn_of_odd: bool = True,
) -> Tree:
    """Grow a tree.

    Parameters
    ----------
    dataset : Dataset
        The rows to learn from, with their target.
    recipe : Recipe
        How to grow.
    n_jobs : int or None
        Threads to use, see `threads`. The tree is the same for every number.
    progress : callable or None
        Called now and then with the share of the work that is done, at the end with 1; what it raises stops
        the growing.
    warn_of_odd : bool
        Whether to warn of a tree that could not grow at all, or that one column alone makes perfect.

    Returns
    -------
    Tree
        The grown tree, not pruned.

    Examples
    --------
    >>> from treewright.data import Dataset
    >>> dataset = Dataset.from_table([[1.0], [2.0], [3.0]], ["a", "a", "b"], task="classification")
    >>> grow(dataset, Recipe("gini")).node_count
    3
    """
    if not isinstance(recipe, Recipe):
        dataset.schema.require_one_target("this learner takes")
        return recipe.grow(dataset, n_jobs=n_jobs, progress=progress)
    dataset, options = core_options(dataset, recipe, n_jobs, progress)
    table = core_table(dataset)
    arrays = grow_in_order(table, dataset.weight, options)
    n_nodes = len(arrays["parent"])
    if progress is not None:
        progress(1.0)
    if recipe.missing in SHARED and not options["policies"]:  # nothing missed a value, but new rows may
        arrays["default_branch"] = np.full(n_nodes, -1, np.int32)
    tree = Tree.from_arrays(dataset.schema, arrays, options.get("costs"))
    if warn_of_odd and n_nodes <= max(1, 2 * table[-1]):  # others are not odd
        _warn_of_odd_trees(dataset, recipe, tree)
    return (
        tree if recipe.significance is None else replace(tree, note=_significance_note(dataset, recipe, tree))
    )


def _significance_note(dataset: Dataset, recipe: Recipe, tree: Tree) -> str:
    """Say that a test of significance ended the growing of a tree, if it did."""
    if len(tree) > 1:
        return f"grown until no split was significant at {recipe.significance:g}"
    without = replace(recipe, significance=None, max_depth=1)
    could_grow = tree.impurity[0] > 0 and len(grow(dataset, without, n_jobs=1, warn_of_odd=False)) > 1
    return f"a single leaf: no split is significant at {recipe.significance:g}" if could_grow else ""


def core_table(
    dataset: Dataset, program: str | None = None
) -> tuple[Any, Codes, Codes, Codes, Array | Codes | None, int]:
    """Give a dataset as the first arguments of the core's growers; those of a program grow on dense rows."""
    schema = dataset.schema
    if program is not None and isinstance(dataset, SparseDataset):
        dataset = dataset.dense(program)
    position, n_categories = schema.position, schema.n_categories
    numbers = dataset.columns.parts if isinstance(dataset, SparseDataset) else dataset.numbers
    return numbers, dataset.codes, position, n_categories, core_target(dataset), schema.n_classes


def core_options(
    dataset: Dataset, recipe: Recipe, n_jobs: int | None, progress: Progress | None
) -> tuple[Dataset, dict[str, Any]]:
    """Check that a recipe fits a dataset; give the rows to grow on, and the recipe as the core reads it."""
    if dataset.target is None:
        raise ValueError("Cannot grow a tree: the dataset has no target.")
    _check_criterion(dataset.schema, recipe)
    _check_features(dataset.schema, recipe)
    if dataset.schema.outputs:
        check_several(dataset.schema, recipe)
        dataset, recipe = with_class_weight(dataset, recipe)
    dataset, missing, policies = settle_policies(dataset, recipe)
    if "predicate" in recipe.splits:
        dataset, recipe = _with_predicates(dataset, recipe)
    n_rows = len(dataset)
    n_threads = threads(n_jobs, n_rows * len(dataset.schema.columns))
    told = {"missing": missing, "policies": policies, "threads": n_threads, "progress": progress}
    truth = dataset.schema.truth_values
    options = _options(dataset, recipe, n_rows) | told | ({"truth_values": truth} if truth else {})
    if isinstance(dataset, SparseDataset) and (name := _core.dense_only(options)):
        dataset = dataset.dense(name)
    return dataset, options


FEW_CELLS = 1 << 14
"""Values of a table that is dealt with before a second thread has begun."""


def threads(n_jobs: int | None, n_cells: int = FEW_CELLS) -> int:
    """Count the threads to use.

    Parameters
    ----------
    n_jobs : int or None
        `None`: what `OMP_NUM_THREADS` says, else all cores this process may use; −1: all of them, −2: all
        but one, and so on; more than there are: all.
    n_cells : int
        Values of the table that they are for: where nobody says how many, one is enough for few.

    Examples
    --------
    >>> threads(1)
    1
    >>> threads(0)
    Traceback (most recent call last):
        ...
    ValueError: n_jobs must be None, a positive or a negative whole number. Got 0 instead.
    """
    if n_jobs == 1 and is_whole(n_jobs):
        return 1  # without asking how many there are
    if n_jobs is None and n_cells < FEW_CELLS:
        return 1
    cores = _available_cores()
    if n_jobs is None:
        wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
        return min(int(wanted), cores) if wanted.isdigit() and int(wanted) > 0 else cores
    if not is_whole(n_jobs) or n_jobs == 0:
        raise ValueError(
            f"n_jobs must be None, a positive or a negative whole number. Got {n_jobs!r} instead."
        )
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else min(int(n_jobs), cores)


def count_features(max_features: int | float | str | None, n_features: int) -> int:
    """Count the features each node looks at, as scikit-learn does.

    Examples
    --------
    >>> count_features("sqrt", 10), count_features(0.5, 10), count_features(None, 10)
    (3, 5, 10)
    """
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(sqrt(n_features)))
    if max_features == "log2":
        return max(1, n_features.bit_length() - 1)
    if is_whole(max_features):
        return int(max_features)
    return max(1, int(float(max_features) * n_features))


def class_factor(dataset: Dataset, recipe: AnyRecipe) -> Array | None:
    """Give the factor that a recipe puts on the weight of each class of a dataset; None if it puts none."""
    if not isinstance(recipe, Recipe):
        factor: Array | None = recipe.class_factor(dataset)
        return factor
    return _class_factors(dataset, recipe)[0]


def progress_bar(verbose: int | bool, doing: str = "growing") -> Progress | None:
    """Make a one-line bar on standard error, or `None` where nobody would see it."""
    if not verbose or not sys.stderr.isatty():
        return None

    start = monotonic()

    def show(fraction: float) -> None:
        done = round(40 * fraction)
        passed = monotonic() - start
        left = f"{passed * (1 - fraction) / fraction:.0f} s left" if 0 < fraction < 1 else f"{passed:.1f} s"
        end = "\n" if fraction >= 1 else ""
        sys.stderr.write(f"\r{doing} [{'#' * done}{' ' * (40 - done)}] {fraction:4.0%}, {left:<12}{end}")
        sys.stderr.flush()

    return show


def _available_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity
        return os.cpu_count() or 1


def _check_criterion(schema: Schema, recipe: Recipe) -> None:
    if recipe.max_groups > 2 and (callable(recipe.criterion) or recipe.criterion == "absolute_error"):
        raise ValueError(
            f"max_groups={recipe.max_groups} needs a criterion of class weights or sums, which functions and "
            "'absolute_error' are not: use max_groups=2."
        )
    if recipe.fair_categories and (callable(recipe.criterion) or recipe.criterion == "absolute_error"):
        raise ValueError(
            "fair_categories=True needs a criterion of class weights or sums, which functions and "
            "'absolute_error' are not."
        )
    if recipe.fair_categories and recipe.category_order == "once":
        raise ValueError(
            "fair_categories=True judges the categories of each node, and category_order='once' does not "
            "look at them again: use 'auto' or 'node'."
        )
    if callable(recipe.criterion):
        return
    known = REGRESSION if schema.classes is None else CLASSIFICATION
    if recipe.criterion not in known:
        raise ValueError(unknown_name("criterion for this target", recipe.criterion, known))


def _with_predicates(dataset: Dataset, recipe: Recipe) -> tuple[Dataset, Recipe]:
    """Say by forms that the core knows that of categorical features only predicates are to be split on."""
    others = tuple(name for name in recipe.splits if name != "predicate")
    if any(name in CATEGORY_SPLITS for name in others):
        return dataset, replace(recipe, splits=others)
    schema = dataset.schema
    codes = dataset.codes.copy(order="F")
    for feature in range(schema.n_inputs):
        if schema.n_categories[feature] > 0:
            codes[:, schema.position[feature]] = 0  # the same in all rows: nothing to split on
    return replace(dataset, codes=codes), replace(recipe, splits=(*others, "subset"))


def _check_features(schema: Schema, recipe: Recipe) -> None:
    """Every feature must be open to one of the splits asked for."""
    if "predicate" in recipe.splits:
        if not schema.predicates:
            raise ValueError("splits has 'predicate', but there is none: give some, as predicates=['a > b'].")
        return
    grouped = any(name in CATEGORY_SPLITS for name in recipe.splits)
    ordered = any(name not in CATEGORY_SPLITS for name in recipe.splits)
    if ordered and grouped:
        return
    for column in schema.columns:
        if column.kind == "categorical" and not grouped:
            raise ValueError(
                f"Feature {column.name!r} is categorical, and splits={recipe.splits!r} has no form for it: "
                "add 'subset', 'multiway' or 'one_vs_rest'."
            )
        if column.kind != "categorical" and not ordered:
            raise ValueError(
                f"Feature {column.name!r} is {column.kind}, and splits={recipe.splits!r} has no form for it: "
                "name it in categorical_features, or grow a tree with 'threshold' splits, as "
                "DecisionTreeClassifier does."
            )


def _warn_of_odd_trees(dataset: Dataset, recipe: Recipe, tree: Tree) -> None:
    """Warn of a tree that could not grow at all, and of one that reads the classes off a single feature."""
    stopped = recipe.significance is not None or recipe.min_gain is not None or recipe.max_depth == 0
    if len(tree) == 1 and recipe.max_depth is not None and tree.impurity[0] > 0 and not stopped:
        warn(
            "The tree is a single leaf although its rows differ in target: no feature tells them apart, "
            "or the limits on the size of branches forbid every split."
        )
    used = set(tree.feature[tree.n_children > 0].tolist())
    pure = tree.n_leaves == tree.max_n_classes and not tree.impurity[tree.leaves].any()
    # A perfect split by chance or by nature is no news: only a column that renames the classes is.
    if pure and len(used) == 1 and len(dataset) >= 100 and len(dataset.schema.columns) >= 3:
        (feature,) = used
        if feature < 0 or feature >= dataset.schema.n_inputs:
            return  # one split on several features, or a predicate, which is there to tell the classes apart
        if len(np.unique(dataset.values(feature))) == tree.max_n_classes:
            warn(f"column {dataset.schema.names[feature]!r} alone separates the classes: leak?")


_AS_GIVEN = tuple(name for name, choice in parameters_of("Recipe").items() if choice.core)


def _options(dataset: Dataset, recipe: Recipe, n_rows: int) -> dict[str, Any]:
    """Write the recipe as the core reads it: every limit an absolute number; what is None is not said."""
    n_features, choices = len(dataset.schema.columns), recipe.__dict__
    options = {name: value for name in _AS_GIVEN if (value := choices[name]) is not None}
    options |= _split_flags(tuple(recipe.splits))
    leaf, split = recipe.min_samples_leaf, recipe.min_samples_split
    min_leaf = int(leaf) if is_whole(leaf) else ceil(leaf * n_rows)
    min_split = int(split) if is_whole(split) else max(2, ceil(split * n_rows))
    options["min_samples_leaf"], options["min_samples_split"] = min_leaf, max(min_split, 2 * min_leaf)
    options["max_features"] = min(count_features(recipe.max_features, n_features), n_features)
    options["criterion"] = recipe.core_criterion
    if recipe.category_order == "auto" and (recipe.significance is not None or recipe.fair_categories):
        options["category_order"] = (
            "node"  # what is chance depends on all groupings there were to choose from
        )
    options["random_cuts"] = recipe.splitter == "random"
    options["observed_cuts"], options["short_cuts"] = recipe.cut == "observed", recipe.cut == "short"
    class_factor, search_factor, total_weight = _class_factors(dataset, recipe)
    options["min_weight_leaf"] = recipe.min_weight_fraction_leaf * total_weight
    if class_factor is not None:
        options["class_factor"] = class_factor
    if search_factor is not None:
        options["search_factor"] = search_factor
    if callable(recipe.criterion) and options["criterion"] == "function":
        options["function"] = _function(dataset.schema, recipe.criterion, recipe.splits)
    if recipe.costs is not None:
        options["costs"] = np.array(recipe.costs, dtype=float)
    if recipe.monotonic is not None:
        options["monotonic"] = np.array(recipe.monotonic if any(recipe.monotonic) else (), dtype=np.int8)
    if recipe.interaction is not None:
        options["interaction"] = [sorted(set(group)) for group in recipe.interaction]
    if recipe.feature_costs is not None:
        options["feature_costs"] = _one_each("feature_costs", recipe.feature_costs, n_features, "features")
    if recipe.risk_threshold is not None:
        options["enough_risk"] = float(recipe.bayes_risk) + float(recipe.risk_threshold)
    return options


@cache
def _split_flags(splits: tuple[str, ...]) -> dict[str, bool]:
    return {form: form in splits for form in SPLITS if form != "predicate"}


def _function(schema: Schema, criterion: MeritFunction, splits: tuple[str, ...]) -> dict[str, Any]:
    """What the core needs to ask a criterion of the user's own."""
    most = max((len(column.categories) for column in schema.columns), default=2) + 1
    return shared_memory(criterion, schema.n_classes, most if "multiway" in splits else 2)


def _class_factors(dataset: Dataset, recipe: Recipe) -> tuple[Array | None, Array | None, float]:
    """Factors on the classes' weights, further factors for the search alone, and the total weight.

    Priors become the factors that give the classes those shares and leave the total weight as it is. Costs
    act on the search through *altered priors*, prior_i · Σ_j cost(i, j), scaled to sum to one (Breiman,
    Friedman, Olshen & Stone, 1984, §4.4).
    """
    if recipe.class_weight is None and recipe.priors is None and recipe.costs is None:
        return None, None, dataset.total_weight() if recipe.min_weight_fraction_leaf else 0.0
    if recipe.class_weight is not None and recipe.priors is not None:
        raise ValueError(
            "Give either 'class_weight' or 'priors', not both: each sets the weights of the classes."
        )
    classes = dataset.schema.classes
    if classes is None:
        raise ValueError("class_weight, priors and costs need classes: the target is a number.")
    rows, weight = dataset.class_totals()
    factor: Array | None = None
    if recipe.class_weight == "balanced":
        present = rows > 0
        factor = np.where(present, rows.sum() / (present.sum() * np.where(present, rows, 1.0)), 0.0)
    elif recipe.class_weight is not None:
        factor = _one_each("class_weight", recipe.class_weight, len(classes), "classes")
    elif recipe.priors is not None:
        prior = _one_each("priors", recipe.priors, len(classes), "classes")
        factor = prior / prior.sum() * weight.sum() / np.where(weight > 0, weight, 1.0)
    if factor is not None:
        weight = weight * factor
        if weight.sum() <= 0:
            raise ValueError(
                "class_weight or priors leave no weight: every class of the target has factor 0."
            )
    return factor, _search_factor(recipe, classes, weight), float(weight.sum())


def _search_factor(recipe: Recipe, classes: NDArray[Any], weight: Array) -> Array | None:
    if recipe.costs is None:
        return None
    if len(recipe.costs) != len(weight) or any(len(row) != len(weight) for row in recipe.costs):
        raise ValueError(
            f"costs must have a row and a column for each of the {len(weight)} classes, "
            f"got {len(recipe.costs)} rows of {sorted({len(row) for row in recipe.costs})} columns."
        )
    if len(classes) == 1:
        return None
    cost_of_class = np.array(recipe.costs, dtype=float).sum(axis=1)
    if not cost_of_class.all():
        free = classes.tolist()[int(np.argmin(cost_of_class))]
        raise ValueError(
            f"costs must make some mistake on every class dear: the row of class {free!r} is all 0. Leave "
            "its rows out, or give it a small cost."
        )
    mean_cost = float((weight / weight.sum() * cost_of_class).sum())
    return np.asarray(cost_of_class / mean_cost)


def _one_each(parameter: str, values: Any, number: int, of_what: str) -> Array:
    """Give the numbers of a parameter that has one for each feature or class."""
    if len(values) != number:
        raise ValueError(
            f"{parameter} must have a number for each of the {number} {of_what}, got {len(values)}."
        )
    return np.array(values, dtype=float)
