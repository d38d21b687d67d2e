"""Run the examples of a page of scikit-learn's guide; print where each stands, and what is wrong with it.

python tools/run_guide.py PAGE [--swap]

With `--swap` our classes stand in the place of scikit-learn's.
"""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
DIFFER = "other figures"
"""What is said of an answer that has other numbers and the same words."""


class Printing(doctest.DocTestRunner):
    """Prints a line for each example: its number, a tab, and nothing if it is right."""

    def report_success(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """It is right."""
        print(f"line {example.lineno + 1}\t", file=sys.__stdout__)

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """It printed something else."""
        words = [re.sub(r"[-+]?\d+(\.\d*)?(e[-+]?\d+)?", "#", text).split() for text in (example.want, got)]
        line = f"got {got.strip()[:80]!r} for {example.want.strip()[:80]!r}"
        print(f"line {example.lineno + 1}\t{DIFFER if words[0] == words[1] else line}", file=sys.__stdout__)

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: tuple[object, ...]
    ) -> None:
        """It failed."""
        print(f"line {example.lineno + 1}\t{exc_info[1]!r}"[:200].replace("\n", " "), file=sys.__stdout__)


def main() -> None:
    """Run one page."""
    page = Path(sys.argv[1])
    if "--swap" in sys.argv:
        from helpers.sklearn_swap import swap

        swap()
    test = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    Printing(verbose=False, optionflags=FLAGS).run(test, out=lambda _: None)


if __name__ == "__main__":
    main()
