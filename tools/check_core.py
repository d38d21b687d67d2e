"""Refuse midpoints written by hand in the core.

`(a + b) / 2` may overflow, and of neighbouring numbers it may be the one that a cut should keep apart from
the other; `midpoint` and `midpoint_above` of core/base/midpoint.hpp do neither.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

CORE = Path(__file__).parent.parent / "core"
HOME = CORE / "base" / "midpoint.hpp"


HALF = r"(?:\.5|0\.50*|5e-1)(?![\w.])"
AFTER = re.compile(rf"\)\s*(?:/\s*2(?:\.0*)?(?![\w.])|\*\s*{HALF})|std::midpoint")
BEFORE = re.compile(rf"(?<![\w.]){HALF}\s*\*\s*\(")


def midpoints(source: str) -> Iterator[int]:
    """Give the lines where two terms are added and halved, or the midpoint of the library is called."""
    code = re.sub(r"//.*", "", source)
    at = {
        match.start()
        for match in AFTER.finditer(code)
        if match[0] == "std::midpoint" or _is_sum_of_two(code[: match.start() + 1])
    }
    mirrored = str.maketrans("()[]", ")(][")
    at |= {
        match.start()
        for match in BEFORE.finditer(code)
        if _is_sum_of_two(code[match.end() - 1 :].translate(mirrored)[::-1])
    }
    return (code.count("\n", 0, start) + 1 for start in sorted(at))


def _is_sum_of_two(code: str) -> bool:
    """Tell whether the code ends with `(a + b)`, and not with the arguments of a function."""
    depth = plus = 0
    for at in reversed(range(len(code))):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(code[at], 0)
        if depth == 0:
            return plus == 1 and not re.search(r"[\w>]$", code[:at])
        plus += depth == 1 and code[at] == "+"
    return False


if __name__ == "__main__":
    found = [
        f"{path.relative_to(CORE.parent)}:{line}: half of a + b may overflow or stand on the wrong side: "
        f"use core/base/midpoint.hpp"
        for path in sorted(CORE.rglob("*.?pp"))
        if path != HOME
        for line in midpoints(path.read_text("utf-8"))
    ]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
