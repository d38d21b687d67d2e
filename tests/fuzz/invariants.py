"""What holds of every model that `fit` gives, or refuses in one sentence."""

from __future__ import annotations

import dis
import json
import os
import pickle
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from functools import cached_property
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from fuzz.cases import OFTEN, SPARSE, Case
from fuzz.engines import difference
from fuzz.refusals import is_known
from helpers.prunings import leaves_of
from treewright.model_selection.validated_pruning import needs
from treewright.pruning import pruner_of
from treewright.tree import Tree

REFUSALS = (ValueError, TypeError)
UNEQUAL = 1e6
"""Weights that differ by more may tell splits of numbers apart that are as good but for rounding."""
SOURCE = os.path.dirname(tw.__file__)
FOLDER = Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir())  # no disk to wait for


@contextmanager
def strict() -> Iterator[None]:
    """Take warnings of NumPy and of Python for errors; the package's own are for users."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", FutureWarning)
        yield


def unforeseen(problem: Exception) -> str | None:
    """Say what makes an exception an accident; nothing, if treewright raises it itself, in one sentence."""
    at = problem.__traceback__
    assert at is not None
    while at.tb_next is not None:
        at = at.tb_next
    code, text = at.tb_frame.f_code, str(problem)
    place = f"{type(problem).__name__} at {os.path.relpath(code.co_filename, SOURCE)}:{at.tb_lineno}: {text}"
    if not isinstance(problem, REFUSALS) or not code.co_filename.startswith(SOURCE):
        return place
    if code.co_code[at.tb_lasti] != dis.opmap["RAISE_VARARGS"]:  # by Python, NumPy or the core
        return f"no refusal of treewright's own: {place}"
    if "\n" in text or len(text) < 10 or len(text) > 2000:
        return f"no sentence: {text!r}"
    return None


def refusal(problem: Exception) -> str | None:
    """Say what is wrong with an exception that `fit` raises; nothing, if it is one of its sentences."""
    return unforeseen(problem) or (None if is_known(str(problem)) else f"an unknown refusal: {problem}")


class Fitted:
    """A fitted model, and what checks ask of it."""

    def __init__(self, case: Case, model: Any) -> None:
        self.case, self.X, self.model = case, case.table, model

    @cached_property
    def content(self) -> bytes:
        """The bytes of its file."""
        return saved(self.model)

    @cached_property
    def answers(self) -> Any:
        """What it predicts for the rows of its table."""
        return self.model.predict(self.X)

    @property
    def tree(self) -> Tree | None:
        """The tree, if there is one alone."""
        tree: Tree | None = getattr(self.model, "tree_", None)
        return tree

    @cached_property
    def trees(self) -> Sequence[Tree]:
        if self.tree is not None:
            return [self.tree]
        return list(getattr(self.model, "trees_", ()))

    @cached_property
    def unclassified(self) -> Any:
        """Rows that Weka's Id3 has no class for: held out by a pruner, they meet branches without rows."""
        if self.parameter("compat") != "weka":
            return np.zeros(len(self.answers), bool)
        return np.array([answer is None for answer in self.answers])

    def parameter(self, name: str) -> Any:
        return getattr(self.model, name, None)

    def policies(self) -> set[str]:
        missing = self.parameter("missing")
        return set(missing.values()) | {"direction"} if isinstance(missing, dict) else {missing}


def saved(model: Any) -> bytes:
    """Give the bytes of a model's file."""
    path = FOLDER / f"treewright-fuzz-{os.getpid()}.tw"
    try:
        model.save(path)
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


def loaded(content: bytes) -> Any:
    """Load a model of bytes."""
    path = FOLDER / f"treewright-fuzz-{os.getpid()}.tw"
    try:
        path.write_bytes(content)
        return tw.load(path)
    finally:
        path.unlink(missing_ok=True)


# ---- the invariants: each asserts ----------------------------------------------------------------------


def deterministic(fitted: Fitted) -> None:
    """The same call gives the same bytes, whatever the number of threads."""
    assert saved(fitted.case.fit()) == fitted.content, "a second fit gives other bytes"
    if hasattr(fitted.model, "n_jobs"):
        other = saved(fitted.case.fit(n_jobs=2).set_params(n_jobs=1))
        assert other == fitted.content, "two threads give other bytes"


def save_and_load(fitted: Fitted) -> None:
    """A file gives the model back, and that the same file."""
    again = loaded(fitted.content)
    assert saved(again) == fitted.content, "save, load, save gives other bytes"
    same(again.predict(fitted.X), fitted.answers, "predictions of the loaded model")
    if fitted.tree is not None:
        assert again.tree_ == fitted.tree, "the loaded tree is another"


def statistics(fitted: Fitted) -> None:
    """All figures of nodes are finite, and those of branches add up to their node's."""
    for tree in fitted.trees:
        for name in ("weight", "impurity", "risk", "merit", "node_value"):
            assert np.isfinite(getattr(tree, name)).all(), f"{name} is not finite"
        for name in ("weight", "impurity", "risk"):
            assert (getattr(tree, name) >= 0).all(), f"{name} is negative"
        inner = np.flatnonzero(tree.n_children)
        if not len(inner):
            continue
        child = np.arange(1, len(tree))
        count = np.bincount(tree.parent[child], tree.count[child], len(tree))[inner]
        weight = np.bincount(tree.parent[child], tree.weight[child], len(tree))[inner]
        # rows that no surrogate sends rpart counts nowhere, if no side weighs more or it looks for none
        stays = (tree.default_branch[inner] == -2).any() or fitted.parameter("compat") == "rpart"
        if tree.shares_rows:
            assert (count >= tree.count[inner] * (not stays)).all(), "branches lose rows"
        elif stays:
            assert (count <= tree.count[inner]).all(), "branches have more rows than their node"
        else:
            assert (count == tree.count[inner]).all(), "counts do not add up"
        close = np.isclose(weight, tree.weight[inner], rtol=1e-9, atol=0)
        assert (close | (weight < tree.weight[inner]) & stays).all(), "weights do not add up"


def routed(fitted: Fitted) -> None:
    """Rows end where they were counted when the tree was grown."""
    model, tree, case = fitted.model, fitted.tree, fitted.case
    if tree is None or tree.shares_rows or fitted.policies() & {"class_mode", "ignore", "fractional"}:
        return
    if fitted.parameter("early_stopping") == "holdout" or _keeps_rows_aside(fitted):
        return
    if fitted.parameter("compat") is not None:  # the programs' oddities
        return
    weight = np.ones(len(case.y)) if case.weight is None else np.asarray(case.weight)
    if case.has_several_targets and isinstance(factors := fitted.parameter("class_weight"), list):
        weight = weight * [all(map(dict.get, factors, row)) for row in case.y]
    ends = np.bincount(model.apply(fitted.X)[weight > 0], minlength=len(tree))
    inner = tree.n_children > 0
    below = ends.copy()
    for node in reversed(range(1, len(tree))):
        below[tree.parent[node]] += below[node]
    assert (below == tree.count).all(), (
        f"node {int(np.argmax(below != tree.count))} counts {tree.count[below != tree.count][0]} rows, "
        f"{below[below != tree.count][0]} arrive"
    )
    assert not ends[inner & (tree.default_branch != -2)].any(), "rows stay where none may"


def _keeps_rows_aside(fitted: Fitted) -> bool:
    pruner = fitted.parameter("pruner")
    return pruner is not None and needs(pruner_of(pruner)) == "holdout"


def probabilities(fitted: Fitted) -> None:
    """Class probabilities are probabilities, and the prediction is a class of the largest."""
    model = fitted.model
    if not fitted.case.is_classifier:
        assert np.isfinite(fitted.answers).all(), "a prediction is not finite"
        return
    if not fitted.case.has_several_targets:
        _probabilities(fitted, model.predict_proba(fitted.X), model.classes_, fitted.answers)
        return
    shares = model.predict_proba(fitted.X)
    assert len(shares) == len(model.classes_) == fitted.answers.shape[1], "targets are lost"
    for at, (one, classes) in enumerate(zip(shares, model.classes_, strict=True)):
        _probabilities(fitted, one, classes, fitted.answers[:, at].astype(classes.dtype))


def _probabilities(fitted: Fitted, shares: Any, classes: Any, answers: Any) -> None:
    if (nothing := fitted.unclassified).any():
        assert not shares[nothing].any(), "a row of no class has probabilities"
        shares, answers = shares[~nothing], answers[~nothing].astype(classes.dtype)
    assert np.isfinite(shares).all(), "probabilities are not finite"
    assert ((shares >= 0) & (shares <= 1 + 1e-12)).all(), "probabilities are out of [0, 1]"
    assert np.allclose(shares.sum(axis=1), 1, rtol=1e-9), "probabilities do not sum to one"
    assert shares.shape == (len(answers), len(classes)), "probabilities of other classes"
    said = np.searchsorted(classes, answers)
    if (
        fitted.parameter("costs") is None
        and fitted.parameter("compat") != "rpart"  # which takes light classes for heavier ones
        and fitted.parameter("vote") != "hard"
        and fitted.case.learner != "RuleClassifier"
        and fitted.parameter("laplace") in (None, 0, False)
    ):
        chosen = np.take_along_axis(shares, said[:, None], axis=1)[:, 0]
        assert (chosen >= shares.max(axis=1) * (1 - 1e-9)).all(), "a class of less probability is predicted"


def explained(fitted: Fitted) -> None:
    """`explain` and rules say what `predict` says."""
    model, tree = fitted.model, fitted.tree
    if not hasattr(model, "explain"):
        return
    answers = fitted.answers
    for row in {0, len(answers) // 2} - set(np.flatnonzero(fitted.unclassified).tolist()):
        explanation = model.explain(one_row(fitted.X, row), time_limit=0.05)
        several = list(explanation.values()) if fitted.case.has_several_targets else [explanation]
        said = np.array([one.prediction for one in several])
        same(said.astype(answers.dtype), np.atleast_1d(answers[row]), f"explain of row {row}", 1e-9)
        str(explanation), explanation._repr_html_()
        for one in several:
            json.dumps(one.to_dict(), allow_nan=False)
    if fitted.case.has_several_targets:
        return
    gaps = tree is not None and fitted.policies() <= {"direction", "available", "value"}
    if tree is not None and gaps and not tree.shares_rows and fitted.case.learner in OFTEN:
        infinities = fitted.parameter("inf") or "error"
        same(model.rules().predict(fitted.X, inf=infinities), answers, "rules", 1e-9)


def one_row(X: Any, row: int) -> Any:
    """A table of one row of a table."""
    if hasattr(X, "iloc"):
        return X.iloc[[row]]
    if hasattr(X, "tocsr"):
        return X.tocsr()[[row]]
    return X[row : row + 1] if not hasattr(X, "slice") else X.slice(row, 1)


class _Reader(HTMLParser):
    """Counts elements that are opened and closed."""

    VOID = ("br", "hr", "img", "input", "link", "meta", "col", "path", "line", "rect", "circle", "use")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, _: Any) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag, f"</{tag}> closes another element"


def shown(fitted: Fitted) -> None:
    """Text, JSON and rules can be written."""
    model = fitted.model
    for tree in fitted.trees[:2]:
        assert str(tree), "no text"
        json.dumps(tree.to_dict(), allow_nan=False)
        assert np.isfinite(tree.compute_feature_importances()).all(), "importances are not finite"
    if fitted.tree is not None:
        tw.export_text(model, missing=True)
    if fitted.tree is not None and not fitted.case.has_several_targets and not fitted.tree.equations:
        rules = model.rules()
        str(rules), rules.to_html(), json.dumps(rules.to_dict(), allow_nan=False)
        if fitted.case.is_classifier:
            with suppress(ValueError):  # bounds need rows that all count alike
                str(model.bound())
    for name in ("text", "summary"):
        if hasattr(model, name):
            getattr(model, name)()
    if getattr(model, "trace_", None) is not None:
        str(model.trace_), model.trace_._repr_html_()
    if hasattr(model, "ruleset_"):
        str(model.ruleset_), model.ruleset_.to_html(), json.dumps(model.ruleset_.to_dict(), allow_nan=False)


def html(fitted: Fitted) -> None:
    """What notebooks show is well formed."""
    for shown in (fitted.model, *fitted.trees[:2]):
        reader = _Reader()
        reader.feed(shown._repr_html_())
        assert not reader.open, f"elements are not closed: {reader.open}"


def page(fitted: Fitted) -> None:
    """The page to explore a model with can be written."""
    if not hasattr(fitted.model, "to_html") or fitted.case.has_several_targets:
        return
    path = FOLDER / f"treewright-fuzz-{os.getpid()}.html"
    try:
        fitted.model.to_html(path, fitted.X, fitted.case.target, cv=None)
        assert path.read_text(encoding="utf-8").endswith("</html>\n"), "the page does not end"
    finally:
        path.unlink(missing_ok=True)


def pruned(fitted: Fitted) -> None:
    """A pruned tree is a pruning of the one that was grown."""
    tree, case = fitted.tree, fitted.case
    pruner = case.parameters.get("pruner")
    if tree is None or pruner is None or case.learner not in OFTEN or _keeps_rows_aside(fitted):
        return
    if "error_based" in str(pruner).lower() or "ErrorBased" in str(pruner) or pruner == "simplify":
        return  # they may put a branch in its node's place, or merge nodes
    leaves_of(case.fit(pruner=None).tree_, tree)


def dense(fitted: Fitted) -> None:
    """A sparse table gives the model of the dense one, and the same answers."""
    case = fitted.case
    if case.form not in SPARSE or (not case.is_classifier and _weighs_unequally(case)):
        return
    if fitted.parameter("compat") == "weka" and any(one % 1 for one in case.weight or ()):
        return  # gains are compared to the last bit, and sums of such weights are rounded
    again = replace(case, form="float32" if case.form == "csc" else "array")
    other = again.fit()
    assert len(fitted.trees) == len(Fitted(again, other).trees), "another number of trees"
    exact = fitted.policies() == {
        "direction"
    }  # others go another way in dense tables, which rounds otherwise
    for one, two in zip(fitted.trees, Fitted(again, other).trees, strict=True):
        found = None if one == two else "another tree" if exact else difference(one, two)
        assert found is None, f"the dense table gives {found}"
    same(fitted.model.predict(again.table), fitted.answers, "predictions of the dense table")


def _weighs_unequally(case: Case) -> bool:
    """Whether what a light row adds to a sum of numbers is lost in the rounding of a heavy one's."""
    weight = [one for one in case.weight or (1.0,) if one]
    return max(weight) > UNEQUAL * min(weight)


def pickled(fitted: Fitted) -> None:
    """A pickle gives the model back."""
    again = pickle.loads(pickle.dumps(fitted.model))
    assert saved(again) == fitted.content, "a pickle gives another model"
    same(again.predict(fitted.X), fitted.answers, "predictions of the pickled model")


def shapley(fitted: Fitted) -> None:
    """What features add to the prediction of rows makes up for how these differ."""
    model, case = fitted.model, fitted.case
    if not hasattr(model, "shap_values") or case.has_several_targets:
        return
    if fitted.parameter("leaves") == "linear":
        return
    values = model.shap_values(fitted.X)
    assert np.isfinite(values).all(), "Shapley values are not finite"
    said = model.predict_proba(fitted.X) if case.is_classifier else fitted.answers
    if case.is_classifier and (fitted.parameter("vote") == "hard" or fitted.unclassified.all()):
        return
    rest = (said - values.sum(axis=1))[~fitted.unclassified]
    size = np.abs(said).max(initial=0) + np.abs(values).max(initial=0)
    assert (np.ptp(rest, axis=0) <= 1e-9 * size).all(), "Shapley values do not add up to predictions"


def warm(fitted: Fitted) -> None:
    """A forest that goes on growing is the one grown at once."""
    case = fitted.case
    trees = case.parameters.get("n_estimators", 1)
    if trees < 2 or case.parameters.get("class_weight") is not None:
        return
    model = case.model(warm_start=True, n_estimators=1).fit(case.table, case.target, **case.weights())
    model.set_params(n_estimators=trees).fit(case.table, case.target, **case.weights())
    same(model.predict(fitted.X), fitted.answers, "predictions of a forest that went on growing")


def same(one: Any, two: Any, what: str, tolerance: float = 0.0) -> None:
    """Assert that predictions are equal, numbers but for a share of them."""
    one, two = np.asarray(one), np.asarray(two)
    if one.dtype.kind == "f" and tolerance:
        agree = np.isclose(one, two, rtol=tolerance, atol=np.abs(two).max(initial=0) * tolerance)
    else:
        agree = one == two
    assert agree.all(), f"{what}: {one[~agree][0]!r} against {two[~agree][0]!r}"


CHECKS: dict[str, tuple[int, Callable[[Fitted], None]]] = {  # each in one case of so many
    "statistics": (1, statistics),
    "routed": (1, routed),
    "probabilities": (1, probabilities),
    "save_and_load": (7, save_and_load),
    "deterministic": (19, deterministic),
    "explained": (11, explained),
    "shown": (7, shown),
    "html": (43, html),
    "pruned": (1, pruned),
    "page": (41, page),
    "dense": (1, dense),
    "pickled": (23, pickled),
    "shapley": (7, shapley),
    "warm": (3, warm),
}


def check(case: Case, seed: int = 0) -> str | None:
    """Say what does not hold of a case; nothing, if all does. `seed` tells which of the dear checks run."""
    _ = case.table  # what pandas says of it is none of ours
    with strict(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            model = case.fit()
        except Exception as problem:
            found = refusal(problem)
            return found and f"fit: {found}"
        fitted = Fitted(case, model)
        for name, (times, holds) in CHECKS.items():
            if seed % times:
                continue
            try:
                holds(fitted)
            except AssertionError as problem:
                return f"{name}: {problem or traceback.extract_tb(problem.__traceback__)[-1].line}"
            except Exception as problem:
                frame = traceback.extract_tb(problem.__traceback__)[-1]
                place = f"{os.path.relpath(frame.filename, SOURCE)}:{frame.lineno}"
                return f"{name}: {type(problem).__name__} at {place}: {problem}"
    return None


def is_refused(case: Case) -> bool:
    """Whether `fit` takes the case."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case.fit()
    except REFUSALS:
        return True
    return False
