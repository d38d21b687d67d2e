"""Write what follows from the declaration of parameters in src/treewright/growing/parameters.py.

That is: the fields of estimators and recipes, the sections on parameters of their docstrings, the table of
docs/parameters.md, and the choices that the core is given as they are, in core/base/recipe.hpp. With
`--check` nothing is written, and files that are not as they should be are named.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from textwrap import fill
from typing import Any

from treewright.growing.parameters import PARAMETERS, REQUIRED, Parameter, parameters_of

WIDTH = 110
OWNERS = frozenset().union(*(entry.owners for entry in PARAMETERS))
BEGIN = "    # parameters: written by tools/generate_parameters.py\n"
END = "    # end of parameters\n"
FIELDS = re.compile(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", re.DOTALL)
SECTION = re.compile(
    r"(?<=    Parameters\n    ----------\n).*?(?=\n    (?:Attributes|Examples)\n    ---|    \"\"\")",
    re.DOTALL,
)
FULL = "DecisionTreeClassifier"
"""The class whose docstring describes the parameters that others have too."""

MOST_ABSENT = 4
"""Up to so many parameters that a class does not have are named; else those that it has."""

CLASS = re.compile(r"^class (\w+)(?:\((.*?)\))?:$", re.MULTILINE)
CHOICES = re.compile(r"#define TREEWRIGHT_CHOICES\(CHOICE\).*?\n(?=\n)", re.DOTALL)
FIRST_CHOICE = "/* parameters: written by tools/generate_parameters.py */"


def written(value: Any) -> str:
    """Write a default as Python does, a third as 1 / 3."""
    if value is REQUIRED:
        return "required"
    if isinstance(value, float) and len(repr(value)) > 10:
        near = Fraction(value).limit_denominator(100)
        if near.numerator / near.denominator == value:
            return f"{near.numerator} / {near.denominator}"
    if isinstance(value, tuple):
        return f"({', '.join(map(written, value))}{',' * (len(value) == 1)})"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def field_line(entry: Parameter) -> str:
    """Write a parameter as the field of a class."""
    start = f"    {entry.name}: {entry.domain.type}"
    if entry.default is REQUIRED:
        return f"{start}\n"
    default = written(entry.default) if abs_finite(entry.default) else "-inf"
    return f"{start} = {f'field(default={default}, kw_only=False)' if entry.positional else default}\n"


def abs_finite(value: Any) -> bool:
    """Tell whether Python can read a value as it is printed."""
    return not (isinstance(value, float) and value in (float("inf"), -float("inf")))


def classes(source: str) -> Iterator[tuple[str, list[str], slice]]:
    """Give the classes of a module that have parameters, what each is made from, and where it stands."""
    for match in CLASS.finditer(source):
        rest = re.compile(r"^\S", re.MULTILINE).search(source, match.end())
        where = slice(match.start(), rest.start() if rest else len(source))
        if match[1] in OWNERS or BEGIN in source[where]:
            yield match[1], (match[2] or "").split(", "), where


def fields(name: str, bases: dict[str, list[str]]) -> dict[str, str]:
    """Write the fields of a class: those of an estimator, or those that all made from a class share."""
    if name in OWNERS:
        return {key: field_line(entry) for key, entry in parameters_of(name).items()}
    made = [fields(other, bases) for other, above in bases.items() if name in above]
    shared = set.intersection(*(set(lines.items()) for lines in made)) if made else set()
    return {key: line for key, line in (made[0].items() if made else ()) if (key, line) in shared}


def described(name: str, like: str) -> str:
    """Write the section on parameters: all of them, or those that another class does not have so."""
    known = parameters_of(like) if like else {}
    own, defaults = [], []
    for entry in parameters_of(name).values():
        other = known.get(entry.name)
        if other is None or (other.text, other.domain.described) != (entry.text, entry.domain.described):
            own.append(entry)
        elif written(other.default) != written(entry.default):
            defaults.append(f"`{entry.name}={written(entry.default)}`")
    lines = [f"    {entry.name} : {entry.domain.described}\n{paragraph(entry.text)}" for entry in own]
    if like:
        others = [f"`{other}`" for other in parameters_of(name) if other not in {entry.name for entry in own}]
        absent = [f"`{other}`" for other in known if other not in parameters_of(name)]
        every = "All others are" if own else "They are"
        start = f"{listed(others)} are" if len(absent) > MOST_ABSENT else every
        but = f", without {listed(absent)}" if 0 < len(absent) <= MOST_ABSENT else ""
        but += f", with the default{'s' * (len(defaults) > 1)} {listed(defaults)}" if defaults else ""
        lines.append(f"    **parameters\n{paragraph(f'{start} those of `{like}`{but}.')}")
    return "".join(lines)


def paragraph(text: str) -> str:
    """Write a text below the name of a parameter."""
    indent = " " * 8
    text = fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return f"{text}\n"


def listed(words: list[str]) -> str:
    """Join words as a sentence does."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def replaced(pattern: re.Pattern[str], text: str, new: str) -> str:
    """Put new text in the place of the first match, if there is one."""
    return pattern.sub(lambda _: new, text, count=1)


def module(path: Path, bases: dict[str, list[str]]) -> str:
    """Write the fields and docstrings of the classes of a module."""
    source = path.read_text("utf-8")
    for name, above, where in reversed(list(classes(source))):
        text = source[where]
        if BEGIN not in text or END not in text:
            raise SystemExit(f"{path}: {name} has no lines {BEGIN.strip()!r} and {END.strip()!r}")
        inherited = {
            key: line for base in above if base in bases for key, line in fields(base, bases).items()
        }
        own = "".join(line for key, line in fields(name, bases).items() if inherited.get(key) != line)
        parent = next((base for base in above if base in OWNERS), "")
        classifier = name.replace("Regressor", "Classifier")
        like = parent or (classifier if classifier in OWNERS - {name} else FULL * (name != FULL))
        text = replaced(FIELDS, text, own)
        if name in OWNERS:
            text = replaced(SECTION, text, described(name, like))
        source = source[: where.start] + text + source[where.stop :]
    return source


# ---- the page ----------------------------------------------------------------------------------------------

GROUPS = {
    "learner": ("TreeClassifier", "TreeRegressor"),
    "trees": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "ID3": ("ID3Classifier",),
    "C4.5": ("C45Classifier",),
    "CART": ("CARTClassifier", "CARTRegressor"),
    "optimal trees": ("OptimalTreeClassifier", "OptimalTreeRegressor"),
    "forests": (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    ),
    "rules": ("RuleClassifier",),
}
"""What the page calls estimators: those of the same defaults and tasks stand together."""

PAGE = """# Parameters

Every parameter of every estimator, in the order of their signatures; those that scikit-learn has are called
and work as they do there. The page is written by `tools/generate_parameters.py` from the declaration in
`src/treewright/growing/parameters.py`; see [adding your own](extending.md#a-parameter).

On the command line `--name value` sets any of them: `treewright fit iris.csv --ccp-alpha 0.01`.

*Learner* are `TreeClassifier` and `TreeRegressor`, *trees* `DecisionTreeClassifier` and
`DecisionTreeRegressor`, *optimal trees* `OptimalTree…`, *forests* `RandomForest…` and `ExtraTrees…`, *rules*
`RuleClassifier`; what is for classes only is in the classifiers alone.

| parameter | default | of | what it does |
|---|---|---|---|
"""


def page() -> str:
    """Write the page of all parameters."""
    rows = []
    for entry in PARAMETERS:
        groups = {
            group: sorted(set(members) & entry.owners, key=members.index)
            for group, members in GROUPS.items()
            if set(members) & entry.owners
        }
        if not groups:
            continue
        named = [group_name(group, members) for group, members in groups.items()]
        text = entry.text.replace("|", "\\|")
        rows.append(f"| `{entry.name}` | {defaults(entry, groups)} | {', '.join(named)} | {text} |\n")
    return PAGE + "".join(rows)


def group_name(group: str, members: list[str]) -> str:
    """Name a group of estimators, or the part of it that predicts classes or numbers."""
    tasks = {name.endswith("Classifier") for name in members}
    both = len({name.endswith("Classifier") for name in GROUPS[group]}) == 2
    return f"{group} for {'classes' if tasks == {True} else 'numbers'}" if both and len(tasks) == 1 else group


def defaults(entry: Parameter, groups: dict[str, list[str]]) -> str:
    """Write the default, and those of estimators that have another."""
    found: dict[str, list[str]] = {}
    for members in groups.values():
        for name in members:
            found.setdefault(written(entry.defaults.get(name, entry.default)), []).append(name)
    usual = max(found, key=lambda value: (value == written(entry.default), len(found[value])))
    others = [f"`{value}` ({', '.join(names)})" for value, names in found.items() if value != usual]
    return ", ".join([f"`{usual}`", *others])


# ---- the core ----------------------------------------------------------------------------------------------


def core(path: Path) -> str:
    """Write the choices that the core is given as they are into the list of all its choices."""
    text = path.read_text("utf-8")
    match = CHOICES.search(text)
    if match is None or FIRST_CHOICE not in match[0]:
        raise SystemExit(f"{path}: the list of choices has no line {FIRST_CHOICE!r}")
    lines = [line.rstrip("\\\n ") for line in match[0].rstrip().splitlines()]
    kept = lines[: lines.index(f"    {FIRST_CHOICE}") + 1]
    lines = kept + [
        "    CHOICE({}, {}, {})".format(
            entry.core.partition(" = ")[0], entry.name, entry.core.partition(" = ")[2]
        )
        for entry in parameters_of("Recipe").values()
        if entry.core
    ]
    column = max(map(len, lines[:-1])) + 1
    macro = "\n".join([*(f"{line:<{column}}\\" for line in lines[:-1]), lines[-1]])
    return text[: match.start()] + macro + "\n" + text[match.end() :]


def files(root: Path) -> Iterator[tuple[Path, str]]:
    """Give every file that is written, with what should be in it."""
    package = root / "src" / "treewright"
    paths = sorted([*package.glob("estimators/**/*.py"), *package.glob("growing/recipe.py")])
    found = {path: list(classes(path.read_text("utf-8"))) for path in paths}
    bases = {name: above for made in found.values() for name, above, _ in made}
    yield from ((path, module(path, bases)) for path, made in found.items() if made)
    yield root / "docs" / "parameters.md", page()
    if (root / "core" / "base" / "recipe.hpp").exists():
        yield root / "core" / "base" / "recipe.hpp", core(root / "core" / "base" / "recipe.hpp")


def refuse_doubles() -> None:
    """Refuse two entries of one name for the same class, and parameters that no class of the source has."""
    for owner in OWNERS:
        names = [entry.name for entry in PARAMETERS if owner in entry.owners]
        doubles = {name for name in names if names.count(name) > 1}
        if doubles:
            raise SystemExit(f"{owner} has two entries for {sorted(doubles)} in growing/parameters.py")


def main(arguments: Iterable[str] | None = None) -> int:
    """Write or check the files; 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, name the files that differ")
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    options = parser.parse_args(None if arguments is None else list(arguments))
    refuse_doubles()
    stale = [
        (path, text)
        for path, text in files(options.root)
        if not path.exists() or path.read_text("utf-8") != text
    ]
    for path, text in stale:
        if options.check:
            print(f"{path.relative_to(options.root)} is not what growing/parameters.py says: run make format")
        else:
            path.write_text(text, "utf-8")
    return int(bool(stale) and options.check)


if __name__ == "__main__":
    sys.exit(main())
