"""Refuse words that users of scikit-learn or R would not search for, where other words are usual.

It reads what people read: documentation, docstrings, screens, messages, pages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = (
    "README.md",
    "docs/**/*.md",
    "examples/*.py",
    "src/treewright/**/*.py",
    "src/treewright/**/*.js",
    "src/treewright/**/*.html",
)

OUT = {
    r"what (it|a (tree|model|forest)) is worth": "estimated error, performance",
    r"[Ww]hat it looks at \(": "feature importance",
    r"right when it says so": "precision",
    r"false alarms?": "false positive rate",
    r"(kept|keep|keeps|keeping|set|sets|put) aside": "held out",
    r"draws? the rows anew": "resample",
    r"\bholes?\b(?!\(|,| =|\.\w)": "missing values",
    r"\bcrumbs?\b": "small shares",
    r"\b[Nn]urser(y|ies)\b": "regrow",
    r"\bstand-ins?\b": "surrogate",
    r"[Tt]he way through the tree": "the path through the tree",
    r"[Mm]oved the share of": "moved the probability of",
    r"\bclass(es')? shares?\b|\bshares? of (every|each|all) class(es)?\b": "class probability",
    r"\b[Mm]erit of (the split|each cut)\b|\bby merit\b|\bmerits? decides?\b": "gain",
    r"\b([Mm]ean|[Tt]raining|[Vv]alidation) risks?\b": "error, loss",
    r"\b[Rr]isk (as a leaf|per row|against size|on other rows)\b": "error, loss",
    r"(?<!\")\b[Aa]ccounts?\b": "trace, steps",
    r"\b[Nn]othing to offer\b": "no possible split",
    r"\b([Aa]n|[Tt]he|[Ee]very|[Ee]ach|[Tt]his) artefacts?\b": "export, exported code",
    r"\b[Ll]ineage\b": "topology",
    r"\b[Ll]ights? the way\b": "show the path",
    r"\bpredicted share\b|\bshare to be trusted\b": "probability",
}
"""Patterns of words that are out, with those to say instead."""


def found(text: str) -> Iterator[tuple[int, str, str]]:
    """Give the lines that have a word that is out, the word, and what to say instead."""
    for pattern, instead in OUT.items():
        for match in re.finditer(pattern, text):
            yield text.count("\n", 0, match.start()) + 1, match[0], instead


if __name__ == "__main__":
    complaints = [
        f"{path.relative_to(ROOT)}:{line}: {word!r}: say {instead}"
        for place in PLACES
        for path in sorted(ROOT.glob(place))
        for line, word, instead in found(path.read_text(encoding="utf-8"))
    ]
    print(*complaints, sep="\n", end="\n" * bool(complaints))
    sys.exit(bool(complaints))
