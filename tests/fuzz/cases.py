"""Random tables and parameters of every estimator; a case is the code that makes its model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd

import treewright as tw
from treewright import criteria, pruning
from treewright.growing.parameters import MISSING, ORDERS
from treewright.growing.recipe import PLAIN_SPLITS
from treewright.growing.several_targets import ALONE, CRITERIA
from treewright.growing.several_targets import SPLITS as FORMS_OF_SEVERAL
from treewright.model_selection.validated_pruning import needs
from treewright.pruning import pruner_of

Random = np.random.Generator
Values = tuple[Any, ...]

IMPORTS = """import numpy as np, pandas as pd, treewright as tw
from numpy import nan
from scipy import sparse
from treewright import *
from treewright.pruning import *"""
NAMES: dict[str, Any] = {}
exec(IMPORTS, NAMES)

OPTIMAL = ("OptimalTreeClassifier", "OptimalTreeRegressor")
CLASSIFIERS = ("DecisionTreeClassifier", "ID3Classifier", "C45Classifier", "CARTClassifier", "RuleClassifier")
REGRESSORS = ("DecisionTreeRegressor", "CARTRegressor")
FORESTS = (
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
)
READABLE = ("TreeClassifier", "TreeRegressor")
SEVERAL = ("DecisionTreeClassifier", "DecisionTreeRegressor", *FORESTS)
"""Those that take several targets at once."""
LEARNERS = (*CLASSIFIERS, *REGRESSORS, *FORESTS, *OPTIMAL, *READABLE)
OFTEN = ("DecisionTreeClassifier", "DecisionTreeRegressor")

WRITTEN = {  # how a column of a kind is written
    "number": "np.array({})",
    "small": "np.array({}, dtype=np.float32)",
    "whole": 'pd.array({}, dtype="Int64")',
    "boolean": 'pd.array({}, dtype="boolean")',
    "text": "pd.Series({}, dtype=object)",
    "category": "pd.Categorical({})",
    "ordered": "pd.Categorical({}, list('abcdefghijk'), ordered=True)",
    "date": "pd.to_datetime({})",
    "zoned": "pd.to_datetime({}, utc=True)",
    "duration": "pd.to_timedelta({})",
}
FORMS = {  # how a table is handed over
    "pandas": "frame",
    "array": "frame.to_numpy(float)",
    "fortran": "np.asfortranarray(frame.to_numpy(float))",
    "float32": "frame.to_numpy(np.float32)",
    "lists": "frame.astype(object).where(frame.notna(), None).to_numpy().tolist()",
    "polars": '__import__("polars").from_pandas(frame)',
    "arrow": '__import__("pyarrow").Table.from_pandas(frame, preserve_index=False)',
    "csr": "sparse.csr_matrix(frame.to_numpy(float))",
    "csc": "sparse.csc_array(frame.to_numpy(np.float32))",
    "coo": "sparse.coo_array((frame.to_numpy(float).ravel(), np.indices(frame.shape).reshape(2, -1)))",
}
SPARSE = ("csr", "csc", "coo")  # the last stores all zeros


@lru_cache(None)
def _code(text: str) -> Any:
    """An expression of those above, read once."""
    return compile(text, "<case>", "eval")


@dataclass(frozen=True)
class Case:
    """A table, an estimator and its parameters.

    Parameters
    ----------
    columns : dict of name to (kind, values)
        `kind` is one of `WRITTEN`; None, or NaN of numbers, is missing.
    y : tuple
        A value for each row, of several targets a tuple of values.
    form : str
        One of `FORMS`.
    """

    learner: str
    parameters: dict[str, Any]
    columns: dict[str, tuple[str, Values]]
    y: Values
    weight: Values | None = None
    form: str = "pandas"

    @property
    def is_classifier(self) -> bool:
        return self.learner.endswith("Classifier")

    @property
    def has_several_targets(self) -> bool:
        return bool(self.y) and isinstance(self.y[0], tuple)

    # ---- as code ---------------------------------------------------------------------------------

    def table_code(self) -> str:
        """Write the table, as an expression of `frame`, and the frame."""
        columns = ", ".join(
            f"{name!r}: {WRITTEN[kind].format(list(values))}" for name, (kind, values) in self.columns.items()
        )
        return f"pd.DataFrame({{{columns}}})"

    def target_code(self) -> str:
        """Write the target: several as a frame, if the table is one, or row by row."""
        return f"pd.DataFrame({list(self.y)})" if self._has_frame_of_targets else str(list(self.y))

    @property
    def _has_frame_of_targets(self) -> bool:
        return self.has_several_targets and self.form == "pandas"

    def model_code(self) -> str:
        """Write the estimator."""
        settings = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"tw.{self.learner}({settings})"

    def code(self) -> str:
        """Write a program that fits the model."""
        weight = "" if self.weight is None else f", sample_weight={list(self.weight)}"
        return (
            f"{IMPORTS}\nframe = {self.table_code()}\nX, y = {FORMS[self.form]}, {self.target_code()}\n"
            f"model = {self.model_code()}.fit(X, y{weight})"
        )

    @cached_property
    def table(self) -> Any:
        """The table, by the code that is printed; nobody changes it."""
        frame = pd.DataFrame(
            {
                name: eval(_code(WRITTEN[kind].format("values")), NAMES | {"values": list(values)})
                for name, (kind, values) in self.columns.items()
            }
        )
        if self.form == "pandas":
            return frame
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # numbers that 32 bits do not hold
            warnings.simplefilter("ignore")
            return eval(_code(FORMS[self.form]), NAMES | {"frame": frame})

    @property
    def target(self) -> Any:
        """What `fit` is given as `y`."""
        return pd.DataFrame(list(self.y)) if self._has_frame_of_targets else list(self.y)

    def model(self, **others: Any) -> Any:
        """Give the estimator, with other parameters if some are given, and one thread if they say nothing."""
        kind = getattr(tw, self.learner)
        threads = {"n_jobs": 1} if hasattr(kind, "n_jobs") else {}
        return kind(**self.parameters | threads | others)

    def fit(self, **others: Any) -> Any:
        """Fit the model, with other parameters if some are given."""
        return self.model(**others).fit(self.table, self.target, **self.weights())

    def weights(self) -> dict[str, Any]:
        """Give the weights as `fit` takes them."""
        return {} if self.weight is None else {"sample_weight": list(self.weight)}

    # ---- changed ---------------------------------------------------------------------------------

    def take(self, rows: Any) -> Case:
        """The same with these rows."""

        def some(values: Values) -> Values:
            return tuple(values[row] for row in rows)

        return replace(
            self,
            columns={name: (kind, some(values)) for name, (kind, values) in self.columns.items()},
            y=some(self.y),
            weight=None if self.weight is None else some(self.weight),
            parameters={
                name: list(some(value)) if name == "cv" and isinstance(value, list) else value
                for name, value in self.parameters.items()
            },
        )

    def with_parameters(self, **others: Any) -> Case:
        """The same with other parameters."""
        return replace(self, parameters=self.parameters | others)

    def keeping(self, names: Any) -> Case:
        """The same with no other parameters than these."""
        kept = {name: value for name, value in self.parameters.items() if name in names}
        return replace(self, parameters=kept)

    def simpler(self) -> Iterator[Case]:
        """Cases that say less: without a column, a parameter, weights, rows, and with plainer values."""
        if self.form != "pandas":
            yield replace(self, form="pandas")
        for name in self.parameters:
            if name != "random_state":  # without it, the next case would be another
                yield self.keeping([other for other in self.parameters if other != name])
        if self.weight is not None:
            yield replace(self, weight=None)
        if self.has_several_targets:
            yield from (replace(self, y=tuple(row[at] for row in self.y)) for at in range(len(self.y[0])))
        if len(self.columns) > 1:
            for name in self.columns:
                yield self._without_column(name)
        n = length = len(self.y)
        while length := length // 2:
            for begin in range(0, n, length):
                if n - length >= 1:
                    yield self.take([*range(begin), *range(min(n, begin + length), n)])
        yield from self._plainer()

    def _without_column(self, name: str) -> Case:
        at = list(self.columns).index(name)
        columns = {other: self.columns[other] for other in self.columns if other != name}
        parameters = {
            key: [one for i, one in enumerate(value) if i != at] if key in BY_FEATURE else value
            for key, value in self.parameters.items()
        }
        return replace(self, columns=columns, parameters=parameters)

    def _plainer(self) -> Iterator[Case]:
        """Numbers by their rank, and weights of 1."""
        for name, (kind, values) in self.columns.items():
            if kind != "number":
                continue
            ranks = {value: float(rank) for rank, value in enumerate(sorted({*values} - {np.nan}))}
            plain = tuple(ranks.get(value, value) for value in values)
            if plain != values:
                yield replace(self, columns=self.columns | {name: (kind, plain)})
        if self.weight is not None:
            for at, weight in enumerate(self.weight):
                if weight != 1:
                    yield replace(self, weight=(*self.weight[:at], 1.0, *self.weight[at + 1 :]))


BY_FEATURE = ("monotonic_cst", "feature_costs")
MOST_CATEGORIES_OF_RPART = 20
"""Which tries every grouping of them: of 32 for a minute, at each node."""


# ---- tables --------------------------------------------------------------------------------------------

EDGES = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 0.1, 0.1 + 0.2, 0.3, 1.0, 1 + 2**-52, 1 - 2**-53]
EDGES += [2.0**53, 2.0**53 + 2, 1e16, 1e150, 1e300, 1.7976931348623155e308, 1.7976931348623157e308]
EDGES += [-edge for edge in EDGES[4:]]


def _number(random: Random, n: int) -> Values:
    family = str(random.choice(["few", "few", "grid", "continuous", "binary", "edges", "near", "constant"]))
    if family == "few":
        values = random.integers(0, random.choice([3, 5, 9]), n) * 0.75 - 1
    elif family == "grid":
        values = np.round(random.normal(size=n), 1)
    elif family == "continuous":
        values = random.normal(size=n) * 10.0 ** random.integers(-8, 9)
    elif family == "binary":
        values = random.integers(0, 2, n).astype(float)
    elif family == "edges":
        values = random.choice(EDGES, n)
    elif family == "near":  # numbers beside one another
        base = float(random.choice([1.0, 0.3, 1e-308, 4503599627370496.5, 1.7e308]))
        values = np.array([base + k * np.spacing(base) for k in random.integers(0, 4, n)])
    else:
        values = np.full(n, float(random.choice(EDGES)))
    return tuple(float(value) for value in values)


def _mostly_zero(random: Random, n: int) -> Values:
    """A column as sparse tables have them: some have not a value stored, some have all."""
    stored = random.random(n) < random.choice([0.0, 0.1, 0.3, 1.0])
    return tuple(value if one else 0.0 for value, one in zip(_number(random, n), stored, strict=True))


KINDS = ["number"] * 6 + ["category"] * 3 + list(WRITTEN)


def _column(random: Random, n: int, kinds: list[str]) -> tuple[str, Values]:
    kind = str(random.choice(kinds))
    values: Values
    if kind in ("number", "small"):
        values = _number(random, n)
        if kind == "small":
            values = tuple(float(np.float32(np.clip(value, -1e38, 1e38))) for value in values)
    elif kind == "whole":
        base = int(random.choice([0, 0, 2**53, -(2**62)]))
        values = tuple(base + int(step) for step in random.integers(-3, 4, n))
    elif kind == "boolean":
        values = tuple(bool(bit) for bit in random.integers(0, 2, n))
    elif kind in ("text", "category", "ordered"):
        letters = "abcdefghijk"[: int(random.choice([1, 2, 3, 5, 11]))]
        values = tuple(letters[code] for code in random.integers(0, len(letters), n))
    elif kind in ("date", "zoned"):
        values = tuple(f"2024-02-{day:02d} 00:00:0{day % 3}" for day in random.integers(1, 29, n))
    else:
        values = tuple(f"{hours} hours" for hours in random.integers(-5, 6, n))
    share = float(random.choice([0, 0, 0.1, 0.4, 1.0], p=[0.4, 0.2, 0.2, 0.17, 0.03]))
    gap = np.nan if kind in ("number", "small") else None
    if not share:
        return kind, values
    missing = random.random(n) < share
    return kind, tuple(gap if is_gap else value for value, is_gap in zip(values, missing, strict=True))


def _target(random: Random, learner: str, parameters: dict[str, Any], codes: list[Any], n: int) -> Values:
    """Noise, or what two columns say together and neither says alone."""
    signal = sum(codes[:2]) if random.random() < 0.6 else random.integers(0, 6, n)
    noise = random.integers(0, 3, n) * (random.random(n) < random.choice([0.0, 0.3]))
    y = np.asarray(signal) + noise
    if learner.endswith("Classifier"):
        y = y % int(random.choice([1, 2, 2, 2, 3, 4, 7]))
        labels: Callable[[int], Any] = [int, str, bool, float, lambda code: f"c{code}"][
            int(random.integers(5))
        ]
        return tuple(labels(int(code)) for code in y)
    if parameters.get("criterion") == "poisson":
        return tuple(float(value) for value in y % 5 * random.choice([1.0, 1.0, 0.1, 1e6]))
    values = (y % 9 - 4 + (random.normal(size=n) if random.random() < 0.3 else 0.0)) * float(
        random.choice([1.0] * 40 + [1e-140, 1e-30, 1e30, 1e70, 1e150])
    )
    return tuple(float(value) for value in values + random.choice([0.0, 0.0, 1e6]))


def _weights(random: Random, n: int) -> Values | None:
    family = int(random.integers(8))
    if family > 4:
        return None
    if family == 0:
        values = random.choice([0.5, 1.0, 1.0, 2.0, 3.0], n)
    elif family == 1:
        values = random.uniform(0.1, 2, n)
    elif family == 2:
        values = random.integers(0, 4, n).astype(float)
    elif family == 3:
        values = random.choice([1e-12, 1.0, 1e12], n)
    else:
        values = np.full(n, 10.0 ** float(random.integers(-28, 29)))
    return tuple(float(value) for value in values)


# ---- parameters ----------------------------------------------------------------------------------------

Choice = Callable[[Random, Any], Any]


def _one(*values: Any) -> Choice:
    return lambda random, _: values[int(random.integers(len(values)))]


@dataclass(frozen=True)
class Shape:
    """What parameters may depend on."""

    n: int
    names: tuple[str, ...]
    classes: tuple[tuple[Any, ...], ...] = field(default=())  # of each target


SPLITS = [
    *(("threshold", "multiway"), ("threshold", "one_vs_rest"), ("interval", "subset"), ("threshold",)),
    *(("hyperplane", "subset"), ("sphere", "multiway"), ("median", "subset"), ("interval", "multiway")),
    ("threshold", "interval", "hyperplane", "sphere", "subset", "multiway", "one_vs_rest"),
]
RULE_TREES = [
    tw.DecisionTreeClassifier(max_depth=3),
    tw.DecisionTreeClassifier(missing="surrogate", splits=("threshold", "multiway")),
    tw.C45Classifier(),
    tw.CARTClassifier(cv=None, min_samples_split=2, min_samples_leaf=1),
]
PRUNER_OBJECTS = [
    pruning.CostComplexity(0.01),
    pruning.CostComplexity(cv=3),
    pruning.CostComplexity(0.02, risk="impurity"),
    pruning.ErrorBased(cf=0.4),
    pruning.MinimalSize(),
]


def _groups(random: Random, shape: Shape) -> Any:
    size = int(random.integers(1, len(shape.names) + 1))
    group = sorted(random.choice(shape.names, size, replace=False).tolist())
    return ["pairwise", "no_interactions", [group], [group]][int(random.integers(4))]


def _costs(random: Random, shape: Shape) -> Any:
    k = len(shape.classes[0])
    matrix = random.choice([0.0, 1.0, 1.0, 2.0, 5.0, 1e6, 1e-6], (k, k))
    return (matrix * (1 - np.eye(k))).tolist()


def _class_weight(random: Random, shape: Shape) -> Any:
    """A dict, of several targets one for each."""
    if random.random() < 0.5:
        return "balanced"
    factors = [
        {label: float(random.choice([1.0, 3.0, 0.0, 1e9])) for label in classes} for classes in shape.classes
    ]
    return factors if len(factors) > 1 else factors[0]


GROWING: dict[str, tuple[float, Choice]] = {  # how often another than the default is taken, and which
    "splitter": (0.08, _one("random")),
    "max_depth": (0.25, _one(1, 2, 4)),
    "min_samples_split": (0.1, _one(3, 5, 0.2)),
    "min_samples_leaf": (0.15, _one(2, 5, 0.1)),
    "min_weight_fraction_leaf": (0.08, _one(0.05, 0.2)),
    "max_features": (0.08, _one(1, 0.5, "sqrt", "log2")),
    "max_leaf_nodes": (0.1, _one(2, 5, 12)),
    "min_impurity_decrease": (0.08, _one(0.003, 0.1)),
    "ccp_alpha": (0.08, _one(0.001, 0.02, 1.0)),
    "monotonic_cst": (0.08, lambda random, shape: random.integers(-1, 2, len(shape.names)).tolist()),
    "splits": (0.3, lambda random, _: SPLITS[int(random.integers(len(SPLITS)))]),
    "missing": (0.6, _one(*MISSING)),
    "max_surrogates": (0.1, _one(0, 1, 2)),
    "use_surrogates": (0.2, _one(0, 1)),
    "max_bins": (0.08, _one(2, 3, 10)),
    "category_order": (0.1, _one("node", "once", "auto")),
    "max_terms": (0.05, _one(2, 3)),
    "shrinkage": (0.06, _one(0.5, 20.0)),
    "fair_categories": (0.06, _one(True)),
}
READING: dict[str, tuple[float, Choice]] = {  # how a table is read
    "unseen": (0.05, _one("majority", "error")),
    "inf": (0.05, _one("extreme")),
    "categorical_features": (0.05, lambda random, shape: [str(random.choice(shape.names))]),
    "ordinal_features": (0.03, lambda random, shape: [str(random.choice(shape.names))]),
}
PREDICATES: dict[str, tuple[float, Choice]] = {"predicates": (0.05, lambda random, shape: None)}
GROWING |= READING
TREE: dict[str, tuple[float, Choice]] = GROWING | {
    "interaction_cst": (0.08, _groups),
    "feature_costs": (0.08, lambda random, shape: random.choice([1.0, 2.0, 0.5], len(shape.names)).tolist()),
    "significance": (0.06, _one(0.05, 0.5)),
    "complexity": (0.06, _one(0.001, 0.02)),
    "risk_threshold": (0.04, _one(0.1, 0.0)),
    "bayes_risk": (0.02, _one(0.1)),
    "min_gain": (0.06, _one(0.0, 0.01)),
    "max_intervals": (0.06, _one(2, 3)),
    "max_groups": (0.06, _one(3)),
    "category_search": (0.04, _one("descent")),
    "holdout": (0.05, _one(0.2, 0.5)),
    "early_stopping": (0.04, _one("holdout", "cv")),
    "order": (0.3, _one(*ORDERS)),
    "max_nodes": (0.06, _one(1, 4, 9)),
    "ties": (0.1, _one("last", "random")),
    "max_competitors": (0.2, _one(1, 3)),
    "cut": (0.2, _one("observed", "short")),
    "pruner": (0.3, _one(*pruning.PRUNERS, *PRUNER_OBJECTS)),
    "trace": (0.06, _one(True)),
    **PREDICATES,
}
OF_CLASSES: dict[str, tuple[float, Choice]] = {
    "class_weight": (0.12, _class_weight),
    "priors": (
        0.08,
        lambda random, shape: random.choice([1.0, 0.2, 0.0, 5.0], len(shape.classes[0])).tolist(),
    ),
    "costs": (0.12, _costs),
    "laplace": (0.08, _one(True, 0.5)),
}
PARAMETERS: dict[str, dict[str, tuple[float, Choice]]] = {
    "DecisionTreeClassifier": TREE | OF_CLASSES | {"criterion": (0.7, _one(*criteria.CLASSIFICATION))},
    "DecisionTreeRegressor": TREE | {"criterion": (0.5, _one(*criteria.REGRESSION))},
    "ID3Classifier": TREE
    | OF_CLASSES
    | {
        "criterion": (0.3, _one(*criteria.CLASSIFICATION)),
        "compat": (0.2, _one("weka")),
        "stop_on_constant": (0.1, _one(True)),
    },
    "C45Classifier": {
        "min_samples_leaf": (0.5, _one(1, 3, 2.5)),
        "confidence": (0.2, _one(0.05, 0.4, 0.6)),
        "pruner": (0.3, _one(None, *pruning.PRUNERS)),
        "compat": (0.3, _one("j48", "release8")),
        "cut": (0.3, _one("midpoint")),
        **dict.fromkeys(("subtree_raising", "collapse", "mdl"), (0.3, _one(False))),
        "binary_splits": (0.3, _one(True)),
        "max_competitors": (0.2, _one(2)),
        "laplace": (0.1, _one(True)),
        "trace": (0.1, _one(True)),
        "holdout": TREE["holdout"],
        **READING,
        **PREDICATES,
    },
    "CARTClassifier": {
        "min_samples_split": (0.8, _one(1, 2, 5)),
        "min_samples_leaf": (0.8, _one(1, 2)),
        "cp": (0.6, _one(0.0, -1.0, 0.001, 0.1)),
        "max_depth": (0.2, _one(1, 3)),
        "cv": (1.0, _one(None, 2, 3)),
        "se": (0.2, _one(0.0, 1.0)),
        "compat": (0.4, _one("rpart")),
        "max_surrogates": (0.3, _one(0, 1)),
        "use_surrogates": (0.4, _one(0, 1)),
        "surrogate_style": (0.3, _one(1)),
        "max_competitors": (0.3, _one(0, 1)),
        "feature_costs": TREE["feature_costs"],
        "trace": (0.1, _one(True)),
        **READING,
        **PREDICATES,
    },
    "RuleClassifier": {
        "estimate": (0.4, _one("holdout", "smoothed")),
        "cf": (0.2, _one(0.05, 0.9)),
        "choose": (0.3, _one(True, False)),
        "tree": (0.4, lambda random, _: RULE_TREES[int(random.integers(len(RULE_TREES)))]),
        "holdout": TREE["holdout"],
    },
    "OptimalTreeRegressor": {
        "max_depth": (0.7, _one(1, 2, 2)),
        "max_leaf_nodes": (0.3, _one(2, 3, 5)),
        "alpha": (0.4, _one(0.01, 0.1)),
        "memory_limit": (0.1, _one(10_000, 10_000_000)),
        "time_limit": (0.1, _one(1000.0)),
        "on_interrupt": (0.1, _one("keep")),
        **READING,
        **PREDICATES,
    },
}
PARAMETERS["TreeRegressor"] = {
    **{name: GROWING[name] for name in ("max_depth", "max_leaf_nodes", "monotonic_cst", "missing")},
    "min_samples_leaf": (0.3, _one(1, 5)),
    "alpha": (0.3, _one(0.0, 0.01, 1.0)),
    "shrinkage": (0.3, _one(0.0, 0.5, 20.0)),
    "guide": (0.3, _one("forest", "auto")),
    "cut": (0.3, _one("midpoint", "observed")),
    "cv": (0.9, _one(2, 3)),
    "se": (0.2, _one(0.0, 1.0)),
    **{name: READING[name] for name in ("categorical_features", "ordinal_features")},
}
PARAMETERS["TreeClassifier"] = PARAMETERS["TreeRegressor"] | {
    name: OF_CLASSES[name] for name in ("class_weight", "costs")
}
PARAMETERS["TreeRegressor"] |= {"leaves": (0.4, _one("linear"))}
PARAMETERS["OptimalTreeClassifier"] = PARAMETERS["OptimalTreeRegressor"] | OF_CLASSES
_CART = PARAMETERS["CARTClassifier"]
PARAMETERS["CARTRegressor"] = _CART | {"criterion": (0.4, _one("poisson")), "shrink": (0.1, _one(0.0, 2.0))}
PARAMETERS["CARTClassifier"] = _CART | {
    "criterion": (0.3, _one("entropy")),
    **{name: OF_CLASSES[name] for name in ("priors", "costs", "laplace")},
}
_FOREST = GROWING | {
    "bootstrap": (0.3, _one(True, False)),
    "max_features": (0.3, GROWING["max_features"][1]),
    "max_samples": (0.1, _one(0.5, 3)),
    "oob_score": (0.1, _one(True)),
    "warm_start": (0.1, _one(True)),
}
del _FOREST["splitter"], _FOREST["fair_categories"]
for _name in FORESTS:
    _names = criteria.CLASSIFICATION if _name.endswith("Classifier") else criteria.REGRESSION
    PARAMETERS[_name] = _FOREST | {"criterion": (0.5, _one(*_names))}
    if _name.endswith("Classifier"):
        PARAMETERS[_name] |= {"class_weight": OF_CLASSES["class_weight"], "vote": (0.2, _one("hard"))}
for _drawn in PARAMETERS.values():
    _drawn["verbose"] = (0.02, _one(1))
SET = ("work_limit", "n_estimators", "random_state", "n_jobs")
"""Parameters that the table above leaves out: they are set for every case."""


COUNT_ERRORS = (
    *("error_based", "chi_square", "minimum_error", "description_length", "pessimistic"),
    "structural_risk",
)


def _predicates(random: Random, columns: dict[str, tuple[str, Values]]) -> Any:
    """An expression over the numbers of a table, if it has some."""
    numbers = [name for name, (kind, _) in columns.items() if kind == "number"]
    if not numbers:
        return None
    name, other = random.choice(numbers, 2)
    return [[f"{name} > {other}"], [f"{name} <= 0.5"], [f"{name} + {other} > 1"]][int(random.integers(3))]


def _reconciled(
    learner: str, parameters: dict[str, Any], columns: dict[str, tuple[str, Values]], n: int
) -> dict[str, Any]:
    """The parameters without most of what `fit` would refuse."""
    given = dict(parameters)
    kinds = {kind for kind, _ in columns.values()}
    is_classifier = learner.endswith("Classifier")
    missing = given.get("missing", "direction")
    policies = set(missing.values()) if isinstance(missing, dict) else {missing}
    gaps = any(pd.isna(value) for _, values in columns.values() for value in values)
    if (
        ("class_mode" in policies and not is_classifier)
        or (policies & {"error", "ignore"} and gaps)
        or (policies & {"error", "ignore", "class_mode"} and learner in FORESTS)
    ):
        del given["missing"]
        policies = {"direction"}
    if learner == "ID3Classifier":
        given.setdefault("missing", "direction" if gaps else "error")
        if kinds - {"text", "category", "boolean"}:
            given["splits"] = ("threshold", "multiway")
    if "ordinal_features" in given and (
        kinds & {"text", "category"} or "categorical_features" in given or "predicates" in given
    ):
        del given["ordinal_features"]
    if given.get("splits") == ("threshold",) and (
        kinds & {"text", "category", "boolean"} or "categorical_features" in given
    ):
        del given["splits"]
    if learner.startswith("ExtraTrees") and set(given.get("splits", ())) & set(PLAIN_SPLITS):
        del given["splits"]
    by_lists = bool(set(given.get("splits", ())) & set(PLAIN_SPLITS))
    clashes = {
        "splitter": by_lists,
        "monotonic_cst": by_lists or policies != {"direction"} or "categorical_features" in given,
        "max_bins": by_lists or not policies <= {"direction", "available"},
        "priors": "class_weight" in given,
        "se": given.get("cv") is None and learner not in READABLE,
        "cv": (given.get("cv") or 0) > n,
        "early_stopping": n < 12,
        "pruner": (not is_classifier and not isinstance(given.get("pruner"), str | pruning.CostComplexity))
        or given.get("pruner") in COUNT_ERRORS * (not is_classifier)
        or (n < 12 and given.get("pruner") is not None and needs(pruner_of(given["pruner"])) != "nothing"),
        "max_groups": given.get("criterion") == "absolute_error",
        "estimate": n < 12,
        "fair_categories": given.get("criterion") == "absolute_error"
        or given.get("category_order") == "once",
    }
    for name, clash in clashes.items():
        if clash and name in given:
            del given[name]
    if learner.startswith("CART") and "cv" not in given:
        given["cv"] = None
    return given


def _in_time(parameters: dict[str, Any], n: int) -> dict[str, Any]:
    """The parameters without what takes minutes."""
    if parameters.get("compat") != "rpart" or n <= MOST_CATEGORIES_OF_RPART:
        return parameters
    return {name: value for name, value in parameters.items() if name != "categorical_features"}


def _sizes_and_seeds(random: Random, learner: str) -> dict[str, Any]:
    """What every case has, so that it is small and comes again."""
    if learner in OPTIMAL:
        return {"work_limit": int(random.choice([20, 2000, 2000]))}
    given = {"n_estimators": int(random.integers(1, 5))} if learner in FORESTS else {}
    if hasattr(getattr(tw, learner), "random_state"):
        given["random_state"] = int(random.integers(100))
    return given


def _needs_every_row(
    learner: str,
    parameters: dict[str, Any],
    columns: dict[str, tuple[str, Values]],
    form: str,
    weight: Values,
) -> bool:
    """Whether rows without weight, which `fit` leaves out, may be refused later.

    They may miss values that those with weight do not, or have some in a column that has none at `fit`; and
    numbers may be beyond those of 32 bits.
    """
    if learner == "ID3Classifier" or "error" in str(parameters.get("missing")):
        return True
    if parameters.get("unseen") == "error":
        return True
    if form in (*SPARSE, "float32"):
        return True
    return any(
        all(pd.isna(value) for value, one in zip(values, weight, strict=True) if one)
        for _, values in columns.values()
    )


def _targets(random: Random, learner: str, parameters: dict[str, Any], codes: list[Any], n: int) -> Values:
    """One target, or several that follow different columns and have different classes."""
    if learner not in SEVERAL or random.random() > 0.12:
        return _target(random, learner, parameters, codes, n)
    of_classes = learner.endswith("Classifier")
    targets = [
        _target(random, learner, parameters, codes[at % len(codes) :], n)
        for at in range(int(random.integers(2, 4)))
    ]
    if of_classes:  # of one type, which a table of them in NumPy has
        kind = [str, int][int(random.integers(2))]
        places = [sorted(set(target)) for target in targets]
        targets = [
            tuple(kind(labels.index(label)) for label in target)
            for labels, target in zip(places, targets, strict=True)
        ]
    return tuple(zip(*targets, strict=True))


def of_one_target(name: str, value: Any) -> bool:
    """Whether a parameter asks for what only one target has."""
    if name in ALONE:
        return value not in ALONE[name]
    if name == "criterion":
        return value not in CRITERIA
    if name == "splits":
        return not set(value) <= set(FORMS_OF_SEVERAL)
    return name in (
        "monotonic_cst",
        "pruner",
        "trace",
        "shrinkage",
        "laplace",
        "early_stopping",
        "complexity",
    )


def random_case(seed: int) -> Case:
    """Make a table, an estimator and parameters of a seed."""
    random = np.random.default_rng(seed)
    n = int(np.exp(random.uniform(0, np.log(60))))
    learner = str(random.choice([*OFTEN * 3, *LEARNERS]))
    kinds = ["category"] if learner == "ID3Classifier" and random.random() < 0.8 else KINDS
    names = [f"x{at}" for at in range(int(random.integers(1, 5)))]
    is_sparse = random.random() < 0.07
    columns = {
        name: ("number", _mostly_zero(random, n)) if is_sparse else _column(random, n, kinds)
        for name in names
    }
    codes = [pd.factorize(np.array(values, dtype=object))[0] for _, values in columns.values()]
    parameters: dict[str, Any] = {}
    criterion = PARAMETERS[learner].get("criterion")
    if criterion and random.random() < criterion[0]:
        parameters["criterion"] = criterion[1](random, None)
    y = _targets(random, learner, parameters, codes, n)
    several = isinstance(y[0], tuple)
    labels = zip(*y, strict=True) if several else (y,)
    shape = Shape(n, tuple(columns), tuple(tuple(sorted(set(one))) for one in labels))
    for name, (chance, choice) in PARAMETERS[learner].items():
        if name != "criterion" and random.random() < chance:
            parameters[name] = choice(random, shape)
    if "predicates" in parameters:
        parameters["predicates"] = _predicates(random, columns)
    if "missing" in parameters and random.random() < 0.1:
        parameters["missing"] = {name: str(random.choice(list(MISSING))) for name in columns}
    if random.random() < 0.95:
        if several:
            parameters = {name: value for name, value in parameters.items() if not of_one_target(name, value)}
        parameters = _reconciled(learner, parameters, columns, n)
    if "monotonic_cst" in parameters:
        free = [kind in ("text", "category", "boolean") for kind, _ in columns.values()]
        signs = zip(parameters["monotonic_cst"], free, strict=True)
        parameters["monotonic_cst"] = [0 if is_free else sign for sign, is_free in signs]
    if "max_samples" in parameters or "oob_score" in parameters:
        parameters["bootstrap"] = True
    parameters = _in_time(parameters, n) | _sizes_and_seeds(random, learner)
    numeric = all(kind == "number" for kind, _ in columns.values())
    form = str(random.choice([*["pandas"] * 12, "polars", "arrow", "lists"]))
    if numeric and random.random() < 0.6:
        form = str(random.choice(["array", "fortran", "float32", "lists", "csr"]))
    if is_sparse:
        form = str(random.choice(SPARSE))
    weight = _weights(random, n)
    if weight is not None and _needs_every_row(learner, parameters, columns, form, weight):
        weight = tuple(one or 1.0 for one in weight)
    return Case(learner, parameters, columns, y, weight, form)
