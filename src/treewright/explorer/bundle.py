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
_TEXT = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)""")
_ROOM = re.compile(r" *([{}()\[\],;:=?<>&|]) *")
_ROOM_OF_SUMS = re.compile(r" ([-+*/%]) (?![-+])")
_JOINED = re.compile(r"(?<=[,;{}(\[])\n|\n(?=[)\]}.,?:&|])")  # where no statement needs its line to end
_IMPORT = re.compile(r'^import \{([\w\s,]*)\} from "(\.{1,2}/[\w/.]*)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:class|const|function\*?) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*|\bimport\s*[(.].*", re.MULTILINE)


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
    const module_number=(()=>{const two=2;
    return{two};})();
    const module_main=(()=>{const{two}=module_number;alert(two);
    return{};})();
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


def squeezed(source: str) -> str:
    r"""Leave out comments and the blanks that nothing needs, line by line.

    A line with a pattern or a template inside another stays as it is: what is a text of it is not told here.

    Examples
    --------
    >>> source = "// why\n  const a = [1, 2]; // two\n\n  call({\n    a,\n    b: \"x, y\" + a / 2,\n  });"
    >>> print(squeezed(source))
    const a=[1,2];call({a,b:"x, y"+a/2,});
    """
    lines = _INDENT.sub("", _COMMENT.sub("", source)).splitlines()
    return _JOINED.sub("", "\n".join(_squeezed_line(line) for line in lines if line))


def _squeezed_line(line: str) -> str:
    parts = _TEXT.split(line)  # code and texts in turn
    for place, code in enumerate(parts):
        if place % 2 == 0 and " // " in code:
            parts = [*parts[:place], code.partition(" // ")[0].rstrip()]
            break
    if line.count("`") <= 2 and not any("/" in code.replace(" / ", "") for code in parts[::2]):
        parts[::2] = [_ROOM.sub(r"\1", _ROOM_OF_SUMS.sub(r"\1", code)) for code in parts[::2]]
    return "".join(parts)


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
        exported = ",".join(self.exports)
        body = squeezed(self.body)
        return f"const {_variable(self.name)}=(()=>{{{body}\nreturn{{{exported}}};}})();\n"


def _variable(module: str) -> str:
    return "module_" + module.replace("/", "_")
