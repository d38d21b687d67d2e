"""Methods of fitted models that explain them: `explain`, `rules`, `importances`, `bound`, `to_html`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.bounds import ErrorBound, held_out_bound, training_bound
from treewright.data.columns import Unseen
from treewright.data.dataset import labelled_rows
from treewright.data.schema import Infinities, Schema
from treewright.explain import Explanation, explain_row, read_row
from treewright.explain.importance import Importances, importances
from treewright.growing.parameters import missing_policies
from treewright.rules import RuleSet, extract_rules
from treewright.tree import Tree


class RowReader(ABC):
    """What an estimator of one tree or of several can tell: why a row is predicted so, and all on a page."""

    unseen: Unseen
    inf: Infinities
    longest_search: ClassVar[float | None] = (
        None  # seconds for a nearest change, if nothing else is asked for
    )

    @abstractmethod
    def _answering(self) -> tuple[Sequence[Tree], Sequence[NDArray[np.float64]]]:
        """Give the trees whose answers are averaged, and what every node of each says."""

    def explain(
        self,
        row: Any,
        *,
        wanted: Any = None,
        fixed: Collection[Any] = (),
        directions: Mapping[Any, str] | None = None,
        scales: Mapping[Any, float] | Any = None,
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
        scales : dict of feature to float, table or None
            The change of a number that counts as one, or rows of which the standard deviations are taken. By
            default it is the span of the tree's cuts of it, which is known without any rows.
        confidence : float
            That of the intervals of the class shares.
        time_limit : float or None
            Seconds after which the search for the nearest change is stopped; None lets it end for a tree.

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
        trees, values = self._answering()
        schema, missing = trees[0].schema, getattr(self, "missing", None)
        read = read_row(
            row,
            schema,
            unseen=self.unseen,
            missing="error" if missing == "error" else "direction",
            inf=self.inf,
            estimator=type(self).__name__,
        )
        policies = None if missing is None else missing_policies(missing, schema)
        if isinstance(policies, str):
            policies = (policies,) * len(schema.columns)
        return explain_row(
            trees,
            read,
            values,
            wanted=wanted,
            policies=policies,
            confidence=confidence,
            are_means=getattr(self, "criterion", None) == "squared_error",
            fixed=fixed,
            directions=directions,
            scales=_scales(scales, schema, self.inf),
            time_limit=self.longest_search if time_limit is None else time_limit,
        )

    def to_html(
        self,
        path: str | PathLike[str],
        X: Any = None,
        y: Any = None,
        *,
        validation: tuple[Any, Any] | None = None,
        cv: int | None = 10,
        max_rows: int = 1000,
        title: str | None = None,
    ) -> None:
        """Write one HTML file to explore the model with, without a network; see `treewright.explore`.

        Parameters
        ----------
        path : str or path
            Where to write.
        X, y, validation, cv, max_rows, title
            As for `treewright.explore`; in a forest, rows that a tree has not drawn judge it if there are no
            others.
        """
        from treewright.explorer import explore

        explore(self, X, y, validation=validation, cv=cv, max_rows=max_rows, title=title).save(path)


class TreeReader(RowReader):
    """What an estimator that has a tree can tell about it."""

    @abstractmethod
    def _fitted_tree(self) -> Tree:
        """Give the tree, or say that there is none yet."""

    @abstractmethod
    def _encode(self, X: Any, tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Give rows as the tree's arrays have them."""

    @abstractmethod
    def predict(self, X: Any) -> Any:
        """Predict each row."""

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
        rows = None
        if X is not None:
            encoded = self._encode(X, tree)
            name = type(self).__name__
            rows, _ = labelled_rows(tree.schema, *encoded, y, sample_weight, name=name)
        return importances(tree, self._says(tree), rows, n_repeats=n_repeats, random_state=random_state)

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

    def _answering(self) -> tuple[Sequence[Tree], Sequence[NDArray[np.float64]]]:
        tree = self._fitted_tree()
        return [tree], [self._says(tree)]

    def _says(self, tree: Tree) -> NDArray[np.float64]:
        """What each node says: class shares, or a number."""
        return tree.value


def _scales(scales: Any, schema: Schema, inf: Infinities) -> Mapping[Any, float] | None:
    """Give scales as they are, or those of the rows of a table."""
    if scales is None or isinstance(scales, Mapping):
        return scales
    spread = np.nanstd(schema.encode(scales, inf=inf)[0], axis=0)
    numeric = [feature for feature, column in enumerate(schema.columns) if column.kind == "numeric"]
    by_feature = {feature: float(spread[schema.position[feature]]) for feature in numeric}
    return {feature: scale for feature, scale in by_feature.items() if scale > 0}
