"""Models as graphs of Graphviz and flowcharts of Mermaid."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from helpers.exporting import MAKERS, model
from treewright.errors import ExportError
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


def test_a_strict_cut_reads_as_one() -> None:
    """A cut at 0 that rpart reads as x < 0 is stored as at most the number before 0."""
    import treewright as tw

    X, y = [[-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, -1.0]] * 10, [0, 0, 1, 1] * 10
    options = {"compat": "rpart", "min_samples_split": 2, "min_samples_leaf": 1}
    tree = tw.CARTClassifier(**options).fit(X, y)
    for reader in (tree, tw.RuleClassifier(tree=tree).fit(X, y)):
        for target in ("dot", "mermaid", "markdown", "latex"):
            text = reader.export(target)
            assert "e-324" not in text, (target, text)
        for target, mark in (("python", "#"), ("c", "//"), ("javascript", "//")):
            comments = [line.split(mark)[1] for line in reader.export(target).splitlines() if mark in line]
            assert not any("e-324" in comment for comment in comments), target
    assert "x0 < 0" in tree.export("dot")
    assert "x0 ≥ 0" in tree.export("dot")


def test_a_tree_too_deep_to_be_indented_is_refused() -> None:
    """Lines indented by their depth take its square: 3 GB for 40,000 levels."""
    import treewright as tw

    model = tw.DecisionTreeClassifier().fit([[float(row)] for row in range(2100)], [0, 1] * 1050)
    assert model.get_depth() > 2000
    for target in ("markdown", "latex"):
        with pytest.raises(ExportError, match=r"levels is too deep for .*: use max_depth"):
            model.export(target)
        assert model.export(target, max_depth=3).count("\n") < 40
