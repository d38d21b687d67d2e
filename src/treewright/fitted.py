"""Fitted: what an estimator does once it has a tree: route rows, predict, describe itself, go to a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError

from treewright.bounds import ErrorBound, held_out_bound, training_bound
from treewright.data.columns import Unseen
from treewright.data.dataset import Task
from treewright.data.schema import Infinities, Schema
from treewright.explain import Explanation, explain_row, read_row
from treewright.grow import threads
from treewright.importance import Importances, importances
from treewright.model_file import tree_to_parts, write_model
from treewright.parameters import missing_policies, plain_parameters
from treewright.pruning import Pruned
from treewright.recipe import Recipe, Rule
from treewright.rules import RuleSet, extract_rules
from treewright.selection import AnyPruner, read_labelled
from treewright.tree import Tree


class FittedTree(BaseEstimator):
    """An estimator that has a tree, whoever grew it."""

    allowed: ClassVar[dict[str, Rule]]
    task: ClassVar[Task]
    unseen: Unseen
    inf: Infinities
    n_jobs: int | None

    def _adopt(self, tree: Tree) -> None:
        """Take a tree as this estimator's own, with all that scikit-learn expects to find beside it."""
        schema = tree.schema
        self.tree_ = tree
        self.n_features_in_ = len(schema.columns)
        self.n_outputs_ = 1
        if schema.named:
            self.feature_names_in_ = np.array([column.name for column in schema.columns], dtype=object)
        else:
            self.__dict__.pop("feature_names_in_", None)

    def _remember(self, pruner: AnyPruner, pruned: Pruned) -> None:
        """Keep what pruned the tree, what it did, and what it chose from."""
        self._forget_pruning()
        self.pruner_, self.report_ = pruner, pruned.report
        if pruned.path is not None:
            self.path_ = pruned.path

    def _forget_pruning(self) -> None:
        for name in ("pruner_", "report_", "path_"):
            self.__dict__.pop(name, None)

    def _recipe(self, schema: Schema) -> Recipe | None:
        """Give the recipe that grew the tree, if one did; presets with programs of their own have none."""
        return None

    def _fitted_tree(self) -> Tree:
        try:
            return self.tree_
        except AttributeError:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                "arguments before using this estimator."
            ) from None

    def _leaves(self, X: Any) -> tuple[Tree, NDArray[np.int32]]:
        """Give the tree, and the leaf of each row."""
        tree = self._fitted_tree()
        return tree, tree.route(*self._encode(X, tree), threads(self.n_jobs))

    def _encode(self, X: Any, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Rows as the tree's arrays have them."""
        missing = "error" if getattr(self, "missing", None) == "error" else "direction"
        return tree.schema.encode(
            X, unseen=self.unseen, missing=missing, inf=self.inf, estimator=type(self).__name__
        )

    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.intp]:
        """Id of the leaf that each row ends in."""
        return self._leaves(X)[1].astype(np.intp)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
        """Nodes that each row passes, as a sparse matrix of shape (n_rows, n_nodes) with 1 where it does."""
        tree, leaf = self._leaves(X)
        return tree.paths(leaf)

    def get_depth(self) -> int:
        """Depth of the deepest leaf; a tree of one leaf has depth 0."""
        return self._fitted_tree().depth

    def get_n_leaves(self) -> int:
        """Count the leaves."""
        return self._fitted_tree().n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity that the tree achieves.

        It favours features of many values; `importances` shows where it does.
        """
        return self._fitted_tree().compute_feature_importances()

    def rules(self) -> RuleSet:
        """Read the tree as rules, one for each leaf; see `treewright.rules.extract_rules`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> print(DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules())
        IF x0 ≤ 3 THEN a  (2 rows, 100 %)
        IF x0 > 3 THEN b  (1 row, 100 %)
        OTHERWISE a  (3 rows, 67 %)
        """
        return extract_rules(self._fitted_tree())

    def explain(
        self,
        row: Any,
        *,
        wanted: Any = None,
        fixed: Collection[Any] = (),
        directions: Mapping[Any, str] | None = None,
        scales: Mapping[Any, float] | None = None,
        confidence: float = 0.95,
        time_limit: float | None = None,
    ) -> Explanation:
        """Say why the model predicts what it does for one row, and what would have to change.

        Parameters
        ----------
        row : dict, Series, frame of one row, list or array
            The row; None or NaN is a missing value.
        wanted : class label, number, pair of numbers, "higher", "lower" or None
            The answer to look for in the nearest change. A classifier looks for any other class by default;
            a regressor for a number to be reached or passed, a value between two (None is no bound), or a
            higher or lower one, and by default for nothing.
        fixed : collection of features, by name or position
            They do not change.
        directions : dict of feature to "up" or "down"
            Numbers and ordered categories that change one way only.
        scales : dict of feature to float
            The change of a number that counts as one; by default it is the span of the tree's cuts.
        confidence : float
            That of the intervals of the class shares.
        time_limit : float or None
            Seconds after which the search for the nearest change is stopped; None lets it end.

        Returns
        -------
        Explanation
            Its `str` is the answer in words: the way through the tree, what missing and unseen values did,
            the class shares with intervals, what each feature contributed, and the nearest change that has
            another answer: of the fewest features, then the smallest.

        Examples
        --------
        >>> from treewright import ID3Classifier, datasets
        >>> model = ID3Classifier().fit(*datasets.load_tennis())
        >>> day = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Strong"}
        >>> print(model.explain(day))
        Predicted: No (100 %)
        <BLANKLINE>
        The way through the tree
          branch          value   training
          Outlook = Rain  Rain      5 rows  60 % Yes
          Wind = Strong   Strong    2 rows  100 % No
        <BLANKLINE>
        Classes
          class  share  95 % interval
          No     100 %    34 to 100 %
          Yes      0 %      0 to 66 %
        <BLANKLINE>
        What moved the share of No from 36 %, that of all rows, to 100 %
          feature  moved by  value
          Wind      +60.0 %  Strong
          Outlook    +4.3 %  Rain
        <BLANKLINE>
        The nearest change to an answer other than No
          feature  from    to
          Outlook  Rain →  Overcast
          then the prediction is Yes
        """
        tree = self._fitted_tree()
        missing = getattr(self, "missing", None)
        read = read_row(
            row,
            tree.schema,
            unseen=self.unseen,
            missing="error" if missing == "error" else "direction",
            inf=self.inf,
            estimator=type(self).__name__,
        )
        policies = None if missing is None else missing_policies(missing, tree.schema)
        if isinstance(policies, str):
            policies = (policies,) * len(tree.schema.columns)
        return explain_row(
            [tree],
            read,
            [self._says(tree)],
            wanted=wanted,
            policies=policies,
            confidence=confidence,
            fixed=fixed,
            directions=directions,
            scales=scales,
            time_limit=time_limit,
        )

    def importances(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        n_repeats: int = 10,
        random_state: int = 0,
    ) -> Importances:
        """Measure how much each feature matters, and warn where impurity favours one of many values.

        Parameters
        ----------
        X, y, sample_weight
            Rows, best others than the tree was grown on: what the splits are worth there, and what is lost
            when a feature is shuffled among them. Without them there is the decrease of impurity alone.
        n_repeats : int
            How often each feature is shuffled.
        random_state : int
            Seed of the shuffles.

        Returns
        -------
        Importances
            `print` it.
        """
        tree = self._fitted_tree()
        rows = None if X is None else read_labelled(self, tree, X, y, sample_weight)[0]
        return importances([tree], [self._says(tree)], rows, n_repeats=n_repeats, random_state=random_state)

    def bound(self, delta: float = 0.05, X: Any = None, y: Any = None) -> ErrorBound:
        """Bound the true error of the model: what is guaranteed, and how loose the guarantee is.

        Parameters
        ----------
        delta : float
            The chance that the bound fails.
        X, y
            Rows that were not learned from. With them the bound is exact for the binomial distribution; by
            default it is that of Vapnik & Chervonenkis for the training rows, which is loose.

        Returns
        -------
        ErrorBound
            `print` it.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> model = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
        >>> print(model.bound(X=X[1::2], y=y[1::2]))
        With probability 95 % the true error is at most 11.8 %.
        It errs on 5.33 % of 75 rows, rows that it has not seen.
        """
        tree = self._fitted_tree()
        if X is None:
            return training_bound(tree, delta)
        if not tree.is_classifier:
            raise ValueError("a bound on the error needs classes, and this model predicts numbers.")
        wrong = np.asarray(self.predict(X)) != np.asarray(y)
        return held_out_bound(int(wrong.sum()), len(wrong), delta)

    def _says(self, tree: Tree) -> NDArray[np.float64]:
        """What each node says: class shares, or a number."""
        return tree.value

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file that `treewright.load` reads; whole or not at all.

        The tree, the parameters, the pruner that made the tree and the name of the target, if it has one as
        `target_name_`, are kept; the pruner's report is not. A parameter
        that is no plain value, such as a `RandomState` or a pruner of your own, is left out and has its
        default when the model is read back.

        Parameters
        ----------
        path : str or path
            Where to write; a file of that name is replaced once the new one is complete.
        """
        header, arrays = tree_to_parts(self._fitted_tree())
        header |= {"kind": type(self).__name__, "parameters": plain_parameters(self.get_params(deep=False))}
        if hasattr(self, "pruner_"):
            header |= plain_parameters({"pruner": self.pruner_})
        if hasattr(self, "target_name_"):
            header["target"] = self.target_name_
        write_model(path, header, arrays)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")


class ClassReader(ClassifierMixin, FittedTree):
    """An estimator whose tree predicts classes."""

    laplace: float | bool

    def _adopt(self, tree: Tree) -> None:
        super()._adopt(tree)
        self.classes_: NDArray[Any] = np.asarray(tree.schema.classes)
        self.n_classes_ = len(self.classes_)

    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """Class of each row: the heaviest of its leaf, or under `costs` the cheapest."""
        tree = self._fitted_tree()
        if tree.shares_rows:
            shares = self._spread(X, 0.0)
            best = shares.argmax(axis=1) if tree.costs is None else (shares @ tree.costs).argmin(axis=1)
            shared: NDArray[Any] = self.classes_.take(best)
            return shared
        tree, leaf = self._leaves(X)
        labels: NDArray[Any] = self.classes_.take(tree.label.take(leaf))
        return labels

    def predict_proba(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """Share of each class in the row's leaf, one column for each of `classes_`."""
        if self._fitted_tree().shares_rows:
            return self._spread(X, float(self.laplace))
        tree, leaf = self._leaves(X)
        if len(leaf) < len(tree):
            return _shares(tree.value.take(leaf, axis=0), float(self.laplace))
        return _shares(tree.value, float(self.laplace)).take(leaf, axis=0)

    def _spread(self, X: Any, laplace: float) -> NDArray[np.float64]:
        """Class shares of rows that may end in several leaves."""
        tree = self._fitted_tree()
        return tree.spread(*self._encode(X, tree), _shares(tree.value, laplace), threads(self.n_jobs))

    def _says(self, tree: Tree) -> NDArray[np.float64]:
        return _shares(tree.value, float(self.laplace))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithm of `predict_proba`, −inf where a class has no share."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class NumberReader(RegressorMixin, FittedTree):
    """An estimator whose tree predicts numbers."""

    def predict(self, X: Any, check_input: bool = True) -> NDArray[np.float64]:
        """Value of each row's leaf."""
        tree = self._fitted_tree()
        if tree.shares_rows:
            return tree.spread(*self._encode(X, tree), tree.value, threads(self.n_jobs)).ravel()
        tree, leaf = self._leaves(X)
        return tree.value.ravel().take(leaf)


def _shares(value: NDArray[np.float64], laplace: float) -> NDArray[np.float64]:
    if laplace:
        value = value + laplace
    shares: NDArray[np.float64] = value / value.sum(axis=1, keepdims=True)
    return shares
