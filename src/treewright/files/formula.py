"""Formulas as in R: `y ~ . - id` names the target and the features."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from treewright.errors import DataError
from treewright.files.table import unknown_column

_TOKEN = re.compile(r"\s*(?:`([^`]*)`|'([^']*)'|\"([^\"]*)\"|([~+\-])|([^~+\-`'\"\s][^~+\-`'\"]*))")


class Formula(NamedTuple):
    """What a formula says: the target, the columns to learn from, or all but some."""

    target: str
    features: tuple[str, ...] | None  # None: all
    left_out: tuple[str, ...]

    def select(self, names: Sequence[str], where: str) -> list[str]:
        """List the features among the columns of a table.

        Examples
        --------
        >>> parse_formula("y ~ . - id").select(["id", "a", "y"], "'a.csv'")
        ['a']
        """
        for name in (self.target, *(self.features or ()), *self.left_out):
            if name not in names:
                raise unknown_column(name, names, where)
        chosen = names if self.features is None else self.features
        return [name for name in chosen if name != self.target and name not in self.left_out]


def parse_formula(text: str) -> Formula:
    """Read a formula of R's form: a target, `~`, columns joined by `+`, those left out after `-`.

    A dot stands for all columns. Names with blanks may stand as they are, those with `~`, `+` or `-` in
    backticks or quotes.

    Examples
    --------
    >>> parse_formula("grade ~ age + `hours-per-week`")
    Formula(target='grade', features=('age', 'hours-per-week'), left_out=())
    >>> parse_formula("y ~ . - id - name")
    Formula(target='y', features=None, left_out=('id', 'name'))
    """
    tokens = _tokens(text)
    if len(tokens) < 3 or tokens[0][0] or tokens[1] != (True, "~"):
        raise DataError(f"the formula {text!r} has no form 'target ~ a + b' or 'target ~ . - a'.")
    added: list[str] = []
    left_out: list[str] = []
    sign = "+"
    for position, (is_sign, word) in enumerate(tokens[2:]):
        if is_sign != bool(position % 2) or word == "~":
            raise DataError(f"the formula {text!r} has {word!r} where a {_expected(position)} belongs.")
        if is_sign:
            sign = word
        else:
            (added if sign == "+" else left_out).append(word)
    if tokens[-1][0]:
        raise DataError(f"the formula {text!r} ends with {tokens[-1][1]!r} where a column belongs.")
    everything = "." in added
    return Formula(tokens[0][1], None if everything else tuple(dict.fromkeys(added)), tuple(left_out))


def _expected(position: int) -> str:
    return "sign (+ or -)" if position % 2 else "column"


def _tokens(text: str) -> list[tuple[bool, str]]:
    """Give the words of a formula, each with whether it is a sign."""
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise DataError(f"the formula {text!r} cannot be read from {text[at:]!r} on: close the quotes.")
        at = match.end()
        if match[4]:
            tokens.append((True, match[4]))
        else:
            quoted = next((match[group] for group in (1, 2, 3) if match[group] is not None), None)
            tokens.append((False, match[5].strip() if quoted is None else quoted))
    return tokens
