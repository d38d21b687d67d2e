"""Models as graphs of Graphviz and flowcharts of Mermaid."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from helpers.exporting import MAKERS, model
from treewright.export.program_of_model import program_of

HOSTILE = 'a"]; b [label="x\n-->|"y"| %%{init}%% <br> #quot; \\'


@pytest.mark.parametrize("name", MAKERS)
def test_every_node_is_drawn_once(name: str) -> None:
    program = program_of(model(name))
    drawn = sum(
        2 * len(body.rules) + 1 if program.is_rules else len(body.nodes)  # type: ignore[union-attr]
        for body in program.bodies
    )
    dot, mermaid = model(name).export("dot"), model(name).export("mermaid")
    assert len(re.findall(r"^  \w+ \[label=", dot, re.MULTILINE)) == drawn
    assert len(re.findall(r'^  \w+(\[|\(\[)"', mermaid, re.MULTILINE)) == drawn
    n_arrows = len(re.findall(r"^  \w+ -> \w+ \[", dot, re.MULTILINE))
    assert len(re.findall(r"^  \w+ -->\|", mermaid, re.MULTILINE)) == n_arrows


def test_a_diagram_may_end_at_a_depth() -> None:
    deep, flat = model("iris").export("mermaid"), model("iris").export("mermaid", max_depth=1)
    assert flat.count("-->") == 2 < deep.count("-->")


def test_names_are_no_syntax() -> None:
    import numpy as np
    import pandas as pd

    import treewright as tw

    X = pd.DataFrame({HOSTILE: [1.0, 2.0, 3.0, 4.0]})
    fitted = tw.DecisionTreeClassifier().fit(X, np.array([HOSTILE, HOSTILE, "b", "b"]))
    mermaid = fitted.export("mermaid")
    assert len(mermaid.splitlines()) == len(model_lines(mermaid))
    dot = fitted.export("dot")
    assert dot.count(" -> ") == 2
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg"], input=dot, text=True, check=True, capture_output=True)


def model_lines(mermaid: str) -> list[str]:
    """Lines that are a comment, a box or an arrow, and nothing besides."""
    text = r"[\w .,:=≤≥−–\-²·…()+#;]*"
    known = [r"flowchart TD", r"  %% [^{}%]*", rf'  \w+(\["|\(\["){text}(<br>{text})*("\]|"\]\))']
    known.append(rf'  \w+ -->\|"{text}"\| \w+')
    return [line for line in mermaid.splitlines() if any(re.fullmatch(one, line) for one in known)]
