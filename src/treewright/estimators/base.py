"""Base of all estimators: `__init__` from annotated defaults, checks, `set_params`, tags, notebook view."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from functools import wraps
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from treewright._module_names import public
from treewright.data.sparse import NOT_IN_SPARSE, is_sparse
from treewright.distributed import is_open, rows_to_grow_on
from treewright.formatting.suggestions import nearest
from treewright.growing.parameter_conversion import missing_policies
from treewright.growing.parameters import parameters_of
from treewright.parameter_types import Domain, check_parameters

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from treewright.data import Schema
    from treewright.data.dataset import Task
    from treewright.distributed.open_rows import OpenRows
    from treewright.figures import Evaluation

__all__ = ["InvalidParameterError", "TableEstimator", "estimator", "public_estimator"]

AnyClass = TypeVar("AnyClass")


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def estimator(cls: type[AnyClass]) -> type[AnyClass]:
    """Write an estimator's `__init__` from its fields, checked as those of the class it is made from.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> DecisionTreeClassifier(max_dept=3)
    Traceback (most recent call last):
        ...
    TypeError: DecisionTreeClassifier has no parameter 'max_dept'. Did you mean 'max_depth'?
    """
    made: Any = dataclass(kw_only=True, repr=False, eq=False)(cls)
    written = made.__init__
    known = frozenset(one.name for one in fields(made))
    n_unnamed = sum(not field.kw_only for field in made.__dataclass_fields__.values() if field.init)

    @wraps(written)  # scikit-learn reads the parameters off the signature
    def __init__(self: Any, *unnamed: Any, **parameters: Any) -> None:  # noqa: N807
        if len(unnamed) > n_unnamed:
            raise TypeError(
                f"{type(self).__name__} takes its parameters by name, as in max_depth=3: "
                f"{unnamed[n_unnamed]!r} has none."
            )
        if not parameters.keys() <= known:
            raise TypeError(_unknown(self, parameters, known))
        written(self, *unnamed, **parameters)

    made.__init__ = __init__
    return cls


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def public_estimator(cls: type[AnyClass]) -> type[AnyClass]:
    """Write the `__init__` of an estimator of `treewright`; `growing/parameters.py` declares its parameters.

    Classes made from it are checked as it is, and files name it for them.
    """
    made: Any = public(estimator(cls))
    declared = parameters_of(cls.__name__)
    fields = made.__dataclass_fields__  # those of its bases come first
    made.__dataclass_fields__ = {name: fields[name] for name in declared} | fields
    signature = inspect.signature(made.__init__)
    order = ["self", *declared]
    made.__init__.__signature__ = signature.replace(
        parameters=sorted(signature.parameters.values(), key=lambda one: order.index(one.name))
    )
    made._declared_as = cls
    made._domains = {name: parameter.domain for name, parameter in declared.items()}
    made._defaults = {name: made.__dataclass_fields__[name].default for name in declared}
    return cls


WITHOUT = {"unseen": "missing", "inf": "error", "predicates": None, "trace": False}
"""What an estimator does that has no parameter of that name."""


class TableEstimator(BaseEstimator):
    """An estimator of any columns: says what parameter was meant, shows notebooks what it has learned."""

    _declared_as: ClassVar[type]
    """The class of `treewright` that this one is or is made from; files name it."""
    _domains: ClassVar[dict[str, Domain]]
    _defaults: ClassVar[dict[str, Any]]

    _task: ClassVar[Task]
    _declared_classes: ClassVar[bool] = False
    """Whether classes that a categorical target declares and no row has are counted."""
    _weightless_rows: ClassVar[bool] = False
    """Whether rows of no weight, too, tell what the columns of an open table are."""
    categorical_features: Any
    ordinal_features: Any
    n_jobs: int | None
    verbose: int | bool

    _is_registered: ClassVar[bool] = False
    """Whether the classes of scikit-learn know ours as theirs."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # `isinstance` asks for it: scikit-learn's abstract classes are told of ours when they are there.
        if not TableEstimator._is_registered:
            from treewright.estimators.sklearn_classes import register

            TableEstimator._is_registered = register()
        return type(self)

    def __getstate__(self) -> dict[str, Any]:
        """Give what is not as every estimator of this class has it: most parameters are their defaults.

        A version that changes a default must give pickles without the parameter the old one.
        """
        default_of, nothing = self._defaults.get, object()
        return {
            name: value
            for name, value in self.__dict__.items()
            if (default := default_of(name, nothing)) is not value
            and (type(default) is not type(value) or default != value)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(self._defaults | state)

    def __dir__(self) -> list[str]:
        # What editors offer has nothing of scikit-learn's routing of metadata.
        return [
            name
            for name in object.__dir__(self)
            if name != "get_metadata_routing"
            and not (name.startswith("set_") and name.endswith("_request"))
            and self._is_there(name)
        ]

    def _is_there(self, name: str) -> bool:
        """Whether an attribute of the class is one of this model, as scikit-learn asks before it lists it."""
        return hasattr(self, name)

    def _check_parameters(self) -> None:
        """Refuse a parameter that is not what it may be."""
        given, sound, domains = self.__dict__, self._defaults, self._domains
        changed = {name: domains[name] for name, value in sound.items() if given[name] is not value}
        check_parameters(type(self).__name__, given, changed, InvalidParameterError)

    def _keep_target_name(self, y: Any) -> None:
        """Keep the name of the target if its table has given it one: files and reports name it."""
        name = y if isinstance(y, str) else getattr(y, "name", None)  # of an open table the target is named
        if isinstance(name, str) and name:
            self.target_name_ = name
        else:
            self.__dict__.pop("target_name_", None)

    def _choice(self, name: str) -> Any:
        """Give a parameter that not every estimator has, or what stands for it."""
        return getattr(self, name, WITHOUT[name])

    @property
    def _missing_policy(self) -> str:
        """Whether a table may miss values: "error" if not."""
        return "error" if getattr(self, "missing", None) == "error" else "direction"

    def _policies(self, schema: Schema) -> tuple[str, ...] | None:
        """Give the policy for missing values of each feature, if the estimator has any."""
        missing = getattr(self, "missing", None)
        policies = missing if missing is None else missing_policies(missing, schema)
        return (policies,) * len(schema.columns) if isinstance(policies, str) else policies

    def _policy_for(self, X: Any) -> str:
        """Whether this table may miss values: a sparse one may not, as in scikit-learn."""
        policy = self._missing_policy
        return policy if type(X) is np.ndarray or policy == "error" or not is_sparse(X) else NOT_IN_SPARSE

    def _reading(self, X: Any) -> dict[str, Any]:
        """Say how a table to learn from is read, in memory or in partitions."""
        return {
            "task": self._task,
            "categorical_features": self.categorical_features,
            "ordinal_features": self.ordinal_features,
            "missing": self._policy_for(X),
            "inf": self._choice("inf"),
            "estimator": type(self).__name__,
            "declared_classes": self._declared_classes,
        }

    def _open_rows(
        self, X: Any, y: Any, sample_weight: Any, progress: Callable[[int, int], None] | None = None
    ) -> AbstractContextManager[OpenRows]:
        """Give the rows of a table in partitions; passes are told to `progress`, or as `verbose` says."""
        return rows_to_grow_on(
            X,
            y,
            sample_weight,
            self._reading(X),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            progress=progress,
            all_rows=self._weightless_rows,
        )

    def _learned_html(self) -> str:
        """Give what notebooks show above scikit-learn's own view of the estimator, once it is fitted."""
        return ""

    def _repr_html_inner(self) -> str:
        parameters: str = super()._repr_html_inner()
        return (self._learned_html() if self.__sklearn_is_fitted__() else "") + parameters

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        return bundle | {"text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; those of an estimator inside this one as ``inner__name``.

        Examples
        --------
        >>> from treewright import DecisionTreeRegressor
        >>> DecisionTreeRegressor().set_params(min_sample_leaf=3)
        Traceback (most recent call last):
            ...
        ValueError: DecisionTreeRegressor has no parameter 'min_sample_leaf'. Did you mean 'min_samples_leaf'?
        """
        known = self._get_param_names()
        if not {name.partition("__")[0] for name in params} <= set(known):
            raise ValueError(_unknown(self, params, known))
        super().set_params(**params)
        return self

    def export(
        self, target: str, path: str | PathLike[str] | None = None, **options: Any
    ) -> str | bytes | None:
        """Write the fitted model as SQL, source code or another program's model; see docs/export.md.

        `treewright.certify` runs the result and compares it with the model, row by row.

        Parameters
        ----------
        target : str
            What to write, such as `"sql"`, `"c"`, `"python"`, `"javascript"`, `"java"`, `"json"` or `"dot"`.
        path : str or path, optional
            A file to write to, whole or not at all. Without it the content is returned.
        **options
            Of the target, such as `dialect` and `table` of SQL.

        Returns
        -------
        str, bytes or None
            The content, if no path is given.

        Raises
        ------
        ExportError
            If the target cannot hold the model; the sentence names the node and the feature.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> space = {}
        >>> exec(model.export("python"), space)
        >>> space["predict"]({"x0": 3.5})
        'b'
        """
        from treewright.persistence.exports import export_file

        return export_file(self, target, path, **options)

    def evaluate(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Evaluation:
        """Judge the fitted model on rows with a known target, best others than it was fitted to.

        Parameters
        ----------
        X, y, sample_weight
            The rows, their target and weights.

        Returns
        -------
        Evaluation
            Figures by scikit-learn's names with confidence intervals; `print` and notebooks show them, its
            methods plot what is behind them.

        Examples
        --------
        >>> from treewright import DecisionTreeRegressor, datasets
        >>> X, y = datasets.load_mpg()
        >>> model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X[::2], y[::2])
        >>> print(model.evaluate(X[1::2], y[1::2]))
        199 rows: rows given
        <BLANKLINE>
        figure                   value     95 % interval
        r2                       0.796  0.7288 to 0.8632
        mean_absolute_error      2.512    2.175 to 2.848
        root_mean_squared_error  3.489    2.811 to 4.055
        mean_squared_error       12.17    7.903 to 16.45
        """
        from treewright.figures import evaluate_model

        if is_open(X):
            y, sample_weight = X.read(y, "y"), X.read(sample_weight, "sample_weight")
        return evaluate_model(self, X, y, sample_weight)

    def _adopt_columns(self, schema: Schema) -> None:
        """Keep the columns of a table under the names that scikit-learn gives them."""
        self.__dict__.pop("card_", None)  # it was of another model
        self.n_features_in_ = schema.n_inputs
        if schema.named:
            self.feature_names_in_ = np.array(schema.names[: schema.n_inputs], dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _not_fitted(self) -> NotFittedError:
        """Give the error of an estimator that is asked before it has learned."""
        return NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator."
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._missing_policy != "error"
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        several = getattr(self, "_several_targets", False)
        tags.target_tags.multi_output = several and getattr(self, "missing", "direction") == "direction"
        return tags


def _unknown(owner: object, given: Iterable[str], known: Iterable[str]) -> str:
    name = next(name for name in given if name.partition("__")[0] not in known)
    hint = nearest(name, known) or f" It has {', '.join(sorted(known))}."
    return f"{type(owner).__name__} has no parameter {name!r}.{hint}"
