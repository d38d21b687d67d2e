"""Explanations as text, as HTML and as plain dictionaries."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.data.columns import plain
from treewright.explain.path import Path, Step
from treewright.export.text import percent
from treewright.formatting.text import counted, figure, printable, quoted
from treewright.formatting.text_table import aligned
from treewright.tree.conditions import condition_words, on_branch
from treewright.tree.splits import Table, features_of

if TYPE_CHECKING:
    from treewright.explain.explanation import Explanation

MOST_SHOWN = 12
"""How many classes and contributions are shown, the largest ones."""

FOLLOWED = {
    "direction": "follows the branch learned for missing values, or the largest where training missed none",
    "available": "follows the largest branch",
    "ignore": "follows the largest branch",
    "fractional": "follows the largest branch, as no training row missed it",
    "fractional_counts": "follows the largest branch, as no training row missed it",
    "value": "goes where missing, a value of its own, was found to belong",
    "mean": "is filled with the mean of the node's rows",
    "median": "is filled with the median of the node's rows",
    "mode": "is filled with the most frequent value of the node's rows",
    "class_mode": "is filled with the most frequent value of the node's rows",
    "surrogate": "follows the largest branch, as no surrogate can tell either",
}
"""What becomes of a missing value that one branch is kept for, by policy."""


def text(explained: Explanation) -> str:
    """Write the explanation, part by part."""
    parts = [[headline(explained)]]
    for title, lines in sections(explained):
        parts.append([title, *("  " + line for line in lines)])
    return "\n\n".join("\n".join(part) for part in parts)


def html(explained: Explanation) -> str:
    """Write the explanation as a piece of HTML; every name is escaped."""
    parts = [f"<p><b>{escape(headline(explained))}</b></p>"]
    for title, lines in sections(explained):
        shown = escape("\n".join(lines))
        parts.append(f"<p>{escape(title)}</p><pre>{shown}</pre>")
    return f"<div>{''.join(parts)}</div>"


def headline(explained: Explanation) -> str:
    """Say what is predicted."""
    if explained.schema.classes is None:
        words = f"Predicted: {explained.says[0]:.6g}"
        mean, row = explained.intervals, explained.prediction_interval
        if mean is None or row is None or not np.isfinite(mean).all():
            return words
        confidence = f"{100 * explained.confidence:g} % confidence interval of the mean"
        return (
            f"{words} ({confidence} {figure(mean[0, 0])} to {figure(mean[1, 0])}, "
            f"prediction interval of a further row {figure(row[0])} to {figure(row[1])})"
        )
    share = explained.says[explained.label]
    return f"Predicted: {_class(explained, explained.label)} ({percent(share)} %)"


def sections(explained: Explanation) -> list[tuple[str, list[str]]]:
    """Give the parts of the explanation: a title and lines for each."""
    found = []
    if len(explained.paths) == 1:
        found.append(("The path through the tree", path_lines(explained, explained.paths[0])))
    else:
        lines = [f"{counted(len(explained.paths), 'tree')} were asked; their answers are averaged"]
        found.append(("The path through the trees", lines))
    if explained.paths[0].tree.equations is not None:
        found.append(("The equation of its leaf", equation_lines(explained)))
    if missing := missing_sentences(explained):
        found.append(("Missing and unseen values", missing))
    if explained.schema.classes is not None:
        found.append(("Classes", class_lines(explained)))
    found.append((_contribution_title(explained), contribution_lines(explained)))
    if explained.looked_for:
        title = f"Counterfactual: the nearest change to {explained.looked_for}"
        found.append((title, change_lines(explained)))
    return [(title, lines) for title, lines in found if lines]


# ---- the way ---------------------------------------------------------------------------------------


def path_lines(explained: Explanation, path: Path) -> list[str]:
    """Write a line for each branch taken: its condition, the row's value, and the rows beyond."""
    tree, rows = path.tree, []
    depth = dict.fromkeys((step.node for step in path.steps), 0)
    for step in path.steps:
        split = path.split(step)
        several = len(step.branches) > 1
        for branch, share in step.branches:
            child = tree.children(step.node)[branch]
            if child in depth:
                depth[child] = depth[step.node] + several
            condition = condition_words(on_branch(split, branch, tree.schema, -1), tree.schema)
            rows.append(
                [
                    "  " * depth[step.node] + condition,
                    _value_words(explained, step, path),
                    counted(int(tree.count[child]), "row"),
                    _node_words(explained, child),
                    f"{percent(share)} % of the row" if share < 1 else "",
                ]
            )
    if not rows:
        return [f"the tree is one leaf of {counted(int(tree.count[0]), 'row')}"]
    return aligned(["branch", "value", "training", "", ""], rows, right=(2,))


def equation_lines(explained: Explanation) -> list[str]:
    """Write the equation of each leaf that the row ends in, and what stands in it for missing values."""
    tree = explained.paths[0].tree
    equations = tree.equations
    assert equations is not None
    lines: list[str] = []
    low, high = equations.range.tolist()
    for node, share in explained.paths[0].ends:
        of_row = f" ({percent(share)} % of the row)" if share < 1 else ""
        lines.append(equations.words(tree.schema, node) + of_row)
        unknown = {term.feature for term in equations.terms(node) if explained.row.is_unknown(term.feature)}
        for feature in sorted(unknown):
            fill = tree.schema.columns[feature].text(float(equations.fill[feature]))
            lines.append(f"{_what_is_missing(explained, feature)}: it counts as {fill}")
        if float(explained.values[0][node, 0]) in (low, high):
            lines.append(f"predictions are held to {low:g} … {high:g}")
    return lines


def _value_words(explained: Explanation, step: Step, path: Path) -> str:
    asked = features_of(path.asked(step))
    if step.how == "surrogate":
        return "in place of " + _names(explained, asked)
    return ", ".join(explained.row.text(feature) for feature in asked)


def _names(explained: Explanation, features: Iterable[int]) -> str:
    return " and ".join(printable(explained.schema.names[feature]) for feature in features)


def _node_words(explained: Explanation, node: int) -> str:
    value = explained.values[0][node]
    if explained.schema.classes is None:
        return f"{value[0]:.6g}"
    code = int(explained.paths[0].tree.label[node])
    return f"{percent(value[code])} % {_class(explained, code)}"


# ---- missing values ----------------------------------------------------------------------------------


def missing_sentences(explained: Explanation) -> list[str]:
    """Say what every missing and unseen value did, node by node; in a forest only how often it was asked."""
    if len(explained.paths) > 1:
        return _missing_in_forest(explained)
    path = explained.paths[0]
    return [_missing_sentence(explained, path, step) for step in path.steps if step.how != "split"]


def _missing_in_forest(explained: Explanation) -> list[str]:
    asked: dict[int, int] = {}
    for path in explained.paths:
        unanswered = [path.asked(step) for step in path.steps if step.how != "split"]
        for feature in {feature for split in unanswered for feature in features_of(split)}:
            asked[feature] = asked.get(feature, 0) + 1
    return [
        f"{_what_is_missing(explained, feature)}: {count} of {len(explained.paths)} trees asked for it."
        for feature, count in asked.items()
        if np.isnan(explained.row[feature]) or feature in explained.row.unseen
    ]


def _what_is_missing(explained: Explanation, feature: int) -> str:
    name = printable(explained.schema.names[feature])
    if feature in explained.row.unseen:
        return f"{name} = {explained.row.text(feature)} was never seen in training"
    if np.isnan(explained.row[feature]):
        return f"{name} is missing"
    return f"{name} = {explained.row.text(feature)} did not occur at this node in training"


def _missing_sentence(explained: Explanation, path: Path, step: Step) -> str:
    tree, split = path.tree, path.asked(step)
    features = [
        feature
        for feature in features_of(split)
        if np.isnan(explained.row[feature]) or feature in explained.row.unseen or isinstance(split, Table)
    ]
    what = " and ".join(_what_is_missing(explained, feature) for feature in features)
    several = isinstance(split, Table) and split.is_multiway
    asked = _names(explained, features) if several else split.condition(tree.schema, 0, max_categories=4)
    return f"{what}: {_what_it_did(explained, path, step, features[0])} (node {step.node}: {asked})."


def _what_it_did(explained: Explanation, path: Path, step: Step, feature: int) -> str:
    if step.how == "surrogate":
        words = path.split(step).condition(path.tree.schema, step.branches[0][0], max_categories=4)
        return (
            f"the surrogate {words} stands in, which agrees on {percent(path.agreement(step))} % of the rows"
        )
    if step.how == "stayed":
        return "the row stays at this node"
    if step.how == "shared":
        parts = " and ".join(f"{percent(part / step.share)} %" for _, part in step.branches)
        return f"the row goes down every branch by the weight of its training rows, {parts}"
    if step.how == "unseen":
        return "the row follows the largest branch"
    policy = explained.policies[feature] if explained.policies is not None else ""
    if policy in ("mean", "median") and explained.schema.columns[feature].kind == "categorical":
        policy = "mode"
    did = FOLLOWED.get(policy, "follows the branch kept for such rows")
    subject = "it" if did.startswith("is filled") else "the row"
    return f"{subject} {did}"


# ---- classes, contributions, change --------------------------------------------------------------------


def class_lines(explained: Explanation) -> list[str]:
    """Write the probability of each class with its interval, the largest first."""
    order = np.argsort(-explained.says, kind="stable")[:MOST_SHOWN].tolist()
    intervals = explained.intervals
    rows = []
    for code in order:
        row = [_class(explained, code), f"{percent(explained.says[code])} %"]
        if intervals is not None:
            low, high = intervals[:, code]
            row.append(f"{percent(low)} to {percent(high)} %")
        rows.append(row)
    heads = ["class", "probability", f"{100 * explained.confidence:g} % confidence interval"][: len(rows[0])]
    return aligned(heads, rows, right=(1, 2)) + overruled_lines(explained)


def overruled_lines(explained: Explanation) -> list[str]:
    """Say that the rows of the leaf lead to another class than its smoothed probabilities, if they do."""
    ends = [(path.tree, node) for path in explained.paths for node, _ in path.ends]
    if len(ends) != 1 or not ends[0][0].overruled[ends[0][1]]:
        return []
    tree, leaf = ends[0]
    own = _class(explained, int(tree.decide(tree.training_value[leaf])))
    return [
        f"smoothing has decided: the {counted(int(tree.count[leaf]), 'training row')} of this leaf alone "
        f"would lead to {own}"
    ]


def _contribution_title(explained: Explanation) -> str:
    root, says = explained.root[explained.label], explained.says[explained.label]
    if explained.schema.classes is None:
        whose = (
            "the value of all rows"
            if explained.paths[0].tree.equations is None
            else "of a row without values"
        )
        return f"What moved the prediction from {root:.6g}, {whose}, to {says:.6g}"
    which = _class(explained, explained.label)
    before, after = f"{percent(root)} %, that of all rows,", f"{percent(says)} %"
    return f"What moved the probability of {which} from {before} to {after}"


def contribution_lines(explained: Explanation) -> list[str]:
    """Write what each feature contributed to the prediction, the largest first."""
    moved = explained.contributions[:, explained.label]
    scale = max(np.abs(moved).max(initial=0.0), abs(explained.root[explained.label]))  # beyond it is rounding
    order = [
        feature
        for feature in np.argsort(-np.abs(moved), kind="stable").tolist()
        if abs(moved[feature]) > 1e-12 * scale
    ]
    rows = []
    for feature in order[:MOST_SHOWN]:
        amount = (
            f"{moved[feature]:+.6g}" if explained.schema.classes is None else f"{100 * moved[feature]:+.1f} %"
        )
        rows.append([printable(explained.schema.names[feature]), amount, explained.row.text(feature)])
    return aligned(["feature", "moved by", "value"], rows, right=(1,)) if rows else []


def change_lines(explained: Explanation) -> list[str]:
    """Write the nearest change that would have another answer."""
    if explained.change is not None:
        return explained.change.lines()
    if explained.timed_out:
        return ["none was found in time: allow more, or fix some features"]
    return ["there is none within what may change"]


def _class(explained: Explanation, code: int) -> str:
    classes = explained.schema.classes
    assert classes is not None
    return quoted(str(plain(classes[code])))


# ---- plain values --------------------------------------------------------------------------------------


def dictionary(explained: Explanation) -> dict[str, Any]:
    """Give the explanation as plain values, see `Explanation.to_dict`."""
    schema = explained.schema
    found: dict[str, Any] = {
        "prediction": explained.prediction,
        "row": {name: explained.row.plain(feature) for feature, name in enumerate(schema.names)},
    }
    if len(explained.paths) == 1:
        found["path"] = _path_dict(explained.paths[0])
    found["missing"] = missing_sentences(explained)
    moved = explained.contributions
    if schema.classes is None:
        found["root"] = float(explained.root[0])
        mean, further = explained.intervals, explained.prediction_interval
        if mean is not None and further is not None and np.isfinite(mean).all():
            found["interval"] = mean[:, 0].tolist()
            found["prediction_interval"] = further.tolist()
        found["contributions"] = dict(zip(schema.names, moved[:, 0].tolist(), strict=True))
    else:
        labels = [str(plain(label)) for label in schema.classes]
        found["classes"] = dict(zip(labels, explained.says.tolist(), strict=True))
        if explained.intervals is not None:
            found["intervals"] = dict(zip(labels, explained.intervals.T.tolist(), strict=True))
        found["root"] = dict(zip(labels, explained.root.tolist(), strict=True))
        found["contributions"] = {
            name: dict(zip(labels, row, strict=True))
            for name, row in zip(schema.names, moved.tolist(), strict=True)
        }
    found["change"] = None if explained.change is None else explained.change.to_dict()
    return found


def _path_dict(path: Path) -> list[dict[str, Any]]:
    tree, found = path.tree, []
    for step in path.steps:
        split = path.split(step)
        found.append(
            {
                "node": step.node,
                "how": step.how,
                "split": split.to_dict(tree.schema),
                "branches": [
                    {
                        "condition": split.condition(tree.schema, branch),
                        "share": share,
                        "node": tree.children(step.node)[branch],
                    }
                    for branch, share in step.branches
                ],
            }
        )
    return found
