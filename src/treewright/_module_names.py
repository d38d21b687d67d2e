"""Names of modules: what a package loads when asked for it, what classes say, where old pickles look."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TypeVar

AnyClass = TypeVar("AnyClass", bound=type)

MOVED = {
    "accounts": "trace.records",
    "conditions": "tree.conditions",
    "forest.draws": "forest.bootstrap",
    "forest.estimators": "estimators.forest",
    "forest.files": "persistence.forests",
    "functions": "data.functions",
    "model_file": "persistence.trees",
    "presets": "estimators.presets",
    "presets.c45": "estimators.presets.c45",
    "presets.c45_recipe": "estimators.presets.c45_recipe",
    "presets.cart": "estimators.presets.cart",
    "presets.cart_figures": "estimators.presets.cart_statistics",
    "presets.cart_recipe": "estimators.presets.cart_recipe",
    "presets.cp_table": "estimators.presets.cp_table",
    "presets.id3": "estimators.presets.id3",
    "recipe": "growing.recipe",
    "rule_classifier": "estimators.rules",
    "splits": "tree.splits",
}
"""Where that is now which pickles of version 0.1 look for in these modules."""


def public(cls: AnyClass) -> AnyClass:
    """Let a class say that it is of `treewright`, where users import it from: in pickles, docs and messages.

    Doctest looks for examples in classes that say they are of its module: `__test__` lists the others.

    Examples
    --------
    >>> from treewright import DecisionTreeClassifier
    >>> DecisionTreeClassifier
    <class 'treewright.DecisionTreeClassifier'>
    """
    vars(sys.modules[cls.__module__]).setdefault("__test__", {})[cls.__name__] = cls
    cls.__module__ = "treewright"
    return cls


def loaded_when_asked_for(package: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """Give a package the `__getattr__` that loads its names, each from its module, when they are asked for.

    A name without a module is itself a module of the package.
    """

    def load(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not names[name]:
            return import_module(f"{package}.{name}")
        found = vars(sys.modules[package])[name] = getattr(import_module(names[name]), name)
        return found

    return load


class OldModules(MetaPathFinder, Loader):
    """Finds the modules of version 0.1 that pickles name, and no others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Say who loads an old module."""
        package, _, name = fullname.partition(".")
        return (
            ModuleSpec(fullname, self, is_package=True) if package == "treewright" and name in MOVED else None
        )

    def exec_module(self, module: ModuleType) -> None:
        """Let a module have what the one in its place has."""
        new = import_module("treewright." + MOVED[module.__name__.removeprefix("treewright.")])
        vars(module)["__getattr__"] = partial(getattr, new)


def find_old_modules() -> None:
    """Have old modules found, after all who find others."""
    if not any(isinstance(finder, OldModules) for finder in sys.meta_path):
        sys.meta_path.append(OldModules())
