"""What holds of every model that `fit` gives, or refuses in one sentence."""

from __future__ import annotations

import json
import os
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

import treewright as tw
from fuzz.cases import OFTEN, Case
from helpers.prunings import leaves_of
from treewright.model_selection.validated_pruning import needs
from treewright.pruning import pruner_of
from treewright.tree import Tree

REFUSALS = (ValueError, TypeError)
SOURCE = os.path.dirname(tw.__file__)
FOLDER = Path(tempfile.gettempdir())


@contextmanager
def strict() -> Iterator[None]:
    """Take warnings of NumPy and of Python for errors; the package's own are for users."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", FutureWarning)
        yield


def refusal(problem: Exception) -> str | None:
    """Say what is wrong with an exception that `fit` raises; nothing, if it refuses in one sentence."""
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    text = str(problem)
    if not isinstance(problem, REFUSALS):
        return f"{type(problem).__name__} at {frame.filename}:{frame.lineno}: {text}"
    if not frame.filename.startswith(SOURCE):
        return f"not refused by treewright, but at {frame.filename}:{frame.lineno}: {text}"
    if "\n" in text or len(text) < 10 or len(text) > 2000:
        return f"no sentence: {text!r}"
    return None


class Fitted:
    """A fitted model, and what checks ask of it."""

    def __init__(self, case: Case, X: Any, model: Any) -> None:
        self.case, self.X, self.model = case, X, model

    @property
    def tree(self) -> Tree | None:
        """The tree, if there is one alone."""
        tree: Tree | None = getattr(self.model, "tree_", None)
        return tree

    @property
    def trees(self) -> Sequence[Tree]:
        if self.tree is not None:
            return [self.tree]
        return list(getattr(self.model, "trees_", ()))

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
    """The same call gives the same bytes."""
    assert saved(fitted.case.fit()) == saved(fitted.model), "a second fit gives other bytes"


def threads(fitted: Fitted) -> None:
    """The number of threads changes no byte."""
    if hasattr(fitted.model, "n_jobs"):
        one, two = (saved(fitted.case.fit(n_jobs=n).set_params(n_jobs=None)) for n in (1, 2))
        assert one == two, "n_jobs=1 and n_jobs=2 give other bytes"


def save_and_load(fitted: Fitted) -> None:
    """A file gives the model back, and that the same file."""
    content = saved(fitted.model)
    again = loaded(content)
    assert saved(again) == content, "save, load, save gives other bytes"
    same(again.predict(fitted.X), fitted.model.predict(fitted.X), "predictions of the loaded model")
    if fitted.tree is not None:
        assert again.tree_ == fitted.tree, "the loaded tree is another"


def statistics(fitted: Fitted) -> None:
    """All figures of nodes are finite, and those of branches add up to their node's."""
    for tree in fitted.trees:
        for name in ("weight", "impurity", "risk", "merit", "value"):
            assert np.isfinite(getattr(tree, name)).all(), f"{name} is not finite"
        for name in ("weight", "impurity", "risk"):
            assert (getattr(tree, name) >= 0).all(), f"{name} is negative"
        inner = np.flatnonzero(tree.n_children)
        if not len(inner):
            continue
        child = np.arange(1, len(tree))
        count = np.bincount(tree.parent[child], tree.count[child], len(tree))[inner]
        weight = np.bincount(tree.parent[child], tree.weight[child], len(tree))[inner]
        # rpart counts nowhere the rows that nothing answers for, and predicts them by a branch
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
        assert np.isfinite(model.predict(fitted.X)).all(), "a prediction is not finite"
        return
    shares = model.predict_proba(fitted.X)
    assert np.isfinite(shares).all(), "probabilities are not finite"
    assert ((shares >= 0) & (shares <= 1 + 1e-12)).all(), "probabilities are out of [0, 1]"
    assert np.allclose(shares.sum(axis=1), 1, rtol=1e-9), "probabilities do not sum to one"
    said = np.searchsorted(model.classes_, model.predict(fitted.X))
    if (
        fitted.parameter("costs") is None
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
    answers = model.predict(fitted.X)
    for row in (0, len(answers) // 2):
        explanation = model.explain(_row(fitted, row), time_limit=0.05)
        same(np.asarray([explanation.prediction]), answers[row : row + 1], f"explain of row {row}", 1e-9)
        str(explanation), explanation._repr_html_()
        json.dumps(explanation.to_dict(), allow_nan=False)
    gaps = tree is not None and fitted.policies() <= {"direction", "available", "value"}
    if tree is not None and gaps and not tree.shares_rows and fitted.case.learner in OFTEN:
        same(model.rules().predict(fitted.X), answers, "rules", 1e-9)


def _row(fitted: Fitted, row: int) -> Any:
    X = fitted.X
    if hasattr(X, "iloc"):
        return X.iloc[[row]]
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
    """Text, HTML and JSON can be written, and are well formed."""
    model = fitted.model
    texts = [model._repr_html_(), *(tree._repr_html_() for tree in fitted.trees[:2])]
    for html in texts:
        reader = _Reader()
        reader.feed(html)
        assert not reader.open, f"elements are not closed: {reader.open}"
    for tree in fitted.trees[:2]:
        assert str(tree), "no text"
        json.loads(json.dumps(tree.to_dict(), allow_nan=False))
        assert np.isfinite(tree.compute_feature_importances()).all(), "importances are not finite"
    if fitted.tree is not None:
        tw.export_text(model, missing=True)
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


def page(fitted: Fitted) -> None:
    """The page to explore a model with can be written."""
    if not hasattr(fitted.model, "to_html"):
        return
    path = FOLDER / f"treewright-fuzz-{os.getpid()}.html"
    try:
        fitted.model.to_html(path, fitted.X, list(fitted.case.y), cv=None)
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
    "save_and_load": (1, save_and_load),
    "deterministic": (3, deterministic),
    "threads": (3, threads),
    "explained": (2, explained),
    "shown": (2, shown),
    "pruned": (1, pruned),
    "page": (20, page),
}


def check(case: Case, seed: int = 0) -> str | None:
    """Say what does not hold of a case; nothing, if all does. `seed` tells which of the dear checks run."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        X = case.table()
    with strict():
        try:
            model = case.fit()
        except Exception as problem:
            found = refusal(problem)
            return found and f"fit: {found}"
        fitted = Fitted(case, X, model)
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
