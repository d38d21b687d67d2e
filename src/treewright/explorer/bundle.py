"""Bundle: the JavaScript modules of the page joined to one script, as a file on a disk may import none."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from posixpath import dirname, join, normpath

_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)  # for who reads the source, not for every page
_INDENT = re.compile(r"^ +", re.MULTILINE)  # as well; no text of a module runs over several lines
_IMPORT = re.compile(r'^import \{([\w\s,]*)\} from "(\.{1,2}/[\w/.]*)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:class|const|function) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import|export)\b.*|.*\bimport\s*[(.].*", re.MULTILINE)


@cache
def asset(name: str) -> str:
    """Read a file of the page."""
    return files("treewright.explorer").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def script_text(entry: str = "main") -> str:
    """Give the script of a page by the module it begins with."""
    return bundle(entry, asset)


def bundle(entry: str, read: Callable[[str], str]) -> str:
    r"""Join a module and all that it imports: each becomes a function that gives what it exports.

    Parameters
    ----------
    entry : str
        The module to begin with, without `.js`.
    read : callable
        Gives the source of a file by its path.

    Raises
    ------
    ValueError
        If a module has a text over several lines, or imports or exports in another way than
        `import { a, b } from "./other.js";` and `export` before a class, a constant or a function, or imports
        a name that the other does not export.

    Examples
    --------
    >>> main = 'import { two } from "./number.js";\nalert(two);'
    >>> print(bundle("main", {"main.js": main, "number.js": "export const two = 2;"}.__getitem__))
    const module_number = (() => {
    const two = 2;
    return { two };
    })();
    const module_main = (() => {
    const { two } = module_number;
    alert(two);
    return {  };
    })();
    """
    modules: dict[str, _Module] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in modules:
            modules[name] = _Module(name, read(f"{name}.js"))
            waiting += modules[name].imports
    for module in modules.values():
        for other, names in module.imports.items():
            if absent := names - modules[other].exports:
                raise ValueError(
                    f"{module.name}.js imports {min(absent)!r}, which {other}.js does not export."
                )
    order = TopologicalSorter({name: module.imports for name, module in modules.items()}).static_order()
    return "".join(modules[name].as_function() for name in order)


class _Module:
    """The source of one module, what it imports from others, and what it exports."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        if any(line.count("`") % 2 for line in source.splitlines()):
            raise ValueError(f"{name}.js: the bundle does not understand a text over several lines.")
        source = _INDENT.sub("", _COMMENT.sub("", source))
        self.imports: dict[str, set[str]] = {}
        for names, path in _IMPORT.findall(source):
            listed = {word.strip() for word in names.split(",")} - {""}
            self.imports.setdefault(self._other(path), set()).update(listed)
        self.exports = dict.fromkeys(_EXPORT.findall(source)).keys()
        self.body = _EXPORT.sub("", _IMPORT.sub(self._taken, source))
        if other := _OTHER.search(self.body):
            raise ValueError(f"{name}.js: the bundle does not understand {other[0].strip()!r}.")

    def _other(self, path: str) -> str:
        return normpath(join(dirname(self.name), path))

    def _taken(self, statement: re.Match[str]) -> str:
        return f"const {{{statement[1]}}} = {_variable(self._other(statement[2]))};"

    def as_function(self) -> str:
        exported = ", ".join(self.exports)
        return f"const {_variable(self.name)} = (() => {{\n{self.body}\nreturn {{ {exported} }};\n}})();\n"


def _variable(module: str) -> str:
    return "module_" + module.replace("/", "_")
