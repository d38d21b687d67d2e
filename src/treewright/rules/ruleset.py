"""RuleSet: an ordered list of rules; the first that covers a row predicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright._module_names import public
from treewright.data.dataset import labelled_rows
from treewright.formatting.text import counted
from treewright.rules import rendering
from treewright.rules.rule import Rule, first_rule
from treewright.tree.conditions import Rows

if TYPE_CHECKING:
    from treewright.data import Schema
    from treewright.data.schema import Infinities
    from treewright.rules.pruning import Estimate, LabelledRows


@public
@dataclass(frozen=True, eq=False, repr=False)
class RuleSet:
    """Rules in order: the first that covers a row predicts for it, and the default where none does.

    `model.rules()` gives the rules of a fitted tree.

    Parameters
    ----------
    schema : Schema
        Names, kinds and categories of the features, and the classes.
    rules : tuple of Rule
        The rules, the first to be tried first.
    default : Rule
        What is predicted otherwise; it has no conditions.
    value : float array
        Weight of each class among all rows, or the number that fits them all.
    weight : float
        Weight of all rows.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris()
    >>> rules = tw.DecisionTreeClassifier(max_depth=2).fit(X, y).rules()
    >>> print(rules)
    IF petal length ≤ 2.45 THEN setosa  (50 rows, 100 %)
    IF petal length > 2.45 AND petal width ≤ 1.75 THEN versicolor  (54 rows, 91 %)
    IF petal length > 2.45 AND petal width > 1.75 THEN virginica  (46 rows, 98 %)
    OTHERWISE setosa  (150 rows, 33 %)
    >>> rules.predict(X[:1]).tolist()
    ['setosa']
    """

    schema: Schema
    rules: tuple[Rule, ...]
    default: Rule
    value: NDArray[np.float64]
    weight: float

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, index: int) -> Rule:
        return self.rules[index]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @property
    def is_classifier(self) -> bool:
        """Whether the rules predict classes rather than numbers.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.is_classifier
        True
        """
        return self.schema.classes is not None

    # ---- predicting ------------------------------------------------------------------------------

    def encode(self, X: Any, inf: Infinities = "error", estimator: str = "RuleSet") -> Rows:
        """Read rows of a table as the rules' features; unseen categories count as missing.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.encode([[1.5], [7.0]]).numbers.tolist()
        [[1.5], [7.0]]
        """
        numbers, codes = self.schema.encode(X, inf=inf, estimator=estimator)
        self.schema.refuse_infinities(numbers)
        return Rows(self.schema, numbers, codes)

    def apply(self, X: Any, *, inf: Infinities = "error") -> NDArray[np.int64]:
        """Give the position of the rule that predicts for each row; the default's is `len(rules)`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.apply([[1.5], [7.0]]).tolist()
        [0, 1]
        """
        return first_rule(self.rules, self.encode(X, inf))

    def said_by(self, which: NDArray[np.int64]) -> NDArray[Any]:
        """Give what the rules at given positions predict.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.said_by(rules.apply([[1.5], [7.0]])).tolist()
        ['a', 'b']
        """
        every = (*self.rules, self.default)
        if self.schema.classes is None:
            return np.array([rule.value[0] for rule in every])[which]
        return np.asarray(self.schema.classes.take([rule.label for rule in every]).take(which))

    @cached_property
    def class_probabilities(self) -> NDArray[np.float64]:
        """Probability of each class among the rows of each rule, and of the default."""
        value = np.stack([rule.value for rule in (*self.rules, self.default)])
        return np.asarray(value / value.sum(axis=1, keepdims=True))

    def predict(self, X: Any, *, inf: Infinities = "error") -> NDArray[Any]:
        """Predict the class or the number of each row.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Of the kinds that estimators take. Unseen categories count as missing.
        inf : {"error", "extreme"}
            Refuse infinite numbers, or take them as the largest finite ones, as the tree's estimator does.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.predict([[1.5], [7.0]]).tolist()
        ['a', 'b']
        """
        return self.said_by(self.apply(X, inf=inf))

    def predict_proba(self, X: Any, *, inf: Infinities = "error") -> NDArray[np.float64]:
        """Share of each class among the training rows of the rule that predicts for a row.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.predict_proba([[1.5], [7.0]]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        if not self.is_classifier:
            raise AttributeError("rules that predict numbers have no class probabilities")
        return np.asarray(self.class_probabilities[self.apply(X, inf=inf)])

    # ---- pruning ---------------------------------------------------------------------------------

    def prune(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        estimate: Estimate = "pessimistic",
        cf: float = 0.25,
        choose: bool | None = None,
        verbose: int | bool = 0,
        inf: Infinities = "error",
    ) -> RuleSet:
        """Make the rules shorter, and with most estimates fewer; these here stay as they are.

        With `estimate="holdout"` this is rule post-pruning (Mitchell, 1997, §3.7.1.2): from each rule the
        condition goes whose loss raises the accuracy on the held-out rows most, as long as any raises it; all
        rules are kept, and put in the order of their accuracy on these rows. The accuracy of a rule that
        covers none of them is 0.

        With the other estimates it is C4.5rules (Quinlan, 1993, ch. 5): conditions go while the estimated
        error does not rise; rules that are no better than guessing, and those that have become the same as
        others, go; for classes, the rules of each are then chosen by description length, the classes put in
        order, and rules without which fewer rows are put in the wrong class left out. Numbers are predicted
        by the rule that covers the fewest rows.

        Parameters
        ----------
        X, y, sample_weight
            The rows that the tree was grown on or, for "holdout" and "smoothed", rows that it has not seen.
            The rules' numbers of rows are those of these rows.
        estimate : {"pessimistic", "holdout", "smoothed"}
            Judge a rule by an upper confidence limit of its error, as in error-based pruning; by its error on
            the held-out rows that it covers; or by (errors + 2g) / (n + 2) on its n held-out rows, g being
            the error of always guessing its class. For numbers errors are squared ones.
        cf : float
            Confidence factor of the pessimistic estimate, above 0 and below 1; smaller prunes more.
        choose : bool or None
            Whether to choose rules by description length. If not, all that are left are put in the order of
            their estimated errors. None does unless the estimate is "holdout".
        verbose : int or bool
            Show progress in the terminal.
        inf : {"error", "extreme"}
            As for `predict`.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier, datasets
        >>> X, y = datasets.load_iris()
        >>> print(DecisionTreeClassifier().fit(X, y).rules().prune(X, y))
        IF petal length ≤ 2.45 THEN setosa  (50 rows, 100 %)
        IF 2.45 < petal length ≤ 4.95 AND petal width ≤ 1.65 THEN versicolor  (47 rows, 100 %)
        IF petal width > 1.65 THEN virginica  (48 rows, 96 %)
        IF petal length > 4.95 THEN virginica  (46 rows, 96 %)
        OTHERWISE setosa  (150 rows, 33 %)
        """
        from treewright.growing.grow_tree import progress_bar
        from treewright.rules.pruning import Pruning
        from treewright.rules.simplify import rewritten

        labelled = self.labelled(X, y, sample_weight, inf)
        progress = progress_bar(verbose, "pruning rules")
        rules, default = rewritten(self.rules, labelled, Pruning(estimate, cf), choose, progress)
        return RuleSet(self.schema, tuple(rules), default, labelled.totals(), float(labelled.weight.sum()))

    def labelled(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, inf: Infinities = "error"
    ) -> LabelledRows:
        """Read rows with their target as the rules' features and classes.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.labelled([[1.5], [7.0]], ["a", "b"]).target.tolist()
        [0, 1]
        """
        from treewright.rules.pruning import LabelledRows

        read = self.encode(X, inf)
        rows, _ = labelled_rows(self.schema, read.numbers, read.codes, y, sample_weight, name="RuleSet")
        return LabelledRows.of(rows)

    # ---- files -----------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rules to a file that `treewright.load` reads; whole or not at all.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> from tempfile import TemporaryDirectory
        >>> from treewright import load
        >>> with TemporaryDirectory() as folder:
        ...     rules.save(f"{folder}/rules.tw")
        ...     len(load(f"{folder}/rules.tw"))
        2
        """
        from treewright.persistence.container import write_model
        from treewright.persistence.rules import rules_to_parts

        header, arrays = rules_to_parts(self)
        write_model(path, {"kind": "RuleSet", **header}, arrays)

    def export(
        self, target: str, path: str | PathLike[str] | None = None, **options: Any
    ) -> str | bytes | None:
        """Write the rules as source code or another program's model, as `export` of estimators does.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> print(rules.export("sql", table="measured"))
        -- RuleSet of treewright ...: 2 rules
        ...
        """
        from treewright.persistence.exports import export_file

        return export_file(self, target, path, **options)

    # ---- printing --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        target = counted(len(self.value), "class", "classes") if self.is_classifier else "regression"
        return f"RuleSet({counted(len(self), 'rule')}, {target})"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(
        self, *, decimals: int | None = None, max_categories: int | None = 8, missing: bool = False
    ) -> str:
        """Write a line for each rule.

        Parameters
        ----------
        decimals : int, optional
            How many decimals numbers show; by default thresholds show as many as it takes to read them back.
        max_categories : int or None, default=8
            Longer lists of categories are shortened, with a count of those left out.
        missing : bool, default=False
            Whether to say which conditions a missing value meets too.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> print(rules.to_text())
        IF x0 ≤ 3 THEN a  (2 rows, 100 %)
        IF x0 > 3 THEN b  (1 row, 100 %)
        OTHERWISE a  (3 rows, 67 %)
        """
        return rendering.text(self, decimals=decimals, max_categories=max_categories, missing=missing)

    def table(self) -> str:
        """Write a table of the rules with their cover, confidence and lift, or their value and spread.

        *Cover* is the share of all rows that a rule covers, *confidence* the share of those that are of its
        class, *lift* the confidence divided by the share of the class among all rows.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> print(rules.table())
        rule  class  rows  cover  confidence   lift  conditions
           1  a         2  0.667       1.000  1.500  x0 ≤ 3
           2  b         1  0.333       1.000  3.000  x0 > 3
           3  a         3  1.000       0.667  1.000  otherwise
        """
        return rendering.table(self)

    def to_markdown(self) -> str:
        """Write the table of the rules in Markdown.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> print(rules.to_markdown())
        | rule | class | rows | cover | confidence | lift | conditions |
        | --: | --- | --: | --: | --: | --: | --- |
        | 1 | a | 2 | 0.667 | 1.000 | 1.500 | x0 ≤ 3 |
        | 2 | b | 1 | 0.333 | 1.000 | 3.000 | x0 > 3 |
        | 3 | a | 3 | 1.000 | 0.667 | 1.000 | otherwise |
        """
        return rendering.markdown(self)

    def to_html(self) -> str:
        """Write the table of the rules in HTML; every name is escaped.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.to_html()[:6]
        '<table'
        """
        return rendering.html(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Describe the rules by names, in plain values.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> rules = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"]).rules()
        >>> rules.to_dict()["rules"][1]["prediction"]
        'b'
        """
        return rendering.dictionary(self)
