"""Model files with a field changed and the checksum made anew: refused by `load`, or a model that works.

Seeds are models of random cases. A change sets a number of an array, a value of the header, or cuts, repeats
or leaves out an array; loading may raise nothing but `ModelFileError`, and what loads must predict, print and
save.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

import treewright as tw
from fuzz.cases import Case, random_case
from fuzz.invariants import REFUSALS, loaded, one_row, saved
from treewright.errors import ExportError, ModelFileError
from treewright.persistence.container import dumps, loads

WHOLE = [-1, 0, 1, 2, 3, -2, 255, 2**16, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63)]
REAL = [np.nan, np.inf, -np.inf, -0.0, 5e-324, -5e-324, 1e308, -1e308, -1.0, 0.5, 1.0, 2.0, 1e9, 2.0**53]
TEXT = ["", "gini", "x0", "\ud800", "a" * 9999, "</script>", "../../etc/passwd", "builtins.eval", "nan", "1"]
PLAIN = [None, True, [], {}, [[]], [None], {"x": 1}, 10**400, -1, 0, 1, 2.5, 1e308, *TEXT]
FILES_OF_A_MODEL = 50


@dataclass(frozen=True)
class CraftedFile:
    """A model file and what is changed in it: paths into its header or places in arrays, and new values."""

    model: int
    changes: tuple[tuple[str, tuple[Any, ...], Any], ...] = field(default=())

    def content(self) -> bytes:
        """The bytes, with the checksum of what they hold."""
        header, arrays = loads(model_bytes(self.model))
        header = json.loads(json.dumps({key: header[key] for key in header if key != "treewright"}))
        for where, path, value in self.changes:
            if where == "header":
                at: Any = header
                for step in path[:-1]:
                    at = at[step]
                if value is ...:
                    del at[path[-1]]
                else:
                    at[path[-1]] = value
            elif where == "drop":
                arrays.pop(path[0], None)
            else:
                arrays[path[0]] = _changed(arrays[path[0]], where, path[1], value)
        return dumps(header, arrays)

    def simpler(self) -> Iterator[CraftedFile]:
        """The file with a change less."""
        for at in range(len(self.changes)):
            if len(self.changes) > 1:
                yield replace(self, changes=self.changes[:at] + self.changes[at + 1 :])

    def code(self) -> str:
        """A program that writes and loads the file."""
        return (
            f"from fuzz.model_files import CraftedFile, use  # with tests/ on the path\n"
            f"# the model:\n# {model_case(self.model).code().replace(chr(10), chr(10) + '# ')}\nuse({self!r})"
        )


@np.errstate(all="ignore")
def _changed(array: Any, where: str, at: int, value: Any) -> Any:
    array = array.copy()
    if where == "entry":
        array.flat[at % array.size] = np.array(value).astype(array.dtype)
    elif where == "cut":
        array = array[: at % (len(array) + 1)]
    elif where == "repeat":
        array = np.concatenate([array, array[:1]])
    else:
        array = array.astype(value)
    return array


@lru_cache(8)
def model_case(number: int) -> Case:
    """The case of a model to change: the first that is fitted, from a seed on."""
    seed = 10_000 * number
    while True:
        case = random_case(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                case.fit()
                return case
            except REFUSALS:
                seed += 1


@lru_cache(8)
def model_bytes(number: int) -> bytes:
    """A model to change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return saved(model_case(number).fit())


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in nested values."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from _paths(value[key], (*path, key))
    elif isinstance(value, list):
        for at in range(len(value)):
            yield from _paths(value[at], (*path, at))


def random_file(seed: int) -> CraftedFile:
    """A model file with one to three changes."""
    random = np.random.default_rng(seed)
    model = seed // FILES_OF_A_MODEL
    header, arrays = loads(model_bytes(model))
    changes = []
    for _ in range(int(random.choice([1, 1, 1, 2, 3]))):
        kind = str(random.choice(["entry"] * 8 + ["header"] * 4 + ["cut", "repeat", "type", "drop"]))
        if kind == "header":
            paths = list(_paths({key: header[key] for key in header if key != "treewright"}))
            path = paths[int(random.integers(len(paths)))]
            value: Any = ... if random.random() < 0.1 else PLAIN[int(random.integers(len(PLAIN)))]
            changes.append((kind, path, value))
            continue
        names = [name for name, array in arrays.items() if array.size]
        name = names[int(random.integers(len(names)))]
        array = arrays[name]
        at, value = int(random.integers(array.size)), None
        if kind == "entry":
            whole = [*WHOLE, len(array), at, int(array.flat[at]) + 1 if array.dtype.kind != "f" else 0]
            pool: list[Any] = REAL if array.dtype.kind == "f" else whole
            value = pool[int(random.integers(len(pool)))]
            if array.dtype.kind != "f":
                limits = np.iinfo(array.dtype)
                value = int(np.clip(value, limits.min, limits.max))
        elif kind == "type":
            value = str(random.choice(["<f8", "<i4", "<i8", "|u1", "<f4"]))
        changes.append((kind, (name, at), value))
    return CraftedFile(model, tuple(changes))


def use(file: CraftedFile) -> bool:
    """Load a file and do with the model what can be done; True if it loads."""
    try:
        content = file.content()
    except (
        KeyError,
        IndexError,
        TypeError,
        ZeroDivisionError,
        ModelFileError,
    ):  # an earlier change took the place of a later
        return False
    try:
        model = loaded(content)
    except ModelFileError:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        repr(model), model._repr_html_(), model.get_params()
        trees = [model.tree_] if hasattr(model, "tree_") else list(getattr(model, "trees_", ()))[:3]
        for tree in trees:
            str(tree), tree._repr_html_(), tree.to_dict(), tree.compute_feature_importances()
        if hasattr(model, "ruleset_"):
            str(model.ruleset_), model.ruleset_.to_html()
        rows = model_case(file.model).table
        try:
            answers = model.predict(rows)
        except tw.errors.DataError:
            return True  # its columns are others now
        assert len(answers) == len(model_case(file.model).y)
        saved(model)
        if hasattr(model, "explain"):
            str(model.explain(one_row(rows, 0), time_limit=0.01))
        if hasattr(model, "tree_") and not model.tree_.schema.outputs and model.tree_.equations is None:
            str(model.rules())
        with suppress(ExportError):
            model.export("python")
    return True


def check(file: CraftedFile) -> str | None:
    """Say what a changed file breaks."""
    try:
        use(file)
    except Exception as problem:
        if "holds no code: set it again" in str(problem):
            return None  # a predicate that is now a function, which files only name
        return f"{type(problem).__name__}: {str(problem)[:300]}"
    return None
